# SPDX-License-Identifier: GPL-2.0-only
"""Machines that are too busy to measure on."""

import sys
import unittest

from places import ROOT

sys.path += [str(ROOT / "traces" / "capture"), str(ROOT / "analysis")]
from busy_machine import BusyMachine  # noqa: E402
from edgepipe.pictures import InputError  # noqa: E402


class BusyMachines(unittest.TestCase):
    def test_load_is_of_others(self):
        # Threads of the tool's own last run load the machine too; on many cores others have room.
        for threads, load, cores, is_busy in ((1, 1.5, 2, True), (1, 0.9, 2, False), (4, 3.9, 4, False),
                                              (4, 4.1, 4, True), (1, 5, 64, False), (1, 64, 64, True)):
            with self.subTest(threads=threads, load=load, cores=cores):
                if is_busy:
                    with self.assertRaisesRegex(InputError, "busy: load average.*--busy-machine"):
                        BusyMachine(False).check_load(threads, load, cores)
                else:
                    BusyMachine(False).check_load(threads, load, cores)

    def test_spread_is_the_interquartile_range_over_the_median(self):
        BusyMachine(False).check_spread("a pass", [1, 1, 1, 1, 9])
        with self.assertRaisesRegex(InputError, "interquartile range of a pass 20 %"):
            BusyMachine(False).check_spread("a pass", [0.9, 0.9, 1, 1.1, 1.1])
        told = BusyMachine(True)
        self.assertEqual(str(told), "")
        told.check_spread("a pass", [0.9, 0.9, 1, 1.1, 1.1])
        self.assertEqual(str(told), "the machine was busy: interquartile range of a pass 20 %, expected at most 10 %")
