# SPDX-License-Identifier: GPL-2.0-only
"""Reading what the scenarios of cooperative inference leave behind."""

import csv
import textwrap
from dataclasses import dataclass

from edgepipe.pictures import InputError
from edgepipe.tables import read_table

RESULTS = {"planner": str, "model": str, "deviceType": str, "serverType": str, "devices": int,
           "network": str, "fidelity": str, "monitor": str, "status": str,
           "finishedFrames": float, "droppedFrames": float, "predictedLatencySeconds": float,
           "meanLatencySeconds": float, "p95LatencySeconds": float, "framesPerSecond": float}
MAY_BE_EMPTY = {"predictedLatencySeconds", "meanLatencySeconds", "p95LatencySeconds",
                "framesPerSecond"}
FRAMES = {"planner": str, "device": str, "status": str, "arrivedSeconds": float,
          "latencySeconds": float}
PLANS = {"planner": str, "device": str, "partition": float, "inForceSeconds": float, "cut": str}
BANDWIDTHS = {"planner": str, "device": str, "seconds": float,
              "estimatedUplinkBitsPerSecond": float, "availableUplinkBitsPerSecond": float}
VARIATION = {"planner": str, "model": str, "deviceType": str, "serverType": str, "link": str,
             "fidelity": str, "bandwidthBitsPerSecond": float, "status": str,
             "predictedLatencySeconds": float, "simulatedLatencySeconds": float,
             "speedUpOverEdgeOnly": float, "speedUpOverCloudOnly": float}
VARIATION_MAY_BE_EMPTY = {"predictedLatencySeconds", "simulatedLatencySeconds",
                          "speedUpOverEdgeOnly", "speedUpOverCloudOnly"}


@dataclass
class Run:
    results: list
    frames: list
    plans: list
    bandwidths: list

    def planners(self):
        return [row["planner"] for row in self.results]

    def stall(self, planner):
        """Such as "stalled, 3 of 40" frames ended; empty if the planner's run finished."""
        row = next(row for row in self.results if row["planner"] == planner)
        frames = [frame for frame in self.frames if frame["planner"] == planner]
        ended = sum(frame["status"] != "unfinished" for frame in frames)
        return f"stalled, {ended} of {len(frames)}" if row["status"] == "stalled" else ""

    def title(self, letters, more=""):
        """Lines of at most so many letters: who, and over what; more goes behind the last."""
        first = self.results[0]
        many = f", {first['devices']} devices" if first["devices"] > 1 else ""
        lines = (f"{first['model']}, {first['deviceType']} and {first['serverType']}{many}, "
                 f"{first['fidelity']} level, monitor {first['monitor']}", first["network"] + more)
        return "\n".join(textwrap.fill(line, letters) for line in lines)


def is_variation(folder):
    path = folder / "results.csv"
    try:
        with open(path, newline="", encoding="utf-8") as file:
            return "simulatedLatencySeconds" in next(csv.reader(file), [])
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}, expected results of cooperative-inference, "
                         "trace-replay or bandwidth-variation") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path}: expected CSV: {error}") from None


def read_run(folder):
    run = Run(read_table(folder / "results.csv", RESULTS, MAY_BE_EMPTY),
              read_table(folder / "frames.csv", FRAMES, {"arrivedSeconds", "latencySeconds"}),
              read_table(folder / "plans.csv", PLANS),
              read_table(folder / "bandwidth.csv", BANDWIDTHS, {"availableUplinkBitsPerSecond"}))
    if not any(row["finishedFrames"] for row in run.results):
        raise InputError(f"{folder / 'results.csv'}: no frame has finished, nothing to draw")
    return run


def read_variation(folder):
    path = folder / "results.csv"
    rows = read_table(path, VARIATION, VARIATION_MAY_BE_EMPTY)
    if not any(row["simulatedLatencySeconds"] for row in rows):
        raise InputError(f"{path}: no latency, nothing to draw")
    return rows
