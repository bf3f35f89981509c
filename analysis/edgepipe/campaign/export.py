# SPDX-License-Identifier: GPL-2.0-only
"""Rows of results with what is known of their cases, as one flat table."""

from edgepipe.tables import unique

CASE_COLUMNS = ("hash", "scenario", "run", "outcome", "exitStatus", "wallSeconds",
                "peakMemoryBytes", "host", "ended", "commit", "edgepipe", "ns3", "command")


def export_rows(cases):
    """Column names, and a dictionary for each row; a case without results has one row.

    cases: as Store.read gives them. An option is a column with its dashes.
    """
    options = unique(f"--{name}" for case in cases for name in case["options"])
    results = unique(name for case in cases for row in case["rows"] for name in row)
    clashing = {name for name in results if name in CASE_COLUMNS}
    rows = []
    for case in cases:
        about = {name: case[name] for name in CASE_COLUMNS}
        about.update({f"--{name}": value for name, value in case["options"].items()})
        for row in case["rows"] or [{}]:
            rows.append({**about, **{f"results.{name}" if name in clashing else name: value
                                     for name, value in row.items()}})
    return [*CASE_COLUMNS, *options,
            *(f"results.{name}" if name in clashing else name for name in results)], rows
