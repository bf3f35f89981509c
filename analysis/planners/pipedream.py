#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""PipeDream's dynamic programme, which assumes identical workers, without replicas.

D. Narayanan, A. Harlap, A. Phanishayee, V. Seshadri, N. R. Devanur, G. R. Ganger, P. B. Gibbons,
M. Zaharia, "PipeDream: Generalized Pipeline Parallelism for DNN Training", SOSP 2019, section 3.1:
A(j, m) = min over i of max(A(i, m - 1), 2 a_i / B, T(i + 1, j)), the slowest of stages and transfers,
over prefixes of the layers and numbers of workers. T is profiled on one worker, here the first device,
and B is the link from one device to the next; stages go to the devices in their order. Our plans have no
replicas of a stage, so m' is 1.
"""

from edgepipe import planner
from edgepipe.chains import Chain


@planner
def pipedream(problem):
    chain = Chain(problem)
    layers, workers = len(problem.layers), len(problem.devices)
    best = {(0, 0): (0.0, None)}  # (layers, workers): slowest, and where the last stage begins
    for worker in range(min(workers, layers)):
        for first in [end for end, used in list(best) if used == worker]:
            for end in range(first + 1, layers + 1):
                if not chain.fits(worker, first, end):
                    break
                slowest = max(best[first, worker][0], chain.transfer(worker - 1, worker, first),
                              chain.stage(0, first, end))
                if slowest < best.get((end, worker + 1), (float("inf"),))[0]:
                    best[end, worker + 1] = slowest, first
    ends = [used for end, used in best if end == layers]
    if not ends:
        raise ValueError("no partition fits the memory of the devices in their order")
    used = min(ends, key=lambda count: (best[layers, count][0], count))
    stages, end = [], layers
    while used:
        first = best[end, used][1]
        used -= 1
        stages.insert(0, (used, first, end - 1))
        end = first
    return problem.plan(stages)
