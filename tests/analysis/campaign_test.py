# SPDX-License-Identifier: GPL-2.0-only
"""Campaigns: studies and their mistakes, what is stored, and what survives crashes, limits and kills.

A script stands for a scenario: it notes that it began and ended, and fails as it is told.
"""

import csv
import io
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tarfile
import time
import unittest
from pathlib import Path
from unittest import mock

from fake_scenario import Folder, NAME, NEEDS_TIME, Scenario
from places import BIN, ROOT
from programs import PROBLEM, Program

from edgepipe.campaign.progress import Progress, shown_time
from edgepipe.campaign.hosts import Host, read_hosts
from edgepipe.campaign.hosts_engine import unpack
from edgepipe.campaign.record import has_ended
from edgepipe.campaign.store import Store
from edgepipe.campaign.study import read_study
from edgepipe.campaign.values import axis_of, read_values, sort_key
from edgepipe.pictures import InputError


class ValuesTest(unittest.TestCase):
    def test_ranges(self):
        for text, expected in (
                ("2..5", ["2", "3", "4", "5"]),
                ("2..1024 log2", [str(2 ** n) for n in range(1, 11)]),
                ("1..1000 log10", ["1", "10", "100", "1000"]),
                ("1..5 log2", ["1", "2", "4"]),
                ("10..20 step 5", ["10", "15", "20"]),
                ("0.1..0.3 step 0.1", ["0.1", "0.2", "0.3"]),
                ("-1..1", ["-1", "0", "1"]),
                ("1Mbps..4Mbps log2", ["1Mbps", "2Mbps", "4Mbps"]),
                ("10ms..30ms step 10", ["10ms", "20ms", "30ms"]), ("1MB/s..2MB/s", ["1MB/s", "2MB/s"]),
                ([1, 0.5, "x", True], ["1", "0.5", "x", "true"])):
            with self.subTest(text):
                self.assertEqual(read_values(text, "grid.x"), expected)

    def test_refusals(self):
        for value in ("2", "5..2", "2..x", "0..8 log2", "1..8 log1", "1..8 step 0", "1Mbps..8kbps",
                      "1..1e9", "nan..2", [], 3, None, ["a", "a"], [[1]], [None]):
            with self.subTest(value), self.assertRaises(InputError) as caught:
                read_values(value, "grid.x")
            self.assertRegex(str(caught.exception), r"^grid\.x.*: found .*, expected ")

    def test_values_with_units_are_numbers_in_order(self):
        for values, expected in (
                (["16Mbps", "500kbps", "2Mbps", "1Gbps"], (["500kbps", "2Mbps", "16Mbps", "1Gbps"], "Gbps")),
                (["1Mbps", "0.1MB/s", "800Kib/s"], (["0.1MB/s", "800Kib/s", "1Mbps"], "Mbps")),
                (["1min", "5ms", "2s", "0", "20us"], (["0", "20us", "5ms", "2s", "1min"], "min")),
                (["1MiB", "1MB", "64KiB"], (["64KiB", "1MB", "1MiB"], "MiB")),
                (["1kp", "50p"], (["50p", "1kp"], "kp")), (["1km", "5m"], (["5m", "1km"], "km")),
                (["10", 9, "1e1", -1.5], ([-1.5, 9, "10", "1e1"], "")),
                (["5ms", "2", "off"], (["2", "5ms", "off"], None)), (["nan", 3, ""], ([3, "nan", ""], None)),
                (["10Mbps,2Mbps", "1Mbps"], (["1Mbps", "10Mbps,2Mbps"], None))):
            with self.subTest(values):
                axis = axis_of(values)
                self.assertEqual((sorted(values, key=sort_key), axis and axis[1]), expected)
        self.assertEqual(axis_of(["2Mbps", "500kbps"]), ([2, 0.5], "Mbps"))


