#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Every actor runs all layers itself, as our planner `all-local`: IMPALA (Espeholt et al., ICML 2018)."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from edgepipe import planner  # noqa: E402


@planner
def all_local(problem):
    return problem.plan([len(problem.layer_flop)] * len(problem.actors))
