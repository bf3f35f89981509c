#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draw a run of the scenario dgpas-testbed: the DGPAS paper's figures beside ours.

Writes figure10.png with the time of an iteration by model and planner, figure11.png with the decrease
of the bubble rate, figure12.png with and without help between neighbours, and bandwidth.png with the
gain from help over bandwidth.
"""

import itertools
import statistics

from edgepipe.axes import legend_below, logarithmic, tidy
from edgepipe.drawing import draw_results
from edgepipe.pictures import InputError, new_figure, start
from edgepipe.tables import columns, read_table, unique

COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999",
           "#8C6D31", "#7B4173", "#5254A3", "#637939"]
MARKERS = "osD^vP*X"
THEIR_BUBBLE_DECREASE = 0.3696  # average in the abstract
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
    """Rows of a file, possibly none: by (model, method, run, condition), then by kind of help."""
    points = {}
    for row in read_table(path, {**OUTCOME, condition: float}, MAY_BE_EMPTY, least=0):
        key = row["model"], row["method"], row["run"], row[condition]
        points.setdefault(key, {})[row["help"]] = row
    for (model, method, run, _), by_help in points.items():
        if set(by_help) != {WITHOUT, IDEAL, FULL}:
            raise InputError(f"{path}: {model}, {method}, run {run}: expected a row for none, ideal and full")
    return {key: by_help for key, by_help in points.items()
            if all(row["iterationSeconds"] for row in by_help.values())}


def draw_points(axes, table3, columns):
    """The paper's value and ours for each column (label, method, kind of help), by model; as points,
    since a logarithmic axis has no zero for bars."""
    models = unique(row["model"] for row in table3)
    width = 0.84 / len(columns)
    for index, ((label, *column), colour, marker) in enumerate(zip(
            columns, itertools.cycle(COLOURS), itertools.cycle(MARKERS))):
        for row in table3:
            if [row["method"], row["help"]] != column:
                continue
            theirs, ours = row["paperSeconds"], row["oursSeconds"]
            at = models.index(row["model"]) - 0.42 + (index + 0.5) * width
            if theirs and ours:
                axes.plot([at, at], [theirs, ours], color=colour, linewidth=0.6, alpha=0.6)
            if theirs:
                axes.plot([at], [theirs], marker, color=colour, markerfacecolor="white",
                          markersize=5)
            if ours:
                axes.errorbar([at], [ours], yerr=row["oursHalfWidth"] or None, fmt=marker, color=colour,
                              markersize=5, elinewidth=0.7, capsize=2)
        axes.plot([], [], marker, color=colour, label=label)
    for place in range(1, len(models)):
        axes.axvline(place - 0.5, color="#D0D0D0", linewidth=0.6)
    logarithmic(axes, "y")
    axes.set(ylabel="seconds", xlim=(-0.5, len(models) - 0.5), xticks=range(len(models)),
             xticklabels=models)
    axes.tick_params(axis="x", length=0)
    tidy(axes, "y", False)


def draw_figure10(table3, options):
    methods = unique(row["method"] for row in table3
                     if row["help"] == WITHOUT and not row["method"].startswith("seq1f1b"))
    figure = new_figure(options.width, 4.2, options.dpi)
    axes = figure.subplots()
    draw_points(axes, table3, [(method, method, WITHOUT) for method in methods])
    axes.set_title("Figure 10: training time by model and planner; hollow: the paper, solid: ours, "
                   "one mini-batch, simulated", loc="left")
    legend_below(figure, axes, 0.1, ncol=6)
    return figure


def draw_figure12(table3, options):
    variants = [variant for variant in ("grdqn", "grdqn-improved") if any(row["method"] == variant for row in table3)]
    figure = new_figure(options.width, 3.4 * max(1, len(variants)) + 0.4, options.dpi)
    grid = figure.subplots(max(1, len(variants)), squeeze=False)
    for axes, variant in zip(grid[:, 0], variants):
        draw_points(axes, table3, [
            ("DGPAS", variant, WITHOUT), ("DGPAS_Co, ideal", variant, IDEAL),
            ("DGPAS_Co, full", variant, FULL), ("Seq1F1B", f"seq1f1b-{variant}", WITHOUT)])
        axes.set_title(f"Figure 12, plans of {variant}; hollow: the paper, solid: ours, "
                       "simulated", loc="left")
    legend_below(figure, figure.axes[0], 0.07, ncol=6)
    return figure


def draw_figure11(mini, micro, items, options):
    figure = new_figure(options.width, 3.8, options.dpi)
    readings = [(mini, "mini-batches", "Figure 11; solid: ideal, dotted: full"),
                (micro, "micro-batches that a mini-batch is cut into", "Read otherwise"),
                (items, "micro-batches of 32 samples, no memory", "As the authors' scripts count")]
    readings = readings[:3 if items else 2]
    for axes, (points, label, title) in zip(figure.subplots(1, len(readings), sharey=True), readings):
        draw_lines(axes, points, "bubbleRate")
        axes.axhline(100 * THEIR_BUBBLE_DECREASE, color="#555555", linewidth=0.9, linestyle="--",
                     label="the paper's average")
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_formatter("{x:g}")
        axes.set_xlabel(label)
        axes.set_title(title, loc="left")
        tidy(axes, "both", False)
    figure.axes[0].set_ylabel("decrease of the bubble rate (%)")
    legend_below(figure, figure.axes[0], 0.07, ncol=6)
    return figure


def draw_bandwidth(points, options):
    methods = unique(method for _, method, _, _ in points)
    figure = new_figure(options.width, 3.8, options.dpi)
    for axes, method in zip(figure.subplots(1, len(methods), squeeze=False)[0], methods):
        draw_lines(axes, {key: by_help for key, by_help in points.items() if key[1] == method},
                   "iterationSeconds", 1e-6)
        axes.axhline(0, color="#555555", linewidth=0.9)
        axes.set(xscale="log", xlabel="bandwidth of the LAN (Mbit/s)", ylabel="less time with help (%)")
        axes.set_title(f"plans of {method}; solid: ideal, dotted: full", loc="left")
        tidy(axes, "both", False)
    legend_below(figure, figure.axes[0], 0.07, ncol=6)
    return figure


def draw_lines(axes, points, column, scale=1):
    """A line per model and kind of help: decrease of a column, percent, mean over methods of means over runs."""
    for model, colour, marker in zip(unique(key[0] for key in points), itertools.cycle(COLOURS),
                                     itertools.cycle(MARKERS)):
        for kind, style in ((IDEAL, "-"), (FULL, ":")):
            by_condition = {}
            for (one, method, _, condition), by_help in points.items():
                if one == model:
                    without = by_help[WITHOUT][column]
                    by_condition.setdefault(scale * condition, {}).setdefault(method, []).append(
                        100 * (1 - by_help[kind][column] / without) if without else 0)
            axes.plot(*zip(*((condition, statistics.fmean(map(statistics.fmean, methods.values())))
                             for condition, methods in sorted(by_condition.items()))),
                      color=colour, marker=marker, markersize=3.5, linewidth=1.2, linestyle=style,
                      label=model if kind == IDEAL else None)


if __name__ == "__main__":
    start(lambda: draw_results(__doc__, __file__, "results/dgpas-testbed", make, 12, least=6))
