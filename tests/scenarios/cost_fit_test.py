# SPDX-License-Identifier: GPL-2.0-only
"""Estimated costs beside published and own times."""

import csv
import json
import math
import shutil
import statistics
import subprocess
import tempfile
import unittest
from pathlib import Path

from places import BIN, REAL_TRACES, ROOT

TRACES = ROOT / "traces"
TABLE = ROOT / "contrib/edgepipe/doc/tables/costs.csv"


class CostFit(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.traces = cls.folder / "traces"
        cls.traces.mkdir()
        for name in ("models", "profiles", "published"):
            (cls.traces / name).symlink_to(TRACES / name)
        shutil.copytree(TRACES / "devices", cls.traces / "devices")
        cls.ran = cls.run_fit("--write=true", "--out=fit")
        with open(cls.folder / "fit/results.csv", newline="", encoding="utf-8") as file:
            cls.rows = list(csv.DictReader(file))

    @classmethod
    def run_fit(cls, *words):
        return subprocess.run([BIN / "cost-fit", *words], cwd=cls.folder, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True,
                              env={**REAL_TRACES, "EDGEPIPE_TRACES": str(cls.traces)})

    def errors(self, column, profiles):
        return [float(row[column]) for row in self.rows
                if row["heldOutError"] and (row["note"] == "profile") == profiles]

    def test_the_device_files_and_the_manual_have_what_the_fit_gives(self):
        self.assertEqual((self.ran.returncode, self.ran.stderr), (0, ""))
        self.assertIn("Results: fit/  report.html (open it in a browser), ", self.ran.stdout)
        self.assertIn('./ns3 run \\"cost-fit ', (self.folder / "fit/report.html").read_text())
        for path in (TRACES / "devices").glob("*.json"):
            again = json.loads((self.traces / "devices" / path.name).read_text())
            for name, stack in json.loads(path.read_text())["stacks"].items():
                for key, value in stack["figures"].items():
                    with self.subTest(f"{path.stem} {name} {key}"):
                        self.assertAlmostEqual(again["stacks"][name]["figures"][key] / value, 1, delta=0.02)
        self.assertEqual((self.folder / "fit/summary.csv").read_text(), TABLE.read_text())

    def test_networks_that_were_held_out_are_within_25_percent_for_80_percent(self):
        errors = self.errors("heldOutError", False)
        self.assertGreater(len(errors), 100)
        self.assertGreater(sum(abs(error) <= 0.25 for error in errors), 0.8 * len(errors))
        self.assertAlmostEqual(statistics.mean(math.log1p(error) for error in errors), 0, delta=0.05)

    def test_most_sums_of_own_profiles_are_within_15_percent(self):
        for device, sums, near in (("xeon-1core", 60, 53), ("h200", 180, 95)):
            errors = [float(row["error"]) for row in self.rows
                      if row["device"] == device and row["note"] == "profile"]
            self.assertEqual(len(errors), sums)
            self.assertGreaterEqual(sum(abs(error) <= 0.15 for error in errors), near, device)

    def test_intervals_hold_what_was_held_out(self):
        for profiles in (False, True):
            rows = [row for row in self.rows if row["heldOutError"] and (row["note"] == "profile") == profiles]
            inside = [abs(math.log1p(float(row["heldOutError"]))) <= 1.645 * float(row["spread"]) for row in rows]
            self.assertTrue(0.8 <= statistics.mean(inside) <= 0.95, statistics.mean(inside))

    def test_a_device_that_is_twice_as_fast_is_fitted_from_rows_of_its_own(self):
        name = "v100"
        rows = [line for line in (TRACES / "published/device-figures.csv").read_text().splitlines()
                if line.startswith((f"{name},pytorch", "device,"))]
        half = [",".join([*row.split(",")[:7], f"{float(row.split(',')[7]) / 2:.6g}", *row.split(",")[8:]])
                for row in rows[1:]]
        (self.folder / "rows.csv").write_text("\n".join([rows[0], *half]) + "\n")
        path = self.traces / "devices/h200.json"  # another family, which takes its time
        self.addCleanup(path.rename(self.folder / path.name).rename, path)
        self.assertEqual(self.run_fit("--rows=rows.csv", "--out=half").returncode, 0)
        with open(self.folder / "half/results.csv", newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                if row["device"] == name:
                    self.assertLess(abs(float(row["error"])), 0.2, row["network"])

    def test_mistakes_are_one_line(self):
        header = "device,stack,framework,network,side,kind,batch,seconds,source,note"
        for text, words, expected in (
                ("nonsense", [], f'rows.csv: line 1: found "nonsense", expected "{header}"'),
                (header + "\nv100,pytorch,,resnet50,,sleeping,1,1,s,", [], 'rows.csv: line 2: kind: found "sleeping"'),
                (header + "\nv100,torch,,resnet50,,inference,1,1,s,", [], 'found stack "torch" of device "v100"'),
                (header, ["--device=abacus"], '--device: found "abacus", expected h200')):
            with self.subTest(expected):
                (self.folder / "rows.csv").write_text(text + "\n")
                ran = self.run_fit("--rows=rows.csv", *words)
                self.assertEqual((ran.returncode, ran.stdout, ran.stderr.count("\n")), (2, "", 1), ran.stderr)
                self.assertIn(expected, ran.stderr)


if __name__ == "__main__":
    unittest.main()
