#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The same number of layers for every device, in their order, like our planner `even`."""

from edgepipe import planner


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
