# SPDX-License-Identifier: GPL-2.0-only
"""Common formatting of axes."""

WIDE = 5  # ratio of largest to smallest value above which an axis is logarithmic


def spread_out(axes, which, values, ends=()):
    """Makes an axis logarithmic if the values are far apart; otherwise a y axis starts at 0, or below what is
    negative. ends: of whiskers, which are on the axis too."""
    every = [*values, *ends]
    if values and min(values) > 0 and max(values) > WIDE * min(values):
        if which == "y":
            axes.set_ylim(min(one for one in every if one > 0) / 1.3, max(every) * 1.6)
        logarithmic(axes, which)
    elif which == "y":
        axes.set_ylim(min(0, 1.08 * min(every, default=0)), 1.08 * max(every, default=1) or 1)


def logarithmic(axes, which):
    axis = axes.xaxis if which == "x" else axes.yaxis
    (axes.set_xscale if which == "x" else axes.set_yscale)("log")
    plain_numbers(axis, steps_of(*axis.get_view_interval()), 15)


def steps_of(low, high):
    """Steps of each decade between two values at which tick labels do not overlap."""
    return ((1, 1.5, 2, 3, 4, 5, 7) if high < 10 * low else (1, 2, 5) if high < 50 * low
            else (1, 3) if high < 1e4 * low else (1,))


def plain_numbers(axis, steps, most=20):
    """Labels a logarithmic axis without exponents, at these steps of a decade."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axis.set_major_locator(LogLocator(subs=steps, numticks=most))
    axis.set_minor_formatter(NullFormatter())
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def thin_ticks(axes):
    axes.tick_params(width=0.6, length=3)
    axes.tick_params(which="minor", width=0.4, length=1.5)


def open_frame(axes):
    """Removes the lines at the top and on the right."""
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def tidy(axes, grid=None, ticks=True, **more):
    """An open frame and a pale grid: both, x, y or None; ticks: whether to make ticks thin."""
    if grid:
        axes.grid(axis=grid, color="#D0D0D0", linewidth=0.4)
    if ticks:
        axes.tick_params(width=0.6, length=3, **more)
    axes.set_axisbelow(True)
    open_frame(axes)


def legend_below(figure, axes, rest, **options):
    """A common legend below all panels; rest: share of the height for it."""
    figure.legend(*axes.get_legend_handles_labels(), loc="lower center", frameon=False, **options)
    figure.tight_layout(rect=(0, rest, 1, 1))


def legend_above(axes, **options):
    """A legend above the axes, in as many columns as fit."""
    inches = axes.figure.get_size_inches()[0] / axes.get_subplotspec().get_gridspec().ncols
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1), frameon=False, columnspacing=1.2,
                ncol=max(1, int(5 * inches / axes.xaxis.label.get_size())), **options)
