# SPDX-License-Identifier: GPL-2.0-only
"""analysis/papers/joint_help.py by its command: a model and a schedule take two minutes."""

import sys

from analysis.joint_help_test import NEEDS
from places import ANALYSIS, InFolder

SCRIPT = ANALYSIS / "papers/joint_help.py"


@NEEDS
class Command(InFolder):
    def test_best_shares_are_between_joint_help_and_the_bound(self):
        run = self.ended(self.start(
            sys.executable, SCRIPT, "--models=inception_v3", "--schedules=1f1b", "--chains=4",
            "--rounds=50", "--judged=2", "--simulated=12", "--out=out"))
        row, = self.read_csv("out", "joint-help.csv")
        seconds = {key[:-7]: float(value) for key, value in row.items() if key.endswith("Seconds")}
        # Joint help moves cuts for some samples: changes of these are a little faster yet.
        self.assertLess(seconds["best"], 0.999 * seconds["joint"])
        self.assertLess(seconds["joint"], 0.97 * seconds["iteration"])
        self.assertLess(seconds["bound"], seconds["best"])
        for model, simulated in (("model", "iteration"), ("modelJoint", "joint")):
            self.assertAlmostEqual(seconds[model] / seconds[simulated], 1, delta=0.04)
        self.assertIn(" on average", run.stdout)
