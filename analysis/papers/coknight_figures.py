#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Make the tables of a run of the scenario coknight-figures: the Coknight paper's figures beside ours.

Reads figure-*.csv and run.json; writes figure-12.csv, coknight.md and coknight.json.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from edgepipe.comparison import mean_interval  # noqa: E402
from edgepipe.pictures import start  # noqa: E402
from edgepipe.reports import (csv_of, lines_of, markdown_of, percent, read_frame,  # noqa: E402
                              rounded, tabulate)

# Titles and, of each column, whether it is text or a number.
FIGURES = {
    2: ("time of an inference", "model device origin", "seconds gigaFlopPerSecond"),
    6: ("parts of a response by cut (eq. 6)", "bandwidth device",
        "cut actorSeconds transferSeconds serverSeconds responseSeconds bandwidthMBps"),
    9: ("use of the server, 12 actors", "case planner",
        "computeBudgetShare bandwidthBudgetShare serverUse inferenceUse trainingUse "
        "impliedInferenceUse uplinkMBps tensorMBps downlinkMBps requestsPerSecond leastSpanUse "
        "medianSpanUse mostSpanUse"),
    10: ("requests/s over the wires' bandwidth, 6 actors", "planner",
         "bandwidthMBps requestsPerSecond meanResponseSeconds cutMean"),
    11: ("requests/s over the actors", "planner",
         "actors requestsPerSecond requestsPerSecondOfAnActor meanResponseSeconds queueSeconds "
         "serverUse actorsWithLayers"),
    12: ("planners' indicators over the actors, means over the problems", "server planner",
         "actors totalReductionSeconds cutVariance reductionVariance shareOfMilp shareInterval "
        "leastShareOfMilp"),
}
# Of columns on the page, by their names in the files.
HEADINGS = {
    "seconds": "time (s)", "gigaFlopPerSecond": "GFLOP/s", "actorSeconds": "actor (s)",
    "transferSeconds": "transfer (s)", "serverSeconds": "server (s)",
    "responseSeconds": "response (s)", "bandwidthMBps": "MB/s", "computeBudgetShare": "R_c (FLOP)",
    "bandwidthBudgetShare": "R_b (bytes)", "serverUse": "server's use", "inferenceUse": "by inference",
    "trainingUse": "by training", "impliedInferenceUse": "rate x time of an inference",
    "uplinkMBps": "up (MB/s)", "tensorMBps": "tensors of it (MB/s)", "downlinkMBps": "down (MB/s)",
    "requestsPerSecond": "requests/s", "leastSpanUse": "use in a second: least",
    "medianSpanUse": "median", "mostSpanUse": "most", "meanResponseSeconds": "response (s)",
    "cutMean": "layers on the actor", "requestsPerSecondOfAnActor": "requests/s of an actor",
    "queueSeconds": "queue (s)", "actorsWithLayers": "share of actors with layers",
    "totalReductionSeconds": "reduction (s)", "cutVariance": "variance of cuts",
    "reductionVariance": "of reductions (s^2)", "shareOfMilp": "reduction over milp's",
    "shareInterval": "+-", "leastShareOfMilp": "least"}
PROBLEMS = {"server": str, "planner": str, "actors": int, "problem": float,
            "totalReductionSeconds": float, "cutVariance": float, "reductionVariance": float}
SAME = 1.01  # requests/s closer than this say nothing of who is faster
STEPS = 6e6  # of every training, section 5.1
MOST_ALONE, MOST_BESIDE = 40, 10  # rows of a figure that are printed, if it is the only one and if not
AS_PRINTED = {"defp": "Coknight", "defp-as-printed": "Coknight, algorithm 1 as printed"}


def average_problems(problems):
    """Figure 12: means over the problems, and what a planner gains over what milp does."""
    import pandas

    keys = ["server", "actors", "problem"]
    milp = problems[problems.planner == "milp"].set_index(keys).totalReductionSeconds
    best = milp.loc[list(problems[keys].itertuples(index=False, name=None))].to_numpy()
    share = (problems.totalReductionSeconds / best).where(best > 0, 1)
    in_order = {key: pandas.Categorical(problems[key], problems[key].unique())
                for key in ("server", "planner")}
    means = problems.assign(shareOfMilp=share, shareInterval=share,
                            leastShareOfMilp=share.clip(upper=1), **in_order)
    return means.groupby(["server", "planner", "actors"], observed=True).agg(
        {"totalReductionSeconds": "mean", "cutVariance": "mean", "reductionVariance": "mean",
         "shareOfMilp": "mean", "shareInterval": lambda shares: mean_interval(list(shares))[1],
         "leastShareOfMilp": "min"}).reset_index().astype({"server": str, "planner": str})


def change(values):
    return percent(values.iloc[-1] / values.iloc[0] - 1)


def agreeing(is_so):
    return "agrees" if is_so else "differs"


