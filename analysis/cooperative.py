#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draw a run of cooperative-inference, trace-replay or bandwidth-variation.

For the first two it writes latency.png, with latency, throughput and the distribution of latency by
planner, and timeline.png, with available and estimated bandwidth, the plan in force and the latency of
every frame. For bandwidth-variation it writes variation.png: latency and speed-up over bandwidth, as
figure 11 of the QDMP paper.
"""

from dataclasses import dataclass
from itertools import groupby

from edgepipe.axes import legend_above, logarithmic, spread_out, tidy
from edgepipe.drawing import draw_results
from edgepipe.looks import looks
from edgepipe.pictures import InputError, new_figure, new_panels, set_title, start
from edgepipe.tables import columns, read_table, unique

RESULTS = columns("planner model deviceType serverType network fidelity monitor status",
                  "finishedFrames droppedFrames predictedLatencySeconds meanLatencySeconds "
                  "p95LatencySeconds framesPerSecond", "devices")
MAY_BE_EMPTY = {"predictedLatencySeconds", "meanLatencySeconds", "p95LatencySeconds",
                "framesPerSecond"}
FRAMES = columns("planner device status", "arrivedSeconds latencySeconds")
PLANS = {"planner": str, "device": str, "partition": float, "inForceSeconds": float, "cut": str}
BANDWIDTHS = {"planner": str, "device": str, "seconds": float,
              "estimatedUplinkBitsPerSecond": float, "availableUplinkBitsPerSecond": float}
VARIATION = columns("planner model deviceType serverType link fidelity startUp status",
                    "bandwidthBitsPerSecond predictedLatencySeconds simulatedLatencySeconds "
                    "speedUpOverEdgeOnly speedUpOverCloudOnly")
VARIATION_MAY_BE_EMPTY = {"predictedLatencySeconds", "simulatedLatencySeconds",
                          "speedUpOverEdgeOnly", "speedUpOverCloudOnly"}


@dataclass
class Run:
    results: list
    frames: list
    plans: list
    bandwidths: list

    def planners(self):
        return [row["planner"] for row in self.results]

    def stall(self, planner):
        """For example "stalled, 3 of 40" (frames ended); empty if the planner's run finished."""
        row = next(row for row in self.results if row["planner"] == planner)
        frames = [frame for frame in self.frames if frame["planner"] == planner]
        ended = sum(frame["status"] != "unfinished" for frame in frames)
        return f"stalled, {ended} of {len(frames)}" if row["status"] == "stalled" else ""

    def title(self, more=""):
        """Title of a picture, with more appended."""
        first = self.results[0]
        many = f", {first['devices']} devices" if first["devices"] > 1 else ""
        return (f"{first['model']}, {first['deviceType']} and {first['serverType']}{many}, "
                f"{first['fidelity']} level, monitor {first['monitor']}\n{first['network']}{more}")


def is_variation(folder):
    path = folder / "results.csv"
    if not path.exists():
        raise InputError(f"{path}: No such file or directory, expected results of cooperative-inference, "
                         "trace-replay or bandwidth-variation")
    with open(path, encoding="utf-8", errors="replace") as file:
        return "simulatedLatencySeconds" in file.readline()


def read_run(folder):
    run = Run(read_table(folder / "results.csv", RESULTS, MAY_BE_EMPTY),
              read_table(folder / "frames.csv", FRAMES, {"arrivedSeconds", "latencySeconds"}),
              read_table(folder / "plans.csv", PLANS),
              read_table(folder / "bandwidth.csv", BANDWIDTHS, {"availableUplinkBitsPerSecond"}))
    if not any(row["finishedFrames"] for row in run.results):
        raise InputError(f"{folder / 'results.csv'}: no frame has finished, nothing to draw")
    ended = {(row["planner"], row["device"]) for row in run.frames if row["status"] == "finished"}
    wanted = {row["planner"] for row in run.results if row["finishedFrames"]}
    for name, missing in (("frames", [(one,) for one in wanted - {planner for planner, _ in ended}]),
                          *((name, ended - {(row["planner"], row["device"]) for row in rows})
                            for name, rows in (("plans", run.plans), ("bandwidth", run.bandwidths)))):
        for words in sorted(missing)[:1]:
            raise InputError(f'{folder / name}.csv: found nothing of {", ".join(words)}, expected a row')
    return run


# ---- latency and throughput ----------------------------------------------------------------------

def draw_latency(run, options):
    figure, (latency, throughput, distribution) = new_panels(options, 3, 0.36, run.title())
    planners = run.planners()
    style = looks(planners)
    fill_latency(latency, run, style)
    fill_throughput(throughput, run, style)
    fill_distribution(distribution, run, style)
    for axes in (latency, throughput, distribution):
        tidy(axes)
    return figure


