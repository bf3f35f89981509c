#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Every layer on the device, as our planner `edge-only`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from edgepipe import planner  # noqa: E402


@planner
def edge_only(problem):
    return problem.plan(range(len(problem.layers)))
