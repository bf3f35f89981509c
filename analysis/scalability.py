#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The study scalability, and its picture: scalability.py FOLDER draws how a workload scales.

A row of panels shows strong scaling over the devices of a site, at the fewest pipelines, another weak
scaling over pipelines, at the most devices, each only if swept; other workloads have one row, weak scaling
over devices. One line per planner, axes logarithmic. A case without a plan or that stalled has no point;
an efficiency below 0.01 % is an arrow at 0.01 %.
"""

import json
import math
from itertools import cycle, groupby, product

from edgepipe.axes import plain_numbers, steps_of, thin_ticks, tidy
from edgepipe.drawing import draw_picture
from edgepipe.pictures import InputError, new_panels, start
from edgepipe.reports import or_dash
from edgepipe.run_file import read_run
from edgepipe.study_options import Option, choice, counts, names
from edgepipe.study_program import Study, print_layer_costs, said_by
from edgepipe.tables import columns, percent, print_table, read_table, rounded, share, shown_bytes, unique

SCENARIOS = ["workload-case", "pipeline-training"]
NO_PLANNER = "-"  # for workloads without planners
ADAPTIVE = ("replan", "load", "load-end", "load-columns", "load-order", "monitor", "replan-threshold", "replan-horizon",
            "planning-time", "sample-interval", "timeline", "devices",
            "pipelines")  # options of pipeline-training without effect here
MOST_DEVICES = 1000000  # at flow level: takes some GB of memory
MOST_PACKET_DEVICES = 10000  # at packet level: takes some seconds to build
MOST_PACKET_CHAIN = 1000  # ns-3's routing tables take a minute
MOST_OTHER_DEVICES = 100000  # for other workloads


class Scalability(Study):
    """Run a workload on more and more devices (by default pipeline training, also with more and more
    pipelines side by side), and report the cost of the workload and of its simulation."""

    NEXT = "analysis/scalability.py"
    JOBS = 1  # parallel cases would distort the measured costs

    def options(self, words):
        self.known = self.ask([word for word in words if word.startswith("--library=")])
        usual, = [*self.known][:1]
        self.chosen = [usual, *(word.partition("=")[2] for word in words if word.startswith("--workload="))][-1]
        if self.chosen not in self.known:
            *others, last = self.known
            raise InputError(f'--workload: found "{self.chosen}", expected {", ".join(others)} or {last}')
        workload = Option("workload", self.chosen, f"workload to sweep: {', '.join(self.known)}; each "
                          "has its own options")
        sweep = self.known[self.chosen]
        self.is_other = not sweep["copies"]
        if not self.is_other:
            # A single pipeline stops gaining from devices once it has as many stages as layers.
            return [*self.options_of_scenario(self.chosen, {"planner": "even,dp,exact", "link": "wifi"}, ADAPTIVE),
                    workload,
                    Option("devices", "4", "devices per site, such as 4,16 or 2,4,...,10000: the cluster's, "
                           "repeated in turn", counts(MOST_DEVICES)),
                    Option(sweep["copies"], "1,2,...,16", "sites on one network, each training its own "
                           "copy of the model on its own devices, such as 1,2,4 or 1,2,...,64",
                           counts(MOST_DEVICES))]
        option, _, each = sweep["perDevice"].partition("=")
        return [workload,
                Option("devices", "2,4,...,64", f"values of --{sweep['count']} of {self.chosen}, such as "
                       "2,4,...,64 or 10,100,...,10000" + (f"; adds {each} per device to {option} unless --case "
                                                           "sets it" if each else ""), counts(MOST_OTHER_DEVICES)),
                *[Option("planner", sweep["planner"], f"planners of {self.chosen}, separated by commas",
                         names())] * bool(sweep["planner"]),
                Option("case", "", f"further options of {self.chosen} without their dashes, separated by "
                       'blanks, such as "link=wifi seed=1"'),
                Option("fidelity", "flow", "flow (transfers share links' rates) or packet (every packet of "
                       "ns-3's TCP)", choice("flow", "packet"))]

    @staticmethod
    def ask(words):
        """Workloads, including those of --library, and how each is swept."""
        return {name: sweep for name, sweep in json.loads(said_by("workload-case", *words))["workloads"].items()
                if sweep["count"] or sweep["copies"]}

    def read(self):
        if self.is_other:
            self.values["pipelines"] = [1]
            return
        most = (MOST_DEVICES if self.fidelity != "packet" else
                MOST_PACKET_CHAIN if self.link == "p2p" else MOST_PACKET_DEVICES)
        if self.devices[-1] * self.pipelines[-1] > most:
            self.refuse("pipelines" if self.pipelines[-1] > 1 else "devices",
                        f"at most {most} devices in all ({self.link} at {self.fidelity} level), not "
                        f"{self.pipelines[-1]} x {self.devices[-1]}")

    def work(self):
        cases = self.compare()
        for one in cases:
            one.add_efficiency(cases, self.is_other)
        (self.show_others if self.is_other else self.show_pipelines)(cases)
        for one in cases:
            if one.status == "stalled":
                self.report_stall(one.name(), rounded(one.run["endSeconds"]), one.reasons)
        results, costs = zip(*(self.rows_of(one, cases) for one in cases))
        self.folder.write("results.csv", results)
        self.folder.write("costs.csv", costs)
        example = next((one.result for one in cases if one.result), None)
        more = {"cases": [one.entry(self.is_other) for one in cases]}
        if self.is_other:
            costs = example.run.get("layerCosts") if example else None
            more = {**({"layerCosts": costs} if costs else {}), **more, "units": self.known[self.chosen]["units"]}
        else:
            told = next(one.columns for one in cases if one.columns)
            more = {"layerCosts": example.run["layerCosts"], "link": self.link,
                    "plannerBandwidthBitsPerSecond":
                    float(told["plannerBandwidthBitsPerSecond"]), **more}
        self.folder.write("run.json", self.run_file(more, example))
        return "results.csv (a row per case), costs.csv (what the cases cost here), run.json"

    def compare(self):
        """The cases by planner, then by rising numbers of devices and pipelines."""
        if self.is_other:
            planners = self.planner if self.known[self.chosen]["planner"] else [NO_PLANNER]
            # Refuse mistakes before any case runs.
            self.simulate([self.ask_for(planner, self.devices[0], 1) for planner in planners],
                          check=len(planners))
        else:
            planners = self.planners_of(self.chosen) + [f"plan:{file}" for file in self.plan.split(",") if file]
        keys = [*product(planners, self.devices, self.pipelines)]
        results = self.simulate([self.ask_for(*key) for key in keys], allowed=("ok", "failed"))
        cases = [Case(*key, result) for key, result in zip(keys, results)]
        if not self.is_other:
            for one in cases:
                if one.status == "refused":
                    one.status = "no-plan"
                    if not one.reasons[0].startswith("planner "):
                        self.is_refused = True
                        raise InputError(one.reasons[0])
            if all(one.status == "no-plan" for one in cases):
                raise InputError(cases[0].reasons[0])
        return cases

    def ask_for(self, planner, devices, pipelines):
        if self.is_other:
            sweep = self.known[self.chosen]
            option, _, each = sweep["perDevice"].partition("=")
            has_own = f" {option}=" in f" {self.texts['case']}"
            share = f" {option}={int(each or 0) * devices}" * bool(each and not has_own)
            by = f" planner={planner}" * (planner != NO_PLANNER)
            text = (f"workload={self.chosen}{by} {sweep['count']}={devices} "
                    f"fidelity={self.fidelity}{share} {self.texts['case']}").strip()
        else:
            words = {**self.passed_on(self.chosen), "planner": planner, "devices": devices,
                     "pipelines": pipelines, "fidelity": self.fidelity}
            words.pop("plan", None)
            text = "\t".join(f"{name}={text}" for name, text in words.items())
        return self.case("workload-case", {"case": text, "levels": self.fidelity})

    def rows_of(self, one, cases):
        told = next(case for case in cases if case.answer and (self.is_other or case.columns))
        own, run = one.columns, one.run
        key = {"planner": one.planner, "devices": one.devices, "pipelines": one.pipelines}
        if self.is_other:
            names = unique(name for case in cases for name in case.columns)
            return ({"workload": self.chosen, **key, "case": self.texts["case"], "link": told.answer["link"],
                     "fidelity": self.fidelity, "status": one.status,
                     "iterationSeconds": one.figure("seconds"), "samplesPerSecond": one.figure("perSecond"),
                     "weakEfficiency": one.weak, "requests": one.figure("requests"),
                     "movedBytes": one.figure("bytesMoved"),
                     "events": one.figure("events"), "simulatedSeconds": one.figure("endSeconds"),
                     **{name: own.get(name) for name in names}, "rngSeed": self.passed.get("RngSeed", 1),
                     "rngRun": self.first_run},
                    {**key, "decisionSeconds": one.figure("decisionSeconds"),
                     "simulationSeconds": one.figure("simulationSeconds"),
                     "microsecondsPerRequest": one.per(run.get("requests")),
                     "simulationPeakMemoryBytes": one.figure("peakMemoryBytes")})
        return ({**key, **{name: told.columns[name] for name in ("model", "cluster")}, "link": self.link,
                 "fidelity": self.fidelity, **{name: told.columns[name] for name in (
                     "schedule", "microBatches", "microBatchSize", "iterations")}, "status": one.status,
                 "stages": one.answer.get("stages", 0),
                 "predictedIterationSeconds": own.get("predictedIterationSeconds"),
                 "iterationSeconds": one.figure("seconds"), "samplesPerSecond": one.figure("perSecond"),
                 "strongEfficiency": one.strong, "weakEfficiency": one.weak,
                 **{name: own[name] if one.status == "finished" else None
                    for name in ("idleRate", "bubbleRate")},
                 "movedBytes": run["bytesMoved"] // int(told.columns["iterations"])
                 if one.status == "finished" else None, "transfers": own.get("transfers", 0),
                 "events": run.get("events", 0), "simulatedSeconds": run.get("endSeconds"),
                 "layerCostOrigins": told.columns["layerCostOrigins"], **json.loads(told.answer["columns"])},
                {**key, "decisionSeconds": one.planning, "simulationSeconds": run.get("simulationSeconds"),
                 "microsecondsPerTransfer": one.per_transfer(),
                 "planningPeakMemoryBytes": one.answer.get("planningPeakMemoryBytes", 0),
                 "simulationPeakMemoryBytes": run.get("peakMemoryBytes")})

    # ---- tables -----------------------------------------------------------------------------------

    def show_others(self, cases):
        told = self.texts["case"] or f"with its defaults (see {self.chosen} --help)"
        link = next(one.answer["link"] for one in cases if one.answer)
        print(f"{self.chosen}, {told}, over {link} at {self.fidelity} level")
        print_layer_costs(next(one.result.run for one in cases if one.answer))
        print()
        takes, yields = self.known[self.chosen]["units"]
        print_rows([{
            "planner": one.planner, "devices": str(one.devices), "status": one.status,
            takes: or_dash(one.figure("seconds"), rounded),
            yields: or_dash(one.figure("perSecond"), rounded), "weak eff.": or_dash(one.weak, percent),
            "requests": or_dash(one.figure("requests"), str),
            "bytes moved": or_dash(one.figure("bytesMoved"), shown_bytes),
            "planning (s)": or_dash(one.figure("decisionSeconds")),
            "simulation (s)": or_dash(one.figure("simulationSeconds")),
            "us/request": or_dash(one.per(one.figure("requests"))),
            "peak memory": or_dash(one.figure("peakMemoryBytes"), shown_bytes)} for one in cases])
        print("weak eff.: throughput for each device, over that with the fewest; planning to peak memory: "
              "what the case cost on this machine")
        for one in cases:
            if one.status == "refused":
                print(f"\n{one.planner}, {count(one.devices, 'device')}: {one.reasons[0]}")

    def show_pipelines(self, cases):
        first = next(one for one in cases if one.columns)
        told = first.columns
        if first.answer["note"]:
            print(first.answer["note"])
        print(f"{told['model']}, {count(int(told['microBatches']), 'micro-batch', 'es')} of "
              f"{count(int(told['microBatchSize']), 'sample')}, on {told['cluster']} "
              f"({reach(self.devices, 'device')}, {reach(self.pipelines, 'pipeline')}), "
              f"{self.link} at {self.fidelity} level, {told['schedule']}, "
              f"{count(int(told['iterations']), 'iteration')}\nplanners are told "
              f"{rounded(float(told['plannerBandwidthBitsPerSecond']) / 1e6)} Mbit/s between any two devices"
              + " (measured: one transfer on the idle network)"
              * (self.texts["planner-bandwidth"] == "probe"))
        print_layer_costs(first.result.run)
        if self.texts["weight-update"] == "true":
            print("weight updates are simulated (weights, gradients and optimizer over the memory bandwidth) and not predicted")
        if told["schedule"] != "gpipe":
            print("predictions and the memory limits of planners are for the schedule gpipe")
        is_strong, is_weak = len(self.devices) > 1, len(self.pipelines) > 1
        rows = []
        for one in cases:
            run, finished = one.run, one.status == "finished"
            rates = [percent(float(one.columns[name])) if finished else "-"
                     for name in ("idleRate", "bubbleRate")]
            rows.append({
                "planner": one.planner, "devices": str(one.devices),
                **({"pipelines": str(one.pipelines)} if is_weak else {}),
                "stages": or_dash(one.answer.get("stages"), str),
                "iteration (s)": rounded(run["seconds"]) if finished else one.status.replace("-", " "),
                "samples/s": or_dash(one.figure("perSecond"), rounded),
                **({"strong eff.": or_dash(one.strong, share)} if is_strong else {}),
                **({"weak eff.": or_dash(one.weak, share)} if is_weak else {}),
                "idle": rates[0], "bubbles": rates[1], "planning": shown_time(one.planning),
                "simulation": or_dash(run.get("simulationSeconds"), shown_time),
                "us/transfer": or_dash(one.per_transfer()), "events": or_dash(run.get("events"), str),
                "peak memory": or_dash(run.get("peakMemoryBytes"), shown_bytes)})
        print()
        print_rows(rows)
        if is_strong:
            print("strong eff.: samples/s for each of its devices, over those with the fewest\n"
                  f"no more devices have a stage than {told['model']} has layers, {told['layers']}")
        if is_weak:
            print("weak eff.: samples/s for each of its pipelines, over those with the fewest")
        print("idle: share of the iteration in which a stage's device computes nothing, mean over the "
              "stages, GPipe's bubble overhead;\nbubbles: the part of it between a device's own first and last "
              "task, DGPAS's bubble rate\nplanning to peak memory: what the case cost on this machine")
        self.show_missing(cases)

    def show_missing(self, cases):
        for planner in unique(one.planner for one in cases):
            mine = [one for one in cases if (one.planner, one.pipelines) == (planner, self.pipelines[0])]
            for is_missing, group in groupby(mine, lambda one: one.status == "no-plan"):
                missing = list(group)
                if is_missing:
                    print(f"\n{reach([one.devices for one in missing], 'device')}: "
                          f"{missing[0].reasons[0]}")


class Case:
    """A planner, a number of devices, and a number of pipelines."""

    def __init__(self, planner, devices, pipelines, result):
        self.planner, self.devices, self.pipelines = planner, devices, pipelines
        self.answer, self.run, self.columns, self.result = {}, {}, {}, None
        self.status, self.reasons = "refused", [result.reason()]
        self.planning = result.seconds
        self.strong = self.weak = None
        if result.status == "ok":
            self.result = result
            self.answer = result.row
            (self.run,), = json.loads(self.answer["levels"]).values()
            self.columns = self.run.get("columns", {})
            self.status = "finished" if self.run["isFinished"] else "stalled"
            self.reasons = self.run["diagnosis"]
            self.planning = self.run["decisionSeconds"]

    def name(self):
        return (f"{self.planner}, {count(self.devices, 'device')}"
                + (f", {self.pipelines} pipelines" if self.pipelines > 1 else ""))

    def figure(self, name):
        return self.run[name] if self.status == "finished" else None

    def per(self, count):
        """Microseconds of simulation per item; None if there are none."""
        return 1e6 * self.run["simulationSeconds"] / count if count else None

    def per_transfer(self):
        return self.per(int(self.columns.get("transfers", 0)))

    def add_efficiency(self, cases, is_other):
        """Throughput per device or pipeline, over that of the planner's first case that finished."""
        mine = [one for one in cases if one.planner == self.planner and one.status == "finished"]
        if self.status != "finished":
            return

        def over(base, units):
            ours, theirs = self.run["perSecond"], base.run["perSecond"]
            return ours / theirs / units if theirs > 0 else 0

        if not is_other:
            base = next(one for one in mine if one.pipelines == self.pipelines)
            self.strong = over(base, self.devices / base.devices)
            base = next(one for one in mine if one.devices == self.devices)
            self.weak = over(base, self.pipelines / base.pipelines)
        elif mine[0].run["perSecond"] > 0:
            self.weak = (self.run["perSecond"] / self.devices / mine[0].run["perSecond"]
                         * mine[0].devices)

    def entry(self, is_other):
        entry = {"planner": self.planner, "devices": self.devices}
        if is_other:
            return {**entry, "status": self.status, "reasons": self.reasons}
        why = "reason" if self.status == "no-plan" else "diagnosis"
        return {**entry, "pipelines": self.pipelines, "status": self.status,
                **({why: self.reasons} if self.reasons else {})}


