#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Make the table of a run of bno-table: the BNO paper's weight update times beside ours.

Reads results.csv and run.json; writes bno-table.md.
"""

import itertools
import math
import re

from edgepipe.pictures import start
from edgepipe.reports import Section, or_dash, page_of, print_of, read_frame, sheets_of, tabulate
from edgepipe.run_file import read_run
from edgepipe.running import traces_folder
from edgepipe.study_options import Option, names, whole
from edgepipe.study_program import Study
from edgepipe.tables import columns, rounded, unique

SCENARIOS = ["data-parallel"]

NORMALIZED = "bno-normalized"
CONDITIONS = ("steady", "load", "bandwidth", "both")
STRETCH = 100  # length of a change, iterations
LONGEST = 10  # changes go on for this multiple of the duration with equal shares
LOADED, NARROW = 0.5, 0.25  # shares of worker 1 and of the bandwidth left by a change
PASSED_ON = ("exchange", "input-size", "latencies", "stall-timeout")
MEANS = ("weightUpdateSeconds", "exchangeAndStepSeconds", "iterationSeconds")
FIGURES = (*MEANS, "samplesPerUpdate", "samplesPerSecond", "whyUnchanged")


class BnoTable(Study):
    """The evaluation of the BNO paper, section 4.4, extended to mixed devices, loads and bandwidths: times
    of weight updates in data-parallel training by planner."""

    KEEP = ["updates.csv", "workers.csv", "stretches.csv"]
    TABLES = __file__
    OPTIONS = [
        Option("model", "mnist_cnn,alexnet,resnet50,vgg16", "DNNs: names in traces/models or files", names()),
        Option("cluster", "bno-testbed,bno-mixed", "clusters: names in traces/clusters or files", names()),
        Option("conditions", ",".join(CONDITIONS),
               "conditions, separated by commas: steady, load (worker 1 is at times half busy), bandwidth (of "
               "all wires, at times falls to a quarter), both", names(*CONDITIONS)),
        Option("planner", "bno,bno-normalized,equal,random,optimal",
               "planners, separated by commas: bno, bno-normalized (bno scaled to the base batch), equal, "
               "optimal, random", names("bno", "equal", "optimal", "random", NORMALIZED)),
        Option("base-batch", "128", "samples of all workers together in each iteration", whole(1, 10**9)),
        Option("update-every", "10", "time between reports, in iterations with equal shares in the steady condition",
               whole(1, 10**6)),
        Option("updates", "2400", "weight updates per training", whole(1, 10**7)),
        Option("exchange", "ring", "exchange of gradients, as for data-parallel"),
        Option("input-size", "0", "side of the model's input, pixels; 0: as in the file"),
        Option("latencies", "first-node",
               "latencies that bno uses: first-node (algorithm 1) or all-pairs (equations 4 and 5)"),
        Option("stall-timeout", "60s", "longest simulated time without progress")]

    def work(self):
        published = read_run(traces_folder() / "published/bno-weight-update.json")
        paper = {model["file"]: model["milliseconds"] for model in published["models"]}
        settings = [(model, cluster, {}, self.first_run) for model in self.model for cluster in self.cluster]
        trainings = self.train(settings)
        rows, stretches = [], []
        for (index, condition, planner), (row, parts) in sorted(trainings.items(), key=lambda one: (
                self.cluster.index(settings[one[0][0]][1]), self.conditions.index(one[0][1]))):
            labels = {"cluster": row["cluster"], "condition": condition, "model": row["model"], "planner": planner}
            is_theirs = settings[index][1] == self.cluster[0] and condition == "steady"
            rows.append({**labels, "status": row["status"],
                         "paperMilliseconds": paper.get(row["model"], {}).get(planner) if is_theirs else None,
                         **{name: row[name] for name in (*FIGURES, "rngSeed", "rngRun")}})
            stretches += [{**labels, **{name: part[name] for name in ("firstUpdate", "updates", *MEANS)}}
                          for part in parts]
        self.folder.write("results.csv", rows)
        self.folder.write("stretches.csv", stretches)
        self.folder.write("run.json", self.run_file({"published": published["source"]}, self.example))
        return "results.csv, stretches.csv (means of 100 updates), run.json"

    def train(self, settings):
        """The rows of results and of stretches by index of the setting, condition and planner.

        settings: model, cluster, further options and run number. Changes of a condition are timed in
        iterations of an unchanged training with equal shares.
        """
        firsts = self.simulate([self.training(*one, 1, planner="equal", updates=min(5, self.updates))
                                for one in settings], share=(0, 10), check=1)
        self.example = firsts[0]
        together = ",".join(name for name in self.planner if name != NORMALIZED)
        keys = list(itertools.product(range(len(settings)), self.conditions, self.planner))
        ended = self.simulate([
            self.training(*settings[index], iteration_seconds(firsts[index]),
                          planner="bno" if planner == NORMALIZED else together,
                          normalize=str(planner == NORMALIZED).lower(),
                          **changes(condition, firsts[index], self.updates))
            for index, condition, planner in keys], share=(1, 10))
        found = {}
        for key, result in zip(keys, ended):
            (row,), stretches = ([row for row in table if row["planner"] == key[2].replace(NORMALIZED, "bno")]
                                 for table in (result.rows, result.table("stretches.csv")))
            found[key] = {**row, "model": re.sub(r"-[^-]*px$", "", row["model"])}, stretches
            self.status = 3 if result.status == "stalled" else self.status
        return found

    def training(self, model, cluster, further, run, seconds, **others):
        interval = nanoseconds(self.update_every * seconds)
        return self.case("data-parallel", {
            "model": model, "cluster": cluster, "base-batch": self.base_batch, "updates": self.updates,
            "update-interval": f"{interval}ns", "missing-after": f"{100 * interval}ns",
            **{name: self.texts[name] for name in PASSED_ON}, **further, **others}, run)


def nanoseconds(seconds):
    return math.floor(1e9 * seconds + 0.5)


def iteration_seconds(result):
    updates = result.table("updates.csv")
    span = nanoseconds(updates[-1]["endSeconds"]) - nanoseconds(updates[0]["startSeconds"])
    return max(1e-6, span / 1e9 / len(updates))


def changes(condition, first, updates):
    """Options of a condition; first: result of a training with equal shares."""
    seconds = iteration_seconds(first)
    found = {}

    def write(begin, form, low, full):
        while begin < LONGEST * updates * seconds:
            yield form(low, nanoseconds(begin))
            yield form(full, nanoseconds(begin + STRETCH * seconds))
            begin += 2 * (STRETCH * seconds)

    if condition in ("load", "both"):
        worker = first.table("workers.csv")[:2][-1]["worker"]
        found["load"] = ";".join([f"{worker}:1@0s", *write(STRETCH * seconds, "{:g}@{}ns".format, LOADED, 1)])
    if condition in ("bandwidth", "both"):
        low, full = (math.floor(share * first.row["bandwidthBitsPerSecond"] + 0.5) for share in (NARROW, 1))
        found["bandwidth"] = ",".join([f"0s:{full}bps", *write(
            1.5 * (STRETCH * seconds), lambda value, time: f"{time}ns:{value}bps", low, full)])
    return found


# ---- tables ---------------------------------------------------------------------------------------

SETTING = ["cluster", "condition", "model"]
RESULTS = columns("cluster condition model planner status whyUnchanged", "paperMilliseconds weightUpdateSeconds "
                  "exchangeAndStepSeconds iterationSeconds samplesPerUpdate samplesPerSecond")
COLUMNS = ["cluster", "condition", "model", "planner", "paper: weight update (ms)",
           "weight update (ms)", "exchange and step (ms)", "iteration (ms)", "samples per update",
           "samples/s", "over equal's"]
# Columns compared with equal shares, by their names in the findings.
COMPARED = {"samples/s": "samplesPerSecond", "samples per update": "samplesPerUpdate",
            "iteration": "iterationSeconds", "weight update": "weightUpdateSeconds"}


def compare(results):
    """The results, with COMPARED relative to equal shares in the same setting."""
    equal = results[(results.planner == "equal") & (results.samplesPerSecond > 0)][[*SETTING, *COMPARED.values()]]
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
    """Range over the models of COMPARED relative to equal shares, by cluster, condition and shares."""
    compared = results.dropna(subset=["samplesPerSecondOverEqual"])
    compared = compared[compared.planner.isin(["bno", "bno-normalized", "random", "optimal"])]
    return [[*key, *(span(rows[figure + "OverEqual"]) for figure in COMPARED.values())]
            for key, rows in compared.groupby(["cluster", "condition", "planner"], sort=False)]


def beside(results):
    """Columns, and a row per model: weight updates of three planners, the paper's and ours."""
    first = results[(results.cluster == results.cluster.iloc[0])
                    & (results.condition == results.condition.iloc[0])]
    planners = [name for name in ("bno", "equal", "random") if name in set(first.planner)]
    texts = {(row.model, row.planner): f"{or_dash(row.paperMilliseconds, '{:g}'.format)} "
             + rounded(1e3 * row.weightUpdateSeconds, 3) for row in first.itertuples()}
    return ["model", *planners], [[model, *(texts.get((model, name), "-") for name in planners)]
                                  for model in unique(first[first.planner.isin(planners)].model)]


