# SPDX-License-Identifier: GPL-2.0-only
"""Chooses a Python interpreter that has the modules a program needs."""

import importlib
import os
import sys

DEBIAN_PYTHON = "/usr/bin/python3"  # has Debian's packages, unlike another one first in PATH


def need(*modules):
    """Unless these modules are there, restarts the program with Debian's Python, or ends it with a message."""
    missing = []
    for name in modules:
        try:
            importlib.import_module(name)
        except ImportError:
            missing.append(name)
    if not missing:
        return
    if sys.executable != DEBIAN_PYTHON and os.access(DEBIAN_PYTHON, os.X_OK):
        sys.stdout.flush()
        os.execv(DEBIAN_PYTHON, [DEBIAN_PYTHON, *sys.orig_argv[1:]])
    sys.exit(f"{os.path.basename(sys.argv[0])}: {sys.executable} has no {' and no '.join(missing)}: apt install "
             + " ".join(f"python3-{name}" for name in missing))
