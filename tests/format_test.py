# SPDX-License-Identifier: GPL-2.0-only
"""C++ is as .clang-format has it; another version would want other lines."""

import shutil
import subprocess
import unittest

from places import ROOT


class Format(unittest.TestCase):
    @unittest.skipUnless(shutil.which("clang-format-14"), "needs the package clang-format, 14")
    def test_sources_are_formatted(self):
        sources = [path for folder in ("contrib", "scenarios", "tests") for path in (ROOT / folder).rglob("*")
                   if path.suffix in (".cc", ".h")]
        self.assertGreater(len(sources), 500)
        said = subprocess.run(["clang-format-14", "--dry-run", "-Werror", *sources], capture_output=True, text=True)
        self.assertEqual(said.stderr, "")
