# SPDX-License-Identifier: GPL-2.0-only
"""Runs by random options repeat, for long."""

from scenarios import repeat_test


class LongRepeats(repeat_test.Repeats):
    COUNT = 300
