# SPDX-License-Identifier: GPL-2.0-only
"""Where sources and programs are; analysis/ is on the path of whoever imports this."""

import csv
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import forked

ROOT = Path(os.environ.get("EDGEPIPE_ROOT", Path(__file__).resolve().parent.parent))
BIN = Path(os.environ.get("EDGEPIPE_BIN_DIR", ROOT / "build" / "bin"))
ANALYSIS = ROOT / "analysis"
sys.path[:0] = [str(ANALYSIS), str(ANALYSIS / "papers")]
REAL_TRACES = {**os.environ, "EDGEPIPE_TRACES": str(ROOT / "traces"), "EDGEPIPE_PROGRESS": "off"}


def python_with(*modules):
    """A Python that has these modules: this one or Debian's; None if neither."""
    for python in (sys.executable, "/usr/bin/python3"):
        if Path(python).exists() and subprocess.run(
                [python, "-c", "import " + ", ".join(modules)], capture_output=True).returncode == 0:
            return python
    return None


class InFolder(unittest.TestCase):
    """Tests of which each has an empty folder."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name).resolve()

    def start(self, *command, **environment):
        """A command that has ended, in the folder, with the real traces; of scripts only those without an environment
        of their own are forks."""
        command, variables = [str(word) for word in command], {**REAL_TRACES, **environment}
        if command[0] == sys.executable and command[1].startswith(f"{ANALYSIS}/") and not environment:
            return forked.run(*command, folder=self.folder, environment=variables, modules=forked.PICTURES)
        return subprocess.run(command, cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              env=variables)

    def ended(self, run, status=0, stderr=None):
        """A run that ended with this status, and has said this if it is given."""
        self.assertEqual(run.returncode, status, run.stderr)
        if stderr is not None:
            self.assertEqual(run.stderr, stderr)
        return run

    def read_csv(self, out, name):
        with open(self.folder / out / name, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def assert_one_line(self, run, *words, status=2):
        """A program that ended with nothing but one line, which holds these words."""
        self.assertEqual((run.returncode, run.stdout), (status, ""), run.stderr)
        self.assertEqual(run.stderr.count("\n"), 1, run.stderr)
        for word in words:
            self.assertIn(word, run.stderr)
