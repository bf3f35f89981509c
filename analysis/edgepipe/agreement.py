# SPDX-License-Identifier: GPL-2.0-only
"""A picture of times against a reference: both on logarithmic axes, and their relative differences."""

import math
from dataclasses import dataclass

from edgepipe.axes import open_frame, plain_numbers, steps_of, thin_ticks
from edgepipe.pictures import new_panels

GREYS = ("#F2F2F2", "#E3E3E3")
FARTHEST = 20  # percent; larger differences are drawn at the edge of the second panel


@dataclass
class Point:
    series: str
    reference: float  # s
    lowest: float  # of the reference's single runs, s
    highest: float
    value: float  # s

    def percent(self, reference=None):
        """Difference from a reference, by default the mean of its runs."""
        return 100 * (self.value / (reference or self.reference) - 1)


def draw_agreement(points, series, words, bands, least, options):
    """series: (label, colour, marker) by name; words: axis titles of
    reference, value and difference; bands: two shares, the wider first; least: least range of the differences, percent."""
    figure, (first, second) = new_panels(options, 2, 0.44)
    times = [time for point in points for time in (point.reference, point.value)]
    span = (min(times) / 1.4, max(times) * 1.4)
    _draw_times(first, points, series, words, bands, span)
    _draw_differences(second, points, series, words, bands, least, span)
    return figure


def _draw_times(axes, points, series, words, bands, span):
    for band, colour in zip(bands, GREYS):
        axes.fill_between(span, [end * (1 - band) for end in span],
                          [end * (1 + band) for end in span], color=colour, linewidth=0,
                          label=f"within {100 * band:.0f} %")
    axes.plot(span, span, color="#333333", linewidth=0.6)
    _draw_points(axes, points, series, lambda point: point.value)
    axes.set_yscale("log")
    _finish(axes, words, span)
    axes.set(ylim=span, ylabel=words[1])
    plain_numbers(axes.yaxis, steps_of(*span))
    axes.legend(loc="upper left", frameon=False)  # free of points


def _draw_differences(axes, points, series, words, bands, least, span):
    for band, colour in zip(bands, GREYS):
        axes.axhspan(-100 * band, 100 * band, color=colour, linewidth=0)
    axes.axhline(0, color="#333333", linewidth=0.6)
    for point in points:
        if point.highest > point.lowest and abs(point.percent()) <= FARTHEST:
            axes.vlines(point.reference, point.percent(point.highest), point.percent(point.lowest),
                        color=series[point.series][1], linewidth=0.8, alpha=0.5)
    largest = min(FARTHEST, max(least, *(1.15 * abs(point.percent()) for point in points)))

    def height(point):
        return max(-largest, min(largest, point.percent()))

    _draw_points(axes, points, series, height)
    for point in points:
        if abs(point.percent()) > largest:
            is_left = point.reference < math.sqrt(span[0] * span[1])  # then its text goes to the right
            axes.annotate(f"{point.percent():+.0f} %", (point.reference, height(point)),
                          xytext=(4 if is_left else -4, 0), textcoords="offset points",
                          ha="left" if is_left else "right", va="center")
    _finish(axes, words, span)
    axes.set(ylim=(-1.1 * largest, 1.1 * largest), ylabel=words[2])


def _draw_points(axes, points, series, figure_of):
    for name, (label, colour, marker) in series.items():
        chosen = [point for point in points if point.series == name]
        if chosen:
            axes.plot([point.reference for point in chosen], [figure_of(point) for point in chosen],
                      color=colour, marker=marker, linestyle="", markersize=3.8, alpha=0.85,
                      markeredgewidth=0, label=f"{label} ({len(chosen)})")


def _finish(axes, words, span):
    axes.set(xscale="log", xlim=span, xlabel=words[0])
    plain_numbers(axes.xaxis, steps_of(*span))
    thin_ticks(axes)
    open_frame(axes)