def compare2(rows):
    seconds = rows.pivot(index="model", columns="device", values="seconds")
    gaps = (seconds["xeon-e5-2630v4"] / seconds["v100"])[list(dict.fromkeys(rows.model))]
    yield ("a CPU's time over a GPU's", "an order of magnitude",
           f"{rounded(gaps.min(), 3)} to {rounded(gaps.max(), 3)}; {gaps.index[-1]} "
           f"{rounded(gaps.iloc[-1], 3)}", agreeing(gaps.min() >= 10),
           "one Xeon core to V100, batch 1: starting its layers takes the GPU longer than computing "
           "a small network")


def compare6(rows):
    for bandwidth, theirs in (("ample", "as fast as all layers on the server"),
                              ("scarce", "a partition beats all on the server")):
        cuts = rows[rows.bandwidth == bandwidth]
        best = cuts.loc[cuts.responseSeconds.idxmin()]
        server, actor = cuts.responseSeconds.iloc[0], cuts.responseSeconds.iloc[-1]
        is_so = (server <= SAME * best.responseSeconds if bandwidth == "ample"
                 else 0 < best.cut < len(cuts) - 1 and server > SAME * best.responseSeconds)
        yield (f"best cut at {bandwidth} bandwidth", theirs,
               f"after layer {best.cut:.0f} of {len(cuts) - 1}, "
               f"{rounded(1e3 * best.responseSeconds)} ms; server {rounded(1e3 * server)} ms, "
               f"actor {rounded(1e3 * actor)} ms", agreeing(is_so),
               f"{best.device} at {rounded(best.bandwidthMBps)} MB/s")


def compare8(rows):
    """Figure 8's running time, by the steps/s of figure 9."""
    hours = {name: STEPS / rate / 3600 for name, rate in zip(rows.case, rows.requestsPerSecond)}
    seed, coknight, local = hours["Seed-RL"], hours["Coknight, 10 MB/s"], hours["IMPALA"]
    yield ("hours to 6 million steps: Seed-RL, Coknight, IMPALA",
           "Coknight near Seed-RL; both much less than IMPALA",
           f"{rounded(seed, 3)}, {rounded(coknight, 3)}, {rounded(local, 3)}",
           agreeing(max(seed, coknight) < 1.1 * min(seed, coknight) and local > 1.2 * coknight),
           "the text has Coknight slightly below Seed-RL in 5.2.1 and above it in 5.2.3; scores "
           "are not simulated")


def compare9(rows):
    cases = rows.set_index("case")
    use, up, tensors = cases.serverUse, cases.uplinkMBps, cases.tensorMBps
    seed = "Seed-RL"
    yield ("server use, Seed-RL", "above 90 %", percent(use[seed]), agreeing(use[seed] > 0.9),
           "an update and an inference take what the device file says")
    for name, words in (("Coknight", "defp"), ("Coknight as printed", "algorithm 1 as printed")):
        narrow, both = f"{name}, 10 MB/s", f"{name}, 10 MB/s and 2/3 of the FLOP"
        if both not in use:
            continue
        yield (f"server use, {words}", "about 60 %, 30 points less",
               f"{percent(use[both])}; {percent(use[narrow])} with 10 MB/s alone",
               agreeing(0.5 < use[both] < 0.7),
               "R_c of 2/3 is theirs by 60 over 90 %; less by the inference that the budgets keep "
               "off")
        yield (f"server use, {words} over Seed-RL", "about 2/3", rounded(use[both] / use[seed], 3),
               agreeing(abs(use[both] / use[seed] - 2 / 3) < 0.05), "the budget")
        yield (f"cut tensors, {words}", "limited to 10 MB/s", f"{rounded(tensors[narrow], 3)} MB/s",
               agreeing(tensors[narrow] < 10.2),
               f"{rounded(up[narrow], 3)} MB/s with trajectories, which no budget counts")
    yield ("uplink, Seed-RL", "about 12 MB/s", f"{rounded(up[seed], 3)} MB/s", "cannot be told",
           "fitted, by the time of a step of the environment")


def compare10(rows):
    rates = {planner: group.requestsPerSecond for planner, group in rows.groupby("planner")}
    server = rates["all-server"]
    fall = server.iloc[-1] / server.iloc[0]
    yield ("requests/s from 50 to 2 MB/s, Seed-RL", "declines significantly",
           change(server), agreeing(fall < 0.7), "")
    for planner, words in AS_PRINTED.items():
        if planner in rates:
            own = rates[planner]
            yield (f"requests/s from 50 to 2 MB/s, {words}", "declines more moderately",
                   change(own), agreeing(fall * SAME < own.iloc[-1] / own.iloc[0] <= SAME), "")
            ratio = own.iloc[-1] / rates["all-local"].iloc[-1]
            yield (f"at 2 MB/s, {words} over IMPALA", "in line with IMPALA's", rounded(ratio, 3),
                   agreeing(abs(ratio - 1) < 0.05), "")


