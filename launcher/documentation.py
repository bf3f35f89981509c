# SPDX-License-Identifier: GPL-2.0-only
"""The HTML documentation: pages by Sphinx, API reference by Doxygen; warnings are errors.

Pages ask the scenarios for their options and attributes: those in $EDGEPIPE_BIN_DIR, or else those in the
build folder, which are built first.
"""

import os

from launcher.packages import DOC_PACKAGES, RUN_PACKAGES, install_packages
from launcher.standalone import ninja, prepare
from launcher.steps import BUILD, ROOT, say, step

DOC = ROOT / "contrib" / "edgepipe" / "doc"


def make_documentation(scenarios):
    install_packages(DOC_PACKAGES)
    if "EDGEPIPE_BIN_DIR" not in os.environ:
        prepare(RUN_PACKAGES)
        step("building the scenarios", ninja(os.cpu_count(), *scenarios))
    out = BUILD / "docs"
    out.mkdir(parents=True, exist_ok=True)
    step("making pages", ["sphinx-build", "-q", "-E", "-n", "-W", "--keep-going", "-d", out / "doctrees",
                          DOC, out / "html"])
    step("making the API", ["doxygen", DOC / "Doxyfile"], cwd=ROOT,
         env={**os.environ, "EDGEPIPE_DOCS": str(out / "html")})
    say(f"{out.relative_to(ROOT)}/html/index.html")
