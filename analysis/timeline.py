#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draw a run as a Gantt chart: devices down, time across.

One panel per case, all on one time axis. Devices are in the order of their first task, which is that
of the pipeline; idle devices are left out. Tasks show the number of their micro-batch where it fits.
Transfers of a device run below its tasks, control messages last. Bubbles, a device's idle times between
its first and last task of an iteration, are pale. Above a panel are the duration, idle rate and bubble
rate of its iterations, from iterations.csv. Where neighbours help each other, marks above the tasks show
requests for work and grants of samples.
"""

import math
from itertools import cycle
from pathlib import Path

from edgepipe.axes import tidy
from edgepipe.chrome_trace import CONTROL, read_cases
from edgepipe.drawing import save_all
from edgepipe.pictures import InputError, Parser, add_look, check_output, new_figure, number, start
from edgepipe.run_file import check_scenario, read_run
from edgepipe.tables import read_table

# Okabe and Ito's palette, for colour-blind readers; forward and backward also differ in grey. Every kind
# of task or transfer in pipeline training has its own colour, the same in every picture.
KINDS = {  # legend, colour
    "forward": ("forward", "#0072B2"),
    "backward": ("backward", "#E69F00"),
    "assist-forward": ("forward for a neighbour", "#7FB2D9"),
    "assist-backward": ("backward for a neighbour", "#F3CE80"),
    "update": ("weight update", "#009E73"),
    "planning": ("planning", "#F0E442"),
    "activations": ("sends activations", "#56B4E9"),
    "gradients": ("sends gradients", "#D55E00"),
    "activation-parts": ("sends activations to its head", "#88CCEE"),
    "gradient-parts": ("sends gradients to its head", "#EE8866"),
    "weights": ("lends weights to a helper", "#CC79A7"),
    "grant": ("hands over samples", "#332288"),
    "result": ("returns their results", "#44AA99"),
    "weight-gradients": ("returns weight gradients", "#661100"),
    "group-gradients": ("sums gradients in its group", "#882255"),
    "tied-gradients": ("sums gradients of weights that several stages hold", "#882255"),
    "layer-weights": ("moves layers to another device", "#999933"),
    "block": ("blocks", "#0072B2"),
    "attention": ("attention", "#E69F00"),
    "experts": ("experts", "#CC79A7"),
    "draft": ("draft model", "#999933"),
    "head": ("head", "#009E73"),
    "sending": ("handles what it sends", "#F0E442"),
    "receiving": ("handles what it receives", "#88CCEE"),
    "exchange": ("sends to other nodes", "#D55E00"),
}
CONTROL_LOOK = ("control messages", "#8C8C8C")
OTHER_COLOURS = ("#000000", "#6699CC", "#AA4499", "#DDCC77")  # for kinds of other workloads
LANES = {"activations": 0, "gradients": 1}  # of transfers, from the top
DATA_LANE, CONTROL_LANE = 2, 3  # of other data, and of control messages
MARKS = {  # legend, marker, colour, size; frequent ones are small and pale
    "request": ("asks for work", "v", "#8C8C8C", 1.2),
    "refusal": ("refuses", "x", "#8C8C8C", 1.2),
    "grant": ("grants samples", "^", "#000000", 2.2),
    "merge": ("merges gradients", "*", "#000000", 2.6),
}
IDLE = ("bubble (idle in between)", "#E3E3E3")
BOUNDARY = ("iteration boundary", "#333333")
MAX_BOUNDARIES = 40  # more would hide the iterations

MARK = 0.07  # position of marks in a row, from its top
TASK = (0.14, 0.68)  # part of a row with tasks
TRANSFERS = (0.72, 0.96)  # part with transfers
ROOM = 1.005  # margin after the last end, as a factor, so that its edge is visible
MAX_PIXELS = 60000  # Agg's limit is below 65536


def main():
    options = parse_options()
    path = find_timeline(options.input)
    cases = choose_cases(read_cases(path), options.case, path)
    views = choose_window(cases, options)
    options.clock = "real" if is_real(path.parent) else "simulated"
    rates = read_rates(path.parent, cases) if options.clock == "simulated" else {}
    for view in views:
        view.rates = [rates[view.case.name, number] for number in view.finished()
                      if (view.case.name, number) in rates]
    out = check_output(options.out) if options.out else path.with_suffix(".png")
    save_all({out: lambda: Picture(views, options).figure}, options)


# ---- options ------------------------------------------------------------------------------------

def parse_options():
    parser = Parser(__doc__)
    add = parser.add_argument
    add("input", nargs="?", default="results/quickstart", metavar="FOLDER|FILE",
        help="results of a scenario, or its timeline.json (default: results/quickstart)")
    add("--case", action="append", metavar="NAME",
        help="case to draw, such as a planner; may be repeated (default: all, in the order of the file)")
    add("--iteration", type=number(0, 1e9, int), metavar="K",
        help="draw only iteration K, counted from 0, with time from its start (default: the whole run)")
    add("--from", dest="begin", type=number(0, 1e9), metavar="S",
        help="simulated time at which the picture starts, seconds (default: 0)")
    add("--to", dest="end", type=number(0, 1e9), metavar="S",
        help="simulated time at which the picture ends, seconds (default: the end of the longest case)")
    add("-o", "--out", metavar="FILE",
        help="picture to write, a .png, .svg or .pdf file (default: a .png named like the timeline, "
        "beside it)")
    add_look(parser, 7.2, least=3, what="picture", note=", two columns of a paper")
    add("--row-height", type=number(0.1, 2), metavar="IN",
        help="height of a device's row, inches (default: 0.34, down to 0.16 if there are many "
        "devices)")
    options = parser.parse_args()
    if options.iteration is not None and (options.begin, options.end) != (None, None):
        parser.error("--iteration and --from or --to do not go together")
    return options


def find_timeline(text):
    path = Path(text)
    if path.is_dir():
        if not (path / "timeline.json").exists():
            check_scenario(path, __file__)
        path = path / "timeline.json"
    if not path.exists():
        raise InputError(f"{path}: no such file, expected a scenario's results; ./ns3 run "
                         "quickstart makes results/quickstart")
    return path


def choose_cases(cases, names, path):
    if not names:
        return cases
    known = {case.name: case for case in cases}
    for name in names:
        if name not in known:
            raise InputError(f'--case: "{name}" is not in {path}, which has {", ".join(known)}')
    return [known[name] for name in dict.fromkeys(names)]


def is_real(folder):
    """Whether these are results of traces/capture/run_testbed.py, which have no rates."""
    return (folder / "run.json").exists() and "testbed" in read_run(folder / "run.json")


def read_rates(folder, cases):
    """Idle and bubble rate by case and iteration, if iterations.csv is beside the timeline."""
    columns = {"iteration": float, "idleRate": float, "bubbleRate": float}
    tables = [(case.name, folder / f"{case.name}-iterations.csv", {}) for case in cases]  # written by a TelemetryHelper
    tables[:0] = [("", folder / "iterations.csv", {"case": str, "planner": str})]
    rates = {}
    for name, path, more in tables:
        for row in read_table(path, {**more, **columns}, least=0) if path.exists() else []:
            for key in [name] if name else [row["case"], row["planner"]]:
                rates[key, row["iteration"]] = (row["idleRate"], row["bubbleRate"])
    return rates


# ---- what to show -------------------------------------------------------------------------------

def lane(span):
    """Lane of a transfer below the device's tasks."""
    return CONTROL_LANE if span.kind in CONTROL else LANES.get(span.kind, DATA_LANE)


