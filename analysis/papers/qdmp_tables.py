#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Make the tables of a run of qdmp-tables: the QDMP paper's figures beside ours.

Reads cells.csv, calibration.csv, decisions.csv and run.json, and the paper's figures, models and
profiles in the traces folder; writes results.csv, second-reading.csv, choices.csv, simulated.csv,
contradictions.csv, layers.csv, order.csv, assumptions.csv, costs.csv and tables.md.
"""

import itertools
import json
import os
import sys

from edgepipe import problem_files
from edgepipe.comparison import compare_order, round_half_away, total
from edgepipe.pictures import start
from edgepipe.reports import (VERDICTS, Section, csv_of_verdicts, framed, page_of, print_of, read_frame,
                              sheets_of, tabulate)
from edgepipe.results_folder import exact
from edgepipe.run_file import read_run
from edgepipe.running import plan_all, traces_folder
from edgepipe.study_options import Option, choice, flag, names, number, whole
from edgepipe.study_program import Study
from edgepipe.tables import columns, percent, rounded, unique
import qdmp_consistency
from qdmp_calibration import MEASURED_DEVICE, Assumptions, calibrate

SCENARIOS = ["cooperative-inference", "plan"]

# Planners, and options of plan for each group; table 2's DADS counts the input.
ASKED = {("cloud-only", "edge-only", "neurosurgeon", "dads", "qdmp"): (),
         ("dads",): ("--ns3::edgepipe::DadsPlanner::CountInput=true",)}
PLANNED = ("cloud-only", "edge-only", "neurosurgeon", "dads", "qdmp", "dads-with-input",
           "cloud-only-serial")
FLOP = tuple(f"--ns3::edgepipe::{name}Planner::Belief=flop" for name in ("Dads", "Neurosurgeon"))
CUTTING = ("here, Boykov-Kolmogorov", "here, Edmonds-Karp")  # dads, by max-flow algorithm
BEARERS = {"3G": "3g", "4G": "4g"}  # links of tables 2 and 3
MODELS = ("alexnet", "alexnet_parallel", "darknet19", "tiny_yolo", "resnet18", "googlenet")
FRAMES, WARM_UP = 24, 4  # per simulation, the first of which are not measured
IN_FLIGHT = 4  # to measure throughput: one each on device, uplink and server, and one waiting
SWEPT = "resnet18"  # figure 11, from 0 to 15 Mbit/s
SWEEP = [0.5e6 * step for step in range(31)]


class QdmpTables(Study):
    """The evaluation of the QDMP paper beside ours: tables 1 to 4 and 6, and figures 7 to 11, under several
    assumptions where the paper leaves details open."""

    KEEP = ["problem.json", "frames.csv"]
    TABLES = __file__
    OPTIONS = [
        Option("model", ",".join(MODELS), "some of the paper's models, separated by commas", names(*MODELS)),
        Option("networks", "CAT1,3G,4G,Wi-Fi", "networks of table 5, separated by commas: CAT1, 3G, 4G, Wi-Fi",
               names("CAT1", "3G", "4G", "Wi-Fi")),
        Option("device", "raspberry-pi-3b",
               "type of device that sets the ratios between layer times on the end device; speed is calibrated"),
        Option("server", "rtx-2080-ti", "type of device that sets the ratios between layer times on the server"),
        Option("tensor-element-bytes", "4",
               "bytes per element of a tensor that is sent, 1 to 4 (float32); input frames have 1", whole(1, 4)),
        Option("set-up", "0", "extra time of a layer run alone, as dads and neurosurgeon see it, as a share of "
               "the median layer's time; 0: as measured on " + MEASURED_DEVICE,
               number(0, 1000)),
        Option("execution", "proportional",
               "layer times: proportional (to those of --device and --server) or anchored (the sums before and "
               "after qdmp's cut are those that its table cells imply)", choice("proportional", "anchored")),
        Option("belief", "alone",
               "layer times that dads and neurosurgeon assume: alone (of layers run alone, and a regression on "
               "these), roofline or flop (the calibrated total, distributed in their proportions)",
               choice("alone", "roofline", "flop")),
        Option("simulate", "true", "simulate the plans over the bearers 3g and 4g, at both fidelities", flag),
        Option("repeats", "21", "timings per decision, 1 to 1000; their median counts", whole(1, 1000))]

    def work(self):
        self.paper = read_run(traces_folder() / "published/qdmp-tables.json")
        self.rates = {one["name"]: one["uplinkBitsPerSecond"] for one in self.paper["networks"]}
        self.models = [one for name in self.model for one in self.paper["models"] if one["file"] == name]
        first = Assumptions(self.device, self.server, self.tensor_element_bytes, self.set_up, self.execution,
                            self.belief)
        own = (self.device, self.server)
        assumptions = unique([first, *(
            Assumptions(*pair, size, set_up) for size in (4, 1) for pair, set_up in (
                (own, 0), (own, 0.5), (own, 2), ((MEASURED_DEVICE, MEASURED_DEVICE), 0))), *(
            Assumptions(*own, 1, 0, "anchored", belief) for belief in ("roofline", "flop"))])
        self.calibrate_all(assumptions)
        cells = [cell for one in assumptions for cell in self.plan_cells(one)]
        for cell in cells:
            if cell["isFaster"]:
                self.status = 3
                if cell["assumptions"] == first:
                    print(f"{self.name}: faster than qdmp: {cell['planner']}, {cell['model']}, {cell['network']}",
                          file=sys.stderr)
        if self.values["simulate"]:
            self.simulate_cells([cell for cell in cells if cell["network"] in BEARERS and (
                cell["assumptions"] == first or cell["execution"] == "anchored")])
        self.folder.write("cells.csv", [{name: cell.get(name) for name in CELL_COLUMNS} for cell in cells])
        self.folder.write("calibration.csv", [
            {**vars(one), "model": model["name"], "layers": len(made.problem["layers"]), **made.figures()}
            for one in assumptions for model in self.models for made in [self.calibrated[one, model["file"]]]])
        self.folder.write("decisions.csv", list(self.time_decisions(first)))
        more = {"published": self.paper["source"], "networks": self.networks,
                "models": [self.describe(model, first, cells) for model in self.models]}
        if SWEPT in self.model:
            rows, more["figure11"] = sweep(self.calibrated[first, SWEPT])
            self.folder.write("figure11.csv", rows)
        self.folder.write("run.json", self.run_file({**more, "paper": self.paper}, self.example))
        return "cells.csv (a row per plan), calibration.csv, decisions.csv, run.json (the plans)"

    def calibrate_all(self, assumptions):
        sides = unique((one.device, one.server, one.tensorBytes) for one in assumptions)
        keys = [(model["file"], *side) for model in self.models for side in sides]
        runs = self.simulate([self.case("cooperative-inference", {
            "model": model, "device": device, "server": server, "tensor-element-bytes": size,
            "planner": "neurosurgeon", "frames": 1}) for model, device, server, size in keys], share=(0, 4), check=True)
        self.example = runs[0]
        costs = {key: (json.loads(run.files["problem.json"]), run.run) for key, run in zip(keys, runs)}
        anchors = [one for one in read_run(traces_folder() / "published/qdmp-anchors.json")["cells"]
                   if "contradiction" not in one]
        self.calibrated = {
            (one, model["file"]): calibrate(
                one, model, self.rates, anchors if one.execution == "anchored" else [],
                costs[model["file"], one.device, one.server, one.tensorBytes],
                costs[model["file"], MEASURED_DEVICE, MEASURED_DEVICE, 4][0])
            for one in assumptions for model in self.models}

    def plan_cells(self, assumptions):
        """A cell per model, network and planner; throughput is 1 / max(T_e, T_t, T_c), section 5.2.2, but
        1 / latency for cloud-only-serial."""
        places = [(model, network) for model in self.models for network in self.rates if network in self.networks]
        problems = [{**self.calibrated[assumptions, model["file"]].problem,
                     "uplinkBitsPerSecond": self.rates[network], "downlinkBitsPerSecond": self.rates[network]}
                    for model, network in places]
        words = FLOP if assumptions.belief == "flop" else ()
        made = [plan_all(problems, planners, [*words, *more]) for planners, more in ASKED.items()]
        for (model, network), *plans in zip(places, *made):
            plans = dict(zip(PLANNED, [*plans[0], *plans[1], plans[0][0]]))
            for planner, plan in plans.items():
                is_serial = planner in SAME_PLANS
                slowest = max(plan["deviceSeconds"], plan["transferSeconds"], plan["serverSeconds"])
                yield {**plan, **vars(assumptions), "assumptions": assumptions, "file": model["file"],
                       "model": model["name"], "network": network, "planner": planner,
                       "framesPerSecond": 1 / (plan["latencySeconds"] if is_serial else slowest),
                       "place": "device" if plan["serverSeconds"] == 0 and plan["uplinkBytes"] == 0 else
                                "server" if plan["deviceSeconds"] == 0 else "cut",
                       "isFaster": not is_serial
                       and plans["qdmp"]["latencySeconds"] / plan["latencySeconds"] - 1 > EQUAL}

    def simulate_cells(self, cells):
        """Simulates frames over the bearers, one at a time and several in flight, at both fidelities."""
        inputs = self.make_inputs()
        (inputs / "devices").mkdir()
        for part in traces_folder().iterdir():
            if part.name not in ("devices", "profiles"):
                os.symlink(part.resolve(), inputs / part.name)
        cases, numbers = [], {}
        for cell in cells:  # equal types and plans have the same number
            file, layers = cell["file"], self.calibrated[cell["assumptions"], cell["file"]].problem["layers"]
            seconds = [[(layer["name"], layer[f"{side}Seconds"], 0.0) for layer in layers]
                       for side in ("device", "server")]
            kind = numbers.setdefault(repr((file, seconds)), len(numbers))
            for side, each in zip(("device", "server"), seconds):
                problem_files.write_type(inputs, f"{side}{kind}", file, each)
            plan = inputs / f"plan{numbers.setdefault(repr((file, cell['deviceLayers'])), len(numbers))}.json"
            plan.write_text(json.dumps({"formatVersion": 1, **{name: cell[name] for name in (
                "deviceLayers", "serverLayers")}}))
            cases += [self.case("cooperative-inference", {
                "traces": inputs, "model": file, "device": f"device{kind}", "server": f"server{kind}",
                "tensor-element-bytes": cell["tensorBytes"], "replan": "false", "planner": f"plan:{plan}",
                "link": BEARERS[cell["network"]], "fidelity": fidelity, "frames": FRAMES, "in-flight": in_flight})
                for fidelity in ("flow", "packet") for in_flight in (1, IN_FLIGHT)]
        results = iter(self.simulate(cases, share=(1, 4), allowed=("ok",)))
        for cell in cells:
            for fidelity in ("flow", "packet"):
                alone, together = ([[round(1e9 * row[f"{what}Seconds"]) for what in ("started", "finished")]
                                    for row in next(results).table("frames.csv")] for _ in range(2))
                span = together[-1][1] - together[WARM_UP - 1][1]
                latency = total((finished - started) / 1e9 / (FRAMES - WARM_UP)
                                for started, finished in alone[WARM_UP:])
                cell[f"{fidelity}LatencySeconds"] = latency
                cell[f"{fidelity}FramesPerSecond"] = (
                    1 / latency if cell["planner"] in SAME_PLANS else (FRAMES - WARM_UP) / (span / 1e9))

    def time_decisions(self, assumptions):
        for model in self.models:
            problems = [self.calibrated[assumptions, model["file"]].problem] * self.repeats
            for origin, planner, words in (
                    (CUTTING[0], "dads", ()),
                    (CUTTING[1], "dads", ("--ns3::edgepipe::DadsPlanner::Algorithm=edmonds-karp",)),
                    ("here", "qdmp", ())):
                seconds = sorted(plan["decisionSeconds"] for plan, in plan_all(problems, [planner], words))
                yield {"model": model["name"], "origin": origin, "planner": planner,
                       "seconds": seconds[len(seconds) // 2]}

    def describe(self, model, assumptions, cells):
        made = self.calibrated[assumptions, model["file"]]
        layers = made.problem["layers"]
        at = {layer["name"]: number for number, layer in enumerate(layers)}
        operators = {layer["name"]: layer["operator"] for layer in read_run(
            traces_folder() / f"models/{model['file']}.json")["layers"]}
        plans = {cell["network"]: cell["deviceLayers"] for cell in cells if cell["planner"] == "qdmp"
                 and cell["assumptions"] == assumptions and cell["file"] == model["file"]}
        return {"name": model["name"], "file": model["file"], **made.figures(),
                "layers": [{"name": layer["name"], "operator": operators[layer["name"]],
                            "inputs": [at[name] for name in layer["inputs"]]} for layer in layers],
                "qdmpOnDevice": {network: [layer["name"] in plans[network] for layer in layers]
                                 for network in self.networks}}


def sweep(swept):
    """Figure 11: rows by bandwidth, and where cloud-only gets faster and qdmp sends all to the server."""
    (plan,), = plan_all([swept.problem], ["qdmp"], ["--envelope=true"])
    rows = []
    for bandwidth in SWEEP:
        segment = [one for one in plan["envelope"] if one["fromUplinkBitsPerSecond"] <= bandwidth][-1]
        bits = segment["uplinkBytes"] * 8 / (bandwidth or swept.problem["uplinkBitsPerSecond"])
        seconds = segment["deviceSeconds"] + segment["serverSeconds"] + bits
        cloud = swept.serverSeconds + swept.problem["inputBytes"] * 8 / bandwidth if bandwidth else None
        rows.append({"uplinkBitsPerSecond": bandwidth, "edgeOnlySeconds": swept.deviceSeconds,
                     "cloudOnlySeconds": cloud, "qdmpSeconds": seconds,
                     "speedupOverEdgeOnly": swept.deviceSeconds / seconds,
                     "speedupOverCloudOnly": cloud and cloud / seconds})
    gap, last = swept.deviceSeconds - swept.serverSeconds, plan["envelope"][-1]
    return rows, {
        "cloudBeatsEdgeBitsPerSecond": exact(swept.problem["inputBytes"] * 8 / gap if gap > 0 else None),
        "allCloudBitsPerSecond": exact(None if last["deviceSeconds"] else last["fromUplinkBitsPerSecond"])}


# ---- tables ---------------------------------------------------------------------------------------

DIGIT = 0.01  # last digit that tables 2 and 3 print
TOLERANCE = 0.15  # relative difference above which a figure is marked
EQUAL = 1e-9  # relative: sums in another order differ in their last digits
MEBIBIT = 2 ** 20  # table 6's unit
HOW = f"theirs, ours, difference; * above {100 * TOLERANCE:.0f} %"

# Our counterparts of the paper's five columns. Table 2's DADS keeps layers on the device, like dads when it
# counts the input; table 3's cloud-only column is 1 / table 2's.
COLUMNS = ("cloud-only", "edge-only", "neurosurgeon", "dads", "qdmp")
VARIANTS = {"dads-with-input": "dads", "cloud-only-serial": "cloud-only"}
READINGS = {"as read": COLUMNS,
            "as printed": ("cloud-only-serial", "edge-only", "neurosurgeon", "dads-with-input", "qdmp")}
CALIBRATED = {"edge-only", "cloud-only", "cloud-only-serial"}  # their columns of table 2 set our speeds: no evidence
# Tables: title, member of the paper's models, and our planners; then figures, which are ratios of a table to
# edge-only (sections 5.2.1 and 5.2.2).
TABLES = {"table2": ("Table 2, latency in seconds", "latencySeconds",
                     ("cloud-only", "edge-only", "neurosurgeon", "dads", "dads-with-input", "qdmp")),
          "table3": ("Table 3, throughput in frames per second", "framesPerSecond",
                     ("cloud-only", "cloud-only-serial", "edge-only", "neurosurgeon", "dads",
                      "dads-with-input", "qdmp")),
          "table6": ("Table 6, Mibit sent per frame by qdmp", "mebibitsPerFrame", ("qdmp",))}
CLOUD, OTHERS = ("cloud-only", "qdmp"), ("neurosurgeon", "dads", "dads-with-input", "qdmp")
RATIOS = {"figure7": ("Figure 7, latency gain over edge-only", "table2", CLOUD),
          "figure8": ("Figure 8, latency gain over edge-only", "table2", OTHERS),
          "figure9": ("Figure 9, throughput gain over edge-only", "table3",
                      ("cloud-only", "cloud-only-serial", "qdmp")),
          "figure10": ("Figure 10, throughput gain over edge-only", "table3", OTHERS)}

NEAR = 0.02  # relative difference from the printed figures up to which a cut is the paper's
DECIDE = ("neurosurgeon", "dads-with-input", "qdmp")
# Profile with times of layers alone and in context, figures 1 to 3.
PROFILE = "profiles/xeon-1core/{}.b1.csv"
LAYERS = ["layer", "operator", "forwardSeconds", "isolatedForwardSeconds"]
SAME_PLANS = ("cloud-only-serial",)  # plans that equal another column's
SIMULATED = {"table2": ("latencySeconds", "flowLatencySeconds", "packetLatencySeconds"),
             "table3": ("framesPerSecond", "flowFramesPerSecond", "packetFramesPerSecond")}
MAY_BE_EMPTY = {name for columns in SIMULATED.values() for name in columns[1:]}

ASSUMPTIONS = ["device", "server", "tensorBytes", "setUpShare", "execution", "belief"]
ASSUMPTION_NAMES = ["device", "server", "tensor bytes", "set-up", "execution", "belief"]
ASSUMED = dict(zip(ASSUMPTIONS, (str, str, int, float, str, str)))
CELL = ["model", "network"]
CELLS = {**ASSUMED, **columns("model network planner place", "latencySeconds framesPerSecond uplinkBytes"),
         **dict.fromkeys(MAY_BE_EMPTY, float)}
CELL_COLUMNS = [*ASSUMPTIONS[:4], *CELL, "planner", "latencySeconds", "framesPerSecond", "uplinkBytes",
                *ASSUMPTIONS[4:], "place", "deviceSeconds", "transferSeconds", "serverSeconds", "flowLatencySeconds",
                "packetLatencySeconds", "flowFramesPerSecond", "packetFramesPerSecond"]
CALIBRATION = {**ASSUMED, **columns("model", "deviceSeconds serverSeconds residualSeconds deviceFactor serverFactor",
                                    "layers")}
DECISIONS = columns("model origin planner", "seconds")


def printed(paper, table, cell):
    """The paper's figure for a cell; None if it has none."""
    model, = (model for model in paper["models"] if model["name"] == cell.model)
    found = model[TABLES[table][1]].get(cell.network)
    return found if table == "table6" else (found or {}).get(VARIANTS.get(cell.planner, cell.planner))


