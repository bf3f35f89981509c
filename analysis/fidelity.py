#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draw a run of the scenario fidelity: iteration times at flow level against packet level.

Left, one time against the other, axes logarithmic, with the bands of 5 and 10 %. Right, by how
much flow level differs; a bar is what single runs at packet level would differ by, where packet
level is random. The worst cases, by the share of their limit, carry a letter that stands below with
the case.
"""

import textwrap
from pathlib import Path

from edgepipe.axes import open_frame, plain_numbers, steps_of
from edgepipe.pictures import (InputError, Parser, add_look, check_output, load_matplotlib,
                               new_figure, number, save, start)
from edgepipe.run_file import check_scenario
from edgepipe.tables import read_table

# Okabe and Ito's colours, told apart by colour-blind eyes; every link has a marker of its own too.
LINKS = {  # legend, colour, marker
    "lan": ("LAN", "#0072B2", "o"),
    "p2p": ("point-to-point", "#E69F00", "s"),
    "wifi": ("Wi-Fi", "#009E73", "^"),
    "3g": ("3G", "#CC79A7", "v"),
    "4g": ("4G", "#56B4E9", "D"),
    "lte": ("LTE", "#D55E00", "P"),
    "trace": ("recording", "#000000", "X"),
    "mixed": ("mixed", "#F0E442", "*"),
}
FARTHEST = 20  # percent; what differs by more stands at the edge of the right panel
BANDS = ((0.10, "#F2F2F2"), (0.05, "#E3E3E3"))
COLUMNS = {"case": str, "link": str, "status": str, "packetIterationSeconds": float,
           "packetLowestSeconds": float, "packetHighestSeconds": float,
           "flowIterationSeconds": float, "limit": float}


def main():
    options = parse_options()
    folder = Path(options.input)
    check_scenario(folder, __file__)
    path = folder / "results.csv"
    if not path.exists():
        raise InputError(f"{path}: no such file, expected a scenario's results; ./ns3 run "
                         "fidelity makes results/fidelity")
    cases = [Case(row) for row in read_table(path, COLUMNS) if row["status"] == "finished"]
    if not cases:
        raise InputError(f"{path}: no case has finished, nothing to draw")
    unknown = [case.link for case in cases if case.link not in LINKS]
    if unknown:
        raise InputError(f'{path}: link: found "{unknown[0]}", expected {", ".join(LINKS)}')
    out = check_output(options.out) if options.out else folder / "fidelity.png"
    load_matplotlib(options.font_size)
    save(draw(cases, options), out, options.dpi)
    print(f"{out}")


def parse_options():
    parser = Parser(__doc__)
    add = parser.add_argument
    add("input", nargs="?", default="results/fidelity", metavar="FOLDER",
        help="results of the scenario fidelity (default: results/fidelity)")
    add("-o", "--out", metavar="FILE",
        help="picture to write, its name ending in .png, .svg or .pdf (default: fidelity.png in "
        "the folder)")
    add("--worst", type=number(0, 26, int), default=6, metavar="N",
        help="cases to name (default: %(default)s)")
    add_look(parser, 7.2, least=4, what="picture", note=", two columns of a paper")
    return parser.parse_args()


class Case:
    def __init__(self, row):
        self.link, self.limit = row["link"], row["limit"]
        self.packet, self.flow = row["packetIterationSeconds"], row["flowIterationSeconds"]
        self.lowest, self.highest = row["packetLowestSeconds"], row["packetHighestSeconds"]
        words = dict(word.split("=", 1) for word in row["case"].split() if "=" in word)
        words.pop("link", None)
        leading = [words.pop(word, "") for word in ("model", "cluster", "planner")]
        rest = [f"{name.removeprefix('wifi-')} {value}" for name, value in words.items()]
        link = LINKS[self.link][0] if self.link in LINKS else self.link
        self.text = ", ".join(word for word in (link, *leading, *rest) if word)

    def difference(self):
        return self.flow / self.packet - 1


def draw(cases, options):
    worst = sorted(cases, key=lambda case: -abs(case.difference()) / case.limit)[:options.worst]
    letters = {id(case): chr(ord("a") + place) for place, case in enumerate(worst)}
    em = options.font_size / 72
    columns = max(40, int(options.width / (0.5 * em)))
    lines = []
    for case in worst:
        text = f"{letters[id(case)]}  {100 * case.difference():+.1f} %  {case.text}"
        lines += textwrap.wrap(text, columns, subsequent_indent="     ")
    top, bottom, panel = 2.4 * em, 3.6 * em, 0.44 * options.width
    notes = 1.35 * em * len(lines) + (1.2 * em if lines else 0)
    height = top + panel + bottom + notes
    figure = new_figure(options.width, height, dpi=options.dpi)
    left, gap = 5.6 * em, 5.4 * em
    width = (options.width - left - gap - 0.8 * em) / 2
    axes = [figure.add_axes(((left + place * (width + gap)) / options.width,
                             (bottom + notes) / height, width / options.width, panel / height))
            for place in range(2)]
    times = [time for case in cases for time in (case.packet, case.flow)]
    span = (min(times) / 1.4, max(times) * 1.4)
    draw_times(axes[0], cases, letters, span)
    draw_differences(axes[1], cases, letters, span)
    handles = legend_handles(cases)
    figure.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, 1), frameon=False,
                  ncol=len(handles))
    for place, line in enumerate(lines):
        figure.text(0.8 * em / options.width, (notes - 1.35 * em * place) / height, line,
                    va="top", ha="left", fontsize=0.95 * options.font_size)
    return figure


def legend_handles(cases):
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles = []
    for link, (label, colour, marker) in LINKS.items():
        count = sum(case.link == link for case in cases)
        if count:
            handles.append(Line2D([], [], color=colour, marker=marker, linestyle="", markersize=4,
                                  label=f"{label} ({count})"))
    return handles + [Patch(color=colour, label=f"within {100 * band:.0f} %")
                      for band, colour in reversed(BANDS)]


def draw_times(axes, cases, letters, span):
    for band, colour in BANDS:
        axes.fill_between(span, [end * (1 - band) for end in span],
                          [end * (1 + band) for end in span], color=colour, linewidth=0)
    axes.plot(span, span, color="#333333", linewidth=0.6)
    points(axes, cases, letters, lambda case: case.flow)
    axes.set_yscale("log")
    finish(axes, span)
    axes.set_ylim(span)
    axes.set_ylabel("time at flow level (s)")
    plain_numbers(axes.yaxis, steps_of(*span))


def draw_differences(axes, cases, letters, span):
    for band, colour in BANDS:
        axes.axhspan(-100 * band, 100 * band, color=colour, linewidth=0)
    axes.axhline(0, color="#333333", linewidth=0.6)
    for case in cases:
        if case.highest > case.lowest and abs(100 * case.difference()) <= FARTHEST:
            axes.vlines(case.packet, 100 * (case.flow / case.highest - 1),
                        100 * (case.flow / case.lowest - 1), color=LINKS[case.link][1],
                        linewidth=0.8, alpha=0.5)
    largest = min(FARTHEST, max(12, *(115 * abs(case.difference()) for case in cases)))

    def height(case):
        return max(-largest, min(largest, 100 * case.difference()))

    points(axes, cases, letters, height)
    for case in cases:
        if abs(100 * case.difference()) > largest:
            axes.annotate(f"{100 * case.difference():+.0f} %", (case.packet, height(case)),
                          xytext=(-4, 0), textcoords="offset points", ha="right", va="center")
    finish(axes, span)
    axes.set_ylim(-1.1 * largest, 1.1 * largest)
    axes.set_ylabel("flow less packet level (%)")


def points(axes, cases, letters, figure_of):
    for link, (_, colour, marker) in LINKS.items():
        chosen = [case for case in cases if case.link == link]
        axes.plot([case.packet for case in chosen], [figure_of(case) for case in chosen],
                  color=colour, marker=marker, linestyle="", markersize=3.8, alpha=0.85,
                  markeredgewidth=0)
    for case in cases:
        if id(case) in letters:
            axes.annotate(letters[id(case)], (case.packet, figure_of(case)), xytext=(3.5, 2.5),
                          textcoords="offset points", weight="bold")


def finish(axes, span):
    axes.set_xscale("log")
    axes.set_xlim(span)
    axes.set_xlabel("time at packet level (s)")
    plain_numbers(axes.xaxis, steps_of(*span))
    axes.tick_params(width=0.6, length=3)
    axes.tick_params(which="minor", width=0.4, length=1.5)
    open_frame(axes)


if __name__ == "__main__":
    start(main)
