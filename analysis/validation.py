#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The study validation, and its picture: validation.py FOLDER draws simulated against real iteration times.

Left: simulated over real time, logarithmic, with bands of 2 and 6 %. Right: the relative error of each run; a bar
spans the errors to its single real runs.
"""

import csv
import json
import math
from itertools import combinations
from pathlib import Path
from statistics import StatisticsError, correlation, fmean, median

from edgepipe.agreement import Point, draw_agreement
from edgepipe.drawing import draw_picture
from edgepipe.passes import read_sums, text_of_passes
from edgepipe.pictures import InputError, start
from edgepipe.problem_files import NAME, NETWORK, replaying, write_tasks
from edgepipe.run_file import read_run
from edgepipe.running import traces_folder
from edgepipe.study_options import Option, number, read_value
from edgepipe.study_program import Study
from edgepipe.tables import columns, print_table, read_table, rounded, share

SCENARIOS = ["pipeline-training", "cooperative-inference", "data-parallel"]
LEVELS = ("packet", "flow")
# The roles of which a workload has one, and the figures that are compared.
ROLES = {"stage", "device", "worker"}
FIGURES = (["iterationSeconds", "predictedIterationSeconds"], ["meanLatencySeconds", "predictedLatencySeconds"],
           ["iterationSeconds", ""])
# Options of a real run that its tasks do not describe.
PASSED = ("link", "bandwidth", "delay", "send-buffer", "iterations", "frames", "updates", *NETWORK)
SMALL_QUEUES = "ns3::edgepipe::TensorTransport::SmallQueues"  # of hosts; a router keeps what it is given
SEEDS = 10  # run numbers of a simulation that loses packets
# Runs with a busier machine, whose tasks ended later in the mean (s), or whose simulated network was late for more of
# the time are not counted: they measure the machine.
BUSIEST, LATEST, LATE_SHARE = 0.5, 1e-4, 5e-3
# Where simulations tell times of iterations, frames or updates, and how.
TIMES = {"iterations.csv": lambda rows: [float(row["iterationSeconds"]) for row in rows],
         "frames.csv": lambda rows: [float(row["latencySeconds"]) for row in sorted(
             rows, key=lambda row: (len(row["device"]), row["device"], int(row["frame"])))],
         "updates.csv": lambda rows: [float(row["endSeconds"]) - float(before["endSeconds"] if before else 0)
                                      for before, row in zip([None, *rows], rows)]}
TITLES = {"packet": "packet level", "flow": "flow level", "predicted": "prediction"}


class Validation(Study):
    """Simulate real runs of a testbed (traces/capture/run_testbed.py) at both levels, with the costs and the network
    of each, and compare: times, predictions, and the order of plans."""

    NEXT = "analysis/validation.py"
    OPTIONS = [Option("runs", "", "folder with real runs, one folder each, at any depth; empty: those shipped in "
                      "traces/testbed")]
    KEEP = [*TIMES]

    def read(self):
        self.top = Path(self.texts["runs"]) if self.texts["runs"] else traces_folder() / "testbed"
        self.places = sorted(path.parent for path in self.top.rglob("results.csv"))
        if not self.places:
            self.refuse("runs", "a folder with results of traces/capture/run_testbed.py")

    def work(self):
        inputs, real, cases = self.make_inputs(), [], []
        for place in self.places:
            about = place / "run.json"
            run = read_run(about)
            if not isinstance(run.get("testbed"), dict):
                raise InputError(f'{about}: found no "testbed", expected results of run_testbed.py')
            figure, _ = self.check(run, about)
            rows = read_table(place / "results.csv", columns(
                "planner link", f"runs {figure} spreadSeconds lateSeconds busyShare"
                + " networkLateShare" * (run["testbed"].get("shaper") == "ns3")))
            if len(rows) != len(run["testbed"]["tasks"]):
                raise InputError(f'{place / "results.csv"}: found {len(rows)} rows, expected {len(run["testbed"]["tasks"])}, '
                                 "as many as tasks in run.json")
            for row, tasks in zip(rows, run["testbed"]["tasks"]):
                if not row[figure]:
                    raise InputError(f'{place / "results.csv"}: {figure}: found 0, expected a time above 0')
                try:
                    options = self.describe(run, place, tasks, inputs / str(len(real)))
                except (AttributeError, IndexError, KeyError, TypeError, ValueError, StopIteration) as error:
                    raise InputError(f"{about}: testbed: tasks: found {error!r}, expected tasks of run_testbed.py") from None
                real.append((place, run, sends(tasks), row))
                # Flows lose nothing, packets at random.
                loses = read_value(Option("loss", "", "", number(0, 0.99)), options.get("loss", "0")) > 0
                cases.append([(level, self.case(run["scenario"], {**options, "fidelity": level}, seed))
                              for level in LEVELS[:1 if loses else 2] for seed in range(1, 1 + (SEEDS if loses else 1))])
        results = iter(self.simulate([case for each in cases for _, case in each], check=1))
        self.rows = [self.compare(*one, [(level, next(results)) for level, _ in each]) for one, each in zip(real, cases)]
        self.show()
        self.folder.write("results.csv", self.rows)
        self.folder.write("run.json", self.run_file(example=self.example))
        return "results.csv (a row per plan), run.json"

    @staticmethod
    def check(run, about):
        """Refuses a run.json that is not of run_testbed.py; returns its figures."""
        scenario, testbed = run.get("scenario"), run["testbed"]
        for name, found, is_right, expected in (
                ("scenario", scenario, scenario in SCENARIOS, " or ".join(SCENARIOS)),
                ("options", run.get("options"), isinstance(run.get("options"), dict)
                 and all(isinstance(text, str) for text in run["options"].values()), "options of a run"),
                ("testbed: figures", testbed.get("figures"), testbed.get("figures") in FIGURES, "those of run_testbed.py"),
                ("testbed: tasks", testbed.get("tasks"), are_tasks(testbed.get("tasks")),
                 "tasks of run_testbed.py")):
            if not is_right:
                raise InputError(f"{about}: {name}: found {json.dumps(found):.60}, expected {expected}")
        return testbed["figures"]

    @staticmethod
    def describe(run, place, tasks, folder):
        """Options of the simulation of a real run; writes the files that they name to a folder."""
        options = write_tasks(tasks, folder, traces_folder())
        replayed = write_replays(place, tasks, folder)
        return {**{name.replace("_", "-"): str(value).lower() if isinstance(value, bool) else value
                   for name, value in options.items()},
                **{name: run["options"][name] for name in PASSED if name in run["options"]},
                **({"replay": replayed} if replayed else {}),
                SMALL_QUEUES: str(run["testbed"]["shaper"] == "host").lower()}

    def compare(self, place, run, is_sending, real, results):
        figure, predicted = run["testbed"]["figures"]
        (_, packet), (last, flow) = results[0], results[-1]
        self.example = packet
        seconds, is_real = real[figure], run["testbed"].get("compute") == "real"
        times = {"packet": fmean(result.row[figure] for level, result in results if level == "packet"),
                 "flow": flow.row[figure] if last == "flow" else None, "predicted": packet.row.get(predicted) or None}
        return {"run": str(place.relative_to(self.top)), "group": self.group_of(place), "scenario": run["scenario"],
                "planner": real["planner"], "link": real["link"], "runs": real["runs"], "realSeconds": seconds,
                "spreadSeconds": real["spreadSeconds"], "busyShare": real["busyShare"],
                "counts": str(is_sending and not is_real and real["busyShare"] <= BUSIEST
                              and real["lateSeconds"] <= LATEST
                              and real.get("networkLateShare", 0) <= LATE_SHARE).lower(),
                **{f"{name}Seconds": time for name, time in times.items()},
                **{f"{name}Error": time and time / seconds - 1 for name, time in times.items()},
                **{f"{name}Correlation": correlate(place, real["planner"], result) if is_real else ""
                   for name, result in (("packet", packet), ("flow", flow))}}

    def group_of(self, place):
        return place.relative_to(self.top).parts[0] if len(place.relative_to(self.top).parts) > 1 else ""

    # ---- tables -------------------------------------------------------------------------------

    def show(self):
        print_table(["run", "plan", "real (s)", "spread", *(f"{name} (s)" for name in TITLES), *("error",) * 3], [
            [row["run"] + " *" * (row["counts"] != "true"), row["planner"], rounded(row["realSeconds"]),
             share(row["spreadSeconds"] / row["realSeconds"]),
             *(plain(row[f"{name}Seconds"]) for name in TITLES),
             *(signed(row[f"{name}Error"]) for name in TITLES)] for row in self.rows])
        counted = [row for row in self.rows if row["counts"] == "true"]
        left_out = len(self.rows) - len(counted)
        print("time: of an iteration, a frame or an update; spread: range of the real runs' means")
        if left_out:
            print(f"* not counted below, {left_out} plans: nothing is sent, computing was real, the machine was over {BUSIEST:.0%} busy, "
                  f"tasks ended over {1e3 * LATEST:g} ms late, or ns-3 was late for over {LATE_SHARE:.1%} of the time")
        self.show_replays()
        if not counted:
            return
        print("\nErrors against real runs, absolute:\n")
        table = []
        for group in sorted({row["group"] for row in counted}):
            mine = [row for row in counted if row["group"] == group]
            workloads = sorted({row["scenario"] for row in mine})
            table += [[group, workload, *summary(row for row in mine if row["scenario"] == workload)]
                      for workload in workloads]
            if len(workloads) > 1:
                table.append([group, "all", *summary(mine)])
        print_table(["runs", "workload", "plans",
                     *(word for title in TITLES.values() for word in (title, "worst"))], table)
        print("median and largest error of each")
        self.show_orders(counted)

    def show_replays(self):
        """Runs whose computing was real, against simulations that replay their recorded passes."""
        rows = [row for row in self.rows if row["flowCorrelation"] != ""]
        if rows:
            print("\nRecorded passes, replayed: mean and correlation of the iterations' times\n")
            print_table(["run", "plan", *(word for name in LEVELS for word in (TITLES[name], "correlation"))], [
                [row["run"], row["planner"], *(word for name in LEVELS for word in (
                    signed(row[f"{name}Error"]), plain(row[f"{name}Correlation"])))] for row in rows])

    @staticmethod
    def show_orders(rows):
        """Pairs of different plans of one run whose real times do not overlap."""
        pairs = [(one, other) for one, other in combinations(rows, 2)
                 if one["run"] == other["run"] and one["flowSeconds"] != other["flowSeconds"]
                 and abs(one["realSeconds"] - other["realSeconds"]) > (
                     one["spreadSeconds"] + other["spreadSeconds"])]
        found = []
        for name, title in TITLES.items():
            told = [pair for pair in pairs if pair[0][f"{name}Seconds"] and pair[1][f"{name}Seconds"]]
            alike = sum((one["realSeconds"] < other["realSeconds"])
                        == (one[f"{name}Seconds"] < other[f"{name}Seconds"])
                        for one, other in told)
            found.append(f"{title} {alike} of {len(told)}")
        print("\nPairs of plans whose real times differ by more than their spreads, in the same order by: "
              + ", ".join(found))


def are_tasks(found):
    """Whether these are tasks of run_testbed.py, for each plan, by device and role, with figures from 0."""
    if not (isinstance(found, list) and all(isinstance(tasks, dict) and all(isinstance(one, dict) for one in tasks.values())
                                            for tasks in found)):
        return False
    mine = [task for tasks in found for roles in tasks.values() for task in roles.values()]
    if not all(isinstance(task, dict) and isinstance(task.get("clients", []), list) for task in mine):
        return False
    clients = [client for task in mine for client in task.get("clients", ())]
    return all(any(ROLES & {*roles} for roles in tasks.values()) for tasks in found) and all(
        isinstance(task, dict) and all(isinstance(value, (int, float)) and 0 <= value < math.inf
                                       for name, value in task.items() if name.endswith(("Seconds", "Bytes")))
        for task in mine + clients)


def write_replays(place, tasks, folder):
    """Writes what devices recorded as passes through the layer that stands for their task; a --replay of them."""
    words = []
    for device, roles in tasks.items():
        for role, task in roles.items():
            if "passes" in task:
                path = folder / f"passes{device}.csv"
                name, layers = replaying(device, role, task)
                passes = [[(0, 0)] * (len(layers) - 1) + [sums] for sums in read_sums(place / task["passes"])]
                mode = "evaluation" if role in ("device", "server") else "training"
                path.write_text(text_of_passes(NAME, 1, layers, passes, [("mode", mode)]), encoding="utf-8")
                words.append(f"{name}:{path}")
    return ",".join(words)


def correlate(place, planner, result):
    """Correlation of real and simulated times of iterations after each device's first, which opens its connection;
    None for less than two, and for times that are all the same."""
    path = place / "iterations.csv"
    real = [row for row in read_table(path, columns("planner", "iteration iterationSeconds"))
            if row["planner"] == planner]
    name = next(name for name in TIMES if name in result.files)
    simulated = TIMES[name]([*csv.DictReader(result.files[name].decode().splitlines())])
    if len(real) != len(simulated):
        raise InputError(f"{path}: found {len(real)} iterations, expected {len(simulated)}")
    later = [(row["iterationSeconds"], seconds) for row, seconds in zip(real, simulated) if row["iteration"] > 0]
    try:
        return correlation(*zip(*later)) if len(later) > 1 else None
    except StatisticsError:
        return None


def sends(tasks):
    """Whether a device's task sends tensors."""
    return any(task.get(size) for roles in tasks.values() for task in roles.values()
               for size in ("inputBytes", "outputBytes", "uplinkBytes", "gradientBytes"))


