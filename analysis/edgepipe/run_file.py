# SPDX-License-Identifier: GPL-2.0-only
"""run.json: which scenario a folder of results is of, and which script draws it."""

import json
from pathlib import Path

from edgepipe.pictures import InputError

DRAWN_BY = {
    "actor-learner": "actor_learner.py",
    "adaptive-training": "adaptive_training.py",
    "bandwidth-variation": "cooperative.py",
    "bno-table": "bno_table.py",
    "coknight-figures": "coknight_figures.py",
    "cooperative-inference": "cooperative.py",
    "data-parallel": "data_parallel.py",
    "dgpas-testbed": "dgpas_testbed.py",
    "fidelity": "fidelity.py",
    "pipeline-training": "timeline.py",
    "qdmp-tables": "qdmp_tables.py",
    "quickstart": "timeline.py",
    "scalability": "scalability.py",
    "trace-replay": "cooperative.py",
    "train-planner": "reward_curves.py",
}


def read_run(path):
    try:
        run = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise InputError(f"{path}: expected JSON: {error}") from None
    if not isinstance(run, dict):
        raise InputError(f"{path}: expected an object")
    return run


def check_scenario(folder, script):
    """Refuses the results of a scenario that another script draws.

    script: the path of the one that asks.
    A folder without a run.json is left to those who read its tables.
    """
    path = folder / "run.json"
    if not path.exists():
        return
    scenario = read_run(path).get("scenario")
    other = DRAWN_BY.get(scenario) if isinstance(scenario, str) else None
    script = Path(script).name
    if other and other != script:
        mine = ", ".join(name for name, by in DRAWN_BY.items() if by == script)
        raise InputError(f"{folder}: found results of {scenario}, expected those of {mine}; "
                         f"analysis/{other} draws {scenario}")


def describe(folder, form):
    """A title: form with the options of the run in it; empty if the folder has no run.json."""
    path = folder / "run.json"
    if not path.exists():
        return ""
    options = read_run(path).get("options")
    try:
        return form.format_map(options)
    except (KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{path}: options: {error} is missing") from None
