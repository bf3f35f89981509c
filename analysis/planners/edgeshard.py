#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""EdgeShard's dynamic programme for throughput, or for latency: `edgeshard.py latency`.

M. Zhang, X. Shen, J. Cao, Z. Cui, S. Jiang, "EdgeShard: Efficient LLM Inference via Collaborative Edge
Computing", IEEE Internet of Things Journal, 2025 (arXiv 2405.14371), algorithms 1 and 2: over prefixes
of the layers and subsets of the devices, the first layer on the source, here the first device. For
latency, stages and transfers add up; for throughput the slowest counts. Theirs is for inference; here
a stage takes its forward and its backward pass, and a transfer carries activations and gradients.
"""

import operator
import sys

from edgepipe import planner
from edgepipe.chains import best_chain

COMBINE = operator.add if sys.argv[1:] == ["latency"] else max


@planner
def edgeshard(problem):
    return problem.plan(best_chain(problem, COMBINE, source=0))
