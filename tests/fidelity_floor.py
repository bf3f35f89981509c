#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Freeze cases of fidelity --random, and those of a Linux kernel, in tests/fidelity-floor.csv: fidelity_floor.py

draws short cases of all workloads and kinds of links, runs packets and flows of each, and does the same for the
recordings in traces/links/kernel-latency.csv, whose truth is the kernel. A case may come to lie further from its
truth than it does now by one point. Cluster files of mixed networks, and the devices, go to tests/fidelity-floor. With
--drawn, --language (language models) or --kernel only these are made anew.
"""

import contextlib
import csv
import json
import re
import shutil
import subprocess
import sys
import tempfile
from multiprocessing.pool import ThreadPool
from pathlib import Path

from places import BIN, REAL_TRACES, ROOT
from edgepipe.running import command_of
from edgepipe.same_requests import figure_of, parse_requests

HERE = Path(__file__).resolve().parent
FLOOR, CLUSTERS = HERE / "fidelity-floor.csv", HERE / "fidelity-floor"
# Devices as when the cases were frozen: the floor is the network's, not that of costs.
FROZEN = {"drawn": "devices", "language": "language-devices"}
COLUMNS = ["case", "workload", "link", "level", "judgedBy", "requests", "truthRuns", "truthSeconds", "seconds",
           "allowance"]
MORE = 0.01  # than the difference when the case was frozen
DRAWN = {"drawn": ["--random=70", "--seed=4811", "--planners=1", "--seeds=2", "--max-time=16s",
                   "--workload=pipeline-training,cooperative-inference,actor-learner,data-parallel"],
         "language": ["--random=24", "--seed=4812", "--planners=1", "--seeds=2", "--max-time=16s",
                      "--workload=llm-inference"]}


def allowance(truth, seconds):
    return round(abs(seconds / truth - 1) + MORE, 4)


def read_floor():
    with FLOOR.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@contextlib.contextmanager
def frozen_traces():
    """The traces folder, but with the frozen devices."""
    with tempfile.TemporaryDirectory() as name:
        for path in (ROOT / "traces").iterdir():
            (Path(name) / path.name).symlink_to(CLUSTERS / path.name if path.name in FROZEN.values() else path)
        yield name


def simulate(row, levels, runs, traces):
    """Runs of a drawn case by level, or none and a reason."""
    case = row["case"].replace("{traces}", f"{ROOT}/traces").replace("{clusters}", str(CLUSTERS))
    ended = subprocess.run(
        [BIN / "workload-case", f"--case={case}", f"--levels={levels}", f"--runs={runs}", "--requests=true",
         f"--traces={traces}"], stdin=subprocess.DEVNULL, capture_output=True, text=True, env=REAL_TRACES)
    return (None, ended.stderr.strip()) if ended.returncode else (json.loads(ended.stdout)["levels"], "")


def mean_seconds(row, level, runs, traces):
    """The figure of a drawn case at a level, over the frozen requests; a reason why there is none."""
    levels, reason = simulate(row, level, runs, traces)
    if reason:
        return reason
    found = levels[level]
    if not all(run["isFinished"] for run in found):
        return "stalled: " + "; ".join(found[-1]["diagnosis"][:2])
    same = parse_requests(row["requests"])
    return sum(figure_of(run, same, row["judgedBy"] == "rate") for run in found) / len(found)


def in_pool(work, items):
    with ThreadPool(2) as pool:
        return pool.map(work, items)


def make_row(case, workload, link, level, truth, seconds, judged="mean", requests="", runs="1"):
    return dict(zip(COLUMNS, (case, workload, link, level, judged, requests, runs, truth, seconds,
                              allowance(float(truth), float(seconds)))))


def kind_of(row):
    return "kernel" if row["link"] == "kernel" else "language" if row["workload"] == "llm-inference" else "drawn"


def draw(kind, out):
    """Rows of cases drawn now, whose cluster files are kept."""
    subprocess.run([*command_of("fidelity"), *DRAWN[kind], f"--out={out}"], check=True, env=REAL_TRACES,
                   stdout=subprocess.DEVNULL)
    shutil.rmtree(CLUSTERS / FROZEN[kind], ignore_errors=True)
    shutil.copytree(ROOT / "traces" / FROZEN[kind], CLUSTERS / FROZEN[kind])
    for path in CLUSTERS.glob("*.json") if kind == "drawn" else ():
        path.unlink()
    with (out / "results.csv").open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["status"] == "finished"]
    for row in rows:
        case = re.sub(r"=\S*/(bandwidth/\S+\.csv)", r"={traces}/\1", row["case"])
        cluster = re.search(r" cluster=(\S+\.json)", case)
        if cluster:
            name = Path(cluster[1]).name
            shutil.copyfile(out / "clusters" / name, CLUSTERS / name)
            case = case.replace(cluster[1], f"{{clusters}}/{name}")
        yield make_row(case, row["workload"], "mixed" if cluster else row["link"], "flow",
                       row["packetIterationSeconds"], row["flowIterationSeconds"], row["judgedBy"], row["requests"],
                       row["packetRuns"])


def name_kernel_case(case):
    return " ".join(f"{name}={value}" for name, value in case)


def kernel_mean(rows):
    """Mean of the shapers' means; rows: by shaper."""
    return sum(float(row["meanSeconds"]) for row in rows.values()) / len(rows)


def compare_kernel():
    """Rows of the kernel's recordings, each for packets and for flows."""
    from network.kernel_latency_test import read_kernel, simulate

    kernel = {case: rows for case, rows in read_kernel().items() if dict(case)["sendBufferBytes"] != "0"}
    asked = [(case, level) for case in kernel for level in ("packet", "flow")]
    for (case, level), (means, _) in zip(asked, in_pool(lambda one: simulate(*one), asked)):
        yield make_row(name_kernel_case(case), dict(case)["pattern"], "kernel", level,
                       round(kernel_mean(kernel[case]), 6), means[0])


def main(words):
    made = [word.removeprefix("--") for word in words] or [*DRAWN, "kernel"]
    old, rows = read_floor() if words else [], []
    for kind in (*DRAWN, "kernel"):
        if kind not in made:
            rows += [row for row in old if kind_of(row) == kind]
        elif kind == "kernel":
            rows += compare_kernel()
        else:
            with tempfile.TemporaryDirectory() as folder:
                rows += draw(kind, Path(folder) / "drawn")
    with FLOOR.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    print(f"{FLOOR.name}: {len(rows)} rows")


if __name__ == "__main__":
    main(sys.argv[1:])
