# SPDX-License-Identifier: GPL-2.0-only
"""A case of workload-case at several levels, compared over the same requests."""

import json
import math

from edgepipe.comparison import round_half_away
from edgepipe.same_requests import figure_of, find_same, format_requests, is_by_rate
from edgepipe.tables import rounded

LEAST_REQUESTS = 10  # answered at both levels: with fewer, one of them decides


class Level:
    """A case at one fidelity, run once or with several run numbers."""

    def __init__(self, runs, same=None, by_rate=False):
        """same, by_rate: see figure_of."""
        last = runs[-1]
        figures = [figure_of(run, same, by_rate) for run in runs]
        self.runs = len(runs)
        self.seconds = sum(one / len(runs) for one in figures)
        self.first = runs[0]["seconds"]
        self.lowest, self.highest = min(figures), max(figures)
        self.wall = sum(run["simulationSeconds"] for run in runs) / len(runs)
        self.moved, self.events = last["bytesMoved"], last["events"]
        self.is_finished = all(run["isFinished"] for run in runs)
        told = [run for run in runs if not run["isFinished"]] or runs
        self.end, self.diagnosis = told[-1]["endSeconds"], told[-1]["diagnosis"]


class Comparison:
    def __init__(self, text, case, limit, setting=0):
        self.text, self.case, self.limit, self.setting = text, case, limit, setting
        self.packet = self.flow = self.ideal = None
        self.words = dict(word.split("=", 1) for word in text.split())

    def take(self, levels):
        """levels: runs by level. Packets and flows are compared over the same requests."""
        compared = [run for level in ("packet", "flow") for run in levels.get(level, ())]
        self.same = find_same(compared)
        self.by_rate = is_by_rate(compared, self.same)
        self.is_saturated = any(run.get("isSaturated") for run in compared)
        for level, runs in levels.items():
            setattr(self, level, Level(runs, *(() if level == "ideal" else (self.same, self.by_rate))))

    def answers_few(self):
        return self.flow.seconds == 0 or self.same is not None and len(self.same) < LEAST_REQUESTS

    def is_finished(self):
        return self.packet.is_finished and self.flow.is_finished

    def difference(self):
        return (self.flow.seconds / self.packet.seconds - 1
                if self.is_finished() and self.packet.seconds > 0 else 0)

    def without(self, runs):
        """The difference of other runs at flow level, over the same requests."""
        return Level(runs, self.same, self.by_rate).seconds / self.packet.seconds - 1

    def cells(self):
        """Cells of a table: packet level, range of its single runs, flow level, difference."""
        packet = self.packet
        return [seconds_of(packet),
                f"{rounded(packet.lowest, 3)} to {rounded(packet.highest, 3)}" if packet.runs > 1 else "",
                seconds_of(self.flow), signed(self.difference()) if self.is_finished() else ""]

    def command(self, passed):
        words = [f"--{name}={value}" for name, value in self.words.items() if name != "workload"]
        others = [f"--{name}={value}" for name, value in passed.items()
                  if (name, value) not in (("RngSeed", "1"), ("RngRun", "1"))]
        name = self.case["workload"]
        # A workload from a library has no scenario of its own.
        program = f"workload --workload={name}" if "library" in passed else name
        return f'./ns3 run "{" ".join([program, *words, "--fidelity=packet", *others])}"'

    def row(self, passed):
        return {"case": self.text, "command": self.command(passed), "workload": self.case["workload"],
                "setting": self.setting, "link": self.case["link"], "devices": self.case["devices"],
                "stages": self.case["stages"],
                "status": "finished" if self.is_finished() else "stalled",
                "movedBytes": self.flow.moved, "saturated": str(self.is_saturated).lower(),
                "judgedBy": "rate" if self.by_rate else "mean",
                "requests": format_requests(self.same or ()), "packetRuns": self.packet.runs,
                "packetIterationSeconds": self.packet.seconds,
                "packetFirstSeconds": self.packet.first, "packetLowestSeconds": self.packet.lowest,
                "packetHighestSeconds": self.packet.highest,
                "flowIterationSeconds": self.flow.seconds,
                "idealIterationSeconds": self.ideal.seconds if self.ideal else 0,
                "difference": self.difference() if self.is_finished() else None,
                "limit": self.limit, "packetEvents": self.packet.events,
                "flowEvents": self.flow.events}


def answer_of(result):
    return {name: json.loads(cell) if name in ("levels", "columns") else cell
            for name, cell in result.row.items()}


def signed(value):
    return f"{round_half_away(1e4 * value) / 100 + 0.0:+.2f} %"


def seconds_of(level):
    return rounded(level.seconds) if level.is_finished else "stalled"


def rank_of(sizes, part):
    """A percentile of values in ascending order, by rank."""
    return sizes[max(1, math.ceil(part * len(sizes))) - 1]
