#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The study validation, and its picture: validation.py FOLDER draws simulated against real iteration times.

Left: simulated over real time, logarithmic, with bands of 2 and 6 %. Right: the relative error of each run; a bar
spans the errors to its single real runs.
"""

from itertools import combinations
from pathlib import Path
from statistics import median

from edgepipe.agreement import Point, draw_agreement
from edgepipe.drawing import draw_picture
from edgepipe.pictures import InputError, start
from edgepipe.problem_files import write_tasks
from edgepipe.run_file import read_run
from edgepipe.running import traces_folder
from edgepipe.study_options import Option
from edgepipe.study_program import Study
from edgepipe.tables import columns, print_table, read_table, rounded, share

SCENARIOS = ["pipeline-training", "cooperative-inference", "data-parallel"]
LEVELS = ("packet", "flow")
# What is compared, and its prediction.
FIGURES = {"pipeline-training": ("iterationSeconds", "predictedIterationSeconds"),
           "cooperative-inference": ("meanLatencySeconds", "predictedLatencySeconds"),
           "data-parallel": ("iterationSeconds", "")}
RUNS = {name: columns("planner link", f"runs {figure} spreadSeconds busyShare") for name, (figure, _) in FIGURES.items()}
# Options of a real run that its tasks do not describe.
PASSED = ("link", "bandwidth", "downlink-bandwidth", "delay", "jitter", "queue", "send-buffer", "iterations", "frames",
          "updates")
TITLES = {"packet": "packet level", "flow": "flow level", "predicted": "prediction"}


class Validation(Study):
    """Simulate real runs of a testbed (traces/capture/run_testbed.py) at both levels, with the costs and the network
    of each, and compare: times, predictions, and the order of plans."""

    NEXT = "analysis/validation.py"
    OPTIONS = [Option("runs", "", "folder with real runs, one folder each, at any depth; empty: those shipped in "
                      "traces/testbed")]

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
            if "testbed" not in run:
                raise InputError(f'{about}: found no "testbed", expected results of run_testbed.py')
            rows = read_table(place / "results.csv", RUNS[run["scenario"]])
            for row, tasks in zip(rows, run["testbed"]["tasks"]):
                options = self.describe(run, tasks, inputs / str(len(real)))
                real.append((place, run["scenario"], row))
                cases += [self.case(run["scenario"], {**options, "fidelity": level}) for level in LEVELS]
        results = self.simulate(cases, check=True)
        self.rows = [self.compare(*one, *results[2 * at:2 * at + 2]) for at, one in enumerate(real)]
        self.show()
        self.folder.write("results.csv", self.rows)
        self.folder.write("run.json", self.run_file(example=results[0]))
        return "results.csv (a row per plan), run.json"

    @staticmethod
    def describe(run, tasks, folder):
        """Options of the simulation of a real run; writes the files that they name to a folder."""
        options = write_tasks(run["scenario"], tasks, folder, traces_folder())
        return {**{name.replace("_", "-"): str(value).lower() if isinstance(value, bool) else value
                   for name, value in options.items()},
                **{name: run["options"][name] for name in PASSED if name in run["options"]}}

    def compare(self, place, scenario, real, packet, flow):
        figure, predicted = FIGURES[scenario]
        seconds = real[figure]
        times = {"packet": packet.row[figure], "flow": flow.row[figure], "predicted": flow.row.get(predicted) or None}
        return {"run": str(place.relative_to(self.top)), "group": self.group_of(place), "scenario": scenario,
                "planner": real["planner"], "link": real["link"], "runs": real["runs"], "realSeconds": seconds,
                "spreadSeconds": real["spreadSeconds"], "busyShare": real["busyShare"],
                **{f"{name}Seconds": time for name, time in times.items()},
                **{f"{name}Error": time and time / seconds - 1 for name, time in times.items()}}

    def group_of(self, place):
        return place.relative_to(self.top).parts[0] if len(place.relative_to(self.top).parts) > 1 else ""

    # ---- tables -------------------------------------------------------------------------------

    def show(self):
        print_table(["run", "plan", "real (s)", "spread", *(f"{name} (s)" for name in TITLES), *("error",) * 3], [
            [row["run"], row["planner"], rounded(row["realSeconds"]), share(row["spreadSeconds"] / row["realSeconds"]),
             *(rounded(time) if (time := row[f"{name}Seconds"]) else "-" for name in TITLES),
             *(signed(row[f"{name}Error"]) for name in TITLES)] for row in self.rows])
        print("spread: range of the real runs' means; time of an iteration, a frame or an update\n\n"
              "Errors against real runs, absolute:\n")
        groups = sorted({row["group"] for row in self.rows})
        table = []
        for group in groups + [None] * (len(groups) > 1):
            for name, title in TITLES.items():
                sizes = sorted(abs(row[f"{name}Error"]) for row in self.rows
                               if group in (None, row["group"]) and row[f"{name}Error"] is not None)
                if sizes:
                    table.append([group or "all", title, str(len(sizes)), share(median(sizes)), share(sizes[-1])])
        print_table(["runs", "level", "plans", "median", "worst"], table)
        self.show_orders()

    def show_orders(self):
        """Pairs of plans of one run whose real times do not overlap."""
        pairs = [(one, other) for one, other in combinations(self.rows, 2)
                 if one["run"] == other["run"] and abs(one["realSeconds"] - other["realSeconds"]) > (
                     one["spreadSeconds"] + other["spreadSeconds"])]
        found = []
        for name, title in TITLES.items():
            told = [pair for pair in pairs if pair[0][f"{name}Seconds"] and pair[1][f"{name}Seconds"]]
            alike = sum((one["realSeconds"] < other["realSeconds"]) == (one[f"{name}Seconds"] < other[f"{name}Seconds"])
                        for one, other in told)
            found.append(f"{title} {alike} of {len(told)}")
        print(f"\nPairs of plans whose real times differ by more than their spreads, in the same order by: "
              + ", ".join(found))


def signed(value):
    return "-" if value is None else f"{100 * value:+.2f} %"


# ---- the picture ----------------------------------------------------------------------------------

SERIES = {"packet": ("packet level", "#0072B2", "o"), "flow": ("flow level", "#E69F00", "^")}
DRAWN = columns("", "realSeconds spreadSeconds packetSeconds flowSeconds")


def make(folder, options):
    rows = read_table(folder / "results.csv", DRAWN)
    points = [Point(level, row["realSeconds"], row["realSeconds"] - row["spreadSeconds"] / 2,
                    row["realSeconds"] + row["spreadSeconds"] / 2, row[f"{level}Seconds"])
              for level in SERIES for row in rows]
    words = "real iteration (s)", "simulated iteration (s)", "simulated less real (%)"
    return lambda: draw_agreement(points, SERIES, words, (0.06, 0.02), 8, options)


if __name__ == "__main__":
    start(lambda: draw_picture(__doc__, __file__, "results/validation", make, 7.2,
                               note=", two columns of a paper"))
