#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Judge the figures and tables of the DGPAS paper by runs of dgpas-testbed and train-planner.

Reads from FOLDER dgpas-testbed (the paper's evaluation), dgpas-idle and dgpas-waiting (two rules of help,
first at memory speed) and rewards (trainings of the faithful planner, a folder each); writes to
FOLDER/readings verdicts.csv (by figure), the sheet-*.csv that the documentation includes, and
reward_curves.png.
"""

import collections
import itertools
import math
import subprocess
import sys
from pathlib import Path

import dgpas_testbed
from dgpas_testbed import FAITHFUL, FULL, IDEAL, NONE, VARIANTS, over_seeds, with_interval
from edgepipe.comparison import mean_interval
from edgepipe.pictures import InputError, start
from edgepipe.reports import Section, judge, or_dash, read_frame
from edgepipe.run_file import read_run
from edgepipe.running import traces_folder
from edgepipe.tables import percent, rounded, signed

FIRST, IDLE, WAITING, REWARDS = "dgpas-testbed", "dgpas-idle", "dgpas-waiting", "rewards"
COMPARED = ("lan-1g", "memory")  # networks over which rules of help are compared
THEIR_RULE, THEIR_CHECKPOINTS = "idle", 1  # section 4.2, and one checkpoint per micro-batch
SEARCHED = ("exact", "ga", "pso")  # whose plans compare rules of help
ALIKE = 0.01  # relative difference of parameters or operations
LEAST_RISE = 0.005  # in the decrease of the bubble rate; smaller ones count as level
REWARD = {"network": str, "episode": float, "reward": signed}
CURVES = {"sdqn": "Figure 8", "grdqn": "Figure 9"}


def compare_models(paper):
    """A row per model: parameters, and multiply-adds of a sample's forward pass, theirs and ours."""
    for model in paper["models"]:
        layers = read_run(traces_folder() / f"models/{model['file']}.json")["layers"]
        yield (model["name"], model["parameters"], sum(layer["parameterBytes"] for layer in layers) / 4,
               model["multiplyAdds"], sum(layer["flop"] for layer in layers) / 2)


def make_model_rows(rows):
    return [[name, *(rounded(figure / scale) for figure, scale in zip(figures, (1e6, 1e6, 1e9, 1e9)))]
            for name, *figures in rows]


def judge_models(rows):
    others = [f"{name}: theirs {rounded(theirs / 1e6)} million parameters and "
              f"{rounded(operations / 1e9, 3)} G multiply-adds, ours {rounded(ours / 1e6)} and "
              f"{rounded(mine / 1e9, 3)}" for name, theirs, ours, operations, mine in rows
              if abs(ours / theirs - 1) > ALIKE or abs(mine / operations - 1) > ALIKE]
    near = f"{len(rows) - len(others)} of {len(rows)} within {percent(ALIKE)}"
    return "Table 2", not others, "; ".join([*others, near]), "sheet-dgpas-models.csv"


def read_rewards(folder):
    """Rewards of every run by network, in order of episodes."""
    curves = collections.defaultdict(list)
    for path in sorted(folder.glob("*/reward_curves.csv")):
        for network, rows in read_frame(path, REWARD).groupby("network"):
            curves[network].append(list(rows.sort_values("episode").reward))
    return curves


