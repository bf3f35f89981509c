# SPDX-License-Identifier: GPL-2.0-only
"""Calibrates models on a device and a server to the speeds in the QDMP paper.

The sums over all layers follow from the columns edge-only and cloud-only, whose plans are known; the
proportions are those of a device type's layer times, or, if anchored, follow from qdmp's own cells.
"""

from dataclasses import dataclass

from edgepipe.comparison import total
from edgepipe.pictures import InputError

MEASURED_DEVICE = "xeon-1core"  # device type with a profile of every model


@dataclass(frozen=True)
class Assumptions:
    """Assumptions about what the paper leaves open; members are named like columns."""

    device: str  # type of device whose proportions of layer times are used
    server: str
    tensorBytes: int  # per element of a transferred tensor; a frame has 1
    setUpShare: float  # extra time of a layer run alone, relative to the median layer; 0: as on MEASURED_DEVICE
    execution: str = "proportional"  # anchored: sums before and after qdmp's cuts as its cells imply
    belief: str = "alone"  # layer times that dads and neurosurgeon assume: alone, roofline or flop


@dataclass
class Calibrated:
    """A calibrated model; deviceSeconds and serverSeconds: sums over all layers."""

    problem: dict
    deviceSeconds: float
    serverSeconds: float
    residualSeconds: float  # largest difference between printed and our cloud-only latency
    deviceFactor: float  # calibrated over uncalibrated time
    serverFactor: float

    def figures(self):
        return {name: value for name, value in vars(self).items() if name != "problem"}


def calibrate(assumptions, model, networks, anchors, costs, measured):
    """Calibrates a model of the paper, over the first network, under assumptions.

    networks: bit/s by name; anchors: cells of qdmp-anchors.json; costs: problem and run.json of a
    cooperative inference with this device and server; measured: the problem on MEASURED_DEVICE.
    """
    problem, run = costs
    rate = next(iter(networks.values()))
    problem = {**problem, "uplinkBitsPerSecond": rate, "downlinkBitsPerSecond": rate, "countResult": False,
               "delaySeconds": 0,  # which the paper's formula has not
               "layers": [dict(layer) for layer in problem["layers"]]}
    latencies = sorted(model["latencySeconds"].items())
    count = len(latencies)
    device = total(row["edge-only"] / count for _, row in latencies)
    on_server = [row["cloud-only"] - problem["inputBytes"] * 8 / networks[network] for network, row in latencies]
    server = total(seconds / count for seconds in on_server)
    if server <= 0:
        raise InputError(f"{model['name']}: found cloud-only latencies below what uploading the frame takes, "
                         "expected time left to compute")
    factors = {}
    for side, seconds in (("Device", device), ("Server", server)):
        kind = getattr(assumptions, side.lower())
        is_own = run["layerCosts"][kind]["mode"] and f"isolated{side}Seconds" in problem["layers"][0]
        times = find_times(problem, side, assumptions, None if is_own else measured)
        factors[side] = seconds / total(times[0])
        times = [[factors[side] * value for value in each] for each in times]
        shape(problem, times[0], [one for one in anchors if one["model"] == model["name"]], side)
        for layer, in_context, isolated, predicted in zip(problem["layers"], *times):
            layer[f"{side.lower()}Seconds"] = in_context
            layer[f"isolated{side}Seconds"] = isolated
            layer[f"predicted{side}Seconds"] = predicted
    return Calibrated(problem, device, server, max(abs(seconds - server) for seconds in on_server),
                      factors["Device"], factors["Server"])


def find_times(problem, side, assumptions, measured):
    """Uncalibrated seconds of each layer on a side: in context, alone, and by regression.

    measured: problem whose layers give the ratio of times alone to in context; None: the problem itself.
    """
    in_context, isolated, predicted = ([layer.get(f"{name}Seconds", 0) for layer in problem["layers"]] for name in (
        side.lower(), f"isolated{side}", f"predicted{side}"))
    if assumptions.belief != "alone":  # unused with belief flop
        return in_context, in_context, in_context
    if assumptions.setUpShare > 0:
        known = sorted(filter(None, in_context))
        set_up = assumptions.setUpShare * ((known[(len(known) - 1) // 2] + known[len(known) // 2]) / 2)
        added = [set_up if seconds > 0 else 0 for seconds in in_context]
        return in_context, *([seconds + more for seconds, more in zip(each, added)] for each in (in_context, predicted))
    if measured:
        ratios = [layer["isolatedDeviceSeconds"] / layer["deviceSeconds"] if layer["deviceSeconds"] > 0 else 1
                  for layer in measured["layers"]]
        isolated = [seconds * ratio for seconds, ratio in zip(in_context, ratios)]
    return in_context, isolated, predicted


def shape(problem, seconds, anchors, side):
    """Scales the layers' seconds between anchors to the anchors' times; their total stays."""
    names = [layer["name"] for layer in problem["layers"]]
    whole = total(seconds)
    known = {}  # seconds up to and including a layer, by layer
    for anchor in anchors:
        known.setdefault(names.index(anchor["layer"]), []).append(
            whole - anchor["serverSeconds"] if side == "Server" else anchor["deviceSeconds"])
    known[len(seconds) - 1] = [*known.get(len(seconds) - 1, []), whole]
    first = before = 0
    for last, each in sorted(known.items()):
        up_to = total(each) / len(each)
        own = total(seconds[first:last + 1])
        if up_to < before or own <= 0:
            raise InputError(f"{problem['model']}: the anchors leave {up_to - before} s up to layer "
                             f'"{names[last]}"')
        for at in range(first, last + 1):
            seconds[at] *= (up_to - before) / own
        first, before = last + 1, up_to
