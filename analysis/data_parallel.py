#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draw a run of data-parallel.

It writes data-parallel.png: mean times of weight updates and iterations per 100 updates, by strategy,
and the shares of every worker under one strategy: each change, or means and ranges if there are many
changes.
"""

from edgepipe.axes import legend_above
from edgepipe.drawing import draw_results
from edgepipe.looks import looks
from edgepipe.pictures import InputError, new_panels, start
from edgepipe.run_file import describe
from edgepipe.tables import columns, read_table, unique

STRETCHES = columns("planner", "firstUpdate updates weightUpdateSeconds iterationSeconds")
SPAN = 100  # updates per mean, as in stretches.csv
MOST_CHANGES = 100  # of a worker's share to draw individually
SHARES = columns("planner worker", "firstUpdate samples")


def make(folder, options):
    stretches = read_table(folder / "stretches.csv", STRETCHES)
    shares = read_table(folder / "shares.csv", SHARES, {"firstUpdate"})
    strategy = options.planner or stretches[0]["planner"]
    # Shares that no update used have no firstUpdate.
    shares = [row for row in shares if row["planner"] == strategy and row["firstUpdate"] is not None]
    if not shares:
        raise InputError(f'{folder / "shares.csv"}: no shares of "{strategy}"')
    workers = len(unique(row["worker"] for row in shares))
    title = describe(folder, f"{{model}} on {{cluster}}, {workers} workers, {{fidelity}} level, "
                             "exchange {exchange}, base batch {base-batch}")
    return {"data-parallel": lambda: draw(stretches, shares, strategy, title, options)}


def draw(stretches, shares, strategy, title, options):
    figure, (updates, iterations, samples) = new_panels(options, 3, 0.36, title)
    for axes, column, what in ((updates, "weightUpdateSeconds", "weight update (ms)"),
                               (iterations, "iterationSeconds", "iteration (ms)")):
        for name, (colour, marker) in looks(unique(row["planner"] for row in stretches)).items():
            own = [row for row in stretches if row["planner"] == name]
            means = [1e3 * row[column] for row in own]
            end = own[-1]["firstUpdate"] + own[-1]["updates"]
            axes.step([*(row["firstUpdate"] for row in own), end], [*means, means[-1]], where="post",
                      color=colour, marker=marker, markersize=3, linewidth=0.8, label=name)
        axes.set(ylabel=f"{what}, mean of {SPAN}", ylim=(0, 1.08 * max(axes.get_ylim()[1], 1e-9)))
        legend_above(axes)
    last = max(row["firstUpdate"] + row["updates"] for row in stretches)
    workers = unique(row["worker"] for row in shares)
    by_worker = {worker: [(row["firstUpdate"], row["samples"]) for row in shares
                          if row["worker"] == worker] for worker in workers}
    span = max(SPAN, last / MOST_CHANGES) if max(map(len, by_worker.values())) > MOST_CHANGES else 0
    for worker, own in by_worker.items():
        if span:
            starts, means, lows, highs = summarize(own, last, span)
            line, = samples.step(starts, means, where="post", linewidth=1.2, label=worker)
            samples.fill_between(starts, lows, highs, step="post", color=line.get_color(), alpha=0.15,
                                 linewidth=0)
        else:
            samples.step(*zip(*own, (last, own[-1][1])), where="post", linewidth=0.8, label=worker)
    samples.set(ylabel=f"samples a worker, {strategy}", ylim=(0, 1.08 * samples.get_ylim()[1]))
    if len(workers) <= 10:
        legend_above(samples)
    for axes in (updates, iterations, samples):
        axes.set(xlabel="update", xlim=(0, last))
    if span:
        samples.set_xlabel(f"update; mean and range of each {span:.0f}")
    return figure


def summarize(changes, end, span):
    """Lists of first updates, and of mean, least and largest shares of each span of updates; the last
    span is repeated at the end."""
    changes = [*changes, (end, changes[-1][1])]
    found, start = [], changes[0][0]
    while start < end:
        until = min(start + span, end)
        parts = [(min(next_, until) - max(update, start), samples)
                 for (update, samples), (next_, _) in zip(changes, changes[1:])
                 if update < until and next_ > start]
        _, shares = zip(*parts)
        mean = sum(length * samples for length, samples in parts) / (until - start)
        found.append((start, mean, min(shares), max(shares)))
        start = until
    return tuple(map(list, zip(*found, (end, *found[-1][1:]))))


if __name__ == "__main__":
    start(lambda: draw_results(__doc__, __file__, "results/data-parallel", make, 9, "picture",
                               add=lambda parser: parser.add_argument(
                                   "--planner", metavar="NAME",
                                   help="planner whose shares to draw (default: the first)")))