def print_rows(rows):
    print_table(list(rows[0]), [list(row.values()) for row in rows])


def count(number, what, plural="s"):
    return f"{number} {what}" + (plural if number != 1 else "")


def reach(numbers, what):
    last = count(numbers[-1], what)
    return last if numbers[0] == numbers[-1] else f"{numbers[0]} to {last}"


def shown_time(seconds):
    scale, unit = (1e6, "us") if seconds < 0.001 else (1e3, "ms") if seconds < 1 else (1, "s")
    return f"{rounded(scale * seconds, 3)} {unit}"


# ---- the picture --------------------------------------------------------------------------------

# Okabe and Ito's palette for colour-blind readers, and a marker for each line.
COLOURS = ["#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#F0E442", "#000000"]
MARKERS = ["o", "s", "^", "D", "v", "P", "X", "*"]
FEWEST_PERCENT = 0.01  # least efficiency drawn, so that one idle sweep does not flatten the others

RESULTS = {"planner": str, "devices": int, "pipelines": int, **columns(
    "status link fidelity", "iterationSeconds samplesPerSecond weakEfficiency")}
# Further columns, for pipelines and for other workloads.
MORE_RESULTS = columns("model cluster", "strongEfficiency"), {"workload": str}
UNITS = ["iteration time (s)", "throughput (samples/s)"]  # for results without units
MAY_BE_EMPTY = {"iterationSeconds", "samplesPerSecond", "weakEfficiency", "strongEfficiency"}


