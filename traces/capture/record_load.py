#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Record how much of this machine is left for a program that uses all of its cores.

Ten times a second, counts the runnable tasks in /proc/stat except itself, and writes a line seconds,share
per second: share = cores / (cores + tasks), which Linux's scheduler leaves to a program with a thread per
core beside tasks of the same weight.

Example: record_load.py --seconds 3600 --what "a web server" --out web-server.csv
"""

import argparse
import os
import re
import sys
import time
from pathlib import Path

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../analysis"))
from edgepipe.pictures import Parser, number, start  # noqa: E402

PER_SECOND = 10


def count_tasks():
    """Runnable tasks, without this program."""
    stat = Path("/proc/stat").read_text(encoding="ascii")
    return max(0, int(re.search(r"procs_running (\d+)", stat)[1]) - 1)


def record(seconds, cores):
    start = time.monotonic()
    for second in range(seconds):
        counts = []
        for sample in range(PER_SECOND):
            due = start + second + (sample + 1) / PER_SECOND
            time.sleep(max(0, due - time.monotonic()))
            counts.append(count_tasks())
        yield second, cores / (cores + sum(counts) / PER_SECOND)


def main():
    parser = Parser(__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.option("seconds", 3600, "length of the recording, s", type=number(1, 1e9, int))
    parser.option("what", "not given", "the machine's other work, for the header")
    parser.option("out", "-", "file to write; -: standard output")
    options = parser.parse_args()
    cores = os.cpu_count()
    file = sys.stdout if options.out == "-" else open(options.out, "w", encoding="utf-8")
    print(f"# origin: recorded on a machine of {cores} cores\n"
          f"# tool: traces/capture/record_load.py --seconds {options.seconds}\n"
          f"# the machine's other work: {options.what}\nseconds,share", file=file)
    for second, share in record(options.seconds, cores):
        print(f"{second},{share:.4f}", file=file, flush=True)


if __name__ == "__main__":
    start(main)
