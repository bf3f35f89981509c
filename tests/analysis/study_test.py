# SPDX-License-Identifier: GPL-2.0-only
"""Studies in Python: their options, cases and folders, and what the sweeps among them compute."""

import itertools
import json
import os
import subprocess
import sys
import tempfile
import unittest
from types import SimpleNamespace

from fake_scenario import SCENARIO
from places import InFolder, ROOT

import fidelity
from edgepipe import case_draw
from edgepipe.results_folder import ResultsFolder, exact
from edgepipe.study_options import Option, counts, names, rate, read_words, whole

STUDY = '''
import sys
sys.path.insert(0, {analysis!r})
from edgepipe.pictures import start
from edgepipe.study_options import Option, names
from edgepipe.study_program import Study

class Tell(Study):
    """Tells."""

    OPTIONS = [Option("moods", "good", "of cases", names()), Option("value", "1", "of all")]

    def work(self):
        results = self.simulate([self.case("tell", {{"value": self.value, "mood": mood}})
                                 for mood in (*self.moods, "good")], check=True)
        self.folder.write("results.csv", [{{"status": one.status, "value": one.rows[0]["value"]}}
                                          for one in results])
        self.folder.write("run.json", self.run_file(example=results[0]))
        return "results.csv, run.json"

start(lambda: sys.exit(Tell("told").main(sys.argv[1:])))
'''


class StudyTest(InFolder):
    def setUp(self):
        super().setUp()
        (self.folder / "told").write_text(STUDY.format(analysis=str(ROOT / "analysis")))
        program = self.folder / "bin" / "tell"
        program.parent.mkdir()
        program.write_text(SCENARIO)
        program.chmod(0o755)

    def run_study(self, *words):
        return subprocess.run(
            [sys.executable, "told", *words], cwd=self.folder, capture_output=True, text=True, timeout=100,
            env={**os.environ, "EDGEPIPE_BIN_DIR": str(program := self.folder / "bin"),
                 "CALLS": str(program.parent / "calls"), "EDGEPIPE_PROGRESS": "off"})

    def test_equal_cases_run_once_and_nothing_but_results_is_left(self):
        for _ in range(2):  # into its own folder, too
            run = self.ended(self.run_study("--out=a/r", "--RngRun=4"), stderr="")
        self.assertEqual((self.folder / "calls").read_text(), "1 4\n1 4\n")
        self.assertEqual({path.name for path in (self.folder / "a/r").iterdir()},
                         {".edgepipe-files", "report.html", "results.csv", "run.json"})
        self.assertIn('"./ns3 run \\"told --RngRun=4\\""', (self.folder / "a/r/report.html").read_text())
        self.assertEqual((self.folder / "a/r/results.csv").read_text(), "status,value\nok,1\nok,1\n")
        run = json.loads((self.folder / "a/r/run.json").read_text())
        self.assertEqual((run["scenario"], run["rngRun"], run["options"]["value"]), ("told", 4, "1"))

    def test_a_killed_study_goes_on_where_it_was(self):
        self.assertEqual(self.run_study("--moods=good,bad-once", "--jobs=1", "--out=r").returncode, 2)
        self.assertEqual(self.run_study("--moods=good,bad-once", "--out=r").returncode, 2)
        self.assertEqual((self.folder / "calls").read_text(), "1 1\n1 1\n")  # what ended is kept

    def test_mistakes_are_one_line_and_leave_nothing(self):
        (self.folder / "mine").mkdir()
        (self.folder / "mine/notes").touch()
        before = set(self.folder.rglob("*"))
        for words, expected in ((["--mood=bad"], "did you mean --moods?"), (["--moods=sad"], '--mood: found "sad"'),
                                (["--moods=good,good"], "different names"), (["moods=good"], "--NAME=VALUE"),
                                (["--value=1", "--value=2"], "expected it once"), (["--value"], "no value"),
                                (["--out=mine"], 'holds "notes"'), (["--out=bin/tell/x"], "is not a folder"),
                                (["--jobs=0"], "whole number from 1")):
            with self.subTest(words):
                run = self.run_study("--out=r", *words) if words[0][:5] != "--out" else self.run_study(*words)
                self.assert_one_line(run, expected)
                self.assertEqual(set(self.folder.rglob("*")), before)
        alone = [sys.executable, ROOT / "analysis/bandwidth_variation.py", "--zzz"]
        self.assert_one_line(subprocess.run(alone, capture_output=True, text=True), "--zzz: unknown option")
        self.assertEqual(self.run_study("--dry-run", "--moods=good,stall").returncode, 0)
        self.assertEqual(set(self.folder.rglob("*")), before)


