#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs a study, for ./ns3 run NAME: run_study.py NAME --OPTION=VALUE ..."""

import sys

from edgepipe.pictures import start
from edgepipe.study_program import main

if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    del sys.argv[0]  # error messages start with the study's name
    start(main)