def compare(cells, paper):
    """Tables 2, 3 and 6 and the ratios of figures 7 to 10: a row per figure that the paper has."""
    import pandas

    def beside(figure, unit, cells, ours):
        return cells[[*CELL, "planner"]].assign(
            figure=figure, unit=unit, paper=[printed(paper, figure, cell) for cell in cells.itertuples()],
            ours=ours).dropna(subset=["paper"])

    frames = [beside("table2", "s", cells, cells.latencySeconds),
              beside("table3", "frames/s", cells, cells.framesPerSecond)]
    tables = pandas.concat(frames)
    qdmp = cells[cells.planner == "qdmp"]
    frames.append(beside("table6", "Mibit", qdmp, qdmp.uplinkBytes * 8 / MEBIBIT))
    for figure, (_, table, planners) in RATIOS.items():
        rows = tables[tables.figure == table]
        drawn = rows[rows.planner.isin(planners)]
        edge = rows[rows.planner == "edge-only"].set_index(CELL).loc[list(zip(drawn.model, drawn.network))]
        sign = 1 if table == "table2" else -1
        frames.append(drawn.assign(figure=figure, unit="times edge-only",
                                   paper=(edge.paper.to_numpy() / drawn.paper) ** sign,
                                   ours=(edge.ours.to_numpy() / drawn.ours) ** sign))
    results = pandas.concat(frames, ignore_index=True)
    results["difference"] = (results.ours / results.paper - 1).where(results.paper != 0)
    return results[["figure", *CELL, "planner", "unit", "paper", "ours", "difference"]]


