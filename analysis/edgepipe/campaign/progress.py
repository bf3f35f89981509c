# SPDX-License-Identifier: GPL-2.0-only
"""Progress of long work on standard error: a line that is updated, or in a log a line every 10 s."""

import os
import sys
import time

COLUMNS = 80
FIRST, PERIOD, PERIOD_IN_LOGS = 1, 0.25, 10  # seconds


class Progress:
    """Silent if EDGEPIPE_PROGRESS is off, as in scenarios."""

    def __init__(self, stream=None, clock=time.monotonic):
        self._stream = stream or sys.stderr
        self._clock = clock
        self._is_silent = os.environ.get("EDGEPIPE_PROGRESS") == "off"
        self._is_terminal = self._stream.isatty()
        self._start = clock()
        self._next = self._start + (FIRST if self._is_terminal else PERIOD_IN_LOGS)
        self._is_shown = False

    def update(self, done, count, what):
        """done: finished parts of count, not counting work done before this object was made."""
        now = self._clock()
        if self._is_silent or now < self._next:
            return
        self._next = now + (PERIOD if self._is_terminal else PERIOD_IN_LOGS)
        left = f", {shown_time((now - self._start) * (count - done) / done)} left" if done else ""
        room = COLUMNS - 7 - len(left)
        line = f"{round(100 * done / count):3d}%  {what if len(what) <= room else what[:room - 3] + '...'}{left}"
        self._stream.write(f"\r\033[K{line}" if self._is_terminal else line + "\n")
        self._stream.flush()
        self._is_shown = self._is_terminal

    def close(self):
        if self._is_shown:
            self._stream.write("\r\033[K")
            self._stream.flush()
        self._is_shown = False


def shown_time(seconds):
    rest = round(seconds)
    if rest >= 3600:
        return f"{rest // 3600} h {rest % 3600 // 60} min"
    return f"{rest // 60} min {rest % 60} s" if rest >= 60 else f"{rest} s"
