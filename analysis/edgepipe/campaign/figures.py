# SPDX-License-Identifier: GPL-2.0-only
"""Figures of a study: means with confidence intervals, a line per subject of comparison."""

from edgepipe.axes import open_frame, spread_out
from edgepipe.campaign.values import axis_of, sort_key
from edgepipe.campaign.units import scale_of, unit_of
from edgepipe.looks import looks
from edgepipe.pictures import new_figure
from edgepipe.tables import unique

MOST_PANELS = 6
COLUMNS = 3
MOST_TITLE = 40
DASH = 4  # of lines that lie on each other, in their widths


def scale(summary, name):
    """Title of a figure's axis, and the factor of its values."""
    means = [interval[0] for group in summary.groups if (interval := group.interval(name))]
    return scale_of(name, summary.figures, max(map(abs, means), default=0))


def draw(summary, name):
    """A panel for each combination of the other keys; returns the figure and the number of omitted panels."""
    x = summary.x or summary.subject
    others = [key for key in summary.keys if key not in (x, summary.subject)]
    panels = unique(tuple(group.keys[key] for key in others) for group in summary.groups)
    shown = sorted(panels, key=lambda panel: [sort_key(one) for one in panel])[:MOST_PANELS]
    columns = 2 if len(shown) == 4 else min(COLUMNS, len(shown))
    rows = -(-len(shown) // columns)
    figure = new_figure(max(3.5, 2.5 * columns), 2.4 * rows + 0.4, 150, layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True)
    subjects = unique(group.keys.get(summary.subject, "") for group in summary.groups)
    styles = looks(list(map(str, subjects)))
    xs = unique(group.keys.get(x, "") for group in summary.groups)
    if x != summary.subject:
        xs.sort(key=sort_key)
    numbers, unit = axis_of(xs) or (None, "")
    is_axis = numbers is not None and len(xs) > 1
    places = dict(zip(xs, numbers if is_axis else range(len(xs))))
    title, factor = scale(summary, name)
    values, ends = [], []
    courses = {}
    for number, panel in enumerate(shown):
        axes = grid[number // columns][number % columns]
        for subject in subjects:
            points = [(places[group.keys.get(x, "")], interval and [factor * one for one in interval[:2]])
                      for group in summary.groups if group.keys.get(summary.subject, "") == subject
                      and tuple(group.keys[key] for key in others) == panel
                      for interval in [group.interval(name)]]
            points = sorted((place, interval) for place, interval in points if interval)
            if points:
                values += [interval[0] for _, interval in points]
                ends += [interval[0] + sign * interval[1] for _, interval in points for sign in (-1, 1)]
                colour, marker = styles[str(subject)]
                line = axes.errorbar([place for place, _ in points], [one[0] for _, one in points],
                                     yerr=[one[1] for _, one in points], color=colour, marker=marker,
                                     markersize=3.5, linewidth=1, capsize=2, elinewidth=0.7).lines[0]
                course = tuple((place, f"{one[0]:.2g}") for place, one in points)
                courses.setdefault((number, course), {})[str(subject)] = line
        if others:
            heading = ", ".join(f"{key.lstrip('-')} {value}" for key, value in zip(others, panel) if value != "")
            axes.set_title(heading if len(heading) <= MOST_TITLE else heading[:MOST_TITLE - 3] + "...",
                           fontsize=7)
        open_frame(axes)
    for number in range(len(shown), rows * columns):
        grid[number // columns][number % columns].set_visible(False)
        grid[number // columns - 1][number % columns].tick_params(labelbottom=True)
    spread_out(grid[0][0], "y", values, ends)
    if is_axis:
        numbers.sort()
        if min(numbers) > 0 and max(numbers) > 5 * min(numbers):
            grid[0][0].set_xscale("log")
        for axes in grid.flat:
            axes.set_xticks(numbers if len(numbers) <= 8 else numbers[::-(-len(numbers) // 8)])
            axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
            axes.minorticks_off()
    else:
        grid[0][0].set_xticks(range(len(xs)), [str(one) for one in xs])
        grid[0][0].set_xlim(-0.5, len(xs) - 0.5)
    unit = unit or unit_of(x, summary.figures) * is_axis
    figure.supxlabel(x.lstrip("-") + f" ({unit})" * bool(unit), fontsize=8)
    figure.supylabel(title, fontsize=8)
    show_all(courses.values())
    drawn = {name for lines in courses.values() for name in lines}
    if len(drawn) > 1 and x != summary.subject:
        add_legend(figure, {name: look for name, look in styles.items() if name in drawn})
    return figure, len(panels) - len(shown)


def show_all(courses):
    """Lines that lie on each other take turns along their way, and markers below stand out."""
    for lines in courses:
        for turn, line in enumerate(lines.values()):
            if len(lines) > 1:
                line.set_linestyle((-turn * DASH, (DASH, (len(lines) - 1) * DASH)))
                line.set_markersize(line.get_markersize() * (1 + (len(lines) - 1 - turn) / len(lines)))


def add_legend(figure, styles):
    """A legend above all panels, in as many columns as the figure is wide enough for."""
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], color=colour, marker=marker, markersize=3.5, linewidth=1)
               for colour, marker in styles.values()]
    width, height = figure.get_size_inches() * figure.dpi
    for columns in range(min(len(styles), 6), 0, -1):
        legend = figure.legend(handles, styles, loc="upper center", ncols=columns, frameon=False, borderaxespad=0)
        box = legend.get_window_extent(figure.canvas.get_renderer())
        if box.width <= width or columns == 1:
            break
        legend.remove()
    figure.get_layout_engine().set(rect=(0, 0, 1, 1 - (box.height + 4) / height))
