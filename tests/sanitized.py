#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Builds everything with AddressSanitizer, LeakSanitizer and UndefinedBehaviorSanitizer, starts every
scenario once at both fidelities, and runs all tests. Any finding fails it.

A test of its own for `./ns3 test --long`; some 40 minutes on two cores.
"""

import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "sanitized"
FLAGS = "-O1 -g1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all"
SUPPRESSIONS = ROOT / "tests" / "sanitizers"

SMALL = "--planner=even,dp,exact --model=mnist_cnn --micro-batch-size=2"
BOTH = "--fidelity={flow,packet}"
CASES = [
    f"quickstart {BOTH} --model=mnist_cnn",
    f"pipeline-training {BOTH} {SMALL} --adjacent=both",
    f"pipeline-training {BOTH} {SMALL} --link=wifi --mobility=random-walk --competitors=1",
    f"pipeline-training {BOTH} {SMALL} --link=lte --schedule=seq1f1b --iterations=2",
    f"pipeline-training {BOTH} {SMALL} --link=4g --bandwidth=0s:20Mbps,1s:5Mbps --schedule=1f1b",
    f"pipeline-training {BOTH} {SMALL} --link=trace --trace=lte-driving.up.csv",
    f"pipeline-training {BOTH} {SMALL} --cut=raspberry-pi-5-1@1s",
    "pipeline-training --model=mnist_cnn --planner=ga,pso,ppo,pg-mpss,autopipe,grdqn",
    f"adaptive-training {BOTH} --model=mnist_cnn --iterations=6",
    f"scalability {BOTH} --devices=2,4 --pipelines=1,2 --planner=dp --model=mnist_cnn",
    "dgpas-testbed --quick --model=alexnet",
    "train-planner --model=mnist_cnn --episodes=20",
    f"cooperative-inference {BOTH} --model=googlenet --link=4g --planner=all --frames=20",
    f"cooperative-inference {BOTH} --model=alexnet --link=wifi --planner=qdmp --frames=20",
    f"cooperative-inference {BOTH} --model=alexnet --link=lte --planner=qdmp --frames=20 "
    "--mobility=away --speed=3",
    f"trace-replay {BOTH} --frames=40",
    f"bandwidth-variation {BOTH} --model=alexnet --planner=qdmp,edge-only",
    "qdmp-tables",
    f"actor-learner {BOTH} --actors=4 --planner=defp,all-server,all-local,igreedy,ogreedy "
    "--churn=60 --duration=4s --warm-up=2s",
    "actor-learner --actors=4 --planner=milp --link=wifi --duration=4s --warm-up=2s",
    "coknight-figures --figures=2,6,9,11 --actors=3,6 --problems=3 --duration=4s",
    f"data-parallel {BOTH} --model=mnist_cnn --workers=4 --shares=bno,equal,random,optimal "
    "--updates=6",
    f"data-parallel {BOTH} --model=mnist_cnn --workers=3 --exchange=parameter-server --updates=6",
    "bno-table --updates=20",
    "fidelity --quick",
    "wifi-calibration --standards=n --rate-controls=ideal --warm-up=20ms --window=20ms "
    "--table=t.csv",
    "record-bandwidth --link=lte --mobility=random-walk --direction=up --duration=5 --out=r.csv",
    "record-bandwidth --link=wifi --direction=down --duration=2 --out=r.csv",
]


def main():
    environment = {
        **os.environ, "EDGEPIPE_TRACES": str(ROOT / "traces"),
        "ASAN_OPTIONS": "detect_leaks=1:detect_stack_use_after_return=1",
        "LSAN_OPTIONS": f"suppressions={SUPPRESSIONS / 'leak.supp'}:print_suppressions=0",
        "UBSAN_OPTIONS": f"suppressions={SUPPRESSIONS / 'undefined.supp'}:print_stacktrace=1",
    }
    cores = str(os.cpu_count())
    call(environment, "cmake", "-S", ROOT, "-B", BUILD, "-G", "Ninja", "-DEDGEPIPE_TESTS=ON",
         f"-DCMAKE_CXX_FLAGS_RELEASE={FLAGS}")
    call({**environment, "ASAN_OPTIONS": "detect_leaks=0"},
         "ninja", "-C", BUILD, "-j", cores, "all", "tests")
    failures = start_scenarios(environment)
    if not sys.argv[1:]:
        tests = subprocess.run(["ctest", "--test-dir", BUILD, "-j", cores, "-LE", "long",
                                "--output-on-failure"], env=environment, check=False)
        failures += tests.returncode != 0
    print(f"{failures} failures")
    sys.exit(failures != 0)


def call(environment, *words):
    subprocess.run(list(map(str, words)), env=environment, check=True)


def start_scenarios(environment):
    commands = [case.replace("{flow,packet}", fidelity)
                for case in CASES
                for fidelity in (("flow", "packet") if BOTH in case else ("",))]
    commands = [one for one in commands if not sys.argv[1:] or one.split()[0] in sys.argv[1:]]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda words: start(words, environment), commands))
    return sum(results)


def start(command, environment):
    name, *options = command.split()
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run([BUILD / "bin" / name, *options], cwd=folder, env=environment,
                             capture_output=True, text=True, check=False)
    failed = run.returncode != 0
    print(f"{'FAILED' if failed else 'passed'}  {command}", flush=True)
    if failed:
        print(run.stderr[-6000:], flush=True)
    return failed


if __name__ == "__main__":
    main()
