# SPDX-License-Identifier: GPL-2.0-only
"""Simulations of all real runs in traces/testbed take as long as these."""

import statistics

from places import InFolder, ROOT

# Median and largest error of a group of drawn runs, by level.
LIMITS = {"packet": (0.02, 0.06), "flow": (0.03, 0.08)}


class Recorded(InFolder):
    def test_simulations_take_as_long(self):
        run = self.ended(self.start(ROOT / "ns3", "run", f"validation --out={self.folder}/v"))
        rows = [row for row in self.read_csv("v", "results.csv") if row["counts"] == "true"]
        for group in ("first", "held-out"):
            for level, (median, worst) in LIMITS.items():
                sizes = [abs(float(row[f"{level}Error"])) for row in rows if row["group"] == group]
                self.assertGreater(len(sizes), 30)
                self.assertLess(statistics.median(sizes), median)
                self.assertLess(max(sizes), worst)
        self.assertRegex(run.stdout, r"packet level (\d+) of \1, flow level (\d+) of \2")
