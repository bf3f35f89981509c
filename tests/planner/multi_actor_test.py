# SPDX-License-Identifier: GPL-2.0-only
"""The program `plan` on actors that share a server, as a user meets it."""

import json
import os

from programs import Program, put, without

MILP = () if "EDGEPIPE_WITHOUT_CBC" in os.environ else ("milp",)
PLANNERS = ("defp", "defp-as-printed", *MILP, "igreedy", "ogreedy", "all-local", "all-server")
ACTORS = "actors.json"

# Actor "a" takes 3 s alone, 0.85 s with all on the server, 1.45 s with one layer there; actor "b"
# 6 s, 0.85 s and 2.45 s. There are FLOP for all layers of one of them.
PROBLEM = {
    "problem": "multi-actor",
    "layerFlop": [100, 200],
    "outputBytes": [50, 20, 5],
    "actors": [{"name": "a", "flopPerSecond": 100, "bytesPerSecond": 100},
               {"name": "b", "flopPerSecond": 50, "bytesPerSecond": 100}],
    "serverFlopPerSecond": 1000, "computeBudgetFlop": 300, "bandwidthBudgetBytes": 60.5,
    "delta": 1.0}

# By planner: cuts, seconds saved, FLOP, bytes.
EXPECTED = {
    "defp": ([2, 0], 5.15, 300, 50),
    "defp-as-printed": ([2, 0], 5.15, 300, 50),
    "milp": ([2, 0], 5.15, 300, 50),
    "igreedy": ([0, 2], 2.15, 300, 50),
    "ogreedy": ([2, 1], 3.55, 200, 20),
    "all-local": ([2, 2], 0, 0, 0),
    "all-server": ([0, 0], 7.3, 600, 100),
}

BROKEN = [
    ("an actor that never ends", put(1e-300, "actors", 0, "flopPerSecond"),
     ['actor "a"', "flopPerSecond", "above 0"]),
    ("seconds of other layers", put([1], "serverLayerSeconds"), ["serverLayerSeconds", "1 numbers", "2"]),
]


class MultiActor(Program):
    def start_afresh(self):
        super().start_afresh()
        (self.inputs / ACTORS).write_text(json.dumps(PROBLEM, indent=1))

    def plan(self, *options):
        return self.run_program("plan", f"--problem={self.inputs / ACTORS}", *options)

    def read_plan(self, *options):
        return json.loads(self.ended(self.plan(*options), stderr="").stdout)

    def test_every_planner_prints_one_plan_as_json(self):
        for planner in PLANNERS:
            cuts, seconds, flop, used = EXPECTED[planner]
            with self.subTest(planner):
                plan = self.read_plan(f"--planner={planner}")
                self.assertEqual(list(plan), [
                    "planner", "formatVersion", "layerCount", "actors", "cuts",
                    "totalReductionSeconds", "cutVariance", "reductionVariance", "computeUsedFlop",
                    "bandwidthUsedBytes", "decisionSeconds"])
                self.assertEqual((plan["planner"], plan["cuts"]), (planner, cuts))
                self.assertAlmostEqual(plan["totalReductionSeconds"], seconds)
                self.assertEqual((plan["computeUsedFlop"], plan["bandwidthUsedBytes"]), (flop, used))
        self.assertEqual(self.read_plan()["planner"], "defp")

    def test_delta_weighs_the_bytes_and_is_one_unless_given(self):
        self.edit(ACTORS, without("delta"))
        self.assertEqual(self.read_plan()["bandwidthUsedBytes"], 50)
        for delta, cuts, used in ((1.21, [2, 0], 60.5), (1.22, [2, 1], 24.4)):
            with self.case(delta):
                self.edit(ACTORS, put(delta, "delta"))
                for planner in ("defp", *MILP):
                    plan = self.read_plan(f"--planner={planner}")
                    self.assertEqual(plan["cuts"], cuts)
                    self.assertAlmostEqual(plan["bandwidthUsedBytes"], used)

    def test_pairs_tell_who_would_change_the_plan(self):
        # Under igreedy b would save 3 s more with what a holds. Under defp each asks the server
        # (2 messages), b meets a (2), and so does a, which lost all, once more (4).
        for planner, gain, messages in (("igreedy", 3, 0), ("defp", 0, 10), *((name, 0, 0) for name in MILP)):
            with self.subTest(planner):
                pairs = self.read_plan(f"--planner={planner}", "--pairs")["pairs"]
                self.assertEqual(list(pairs), ["all", "thatGain", "largestGainSeconds", "messages"])
                self.assertEqual((pairs["all"], pairs["thatGain"]), (1, int(gain > 0)))
                self.assertAlmostEqual(pairs["largestGainSeconds"], gain)
                self.assertEqual(pairs["messages"], messages)

    def test_broken_problems_are_refused_in_one_line(self):
        for sentence, change, words in BROKEN:
            with self.case(sentence):
                self.edit(ACTORS, change)
                self.assert_refused(self.plan(), [ACTORS, *words])

    def test_broken_options_are_refused_in_one_line(self):
        self.refuse_each((
            (["--planner=qdmp"], ["--planner", '"qdmp"', "all-local", "defp", "milp"]),
            (["--envelope"], ["--envelope", "actors have none"]),
            (["--planner=all-server", "--pairs"], ["--pairs", "exceeds a budget"]),
            (["--ns3::edgepipe::DefpPlanner::FairnessMargin=2"], ["FairnessMargin", '"2"']),
            (["--planner=milp", "--ns3::edgepipe::MilpPlanner::TimeLimit=-1"], ["TimeLimit", '"-1"']),
        ), "plan", f"--problem={self.inputs / ACTORS}")

    def test_a_mutated_problem_works_or_is_refused_in_one_line(self):
        self.check_fields(ACTORS, "plan", f"--problem={self.inputs / ACTORS}")
        self.check_mutated(ACTORS, "plan", f"--problem={self.inputs / ACTORS}", count=60, planners=PLANNERS)
