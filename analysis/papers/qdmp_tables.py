#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Make the tables of a run of qdmp-tables: the QDMP paper's figures beside ours.

Reads cells.csv, calibration.csv, decisions.csv and run.json, and the paper's figures, models and
profiles in the traces folder; writes results.csv, second-reading.csv, choices.csv, simulated.csv,
contradictions.csv, layers.csv, order.csv, assumptions.csv, costs.csv and tables.md.
"""

import json
import os
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from edgepipe import problem_files  # noqa: E402
from edgepipe.comparison import compare_order, round_half_away  # noqa: E402
from edgepipe.pictures import start  # noqa: E402
from edgepipe.reports import (Section, csv_of, page_of, percent, print_of, read_frame, rounded,  # noqa: E402
                              sheets_of, tabulate, text_of_rows)
from edgepipe.results_folder import exact  # noqa: E402
from edgepipe.run_file import read_run  # noqa: E402
from edgepipe.running import plan_all, traces_folder  # noqa: E402
from edgepipe.study_options import Option, choice, flag, names, number, whole  # noqa: E402
from edgepipe.study_program import Study  # noqa: E402
from papers import qdmp_consistency  # noqa: E402
from papers.qdmp_calibration import MEASURED_DEVICE, Assumptions, calibrate  # noqa: E402

SCENARIOS = ["cooperative-inference", "plan"]

# What is planned, by planner and options of plan; table 2's DADS counts the input.
ASKED = {("cloud-only", "edge-only", "neurosurgeon", "dads", "qdmp"): (),
         ("dads",): ("--ns3::edgepipe::DadsPlanner::CountInput=true",)}
PLANNED = ("cloud-only", "edge-only", "neurosurgeon", "dads", "qdmp", "dads-with-input",
           "cloud-only-serial")
FLOP = tuple(f"--ns3::edgepipe::{name}Planner::Belief=flop" for name in ("Dads", "Neurosurgeon"))
BEARERS = {"3G": "3g", "4G": "4g"}  # links of tables 2 and 3
FRAMES, WARM_UP = 24, 4  # of a simulation, and those first ones that do not count
IN_FLIGHT = 4  # where throughput is measured: device, uplink and server each have one, and one waits
SWEPT = "resnet18"  # figure 11, from 0 to 15 Mbit/s
SWEEP = [0.5e6 * step for step in range(31)]
INPUTS = ".edgepipe-inputs"  # of the simulations, in the folder of the results


class QdmpTables(Study):
    """The evaluation of the QDMP paper beside ours: tables 1 to 4 and 6, and figures 7 to 11, under several
    assumptions about what they leave open."""

    KEEP = ["problem.json", "frames.csv"]
    TABLES = __file__
    OPTIONS = [
        Option("model", "alexnet,alexnet_parallel,darknet19,tiny_yolo,resnet18,googlenet",
               "models, of those the paper measured",
               names("alexnet", "alexnet_parallel", "darknet19", "tiny_yolo", "resnet18", "googlenet")),
        Option("networks", "CAT1,3G,4G,Wi-Fi", "networks, of CAT1, 3G, 4G, Wi-Fi (table 5)",
               names("CAT1", "3G", "4G", "Wi-Fi")),
        Option("device", "raspberry-pi-3b",
               "device type whose proportions of layer times the end device has; its speed is calibrated"),
        Option("server", "rtx-2080-ti", "the same of the server"),
        Option("tensor-element-bytes", "4",
               "bytes of an element that crosses, 1 to 4: 4 is float32; of a frame it is 1", whole(1, 4)),
        Option("set-up", "0", "what running a layer alone adds to its time in the eyes of dads and "
               "neurosurgeon, of the model's median layer; 0: what was measured on " + MEASURED_DEVICE,
               number(0, 1000)),
        Option("execution", "proportional",
               "proportional: layers take in proportion to --device and --server; anchored: up to where qdmp "
               "cuts, and after, as much as its own cells imply", choice("proportional", "anchored")),
        Option("belief", "alone",
               "what dads and neurosurgeon believe: alone (times of layers run alone, and a regression on "
               "them), roofline or flop (what all layers take, in their proportions)",
               choice("alone", "roofline", "flop")),
        Option("simulate", "true", "simulate the plans over the bearers 3g and 4g, at both fidelities", flag),
        Option("repeats", "21", "how often each decision is timed, 1 to 1000", whole(1, 1000)),
        Option("traces", "", "traces folder; empty: where EDGEPIPE_TRACES says")]

    def work(self):
        self.paper = read_run(traces_folder() / "published/qdmp-tables.json")
        self.rates = {one["name"]: one["uplinkBitsPerSecond"] for one in self.paper["networks"]}
        self.models = [one for name in self.model for one in self.paper["models"] if one["file"] == name]
        first = Assumptions(self.device, self.server, self.tensor_element_bytes, self.set_up, self.execution,
                            self.belief)
        measured = (MEASURED_DEVICE, MEASURED_DEVICE)
        others = [Assumptions(*pair, size, set_up) for size in (4, 1) for *pair, set_up in (
            (self.device, self.server, 0), (self.device, self.server, 0.5), (self.device, self.server, 2),
            (*measured, 0))]
        others += [Assumptions(self.device, self.server, 1, 0, "anchored", belief) for belief in ("roofline", "flop")]
        assumptions = list(dict.fromkeys([first, *others]))
        self.calibrate_all(assumptions)
        cells = [cell for one in assumptions for cell in self.plan_cells(one)]
        for cell in cells:
            if cell["isFaster"]:
                self.status = 3
                if cell["assumptions"] == first:
                    print(f"{self.name}: faster than qdmp: {cell['planner']}, {cell['model']['name']}, "
                          f"{cell['network']}", file=sys.stderr)
        if self.simulate_:
            self.simulate_cells([cell for cell in cells if cell["network"] in BEARERS and (
                cell["assumptions"] == first or cell["assumptions"].execution == "anchored")])
        self.folder.write("cells.csv", [self.cell_row(cell) for cell in cells])
        self.folder.write("calibration.csv", [
            {**vars(one), "model": model["name"], "layers": len(made.problem["layers"]),
             **{name: getattr(made, name) for name in ("deviceSeconds", "serverSeconds", "residualSeconds",
                                                       "deviceFactor", "serverFactor")}}
            for one in assumptions for model in self.models for made in [self.calibrated[one, model["file"]]]])
        self.folder.write("decisions.csv", list(self.time_decisions(first)))
        more = {"published": self.paper["source"], "networks": self.networks,
                "models": [self.describe(model, first, cells) for model in self.models]}
        if SWEPT in self.model:
            rows, more["figure11"] = sweep(self.calibrated[first, SWEPT])
            self.folder.write("figure11.csv", rows)
        self.folder.write("run.json", self.run_file({**more, "paper": self.paper}, self.example))
        return "cells.csv (a row per plan), calibration.csv, decisions.csv, run.json (the plans)"

    @property
    def simulate_(self):
        """The option simulate, whose name a method has."""
        return self.values["simulate"]

    def calibrate_all(self, assumptions):
        """Fills self.calibrated, by assumptions and the model's file."""
        sides = list(dict.fromkeys([(one.device, one.server, one.tensorBytes) for one in assumptions]))
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
        """Every model over every network by every planner; throughput is 1 / max(T_e, T_t, T_c), section
        5.2.2, but for cloud-only-serial, whose is 1 / latency."""
        places = [(model, network) for model in self.models for network in self.rates if network in self.networks]
        problems = [{**self.calibrated[assumptions, model["file"]].problem,
                     "uplinkBitsPerSecond": self.rates[network], "downlinkBitsPerSecond": self.rates[network]}
                    for model, network in places]
        words = FLOP if assumptions.belief == "flop" else ()
        made = [plan_all(problems, planners, [*words, *more]) for planners, more in ASKED.items()]
        for (model, network), *plans in zip(places, *made):
            plans = dict(zip(PLANNED, [*plans[0], *plans[1], plans[0][0]]))
            for planner, plan in plans.items():
                slowest = max(plan["deviceSeconds"], plan["transferSeconds"], plan["serverSeconds"])
                yield {"assumptions": assumptions, "model": model, "network": network, "planner": planner,
                       "plan": plan, "simulated": {}, "framesPerSecond": 1 / (
                           plan["latencySeconds"] if planner in SAME_PLANS else slowest),
                       "isFaster": planner not in SAME_PLANS and
                       plans["qdmp"]["latencySeconds"] / plan["latencySeconds"] - 1 > EQUAL}

    def cell_row(self, cell):
        plan, simulated = cell["plan"], cell["simulated"]
        place = ("device" if plan["serverSeconds"] == 0 and plan["uplinkBytes"] == 0 else
                 "server" if plan["deviceSeconds"] == 0 else "cut")
        about = vars(cell["assumptions"])
        return {**{name: about[name] for name in ASSUMPTIONS[:4]}, "model": cell["model"]["name"],
                "network": cell["network"], "planner": cell["planner"], "latencySeconds": plan["latencySeconds"],
                "framesPerSecond": cell["framesPerSecond"], "uplinkBytes": plan["uplinkBytes"],
                **{name: about[name] for name in ASSUMPTIONS[4:]}, "place": place,
                **{name: plan[name] for name in ("deviceSeconds", "transferSeconds", "serverSeconds")},
                **{f"{fidelity}{figure}": simulated.get(f"{fidelity}{figure}")
                   for figure in ("LatencySeconds", "FramesPerSecond") for fidelity in ("flow", "packet")}}

    def simulate_cells(self, cells):
        """What becomes of frames over the bearers, one by one and several in flight, at both fidelities."""
        inputs = self.folder.path / INPUTS
        shutil.rmtree(inputs, ignore_errors=True)
        (inputs / "devices").mkdir(parents=True)
        for part in traces_folder().iterdir():
            if part.name not in ("devices", "profiles"):
                os.symlink(part.resolve(), inputs / part.name)
        cases, numbers = [], {}
        for cell in cells:
            size, problem = cell["assumptions"].tensorBytes, self.calibrated[
                cell["assumptions"], cell["model"]["file"]].problem
            seconds = [[layer[side] for layer in problem["layers"]] for side in ("deviceSeconds", "serverSeconds")]
            key = repr((cell["model"]["file"], seconds))
            if key not in numbers:
                numbers[key] = len(numbers)
                for side, each in zip(("device", "server"), seconds):
                    problem_files.write_type(inputs, f"{side}{numbers[key]}", cell["model"]["file"], [
                        (layer["name"], value, 0.0) for layer, value in zip(problem["layers"], each)])
            plan = repr((cell["model"]["file"], cell["plan"]["deviceLayers"]))
            if plan not in numbers:
                numbers[plan] = len(numbers)
                form = {name: cell["plan"][name] for name in ("deviceLayers", "serverLayers")}
                (inputs / f"plan{numbers[plan]}.json").write_text(json.dumps({"formatVersion": 1, **form}))
            cases += [self.case("cooperative-inference", {
                "traces": inputs, "model": cell["model"]["file"], "device": f"device{numbers[key]}",
                "server": f"server{numbers[key]}", "tensor-element-bytes": size, "replan": "false",
                "planner": f"plan:{inputs / f'plan{numbers[plan]}.json'}", "link": BEARERS[cell["network"]],
                "fidelity": fidelity, "frames": FRAMES, "in-flight": in_flight})
                for fidelity in ("flow", "packet") for in_flight in (1, IN_FLIGHT)]
        results = iter(self.simulate(cases, share=(1, 4), allowed=("ok",)))
        shutil.rmtree(inputs)
        for cell in cells:
            for fidelity in ("flow", "packet"):
                frames = [[(row["startedSeconds"], row["finishedSeconds"]) for row in next(results).table("frames.csv")]
                          for _ in range(2)]
                latency, span = 0, round(1e9 * frames[1][-1][1]) - round(1e9 * frames[1][WARM_UP - 1][1])
                for started, finished in frames[0][WARM_UP:]:
                    latency += (round(1e9 * finished) - round(1e9 * started)) / 1e9 / (FRAMES - WARM_UP)
                cell["simulated"][f"{fidelity}LatencySeconds"] = latency
                cell["simulated"][f"{fidelity}FramesPerSecond"] = (
                    1 / latency if cell["planner"] in SAME_PLANS else (FRAMES - WARM_UP) / (span / 1e9))

    def time_decisions(self, assumptions):
        """Medians of wall-clock seconds."""
        for model in self.models:
            problems = [self.calibrated[assumptions, model["file"]].problem] * self.repeats
            for origin, planner, words in (
                    ("here, Boykov-Kolmogorov", "dads", ()),
                    ("here, Edmonds-Karp", "dads", ("--ns3::edgepipe::DadsPlanner::Algorithm=edmonds-karp",)),
                    ("here", "qdmp", ())):
                seconds = sorted(plan["decisionSeconds"] for plan, in plan_all(problems, [planner], words))
                yield {"model": model["name"], "origin": origin, "planner": planner,
                       "seconds": seconds[len(seconds) // 2]}

    def describe(self, model, assumptions, cells):
        """A model in run.json."""
        made = self.calibrated[assumptions, model["file"]]
        layers = made.problem["layers"]
        at = {layer["name"]: number for number, layer in enumerate(layers)}
        operators = {layer["name"]: layer["operator"] for layer in read_run(
            traces_folder() / f"models/{model['file']}.json")["layers"]}
        plans = {cell["network"]: cell["plan"]["deviceLayers"] for cell in cells if cell["planner"] == "qdmp"
                 and cell["assumptions"] == assumptions and cell["model"] is model}
        return {"name": model["name"], "file": model["file"],
                **{name: value for name, value in vars(made).items() if name != "problem"},
                "layers": [{"name": layer["name"], "operator": operators[layer["name"]],
                            "inputs": [at[name] for name in layer["inputs"]]} for layer in layers],
                "qdmpOnDevice": {network: [layer["name"] in plans[network] for layer in layers]
                                 for network in self.networks}}


def sweep(swept):
    """Figure 11: rows by bandwidth, and from where on cloud-only is faster, and qdmp leaves the device nothing."""
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

DIGIT = 0.01  # the last that tables 2 and 3 print
TOLERANCE = 0.15  # differences above this share are to be explained
EQUAL = 1e-9  # share: sums in another order differ in their last digits
MEBIBIT = 2 ** 20  # table 6's unit

# Which of our columns stand for the paper's five. Table 2's DADS keeps layers on the device, as dads
# does that counts the input; table 3's cloud-only column is 1 / table 2's.
COLUMNS = ("cloud-only", "edge-only", "neurosurgeon", "dads", "qdmp")
VARIANTS = {"dads-with-input": "dads", "cloud-only-serial": "cloud-only"}
READINGS = {"as read": COLUMNS,
            "as printed": ("cloud-only-serial", "edge-only", "neurosurgeon", "dads-with-input",
                           "qdmp")}
# Ratios to edge-only: of which table, of which planners (sections 5.2.1 and 5.2.2).
RATIOS = {"figure7": ("table2", ("cloud-only", "qdmp")),
          "figure8": ("table2", ("neurosurgeon", "dads", "qdmp", "dads-with-input")),
          "figure9": ("table3", ("cloud-only", "qdmp", "cloud-only-serial")),
          "figure10": ("table3", ("neurosurgeon", "dads", "qdmp", "dads-with-input"))}
GRIDS = {"table2": ("Table 2, latency in seconds",
                    ("cloud-only", "edge-only", "neurosurgeon", "dads", "dads-with-input", "qdmp")),
         "table3": ("Table 3, throughput in frames per second",
                    ("cloud-only", "cloud-only-serial", "edge-only", "neurosurgeon", "dads",
                     "dads-with-input", "qdmp")),
         "table6": ("Table 6, Mibit sent per frame by qdmp", ("qdmp",)),
         "figure7": ("Figure 7, latency gain over edge-only", ("cloud-only", "qdmp")),
         "figure8": ("Figure 8, latency gain over edge-only",
                     ("neurosurgeon", "dads", "dads-with-input", "qdmp")),
         "figure9": ("Figure 9, throughput gain over edge-only",
                     ("cloud-only", "cloud-only-serial", "qdmp")),
         "figure10": ("Figure 10, throughput gain over edge-only",
                      ("neurosurgeon", "dads", "dads-with-input", "qdmp"))}

NEAR = 0.02  # share: a cut's figures closer to the printed ones are those of the same cut
DECIDE = ("neurosurgeon", "dads-with-input", "qdmp")
# What the profile says of layers alone and in context, figures 1 to 3.
PROFILE = "profiles/xeon-1core/{}.b1.csv"
LAYERS = {"layer": str, "operator": str, "forwardSeconds": float, "isolatedForwardSeconds": float}
SAME_PLANS = ("cloud-only-serial",)  # plans that another column has
SIMULATED = {"table2": ("latencySeconds", "flowLatencySeconds", "packetLatencySeconds"),
             "table3": ("framesPerSecond", "flowFramesPerSecond", "packetFramesPerSecond")}

ASSUMPTIONS = ["device", "server", "tensorBytes", "setUpShare", "execution", "belief"]
CELLS = {"device": str, "server": str, "tensorBytes": int, "setUpShare": float, "execution": str,
         "belief": str, "model": str, "network": str, "planner": str, "latencySeconds": float,
         "framesPerSecond": float, "uplinkBytes": float, "place": str,
         **{name: float for columns in SIMULATED.values() for name in columns[1:]}}
CALIBRATION = {"device": str, "server": str, "tensorBytes": int, "setUpShare": float,
               "execution": str, "belief": str, "model": str, "layers": int, "deviceSeconds": float, "serverSeconds": float,
               "residualSeconds": float, "deviceFactor": float, "serverFactor": float}
DECISIONS = {"model": str, "origin": str, "planner": str, "seconds": float}


def compare(cells, paper):
    """Tables 2, 3 and 6 and the ratios of figures 7 to 10: a row per figure that the paper has."""
    import pandas

    models = {model["name"]: model for model in paper["models"]}

    def beside(figure, unit, cells, ours, theirs):
        found = [theirs(models[cell.model], cell) for cell in cells.itertuples()]
        return cells[["model", "network", "planner"]].assign(
            figure=figure, unit=unit, paper=found, ours=ours).dropna(subset=["paper"])

    def of_table(key):
        return lambda model, cell: model[key].get(cell.network, {}).get(
            VARIANTS.get(cell.planner, cell.planner))

    frames = [beside("table2", "s", cells, cells.latencySeconds, of_table("latencySeconds")),
              beside("table3", "frames/s", cells, cells.framesPerSecond,
                     of_table("framesPerSecond"))]
    tables = pandas.concat(frames)
    qdmp = cells[cells.planner == "qdmp"]
    frames.append(beside("table6", "Mibit", qdmp, qdmp.uplinkBytes * 8 / MEBIBIT,
                         lambda model, cell: model["mebibitsPerFrame"].get(cell.network)))
    for figure, (table, planners) in RATIOS.items():
        rows = tables[tables.figure == table]
        edge = rows[rows.planner == "edge-only"].set_index(["model", "network"])
        drawn = rows[rows.planner.isin(planners)]
        edge = edge.loc[list(zip(drawn.model, drawn.network))]
        sign = 1 if table == "table2" else -1
        frames.append(drawn.assign(
            figure=figure, unit="times edge-only",
            paper=(edge.paper.to_numpy() / drawn.paper) ** sign,
            ours=(edge.ours.to_numpy() / drawn.ours) ** sign))
    results = pandas.concat(frames, ignore_index=True)
    results["difference"] = (results.ours / results.paper - 1).where(results.paper != 0)
    return results[["figure", "model", "network", "planner", "unit", "paper", "ours",
                    "difference"]]


def compare_orders(results):
    """The order of planners in tables 2 and 3, by reading: a row per cell."""
    import pandas

    rows = []
    tables = results[results.figure.isin(("table2", "table3"))]
    models = list(dict.fromkeys(tables.model))
    for (figure, model, network), cell in sorted(
            tables.groupby(["figure", "model", "network"]),
            key=lambda one: (one[0][0], models.index(one[0][1]), one[0][2])):
        cell = cell.set_index("planner")
        for reading, planners in READINGS.items():
            read = cell.loc[list(planners)]
            rows.append((figure, model, network, reading, *compare_order(
                dict(zip(COLUMNS, read.paper)), list(read.ours), DIGIT)))
    return pandas.DataFrame(rows, columns=["table", "model", "network", "reading", "reversed",
                                           "other"])


def count_agreement(results, orders):
    """How much of tables 2 and 3 agrees: a row per table and reading."""
    rows = []
    for table in ("table2", "table3"):
        for reading, planners in READINGS.items():
            cells = orders[(orders.table == table) & (orders.reading == reading)]
            figures = results[(results.figure == table) & results.planner.isin(planners)]
            rows.append({"table": table, "reading": reading, "cells": len(cells),
                         "ordered": (cells.reversed.str.len() == 0).sum(),
                         "same": (cells.other.str.len() == 0).sum(),
                         "figures": len(figures),
                         "near": (figures.difference.abs() <= TOLERANCE).sum()})
    return rows


def compare_assumptions(cells, calibration, paper):
    import pandas

    factors = calibration.groupby(ASSUMPTIONS, sort=False)[["deviceFactor", "serverFactor"]]
    spreads = factors.max() / factors.min()
    rows = []
    for assumptions, group in cells.groupby(ASSUMPTIONS, sort=False):
        results = compare(group, paper)
        device, server = spreads.loc[assumptions]
        rows += [{**dict(zip(ASSUMPTIONS, assumptions)), "deviceSpread": device,
                  "serverSpread": server, **counts}
                 for counts in count_agreement(results, compare_orders(results))]
    return pandas.DataFrame(rows)


def compare_choices(cells, models):
    """Where each planner puts the layers, and where the paper's did: a row per cell and planner."""
    import pandas

    models = {model.published["name"]: model for model in models}
    rows = []
    for cell in cells[cells.network.isin(("3G", "4G")) & cells.planner.isin(DECIDE)].itertuples():
        model = models[cell.model]
        planner = VARIANTS.get(cell.planner, cell.planner)
        theirs = model.place(cell.network, planner)
        latency = model.latency(cell.network, planner)
        frames = model.frames(cell.network, planner)
        is_near = (abs(cell.latencySeconds / latency - 1) <= NEAR
                   and abs(cell.framesPerSecond / frames - 1) <= NEAR)
        rows.append([*(getattr(cell, name) for name in ASSUMPTIONS), cell.model, cell.network,
                     cell.planner, theirs, cell.place,
                     theirs == cell.place and (theirs != "cut" or is_near),
                     qdmp_consistency.is_ahead(model.published["latencySeconds"][cell.network])])
    return pandas.DataFrame(rows, columns=[*ASSUMPTIONS, "model", "network", "planner", "theirs",
                                           "ours", "agrees", "isQdmpAhead"])


def make_choice_rows(choices):
    """By assumptions in how many cells planners choose as printed: each, and the baselines both."""
    rows = []
    for key, group in choices.groupby(ASSUMPTIONS, sort=False):
        table = group.pivot(index=["model", "network"], columns="planner", values="agrees")
        ahead = group.drop_duplicates(["model", "network"]).set_index(["model", "network"])
        ahead = ahead.isQdmpAhead.loc[table.index].to_numpy()
        both = table["neurosurgeon"] & table["dads-with-input"]
        rows.append([*name_assumptions(key),
                     *(f"{agrees.sum()} of {len(agrees)}, {agrees[ahead].sum()} of {ahead.sum()}"
                       for agrees in (*(table[planner] for planner in DECIDE), both,
                                      both & table["qdmp"]))])
    return rows


def name_assumptions(key):
    device, server, tensor_bytes, set_up, execution, belief = key
    return [device, server, str(tensor_bytes), f"{set_up:g}" if set_up else "measured", execution,
            belief]


def compare_simulated(cells, paper):
    """The simulated figures beside the formula's and the paper's: a row per cell and table."""
    import pandas

    frames = []
    for table, (formula, *simulated) in SIMULATED.items():
        known = cells.dropna(subset=simulated)
        theirs = {(model["name"], network, planner): figure for model in paper["models"]
                  for network, row in model["latencySeconds" if table == "table2"
                                            else "framesPerSecond"].items()
                  for planner, figure in row.items()}
        frames.append(known[[*ASSUMPTIONS, "model", "network", "planner"]].assign(
            table=table, formula=known[formula], flow=known[simulated[0]],
            packet=known[simulated[1]],
            paper=[theirs.get((cell.model, cell.network, VARIANTS.get(cell.planner, cell.planner)))
                   for cell in known.itertuples()]))
    return pandas.concat(frames)


def make_simulated_rows(simulated, table):
    rows = {}
    for row in simulated[simulated.table == table].itertuples():
        rows.setdefault((row.model, row.network), {})[row.planner] = (
            f"{row.paper:.2f} {row.formula:.2f} {row.flow:.2f} {row.packet:.2f}")
    planners = [name for name in dict.fromkeys(simulated.planner) if name not in SAME_PLANS]
    return (["model", "network", *planners],
            [[*key, *(row[planner] for planner in planners)] for key, row in rows.items()])


def read_layers(models, traces):
    """Figures 1 to 3: every layer of a profile, alone and in context, and up to it."""
    import pandas

    frames = []
    for model in models:
        path = traces / PROFILE.format(model["file"])
        lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
        cells = [line.split(",") for line in lines]
        frame = pandas.DataFrame(cells[1:], columns=cells[0])[list(LAYERS)].astype(LAYERS)
        outputs = [layer["outputBytes"] for layer in json.loads(
            (traces / f"models/{model['file']}.json").read_text())["layers"]]
        frames.append(frame.assign(
            model=model["name"], outputBytes=outputs,
            upToSeconds=frame.forwardSeconds.cumsum(),
            isolatedUpToSeconds=frame.isolatedForwardSeconds.cumsum(),
            difference=(frame.isolatedForwardSeconds / frame.forwardSeconds - 1).where(
                frame.forwardSeconds > 0)))
    return pandas.concat(frames)


def make_layer_rows(layers):
    rows = []
    for name, group in layers.groupby("model", sort=False):
        size = group.difference.dropna().abs()
        last = group.iloc[-1]
        rows.append([name, str(len(size)), percent(size.median()), percent(size.max()),
                     percent(last.isolatedUpToSeconds / last.upToSeconds - 1)])
    return rows


def add_theirs(decisions, paper):
    """Decision times, theirs first."""
    import pandas

    rows = []
    for model in paper["models"]:
        for device, seconds in sorted(model["decisionSeconds"].items()):
            rows += [(model["name"], f"paper, {device}", planner, seconds[planner])
                     for planner in ("dads", "qdmp")]
        rows += decisions[decisions.model == model["name"]].itertuples(index=False, name=None)
    return pandas.DataFrame(rows, columns=list(DECISIONS))


def format_difference(row):
    text = f"{row.paper:.2f} {row.ours:.2f}"
    if row.difference != row.difference:
        return text
    return (f"{text} {round_half_away(100 * row.difference) + 0.0:+.0f}%"
            + "*" * (abs(row.difference) > TOLERANCE))


def make_grid(results, figure, planners):
    """Rows of a figure: one per model and network, a column per planner."""
    rows = {}
    for row in results[results.figure == figure].itertuples():
        rows.setdefault((row.model, row.network), {})[row.planner] = format_difference(row)
    return [[*key, *(row[planner] for planner in planners)] for key, row in rows.items()]


def make_decision_rows(costs, layers, paper):
    rows = []
    for model in paper["models"]:
        name = model["name"]
        here = costs[costs.model == name].set_index(["origin", "planner"]).seconds
        pairs = [(model["layers"], f"their {device}", seconds["dads"], seconds["qdmp"], "{:g}")
                 for device, seconds in sorted(model["decisionSeconds"].items())]
        pairs += [(layers[name], where, here[where, "dads"], here["here", "qdmp"], "{:#.3g}")
                  for where in ("here, Boykov-Kolmogorov", "here, Edmonds-Karp")]
        rows += [[name, str(count), where, form.format(dads), form.format(qdmp),
                  rounded(dads / qdmp, 3)] for count, where, dads, qdmp, form in pairs]
    return rows


def make_order_rows(orders):
    return [[*key, *(cell for row in group.itertuples()
                     for cell in (", ".join(row.reversed) or "-", f"{len(row.other)} of 10"))]
            for key, group in orders.groupby(["table", "model", "network"], sort=False)]


def make_agreement_rows(agreements):
    rows = []
    for key, group in agreements.groupby(ASSUMPTIONS, sort=False):
        first = group.iloc[0]
        rows.append([*name_assumptions(key), f"{rounded(first.deviceSpread, 3)} {rounded(first.serverSpread, 3)}"]
                    + [cell for row in group.itertuples() for cell in (
                        f"{row.ordered} of {row.cells}, {row.same}",
                        f"{row.near} of {row.figures}")])
    return rows


def make_second_sections(second, choices, simulated, contradictions, layers):
    """What a second reading gives: 8 bits, execution as printed, beliefs by roofline and FLOP."""
    how = f"theirs, ours, difference; * above {100 * TOLERANCE:.0f} %"
    sections = []
    for belief, results in second.items():
        for name, title in (("table2", "latency in seconds"), ("table3", "frames per second"),
                            ("table6", "Mibit sent per frame")):
            planners = ("qdmp",) if name == "table6" else DECIDE
            sections.append(Section(
                f"Second reading, believing {belief}: table {name[-1]}, {title}", how,
                ["model", "network", *planners], make_grid(results, name, planners),
                False, f"qdmp-second-{belief}-{name}"))
    sections.append(Section(
        "Choices as printed", "cells where a planner puts the layers where the paper's did, a cut "
        f"with both figures within {100 * NEAR:.0f} %: of all, and of those where QDMP is ahead",
        ["device", "server", "tensor bytes", "set-up", "execution", "belief", *DECIDE,
         "both baselines", "all three"], make_choice_rows(choices), False, "qdmp-choices"))
    for key, group in simulated.groupby(ASSUMPTIONS, sort=False):
        for table, title in (("table2", "latency"), ("table3", "throughput")):
            columns, rows = make_simulated_rows(group, table)
            sections.append(Section(
                f"Simulated {title}: {', '.join(name_assumptions(key))}",
                "theirs, formula, simulated at flow level, in packets", columns, rows, False,
                f"qdmp-simulated-{table}-{key[-1]}"))
    sections.append(Section(
        "Cells of the paper that contradict each other", "however the figures were rounded",
        ["model", "network", "at least", "at most", "what"],
        [[row.model, row.network, f"{row.least:.3f}", f"{row.most:.3f}", row.what]
         for row in contradictions.itertuples()], False, "qdmp-contradictions"))
    return sections + [Section(
        "Figures 2 and 3(a), layers alone against in context, on one Xeon core",
        "relative differences of layers: the paper's medians are above 50 %; of all together",
        ["model", "layers", "median", "largest", "all, alone over in context"],
        make_layer_rows(layers), False, "qdmp-layers")]


def make_sections(run, calibration, results, costs, orders, agreements):
    options, paper = run["options"], run["paper"]
    how = f"theirs, ours, difference; * above {100 * TOLERANCE:.0f} %"
    pairs = [f"{words}, {reading}" for reading in READINGS for words in ("reversed", "not the same")]
    tables = [f"{table} {reading}" for table in ("table 2", "table 3") for reading in READINGS]
    grids = {name: Section(title, how, ["model", "network", *planners],
                           make_grid(results, name, planners), name in ("table2", "table3"))
             for name, (title, planners) in GRIDS.items()}
    sections = [
        Section("Calibration",
                "from the edge-only and cloud-only columns of table 2; factors over the layer times "
                f"of {options['device']} and {options['server']}",
                ["model", "layers", "T_e (s)", "T_c (s)", "cloud-only off by (s)", "device, times",
                 "server, times"],
                [[row.model, str(row.layers), f"{row.deviceSeconds:.4f}",
                  f"{row.serverSeconds:.4f}", f"{row.residualSeconds:.4f}",
                  rounded(row.deviceFactor, 3), rounded(row.serverFactor, 3)]
                 for row in calibration.itertuples()], False, "qdmp-calibration"),
        grids["table2"], grids["table3"], grids["table6"],
        Section("Tables 1 and 4, decision time",
                f"ours are medians of {options['repeats']} on this machine",
                ["model", "layers", "on", "dads (s)", "qdmp (s)", "ratio"],
                make_decision_rows(costs, dict(zip(calibration.model, calibration.layers)), paper),
                False),
        *(grids[name] for name in RATIOS)]
    if "figure11" in run:
        ours = {key: f"{float(value or 'inf') / 1e6:.2f}" for key, value in run["figure11"].items()}
        sections.append(Section(
            "Figure 11, what the paper says of it; the curve is in figure11.csv", "",
            ["ResNet-18", "theirs (Mbit/s)", "ours (Mbit/s)"],
            [["cloud-only beats edge-only above", "2", ours["cloudBeatsEdgeBitsPerSecond"]],
             ["qdmp leaves all to the cloud above", "12", ours["allCloudBitsPerSecond"]]]))
    return sections + [
        Section("Order of the planners",
                "pairs that we order otherwise than the paper; of 10 pairs, those whose order or "
                "tie differs in the digits printed",
                ["table", "model", "network", *pairs], make_order_rows(orders), False),
        Section("What other assumptions would give",
                "cells of tables 2 and 3 without a reversed pair, then those with every order and "
                f"tie the same in print; near: figures within {100 * TOLERANCE:.0f} %; spreads: of "
                "the models' factors on device and server, largest over smallest",
                ["device", "server", "tensor bytes", "set-up", "execution", "belief", "spreads",
                 *(column for table in tables for column in (table, "near"))],
                make_agreement_rows(agreements), False, "qdmp-assumptions")]


def judge(run, results, again, orders, choices, costs, layers):
    """By figure of the paper whether ours, as printed in the first reading, agrees with it.

    again: the results of the second reading.
    """
    def row(figure, is_so, why, file):
        return [figure, is_so if isinstance(is_so, str) else "agrees" if is_so else "differs", why,
                file]

    def near(figure, planners):
        counts = []
        for frame in (results, again):
            rows = frame[(frame.figure == figure) & frame.planner.isin(planners)
                         & frame.difference.notna()]
            counts.append((rows.difference.abs() <= TOLERANCE).sum())
        return counts[0] == len(rows), (f"{counts[0]} of {len(rows)} within {100 * TOLERANCE:.0f} % "
                                        f"({counts[1]} in the second reading)")

    printed = READINGS["as printed"]
    ratios = {name: costs[(costs.model == costs.model.iloc[-1]) & (costs.planner == "dads")
                          & (costs.origin == name)].seconds.iloc[0]
              / costs[(costs.model == costs.model.iloc[-1]) & (costs.planner == "qdmp")
                      & (costs.origin == "here")].seconds.iloc[0]
              for name in ("here, Boykov-Kolmogorov", "here, Edmonds-Karp")}
    medians = layers.groupby("model").difference.agg(lambda one: one.abs().median())
    longer = layers.groupby("model").last()
    longer = longer.isolatedUpToSeconds > longer.upToSeconds
    rows = [row("Figure 1", "cannot be told", "drawn from our profile; theirs prints no numbers",
                "layers.csv"),
            row("Figure 2", longer.all(), f"layers alone take longer in {longer.sum()} of "
                f"{len(longer)} models, on one Xeon core", "layers.csv"),
            row("Figure 3", (medians > 0.5).all(), "medians above 50 % in "
                f"{(medians > 0.5).sum()} of {len(medians)} models, on one Xeon core", "layers.csv"),
            row("Tables 1 and 4", ratios["here, Boykov-Kolmogorov"] > 1, "a minimum cut of all of "
                f"{costs.model.iloc[-1]} takes {rounded(min(ratios.values()), 2)} to "
                f"{rounded(max(ratios.values()), 2)} times qdmp's time, by algorithm", "costs.csv")]
    first = choices[(choices[ASSUMPTIONS] == choices[ASSUMPTIONS].iloc[0]).all(axis=1)]
    ahead = first[first.isQdmpAhead & (first.planner == "qdmp")]
    for table in ("table2", "table3"):
        is_near, why = near(table, printed)
        own = orders[(orders.table == table) & (orders.reading == "as printed")]
        rows.append(row(f"Table {table[-1]}", is_near, f"{why}; no pair of planners the other way in "
                        f"{(own.reversed.str.len() == 0).sum()} of {len(own)} cells; qdmp's own cell "
                        f"as printed in {ahead.agrees.sum()} of {len(ahead)} where theirs is ahead",
                        "results.csv"))
    rows += [row("Table 5", "cannot be told", "taken from it", "results.csv"),
             row("Table 6", *near("table6", ("qdmp",)), "results.csv")]
    rows += [row(f"Figure {name[6:]}", *near(name, set(planners) & set(printed)), "results.csv")
             for name, (_, planners) in RATIOS.items()]
    if "figure11" in run:
        ours = [float(run["figure11"][key] or "inf") / 1e6
                for key in ("cloudBeatsEdgeBitsPerSecond", "allCloudBitsPerSecond")]
        rows.append(row("Figure 11", abs(ours[0] - 2) <= 0.5 and abs(ours[1] - 12) <= 0.5,
                        f"cloud-only ahead from {ours[0]:.2f} Mbit/s (2), all to the cloud from "
                        f"{ours[1]:.2f} (12)", "figure11.csv"))
    places = first[first.planner == "qdmp"].agrees
    return rows + [row("Figures 12 and 13", places.all(), "qdmp cuts as printed in "
                       f"{places.sum()} of {len(places)} cells of 3G and 4G", "choices.csv")]


def find_more_frames(cells):
    """Planners that do more frames/s than qdmp; the serial one decides as cloud-only does."""
    qdmp = cells[cells.planner == "qdmp"].set_index(["model", "network"]).framesPerSecond
    others = cells[cells.planner != "cloud-only-serial"]
    return [f"More frames/s than qdmp, which minimises latency: {cell.planner}, {cell.model}, "
            f"{cell.network}\n" for cell in others.itertuples()
            if cell.framesPerSecond / qdmp[cell.model, cell.network] - 1 > EQUAL]


def build(folder, run):
    import pandas

    cells = read_frame(folder / "cells.csv", CELLS,
                       {name for columns in SIMULATED.values() for name in columns[1:]})
    calibration = read_frame(folder / "calibration.csv", CALIBRATION)
    decisions = read_frame(folder / "decisions.csv", DECISIONS)
    paper = run["paper"]
    names = list(dict.fromkeys(calibration.model))
    paper = {**paper, "models": [model for model in paper["models"] if model["name"] in names]}
    run = {**run, "paper": paper}

    def of_options(frame):
        first = frame[ASSUMPTIONS].iloc[0]
        return frame[(frame[ASSUMPTIONS] == first).all(axis=1)]

    results = compare(of_options(cells), paper)
    orders = compare_orders(results)
    agreements = compare_assumptions(cells, calibration, paper)
    costs = add_theirs(decisions, paper)
    traces = traces_folder()
    choices = compare_choices(cells, qdmp_consistency.read_models(traces))
    simulated = compare_simulated(cells, paper)
    layers = read_layers(paper["models"], traces)
    contradictions = pandas.DataFrame(
        [row for row in qdmp_consistency.find_contradictions(qdmp_consistency.read_models(traces))
         if row[0] in names], columns=["model", "network", "what", "least", "most"])
    second = {belief: compare(cells[(cells.execution == "anchored") & (cells.belief == belief)],
                              paper) for belief in ("roofline", "flop")}
    sections = make_sections(run, of_options(calibration), results, costs, orders, agreements)
    sections += make_second_sections(second, choices, simulated, contradictions, layers)
    verdicts = judge(run, results, second["flop"], orders, choices, costs, layers)
    rows = orders.assign(
        agrees=["no" if pairs else "yes" for pairs in orders.reversed],
        reversed=orders.reversed.str.join(" "), other=orders.other.str.join(" "))
    files = {"results.csv": csv_of(results),
             "second-reading.csv": csv_of(pandas.concat(
                 [frame.assign(belief=belief) for belief, frame in second.items()])),
             "choices.csv": csv_of(choices), "simulated.csv": csv_of(simulated),
             "contradictions.csv": csv_of(contradictions), "layers.csv": csv_of(layers),
             "order.csv": csv_of(rows[["table", "model", "network", "reading", "agrees", "reversed",
                                       "other"]]),
             "assumptions.csv": csv_of(agreements), "costs.csv": csv_of(costs),
             **sheets_of(sections),
             "verdicts.csv": text_of_rows([["figure", "verdict", "why", "file"], *verdicts]),
             "tables.md": page_of("The QDMP paper beside ours", run["published"], sections)}
    return (print_of(sections) + "By figure of the paper:\n\n"
            + "".join(f"  {figure}: {verdict}; {why}\n" for figure, verdict, why, _ in verdicts)
            + "".join(find_more_frames(of_options(cells)))
            + f"\nTables: {folder}/  tables.md (all {len(sections)} tables), "
            "results.csv (a row per figure),\n  order.csv, assumptions.csv, costs.csv, verdicts.csv"
            f"\nDraw them: analysis/qdmp_tables.py {folder}",
            files)


if __name__ == "__main__":
    start(lambda: tabulate(__doc__, "results/qdmp-tables", build))
