#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""How close joint help between neighbouring stages comes to the best possible shares of samples.

Runs pipeline-training without help and with --adjacent-costs=joint, and searches for the best shares of every
cut far more thoroughly than the coordinator: simulated annealing in many chains, then descent over all layers
and shares of single cuts and of pairs of cuts, both with the script's own model of an iteration, in which
transfers of different pairs do not interfere. The best shares found are simulated, and the best of these is
improved by further simulations, one cut at a time. A linear programme bounds the gain of any shares: in it
every sample may cross every cut at a layer of its own, and nothing is fixed, copied or sent twice. Writes
joint-help.csv, a row per model and schedule, and prints it as a table.
"""

import itertools
import statistics
import sys

import edgepipe
from edgepipe.interpreter import need
from edgepipe.pictures import Parser, number, start
from edgepipe.reports import csv_of_rows
from edgepipe.results_folder import ResultsFolder
from edgepipe.run_file import read_run
from edgepipe.running import traces_folder
from edgepipe.tables import print_table

need("numpy", "scipy")

import numpy  # noqa: E402
from scipy.optimize import linprog  # noqa: E402

MODELS = "alexnet,resnext101_32x8d,vgg19,inception_v3,regnet_x_200mf"
NEVER = 1e18  # seconds; where memory does not suffice, or the cuts of a stage meet
SAMPLES = 32  # per micro-batch
PAIRS = 40  # best moves of each cut of a pair, whose combinations are tried
STEPS = [-8, -4, -1, 1, 4, 8]  # changes of samples or layers to simulate
STARTS = 6  # descents from annealed shares, beside those from the plan's cuts and the coordinator's shares
LEAST = 1e-3  # share of an iteration; smaller gains of the best shares count as none


def main():
    parser = Parser(__doc__)
    add = parser.option
    add("models", MODELS, "models, separated by commas")
    add("schedules", "gpipe,1f1b", "schedules, separated by commas")
    add("cluster", "dgpas-testbed", "devices: a name in traces/clusters or a file")
    add("chains", 64, "chains of simulated annealing", type=number(1, 10000, int), metavar="N")
    add("rounds", 3000, "steps of each chain", type=number(1, 1000000, int), metavar="N")
    add("judged", 12, "shares to simulate, the best by the model", type=number(0, 1000, int), metavar="N")
    add("simulated", 150, "most further simulations to improve the best of these",
        type=number(0, 100000, int), metavar="N")
    add("seed", 1, "seed of the annealing", type=number(0, 2**31, int))
    add("out", "results/joint-help", "folder for the results")
    options = parser.parse_args()
    out = ResultsFolder.of_script(options.out)
    rows = []
    for schedule, model in itertools.product(options.schedules.split(","), options.models.split(",")):
        print(f"{model}, {schedule}", file=sys.stderr)
        rows.append(compare(model, schedule, options))
    out.write("joint-help.csv", csv_of_rows(rows))
    out.commit()
    show(rows)
    print(f"\nResults: {out.path}/  joint-help.csv (a row per model and schedule)")


def simulate(model, schedule, options, cuts=None):
    """Seconds of an iteration without and with joint help, and the results."""
    given = {} if cuts is None else {"ns3::edgepipe::PipelineCoordinator::SharedCuts": cuts}
    ran = edgepipe.run("pipeline-training", model=model, cluster=options.cluster, planner="exact",
                       schedule=schedule, micro_batch_size=SAMPLES, adjacent="both",
                       adjacent_costs="joint", timeline=False, **given)
    return [float(row["iterationSeconds"]) for row in ran.rows()], ran


def compare(model, schedule, options):
    (without, joint), ran = simulate(model, schedule, options)
    problem = read_run(ran.folder / "problem.json")
    with_help = ran.run["cases"][1]
    specs = {kind: read_run(traces_folder() / f"devices/{kind}.json") for kind in problem["costs"]}
    iteration = Iteration(problem, ran.run["plans"][-1]["parts"], schedule, SAMPLES, specs)
    planned = numpy.array(iteration.bounds[1:-1])
    names = [layer["name"] for layer in problem["layers"]]
    layer, count = planned.copy(), numpy.zeros(len(planned), int)
    for cut in with_help["sharing"]["cuts"]:
        layer[cut["cut"]], count[cut["cut"]] = names.index(cut["firstLayer"]), cut["samples"]
    model_without, model_joint = iteration.seconds(
        numpy.array([planned, layer]), numpy.array([0 * count, count]))

    def judge(shares):
        text = ",".join(f"{cut}:{names[at]}:{some}" for cut, (at, some) in enumerate(shares) if some)
        if iteration.seconds(*(numpy.array([each]) for each in zip(*shares)))[0] == NEVER:
            return NEVER
        return simulate(model, schedule, options, text)[0][1] if text else without

    shares = search(iteration, [(planned, 0 * count), (layer, count)], options)
    judged = [(joint, tuple(zip(layer.tolist(), count.tolist()))),
              *((judge(each), each) for each in shares)]
    best, simulations = climb(iteration, judge, *min(judged), options.simulated)
    return {"model": model, "schedule": schedule, "stages": len(planned) + 1,
            "iterationSeconds": without, "jointSeconds": joint, "bestSeconds": min(best, without),
            "boundSeconds": bound(iteration, schedule), "modelSeconds": model_without,
            "modelJointSeconds": model_joint, "decisionSeconds": with_help["sharing"]["decisionSeconds"],
            "evaluations": iteration.evaluations, "simulations": len(shares) + simulations}


def search(iteration, starts, options):
    """The best distinct shares by the model: (layer, samples) for each cut."""
    layer, count, time = anneal(iteration, options.chains, options.rounds,
                                numpy.random.default_rng(options.seed))
    starts = starts + [(layer[at], count[at]) for at in numpy.argsort(time, kind="stable")[:STARTS]]
    found = {}
    for begin, some in starts:
        time = iteration.seconds(begin[None], some[None])[0]
        for layer, count, time in descend(iteration, begin, some, time):
            found[tuple(zip(layer.tolist(), count.tolist()))] = time
    return sorted(found, key=found.get)[:options.judged]


def climb(iteration, judge, best, shares, most):
    """Changes one cut at a time while simulations get faster; returns the seconds of the best and the number
    of simulations."""
    count, before = 0, None
    while before != best:
        before = best
        for cut, planned in enumerate(iteration.bounds[1:-1]):
            layer, some = shares[cut]
            for layers, samples in [(0, each) for each in STEPS] + [(each, 0) for each in STEPS]:
                move = layer + layers, some + samples if some else SAMPLES // 4
                if (count == most or move[0] == planned or not 0 < move[1] < SAMPLES
                        or not iteration.bounds[cut] < move[0] < iteration.bounds[cut + 2]):
                    continue
                changed = (*shares[:cut], move, *shares[cut + 1:])
                seconds = judge(changed)
                count += 1
                if seconds < best:
                    best, shares = seconds, changed
    return best, count


def show(rows):
    reached, table = [], []
    for row in rows:
        without, joint, best, least, model, model_joint = (row[f"{key}Seconds"] for key in (
            "iteration", "joint", "best", "bound", "model", "modelJoint"))
        cell = "nothing"
        if without - best > LEAST * without:
            reached.append((without - joint) / (without - best))
            cell = f"{100 * reached[-1]:.0f} %"
        table.append([row["model"], row["schedule"], str(row["stages"]), f"{without:.4g} s",
                      *(f"{100 * (1 - seconds / without):.1f} %" for seconds in (joint, best, least)), cell,
                      f"{100 * (model / without - 1):+.1f} % {100 * (model_joint / joint - 1):+.1f} %",
                      f"{row['decisionSeconds']:.3f} s", f"{row['evaluations']:,}", str(row["simulations"])])
    print_table(["model", "schedule", "stages", "without", "joint", "best", "bound", "reached",
                 "model off by", "decision", "tried", "simulated"], table)
    worst = max(row["jointSeconds"] / row["iterationSeconds"] - 1 for row in rows)
    print("\nwithout help; less time with joint help, with the best shares found, and by the bound that "
          "no\nshares pass; what joint help reaches of the best shares' gain"
          + (f", {100 * statistics.fmean(reached):.0f} % on average" if reached else "")
          + f";\nhow far the search's model is off without and with joint help; worst loss "
          f"{100 * max(0, worst):.2f} %")


class Iteration:
    """Model of an iteration's duration by the shares of every cut, for many candidates at once.

    For each cut, a candidate has the layer at which some samples of a micro-batch cross, and their number.
    Arrays have a row per candidate and a column per cut.
    """

    def __init__(self, problem, stages, schedule, samples, specs):
        layers = problem["layers"]
        devices = {device["name"]: device for device in problem["devices"]}
        placed = [devices[stage["device"]] for stage in stages]
        self.samples = samples
        self.batches = problem["microBatches"]
        self.bounds = [0] + [stage["spans"][-1][1] + 1 for stage in stages]
        self.memory = [device["memoryBytes"] for device in placed]
        self.seconds_per_byte = 8 / problem["bandwidthBitsPerSecond"]
        self.states = problem.get("optimizerStates", 0)
        self.update = [(3 + 2 * self.states) / specs[device["type"]]["memoryBandwidthBytesPerSecond"]["value"]
                       for device in placed]
        self.parameters = sums(layer["parameterBytes"] for layer in layers)
        last = {name: i for i, layer in enumerate(layers) for name in layer["inputs"]}
        loss = [0 if layer["name"] in last else layer["outputBytes"] for layer in layers]  # it keeps a copy
        self.activations = sums(layer["activationBytes"] + kept for layer, kept in zip(layers, loss))
        self.crossing = numpy.array([sum(
            layer["outputBytes"] for layer in layers[:cut] if last.get(layer["name"], -1) >= cut)
            for cut in range(len(layers))], float)  # by number of layers before the cut
        # Memory of a stage, by its first layer, and by first layer and end; see problems.py.
        read = numpy.array([sum(one["outputBytes"] for one in layers if one["name"] in layer["inputs"])
                            for layer in layers], float)
        counts = read <= [layer["activationBytes"] for layer in layers]
        self.received = self.crossing - numpy.where(counts, numpy.minimum(read, self.crossing), 0)
        ends = numpy.append(self.crossing, 0)
        alive = ends + numpy.append(0, loss)
        self.largest = numpy.array([[max([ends[first], *alive[first + 1:end + 1]])
                                     for end in range(len(ends))] for first in range(len(layers))])
        self.passes = []  # by stage: forward, backward, and the fixed part of each
        for device in placed:
            costs = problem["costs"][device["type"]]
            spec = specs[device["type"]]
            stack = spec["stacks"][spec["stack"]["training"]]
            overhead = stack["figures"]["layerOverheadSeconds"]
            fixed = [overhead if layer["inputs"] else 0 for layer in layers]
            self.passes.append([sums(costs["forwardSeconds"]), sums(costs["backwardSeconds"]), sums(
                map(min, fixed, costs["forwardSeconds"], costs["backwardSeconds"]))])
        self.steps, self.held = order_steps(schedule, len(stages), self.batches)
        self.evaluations = 0

    def choices(self, cut):
        """All (layer, number of samples) choices for a cut; no samples come first."""
        layers = numpy.array([layer for layer in range(self.bounds[cut] + 1, self.bounds[cut + 2])
                              if layer != self.bounds[cut + 1]], int)
        counts = numpy.arange(1, self.samples)
        return (numpy.concatenate([[self.bounds[cut + 1]], numpy.repeat(layers, len(counts))]),
                numpy.concatenate([[0], numpy.tile(counts, len(layers))]))

    def load(self, stage, layer, count):
        """A stage's forward and backward seconds, bytes of activations and weights, first layer of any sample and
        end of the last layer, by candidate."""
        size = len(layer)
        first, end = (numpy.full(size, bound) for bound in self.bounds[stage:stage + 2])
        pieces = []  # first layer, end, samples
        if stage > 0:
            other, some = layer[:, stage - 1], count[:, stage - 1]
            pieces += [(other, first, some), (first, other, self.samples - some)]
            first = numpy.where(some > 0, numpy.maximum(first, other), first)
        if stage + 2 < len(self.bounds):
            other, some = layer[:, stage], count[:, stage]
            pieces += [(end, other, some), (other, end, self.samples - some)]
            end = numpy.where(some > 0, numpy.minimum(end, other), end)
        pieces = [(begin, stop, some, (stop > begin) & (some > 0) & (some < self.samples))
                  for begin, stop, some in pieces]
        pieces.append((first, end, numpy.full(size, self.samples), end > first))
        forward, backward, fixed = self.passes[stage]
        total = numpy.zeros((4, size))
        for begin, stop, some, there in pieces:
            part = some / self.samples
            seconds, back, again, kept, weights = (each[stop] - each[begin] for each in (
                forward, backward, fixed, self.activations, self.parameters))
            again = (1 - part) * again
            total += there * numpy.array([part * seconds + again, part * back + again, part * kept, weights])
        total[:, first >= end] = NEVER
        spans = [(numpy.where(there, begin, self.bounds[-1]), numpy.where(there, stop, 0))
                 for begin, stop, _, there in pieces]
        return (*total, numpy.minimum.reduce([begin for begin, _ in spans]) % self.bounds[-1],
                numpy.maximum.reduce([stop for _, stop in spans]))

    def seconds(self, layer, count):
        """Seconds of an iteration, by candidate."""
        self.evaluations += len(layer)
        stages = len(self.passes)
        loads = [self.load(stage, layer, count) for stage in range(stages)]
        planned = numpy.array(self.bounds[1:-1])
        part = count / self.samples
        wire = self.seconds_per_byte * numpy.ceil(
            (1 - part) * self.crossing[planned] + part * self.crossing[layer])
        merge = self.seconds_per_byte * (count > 0) * abs(
            self.parameters[layer] - self.parameters[planned])
        end = [numpy.zeros(len(layer)) for _ in range(stages)]
        busy = {}
        here = {}
        for stage, backward, batch in self.steps:
            arrived = here.pop((stage, backward, batch), 0)
            end[stage] = numpy.maximum(end[stage], arrived) + loads[stage][backward]
            to = stage + (-1 if backward else 1)
            if 0 <= to < stages:
                way = (stage, to)
                busy[way] = numpy.maximum(busy.get(way, 0), end[stage]) + wire[:, min(way)]
                here[to, backward, batch] = busy[way]
        # Weight gradients are sent after the last gradient: to the previous stage, then to the next.
        begin = [each.copy() for each in end]
        for stage in range(stages):
            over = busy.get((stage, stage - 1), end[stage])
            for cut, to in ((stage - 1, stage - 1), (stage, stage + 1)):
                if 0 <= to < stages:
                    over = over + merge[:, cut]
                    begin[to] = numpy.where(merge[:, cut] > 0, numpy.maximum(begin[to], over), begin[to])
        whole = numpy.zeros(len(layer))
        for stage in range(stages):
            whole = numpy.maximum(whole, begin[stage] + self.update[stage] * loads[stage][3])
            _, _, kept, weights, first, end = loads[stage]
            needed = ((2 + self.states) * weights + 2 * self.largest[first, end]
                      + self.held[stage] * (numpy.ceil(kept) + self.received[first]))
            whole = numpy.where(needed > self.memory[stage], NEVER, whole)
        return numpy.minimum(whole, NEVER)


def sums(values):
    return numpy.concatenate([[0], numpy.cumsum(list(values), dtype=float)])


def order_steps(schedule, stages, batches):
    """All passes of all stages in an order that respects their dependencies, and by stage the most
    micro-batches between their forward and backward passes."""
    plans, held = [], []
    for stage in range(stages):
        warm = batches if schedule == "gpipe" else min(stages - stage - 1, batches)
        plans.append([step for batch in range(batches + warm)
                      for step in ((stage, 0, batch), (stage, 1, batch - warm)) if 0 <= step[2] < batches])
        held.append(min(warm + (schedule != "gpipe"), batches))
    done, order = set(), []
    while any(plans):
        for stage, steps in enumerate(plans):
            while steps:
                _, backward, batch = step = steps[0]
                before = stage + (1 if backward else -1)
                if 0 <= before < stages and (before, backward, batch) not in done:
                    break
                order.append(steps.pop(0))
                done.add(step)
    return order, held


def anneal(iteration, chains, rounds, generator):
    """Simulated annealing in parallel chains; returns the best candidate of each."""
    cuts = len(iteration.bounds) - 2
    choices = [iteration.choices(cut) for cut in range(cuts)]
    layer = numpy.tile(iteration.bounds[1:-1], (chains, 1))
    count = numpy.zeros((chains, cuts), int)
    time = iteration.seconds(layer, count)
    best = [layer.copy(), count.copy(), time.copy()]
    for heat in numpy.geomspace(0.02, 1e-5, rounds) * time[0]:
        cut = generator.integers(cuts, size=chains)
        other, some = layer.copy(), count.copy()
        for one, (layers, counts) in enumerate(choices):
            chosen = numpy.flatnonzero(cut == one)
            pick = generator.integers(len(layers), size=len(chosen))
            # Half of the moves keep the layer.
            stays = (generator.random(len(chosen)) < 0.5) & (count[chosen, one] > 0)
            other[chosen, one] = numpy.where(stays, layer[chosen, one], layers[pick])
            some[chosen, one] = numpy.where(
                stays, generator.integers(1, iteration.samples, size=len(chosen)), counts[pick])
        found = iteration.seconds(other, some)
        with numpy.errstate(over="ignore"):
            taken = generator.random(chains) < numpy.exp(numpy.minimum(0, (time - found) / heat))
        layer[taken], count[taken], time[taken] = other[taken], some[taken], found[taken]
        better = time < best[2]
        for kept, now in zip(best, (layer, count, time)):
            kept[better] = now[better]
    return best


def descend(iteration, layer, count, time):
    """Descends until no change of one cut, and no combination of good changes of two cuts, is faster; yields
    every step."""
    cuts = len(layer)
    choices = [iteration.choices(cut) for cut in range(cuts)]
    while True:
        before, times = time, []
        for cut, candidates in enumerate(choices):
            (layer, count, time), found = move(iteration, layer, count, time, {cut: candidates})
            times.append(found)
        for pair in itertools.combinations(range(cuts), 2) if time == before else ():
            near = [numpy.argsort(times[cut], kind="stable")[:PAIRS] for cut in pair]
            moves = {cut: tuple(each[at.ravel()] for each in choices[cut])
                     for cut, at in zip(pair, numpy.meshgrid(*near))}
            (layer, count, time), _ = move(iteration, layer, count, time, moves)
        yield layer, count, time
        if time > before * (1 - 1e-9):
            return


def move(iteration, layer, count, time, moves):
    """The best of moves if it is faster, else the current shares; and the seconds of all moves."""
    size = len(next(iter(moves.values()))[0])
    others, some = numpy.tile(layer, (size, 1)), numpy.tile(count, (size, 1))
    for cut, candidates in moves.items():
        others[:, cut], some[:, cut] = candidates
    found = iteration.seconds(others, some)
    best = found.argmin()
    return ((others[best], some[best], found[best]) if found[best] < time else (layer, count, time)), found


def bound(iteration, schedule):
    """Lower bound on the seconds of an iteration: a linear programme over the samples that cross each cut at
    each layer, with passes and transfers linear in them."""
    cuts = len(iteration.bounds) - 2
    layers = [numpy.arange(iteration.bounds[cut] + 1, iteration.bounds[cut + 2])
              for cut in range(cuts)]
    first = numpy.concatenate([[0], numpy.cumsum([len(each) for each in layers])])
    size = first[-1] + 3  # forward, backward and total seconds
    forward, backward, whole = size - 3, size - 2, size - 1
    passes = numpy.zeros((2, cuts + 1, size + 1))  # by direction and stage: coefficients, and a constant
    wires = numpy.zeros((cuts, size + 1))
    for cut, at in enumerate(layers):
        own = slice(first[cut], first[cut + 1])
        wires[cut, own] = iteration.seconds_per_byte * iteration.crossing[at]
        for way in range(2):
            passes[way, cut, own] += iteration.passes[cut][way][at]
            passes[way, cut + 1, own] -= iteration.passes[cut + 1][way][at]
    for way in range(2):
        passes[way, cuts, size] = iteration.passes[cuts][way][-1]
    again = iteration.batches - 1
    rows = [-each for way in passes for each in way]  # no pass takes negative time
    filled = [each.sum(0) + wires.sum(0) for each in passes]
    for way, phase in enumerate((forward, backward)):
        for each in (*passes[way], *wires):
            rows.append(filled[way] + again * each - unit(size, phase))
    if schedule == "gpipe":
        rows.append(unit(size, forward) + unit(size, backward) - unit(size, whole))
    for stage in range(cuts + 1):
        own = passes[0, stage] + passes[1, stage]
        rows.append((again + 1) * own + passes[:, :stage].sum((0, 1)) + 2 * wires[:stage].sum(0)
                    - unit(size, whole))
    rows += [sum(filled) + again * wire - unit(size, whole) for wire in wires]
    rows = numpy.array(rows)
    ones = [[float(first[cut] <= i < first[cut + 1]) for i in range(size)] for cut in range(cuts)]
    found = linprog(unit(size, whole)[:-1], rows[:, :-1], -rows[:, -1], ones, [1] * cuts)
    if not found.success:
        raise RuntimeError(found.message)
    return found.fun


def unit(size, index):
    return (numpy.arange(size + 1) == index).astype(float)


if __name__ == "__main__":
    start(main)