def summary(rows):
    """Cells of a table: number of rows, and of each figure's absolute errors the median and the largest."""
    rows = list(rows)
    cells = [str(len(rows))]
    for name in TITLES:
        sizes = [abs(row[f"{name}Error"]) for row in rows if row[f"{name}Error"] is not None]
        cells += [share(median(sizes)), share(max(sizes))] if sizes else ["-", "-"]
    return cells


def plain(value):
    return "-" if value is None else rounded(value)


def signed(value):
    return "-" if value is None else f"{100 * value:+.2f} %"


# ---- the picture ----------------------------------------------------------------------------------

SERIES = {"packet": ("packet level", "#0072B2", "o"), "flow": ("flow level", "#E69F00", "^")}
DRAWN = columns("counts", "realSeconds spreadSeconds packetSeconds flowSeconds")


def make(folder, options):
    path = folder / "results.csv"
    rows = [row for row in read_table(path, DRAWN, ("flowSeconds",)) if row["counts"] == "true"]
    if not rows:
        raise InputError(f"{path}: found no run that counts, expected one that sends, on a machine less than "
                         f"{BUSIEST:.0%} busy")
    points = [Point(level, row["realSeconds"], row["realSeconds"] - row["spreadSeconds"] / 2,
                    row["realSeconds"] + row["spreadSeconds"] / 2, row[f"{level}Seconds"])
              for level in SERIES for row in rows if row[f"{level}Seconds"] is not None]
    words = "real iteration (s)", "simulated iteration (s)", "simulated less real (%)"
    return lambda: draw_agreement(points, SERIES, words, (0.06, 0.02), 8, options)


if __name__ == "__main__":
    start(lambda: draw_picture(__doc__, __file__, "results/validation", make, 7.2,
                               note=", two columns of a paper"))
