# SPDX-License-Identifier: GPL-2.0-only
"""The devices of a traces folder: their stacks, and how much was measured of each."""

import csv
import json
import os
from collections import Counter
from pathlib import Path

from launcher.steps import ROOT, LauncherError

HEAD = "device", "stack", "runs", "kind", "precision", "published", "profiles", "version"
NOTE = ("runs: what the stack is the default for; published: times of whole networks that others published for it, in "
        "published/device-figures.csv;\nprofiles: files of layers in evaluation and training mode. Costs without a "
        "profile are estimates. Another stack is named by DEVICE@STACK.")


def read(path, parse):
    try:
        with open(path, encoding="utf-8") as file:
            return parse(file)
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError, csv.Error) as error:
        raise LauncherError(f"{path}: {getattr(error, 'strerror', '') or f'cannot be read: {error}'}", 2) from None


def count_figures(file):
    rows = csv.DictReader(line for line in file if not line.startswith("#"))
    return Counter((row["device"], row["stack"]) for row in rows)


def count_profiles(folder):
    """Files of evaluation and of training mode, by their names."""
    files = [path.name for path in folder.glob("*.csv")]
    evaluation = sum(name.endswith(".evaluation.csv") for name in files)
    return evaluation, len(files) - evaluation


def list_stacks(traces, figures):
    for path in sorted((traces / "devices").glob("*.json")):
        device = read(path, json.load)
        name, chosen, stacks = read(path, lambda _: (device["name"], dict(device.get("stack", {})),
                                                     dict(device.get("stacks", {}))))
        for stack, about in stacks.items() or [("", {})]:
            runs = [kind for kind in ("inference", "training") if chosen.get(kind) == stack]
            # The stack that runs everything has its profiles below the device's own name.
            folders = [f"{name}@{stack}"] + [name] * (stack == chosen.get("training", ""))
            evaluation, training = map(sum, zip(*(count_profiles(traces / "profiles" / one) for one in folders)))
            yield (name, stack or "none", "+".join(runs), *read(path, lambda _: [
                str(about.get(key, "")) for key in ("kind", "precision")]), str(figures[name, stack]),
                f"{evaluation}+{training}", read(path, lambda _: str(about.get("version", ""))))


def show_devices():
    traces = Path(os.environ.get("EDGEPIPE_TRACES") or ROOT / "traces")
    published = traces / "published" / "device-figures.csv"
    rows = [HEAD, *list_stacks(traces, read(published, count_figures) if published.exists() else Counter())]
    if len(rows) == 1:
        raise LauncherError(f"{traces}/devices: found no device, expected JSON files", 2)
    widths = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
    print(NOTE)
