#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draw reward curves of the scenario train-planner, as figures 8 and 9 of the DGPAS paper do.

One panel per network: reward by episode, the mean over the runs as a line and the standard deviation
between runs as a band, rewards smoothed over consecutive episodes. Runs may differ only in ns-3's run
number:

    for run in 1 2 3; do
        ./ns3 run "train-planner --model=vgg19 --RngRun=$run --out=results/train-planner/$run"
    done
    analysis/reward_curves.py results/train-planner/*/reward_curves.csv
"""

import os
from pathlib import Path
from statistics import fmean, stdev

from edgepipe.pictures import InputError, Parser, check_output, load_matplotlib, number, save, start
from edgepipe.run_file import check_scenario
from edgepipe.tables import read_table, signed

COLUMNS = {"model": str, "variant": str, "run": int, "network": str, "episode": str, "reward": signed}
TITLES = {"sdqn": "SDQN", "grdqn": "GRDQN", "joint": "SDQN and GRDQN, jointly"}


def main():
    parser = Parser(__doc__)
    parser.add_argument("files", nargs="+", help="reward_curves.csv of each run, or the run's folder")
    parser.add_argument("-o", "--out", metavar="FILE", help="picture to write (default: beside the first file)")
    parser.option("smooth", 10, "number of consecutive episodes to average", type=number(1, 10000, int))
    parser.option("dpi", 200, "pixels per inch", type=number(50, 1200))
    parser.option("font-size", 9, "size of the text, points", type=number(4, 30))
    options = parser.parse_args()
    for folder in filter(os.path.isdir, options.files):
        check_scenario(Path(folder), __file__)
    options.files = [os.path.join(file, "reward_curves.csv") if os.path.isdir(file) else file
                     for file in options.files]
    what, curves = read_curves(options.files)
    out = check_output(options.out) if options.out else (
        Path(options.files[0]).parent / "reward_curves.png")
    load_matplotlib(options.font_size)
    save(draw(what, curves, options.smooth), out, options.dpi)
    print(f"{out}")


def read_curves(files):
    what, curves, places = None, {}, {}
    for file in files:
        for row in read_table(Path(file), COLUMNS):
            here = (row["model"], row["variant"])
            what = what or here
            if here != what:
                raise InputError(f"{file}: found {' '.join(here)}, expected {' '.join(what)} as in "
                                 f"{files[0]}")
            if places.setdefault(row["run"], file) != file:
                raise InputError(f"{file}: run {row['run']} is in another file too")
            curves.setdefault(row["network"], {}).setdefault(row["run"], []).append(row["reward"])
    for network, runs in curves.items():
        lengths = {len(rewards) for rewards in runs.values()}
        if len(lengths) > 1:
            raise InputError(f"{network}: runs of {min(lengths)} and of {max(lengths)} episodes, "
                             "expected all of the same")
    return what, curves


def smooth(rewards, width):
    """Running means over the last width rewards, or fewer at the start."""
    return [sum(rewards[max(0, i - width + 1):i + 1]) / min(i + 1, width)
            for i in range(len(rewards))]


def spread(runs):
    """Mean and standard deviation over the runs, episode by episode."""
    values = list(zip(*runs))
    return list(map(fmean, values)), [stdev(each) if len(each) > 1 else 0 for each in values]


def draw(what, curves, width):
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4.2 * len(curves), 3.2), layout="constrained")
    for axes, (network, runs) in zip(figure.subplots(1, len(curves), squeeze=False)[0],
                                     curves.items()):
        means, deviations = spread([smooth(rewards, width) for rewards in runs.values()])
        episodes = range(1, len(means) + 1)
        if len(runs) > 1:
            bounds = zip(*((m - d, m + d) for m, d in zip(means, deviations)))
            axes.fill_between(episodes, *bounds, color="#0072B2", alpha=0.25, linewidth=0,
                              label="± standard deviation")
        axes.plot(episodes, means, color="#0072B2", linewidth=1.2, label="mean")
        axes.set(title=f"{what[0]}, {what[1]}:\n{TITLES.get(network, network)}", xlabel="episode",
                 ylabel="reward", xlim=(1, max(2, len(means))))
        axes.grid(linewidth=0.3)
        axes.legend(title=f"{len(runs)} run{'s' * (len(runs) > 1)}, mean of {width} episodes",
                    loc="lower right", frameon=False)
    return figure


if __name__ == "__main__":
    start(main)