@framed("table", *CELL, "reading", "reversed", "other")
def compare_orders(results):
    """The order of planners in tables 2 and 3, by reading: a row per cell."""
    tables = results[results.figure.isin(SIMULATED)].set_index("planner")
    for (figure, model, network), cell in tables.groupby(["figure", *CELL], sort=False):
        for reading, planners in READINGS.items():
            read = cell.loc[list(planners)]
            yield (figure, model, network, reading, *compare_order(
                dict(zip(COLUMNS, read.paper)), list(read.ours), DIGIT))


@framed()
def compare_assumptions(cells, calibration, paper):
    """How much of tables 2 and 3 agrees: a row per assumptions, table and reading."""
    factors = calibration.groupby(ASSUMPTIONS, sort=False)[["deviceFactor", "serverFactor"]]
    spreads = factors.max() / factors.min()
    for assumptions, group in cells.groupby(ASSUMPTIONS, sort=False):
        results = compare(group, paper)
        orders = compare_orders(results)
        device, server = spreads.loc[assumptions]
        for table, (reading, planners) in itertools.product(SIMULATED, READINGS.items()):
            own = orders[(orders.table == table) & (orders.reading == reading)]
            figures = results[(results.figure == table) & results.planner.isin({*planners} - CALIBRATED)]
            yield {**dict(zip(ASSUMPTIONS, assumptions)), "deviceSpread": device, "serverSpread": server,
                   "table": table, "reading": reading, "cells": len(own),
                   "ordered": (own.reversed.str.len() == 0).sum(), "same": (own.other.str.len() == 0).sum(),
                   "figures": len(figures), "near": (figures.difference.abs() <= TOLERANCE).sum()}


