# SPDX-License-Identifier: GPL-2.0-only
"""Whether a machine is too busy to measure on: its load, and the spread of what was measured."""

import os
import statistics

from edgepipe.pictures import InputError

MOST_SPREAD = 0.1  # interquartile range over the median


def interquartile(samples):
    if len(samples) < 2:
        return 0.0
    low, _, high = statistics.quantiles(samples, method="inclusive")
    return high - low


class BusyMachine:
    """Refuses a busy machine, or, if told to, keeps the reasons in `found`, for who measures to say."""

    @staticmethod
    def add_option(add):
        add("--busy-machine", action="store_true",
            help="measure and write although the machine is busy: its load average is above the threads used (on "
                 "machines of more cores, above the cores left), or an interquartile range above 10 %% of its median")

    def __init__(self, is_allowed):
        self.is_allowed, self.found = is_allowed, []

    def __str__(self):
        return f"the machine was busy: {'; '.join(self.found)}" if self.found else ""

    def check_load(self, threads, load=None, cores=None):
        """Before measuring; load, cores: those of this machine. Load of earlier runs of the tool itself is none."""
        load = os.getloadavg()[0] if load is None else load
        most = max(threads, (cores or os.cpu_count() or 1) - threads)
        if load > most:
            self._tell(f"load average {load:.1f}, expected at most {most}")

    def check_spread(self, what, seconds):
        """After measuring: repeats of one time."""
        median = statistics.median(seconds)
        spread = interquartile(seconds) / median if median > 0 else 0
        if spread > MOST_SPREAD:
            self._tell(f"interquartile range of {what} {100 * spread:.0f} %, expected at most {100 * MOST_SPREAD:.0f} %")

    def _tell(self, reason):
        if not self.is_allowed:
            raise InputError(f"the machine is busy: {reason}; nothing written; --busy-machine writes nevertheless")
        self.found.append(reason)
