# SPDX-License-Identifier: GPL-2.0-only
"""What the study coknight-figures finds, by its figures and several run numbers."""

import json
import unittest

from planner.multi_actor_test import MILP
from programs import Program
from scenarios.actor_learner_test import TRACES


class CoknightFigures(Program):
    def read_figures(self, *options):
        self.ended(self.run_program("coknight-figures", TRACES, "--out=out", *options))
        figures = json.loads((self.folder / "out" / "coknight.json").read_text())["figures"]
        for name in figures:
            self.assertTrue((self.folder / "out" / f"figure-{name}.csv").is_file())
        self.assertIn("theirs", (self.folder / "out" / "coknight.md").read_text())
        return {name: figure["rows"] for name, figure in figures.items()}

    def test_server_use_is_lower_by_what_the_budgets_imply(self):
        for run in (1, 2, 3):
            self.start_afresh()
            seed, narrow, both, local, *printed = self.read_figures("--figures=9", f"--RngRun={run}")["9"]
            self.assertAlmostEqual(seed["tensorMBps"], 12, delta=0.25)
            self.assertEqual(local["inferenceUse"], 0)
            self.assertEqual([row["planner"] for row in printed], 2 * ["defp-as-printed"])
            for row in (narrow, both, *printed):
                self.assertLess(row["serverUse"], seed["serverUse"])
                self.assertAlmostEqual(row["inferenceUse"], row["impliedInferenceUse"],
                                       delta=0.02 * seed["inferenceUse"])
                saved = 1 - row["inferenceUse"] / seed["inferenceUse"]
                self.assertGreater(saved, 1 - row["computeBudgetShare"] - 0.02)
            self.assertLessEqual(narrow["tensorMBps"], 10 * 1.02)
            self.assertLess(both["inferenceUse"], narrow["inferenceUse"])

    def test_a_server_that_was_not_used_had_no_use_in_any_span(self):
        local = self.read_figures("--figures=9", "--duration=3s")["9"][3]
        self.assertEqual([local[use] for use in ("serverUse", "leastSpanUse", "medianSpanUse",
                                                 "mostSpanUse")], [0] * 4)

    def test_all_on_the_server_suffers_most_from_narrow_wires(self):
        rows = self.read_figures("--figures=10")["10"]
        rates = {planner: [row["requestsPerSecond"] for row in rows if row["planner"] == planner]
                 for planner in ("all-server", "all-local", "defp")}
        loss = {planner: 1 - found[-1] / found[0] for planner, found in rates.items()}
        self.assertGreater(loss["all-server"], 0.5)
        self.assertLess(loss["defp"], 0.25 * loss["all-server"])
        self.assertAlmostEqual(rates["defp"][-1] / rates["all-local"][-1], 1, delta=0.05)

    def test_an_actor_loses_less_than_with_all_on_the_server_as_actors_grow(self):
        for run in (1, 2, 3):
            self.start_afresh()
            rows = self.read_figures("--figures=11", "--actors=12,36,100", "--duration=10s",
                                     f"--RngRun={run}")["11"]
            kept = {}
            for planner in ("all-server", "defp"):
                rates = [row["requestsPerSecondOfAnActor"] for row in rows if row["planner"] == planner]
                kept[planner] = rates[-1] / rates[0]
            self.assertLess(kept["all-server"], kept["defp"])
            self.assertLess(kept["defp"], 1)

    def test_a_fixed_budget_does_not_follow_the_wires(self):
        wide = {}
        for budget in (0, 2):
            self.start_afresh()
            rows = self.read_figures("--figures=10", "--duration=2s", f"--bandwidth-budget={budget}")["10"]
            wide[budget] = [row for row in rows if row["bandwidthMBps"] == 50
                            and row["planner"] == "defp"][0]["cutMean"]
        self.assertLess(wide[0], wide[2])

    def test_bytes_instead_of_floats_are_four_times_the_requests(self):
        rates = [self.read_figures("--figures=9", "--duration=2s",
                                   f"--frame-element-bytes={size}")["9"][0]["requestsPerSecond"]
                 for size in (4, 1) if not self.start_afresh()]
        # 12 MB/s over 4 x 84 x 84 elements: 8.86 and 35.4 requests/s of each of 12 actors. With
        # bytes the server is nearly full, and they wait for it.
        self.assertAlmostEqual(rates[0] / (12e6 / (4 * 84 * 84 * 4)), 1, delta=0.05)
        self.assertAlmostEqual(rates[1] / (12e6 / (4 * 84 * 84)), 1, delta=0.15)

    @unittest.skipUnless(MILP, "this build is without COIN-OR CBC")
    def test_defp_and_ogreedy_come_to_milp_and_igreedy_does_not(self):
        for run in (1, 2, 3):
            self.start_afresh()
            rows = self.read_figures("--figures=12", "--problems=4", f"--RngRun={run}")["12"]
            for row in rows:
                self.assertLessEqual(row["shareOfMilp"], 1 + 1e-9)
            last = {(row["server"], row["planner"]): row for row in rows if row["actors"] == 60}
            for server in ("elastic", "non-elastic"):
                for planner, least in (("defp", 0.97), ("ogreedy", 0.97), ("defp-as-printed", 0.85)):
                    self.assertGreater(last[server, planner]["shareOfMilp"], least)
                self.assertLess(last[server, "defp-as-printed"]["shareOfMilp"],
                                last[server, "defp"]["shareOfMilp"])
                self.assertLess(last[server, "igreedy"]["shareOfMilp"], 0.9)
            growing = [row["totalReductionSeconds"] for row in rows
                       if (row["server"], row["planner"]) == ("elastic", "defp")]
            self.assertEqual(growing, sorted(growing))
