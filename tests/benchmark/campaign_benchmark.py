#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""What a campaign costs: 1,000 cases of plan, beside GNU parallel running the bare commands.

campaign_benchmark.py [CASES]; needs ./ns3 build plan, and the packages parallel and time.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from campaign_test import BIN_DIR, THREE_LAYERS  # noqa: E402

PLANNERS = ["even", "dp", "exact", "pso"]


def measure(words, **options):
    """Seconds, and seconds of processors, of the command and all that it runs."""
    def spent():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    start, before = time.perf_counter(), spent()
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, **options)
    return time.perf_counter() - start, spent() - before


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        problem = folder / "problem.json"
        problem.write_text(json.dumps(THREE_LAYERS))
        runs = count // len(PLANNERS)
        study = folder / "study.json"
        study.write_text(json.dumps({
            "scenario": "plan", "options": {"problem": str(problem)}, "grid": {"planner": PLANNERS},
            "repetitions": runs, "database": str(folder / "base.sqlite")}))
        commands = "".join(f"{BIN_DIR}/plan --problem={problem} --planner={planner} --RngRun={run}\n"
                           for run in range(1, runs + 1) for planner in PLANNERS)
        jobs = str(os.cpu_count())
        for _ in range(2):
            bare = measure(["parallel", "--will-cite", "--jobs", jobs], input=commands, text=True)
            (folder / "base.sqlite").unlink(missing_ok=True)
            campaign = measure([ROOT / "analysis" / "campaign.py", "run", "-j", jobs, study])
            print(f"{len(PLANNERS) * runs} cases: bare {bare[0]:.1f} s ({bare[1]:.1f} s of processors), "
                  f"campaign {campaign[0]:.1f} s ({campaign[1]:.1f} s), {campaign[0] / bare[0]:.2f} "
                  f"times as long, {campaign[1] / bare[1]:.2f} times the work", flush=True)


if __name__ == "__main__":
    main()