class View:
    """The part of a case in the window; times in seconds of the case's own clock."""

    def __init__(self, case, begin, end, only=None):
        """only: the one iteration to show, or None"""
        self.case, self.begin, self.end = case, begin, end
        self.iterations = {
            number: iteration for number, iteration in case.iterations.items()
            if (number == only if only is not None else iteration.start < end and iteration.end > begin)}
        spans = [span for span in case.spans if span.start < end and span.end > begin
                 and (only is None or span.iteration == only)]
        drawn = {span.device for span in spans if span.kind not in CONTROL}
        self.spans = [span for span in spans if span.device in drawn]
        self.marks = [mark for mark in case.marks
                      if mark.kind in MARKS and begin <= mark.time < end and mark.device in drawn]
        self.devices = [device for device in case.devices() if device in drawn]
        self.rates = []  # idle and bubble rate of each finished iteration

    def finished(self):
        return {number: iteration for number, iteration in self.iterations.items()
                if iteration.finished}

    def summary(self, factor, unit):
        """Figures for the title; factor: units per second."""
        finished = self.finished()
        parts = []
        if finished:
            seconds = sum(i.end - i.start for i in finished.values()) / len(finished)
            what = ("iteration" if len(self.case.iterations) == 1 else
                    f"iteration {next(iter(finished))}:" if len(finished) == 1 else
                    f"mean of {len(finished)} iterations:")
            parts.append(f"{what} {seconds * factor:.4g} {unit}")
            parts += [f"{name} {100 * sum(values) / len(values):.1f} %"
                      for name, values in zip(("idle", "bubbles"), zip(*self.rates))]
        unfinished = [str(n) for n, i in self.iterations.items() if not i.finished]
        if unfinished:
            parts.append(f"iteration {', '.join(unfinished)} did not finish")
        return ", ".join(parts + [f"{len(self.devices)} device{'s' * (len(self.devices) != 1)}"])


