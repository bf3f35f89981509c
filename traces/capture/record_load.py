#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Record how much of this machine is left for a program that uses all of its cores.

Counts the tasks that run or could run, ten times a second, its own left out, and writes a line
seconds,share a second: share = cores / (cores + tasks), which is what Linux's scheduler leaves to a program
of as many threads as cores beside tasks of its own weight. Reads /proc/stat.

Example: record_load.py --seconds 3600 --what "a web server" --out web-server.csv
"""

import argparse
import os
import sys
import time

PER_SECOND = 10


def count_tasks():
    """Those that run or could run, but this program."""
    with open("/proc/stat", encoding="ascii") as file:
        for line in file:
            if line.startswith("procs_running"):
                return max(0, int(line.split()[1]) - 1)
    raise OSError("/proc/stat has no procs_running")


def get_share(tasks, cores):
    return cores / (cores + tasks)


def record(seconds, cores):
    start = time.monotonic()
    for second in range(seconds):
        counts = []
        for sample in range(PER_SECOND):
            due = start + second + (sample + 1) / PER_SECOND
            time.sleep(max(0, due - time.monotonic()))
            counts.append(count_tasks())
        yield second, get_share(sum(counts) / PER_SECOND, cores)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=3600, help="how long (%(default)s)")
    parser.add_argument("--what", default="not given", help="what else the machine does, for the header")
    parser.add_argument("--out", default="-", help="the file to write, - for standard output")
    options = parser.parse_args()
    if options.seconds < 1:
        parser.error("--seconds: expected 1 or more")
    cores = os.cpu_count()
    with (sys.stdout if options.out == "-"
          else open(options.out, "w", encoding="utf-8")) as file:
        print(f"# origin: recorded on a machine of {cores} cores\n"
              f"# tool: traces/capture/record_load.py --seconds {options.seconds}\n"
              f"# the machine's other work: {options.what}\nseconds,share", file=file)
        for second, share in record(options.seconds, cores):
            print(f"{second},{share:.4f}", file=file, flush=True)


if __name__ == "__main__":
    try:
        main()
    except (OSError, KeyboardInterrupt) as error:
        sys.exit(f"record_load.py: {error}")
