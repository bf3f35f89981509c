#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Layers in proportion to memory, as in exo.

Ring memory weighted partitioning of exo (https://github.com/exo-explore/exo): devices form a ring, the one
with most memory first, and each gets a share of the layers equal to its share of all memory. Speeds and the
network are ignored.
"""

from edgepipe import planner


@planner
def capacity_proportional(problem):
    order = sorted(range(len(problem.devices)),
                   key=lambda device: -problem.devices[device].memory_bytes)
    total = sum(device.memory_bytes for device in problem.devices)
    layers = len(problem.layers)
    stages, first, share = [], 0, 0
    for device in order:
        share += problem.devices[device].memory_bytes
        end = round(layers * share / total)  # cumulative number of layers
        if end > first:
            stages.append((device, first, end - 1))
            first = end
    return problem.plan(stages)
