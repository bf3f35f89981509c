# SPDX-License-Identifier: GPL-2.0-only
"""What the programs of analysis/ share, and edgepipe from Python.

    from edgepipe import planner, problem, plan, simulate, run

`planner` turns a function from a problem to a plan into a program that scenarios ask; `problem` reads
a problem, `plan` has a planner plan it, `simulate` runs the plan, `run` runs a scenario.
"""

import importlib

_HOMES = {"planner": "edgepipe.programs", "problem": "edgepipe.running", "plan": "edgepipe.running",
          "simulate": "edgepipe.running", "run": "edgepipe.running",
          "ScenarioError": "edgepipe.running"}

__all__ = list(_HOMES)


def __getattr__(name):
    """Loads what is used: a planner should start fast."""
    if name not in _HOMES:
        raise AttributeError(f"module edgepipe has no {name}")
    return getattr(importlib.import_module(_HOMES[name]), name)
