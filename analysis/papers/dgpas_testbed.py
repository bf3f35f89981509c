#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Make the tables of a run of the scenario dgpas-testbed: the DGPAS paper's figures beside ours.

Reads results.csv, decomposition.csv, figure11.csv, micro_batches.csv, items.csv, bandwidth.csv,
costs.csv and run.json; writes means.csv, table3.csv, misses.csv, summary.json and tables.md.
"""

import json
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from edgepipe.comparison import compare_order, mean_interval  # noqa: E402
from edgepipe.pictures import start  # noqa: E402
from edgepipe.reports import (Section, csv_of, or_dash, page_of, percent, print_of,  # noqa: E402
                              read_frame, rounded, tabulate)

NONE, IDEAL, FULL = HELPS = ("none", "ideal", "full")
FAITHFUL, IMPROVED = VARIANTS = ("grdqn-faithful", "grdqn-improved")
ASSISTED = "DGPAS_Co"  # row of table 3
DIGIT = 0.01  # the last that table 3 prints, for all rows that are ordered
EQUAL = 0.005  # ours that are closer are in no order: the weight update alone makes 0.1 %
LAST_DIGIT = 5e-5  # of seconds as printed; narrower intervals are not
ROUNDING = 1e-9  # of equal shares
LEAST_GAIN = 0.001  # of an iteration; less does not count as a gain

KEYS = ["model", "network", "method", "run"]
OUTCOME = {"help": str, "status": str, "iterationSeconds": float, "bubbleRate": float,
           "bubbleIndex": float, "theta": float, "grants": float}
THEOREM = "theoremBubbleSeconds"
MAY_BE_EMPTY = {"iterationSeconds", "bubbleRate", "bubbleIndex", "theta", THEOREM}
RESULTS = {"model": str, "network": str, "method": str, "run": int, "stages": float, **OUTCOME}
MISSES = {"model": str, "method": str, "run": int, "exactSeconds": float,
          "representableSeconds": float, "representableBoundSeconds": float,
          "divisionSeconds": float, "planSeconds": float}
COSTS = {"model": str, "network": str, "method": str, "run": int, "evaluations": float,
         "preparationSeconds": float, "decisionSeconds": float}


class Plans:
    """A row per plan and condition: its figures by help, such as rate.full, and whether it finished
    with every help."""

    def __init__(self, frame, keys):
        figures = [name for name in frame if name not in (*keys, "help", "status")]
        self.frame = frame.pivot(index=keys, columns="help", values=figures)
        self.frame.columns = [f"{figure}.{kind}" for figure, kind in self.frame.columns]
        self.frame = self.frame.reindex(  # a sweep may have no plan
            columns=[f"{figure}.{kind}" for figure in figures for kind in HELPS])
        self.frame["finished"] = (frame.status == "finished").groupby(
            [frame[key] for key in keys]).all()
        for kind in (IDEAL, FULL):
            self.frame[f"gain.{kind}"] = self.less("iterationSeconds", kind)
            self.frame[f"decrease.{kind}"] = self.less("bubbleRate", kind)
        self.frame["decrease.none"] = 0.0
        self.frame = self.frame.reset_index()

    def less(self, figure, kind):
        """By which share a figure is less with help; 0 where it is 0 without."""
        without = self.frame[f"{figure}.none"]
        return (1 - self.frame[f"{figure}.{kind}"] / without).where(without != 0, 0)

    def of(self, **wanted):
        rows = self.frame
        for key, value in wanted.items():
            rows = rows[rows[key] == value]
        return rows

    def interval(self, figure, **wanted):
        """Mean and half width over the seeds; none if there is no plan, or one that did not finish."""
        rows = self.of(**wanted)
        return mean_interval(list(rows[figure])) if len(rows) and rows.finished.all() else None

    def mean(self, figure, **wanted):
        interval = self.interval(figure, **wanted)
        return interval and interval[0]


def over_seeds(points, figure, **wanted):
    """Mean over models and methods of a figure, and the half width over the seeds at which all have
    it; who has one seed has it in all. None if no plan finished."""
    rows = points.of(finished=True, **wanted).dropna(subset=[figure])
    if not len(rows):
        return None
    table = rows.pivot_table(index="run", columns=["model", "method"], values=figure)
    mean = table.mean().mean()
    fixed = table.columns[table.count() == 1]
    table[fixed] = table[fixed].ffill().bfill()
    seeds = list(table.dropna().mean(axis=1))
    return mean, mean_interval(seeds)[1] if seeds else 0.0


def with_interval(share):
    """A share and its half width as text; a dash if there is none."""
    if share is None:
        return "-"
    mean, half = share
    return f"{percent(mean)} ± {percent(half)}" if half > ROUNDING else percent(mean)


def average(values):
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


class Paper:
    """Table 3 of the paper, of the models that were run."""

    def __init__(self, paper, models):
        self.rows = {row["name"]: row for row in paper["methods"]}
        self.places = {model["name"]: place for place, model in enumerate(paper["models"])
                       if model["name"] in models}
        self.dgpas = next(row["name"] for row in paper["methods"] if row["kind"] == "dgpas")
        self.abstract = {key: paper[key] for key in ("trainingTimeReduction",
                                                     "bubbleRateReduction")}

    def seconds(self, row, model):
        """As printed; none if there is no such row."""
        return self.rows[row]["seconds"][self.places[model]] if row in self.rows else None

    def is_other_planner(self, row):
        return row in self.rows and self.rows[row]["kind"] == "planner"

    def table_reduction(self):
        """By how much less time DGPAS takes than other planners, the mean over table 3."""
        return average(1 - self.seconds(self.dgpas, model) / self.seconds(row, model)
                       for row in self.rows if self.is_other_planner(row) for model in self.places)

    def assisted_reduction(self, model):
        theirs = self.seconds(ASSISTED, model)
        return None if theirs is None else 1 - theirs / self.seconds(self.dgpas, model)


def compare(cases, run, paper):
    """Table 3 over the first network: a row per method that finished, and two more for grdqn."""
    import pandas

    network = run["networks"][0]["name"]
    rows = []
    for model in run["models"]:
        dgpas = {variant: cases.mean("iterationSeconds.none", model=model, network=network,
                                     method=variant) for variant in VARIANTS}
        for method in run["methods"]:
            theirs = [(NONE, method["theirs"])]
            if method["theirs"] == paper.dgpas:
                theirs += [(IDEAL, ASSISTED), (FULL, ASSISTED)]
            for kind, row in theirs:
                ours = cases.interval(f"iterationSeconds.{kind}", model=model, network=network,
                                      method=method["name"])
                if ours:
                    seconds = paper.seconds(row, model)
                    rows.append((model, method["name"], kind, row, seconds, *ours,
                                 seconds and seconds / paper.seconds(paper.dgpas, model),
                                 *(mean and ours[0] / mean for mean in dgpas.values())))
    return pandas.DataFrame(rows, columns=[
        "model", "method", "help", "row", "paperSeconds", "oursSeconds", "oursHalfWidth",
        "paperOverDgpas", "oursOverFaithful", "oursOverImproved"])


def compare_orders(table3, run, paper):
    """The order of table 3's planners, by variant of grdqn and model."""
    alone = table3[table3.help == NONE]
    orders = []
    for variant in VARIANTS:
        for model in run["models"]:
            rows = alone[(alone.model == model)
                         & ((alone.method == variant) | alone.row.map(paper.is_other_planner))]
            pairs, _ = compare_order(dict(zip(rows.row, rows.paperSeconds)), list(rows.oursSeconds),
                                     DIGIT, EQUAL)
            orders.append((model, variant, len(rows) * (len(rows) - 1) // 2, pairs))
    return orders


def count_reversed(orders):
    """A line on the order of table 3's planners, over all models."""
    counts = {}
    for _, variant, pairs, found in orders:
        reversed_, of = counts.get(variant, (0, 0))
        counts[variant] = reversed_ + len(found), of + pairs
    return ("Pairs of planners that are the other way round than in table 3: "
            + ", ".join(f"{reversed_} of {of} with {variant}"
                        for variant, (reversed_, of) in counts.items()) + "\n")


def reduction_of(table3, paper, variant):
    """By how much less time a variant of grdqn takes than other planners, the mean over table 3."""
    alone = table3[table3.help == NONE]
    dgpas = alone[alone.method == variant].set_index("model").oursSeconds
    return average(1 - dgpas[row.model] / row.oursSeconds for row in alone.itertuples()
                   if row.model in dgpas and paper.is_other_planner(row.row))


def paying_bandwidth(points):
    """The least of the bandwidths from which on full help pays at every one; none if it does not at
    the last. points: of one method and model."""
    found = None
    for point in points.sort_values("bitsPerSecond", ascending=False).itertuples(index=False):
        row = dict(zip(points.columns, point))
        if not row["finished"] or row[f"gain.{FULL}"] < LEAST_GAIN:
            break
        found = row["bitsPerSecond"]
    return found


def average_means(cases, run):
    import pandas

    rows = []
    for network in run["networks"]:
        for model in run["models"]:
            for method in run["methods"]:
                for kind in HELPS:
                    wanted = {"model": model, "network": network["name"], "method": method["name"]}
                    seconds = cases.interval(f"iterationSeconds.{kind}", **wanted)
                    if seconds:
                        rows.append((*wanted.values(), kind, *seconds,
                                     *cases.interval(f"bubbleRate.{kind}", **wanted)))
    return pandas.DataFrame(rows, columns=[
        "model", "network", "method", "help", "iterationSeconds", "iterationSecondsHalfWidth",
        "bubbleRate", "bubbleRateHalfWidth"])


def format_seconds(row):
    theirs = "" if row.paperSeconds is None or row.paperSeconds != row.paperSeconds else (
        f"{row.paperSeconds:.4g} / ")
    half = (f" ± {rounded(row.oursHalfWidth, 2)}"
            if row.oursHalfWidth > LAST_DIGIT * row.oursSeconds else "")
    return theirs + rounded(row.oursSeconds) + half


def format_ratios(row):
    return " / ".join(map(or_dash, (row.paperOverDgpas, row.oursOverFaithful,
                                    row.oursOverImproved)))


def make_table3(table3, run, form):
    rows = {}
    for row in table3.itertuples():
        name = row.method + (f" + {row.help}" if row.help != NONE else "") + (
            f" ({row.row})" if row.row else "")
        rows.setdefault((row.method, row.help), {"": name})[row.model] = form(row)
    order = [(method["name"], kind) for method in run["methods"] for kind in HELPS]
    return [[rows[key][""], *(rows[key].get(model, "no plan") for model in run["models"])]
            for key in order if key in rows]


def make_averages(table3, cases, run, paper):
    network = run["networks"][0]["name"]

    def share(values):
        return or_dash(average(values), percent)

    def to_exact(variant, model):
        exact, ours = (cases.mean("iterationSeconds.none", model=model, network=network,
                                  method=method) for method in ("exact", variant))
        return ours / exact - 1 if exact and ours else None

    rows = [["less time than the planners of table 3, from its cells",
             percent(paper.table_reduction()),
             *(or_dash(reduction_of(table3, paper, variant), percent) for variant in VARIANTS)],
            ["the same, as the abstract says it",
             percent(paper.abstract["trainingTimeReduction"]), "", ""],
            ["more time than exact", "-",
             *(share(to_exact(variant, model) for model in run["models"]) for variant in VARIANTS)]]
    for kind in (IDEAL, FULL):
        rows.append([f"less time with help, {kind}",
                     share(map(paper.assisted_reduction, run["models"])),
                     *(share(cases.mean(f"gain.{kind}", model=model, network=network, method=variant)
                             for model in run["models"]) for variant in VARIANTS)])
    return rows


def make_figure12(cases, run, paper):
    network = run["networks"][0]["name"]
    rows = []
    for model in run["models"]:
        for variant in ("faithful", "improved"):
            def ours(method, kind):
                return cases.mean(f"iterationSeconds.{kind}", model=model, network=network,
                                  method=method + variant)

            def cell(row, mean):
                return f"{or_dash(paper.seconds(row, model), rounded)} / {or_dash(mean, rounded)}"

            alone, ideal, full = (ours("grdqn-", kind) for kind in HELPS)
            if alone:
                rows.append([model, variant, cell("DGPAS", alone), cell(ASSISTED, ideal),
                             cell(ASSISTED, full), cell("Seq1F1B", ours("seq1f1b-", NONE)),
                             or_dash(paper.assisted_reduction(model), percent),
                             percent(1 - ideal / alone), percent(1 - full / alone)])
    return rows


def make_figure11(points, condition, run):
    return [[f"{value:.0f}",
             *(with_interval(over_seeds(points, f"decrease.{IDEAL}", model=model,
                                        **{condition: value})) for model in run["models"]),
             *(with_interval(over_seeds(points, f"decrease.{kind}", **{condition: value}))
               for kind in (IDEAL, FULL))]
            for value in sorted(set(points.frame[condition]))]


def make_help_rows(cases, run):
    rows = []
    for network in run["networks"]:
        for method in run["methods"]:
            wanted = {"network": network["name"], "method": method["name"]}
            chosen = cases.of(finished=True, **wanted)
            if len(chosen):
                rows.append([network["label"], method["name"],
                             *(with_interval(over_seeds(cases, f"{figure}.{kind}", **wanted))
                               for kind in (IDEAL, FULL)
                               for figure in ("gain", "decrease", "bubbleTime")),
                             *(or_dash(chosen[f"gain.{kind}"].min(), percent)
                               for kind in (IDEAL, FULL))])
    return rows


def make_paying_rows(bandwidths, run):
    rows = []
    for method in (IMPROVED, "exact"):
        points = [bandwidths.of(method=method, model=model) for model in run["models"]]
        if any(map(len, points)):
            rows.append([method, *(
                "no plan" if not len(one)
                else or_dash(paying_bandwidth(one), lambda x: f"{x / 1e6:g} Mbit/s")
                .replace("-", "never") for one in points)])
    return rows


def make_cost_rows(costs, results, run):
    planned = costs.merge(results[(results.help == NONE) & (results.status != "no-plan")][KEYS])
    planned = planned[planned.network == run["networks"][0]["name"]]
    means = planned.groupby("method")[["decisionSeconds", "preparationSeconds",
                                       "evaluations"]].mean()
    return [[method["name"], rounded(means.decisionSeconds[method["name"]], 2),
             rounded(means.preparationSeconds[method["name"]], 2),
             f"{means.evaluations[method['name']]:.0f}"]
            for method in run["methods"]
            if method["schedule"] == "gpipe" and method["name"] in means.index]


def average_misses(misses, run):
    """A row per model and method: by which share the best plan of every step is over exact, and the
    placing step over the best placement of its division."""
    import pandas

    rows = []
    for model in run["models"]:
        for method in misses.method.unique():
            own = misses[(misses.model == model) & (misses.method == method)]
            if not len(own):
                continue
            exact = own.exactSeconds
            shares = [list(own[name] / exact - 1) for name in ("divisionSeconds", "planSeconds")]
            placing = list(own.planSeconds / own.divisionSeconds - 1)
            first = own.iloc[0]
            rows.append((model, method, len(own), first.exactSeconds,
                         first.representableSeconds / first.exactSeconds - 1,
                         first.representableBoundSeconds / first.exactSeconds - 1,
                         *(figure for share in (*shares, placing) for figure in mean_interval(share)),
                         max(placing)))
    return pandas.DataFrame(rows, columns=[
        "model", "method", "runs", "exactSeconds", "representable", "representableBound",
        "division", "divisionHalfWidth", "plan", "planHalfWidth", "placing", "placingHalfWidth",
        "placingMost"])


def make_miss_rows(means):
    def state(row):
        if row.method != FAITHFUL:
            return "-"
        proved = row.representable - row.representableBound < 1e-9
        return percent(row.representable) if proved else (
            f"{percent(row.representableBound)} to {percent(row.representable)}")

    return [[row.model, row.method, str(row.runs), rounded(row.exactSeconds), state(row),
             with_interval((row.division, row.divisionHalfWidth)),
             with_interval((row.plan, row.planHalfWidth)),
             with_interval((row.placing, row.placingHalfWidth)), percent(row.placingMost)]
            for row in means.itertuples()]


def first_plans(cases, run):
    """Model, method and figures of its first plan on the first network, of those that finished."""
    for model in run["models"]:
        for method in run["methods"]:
            plans = cases.of(model=model, network=run["networks"][0]["name"], method=method["name"])
            if len(plans) and plans.finished.iloc[0]:
                yield model, method["name"], plans.iloc[0]


def make_theorem_rows(cases, run):
    """Theorem 1's bound of the time in bubbles beside the measured one, first seeds."""
    return [[model, method, f"{first[f'grants.{IDEAL}']:.0f}",
             *(or_dash(first[key], lambda value: rounded(value, 3)) for key in (
                 f"bubbleSeconds.{NONE}", f"{THEOREM}.{IDEAL}", f"bubbleSeconds.{IDEAL}"))]
            for model, method, first in first_plans(cases, run)]


def make_bubble_rows(cases, run):
    return [[model, method,
             *(percent(first[f"bubbleRate.{kind}"]) for kind in HELPS),
             *(rounded(first[f"bubbleIndex.{kind}"], 3) for kind in HELPS),
             *(or_dash(first[f"theta.{kind}"]) for kind in (IDEAL, FULL)),
             *(f"{first[f'grants.{kind}']:.0f}" for kind in (IDEAL, FULL))]
            for model, method, first in first_plans(cases, run)]


def make_sections(run, paper, cases, mini, micro, items, bandwidths, table3, costs, results,
                  misses):
    models = run["models"]
    first = run["networks"][0]["label"]
    return [
        Section(f"Table 3 and figure 10, over {first}",
                "seconds: theirs / ours, mean and 95 % confidence interval (Student); ours are of "
                "estimated devices, so only the order and the next table compare",
                ["method (row of table 3)", *models], make_table3(table3, run, format_seconds),
                sheet="dgpas-table3"),
        Section("Table 3 over DGPAS",
                "times DGPAS: theirs / ours over grdqn faithful / ours over grdqn improved",
                ["method (row of table 3)", *models], make_table3(table3, run, format_ratios),
                False),
        Section("Averages", "over models, and over planners where there are several",
                ["on average", "theirs", "ours, grdqn faithful", "ours, grdqn improved"],
                make_averages(table3, cases, run, paper), sheet="dgpas-averages"),
        Section("Order of the planners",
                "pairs of table 3 that are the other way round in ours by more than 0.5 %",
                ["model", "grdqn", "pairs", "reversed", "which"],
                [[model, variant, str(count), str(len(pairs)), ", ".join(pairs) or "-"]
                 for model, variant, count, pairs in compare_orders(table3, run, paper)],
                False, "dgpas-orders"),
        Section(f"Where grdqn's misses come from, over {first}",
                "predicted time over exact: the best plan that SDQN's eight inputs can say, SDQN's "
                "division placed optimally, and the plan; placing is the plan over its division "
                "placed optimally",
                ["model", "plan of", "runs", "exact (s)", "best of the state", "division", "plan",
                 "placing", "at most"], make_miss_rows(misses), False, "dgpas-misses"),
        Section(f"Figure 12, over {first}", "seconds: theirs / ours",
                ["model", "grdqn", "DGPAS", "DGPAS_Co, ideal", "DGPAS_Co, full", "Seq1F1B",
                 "less by Co, theirs", "ideal", "full"], make_figure12(cases, run, paper),
                False, "dgpas-figure12"),
        Section("Figure 11: decrease of the bubble rate over mini-batches",
                f"ideal, mean over the plans of {', '.join(run['bubblesOf'])}; theirs on average "
                + percent(paper.abstract["bubbleRateReduction"]),
                ["mini-batches", *models, "all, ideal", "all, full"],
                make_figure11(mini, "miniBatches", run), sheet="dgpas-mini-batches"),
        Section("Figure 11 read otherwise: over micro-batches",
                "one mini-batch of 256 samples, cut into so many; same plans",
                ["micro-batches", *models, "all, ideal", "all, full"],
                make_figure11(micro, "microBatches", run), False, "dgpas-micro-batches"),
        *([Section("Figure 11 as the authors' scripts count: over items",
                   "one pass over so many micro-batches of 32 samples, whatever memory they take; "
                   "same plans",
                   ["items", *models, "all, ideal", "all, full"],
                   make_figure11(items, "items", run), False, "dgpas-items")] if items else []),
        Section("Help between neighbours by network",
                "by how much less, mean over models and seeds; worst: the case whose time gains "
                "least",
                ["network", "plan of", "ideal: time", "bubble rate", "bubble time", "full: time",
                 "bubble rate", "bubble time", "worst: ideal", "full"],
                make_help_rows(cases, run), False, "dgpas-help"),
        Section("Bandwidth of a LAN from which on full help pays",
                f"gains {percent(LEAST_GAIN)} of an iteration or more there and at every bandwidth "
                f"above; grdqn's plan is that for {first}, exact plans for each bandwidth",
                ["plan of", *models], make_paying_rows(bandwidths, run), sheet="dgpas-paying"),
        Section(f"What decisions take, over {first}",
                "mean wall-clock seconds and plans whose cost was looked at; weights that come from "
                "the cache count no training",
                ["planner", "decision (s)", "training or loading (s)", "evaluations"],
                make_cost_rows(costs, results, run), False, "dgpas-costs"),
        Section(f"Bubble rates and indices, over {first}",
                "first seed; the index of equation 14 adds seconds to a logarithm and is no rate; "
                "theta of theorem 1 is a mean over grants",
                ["model", "plan of", "bubble rate", "ideal", "full", "index (eq. 14)", "ideal",
                 "full", "theta: ideal", "full", "grants: ideal", "full"],
                make_bubble_rows(cases, run), False),
        *([Section(f"Theorem 1 and what was measured, over {first}",
                   "seconds of all stages in bubbles, first seed, ideal; the theorem's bound is that "
                   "without help times the product of 1 - theta over the grants",
                   ["model", "plan of", "grants", "no help", "theorem 1", "measured"],
                   make_theorem_rows(cases, run), False)]
          if f"{THEOREM}.{IDEAL}" in cases.frame else [])]


@dataclass
class Results:
    """A run of the scenario: its files, and what tables take from several of them."""
    run: dict
    paper: Paper
    cases: Plans
    mini: Plans  # figure 11 over mini-batches
    micro: Plans  # over micro-batches
    items: Plans  # over items; None of an older run
    bandwidths: Plans
    results: object  # frame of results.csv
    costs: object
    misses: object
    table3: object

    def sections(self):
        return make_sections(self.run, self.paper, self.cases, self.mini, self.micro, self.items,
                             self.bandwidths, self.table3, self.costs, self.results, self.misses)


def read_results(folder, run):
    def points(name, condition):
        keys = {"model": str, "method": str, "run": int, condition: float}
        return Plans(read_frame(folder / name, {**keys, **OUTCOME}, MAY_BE_EMPTY, 0), list(keys))

    with open(folder / "results.csv", encoding="utf-8") as file:
        more = {THEOREM: float} if THEOREM in file.readline().split(",") else {}
    results = read_frame(folder / "results.csv", {**RESULTS, **more}, MAY_BE_EMPTY)
    results["bubbleSeconds"] = results.bubbleRate * results.stages * results.iterationSeconds
    cases = Plans(results, KEYS)
    for kind in (IDEAL, FULL):
        cases.frame[f"bubbleTime.{kind}"] = cases.less("bubbleSeconds", kind)
    mini, micro, bandwidths = (points(name, condition) for name, condition in (
        ("figure11.csv", "miniBatches"), ("micro_batches.csv", "microBatches"),
        ("bandwidth.csv", "bitsPerSecond")))
    items = points("items.csv", "items") if (folder / "items.csv").exists() else None
    paper = Paper(run["paper"], run["models"])
    return Results(run, paper, cases, mini, micro, items, bandwidths, results,
                   read_frame(folder / "costs.csv", COSTS),
                   average_misses(read_frame(folder / "decomposition.csv", MISSES, (), 0), run),
                   compare(cases, run, paper))


def build(folder, run):
    found = read_results(folder, run)
    sections = found.sections()
    summary = {"trainingTimeReduction": {
        "paperTable3": found.paper.table_reduction(),
        "paperAbstract": found.paper.abstract["trainingTimeReduction"],
        **{variant.split("-")[1]: reduction_of(found.table3, found.paper, variant)
           for variant in VARIANTS}},
        "bubbleRateReduction": {
            "paperAbstract": found.paper.abstract["bubbleRateReduction"],
            **({kind: over_seeds(found.mini, f"decrease.{kind}")[0] for kind in HELPS}
               if len(found.mini.of(finished=True)) else {})}}
    files = {"means.csv": csv_of(average_means(found.cases, run)), "table3.csv": csv_of(found.table3),
             "misses.csv": csv_of(found.misses),
             "summary.json": json.dumps(summary, indent=2) + "\n",
             "tables.md": page_of("The DGPAS paper beside ours", run["published"], sections)}
    return (print_of(sections) + count_reversed(compare_orders(found.table3, run, found.paper))
            + f"\nTables: {folder}/  tables.md (all {len(sections)} tables), means.csv, table3.csv,\n"
            f"  misses.csv, summary.json\n"
            f"Draw them: analysis/dgpas_testbed.py {folder}", files)


if __name__ == "__main__":
    start(lambda: tabulate(__doc__, "results/dgpas-testbed", build))
