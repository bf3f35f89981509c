#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Consistency of the figures printed in the QDMP paper, from its tables and model files alone.

Prints cells that contradict others, encodings that fit the baselines' cells, and times of device and server
that QDMP's own cells imply; --write writes the last to traces/published/qdmp-anchors.json.
"""

import json
import math
from dataclasses import dataclass
from pathlib import Path

from edgepipe.pictures import Parser, start
from edgepipe.run_file import read_run
from edgepipe.running import traces_folder
from edgepipe.tables import lines_of

MEBIBIT = 2 ** 20  # table 6's unit
HALF = 0.005  # half of the last digit printed
# In one cell, table 2 has planners swapped relative to table 3; see the contradictions.
INTERCHANGED = {("ResNet-18", "3G"): {"neurosurgeon": "dads", "dads": "neurosurgeon"}}
# Section 5.4 names the layer; the bits in table 6 differ.
NAMED_LAYERS = {("Tiny-YOLO", "3G"): "pool5", ("Tiny-YOLO", "4G"): "pool5"}


def around(printed, half=HALF):
    return printed - half, printed + half


@dataclass
class Model:
    """A model with its printed figures, and the cuts along the order of its file."""
    published: dict
    uplinks: dict  # bit/s by network
    layers: list  # from its file
    cuts: list  # (index of the last layer on the device, elements that cross)
    frame: int  # elements
    device_seconds: float  # T_e of all layers
    server_seconds: float  # T_c of all layers

    def latency(self, network, planner):
        """Printed latency, with the swap of INTERCHANGED undone."""
        swapped = INTERCHANGED.get((self.published["name"], network), {})
        return self.published["latencySeconds"][network][swapped.get(planner, planner)]

    def frames(self, network, planner):
        return self.published["framesPerSecond"][network][planner]

    def slowest(self, network, planner):
        """Least and most seconds of the slowest part, 1 / table 3, before rounding."""
        least, most = around(self.frames(network, planner))
        return 1 / most, 1 / least

    def bits(self, network):
        """Least and most bits in table 6, before rounding."""
        return tuple(max(0, mebibits) * MEBIBIT
                     for mebibits in around(self.published["mebibitsPerFrame"][network]))

    def place(self, network, planner):
        """Place of a printed plan: device, server or cut."""
        for place, only in (("device", "edge-only"), ("server", "cloud-only")):
            if self.latency(network, planner) == self.latency(network, only):
                return place
        return "cut"


def find_cuts(layers):
    index = {layer["name"]: at for at, layer in enumerate(layers)}
    elements = [math.prod(layer["outputShape"]) for layer in layers]
    last_reader = {index[name]: at for at, layer in enumerate(layers) for name in layer["inputs"]}
    return [(cut, sum(elements[at] for at in range(cut + 1) if last_reader.get(at, -1) > cut))
            for cut in range(len(layers) - 1)]


def read_models(traces):
    published = read_run(traces / "published/qdmp-tables.json")
    uplinks = {network["name"]: network["uplinkBitsPerSecond"] for network in published["networks"]}
    models = []
    for model in published["models"]:
        layers = read_run(traces / f"models/{model['file']}.json")["layers"]
        (_, frame), *cuts = find_cuts(layers)
        on_device, on_server = zip(*((row["edge-only"], row["cloud-only"] - 8 * frame / uplinks[network])
                                     for network, row in model["latencySeconds"].items()))
        models.append(Model(model, uplinks, layers, cuts, frame, sum(on_device) / len(on_device),
                            sum(on_server) / len(on_server)))
    return models


def find_contradictions(models):
    """Cells that contradict others, however each was rounded."""
    return [(model.published["name"], network, what, least, most) for model in models
            for network, what, least, most in find_bounds(model) if least > most]


def find_bounds(model):
    """Bounds on figures implied by several cells: (network, figure, least by some cells, most by others)."""
    for network, row in model.published["latencySeconds"].items():
        uplink = model.uplinks[network]
        for planner, latency in row.items():
            yield (network, f"{planner}: the slowest part of three exceeds their sum (1 / table 3, table 2)",
                   model.slowest(network, planner)[0], around(latency)[1])
        if model.place(network, "qdmp") != "cut":
            continue
        latency, slowest = around(row["qdmp"]), model.slowest(network, "qdmp")
        least, most = model.bits(network)
        if slowest[0] > most / uplink:  # then it is the device, as the server is fast
            yield (network, "qdmp: device (1 / table 3) and upload (table 6) exceed the latency (table 2)",
                   slowest[0] + least / uplink, latency[1])
            yield (network, "qdmp: the server has more time left (table 2 less 1 / table 3 and table 6) than "
                   "all layers take it (cloud-only less the frame)", latency[0] - slowest[1] - most / uplink,
                   model.server_seconds + HALF)
        if least <= 8 * 224 * 224 * 3 <= most:
            yield (network, "qdmp: table 6 sends the frame, so all layers are the server's, yet it is faster "
                   "than cloud-only (table 2)", around(row["cloud-only"])[0], latency[1])
    # At a lower bandwidth a plan computes at least as long; edge-only is the upper bound.
    least = model.bits("CAT1")[0]
    if model.place("3G", "qdmp") == "cut" and least > 0:
        slowest, upload = model.slowest("3G", "qdmp")[0], model.bits("3G")[1] / model.uplinks["3G"]
        computing = max(slowest if slowest >= upload else 0, around(model.latency("3G", "qdmp"))[0] - upload)
        yield ("CAT1", "qdmp: the upload (table 6) and at least what it computes over 3G exceed edge-only "
               "(table 2)", least / model.uplinks["CAT1"] + computing, around(model.latency("3G", "edge-only"))[1])


def find_fitting_cuts(model, network, planner, bytes_per_element):
    """Cuts along the order of the file that agree with both printed figures of a cell, at best."""
    latency, slowest = around(model.latency(network, planner)), model.slowest(network, planner)
    most_device, most_server = model.device_seconds + HALF, model.server_seconds + HALF
    for cut, elements in model.cuts:
        upload = 8 * bytes_per_element * elements / model.uplinks[network]
        computing = latency[0] - upload, latency[1] - upload
        if upload > slowest[1] or computing[1] < 0 or computing[0] > most_device + most_server:
            continue
        is_upload_slowest = upload >= slowest[0]
        # Else the device is the slowest part, and the server takes the rest.
        left = computing[0] - slowest[1], computing[1] - slowest[0]
        is_device_slowest = (left[1] >= 0 and left[0] <= min(most_server, slowest[1])
                             and slowest[0] <= most_device)
        is_small_enough = computing[0] <= min(most_device, slowest[1]) + most_server
        if elements and (is_device_slowest or is_upload_slowest and is_small_enough):
            yield model.layers[cut]["name"], elements


def is_ahead(row):
    return all(row["qdmp"] < latency for planner, latency in row.items() if planner != "qdmp")


def find_anchor(model, network, latency):
    """Entry of the anchors file for a cell where QDMP beats all others."""
    least, most = model.bits(network)
    layer = NAMED_LAYERS.get((model.published["name"], network))
    fitting = [{"layer": model.layers[cut]["name"], "elements": elements} for cut, elements in model.cuts
               if (model.layers[cut]["name"] == layer if layer else least <= 8 * elements <= most)]
    cell = {"model": model.published["name"], "network": network, **(fitting[0] if fitting else {})}
    bits = 8 * cell["elements"] if fitting else model.published["mebibitsPerFrame"][network] * MEBIBIT
    upload, device = bits / model.uplinks[network], 1 / model.frames(network, "qdmp")
    server = latency - upload - device
    cell["transferSeconds"] = upload
    if model.slowest(network, "qdmp")[0] <= (upload if fitting else most / model.uplinks[network]):
        cell.update(contradiction="the upload is the slowest part, so device and server are known only "
                    "together", deviceAndServerSeconds=latency - upload)
    else:
        cell.update(deviceSeconds=device, serverSeconds=server)
        if not fitting:
            cell.update(contradiction="no tensor of the model file prints as table 6 does")
    if server < 0:
        cell.update(contradiction="device and upload take longer than the latency")
    return {key: round(value, 6) if isinstance(value, float) else value for key, value in cell.items()}


def format_anchors(models):
    cells = ",\n".join(f"  {json.dumps(find_anchor(model, network, row['qdmp']))}" for model in models
                       for network, row in model.published["latencySeconds"].items() if is_ahead(row))
    source = ("analysis/papers/qdmp_consistency.py from qdmp-tables.json: of each cell where QDMP is "
              "ahead, deviceSeconds is 1 / table 3, transferSeconds the bits of the tensor that "
              "prints as table 6 does (8 bits an element; Tiny-YOLO: the layer that section 5.4 "
              "names) over table 5, serverSeconds what is left of table 2. Cells with a contradiction "
              "are not used")
    return ('{\n "format": "edgepipe-qdmp-anchors 1",\n "source": ' + json.dumps(source)
            + f',\n "cells": [\n{cells}]\n}}\n')


def main():
    parser = Parser(__doc__)
    parser.add_argument("--write", action="store_true", help="write the anchors to traces/published/qdmp-anchors.json")
    options = parser.parse_args()
    models = read_models(Path(traces_folder()))
    print("Cells that contradict each other: at least, but at most\n")
    print(lines_of(["model", "network", "at least", "at most", "what"],
                   [[name, network, f"{least:.3f}", f"{most:.3f}", what]
                    for name, network, what, least, most in find_contradictions(models)]))
    print("Cuts that the cells of Neurosurgeon over 3G allow, by bytes of an element\n")
    rows = [[model.published["name"], str(width),
             ", ".join(f"{layer} ({elements})" for layer, elements in
                       find_fitting_cuts(model, "3G", "neurosurgeon", width)) or "none"]
            for model in models if model.place("3G", "neurosurgeon") == "cut"
            for width in (1, 2, 4)]
    print(lines_of(["model", "bytes", "after layer (elements that cross)"], rows))
    text = format_anchors(models)
    print(text)
    if options.write:
        (Path(traces_folder()) / "published/qdmp-anchors.json").write_text(text)


if __name__ == "__main__":
    start(main)
