# SPDX-License-Identifier: GPL-2.0-only
"""run.json: the scenario of a folder of results, and the script that draws it."""

import json
from pathlib import Path

from edgepipe.pictures import InputError

DRAWN_BY = {
    **{name: f"{name.replace('-', '_')}.py" for name in (
        "actor-learner", "adaptive-training", "data-parallel", "fidelity", "scalability", "validation")},
    **{name: f"{name.split('-')[0]}_pictures.py" for name in (
        "bno-table", "coknight-figures", "dgpas-testbed", "qdmp-tables")},
    **dict.fromkeys(("bandwidth-variation", "cooperative-inference", "trace-replay"), "cooperative.py"),
    **dict.fromkeys(("pipeline-training", "quickstart"), "timeline.py"),
    "train-planner": "reward_curves.py"}


def read_json(path, **options):
    """Content of a JSON file; options: of json.loads."""
    try:
        return json.loads(path.read_text(encoding="utf-8"), **options)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    except json.JSONDecodeError as error:
        raise InputError(f"{path}: line {error.lineno}, column {error.colno}: {error.msg}; "
                         "expected JSON") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: {error}; expected JSON") from None


def read_run(path):
    run = read_json(path)
    if not isinstance(run, dict):
        raise InputError(f"{path}: expected an object")
    return run


def unlike_stacks(costs):
    """A line that names the device types of each kind of stack; empty if all have one kind. costs: of run.json."""
    types = {}
    for device, cost in sorted(costs.items()):
        types.setdefault(cost.get("stack") or "of a kind that its file does not tell", []).append(device)
    return "unlike stacks, so devices differ by software too: " + "; ".join(
        f"{', '.join(names)} {stack}" for stack, names in sorted(types.items())) if len(types) > 1 else ""


def check_scenario(folder, script):
    """Refuses the results of a scenario that another script draws or makes; script: path of this one."""
    path = folder / "run.json"
    if not path.exists():
        return
    scenario = read_run(path).get("scenario")
    other = DRAWN_BY.get(scenario) if isinstance(scenario, str) else None
    script = Path(script).name
    if other and script not in (other, f"{scenario.replace('-', '_')}.py"):
        mine = ", ".join(name for name, by in DRAWN_BY.items() if by == script)
        raise InputError(f"{folder}: found results of {scenario}, expected those of {mine}; "
                         f"analysis/{other} draws {scenario}")


def describe(folder, form):
    """A title: form, filled in with the run's options; empty if the folder has no run.json."""
    path = folder / "run.json"
    if not path.exists():
        return ""
    options = read_run(path).get("options")
    try:
        return form.format_map({name: Path(value).stem if value.endswith(".json") else value
                                for name, value in options.items()})
    except (KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{path}: options: {error} is missing") from None
