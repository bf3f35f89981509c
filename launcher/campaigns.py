# SPDX-License-Identifier: GPL-2.0-only
"""Campaigns: installs and builds what a study needs before analysis/campaign.py takes over."""

import json
import os
import sys
from pathlib import Path

from launcher.packages import CAMPAIGN_PACKAGES, REPORT_PACKAGES, RUN_PACKAGES, install_packages
from launcher.standalone import build, prepare
from launcher.steps import ROOT, become


def read_study(words):
    """The scenario and engine of the study named in the words; None where missing, which campaign.py then
    reports."""
    for word in words:
        if word.startswith("-"):
            continue
        try:
            study = json.loads(Path(word).read_text(encoding="utf-8"))
            engine = study.get("engine", "local")
            return study.get("scenario"), next(iter(engine)) if isinstance(engine, dict) else engine
        except (OSError, ValueError, AttributeError, StopIteration):
            pass
    return None, None


def run_campaign(words, scenarios):
    scenario, engine = read_study(words[1:])
    if words[:1] == ["report"]:
        install_packages(REPORT_PACKAGES)
    elif words[:1] in (["run"], ["rerun"]) and scenario in scenarios:
        prepare(RUN_PACKAGES + CAMPAIGN_PACKAGES.get(str(engine), []))
        build(os.cpu_count(), scenario)
    os.environ.setdefault("EDGEPIPE_TRACES", str(ROOT / "traces"))
    become([sys.executable, str(ROOT / "analysis" / "campaign.py"), *words], os.getcwd())
