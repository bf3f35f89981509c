# SPDX-License-Identifier: GPL-2.0-only
"""Every option of the scenarios: what it can not be is refused in one line that says what it can."""

import re
import tempfile

from places import ROOT, InFolder
from scenarios.repeat_test import base_of, join, list_options, start
from scenarios.run_page_test import RUNS

# What `workload` takes is what the workload takes.
SCENARIOS = sorted(name for name in {*RUNS} - {"wifi-calibration", "workload"}
                   if (ROOT / f"scenarios/{name}.cc").exists())
PATHS = {"out", "recording"}


class Options(InFolder):
    def refused(self, program, name, value, given):
        """What is expected instead; an option that another value of others is asked for gets it."""
        with tempfile.TemporaryDirectory() as folder:
            said = start(program, [*join({**base_of(program), **given, name: value}), "--dry-run"], folder)
        other = re.search(r"since --([\w-]+)=\S* does not use it; (?:.*, )?([\w-]+) do", said.stderr)
        again = other and other[1] not in given
        self.assert_one_line(said, f"{program}: --", *[value] * (not again))
        if again:
            more = {"trace": "lte-driving"} if other[2] == "trace" else {}
            return self.refused(program, name, value, {**given, **more, other[1]: other[2]})
        return said.stderr.partition("expected ")[2], given

    def check(self, case):
        program, name = case
        with self.subTest(f"{program} --{name}"):
            expected, given = self.refused(program, name, "?", {})
            values = ["-1s"] if expected.startswith("a time") else []
            if bounds := re.match(r"a (whole )?number from ([\d.e+-]+) to ([\d.e+-]+)", expected):
                whole, low, high = bounds.groups()
                values = [f"{float(end) + step:.0f}" if whole else f"{float(end) + step:g}"
                          for end, step in ((low, -1), (high, max(1, abs(float(high)) / 100)))]
            for value in values:
                again, _ = self.refused(program, name, value, given)
                self.assertTrue(again.startswith("a time") or again == expected, f"{value}: {again}")

    def test_what_an_option_can_not_be_is_refused(self):
        # An option that scenarios share, told by its help, is tried in one of them.
        cases = {(name, text): (program, name) for program in SCENARIOS for name, text in list_options(program).items()
                 if name not in PATHS
                 and (program, name) != ("actor-learner", "cluster")}  # which says how many, as the short run does
        self.assertGreater(len(cases), 150)
        for case in sorted(cases.values()):
            self.check(case)
