#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Generate a recording of bandwidth that resembles a real one, from a model fitted to it.

Reads a recording (Mahimahi, Pensieve or G-NetTrack, told apart by its first line) as the rate in
each second, fits a semi-Markov model and draws from it a CSV seconds,bitsPerSecond, a line per
second.

With --down, two recordings of one time, up and down, are drawn together: outages that both had at once
stay in step.

The model
  States: ranges of the rate between the recording's quantiles CUTS, so that they adapt to fast and slow
  recordings; finer at the top, where most bytes are. Of two recordings: the pairs of both's ranges.
  Transitions: drawn with the frequencies of the recording.
  Dwell times of a state: drawn from those in the recording.
  Rate: the quantile function of the recording at a random point in the range of the state, log-linear
  between KNOTS quantiles; 0 below 1 kbit/s. In each second of a dwell in its range the rate is kept with a
  probability, the persistence, or drawn again. The persistence is the one whose traces come closest to the recording's
  autocorrelation at a lag of 1 s.

A few hundred seconds of a slow process vary widely. Therefore seeds are tried from --seed on until a trace
has the recording's statistics within TOLERANCES, of two also how both go together; the header names the seed.

Example: markov_trace.py TMobile-UMTS-driving.up --down TMobile-UMTS-driving.down --out umts-driving
"""

import argparse
import collections
import csv
import datetime
import math
import os
import random
import shlex
import sys
from pathlib import Path

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../analysis"))
from edgepipe.interpreter import need  # noqa: E402
from edgepipe.pictures import InputError, Parser, number, start  # noqa: E402

need("numpy")
import numpy  # noqa: E402

CUTS = (0, 1 / 8, 2 / 8, 3 / 8, 4 / 8, 5 / 8, 6 / 8, 7 / 8, 15 / 16, 31 / 32, 1)
RANGES = len(CUTS) - 1
KNOTS = 128
PERSISTENCES = [i / 10 for i in range(10)]
PERSISTENCE_TRACES = 30
FLOOR = 1e3  # bit/s; lower rates count as 0
LAGS = (1, 2, 5)
QUANTILES = (0.1, 0.5, 0.9)
LOW = 0.1  # of the mean
# Relative to the recording's value; quantiles: to its mean; autocorrelation and both together: absolute.
TOLERANCES = {"mean": 0.05, "deviation": 0.1, "autocorrelation": 0.1, "quantile": 0.1, "correlation": 0.1,
              "both low": 0.01}
MOST_TRIES = 20000
MOST_SECONDS = 1000000  # in a recording or a trace
FEW = 0.05  # a direction with less than this share of the other's rate has been acknowledging

Model = collections.namedtuple("Model", "knots transitions dwells persistence")


# ---------------------------------------------------------------- recordings


def check_times(times):
    if not all(0 <= a <= b < math.inf for a, b in zip(times, times[1:])):
        raise ValueError("times must not go back")
    if times[-1] - times[0] > MOST_SECONDS:
        raise ValueError("longer than %d s" % MOST_SECONDS)


def read_packets(lines):
    """Mahimahi: each line is the millisecond of a packet of 1500 bytes."""
    times = [0] + [int(line) / 1000 for line in lines]
    check_times(times)
    bits = [0.0] * int(times[-1])
    for time in times[1:]:
        if time < len(bits):
            bits[int(time)] += 8 * 1500
    return bits


def spread(times, rates):
    """The mean rate in each second; a rate is of the time that ends at its own, none: leave that time out."""
    check_times(times)
    lengths = [end - begin for begin, end in zip(times, times[1:])]
    kept = [(length, rate) for length, rate in zip(lengths, rates[1:]) if rate is not None]
    bits = [0.0] * int(sum(length for length, _ in kept) + 1e-6)
    begin = 0
    for length, rate in kept:
        end = begin + length
        for second in range(int(begin), min(math.ceil(end), len(bits))):
            bits[second] += rate * (min(end, second + 1) - max(begin, second))
        begin = end
    return bits


def read_columns(lines):
    """Pensieve: seconds and Mbit/s."""
    rows = [[float(field) for field in line.split()] for line in lines]
    return spread([row[0] for row in rows], [1e6 * row[1] for row in rows])


def read_gnettrack(path, lines, direction):
    """G-NetTrack: kbit/s; the mean of the rows of a second, without idle ones."""
    column, seconds = "UL_bitrate" if direction == "up" else "DL_bitrate", {}
    other = {"UL_bitrate": "DL_bitrate", "DL_bitrate": "UL_bitrate"}[column]
    sums = {column: 0.0, other: 0.0}
    for row in csv.DictReader(lines):
        if "-" not in (row[column], row.get(other)):
            for name in sums:
                sums[name] += float(row.get(name) or 0)
        if row[column] != "-":
            time = datetime.datetime.strptime(row["Timestamp"], "%Y.%m.%d_%H.%M.%S")
            rates = seconds.setdefault(time, [])
            if row.get("State") != "I":
                rates.append(1e3 * float(row[column]))
    if sums[column] < FEW * sums[other]:
        raise InputError("%s: %s is %.2g%% of %s: acknowledgements, no capacity to fit"
                         % (path, column, 100 * sums[column] / sums[other], other))
    first = next(iter(seconds))
    return spread([(time - first).total_seconds() for time in seconds],
                  [sum(rates) / len(rates) if rates else None for rates in seconds.values()])


def read_recording(path, direction):
    """Returns the rate in each second, bit/s."""
    try:
        text = Path(path).read_text(encoding="utf-8")
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        if lines and "Timestamp" in lines[0]:
            rates = read_gnettrack(path, lines, direction)
        elif lines and len(lines[0].split()) == 2:
            rates = read_columns(lines)
        else:
            rates = read_packets(lines)
    except OSError as error:
        raise InputError("%s: cannot be read: %s" % (path, error.strerror)) from error
    except (ValueError, TypeError, LookupError, OverflowError, StopIteration) as error:
        raise InputError("%s: no recording of Mahimahi, Pensieve or G-NetTrack (%s)"
                       % (path, " ".join(str(error).split()))) from error
    if len(rates) < 60 or max(rates) < FLOOR or min(rates) < 0 or not max(rates) <= 1e12:
        raise InputError("%s: found %d s, expected at least 60 s of rates of 0 to 1e12 bit/s, not "
                       "all below %g" % (path, len(rates), FLOOR))
    return rates


# ---------------------------------------------------------------- statistics


def describe(rates):
    """Returns the statistics of a recording: a dict by (kind,) or (kind, parameter)."""
    rates = numpy.array(rates)
    mean, variance, rest = rates.mean(), rates.var(), rates - rates.mean()
    found = {("mean",): mean, ("deviation",): rates.std()}
    for lag in LAGS:
        found["autocorrelation", lag] = (rest[lag:] * rest[:-lag]).mean() / variance if variance else 1.0
    return {**found, **{("quantile", share): numpy.quantile(rates, share) for share in QUANTILES}}


def describe_both(directions):
    """Returns how two directions go together: correlation, and the share of seconds when both are low."""
    if len(directions) == 1:
        return {}
    low = [numpy.array(rates) < LOW * numpy.mean(rates) for rates in directions]
    return {("correlation",): numpy.corrcoef(*directions)[0, 1], ("both low",): (low[0] & low[1]).mean()}


def is_alike(found, wanted):
    """Whether statistics agree within TOLERANCES."""
    scales = {"deviation": wanted.get(("deviation",)), "mean": wanted.get(("mean",)), "quantile": wanted.get(("mean",))}
    return all(abs(found[key] - value) <= TOLERANCES[key[0]] * scales.get(key[0], 1)
               for key, value in wanted.items())


# ---------------------------------------------------------------- the model


def fit(directions):
    """Fits one model to the rates of one or two directions, at the same times."""
    knots = [numpy.log(numpy.maximum(numpy.quantile(rates, numpy.arange(KNOTS + 1) / KNOTS), FLOOR / 10))
             for rates in directions]
    states = list(zip(*(numpy.searchsorted(numpy.quantile(rates, CUTS[1:-1]), rates).tolist()
                        for rates in directions)))
    transitions, dwells = collections.defaultdict(collections.Counter), collections.defaultdict(list)
    begin = 0
    for second in range(1, len(states)):
        if states[second] != states[second - 1]:
            transitions[states[second - 1]][states[second]] += 1
            dwells[states[second - 1]].append(second - begin)
            begin = second
    dwells[states[-1]].append(len(states) - begin)
    if not transitions[states[-1]]:
        transitions[states[-1]][states[0]] = 1  # else the chain could not leave the recording's last state
    wanted = [describe(rates)["autocorrelation", 1] for rates in directions]
    models = [Model(knots, transitions, dwells, [persistence] * len(directions)) for persistence in PERSISTENCES]
    kept = [persist(model, len(states)) for model in models]
    return models[0]._replace(persistence=[
        min(zip(models, kept), key=lambda pair: abs(pair[1][one] - wanted[one]))[0].persistence[one]
        for one in range(len(directions))])


def persist(model, seconds):
    """Returns the mean autocorrelation of each direction of the model's traces at a lag of 1 s."""
    return sum(numpy.array([describe(rates)["autocorrelation", 1] for rates in draw(model, seconds, seed)])
               for seed in range(PERSISTENCE_TRACES)) / PERSISTENCE_TRACES


