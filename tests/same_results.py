#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Whether two builds give the same results: every workload over all links, both levels, and the studies.

usage: same_results.py OLD NEW [PATTERN]

OLD and NEW are folders with the programs of a build, such as build/bin. Each command of COMMANDS that
matches PATTERN runs in both; files and what is printed must be equal byte by byte but for what tells
the time on the wall, for RENAMED columns and DROPPED ones. Ends with 1 if anything differs.
"""

import concurrent.futures
import csv
import difflib
import io
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

TRACES = Path(__file__).resolve().parent.parent / "traces"
# New names of columns by old ones, and columns that came or went, since the build that is compared with.
RENAMED = {}
DROPPED = {"whyUnchanged", "isTrained", "plan"}
# Members of run.json that came, or say where and how it was run.
OTHER = {"version", "commit", "command", "out", "edgepipe", "peakMemoryBytes", "jobs", "imbalanceSeconds",
         "logImbalance", "units", "plans", "stages"}
CAME = {"devices", "pipelines"}  # options of pipeline-training
TIMES = {"costs.csv", "qdmp-tables/decisions.csv"}  # on the wall
WALL = re.compile(r"wall|decisionSeconds|planningSeconds|PerSecondOfWall|peakMemory.*Process", re.IGNORECASE)

PIPELINE = "pipeline-training --model=resnet18 --cluster=pi-lab --micro-batches=4 --micro-batch-size=4"
COOPERATIVE = "cooperative-inference --planner=all --frames=20 --devices=2"
ACTORS = "actor-learner --actors=3 --planner=defp,igreedy,all-server,all-local --duration=14s"
PARALLEL = "data-parallel --model=resnet18 --planner=bno,equal,optimal --updates=12 --update-interval=500ms"
LINKS = ["lan", "p2p", "wifi", "lte", "4g", "3g", "trace --trace=lte-driving"]


def commands():
    """Words of every command, without --out."""
    for fidelity, workload, link in itertools.product(
            ("flow", "packet"), (PIPELINE + " --planner=even,exact", COOPERATIVE, ACTORS, PARALLEL), LINKS):
        small = fidelity == "packet"
        if small:
            workload = workload.replace("--planner=all", "--planner=qdmp,cloud-only").replace(
                "--frames=20", "--frames=5").replace("resnet18", "mnist_cnn").replace("=12 ", "=3 ").replace(
                "defp,igreedy,all-server,all-local --duration=14s", "defp,all-server --duration=11s").replace(
                "bno,equal,optimal", "bno")
            if workload.startswith("cooperative"):
                workload += " --model=resnet18"
        for run in range(1, 4 if link in ("wifi", "lte") and not small else 2):
            yield f"{workload} --fidelity={fidelity} --link={link} --RngRun={run}"
    for schedule, help in itertools.product(("gpipe", "1f1b", "seq1f1b"), ("off", "on")):
        yield f"{PIPELINE} --planner=even,dp --schedule={schedule} --adjacent={help} --iterations=2"
    for run in range(1, 11):
        yield f"{PIPELINE} --planner=ga,pso --link=wifi --RngRun={run}"
        yield f"{ACTORS} --churn=20 --RngRun={run} --link=lan"
        yield (f"cooperative-inference --planner=qdmp,cloud-only --frames=30 --devices=3 --frame-rate=2 --link=wifi "
               f"--mobility=random-walk --distance=60 --RngRun={run}")
        yield f"data-parallel --model=resnet18 --planner=random --updates=20 --RngRun={run}"
    for adaptation in ("--adjacent=both --adjacent-costs=ideal", "--replan=both --monitor=probe",
                       "--replan=on --monitor=passive --load=raspberry-pi-4-1:0.3@2s,1@20s",
                       "--bandwidth=0s:100Mbps,3s:5Mbps --replan=on --monitor=oracle"):
        yield f"adaptive-training --iterations=5 --planner=exact {adaptation}"
    yield "pipeline-training --cluster=mixed-lab --model=mnist_cnn --planner=exact,dp,even --micro-batches=2"
    yield "pipeline-training --planner=dp --cut=raspberry-pi-5-1@1s"
    yield "data-parallel --model=resnet18 --updates=60 --join=rtx-2080-ti-3@2s --planner=bno,equal"
    yield "data-parallel --model=resnet18 --updates=20 --exchange=parameter-server --monitor=passive --planner=bno"
    yield "data-parallel --model=resnet18 --updates=20 --exchange=merged-ring --control=own --planner=bno"
    yield "cooperative-inference --planner=qdmp,dads --link=3g --monitor=probe --replan-period=5s --frames=20"
    yield "cooperative-inference --planner=qdmp --know-others=true --devices=4 --link=wifi --frame-rate=3 --frames=20"
    yield "trace-replay --frames=30 --planner=all"
    yield "bandwidth-variation --model=googlenet"
    yield "quickstart"
    for links in ("lan,p2p", "wifi", "3g,4g,trace"):
        yield f"fidelity --random=12 --link={links} --RngRun=5"
    yield "scalability --devices=2,4,8,16 --pipelines=1,2 --planner=even,dp"
    yield "scalability --workload=cooperative-inference --devices=2,8 --case=frames=5"
    yield "scalability --workload=actor-learner --devices=2,8 --case=duration=12s"
    yield "scalability --workload=data-parallel --devices=2,8 --case=updates=5"
    yield "qdmp-tables --repeats=1 --model=alexnet"
    yield "bno-table --model=mnist_cnn --updates=250"
    yield "dgpas-testbed --quick --planner=exact,dp,ga --mini-batches=1,2 --bubbles-of=exact,ga"
    yield "coknight-figures --duration=2s --problems=1"
    yield "train-planner --model=mnist_cnn --episodes=20"
    yield "record-bandwidth --link=lte --distance=300 --mobility=away --speed=10 --duration=20s"


def settle_csv(text, old):
    """Rows without columns that tell the time on the wall; names of old ones as they are now."""
    rows = list(csv.reader(io.StringIO(text)))
    if not rows:
        return text
    head = [RENAMED.get(name, name) if old else name for name in rows[0]]
    keep = [i for i, name in enumerate(head) if not WALL.search(name) and name not in DROPPED]
    return "\n".join(",".join(row[i] for i in keep if i < len(row)) for row in [head, *rows[1:]])


def settle_json(value, left=frozenset()):
    """What run.json holds, but times on the wall, folders and versions."""
    if isinstance(value, dict):
        return {key: settle_json(inner, CAME if key == "options" else frozenset())
                for key, inner in value.items() if not WALL.search(key) and key not in OTHER | left}
    return [settle_json(inner) for inner in value] if isinstance(value, list) else value


def run(programs, command, folder, old):
    """What a command prints and writes, by name."""
    words = command.split()
    out = folder / "out"
    program = [programs / words[0]]
    traces = programs.parent.parent / "traces"  # of that build, if it stands in its sources
    if not program[0].exists():  # a study by now
        program = [sys.executable, TRACES.parent / "analysis" / "run_study.py", words[0]]
    process = subprocess.run([*program, *words[1:], f"--out={out}"], cwd=folder, capture_output=True, text=True,
                             timeout=900, env={**os.environ, "EDGEPIPE_TRACES": str(traces if traces.is_dir() else TRACES),
                                               "EDGEPIPE_BIN_DIR": str(programs)})
    # Figures that are printed are in the files, beside times on the wall.
    results = {"status": str(process.returncode),
               "standard output": re.sub(r"-?[\d.]+|[ -]{2,}", " ", process.stdout.replace(str(folder), ""))}
    if process.returncode:
        results["standard error"] = process.stderr.replace(str(folder), "")
    for path in sorted(out.rglob("*")) if out.is_dir() else []:
        if TIMES & {path.name, f"{words[0]}/{path.name}"}:
            continue
        name = str(path.relative_to(out))
        if path.suffix == ".csv":
            results[name] = settle_csv(path.read_text(), old)
        elif path.suffix == ".json":
            results[name] = json.dumps(settle_json(json.loads(path.read_text())), indent=1, sort_keys=True)
    return results


def compare(old, new, command):
    """Names of what differs, and the first lines that do."""
    with tempfile.TemporaryDirectory() as folder:
        results = []
        for programs in (old, new):
            results.append(run(programs, command, Path(folder), programs == old))
            shutil.rmtree(Path(folder, "out"), ignore_errors=True)
    found = []
    names = results[0].keys() | results[1].keys()
    if not (new / command.split()[0]).exists():  # a study, which prints tables and makes more of them
        names = results[0].keys() - {"standard output"}
    for name in sorted(names):
        texts = [result.get(name, "") for result in results]
        if texts[0] != texts[1]:
            lines = difflib.unified_diff(*(text.splitlines() for text in texts), "old", "new", n=0, lineterm="")
            found.append((name, list(itertools.islice(lines, 2, 8))))
    return found, results[0]["status"]


def main():
    old, new = (Path(word).resolve() for word in sys.argv[1:3])
    pattern = re.compile(sys.argv[3] if len(sys.argv) > 3 else "")
    chosen = [command for command in commands() if pattern.search(command)]
    differing = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for command, (found, status) in zip(chosen, pool.map(lambda one: compare(old, new, one), chosen)):
            differing += bool(found)
            note = "" if status == "0" else f" (status {status} in both)"
            print(f"{'differs' if found else 'same'}{note if not found else ''}: {command}", flush=True)
            for name, lines in found:
                print("\n".join([f"    {name}", *(f"        {line[:150]}" for line in lines)]), flush=True)
    print(f"{len(chosen)} commands, {differing} differ")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