PREDICTED = {"color": "black", "marker": 7, "markersize": 5, "clip_on": False}  # 7: a caret that points down
HATCHED = {"facecolor": "white", "hatch": "////", "linewidth": 0.8}  # bars not comparable with others


def fill_latency(axes, run, style):
    """A row per planner: mean, 95th percentile and prediction."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    for place, row in enumerate(run.results):
        colour = style[row["planner"]][0]
        stall = run.stall(row["planner"])
        bar = HATCHED | {"edgecolor": colour} if stall else {"color": colour}
        if row["meanLatencySeconds"] is not None:
            axes.barh(place - 0.18, 1e3 * row["meanLatencySeconds"], 0.36, **bar)
            axes.barh(place + 0.18, 1e3 * row["p95LatencySeconds"], 0.36, alpha=0.45, **bar)
        if stall:
            note(axes, run, place, f"{stall} frames ended", "p95LatencySeconds")
        elif row["predictedLatencySeconds"] is not None:
            # Its tip stands on the bar, which may be shorter than the mark is wide.
            axes.plot(1e3 * row["predictedLatencySeconds"], place - 0.36, **PREDICTED)
    name_planners(axes, run, "latency of a frame (ms)")
    handles = [Patch(color="#444444", label="mean"),
               Patch(color="#444444", alpha=0.45, label="95th percentile"),
               Line2D([], [], linestyle="", label="predicted mean, frame alone", **PREDICTED)]
    legend_above(axes, handles=handles, handlelength=1.2)


def note(axes, run, place, text, column):
    """A note in the row of a bar: in the bar where it is long, and at the end of the row where it is short."""
    bars = [row[column] or 0 for row in run.results]
    at, side = (1, "right") if 2 * bars[place] < max(bars) else (0, "left")
    axes.annotate(text, (at, place), xycoords=("axes fraction", "data"), ha=side, xytext=(3 - 6 * at, 0),
                  textcoords="offset points", va="center", color="black",
                  bbox={"boxstyle": "round,pad=0.15", "facecolor": "white", "alpha": 0.75, "linewidth": 0})


def fill_throughput(axes, run, style):
    dropped = any(row["droppedFrames"] for row in run.results)
    for place, row in enumerate(run.results):
        axes.barh(place, row["framesPerSecond"] or 0, 0.6, color=style[row["planner"]][0])
        if run.stall(row["planner"]):
            note(axes, run, place, "stalled", "framesPerSecond")
        elif dropped:
            total = row["finishedFrames"] + row["droppedFrames"]
            share = 100 * row["droppedFrames"] / total if total else 0
            note(axes, run, place, f"{share:.3g} % dropped" if share else "none dropped", "framesPerSecond")
    name_planners(axes, run, "frames/s with a result")
    axes.set_yticklabels([])


def fill_distribution(axes, run, style):
    """Cumulative distribution of latency; dashes keep coinciding lines visible."""
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
    axes.set(xlabel="latency of a frame (ms)", ylabel="frames that took at most so long (%)", ylim=(0, 101))
    axes.grid(color="#D0D0D0", linewidth=0.4)
    legend_above(axes, handlelength=2.2)


def name_planners(axes, run, label):
    axes.set_yticks(range(len(run.results)), run.planners())
    axes.set(ylim=(len(run.results) - 0.4, -0.6), xlabel=label)
    axes.set_xlim(left=0)
    axes.grid(axis="x", color="#D0D0D0", linewidth=0.4)


# ---- over time -----------------------------------------------------------------------------------

# Pale enough for lines on top; distinct for colour-blind readers and in grey.
FIXED_COLOURS = {"all on the server": "#9ED5F5", "all on the device": "#E8E8E8"}
PARTITION_COLOURS = ["#FFD98F", "#8FD9C0", "#F0B8D6", "#F2A97C", "#B8B8B8", "#F7F09A"]
OTHER_PARTITIONS = "#FFFFFF"
MAX_CUT = 60  # characters of a partition's name in the legend
PANEL_INCHES = 0.95


def draw_timeline(run, device, options):
    planners = [planner for planner in run.planners()
                if select(run.plans, planner, device) and select(run.frames, planner, device)]
    end = find_end(run, device)
    cuts = {plan["cut"] for plan in run.plans if plan["device"] == device}
    colours = {cut: colour for cut, colour in choose_colours(run).items() if cut in cuts}
    style = looks(run.planners())
    em = options.font_size / 72
    more = f"; frames of {device} alone" if len(devices(run)) > 1 else ""
    sizes = [1.5 * PANEL_INCHES] + [PANEL_INCHES] * len(planners)
    foot = 2 * em + 1.55 * em * ((len(colours) + 1) // 2)
    height = sum(sizes) + (9 + 3 * len(planners)) * em + foot
    figure = new_figure(options.width, height, dpi=options.dpi, layout="constrained")
    figure.get_layout_engine().set(rect=(0, foot / height, 1, 1 - foot / height))
    set_title(figure, run.title(more), options)
    panels = figure.subplots(len(sizes), 1, sharex=True, height_ratios=sizes, squeeze=False)[:, 0]
    fill_bandwidth(panels[0], run, planners, device, style, end)
    latencies = [1e3 * frame["latencySeconds"] for frame in run.frames
                 if frame["device"] == device and frame["latencySeconds"] is not None]
    for axes, planner in zip(panels[1:], planners):
        fill_planner(axes, run, planner, device, colours, end)
        spread_out(axes, "y", latencies)
    panels[-1].set(xlabel="simulated time (s)", xlim=(0, end))
    for axes in panels:
        tidy(axes, labelbottom=axes is panels[-1])
    figure.align_ylabels(panels)
    add_legend(figure, colours)
    return figure


def devices(run):
    return unique(plan["device"] for plan in run.plans)


def find_end(run, device):
    """When the device's last frame ended, or arrived if it never ended."""
    return max((frame["arrivedSeconds"] + (frame["latencySeconds"] or 0) for frame in run.frames
                if frame["device"] == device and frame["arrivedSeconds"] is not None),
               default=0) or 1