def draw(model, seconds, seed):
    """Returns a rate for each second of each direction, whole bit/s: the quantile function at random shares."""
    chance = random.Random(seed)
    known = sorted(model.dwells)
    state = chance.choices(known, [sum(model.dwells[one]) for one in known])[0]
    before, share, shares = [None] * len(state), [None] * len(state), [[] for _ in state]
    while len(shares[0]) < seconds:
        for _ in range(chance.choice(model.dwells[state])):
            for one, now in enumerate(state):
                if now != before[one] or chance.random() >= model.persistence[one]:
                    share[one] = CUTS[now] + chance.random() * (CUTS[now + 1] - CUTS[now])
                shares[one].append(share[one])
            before = state
        following = sorted(model.transitions[state])
        state = chance.choices(following, [model.transitions[state][one] for one in following])[0]
    at = numpy.arange(KNOTS + 1) / KNOTS
    rates = [numpy.exp(numpy.interp(one[:seconds], at, knots)) for one, knots in zip(shares, model.knots)]
    return [numpy.where(one >= FLOOR, one.round(), 0) for one in rates]


def search(model, seconds, seed, wanted, both):
    """Returns the first seed whose traces have the wanted statistics, and the traces."""
    for tried in range(seed, seed + MOST_TRIES):
        traces = draw(model, seconds, tried)
        if is_alike(describe_both(traces), both) and all(
                is_alike(describe(rates), one) for rates, one in zip(traces, wanted)):
            return tried, traces
    raise InputError("no seed from %d to %d gives the recording's statistics within the tolerances; "
                   "more --seconds scatter less" % (seed, seed + MOST_TRIES - 1))


