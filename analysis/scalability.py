#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draw a run of the scenario scalability: what training gains, and what its simulation costs.

One row of panels for strong scaling where the devices of a site were swept, at the fewest
pipelines, one for weak scaling where pipelines were swept, at the most devices, and one for what
planning and simulating cost on this machine; of another workload than pipelines, one for weak scaling over its
devices and one for the costs. One line per planner, axes logarithmic; a case
without a plan or that stalled has no point, an efficiency below 0.01 % an arrow at 0.01 %. Figures
of other engines, from a file with the columns engine, devices, transfers, simulatedSeconds,
wallSeconds, transfersPerSecond and peakMemoryBytes such as tests/benchmark writes, are laid over
the costs; their work is not that of the cases.
"""

import math
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from edgepipe.axes import open_frame, plain_numbers
from edgepipe.pictures import (InputError, Parser, add_look, check_output, load_matplotlib,
                               new_figure, save, start)
from edgepipe.run_file import check_scenario
from edgepipe.tables import read_table

# Okabe and Ito's colours, told apart by colour-blind eyes; every line has a marker of its own too.
COLOURS = ["#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#F0E442", "#000000"]
MARKERS = ["o", "s", "^", "D", "v", "P", "X", "*"]
PEER_COLOURS = ["#555555", "#999999", "#BBBBBB"]
FEWEST_PERCENT = 0.01  # of efficiency, so that one idle sweep does not flatten all others
PLANNING = "\0planning"  # of labels that the legend leaves out

RESULTS = {"status": str, "iterationSeconds": float, "samplesPerSecond": float,
           "strongEfficiency": float, "weakEfficiency": float, "transfers": float, "model": str,
           "cluster": str, "link": str, "fidelity": str}
COSTS = {"decisionSeconds": float, "simulationSeconds": float, "microsecondsPerTransfer": float,
         "simulationPeakMemoryBytes": float}
# Of workloads other than pipelines, what else there is, and what there is not.
OTHER = {"workload": str, "requests": float, "microsecondsPerRequest": float}
NOT_OTHER = ("strongEfficiency", "transfers", "model", "cluster", "microsecondsPerTransfer")
KEY = {"planner": str, "devices": int, "pipelines": int}
PEERS = {"engine": str, "devices": int, "transfers": float, "simulatedSeconds": float,
         "wallSeconds": float, "transfersPerSecond": float, "peakMemoryBytes": float}
TEXT = {column for columns in (KEY, RESULTS, COSTS, PEERS)
        for column, kind in columns.items() if kind is str}
MAY_BE_EMPTY = {*RESULTS, *COSTS, *OTHER} - TEXT - {"transfers", "workload"}


def main():
    options = parse_options()
    folder = find_folder(options.input)
    cases = read_cases(folder)
    peers = read_table(Path(options.peers), PEERS) if options.peers else []
    out = check_output(options.out) if options.out else folder / "scalability.png"
    panels = choose_other_panels(cases) if is_other(folder) else choose_panels(cases, peers)
    load_matplotlib(options.font_size)
    save(draw(panels, cases, peers, options), out, options.dpi)
    print(f"{out}")


def parse_options():
    parser = Parser(__doc__)
    add = parser.add_argument
    add("input", nargs="?", default="results/scalability", metavar="FOLDER",
        help="results of the scenario scalability (default: results/scalability)")
    add("--peers", metavar="FILE.csv", help="figures of other engines (default: none)")
    add("-o", "--out", metavar="FILE",
        help="picture to write, its name ending in .png, .svg or .pdf (default: scalability.png in "
        "the folder)")
    add_look(parser, 9, least=3, what="picture")
    return parser.parse_args()


# ---- files --------------------------------------------------------------------------------------


def find_folder(text):
    folder = Path(text)
    check_scenario(folder, __file__)
    if not (folder / "results.csv").exists():
        raise InputError(f"{folder / 'results.csv'}: no such file, expected a scenario's results; "
                         "./ns3 run scalability makes results/scalability")
    return folder


def is_other(folder):
    """Whether the workload is another than pipelines."""
    with open(folder / "results.csv", encoding="utf-8", errors="replace") as file:
        return file.readline().startswith("workload,")


def read_cases(folder):
    """Rows of results.csv and costs.csv, joined."""
    other = is_other(folder)

    def columns(own, *more):
        return {**KEY, **{name: kind for name, kind in own.items()
                          if not (other and name in NOT_OTHER)},
                **{name: OTHER[name] for name in more if other}}

    costs = {tuple(row[column] for column in KEY): row
             for row in read_table(folder / "costs.csv", columns(COSTS, "microsecondsPerRequest"),
                                   MAY_BE_EMPTY)}
    cases = read_table(folder / "results.csv", columns(RESULTS, "workload", "requests"),
                       MAY_BE_EMPTY)
    for case in cases:
        key = tuple(case[column] for column in KEY)
        if key not in costs:
            raise InputError(f"{folder / 'costs.csv'}: no row for planner {key[0]}, {key[1]} "
                             f"devices, {key[2]} pipelines, which results.csv has")
        case.update(costs[key])
    if not any(case["status"] == "finished" for case in cases):
        raise InputError(f"{folder / 'results.csv'}: no case has finished, nothing to draw")
    return cases


# ---- what to show -------------------------------------------------------------------------------


@dataclass
class Line:
    label: str
    colour: str
    marker: str
    points: list  # (x, y)
    style: str = "-"


@dataclass
class Panel:
    title: str
    across: str
    lines: list
    ideal: float = None  # where to rule a line
    least: float = None  # points there stand for what lies below


def draw_lines(planners, chosen, across, figure, style="-", suffix=""):
    """A line per planner: a figure of the chosen cases over another one."""
    found = []
    for place, planner in enumerate(planners):
        points = [(across(case), figure(case)) for case in chosen
                  if case["planner"] == planner and figure(case)]
        if points:
            found.append(Line(planner + suffix, COLOURS[place % len(COLOURS)],
                              MARKERS[place % len(MARKERS)], sorted(points), style))
    return found


def choose_other_panels(cases):
    """Rows of panels of a workload other than pipelines."""
    lines = partial(draw_lines, list(dict.fromkeys(case["planner"] for case in cases)),
                    [case for case in cases if case["status"] == "finished"],
                    lambda case: case["devices"])
    training = cases[0]["workload"] == "data-parallel"

    def panel(title, column, *ideal, scale=1):
        return Panel(title, "workers" if training else "devices of a server",
                     lines(lambda case: scale * (case[column] or 0)), *ideal)

    return [("Weak scaling", [
        panel("iteration time (s)" if training else "response (s)", "iterationSeconds"),
        panel(f"throughput ({'samples' if training else 'requests'}/s)", "samplesPerSecond"),
        panel("weak efficiency (%)", "weakEfficiency", 100, FEWEST_PERCENT, scale=100),
    ]), ("Costs on this machine", [
        panel("wall time of the simulation (s)", "simulationSeconds"),
        panel("wall time per request (µs)", "microsecondsPerRequest"),
        panel("peak memory (MB)", "simulationPeakMemoryBytes", scale=1e-6),
    ])]


def choose_panels(cases, peers):
    """Rows of panels, each row with its heading."""
    finished = [case for case in cases if case["status"] == "finished"]
    devices = sorted({case["devices"] for case in cases})
    pipelines = sorted({case["pipelines"] for case in cases})
    planners = list(dict.fromkeys(case["planner"] for case in cases))
    strong = [case for case in finished if case["pipelines"] == pipelines[0]]
    weak = [case for case in finished if case["devices"] == devices[-1]]
    lines = partial(draw_lines, planners)

    def training(chosen, column, axis, kind):
        def across(case):
            return case[column]

        def percent(case):
            return max(100 * case[f"{kind}Efficiency"], FEWEST_PERCENT)

        return [
            Panel("iteration time (s)", axis,
                  lines(chosen, across, lambda case: case["iterationSeconds"])),
            Panel("throughput (samples/s)", axis,
                  lines(chosen, across, lambda case: case["samplesPerSecond"])),
            Panel(f"{kind} efficiency (%)", axis, lines(chosen, across, percent), 100, FEWEST_PERCENT),
        ]

    rows = []
    if len(devices) > 1:
        rows.append((f"Strong scaling, {count(pipelines[0], 'pipeline')}",
                     training(strong, "devices", "devices of the site", "strong")))
    if len(pipelines) > 1 or not rows:
        rows.append((f"Weak scaling, {count(devices[-1], 'device')} a pipeline",
                     training(weak, "pipelines", "pipelines side by side", "weak")))
    swept = weak if len(pipelines) > 1 else strong

    def total(case):
        return case["devices"] * case["pipelines"]

    planned, width = ((strong, "devices of the site") if len(devices) > 1 else
                      (weak, "devices in all"))
    rows.append(("Costs on this machine", [
        Panel("wall time of the simulation (s)", "devices in all",
              lines(swept, total, lambda case: case["simulationSeconds"]) +
              peer_lines(peers, lambda row: row["wallSeconds"])),
        Panel("wall time per transfer (µs)", "devices in all",
              lines(swept, total, lambda case: case["microsecondsPerTransfer"]) +
              peer_lines(peers, lambda row: 1e6 * row["wallSeconds"] / row["transfers"]
                         if row["transfers"] else None)),
        Panel("planning (dashed) and simulating (s)", width,
              lines(planned, total, lambda case: case["simulationSeconds"]) +
              lines(planned, total, lambda case: case["decisionSeconds"], "--", PLANNING)),
    ]))
    return rows


def peer_lines(peers, figure):
    found = []
    for place, engine in enumerate(dict.fromkeys(row["engine"] for row in peers)):
        points = [(row["devices"], figure(row)) for row in peers
                  if row["engine"] == engine and figure(row)]
        if points:
            found.append(Line(engine, PEER_COLOURS[place % len(PEER_COLOURS)],
                              MARKERS[-1 - place % len(MARKERS)], sorted(points), ":"))
    return found


def count(number_of, what):
    return f"{number_of} {what}" + ("" if number_of == 1 else "s")


# ---- the picture --------------------------------------------------------------------------------


def draw(rows, cases, peers, options):
    em = options.font_size / 72
    gap, left, panel = 5.2 * em, 4.4 * em, options.width / 4.4
    top, heading, foot = 4.6 * em, 3.2 * em, 4.6 * em
    height = top + len(rows) * (heading + panel + foot)
    figure = new_figure(options.width, height, dpi=options.dpi)
    width = (options.width - left - 1.2 * em - 2 * gap) / 3
    if width <= 0.4:
        raise InputError(f"--width: {options.width:g} in leaves no room for three panels")
    first = cases[0]
    what = first.get("workload") or f"{first['model']} on {first['cluster']}"
    figure.text(0.5, 1 - 1.3 * em / height, f"{what}, "
                f"{first['link']} at {first['fidelity']} level", ha="center", va="center",
                weight="bold")
    used = {}
    for place, (title, panels) in enumerate(rows):
        above = top + place * (heading + panel + foot)
        figure.text(left / options.width, 1 - (above + 0.8 * em) / height, title, weight="bold",
                    va="center", ha="left")
        for column, one in enumerate(panels):
            axes = figure.add_axes((
                (left + column * (width + gap)) / options.width,
                1 - (above + heading + panel) / height, width / options.width, panel / height))
            fill(axes, one)
            used.update({line.label: line for line in one.lines if not line.label.endswith(PLANNING)})
    from matplotlib.lines import Line2D

    figure.legend(handles=[Line2D([], [], color=line.colour, marker=line.marker, markersize=4,
                                  linewidth=1.2, linestyle=line.style, label=line.label)
                           for line in used.values()],
                  loc="upper center", bbox_to_anchor=(0.5, 1 - 2 * em / height), frameon=False,
                  ncol=min(len(used), 8))
    return figure


def fill(axes, panel):
    axes.set_title(panel.title, fontsize=axes.title.get_fontsize() / 1.2, loc="left")
    axes.set_xlabel(panel.across)
    for line in panel.lines:
        axes.plot(*zip(*line.points), color=line.colour, marker=line.marker, markersize=3.5,
                  linewidth=1.2, linestyle=line.style, markeredgewidth=0,
                  alpha=0.9 if line.style == "-" else 0.75)
    below = [(x, y, line.colour) for line in panel.lines for x, y in line.points
             if panel.least and y <= panel.least]
    for x, y, colour in below:
        axes.annotate("", (x, y), (0, -11), textcoords="offset points", annotation_clip=False,
                      arrowprops={"arrowstyle": "<-", "color": colour, "shrinkA": 0, "shrinkB": 2})
    if below:
        axes.set_title(f"arrow: below {panel.least:g}", fontsize=axes.title.get_fontsize() / 1.2,
                       loc="right")
    axes.set_xscale("log")
    axes.set_yscale("log")
    if panel.ideal:
        axes.axhline(panel.ideal, color="#333333", linewidth=0.6, linestyle=(0, (4, 2)), zorder=1)
    widen(axes)
    for axis in (axes.xaxis, axes.yaxis):
        low, high = axis.get_view_interval()
        plain_numbers(axis, (1, 2, 5) if high < 50 * low else (1, 3) if high < 1e3 * low else (1,))
    axes.tick_params(width=0.6, length=3)
    axes.tick_params(which="minor", width=0.4, length=1.5)
    axes.grid(color="#D0D0D0", linewidth=0.4)
    axes.set_axisbelow(True)
    open_frame(axes)


def widen(axes):
    """At least a factor of 4 across and up, so that equal figures do not look like a trend."""
    for get, put in ((axes.get_xlim, axes.set_xlim), (axes.get_ylim, axes.set_ylim)):
        low, high = get()
        if high / low < 4:
            middle = math.sqrt(low * high)
            put(middle / 2, middle * 2)


if __name__ == "__main__":
    start(main)