class StudyTest(Folder):
    def read(self, text):
        self.study.write_text(text if isinstance(text, str) else json.dumps(text))
        return read_study(self.study, ["plan", "quickstart"])

    def points(self, **members):
        study = self.read({"scenario": "plan", **members})
        return [case.options for case in study.cases("source", self.folder)]

    def test_grid_zip_and_list_are_multiplied(self):
        self.assertEqual(
            self.points(options={"a": 1}, grid={"b": "1..2"}, zip={"c": ["x", "x"], "d": "5..6"},
                        list=[{"e": True}, {"f": 0.5}]),
            [(("a", "1"), ("b", b), ("c", "x"), ("d", d), last)
             for b in "12" for d in "56" for last in (("e", "true"), ("f", "0.5"))])
        self.assertEqual(self.points(), [()])

    def test_names_of_options_may_have_their_dashes(self):
        self.assertEqual(
            self.points(options={"--a": 1}, grid={"--b": [2]}, zip={"--c": [3]}, list=[{"--d": 4}],
                        report={"x": "--b"}),
            self.points(options={"a": 1}, grid={"b": [2]}, zip={"c": [3]}, list=[{"d": 4}]))

    def test_repetitions_are_runs_of_ns3(self):
        study = self.read({"scenario": "plan", "grid": {"b": "1..2"}, "repetitions": 3})
        self.assertEqual([(case.run, case.options[0][1]) for case in study.cases("s", self.folder)],
                         [(run, b) for run in (1, 2, 3) for b in "12"])

    def test_a_case_is_another_with_other_options_files_or_sources(self):
        file = self.folder / "file"
        file.write_text("one")
        study = self.read({"scenario": "plan", "options": {"problem": str(file), "b": 1}})
        first, = study.cases("source", self.folder)
        turned, = self.read({"scenario": "plan", "options": {"b": 1, "problem": str(file)}}).cases(
            "source", self.folder)
        self.assertEqual(first.hash, turned.hash)
        other, = study.cases("other source", self.folder)
        self.assertEqual(first.question, other.question)
        self.assertNotEqual(first.hash, other.hash)
        file.write_text("two")
        later, = study.cases("source", self.folder)
        self.assertNotEqual(first.question, later.question)

    def test_files_are_found_wherever_a_value_names_them(self):
        for value in ("FILE", "even,exec:python3 FILE", "device:FILE", "a,FILE,b"):
            with self.subTest(value):
                (self.folder / "file").write_text("one")
                study = self.read({"scenario": "plan", "options": {"x": value.replace("FILE", "file")}})
                first, = study.cases("source", self.folder)
                (self.folder / "file").write_text("two")
                later, = study.cases("source", self.folder)
                self.assertNotEqual(first.question, later.question)
                self.assertEqual(list(study.files(self.folder)), ["file"])

    def test_every_mistake_is_one_line_that_says_what_was_expected(self):
        for text, expected in (
                ("", "line 1, column 1"),
                ('{"scenario": "plan"', "line 1, column 20"),
                ("[]", "the study: found [], expected an object"),
                ('{"scenario": "plan", "scenario": "plan"}', 'found "scenario" twice'),
                ({}, "scenario: found null, expected a scenario"),
                ({"scenario": "quikstart"}, "did you mean quickstart?"),
                ({"scenario": "plan", "gird": {}}, 'found "gird", did you mean grid?'),
                ({"gird": {}, "scenario": "plan", "oils": 1},
                 'found "gird", did you mean grid?; found "oils"; expected some of'),
                ({"scenario": "plan", "options": []}, "options: found [], expected an object"),
                ({"scenario": "plan", "options": {"a": [1]}}, "options.a: found [1], expected a text"),
                ({"scenario": "plan", "options": {"a b": 1}}, 'options: found "a b", expected the name'),
                ({"scenario": "plan", "options": {"out": "x"}}, 'found "out", which the campaign sets'),
                ({"scenario": "plan", "grid": {"RngRun": "1..3"}}, "itself: repetitions"),
                ({"scenario": "plan", "grid": {"a": "many"}}, 'grid.a: found "many", expected a list'),
                ({"scenario": "plan", "grid": {"a": []}}, "grid.a: found [], expected a list of one value or more"),
                ({"scenario": "plan", "grid": {"a": "1..100000", "b": "1..100000"}}, "combinations"),
                ({"scenario": "plan", "grid": {"a": "1..60000"}, "repetitions": 100}, "6000000 cases"),
                ({"scenario": "plan", "zip": {"a": [1, 2], "b": [1]}}, "2 values of a, 1 values of b"),
                ({"scenario": "plan", "list": {"a": 1}}, "list: found"),
                ({"scenario": "plan", "list": [1]}, "list[0]: found 1, expected an object"),
                ({"scenario": "plan", "options": {"a": 1}, "grid": {"a": [2]}}, "found two times"),
                ({"scenario": "plan", "repetitions": 0}, "repetitions: found 0, expected a whole"),
                ({"scenario": "plan", "repetitions": True}, "repetitions: found true"),
                ({"scenario": "plan", "engine": "pbs"}, 'engine: found "pbs", expected "local"'),
                ({"scenario": "plan", "engine": {"hosts": 3}}, "engine: found"),
                ({"scenario": "plan", "jobs": "2"}, 'jobs: found "2", expected a whole number'),
                ({"scenario": "plan", "timeLimit": 10}, "timeLimit: found 10, expected a time"),
                ({"scenario": "plan", "timeLimit": "0s"}, 'timeLimit: found "0s"'),
                ({"scenario": "plan", "retries": -1}, "retries: found -1"),
                ({"scenario": "plan", "keep": ["../x"]}, 'keep[0]: found "../x"'),
                ({"scenario": "plan", "database": ""}, 'database: found ""'),
                ({"scenario": "plan", "options": {"a": 1, "--a": 1}}, 'options: found "a" twice'),
                ({"scenario": "plan", "options": {"a": 1}, "grid": {"--a": [2]}}, "found two times"),
                ({"scenario": "plan", "options": {"---a": 1}}, 'options: found "-a", expected the name'),
                ({"scenario": "plan", "grid": {"a": "1\n..4"}}, 'grid.a: found "1 ..4", expected a list'),
                ({"scenario": "plan", "gr\nid": {}}, 'found "gr id"'),
                ({"scenario": "plan", "zip": {"a\u2028b": "x"}}, "zip.a b: found"),
                ({"scenario": "plan", "report": {"figures": ["--b\rc"]}}, 'found "--b c"'),
                ({"scenario": "plan", "report": {"figur": "a"}}, 'found "figur", did you mean figure?'),
                ({"scenario": "plan", "report": {"figures": "a"}}, 'report.figures: found "a", expected a'),
                ({"scenario": "plan", "report": {"figures": [1]}}, "report.figures: found 1, expected"),
                ({"scenario": "plan", "report": {"x": ["a"]}}, 'report.x: found ["a"], expected a column'),
                ({"scenario": "plan", "grid": {"a": [1, 2]}, "report": {"x": "--b"}},
                 'report.x: found "--b"; expected an option of the study')):
            with self.subTest(text), self.assertRaises(InputError) as caught:
                self.read(text)
            self.assertIn(expected, str(caught.exception))
            self.assertTrue(str(caught.exception).startswith(f"{self.study}: "))
            self.assertNotIn("\n", str(caught.exception))

    def test_no_file(self):
        with self.assertRaises(InputError):
            read_study(self.folder / "nothing.json", ["plan"])

    def test_what_is_no_file_is_refused_at_once(self):
        pipe = self.folder / "pipe.json"
        os.mkfifo(pipe)
        for path in (pipe, Path("/dev/zero"), self.folder):
            with self.subTest(path), self.assertRaises(InputError) as caught:
                read_study(path, ["plan"])
            self.assertEqual(str(caught.exception), f"{path}: expected a plain file")

    def test_a_binary_file_is_refused(self):
        self.study.write_bytes(b"\xa7\0\1")
        with self.assertRaises(InputError) as caught:
            read_study(self.study, ["plan"])
        self.assertRegex(str(caught.exception), "0xa7 .*; expected JSON$")

    def test_our_own_studies(self):
        scenarios = [path.stem for path in (ROOT / "scenarios").glob("*.cc")]
        studies = list((ROOT / "analysis" / "studies").glob("*.json"))
        self.assertTrue(studies)
        for path in studies:
            with self.subTest(path.name):
                study = read_study(path, scenarios)
                case = study.cases("source", ROOT)[-1]
                self.ended(subprocess.run([BIN / study.scenario, *case.words(), "--dry-run"],
                                          capture_output=True, text=True), stderr="")