@framed(*ASSUMPTIONS, *CELL, "planner", "theirs", "ours", "agrees", "isQdmpAhead")
def compare_choices(cells, models):
    """Where each planner puts the layers, and where the paper's did: a row per cell and planner."""
    models = {model.published["name"]: model for model in models}
    for cell in cells[cells.network.isin(BEARERS) & cells.planner.isin(DECIDE)].itertuples():
        model, planner = models[cell.model], VARIANTS.get(cell.planner, cell.planner)
        theirs = model.place(cell.network, planner)
        is_near = (abs(cell.latencySeconds / model.latency(cell.network, planner) - 1) <= NEAR
                   and abs(cell.framesPerSecond / model.frames(cell.network, planner) - 1) <= NEAR)
        yield [*(getattr(cell, name) for name in ASSUMPTIONS), cell.model, cell.network, cell.planner,
               theirs, cell.place, theirs == cell.place and (theirs != "cut" or is_near),
               qdmp_consistency.is_ahead(model.published["latencySeconds"][cell.network])]


def make_choice_rows(choices):
    """Cells in which planners choose as printed, by assumptions: each planner, and both baselines together."""
    for key, group in choices.groupby(ASSUMPTIONS, sort=False):
        table = group.pivot(index=CELL, columns="planner", values="agrees")
        ahead = group.drop_duplicates(CELL).set_index(CELL).isQdmpAhead.loc[table.index].to_numpy()
        both = table["neurosurgeon"] & table["dads-with-input"]
        yield [*name_assumptions(key),
               *(f"{agrees.sum()} of {len(agrees)}, {agrees[ahead].sum()} of {ahead.sum()}"
                 for agrees in (*(table[planner] for planner in DECIDE), both, both & table["qdmp"]))]


