# SPDX-License-Identifier: GPL-2.0-only
"""Power that a machine tells: a Jetson's sensor of the whole board, a processor's energy counters, or nvidia-smi."""

import shutil
import subprocess
import threading
import time
from pathlib import Path

BOARDS = "VDD_IN", "POM_5V_IN"  # names of the sensor of all that a Jetson takes
PERIOD = 0.1  # seconds between two looks at a sensor


class Sensor:
    """Power at an instant: source names it, read returns watts."""

    def __init__(self, source, read):
        self.source, self.read = source, read

    def measure(self, work):
        """Mean power while work() runs, watts."""
        seen, ended = [], threading.Event()

        def look():
            while not ended.wait(PERIOD):
                seen.append(self.read())
        thread = threading.Thread(target=look)
        thread.start()
        try:
            work()
        finally:
            ended.set()
            thread.join()
        return sum(seen) / len(seen) if seen else self.read()


class Counters:
    """Energy counters in microjoules, each a folder of Linux's powercap; they start again at their range."""

    def __init__(self, source, folders):
        self.source, self.folders = source, folders

    def read(self):
        return [int((folder / "energy_uj").read_text()) for folder in self.folders]

    def measure(self, work):
        """Mean power while work() runs, watts."""
        before, begin = self.read(), time.monotonic()
        work()
        seconds, after = time.monotonic() - begin, self.read()
        joules = 0
        for folder, first, last in zip(self.folders, before, after):
            joules += (last - first if last >= first else last - first + int(
                (folder / "max_energy_range_uj").read_text())) / 1e6
        return joules / seconds


def find_meter(where, root=Path("/sys")):
    """A meter of the processor to measure, cpu or cuda; None where the machine tells no power, or not to this user, or
    that of several GPUs."""
    if where == "cuda":
        command = ["nvidia-smi", "--query-gpu=power.draw", "--format=csv,noheader,nounits"]
        meter = Sensor("the GPU's board by nvidia-smi", lambda: float(subprocess.run(
            command, capture_output=True, text=True, check=True).stdout)) if shutil.which(command[0]) else None
    else:
        meter = find_board(root) or find_counters(root)
    try:
        meter and meter.read()
    except (OSError, ValueError, subprocess.CalledProcessError):
        return None
    return meter


def find_board(root):
    for label in sorted(root.glob("class/hwmon/hwmon*/in*_label")):
        name, number = label.read_text().strip(), label.name[len("in"):-len("_label")]
        if name in BOARDS:
            volts, amperes = label.with_name(f"in{number}_input"), label.with_name(f"curr{number}_input")
            return Sensor(f"the whole board, {name}", lambda: int(volts.read_text()) * int(amperes.read_text()) / 1e6)
    return None


def find_counters(root):
    named = {(folder / "name").read_text().strip(): folder
             for folder in sorted(root.glob("class/powercap/intel-rapl:*"))}
    if "psys" in named:
        return Counters("the whole platform, psys", [named["psys"]])
    packages = [folder for name, folder in named.items() if name.startswith("package-")]
    return Counters("the processor's package alone", packages) if packages else None
