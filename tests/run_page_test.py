# SPDX-License-Identifier: GPL-2.0-only
"""The page that every run writes: the same bytes for the same run, and what a reader does with it."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(os.environ.get("EDGEPIPE_ROOT", Path(__file__).resolve().parent.parent))
PROGRAMS = Path(os.environ.get("EDGEPIPE_BIN_DIR", ROOT / "build" / "bin"))
sys.path.insert(0, str(ROOT / "tests"))
from browser import CHROMIUM, Browser  # noqa: E402

SMALL = ["--model=mnist_cnn", "--planner=even,dp,exact", "--micro-batch-size=2"]


class RunPageTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_scenario(self, name, *words, out="out"):
        run = subprocess.run([str(PROGRAMS / name), f"--out={out}", *words], cwd=self.folder,
                             capture_output=True, text=True, check=False,
                             env={**os.environ, "EDGEPIPE_TRACES": str(ROOT / "traces")})
        self.assertEqual(run.returncode, 0, run.stderr)
        return run.stdout, (self.folder / out / "report.html").read_text(encoding="utf-8")

    def data_of(self, page):
        return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page,
                                    re.DOTALL)[1])

    def test_equal_runs_have_equal_pages_and_say_what_they_were(self):
        said, page = self.run_scenario("pipeline-training", *SMALL, "--RngRun=3")
        self.assertIn("Results: out/  report.html (open it in a browser), ", said)
        self.assertEqual(page, self.run_scenario("pipeline-training", *SMALL, "--RngRun=3",
                                                 out="other")[1])
        data = self.data_of(page)
        self.assertEqual(data["command"], './ns3 run "pipeline-training --model=mnist_cnn '
                         '--planner=even,dp,exact --micro-batch-size=2 --RngRun=3"')
        with open(self.folder / "out" / "results.csv", encoding="utf-8") as file:
            self.assertEqual(data["results"], file.read())
        with open(self.folder / "out" / "timeline.json", encoding="utf-8") as file:
            self.assertEqual(data["timelines"]["run"], json.load(file))
        self.assertIn("estimated", data["run"]["layerCosts"]["raspberry-pi-5"]["origin"])
        self.assertNotRegex(page, "https?://(?!www.w3.org/2000/svg)[^\"]*[.]js")

    def test_what_a_user_writes_ends_no_script(self):
        named = self.folder / "<b>cluster.json"
        named.write_text((ROOT / "traces/clusters/edge-pair.json").read_text(encoding="utf-8"),
                         encoding="utf-8")
        page = self.run_scenario("pipeline-training", "--model=mnist_cnn", "--planner=even",
                                 f"--cluster={named}", "--micro-batch-size=2")[1]
        self.assertIn("<b>cluster", self.data_of(page)["command"])
        self.assertNotIn("<b>", page)

    @unittest.skipUnless(CHROMIUM, "needs chromium")
    def test_a_reader_sorts_compares_and_looks_at_the_timeline(self):
        self.run_scenario("pipeline-training", *SMALL)
        with Browser() as browser:
            browser.open(self.folder / "out" / "report.html")
            rows = "[...document.querySelectorAll('#results tbody tr')].map(row => row.cells[0].textContent)"
            self.assertEqual(browser.evaluate(rows), ["even", "dp", "exact"])
            heads = "[...document.querySelectorAll('#results th')]"
            browser.evaluate(f"{heads}.find(one => one.textContent === 'iteration (s)').click()")
            self.assertEqual(browser.evaluate(rows)[0], "exact")
            bars = "document.querySelectorAll('#bars rect')"
            widths = browser.evaluate(f"[...{bars}].map(bar => Number(bar.getAttribute('width')))")
            self.assertEqual(len(widths), 3)
            self.assertEqual(max(widths), widths[0])
            self.assertGreater(browser.evaluate("timeline.boxes.length"), 30)
            whole = browser.evaluate("timeline.view.to")
            browser.evaluate("document.getElementById('in').click()")
            self.assertAlmostEqual(browser.evaluate("timeline.view.to - timeline.view.from"), whole / 2)
            self.assertEqual(browser.console, [])
            self.assertEqual(len(browser.requests), 1, browser.requests)

    @unittest.skipUnless(CHROMIUM, "needs chromium")
    def test_a_run_without_a_timeline_says_so(self):
        self.run_scenario("data-parallel", "--model=mnist_cnn", "--devices=3", "--planner=equal,bno",
                          "--updates=2")
        with Browser() as browser:
            browser.open(self.folder / "out" / "report.html")
            self.assertEqual(browser.evaluate("document.querySelectorAll('#results tbody tr').length"), 2)
            self.assertIn("No timeline is stored", browser.evaluate(
                "document.getElementById('timeline').textContent"))
            self.assertEqual(browser.console, [])


if __name__ == "__main__":
    unittest.main()