def select(rows, planner, device):
    return [row for row in rows if row["planner"] == planner and row["device"] == device]


def spans(plans, end):
    """[begin, end, cut] of each period under one partition."""
    begins = [next(same) for _, same in groupby(plans, lambda plan: plan["cut"])]
    ends = [*(plan["inForceSeconds"] for plan in begins[1:]), end]
    return [[plan["inForceSeconds"], until, plan["cut"]] for plan, until in zip(begins, ends)]


def choose_colours(run):
    """A colour for each partition of the run, on any device; those longest in force get colours of
    their own while these last."""
    seconds = {}
    for device in devices(run):
        end = find_end(run, device)
        for planner in run.planners():
            for begin, until, cut in spans(select(run.plans, planner, device), end):
                seconds[cut] = seconds.get(cut, 0) + until - begin
    ordered = sorted(seconds, key=lambda cut: -seconds[cut])
    own = [cut for cut in ordered if cut not in FIXED_COLOURS]
    return {**dict.fromkeys(ordered, OTHER_PARTITIONS), **dict(zip(own, PARTITION_COLOURS)),
            **{cut: colour for cut, colour in FIXED_COLOURS.items() if cut in seconds}}


def fill_bandwidth(axes, run, planners, device, style, end):
    """The available bandwidth, once, and each planner's estimate of it."""
    truth = {row["seconds"]: row["availableUplinkBitsPerSecond"] / 1e6 for planner in planners
             for row in select(run.bandwidths, planner, device)
             if row["availableUplinkBitsPerSecond"] is not None}
    times = sorted(truth)
    if times:
        steps = ([*times, end], [truth[time] for time in times] + [truth[times[-1]]])
        axes.fill_between(*steps, step="post", color="#DDDDDD", linewidth=0, label="available")
        axes.step(*steps, where="post", color="black", linewidth=0.4)
    for planner in planners:
        rows = select(run.bandwidths, planner, device)
        if rows:
            estimate = [row["estimatedUplinkBitsPerSecond"] / 1e6 for row in rows]
            axes.step([*(row["seconds"] for row in rows), end], [*estimate, estimate[-1]],
                      where="post", color=style[planner][0], linewidth=0.8,
                      label=f"estimated, {planner}")
    axes.set_ylabel("uplink (Mbit/s)")
    axes.set_ylim(bottom=0)
    axes.grid(color="#D0D0D0", linewidth=0.4)
    legend_above(axes, handlelength=1.6)