def name_assumptions(key):
    device, server, tensor_bytes, set_up, execution, belief = key
    return [device, server, str(tensor_bytes), f"{set_up:g}" if set_up else "measured", execution, belief]


def compare_simulated(cells, paper):
    """The simulated figures beside the formula's and the paper's: a row per cell and table."""
    import pandas

    frames = []
    for table, columns in SIMULATED.items():
        known = cells.dropna(subset=list(columns[1:]))
        figures = dict(zip(("formula", "flow", "packet"), (known[name] for name in columns)))
        frames.append(known[[*ASSUMPTIONS, *CELL, "planner"]].assign(
            table=table, **figures, paper=[printed(paper, table, cell) for cell in known.itertuples()]))
    return pandas.concat(frames)


def grid(frame, form, planners):
    """A row per model and network, with a cell per planner, formatted by form."""
    rows = {}
    for row in frame.itertuples():
        rows.setdefault((row.model, row.network), {})[row.planner] = form(row)
    return [[*key, *(row[planner] for planner in planners)] for key, row in rows.items()]


def format_difference(row):
    text = f"{row.paper:.2f} {row.ours:.2f}"
    return text if row.difference != row.difference else (
        f"{text} {round_half_away(100 * row.difference):+.0f}%" + "*" * (abs(row.difference) > TOLERANCE))


