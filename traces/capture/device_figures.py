#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Measure a device and write its file, traces/devices/DEVICE.json, complete.

Run it on the device, with as many threads as its profiles have:

    device_figures.py my-board --threads 4 --description "My board, four cores at 2 GHz"

What is measured, each figure with how it was found:
  peakFlopPerSecond                a product of two 2048 x 2048 fp32 matrices, the best of five
  memoryBandwidthBytesPerSecond    a copy of 512 MiB, bytes read plus bytes written, best of five
                                   (less where memory is short)
  memoryBytes                      what the system reports
  layerOverheadSeconds             from profiles: median forward time at batch 1 of layers whose
                                   output is less than 32 kB, convolution and linear left out;
                                   without profiles: of a ReLU on 1024 numbers
  efficiency                       sustained over peak FLOP/s by operator class. From profiles: the
                                   median over the models of the FLOP/s of all its layers together.
                                   Inference: forward at the smallest batch (linear layers: at the
                                   largest, for at batch 1 memory binds them). Training: forward and
                                   backward at the largest batch, 3 times the forward FLOP. Without
                                   profiles: of one layer of the class, below KERNELS
What no program can measure is said (--idle-watts, --load-watts) or estimated, and marked as such.
profile_model.py measures networks layer by layer, which is better than what follows from this file.
"""

import argparse
import csv
import datetime
import glob
import json
import os
import re
import statistics
import sys
import timeit

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../analysis"))
from edgepipe.interpreter import need  # noqa: E402
from edgepipe.pictures import InputError, Parser, number, start  # noqa: E402
from profile_model import write_atomically  # noqa: E402

CLASSES = {"convolution": "conv2d", "groupedConvolution": "grouped_conv2d",
           "depthwiseConvolution": "depthwise_conv2d", "linear": "linear"}


# One layer of each class, as wide networks have them: channels in and out, side of the image, side
# of the kernel, groups; of a linear layer, features in and out.
KERNELS = {"convolution": (64, 64, 56, 3, 1), "groupedConvolution": (256, 256, 28, 3, 32),
           "depthwiseConvolution": (144, 144, 56, 3, 144), "linear": (4096, 4096)}
KERNEL_BATCH = 8  # samples, of training and of linear layers
TOOL = "device_figures.py"
WATTS_SOURCE = "estimate: nothing measured; median of the devices that edgepipe ships"


def best_seconds(work):
    work()
    return min(timeit.repeat(work, number=1))


def measured_peak(threads):
    import torch
    torch.set_num_threads(threads)
    size = 2048
    a, b = torch.randn(size, size), torch.randn(size, size)
    return 2 * size ** 3 / best_seconds(lambda: torch.mm(a, b))


def measured_bandwidth(memory_bytes):
    """Bytes per second, and how many bytes were copied."""
    import torch
    count = min(1 << 29, memory_bytes // 8)
    source = torch.ones(count, dtype=torch.uint8)
    target = torch.empty_like(source)
    return 2 * count / best_seconds(lambda: target.copy_(source)), count


def measured_kernel(key, training):
    """FLOP/s of one layer of a class, and the batch it had."""
    import torch
    batch = KERNEL_BATCH if training or key == "linear" else 1
    if key == "linear":
        inputs, outputs = KERNELS[key]
        layer, shape = torch.nn.Linear(inputs, outputs), (batch, inputs)
        flop = 2 * inputs * outputs
    else:
        inputs, outputs, side, kernel, groups = KERNELS[key]
        layer = torch.nn.Conv2d(inputs, outputs, kernel, padding=kernel // 2, groups=groups)
        shape = (batch, inputs, side, side)
        flop = 2 * kernel ** 2 * inputs // groups * outputs * side ** 2
    data = torch.randn(shape, requires_grad=training)

    def work():
        if training:
            layer(data).sum().backward()
        else:
            with torch.no_grad():
                layer(data)

    return (3 if training else 1) * batch * flop / best_seconds(work), batch


def measured_overhead():
    """Seconds of a layer that computes next to nothing."""
    import torch
    data, count = torch.randn(1024), 1000

    def work():
        with torch.no_grad():
            for _ in range(count):
                torch.relu(data)

    return best_seconds(work) / count


def read_profiles(traces, device):
    """Returns {(model, batch): [(layer of the model file, forward s, backward s)]}."""
    profiles = {}
    for path in sorted(glob.glob(os.path.join(traces, "profiles", device, "*.csv"))):
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
        head = dict(line[2:].split(": ", 1) for line in lines if line.startswith("#"))
        with open(os.path.join(traces, "models", head["model"] + ".json"),
                  encoding="utf-8") as file:
            layers = {row["name"]: row for row in json.load(file)["layers"]}
        profiles[head["model"], int(head["batch"])] = [
            (layers[row["layer"]], float(row["forwardSeconds"]), float(row["backwardSeconds"]))
            for row in csv.DictReader(line for line in lines if not line.startswith("#"))]
    return profiles


def efficiency(profiles, batch, operator, training, peak):
    """Median over the models that have the operator, and how many these are."""
    rates = []
    for (_, its_batch), rows in profiles.items():
        own = [row for row in rows if row[0]["operator"] == operator]
        if its_batch == batch and own:
            flop = sum(layer["flop"] for layer, _, _ in own) * batch * (3 if training else 1)
            seconds = sum(f + (b if training else 0) for _, f, b in own)
            if seconds > 0:
                rates.append(flop / seconds)
    return (statistics.median(rates) / peak, len(rates)) if rates else (None, 0)


def small_layers(profiles):
    """Forward seconds of layers that compute next to nothing, at the smallest batch."""
    batch = min(batch for _, batch in profiles)
    return [f for (_, its_batch), rows in profiles.items() if its_batch == batch
            for layer, f, _ in rows if layer["operator"] not in CLASSES.values() and
            layer["operator"] != "input" and batch * layer["outputBytes"] < 32000]


def figure(value, digits, source):
    return {"value": float("%.*g" % (digits, value)), "source": source}


def efficiencies(profiles, peak):
    batches = sorted({batch for _, batch in profiles})
    table = {}
    for mode, training in (("inference", False), ("training", True)):
        table[mode] = {}
        for key, operator in CLASSES.items():
            value = None
            if batches:
                batch = batches[-1] if training or key == "linear" else batches[0]
                value, models = efficiency(profiles, batch, operator, training, peak)
                source = "median of %d models at batch %d" % (models, batch)
            if value is None:
                rate, batch = measured_kernel(key, training)
                value = rate / peak
                source = "one layer of %s at batch %d" % (
                    " x ".join(map(str, KERNELS[key])), batch)
            table[mode][key] = figure(value, 2, "measured with %s: %s" % (TOOL, source))
    return table


def watts(given, key, traces):
    if given is not None:
        return {"value": given, "source": "said by who ran %s" % TOOL}
    known = []
    for path in glob.glob(os.path.join(traces, "devices", "*.json")):
        with open(path, encoding="utf-8") as file:
            known.append(json.load(file)[key]["value"])
    return {"value": statistics.median(known or [5]), "source": WATTS_SOURCE}


def describe(opts):
    profiles = read_profiles(opts.traces, opts.device)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    peak = measured_peak(opts.threads)
    bandwidth, copied = measured_bandwidth(memory)
    small = small_layers(profiles) if profiles else []
    how = "measured with %s: " % TOOL
    return {
        "format": "edgepipe-device 1",
        "name": opts.device,
        "description": opts.description or "%s, threads: %d, %s" % (
            opts.device, opts.threads, datetime.date.today().isoformat()),
        "peakFlopPerSecond": figure(
            peak, 4, how + "fp32 product of 2048 x 2048 matrices, threads: %d" % opts.threads),
        "memoryBytes": {"value": memory, "source": "what the system reports"},
        "memoryBandwidthBytesPerSecond": figure(
            bandwidth, 3, how + "copy of %d MiB, read and written, threads: %d" % (
                copied >> 20, opts.threads)),
        "idleWatts": watts(opts.idle_watts, "idleWatts", opts.traces),
        "loadWatts": watts(opts.load_watts, "loadWatts", opts.traces),
        "layerOverheadSeconds": figure(
            statistics.median(small) if small else measured_overhead(), 2,
            how + ("median of %d layers with less than 32 kB of output at batch %d" % (
                len(small), min(batch for _, batch in profiles))
                if small else "a ReLU on 1024 numbers")),
        "efficiency": efficiencies(profiles, peak),
    }


def main():
    parser = Parser(__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("device", help="name of the device, as clusters and profiles say it")
    add("--threads", type=number(1, 10000, int), default=os.cpu_count(), metavar="N",
        help="CPU threads (default: %(default)s, one per core)")
    add("--description", metavar="TEXT", help="what the device is, for people")
    add("--idle-watts", type=number(0, 1e6), metavar="W",
        help="its power at rest, watts (default: estimated)")
    add("--load-watts", type=number(0, 1e6), metavar="W",
        help="its power under load, watts (default: estimated)")
    add("--traces", metavar="DIR", help="the traces folder (default: the one this tool is in)",
        default=os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    add("--out", metavar="FILE", help="the file to write, - for standard output "
        "(default: devices/DEVICE.json in the traces folder)")
    add("--replace", action="store_true", help="overwrite a file that is there")
    opts = parser.parse_args()
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", opts.device):
        raise InputError('device: found "%s", expected letters, digits, dots, dashes' % opts.device)
    out = opts.out or os.path.join(opts.traces, "devices", opts.device + ".json")
    if out != "-" and os.path.exists(out) and not opts.replace:
        raise InputError("%s: is there already; --replace overwrites it" % out)
    if out != "-" and not os.access(os.path.dirname(os.path.abspath(out)), os.W_OK):
        raise InputError("%s: cannot write there" % out)
    need("torch")
    device = describe(opts)
    if max(value["value"] for table in device["efficiency"].values()
           for value in table.values()) > 1:
        sys.stderr.write("%s: a layer was faster than the matrix product that counts as the peak: "
                         "its kernel saves operations (Winograd), or other programs ran; measure "
                         "on an idle machine\n" % TOOL)
    text = json.dumps(device, indent=2) + "\n"
    if out == "-":
        sys.stdout.write(text)
        return
    write_atomically(os.path.abspath(out), text)
    print("%s\nName it in a cluster file, such as traces/clusters/dgpas-testbed.json, and run it by "
          "--cluster=FILE." % out)


if __name__ == "__main__":
    start(main)
