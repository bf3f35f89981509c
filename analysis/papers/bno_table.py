#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Make the table of a run of the scenario bno-table: the BNO paper's weight update times beside ours.

Reads results.csv and run.json; writes bno-table.md.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from edgepipe.pictures import start  # noqa: E402
from edgepipe.reports import (Section, or_dash, page_of, print_of, read_frame,  # noqa: E402
                              rounded, sheets_of, tabulate)

SETTING = ["cluster", "condition", "model"]
RESULTS = {"cluster": str, "condition": str, "model": str, "planner": str, "status": str,
           "paperMilliseconds": float, "weightUpdateSeconds": float,
           "exchangeAndStepSeconds": float, "iterationSeconds": float, "samplesPerUpdate": float,
           "samplesPerSecond": float, "whyUnchanged": str}
COLUMNS = ["cluster", "condition", "model", "planner", "paper: weight update (ms)",
           "weight update (ms)", "exchange and step (ms)", "iteration (ms)", "samples per update",
           "samples/s", "over equal's"]
# What is compared with equal shares, by its name in the findings.
COMPARED = {"samples/s": "samplesPerSecond", "samples per update": "samplesPerUpdate",
            "iteration": "iterationSeconds", "weight update": "weightUpdateSeconds"}


def compare(results):
    """The results, with COMPARED over those of equal shares in the same setting."""
    equal = results[(results.planner == "equal") & (results.samplesPerSecond > 0)]
    equal = equal[[*SETTING, *COMPARED.values()]]
    both = results.merge(equal, how="left", on=SETTING, suffixes=("", "OfEqual"))
    for figure in COMPARED.values():
        both[f"{figure}OverEqual"] = both[figure] / both[f"{figure}OfEqual"]
    return both


def make_rows(results):
    return [[row.cluster, row.condition, row.model,
             row.planner + (" (stalled)" if row.status == "stalled" else ""),
             or_dash(row.paperMilliseconds, "{:g}".format),
             *(rounded(1e3 * seconds) for seconds in (
                 row.weightUpdateSeconds, row.exchangeAndStepSeconds, row.iterationSeconds)),
             rounded(row.samplesPerUpdate), rounded(row.samplesPerSecond),
             or_dash(row.samplesPerSecondOverEqual)] for row in results.itertuples()]


def span(values):
    least, most = (rounded(value, 3) for value in (values.min(), values.max()))
    return least if values.max() < 1.001 * values.min() else f"{least} to {most}"


def over_equal(results):
    """By cluster, condition and shares the range over the models of COMPARED over equal shares'."""
    compared = results.dropna(subset=["samplesPerSecondOverEqual"])
    compared = compared[compared.planner.isin(["bno", "bno-normalized", "random", "optimal"])]
    return [[*key, *(span(rows[figure + "OverEqual"]) for figure in COMPARED.values())]
            for key, rows in compared.groupby(["cluster", "condition", "planner"], sort=False)]


def beside(results):
    """Columns, and a row per model: the paper's weight update and ours of its three planners."""
    first = results[(results.cluster == results.cluster.iloc[0])
                    & (results.condition == results.condition.iloc[0])]
    planners = [name for name in ("bno", "equal", "random") if name in set(first.planner)]
    rows = {}
    for row in first[first.planner.isin(planners)].itertuples():
        rows.setdefault(row.model, {})[row.planner] = (
            or_dash(row.paperMilliseconds, "{:g}".format) + " "
            + rounded(1e3 * row.weightUpdateSeconds, 3))
    return ["model", *planners], [[model, *(row.get(name, "-") for name in planners)]
                                  for model, row in rows.items()]


def find(results, options):
    """What else the figures say, a line each."""
    lines = []
    unchanged = results.dropna(subset=["whyUnchanged"])
    for (shares, why), rows in unchanged.groupby(["planner", "whyUnchanged"]):
        count = (results.planner == shares).sum()
        lines.append(f"{shares}: shares never changed in {len(rows)} of {count} "
                     f"{'run' if count == 1 else 'runs'}: {why} "
                     f"(--update-every={options['update-every']}, --updates={options['updates']})")
    least = (1e3 * results.exchangeAndStepSeconds / results.paperMilliseconds).min()
    if least == least:
        lines.append("The paper's figures cannot be wall times of a weight update in ms: exchange "
                     f"and step alone, without waiting, take at least {rounded(least, 3)} times as "
                     "long on the network assumed here")
    return lines


def build(folder, run):
    results = compare(read_frame(folder / "results.csv", RESULTS,
                                 {"paperMilliseconds", "whyUnchanged"}))
    sections = [
        Section("Planners over equal shares",
                "figures over those of equal shares, least to most over the models "
                + ", ".join(results.model.unique()),
                ["cluster", "condition", "planner", *COMPARED], over_equal(results),
                sheet="bno-over-equal"),
        Section("By model", "", COLUMNS, make_rows(results), False),
        Section("Weight update of the first cluster, steady, in ms", "theirs, ours",
                *beside(results), False, "bno-weight-update")]
    lines = find(results, run["options"])
    page = page_of("Data-parallel training: the BNO paper and here", f"Paper: {run['published']}",
                   sections) + "\n" + "".join(f"- {line}\n" for line in lines)
    return (f"{print_of(sections)}Paper: {run['published']}\n\n"
            + "".join(f"{line}\n" for line in lines)
            + f"\nTables: {folder}/bno-table.md (by model, too)\n\nTry next:\n"
            f"  analysis/bno_table.py {folder}     (draws it)",
            {"bno-table.md": page, **sheets_of(sections)})


if __name__ == "__main__":
    start(lambda: tabulate(__doc__, "results/bno-table", build))
