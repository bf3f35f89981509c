#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draw a run of actor-learner.

It writes responses.png, with requests/s, the distribution of response times and eq. 6 by planner,
server.png, with the utilisation of the server's processor and links over time, and decisions.png, with
link rates and loads reported to planners, and the actors' cuts, over time.
"""

from edgepipe.axes import legend_above, logarithmic
from edgepipe.drawing import draw_results
from edgepipe.looks import looks
from edgepipe.pictures import new_figure, new_panels, set_title, start
from edgepipe.run_file import describe
from edgepipe.tables import columns, read_table, unique

RESULTS = columns("planner status", "requestsPerSecond predictedResponseSeconds")
# Empty if no request ended in the measured time.
UNMEASURED = ("requestsPerSecond", "predictedResponseSeconds")
STEPS = columns("planner", "cut responseSeconds endedSeconds")
CHANGES = columns("planner change", "seconds share bytesPerSecond serverShare")
# Empty where nothing was reported.
UNTOLD = ("share", "bytesPerSecond")
USAGE = columns("planner", "fromSeconds inferenceShare trainingShare tensorBytes trajectoryBytes "
                "actionBytes parameterBytes")


def make(folder, options):
    results = read_table(folder / "results.csv", RESULTS, may_be_empty=UNMEASURED)
    steps = read_table(folder / "steps.csv", STEPS, least=0)
    usage = read_table(folder / "usage.csv", USAGE)
    changes = read_table(folder / "changes.csv", CHANGES, may_be_empty=UNTOLD)
    title = describe(folder, "{model}, {actors} actors ({actor}) and a server ({server}), {link}, "
                             "{fidelity} level")
    return {"responses": lambda: draw_responses(results, steps, title, options),
            "server": lambda: draw_server(usage, title, options),
            "decisions": lambda: draw_decisions(changes, steps, title, options)}


def draw_responses(results, steps, title, options):
    look = looks([row["planner"] for row in results])
    figure, (rates, times) = new_panels(options, 2, 0.38, title)
    rates.barh(list(look), [row["requestsPerSecond"] or 0 for row in results],
               color=[colour for colour, _ in look.values()])
    rates.set(ylim=(max(len(look), 4) - 0.4, -0.6), xlabel="requests/s of all actors")
    for row in results:
        name = row["planner"]
        if row["requestsPerSecond"] is None:
            rates.text(0, name, " not measured", va="center")
        ours = sorted(1e3 * step["responseSeconds"] for step in steps if step["planner"] == name)
        if ours:
            times.step(ours, [i / len(ours) for i in range(1, 1 + len(ours))], where="post",
                       color=look[name][0], label=name, linewidth=1.2)
        if row["predictedResponseSeconds"] is not None:
            times.axvline(1e3 * row["predictedResponseSeconds"], color=look[name][0],
                          linestyle=":", linewidth=0.9)
    logarithmic(times, "x")
    times.set(xlabel="response (ms); dotted: by equation 6", ylabel="share of the steps")
    if times.get_legend_handles_labels()[0]:
        times.legend(frameon=False)
    return figure


def stack(rows, labels, title, options):
    """A figure of three panels over time, its axes, and the looks of planners; finish with add_legend."""
    figure = new_figure(options.width, 0.45 * options.width + 3.4, options.dpi, layout="constrained")
    set_title(figure, title, options)
    axes = figure.subplots(3, 1, sharex=True)
    for axis, label in zip(axes, labels):
        axis.set_ylabel(label)
    return figure, axes, looks(unique(row["planner"] for row in rows))


def add_legend(axes):
    for axis in axes:
        axis.set_ylim(bottom=0)
    axes[-1].set_xlabel("time (s)")
    legend_above(axes[0])


def draw_server(usage, title, options):
    figure, axes, look = stack(usage, ("server's processor (%)", "uplink (MB/s)", "downlink (MB/s)"), title,
                               options)
    for name, (colour, _) in look.items():
        rows = [row for row in usage if row["planner"] == name]
        span = rows[1]["fromSeconds"] - rows[0]["fromSeconds"] if len(rows) > 1 else 1
        at = [row["fromSeconds"] for row in rows] + [rows[-1]["fromSeconds"] + span]
        series = ([100 * (row["inferenceShare"] + row["trainingShare"]) for row in rows],
                  [(row["tensorBytes"] + row["trajectoryBytes"]) / span / 1e6 for row in rows],
                  [(row["actionBytes"] + row["parameterBytes"]) / span / 1e6 for row in rows])
        for axis, values in zip(axes, series):
            axis.step(at, values + values[-1:], where="post", color=colour, label=name, linewidth=1.1)
    axes[-1].margins(x=0.01)
    add_legend(axes)
    return figure


def draw_seconds(axis, points, color, label=None):
    """Draws (time, value) points as the mean of each second, with a band from minimum to maximum."""
    by_second = {}
    for time, value in points:
        by_second.setdefault(int(time), []).append(value)
    seconds = sorted(by_second)
    values = [by_second[second] for second in seconds]
    axis.step(seconds, [sum(one) / len(one) for one in values], where="post", color=color, label=label,
              linewidth=1.1, marker="" if len(seconds) > 1 else ".")
    axis.fill_between(seconds, [*map(min, values)], [*map(max, values)], step="post", color=color,
                      alpha=0.12, linewidth=0)


def draw_decisions(changes, steps, title, options):
    figure, axes, look = stack(changes, ("links told (Mbit/s)", "left for us (%)", "layers on actors"),
                               title + "\nof what actors tell and do in a second: mean, and a band from "
                               "the least to the most; dashed: server", options)
    links, shares, cuts = axes
    for name, (colour, _) in look.items():
        rows = [row for row in changes if row["planner"] == name]
        told = [row for row in rows if row["bytesPerSecond"] is not None]
        draw_seconds(links, [(row["seconds"], 8 * row["bytesPerSecond"] / 1e6) for row in told],
                     color=colour, label=name)
        draw_seconds(shares, [(row["seconds"], 100 * row["share"]) for row in told], color=colour)
        shares.step([row["seconds"] for row in rows], [100 * row["serverShare"] for row in rows],
                    where="post", color=colour, linewidth=1.1, linestyle="--")
        draw_seconds(cuts, [(step["endedSeconds"], step["cut"]) for step in steps
                            if step["planner"] == name], color=colour)
    add_legend(axes)
    shares.set_ylim(top=105)
    return figure


if __name__ == "__main__":
    start(lambda: draw_results(__doc__, __file__, "results/actor-learner", make, 9))