def make(folder, options):
    path = folder / "results.csv"
    with open(path, encoding="utf-8", errors="replace") as file:
        is_other = file.readline().startswith("workload,")
    cases = read_table(path, {**RESULTS, **MORE_RESULTS[is_other]}, MAY_BE_EMPTY)
    if not any(case["status"] == "finished" for case in cases):
        raise InputError(f"{path}: no case has finished, nothing to draw")
    units = read_run(folder / "run.json").get("units", UNITS) if is_other else UNITS
    return lambda: draw(cases, choose_sweeps(cases, is_other), units, options)


def choose_sweeps(cases, is_other):
    """The sweeps: title, kind of scaling, column, its label, and cases."""
    if is_other:
        return [("Weak scaling", "weak", "devices", "devices", cases)]
    devices, pipelines = (sorted({case[key] for case in cases}) for key in ("devices", "pipelines"))
    sweeps = []
    if len(devices) > 1:
        sweeps.append((f"Strong scaling, {count(pipelines[0], 'pipeline')}", "strong", "devices",
                       "devices of the site", [one for one in cases if one["pipelines"] == pipelines[0]]))
    if len(pipelines) > 1 or not sweeps:
        sweeps.append((f"Weak scaling, {count(devices[-1], 'device')} a pipeline", "weak", "pipelines",
                       "pipelines side by side", [one for one in cases if one["devices"] == devices[-1]]))
    return sweeps


