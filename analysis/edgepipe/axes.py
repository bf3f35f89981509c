# SPDX-License-Identifier: GPL-2.0-only
"""Axes that pictures have in common."""

WIDE = 5  # the largest over the smallest, from which on an axis is logarithmic


def spread_out(axes, which, values):
    """Logarithmic if the values are far apart; otherwise up is from 0."""
    if values and min(values) > 0 and max(values) > WIDE * min(values):
        if which == "y":
            axes.set_ylim(min(values) / 1.3, max(values) * 1.6)
        logarithmic(axes, which)
    elif which == "y":
        axes.set_ylim(0, 1.08 * max(values, default=1) or 1)


def logarithmic(axes, which):
    axis = axes.xaxis if which == "x" else axes.yaxis
    (axes.set_xscale if which == "x" else axes.set_yscale)("log")
    plain_numbers(axis, steps_of(*axis.get_view_interval()), 15)


def steps_of(low, high):
    """Of each decade between two values the steps at which numbers have room beside each other."""
    return (1, 2, 5) if high < 50 * low else (1, 3) if high < 1e4 * low else (1,)


def plain_numbers(axis, steps, most=20):
    """Numbers without an exponent on a logarithmic axis, at these steps of a decade."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axis.set_major_locator(LogLocator(subs=steps, numticks=most))
    axis.set_minor_formatter(NullFormatter())
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def open_frame(axes):
    """No line above and to the right."""
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)

