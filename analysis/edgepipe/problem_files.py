# SPDX-License-Identifier: GPL-2.0-only
"""Writes a pipeline problem as input files of scenarios: model, profiles, devices, cluster.

Figures of a micro-batch become those of a sample, and a micro-batch has one sample. Scenarios do not need
what the problem lacks (FLOP, memory bandwidth, power), except for the time of weight updates.
"""

import csv
import json
import os
import re
from pathlib import Path

from edgepipe.problems import BatchSharesPlan, PipelinePlan, Stage, TwoWayCutPlan, expect

NAME = "problem"
# Options of a network besides link, bandwidth, delay and the send buffer.
NETWORK = ("jitter", "queue", "trace", "trace-down", "trace-format", "trace-columns", "trace-order",
           "trace-unsaturated", "trace-end", "trace-offset", "trace-scale", "loss", "wifi-standard", "wifi-band",
           "wifi-width", "wifi-guard-interval", "wifi-rate-control", "distance", "mobility", "speed", "competitors",
           "uplink-bandwidth", "downlink-bandwidth")
PAYLOAD = 1448  # bytes of TCP payload in a full packet
ON_THE_WIRE = 1538 / PAYLOAD  # bytes of an Ethernet frame, and below of a bearer's packet, per payload
ON_THE_BEARER = 1500 / PAYLOAD
FIGURES = ("peakFlopPerSecond", "idleWatts", "loadWatts")
LARGE = ("memoryBytes", "usableMemoryBytes", "memoryBandwidthBytesPerSecond")


def write_problem(problem, folder, traces=None, network=True):
    """Writes the files; returns the options of pipeline-training that select them.

    traces: a traces folder whose links and recordings are linked in, too; None: none.
    network: whether the network is that of the problem, or set by other options.
    """
    folder = Path(folder)
    types = _names(problem)
    rows = _layers(problem)
    _write_model(folder, traces, rows)
    for key, name in types.items():
        costs = problem.costs[key]
        # A run adds the forward pass that is recomputed.
        seconds = [(0.0, 0.0)] * (len(rows) - len(problem.layers)) + [
            (forward, max(0.0, backward - forward) if problem.recomputes else backward)
            for forward, backward in zip(costs.forward_seconds, costs.backward_seconds)]
        write_type(folder, name, NAME, [(row["name"], *both) for row, both in zip(rows, seconds)])
    own = network and any(device.uplink_bits_per_second or device.downlink_bits_per_second
                          or device.delay_seconds for device in problem.devices)
    _write(folder / "clusters" / f"{NAME}.json", {
        "format": "edgepipe-cluster 1", "name": NAME, "source": "a problem",
        "devices": [{"type": types[device.type], "name": device.name,
                     "memoryBytes": device.memory_bytes,
                     **({"network": _network(problem, device)} if own else {})}
                    for device in problem.devices],
        "network": {"link": "lan", "delay": "0s",
                    "bandwidth": f"{problem.bandwidth_bits_per_second * ON_THE_WIRE:.0f}bps"}})
    more = {}
    if own:
        more = {"send_buffer": 0, "jitter": "0s"}
    elif network:
        more = {"planner_bandwidth": f"{problem.bandwidth_bits_per_second:.0f}bps"}
    return {"traces": folder, "model": NAME, "cluster": NAME, "weight_update": False,
            "micro_batches": problem.micro_batches, "micro_batch_size": 1,
            "optimizer_states": problem.optimizer_states or 0, "recompute": bool(problem.recomputes),
            **more}