def find(results, options):
    """Further findings, a line each."""
    unchanged = results.dropna(subset=["whyUnchanged"])
    for (shares, why), rows in unchanged.groupby(["planner", "whyUnchanged"]):
        count = (results.planner == shares).sum()
        yield (f"{shares}: shares never changed in {len(rows)} of {count} {'run' if count == 1 else 'runs'}: {why} "
               f"(--update-every={options['update-every']}, --updates={options['updates']})")
    least = (1e3 * results.exchangeAndStepSeconds / results.paperMilliseconds).min()
    if least == least:
        yield ("The paper's figures cannot be wall times of a weight update in ms: exchange and step alone, without "
               f"waiting, take at least {rounded(least, 3)} times as long on the network assumed here")


def build(folder, run):
    results = compare(read_frame(folder / "results.csv", RESULTS,
                                 {"paperMilliseconds", "whyUnchanged"}))
    sections = [
        Section("Planners over equal shares", "figures over those of equal shares, least to most over the models "
                + ", ".join(results.model.unique()),
                ["cluster", "condition", "planner", *COMPARED], over_equal(results), sheet="bno-over-equal"),
        Section("By model", "", COLUMNS, make_rows(results), False),
        Section("Weight update of the first cluster, steady, in ms", "theirs, ours",
                *beside(results), False, "bno-weight-update")]
    lines = list(find(results, run["options"]))
    page = page_of("Data-parallel training: the BNO paper and here", f"Paper: {run['published']}",
                   sections) + "\n" + "".join(f"- {line}\n" for line in lines)
    return ("\n".join([f"{print_of(sections)}Paper: {run['published']}\n", *lines])
            + f"\n\nTables: {folder}/bno-table.md (by model, too)\n\nTry next:\n"
            f"  analysis/bno_pictures.py {folder}     (draws it)", {"bno-table.md": page, **sheets_of(sections)})


if __name__ == "__main__":
    start(lambda: tabulate(__doc__, "results/bno-table", build))
