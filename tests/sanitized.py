#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Builds everything with AddressSanitizer, LeakSanitizer and UndefinedBehaviorSanitizer, starts every
scenario once at both fidelities, and runs all tests. Any finding fails it. With names of scenarios
it builds and starts only these.

A test of its own for `./ns3 test --long`.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "sanitized"
FLAGS = "-O1 -g1 -DNDEBUG -fno-omit-frame-pointer -fsanitize=address,undefined"
FINDINGS = BUILD / "findings"  # a file for each process that had one, whoever started it
SUPPRESSIONS = ROOT / "tests" / "sanitizers"
# Benchmarks compare speeds, which the sanitizers change.
LEFT_OUT = "^benchmark[.]"

BOTH = "--fidelity=FIDELITY"
SMALL = "--planner=even,dp,exact --model=mnist_cnn --micro-batch-size=2"
CASES = [
    f"quickstart {BOTH} --model=mnist_cnn --micro-batch-size=2 --micro-batches=2",
    f"pipeline-training {BOTH} {SMALL} --adjacent=both",
    f"pipeline-training {BOTH} --model=mnist_cnn --micro-batch-size=1 --micro-batches=2 "
    "--planner=dp --link=wifi --mobility=random-walk --competitors=1",
    f"pipeline-training {BOTH} --model=mnist_cnn --micro-batch-size=1 --micro-batches=2 "
    "--planner=dp --link=lte --schedule=seq1f1b --iterations=2",
    f"pipeline-training {BOTH} {SMALL} --link=4g --bandwidth=0s:20Mbps,1s:5Mbps --schedule=1f1b",
    f"pipeline-training {BOTH} {SMALL} --link=trace --trace=lte-driving.up.csv",
    f"pipeline-training {BOTH} {SMALL} --cut=raspberry-pi-5-1@1s",
    f"pipeline-training {BOTH} --model=mnist_cnn --micro-batch-size=1 --micro-batches=2 --cluster=mixed-lab",
    "pipeline-training --model=mnist_cnn --planner=ga,pso,ppo,pg-mpss,autopipe,grdqn,grdqn-improved",
    # What one leaves, the next ones read.
    "pipeline-training --model=mnist_cnn --planner=even --out=o; plan --problem=o/problem.json; "
    "plan --problem=o/problem.json --planner=exec:$PLANNERS/pipeedge.py > p.json; "
    "pipeline-training --model=mnist_cnn --plan=p.json --planner=exec:$PLANNERS/even.py",
    f"adaptive-training {BOTH} --model=mnist_cnn --iterations=6",
    f"adaptive-training {BOTH} --model=mnist_cnn --micro-batch-size=1 --micro-batches=2 --iterations=3 "
    "--cluster=mixed-lab --link='' --planner=exec:$PLANNERS/pipedream.py",
    "workload-case --levels=flow,packet,ideal --case='planner=dp model=mnist_cnn devices=3 pipelines=2 "
    "link=wifi micro-batch-size=1 micro-batches=2'",
    "workload-case --values=10",
    f"workload {BOTH} --workload=echo --library=$LIBRARIES/libecho-workload.so --devices=2",
    "train-planner --model=mnist_cnn --episodes=20",
    f"cooperative-inference {BOTH} --model=googlenet --link=4g --planner=all --frames=20",
    f"cooperative-inference {BOTH} --model=alexnet --link=wifi --planner=qdmp --frames=20",
    f"cooperative-inference {BOTH} --model=alexnet --link=lte --planner=qdmp --frames=20 "
    "--mobility=away --speed=3",
    f"cooperative-inference {BOTH} --model=alexnet --frames=5 "
    "--planner=exec:$PLANNERS/edge_only.py",
    f"trace-replay {BOTH} --frames=40",
    f"actor-learner {BOTH} --actors=4 --planner=defp,all-server,all-local,igreedy,ogreedy "
    "--churn=120 --duration=2s --warm-up=1s",
    f"actor-learner {BOTH} --cluster=mixed-lab --duration=2s --warm-up=1s "
    "--planner=exec:$PLANNERS/all_local.py",
    "actor-learner --actors=4 --planner=milp --link=wifi --duration=4s --warm-up=2s",
    f"data-parallel {BOTH} --model=mnist_cnn --devices=4 --planner=bno,equal,random,optimal "
    "--updates=2",
    f"data-parallel {BOTH} --model=mnist_cnn --devices=3 --exchange=parameter-server --updates=3",
    f"data-parallel {BOTH} --model=mnist_cnn --cluster=mixed-lab --updates=1 "
    "--planner=exec:$PLANNERS/equal.py",
    "wifi-calibration --wifi-standard=n --wifi-rate-control=ideal --warm-up=20ms --window=20ms "
    "--table=t.csv",
    "record-bandwidth --link=lte --mobility=random-walk --direction=up --duration=5s --recording=r.csv",
    "record-bandwidth --link=wifi --direction=down --duration=2s --recording=r.csv",
    "echo '[{\"device\": \"v100@pytorch\", \"network\": \"resnet50\", \"side\": 160, \"kind\": \"training\", \"batch\": 8}]' "
    "> p.json; estimate --passes=p.json < /dev/null",
]


