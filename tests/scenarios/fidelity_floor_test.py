# SPDX-License-Identifier: GPL-2.0-only
"""Flows stay as near to packets as when the cases of tests/fidelity-floor.csv were frozen.

What lies nearer now is frozen anew by tests/fidelity_floor.py; the kernel's cases are in network/kernel_latency_test.
"""

import collections
import json
import subprocess
import unittest

from fidelity_floor import allowance, frozen_traces, in_pool, mean_seconds, read_floor, simulate
from places import BIN

LEAST_CASES = 50  # drawn; tries that never fit are left out
LEAST_OF_A_KIND = 6
MOVED = 0.001  # share of a case's time
KINDS = (("lan",), ("p2p",), ("3g", "4g", "trace"), ("wifi",), ("lte",), ("mixed",), ("kernel",))


class FidelityFloor(unittest.TestCase):
    def test_flows_are_as_near_to_packets_as_when_frozen(self):
        rows = [row for row in read_floor() if row["link"] != "kernel"]
        # Flows may be as certain where packets are not: as many runs tell.
        with frozen_traces() as traces:
            flows = in_pool(lambda row: mean_seconds(row, "flow", row["truthRuns"], traces), rows)
        for row, flow in zip(rows, flows):
            with self.subTest(row["case"]):
                self.assertIsInstance(flow, float, flow)
                self.assertLessEqual(abs(flow / float(row["truthSeconds"]) - 1), float(row["allowance"]),
                                     f"flows {flow} s, packets {row['truthSeconds']} s, frozen {row['seconds']} s")

    def test_every_rule_of_flows_moves_a_case(self):
        rules = json.loads(subprocess.run([BIN / "workload-case"], capture_output=True, text=True).stdout)["rules"]
        levels = ",".join(["flow", *(f"flow-{rule}" for rule in rules)])
        with frozen_traces() as traces:
            found = in_pool(lambda row: simulate(row, levels, 1, traces)[0],
                            [row for row in read_floor() if row["link"] != "kernel"])
        moved = {rule: sum(abs(case[f"flow-{rule}"][0]["seconds"] / case["flow"][0]["seconds"] - 1) > MOVED
                           for case in found) for rule in rules}
        self.assertGreater(min(moved.values()), 0, moved)

    def test_every_workload_and_link_has_cases_and_no_allowance_is_widened(self):
        rows = read_floor()
        drawn = [row for row in rows if row["link"] != "kernel"]
        self.assertGreaterEqual(len(drawn), LEAST_CASES)
        self.assertEqual(len({(row["case"], row["level"]) for row in rows}), len(rows))
        links = collections.Counter(row["link"] for row in rows)
        for kind in KINDS:
            self.assertGreaterEqual(sum(links[link] for link in kind), LEAST_OF_A_KIND, kind)
        self.assertEqual(len({row["workload"] for row in drawn}), 5)
        for row in rows:
            self.assertEqual(float(row["allowance"]),
                             allowance(float(row["truthSeconds"]), float(row["seconds"])), row["case"])
