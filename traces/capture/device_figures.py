#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Derive the figures of a device file from the machine and from its own profiles.

Prints the measured part of traces/devices/DEVICE.json, each figure with how it was found:
  peakFlopPerSecond                a product of two 2048 x 2048 fp32 matrices, the best of five
  memoryBandwidthBytesPerSecond    a copy of 512 MiB, bytes read plus bytes written, best of five
  layerOverheadSeconds             median forward time at batch 1 of layers whose output is
                                   less than 32 kB, convolution and linear left out
  efficiency                       per operator class, the median over the models of the FLOP/s
                                   of all its layers together, divided by the peak. Inference:
                                   forward at the smallest batch (linear layers: at the largest,
                                   for at batch 1 memory binds them). Training: forward and
                                   backward at the largest batch, 3 times the forward FLOP.
Run it on the device, as many threads as the profiles had: device_figures.py DEVICE --threads 1
"""

import argparse
import csv
import glob
import json
import os
import statistics
import sys
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../analysis"))
from edgepipe.interpreter import need  # noqa: E402

CLASSES = {"convolution": "conv2d", "groupedConvolution": "grouped_conv2d",
           "depthwiseConvolution": "depthwise_conv2d", "linear": "linear"}


def best_seconds(work, repeats=5):
    work()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def measured_peak_and_bandwidth(threads):
    import torch
    torch.set_num_threads(threads)
    size, count = 2048, 1 << 29
    a, b = torch.randn(size, size), torch.randn(size, size)
    peak = 2 * size ** 3 / best_seconds(lambda: torch.mm(a, b))
    source = torch.ones(count, dtype=torch.uint8)
    target = torch.empty_like(source)
    return peak, 2 * count / best_seconds(lambda: target.copy_(source))


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


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("device", help="name of the folder under profiles/")
    parser.add_argument("--threads", type=int, default=1, help="CPU threads (default: 1)")
    parser.add_argument("--traces", metavar="DIR", help="the traces folder",
                        default=os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    opts = parser.parse_args()
    profiles = read_profiles(opts.traces, opts.device)
    if not profiles:
        sys.stderr.write("device_figures.py: no profiles of %r below %s; make some with "
                         "profile_model.py\n" % (opts.device, opts.traces))
        sys.exit(2)
    need("torch")
    peak, bandwidth = measured_peak_and_bandwidth(opts.threads)
    batches = sorted({batch for _, batch in profiles})
    small = [f for (_, batch), rows in profiles.items() if batch == batches[0]
             for layer, f, _ in rows if layer["operator"] not in CLASSES.values() and
             layer["operator"] != "input" and batch * layer["outputBytes"] < 32000]
    figures = {
        "peakFlopPerSecond": {"value": float("%.4g" % peak), "source":
                              "measured with device_figures.py: fp32 product of 2048 x 2048 "
                              "matrices, threads: %d" % opts.threads},
        "memoryBandwidthBytesPerSecond": {"value": float("%.3g" % bandwidth), "source":
                                          "measured with device_figures.py: copy of 512 MiB, read "
                                          "and written, threads: %d" % opts.threads},
        "layerOverheadSeconds": {"value": float("%.2g" % statistics.median(small)), "source":
                                 "measured with device_figures.py: median of %d layers with less "
                                 "than 32 kB of output at batch %d" % (len(small), batches[0])},
        "efficiency": {}}
    for mode, training in (("inference", False), ("training", True)):
        figures["efficiency"][mode] = {}
        for key, operator in CLASSES.items():
            batch = batches[-1] if training or key == "linear" else batches[0]
            value, models = efficiency(profiles, batch, operator, training, peak)
            figures["efficiency"][mode][key] = {
                "value": value and float("%.2g" % value),
                "source": "measured with device_figures.py: median of %d models at batch %d" % (
                    models, batch)}
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
