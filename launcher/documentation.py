# SPDX-License-Identifier: GPL-2.0-only
"""The documentation as HTML: pages by Sphinx, the module's API by Doxygen; a warning is an error."""

import os

from launcher.packages import DOC_PACKAGES, install_packages
from launcher.steps import BUILD, ROOT, say, step

DOC = ROOT / "contrib" / "edgepipe" / "doc"


def make_documentation():
    install_packages(DOC_PACKAGES)
    out = BUILD / "docs"
    out.mkdir(parents=True, exist_ok=True)
    step("making pages", ["sphinx-build", "-q", "-E", "-n", "-W", "--keep-going", "-d", out / "doctrees",
                          DOC, out / "html"])
    step("making the API", ["doxygen", DOC / "Doxyfile"], cwd=ROOT,
         env={**os.environ, "EDGEPIPE_DOCS": str(out / "html")})
    say(f"{out.relative_to(ROOT)}/html/index.html")
