#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draw the figures of coknight-figures.

It writes coknight.png: those of figures 2, 6 and 9 to 12 of the Coknight paper that are in the
results, one or two panels each.
"""

import math
import textwrap

from edgepipe.axes import legend_above
from edgepipe.drawing import draw_results
from edgepipe.looks import looks
from edgepipe.pictures import InputError, new_panels, start
from edgepipe.run_file import read_json
from edgepipe.tables import unique

NAMES = {"all-local": "all-local (IMPALA)", "all-server": "all-server (Seed-RL)",
         "defp": "defp (Coknight)", "defp-as-printed": "algorithm 1 as printed"}


def make(folder, options):
    figures = read_figures(folder / "coknight.json")
    return {"coknight": lambda: draw(figures, options)}


def read_figures(path):
    try:
        figures = read_json(path)["figures"]
    except (KeyError, TypeError):
        raise InputError(f"{path}: expected the coknight.json of coknight-figures") from None
    known = {name: figures[name]["rows"] for name in PAINTERS if name in figures}
    if not known:
        raise InputError(f"{path}: found no figure, expected some of {', '.join(PAINTERS)}")
    return known


def draw(figures, options):
    panels = [(name, rows, paint) for name, rows in figures.items() for paint in PAINTERS[name]]
    abreast = 3 if len(panels) > 4 else min(2, len(panels))
    figure, axes = new_panels(options, math.ceil(len(panels) / abreast) * abreast, 0.36, abreast=abreast)
    for axis in axes[len(panels):]:
        axis.remove()
    for axis, (name, rows, paint) in zip(axes, panels):
        try:
            paint(axis, rows)
        except (KeyError, TypeError, IndexError):
            raise InputError(f"figure {name}: expected the rows of coknight-figures") from None
        legend_above(axis, title=f"figure {name}: {axis.get_title()}", fontsize="small")
        axis.set_title("")
    return figure


def paint_devices(axis, rows):
    models, devices = unique(row["model"] for row in rows), unique(row["device"] for row in rows)
    for i, device in enumerate(devices):
        bars = [(models.index(row["model"]) + 0.8 * (i + 0.5) / len(devices) - 0.4, 1e3 * row["seconds"])
                for row in rows if row["device"] == device]
        axis.bar(*zip(*bars), 0.8 / len(devices), label=device)
    axis.set_yscale("log")
    axis.set_xticks(range(len(models)), models, rotation=30, ha="right")
    axis.set(ylabel="inference (ms)", title="models on devices")


def paint_parts(bandwidth):
    def paint(axis, rows):
        rows = [row for row in rows if row["bandwidth"] == bandwidth]
        cuts = [row["cut"] for row in rows]
        parts = [[1e3 * row[part] for row in rows]
                 for part in ("actorSeconds", "transferSeconds", "serverSeconds")]
        axis.stackplot(cuts, *parts, labels=("actor", "transfer", "server"),
                       colors=("#E69F00", "#999999", "#0072B2"), step="mid")
        axis.set(xlabel="layers on the actor", ylabel="response (ms)",
                 title=f"at {rows[0]['bandwidthMBps']:g} MB/s")
    return paint


def paint_use(axis, rows):
    names = [textwrap.fill(row["case"], 20) for row in rows]
    inference = [100 * row["inferenceUse"] for row in rows]
    axis.barh(names, inference, color="#0072B2", label="inference")
    axis.barh(names, [100 * row["trainingUse"] for row in rows], left=inference,
              color="#D55E00", label="training")
    axis.plot([100 * row["impliedInferenceUse"] for row in rows], names, "k|", markersize=12,
              label="implied by the plan")
    axis.invert_yaxis()
    axis.tick_params("y", labelsize="small")  # labels have up to three lines
    axis.set(xlabel="use of the server's processor (%)", title="12 actors")


def paint_lines(x, y, label_x, label_y, title, only=None, scale=1):
    def paint(axis, rows):
        rows = [row for row in rows if only is None or row["server"] == only]
        known = looks(unique(row["planner"] for row in rows))
        for i, (name, (colour, marker)) in enumerate(known.items()):
            mine = [row for row in rows if row["planner"] == name]
            # Equal planners overlap: the first ones are drawn wider, with hollow markers.
            axis.plot([row[x] for row in mine], [scale * row[y] for row in mine],
                      color=colour, marker=marker, markerfacecolor="none",
                      markersize=4 + 2 * (len(known) - 1 - i), label=NAMES.get(name, name),
                      linewidth=1 + 0.8 * (len(known) - 1 - i))
        axis.set(xlabel=label_x, ylabel=label_y, ylim=(0, 1.08 * max(axis.get_ylim()[1], 1e-9)),
                 title=title)
    return paint


def indicators(server):
    return [paint_lines("actors", y, "actors", label, server, server, scale)
            for y, label, scale in (("totalReductionSeconds", "total reduction (s)", 1),
                                    ("cutVariance", "variance of cuts", 1),
                                    ("reductionVariance", "variance of reductions (ms²)", 1e6))]


PAINTERS = {
    "2": [paint_devices],
    "6": [paint_parts("ample"), paint_parts("scarce")],
    "9": [paint_use],
    "10": [paint_lines("bandwidthMBps", "requestsPerSecond", "bandwidth (MB/s)", "requests/s",
                       "6 actors")],
    "11": [paint_lines("actors", "requestsPerSecond", "actors", "requests/s", "all actors"),
           paint_lines("actors", "requestsPerSecondOfAnActor", "actors", "requests/s",
                       "one actor")],
    "12": indicators("elastic") + indicators("non-elastic"),
}


if __name__ == "__main__":
    start(lambda: draw_results(__doc__, __file__, "results/coknight-figures", make, 9, "picture"))
