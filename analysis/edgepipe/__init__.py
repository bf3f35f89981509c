# SPDX-License-Identifier: GPL-2.0-only
"""Shared code of the programs in analysis/, and the Python interface of edgepipe.

    from edgepipe import planner, problem, plan, simulate, run

`planner` turns a function from a problem to a plan into a program that scenarios ask; `problem` reads
a problem, `plan` gets a planner's plan for it, `simulate` runs the plan, `run` runs a scenario.
"""

import importlib

_HOMES = {"planner": "edgepipe.programs", "problem": "edgepipe.running", "plan": "edgepipe.running",
          "simulate": "edgepipe.running", "run": "edgepipe.running",
          "ScenarioError": "edgepipe.running"}

__all__ = list(_HOMES)


def __dir__():
    return sorted({*globals(), *__all__})


def __getattr__(name):
    """Loads modules on first use, so that planners start fast."""
    if name not in _HOMES:
        raise AttributeError(f"module edgepipe has no {name}")
    return getattr(importlib.import_module(_HOMES[name]), name)
