#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Measure a device and write its complete file, traces/devices/DEVICE.json.

Run it on the device, with the number of threads used for its profiles:

    device_figures.py my-board --threads 4 --description "My board, four cores at 2 GHz"

The figures, each written with its origin:
  peakFlopPerSecond                a product of two 2048 x 2048 fp32 matrices, the best of five (8192 on a
                                   GPU, without TF32)
  memoryBandwidthBytesPerSecond    a copy of 512 MiB, bytes read plus bytes written, best of five
                                   (less where memory is short)
  memoryBytes                      what the system reports
  usableMemoryBytes                what the system reports as available with PyTorch loaded
  tensorCoreGain                   on a GPU: speed of the product in TF32 and fp16 over that in fp32
  stacks                           PyTorch, with median figures of processors of this kind; to fit them, profile
                                   networks (profile_model.py) and run
                                   ./ns3 run "cost-fit --device=DEVICE --write=true"
  idleWatts, loadWatts             idle for some seconds, and during products of matrices, where the machine tells:
                                   a Jetson's sensor of the board, a processor's energy counters (as root), a GPU's
                                   board; or given (--idle-watts, --load-watts), or estimated, and marked as such
Layer times measured by profile_model.py are better than those estimated from this file. On a busy machine nothing is
written (--busy-machine).
"""

import argparse
import datetime
import json
import os
import platform
import re
import statistics
import sys
import time
import timeit
from pathlib import Path

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../analysis"))
from edgepipe.pictures import InputError, Parser, number, start  # noqa: E402
from edgepipe.run_file import read_run  # noqa: E402
import profile_model as tool  # noqa: E402
from busy_machine import BusyMachine  # noqa: E402
from power_meter import find_meter  # noqa: E402
from profile_model import PRECISIONS, set_precision, write_file  # noqa: E402

TOOL = "device_figures.py"
SIZES = {"cpu": 2048, "cuda": 8192}  # rows and columns of the matrices
WATTS_SOURCE = "estimate: nothing measured; median of the devices that edgepipe ships"
POWER_SECONDS = 4  # for which power is measured


def best_seconds(work, where, busy):
    import torch

    def wait():
        work()
        if where == "cuda":
            torch.cuda.synchronize()
    wait()
    seconds = timeit.repeat(wait, number=1)
    busy.check_spread("five runs", seconds)
    return min(seconds)


def measured_peak(where, busy, precision="fp32"):
    import torch
    set_precision(precision)
    size = SIZES[where]
    a, b = (torch.randn(size, size, device=where).to(
        torch.float16 if precision == "fp16" else torch.float32) for _ in range(2))
    return 2 * size ** 3 / best_seconds(lambda: torch.mm(a, b), where, busy)


def measured_bandwidth(memory_bytes, where, busy):
    """Bytes per second, and number of bytes copied."""
    import torch
    count = min(1 << 29, memory_bytes // 8)
    source = torch.ones(count, dtype=torch.uint8, device=where)
    target = torch.empty_like(source)
    return 2 * count / best_seconds(lambda: target.copy_(source), where, busy), count


def figure(value, digits, source):
    return {"value": float("%.*g" % (digits, value)), "source": source}


def stack(traces, where, precision="fp32", gain=1):
    """An unfitted stack: PyTorch on this kind of processor."""
    import torch
    processor = "gpu" if where == "cuda" else \
        "arm" if platform.machine().lower().startswith(("arm", "aarch")) else "x86"
    version = "PyTorch " + torch.__version__.split("+")[0]
    if where == "cuda":
        version += ", CUDA %s, %s" % (torch.version.cuda, precision)
    judged = read_run(Path(traces) / "published/operator-figures.json")
    return {"version": version,
            "source": "estimate: %s processors in traces/published/operator-figures.json" % processor,
            "processor": processor, "kind": "eager", "precision": precision,
            "fusesActivations": False, "weightBytes": 4, "tensorCoreGain": gain,
            "spread": {"inference": 0.5, "training": 0.5},
            "figures": {key: one["value"] for key, one in judged["processors"][processor].items()}}


def watts(given, key, traces, meter, how, what, work):
    """Power while work() runs; what says what that is."""
    if given is not None:
        return {"value": given, "source": "said by who ran %s" % TOOL}
    if meter:
        return figure(meter.measure(work), 3, "%s%s, %s" % (how, meter.source, what))
    known = [read_run(path)[key]["value"] for path in Path(traces, "devices").glob("*.json")]
    return {"value": statistics.median(known or [5]), "source": WATTS_SOURCE}


def available_memory(memory_bytes):
    """Bytes that a process can still allocate; all memory if the system does not report them."""
    try:
        with open("/proc/meminfo", encoding="utf-8") as file:
            return next(1024 * int(line.split()[1]) for line in file if line.startswith("MemAvailable"))
    except (OSError, StopIteration):
        return memory_bytes


def multiply(where, seconds=POWER_SECONDS):
    """Products of matrices for some seconds."""
    import torch
    end = time.monotonic() + seconds
    a, b = (torch.randn(SIZES[where], SIZES[where], device=where) for _ in range(2))
    while time.monotonic() < end:
        torch.mm(a, b)
        if where == "cuda":
            torch.cuda.synchronize()


def stacks(traces, where, peak, busy):
    """Stacks by name; on a GPU also for TF32 and fp16."""
    made = {"pytorch": stack(traces, where)}
    for precision in PRECISIONS[1:] if where == "cuda" else []:
        gain = float("%.3g" % (measured_peak(where, busy, precision) / peak))
        made["pytorch-" + precision] = stack(traces, where, precision, gain)
    return made


def describe(opts):
    import torch
    torch.set_num_threads(opts.threads)
    where = opts.torch_device
    busy = BusyMachine(opts.busy_machine)
    busy.check_load(opts.threads if where == "cpu" else 1)
    if where == "cuda":
        usable, memory = torch.cuda.mem_get_info()
    else:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        usable = available_memory(memory)
    meter = find_meter(where)
    how = "measured with %s%s: " % (TOOL, " on a busy machine" * bool(busy.found))
    idle = watts(opts.idle_watts, "idleWatts", opts.traces, meter, how, "idle", lambda: time.sleep(POWER_SECONDS))
    peak = measured_peak(where, busy)
    bandwidth, copied = measured_bandwidth(memory, where, busy)
    how = "measured with %s%s: " % (TOOL, " on a busy machine" * bool(busy.found))
    if meter and opts.load_watts is None:
        multiply(where, 1)  # clocks and sensors follow the load
    threads = ", threads: %d" % opts.threads if where == "cpu" else ""
    return {
        "format": "edgepipe-device 2",
        "name": opts.device,
        "description": opts.description or "%s%s, %s" % (
            opts.device, threads, datetime.date.today().isoformat()),
        "peakFlopPerSecond": figure(
            peak, 4, how + "fp32 product of %d x %d matrices%s" % (SIZES[where], SIZES[where], threads)),
        "memoryBytes": {"value": memory, "source": how + "what the system reports"},
        "usableMemoryBytes": {"value": usable, "source": how + "what is available with PyTorch loaded"},
        "memoryBandwidthBytesPerSecond": figure(
            bandwidth, 3, how + "copy of %d MiB, read and written%s" % (copied >> 20, threads)),
        "idleWatts": idle,
        "loadWatts": watts(opts.load_watts, "loadWatts", opts.traces, meter, how, "during products of matrices",
                           lambda: multiply(where)),
        "stack": {"inference": "pytorch", "training": "pytorch"},
        "stacks": stacks(opts.traces, where, peak, busy),
    }


def main():
    parser = Parser(__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("device", help="name of the device, as used in clusters and profiles")
    add("--threads", type=number(1, 10000, int), default=os.cpu_count(), metavar="N",
        help="CPU threads (default: %(default)s, one per core)")
    add("--torch-device", choices=["cpu", "cuda"], default="cpu", help="processor to measure (default: %(default)s)")
    add("--description", metavar="TEXT", help="description of the device (default: its name and the date)")
    add("--idle-watts", type=number(0, 1e6), metavar="W",
        help="power when idle, watts (default: measured where the machine tells, else estimated)")
    add("--load-watts", type=number(0, 1e6), metavar="W",
        help="power under load, watts (default: measured where the machine tells, else estimated)")
    add("--traces", metavar="DIR", help="traces folder (default: the one with this tool)",
        default=os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    add("--out", metavar="FILE", help="file to write; -: standard output "
        "(default: devices/DEVICE.json in the traces folder)")
    add("--replace", action="store_true", help="overwrite an existing file")
    BusyMachine.add_option(add)
    opts = parser.parse_args()
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", opts.device):
        raise InputError('device: found "%s", expected letters, digits, dots, dashes' % opts.device)
    out = opts.out or os.path.join(opts.traces, "devices", opts.device + ".json")
    if out != "-" and os.path.exists(out) and not opts.replace:
        raise InputError("%s: is there already; --replace overwrites it" % out)
    if out != "-" and not os.access(os.path.dirname(os.path.abspath(out)), os.W_OK):
        raise InputError("%s: cannot write there" % out)
    tool.load_torch([])
    tool.check_device(opts.torch_device)
    device = describe(opts)
    text = json.dumps(device, indent=2) + "\n"
    if out == "-":
        print(text)
        return
    write_file(out, text + "\n")
    print("%s\nName it in a cluster file, such as traces/clusters/dgpas-testbed.json, and run it by "
          "--cluster=FILE." % out)


if __name__ == "__main__":
    start(main)
