# SPDX-License-Identifier: GPL-2.0-only
"""Models between a device and a server as fast as those of the QDMP paper.

The sums over all layers are what the columns edge-only and cloud-only say, whose plans are known; the
proportions are those of a device type's layer times, or, anchored, what qdmp's own cells imply.
"""

from dataclasses import dataclass

from edgepipe.comparison import total
from edgepipe.pictures import InputError

MEASURED_DEVICE = "xeon-1core"  # the device type with a profile of every model


@dataclass(frozen=True)
class Assumptions:
    """What the paper's tables leave open; members have the names of columns."""

    device: str  # whose proportions of layer times the device has
    server: str
    tensorBytes: int  # of an element on the way; a frame's has 1
    setUpShare: float  # what running a layer alone adds, of the median layer; 0: what MEASURED_DEVICE says
    execution: str = "proportional"  # anchored: as fast up to where qdmp cuts, and after, as its cells imply
    belief: str = "alone"  # of dads and neurosurgeon: alone, roofline or flop


@dataclass
class Calibrated:
    """A model; seconds: of all its layers."""

    problem: dict
    deviceSeconds: float
    serverSeconds: float
    residualSeconds: float  # largest difference of a printed cloud-only latency from ours
    deviceFactor: float  # calibrated over uncalibrated time
    serverFactor: float

    def figures(self):
        return {name: value for name, value in vars(self).items() if name != "problem"}


def calibrate(assumptions, model, networks, anchors, costs, measured):
    """A model of the paper, over its first network, under assumptions.

    networks: bit/s by name; anchors: of the paper's cells; costs: the problem and the run of a
    cooperative inference with the device and the server; measured: its problem on MEASURED_DEVICE.
    """
    problem, run = costs
    rate = next(iter(networks.values()))
    problem = {**problem, "uplinkBitsPerSecond": rate, "downlinkBitsPerSecond": rate, "countResult": False,
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
        is_own = run["layerCosts"][kind]["origin"] != "estimated" and f"isolated{side}Seconds" in problem["layers"][0]
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
    """Of each layer on a side, not calibrated: in context, alone, and by regression.

    measured: whose layers tell how much longer they take alone; None: the problem's own do.
    """
    in_context, isolated, predicted = ([layer.get(f"{name}Seconds", 0) for layer in problem["layers"]] for name in (
        side.lower(), f"isolated{side}", f"predicted{side}"))
    if assumptions.belief != "alone":  # with belief flop nobody looks at these
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
    """Scales the layers' seconds on each side of the anchors, whose sum stays."""
    names = [layer["name"] for layer in problem["layers"]]
    whole = total(seconds)
    known = {}  # by layer, seconds up to it
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
