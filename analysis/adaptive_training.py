#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draw a run of adaptive-training: iteration time over simulated time, a line per planner and case.

Gaps in a line are moves of weights between two iterations. A triangle is a change of plan, a dot an
iteration in which idle devices helped their neighbours. Below are the true bandwidth and, for each
loaded device, the share left for training.
"""

import math

from edgepipe.axes import legend_above, spread_out, tidy
from edgepipe.drawing import draw_picture
from edgepipe.looks import COLOURS
from edgepipe.pictures import InputError, new_figure, start
from edgepipe.tables import columns, read_table, unique

RESULTS = columns("case planner model cluster link fidelity status", "")
ITERATIONS = columns("case planner", "startSeconds iterationSeconds helpedSamples")
DECISIONS = columns("case planner", "isChanged decidedSeconds inForceSeconds")
CONDITIONS = columns("", "seconds bandwidthBitsPerSecond")
LOADS = columns("device", "seconds share")

# Colour and dash of each case.
LOOKS = {case: (COLOURS[case], dash) for case, dash in (
    ("neither", "-"), ("replanning", "-"), ("adjacent", (0, (4, 1.5))), ("both", (0, (6, 1, 1, 1))))}
LOAD_COLOURS = ["#009E73", "#CC79A7", "#56B4E9", "#000000"]


def make(folder, options):
    run = Run(folder)
    return lambda: draw(run, options)


class Run:
    def __init__(self, folder):
        self.results = read_table(folder / "results.csv", RESULTS)
        self.iterations = read_table(folder / "iterations.csv", ITERATIONS, least=0)
        self.decisions = read_table(folder / "decisions.csv", DECISIONS, ("inForceSeconds",), 0)
        self.conditions = read_table(folder / "conditions.csv", CONDITIONS, ("bandwidthBitsPerSecond",), 0)
        self.loads = read_table(folder / "loads.csv", LOADS, least=0)
        for row in self.results:
            if row["case"] not in LOOKS:
                raise InputError(f'{folder / "results.csv"}: case: found "{row["case"]}", expected '
                                 f'one of: {", ".join(LOOKS)}')

    def of(self, rows, result):
        return [row for row in rows if all(row[key] == result[key] for key in ("case", "planner"))]

    def look(self, result):
        """Colour, dash and name of a case; by planner, too, if several planners have the same case."""
        colour, dash = LOOKS[result["case"]]
        if len({row["case"] for row in self.results}) == len(self.results):
            return colour, dash, result["case"]
        colours = [colour for colour, _ in LOOKS.values()] + LOAD_COLOURS
        return colours[self.results.index(result) % len(colours)], dash, result["planner"]


def draw(run, options):
    loads = unique(row["device"] for row in run.loads)
    heights = [3, 1] + ([0.8] if loads else [])
    figure = new_figure(options.width, options.width * (0.42 + 0.08 * len(heights)),
                    dpi=options.dpi, layout="constrained")
    first = run.results[0]
    figure.suptitle(f"{first['model']} on {first['cluster']}, planner {first['planner']}, "
                    f"{first['link']} at {first['fidelity']} level",
                    fontsize=options.font_size, weight="bold")
    panels = figure.subplots(len(heights), 1, sharex=True, height_ratios=heights)
    fill_iterations(panels[0], run)
    fill_bandwidth(panels[1], run)
    if loads:
        fill_loads(panels[2], run, loads)
    panels[-1].set(xlabel="simulated time (s)", xlim=(0, max(
        (row["startSeconds"] + row["iterationSeconds"] for row in run.iterations), default=1)))
    for axes in panels:
        tidy(axes, "both")
    return figure


def fill_iterations(axes, run):
    for row in run.results:
        colour, dash, name = run.look(row)
        own, times, seconds, helped = run.of(run.iterations, row), [], [], []
        for each in own:
            end = each["startSeconds"] + each["iterationSeconds"]
            times += [each["startSeconds"], end, math.nan]
            seconds += [each["iterationSeconds"]] * 2 + [math.nan]
            if each["helpedSamples"] > 0:
                helped.append(((each["startSeconds"] + end) / 2, each["iterationSeconds"]))
        label = name + ("" if row["status"] == "finished" else " (stalled)")
        axes.plot(times, seconds, color=colour, linestyle=dash,
                  linewidth=3.4 - 0.6 * list(LOOKS).index(row["case"]),
                  solid_capstyle="butt", label=label)  # later lines are thinner, so that earlier ones stay visible
        if helped:
            axes.plot(*zip(*helped), linestyle="", marker="o", markersize=2.6, color=colour,
                      markeredgecolor="white", markeredgewidth=0.3)
        for each in filter(lambda one: one["isChanged"], run.of(run.decisions, row)):
            after = [other["iterationSeconds"] for other in own
                     if other["startSeconds"] >= each["inForceSeconds"] - 1e-9]
            axes.axvline(each["decidedSeconds"], color=colour, linewidth=0.4, alpha=0.5, zorder=1)
            if after:
                axes.plot([each["inForceSeconds"]], after[:1], linestyle="", marker="v",
                          markersize=5, color=colour, markeredgecolor="black",
                          markeredgewidth=0.4, zorder=4)
    axes.set_ylabel("iteration time (s)")
    spread_out(axes, "y", [row["iterationSeconds"] for row in run.iterations])
    for marker, label in (("v", "plan changed"), ("o", "neighbours helped")):
        axes.plot([], [], linestyle="", marker=marker, markersize=4, color="#555555", label=label)
    legend_above(axes, handlelength=2.4)


def fill_bandwidth(axes, run):
    rows = [row for row in run.conditions if row["bandwidthBitsPerSecond"] is not None]
    if rows:
        axes.fill_between([row["seconds"] for row in rows],
                          [row["bandwidthBitsPerSecond"] / 1e6 for row in rows],
                          step="post", color="#BBBBBB", linewidth=0)
    else:
        axes.text(0.5, 0.5, "not known", transform=axes.transAxes, ha="center", va="center")
    axes.set_ylabel("bandwidth\n(Mbit/s)")
    axes.set_ylim(bottom=0)


def fill_loads(axes, run, devices):
    for place, device in enumerate(devices):
        rows = [row for row in run.loads if row["device"] == device]
        axes.step([row["seconds"] for row in rows], [100 * row["share"] for row in rows],
                  where="post", color=LOAD_COLOURS[place % len(LOAD_COLOURS)], linewidth=1.2,
                  label=device)
    axes.set(ylabel="left of\ndevice (%)", ylim=(0, 108))
    axes.legend(loc="lower left", frameon=False, ncol=4)


if __name__ == "__main__":
    start(lambda: draw_picture(__doc__, __file__, "results/adaptive-training", make, 9, 5))
