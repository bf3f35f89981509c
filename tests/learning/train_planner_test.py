# SPDX-License-Identifier: GPL-2.0-only
"""The scenario train-planner as a user meets it: its files, its checkpoint, and refusals."""

import os
import unittest

from places import BIN, InFolder

CHECKPOINT = "--ns3::edgepipe::GrdqnPlanner::Checkpoint="


@unittest.skipIf("EDGEPIPE_WITHOUT_TORCH" in os.environ, "this build is without LibTorch")
class TrainPlannerTest(InFolder):
    def run_program(self, name, *words):
        return self.start(BIN / name, *words, XDG_CACHE_HOME=str(self.folder / "cache"))

    def train(self, *words):
        return self.ended(self.run_program("train-planner", "--episodes=3", "--planner-bandwidth=900Mbps",
                                           *words)).stdout

    def test_writes_a_row_per_episode_and_what_came_of_it(self):
        said = self.train("--planner=grdqn", "--out=a", *(
            f"--ns3::edgepipe::GrdqnPlanner::{name}=1" for name in ("Kappa", "Varsigma")))
        self.assertIn("plans evaluated", said)
        self.assertEqual([(row["network"], row["episode"])
                          for row in self.read_csv("a", "reward_curves.csv")],
                         [(network, str(i)) for network in ("sdqn", "grdqn") for i in range(3)])
        row, = self.read_csv("a", "training.csv")
        self.assertGreaterEqual(float(row["predictedIterationSeconds"]),
                                float(row["exactIterationSeconds"]) * (1 - 1e-9))
        self.assertEqual(int(row["trainingEvaluations"]), 6)
        self.train("--planner=grdqn", "--out=a")  # rehearses with several pairs first
        row, = self.read_csv("a", "training.csv")
        self.assertGreater(int(row["trainingEvaluations"]), 6)

    def test_runs_differ_by_ns3s_run_number_alone(self):
        def rewards(*words):
            self.train("--out=r", *words)
            return [row["reward"] for row in self.read_csv("r", "reward_curves.csv")]

        self.assertEqual(rewards(), rewards())
        self.assertNotEqual(rewards(), rewards("--RngRun=2"))

    def test_scenarios_plan_by_a_checkpoint_and_refuse_a_damaged_one(self):
        self.train("--out=a")
        file = self.folder / "a" / "checkpoint.grdqn"
        words = ["--planner=grdqn-improved", "--planner-bandwidth=900Mbps", "--out=b", f"{CHECKPOINT}{file}"]
        run = self.ended(self.run_program("pipeline-training", *words))
        self.assertAlmostEqual(float(self.read_csv("b", "results.csv")[0]["predictedIterationSeconds"]),
                               float(self.read_csv("a", "training.csv")[0]["predictedIterationSeconds"]))
        self.assertFalse((self.folder / "cache").exists())
        file.write_bytes(file.read_bytes()[:-1])
        run = self.ended(self.run_program("pipeline-training", *words), 2)
        self.assertIn("cut short or damaged", run.stdout + run.stderr)

    def test_refuses_what_it_cannot_train(self):
        self.assert_one_line(self.run_program("train-planner", "--planner=exact"), "expected one of grdqn")
        self.assert_one_line(self.run_program("train-planner", "--planner=grdqn,exact"), "--planner")
        self.assert_one_line(self.run_program("train-planner", "--model=alexnet,resnet18"), "--model")
        self.assertFalse(list(self.folder.iterdir()))
