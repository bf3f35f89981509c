# SPDX-License-Identifier: GPL-2.0-only
"""Runs of a program in forks of one that has started, which takes as long as most runs of tests."""

import json
import subprocess
import tempfile
import time
from pathlib import Path


class Served:
    """A program in a folder, with an environment, that has started and waits for words."""

    def __init__(self, command, folder, environment):
        self.process = subprocess.Popen([*command, "--serve=1"], cwd=folder, env=environment, stdin=subprocess.PIPE,
                                        text=True)

    def close(self):
        self.process.communicate()

    def run(self, words, seconds=600.0):
        """A run that has ended, as subprocess.run gives it."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            self.process.stdin.write(json.dumps(
                {"words": words, "folder": name, "seconds": seconds, "retries": 0}) + "\n")
            self.process.stdin.flush()
            while not (status := folder / "status").exists() or not status.read_text().endswith("\n"):
                time.sleep(0.002)
                if self.process.poll() is not None:
                    raise ChildProcessError(f"{self.process.args} ended with {self.process.returncode}")
            said = [(folder / stream).read_text(encoding="utf-8", errors="replace") for stream in ("stdout", "stderr")]
            return subprocess.CompletedProcess(words, int(status.read_text()), *said)
