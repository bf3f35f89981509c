#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Layers in proportion to memory, as exo deals them out.

exo (https://github.com/exo-explore/exo), its ring memory weighted partitioning: devices in a ring, the
one with most memory first, each with a share of the layers as large as its share of all memory. Neither
speeds nor the network are looked at.
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
        end = round(layers * share / total)  # layers that it and those before it hold
        if end > first:
            stages.append((device, first, end - 1))
            first = end
    return problem.plan(stages)