def fill_planner(axes, run, planner, device, colours, end):
    stretches = spans(select(run.plans, planner, device), end)
    for begin, until, cut in stretches:
        axes.axvspan(begin, until, color=colours[cut], linewidth=0, zorder=0)
    for begin, _, _ in stretches[1:]:
        axes.axvline(begin, color="#333333", linewidth=0.5, zorder=1)
    frames = select(run.frames, planner, device)
    done = [frame for frame in frames if frame["latencySeconds"] is not None]
    axes.plot([frame["arrivedSeconds"] for frame in done],
              [1e3 * frame["latencySeconds"] for frame in done], linestyle="", marker=".",
              markersize=3, color="black")
    dropped, stuck = ([frame["arrivedSeconds"] for frame in frames
                       if frame["status"] == status and frame["arrivedSeconds"] is not None]
                      for status in ("dropped", "unfinished"))
    for times, height, marker, size in ((dropped, 0.97, "x", 2.5), (stuck, 0.9, "v", 4)):
        if times:
            axes.plot(times, [height] * len(times), transform=axes.get_xaxis_transform(), linestyle="",
                      marker=marker, markersize=size, markeredgewidth=0.6, color="#C00000",
                      clip_on=times is dropped)
    stall = run.stall(planner)
    changes = len(stretches) - 1
    axes.set_title(f"{planner}, {changes} change{'' if changes == 1 else 's'} of plan" +
                   (f", {len(dropped)} dropped (×)" if dropped else "") +
                   (f", {stall} frames ended" if stall else "") +
                   (" (▼ never did)" if stuck else ""),
                   fontsize=axes.title.get_fontsize() / 1.2, loc="left", pad=2)
    axes.set_ylabel("latency (ms)")


def add_legend(figure, colours):
    from matplotlib.patches import Patch

    def shorten(text):
        return text if len(text) <= MAX_CUT else text[:MAX_CUT - 1] + "…"

    named = [cut for cut, colour in colours.items() if colour != OTHER_PARTITIONS]
    handles = [Patch(facecolor=colours[cut], edgecolor="#888888", linewidth=0.4,
                     label=shorten(cut)) for cut in named]
    if len(named) < len(colours):
        handles.append(Patch(facecolor=OTHER_PARTITIONS, edgecolor="#888888", linewidth=0.4,
                             label=f"{len(colours) - len(named)} other partitions"))
    figure.legend(handles=handles, loc="lower center", ncol=2, frameon=False, title="plan in force",
                  handlelength=1.4, borderaxespad=0)


# ---- over bandwidth ------------------------------------------------------------------------------

# Crossovers according to the QDMP paper (section 5.3), for ResNet-18 on its own devices, Mbit/s.
PAPER_MODEL = "resnet18"
PAPER = {2: "paper: cloud-only\nbeats edge-only", 12: "paper: all to\nthe server"}
REFERENCES = {"speedUpOverEdgeOnly": ("edge-only", "-"),
              "speedUpOverCloudOnly": ("cloud-only", (0, (5, 2)))}


def draw_variation(rows, options):
    first = rows[0]
    figure, (latency, speed_up) = new_panels(
        options, 2, 0.4, f"{first['model']}, {first['deviceType']} and {first['serverType']}, "
        f"{first['link']} at {first['fidelity']} level, frames alone, "
        f"{'without' if first['startUp'] == 'false' else 'with'} TCP's start-up")
    planners = unique(row["planner"] for row in rows)
    fill_simulated(latency, rows, looks(planners))
    fill_speed_up(speed_up, rows, looks(planners), first["model"] == PAPER_MODEL)
    for axes in (latency, speed_up):
        axes.set_xlabel("bandwidth of the link (Mbit/s)")
        axes.set_xlim(left=0)
        tidy(axes, "both")
    return figure


def fill_simulated(axes, rows, style):
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
    """Speed-up kappa of qdmp, or without it of every planner that is not a reference."""
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
    legend_above(axes)


def points(rows, column, factor):
    known = [row for row in rows if row[column] is not None]
    return ([row["bandwidthBitsPerSecond"] / 1e6 for row in known],
            [factor * row[column] for row in known])


# ---- the program ---------------------------------------------------------------------------------

def make(folder, options):
    if is_variation(folder):
        rows = read_table(folder / "results.csv", VARIATION, VARIATION_MAY_BE_EMPTY)
        if not any(row["simulatedLatencySeconds"] for row in rows):
            raise InputError(f"{folder / 'results.csv'}: no latency, nothing to draw")
        return {"variation": lambda: draw_variation(rows, options)}
    run = read_run(folder)
    known = devices(run)
    device = options.device or known[0]
    if device not in known:
        raise InputError(f'--device: found "{device}", expected one of: {", ".join(known)}')
    return {"latency": lambda: draw_latency(run, options),
            "timeline": lambda: draw_timeline(run, device, options)}


def add_options(parser):
    parser.add_argument("--device", metavar="NAME",
                        help="end device in timeline.png (default: the first in plans.csv)")


if __name__ == "__main__":
    start(lambda: draw_results(__doc__, __file__, "results/trace-replay", make, 9, add=add_options))
