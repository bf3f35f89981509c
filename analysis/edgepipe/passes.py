# SPDX-License-Identifier: GPL-2.0-only
"""Recordings of passes, in the format of contrib/edgepipe/doc/reference/formats.rst."""

import csv

from .pictures import InputError
from .tables import read_cell

COLUMNS = "iteration", "layer", "forwardSeconds", "backwardSeconds"


def text_of_passes(model, batch, layers, passes, more=()):
    """passes: of each, (forward, backward) seconds of every layer; more: further (key, value) of the header."""
    head = [("format", "edgepipe-passes 1"), ("model", model), ("batch", batch), *more]
    lines = ["# %s: %s" % pair for pair in head] + [",".join(COLUMNS)]
    lines += ["%d,%s,%.4g,%.4g" % (number, layer, *seconds)
              for number, one in enumerate(passes) for layer, seconds in zip(layers, one)]
    return "\n".join(lines) + "\n"


def read_sums(path):
    """(forward, backward) seconds of every recorded pass, of all its layers together."""
    sums = {}
    try:
        with open(path, newline="", encoding="utf-8") as file:
            numbers = []
            for row in csv.DictReader(line for number, line in enumerate(file, 1)
                                      if not line.startswith("#") and not numbers.append(number)):
                before = sums.get(row["iteration"], (0, 0))
                sums[row["iteration"]] = [one + read_cell(row[name], float, name, f"{path}: line {numbers[-1]}", ())
                                          for one, name in zip(before, COLUMNS[2:])]
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    except (KeyError, TypeError, ValueError):
        raise InputError(f"{path}: expected a recording of passes, with columns {','.join(COLUMNS)}") from None
    return list(sums.values())
