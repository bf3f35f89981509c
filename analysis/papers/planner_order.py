#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Whether the network changes the order of planners: ours and those of the literature, predicted and simulated.

Runs pipeline-training for every model and link, and counts the pairs of planners whose predicted and
simulated orders differ; figures within 2 % are ties. Writes order.csv, a row per run and planner, and
reversed.csv, a row per reversed pair, and prints a table by link.
"""

import collections
import itertools
import sys
from pathlib import Path

import edgepipe
from edgepipe.comparison import clear_order
from edgepipe.pictures import Parser, start
from edgepipe.reports import csv_of_rows
from edgepipe.results_folder import ResultsFolder
from edgepipe.study_options import Option, names, read_value

PLANNERS = Path(__file__).resolve().parent.parent / "planners"
OURS = ["even", "dp-dgpas", "exact"]
FIELD = ["capacity_proportional", "pipeedge", "edgeshard", "edgeshard latency", "pipedream"]


def main():
    parser = Parser(__doc__)
    add = parser.option
    add("models", "alexnet,vgg19,resnet18,googlenet,mobilenet_v2", "models, separated by commas")
    add("links", "lan,wifi,4g", "links, separated by commas")
    add("cluster", "dgpas-testbed", "devices: a name in traces/clusters or a file")
    add("fidelity", "flow", "fidelity of the network", choices=["flow", "packet"])
    add("ours", ",".join(OURS), "planners of edgepipe to compare, separated by commas")
    add("out", "results/planner-order", "folder for the results")
    options = parser.parse_args()
    models, links, ours = (read_value(Option(name, "", "", names()), getattr(options, name))
                           for name in ("models", "links", "ours"))
    out = ResultsFolder.of_script(options.out)
    commands = {name: name for name in ours}
    for name in FIELD:
        file, *words = name.split()
        commands[name] = " ".join([f"exec:{PLANNERS / file}.py", *words])
    rows, pairs, told = [], [], {}  # told: bandwidth given to planners, measured once per link
    for link, model in itertools.product(links, models):
        print(f"{model} over {link}", file=sys.stderr)
        if link not in told:
            told[link] = f"{run('dp', model, link, options).problem.bandwidth_bits_per_second:.0f}bps"
        found = list(order(model, link, told[link], commands, options))
        rows += found
        pairs += [{"link": link, "model": model, **pair} for pair in compare(found)]
    out.write("order.csv", csv_of_rows(rows))
    out.write("reversed.csv", csv_of_rows([pair for pair in pairs if pair["isReversed"]],
                                          list(pairs[0]) if pairs else ()))
    out.commit()
    show(pairs)
    print(f"\nResults: {out.path}/  order.csv (a row per run and planner), reversed.csv")


def order(model, link, told, commands, options):
    for name, command in commands.items():
        try:
            row, = run(command, model, link, options, planner_bandwidth=told).rows()
        except edgepipe.ScenarioError as error:
            if "--planner:" in str(error):  # there is none of that name
                raise
            print(f"  {name}: {error}", file=sys.stderr)
            continue
        if row["status"] == "finished":
            yield {"link": link, "model": model, "planner": name, "stages": row["stages"],
                   "predictedSeconds": float(row["predictedIterationSeconds"]),
                   "simulatedSeconds": float(row["iterationSeconds"])}


def run(planner, model, link, options, **more):
    return edgepipe.run("pipeline-training", planner=planner, model=model, link=link, cluster=options.cluster,
                        fidelity=options.fidelity, adjacent="off", **more)


def compare(rows):
    """Pairs that are no tie in either order; the planner predicted to be faster comes first."""
    for one, other in itertools.permutations(rows, 2):
        if (clear_order(one["predictedSeconds"], other["predictedSeconds"]) < 0
                and clear_order(one["simulatedSeconds"], other["simulatedSeconds"])):
            yield {"faster": one["planner"], "slower": other["planner"],
                   "predictedRatio": other["predictedSeconds"] / one["predictedSeconds"],
                   "simulatedRatio": other["simulatedSeconds"] / one["simulatedSeconds"],
                   "isReversed": int(one["simulatedSeconds"] > other["simulatedSeconds"])}


def show(pairs):
    """Prints a row per link: pairs compared, and those reversed."""
    print(f"{'link':8} {'pairs':>6} {'reversed':>9}  predicted faster, but slower (models)")
    for link, count in collections.Counter(pair["link"] for pair in pairs).items():
        wrong = collections.defaultdict(list)
        for pair in pairs:
            if pair["link"] == link and pair["isReversed"]:
                wrong[f"{pair['faster']} than {pair['slower']}"].append(pair["model"])
        words = "; ".join(f"{what} ({', '.join(models)})" for what, models in wrong.items())
        print(f"{link:8} {count:6} {sum(map(len, wrong.values())):9}  {words or '-'}")


if __name__ == "__main__":
    start(main)
