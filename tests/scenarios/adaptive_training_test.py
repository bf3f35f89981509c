# SPDX-License-Identifier: GPL-2.0-only
"""The scenario adaptive-training and its picture as a user meets them."""

import json
import os
import subprocess
import unittest

from browser import CHROMIUM, Browser
from places import BIN, InFolder, ROOT

SHORT = ["--iterations=14", "--load=slowest:0.3@20s", "--trace-offset=30s"]


class AdaptiveTrainingTest(InFolder):
    def run_scenario(self, *words, out="out", program="adaptive-training"):
        return self.start(BIN / program, f"--out={out}", *words, XDG_CACHE_HOME=str(self.folder / "cache"))

    def read(self, name, out="out"):
        return self.read_csv(out, name)

    def draw(self, *words):
        return self.start("/usr/bin/python3", ROOT / "analysis/adaptive_training.py", *words)

    def test_four_cases_begin_alike_and_end_apart(self):
        run = self.ended(self.run_scenario(*SHORT))
        self.assertRegex(run.stdout, r"\n +case +requests +tasks that refused")
        rows = {row["case"]: row for row in self.read("results.csv")}
        self.assertEqual(list(rows), ["neither", "replanning", "adjacent", "both"])
        self.assertEqual({row["status"] for row in rows.values()}, {"finished"})
        for case, row in rows.items():
            changes = [each for each in self.read("decisions.csv")
                       if each["case"] == case and each["isChanged"] == "1"]
            self.assertEqual(len(changes), int(row["planChanges"]))
            self.assertEqual(sum(int(each["movedBytes"]) for each in changes), int(row["migratedBytes"]))
            self.assertEqual(len(changes) > 0, case in ("replanning", "both"))
            mine = [each for each in self.read("iterations.csv") if each["case"] == case]
            self.assertEqual(len(mine), 14)
            self.assertEqual(sum(int(each["helpedSamples"]) for each in mine), int(row["helpedSamples"]))
            for rate in ("idleRate", "bubbleRate"):
                self.assertAlmostEqual(sum(float(each[rate]) for each in mine) / len(mine),
                                       float(row[rate]), places=12)
            whole = sum(float(row[part]) for part in ("migrationSeconds", "decidingSeconds"))
            whole += sum(float(each["iterationSeconds"]) for each in mine)
            self.assertAlmostEqual(whole, float(row["totalSeconds"]), places=6)
        self.assertLess(float(rows["replanning"]["iterationSeconds"]),
                        0.8 * float(rows["neither"]["iterationSeconds"]))
        self.assertIn("0.3", {row["share"] for row in self.read("loads.csv")})
        self.assertGreater(len({row["bandwidthBitsPerSecond"] for row in self.read("conditions.csv")}), 5)

    def test_without_adjacent_scheduling_there_are_two_cases(self):
        self.ended(self.run_scenario(*SHORT, "--adjacent=off"))
        self.assertEqual([row["case"] for row in self.read("results.csv")], ["neither", "replanning"])

    def test_is_pipeline_training_with_other_defaults(self):
        words = ["--model=mnist_cnn", "--iterations=6", "--load=slowest:0.3@0.05s"]
        self.assertEqual(self.run_scenario(*words).returncode, 0)
        same = [*words, "--cluster=pi-lab", "--micro-batch-size=8", "--link=trace", "--trace=lte-up",
                "--trace-scale=20", "--adjacent=both", "--replan=both", "--sample-interval=500ms"]
        self.ended(self.run_scenario(*same, out="same", program="pipeline-training"))
        for name in ("results", "iterations", "decisions", "conditions", "loads", "devices"):
            self.assertEqual((self.folder / f"out/{name}.csv").read_bytes(),
                             (self.folder / f"same/{name}.csv").read_bytes(), name)

    def test_several_planners_are_replanned_beside_each_other(self):
        self.ended(self.run_scenario("--iterations=14", "--trace-offset=30s", "--adjacent=off",
                                     "--planner=even,exact",
                                     "--load=raspberry-pi-5-0:0.3@20s"))
        rows = {(row["planner"], row["case"]): row for row in self.read("results.csv")}
        self.assertEqual(list(rows), [("even", "neither"), ("even + replanning", "replanning"),
                                      ("exact", "neither"), ("exact + replanning", "replanning"),
                                      ("fastest-device", "neither"), ("fastest-device + replanning", "replanning")])
        self.assertEqual(rows["even", "neither"]["decisions"], "0")
        self.assertGreater(int(rows["exact + replanning", "replanning"]["planChanges"]), 0)
        self.assertEqual(self.draw("out").returncode, 0)

    def test_cases_are_ranked_by_what_a_user_waits_for(self):
        # Iterations are shorter with replanning, but moving weights takes 25 s.
        self.ended(self.run_scenario("--iterations=2", "--link=lan", "--bandwidth=9Mbps", "--adjacent=off",
                                     "--load=slowest:0.43@5s", "--replan-threshold=0.01",
                                     "--replan-horizon=1000", "--cost-draws=20"))
        kept, changed = self.read("results.csv")
        self.assertLess(1.4 * float(changed["iterationSeconds"]), float(kept["iterationSeconds"]))
        self.assertGreater(float(self.read("orders.csv")[0]["betterShare"]), 0)
        if CHROMIUM:
            with Browser() as browser:
                browser.open(self.folder / "out" / "report.html")
                told = "document.getElementById('%s').%s"
                self.assertEqual(browser.evaluate(f"run.names[{told % ('figure', 'value')}]"), "totalSeconds")
                self.assertIn("a user waits for", browser.evaluate(told % ("left", "textContent")))

    def test_what_is_known_at_the_start_is_planned_for(self):
        words = ["--model=mnist_cnn", "--cluster=pi-lab", "--planner=exact,even", "--link=lan"]

        def run(*more):
            run = self.ended(self.run_scenario(*words, *more, program="pipeline-training"))
            rows = self.read("results.csv")
            return run.stdout, [[float(row[column]) for row in rows] for column in
                                ("predictedIterationSeconds", "iterationSeconds")]

        _, (idle, _) = run()
        for load in ("--load=0.2", "--load=slowest:0.2"):
            printed, (predicted, simulated) = run(load)
            self.assertIn("planners are told what there is left at 0 s\n", printed)
            for one, other in zip(predicted, simulated):
                self.assertAlmostEqual(one / other, 1, delta=0.05)
        self.assertNotIn("far off", printed)
        printed, (predicted, _) = run("--load=0.2@1ms")
        self.assertEqual(predicted, idle)
        self.assertRegex(printed, "\nPredictions are far off for .*leave out load that changes")
        self.assertIn("load that changes", (self.folder / "out/report.html").read_text())

        problem = json.loads((self.folder / "out/problem.json").read_text())
        self.assertEqual({device["delaySeconds"] for device in problem["devices"]}, {2e-5})
        # even cuts six stages: five cuts, each crossed twice by a message over two links.
        _, (soon, _) = run("--delay=0s", "--planner-bandwidth=1Gbps")
        _, (late, _) = run("--delay=50ms", "--planner-bandwidth=1Gbps")
        self.assertAlmostEqual(late[1] - soon[1], 5 * 2 * 2 * 0.05, places=9)

    @unittest.skipIf("EDGEPIPE_WITHOUT_TORCH" in os.environ, "this build is without LibTorch")
    def test_grdqn_decides_with_what_it_has_learnt(self):
        self.ended(self.run_scenario(*SHORT, "--adjacent=off", "--planner=grdqn-improved",
                                     "--ns3::edgepipe::GrdqnPlanner::ImprovedEpisodes=20",
                                     "--ns3::edgepipe::GrdqnPlanner::SearchEvaluations=200"))
        self.assertGreater(int(self.read("results.csv")[1]["decisions"]), 0)
        self.assertEqual(len(list((self.folder / "cache").rglob("*"))), 3)  # one training

    def test_draws_with_and_without_changes_and_loads(self):
        self.assert_one_line(self.draw("nowhere"))
        for words in (SHORT, ["--iterations=2", "--load=", "--link=lan", "--adjacent=off"]):
            self.assertEqual(self.run_scenario(*words).returncode, 0)
            self.ended(self.draw("out"))
            self.assertGreater((self.folder / "out/adaptive_training.png").stat().st_size, 10000)

    def test_reads_the_load_of_one_machine_in_per_cent(self):
        file = self.folder / "machines.csv"
        file.write_text("m_1,0,20\nm_2,0,70\nm_1,5,20\nm_2,5,70\n")
        words = ["--iterations=2", "--adjacent=off", "--replan=off", "--load-end=hold", f"--load=slowest:{file}#m_2"]
        self.ended(self.run_scenario(*words, "--load-columns=device,start:s,busy:percent"))
        self.assertEqual({round(float(row["share"]), 6) for row in self.read("loads.csv")}, {0.3})
        self.assert_one_line(self.run_scenario(*words, "--load-columns=device,start:s,busy:share", out="none"),
                             "--load: ", 'machines.csv: line 2: busy: found "70", expected a number from 0 to 1')

    def test_says_first_what_a_recording_holds_and_which_unit_it_expects(self):
        shipped, = [line for line in self.run_scenario(*SHORT).stdout.splitlines() if " replay " in line]
        self.assertRegex(shipped, r"^uplinks and downlinks replay \S+/lte-up.csv \(recorded on an uplink\), rates times 20: "
                         r"[0-9.]+ Mbit/s in the mean, [0-9.]+ [Mk]bit/s to [0-9.]+ Mbit/s, "
                         r"[0-9.]+ s long$")
        # In kbit/s where bit/s are expected.
        (self.folder / "wrong.csv").write_text("seconds,bitsPerSecond\n0,12500\n1,37500\n2,10000\n")
        command = [str(BIN / "adaptive-training"), "--out=out", "--trace=wrong.csv"]
        with subprocess.Popen(command, cwd=self.folder, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL,
                              env={**os.environ, "EDGEPIPE_TRACES": str(ROOT / "traces")}) as run:
            said = [run.stdout.readline(), run.stdout.readline()]
            run.kill()
        self.assertEqual(said, [
            "uplinks and downlinks replay wrong.csv: 20.00 kbit/s in the mean, 10.00 kbit/s to 37.50 "
            "kbit/s, 3.000 s long\n",
            "hint: a mean below 64 kbit/s is no faster than GPRS; seconds,bitsPerSecond is in bit/s, "
            "--trace-scale multiplies it\n"])
