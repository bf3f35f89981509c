#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draw a run of data-parallel.

It writes data-parallel.png: weight update and iteration, means of each 100 updates, by strategy,
and the shares of every worker over the updates under one strategy.
"""

from edgepipe.looks import looks
from edgepipe.pictures import (InputError, Parser, add_folders, add_format, add_look, find_folders,
                               load_matplotlib, save_all, start)
from edgepipe.tables import read_table

STRETCHES = {"shares": str, "firstUpdate": float, "weightUpdateSeconds": float,
             "iterationSeconds": float}
SHARES = {"shares": str, "firstUpdate": float, "worker": str, "samples": int}


def main():
    options = parse_options()
    folder, out = find_folders(options)
    stretches = read_table(folder / "stretches.csv", STRETCHES)
    shares = read_table(folder / "shares.csv", SHARES, {"firstUpdate"})
    strategy = options.shares or stretches[0]["shares"]
    # Shares that no update used have no first update.
    shares = [row for row in shares
              if row["shares"] == strategy and row["firstUpdate"] is not None]
    if not shares:
        raise InputError(f'{folder / "shares.csv"}: no shares of "{strategy}"')
    load_matplotlib(options.font_size)
    save_all({"data-parallel": lambda: draw(stretches, shares, strategy, options)}, out,
             options.format, options.dpi)


def draw(stretches, shares, strategy, options):
    import matplotlib.pyplot as plt
    figure, axes = plt.subplots(1, 3, figsize=(options.width, options.width * 0.36))
    strategies = list(dict.fromkeys(row["shares"] for row in stretches))
    for axis, column, what in ((axes[0], "weightUpdateSeconds", "weight update (ms)"),
                               (axes[1], "iterationSeconds", "iteration (ms)")):
        for name, (colour, marker) in looks(strategies).items():
            own = [row for row in stretches if row["shares"] == name]
            axis.plot([row["firstUpdate"] for row in own], [1e3 * row[column] for row in own],
                      color=colour, marker=marker, markersize=3, linewidth=0.8, label=name)
        axis.set_ylabel(f"{what}, mean of 100")
        axis.set_ylim(0, 1.08 * max(axis.get_ylim()[1], 1e-9))
    last = max(row["firstUpdate"] for row in stretches)
    workers = list(dict.fromkeys(row["worker"] for row in shares))
    for worker in workers:
        own = [row for row in shares if row["worker"] == worker]
        updates = [row["firstUpdate"] for row in own]
        samples = [row["samples"] for row in own]
        end = max(last, updates[-1])
        axes[2].step([*updates, end], [*samples, samples[-1]], where="post", linewidth=0.8,
                     label=worker)
    axes[2].set_ylabel(f"share under {strategy} (samples)")
    axes[2].set_ylim(0, 1.08 * axes[2].get_ylim()[1])
    for axis in axes:
        axis.set_xlabel("update")
    # Below the axes, where no curve is.
    figure.tight_layout(rect=(0, 0.16, 1, 1))
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", bbox_to_anchor=(0.33, 0), ncol=5,
                  frameon=False)
    if len(workers) <= 10:
        handles, labels = axes[2].get_legend_handles_labels()
        figure.legend(handles, labels, loc="lower center", bbox_to_anchor=(0.83, 0),
                      ncol=2 if len(workers) <= 6 else 3, frameon=False, fontsize="small")
    return figure


def parse_options():
    parser = Parser(__doc__)
    add = parser.add_argument
    add_folders(parser, "results/data-parallel", "picture goes")
    add("--shares", metavar="NAME", help="whose shares to draw (default: the first strategy)")
    add_format(parser, "picture")
    add_look(parser, 9, what="picture")
    return parser.parse_args()


if __name__ == "__main__":
    start(main)