def main():
    only = sys.argv[1:]
    missing = {path.stem for path in (ROOT / "scenarios").glob("*.cc")} - set(" ".join(CASES).split())
    if missing:
        sys.exit(f"no case starts {', '.join(sorted(missing))}")
    report = f"log_path={FINDINGS / 'finding'}"
    environment = {
        **os.environ,
        "EDGEPIPE_TRACES": str(ROOT / "traces"),
        "EDGEPIPE_PROGRESS": "off",
        "PATH": f"{BUILD / 'bin'}:{os.environ['PATH']}",
        "PLANNERS": str(ROOT / "analysis" / "planners"),
        "LIBRARIES": str(BUILD / "lib"),
        "EDGEPIPE_TEST_TIMEOUT": "3600",  # s; programs take several times as long
        # A child that tries out what ns-3 can not say it refuses may crash; who else does, fails.
        "ASAN_OPTIONS": f"{report}:detect_stack_use_after_return=1:handle_segv=0",
        "LSAN_OPTIONS": f"suppressions={SUPPRESSIONS / 'leak.supp'}:print_suppressions=0",
        # Beside AddressSanitizer it writes no file: a program must crash instead.
        "UBSAN_OPTIONS": f"suppressions={SUPPRESSIONS / 'undefined.supp'}:print_stacktrace=1:"
                         "halt_on_error=1:abort_on_error=1",
        "CXXFLAGS": FLAGS,  # of what tests compile themselves
    }
    cores = str(os.cpu_count())
    call(environment, "cmake", "-S", ROOT, "-B", BUILD, "-G", "Ninja", "-DEDGEPIPE_TESTS=ON",
         f"-DCMAKE_CXX_FLAGS_RELEASE={FLAGS}")
    call({**environment, "ASAN_OPTIONS": "detect_leaks=0"},
         "ninja", "-C", BUILD, "-j", cores, *(only or ["all", "tests"]))
    shutil.rmtree(FINDINGS, ignore_errors=True)
    FINDINGS.mkdir()
    failures = start_scenarios(environment, only)
    if not only:
        tests = subprocess.run(["ctest", "--test-dir", BUILD, "-j", cores, "-LE", "long", "-E",
                                LEFT_OUT, "--output-on-failure"], env=environment, check=False)
        failures += tests.returncode != 0
    findings = sorted(FINDINGS.iterdir())
    for finding in findings:
        print(finding.read_text(errors="replace")[:4000])
    print(f"{failures} failures, {len(findings)} findings")
    sys.exit(failures + len(findings) != 0)


def call(environment, *words):
    subprocess.run(list(map(str, words)), env=environment, check=True)


def expand(case):
    """The case at each fidelity."""
    return [case.replace(BOTH, f"--fidelity={one}") for one in ("flow", "packet")] if BOTH in case else [case]


def start_scenarios(environment, only):
    """How many cases failed, of those that begin with one of the names."""
    commands = [command for case in CASES if not only or case.split()[0] in only for command in expand(case)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return sum(pool.map(lambda command: start(command, environment), commands))


def start(command, environment):
    """Whether the command of a shell failed, in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(["sh", "-ec", command], cwd=folder, env=environment,
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    print(f"{'FAILED' if run.returncode else 'passed'}  {command}", flush=True)
    if run.returncode:
        print(run.stderr[-4000:], flush=True)
    return run.returncode != 0


if __name__ == "__main__":
    main()