# ---------------------------------------------------------------- command line


def format_trace(arguments, direction, seed, rates, figures):
    """The text of a trace; figures: {statistic: (the recording's, this trace's)}."""
    names = [os.path.basename(path) for path in (arguments.recording, arguments.down) if path]
    options = ["--down", names[1]] if arguments.down else ["--direction", direction]
    saturated = ["--saturated", arguments.saturated] if arguments.saturated else []
    command = ["markov_trace.py", names[0], *options, *saturated, "--seconds",
               str(arguments.seconds), "--seed", str(arguments.seed), "--source", arguments.source]
    lines = ["# origin: generated by a semi-Markov model fitted to the statistics of a recording",
             "# tool: traces/capture/markov_trace.py",
             "# command: " + " ".join(shlex.quote(word) for word in command),
             "# seed: %d, the first from %d on within the tolerances" % (seed, arguments.seed),
             "# states: %d, persistence %g" % (arguments.states, arguments.persistence[direction]),
             "# recording: %s, %d s" % (" with ".join(names), arguments.recorded),
             "# source: " + arguments.source,
             "# statistic: recording, this trace"]
    forms = {"autocorrelation": "# autocorrelation after %s s: %.3f, %.3f",
             "quantile": "# quantile %s: %.0f, %.0f",
             "correlation": "# correlation of up and down: %.3f, %.3f",
             "both low": "# both below a tenth of their means: %.4f, %.4f"}
    for key, pair in figures.items():
        lines.append(forms.get(key[0], f"# {key[0]}: %.0f, %.0f") % (*key[1:], *pair))
    lines.append("# tolerances: mean %(mean)g, deviation %(deviation)g of the recording's; "
                 "autocorrelation %(autocorrelation)g; quantiles %(quantile)g of the mean" % TOLERANCES
                 + ("; correlation %(correlation)g, both %(both low)g" % TOLERANCES if arguments.down else ""))
    lines.append("# direction: " + direction)
    lines.append("# saturated: " + (arguments.saturated or ("both" if arguments.down else direction)))
    lines.append("seconds,bitsPerSecond")
    lines += ["%d,%d" % row for row in enumerate(rates)]
    return "\n".join(lines) + "\n"


def main():
    parser = Parser(__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recording", help="recording to fit")
    parser.add_argument("--down", default="", metavar="FILE",
                        help="the downlink, recorded at the same time as the uplink in RECORDING: both are drawn together")
    parser.add_argument("--direction", choices=("up", "down"), default="down",
                        help="direction of the recording; column to read from a G-NetTrack one (default: %(default)s)")
    parser.add_argument("--saturated", choices=("up", "down", "both"), default="",
                        help="what always had data to send when it was recorded (default: --direction; with --down both)")
    parser.add_argument("--seconds", type=number(60, MOST_SECONDS, int), default=300,
                        help="length of the trace, s (default: %(default)s)")
    parser.add_argument("--seed", type=number(0, 2 ** 31, int), default=1, help="first seed to try (%(default)s)")
    parser.add_argument("--source", default="not given", help="source of the recording, for the header")
    parser.add_argument("--out", default="-",
                        help="file to write, with --down OUT.up.csv and OUT.down.csv; -: standard output (default: -)")
    arguments = parser.parse_args()
    arguments.source = " ".join(arguments.source.split())
    names = ["up", "down"] if arguments.down else [arguments.direction]
    recorded = [read_recording(path, name) for path, name in zip((arguments.recording, arguments.down), names)]
    arguments.recorded = min(map(len, recorded))
    recorded = [rates[:arguments.recorded] for rates in recorded]
    wanted, both = list(map(describe, recorded)), describe_both(recorded)
    model = fit(recorded)
    arguments.states = len(model.dwells) if arguments.down else RANGES
    arguments.persistence = dict(zip(names, model.persistence))
    seed, traces = search(model, arguments.seconds, arguments.seed, wanted, both)
    together = describe_both(traces)
    for name, rates, one in zip(names, traces, wanted):
        found = {**describe(rates), **together}
        text = format_trace(arguments, name, seed, rates,
                            {key: (value, found[key]) for key, value in {**one, **both}.items()})
        if arguments.out == "-":
            sys.stdout.write(text)
        else:
            Path(arguments.out + (f".{name}.csv" if arguments.down else "")).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    start(main)
