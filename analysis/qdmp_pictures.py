#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draw a run of the scenario qdmp-tables: the QDMP paper's figures beside ours.

Writes layers.png with times of layers alone and in context (the paper's figures 1 to 3), tables.png with
the latencies and throughputs of every model, and cuts.png with the layers that qdmp leaves on the device
over each network (figures 12 and 13).
"""

import itertools
import textwrap

from edgepipe.axes import open_frame, tidy
from edgepipe.drawing import draw_results
from edgepipe.looks import COLOURS
from edgepipe.pictures import InputError, new_figure, start
from edgepipe.run_file import read_run
from edgepipe.tables import columns, read_table, signed, unique

PLANNERS = {name: COLOURS[name]
            for name in ("cloud-only", "edge-only", "neurosurgeon", "dads", "qdmp")}
OTHER_DADS = "dads-with-input"
SIDES = {"on the server": "#9ED5F5", "on the device": "#0072B2"}

RESULTS = columns("figure model network planner", "paper ours")
LAYERS = {**columns("model layer", "outputBytes forwardSeconds upToSeconds isolatedUpToSeconds"),
          "difference": signed}
FIGURE_1 = "AlexNet"


def make(folder, options):
    results = read_table(folder / "results.csv", RESULTS)
    run = read_models(folder / "run.json")
    path = folder / "layers.csv"
    profiles = read_table(path, LAYERS, {"difference"}) if path.exists() else []
    pictures = {}
    if profiles:
        pictures["layers"] = lambda: draw_layers(profiles, options)
    if any(row["figure"] == "table2" for row in results):
        pictures["tables"] = lambda: draw_bars(results, options)
    pictures["cuts"] = lambda: draw_cuts(run["models"], run["networks"], options)
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


# ---- figures 12 and 13 --------------------------------------------------------------------------

def draw_cuts(models, networks, options):
    """A panel per model, a row per network, a cell per layer in the order of the model file."""
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    figure = new_figure(options.width, 0.6 + len(models) * (0.5 + 0.22 * len(networks)), options.dpi,
                        layout="constrained")
    for axes, model in zip(figure.subplots(len(models), squeeze=False)[:, 0], models):
        plans = [model["qdmpOnDevice"][network] for network in networks]
        axes.imshow(plans, aspect="auto", cmap=ListedColormap(SIDES.values()), vmin=0, vmax=1)
        axes.set_yticks(range(len(networks)), networks)
        axes.set_title(f"{model['name']}, {len(model['layers'])} layers", loc="left")
        right = axes.secondary_yaxis("right")
        right.set_yticks(range(len(networks)), [
            textwrap.fill(describe(model["layers"], plan), int(5 * options.width)) for plan in plans])
        right.tick_params(length=0)
        open_frame(axes)
    axes.set_xlabel("layer, in the order of the model's file; 0: the input")
    figure.legend(handles=[Patch(color=colour, label=side) for side, colour in SIDES.items()],
                  loc="upper right", ncol=2, frameon=False)
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


if __name__ == "__main__":
    start(lambda: draw_results(__doc__, __file__, "results/qdmp-tables", make, 13, least=6))
