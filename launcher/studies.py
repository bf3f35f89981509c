# SPDX-License-Identifier: GPL-2.0-only
"""Studies that are run like scenarios: Python programs and campaign files."""

import ast
import os
import re
import sys

from launcher.campaigns import run_campaign
from launcher.packages import RUN_PACKAGES, TABLE_PACKAGES
from launcher.standalone import build, prepare
from launcher.steps import LOCK, ROOT, become

FOLDERS = ("analysis", "analysis/papers")
NEEDS = re.compile(r"^SCENARIOS = (\[[^\]]*\])", re.MULTILINE)  # what makes a program a study


def studies():
    found = {path.stem: path for path in (ROOT / "analysis/studies").glob("*.json")}
    for folder in FOLDERS:
        for path in (ROOT / folder).glob("*.py"):
            if NEEDS.search(path.read_text(encoding="utf-8")):
                found[path.stem.replace("_", "-")] = path
    return found


def programs_of(path):
    return ast.literal_eval(NEEDS.search(path.read_text(encoding="utf-8"))[1])


def run_study(name, path, arguments, directory, jobs, scenarios, no_build=False):
    if path.suffix == ".json":
        run_campaign(["run", *arguments, str(path)], [] if no_build else scenarios)
    needed = programs_of(path)
    if not no_build:
        prepare(RUN_PACKAGES + TABLE_PACKAGES * (path.parent.name == "papers" or "need(" in path.read_text(encoding="utf-8")))
        build(jobs, *needed, waits=False)
    os.environ["EDGEPIPE_LEARNING_LOCK"] = str(LOCK)
    become([sys.executable, str(ROOT / "analysis/run_study.py"), name, *arguments], directory)