def compare11(rows):
    seed = rows[rows.planner == "all-server"].reset_index(drop=True)
    for planner, words in AS_PRINTED.items():
        own = rows[rows.planner == planner].reset_index(drop=True)
        if not len(own):
            continue
        faster = own.requestsPerSecond > SAME * seed.requestsPerSecond
        slower = seed.actors[~faster]
        always = seed.actors[seed.actors > slower.max()] if len(slower) else seed.actors
        yield (f"{words} faster than Seed-RL from", "36 actors",
               f"{always.iloc[0]:.0f} actors" if len(always)
               else f"none up to {seed.actors.iloc[-1]:.0f}",
               agreeing(len(always) and always.iloc[0] == 36),
               "by more than 1 %; the plans count on 80 % of server and wire")
        kept, seeds = ([rates.iloc[-1] / rates.iloc[0] for rates in (
            own.requestsPerSecondOfAnActor, seed.requestsPerSecondOfAnActor)])
        yield (f"requests/s of an actor, fewest to most actors, {words}",
               "both decline, Coknight less",
               f"Seed-RL {change(seed.requestsPerSecondOfAnActor)}, Coknight "
               + change(own.requestsPerSecondOfAnActor), agreeing(seeds < kept < 1), "")


def compare12(rows):
    like = {"elastic": "about the same", "non-elastic": "comes to the same as actors grow"}
    milp = rows[rows.planner == "milp"].set_index(["server", "actors"])
    for (server, planner), group in rows.groupby(["server", "planner"], sort=False):
        if planner == "milp":
            continue
        first, last = group.iloc[0], group.iloc[-1]
        is_defp = planner in AS_PRINTED
        yield (f"{planner} over milp, {server}, fewest and most actors",
               like[server] if is_defp else "much lower",
               f"{rounded(first.shareOfMilp, 3)} and {rounded(last.shareOfMilp, 3)} +- "
               f"{rounded(last.shareInterval, 2)}",
               agreeing(last.shareOfMilp > 0.97 if is_defp else last.shareOfMilp < 0.9), "")
        best = milp.loc[list(zip(group.server, group.actors))]
        ratios = [(group[name].to_numpy() / best[name].to_numpy()).mean()
                  for name in ("cutVariance", "reductionVariance")]
        yield (f"{planner} over milp, {server}, variance of cuts and of reductions",
               "less than milp's" if is_defp else "less than others'",
               " and ".join(rounded(ratio, 3) for ratio in ratios), agreeing(ratios[0] < 1), "")


COMPARE = {2: compare2, 6: compare6, 8: compare8, 9: compare9, 10: compare10, 11: compare11, 12: compare12}


def read_figures(folder, wanted):
    figures = {}
    for number in sorted(wanted):
        _, labels, values = FIGURES[number]
        columns = {**dict.fromkeys(labels.split(), str), **dict.fromkeys(values.split(), float)}
        figures[number] = (
            average_problems(read_frame(folder / "figure-12-problems.csv", PROBLEMS))
            if number == 12 else read_frame(folder / f"figure-{number}.csv", columns))
    return figures


def as_text(figure):
    """Headings and rows; where all of a column are counts, they have no decimals."""
    def texts(column):
        if column.dtype == object:
            return column
        is_count = (column == column.round()).all()
        return [f"{value:.0f}" if is_count else rounded(value) for value in column]

    rows = zip(*(texts(figure[name]) for name in figure.columns))
    return [HEADINGS.get(name, name) for name in figure.columns], list(map(list, rows))


def build(folder, run):
    figures = read_figures(folder, {int(float(number))
                                    for number in run["options"]["figures"].split(",")})
    shown = {**figures, **({8: figures[9]} if 9 in figures else {})}
    comparison = [(number, *one) for number in sorted(shown)
                  for one in COMPARE[number](shown[number])]
    text = "".join(
        f"\nFigure {number}: {FIGURES[number][0]}\n{lines_of(*as_text(figure))}"
        for number, figure in figures.items()
        if len(figure) <= (MOST_ALONE if len(figures) == 1 else MOST_BESIDE))
    text += "\nTheirs and ours:\n" + "".join(
        f"  figure {number}, {what}: theirs {theirs}; ours {ours}; {verdict}"
        f"{f' ({note})' if note else ''}\n"
        for number, what, theirs, ours, verdict, note in comparison)
    columns = ["figure", "what", "theirs", "ours", "verdict", "note"]
    page = "# Coknight: theirs and ours\n\n" + markdown_of(
        columns, [[str(number), *rest] for number, *rest in comparison])
    page += "".join(f"\n## Figure {number}: {FIGURES[number][0]}\n\n"
                    f"{markdown_of(*as_text(figure))}"
                    for number, figure in figures.items())
    everything = {
        **{key: run[key] for key in ("environmentSeconds", "requestsPerSecondOfAnActor",
                                     "serverFlopPerSecond")},
        "figures": {str(number): {"title": FIGURES[number][0],
                                  "rows": figure.to_dict(orient="records")}
                    for number, figure in figures.items()},
        "comparison": [dict(zip(columns, one)) for one in comparison]}
    files = {"coknight.md": page, "coknight.json": json.dumps(everything, indent=2) + "\n"}
    if 12 in figures:
        files["figure-12.csv"] = csv_of(figures[12])
    return (f"{text}\nTables: {folder}/coknight.md (all figures), coknight.json\n\nTry next:\n"
            f"  analysis/coknight_figures.py {folder}     (draws them)", files)


if __name__ == "__main__":
    start(lambda: tabulate(__doc__, "results/coknight-figures", build))