class HostsFileTest(Folder):
    def read(self, text):
        path = self.folder / "hosts"
        path.write_text(text)
        return read_hosts(path, self.folder)

    def test_lines(self):
        self.assertEqual(self.read("# all\n4/a@b.example  /srv/edge pipe\n\nc  # small\n"),
                         [Host("a@b.example", 4, "/srv/edge pipe"), Host("c", 0, str(self.folder))])

    def test_refusals(self):
        for text, expected in (("", "no host, expected a line"), ("a\nb c\na\n", 'line 3: found "a" twice'),
                               ("0/a\n", 'line 1: found "0/a", expected [JOBS/]HOST [FOLDER]'),
                               ("-oProxyCommand=x\n", "line 1: found"), ("many/a\n", "line 1: found")):
            with self.subTest(text), self.assertRaises(InputError) as caught:
                self.read(text)
            self.assertIn(expected, str(caught.exception))
        with self.assertRaises(InputError):
            read_hosts(self.folder / "none", self.folder)


class UnpackTest(Folder):
    """What a host sends of a case."""

    def unpack(self, *entries):
        archive, case = self.folder / "archive", self.folder / "case"
        shutil.rmtree(case, ignore_errors=True)
        case.mkdir()
        with tarfile.open(archive, "w") as content:
            for name, more in (("./out", {"type": tarfile.DIRTYPE}), ("./out/rows.csv", {}), *entries):
                member = tarfile.TarInfo(name)
                member.size, member.mode, member.uid = 0 if more else 2, 0o6777, 1234
                for key, value in more.items():
                    setattr(member, key, value)
                content.addfile(member, io.BytesIO(b"x\n"))
        try:
            unpack(archive, case, "host a")
        finally:
            self.assertFalse(archive.exists())
        return case

    def test_files_are_plain_whatever_the_archive_says(self):
        rows = self.unpack() / "out" / "rows.csv"
        (self.folder / "new").touch()
        self.assertEqual(rows.read_bytes(), b"x\n")
        new, found = (self.folder / "new").stat(), rows.stat()
        self.assertEqual((found.st_mode, found.st_uid), (new.st_mode, new.st_uid))

    def test_what_is_no_plain_file_below_the_folder_is_refused(self):
        for name, more in ((str(self.folder / "absolute"), {}), ("./../above", {}),
                           ("out/../../above", {}), ("./case.json", {}),
                           ("link", {"type": tarfile.SYMTYPE, "linkname": "/etc/passwd"}),
                           ("hard", {"type": tarfile.LNKTYPE, "linkname": "./out/rows.csv"}),
                           ("pipe", {"type": tarfile.FIFOTYPE}),
                           ("device", {"type": tarfile.CHRTYPE, "devmajor": 1, "devminor": 3})):
            with self.subTest(name):
                with self.assertRaises(InputError) as caught:
                    self.unpack((name, more))
                self.assertEqual(str(caught.exception), f'host a: found the entry "{name}" among what a '
                                 "case wrote, expected plain files below its folder")
                self.assertEqual([one.name for one in self.folder.iterdir()], ["case"])
                self.assertEqual(os.listdir(self.folder / "case"), [])

    def test_an_exit_status_is_a_number(self):
        for text, expected in (("0\n", True), ("139\n", True), ("1", False), ("\n", False), ("x\n", False)):
            with self.subTest(text):
                (self.folder / "status").write_text(text)
                self.assertEqual(has_ended(self.folder), expected)


