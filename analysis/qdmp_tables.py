#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draw a run of the scenario qdmp-tables: the QDMP paper's figures beside ours.

Writes, into the folder of the results unless told otherwise, layers.png with the layers alone and in
context (their figures 1 to 3), tables.png with the latencies and throughputs of every model,
figure11.png with what bandwidth changes, and cuts-MODEL.png with a
model's layers and where qdmp cuts it over each network.
"""

import itertools
import math

from edgepipe import dag_layout
from edgepipe.axes import tidy
from edgepipe.drawing import draw_results
from edgepipe.looks import LOOKS
from edgepipe.pictures import InputError, new_figure, start
from edgepipe.run_file import read_run
from edgepipe.tables import columns, read_table, signed, unique

PLANNERS = {name: LOOKS[name][0]
            for name in ("cloud-only", "edge-only", "neurosurgeon", "dads", "qdmp")}
OTHER_DADS = "dads-with-input"
NETWORKS = ["#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"]
SHORT = {"conv2d": "conv", "grouped_conv2d": "gconv", "depthwise_conv2d": "dconv", "linear": "fc",
         "batch_norm": "bn", "activation": "act", "flatten": "flat", "dropout": "drop",
         "softmax": "soft", "input": "in"}
HEAVY = {"conv2d", "grouped_conv2d", "depthwise_conv2d", "linear"}
STAGE_INCHES = 0.42  # between depths
PLACE_INCHES = 0.27  # between branches
# Theirs in Mbit/s, ours in run.json.
THEIR_TURNING_POINTS = (("cloud-only beats edge-only", 2, "cloudBeatsEdgeBitsPerSecond", ":"),
                        ("all on the server", 12, "allCloudBitsPerSecond", "--"))

RESULTS = columns("figure model network planner", "paper ours")
LAYERS = {**columns("model layer", "outputBytes forwardSeconds upToSeconds isolatedUpToSeconds"),
          "difference": signed}
FIGURE_1 = "AlexNet"
SWEEP = columns("", "uplinkBitsPerSecond speedupOverEdgeOnly speedupOverCloudOnly")


def make(folder, options):
    results = read_table(folder / "results.csv", RESULTS)
    run = read_models(folder / "run.json")
    points, profiles = (read_table(folder / name, kinds, {may_be_empty}) if (folder / name).exists() else []
                        for name, kinds, may_be_empty in (("figure11.csv", SWEEP, "speedupOverCloudOnly"),
                                                          ("layers.csv", LAYERS, "difference")))
    pictures = {}
    if profiles:
        pictures["layers"] = lambda: draw_layers(profiles, options)
    if any(row["figure"] == "table2" for row in results):
        pictures["tables"] = lambda: draw_bars(results, options)
    if points:
        pictures["figure11"] = lambda: draw_sweep(points, run, options)
    for model in run["models"]:
        pictures[f"cuts-{model['file']}"] = lambda model=model: draw_cuts(
            model, run["networks"], options)
    return pictures


def read_models(path):
    run = read_run(path)
    try:
        for model in run["models"]:
            count = len(model["layers"])
            for index, layer in enumerate(model["layers"]):
                if not all(0 <= source < index for source in layer["inputs"]):
                    raise InputError(f"{path}: layer {index} of {model['file']} reads no earlier layer")
                str(layer["operator"])
            for network in run["networks"]:
                if len(model["qdmpOnDevice"][network]) != count:
                    raise InputError(f"{path}: the plan of {model['file']} over {network} is not of {count} "
                                     "layers")
    except (ValueError, TypeError, KeyError) as error:
        raise InputError(f"{path}: expected what qdmp-tables writes: {error!r}") from None
    return run


# ---- figures 1 to 3 -----------------------------------------------------------------------------

def draw_layers(rows, options):
    models = unique(row["model"] for row in rows)
    of_model = {model: [row for row in rows if row["model"] == model] for model in models}
    figure = new_figure(options.width, 7.5, options.dpi)
    grid = figure.subplots(3, 3)
    first = of_model.get(FIGURE_1, of_model[models[0]])
    places = range(len(first))
    for axes, column, label, scale in ((grid[0][0], "outputBytes", "output (kB)", 1e-3),
                                       (grid[0][1], "forwardSeconds", "in context (ms)", 1e3)):
        axes.bar(places, [scale * row[column] for row in first], color="#0072B2")
        axes.set_title(f"Figure 1: {first[0]['model']}, {label}, by layer", loc="left")
    sizes = [[100 * abs(row["difference"]) for row in of_model[model]
              if row["difference"] is not None] for model in models]
    grid[0][2].boxplot(sizes, labels=models, whis=(0, 100))
    grid[0][2].tick_params(axis="x", rotation=30)
    grid[0][2].set_title("Figure 3(a): difference by layer (%)", loc="left")
    for axes, model in zip(grid.flat[3:], models):
        for column, label, colour in (("upToSeconds", "in context", "#0072B2"),
                                      ("isolatedUpToSeconds", "alone", "#D55E00")):
            axes.plot([1e3 * row[column] for row in of_model[model]], color=colour, label=label)
        axes.set_title(f"Figure 2: {model}, up to a layer (ms)", loc="left")
        axes.legend(frameon=False)
    for axes in grid.flat:
        tidy(axes, ticks=False)
    figure.tight_layout()
    return figure


# ---- tables 2 and 3 -----------------------------------------------------------------------------

def draw_bars(results, options):
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    tables = {"table2": "latency (s)", "table3": "throughput (frames/s)"}
    networks, models = (unique(row[key] for row in results if row["figure"] in tables)
                        for key in ("network", "model"))
    figure = new_figure(options.width, 3 * len(tables) + 0.8, options.dpi)
    grid = figure.subplots(len(tables), len(networks), squeeze=False)
    for axes, (table, network) in zip(grid.flat, itertools.product(tables, networks)):
        fill_bars(axes, {(row["model"], row["planner"]): row for row in results
                         if (row["figure"], row["network"]) == (table, network)}, models)
        axes.set_title(f"{tables[table]}, {network}", loc="left")
    figure.legend(
        handles=[Patch(color=colour, label=planner) for planner, colour in PLANNERS.items()] +
        [Patch(facecolor="white", edgecolor="#555555", label="hollow: the paper, solid: ours"),
         Line2D([], [], color="black", marker="D", markersize=4, markerfacecolor="none",
                linestyle="none", label="ours, dads counting the input")],
        loc="upper center", ncol=7, frameon=False)
    figure.tight_layout(rect=(0, 0, 1, 0.96))
    return figure


def fill_bars(axes, rows, models):
    width = 0.85 / (2 * len(PLANNERS))
    for (place, model), (index, (planner, colour)) in itertools.product(
            enumerate(models), enumerate(PLANNERS.items())):
        row, other = rows.get((model, planner)), rows.get((model, OTHER_DADS))
        if row is None:
            continue
        left = place - 0.425 + 2 * index * width
        axes.bar(left + width / 2, row["paper"], width, facecolor="white", edgecolor=colour, linewidth=0.9)
        axes.bar(left + 3 * width / 2, row["ours"], width, color=colour, edgecolor=colour, linewidth=0.9)
        if planner == "dads" and other:
            axes.plot(left + 3 * width / 2, other["ours"], marker="D", markersize=3.5,
                      color="black", markerfacecolor="none", markeredgewidth=0.8)
    axes.set(xticks=range(len(models)), xticklabels=models)
    axes.tick_params(axis="x", length=0)
    tidy(axes, "y", False)


# ---- figure 11 ----------------------------------------------------------------------------------

def draw_sweep(points, run, options):
    figure = new_figure(min(options.width, 7), 4, options.dpi)
    axes = figure.subplots()
    for column, label, colour, marker in (
            ("speedupOverEdgeOnly", "over edge-only", "#0072B2", "o"),
            ("speedupOverCloudOnly", "over cloud-only", "#D55E00", "s")):
        drawn = [(point["uplinkBitsPerSecond"] / 1e6, point[column]) for point in points
                 if point[column] is not None]
        axes.plot(*zip(*drawn), color=colour, marker=marker, markersize=3.5, linewidth=1.2,
                  label=f"qdmp {label}")
    for name, theirs, key, style in THEIR_TURNING_POINTS:
        ours = float(run.get("figure11", {}).get(key) or 0) / 1e6
        axes.axvline(theirs, color="#555555", linewidth=0.9, linestyle=style,
                     label=f"{name}: the paper, {theirs} Mbit/s")
        if ours:
            axes.axvline(ours, color="#009E73", linewidth=1.2, linestyle=style,
                         label=f"{name}: ours, {ours:.2f} Mbit/s")
    axes.set(xlabel="uplink (Mbit/s)", ylabel="latency gain of qdmp")
    axes.set_ylim(bottom=0)
    axes.set_xlim(left=0)
    axes.set_title("Figure 11: ResNet-18 over bandwidth", loc="left")
    tidy(axes, "both", False)
    figure.legend(loc="lower center", ncol=2, frameon=False)
    figure.tight_layout(rect=(0, 5 * options.font_size / 72 / 4, 1, 1))
    return figure


# ---- figures 12 and 13 --------------------------------------------------------------------------

class Paper:
    """Where depth and height lie, in inches from the top left: depths wrap like lines of text."""

    def __init__(self, layout, options):
        self.em = options.font_size / 72
        self.left = 0.35
        self.per_line = max(4, int((options.width - 2 * self.left) / STAGE_INCHES) - 1)
        self.lines = math.ceil(layout.depths / self.per_line)
        self.per_line = math.ceil(layout.depths / self.lines)
        heights = [[0.0] for _ in range(self.lines)]
        for depth, height in itertools.chain(*layout.routes.values()):
            heights[self.line(depth)].append(height)
        self.middles, top = [], 0.0
        for each in heights:
            top += 0.3 if top == 0 else 0.45
            self.middles.append(top - min(each) * PLACE_INCHES)
            top += (max(each) - min(each)) * PLACE_INCHES
        self.height = top + 0.3

    def line(self, depth):
        return int(depth) // self.per_line

    def point(self, depth, height, line=None):
        line = self.line(depth) if line is None else line
        across = depth - line * self.per_line
        return (self.left + (across + 0.5) * STAGE_INCHES,
                self.middles[line] + height * PLACE_INCHES)


def draw_cuts(model, networks, options):
    layout = dag_layout.place([layer["inputs"] for layer in model["layers"]])
    paper = Paper(layout, options)
    head = (2 + 1.5 * len(networks)) * paper.em + 0.15
    width = max(2 * paper.left + paper.per_line * STAGE_INCHES, 5)
    figure = new_figure(width, head + paper.height, options.dpi)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, width), ylim=(paper.height, -head))
    axes.axis("off")
    axes.text(paper.left, -head + 1.2 * paper.em, f"{model['name']}, {len(model['layers'])} "
              "layers: where qdmp cuts", weight="bold", va="center", ha="left")
    for route in layout.routes.values():
        for piece in wrap(route, paper):
            axes.plot(*zip(*piece), color="#888888", linewidth=0.7, zorder=1,
                      solid_capstyle="round")
    for index, layer in enumerate(model["layers"]):
        axes.text(*paper.point(layout.depth[index], layout.height[index]),
                  SHORT.get(layer["operator"], layer["operator"]), ha="center", va="center",
                  fontsize=0.72 * options.font_size, zorder=3,
                  bbox={"boxstyle": "round,pad=0.22", "linewidth": 0.5, "edgecolor": "#555555",
                        "facecolor": "#D8E6F2" if layer["operator"] in HEAVY else "white"})
    for place, (network, colour) in enumerate(zip(networks, itertools.cycle(NETWORKS))):
        on_device = model["qdmpOnDevice"][network]
        draw_cut(axes, model["layers"], layout, paper, on_device, colour, (place + 1) / (len(networks) + 1))
        axes.text(paper.left, -head + (2.9 + 1.5 * place) * paper.em,
                  f"{network}: {describe(model['layers'], on_device)}", color=colour,
                  va="center", ha="left")
    return figure


def describe(layers, on_device):
    computed = [layer["operator"] != "input" for layer in layers]
    device = sum(one and on for one, on in zip(computed, on_device))
    if device == 0:
        return "all on the server"
    if device == sum(computed):
        return "all on the device"
    sources = {source for index, layer in enumerate(layers) if not on_device[index]
               for source in layer["inputs"] if on_device[source]}
    senders = [layers[source]["name"] for source in sorted(sources)]
    shown = ", ".join(senders[:4]) + (f" and {len(senders) - 4} more" if len(senders) > 4 else "")
    return f"{device} of {sum(computed)} layers on the device; {shown} sent up"


def wrap(route, paper):
    """The pieces of a route in inches, one more for every line of text it goes on in."""
    pieces = [[paper.point(*route[0])]]
    for (depth, height), (next_depth, next_height) in zip(route, route[1:]):
        line, next_line = paper.line(depth), paper.line(next_depth)
        if line != next_line:
            middle = depth + 0.5, (height + next_height) / 2
            pieces[-1].append(paper.point(*middle, line))
            pieces.append([paper.point(*middle, next_line)])
        pieces[-1].append(paper.point(next_depth, next_height))
    return pieces


def draw_cut(axes, layers, layout, paper, on_device, colour, share):
    """A bar across every edge that crosses, at its own share of the way."""
    def bar(depth, height, line=None):
        across, down = paper.point(depth, height, line)
        axes.plot([across, across], [down - 0.42 * PLACE_INCHES, down + 0.42 * PLACE_INCHES],
                  color=colour, linewidth=1.7, zorder=4, solid_capstyle="butt")

    gap = 0.33 + 0.34 * share  # between the boxes
    read = {source for layer in layers for source in layer["inputs"]}
    for index, layer in enumerate(layers):
        depth, height = layout.depth[index], layout.height[index]
        if all(on_device) and index not in read:
            bar(depth + gap, height, paper.line(depth))
        elif not any(on_device) and not layer["inputs"]:
            bar(depth - 1 + gap, height, paper.line(depth))
        for source in layer["inputs"]:
            if on_device[source] and not on_device[index]:
                (depth, height), (_, next_height) = layout.routes[source, index][:2]
                bar(depth + gap, height + (next_height - height) * gap)


if __name__ == "__main__":
    start(lambda: draw_results(__doc__, __file__, "results/qdmp-tables", make, 13, least=6))
