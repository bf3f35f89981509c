# SPDX-License-Identifier: GPL-2.0-only
"""Figures of runs over the same requests, from what workload-case prints with --requests=true.

A run that is judged by requests lists them under "answered": device, number, end and duration (s) of each.
"""

from itertools import groupby
from statistics import fmean


def find_same(runs):
    """Device and number of the requests that all these runs have answered; None: they have no requests."""
    if not any("answered" in run for run in runs):
        return None
    return set.intersection(*({(device, number) for device, number, *_ in run.get("answered", ())}
                              for run in runs))


LEAST_FOR_RATE = 3  # requests of a device, in the mean: of one there is no rate, of two a chance one


def is_by_rate(runs, same):
    """Whether throughput judges these runs: a device waits for its answer, and answers wait for each other. Then
    the mean duration hangs on who is served first."""
    enough = len(same or ()) >= LEAST_FOR_RATE * len({device for device, _ in same or ()})
    return enough and any(run.get("isClosedLoop") and run.get("isSaturated") for run in runs)


def figure_of(run, same, by_rate):
    """Mean duration of the requests, or seconds a request at the rate of all devices together; s."""
    if not same:
        return run["seconds"]
    mine = sorted(one for one in run["answered"] if (one[0], one[1]) in same)
    rate = 0
    for _, group in groupby(mine, lambda one: one[0]) if by_rate else ():
        ends = [ended for _, _, ended, _ in group]
        if max(ends) > min(ends):
            rate += (len(ends) - 1) / (max(ends) - min(ends))
    return 1 / rate if rate else fmean(one[3] for one in mine) if mine else run["seconds"]


def format_requests(same):
    """Such as 0:31-78,80;1:30-77: numbers by device."""
    texts = []
    for device, group in groupby(sorted(same), lambda one: one[0]):
        numbers = [number for _, number in group]
        spans = []
        for number in numbers:
            if spans and spans[-1][1] == number - 1:
                spans[-1][1] = number
            else:
                spans.append([number, number])
        texts.append(f"{device}:" + ",".join("-".join(map(str, sorted({*span}))) for span in spans))
    return ";".join(texts)


def parse_requests(text):
    same = set()
    for part in filter(None, text.split(";")):
        device, _, spans = part.partition(":")
        for span in spans.split(","):
            first, _, last = span.partition("-")
            same |= {(int(device), number) for number in range(int(first), int(last or first) + 1)}
    return same
