# SPDX-License-Identifier: GPL-2.0-only
"""Papers: installs and builds what their studies need before analysis/reproduce.py takes over."""

import json
import os
import subprocess
import sys

from launcher.packages import REPORT_PACKAGES, RUN_PACKAGES, TABLE_PACKAGES, install_packages
from launcher.standalone import build, prepare
from launcher.studies import programs_of, studies
from launcher.steps import ROOT, become


def reproduce(names, options):
    """Installs and builds what the papers need, and becomes the program that reproduces them.

    That program checks the options first."""
    command = [sys.executable, str(ROOT / "analysis" / "reproduce.py"), *names, *options]
    status = subprocess.run([*command, "--dry-run"], stdout=subprocess.DEVNULL).returncode
    if status:
        sys.exit(status)
    papers = json.loads((ROOT / "analysis/papers/reproduction.json").read_text(encoding="utf-8"))
    wanted = {run["scenario"] for name, paper in papers.items() if {name, "all"} & {*names}
              for run in paper["runs"]}
    known = studies()
    scenarios = sorted({program for name in wanted
                        for program in (programs_of(known[name]) if name in known else [name])})
    if scenarios:
        prepare(RUN_PACKAGES + TABLE_PACKAGES + REPORT_PACKAGES)
        build(os.cpu_count(), *scenarios)
    else:
        install_packages(TABLE_PACKAGES + REPORT_PACKAGES)
    become(command, os.getcwd())