def judge_rewards(curves):
    """Whether rewards rise: the last fifth of the episodes has a higher mean than the first."""
    for network, figure in CURVES.items():
        rises = []
        for rewards in curves[network]:
            part = max(1, len(rewards) // 5)
            rises.append(sum(rewards[-part:]) / part - sum(rewards[:part]) / part)
        mean, half = mean_interval(rises)
        yield (figure, mean - half > 0,
               f"the last fifth of the episodes earns {rounded(mean, 3)} ± {rounded(half, 2)} "
               f"more than the first, {len(rises)} trainings", "reward_curves.png")


def judge_planners(first):
    """Figure 10, table 3 and abstract: DGPAS is fastest on every model; planners are in the same order."""
    table = first.table3[first.table3.help == NONE]
    models, fastest = first.models, {}
    for variant in VARIANTS:
        ours = table[table.method == variant].set_index("model").oursSeconds
        others = table[table.row.map(first.paper.is_other_planner)].groupby("model").oursSeconds.min()
        fastest[variant] = sum(model in ours and ours[model] <= others[model] * (1 + dgpas_testbed.EQUAL)
                               for model in models)
    is_there = FAITHFUL in set(table.method)
    yield ("Figure 10", fastest[FAITHFUL] == len(models) if is_there else None,
           "no planner of table 3 faster: " + ", ".join(
               f"{name} on {count} of {len(models)} models" for name, count in fastest.items()),
           "sheet-dgpas-table3.csv")
    counts = dgpas_testbed.count_reversed(first.orders)
    yield ("Table 3", counts[FAITHFUL][0] == 0 if is_there else None,
           f"pairs of planners the other way round: {dgpas_testbed.text_of_reversed(counts)}",
           "sheet-dgpas-orders.csv")
    theirs, ours = first.paper.abstract["trainingTimeReduction"], first.reductions()
    yield ("Abstract, training time", ours[FAITHFUL] >= theirs if is_there else None,
           f"theirs {percent(theirs)}, their table 3 {percent(first.paper.table_reduction())}; ours "
           + ", ".join(f"{or_dash(share, percent)} {variant}" for variant, share in ours.items()),
           "sheet-dgpas-averages.csv")


def judge_rise(readings):
    """Figure 11: the decrease of every model's bubble rate rises with the condition; readings: (points,
    condition). A model rises if the same plans gain from least to most by more than their interval."""
    found = []
    for name, (points, condition) in readings.items():
        values = sorted(set(points.frame[condition]))
        curve = [over_seeds(points, f"decrease.{IDEAL}", **{condition: value})[0] for value in values]
        never_falls = all(after > before - LEAST_RISE for before, after in zip(curve, curve[1:]))
        frame, plan = points.frame, ["model", "method", "run"]
        least = frame[frame[condition] == values[0]].set_index(plan)[f"decrease.{IDEAL}"]
        frame["rise"] = frame[f"decrease.{IDEAL}"] - least.reindex(frame.set_index(plan).index).to_numpy()
        rises = [over_seeds(points, "rise", model=model, **{condition: values[-1]})
                 for model in sorted(set(frame.model))]
        rising = sum(rise is not None and rise[0] - rise[1] > LEAST_RISE for rise in rises)
        best = max(range(len(curve)), key=curve.__getitem__)
        found.append((never_falls and rising == len(rises), f"{name}: " + ", ".join(
            f"{percent(curve[at])} of {values[at]:.0f}" for at in (0, best, -1))
            + f", {rising} of {len(rises)} models rise"))
    return ("Figure 11", any(is_so for is_so, _ in found), "; ".join(text for _, text in found),
            "sheet-dgpas-idle-items.csv")


def judge_figure12(first):
    """With help at the paper's checkpoints, every model is faster than without help and than Seq1F1B."""
    models, less = first.run["models"], 1 - dgpas_testbed.EQUAL
    counts = {}
    for variant, count in itertools.product(VARIANTS, first.counts()):
        helped = {model: first.ours_helped(model, variant, count) for model in models}
        for at, kind in ((1, IDEAL), (2, FULL)):
            counts[variant, kind, count] = [sum(
                (helped[model][at] or math.inf) < (other or 0) * less for model, other in others.items())
                for others in ({model: helped[model][0] for model in models},
                               {model: first.ours(model, f"seq1f1b-{variant}") for model in models})]
    return ("Figure 12", counts.get((FAITHFUL, IDEAL, THEIR_CHECKPOINTS)) == [len(models)] * 2
            if first.ours(models[0], FAITHFUL) else None,
            f"faster than without help, and than Seq1F1B, of {len(models)} models: " + ", ".join(
                f"{one} and {other} ({variant}, {kind}, checkpoints: {count})"
                for (variant, kind, count), (one, other) in counts.items()), "sheet-dgpas-figure12.csv")


def rows_of_rules(rules):
    """A row per rule of help, checkpoints and network: mean over models and the planners in SEARCHED."""
    for rule, found in rules:
        cases = found.helped
        cases.frame["isSearched"] = cases.frame.method.isin(SEARCHED)
        for network, count in itertools.product(found.run["networks"], found.counts()):
            if network["name"] in COMPARED:
                yield (rule, str(count), network["label"], *(
                    over_seeds(cases, f"{figure}.{kind}", network=network["name"], checkpoints=count, isSearched=True)
                    for kind in (IDEAL, FULL) for figure in ("gain", "decrease", "bubbleTime")))


def judge_bubbles(first, rows):
    """Whether bubbles decrease as in the abstract at memory speed, under the paper's rule and checkpoints."""
    theirs = first.paper.abstract["bubbleRateReduction"]
    return ("Abstract, bubble rate", any(row[4][0] >= theirs for row in rows if "memory" in row[2]
                                         and row[:2] == (THEIR_RULE, str(THEIR_CHECKPOINTS))),
            f"theirs {percent(theirs)}; ideal help: " + ", ".join(
                f"{with_interval(row[4])} ({row[0]}, {row[1]} checkpoints, {row[2]})"
                for row in rows), "sheet-dgpas-rules.csv")


def build(folder):
    first, idle, waiting = (dgpas_testbed.Results(folder / name, read_run(folder / name / "run.json"))
                            for name in (FIRST, IDLE, WAITING))
    rewards = read_rewards(folder / REWARDS)
    if set(rewards) != set(CURVES):
        raise InputError(f"{folder / REWARDS}: expected rewards of {', '.join(CURVES)}")
    models = list(compare_models(first.run["paper"]))
    rules = list(rows_of_rules([("idle", idle), ("waiting", waiting)]))
    sections = [
        *first.sections(),
        Section("", "", ["model", "parameters, theirs", "ours", "multiply-adds, theirs", "ours"],
                make_model_rows(models), sheet="dgpas-models"),
        Section("", "", ["rule", "checkpoints", "network", "ideal: less time", "bubble rate", "bubble time",
                         "full: less time", "bubble rate", "bubble time"],
                [[*row[:3], *map(with_interval, row[3:])] for row in rules], sheet="dgpas-rules"),
        *(found.section_of_figure11("", "", found.items, "items", "items", sheet=f"{name}-items")
          for name, found in ((IDLE, idle), (WAITING, waiting)))]
    verdicts = [
        judge_models(models), *judge_rewards(rewards), *judge_planners(first),
        judge_rise({"mini-batches, LAN": (first.mini, "miniBatches"),
                    "micro-batches, LAN": (first.micro, "microBatches"),
                    "items, LAN": (first.items, "items"),
                    "items, memory speed, idle": (idle.items, "items"),
                    "items, memory speed, waiting": (waiting.items, "items")}),
        judge_figure12(first), judge_bubbles(first, rules)]
    (folder / "readings").mkdir(exist_ok=True)
    subprocess.run([sys.executable, Path(__file__).resolve().parent.parent / "reward_curves.py",
                    *sorted((folder / REWARDS).glob("*/reward_curves.csv")),
                    "-o", folder / "readings/reward_curves.png"], check=True)
    return sections, verdicts


if __name__ == "__main__":
    start(lambda: judge(__doc__, build, "readings"))
