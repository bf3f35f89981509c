# SPDX-License-Identifier: GPL-2.0-only
"""The learning environments for long: a thousand episodes, and what a policy learns beside `exact`."""

import gc
import importlib.util
import os
import re
import resource
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

from places import ROOT

SCRIPT = ROOT / "analysis" / "environments" / "policy_gradient.py"
MODULES = {name: importlib.util.find_spec(name) for name in ("numpy", "torch")}


def held():
    """What this process holds: bytes of memory, threads, open files."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize(), threading.active_count(), len(os.listdir("/proc/self/fd"))


@unittest.skipUnless(MODULES["numpy"], "needs numpy")
class Episodes(unittest.TestCase):
    def test_a_thousand_grow_neither_memory_nor_files(self):
        from edgepipe.environment import PipelineEnvironment

        with tempfile.TemporaryDirectory() as folder:
            before, tempfile.tempdir = tempfile.tempdir, folder
            try:
                environment = PipelineEnvironment(model="mnist_cnn", iterations=4, link="lan",
                                                  load="slowest:0.3@0.1s", replan_threshold=0.05)
                early = None
                for number in range(1000):
                    environment.reset(seed=number)
                    terminated = False
                    while not terminated:
                        step = environment.step(environment.action_space.sample())
                        terminated = step[2]
                    del step
                    if number == 199:
                        early = held()
                self.assertLessEqual(len(list(Path(folder).glob("*/*"))), 1)  # the last results
                time.sleep(0.5)  # threads that serve see the end of their connection
                late = held()
                environment.close()
            finally:
                tempfile.tempdir = before
        print(f"bytes, threads and open files after 200 episodes {early}, after 1,000 {late}")
        self.assertLess(late[0] - early[0], 5e6)  # 800 episodes of as little as 10 kB would show
        self.assertLessEqual(late[1], early[1] + 1)
        self.assertLessEqual(late[2], early[2] + 2)


@unittest.skipUnless(all(MODULES.values()), "needs PyTorch")
class PolicyGradient(unittest.TestCase):
    def test_it_comes_near_exact_at_every_change_and_beats_exact_once(self):
        ended = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        print(ended.stdout)
        found = re.findall(r"seed (\d+): .* ([\d.]+) of anew, ([\d.]+) of once", ended.stdout)
        self.assertEqual([seed for seed, _, _ in found], list("12345"))
        for seed, anew, once in found:
            with self.subTest(seed):
                self.assertLessEqual(float(anew), 1.1)
                self.assertLess(float(once), 1)
