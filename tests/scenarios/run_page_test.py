# SPDX-License-Identifier: GPL-2.0-only
"""The page that every run writes: the same bytes for the same run, and what a reader does with it."""

import csv
import json
import os
import re
import shlex
import subprocess
import unittest

from places import BIN, InFolder, ROOT

from browser import CHROMIUM, Browser
from edgepipe.drawing import show_on_page
from edgepipe.running import command_of
from timeline import KINDS

SMALL = ["--model=mnist_cnn", "--planner=even,dp,exact", "--micro-batch-size=2"]
# A run of each scenario that takes a second or two; `plan` prints its plan and writes nothing.
RUNS = {
    "actor-learner": ["--actors=2", "--duration=2s", "--warm-up=1s"],
    "adaptive-training": ["--model=mnist_cnn", "--iterations=3"],
    "bandwidth-variation": ["--model=alexnet", "--planner=qdmp,edge-only"],
    "cooperative-inference": ["--model=alexnet", "--frames=5", "--planner=qdmp"],
    "cost-fit": [f"--traces={ROOT}/traces"],
    "data-parallel": ["--model=mnist_cnn", "--devices=3", "--planner=equal,bno", "--updates=2"],
    "fidelity": ["--case=model=mnist_cnn cluster=edge-pair planner=even micro-batch-size=1"],
    "llm-inference": ["--model=llama-3.2-1b", "--output=2"],
    "pipeline-training": SMALL,
    "quickstart": ["--model=mnist_cnn", "--planner=even,exact"],
    "record-bandwidth": ["--fidelity=flow", "--duration=5s"],
    "scalability": ["--model=mnist_cnn", "--devices=2,3", "--pipelines=1", "--planner=dp"],
    "trace-replay": ["--frames=20", "--planner=qdmp"],
    "train-planner": ["--model=mnist_cnn", "--episodes=3", "--planner=grdqn"],
    "workload": ["--workload=data-parallel", "--model=mnist_cnn", "--devices=2", "--planner=equal",
                 "--updates=1"],
    "wifi-calibration": ["--check", f"--table={ROOT}/traces/links/wifi-capacity.csv"],
}
if "EDGEPIPE_WITHOUT_TORCH" in os.environ:
    del RUNS["train-planner"]


