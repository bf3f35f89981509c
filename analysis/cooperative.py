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
from edgepipe.pictures import (Parser, add_folders, add_format, add_look, find_folders,
                               load_matplotlib, save_all, start)
from edgepipe.run_file import check_scenario


def main():
    options = parse_options()
    folder, out = find_folders(options)
    check_scenario(folder, __file__)
    if is_variation(folder):
        rows = read_variation(folder)
        pictures = {"variation": lambda: draw_variation(rows, options)}
    else:
        run = read_run(folder)
        pictures = {"latency": lambda: draw_latency(run, options),
                    "timeline": lambda: draw_timeline(run, options)}
    load_matplotlib(options.font_size)
    save_all(pictures, out, options.format, options.dpi)


def parse_options():
    parser = Parser(__doc__)
    add = parser.add_argument
    add_folders(parser, "results/trace-replay")
    add_format(parser)
    add("--device", metavar="NAME",
        help="timeline: which end device (default: the first of plans.csv)")
    add_look(parser, 9)
    return parser.parse_args()


if __name__ == "__main__":
    start(main)
