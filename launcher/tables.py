# SPDX-License-Identifier: GPL-2.0-only
"""Scenarios that put a paper's figures beside ours: they write raw results, a script makes tables."""

import os
import subprocess
import sys

from launcher.packages import TABLE_PACKAGES
from launcher.steps import ROOT, LauncherError, become, release_build


def table_script(name):
    return ROOT / "analysis" / "papers" / f"{name.replace('-', '_')}.py"


def table_packages(name):
    """What a scenario's tables need; nothing for most scenarios."""
    return TABLE_PACKAGES if table_script(name).is_file() else []


def run_scenario(name, command, directory, results, arguments):
    """Becomes the command; if its tables are made by a script, runs both and ends with the command's
    exit status. Results lie where the option --out says, from the folder `results`."""
    script = table_script(name)
    if not script.is_file():
        become(command, directory)
    outs = [word.partition("=")[2] for word in arguments if word.lstrip("-").startswith("out=")]
    out = outs[-1] if outs else f"results/{name}"

    def stamp():  # --help and a refusal leave the folder as it was
        run = results / out / "run.json"
        return run.stat().st_mtime_ns if run.is_file() else None

    os.environ.setdefault("EDGEPIPE_TRACES", str(ROOT / "traces"))
    before = stamp()
    sys.stdout.flush()
    release_build()
    try:
        status = subprocess.run(command, cwd=directory).returncode
        if stamp() != before:
            tables = subprocess.run([script, out], cwd=results)
            status = status or tables.returncode
    except OSError as error:
        raise LauncherError(f"cannot run {error.filename}: {error.strerror}") from None
    sys.exit(128 - status if status < 0 else status)