def write_tasks(tasks, folder, traces):
    """Writes what a testbed executed as input files of its scenario; returns the options that select them.

    tasks: of each device, by role, from run.json of traces/capture/run_testbed.py.
    """
    folder = Path(folder)
    tasks = {int(device): roles for device, roles in sorted(tasks.items(), key=lambda one: int(one[0]))}
    roles = {role for mine in tasks.values() for role in mine}
    write = next(write for role, write in ROLES.items() if role in roles)
    rows, costs, plan, options = write(tasks)
    _write_model(folder, traces, rows)
    for name, seconds in costs.items():
        for batch in (1, 32):  # a pass has no costs of its own
            write_type(folder, name, NAME, [(layer, batch * forward, batch * backward)
                                            for layer, forward, backward in seconds], batch)
    _write(folder / "clusters" / f"{NAME}.json", {
        "format": "edgepipe-cluster 1", "name": NAME, "source": "a testbed",
        "devices": [{"type": name, "name": name} for name in costs],
        "network": {"link": "lan", "delay": "0s", "bandwidth": "1Gbps"}})
    _write(folder / "plan.json", plan.to_json())
    return {"traces": folder, "model": NAME, **options, "planner": f"plan:{folder / 'plan.json'}"}


def _chain(*layers):
    """Rows of a model: the input, and then the layers (name, bytes of output, bytes of parameters) in a row."""
    rows = [_layer("input", "input", [], 4, 0, 0)]
    for name, output, parameters in layers:
        rows.append({**_layer(name, "other", [rows[-1]["name"]], output or 4, parameters, 0), "flop": 1})
    return rows


def _write_stages(tasks):
    stages = sorted(((f"device{device}", roles["stage"]) for device, roles in tasks.items() if "stage" in roles),
                    key=lambda one: one[1]["stage"])
    rows = _chain(*((f"stage{number}", stage["outputBytes"], 0) for number, (_, stage) in enumerate(stages)))
    costs = {f"device{device}": [("input", 0, 0)] + [
        (row["name"], *((stage["forwardSeconds"], stage["backwardSeconds"]) if owner == f"device{device}" else (0, 0)))
        for row, (owner, stage) in zip(rows[1:], stages)] for device in tasks}
    plan = PipelinePlan([Stage(row["name"] if number else "input", row["name"], f"{owner}-0")
                         for number, (row, (owner, _)) in enumerate(zip(rows[1:], stages))], None, NAME, len(rows))
    return rows, costs, plan, {
        "cluster": NAME, "weight_update": False, "micro_batch_size": 1, "micro_batches": stages[0][1]["microBatches"],
        "schedule": stages[0][1]["schedule"]}


def _write_frames(tasks):
    device = tasks[0]["device"]
    client = next(roles["server"] for roles in tasks.values() if "server" in roles)["clients"][0]
    rows = _chain(("first", device["uplinkBytes"], 0), ("last", client["downlinkBytes"], 0))
    costs = {name: [("input", 0, 0), ("first", device["deviceSeconds"], 0), ("last", seconds, 0)]
             for name, seconds in (("device", 0), ("server", client["serverSeconds"]))}
    served = ["last"] * bool(device["uplinkBytes"])
    plan = TwoWayCutPlan(["input", "first", "last"][:3 - len(served)], served, None, NAME, len(rows))
    return rows, costs, plan, {"device": "device", "server": "server", "devices": len(tasks) - 1, "replan": False,
                               "in_flight": device["framesInFlight"]}


def _write_shares(tasks):
    workers = {f"device{device}": roles["worker"] for device, roles in tasks.items()}
    rows = _chain(("all", 4, next(iter(workers.values()))["gradientBytes"]))
    costs = {name: [("input", 0, 0), ("all", 0, worker["computeSeconds"])] for name, worker in workers.items()}
    return rows, costs, BatchSharesPlan([1] * len(workers), None, NAME), {
        "cluster": NAME, "base_batch": len(workers), "bucket_bytes": 0, "exchange": "ring"}


ROLES = {"stage": _write_stages, "device": _write_frames, "worker": _write_shares}


def replaying(device, role, task):
    """The name that write_tasks gives a device, and layers that it executes there; the last one stands for its task."""
    return {"stage": (f"device{device}-0", ["input", f"stage{task.get('stage')}"]),
            "worker": (f"device{device}-0", ["input", "all"]),
            "device": (f"device-{device}", ["input", "last", "first"]), "server": ("server", ["last"])}[role]