def points_of(cases, planner, across, column):
    """(x, y) points of the planner's finished cases, by the swept column."""
    return sorted((case[across], case[column]) for case in cases if case["planner"] == planner
                  and case["status"] == "finished" and case[column] is not None)


def draw(cases, sweeps, units, options):
    first = cases[0]
    what = first.get("workload") or f"{first['model']} on {first['cluster']}"
    figure, panels = new_panels(options, 3 * len(sweeps), 0.27,
                                f"{what}, {first['link']} at {first['fidelity']} level", 3)
    panels = iter(panels)
    for title, kind, across, label, swept in sweeps:
        for column, unit in zip(("iterationSeconds", "samplesPerSecond", f"{kind}Efficiency"),
                                (*units, f"{kind} efficiency (%)")):
            axes = next(panels)
            for planner, colour, marker in zip(unique(case["planner"] for case in cases), cycle(COLOURS),
                                               cycle(MARKERS)):
                points = points_of(swept, planner, across, column)
                if column.endswith("Efficiency"):
                    points = [(x, max(100 * y, FEWEST_PERCENT)) for x, y in points]
                    mark_least(axes, points, colour)
                axes.plot(*zip(*points or [(None, None)]), color=colour, marker=marker, markersize=3.5,
                          linewidth=1.2, markeredgewidth=0, alpha=0.9, label=planner)
            axes.set(xlabel=label, ylabel=unit)
            if column == "iterationSeconds":
                axes.set_title(title, loc="left", weight="bold", fontsize=options.font_size)
                axes.legend(frameon=False)
            finish(axes, column.endswith("Efficiency"))
    return figure


