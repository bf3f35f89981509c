# SPDX-License-Identifier: GPL-2.0-only
"""Shared by planners from the literature: costs of stages in a chain, and the best chain of stages."""

from itertools import accumulate


class Chain:
    """Costs of stages and transfers in a pipeline; stages hold the layers from first to end - 1."""

    def __init__(self, problem):
        self.problem = problem
        self.sums = {name: [0, *accumulate(map(sum, zip(costs.forward_seconds,
                                                        costs.backward_seconds)))]
                     for name, costs in problem.costs.items()}
        self.bytes = {}
        self.cuts = [0, *problem.cut_bytes(), 0]

    def stage(self, device, first, end):
        """Seconds of the forward and backward pass of a micro-batch."""
        sums = self.sums[self.problem.devices[device].type]
        return sums[end] - sums[first]

    def transfer(self, sender, receiver, first):
        """Seconds to send a micro-batch's activations to the stage from first on, and gradients back."""
        if first == 0:
            return 0.0
        rate = self.problem.bits_per_second
        return 8 * self.cuts[first] * (1 / rate(sender, receiver) + 1 / rate(receiver, sender))

    def fits(self, device, first, end):
        if (first, end) not in self.bytes:
            self.bytes[first, end] = self.problem.memory_bytes(first, end - 1)
        return self.bytes[first, end] <= self.problem.devices[device].memory_bytes


def best_chain(problem, combine, source=None):
    """The stages (device, first layer, last layer) of least cost.

    combine: max or sum, combines the cost so far with that of a transfer or stage.
    source: device of the first stage; None: any.
    Devices with the same type, memory and link are interchangeable, so the work grows with the product of
    the numbers of each kind.
    """
    chain, layers = Chain(problem), len(problem.layers)
    kinds = {}
    for index, device in enumerate(problem.devices):
        if index != source:
            kinds.setdefault((device.type, device.memory_bytes, device.uplink_bits_per_second,
                              device.downlink_bits_per_second), []).append(index)
    kinds = list(kinds.values())
    # (layers placed, devices used of each kind, kind of the last): cost, previous state, last device
    best = {}
    start = (0, (0,) * len(kinds), None)
    best[start] = 0.0, None, None
    fronts = [{} for _ in range(layers + 1)]  # by layers placed
    fronts[0][start] = True

    def extend(state, device, used, kind):
        cost, _, last = best[state]
        first = state[0]
        cost = combine(cost, chain.transfer(last, device, first))
        for end in range(first + 1, layers + 1):
            if not chain.fits(device, first, end):
                return
            new = combine(cost, chain.stage(device, first, end))
            after = end, used, kind
            if after not in best or new < best[after][0]:
                best[after] = new, state, device
                fronts[end][after] = True

    for placed in range(layers):
        for state in fronts[placed]:
            if placed == 0 and source is not None:
                extend(state, source, state[1], len(kinds))
                continue
            for kind, devices in enumerate(kinds):
                count = state[1][kind]
                if count < len(devices):
                    extend(state, devices[count],
                           (*state[1][:kind], count + 1, *state[1][kind + 1:]), kind)
    ends = list(fronts[layers])
    if not ends:
        raise ValueError("no partition fits the memory of the devices")
    state = min(ends, key=lambda end: (best[end][0], end))
    stages = []
    while state != start:
        _, before, device = best[state]
        stages.insert(0, (device, before[0], state[0] - 1))
        state = before
    return stages