def make_grid(results, figure, title, planners, *more):
    return Section(title, HOW, [*CELL, *planners], grid(results[results.figure == figure], format_difference, planners),
                   *more)


def read_layers(models, traces):
    """Figures 1 to 3: times of every layer, alone and in context, single and cumulative."""
    import pandas

    frames = []
    for model in models:
        frame = pandas.read_csv(traces / PROFILE.format(model["file"]), comment="#", usecols=LAYERS)[LAYERS]
        outputs = [layer["outputBytes"] for layer in read_run(traces / f"models/{model['file']}.json")["layers"]]
        frames.append(frame.assign(
            model=model["name"], outputBytes=outputs, upToSeconds=frame.forwardSeconds.cumsum(),
            isolatedUpToSeconds=frame.isolatedForwardSeconds.cumsum(),
            difference=(frame.isolatedForwardSeconds / frame.forwardSeconds - 1).where(
                frame.forwardSeconds > 0)))
    return pandas.concat(frames)


def make_layer_rows(layers):
    for name, group in layers.groupby("model", sort=False):
        size, last = group.difference.dropna().abs(), group.iloc[-1]
        yield [name, str(len(size)), percent(size.median()), percent(size.max()),
               percent(last.isolatedUpToSeconds / last.upToSeconds - 1)]


@framed(*DECISIONS)
def add_theirs(decisions, paper):
    for model in paper["models"]:
        yield from ((model["name"], f"paper, {device}", planner, seconds[planner])
                    for device, seconds in sorted(model["decisionSeconds"].items()) for planner in ("dads", "qdmp"))
        yield from decisions[decisions.model == model["name"]].itertuples(index=False, name=None)


def make_decision_rows(costs, layers, paper):
    for model in paper["models"]:
        name = model["name"]
        here = costs[costs.model == name].set_index(["origin", "planner"]).seconds
        pairs = [(model["layers"], f"their {device}", seconds["dads"], seconds["qdmp"], "{:g}")
                 for device, seconds in sorted(model["decisionSeconds"].items())]
        pairs += [(layers[name], where, here[where, "dads"], here["here", "qdmp"], "{:#.3g}")
                  for where in CUTTING]
        yield from ([name, str(count), where, form.format(dads), form.format(qdmp), rounded(dads / qdmp, 3)]
                    for count, where, dads, qdmp, form in pairs)


def make_agreement_rows(agreements):
    for (*key, device, server), group in agreements.groupby([*ASSUMPTIONS, "deviceSpread", "serverSpread"], sort=False):
        yield [*name_assumptions(key), f"{rounded(device, 3)} {rounded(server, 3)}",
               *(cell for row in group.itertuples() for cell in (
                   f"{row.ordered} of {row.cells}, {row.same}", f"{row.near} of {row.figures}"))]


def make_second_sections(second, choices, simulated, contradictions, layers):
    """Results of the second reading: 8 bits, anchored execution, beliefs roofline and flop."""
    for belief, results in second.items():
        for name, title in zip(TABLES, ("latency in seconds", "frames per second", "Mibit sent per frame")):
            yield make_grid(results, name, f"Second reading, believing {belief}: table {name[-1]}, {title}",
                            ("qdmp",) if name == "table6" else DECIDE, False, f"qdmp-second-{belief}-{name}")
    yield Section(
        "Choices as printed", "cells where a planner puts the layers where the paper's did, a cut "
        f"with both figures within {100 * NEAR:.0f} %: of all, and of those where QDMP is ahead",
        [*ASSUMPTION_NAMES, *DECIDE, "both baselines", "all three"], make_choice_rows(choices), False, "qdmp-choices")
    planners = [name for name in unique(simulated.planner) if name not in SAME_PLANS]
    for key, group in simulated.groupby(ASSUMPTIONS, sort=False):
        for table, title in (("table2", "latency"), ("table3", "throughput")):
            yield Section(
                f"Simulated {title}: {', '.join(name_assumptions(key))}",
                "theirs, formula, simulated at flow level, in packets", [*CELL, *planners],
                grid(group[group.table == table], "{0.paper:.2f} {0.formula:.2f} {0.flow:.2f} {0.packet:.2f}".format,
                     planners), False, f"qdmp-simulated-{table}-{key[-1]}")
    yield Section(
        "Cells of the paper that contradict each other", "however the figures were rounded",
        [*CELL, "at least", "at most", "what"],
        ([row.model, row.network, f"{row.least:.3f}", f"{row.most:.3f}", row.what]
         for row in contradictions.itertuples()), False, "qdmp-contradictions")
    yield Section(
        "Figures 2 and 3(a), layers alone against in context, on one Xeon core",
        "relative differences of layers: the paper's medians are above 50 %; of all together",
        ["model", "layers", "median", "largest", "all, alone over in context"],
        make_layer_rows(layers), False, "qdmp-layers")


