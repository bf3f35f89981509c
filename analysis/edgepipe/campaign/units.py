# SPDX-License-Identifier: GPL-2.0-only
"""Titles and units of columns, those of the pages: page/common.js has them."""

import json
import re
from pathlib import Path

PAGE = Path(__file__).resolve().parent / "page"
UNITS = json.loads(re.search(r"^const UNITS = (\{.*?^\});", (PAGE / "common.js").read_text(encoding="utf-8"),
                             re.DOTALL | re.MULTILINE)[1])


def title_of(name):
    """Title of a column in the unit of the file: "iteration (s)" for iterationSeconds."""
    if name in UNITS["alone"]:
        return UNITS["alone"][name]
    unit = max((one for one in UNITS["ends"] if name.endswith(one)), key=len, default="")
    words = re.sub("[A-Z]", lambda letter: f" {letter[0].lower()}", name.removesuffix(unit))
    return f"{words} ({UNITS['ends'][unit]})" if unit and words else words or name


def unit_of(option, names):
    """Unit of an option whose values have none, by the column that has it: m of distanceMeters for distance."""
    start = re.sub("-(.)", lambda letter: letter[1].upper(), option.lstrip("-"))
    return next((UNITS["ends"][name.removeprefix(start)] for name in names
                 if name.startswith(start) and name.removeprefix(start) in UNITS["ends"]), "")


def scale_of(name, names, largest):
    """Title of an axis and the factor of its values, in the unit that pages show; names: all columns."""
    title = title_of(name)
    for pattern, unit, shown, factor, beside in UNITS["shown"]:
        if re.search(pattern, name) and (not beside or beside in names):
            return (title.replace(f"({unit})", f"({shown})") if unit else f"{title} ({shown})"), factor
    if "(bytes" in title:
        power = max((at for at in range(4) if largest >= 1000 ** at), default=0)
        return title.replace("(bytes", f"({' kMG'[power].strip()}B"), 1000 ** -power
    return title, 1
