#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Every actor runs all layers itself, like our planner `all-local`: IMPALA (Espeholt et al., ICML 2018)."""

from edgepipe import planner


@planner
def all_local(problem):
    return problem.plan([len(problem.layer_flop)] * len(problem.actors))
