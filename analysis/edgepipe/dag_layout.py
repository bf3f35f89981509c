# SPDX-License-Identifier: GPL-2.0-only
"""Placing the layers of a network on paper: depth across, branches side by side.

Sugiyama's method: a layer stands at the length of the longest path to it, an edge that skips
depths gets a place at each of them, sweeps order the places of a depth by the mean of their
neighbours, and sweeps straighten them.
"""

from dataclasses import dataclass, field

ORDERING_SWEEPS = 8
STRAIGHTENING_SWEEPS = 30


@dataclass
class Layout:
    depth: list  # by layer
    height: list  # by layer, in places; neighbours at a depth are at least 1 apart
    routes: dict = field(default_factory=dict)  # (from, to) -> [(depth, height), ...], both ends too
    depths: int = 0  # how many there are


def place(inputs):
    """inputs[i] lists the layers, all earlier, that layer i reads."""
    depth = []
    for sources in inputs:
        depth.append(1 + max((depth[source] for source in sources), default=-1))
    places = [[] for _ in range(max(depth) + 1)]
    for layer, at in enumerate(depth):
        places[at].append(layer)
    # Places beyond the layers are those that edges pass.
    before, after = [[] for _ in depth], [[] for _ in depth]
    chains = {}
    for target, sources in enumerate(inputs):
        for source in sources:
            chain = [source]
            for at in range(depth[source] + 1, depth[target]):
                places[at].append(len(before))
                chain.append(len(before))
                before.append([])
                after.append([])
            chain.append(target)
            chains[source, target] = chain
            for left, right in zip(chain, chain[1:]):
                before[right].append(left)
                after[left].append(right)
    order(places, before, after)
    heights = straighten(places, before, after)
    at = {one: where for where, column in enumerate(places) for one in column}
    return Layout(depth, heights[:len(depth)],
                  {ends: [(at[one], heights[one]) for one in chain]
                   for ends, chain in chains.items()}, len(places))


def order(places, before, after):
    rank = {one: index for column in places for index, one in enumerate(column)}
    for sweep in range(ORDERING_SWEEPS):
        neighbours, columns = (before, places) if sweep % 2 == 0 else (after, places[::-1])
        for column in columns:
            column.sort(key=lambda one: mean([rank[other] for other in neighbours[one]], rank[one]))
            rank.update((one, index) for index, one in enumerate(column))


def straighten(places, before, after):
    """Heights by place: near the mean of its neighbours, the order and distances kept."""
    heights = [0.0] * len(before)
    for column in places:
        for index, one in enumerate(column):
            heights[one] = index - (len(column) - 1) / 2
    for _ in range(STRAIGHTENING_SWEEPS):
        for column in places:
            wanted = [mean([heights[other] for other in before[one] + after[one]], heights[one])
                      for one in column]
            for one, height in zip(column, spread(wanted)):
                heights[one] = height
    return heights


def spread(wanted):
    """The rising heights at least 1 apart that are closest to the wanted ones, by least squares."""
    blocks = []  # [sum of wanted less rank, members]
    for rank, height in enumerate(wanted):
        blocks.append([height - rank, 1])
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] > blocks[-1][0] / blocks[-1][1]:
            total, members = blocks.pop()
            blocks[-1][0] += total
            blocks[-1][1] += members
    means = [total / members for total, members in blocks for _ in range(members)]
    return [height + rank for rank, height in enumerate(means)]


def mean(values, otherwise):
    return sum(values) / len(values) if values else otherwise
