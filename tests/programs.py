# SPDX-License-Identifier: GPL-2.0-only
"""Runs built programs in a folder of their own, on a small model, cluster and profile that a test may break.

The device files and the capacities of links are the real ones.
"""

import collections
import contextlib
import json
import os
import random
import shutil
import subprocess
import sys

import forked
from places import ROOT, InFolder
from edgepipe.running import command_of
from served import Served

MODEL = "models/tiny.json"
CLUSTER = "clusters/lab.json"
PROFILE = "profiles/raspberry-pi-5/tiny.b2.csv"
PI = "devices/raspberry-pi-5.json"
NANO = "devices/jetson-orin-nano.json"
PROBLEM = "problem.json"
# Runs that need no measured bandwidth and simulate next to nothing.
SMALL = ("--model=tiny", "--cluster=lab", "--micro-batch-size=2", "--micro-batches=2")
STRONG = (*SMALL, "--link=lan", "--pipelines=1")
QUICK = (*SMALL, "--planner-bandwidth=900Mbps")
LIMIT = float(os.environ.get("EDGEPIPE_TEST_TIMEOUT", 600))  # seconds of a run
PAIR = ("--model=tiny", "--device=raspberry-pi-5", "--server=jetson-orin-nano")


def layer(name, operator, inputs, flop, parameters, output):
    return {"name": name, "operator": operator, "inputs": inputs, "flop": flop,
            "parameterBytes": parameters, "outputBytes": output, "activationBytes": output}


def write_inputs(folder):
    """A traces folder and a planning problem; the layer "sum" makes the model a DAG."""
    layers = [
        layer("image", "input", [], 0, 0, 12000),
        layer("conv", "conv2d", ["image"], 40000000, 4000, 16000),
        layer("relu", "relu", ["conv"], 4000, 0, 16000),
        layer("sum", "add", ["conv", "relu"], 4000, 0, 16000),
        layer("head", "linear", ["sum"], 8000000, 40000, 400),
    ]
    rows = [f"{one['name']},{one['operator']},0.002,0.004" for one in layers]
    header = {"format": "edgepipe-profile 1", "model": "tiny", "device": "raspberry-pi-5",
              "batch": 2, "origin": "measured", "command": "written by a test"}
    files = {
        MODEL: {"format": "edgepipe-model 1", "name": "tiny", "layers": layers},
        CLUSTER: {
            "format": "edgepipe-cluster 1", "name": "lab",
            "devices": [{"type": "jetson-orin-nano"}, {"type": "raspberry-pi-5", "count": 2, "name": "pi"}],
            "network": {"link": "lan", "bandwidth": "1Gbps", "delay": "20us"}},
        PROBLEM: {
            "problem": "pipeline", "microBatches": 4,
            "layers": [
                {"name": "a", "inputs": [], "outputBytes": 1000, "parameterBytes": 500,
                 "activationBytes": 200},
                {"name": "b", "inputs": ["a"], "outputBytes": 900, "parameterBytes": 400,
                 "activationBytes": 1000}],
            "devices": [{"name": "left", "type": "t", "memoryBytes": 12000},
                        {"name": "right", "type": "t", "memoryBytes": 11000}],
            "costs": {"t": {"forwardSeconds": [0.25, 0.5], "backwardSeconds": [0.75, 1.0]}},
            "bandwidthBitsPerSecond": 1000000},
        PROFILE: "\n".join([*(f"# {key}: {value}" for key, value in header.items()),
                            "layer,operator,forwardSeconds,backwardSeconds", *rows, ""]),
    }
    shutil.copytree(ROOT / "traces" / "links", folder / "links")
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, str) else json.dumps(content, indent=1)
        (folder / name).write_text(text)
    (folder / "devices").mkdir()
    for name in ("jetson-orin-nano", "raspberry-pi-5"):
        shutil.copy(ROOT / "traces" / "devices" / f"{name}.json", folder / "devices")


def last_of_each(options):
    """The options without those that a later one of the same name replaces."""
    return list({os.fsdecode(option).split("=")[0]: option for option in options}.values())


