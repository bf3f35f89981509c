#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compare readings of the Coknight paper: runs of coknight-figures with different options.

Reads coknight.json from every folder in FOLDER; writes to FOLDER/readings sheet-coknight-comparison.csv (the
paper's text and the first run), sheet-coknight-readings.csv (the same for every run) and verdicts.csv (by
figure).
"""

from edgepipe.pictures import InputError, start
from edgepipe.run_file import read_json
from edgepipe.reports import Section, judge

FIRST = "coknight"
# Figures compared over all readings.
READ_AGAIN = (8, 9, 10, 11)


def read_runs(folder):
    runs = {}
    for path in sorted(folder.glob("*/coknight.json")):
        try:
            runs[path.parent.name] = read_json(path)["comparison"]
        except (KeyError, TypeError):
            raise InputError(f"{path}: expected the coknight.json of coknight-figures") from None
    if FIRST not in runs:
        raise InputError(f"{folder}: found no {FIRST}/coknight.json, expected the first reading")
    return runs


def name_of(run):
    return run[len(FIRST) + 1:].replace("-", " ") or "floats"


def compare_readings(runs):
    """Columns, and a row for each statement of the text on figures 8 to 11."""
    found = {name: {(row["figure"], row["what"]): row for row in rows} for name, rows in runs.items()}
    return ["figure", "what", "theirs", *map(name_of, runs)], [
        [str(key[0]), key[1], first["theirs"], *(f"{row['ours']}: {row['verdict']}" if row else "-"
                                                 for row in (found[name].get(key) for name in runs))]
        for key, first in found[FIRST].items() if key[0] in READ_AGAIN]


def find_verdicts(runs):
    """Verdicts by figure; one agrees if no statement of the text differs."""
    for figure in dict.fromkeys(row["figure"] for row in runs[FIRST]):
        own = [row for row in runs[FIRST] if row["figure"] == figure]
        others = [row for row in own if row["verdict"] == "differs"]
        why = [f"{row['what']}: theirs {row['theirs']}, ours {row['ours']}" for row in others]
        for name, comparison in runs.items():
            if name != FIRST:
                again = [row for row in comparison if row["figure"] == figure]
                count = sum(row["verdict"] != "differs" for row in again)
                why += [f"{name_of(name)}: {count} of {len(again)} agree"] if again else []
        is_so = not others and (any(row["verdict"] == "agrees" for row in own) or None)
        yield f"Figure {figure}", is_so, "; ".join(why), "sheet-coknight-comparison.csv"


def build(folder):
    runs = read_runs(folder)
    names = ["figure", "what", "theirs", "ours", "verdict"]
    first = Section("", "", names, [[str(row[name]) for name in names] for row in runs[FIRST]],
                    sheet="coknight-comparison")
    again = Section("", "", *compare_readings(runs), sheet="coknight-readings")
    return [first, again], find_verdicts(runs)


if __name__ == "__main__":
    start(lambda: judge(__doc__, build, "readings"))
