#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draw a run of bno-table.

It writes weight-update.png, the mean weight update time of each 100 updates by strategy, as figures 3 to
6 of the BNO paper, for one cluster and condition; and comparison.png, as figure 7: mean times of weight
updates and iterations relative to equal shares, in every setting.
"""

from edgepipe.axes import legend_below, plain_numbers
from edgepipe.drawing import draw_results
from edgepipe.looks import looks
from edgepipe.pictures import InputError, start
from edgepipe.tables import columns, read_table, unique

RESULTS = columns("cluster condition model planner status",
                  "weightUpdateSeconds iterationSeconds samplesPerSecond")
STRETCHES = columns("cluster condition model planner", "firstUpdate weightUpdateSeconds")


def make(folder, options):
    results = read_table(folder / "results.csv", RESULTS)
    stretches = read_table(folder / "stretches.csv", STRETCHES)
    cluster = options.cluster or results[0]["cluster"]
    wanted = cluster, options.condition
    stretches = [row for row in stretches if (row["cluster"], row["condition"]) == wanted]
    if not stretches:
        raise InputError(f"{folder / 'stretches.csv'}: no row of cluster {cluster}, condition "
                         f"{options.condition}")
    pictures = {"weight-update": lambda: draw_updates(stretches, options)}
    strategies = unique(row["planner"] for row in results)
    if "equal" in strategies and len(strategies) > 1:
        pictures["comparison"] = lambda: draw_comparison(results, options)
    else:
        print("bno_pictures.py: no comparison: it takes equal shares and others, found "
              + ", ".join(strategies))
    return pictures


def draw_updates(rows, options):
    import matplotlib.pyplot as plt
    models = unique(row["model"] for row in rows)
    colours = looks(unique(row["planner"] for row in rows))
    figure, axes = plt.subplots(1, len(models), squeeze=False,
                                figsize=(options.width, options.width * 0.32))
    for axis, model in zip(axes[0], models):
        for shares, (colour, marker) in colours.items():
            own = [row for row in rows if (row["model"], row["planner"]) == (model, shares)]
            axis.plot([row["firstUpdate"] for row in own],
                      [1e3 * row["weightUpdateSeconds"] for row in own],
                      color=colour, marker=marker, markersize=3, linewidth=0.8, label=shares)
        axis.set(title=model, xlabel="update", ylim=(0, 1.08 * max(axis.get_ylim()[1], 1e-9)))
    axes[0][0].set_ylabel("weight update, mean of 100 (ms)")
    figure.suptitle(f"{rows[0]['cluster']}, {rows[0]['condition']}")
    legend_below(figure, axes[0][0], 0.08, ncol=len(colours))
    return figure


def draw_comparison(rows, options):
    import matplotlib.pyplot as plt

    def key_of(row):
        return row["cluster"], row["condition"], row["model"]

    equal = {key_of(row): row for row in rows if row["planner"] == "equal"}
    settings = unique((row["cluster"], row["condition"]) for row in rows)
    colours = looks(unique(row["planner"] for row in rows))
    figure, axes = plt.subplots(2, 1, sharex=True, figsize=(options.width, options.width * 0.55))
    for axis, (column, what) in zip(axes, (("weightUpdateSeconds", "weight update"),
                                           ("iterationSeconds", "iteration"))):
        for offset, (shares, (colour, marker)) in enumerate(colours.items()):
            own = [(settings.index(key_of(row)[:2]) + 0.15 * (offset - (len(colours) - 1) / 2),
                    row[column] / equal[key_of(row)][column])
                   for row in rows
                   if row["planner"] == shares and equal.get(key_of(row), {column: 0})[column] > 0]
            axis.plot([place for place, _ in own], [ratio for _, ratio in own], linestyle="", color=colour,
                      marker=marker, markersize=4, label=shares)
        axis.axhline(1, color="#999999", linewidth=0.6)
        axis.set_yscale("log")
        low, high = axis.get_ylim()
        axis.set_ylim(low / 1.05, high * 1.05)
        # More tick labels where the axis spans less than a decade.
        plain_numbers(axis.yaxis, (1, 1.2, 1.5, 2, 3, 4, 5, 6, 8) if high < 5 * low else (1, 2, 5))
        axis.set_ylabel(f"{what}\nover equal shares'")
    axes[1].set_xticks(range(len(settings)), ["\n".join(setting) for setting in settings])
    axes[0].set_title("One mark per model")
    legend_below(figure, axes[0], 0.06, ncol=len(colours))
    return figure


def add_options(parser):
    parser.add_argument("--cluster", metavar="NAME", help="cluster in weight-update.png (default: the first)")
    parser.add_argument("--condition", metavar="NAME", default="steady",
                        help="condition in weight-update.png (default: %(default)s)")


if __name__ == "__main__":
    start(lambda: draw_results(__doc__, __file__, "results/bno-table", make, 9, least=5, add=add_options))