class OptionsTest(unittest.TestCase):
    def test_lists_of_counts(self):
        for text, expected in (
                ("7", [7]), ("1,2,16", [1, 2, 16]), ("2,4,...,10", [2, 4, 8, 10]), ("2,4,\u2026,16", [2, 4, 8, 16]),
                ("3,9,...,100", [3, 9, 27, 81, 100]), ("4,6,...,11", [4, 6, 8, 10, 11]),
                ("10,20,30,...,60", [10, 20, 30, 40, 50, 60]), ("2,4,8,...,40", [2, 4, 8, 16, 32, 40]),
                ("2,4,6,...,11", [2, 4, 6, 8, 10, 11]), ("1,2,...,4,6,...,8", [1, 2, 4, 6, 8]),
                ("5,6,...,7", [5, 6, 7]), ("1,3000000000,...,4294967295", [1, 3000000000, 4294967295])):
            self.assertEqual(counts(2 ** 32)(text), expected, text)
        for text in ("", "0", "-1", "1.5", "two", "1,", ",1", "1,1", "2,1", "1,,2", "...", "...,4", "2,...,8", "2,4,...",
                     "2,4,...,...,9", "2,4,...,3", "4,2,...,8", "2,4,...,4", "1,2,4,7,...,20", "1,2,6,...,54",
                     "4,6,9,...,30", "1 ,2", "1,2,3,...,20000"):
            with self.assertRaises(ValueError, msg=text):
                counts(2 ** 32)(text)

    def test_values(self):
        self.assertEqual(rate(0)("500kbps"), 5e5)
        self.assertEqual(rate(0)("0"), 0)
        self.assertEqual(names("a", "b")("b,a"), ["b", "a"])
        for read, text in ((rate(1), "0"), (rate(0), "-1Mbps"), (rate(0), "15"), (names("a"), "c"), (whole(1, 2), "1.0")):
            with self.assertRaises(ValueError, msg=text):
                read(text)
        self.assertEqual(read_words(["--a=1", "--RngRun=2", "--ns3::A::B=c"], [Option("a", "", "")]),
                         ({"a": "1"}, {"RngRun": "2", "ns3::A::B": "c"}))

    def test_numbers_are_written_as_scenarios_write_them(self):
        for value, text in ((0.1, "0.1"), (1e6, "1e+06"), (100.0, "100"), (1234567.0, "1234567"), (1e-5, "1e-05"),
                            (0.0001, "1e-04"), (-2.5e-7, "-2.5e-07"), (0.0, "0"), (3, "3"), (None, ""), ("x", "x"),
                            (0.28603885955826885, "0.28603885955826885"), (5e15, "5e+15"), (123e18, "1.23e+20")):
            self.assertEqual(exact(value), text)


class FolderTest(unittest.TestCase):
    def test_all_files_or_none_and_those_of_an_earlier_run_go(self):
        with tempfile.TemporaryDirectory() as name:
            folder = ResultsFolder(f"{name}/r")
            folder.make()
            for file in ("a", "b"):
                folder.write(file, "x")
            self.assertEqual(sorted(path.name for path in folder.path.iterdir()), ["a.tmp", "b.tmp"])
            folder.commit()
            folder.write("b", [{"x": 1.5, "y": "a,b"}])
            folder.commit()
            self.assertEqual(sorted(path.name for path in folder.path.iterdir()), [".edgepipe-files", "b"])
            self.assertEqual((folder.path / "b").read_text(), 'x,y\n1.5,"a,b"\n')
            folder.write("c", "x")
            folder.discard()
            self.assertFalse((folder.path / "c.tmp").exists())


class DrawTest(unittest.TestCase):
    WORKLOADS = {"pipeline-training": {"planners": ["dp", "even"], "draws": "model&single:cluster batch=1|2&count=2..16"}}

    def draw(self, seed, link):
        values = ((seed * 0.377 + place * 0.61803398875) % 1 for place in itertools.count())
        draw = case_draw.Draw(self.WORKLOADS, values, ROOT / "traces")
        return [draw.draw("pipeline-training", link, 5, "c.json") for _ in range(30)]

    def test_the_same_numbers_draw_the_same_and_others_another(self):
        for link in case_draw.LINKS:
            self.assertEqual(self.draw(1, link), self.draw(1, link))
            self.assertNotEqual(self.draw(1, link), self.draw(2, link))

    def test_settings_are_within_their_bounds(self):
        for link in case_draw.LINKS:
            for options, planners, cluster in self.draw(1, link):
                words = dict(word.split("=", 1) for word in options.split())
                self.assertEqual(sorted(planners), ["dp", "even"])
                self.assertTrue(2 <= int(words["count"]) <= 16 and words["batch"] in "12")
                self.assertEqual(bool(cluster), link == "mixed")
                self.assertEqual(words.get("link"), None if cluster else link)
                if link == "wifi":
                    self.assertTrue(2 <= float(words["distance"]) <= 25)
                for device in json.loads(cluster)["devices"] if cluster else []:
                    self.assertNotIn("rate", device["network"])


class SweepTest(unittest.TestCase):
    @staticmethod
    def compared(setting, packet, flow):
        one = fidelity.Comparison("model=a", {}, 0.05, setting)
        one.packet = SimpleNamespace(seconds=packet, is_finished=packet > 0)
        one.flow = SimpleNamespace(seconds=flow, is_finished=True)
        return one

    def test_pairs_of_one_setting_are_ordered(self):
        pairs, turned = fidelity.compare_orders([self.compared(*one) for one in (
            (0, 1, 1.1),  # the fastest in packets, not in flows
            (0, 1.2, 1),  # reversed with the first
            (0, 1.23, 2),  # as good as the second
            (1, 9, 9), (1, 9.1, 8),  # another setting, as good as each other
            (1, 0, 1))])  # stalled
        self.assertEqual((pairs, len(turned)), (2, 1))
        self.assertEqual(fidelity.compare_orders([self.compared(0, 1, 3), self.compared(0, 2, 3)])[0], 1)
        self.assertAlmostEqual(self.compared(0, 2, 3).difference(), 0.5)
        self.assertEqual(self.compared(0, 0, 3).difference(), 0)
