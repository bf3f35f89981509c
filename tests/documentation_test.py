# SPDX-License-Identifier: GPL-2.0-only
"""The documentation becomes HTML without a warning, and every page is reached."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(os.environ.get("EDGEPIPE_ROOT", Path(__file__).resolve().parent.parent))
DOC = ROOT / "contrib" / "edgepipe" / "doc"


class DocumentationTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = Path(folder.name)

    def run_in_root(self, *words):
        result = subprocess.run(list(map(str, words)), cwd=ROOT, capture_output=True, text=True,
                                env={**os.environ, "EDGEPIPE_DOCS": str(self.out)})
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    @unittest.skipUnless(shutil.which("sphinx-build"), "needs the package python3-sphinx")
    def test_pages(self):
        self.run_in_root("sphinx-build", "-q", "-n", "-W", "--keep-going", "-d", self.out / "doctrees",
                         DOC, self.out / "html")
        index = (self.out / "html" / "index.html").read_text()
        for page in DOC.glob("*.rst"):
            self.assertIn(f'href="{page.stem}.html"' if page.stem != "index" else 'href="api/', index)

    @unittest.skipUnless(shutil.which("doxygen"), "needs the package doxygen")
    def test_api(self):
        self.run_in_root("doxygen", DOC / "Doxyfile")
        names = {path.name for path in (self.out / "api").iterdir()}
        self.assertIn("classns3_1_1edgepipe_1_1PipelinePlanner.html", names)


if __name__ == "__main__":
    unittest.main()