def make_sections(run, calibration, results, costs, orders, agreements):
    options, paper = run["options"], run["paper"]
    pairs = [f"{words}, {reading}" for reading in READINGS for words in ("reversed", "not the same")]
    tables = [f"{table} {reading}" for table in ("table 2", "table 3") for reading in READINGS]

    yield from (
        Section("Calibration", "from the edge-only and cloud-only columns of table 2; factors over the layer "
                f"times of {options['device']} and {options['server']}",
                ["model", "layers", "T_e (s)", "T_c (s)", "cloud-only off by (s)", "device, times",
                 "server, times"],
                [[row.model, str(row.layers), f"{row.deviceSeconds:.4f}", f"{row.serverSeconds:.4f}",
                  f"{row.residualSeconds:.4f}", rounded(row.deviceFactor, 3), rounded(row.serverFactor, 3)]
                 for row in calibration.itertuples()], False, "qdmp-calibration"),
        *(make_grid(results, name, title, planners, name in SIMULATED, f"qdmp-{name}" if name in SIMULATED else "")
          for name, (title, _, planners) in TABLES.items()),
        Section("Tables 1 and 4, decision time", f"ours are medians of {options['repeats']} on this machine",
                ["model", "layers", "on", "dads (s)", "qdmp (s)", "ratio"],
                make_decision_rows(costs, dict(zip(calibration.model, calibration.layers)), paper), False),
        *(make_grid(results, name, title, planners, False) for name, (title, _, planners) in RATIOS.items()))
    if "figure11" in run:
        cloud, everything = find_turning_points(run)
        yield Section(
            "Figure 11, what the paper says of it; the curve is in figure11.csv", "",
            ["ResNet-18", "theirs (Mbit/s)", "ours (Mbit/s)"],
            [["cloud-only beats edge-only above", "2", f"{cloud:.2f}"],
             ["qdmp leaves all to the cloud above", "12", f"{everything:.2f}"]])
    yield Section(
        "Order of the planners", "pairs that we order otherwise than the paper; of 10 pairs, those whose order or "
        "tie differs in the digits printed", ["table", *CELL, *pairs],
        ([*key, *(cell for row in group.itertuples()
                  for cell in (", ".join(row.reversed) or "-", f"{len(row.other)} of 10"))]
         for key, group in orders.groupby(["table", *CELL], sort=False)), False)
    yield Section(
        "What other assumptions would give", "cells of tables 2 and 3 without a reversed pair, then those with "
        f"every order and tie the same in print; near: figures within {100 * TOLERANCE:.0f} %, without the columns "
        "that calibrate; spreads: of the models' factors on device and server, largest over smallest",
        [*ASSUMPTION_NAMES, "spreads", *(column for table in tables for column in (table, "near"))],
        make_agreement_rows(agreements), False, "qdmp-assumptions")


def find_turning_points(run):
    """Mbit/s in figure 11 at which cloud-only gets ahead, and at which qdmp sends all to the cloud."""
    return [float(run["figure11"][key] or "inf") / 1e6
            for key in ("cloudBeatsEdgeBitsPerSecond", "allCloudBitsPerSecond")]


def find_verdicts(run, results, again, orders, choices, costs, layers):
    """Verdicts by figure of the paper; results and again: our first and second reading."""
    def near(figure, planners):
        rows, others = (frame[(frame.figure == figure) & frame.planner.isin({*planners} - CALIBRATED)].difference.dropna().abs()
                        for frame in (results, again))
        count = (rows <= TOLERANCE).sum()
        return count == len(others), (f"{count} of {len(others)} not calibrated within {100 * TOLERANCE:.0f} % "
                                      f"({(others <= TOLERANCE).sum()} in the second reading)")

    last = costs[costs.model == costs.model.iloc[-1]].set_index(["planner", "origin"]).seconds
    ratios = [last["dads", where] / last["qdmp", "here"] for where in CUTTING]
    medians = layers.groupby("model").difference.agg(lambda one: one.abs().median())
    longer = layers.groupby("model").last()
    longer = longer.isolatedUpToSeconds > longer.upToSeconds
    yield "Figure 1", None, "drawn from our profile; theirs prints no numbers", "layers.csv"
    yield ("Figure 2", longer.all(), f"layers alone take longer in {longer.sum()} of {len(longer)} models, on one "
           "Xeon core", "layers.csv")
    yield ("Figure 3", (medians > 0.5).all(), f"medians above 50 % in {(medians > 0.5).sum()} of {len(medians)} "
           "models, on one Xeon core", "layers.csv")
    yield ("Tables 1 and 4", min(ratios) > 1, f"a minimum cut of all of {costs.model.iloc[-1]} takes "
           f"{rounded(min(ratios), 2)} to {rounded(max(ratios), 2)} times qdmp's time, by algorithm", "costs.csv")
    first = of_first(choices)
    ahead = first[first.isQdmpAhead & (first.planner == "qdmp")]
    for table in SIMULATED:
        is_near, why = near(table, READINGS["as printed"])
        own = orders[(orders.table == table) & (orders.reading == "as printed")]
        yield (f"Table {table[-1]}", is_near, f"{why}; no pair of planners the other way in "
               f"{(own.reversed.str.len() == 0).sum()} of {len(own)} cells; qdmp's own cell as printed in "
               f"{ahead.agrees.sum()} of {len(ahead)} where theirs is ahead", "results.csv")
    yield "Table 5", None, "taken from it", "results.csv"
    for name, planners in (("table6", ("qdmp",)), *((name, planners) for name, (_, _, planners) in RATIOS.items())):
        yield (name.replace("table", "Table ").replace("figure", "Figure "),
               *near(name, {*planners} & {*READINGS["as printed"]}), "results.csv")
    if "figure11" in run:
        cloud, everything = find_turning_points(run)
        yield ("Figure 11", abs(cloud - 2) <= 0.5 and abs(everything - 12) <= 0.5, f"cloud-only ahead from "
               f"{cloud:.2f} Mbit/s (2), all to the cloud from {everything:.2f} (12)", "figure11.csv")
    places = first[first.planner == "qdmp"].agrees
    yield ("Figures 12 and 13", places.all(), f"qdmp cuts as printed in {places.sum()} of {len(places)} cells of 3G "
           "and 4G", "choices.csv")


