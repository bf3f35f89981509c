# SPDX-License-Identifier: GPL-2.0-only
"""Comparison of figures with a paper's: means, and whether the order is the same."""

import functools
import math
import operator
from itertools import combinations


TIE = 0.02  # share by which figures differ that are a tie, as scenarios have it
FAR = 2  # factor by which a prediction is off that is reported


def clear_order(a, b):
    """-1 if a is below b, 1 if above, 0 if they are a tie."""
    return (a > b) - (a < b) if min(a, b) < (1 - TIE) * max(a, b) else 0


def total(values):
    """Sum from first to last, in the order of C++."""
    return functools.reduce(operator.add, values, 0.0)


def mean_interval(values):
    """Mean and half width of Student's 95 % confidence interval, t(0.975, n - 1) s / sqrt(n); 0 for
    one value."""
    from scipy.special import stdtrit  # the quantile; scipy.stats is slow to import

    count = len(values)
    mean = sum(values) / count
    if count == 1:
        return mean, 0.0
    variance = sum((value - mean) ** 2 for value in values) / (count - 1)
    return mean, float(stdtrit(count - 1, 0.975)) * math.sqrt(variance / count)


def round_half_away(value):
    """Rounds to the nearest whole number, halves away from 0, as in C."""
    return math.copysign(math.floor(abs(value) + 0.5), value) + 0.0


def compare_order(theirs, ours, digit, equal=1e-9):
    """Compares the order of figures pair by pair.

    theirs: printed figures by name, with last digit `digit`; equal ones have no known order.
    ours: figures in the order of theirs, equal up to the relative difference `equal`.
    Returns the pairs that ours reverses, and the pairs whose order, or tie, differs when ours are rounded
    to the printed digits.
    """
    def sign(value):
        return (value > 0) - (value < 0)

    def printed(value):
        return round_half_away(value / digit)

    reversed_pairs, others = [], []
    for (name, figure, mine), (next_name, next_figure, next_mine) in combinations(
            [(name, figure, mine) for (name, figure), mine in zip(theirs.items(), ours)], 2):
        pair = f"{name}/{next_name}"
        order = sign(printed(figure) - printed(next_figure))
        is_equal = abs(mine - next_mine) <= equal * abs(mine)
        if not is_equal and order * sign(mine - next_mine) < 0:
            reversed_pairs.append(pair)
        if order != sign(printed(mine) - printed(next_mine)):
            others.append(pair)
    return reversed_pairs, others