class Program(InFolder):
    """Runs programs in an empty folder, on inputs that a test may break."""

    FRESH = 2  # runs of a program that a test starts anew before the others are forks

    def setUp(self):
        super().setUp()
        self.inputs = self.folder / "inputs"
        self.folder = self.folder / "work"
        self.folder.mkdir()
        self.runs, self.served = collections.Counter(), {}
        self.start_afresh()

    def start_afresh(self):
        shutil.rmtree(self.inputs, ignore_errors=True)
        self.inputs.mkdir()
        for path in self.folder.iterdir():
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        write_inputs(self.inputs)

    @contextlib.contextmanager
    def case(self, sentence):
        """A subtest on fresh inputs."""
        with self.subTest(sentence):
            self.start_afresh()
            yield

    def run_program(self, program, *options, repeats=False, fresh=False):
        """repeats: whether to pass on options given twice; else the later ones count. fresh: whether a study loads all
        itself, with hashes of its own."""
        words = options if repeats else last_of_each(options)
        # Progress says how long things take.
        environment = {**os.environ, "EDGEPIPE_TRACES": str(self.inputs), "EDGEPIPE_PROGRESS": "off"}
        command = command_of(program)
        if command[0] == sys.executable and not fresh:
            return forked.run(*command, *words, folder=self.folder, environment=environment, modules=forked.PICTURES)
        self.runs[program] += 1
        if self.runs[program] > self.FRESH and all(isinstance(word, str) for word in words):
            if program not in self.served:
                self.served[program] = Served(command, self.folder, environment)
                self.addCleanup(self.served[program].close)
            return self.served[program].run(words, LIMIT)
        result = subprocess.run([*command, *words], cwd=self.folder, stdin=subprocess.DEVNULL, env=environment,
                                capture_output=True, timeout=LIMIT)
        result.stdout, result.stderr = (stream.decode(errors="replace")
                                        for stream in (result.stdout, result.stderr))
        return result

    def train(self, *options, status=0):
        return self.ended(self.run_program("pipeline-training", *SMALL, *options), status)

    def refuse_each(self, cases, program, *given):
        """cases: options that it refuses beside those given, and words of its one line."""
        for options, words in cases:
            with self.case(" ".join(options)):
                self.assert_refused(self.run_program(program, *given, *options), words)

    def edit(self, name, change):
        path = self.inputs / name
        before = path.read_text()
        after = change(before)
        self.assertNotEqual(before, after, f"{name}: the edit changes nothing")
        path.write_text(after)

    def assert_refused(self, result, words, before=()):
        """One line that says what is wrong, the status for it, and nothing left behind.

        before: what was there.
        """
        self.assert_one_line(result, *words)
        self.assertEqual(list(self.folder.rglob("*")), list(before))

    def check_fields(self, name, program, *options):
        """No number of a file may be negative or a word, and no word a list; two of each list's values are tried."""
        for place, value in list(list_places(json.loads((self.inputs / name).read_text()))):
            if any(type(key) is int and key > 1 for key in place):
                continue
            for wrong in ((-1, "x") if type(value) in (int, float) else [[]] if isinstance(value, str) else ()):
                with self.case(f"{name}: {place}: {wrong}"):
                    self.edit(name, put(wrong, *place))
                    field = [key for key in place if isinstance(key, str)][-1]
                    self.assert_refused(self.run_program(program, *options), [name, field])

    def check_mutated(self, name, program, *options, count, planners=("even",)):
        path = self.inputs / name
        refused = 0
        for seed in range(count):
            with self.case(f"{name}, seed {seed}"):
                draw = random.Random(f"{name} {seed}")
                if name.endswith(".json") and seed % 2:
                    path.write_text(mutate_value(path.read_text(), draw))
                else:
                    path.write_bytes(mutate_byte(path.read_bytes(), draw))
                result = self.run_program(program, *options, f"--planner={draw.choice(planners)}")
                if result.returncode == 2:
                    self.assert_refused(result, [f"{program}: "])
                    refused += 1
                elif result.returncode == 3:
                    self.assertIn(": stalled", result.stderr)
                else:
                    self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertGreater(refused, count // 4)
        self.assertLess(refused, count)


def replace(old, new):
    return lambda text: text.replace(old, new, 1)


def change_json(change):
    """An edit of a file's JSON by a function that changes the parsed value in place."""
    def edit(text):
        value = json.loads(text)
        change(value)
        return json.dumps(value)
    return edit


def without(*path):
    def change(value):
        for key in path[:-1]:
            value = value[key]
        del value[path[-1]]
    return change_json(change)


def put(value, *path):
    def change(at):
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] = value
    return change_json(change)


def half(text):
    return text[:len(text) // 2]


def list_places(value, place=()):
    """The place of every value inside a JSON value, as a tuple of keys and indices, and the value."""
    children = (value.items() if isinstance(value, dict)
                else enumerate(value) if isinstance(value, list) else ())
    for key, child in children:
        yield (*place, key), child
        yield from list_places(child, (*place, key))


def mutate_value(text, draw):
    """One value somewhere in a JSON file replaced or removed."""
    place, _ = draw.choice(list(list_places(json.loads(text))))
    value = draw.choice((without, 0, -1, 1, 2, 0.5, 1e-300, 1e300, "", "x", "image", [], {}, None, True))
    return without(*place)(text) if value is without else put(value, *place)(text)


def mutate_byte(data, draw):
    """One byte replaced, removed or added, or the end cut off."""
    at = draw.randrange(len(data))
    kind = draw.choice(("replace", "remove", "add", "cut"))
    # Mostly what JSON and CSV are made of, since most other bytes end at the first check.
    byte = bytes([draw.randrange(256)]) if draw.random() < 0.2 else draw.choice(
        [bytes([one]) for one in b'0123456789-+.eE,:"[]{}#\n nul'])
    rest = b"" if kind == "cut" else data[at if kind == "add" else at + 1:]
    return data[:at] + (byte if kind in ("replace", "add") else b"") + rest
