# SPDX-License-Identifier: GPL-2.0-only
"""The device files and the manual's table are what cost-fit gives, and hold what they promise."""

import json
import shutil
import unittest

from places import InFolder, ROOT

from edgepipe.running import command_of

TRACES = ROOT / "traces"


class CostFitLong(InFolder):
    def test_the_device_files_and_the_manual_have_what_the_fit_gives(self):
        traces = self.folder / "traces"
        traces.mkdir()
        for name in ("models", "profiles", "published"):
            (traces / name).symlink_to(TRACES / name)
        shutil.copytree(TRACES / "devices", traces / "devices")
        self.ended(self.start(*command_of("cost-fit"), f"--traces={traces}", "--write=true", "--out=fit"), stderr="")
        for path in (TRACES / "devices").glob("*.json"):
            again = json.loads((traces / "devices" / path.name).read_text())
            for name, stack in json.loads(path.read_text())["stacks"].items():
                self.assertEqual(stack["source"], again["stacks"][name]["source"])
                for key, value in stack["figures"].items():
                    with self.subTest(f"{path.stem} {name} {key}"):
                        self.assertAlmostEqual(again["stacks"][name]["figures"][key] / value, 1, delta=0.02)
        self.assertEqual((self.folder / "fit/summary.csv").read_text(),
                         (ROOT / "contrib/edgepipe/doc/tables/costs.csv").read_text())
        published = [row for row in self.read_csv("fit", "summary.csv") if row["device"] == "all published"]
        for row in published:
            for name, least in (("network", 78), ("device", 60 if row["kind"] == "inference" else 65)):
                shares = [float(row[f"{name}: {what}"].rstrip(" %")) for what in ("within 25 %", "in 90 % interval")]
                self.assertGreaterEqual(shares[0], least, row)
                self.assertTrue(85 <= shares[1] <= 95.5, row)


if __name__ == "__main__":
    unittest.main()
