# SPDX-License-Identifier: GPL-2.0-only
"""Values of options in a study: texts, numbers, and ranges such as 2..1024 log2."""

import json
import math
import re
from decimal import Decimal, InvalidOperation

from edgepipe.pictures import InputError

MOST_VALUES = 100000
RANGE = re.compile(r"\s*(?P<first>[-+\d.eE]+?)(?P<unit>[A-Za-z/]*)\.\.(?P<last>[-+\d.eE]+?)"
                   r"(?P<last_unit>[A-Za-z/]*)(?:\s+(?:log(?P<base>\d+)|step\s+(?P<step>\S+)))?\s*")
# Units of options and ns-3 attributes: kind of quantity, and value in bit/s, bytes, s or m.
PREFIXES = {"": 1, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "Ki": 2 ** 10, "Mi": 2 ** 20, "Gi": 2 ** 30}
UNITS = {
    "": ("", 1),
    **{f"{prefix}{unit}": ("rate", factor * bits) for prefix, factor in PREFIXES.items()
       for unit, bits in (("bps", 1), ("b/s", 1), ("Bps", 8), ("B/s", 8))},
    **{f"{prefix}B": ("size", factor) for prefix, factor in PREFIXES.items()},
    **{f"{prefix}p": ("packets", factor) for prefix, factor in PREFIXES.items()},
    **{unit: ("time", seconds) for unit, seconds in (
        ("ps", 1e-12), ("ns", 1e-9), ("us", 1e-6), ("ms", 1e-3), ("s", 1), ("min", 60), ("h", 3600),
        ("d", 86400))},
    **{unit: ("length", metres) for unit, metres in (
        ("mm", 1e-3), ("cm", 1e-2), ("m", 1), ("km", 1e3))}}
QUANTITY = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)([A-Za-z/]*)")
EXPECTED = ("a list of one value or more, or a range such as 2..64, 1Mbps..64Mbps log2, 0.1..0.5 step 0.1 or "
            "1..1000 log10")


def text_of(value, where):
    """An option's value as typed on a command line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, int, float)):
        text = str(value)
        if any(character < " " or character == "\x7f" for character in text):
            raise InputError(f"{where}: found {shown(value)}, expected a text in one line")
        return text
    raise InputError(f"{where}: found {shown(value)}, expected a text, a number, true or false")


def read_quantity(value):
    """Size, kind and unit of a quantity such as 10Mbps; None for any other text."""
    found = QUANTITY.fullmatch(str(value))
    if not found or found[2] not in UNITS or not math.isfinite(float(found[1])):
        return None
    kind, factor = UNITS[found[2]]
    return float(found[1]) * factor, kind, found[2]


def axis_of(values):
    """Values as numbers in the unit of the largest, and that unit; None unless all are of one kind."""
    read = [read_quantity(value) for value in values]
    if None in read or len({kind for size, kind, _ in read if size or kind}) > 1:
        return None  # 0 needs no unit
    unit = max(read, default=(0, "", ""))[2]
    return [size / UNITS[unit][1] for size, _, _ in read], unit


def sort_key(value):
    """Sorts quantities by kind and size, then texts, then missing values."""
    found = read_quantity(value)
    if found:
        return 0, found[1], found[0], ""
    return (1, "", 0, str(value)) if value != "" else (2, "", 0, "")


def shown(value):
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else text[:37] + "..."


def read_values(value, where):
    if isinstance(value, str):
        return read_range(value, where)
    if not isinstance(value, list) or not value:
        raise InputError(f"{where}: found {shown(value)}, expected {EXPECTED}")
    texts = [text_of(one, f"{where}[{index}]") for index, one in enumerate(value)]
    for text in texts:
        if texts.count(text) > 1:
            raise InputError(f"{where}: found {shown(text)} twice, expected different values")
    return texts


def read_range(text, where):
    found = RANGE.fullmatch(text)

    def refuse(reason):
        raise InputError(f'{where}: found "{text}", expected {reason}')

    if not found:
        refuse(EXPECTED)
    try:
        first, last = Decimal(found["first"]), Decimal(found["last"])
        step = Decimal(found["step"] or 1)
    except InvalidOperation:
        refuse(EXPECTED)
    if found["last_unit"] != found["unit"]:
        refuse("the same unit on both sides of ..")
    if not all(number.is_finite() for number in (first, last, step)) or first > last:
        refuse("a first value that is not above the last")
    if found["base"]:
        base = int(found["base"])
        if first <= 0 or base < 2:
            refuse("values above 0 and a base from 2 on")
        values = [first]
        while values[-1] * base <= last:
            values.append(values[-1] * base)
    else:
        if step <= 0:
            refuse("a step above 0")
        if (last - first) / step >= MOST_VALUES:
            refuse(f"at most {MOST_VALUES} values")
        values = [first + index * step for index in range(int((last - first) / step) + 1)]
    return [plain(value) + found["unit"] for value in values]


def plain(value):
    """A decimal number without an exponent or trailing zeros."""
    text = f"{value:f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text) or "0"
