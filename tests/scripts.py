# SPDX-License-Identifier: GPL-2.0-only
"""Runs the programs of analysis/ on files made by hand."""

import importlib.util
import os
import subprocess
import sys
import unittest
import unittest.mock

import forked
from places import ANALYSIS, InFolder

NEEDS_MATPLOTLIB = unittest.skipUnless(
    importlib.util.find_spec("matplotlib"), f"{sys.executable} has no matplotlib (package python3-matplotlib)")
NEEDS_PANDAS = unittest.skipUnless(
    all(map(importlib.util.find_spec, ("pandas", "scipy"))), "needs python3-pandas, python3-scipy")


def named(pid, name):
    return {"ph": "M", "name": "process_name", "pid": pid, "args": {"name": name}}


def span(pid, category, kind, start, end, iteration=0, micro_batch=None):
    """A complete event; start and end in milliseconds."""
    args = {"iteration": iteration}
    if micro_batch is not None:
        args["microBatch"] = micro_batch
    return {"ph": "X", "cat": category, "name": kind, "pid": pid, "tid": 0,
            "ts": 1000 * start, "dur": 1000 * (end - start), "args": args}


def two_stages(case="even", pid=100000, shift=0, iteration=0):
    """Two devices and two micro-batches, 100 ms from the first message to the last.

    a: forward 5-15, 15-25, backward 60-70, 80-90, update 90-95
    b: forward 20-30, 30-40, backward 40-50, 60-70
    """
    a, b = pid, pid + 1
    events = [
        (a, "transfer", "start", 0, 1), (a, "transfer", "start", 0, 2),
        (a, "task", "forward", 5, 15, 0), (a, "task", "forward", 15, 25, 1),
        (a, "transfer", "activations", 15, 20, 0), (a, "transfer", "activations", 25, 30, 1),
        (b, "task", "forward", 20, 30, 0), (b, "task", "forward", 30, 40, 1),
        (b, "task", "backward", 40, 50, 0), (b, "task", "backward", 60, 70, 1),
        (b, "transfer", "gradients", 50, 60, 0), (b, "transfer", "gradients", 70, 80, 1),
        (a, "task", "backward", 60, 70, 0), (a, "task", "backward", 80, 90, 1),
        (a, "task", "update", 90, 95),
        (b, "transfer", "done", 71, 72), (a, "transfer", "done", 95, 100),
    ]
    names = [named(a, f"{case} / a"), named(b, f"{case} / b")]
    return names + [
        span(pid, category, kind, start + shift, end + shift, iteration, *micro_batch)
        for pid, category, kind, start, end, *micro_batch in events
    ]


class ScriptTest(InFolder):
    script = None

    def run_script(self, *words, environment=None):
        """environment: variables of a process that loads everything itself."""
        command = [sys.executable, str(ANALYSIS / self.script), *map(str, words)]
        if environment is None:
            return forked.run(*command, folder=self.folder, modules=forked.PICTURES)
        return subprocess.run(
            command, capture_output=True, text=True, cwd=self.folder,
            env={**os.environ, "MPLCONFIGDIR": str(self.folder / "config"), **environment})

    def draw_twice(self, *words):
        """The second run, whose pictures have the same bytes as those of the first."""
        contents = []
        for environment in (None, {}):
            run = self.ended(self.run_script(*words, environment=environment), stderr="")
            contents.append([(self.folder / name).read_bytes() for name in run.stdout.split()])
        self.assertTrue(contents[0] == contents[1] != [], run.stdout)
        return run

    def refuse(self, words, expected, *arguments):
        run = self.run_script(*arguments)
        with self.subTest(words):
            self.assert_one_line(run, f"{self.script}: ", expected)


def load(name):
    spec = importlib.util.spec_from_file_location(name, ANALYSIS / f"papers/{name}.py")
    module = importlib.util.module_from_spec(spec)
    with unittest.mock.patch.object(sys, "path", [str(ANALYSIS / "papers"), *sys.path]):
        spec.loader.exec_module(module)
    return module


def make_tables(script, folder):
    return forked.run(sys.executable, ANALYSIS / f"papers/{script}.py", folder, modules=forked.PICTURES)
