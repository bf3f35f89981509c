# SPDX-License-Identifier: GPL-2.0-only
"""Latency and speed-up over a sweep of bandwidths."""

from edgepipe.axes import legend_above, logarithmic, tidy
from edgepipe.looks import looks
from edgepipe.pictures import new_figure

# Where the QDMP paper (section 5.3) says that things turn for ResNet-18 on its own devices, Mbit/s.
PAPER_MODEL = "resnet18"
PAPER = {2: "paper: cloud-only\nbeats edge-only", 12: "paper: all to\nthe server"}
REFERENCES = {"speedUpOverEdgeOnly": ("edge-only", "-"),
              "speedUpOverCloudOnly": ("cloud-only", (0, (5, 2)))}


def draw_variation(rows, options):
    em = options.font_size / 72
    figure = new_figure(options.width, options.width * 0.4 + 4 * em, dpi=options.dpi,
                    layout="constrained")
    first = rows[0]
    figure.suptitle(f"{first['model']}, {first['deviceType']} and {first['serverType']}, "
                    f"{first['link']} at {first['fidelity']} level, frames alone",
                    fontsize=options.font_size, weight="bold")
    latency, speed_up = figure.subplots(1, 2)
    planners = list(dict.fromkeys(row["planner"] for row in rows))
    fill_latency(latency, rows, looks(planners))
    fill_speed_up(speed_up, rows, looks(planners), first["model"] == PAPER_MODEL)
    for axes in (latency, speed_up):
        axes.set_xlabel("bandwidth of the link (Mbit/s)")
        axes.set_xlim(left=0)
        tidy(axes, "both")
    return figure


def fill_latency(axes, rows, style):
    for place, (planner, (colour, marker)) in enumerate(style.items()):
        mine = [row for row in rows if row["planner"] == planner]
        axes.plot(*points(mine, "simulatedLatencySeconds", 1e3), color=colour, linewidth=1.2,
                  marker=marker, markersize=4.5, markeredgewidth=0.8,
                  markerfacecolor="white" if place % 2 else colour,
                  markevery=(place % 3, 3), label=planner)
        axes.plot(*points(mine, "predictedLatencySeconds", 1e3), color="black", linewidth=0.7,
                  linestyle=(0, (1, 1.5)), label="predicted" if place == len(style) - 1 else None)
    axes.set_ylabel("latency of a frame alone (ms)")
    logarithmic(axes, "y")
    legend_above(axes, handlelength=2)


def fill_speed_up(axes, rows, style, is_paper_model):
    """kappa of qdmp, or of every planner that is not itself a reference."""
    shown = ["qdmp"] if "qdmp" in style else [planner for planner in style
                                              if planner not in ("edge-only", "cloud-only")]
    for planner in shown:
        colour, marker = style[planner]
        mine = [row for row in rows if row["planner"] == planner]
        for column, (reference, dash) in REFERENCES.items():
            axes.plot(*points(mine, column, 1), color=style[reference][0], linestyle=dash,
                      linewidth=1.2, marker=marker, markersize=3,
                      label=f"{planner} over {reference}")
    axes.axhline(1, color="#333333", linewidth=0.6, zorder=1)
    axes.set_ylabel("speed-up κ (latency over latency)")
    logarithmic(axes, "y")
    if is_paper_model:
        for bandwidth, text in PAPER.items():
            if bandwidth <= axes.get_xlim()[1]:
                axes.axvline(bandwidth, color="#333333", linewidth=0.7, linestyle=(0, (4, 2)))
                axes.annotate(text, (bandwidth, 1), xycoords=("data", "axes fraction"),
                              xytext=(3, -2), textcoords="offset points", va="top", ha="left",
                              fontsize="small")
    legend_above(axes, ncol=2)


def points(rows, column, factor):
    known = [row for row in rows if row[column] is not None]
    return ([row["bandwidthBitsPerSecond"] / 1e6 for row in known],
            [factor * row[column] for row in known])
