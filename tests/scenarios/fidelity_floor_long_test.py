# SPDX-License-Identifier: GPL-2.0-only
"""Packet level gives the same times again for the cases of tests/fidelity-floor.csv."""

import unittest

from fidelity_floor import frozen_traces, in_pool, mean_seconds, read_floor


class FrozenPackets(unittest.TestCase):
    def test_packets_take_as_long_as_when_frozen(self):
        rows = [row for row in read_floor() if row["link"] != "kernel"]
        with frozen_traces() as traces:
            packets = in_pool(lambda row: mean_seconds(row, "packet", row["truthRuns"], traces), rows)
        for row, packet in zip(rows, packets):
            with self.subTest(row["case"]):
                self.assertIsInstance(packet, float, packet)
                self.assertAlmostEqual(packet / float(row["truthSeconds"]), 1, places=9)
