#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Which remedy wins where load fluctuates: no help, help between neighbours, replanning, or both.

Runs adaptive-training with loads of every device that have the same mean and a rising standard deviation.
A load is a Markov chain of two states, drawn per seed, whose mean dwell time is a multiple of an iteration; or
a recording with its deviation from the mean scaled, which each device starts at a random place. Only devices
of --types take part, those that plans use, since planning for many devices with different shares takes
seconds. Writes runs.csv, a row per run and remedy, gains.csv, the mean gain with Student's 95 % interval, and
load-variance.png, and prints a table.
"""

import collections
import csv
import itertools
import json
import os
import random
import statistics
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import edgepipe
from edgepipe.axes import tidy
from edgepipe.comparison import mean_interval
from edgepipe.interpreter import need
from edgepipe.pictures import Parser, load_matplotlib, new_figure, save, start
from edgepipe.reports import csv_of_rows
from edgepipe.results_folder import ResultsFolder
from edgepipe.run_file import read_run
from edgepipe.running import traces_folder
from edgepipe.tables import unique

REMEDIES = {"adjacent": "help", "replanning": "replanning", "both": "both"}
LEAST = 0.05  # least share of a device left for the workload
Point = collections.namedtuple("Point", "source model stay deviation")
STYLES = {"help": ("#0072B2", "o", "-"), "replanning": ("#D55E00", "s", "--"), "both": ("#009E73", "^", ":")}


def main():
    options = parse_options()
    need("matplotlib", "scipy")
    out = ResultsFolder.of_script(options.out)
    recording = read_recording(options.recording) if options.recording else []
    file = tempfile.NamedTemporaryFile(suffix=".json")
    options.cluster = write_cluster(options, Path(file.name))
    points = [(Point(source, model, stay, deviation), seed)
              for model in options.models.split(",")
              for source, stays in (("markov", options.stays), ("recorded", [0] if recording else []))
              for stay in stays for deviation in options.deviations
              for seed in range(1, 1 + (options.seeds if deviation > 0 else 1))]
    # Seconds of an iteration when every device has the mean share left.
    lengths = {model: float(row["totalSeconds"]) for model in options.models.split(",")
               for row in simulate(model, options, iterations=1, load=f"{options.mean}@0s").rows()
               if row["case"] == "neither"}
    with ThreadPoolExecutor(options.jobs) as pool:
        rows = list(itertools.chain(*pool.map(
            lambda one: run(*one, lengths[one[0].model], recording, options), points)))
    gains = average(rows)
    out.write("runs.csv", csv_of_rows(rows))
    out.write("gains.csv", csv_of_rows(gains))
    out.commit()
    show(gains, find_leads(rows))
    draw(gains, out.path / "load-variance.png")
    print(f"\nResults: {out.path}/  runs.csv (a row per run and remedy), gains.csv, load-variance.png")


def parse_options():
    def numbers(text):
        return [float(word) for word in text.split(",")]

    parser = Parser(__doc__)
    add = parser.option
    add("models", "alexnet", "models, separated by commas")
    add("cluster", "dgpas-testbed", "devices: a name in traces/clusters or a file ending in .json")
    add("types", "jetson-orin-nano,jetson-xavier-nx", "types of its devices that take part, separated by commas")
    add("bandwidth", "1Gbps", "bandwidth of the LAN")
    add("costs", "ideal", "costs of help", choices=["ideal", "full"])
    add("mean", 0.6, "mean share of a device left for the workload", type=float)
    add("deviations", "0,0.1,0.2,0.3,0.4", "standard deviations of that share, rising", type=numbers)
    add("stays", "0.5,5,50", "mean dwell times in a state of the Markov chain, in iterations", type=numbers)
    parser.add_argument("--recording", default="",
                        help="recording of load to replay as well, CSV with columns seconds,share (default: none)")
    add("iterations", 60, "iterations per run", type=int)
    add("seeds", 10, "runs per point", type=int)
    add("jobs", os.cpu_count(), "runs in parallel", type=int)
    add("out", "results/load-variance", "folder for the results")
    return parser.parse_args()


def read_recording(path):
    with open(path, newline="", encoding="utf-8") as file:
        return [float(row["share"]) for row in csv.DictReader(line for line in file if line[0] != "#")]


def simulate(model, options, **more):
    return edgepipe.run("adaptive-training", model=model, cluster=options.cluster, link="lan",
                        bandwidth=options.bandwidth, micro_batch_size=32, adjacent="both",
                        adjacent_costs=options.costs, timeline=False, sample_interval="100s", **more)


def make_markov(point, chance, seconds, mean):
    """A device's (seconds, share) steps over a duration, from two equally likely states; point.stay: seconds."""
    time, sign, steps = 0.0, 1 if chance.random() < 0.5 else -1, []
    while time < seconds:
        steps.append((time, mean + sign * point.deviation))
        time, sign = time + chance.expovariate(1 / point.stay), -sign
    return steps


def make_recorded(point, chance, recording, mean):
    """The recording from a random place on, with its deviation scaled."""
    middle, spread = statistics.fmean(recording), statistics.pstdev(recording)
    begin = chance.randrange(len(recording))
    return [(float(second), mean + point.deviation * (share - middle) / spread)
            for second, share in enumerate(recording[begin:] + recording[:begin])]


