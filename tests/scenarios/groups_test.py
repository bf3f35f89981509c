# SPDX-License-Identifier: GPL-2.0-only
"""Stages on groups of devices, as a user meets them."""

import json
import re

from fidelity_floor import frozen_traces
from places import BIN, InFolder

LIMIT = 0.05  # of a prediction's error


class Groups(InFolder):
    MODELS = ["alexnet", "regnet_x_200mf"]

    def run_program(self, program, *options):
        return self.start(BIN / program, *options)

    def rows(self, *options):
        self.ended(self.run_program("pipeline-training", "--out=o", *options))
        return {row["planner"]: row for row in self.read_csv("o", "results.csv")}

    def refuse(self, message, *options):
        self.assert_one_line(self.run_program("pipeline-training", *options), message)

    def compare(self, *options):
        rows = self.rows("--planner=exact,hybrid", "--iterations=3", *options)
        return [float(rows[name]["iterationSeconds"]) for name in ("exact", "hybrid")], rows["hybrid"]

    def test_hybrid_keeps_its_word_and_is_no_slower_than_one_device_a_stage(self):
        gains = []
        for model in self.MODELS:
            for network in (["--bandwidth=1Gbps"], ["--bandwidth=100Mbps"], ["--link=wifi"]):
                with self.subTest(f"{model}, {network[0]}"):
                    (single, grouped), row = self.compare(f"--model={model}", *network)
                    self.assertLessEqual(grouped, single * (1.02 if "wifi" in network[0] else 1))
                    if "wifi" not in network[0]:
                        self.assertAlmostEqual(float(row["predictedIterationSeconds"]) / grouped, 1, delta=LIMIT)
                    if "1Gbps" in network[0]:
                        gains.append(1 - grouped / single)
        self.assertGreater(sum(gains) / len(gains), 0.1)

    def test_packets_agree_with_flows(self):
        flow, packet = (float(self.rows("--planner=hybrid", "--model=alexnet", "--iterations=1", f"--fidelity={level}")[
            "hybrid"]["iterationSeconds"]) for level in ("flow", "packet"))
        self.assertAlmostEqual(packet / flow, 1, delta=0.02)

    def test_a_plan_and_a_problem_of_its_own_give_the_same_run(self):
        first = self.rows("--planner=hybrid", "--model=alexnet")["hybrid"]
        self.assertIn("(16 each)", first["plan"])
        problem = json.loads((self.folder / "o/problem.json").read_text())
        self.assertEqual([part["samples"] for part in problem["costs"]["jetson-orin-nano"]["parts"]], [1, 2, 4, 8, 16])
        answer = self.ended(self.run_program("plan", "--problem=o/problem.json", "--planner=hybrid")).stdout
        (self.folder / "plan.json").write_text(answer)
        group = json.loads(answer)["stages"][0]["devices"]
        self.assertEqual(group, [{"device": f"jetson-orin-nano-{at}", "samples": 16} for at in (0, 1)])
        again = self.rows("--planner=plan:plan.json", "--model=alexnet")["plan:plan.json"]
        self.assertEqual(again["iterationSeconds"], first["iterationSeconds"])

    def test_a_tenth_of_the_ends_of_plans_suffices(self):
        self.rows("--planner=hybrid", "--model=regnet_x_200mf", "--bandwidth=1Gbps", "--iterations=1")
        few, all_ = (json.loads(self.ended(self.run_program(
            "plan", "--problem=o/problem.json", "--planner=hybrid",
            f"--ns3::edgepipe::HybridPipelinePlanner::MaxTails={most}")).stdout)["iterationSeconds"] for most in (100, 1000))
        self.assertLess(few, 1.01 * all_)

    def test_shares_follow_the_load(self):
        """A plan of one's own keeps its stages; of three devices in a group the fastest one slows down."""
        (self.folder / "plan.json").write_text(json.dumps({"stages": [
            {"devices": [{"device": name, "samples": samples} for name, samples in
                         (("jetson-orin-nano-0", 16), ("jetson-xavier-nx-0", 8), ("raspberry-pi-5-0", 8))],
             "firstLayer": "input", "lastLayer": "features.12"},
            {"device": "jetson-orin-nano-1", "firstLayer": "avgpool", "lastLayer": "classifier.6"}]}))
        options = ("--planner=plan:plan.json", "--model=alexnet", "--iterations=12",
                   "--load=jetson-orin-nano-0:0.3@5s")
        for shares in ("balanced", "optimal", "equal"):
            kept, followed = (
                list(self.rows(*options, f"--group-shares={shares}", f"--replan={replan}").values())[0]
                for replan in ("off", "on"))
            samples = [int(text) for text in re.findall(r"jetson-orin-nano-0 \((\d+)\)", followed["plan"])]
            if shares == "equal":
                self.assertEqual((followed["plan"], followed["planChanges"]), (kept["plan"], "0"))
                self.assertEqual(samples, [11])
                continue
            self.assertEqual(followed["migratedBytes"], "0")
            self.assertLess(samples[1], 0.7 * samples[0])
            self.assertLess(float(followed["lastIterationSeconds"]), 0.7 * float(kept["lastIterationSeconds"]))
        self.refuse('--group-shares: found "best", expected plan, balanced, or one of: bno', "--group-shares=best")

    def test_a_groups_own_transfers_are_not_taken_for_a_slow_link(self):
        # The floor's devices: by the fit of today a group of four is believed to be on 28 of 48 Mbit/s.
        with frozen_traces() as traces:
            self.check_group_on_slow_links("--cluster=pi-lab", "--model=regnet_x_200mf", "--micro-batch-size=16",
                                           "--memory-margin=0", "--iterations=4", f"--traces={traces}")

    def check_group_on_slow_links(self, *options):
        self.rows("--planner=hybrid", "--link=wifi", "--bandwidth=50Mbps", "--replan=both", *options)
        kept, replanned = self.read_csv("o", "results.csv")
        self.assertEqual(replanned["planChanges"], "0")
        self.assertAlmostEqual(float(replanned["totalSeconds"]) / float(kept["totalSeconds"]), 1, delta=0.01)
        (self.folder / "plan.json").write_text(json.dumps({"stages": [
            {"devices": [{"device": "raspberry-pi-5-1", "samples": 10}, {"device": "raspberry-pi-4b-0", "samples": 6}],
             "firstLayer": "input", "lastLayer": "linear1"}]}))
        self.rows("--planner=plan:plan.json", "--link=wifi", "--bandwidth=10Mbps", "--replan=on", *options)
        for decision in self.read_csv("o", "decisions.csv"):
            self.assertGreater(float(decision["bandwidthBitsPerSecond"]), 6e6)

    def test_what_groups_do_not_do_is_refused(self):
        self.rows("--planner=hybrid", "--model=alexnet")
        (self.folder / "plan.json").write_text(
            self.ended(self.run_program("plan", "--problem=o/problem.json", "--planner=hybrid")).stdout)
        for options, message in (
                (["--adjacent=on"], "plan: found stage 0 on a group of 2, expected one device a stage with "
                                    "AdjacentScheduling"),
                (["--adjacent=on", "--adjacent-costs=joint"], "found with a stage on a group of devices"),
                (["--schedule=seq1f1b"], "expected one device a stage with the schedule seq1f1b"),
                (["--exchange=merged-ring"], "Exchange: found merged-ring, which merges messages"),
                (["--exchange=star"], "found \"star\", expected one of")):
            with self.subTest(" ".join(options)):
                self.refuse(message, "--planner=plan:plan.json", "--model=alexnet", *options)
        for option in ("--group-shares=bno", "--feed-samples=true", "--route-through-heads=true",
                       "--exchange=merged-ring"):
            with self.subTest(option):
                self.refuse("since no plan here may have groups", "--planner=exact", option)

    def test_planners_put_no_stage_on_a_group_where_there_is_help(self):
        rows = self.rows("--planner=exact,hybrid,pg-mpss", "--model=alexnet", "--adjacent=on",
                         "--ns3::edgepipe::LearningPipelinePlanner::Evaluations=200")
        self.assertEqual({row["status"] for row in rows.values()}, {"finished"})
        self.assertEqual(rows["hybrid"]["plan"], rows["exact"]["plan"])
        said = self.ended(self.run_program("pipeline-training", "--planner=exact,hybrid", "--model=alexnet",
                                           "--adjacent=both")).stdout
        self.assertIn("Neighbours do not help in plans with groups", said)
        self.assertIn("exact + help", said)
        self.assertNotIn("hybrid + help", said)

    def test_plans_with_wrong_groups_are_refused(self):
        stages = [{"devices": [{"device": "jetson-orin-nano-0", "samples": 16},
                               {"device": "jetson-orin-nano-1", "samples": 16}],
                   "firstLayer": "input", "lastLayer": "classifier.6"}]
        for change, message in (
                ({"samples": 15}, "found 31 samples on a group of 2, expected 32"),
                ({"samples": 0}, "samples: found 0, expected"),
                ({"samples": 2 ** 32 - 1}, "found 4294967311 samples on a group of 2, expected 32"),
                ({"device": "jetson-orin-nano-1"}, "jetson-orin-nano-1, which has another stage"),
                ({"device": "nobody"}, "expected the name of a device of the problem"),
                ({"share": 1}, "share")):
            with self.subTest(message):
                plan = json.loads(json.dumps({"formatVersion": 1, "stages": stages}))
                plan["stages"][0]["devices"][0].update(change)
                (self.folder / "wrong.json").write_text(json.dumps(plan))
                self.refuse(message, "--planner=plan:wrong.json", "--model=alexnet")
