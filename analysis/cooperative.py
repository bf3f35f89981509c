#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draw a run of cooperative-inference, trace-replay or bandwidth-variation.

Of the first two it writes latency.png, with latency, throughput and the distribution of latency by
planner, and timeline.png, with bandwidth as it was and as it was estimated, the plan in force and
the latency of every frame. Of bandwidth-variation it writes variation.png: latency and speed-up
over bandwidth, as figure 11 of the QDMP paper.
"""

import sys
from pathlib import Path

from edgepipe.cooperative_latency import draw_latency
from edgepipe.cooperative_results import is_variation, read_run, read_variation
from edgepipe.cooperative_timeline import draw_timeline
from edgepipe.cooperative_variation import draw_variation
from edgepipe.pictures import InputError, Parser, add_format, add_look, load_matplotlib, save_all


def main():
    options = parse_options()
    try:
        folder = Path(options.input)
        out = Path(options.out) if options.out else folder
        if is_variation(folder):
            rows = read_variation(folder)
            pictures = {"variation": lambda: draw_variation(rows, options)}
        else:
            run = read_run(folder)
            pictures = {"latency": lambda: draw_latency(run, options),
                        "timeline": lambda: draw_timeline(run, options)}
        if not out.is_dir():
            raise InputError(f'--out: found "{out}", expected a folder')
        load_matplotlib("cooperative.py", options.font_size)
        save_all(pictures, out, options.format, options.dpi)
    except InputError as error:
        print(f"cooperative.py: {error}", file=sys.stderr)
        return 2
    return 0


def parse_options():
    description, details = __doc__.split("\n\n", 1)
    parser = Parser(prog="cooperative.py", description=description, epilog=details)
    add = parser.add_argument
    add("input", nargs="?", default="results/trace-replay", metavar="FOLDER",
        help="results of a scenario (default: results/trace-replay)")
    add("-o", "--out", metavar="FOLDER", help="where the pictures go (default: with the results)")
    add_format(parser)
    add("--device", metavar="NAME",
        help="timeline: which end device (default: the first of plans.csv)")
    add_look(parser, 9)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