class StoreTest(Folder):
    def test_a_file_that_is_another_is_left_alone(self):
        path = self.folder / "base.sqlite"
        for text, expected in ((b"no database, but long enough to be taken for one" * 100,
                                "file is not a database"), (None, "found another database")):
            if text:
                path.write_bytes(text)
            else:
                path.unlink()
                with sqlite3.connect(path) as base:
                    base.execute("CREATE TABLE mine (a)")
            before = path.read_bytes()
            with self.subTest(expected), self.assertRaisesRegex(InputError, expected):
                Store(path)
            self.assertEqual(path.read_bytes(), before)

    def test_none_is_made_to_be_read(self):
        with self.assertRaisesRegex(InputError, "no such database"):
            Store(self.folder / "none.sqlite", make=False)
        self.assertEqual(os.listdir(self.folder), [])

    def test_no_place_for_it(self):
        (self.folder / "file").touch()
        with self.assertRaisesRegex(InputError, "file/base.sqlite: "):
            Store(self.folder / "file" / "base.sqlite")


class WorkplaceTest(Folder):
    def test_campaigns_come_and_go_at_the_same_moment(self):
        script = (f"import pathlib, sys; sys.path.insert(0, {str(ROOT / 'analysis')!r})\n"
                  "from edgepipe.campaign.store import Store\n"
                  "from edgepipe.campaign.workplace import Workplace\n"
                  f"store = Store(pathlib.Path({str(self.folder / 'base.sqlite')!r}))\n"
                  "for _ in range(100):\n"
                  "    place = Workplace(store.path)\n"
                  "    place.gather(store, lambda _: False)\n"
                  "    assert (place.folder / 'lock').exists()\n"
                  "    place.leave()\n")
        several = [subprocess.Popen([sys.executable, "-c", script]) for _ in range(4)]
        self.assertEqual([one.wait(120) for one in several], [0] * 4)
        # SQLite leaves its log where two connections end at the same moment.
        left = set(os.listdir(self.folder)) - {"base.sqlite-wal", "base.sqlite-shm"}
        self.assertEqual(left, {"base.sqlite"})


