# SPDX-License-Identifier: GPL-2.0-only
"""Latency, throughput and the distribution of latency by planner, side by side."""

from edgepipe.axes import legend_above, spread_out, tidy
from edgepipe.looks import looks
from edgepipe.pictures import new_figure


def draw_latency(run, options):
    em = options.font_size / 72
    title = run.title(int(options.width / (0.6 * em)))
    figure = new_figure(options.width, options.width * 0.36 + (title.count("\n") + 2) * em,
                        dpi=options.dpi, layout="constrained")
    figure.suptitle(title, fontsize=options.font_size, weight="bold")
    latency, throughput, distribution = figure.subplots(1, 3, width_ratios=(5, 3, 5))
    planners = run.planners()
    style = looks(planners)
    fill_latency(latency, run, style)
    fill_throughput(throughput, run, style)
    fill_distribution(distribution, run, style)
    for axes in (latency, throughput, distribution):
        tidy(axes)
    return figure


def fill_latency(axes, run, style):
    """Down: planners; each with its mean, 95th percentile and what was predicted."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    for place, row in enumerate(run.results):
        colour = style[row["planner"]][0]
        stall = run.stall(row["planner"])
        bar = hatched(colour) if stall else {"color": colour}
        if row["meanLatencySeconds"] is not None:
            axes.barh(place - 0.18, 1e3 * row["meanLatencySeconds"], 0.36, **bar)
            axes.barh(place + 0.18, 1e3 * row["p95LatencySeconds"], 0.36, alpha=0.45, **bar)
        if stall:
            note(axes, place, f"{stall} frames ended")
        elif row["predictedLatencySeconds"] is not None:
            axes.plot(1e3 * row["predictedLatencySeconds"], place - 0.18, marker="|",
                      color="black", markersize=9, markeredgewidth=1.6)
    name_planners(axes, run, "latency of a frame (ms)")
    handles = [Patch(color="#444444", label="mean"),
               Patch(color="#444444", alpha=0.45, label="95th percentile"),
               Line2D([], [], color="black", marker="|", linestyle="", markersize=8,
                      markeredgewidth=1.6, label="predicted mean, frame alone")]
    legend_above(axes, handles=handles, handlelength=1.2, columnspacing=1)


def hatched(colour):
    """A bar that is not comparable with others."""
    return {"facecolor": "white", "edgecolor": colour, "hatch": "////", "linewidth": 0.8}


def note(axes, place, text):
    axes.annotate(text, (0, place), xytext=(3, 0), textcoords="offset points", va="center",
                  color="black", bbox={"boxstyle": "round,pad=0.15", "facecolor": "white",
                                       "alpha": 0.75, "linewidth": 0})


def fill_throughput(axes, run, style):
    dropped = any(row["droppedFrames"] for row in run.results)
    for place, row in enumerate(run.results):
        axes.barh(place, row["framesPerSecond"] or 0, 0.6, color=style[row["planner"]][0])
        if run.stall(row["planner"]):
            note(axes, place, "stalled")
        elif dropped:
            total = row["finishedFrames"] + row["droppedFrames"]
            share = 100 * row["droppedFrames"] / total if total else 0
            note(axes, place, f"{share:.3g} % dropped" if share else "none dropped")
    name_planners(axes, run, "frames/s with a result")
    axes.set_yticklabels([])


def fill_distribution(axes, run, style):
    """Share of the frames that took at most so long; dashes tell lines apart that coincide."""
    dashes = ["-", (0, (5, 2)), (0, (2, 1.5)), (0, (7, 2, 1, 2)), (0, (1, 1))]
    for place, planner in enumerate(run.planners()):
        latencies = sorted(1e3 * frame["latencySeconds"] for frame in run.frames
                           if frame["planner"] == planner and frame["latencySeconds"] is not None)
        if not latencies:
            continue
        share = [100 * (i + 1) / len(latencies) for i in range(len(latencies))]
        axes.step([latencies[0], *latencies], [0, *share], where="post",
                  color=style[planner][0], linewidth=1.4, label=planner + (" (stalled)" if run.stall(planner) else ""),
                  linestyle=dashes[place % len(dashes)])
    spread_out(axes, "x", [1e3 * frame["latencySeconds"] for frame in run.frames
                           if frame["latencySeconds"] is not None])
    axes.set_xlabel("latency of a frame (ms)")
    axes.set_ylabel("frames that took at most so long (%)")
    axes.set_ylim(0, 101)
    axes.grid(color="#D0D0D0", linewidth=0.4)
    legend_above(axes, handlelength=2.2, columnspacing=1)


def name_planners(axes, run, label):
    axes.set_yticks(range(len(run.results)), run.planners())
    axes.set_ylim(len(run.results) - 0.4, -0.6)
    axes.set_xlabel(label)
    axes.set_xlim(left=0)
    axes.grid(axis="x", color="#D0D0D0", linewidth=0.4)
