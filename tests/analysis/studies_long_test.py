# SPDX-License-Identifier: GPL-2.0-only
"""Studies of papers: the same command gives the same bytes again."""

from analysis.dgpas_test import FAST, TRACES
from programs import Program


class SameResults(Program):
    def check(self, *command):
        contents = set()
        for fresh in (True, False):
            self.start_afresh()
            self.ended(self.run_program(*command, TRACES, "--out=r", fresh=fresh), stderr="")
            # The others tell the wall clock, or how long planners took.
            contents.add(tuple((path.name, path.read_bytes()) for path in sorted((self.folder / "r").glob("*.csv"))
                               if path.name not in ("costs.csv", "decisions.csv", "verdicts.csv")))
        self.assertEqual(len(contents), 1)
        self.assertGreater(len(contents.pop()), 6)

    def test_dgpas(self):
        self.check("dgpas-testbed", *FAST, "--seeds=2")

    def test_qdmp(self):
        self.check("qdmp-tables", "--repeats=1", "--simulate=false", "--model=alexnet,googlenet")
