# SPDX-License-Identifier: GPL-2.0-only
"""Every command of the guide and the cookbook runs; EDGEPIPE_SKIP_SLOW=1 leaves out those of many minutes."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from manual.documentation_test import DOC, PROGRAM, read_blocks
from places import ROOT

# In the folder of a page's commands: runs what is built, and leaves results there.
LAUNCHER = """#!/bin/sh
if [ "$1" = run ]; then shift; exec {root}/ns3 run --no-build --cwd="$PWD" "$@"; fi
exec {root}/ns3 "$@"
"""


class CommandTest(unittest.TestCase):
    def test_every_command(self):
        for page in sorted(DOC.glob("guide/*.rst")):
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                for part in ("analysis", "traces"):
                    (folder / part).symlink_to(ROOT / part)
                (folder / "ns3").write_text(LAUNCHER.format(root=ROOT))
                (folder / "ns3").chmod(0o755)
                for block in read_blocks(page, "python"):
                    if named := PROGRAM.search(block.before):
                        (folder / named[1]).write_text(block.text)
                for block in read_blocks(page, "bash"):
                    self.run_block(block, folder)

    def run_block(self, block, folder):
        if "elsewhere" in block.classes or ("slow" in block.classes and os.environ.get("EDGEPIPE_SKIP_SLOW")):
            return
        for line in block.text.splitlines():
            if line.startswith("jupyter") and not shutil.which("jupyter-nbconvert"):
                continue
            with self.subTest(f"{block.page.name}: {line}"):
                made = subprocess.run(["bash", "-c", line], cwd=folder, stdin=subprocess.DEVNULL,
                                      capture_output=True, text=True,
                                      env={**os.environ, "EDGEPIPE_PROGRESS": "off"})
                expected = 3 if "fails-3" in block.classes else 0
                self.assertEqual(made.returncode, expected, made.stderr[-2000:])