@NEEDS_TIME
class RunTest(Scenario):
    def test_every_case_is_run_once_and_stored_whole(self):
        self.write(grid={"value": "1..3"}, repetitions=2)
        self.assertIn("6 of 6 cases are done", self.campaign("run"))
        expected = [f"{value} {run}" for value in (1, 2, 3) for run in (1, 2)]
        self.assertEqual(self.begun(), expected)
        rows = list(csv.DictReader(io.StringIO(self.campaign("export", "csv"))))
        self.assertEqual(sorted((row["--value"], row["run"], row["planner"], row["value"],
                                 row["seconds"]) for row in rows),
                         sorted(row for value in "123" for run in "12" for row in (
                             (value, run, "a", value, "0.5"), (value, run, "b", value, run))))
        first = rows[0]
        self.assertEqual((first["outcome"], first["edgepipe"], first["ns3"]), ("ok", "1", "3"))
        self.assertGreaterEqual(float(first["wallSeconds"]), 0)
        self.assertGreater(int(first["peakMemoryBytes"]), 500000)
        self.assertEqual(first["command"], f"./ns3 run '{NAME} --value=1 --RngRun=1'")
        with sqlite3.connect(self.folder / "base.sqlite") as base:
            files = base.execute("SELECT run, name FROM files JOIN cases ON id = caseId").fetchall()
        self.assertEqual(files, [(1, "timeline.json")] * 3)
        self.campaign("run")
        self.assertEqual(self.begun(), expected)
        self.write(grid={"value": "1..4"}, repetitions=2)
        # An absolute path stays one.
        self.assertIn(f"6 of 8 cases are done, 2 not run: {self.folder}/base.sqlite\n", self.campaign("status"))
        self.campaign("run")
        self.assertEqual(self.begun(), expected + ["4 1", "4 2"])
        self.assert_tidy()

    def test_failures_are_recorded_and_hide_nothing(self):
        self.write(list=[{"value": 1, "mood": "bad"}, {"value": 2, "mood": "crash"},
                         {"value": 3, "mood": "hang"}, {"value": 4, "mood": "stall"}, {"value": 5}],
                   timeLimit="1s")
        said = self.campaign("run", status=1)
        self.assertIn("1 of 5 cases are done, 1 crashed, 1 failed, 1 stalled, 1 time limit", said)
        with sqlite3.connect(self.folder / "base.sqlite") as base:
            found = base.execute(
                "SELECT value, outcome, exitStatus, log FROM cases JOIN options ON id = caseId "
                "WHERE name = 'value' ORDER BY value").fetchall()
        self.assertEqual(found, [
            ("1", "failed", 9, "I am bad\n"), ("2", "crashed", 139, "killed by SIGSEGV\n"),
            ("3", "time limit", 124, "killed at the time limit of the study\n"),
            ("4", "stalled", 3, "nothing moves\n"), ("5", "ok", 0, None)])
        listed = self.campaign("failed")
        self.assertIn(f"failed, exit status 9, on {os.uname().nodename}:\n"
                      f"  ./ns3 run '{NAME} --value=1 --mood=bad --RngRun=1'\n    I am bad\n", listed)
        rows = list(csv.DictReader(io.StringIO(self.campaign("export", "csv"))))
        self.assertEqual([row["planner"] for row in rows if row["--value"] == "4"], ["a", "b"])
        self.assertEqual([row["planner"] for row in rows if row["--value"] == "1"], [""])
        before = self.begun()
        self.campaign("run", status=1)  # they are there
        self.assertEqual(self.begun(), before)
        self.campaign("rerun", status=1)
        self.assertEqual(self.begun(), sorted(before + ["1 1", "2 1", "3 1", "4 1"]))
        self.assert_tidy()

    def test_a_case_that_fails_is_tried_again_as_asked(self):
        self.write(list=[{"value": 1, "mood": "bad-once"}, {"value": 2, "mood": "bad"}], retries=2)
        self.assertIn("1 of 2 cases are done, 1 failed", self.campaign("run", status=1))
        self.assertEqual(self.begun(), ["1 1"] * 2 + ["2 1"] * 3)
        with sqlite3.connect(self.folder / "base.sqlite") as base:
            self.assertEqual(base.execute("SELECT attempts FROM cases ORDER BY attempts").fetchall(),
                             [(2,), (3,)])

    def test_other_sources_give_other_cases_and_the_earlier_ones_are_still_read(self):
        traces = self.folder / "traces"
        traces.mkdir()
        (traces / "device.json").write_text("slow")
        self.environment["EDGEPIPE_TRACES"] = str(traces)
        self.write(grid={"value": "1..2"})
        self.campaign("run")
        (traces / "device.json").write_text("fast")
        self.assertIn("2 of 2 cases are done", self.campaign("status"))
        self.assertEqual(len(self.campaign("export", "csv").splitlines()), 5)
        self.campaign("run")
        self.assertEqual(self.begun(), ["1 1", "1 1", "2 1", "2 1"])
        self.assertEqual(len(self.campaign("export", "csv").splitlines()), 5)

    def test_devices_that_nothing_names_are_no_source(self):
        devices = self.folder / "traces" / "devices"
        devices.mkdir(parents=True)
        (self.folder / "traces" / "clusters").mkdir()
        self.environment["EDGEPIPE_TRACES"] = str(self.folder / "traces")
        self.write(grid={"value": "1..2"}, options={"mood": "good"})
        self.campaign("run")
        (devices / "odd-board.json").write_text("new")
        self.campaign("run")
        self.assertEqual(self.begun(), ["1 1", "2 1"])
        (self.folder / "traces" / "clusters" / "lab.json").write_text('{"type": "odd-board"}')
        self.campaign("run")
        self.assertEqual(len(self.begun()), 4)
        (devices / "odd-board.json").write_text("changed")
        self.campaign("run")
        self.assertEqual(len(self.begun()), 6)

    def test_options_are_checked_before_the_first_case(self):
        self.write(grid={"vlaue": "1..3", "mood": ["good", "bda"]}, options={"colour": "red", "seconds": "x"})
        said = self.campaign("run", status=2)
        self.assertEqual(said.splitlines()[1:], [
            "  tell: --colour: unknown option", "  tell: --vlaue: unknown option; did you mean --value?",
            '  tell: --seconds: found "x", expected a number from 0', '  tell: --mood: found "bda", expected bad or good'])
        self.write(grid={"mood": ["good", "bda"]})
        self.assertIn('  tell: --mood: found "bda"', self.campaign("run", status=2))
        self.assertIn('  tell: --mood: found "bda"', self.campaign("run", "--dry-run", status=2))
        self.write(grid={"mood": ["good"], "value": "1..2"})
        self.assertEqual(self.campaign("run", "--dry-run"),
                         "2 cases; the scenario takes all their options, and none was run\n")
        self.assertEqual(self.begun(), [])
        self.assert_tidy()

    def test_a_report_of_columns_that_are_not_there_ends_with_the_first_case(self):
        self.write(grid={"value": "1..30"}, report={"x": "value", "figure": "secnds"})
        self.assertRegex(self.campaign("run", "-j1", status=2),
                         r'study.json: report.figure: found "secnds", expected one of --value, planner, '
                         r"value, seconds\n$")
        self.assertLess(len(self.begun()), 10)
        self.write(grid={"value": "1..30"}, report={"x": "value", "figure": "seconds"})
        self.assertIn("30 of 30 cases are done", self.campaign("run"))
        self.assert_tidy()

    def test_files_that_no_case_writes_and_jobs_of_hosts_are_refused(self):
        self.write(grid={"value": "1..3"}, keep=["timeline.json", "timelin.json"])
        self.assertIn("keep: found timelin.json, which no case wrote", self.campaign("run", status=2))
        self.write(engine={"hosts": "hosts"})
        self.assertIn("--jobs: found 3, expected none, since hosts says", self.campaign("run", "-j3", status=2))

    def test_two_campaigns_share_a_database_and_run_no_case_twice(self):
        self.write(grid={"value": "1..12"}, options={"seconds": 0.2})
        first, second = (subprocess.Popen(self.command("run", "-j2"), env=self.environment,
                                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                         for _ in range(2))
        for one in (first, second):
            said, _ = one.communicate(timeout=120)
            self.assertEqual(one.returncode, 0, said)
            self.assertIn("12 of 12 cases are done", said)
        self.assertEqual(self.begun(), sorted(f"{value} 1" for value in range(1, 13)))
        self.assert_tidy()

    def test_a_database_that_cannot_grow(self):
        """What was stored stays, and what had ended is taken up by the same command."""
        self.write(grid={"value": "1..40"})
        limit = "import os, resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (90000, -1)); " \
                "os.execv(sys.argv[1], sys.argv[1:])"
        result = self.ended(subprocess.run([sys.executable, "-c", limit, *self.command("run")], timeout=120,
                                           env=self.environment, capture_output=True, text=True), 2)
        self.assertRegex(result.stderr, r"^campaign.py: .*/base.sqlite: .*; what was stored before is "
                                        "safe, and the same command goes on once that is mended\n$")
        self.assertIn("40 of 40 cases are done", self.campaign("run"))
        self.assertEqual(sorted(set(self.begun())), sorted(f"{one} 1" for one in range(1, 41)))
        self.assert_tidy()

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("unshare"), "needs root to mount")
    def test_a_full_disk(self):
        disk = self.folder / "disk"
        disk.mkdir()
        self.write(grid={"value": "1..20"}, database=str(disk / "base.sqlite"))
        run = " ".join(self.command("run"))
        script = (f"mount -t tmpfs -o size=24m none {disk} && head -c 12000000 /dev/zero >{disk}/full\n"
                  f"{run}\necho status $?\nrm {disk}/full\n{run}\necho status $?\n")
        result = subprocess.run(["unshare", "--mount", "sh", "-c", script], env=self.environment,
                                capture_output=True, text=True, timeout=120)
        self.assertRegex(result.stderr, r"^campaign.py: .*: less than 16 MB are free; make room")
        self.assertRegex(result.stdout, r"(?s)^status 2\n20 of 20 cases are done.*status 0\n$")

    def test_a_program_that_is_built_anew_under_way(self):
        self.write(grid={"value": "1..12"}, options={"seconds": 0.3})
        campaign = subprocess.Popen(self.command("run", "-j2"), env=self.environment,
                                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        while len(self.begun("calls.ended")) < 4:
            time.sleep(0.05)
        os.utime(self.folder / "bin" / NAME)
        _, said = campaign.communicate(timeout=60)
        self.assertEqual(campaign.returncode, 2)
        self.assertRegex(said, "^campaign.py: .* was built anew under way; .*\n$")
        stored = len(self.content())
        self.assertLess(stored, 12)
        self.assertIn("12 of 12 cases are done", self.campaign("run"))
        self.assertEqual(len(self.content()), 12)
        self.assert_tidy()

    def test_interrupt_ends_what_runs(self):
        self.write(grid={"value": "1..4"}, options={"seconds": 30})
        campaign = subprocess.Popen(self.command("run", "-j2"), env=self.environment,
                                    stderr=subprocess.PIPE, text=True)
        while len(self.begun()) < 2:
            time.sleep(0.05)
        campaign.send_signal(signal.SIGTERM)
        _, said = campaign.communicate(timeout=30)
        self.assertEqual((campaign.returncode, said),
                         (130, "./ns3 campaign: stopped; the same command goes on\n"))
        self.assertEqual(self.begun("calls.ended"), [])
        self.assert_tidy()


def tree_of(pid):
    """A process and all that it began."""
    try:
        children = (Path("/proc") / str(pid) / "task" / str(pid) / "children").read_text().split()
    except OSError:
        children = []
    return [pid, *(one for child in children for one in tree_of(int(child)))]


@NEEDS_TIME
class KillTest(Scenario):
    """SIGKILL at moments that nobody chose, and the same command again."""

    def kill_and_resume(self, cases):
        """Kills three campaigns: alone, with all they began, alone; then lets one end."""
        draw = random.Random(18)
        for wide in (False, True, False):
            campaign = subprocess.Popen(self.command("run", "-j2"), env=self.environment,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            target = len(self.begun()) + draw.randrange(cases // 12, cases // 4)
            while len(self.begun()) < target:
                self.assertIsNone(campaign.poll(), "it ended before it was killed")
                time.sleep(0.01)
            time.sleep(draw.uniform(0, 0.3))
            for pid in tree_of(campaign.pid) if wide else [campaign.pid]:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            campaign.wait()
            campaign.stderr.close()
        self.assertIn(f"{cases} of {cases} cases are done", self.campaign("run", "-j2"))

    def compare_with_undisturbed(self, cases, study):
        self.write(**study)
        self.kill_and_resume(cases)
        killed = self.content()
        self.assert_tidy()
        self.assertEqual(len(killed), cases)
        began = len(self.begun())
        self.assertLessEqual(began, cases + 2)  # what was in flight when all were killed
        (self.folder / "base.sqlite").unlink()
        self.campaign("run", "-j2")
        self.assertEqual(self.content(), killed)

    def test_three_kills_lose_what_was_in_flight_at_most(self):
        self.compare_with_undisturbed(60, {
            "grid": {"value": "1..30"}, "repetitions": 2, "options": {"seconds": 0.1}})


class DryRunTest(Program):
    """Every scenario looks for mistakes and ends, and a study's options go through its own parser."""

    def run_dry(self, name, *words):
        result = self.start(BIN / name, *words, "--dry-run")
        return result.returncode, result.stdout, len(result.stderr.splitlines()), os.listdir(self.folder)

    def test_scenarios_end_without_results(self):
        for path in (ROOT / "scenarios").glob("*.cc"):
            if path.stem not in ("live-network", "plan") and (path.stem != "train-planner"
                                        or not os.environ.get("EDGEPIPE_WITHOUT_TORCH")):
                with self.subTest(path.stem):
                    status, _, complaints, files = self.run_dry(path.stem)
                    self.assertEqual((status, complaints, files), (0, 0, []))

    def test_mistakes_are_found(self):
        for words in (["--model=no-model"], ["--planner=no-planner"], ["--cluster=none.json"],
                      ["--iterations=many"], ["--no-such-option=1"], ["--dry-run=1"]):
            with self.subTest(words):
                self.assertEqual(self.run_dry("pipeline-training", *words), (2, "", 1, []))

    def test_plan_reads_the_problem(self):
        problem = self.inputs / PROBLEM
        self.assertEqual(self.run_dry("plan", f"--problem={problem}"), (0, "", 0, []))
        for words in (["--planner=qdmp"], ["--envelope"]):
            self.assertEqual(self.run_dry("plan", f"--problem={problem}", *words), (2, "", 1, []))
        problem.write_text("{}")
        self.assertEqual(self.run_dry("plan", f"--problem={problem}"), (2, "", 1, []))


class ProgressTest(unittest.TestCase):
    class Stream(io.StringIO):
        def __init__(self, is_terminal):
            super().__init__()
            self._is_terminal = is_terminal

        def isatty(self):
            return self._is_terminal

    def lines(self, is_terminal, wish="on"):
        stream, now = self.Stream(is_terminal), [0]
        with mock.patch.dict(os.environ, EDGEPIPE_PROGRESS=wish):
            progress = Progress(stream, lambda: now[0])
            for second in range(1, 26):
                now[0] = second
                progress.update(second, 100, f"case {second}")
            progress.close()
        return stream.getvalue()

    def test_a_log_has_a_line_every_ten_seconds(self):
        self.assertEqual(self.lines(False), " 10%  case 10, 1 min 30 s left\n"
                                            " 20%  case 20, 1 min 20 s left\n")

    def test_a_terminal_has_one_line_that_goes_in_the_end(self):
        said = self.lines(True)
        self.assertEqual((said.count("\r\033[K"), said.count("\n")), (26, 0))
        self.assertTrue(said.endswith("left\r\033[K"))

    def test_off(self):
        self.assertEqual(self.lines(True, "off"), "")

    def test_times(self):
        self.assertEqual([shown_time(one) for one in (3.4, 75, 7260)], ["3 s", "1 min 15 s", "2 h 1 min"])
