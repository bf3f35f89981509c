# SPDX-License-Identifier: GPL-2.0-only
"""Stages on groups of devices: large models and many random runs."""

from places import BIN
from scenarios import groups_test


class LongGroups(groups_test.Groups):
    MODELS = ["vgg19", "inception_v3", "resnext101_32x8d"]

    def test_most_of_the_gain_on_a_large_model_is_memory(self):
        (single, grouped), _ = self.compare("--model=vgg19", "--memory-scale=100")
        self.assertLess(single, 12)  # 69 s with the memory that there is
        self.assertLess(grouped, 0.8 * single)

    def test_every_sample_is_computed_once_in_a_thousand_runs_at_either_level(self):
        self.ended(self.start(BIN / "application-test", "--gtest_filter=*Groups.EverySample*",
                              EDGEPIPE_GROUP_RUNS="1000"))

    def test_planners_that_train_break_no_rule_in_a_thousand_problems(self):
        self.ended(self.start(BIN / "planner-test", "--gtest_filter=EdgepipeEveryPipelinePlanner.*",
                              EDGEPIPE_PLANNER_PROBLEMS="1000"))
