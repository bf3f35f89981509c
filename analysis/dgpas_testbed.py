#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draw a run of the scenario dgpas-testbed: the DGPAS paper's figures beside ours.

Writes, into the folder of the results unless told otherwise, figure10.png with the time of an
iteration by model and planner, figure11.png with the decrease of the bubble rate, figure12.png
with and without help between neighbours, and bandwidth.png with what help gains over bandwidth.
"""

import statistics

from edgepipe.axes import legend_below, tidy
from edgepipe.drawing import draw_results
from edgepipe.pictures import InputError, new_figure, start
from edgepipe.tables import columns, read_table, unique

COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999",
           "#8C6D31", "#7B4173", "#5254A3", "#637939"]
MARKERS = "osD^vP*X"
THEIR_BUBBLE_DECREASE = 0.3696  # the abstract's average
WITHOUT, IDEAL, FULL = "none", "ideal", "full"

TABLE3 = columns("model method help row", "paperSeconds oursSeconds oursHalfWidth")
OUTCOME = columns("model method help", "iterationSeconds bubbleRate", "run")
MAY_BE_EMPTY = {"row", "paperSeconds", "iterationSeconds", "bubbleRate"}


def make(folder, options):
    table3 = read_table(folder / "table3.csv", TABLE3, MAY_BE_EMPTY)
    mini = read_points(folder / "figure11.csv", "miniBatches")
    micro = read_points(folder / "micro_batches.csv", "microBatches")
    items = (read_points(folder / "items.csv", "items") if (folder / "items.csv").exists() else {})
    bandwidth = read_points(folder / "bandwidth.csv", "bitsPerSecond")
    pictures = {"figure10": lambda: draw_figure10(table3, options)}
    if mini:
        pictures["figure11"] = lambda: draw_figure11(mini, micro, items, options)
    if any(row["help"] == IDEAL for row in table3):
        pictures["figure12"] = lambda: draw_figure12(table3, options)
    if bandwidth:
        pictures["bandwidth"] = lambda: draw_bandwidth(bandwidth, options)
    return pictures


def read_points(path, condition):
    """A file of which a run may have no row: by model, method, run and condition, by help."""
    points = {}
    for row in read_table(path, {**OUTCOME, condition: float}, MAY_BE_EMPTY, least=0):
        key = row["model"], row["method"], row["run"], row[condition]
        points.setdefault(key, {})[row["help"]] = row
    for key, by_help in points.items():
        if set(by_help) != {WITHOUT, IDEAL, FULL}:
            raise InputError(f"{path}: {key[0]}, {key[1]}, run {key[2]}: expected a row for none, "
                             "ideal and full")
    return {key: by_help for key, by_help in points.items()
            if all(row["iterationSeconds"] for row in by_help.values())}


def draw_points(axes, models, columns):
    """A column of the paper's value and ours for each method, by model; on a logarithmic axis
    there is no zero that a bar could stand on. A column is a label, a colour, a marker, and by
    model theirs, ours and its half width."""
    from matplotlib.ticker import LogLocator
    width = 0.84 / len(columns)
    for index, (label, colour, marker, figures) in enumerate(columns):
        for place, model in enumerate(models):
            theirs, ours, half = figures.get(model, (None, None, None))
            at = place - 0.42 + (index + 0.5) * width
            if theirs and ours:
                axes.plot([at, at], [theirs, ours], color=colour, linewidth=0.6, alpha=0.6)
            if theirs:
                axes.plot([at], [theirs], marker, color=colour, markerfacecolor="white",
                          markersize=5)
            if ours:
                axes.errorbar([at], [ours], yerr=half or None, fmt=marker, color=colour,
                              markersize=5, elinewidth=0.7, capsize=2)
        axes.plot([], [], marker, color=colour, label=label)
    for place in range(1, len(models)):
        axes.axvline(place - 0.5, color="#D0D0D0", linewidth=0.6)
    axes.set_yscale("log")
    locator = LogLocator(subs=(1, 2, 5))
    axes.yaxis.set_major_locator(locator)
    low, high = axes.get_ylim()
    ticks = locator.tick_values(low, high)
    axes.set_ylim(max(tick for tick in ticks if tick <= low),
                  min(tick for tick in ticks if tick >= high))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_formatter("")
    axes.set(ylabel="seconds", xlim=(-0.5, len(models) - 0.5), xticks=range(len(models)),
             xticklabels=models)
    axes.tick_params(axis="x", length=0)
    tidy(axes, "y", False)


def draw_figure10(table3, options):
    alone = [row for row in table3 if row["help"] == WITHOUT]
    models = unique(row["model"] for row in table3)
    methods = [method for method in unique(row["method"] for row in alone)
               if not method.startswith("seq1f1b")]
    columns = [(method, COLOURS[index % len(COLOURS)], MARKERS[index % len(MARKERS)],
                {row["model"]: (row["paperSeconds"], row["oursSeconds"], row["oursHalfWidth"])
                 for row in alone if row["method"] == method})
               for index, method in enumerate(methods)]
    figure = new_figure(options.width, 4.2, options.dpi)
    axes = figure.subplots()
    draw_points(axes, models, columns)
    axes.set_title("Figure 10: training time by model and planner; hollow: the paper, solid: ours, "
                   "one mini-batch, simulated", loc="left")
    legend_below(figure, axes, 0.1, ncol=6)
    return figure


def draw_figure12(table3, options):
    models = unique(row["model"] for row in table3)
    variants = [variant for variant in ("faithful", "improved")
                if any(row["method"] == f"grdqn-{variant}" for row in table3)]
    figure = new_figure(options.width, 3.4 * max(1, len(variants)) + 0.4, options.dpi)
    grid = figure.subplots(max(1, len(variants)), squeeze=False)
    for axes, variant in zip(grid[:, 0], variants):
        columns = []
        for (label, method, kind), colour, marker in zip((
                ("DGPAS", "grdqn", WITHOUT), ("DGPAS_Co, ideal", "grdqn", IDEAL),
                ("DGPAS_Co, full", "grdqn", FULL), ("Seq1F1B", "seq1f1b", WITHOUT)),
                COLOURS, MARKERS):
            columns.append((label, colour, marker, {
                row["model"]: (row["paperSeconds"], row["oursSeconds"], row["oursHalfWidth"])
                for row in table3 if row["method"] == f"{method}-{variant}"
                and row["help"] == kind}))
        draw_points(axes, models, columns)
        axes.set_title(f"Figure 12, plans of grdqn {variant}; hollow: the paper, solid: ours, "
                       "simulated", loc="left")
    legend_below(figure, figure.axes[0], 0.07, ncol=6)
    return figure


def draw_figure11(mini, micro, items, options):
    figure = new_figure(options.width, 3.8, options.dpi)
    readings = [(mini, "mini-batches"), (micro, "micro-batches that a mini-batch is cut into")]
    if items:
        readings.append((items, "micro-batches of 32 samples, no memory"))
    for axes, (points, label) in zip(figure.subplots(1, len(readings), sharey=True), readings):
        draw_lines(axes, points, lambda by_help, kind: decrease(by_help, kind, "bubbleRate"))
        axes.axhline(100 * THEIR_BUBBLE_DECREASE, color="#555555", linewidth=0.9, linestyle="--",
                     label="the paper's average")
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_formatter("{x:g}")
        axes.set_xlabel(label)
        tidy(axes, "both", False)
    figure.axes[0].set_ylabel("decrease of the bubble rate (%)")
    figure.axes[0].set_title("Figure 11; solid: ideal, dotted: full", loc="left")
    figure.axes[1].set_title("Read otherwise", loc="left")
    if items:
        figure.axes[2].set_title("As the authors' scripts count", loc="left")
    legend_below(figure, figure.axes[0], 0.07, ncol=6)
    return figure


def draw_bandwidth(points, options):
    methods = unique(method for _, method, _, _ in points)
    figure = new_figure(options.width, 3.8, options.dpi)
    for axes, method in zip(figure.subplots(1, len(methods), squeeze=False)[0], methods):
        draw_lines(axes, {key: by_help for key, by_help in points.items() if key[1] == method},
                   lambda by_help, kind: decrease(by_help, kind, "iterationSeconds"), 1e-6)
        axes.axhline(0, color="#555555", linewidth=0.9)
        axes.set(xscale="log", xlabel="bandwidth of the LAN (Mbit/s)", ylabel="less time with help (%)")
        axes.set_title(f"plans of {method}; solid: ideal, dotted: full", loc="left")
        tidy(axes, "both", False)
    legend_below(figure, figure.axes[0], 0.07, ncol=6)
    return figure


def decrease(by_help, kind, column):
    without = by_help[WITHOUT][column]
    return 100 * (1 - by_help[kind][column] / without) if without else 0


def draw_lines(axes, points, figure_of, scale=1):
    """A line per model and kind of help: the mean over methods of the mean over runs."""
    for index, model in enumerate(unique(key[0] for key in points)):
        for kind, style in ((IDEAL, "-"), (FULL, ":")):
            by_condition = {}
            for (one, method, _, condition), by_help in points.items():
                if one == model:
                    by_condition.setdefault(condition, {}).setdefault(method, []).append(
                        figure_of(by_help, kind))
            conditions = sorted(by_condition)
            axes.plot([scale * condition for condition in conditions],
                      [statistics.fmean(map(statistics.fmean, by_condition[condition].values()))
                       for condition in conditions],
                      color=COLOURS[index % len(COLOURS)], marker=MARKERS[index % len(MARKERS)],
                      markersize=3.5, linewidth=1.2, linestyle=style,
                      label=model if kind == IDEAL else None)


if __name__ == "__main__":
    start(lambda: draw_results(__doc__, __file__, "results/dgpas-testbed", make, 12, least=6))
