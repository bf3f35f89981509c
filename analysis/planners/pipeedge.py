#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""PipeEdge's dynamic programme: minimises the time of the slowest stage or transfer.

Y. Hu, C. Imes, X. Zhao, S. Kundu, P. A. Beerel, S. P. Crago, J. P. Walters, "PipeEdge: Pipeline
Parallelism for Large-Scale Model Inference on Heterogeneous Edge Devices", DSD 2022, section IV: over
prefixes of the layers and subsets of the devices, with devices of one type interchangeable, within each
device's memory. Theirs is for inference; here a stage takes its forward and its backward pass, and a
transfer carries activations and gradients.
"""

from edgepipe import planner
from edgepipe.chains import best_chain


@planner
def pipeedge(problem):
    return problem.plan(best_chain(problem, max))
