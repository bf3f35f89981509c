# SPDX-License-Identifier: GPL-2.0-only
"""Runs by random options repeat, for long."""

import unittest

import repeat_test


class LongRepeats(repeat_test.Repeats):
    COUNT = 300


if __name__ == "__main__":
    unittest.main()
