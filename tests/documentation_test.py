# SPDX-License-Identifier: GPL-2.0-only
"""./ns3 docs makes HTML of the documentation without a warning, and every page is reached."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(os.environ.get("EDGEPIPE_ROOT", Path(__file__).resolve().parent.parent))


@unittest.skipUnless(shutil.which("sphinx-build") and shutil.which("doxygen"),
                     "needs the packages doxygen and python3-sphinx")
class DocumentationTest(unittest.TestCase):
    """A checkout of its own, without what was made before."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve()
        shutil.copy(ROOT / "ns3", self.root)
        for name in ("launcher", "contrib/edgepipe"):
            shutil.copytree(ROOT / name, self.root / name)
        self.doc = self.root / "contrib" / "edgepipe" / "doc"

    def make(self):
        return subprocess.run([self.root / "ns3", "docs"], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True)

    def test_pages_and_api(self):
        made = self.make()
        self.assertEqual(made.returncode, 0, made.stderr)
        html = self.root / "build" / "docs" / "html"
        index = (html / "index.html").read_text()
        for page in self.doc.glob("*.rst"):
            self.assertIn(f'href="{page.stem}.html"' if page.stem != "index" else 'href="api/', index)
        self.assertTrue((html / "api" / "classns3_1_1edgepipe_1_1PipelinePlanner.html").exists())

    def test_a_warning_is_an_error_every_time(self):
        for page in self.doc.glob("*.rst"):
            page.unlink()
        (self.doc / "index.rst").write_text("**bold without an end\n")
        for _ in range(2):
            made = self.make()
            self.assertEqual(made.returncode, 1)
            self.assertIn("index.rst:1: WARNING", made.stderr)


if __name__ == "__main__":
    unittest.main()