def run(point, seed, length, recording, options):
    """The rows of a run: every remedy under the same loads."""
    with tempfile.TemporaryDirectory() as folder:
        loads = []
        for device in device_names(options.cluster):
            chance = random.Random(f"{seed} {device} {point.source}")
            if point.source == "markov":
                stay = point._replace(stay=point.stay * length)
                steps = make_markov(stay, chance, 3 * options.iterations * length, options.mean)
            else:
                steps = make_recorded(point, chance, recording, options.mean)
            path = Path(folder) / f"{device}.csv"
            path.write_text("seconds,share\n" + "".join(
                f"{time:.6f},{min(1, max(LEAST, share)):.6f}\n" for time, share in steps))
            loads.append(f"{device}:{path}")
        rows = {row["case"]: row for row in simulate(
            point.model, options, iterations=options.iterations, load=",".join(loads), RngRun=seed).rows()}
    without = float(rows["neither"]["totalSeconds"])
    return [{**point._asdict(), "seed": seed, "remedy": remedy, "seconds": rows[case]["totalSeconds"],
             "gain": 1 - float(rows[case]["totalSeconds"]) / without,
             "planChanges": rows[case]["planChanges"], "helpedSamples": rows[case]["helpedSamples"]}
            for case, remedy in [("neither", "none"), *REMEDIES.items()]]


def write_cluster(options, path):
    """Writes a cluster of the devices that take part; returns its path."""
    known = Path(options.cluster)
    cluster = read_run(known if known.suffix == ".json" else traces_folder() / f"clusters/{known}.json")
    cluster["devices"] = [kind for kind in cluster["devices"] if kind["type"] in options.types.split(",")]
    path.write_text(json.dumps(cluster, indent=1) + "\n")
    return path.resolve()


def device_names(cluster):
    return [f"{kind['type']}-{number}" for kind in read_run(cluster)["devices"]
            for number in range(kind.get("count", 1))]


def group(rows, key, value):
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    for row in rows:
        found[key(row)][row["remedy"]].append(value(row))
    return found


def by_point(rows):
    return group(rows, lambda row: Point(*map(row.get, Point._fields)), lambda row: row["gain"])


def average(rows):
    return [{**point._asdict(), "remedy": remedy, "runs": len(values),
             **dict(zip(("gain", "halfWidth"), mean_interval(values))), "least": min(values)}
            for point, gains in by_point(rows).items()
            for remedy, values in gains.items() if remedy != "none"]


def find_leads(rows):
    """By point: the best remedy, the next, and its lead over the next run by run, mean and half width."""
    leads = {}
    for point, gains in by_point(rows).items():
        best, following = sorted(gains, key=lambda one: -statistics.fmean(gains[one]))[:2]
        leads[point] = best, following, mean_interval(
            [one - other for one, other in zip(gains[best], gains[following])])
    return leads


def panels(gains):
    return group(gains, lambda row: (row["model"], row["source"], row["stay"]), lambda row: row)


def name_load(source, stay):
    return f"Markov, {stay:g} iterations" if source == "markov" else "recorded"


def show(gains, leads):
    print(f"{'model':10} {'load':22} {'deviation':>9}  " + "  ".join(
        f"{remedy:>16}" for remedy in REMEDIES.values()) + "   most, ahead of the next run by run")
    for (model, source, stay), by_remedy in panels(gains).items():
        for rows in zip(*(by_remedy[remedy] for remedy in REMEDIES.values())):
            best, following, (ahead, half) = leads[Point(source, model, stay, rows[0]["deviation"])]
            cells = "  ".join(f"{100 * row['gain']:8.1f} ± {100 * row['halfWidth']:4.1f} %" for row in rows)
            print(f"{model:10} {name_load(source, stay):22} {rows[0]['deviation']:9g}  {cells}   "
                  f"{best}, {100 * ahead:.1f} ± {100 * half:.1f} % ahead of {following}")


def draw(gains, path):
    load_matplotlib(8)
    found = panels(gains)
    models = unique(model for model, _, _ in found)
    loads = unique((source, stay) for _, source, stay in found)
    figure = new_figure(2.6 * len(loads) + 0.6, 2.4 * len(models) + 0.5, 150)
    grid = figure.subplots(len(models), len(loads), squeeze=False, sharex=True, sharey="row")
    for row, model in zip(grid, models):
        for axes, (source, stay) in zip(row, loads):
            for remedy, (colour, marker, line) in STYLES.items():
                deviations, gain, half = zip(*(
                    (point["deviation"], 100 * point["gain"], 100 * point["halfWidth"])
                    for point in found[model, source, stay][remedy]))
                axes.errorbar(deviations, gain, yerr=half, color=colour, marker=marker, markersize=3.5,
                              linewidth=1.2, linestyle=line, elinewidth=0.7, capsize=2, label=remedy)
            axes.axhline(0, color="#555555", linewidth=0.7)
            axes.set_title(f"{model}: {name_load(source, stay)}", loc="left")
            tidy(axes, "y", False)
        row[0].set_ylabel("less time (%)")
    for axes in grid[-1]:
        axes.set_xlabel("standard deviation of the share")
    figure.legend(*grid[0][0].get_legend_handles_labels(), loc="lower center", ncol=3, frameon=False)
    figure.tight_layout(rect=(0, 0.06, 1, 1))
    save(figure, path, 150)


if __name__ == "__main__":
    start(main)