def mark_least(axes, points, colour):
    below = [point for point in points if point[1] <= FEWEST_PERCENT]
    for point in below:
        axes.annotate("", point, (0, -11), textcoords="offset points", annotation_clip=False,
                      arrowprops={"arrowstyle": "<-", "color": colour, "shrinkA": 0, "shrinkB": 2})
    if below:
        axes.set_title(f"arrow: below {FEWEST_PERCENT:g}", fontsize="medium", loc="right")


def finish(axes, is_efficiency):
    axes.set(xscale="log", yscale="log")
    if is_efficiency:
        axes.axhline(100, color="#333333", linewidth=0.6, linestyle=(0, (4, 2)), zorder=1)
    # Axes span at least a factor of 4, so that equal figures do not look like a trend.
    for axis, get, put in ((axes.xaxis, axes.get_xlim, axes.set_xlim),
                           (axes.yaxis, axes.get_ylim, axes.set_ylim)):
        low, high = get()
        if high / low < 4:
            middle = math.sqrt(low * high)
            put(middle / 2, middle * 2)
        plain_numbers(axis, steps_of(*axis.get_view_interval()))
    thin_ticks(axes)
    tidy(axes, "both")


if __name__ == "__main__":
    start(lambda: draw_picture(__doc__, __file__, "results/scalability", make, 9))
