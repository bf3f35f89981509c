# SPDX-License-Identifier: GPL-2.0-only
"""Runs by random options, each repeated from every one of its own outputs: the same bytes again."""

import atexit
import functools
import json
import os
import random
import re
import shlex
import subprocess
import tempfile
import unittest
from pathlib import Path

from places import ROOT
from scenarios.run_page_test import RUNS
from served import Served

import edgepipe
from edgepipe.running import command_of
from edgepipe.study_options import options_of

CLUSTERS = sorted(path.stem for path in (ROOT / "traces" / "clusters").glob("*.json"))
# Their runs are long, and have few options.
SCENARIOS = sorted(set(RUNS) - {"cost-fit", "wifi-calibration"})
# Files, what the other options draw from, sizes that take long, and what tells the wall clock.
KEPT = {"out", "recording", "traces", "plan", "case", "fidelity", "model", "cluster", "timeline",
        "planning-time", "checkpoints", "random", "quick", "workload"}
TIMED = {"costs.csv", "training.csv"}
LIMIT = 300  # seconds; planners that learn take half a minute


def start(program, words, folder):
    """A run that has ended; one that only checks its options is a fork."""
    if words[-1] == "--dry-run" and len(command_of(program)) == 1:
        return serve(program).run(words)
    return subprocess.run(
        [*command_of(program), *words], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        errors="replace", timeout=LIMIT,
        env={**os.environ, "EDGEPIPE_TRACES": str(ROOT / "traces"), "EDGEPIPE_PROGRESS": "off"})


