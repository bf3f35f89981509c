# SPDX-License-Identifier: GPL-2.0-only
"""Reading the CSV files of results."""

import csv
import math

from edgepipe.comparison import round_half_away
from edgepipe.pictures import InputError


def columns(texts, numbers, counts=""):
    """Kinds of columns by name; names are separated by blanks; counts are integers above 0."""
    return {**dict.fromkeys(texts.split(), str), **dict.fromkeys(numbers.split(), float),
            **dict.fromkeys(counts.split(), int)}


def signed(text):
    """A kind of column: numbers of either sign."""
    value = float(text)
    return value if math.isfinite(value) else math.nan


def read_table(path, columns, may_be_empty=(), least=1):
    """The rows of a CSV as dictionaries; None for empty cells of columns in may_be_empty."""
    try:
        with open(path, newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file, strict=True)
            missing = [column for column in columns if column not in (reader.fieldnames or [])]
            if missing:
                raise InputError(f'{path}: line 1: column "{missing[0]}" is missing')
            rows = [{column: read_cell(row[column], kind, column, f"{path}: line {reader.line_num}",
                               may_be_empty)
                     for column, kind in columns.items()} for row in reader]
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path}: expected CSV: {error}") from None
    if len(rows) < least:
        raise InputError(f"{path}: no row, expected at least one")
    return rows


def read_cell(text, kind, column, where, may_be_empty):
    if text == "" and column in may_be_empty:
        return None
    if kind is str and text:
        return text
    try:
        value = kind(text)
    except (TypeError, ValueError):
        value = math.nan
    least = -math.inf if kind is signed else 0
    if kind is str or not least <= value < math.inf or (kind is int and value == 0):
        expected = "text" if kind is str else "a whole number above 0" if kind is int else "a number"
        raise InputError(f'{where}: {column}: found "{text or ""}", expected {expected}')
    return value


def unique(values):
    return list(dict.fromkeys(values))


# ---- tables as scenarios print them ---------------------------------------------------------------

def rounded(value, digits=4):
    """A number with the given significant digits, without an exponent from 1 to 1e15."""
    if 1 <= abs(value) < 1e15:
        return f"{value:.{max(0, digits - len(str(int(abs(value)))))}f}"
    return f"{value:{'#' if abs(value) < 1 else ''}.{digits}g}" if value else "0"


def percent(share):
    return f"{round_half_away(1000 * share) / 10 + 0.0:.1f} %"


def share(value):
    return f"{rounded(100 * value, 3)} %"


def shown_bytes(count):
    if count < 1000:
        return f"{count:.0f} B"
    unit = min(3, math.floor(math.log10(count) / 3 + 1e-12))
    return f"{rounded(count / 1000 ** unit)} {' kMG'[unit]}B"


def lines_of(columns, rows):
    """The lines of a table: first column left-aligned, others right-aligned."""
    cells = [list(columns), *rows]
    widths = [max(map(len, column)) for column in zip(*cells)]
    return "".join("  " + "  ".join(cell.rjust(width) if place else cell.ljust(width)
                                    for place, (cell, width) in enumerate(zip(row, widths))) + "\n"
                   for row in cells)


def print_table(columns, rows):
    print(lines_of(columns, rows), end="")