def choose_window(cases, options):
    if options.iteration is None:
        begin = options.begin or 0
        last = max(case.end for case in cases)
        end = ROOM * last if options.end is None else options.end
        if not begin < end:
            raise InputError(f"--from {begin:g} to {end:g} s: nothing to draw, the run ends at "
                             f"{last:.6g} s")
        views = [View(case, begin, end) for case in cases]
    else:
        for case in cases:
            if options.iteration not in case.iterations:
                numbers = list(case.iterations) or ["none"]
                raise InputError(f"--iteration: found {options.iteration}, but {case.name} has "
                                 f"iterations {numbers[0]} to {numbers[-1]}")
        spans = [case.iterations[options.iteration] for case in cases]
        longest = ROOM * max(span.end - span.start for span in spans)
        views = [View(case, span.start, span.start + longest, options.iteration)
                 for case, span in zip(cases, spans)]
    views = [view for view in views if view.spans]
    if not views:
        raise InputError("no task and no transfer of data in that time, nothing to draw")
    return views


# ---- the picture --------------------------------------------------------------------------------

class Picture:
    """Lays out the panels, in inches from the top left, and fills them."""

    def __init__(self, views, options):
        self.views, self.options = views, options
        self.em = options.font_size / 72
        self.relative = options.iteration is not None
        self.kinds = self._kinds()
        self.lanes = sorted({lane(span) for view in views for span in view.spans
                             if span.category != "task"})
        rows = sum(len(view.devices) for view in views)
        self.row = options.row_height or min(0.34, max(0.16, 9 / rows))
        handles = self._handles()
        columns = max(1, int(5 * options.width / options.font_size))
        legend_height = (1.5 * math.ceil(len(handles) / columns) + 1) * self.em
        longest = max(len(device) for view in views for device in view.devices)
        self.label_size = min(options.font_size, 0.75 * self.row * 72)
        left = 0.6 * self.label_size / 72 * longest + 1.5 * self.em
        title, foot, right = 2.4 * self.em, 3 * self.em + 0.14, 1.6 * self.em
        height = legend_height + sum(title + len(view.devices) * self.row for view in views) + foot
        if max(height, options.width) * options.dpi > MAX_PIXELS:
            raise InputError(f"the picture would be {options.width:.0f} in by {height:.0f} in at "
                             f"{options.dpi} dpi; choose a --case or a smaller --dpi")
        if left > options.width / 2:
            raise InputError(f"--width: {options.width:g} in leaves no room beside the devices' "
                             "names")
        self.figure = new_figure(options.width, height, options.dpi)
        self.figure.legend(handles=handles, ncol=columns, loc="upper center", frameon=False,
                           handlelength=1.2, handleheight=0.9, columnspacing=1.2, handletextpad=0.5)
        self.span = max(view.end - view.begin for view in views)
        self.factor, self.unit = ((1, "s") if self.span >= 1 else
                                  (1e3, "ms") if self.span >= 1e-3 else (1e6, "µs"))
        self.points_per_second = (options.width - left - right) * 72 / self.span
        top = legend_height
        for view in views:
            top += title
            panel = len(view.devices) * self.row
            axes = self.figure.add_axes((left / options.width, 1 - (top + panel) / height,
                                         1 - (left + right) / options.width, panel / height))
            self._title(axes, view)
            self._panel(axes, view, last=view is views[-1])
            top += panel

    def _kinds(self):
        """Legend and colour of every kind in the picture, in order of the legend."""
        found = {span.kind for view in self.views for span in view.spans}
        kinds = {kind: look for kind, look in KINDS.items() if kind in found}
        others = sorted(found - KINDS.keys() - CONTROL)
        kinds.update((kind, (kind, colour)) for kind, colour in zip(others, cycle(OTHER_COLOURS)))
        kinds.update((kind, CONTROL_LOOK) for kind in sorted(found & CONTROL))
        return kinds

    def _boundaries(self):
        most = max(len(view.iterations) for view in self.views)
        return not self.relative and 1 < most <= MAX_BOUNDARIES

    def _handles(self):
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch

        looks = list(dict.fromkeys(self.kinds.values())) + [IDLE]
        handles = [Patch(facecolor=colour, label=label) for label, colour in looks]
        marked = {mark.kind for view in self.views for mark in view.marks}
        handles += [Line2D([], [], color=colour, marker=marker, markersize=3, linestyle="none",
                           label=label)
                    for kind, (label, marker, colour, _) in MARKS.items() if kind in marked]
        if self._boundaries():
            handles.append(Line2D([], [], color=BOUNDARY[1], linewidth=0.6, linestyle=(0, (4, 2)),
                                  label=BOUNDARY[0]))
        return handles

    def _title(self, axes, view):
        name, figures = view.case.name, "   " + view.summary(self.factor, self.unit)
        room = axes.get_position().width * self.options.width * 72
        look = {"fontsize": min(self.options.font_size, room / (0.6 * len(name + figures))),
                "va": "bottom", "annotation_clip": False}
        first = axes.annotate(name, (0, 1), (0, 3), xycoords="axes fraction", textcoords="offset points",
                              weight="bold", **look)
        axes.annotate(figures, (1, 0), xycoords=first, **look)

    def _panel(self, axes, view, last):
        from matplotlib.ticker import MaxNLocator

        origin = view.begin if self.relative else 0
        rows = {device: row for row, device in enumerate(view.devices)}

        def across(seconds):
            return (seconds - origin) * self.factor

        axes.set(xlim=(across(view.begin), across(view.end)), ylim=(len(rows), 0))
        axes.set_yticks([row + sum(TASK) / 2 for row in rows.values()], list(rows),
                        fontsize=self.label_size)
        axes.xaxis.set_major_locator(MaxNLocator(max(4, int(self.options.width)),
                                                 steps=[1, 2, 5, 10]))
        tidy(axes, "x", left=False, labelbottom=last)
        axes.hlines(range(1, len(rows)), 0, 1, transform=axes.get_yaxis_transform(),
                    color="#EEEEEE", linewidth=0.4, zorder=0.5)
        if last:
            axes.set_xlabel(f"time since iteration {self.options.iteration} began ({self.unit})"
                            if self.relative else f"{self.options.clock} time ({self.unit})")

        gaps = [gap for iteration in view.iterations.values() for gap in iteration.idle()
                if gap[0] in rows]
        self._boxes(axes, [(across(start), across(end), rows[device], TASK)
                           for device, start, end in gaps], IDLE[1], zorder=1)
        height = (TRANSFERS[1] - TRANSFERS[0]) / max(1, len(self.lanes))
        boxes = {kind: [] for kind in self.kinds}
        for span in view.spans:
            part = TASK
            if span.category != "task":
                top = TRANSFERS[0] + self.lanes.index(lane(span)) * height
                part = (top, top + height)
            boxes[span.kind].append((across(span.start), across(span.end), rows[span.device], part))
        for kind, (_, colour) in self.kinds.items():
            self._boxes(axes, boxes[kind], colour, zorder=2)
        self._numbers(axes, view, rows, across)
        for kind, (_, marker, colour, size) in MARKS.items():
            marks = [mark for mark in view.marks if mark.kind == kind]
            axes.plot([across(mark.time) for mark in marks],
                      [rows[mark.device] + MARK for mark in marks], linestyle="none",
                      color=colour, marker=marker, markersize=size, markeredgewidth=0.3, zorder=5,
                      rasterized=len(marks) > 5000)
        if self._boundaries():
            times = {time for i in view.iterations.values() for time in (i.start, i.end)}
            axes.vlines([across(time) for time in sorted(times)], 0, len(rows), zorder=3,
                        color=BOUNDARY[1], linewidth=0.6, linestyle=(0, (4, 2)))

    def _boxes(self, axes, boxes, colour, zorder):
        """Draws (left, right, row, (top, bottom)) boxes, with white edges where wide enough."""
        from matplotlib.collections import PolyCollection

        least = 1.5 * self.factor / self.points_per_second
        corners = [((left, row + top), (right, row + top), (right, row + bottom), (left, row + bottom))
                   for left, right, row, (top, bottom) in boxes]
        edges = ["white" if right - left >= least else colour for left, right, *_ in boxes]
        axes.add_collection(PolyCollection(corners, facecolors=colour, edgecolors=edges, linewidths=0.3,
                                           zorder=zorder, rasterized=len(boxes) > 5000),  # keeps .svg and .pdf small
                            autolim=False)

    def _numbers(self, axes, view, rows, across):
        """Micro-batch numbers in the tasks they fit into."""
        from matplotlib.colors import to_rgb

        size = min(self.options.font_size - 1, 0.8 * (TASK[1] - TASK[0]) * self.row * 72)
        ink = {}
        for kind, (_, colour) in self.kinds.items():
            red, green, blue = to_rgb(colour)
            ink[kind] = "white" if 0.3 * red + 0.59 * green + 0.11 * blue < 0.5 else "black"
        for span in view.spans:
            if span.category != "task" or span.micro_batch is None:
                continue
            text = str(span.micro_batch)
            start, end = max(span.start, view.begin), min(span.end, view.end)
            if (end - start) * self.points_per_second >= 0.65 * size * len(text) + 1:
                axes.text(across((start + end) / 2), rows[span.device] + sum(TASK) / 2, text,
                          fontsize=size, color=ink[span.kind], ha="center", va="center_baseline",
                          zorder=4)


if __name__ == "__main__":
    start(main)
