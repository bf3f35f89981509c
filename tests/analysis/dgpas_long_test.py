# SPDX-License-Identifier: GPL-2.0-only
"""The study dgpas-testbed with planners that learn."""

import os
import unittest

from analysis import dgpas_test
from programs import Program


class LearnedPlanners(Program):
    run_testbed = dgpas_test.DgpasScenario.run_testbed

    @unittest.skipIf("EDGEPIPE_WITHOUT_TORCH" in os.environ, "this build is without LibTorch")
    def test_the_learned_planner_is_in_both_variants_and_near_exact(self):
        text = self.run_testbed("--quick", "--planner=exact,grdqn,grdqn-as-printed,grdqn-improved,grdqn-stage-aware",
                                "--mini-batches=1")
        means = {row["method"]: float(row["iterationSeconds"])
                 for row in self.read_csv("r", "means.csv") if row["help"] == "none"}
        self.assertLess(means["grdqn"], 1.1 * means["exact"])
        self.assertLess(means["grdqn-improved"], 1.02 * means["exact"])
        self.assertIn("seq1f1b-grdqn-improved", means)
        self.assertIn("training weights of grdqn", text)
        self.assertNotIn("No plan", text)
        theirs, = {row["paperSeconds"] for row in self.read_csv("r", "table3.csv")
                   if row["row"] == "DGPAS_Co"}
        self.assertEqual(float(theirs), 2.96)
        misses = self.read_csv("r", "decomposition.csv")
        self.assertEqual([row["method"] for row in misses],
                         ["grdqn", "grdqn-as-printed", "grdqn-stage-aware"])
        for row in misses:
            exact, bound, found, division, plan = (float(row[f"{name}Seconds"]) for name in (
                "exact", "representableBound", "representable", "division", "plan"))
            self.assertLessEqual(exact, bound * (1 + 1e-9))
            self.assertLessEqual(bound, found)
            self.assertLessEqual(exact, division * (1 + 1e-9))
            self.assertLessEqual(division, plan * (1 + 1e-9))
            if row["method"] != "grdqn-stage-aware":
                self.assertLessEqual(bound, division * (1 + 1e-9))