class RunPageTest(InFolder):
    def run_scenario(self, name, *words, out="out"):
        run = self.ended(self.start(*command_of(name), f"--out={out}", *words))
        return run.stdout, (self.folder / out / "report.html").read_text(encoding="utf-8")

    def data_of(self, page):
        return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page,
                                    re.DOTALL)[1])

    def test_equal_runs_have_equal_pages_and_say_what_they_were(self):
        said, page = self.run_scenario("pipeline-training", *SMALL, "--RngRun=3")
        self.assertIn("Results: out/  report.html (open it in a browser), ", said)
        self.assertEqual(page, self.run_scenario("pipeline-training", *SMALL, "--RngRun=3", out="other")[1])
        data = self.data_of(page)
        self.assertEqual(data["command"], './ns3 run "pipeline-training --model=mnist_cnn '
                         '--planner=even,dp,exact --micro-batch-size=2 --RngRun=3"')
        with open(self.folder / "out" / "results.csv", encoding="utf-8") as file:
            self.assertEqual(data["results"], file.read())
        with open(self.folder / "out" / "timeline.json", encoding="utf-8") as file:
            self.assertEqual(data["timelines"]["run"], json.load(file))
        self.assertIn("estimated", data["run"]["layerCosts"]["raspberry-pi-5"]["origin"])
        self.assertNotRegex(page, "https?://(?!www.w3.org/2000/svg)[^\"]*[.]js")

    def test_the_page_warns_of_errors_of_flow_level_as_the_terminal_does(self):
        said, page = self.run_scenario("pipeline-training", *SMALL, "--link=wifi")
        warning = said.partition("\n")[0]
        self.assertRegex(warning, "^flow level: in .* one in 20 was")
        self.assertIn(warning, self.data_of(page)["notes"])

    def test_every_scenario_that_writes_a_folder_has_a_page_and_names_it_first(self):
        self.assertLessEqual({path.stem for path in (ROOT / "scenarios").glob("*.cc")}
                             - {"estimate", "live-network", "plan", "train-planner", "workload-case"}, set(RUNS))
        shown = {name: words for name, words in RUNS.items() if name != "cost-fit"}  # long, with a test of its own
        for name, words in shown.items():
            with self.subTest(name):
                said, page = self.run_scenario(name, *words, out=name)
                self.assertIn(f"Results: {name}/  report.html (open it in a browser), ", said)
                self.assertIn(f'./ns3 run "{name} ', self.data_of(page)["command"])
        if CHROMIUM:
            with Browser() as browser:
                for name in shown:
                    with self.subTest(name):
                        browser.open(self.folder / name / "report.html")
                        self.assertEqual(browser.evaluate("document.title"), name)
                        self.assertGreater(browser.evaluate("run.rows.length"), 0)
                        self.assertEqual(browser.console, [])
                self.assertEqual(len(browser.requests), len(shown))

    def test_a_plan_is_printed_and_has_no_page(self):
        self.run_scenario("pipeline-training", *SMALL)
        before = sorted(self.folder.rglob("*"))
        run = subprocess.run([str(BIN / "plan"), "--problem=out/problem.json"], cwd=self.folder,
                             capture_output=True, text=True, check=True)
        self.assertIn("stages", json.loads(run.stdout))
        self.assertEqual(sorted(self.folder.rglob("*")), before)

    def test_what_a_user_writes_ends_no_script(self):
        named = self.folder / "<b>it's \"$1\" \\.json"
        named.write_text((ROOT / "traces/clusters/edge-pair.json").read_text(encoding="utf-8"),
                         encoding="utf-8")
        page = self.run_scenario("pipeline-training", "--model=mnist_cnn", "--planner=even",
                                 f"--cluster={named}", "--micro-batch-size=2")[1]
        said = subprocess.run(["bash", "-c", self.data_of(page)["command"].replace("./ns3 run", "printf %s")],
                              capture_output=True, text=True, check=True).stdout
        self.assertIn(f"--cluster={named}", shlex.split(said))
        self.assertNotIn("<b>", page)

    @unittest.skipUnless(CHROMIUM, "needs chromium")
    def test_a_reader_sorts_compares_and_looks_at_the_timeline(self):
        self.run_scenario("pipeline-training", *SMALL)
        with Browser() as browser:
            browser.open(self.folder / "out" / "report.html")
            rows = "[...document.querySelectorAll('#results tbody tr')].map(row => row.cells[0].textContent)"
            self.assertEqual(browser.evaluate(rows), ["even", "dp", "exact", "fastest-device"])
            heads = "[...document.querySelectorAll('#results th')]"
            # The figure that is compared stands beside the names.
            self.assertEqual(browser.evaluate(f"{heads}[1].textContent"), "iteration (s)")
            browser.evaluate(f"{heads}.find(one => one.textContent === 'iteration (s)').click()")
            self.assertEqual(browser.evaluate(rows)[0], "exact")
            bars = "document.querySelectorAll('#bars rect')"
            widths = browser.evaluate(f"[...{bars}].map(bar => Number(bar.getAttribute('width')))")
            self.assertEqual(len(widths), 4)
            self.assertEqual(max(widths), widths[0])
            self.assertGreater(browser.evaluate("timeline.boxes.length"), 30)
            whole = browser.evaluate("timeline.view.to")
            browser.evaluate("document.getElementById('in').click()")
            self.assertAlmostEqual(browser.evaluate("timeline.view.to - timeline.view.from"), whole / 2)
            self.assertEqual(browser.console, [])
            self.assertEqual(len(browser.requests), 1, browser.requests)

    @unittest.skipUnless(CHROMIUM, "needs chromium")
    def test_a_recording_is_drawn_over_time(self):
        self.run_scenario("record-bandwidth", *RUNS["record-bandwidth"], "--link=trace",
                          "--trace=lte-driving.up.csv")
        with open(self.folder / "out" / "recording.csv", encoding="utf-8") as file:
            rates = [float(line.split(",")[1]) for line in file if line[0].isdigit()]
        with Browser() as browser:
            browser.open(self.folder / "out" / "report.html")
            self.assertEqual(browser.evaluate("document.getElementById('over').textContent"),
                             "Rate (bit/s) over time (s)")
            points = browser.evaluate("document.querySelector('#lines polyline').getAttribute('points')")
            heights = [float(point.split(",")[1]) for point in points.split()]
            self.assertEqual(heights.index(min(heights)), rates.index(max(rates)))
            self.assertEqual(len(heights), 5)
            self.assertIn(f"{sum(rates) / len(rates) / 1e6:.4g}", browser.evaluate(
                "document.getElementById('names').textContent"))

    @unittest.skipUnless(CHROMIUM, "needs chromium")
    def test_measured_goodput_is_drawn_beside_the_models_and_chosen(self):
        self.run_scenario("wifi-calibration", *RUNS["wifi-calibration"])
        with Browser() as browser:
            browser.open(self.folder / "out" / "report.html")
            lines = "document.querySelectorAll('#lines polyline').length"
            kinds = 4  # of 802.11n: two bands of two widths each
            self.assertEqual(browser.evaluate(lines), 2 * kinds)
            browser.evaluate("(() => { const one = document.querySelector('#choices [data-name=channelMhz]');"
                             " one.value = '40'; one.onchange(); })()")
            self.assertEqual(browser.evaluate(lines), kinds)
            browser.evaluate("(() => { const one = document.querySelector('#choices [data-name=figure]');"
                             " one.value = 'modelError'; one.onchange(); })()")
            self.assertEqual(browser.evaluate(lines), kinds / 2)
            self.assertEqual(browser.console, [])

    @unittest.skipUnless(CHROMIUM, "needs chromium")
    def test_a_reader_sees_who_has_what_and_nothing_that_is_empty(self):
        self.run_scenario("pipeline-training", *SMALL, "--adjacent=both")
        self.run_scenario("data-parallel", *RUNS["data-parallel"], out="shares")
        with open(self.folder / "out" / "results.csv", encoding="utf-8") as file:
            plan = next(csv.DictReader(file))["plan"]
        parts = "[...document.querySelectorAll('#strips rect')].map(one => one.textContent)"
        labels = "[...document.querySelectorAll('#%s text')].map(one => one.textContent)"
        with Browser(420, 900) as browser:
            browser.open(self.folder / "out" / "report.html")
            self.assertIn("even + help", browser.evaluate(labels % "bars"))
            self.assertIn("even; even + help", browser.evaluate(labels % "strips"))
            told = browser.evaluate(parts)
            self.assertEqual([text.split(",")[0] for text in told[:plan.count(">") + 1]],
                             [part.replace("..", " to ").replace(" ", ": ", 1) for part in plan.split(" > ")])
            self.assertRegex(told[0], r"[\d.]+ % of the time, [\d.]+ [kM]?B of [\d.]+ GB$")
            looks = browser.evaluate("timeline.KINDS")
            self.assertEqual({kind: tuple(look) for kind, look in looks.items()}, KINDS)
            browser.open(self.folder / "shares" / "report.html")
            self.assertEqual(browser.evaluate("document.querySelectorAll('#results tbody tr').length"), 2)
            self.assertIsNone(browser.evaluate("document.getElementById('timeline')"))
            self.assertIn("43 samples", browser.evaluate(parts)[0])
            for text in browser.evaluate(
                    "[...document.querySelectorAll('svg text')].map(one => one.getBoundingClientRect().right)"):
                self.assertLessEqual(text, 420)
            self.assertEqual(browser.console, [])

    @unittest.skipUnless(CHROMIUM, "needs chromium")
    def test_a_stall_is_marked_and_pictures_are_shown(self):
        run = self.start(*command_of("pipeline-training"), "--out=out", "--model=mnist_cnn", "--planner=even",
                         "--cut=raspberry-pi-5-0@0.1s", "--stall-timeout=5s")
        self.assertEqual(run.returncode, 3, run.stderr)
        page = self.folder / "out" / "report.html"
        for _ in range(2):
            show_on_page(page.with_name("timeline.svg"))
        page.with_name("timeline.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>', encoding="utf-8")
        with Browser() as browser:
            browser.open(page)
            self.assertEqual(browser.evaluate("timeline.marks[0][1]"), "stalled")
            self.assertIn("who waits for what", browser.evaluate("document.getElementById('notes').textContent"))
            self.assertEqual(browser.evaluate("[...document.images].map(one => one.alt)"), ["timeline.svg"])
            self.assertEqual(browser.console, [])
