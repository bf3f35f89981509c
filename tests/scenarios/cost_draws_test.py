# SPDX-License-Identifier: GPL-2.0-only
"""Draws of layer costs: intervals and orders against closed forms, at both fidelities."""

import json
import math
import re
import unittest

from browser import CHROMIUM, Browser
from places import ROOT
from programs import CLUSTER, MODEL, PI, PROFILE, QUICK, Program, put

DRAWS = 200
SPREAD = 0.2
LEVELS = ("flow", "packet")
# An interval's end is the logarithm of a quantile, whose error is this for 5 % of so many draws.
ERROR = 2 * SPREAD * math.sqrt(0.05 * 0.95 / DRAWS) / 0.1031


class CostDraws(Program):
    def start_afresh(self):
        super().start_afresh()
        (self.inputs / PROFILE).unlink()
        for stack, kind in (("pytorch", "training"), ("xnnpack", "inference")):
            self.edit(PI, put(SPREAD, "stacks", stack, "spread", kind))

    def run_draws(self, program, *options, status=0):
        return self.ended(self.run_program(program, f"--cost-draws={DRAWS}", "--out=out", *options), status).stdout

    def read(self, name):
        return self.read_csv("out", name)

    def interval(self, case, figure):
        found, = [row for row in self.read("intervals.csv") if (row["case"], row["figure"]) == (case, figure)]
        return [float(found[name]) for name in ("value", "low", "median", "high")]

    def better(self):
        return {(row["case"], row["other"]): float(row["betterShare"]) for row in self.read("orders.csv")}

    def infer(self, device, server, *options):
        return self.run_draws("cooperative-inference", "--model=tiny", f"--device={device}", f"--server={server}",
                              "--planner=edge-only,cloud-only", "--link=lan", "--frames=2", *options)

    def test_one_device_takes_the_interval_of_its_estimate(self):
        self.edit(CLUSTER, put([{"type": "raspberry-pi-5"}], "devices"))
        for level in LEVELS:
            for plans in ("kept", "anew"):
                self.run_draws("pipeline-training", *QUICK, "--weight-update=false", f"--fidelity={level}",
                               f"--cost-plans={plans}")
                value, low, median, high = self.interval("exact", "iterationSeconds")
                for found, expected in ((low, -1.645), (median, 0), (high, 1.645)):
                    self.assertAlmostEqual(math.log(found / value), expected * SPREAD, delta=ERROR)
                # Planners that keep their plans keep their predictions.
                believed = self.interval("exact", "predictedIterationSeconds")
                self.assertEqual(len(set(believed)), 1 if plans == "kept" else 4)

    def test_devices_of_one_type_never_change_places(self):
        for level in LEVELS:
            said = self.infer("raspberry-pi-5", "raspberry-pi-5", f"--fidelity={level}")
            self.assertEqual(self.better(), {("edge-only", "cloud-only"): 1, ("cloud-only", "edge-only"): 0})
            self.assertIn("order survives the uncertainty of the costs: it is never reversed in 200 draws", said)

    def test_types_change_places_as_often_as_their_factors_say(self):
        # The server is a little faster, the network takes next to nothing of seconds, and one layer takes them all.
        self.edit(MODEL, put(80_000_000_000, "layers", 1, "flop"))
        self.edit(PI, put("other", "name"))
        (self.inputs / PI).rename(self.inputs / "devices/other.json")
        faster = json.loads((self.inputs / "devices/other.json").read_text())
        faster["name"] = "faster"
        for key in ("peakFlopPerSecond", "memoryBandwidthBytesPerSecond"):
            faster[key]["value"] *= 1.2
        faster["stacks"]["xnnpack"]["figures"]["layerOverheadSeconds"] /= 1.2
        (self.inputs / "devices/faster.json").write_text(json.dumps(faster))
        words = ("other", "faster", "--bandwidth=10Gbps")
        said = self.infer(*words)
        share = 0.5 * math.erfc(math.log(1.2) / (SPREAD * math.sqrt(2)) / math.sqrt(2))
        found = self.better()[("edge-only", "cloud-only")]
        self.assertAlmostEqual(found, share, delta=4 * math.sqrt(share * (1 - share) / DRAWS))
        self.assertRegex(said, "does not survive the uncertainty of the costs: cloud-only is behind edge-only in")
        self.assertRegex(said, rf"\n +edge-only +- +{100 * found:.1f} %\n")
        # A plan kept is on the faster one, and regrets that where draws make the other faster still.
        said = self.infer(*words, "--cost-plans=both", "--planner=exact,edge-only")
        low, median, high = self.interval("exact", "regret")[1:]
        self.assertEqual([low, median, *self.interval("edge-only", "regret")], [0] * 6)
        expected = 1.645 * SPREAD * math.sqrt(2) - math.log(1.2)
        self.assertAlmostEqual(math.log(1 + high), expected, delta=ERROR * math.sqrt(2))
        self.assertRegex(said, rf"\n +exact +0.0 % +0.0 % to {100 * high:.1f} %\n")

    def test_plans_kept_are_those_of_the_estimate_and_plans_anew_are_not(self):
        plans = {}
        for kind in ("kept", "anew"):
            self.run_draws("pipeline-training", *QUICK, "--planner=exact,even", f"--cost-plans={kind}")
            plans[kind] = self.better()[("exact", "even")]
            stages = self.interval("exact", "predictedIterationSeconds")
            self.assertEqual(stages[1] == stages[3], kind == "kept")
        self.assertGreaterEqual(plans["anew"], plans["kept"])

    def test_draws_repeat_byte_by_byte_and_leave_the_run_as_it_is(self):
        files = {}
        for name, draws in (("none", 0), ("first", 40), ("again", 40)):
            self.assertEqual(self.run_program("pipeline-training", *QUICK, "--planner=exact,even",
                                              f"--cost-draws={draws}", f"--out={name}").returncode, 0)
            files[name] = {path.name: path.read_bytes() for path in (self.folder / name).iterdir()
                           if path.suffix == ".csv" or path.name in ("problem.json", "timeline.json")}
        self.assertEqual(files["first"], files["again"])
        drawn = {name: files["first"].pop(name) for name in ("intervals.csv", "orders.csv")}
        self.assertEqual(files["none"], files["first"])
        page = (self.folder / "first/report.html").read_text()
        for text in drawn.values():
            self.assertIn(json.dumps(text.decode())[1:-1].split("\\n")[1], page)

    @unittest.skipUnless(CHROMIUM, "needs chromium")
    def test_the_page_shows_intervals_and_orders(self):
        self.run_draws("pipeline-training", *QUICK, "--planner=exact,even", "--cost-draws=40")
        with Browser() as browser:
            browser.open(self.folder / "out/report.html")
            rows = "[...document.querySelectorAll('#{} tr')].map(row => [...row.cells].map(one => one.textContent))"
            share = self.better()[("exact", "even")]
            self.assertEqual(browser.evaluate(rows.format("orders"))[1], ["exact", "even", f"{100 * share:.1f} %"])
            figures = [row[1] for row in browser.evaluate(rows.format("intervals"))]
            self.assertIn("iteration (s)", figures)
            self.assertNotIn("micro batches", figures)
            self.assertEqual(browser.console, [])

    def test_every_workload_has_draws(self):
        for program, options, figure in (
                ("data-parallel", ("--model=tiny", "--cluster=lab", "--updates=2", "--planner=equal,bno"),
                 "iterationSeconds"),
                ("actor-learner", ("--model=tiny", "--actor=raspberry-pi-5", "--server=jetson-orin-nano",
                                   "--actors=2", "--duration=3s", "--warm-up=1s", "--train-batch=0",
                                   "--planner=all-local,all-server"), "meanResponseSeconds")):
            said = self.run_draws(program, *options, "--cost-draws=20")
            row = [one for one in self.read("intervals.csv") if one["figure"] == figure][0]
            self.assertLess(float(row["low"]), float(row["high"]))
            self.assertIn("How often the row is better", said)

    def test_a_plan_says_how_often_drawn_peaks_exceed_memory(self):
        # Logarithms of peaks over the rule have mean 0.155 and deviation 0.063.
        self.edit(CLUSTER, put([{"type": "raspberry-pi-5"}], "devices"))
        words = (*QUICK, "--planner=exact")
        self.run_draws("pipeline-training", *words, "--memory-margin=0")
        bytes_used = int(self.read("devices.csv")[0]["peakMemoryBytes"])
        # A margin is for such peaks, so only those beyond it exceed the memory.
        for room, margin in ((1.1, 0), (1.155, 0), (1.4, 0), (1.26, 0.2)):
            self.edit(CLUSTER, put(round(bytes_used * room), "devices", 0, "memoryBytes"))
            said = self.run_draws("pipeline-training", *words, f"--memory-margin={margin}")
            share = 0.5 * math.erfc((math.log(room) - 0.155) / 0.063 / math.sqrt(2))
            found = re.search(r"Drawn peaks of memory exceed a device's in ([\d.]+) % \(exact\)", said)
            self.assertAlmostEqual(float(found[1]) / 100 if found else 0, share,
                                   delta=4 * math.sqrt(share * (1 - share) / DRAWS) + 0.0005)

    def test_a_single_draw_can_be_run_again(self):
        self.run_draws("pipeline-training", *QUICK, "--cost-plans=anew", "--cost-draws=20")
        low, high = self.interval("exact", "iterationSeconds")[1::2]
        seconds = []
        for draw in range(1, 21):
            result = self.run_program("pipeline-training", *QUICK, f"--EdgepipeCostDraw={draw}", "--out=out")
            self.assertEqual(result.returncode, 0, result.stderr)
            seconds.append(float(self.read("results.csv")[0]["iterationSeconds"]))
        self.assertEqual([sorted(seconds)[0], sorted(seconds)[18]], [low, high])

    def test_broken_values_are_refused_in_one_line(self):
        self.refuse_each(((["--cost-draws=19"], ["--cost-draws", '"19"', "20 or more"]),
                          (["--cost-draws=-1"], ["--cost-draws", "whole number"]),
                          (["--cost-draws=100001"], ["--cost-draws", "100000"]),
                          (["--cost-plans=new"], ["--cost-plans", "kept", "anew"])), "pipeline-training", *QUICK)


