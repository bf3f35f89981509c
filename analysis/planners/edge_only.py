#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Every layer on the device, like our planner `edge-only`."""

from edgepipe import planner


@planner
def edge_only(problem):
    return problem.plan(range(len(problem.layers)))
