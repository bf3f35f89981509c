# SPDX-License-Identifier: GPL-2.0-only
"""What a scenario's --serve does, for scripts that stand for one: fake_server.py PROGRAM JOBS."""

import json
import resource
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


def run(line):
    case = json.loads(line)
    folder = Path(case["folder"])
    for attempt in range(case["retries"] + 1):
        with open(folder / "attempts", "a") as file:
            file.write("\n" * bool(case["retries"]))
        start = time.monotonic()
        with open(folder / "stdout", "w") as out, open(folder / "stderr", "w") as err:
            process = subprocess.Popen([sys.argv[1], *case["words"]], stdout=out, stderr=err,
                                       stdin=subprocess.DEVNULL)
            try:
                status = process.wait(case["seconds"] or None)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                status = 124
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        (folder / "usage").write_text(f"{time.monotonic() - start} {peak}\n")
        if status == 0:
            break
    (folder / "status").write_text(f"{status if status >= 0 else 128 - status}\n")


with ThreadPoolExecutor(int(sys.argv[2])) as pool:
    for line in sys.stdin:
        pool.submit(run, line)