class PlanDraws(Program):
    def plan(self, *options):
        result = self.run_program("plan", "--problem=" + str(self.inputs / "problem.json"), *options)
        self.assertEqual(result.returncode, 0, result.stderr)
        return [json.loads(line) for line in result.stdout.splitlines()]

    def test_a_plan_of_one_type_has_the_interval_of_its_computing(self):
        self.edit("problem.json", put(1e15, "bandwidthBitsPerSecond"))
        for plans in ("kept", "anew", "both"):
            found, other = self.plan("--planner=exact,even", f"--cost-draws={DRAWS}", f"--cost-spread={SPREAD}",
                                     f"--cost-plans={plans}")
            drawn = found["costDraws"]
            self.assertEqual([drawn[end + "Regret"] for end in ("low", "median", "high")] if plans == "both" else [],
                             [0] * 3 if plans == "both" else [])
            for name, expected in (("lowSeconds", -1.645), ("medianSeconds", 0), ("highSeconds", 1.645)):
                self.assertAlmostEqual(math.log(drawn[name] / found["iterationSeconds"]), expected * SPREAD,
                                       delta=ERROR)
            # Devices of one type never change places.
            shares = (drawn["betterShare"]["even"], other["costDraws"]["betterShare"]["exact"])
            self.assertIn(shares, ((0, 0), (1, 0)))

    def test_every_kind_of_problem_with_costs_has_draws(self):
        for kind, planners in (("two-way-cut", "qdmp,edge-only"), ("multi-actor", "defp,all-local"),
                               ("language-model", "exact,uniform")):
            text = (ROOT / f"contrib/edgepipe/doc/examples/{kind}-problem.json").read_text()
            (self.inputs / "problem.json").write_text(text)
            before = self.plan(f"--planner={planners}")
            for one, plain in zip(self.plan(f"--planner={planners}", "--cost-draws=40", "--cost-spread=0.3"), before):
                (self.inputs / "drawn.json").write_text(json.dumps(one))
                again, = self.plan(f"--planner=plan:{self.inputs / 'drawn.json'}")
                drawn = one.pop("costDraws")
                self.assertEqual({**again, "planner": 0, "decisionSeconds": 0}, {**plain, "planner": 0, "decisionSeconds": 0})
                self.assertLess(drawn["lowSeconds"], drawn["highSeconds"])
                self.assertEqual({key for key in one}, {key for key in plain})

    def test_broken_values_are_refused_in_one_line(self):
        self.refuse_each(((["--cost-draws=40"], ["--cost-spread"]), (["--cost-spread=0.1"], ["--cost-spread"]),
                          (["--cost-draws=5", "--cost-spread=0.1"], ["--cost-draws"])),
                         "plan", f"--problem={self.inputs / 'problem.json'}")
