#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Measure this machine and write one file about it, DEVICE.machine.json, for cost-fit.

    capture_machine.py my-board --description "Raspberry Pi 5, 8 GB"
    ./ns3 run "cost-fit --machine=my-board.machine.json --write=true"    (where you simulate)

It runs device_figures.py and, for each network and batch size, profile_model.py in training and evaluation mode. What
fails, as where memory does not suffice, is left out, and said. On a busy machine nothing is written (--busy-machine).
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE / "../../analysis"))
from edgepipe.pictures import InputError, Parser, number, start  # noqa: E402
from busy_machine import BusyMachine  # noqa: E402
from profile_model import file_name, whole_numbers, write_file  # noqa: E402

FORMAT = "edgepipe-machine 1"


def run_tool(name, *words):
    """Standard output of another tool of this folder, and the last line that it said, if it failed."""
    ended = subprocess.run([sys.executable, str(HERE / name), *map(str, words)], stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True)
    said = (ended.stderr.strip().splitlines() or [f"ended with status {ended.returncode}"])[-1]
    return ended.stdout, said.partition(": ")[2] if ended.returncode and said.startswith(name) else said * bool(
        ended.returncode)


def main():
    parser = Parser(__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("device", type=file_name, help="name of the device, as used in clusters")
    add("--networks", default="alexnet,resnet18,mobilenet_v2", metavar="NAME,...",
        help="networks of traces/models that torchvision has (default: %(default)s)")
    add("--batch", type=whole_numbers, default="1,8,32", metavar="N,N,...", help="batch sizes, samples (default: %(default)s)")
    add("--minutes", type=number(0.01, 1e4), default=8, metavar="MIN",
        help="time for passes, shared by networks, batch sizes and modes; each has 3 passes or more (default: %(default)s)")
    add("--threads", type=number(1, 10000, int), default=os.cpu_count(), metavar="N",
        help="CPU threads (default: %(default)s, one per core)")
    add("--torch-device", choices=["cpu", "cuda"], default="cpu", help="processor to measure (default: %(default)s)")
    add("--description", metavar="TEXT", help="description of the device (default: its name and the date)")
    add("--idle-watts", type=number(0, 1e6), metavar="W",
        help="power when idle, watts (default: measured where the machine tells, else estimated)")
    add("--load-watts", type=number(0, 1e6), metavar="W",
        help="power under load, watts (default: measured where the machine tells, else estimated)")
    BusyMachine.add_option(add)
    add("--out", metavar="FILE", help="file to write (default: DEVICE.machine.json)")
    add("--replace", action="store_true", help="overwrite an existing file")
    opts = parser.parse_args()
    out = Path(opts.out or f"{opts.device}.machine.json")
    if out.exists() and not opts.replace:
        raise InputError(f"{out}: is there already; --replace overwrites it")
    if not os.access(out.absolute().parent, os.W_OK):
        raise InputError(f"{out}: cannot write there")
    networks = opts.networks.split(",")
    known = {path.stem for path in (HERE.parent / "models").rglob("*.json")}
    for name in networks:
        if name not in known:
            raise InputError(f'--networks: found "{name}", expected names of traces/models, such as resnet18')
    same = ["--threads", opts.threads, "--torch-device", opts.torch_device, *["--busy-machine"] * opts.busy_machine]
    print(f"{opts.device}: its processor and memory", file=sys.stderr)
    said, why = run_tool("device_figures.py", opts.device, *same, "--out", "-", *(
        word for name in ("description", "idle_watts", "load_watts") if getattr(opts, name) is not None
        for word in ("--" + name.replace("_", "-"), getattr(opts, name))))
    if why:
        raise InputError(why)
    profiles, left_out = {}, {}
    pairs = [(name, batch) for batch in opts.batch for name in networks]
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        for count, (name, batch) in enumerate(pairs):
            left = opts.minutes * 60 - (time.monotonic() - begin)
            print(f"{name}, batch {batch} ({count + 1} of {len(pairs)})", file=sys.stderr)
            _, why = run_tool("profile_model.py", name, "--device", opts.device, "--batch", batch, *same, "--out", folder,
                              "--max-seconds", max(0.0, left / (len(pairs) - count) / 2), "--isolated-repeats", 1)
            if "machine is busy" in why:
                raise InputError(why)
            if why:
                left_out[f"{name}, batch {batch}"] = why
                print(f"  left out: {why}", file=sys.stderr)
        for path in sorted(Path(folder, "profiles", opts.device).glob("*.csv")):
            profiles[path.name] = path.read_text(encoding="utf-8")
    if not profiles:
        raise InputError("no network could be measured; " + "; ".join(f"{name}: {why}" for name, why in left_out.items()))
    machine = {"format": FORMAT, "device": json.loads(said), "leftOut": left_out,
               "profiles": {name: text.splitlines() for name, text in profiles.items()}}
    write_file(out, json.dumps(machine, indent=1) + "\n")
    print(f'{out}\nFold it in where you simulate: ./ns3 run "cost-fit --machine={out} --write=true"')


if __name__ == "__main__":
    start(main)