def find_more_frames(cells):
    """Planners with more frames/s than qdmp; the serial one is left out, as it plans like cloud-only."""
    qdmp = cells[cells.planner == "qdmp"].set_index(CELL).framesPerSecond
    return [f"More frames/s than qdmp, which minimises latency: {cell.planner}, {cell.model}, "
            f"{cell.network}\n"
            for cell in cells[~cells.planner.isin(SAME_PLANS)].itertuples()
            if cell.framesPerSecond / qdmp[cell.model, cell.network] - 1 > EQUAL]


def of_first(frame):
    return frame[(frame[ASSUMPTIONS] == frame[ASSUMPTIONS].iloc[0]).all(axis=1)]


def build(folder, run):
    import pandas

    cells = read_frame(folder / "cells.csv", CELLS, MAY_BE_EMPTY)
    calibration = read_frame(folder / "calibration.csv", CALIBRATION)
    names = unique(calibration.model)
    paper = {**run["paper"], "models": [model for model in run["paper"]["models"] if model["name"] in names]}
    run = {**run, "paper": paper}
    results = compare(of_first(cells), paper)
    orders = compare_orders(results)
    agreements = compare_assumptions(cells, calibration, paper)
    costs = add_theirs(read_frame(folder / "decisions.csv", DECISIONS), paper)
    traces = traces_folder()
    models = qdmp_consistency.read_models(traces)
    choices, simulated = compare_choices(cells, models), compare_simulated(cells, paper)
    layers = read_layers(paper["models"], traces)
    contradictions = pandas.DataFrame(
        [row for row in qdmp_consistency.find_contradictions(models) if row[0] in names],
        columns=[*CELL, "what", "least", "most"])
    second = {belief: compare(cells[(cells.execution == "anchored") & (cells.belief == belief)], paper)
              for belief in ("roofline", "flop")}
    sections = [*make_sections(run, of_first(calibration), results, costs, orders, agreements),
                *make_second_sections(second, choices, simulated, contradictions, layers)]
    verdicts = list(find_verdicts(run, results, second["flop"], orders, choices, costs, layers))
    rows = orders.assign(agrees=["no" if pairs else "yes" for pairs in orders.reversed],
                         reversed=orders.reversed.str.join(" "), other=orders.other.str.join(" "))
    frames = {"results": results,
              "second-reading": pandas.concat(
                  [frame.assign(belief=belief) for belief, frame in second.items()]),
              "choices": choices, "simulated": simulated, "contradictions": contradictions, "layers": layers,
              "order": rows[["table", *CELL, "reading", "agrees", "reversed", "other"]],
              "assumptions": agreements, "costs": costs}
    files = {**{f"{name}.csv": frame.to_csv(index=False) for name, frame in frames.items()},
             **sheets_of(sections), "verdicts.csv": csv_of_verdicts(verdicts),
             "tables.md": page_of("The QDMP paper beside ours", run["published"], sections)}
    return (print_of(sections) + "By figure of the paper:\n\n"
            + "".join(f"  {figure}: {VERDICTS[is_so]}; {why}\n" for figure, is_so, why, _ in verdicts)
            + "".join(find_more_frames(of_first(cells)))
            + f"\nTables: {folder}/  tables.md (all {len(sections)} tables), "
            "results.csv (a row per figure),\n  order.csv, assumptions.csv, costs.csv, verdicts.csv"
            f"\nDraw them: analysis/qdmp_pictures.py {folder}", files)


if __name__ == "__main__":
    start(lambda: tabulate(__doc__, "results/qdmp-tables", build))
