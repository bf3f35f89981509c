#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The same number of samples for every node, like our planner `equal`."""

from edgepipe import planner


@planner
def equal(problem):
    share, more = divmod(problem.base_batch, len(problem.nodes))
    return problem.plan([share + (rank < more) for rank in range(len(problem.nodes))])
