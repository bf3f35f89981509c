# SPDX-License-Identifier: GPL-2.0-only
"""Requests over every recorded link take as long as over the real kernel's TCP, at either fidelity."""

import statistics

from network import kernel_latency_test

# Most that the median of frames after pauses is off, and the share of them for which it holds: where a
# window ends with a frame, a round trip depends on a byte.
AFTER_PAUSE, LEAST_AFTER_PAUSE = 0.08, 0.92


class EveryKernelLatency(kernel_latency_test.KernelLatency):
    EVERY = 1

    def test_either_takes_as_long_as_the_kernel_after_pauses(self):
        for fidelity in ("packet", "flow"):
            ratios = [self.found[case][fidelity][0][2] / float(row["medianSeconds"])
                      for case, rows in self.kernel.items() for row in rows.values()
                      if row["medianSeconds"]]
            close = [ratio for ratio in ratios if abs(ratio - 1) < AFTER_PAUSE]
            self.assertGreaterEqual(len(ratios), 24)
            self.assertGreater(len(close), LEAST_AFTER_PAUSE * len(ratios), ratios)
            self.assert_close(statistics.median(ratios), 1, 0.02)
