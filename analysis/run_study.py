#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""What ./ns3 run NAME becomes where NAME is a study: run_study.py NAME --OPTION=VALUE ..."""

import sys

from edgepipe.pictures import start
from edgepipe.study_program import main

if __name__ == "__main__":
    del sys.argv[0]  # mistakes begin with the name of the study
    start(main)
