# SPDX-License-Identifier: GPL-2.0-only
"""Bandwidth, the plan in force and the latency of every frame over time, a panel per planner."""

import zlib

from edgepipe.axes import legend_above, spread_out, tidy
from edgepipe.looks import looks
from edgepipe.pictures import InputError, new_figure

# Pale enough for lines on top, told apart by colour-blind eyes and in grey. A partition's colour
# follows from its name, so that pictures of different runs agree wherever they can.
FIXED_COLOURS = {"all on the server": "#9ED5F5", "all on the device": "#E8E8E8"}
PARTITION_COLOURS = ["#FFD98F", "#8FD9C0", "#F0B8D6", "#F2A97C", "#B8B8B8", "#F7F09A"]
OTHER_PARTITIONS = "#FFFFFF"
MAX_CUT = 60  # letters of a partition's name in the legend
PANEL_INCHES = 0.95


def draw_timeline(run, options):
    device = choose_device(run, options.device)
    planners = [planner for planner in run.planners()
                if select(run.plans, planner, device) and select(run.frames, planner, device)]
    end = find_end(run, device)
    cuts = {plan["cut"] for plan in run.plans if plan["device"] == device}
    colours = {cut: colour for cut, colour in choose_colours(run).items() if cut in cuts}
    style = looks(run.planners())
    em = options.font_size / 72
    name = f", {device}" if run.results[0]["devices"] > 1 else ""
    title = run.title(int(options.width / (0.6 * em)), name)
    lines = title.count("\n") + 1
    top, gap, left, right = (5 + 1.2 * lines) * em, 2.2 * em, 5.6 * em, 1.2 * em  # inches
    foot = 5.6 * em + 1.55 * em * ((len(colours) + 1) // 2)
    sizes = [1.5 * PANEL_INCHES] + [PANEL_INCHES] * len(planners)
    height = top + sum(sizes) + gap * len(planners) + foot
    figure = new_figure(options.width, height, dpi=options.dpi)
    figure.text(0.5, 1 - 0.7 * em / height, title, ha="center", va="top", weight="bold")
    panels = []
    above = top
    for size in sizes:
        panels.append(figure.add_axes((
            left / options.width, 1 - (above + size) / height,
            1 - (left + right) / options.width, size / height),
            sharex=panels[0] if panels else None))
        above += size + gap
    fill_bandwidth(panels[0], run, planners, device, style, end)
    latencies = [1e3 * frame["latencySeconds"] for frame in run.frames
                 if frame["device"] == device and frame["latencySeconds"] is not None]
    for axes, planner in zip(panels[1:], planners):
        fill_planner(axes, run, planner, device, style, colours, end)
        spread_out(axes, "y", latencies)
    panels[-1].set_xlabel("simulated time (s)")
    panels[-1].set_xlim(0, end)
    for axes in panels:
        axes.yaxis.set_label_coords(-4.2 * em / (options.width - left - right), 0.5)
        tidy(axes, labelbottom=axes is panels[-1])
    add_legend(figure, colours, foot - 3.8 * em, height)
    return figure


def devices(run):
    return list(dict.fromkeys(plan["device"] for plan in run.plans))


def choose_device(run, name):
    known = devices(run)
    if name and name not in known:
        raise InputError(f'--device: found "{name}", expected one of: {", ".join(known)}')
    return name or known[0]


def find_end(run, device):
    """When the device's last frame ended, or arrived that never did."""
    return max((frame["arrivedSeconds"] + (frame["latencySeconds"] or 0) for frame in run.frames
                if frame["device"] == device and frame["arrivedSeconds"] is not None),
               default=0) or 1


def select(rows, planner, device):
    return [row for row in rows if row["planner"] == planner and row["device"] == device]


def spans(plans, end):
    """(begin, end, cut) of each stretch under one partition."""
    merged = []
    for place, plan in enumerate(plans):
        until = plans[place + 1]["inForceSeconds"] if place + 1 < len(plans) else end
        if merged and merged[-1][2] == plan["cut"]:
            merged[-1][1] = until
        else:
            merged.append([plan["inForceSeconds"], until, plan["cut"]])
    return merged


def choose_colours(run):
    """A colour for each partition of the run, whatever the device; those longest in force first,
    of which as many have a colour of their own as there are."""
    seconds = {}
    for device in devices(run):
        end = find_end(run, device)
        for planner in run.planners():
            for begin, until, cut in spans(select(run.plans, planner, device), end):
                seconds[cut] = seconds.get(cut, 0) + until - begin
    ordered = sorted(seconds, key=lambda cut: -seconds[cut])
    colours = dict.fromkeys(ordered, OTHER_PARTITIONS)
    colours.update({cut: FIXED_COLOURS[cut] for cut in ordered if cut in FIXED_COLOURS})
    own = [cut for cut in ordered if cut not in FIXED_COLOURS][:len(PARTITION_COLOURS)]
    free = list(range(len(PARTITION_COLOURS)))
    for cut in sorted(own):
        wanted = zlib.crc32(cut.encode()) % len(PARTITION_COLOURS)
        place = min(free, key=lambda each: (each - wanted) % len(PARTITION_COLOURS))
        free.remove(place)
        colours[cut] = PARTITION_COLOURS[place]
    return colours


def fill_bandwidth(axes, run, planners, device, style, end):
    """What there is, once, and what each planner's monitor takes it for."""
    truth = {}
    for planner in planners:
        for row in select(run.bandwidths, planner, device):
            if row["availableUplinkBitsPerSecond"] is None:
                continue
            truth[row["seconds"]] = row["availableUplinkBitsPerSecond"] / 1e6
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


def fill_planner(axes, run, planner, device, style, colours, end):
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
    dropped = [frame["arrivedSeconds"] for frame in frames if frame["status"] == "dropped"]
    if dropped:
        axes.plot(dropped, [0.97] * len(dropped), transform=axes.get_xaxis_transform(),
                  linestyle="", marker="x", markersize=2.5, markeredgewidth=0.6, color="#C00000")
    stuck = [frame["arrivedSeconds"] for frame in frames
             if frame["status"] == "unfinished" and frame["arrivedSeconds"] is not None]
    if stuck:
        axes.plot(stuck, [0.9] * len(stuck), transform=axes.get_xaxis_transform(), linestyle="",
                  marker="v", markersize=4, color="#C00000", clip_on=False)
    stall = run.stall(planner)
    changes = len(stretches) - 1
    axes.set_title(f"{planner}, {changes} change{'' if changes == 1 else 's'} of plan" +
                   (f", {len(dropped)} dropped (×)" if dropped else "") +
                   (f", {stall} frames ended" if stall else "") +
                   (" (▼ never did)" if stuck else ""),
                   fontsize=axes.title.get_fontsize() / 1.2, loc="left", pad=2)
    axes.set_ylabel("latency (ms)")


def add_legend(figure, colours, top, height):
    """top: inches from the bottom"""
    from matplotlib.patches import Patch

    def shorten(text):
        return text if len(text) <= MAX_CUT else text[:MAX_CUT - 1] + "…"

    named = [cut for cut, colour in colours.items() if colour != OTHER_PARTITIONS]
    handles = [Patch(facecolor=colours[cut], edgecolor="#888888", linewidth=0.4,
                     label=shorten(cut)) for cut in named]
    if len(named) < len(colours):
        handles.append(Patch(facecolor=OTHER_PARTITIONS, edgecolor="#888888", linewidth=0.4,
                             label=f"{len(colours) - len(named)} other partitions"))
    figure.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, top / height), ncol=2,
                  frameon=False, title="plan in force", handlelength=1.4, borderaxespad=0)
