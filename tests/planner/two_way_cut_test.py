# SPDX-License-Identifier: GPL-2.0-only
"""The program `plan` on two-way cuts, as a user meets it."""

import json

from programs import Program, put, without

PLANNERS = ("qdmp", "dads", "neurosurgeon", "exact", "edge-only", "cloud-only")
CUT = "cut.json"

# A byte takes 1 ms up and 0.1 ms down. All on the server: 4 + 0.9 + 0.001 s, all on the device:
# 7 s. With "a" on the device: 0.5 s, 1 s up, 0.8 s, 0.001 s down.
PROBLEM = {
    "problem": "two-way-cut",
    "layers": [
        {"name": "a", "inputs": [], "outputBytes": 1000, "deviceSeconds": 0.5,
         "serverSeconds": 0.1, "predictedDeviceSeconds": 9, "predictedServerSeconds": 0.1},
        {"name": "b", "inputs": ["a"], "outputBytes": 800, "deviceSeconds": 2.5,
         "serverSeconds": 0.3, "predictedDeviceSeconds": 2.5, "predictedServerSeconds": 0.3},
        {"name": "c", "inputs": ["a", "b"], "outputBytes": 10, "deviceSeconds": 4,
         "serverSeconds": 0.5, "predictedDeviceSeconds": 4, "predictedServerSeconds": 0.5}],
    "inputBytes": 4000, "uplinkBitsPerSecond": 8000, "downlinkBitsPerSecond": 80000,
    "countResult": True}

BROKEN = [
    ("FLOP of one layer only", put(1, "layers", 1, "flop"), ["layers[0]", '"flop" is missing']),
    ("half of a prediction", without("layers", 2, "predictedServerSeconds"),
     ["layers[2]", '"predictedServerSeconds" is missing']),
    ("times alone of one layer only", put(1, "layers", 1, "isolatedDeviceSeconds"),
     ["layers[0]", '"isolatedDeviceSeconds" is missing']),
    ("no layers", put([], "layers"), ["layers", "no layer"]),
    ("an unknown objective", put("energy", "objective"), ["objective", '"energy"', "latency or throughput"]),
]


class TwoWayCut(Program):
    def start_afresh(self):
        super().start_afresh()
        (self.inputs / CUT).write_text(json.dumps(PROBLEM, indent=1))

    def plan(self, *options):
        return self.run_program("plan", f"--problem={self.inputs / CUT}", *options)

    def test_every_planner_prints_one_plan_as_json(self):
        # dads takes the upload for free; neurosurgeon believes that "a" takes 9 s.
        expected = {"qdmp": "a", "exact": "a", "dads": "", "neurosurgeon": "", "edge-only": "abc",
                    "cloud-only": ""}
        latencies = {"": 4.901, "a": 2.301, "abc": 7}
        for planner in PLANNERS:
            with self.subTest(planner):
                plan = json.loads(self.ended(self.plan(f"--planner={planner}"), stderr="").stdout)
                self.assertEqual(list(plan), [
                    "planner", "formatVersion", "layerCount", "deviceLayers", "serverLayers",
                    "latencySeconds", "deviceSeconds", "serverSeconds", "transferSeconds", "uplinkBytes",
                    "decisionSeconds"])
                self.assertEqual(plan["planner"], planner)
                self.assertEqual("".join(plan["deviceLayers"]), expected[planner])
                self.assertEqual("".join(plan["deviceLayers"] + plan["serverLayers"]), "abc")
                self.assertAlmostEqual(plan["latencySeconds"], latencies[expected[planner]])
                self.assertAlmostEqual(plan["latencySeconds"], plan["deviceSeconds"]
                                       + plan["serverSeconds"] + plan["transferSeconds"])
        self.assertEqual(json.loads(self.plan().stdout)["planner"], "qdmp")

    def test_throughput_is_an_objective_of_its_own(self):
        (self.inputs / CUT).write_text(json.dumps({**PROBLEM, "objective": "throughput"}))
        plan = json.loads(self.plan("--planner=exact").stdout)
        parts = [plan[f"{part}Seconds"] for part in ("device", "server", "transfer")]
        self.assertEqual(plan["bottleneckSeconds"], max(parts))
        for other in ("neurosurgeon", "edge-only", "cloud-only"):
            self.assertLessEqual(plan["bottleneckSeconds"],
                                 json.loads(self.plan(f"--planner={other}").stdout)["bottleneckSeconds"])
        self.assert_refused(self.plan("--planner=qdmp"), ["planner qdmp", "objective", "latency"])

    def test_the_envelope_tells_every_breakpoint(self):
        segments = json.loads(self.ended(self.plan("--envelope"), stderr="").stdout)["envelope"]
        # From all on the device to "a" there: 1000 bytes more, 6.5 - 0.801 s less. From "a" to
        # none: 3000 bytes more, 0.5 - 0.1 s less.
        self.assertEqual(["".join(one["deviceLayers"]) for one in segments], ["abc", "a", ""])
        self.assertEqual([one["uplinkBytes"] for one in segments], [0, 1000, 4000])
        for one, bandwidth in zip(segments, (0, 8000 / 5.699, 24000 / 0.4)):
            self.assertAlmostEqual(one["fromUplinkBitsPerSecond"], bandwidth, places=6)
        for one in segments:
            with self.subTest(one["deviceLayers"]):
                (self.inputs / CUT).write_text(json.dumps(
                    {**PROBLEM, "uplinkBitsPerSecond": one["fromUplinkBitsPerSecond"] + 1}))
                self.assertEqual(json.loads(self.plan().stdout)["deviceLayers"], one["deviceLayers"])

    def test_broken_problems_are_refused_in_one_line(self):
        for sentence, change, words in BROKEN:
            with self.case(sentence):
                self.edit(CUT, change)
                self.assert_refused(self.plan(), [CUT, *words])

    def test_broken_options_are_refused_in_one_line(self):
        self.refuse_each((
            (["--planner=autopipe"], ["--planner", '"autopipe"', "cloud-only", "qdmp"]),
            (["--planner=dads", "--envelope"], ["--envelope", "planner dads has none"]),
            (["--ns3::edgepipe::DadsPlanner::Algorithm=simplex", "--planner=dads"],
             ["Algorithm", '"simplex"', "boykov-kolmogorov"]),
        ), "plan", f"--problem={self.inputs / CUT}")

    def test_a_mutated_problem_works_or_is_refused_in_one_line(self):
        self.check_fields(CUT, "plan", f"--problem={self.inputs / CUT}")
        self.check_mutated(CUT, "plan", f"--problem={self.inputs / CUT}", count=80, planners=PLANNERS)

    def test_branches_nested_ten_thousand_deep_are_planned(self):
        layers = [{"name": f"l{i}", "inputs": [f"l{i - 1}"] if i else [], "outputBytes": 1,
                   "deviceSeconds": 1, "serverSeconds": 1} for i in range(20000)]
        # Layer n - 1 - i reads layer i too: branches nested 10,000 deep.
        for i in range(0, 9999):
            layers[19999 - i]["inputs"].append(f"l{i}")
        (self.inputs / CUT).write_text(json.dumps({**PROBLEM, "layers": layers}))
        self.ended(self.plan(), stderr="")