@functools.lru_cache(maxsize=None)
def serve(program):
    """The program in a folder that stays empty."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    served = Served(command_of(program), folder.name, {
        **os.environ, "EDGEPIPE_TRACES": str(ROOT / "traces"), "EDGEPIPE_PROGRESS": "off"})
    atexit.register(served.close)
    return served


@functools.lru_cache(maxsize=None)
def list_options(program):
    """The options of a program, and what it says each does."""
    with tempfile.TemporaryDirectory() as folder:
        return {one.name: one.help for one in options_of(start(program, ["--describe"], folder).stdout)}


@functools.lru_cache(maxsize=None)
def ask_expected(program, name):
    """What an option may be, by what the program says where it finds something else."""
    given = {**base_of(program), **({"link": "4g"} if "link" in list_options(program) else {}), name: "?"}
    with tempfile.TemporaryDirectory() as folder:
        said = start(program, [*join(given), "--dry-run"], folder).stderr
    return said.partition("expected ")[2].strip().removeprefix("one of: ")


def base_of(program):
    """Options of a short run, by name."""
    return dict(word[2:].partition("=")[::2] for word in RUNS[program])


def join(options):
    return [f"--{name}={value}" for name, value in options.items()]


def draw_value(draw, text, expected):
    """A small value that an option may have, as far as can be told; it may still be refused."""
    numbers = re.search(r"number from ([\d.e+-]+) to ([\d.e+-]+)", expected)
    if "whole number" in expected and numbers:
        return str(int(numbers[1]) + draw.randrange(4))
    if numbers:
        low, high = float(numbers[1]), float(numbers[2])
        return f"{low + draw.choice((0, 0.05, 0.3, 1)) * min(high - low, 10):g}"
    if "a time" in expected:
        return draw.choice(("0s", "1ms", "30ms", "0.7s"))
    if "data rate" in expected:
        return draw.choice(("3Mbps", "40Mbps", "1Gbps"))
    return draw.choice(re.findall(r"[\w.-]+", text if expected.startswith("none") else expected or text))


def contents(folder):
    """What a run wrote, by file, without what tells the wall clock, memory, or the folder."""
    files = {path.name: path.read_bytes() for path in folder.iterdir() if path.name not in TIMED}
    run = json.loads(files["run.json"])
    del run["options"]["out"]
    return {**files, "run.json": {name: run[name] for name in ("scenario", "options", "rngSeed", "rngRun")}}


class Repeats(unittest.TestCase):
    COUNT = 4

    def test_runs_repeat_from_each_of_their_outputs(self):
        for seed in range(self.COUNT):
            with self.subTest(seed=seed), tempfile.TemporaryDirectory() as folder:
                turn, scenario = divmod(seed, len(SCENARIOS))
                self.check(random.Random(seed), SCENARIOS[scenario],
                           CLUSTERS[(turn + scenario) % len(CLUSTERS)], Path(folder))

    def check(self, draw, program, cluster, folder):
        words = self.run_accepted(draw, program, cluster, folder)
        first = contents(folder / "first")
        for name, text in first.items():
            if name.endswith((".csv", "timeline.json", "problem.json")):
                self.assertNotRegex(text, rb"(?i)(?<![\w.-])-?(nan|inf(inity)?)(?![\w.-])", name)
        run = first["run.json"]
        again = {"run.json": lambda out: self.run_again(program, folder, out, join(
                     {**run["options"], "RngSeed": run["rngSeed"], "RngRun": run["rngRun"]})),
                 "report.html": lambda out: self.run_again(program, folder, out, self.words_of_page(
                     first["report.html"].decode(), program))}
        if "problem.json" in first:
            again["problem.json"] = lambda out: edgepipe.simulate(
                edgepipe.problem(folder / "first"), run["options"]["planner"], out=folder / out)
        for name, repeat in again.items():
            with self.subTest(name, command=f"{program} {shlex.join(words)}"):
                repeat(f"by-{name}")
                second = contents(folder / f"by-{name}")
                self.assertEqual(set(second), set(first))
                self.assertEqual([file for file in first if first[file] != second[file]], [])

    def run_again(self, program, folder, out, words):
        ended = start(program, [*words, f"--out={out}"], folder)
        self.assertIn(ended.returncode, (0, 3), ended.stderr)

    def run_accepted(self, draw, program, cluster, folder):
        """Runs drawn options, less those that are refused; returns the others."""
        known = list_options(program)
        given = base_of(program)
        if "cluster" in known:
            given["cluster"] = cluster
        if "fidelity" in known and cluster == "edge-pair":  # the smallest
            given["fidelity"] = draw.choice(("flow", "packet"))
        drawn = draw.sample(sorted(set(known) - KEPT), min(len(set(known) - KEPT), draw.randint(1, 6)))
        if "link" in known and draw.random() < 0.4:
            drawn = ["link", *(name for name in drawn if name != "link")]
        for name in drawn:
            given[name] = draw_value(draw, known[name], ask_expected(program, name))
        for name, value in (("RngRun", "7"), ("ns3::TcpSocket::InitialCwnd", "3")):
            if draw.random() < 0.3:
                given[name] = value
        while True:
            words = join(given)
            ended = start(program, [*words, "--out=first"], folder)
            if ended.returncode in (0, 3):
                return words
            self.assertEqual(ended.returncode, 2, f"{program} {shlex.join(words)}: {ended.stderr}")
            self.assertEqual(ended.stderr.count("\n"), 1, ended.stderr)
            self.assertFalse((folder / "first").exists(), ended.stderr)
            named = re.search(r"--([\w-]+)", ended.stderr)
            refused = named[1] if named and named[1] in drawn else drawn[-1] if drawn else "cluster"
            self.assertIn(refused, given, f"{program} {shlex.join(words)}: {ended.stderr}")
            drawn = [name for name in drawn if name != refused]
            del given[refused]
            given.update({name: value for name, value in base_of(program).items() if name == refused})

    def words_of_page(self, page, program):
        data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page,
                                    re.DOTALL)[1])
        launcher, command, words = shlex.split(data["command"])
        name, *words = shlex.split(words)
        self.assertEqual((launcher, command, name), ("./ns3", "run", program))
        return words
