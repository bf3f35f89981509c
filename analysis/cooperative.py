#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draw a run of cooperative-inference, trace-replay or bandwidth-variation.

Of the first two it writes latency.png, with latency, throughput and the distribution of latency by
planner, and timeline.png, with bandwidth as it was and as it was estimated, the plan in force and
the latency of every frame. Of bandwidth-variation it writes variation.png: latency and speed-up
over bandwidth, as figure 11 of the QDMP paper.
"""

from edgepipe.cooperative_latency import draw_latency
from edgepipe.cooperative_results import is_variation, read_run, read_variation
from edgepipe.cooperative_timeline import draw_timeline
from edgepipe.cooperative_variation import draw_variation
from edgepipe.drawing import draw_results
from edgepipe.pictures import start


def make(folder, options):
    if is_variation(folder):
        rows = read_variation(folder)
        return {"variation": lambda: draw_variation(rows, options)}
    run = read_run(folder)
    return {"latency": lambda: draw_latency(run, options), "timeline": lambda: draw_timeline(run, options)}


def add_options(parser):
    parser.add_argument("--device", metavar="NAME",
                        help="timeline: which end device (default: the first of plans.csv)")


if __name__ == "__main__":
    start(lambda: draw_results(__doc__, __file__, "results/trace-replay", make, 9, add=add_options))