def _write_model(folder, traces, rows):
    """The folder of the traces, with a model of these layers."""
    for part in ("models", "devices", "clusters"):
        (folder / part).mkdir(parents=True)
    for part in ("links", "bandwidth"):
        if traces and (Path(traces) / part).is_dir():
            os.symlink((Path(traces) / part).resolve(), folder / part)
    _write(folder / "models" / f"{NAME}.json", {
        "format": "edgepipe-model 1", "name": NAME, "source": "a problem", "command": "none",
        "inputShape": rows[0]["outputShape"], "layers": rows})


def write_type(folder, name, model, seconds, batch=1):
    """Writes a type of device and its profile of a model: (layer, forward s, backward s) each."""
    _write(folder / "devices" / f"{name}.json", _device(name))
    path = folder / "profiles" / name / f"{model}.b{batch}.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", newline="", encoding="utf-8") as file:
        trains = any(backward for _, _, backward in seconds) or not any(forward for _, forward, _ in seconds)
        file.write(f"# format: edgepipe-profile 2\n# model: {model}\n# device: {name}\n# batch: {batch}\n"
                   f"# mode: {'training' if trains else 'evaluation'}\n# origin: estimated\nlayer,forwardSeconds,backwardSeconds\n")
        csv.writer(file, lineterminator="\n").writerows(seconds)


def write_plan(problem, plan):
    """The plan for the run, where device names have a number appended."""
    layers = _layers(problem)
    first = layers[0]["name"]
    expect(not any(stage.devices for stage in plan.stages), "plan", "groups", "one device a stage for a problem of "
           "one's own")
    stages = [Stage(stage.first_layer, stage.last_layer, f"{stage.device}-0") for stage in plan.stages]
    if stages and stages[0].first_layer == problem.layers[0].name:
        stages[0].first_layer = first
    return PipelinePlan(stages, plan.planner, NAME, len(layers))


def _names(problem):
    """A file name for each type of device."""
    types = dict.fromkeys(device.type for device in problem.devices)
    return {key: key if re.fullmatch(r"[\w.-]+", key) and key[0] != "." else f"type{number}"
            for number, key in enumerate(types)}


def _layers(problem):
    """The layers of a model; the first one is the input, added if the problem has none."""
    first = problem.layers[0]
    costs = [(one.forward_seconds[0], one.backward_seconds[0]) for one in problem.costs.values()]
    names = {layer.name for layer in problem.layers}
    given, source = [], first.name
    if any(map(any, costs)) or first.inputs or first.parameter_bytes:
        source = next(name for name in ("input", *map("input{}".format, range(len(names) + 1)))
                      if name not in names)
        given = [_layer(source, "input", [], 0, 0, 0)]
    return given + [
        _layer(layer.name, "input" if layer.name == source else "other",
               layer.inputs or [source] * (layer.name != source), layer.output_bytes,
               layer.parameter_bytes, layer.activation_bytes) for layer in problem.layers]


def _layer(name, operator, inputs, output, parameters, activation):
    return {"name": name, "operator": operator, "inputs": inputs, "outputShape": [max(1, output // 4)],
            "flop": 0, "parameterBytes": parameters, "outputBytes": output,
            "activationBytes": activation}


def _device(name):
    def figure(value):
        return {"value": value, "source": "none: layers cost what the problem says"}
    return {"format": "edgepipe-device 2", "name": name, "description": "of a problem",
            **{key: figure(1) for key in FIGURES}, **{key: figure(2 ** 53) for key in LARGE}}


def _network(problem, device):
    rates = (device.uplink_bits_per_second, device.downlink_bits_per_second)
    up, down = (f"{(rate or problem.bandwidth_bits_per_second) * ON_THE_BEARER:.0f}bps" for rate in rates)
    return {"link": "4g", "bandwidth": up, "downlink-bandwidth": down,
            "delay": f"{device.delay_seconds or 0}s"}


def _write(path, form):
    path.write_text(json.dumps(form, indent=1) + "\n", encoding="utf-8")
