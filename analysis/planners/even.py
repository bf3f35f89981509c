#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The same number of layers for every device, in their order, as our planner `even`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from edgepipe import planner  # noqa: E402


@planner
def even(problem):
    layers, devices = len(problem.layers), len(problem.devices)
    count = min(layers, devices)
    stages, first = [], 0
    for index in range(count):
        size = layers // count + (index < layers % count)
        stages.append((index, first, first + size - 1))
        first += size
    return problem.plan(stages)
