#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Make the tables of a run of dgpas-testbed: the DGPAS paper's figures beside ours.

Reads results.csv, decomposition.csv, checkpoints.csv, figure11.csv, micro_batches.csv, items.csv,
bandwidth.csv and run.json; writes means.csv, table3.csv, misses.csv, summary.json and tables.md.
"""

import dataclasses
import hashlib
import itertools
import json
import math
import sys
from pathlib import Path

from edgepipe.comparison import compare_order, mean_interval, total
from edgepipe.pictures import InputError, start
from edgepipe.problems import PipelineProblem
from edgepipe.reports import Section, framed, or_dash, page_of, print_of, read_frame, tabulate
from edgepipe.run_file import read_run
from edgepipe.running import traces_folder
from edgepipe.study_options import Option, counts, flag, names, number, rate, whole
from edgepipe.study_program import Study, print_layer_costs
from edgepipe.tables import columns, percent, rounded

SCENARIOS = ["pipeline-training", "plan"]

NONE, IDEAL, FULL = HELPS = ("none", "ideal", "full")
FAITHFUL, IMPROVED = VARIANTS = ("grdqn", "grdqn-improved")
ASSISTED = "DGPAS_Co"  # row of table 3
DIGIT = 0.01  # last digit that table 3 prints
EQUAL = 0.005  # relative difference up to which ours are equal: the weight update alone makes 0.1 %
LAST_DIGIT = 5e-5  # relative half width up to which an interval is not printed
ROUNDING = 1e-9  # half width up to which shares are equal
LEAST_GAIN = 0.001  # share of an iteration; less does not count as a gain

KEYS = ["model", "network", "method", "run"]
OUTCOME = columns("help status", "iterationSeconds bubbleRate bubbleIndex theta grants")
THEOREM = "theoremBubbleSeconds"
MAY_BE_EMPTY = {"iterationSeconds", "bubbleRate", "bubbleIndex", "theta", THEOREM}
RESULTS = {**columns("model network method", "stages", "run"), **OUTCOME}
HELPED = {**columns("model network method", "", "run checkpoints"), **OUTCOME}
MISSES = {**columns("model method", "", "run"), **columns("", "exactSeconds representableSeconds "
                                                          "representableBoundSeconds divisionSeconds planSeconds")}
EFFORTS = ("evaluations", "preparationSeconds", "decisionSeconds")


# ---- the study ------------------------------------------------------------------------------------

MICRO_BATCHES, MICRO_BATCH_SIZE = 8, 32  # per mini-batch, and samples in each
# Links and bandwidths; the last is what the paper's own simulation assumes for tensors: the memory bandwidth
# of a Jetson Xavier NX.
NETWORKS = {"lan-1g": ("1 Gbit/s LAN", "lan", "1Gbps"), "lan-100m": ("100 Mbit/s LAN", "lan", "100Mbps"),
            "wifi-ac": ("802.11ac", "wifi", ""), "memory": ("LAN like memory, 51.2 GB/s", "lan", "409.6Gbps")}
# Bandwidths over which help is swept, and those for --quick.
BANDWIDTHS = ("10Mbps", "20Mbps", "50Mbps", "100Mbps", "200Mbps", "500Mbps", "1Gbps", "2Gbps", "5Gbps", "10Gbps",
              "20Gbps", "50Gbps", "100Gbps")
FEW_BANDWIDTHS = ("10Mbps", "1Gbps", "100Gbps")
SPLITS = (2, 4, 8, 16, 32)  # micro-batches per mini-batch
MEMORY_SCALE = 1024
CHECKPOINTS = (1, 16, 256)  # per micro-batch; the paper has one
AS_PRINTED = "grdqn-as-printed"  # as in the paper, without our choice of thresholds and weights
STAGE_AWARE = "grdqn-stage-aware"  # as in the paper, but given the length of a stage
DETERMINISTIC = ("dp", "dp-dgpas", "even", "exact", "fastest-device", "hybrid")
# Rows of table 3 by planner, in the table's order.
ROWS = {"pg-mpss": "PG-MPSS", "dp-dgpas": "DP", "ga": "GA", "pso": "PSO", "ppo": "PPO", "autopipe": "AutoPipe"}
PASSED_ON = ("cluster", "fidelity", "checkpoints")
HELP_OPTIONS = {NONE: {"adjacent": "off"}, IDEAL: {"adjacent": "on", "adjacent-costs": "ideal"},
                FULL: {"adjacent": "on", "adjacent-costs": "full"}}
UNLIMITED_BYTES = 2 ** 62
QUICK = {"model": "alexnet", "networks": "lan-1g", "seeds": "1", "other-seeds": "1"}
# Columns of a simulation; NO_PLAN: their values where there is no plan.
OUTCOMES = ("status", "iterationSeconds", "bubbleRate", "bubbleIndex", "theta", THEOREM,
            "requests", "grants", "refusals", "helpedSamples", "movedBytes")
NO_PLAN = dict(zip(OUTCOMES, ("no-plan", *[None] * 5, *[0] * 5)))


@dataclasses.dataclass
class Method:
    """A row of the tables: a planner and a schedule."""

    name: str
    planner: str
    theirs: str = ""  # its row of table 3
    options: dict = dataclasses.field(default_factory=dict)  # the planner's attributes
    schedule: str = "gpipe"
    is_random: bool = True  # whether the seed matters
    is_of_first_network: bool = False  # whether it is run only over the first network
    model: str = ""  # file of the only model that it has a plan for


def list_methods(planners):
    methods = [Method(name, name, theirs, is_of_first_network=not theirs) for name, theirs in (
        (FAITHFUL, "DGPAS"), (IMPROVED, "DGPAS"), (AS_PRINTED, ""), (STAGE_AWARE, "")) if name in planners]
    left = [name for name in planners if name not in (*VARIANTS, AS_PRINTED, STAGE_AWARE)]
    if FAITHFUL in planners:
        methods.append(Method("dgpas-published-plan", f"plan:{traces_folder()}/published/dgpas-vgg19-plan.json",
                              is_random=False, model="vgg19"))
    for name in sorted(left, key=[*ROWS, *left].index):
        methods.append(Method(name, name, ROWS.get(name, ""), is_random=name not in DETERMINISTIC,
                              is_of_first_network=name in ("dp", "fastest-device")))
    return methods + [Method(f"seq1f1b-{name}", name, "Seq1F1B", schedule="seq1f1b")
                      for name in VARIANTS if name in planners]


class DgpasTestbed(Study):
    """The evaluation of the DGPAS paper beside ours: table 3 and figures 10 to 12, five models under every
    planner, without and with help between neighbours, over several networks, and the lowest bandwidth at
    which help pays."""

    KEEP = ["problem.json"]
    TABLES = __file__

    def options(self, words):
        trained = self.options_of_scenario("pipeline-training")
        listed = next(one.help for one in trained if one.name == "planner").split(", exec:")[0]
        self.planners = listed.split(", ")
        models = "alexnet,resnext101_32x8d,vgg19,inception_v3,regnet_x_200mf"
        options = [
            Option("quick", "false", "small run: one model, one network and one seed by default", flag),
            Option("model", models, "some of the paper's models, separated by commas", names(*models.split(","))),
            Option("networks", ",".join(NETWORKS),
                   "networks, separated by commas: lan-1g, lan-100m, wifi-ac, memory (51.2 GB/s, as in the paper's "
                   "simulation); table 3 and figures 10 to 12 use the first", names(*NETWORKS)),
            Option("planner", "all", f"planners, separated by commas, or all: {listed}; some have several settings",
                   names(*self.planners, "all")),
            Option("methods", "all", "rows of the tables to make, such as grdqn, out of those of --planner, "
                   "separated by commas, or all", names()),
            Option("seeds", "10", "runs of each randomised planner over the first network", whole(1, 10000)),
            Option("other-seeds", "3", "runs of each randomised planner over the other networks", whole(1, 10000)),
            Option("state-nodes", "20000", "most subproblems solved per model in search of the best plan that SDQN's "
                   "state can represent; if that is not enough, the result is a bound", whole(1, 10**9)),
            Option("bubbles-of", f"{IMPROVED},dp-dgpas,ga", "table rows averaged in figure 11, separated by commas", names()),
            Option("mini-batches", "1,2,4,8,16,32", "numbers of mini-batches in figure 11, rising", counts(100000)),
            Option("cluster", "dgpas-testbed", "devices: a name in traces/clusters or a file"),
            Option("fidelity", "flow",
                   "flow (transfers share links' rates) or packet (every packet of ns-3's TCP)"),
            Option("checkpoints", next(one.default for one in trained if one.name == "checkpoints"),
                   "checkpoints per micro-batch, at which busy devices look for requests", whole(1, 1000000)),
            Option("lambda", "", "device heterogeneity in equation 11, from 0; empty: coefficient of variation of "
                   "the speeds of the stages' devices", lambda text: number(0, 1e9)(text)
                   if text else None)]
        quick = QUICK if {"--quick", "--quick=true", "--quick=on", "--quick=1"} & {*words} else {}
        return [dataclasses.replace(one, default=quick.get(one.name, one.default)) for one in options]

    def read(self):
        self.paper = read_run(traces_folder() / "published/dgpas.json")
        asked = self.planners if self.planner == ["all"] else self.planner
        of_all = {method.name: method for method in list_methods(self.planners)}
        chosen = {name: method for name, method in of_all.items()
                  if (FAITHFUL if method.model else method.planner) in asked}
        for option, there in (("bubbles-of", of_all), ("methods", chosen)):
            if self.texts[option] != "all" and not {*self.values[option]} <= {*there}:
                self.refuse(option, "some of " + ", ".join(there))
        self.rows = list(chosen.values()) if self.methods == ["all"] else [chosen[name] for name in self.methods]
        here = [method.name for method in self.rows]
        self.bubbles = [name for name in self.bubbles_of if name in here]
        if not self.bubbles and self.texts["bubbles-of"] != f"{IMPROVED},dp-dgpas,ga":
            self.refuse("bubbles-of", "one at least whose planner is among --planner")
        self.models = [one for name in self.model for one in self.paper["models"] if one["file"] == name]
        self.problems, self.outcomes = {}, {}

    def work(self):
        self.inputs, write = self.make_inputs(), self.folder.write  # problems and plans
        cases = self.plan_and_simulate()
        numbers = {"rngSeed": int(self.passed.get("RngSeed", 1)), "rngRun": self.first_run}
        write("results.csv", [{**row, **numbers} for row in self.outcome_rows((
            {**{name: case[name] for name in KEYS}, "stages": len(case["stages"]),
             "predictedIterationSeconds": case["seconds"]}, case["key"]) for case in cases)])
        first = [case for case in cases if case["network"] == self.networks[0] and case["stages"]]
        write("decomposition.csv", list(self.decompose([case for case in first if case["method"] in (
            FAITHFUL, AS_PRINTED, STAGE_AWARE)])) or ",".join(MISSES) + "\n")
        self.write_points("checkpoints", ("network", "checkpoints"), [
            (case["model"], case["method"], case["run"], case["network"], count,
             self.key(self.site_with(case, count), case["stages"], case["by"].schedule, 1))
            for case in cases for count in CHECKPOINTS
            if case["method"] in (*VARIANTS, *self.bubbles) and case["stages"]], 3)
        drawn = [case for case in first if case["method"] in self.bubbles and self.is_finished(case["key"])]
        self.sweep("figure11", "miniBatches", drawn, 3, lambda case: [
            (count, case["site"], count) for count in self.mini_batches])
        self.sweep("micro_batches", "microBatches", drawn, 4, lambda case: [(count, self.site(
            case["file"], self.networks[0], count, MICRO_BATCHES * MICRO_BATCH_SIZE // count), 1) for count in SPLITS])
        # The paper's scripts run items of one size in a single pass and ignore memory.
        self.sweep("items", "items", drawn, 5, lambda case: [(count, self.site(
            case["file"], self.networks[0], count, MICRO_BATCH_SIZE, cluster=self.roomy()), 1) for count in SPLITS])
        self.sweep_bandwidth(first)
        write("costs.csv", [{name: case[name] for name in (*KEYS, *EFFORTS)} for case in cases])
        self.print_summary(cases)
        write("run.json", self.run_file({
            "layerCosts": self.example.run["layerCosts"], "published": self.paper["source"],
            "bubblesOf": self.bubbles, "models": [model["name"] for model in self.models],
            "networks": [{"name": name, "label": NETWORKS[name][0]} for name in self.networks],
            "methods": [{"name": method.name, "schedule": method.schedule, "theirs": method.theirs}
                        for method in self.rows], "paper": self.paper}, self.example))
        return ("results.csv (a row per plan and help), decomposition.csv, checkpoints.csv, figure11.csv,\n  "
                "micro_batches.csv, items.csv, bandwidth.csv, costs.csv, run.json")

    # Sites: options of a training run, as (name, value) pairs.

    def site(self, model, network, micro_batches=MICRO_BATCHES, size=MICRO_BATCH_SIZE, **others):
        """network: a name in NETWORKS, or the bandwidth of a LAN."""
        _, link, bandwidth = NETWORKS.get(network, ("", "lan", network))
        # On slow networks a tensor can take minutes, which is no stall. The paper's plans leave no memory free.
        return tuple({**{name: self.texts[name] for name in PASSED_ON}, "model": model, "link": link,
                      "bandwidth": bandwidth, "micro-batches": micro_batches, "micro-batch-size": size,
                      "stall-timeout": "24h", "memory-margin": 0, "timeline": "false", **others}.items())

    def site_with(self, case, checkpoints):
        site = self.site(case["file"], case["network"], checkpoints=str(checkpoints))
        self.problems.setdefault(site, self.problems[case["site"]])  # help changes no problem
        return site

    def roomy(self):
        path = self.inputs / "cluster.json"
        given = Path(self.cluster)
        cluster = read_run(given if given.is_file() else traces_folder() / f"clusters/{given}.json")
        path.write_text(json.dumps({**cluster, "devices": [
            {**device, "memoryBytes": UNLIMITED_BYTES} for device in cluster["devices"]]}))
        return str(path)

    def find_problems(self, sites, share):
        """Adds the planners' problems at these sites to self.problems: path and content of each."""
        sites = [site for site in dict.fromkeys(sites) if site not in self.problems]
        # With more memory, so that problems without a plan that fits are described, too.
        results = self.simulate([self.train(site, **{"planner": "exact", "memory-scale": MEMORY_SCALE,
                                                     "groups": "true"})
                                 for site in sites], share=share, check=not self.problems)
        for site, result in zip(sites, results):
            path = self.inputs / f"problem{len(self.problems)}.json"
            problem = json.loads(result.files["problem.json"])
            for device in problem["devices"]:  # the paper's planners do not consider delays
                device.pop("delaySeconds", None)
                device["memoryBytes"] //= MEMORY_SCALE
            path.write_text(json.dumps(problem))
            self.problems[site] = path, problem
            self.example = self.example if len(self.problems) > 1 else result

    def plan_and_simulate(self):
        """A case per network, model, seed and method, in this order."""
        sites = {(network, model["file"]): self.site(model["file"], network)
                 for network in self.networks for model in self.models}
        self.find_problems(sites.values(), (0, 7))
        cases = []
        for network, model in itertools.product(self.networks, self.models):
            seeds = self.seeds if network == self.networks[0] else self.other_seeds
            for seed, method in itertools.product(range(self.first_run, self.first_run + seeds), self.rows):
                if ((network == self.networks[0] or not method.is_of_first_network)
                        and method.model in ("", model["file"]) and (method.is_random or seed == self.first_run)):
                    cases.append({"model": model["name"], "network": network, "method": method.name, "run": seed,
                                  "by": method, "file": model["file"], "site": sites[network, model["file"]]})
        results = self.simulate([self.plan_case(case["site"], case["run"], planner=case["by"].planner,
                                                **case["by"].options) for case in cases],
                                share=(1, 7), allowed=("ok", "failed"))
        for case, result in zip(cases, results):
            row, case["why"] = (result.row, "") if result.status == "ok" else ({}, result.reason())
            case.update({name: row.get(name, 0) for name in EFFORTS})
            case["stages"], case["seconds"] = json.loads(row.get("stages", "[]")), row.get("iterationSeconds")
            case["key"] = self.key(case["site"], case["stages"], case["by"].schedule, 1)
        self.simulate_all([(case["key"], case["run"]) for case in cases if case["stages"]], (2, 7))
        return cases

    def train(self, site, run=None, **options):
        unused = () if options.get("adjacent") == "on" else ("checkpoints",)
        return self.case("pipeline-training", {name: value for name, value in {**dict(site), **options}.items()
                                               if name not in unused}, run)

    def plan_case(self, site, run=None, **options):
        return self.case("plan", {"problem": self.problems[site][0], **options}, run)

    def key(self, site, stages, schedule, iterations):
        return site, json.dumps(stages), schedule, iterations

    def simulate_all(self, wanted, share):
        """Adds outcomes without and with help to self.outcomes; wanted: (key, ns-3's run number) pairs."""
        runs = {}
        for key, run in wanted:
            if key not in self.outcomes:
                runs.setdefault(key, run)
        self.find_problems([site for site, *_ in runs], share)
        # Neighbours do not help in plans with groups.
        helpings = {key: [HELP_OPTIONS[NONE]] if has_groups(json.loads(key[1])) else list(HELP_OPTIONS.values())
                    for key in runs}
        results = iter(self.simulate([
            self.train(site, run, **{"schedule": schedule, "iterations": iterations,
                                     "planner": f"plan:{self.plan_file(stages)}", **helping})
            for (site, stages, schedule, iterations), run in runs.items()
            for helping in helpings[site, stages, schedule, iterations]],
            share=share, allowed=("ok", "stalled", "failed")) if runs else ())
        for key in runs:
            helped = [next(results) for _ in helpings[key]]
            helped *= len(HELPS) // len(helped)
            failed = next((result for result in helped if result.status == "failed"), None)
            if failed and " needs " not in failed.reason():
                raise InputError(failed.reason())
            # Sweeps go on to settings where a plan no longer fits memory.
            self.outcomes[key] = [NO_PLAN] * len(HELPS) if failed else list(find_outcomes(
                helped, self.problems[key[0]][1], json.loads(key[1]), self.values["lambda"]))

    def plan_file(self, stages):
        path = self.inputs / f"plan-{hashlib.md5(stages.encode()).hexdigest()}.json"
        path.write_text(f'{{"formatVersion": 1, "stages": {stages}}}')
        return path

    def is_finished(self, key):
        return all(outcome["status"] == "finished" for outcome in self.outcomes[key])

    def outcome_rows(self, labelled):
        """A row per kind of help; labelled: (labels, key) pairs."""
        return [{**labels, "help": kind, **{name: outcome[name] for name in OUTCOMES}} for labels, key in labelled
                for kind, outcome in zip(HELPS, self.outcomes.get(key, [NO_PLAN] * 3))]

    def write_points(self, file, names, points, done):
        """points: (model, method, run, values of the columns names, key) each."""
        labels = ("model", "method", "run", *names)
        self.simulate_all([(key, self.first_run) for *_, key in points], (done, 7))
        self.folder.write(f"{file}.csv", self.outcome_rows((dict(zip(labels, point)), point[-1]) for point in points)
                          or ",".join([*labels, "help", *OUTCOMES]) + "\n")

    def sweep(self, file, name, cases, done, points):
        """Writes rows of plans in other settings; points: makes (x, site, iterations) tuples from a case."""
        self.write_points(file, (name,), [
            (case["model"], case["method"], case["run"], x,
             self.key(site, case["stages"], case["by"].schedule, iterations))
            for case in cases for x, site, iterations in points(case)], done)

    def sweep_bandwidth(self, cases):
        """Help over bandwidth, with a plan of the improved grdqn and with the best plans."""
        points = []
        for model, text in itertools.product(self.models, FEW_BANDWIDTHS if self.quick else BANDWIDTHS):
            fixed = next((case for case in cases if (case["method"], case["model"]) == (IMPROVED, model["name"])), None)
            points.append((model, self.site(model["file"], text), rate(1)(text),
                           fixed["stages"] if fixed and self.is_finished(fixed["key"]) else []))
        self.find_problems([site for _, site, _, _ in points], (6, 7))
        is_wanted = "exact" in [method.name for method in self.rows]
        best = self.simulate([self.plan_case(site, planner="exact") for _, site, _, _ in points if is_wanted],
                             share=(6, 7), allowed=("ok", "failed"))
        labelled = []
        for at, (model, site, bits_per_second, fixed) in enumerate(points):
            found = json.loads(best[at].row["stages"]) if best and best[at].status == "ok" else []
            labelled += [(model["name"], name, self.first_run, bits_per_second, self.key(site, stages, "gpipe", 1))
                         for name, stages in ((IMPROVED, fixed), ("exact", found)) if stages]
        self.write_points("bandwidth", ("bitsPerSecond",), labelled, 6)

    def decompose(self, cases):
        """Sources of grdqn's loss over exact: its state, its cuts, and its placement of stages."""
        for model in self.models:
            own = [case for case in cases if case["file"] == model["file"]]
            if not own:
                continue
            asked = [("exact", self.state_nodes), *(
                (f"plan:{self.plan_file(json.dumps(case['stages']))}", 1) for case in own)]
            best, *placed = self.simulate([self.plan_case(own[0]["site"], planner=planner, **{"state-nodes": nodes})
                                           for planner, nodes in asked], share=(2, 7))
            said = json.loads(best.row["decomposition"])
            for case, one in zip(own, placed):
                yield dict(zip(MISSES, (
                    model["name"], case["method"], case["run"], best.row["iterationSeconds"],
                    said["representableSeconds"], said["representableBoundSeconds"],
                    json.loads(one.row["decomposition"])["divisionSeconds"], case["seconds"])))

    def print_summary(self, cases):
        devices = len(self.problems[cases[0]["site"]][1]["devices"]) if cases else 0
        print(f"The DGPAS paper beside ours, models: {len(self.models)}, methods: {len(self.rows)}, "
              f"networks: {len(self.networks)}, {self.cluster} ({devices} device{'s' * (devices != 1)}), {MICRO_BATCHES} micro-batches of "
              f"{MICRO_BATCH_SIZE} samples, {self.fidelity} level")
        print_layer_costs(self.example.run)
        prepared, decided = (rounded(sum(case[name] for case in cases), 3) for name in EFFORTS[1:])
        print(f"{len(cases)} plans, {3 * len(self.outcomes)} simulations (equal plans are simulated once); training "
              f"weights of grdqn, or loading them from its cache, took {prepared} s, decisions {decided} s")
        for case in cases:
            name = f"{case['method']}, {case['model']}, {NETWORKS[case['network']][0]}, seed {case['run']}"
            if not case["stages"]:
                print(f"No plan: {name}: {case['why']}")
                continue
            for kind, outcome in zip(HELPS, self.outcomes[case["key"]]):
                if outcome["status"] != "finished":
                    self.status = 3
                    print(f"{self.name}: not finished, help {kind}: {name}: {outcome['reason']}", file=sys.stderr)


def find_outcomes(results, problem, stages, heterogeneity):
    """OUTCOMES of a plan's simulations, and why one did not finish; the first is without help."""
    bubbles = len(list_devices(stages)) * (results[0].row["bubbleRate"] or 0) * (results[0].row["iterationSeconds"] or 0)
    for result in results:
        row, run, figures = result.row, result.run["cases"][0], (None, None, None)
        given = {"grants": 0, **run.get("assistance", {})}
        if row["status"] == "finished":
            rate, seconds = row["bubbleRate"] or 0, row["iterationSeconds"] or 0
            figures = seconds, rate, bubble_index(problem, stages, rate, seconds, heterogeneity)
        yield {"reason": (run.get("diagnosis") or [""])[0], **dict(zip(OUTCOMES, (
            row["status"], *figures, find_theta(given, bubbles), find_theorem(given, bubbles),
            *(given.get(name, 0) for name in ("requests", "grants", "refusals", "samples")), row["movedBytes"])))}


def has_groups(stages):
    return any("devices" in stage for stage in stages)


def list_devices(stages):
    return [one["device"] for stage in stages for one in stage.get("devices", [stage])]


def find_theta(given, bubbles):
    """Theta of theorem 1: 1 minus mean imbalance at a grant over bubble time without help."""
    return 1 - given["imbalanceSeconds"] / given["grants"] / bubbles if given["grants"] and bubbles > 0 else None


def find_theorem(given, bubbles):
    """Theorem 1's bound on the time in bubbles, from the imbalance at each grant."""
    if not bubbles > 0:
        return None
    if not given["grants"]:
        return bubbles
    logs = -math.inf if given["logImbalance"] is None else given["logImbalance"]
    return bubbles * math.exp(logs - given["grants"] * math.log(bubbles))


def bubble_index(problem, stages, rate, seconds, heterogeneity=None):
    """Equation 14: bubble time plus a term for each stage's passes, over the time of all stages."""
    problem = PipelineProblem.from_json(problem)
    layers, devices = ({one.name: at for at, one in enumerate(entries)} for entries in (problem.layers, problem.devices))
    if heterogeneity is None:
        costs = [problem.costs[problem.devices[devices[device]].type] for device in list_devices(stages)]
        speeds = [1 / (total(cost.forward_seconds) + total(cost.backward_seconds)) for cost in costs]
        mean = total(speeds) / len(speeds)
        heterogeneity = math.sqrt(total((speed / mean - 1) * (speed / mean - 1) for speed in speeds) / len(speeds))
    whole_seconds = len(list_devices(stages)) * seconds
    if not whole_seconds > 0:
        return 0
    area = rate * whole_seconds
    for place, stage in enumerate(stages, 1):
        forward, backward = map(max, zip(*(
            problem.seconds(devices[one["device"]], layers[stage["firstLayer"]], layers[stage["lastLayer"]],
                            one.get("samples")) for one in stage.get("devices", [stage]))))
        delay = -math.expm1(-heterogeneity * forward) / heterogeneity if heterogeneity > 0 else forward
        area += (len(stages) - place) * (delay + math.log1p(backward))
    return area / whole_seconds


# ---- tables ---------------------------------------------------------------------------------------

class Plans:
    """A row per plan and condition: figures by kind of help, such as bubbleRate.full, and whether it
    finished with every kind."""

    def __init__(self, frame, keys):
        figures = [name for name in frame if name not in (*keys, "help", "status")]
        self.frame = frame.pivot(index=keys, columns="help", values=figures)
        self.frame.columns = [f"{figure}.{kind}" for figure, kind in self.frame.columns]
        self.frame = self.frame.reindex(  # a sweep may be without plans
            columns=[f"{figure}.{kind}" for figure in figures for kind in HELPS])
        self.frame["finished"] = (frame.status == "finished").groupby([frame[key] for key in keys]).all()
        for kind in HELPS:  # ratios within one plan, so the number of stages cancels
            self.frame[f"idle.{kind}"] = self.frame[f"bubbleRate.{kind}"] * self.frame[f"iterationSeconds.{kind}"]
        for kind in (IDEAL, FULL):
            self.frame[f"gain.{kind}"] = self.less("iterationSeconds", kind)
            self.frame[f"decrease.{kind}"] = self.less("bubbleRate", kind)
            self.frame[f"bubbleTime.{kind}"] = self.less("idle", kind)
        self.frame["decrease.none"] = 0.0
        self.frame = self.frame.reset_index()

    def less(self, figure, kind):
        """Relative decrease of a figure with help; 0 where it is 0 without."""
        without = self.frame[f"{figure}.none"]
        return (1 - self.frame[f"{figure}.{kind}"] / without).where(without != 0, 0)

    def of(self, **wanted):
        rows = self.frame
        for key, value in wanted.items():
            rows = rows[rows[key] == value]
        return rows

    def interval(self, figure, **wanted):
        """Mean and half width over the seeds; None if there is no plan, or if one did not finish."""
        rows = self.of(**wanted)
        return mean_interval(list(rows[figure])) if len(rows) and rows.finished.all() else None

    def mean(self, figure, **wanted):
        interval = self.interval(figure, **wanted)
        return interval and interval[0]


def over_seeds(points, figure, **wanted):
    """Mean of a figure over models and methods, and half width over the seeds that all of these have;
    a method with a single seed counts in all. None if no plan finished."""
    rows = points.of(finished=True, **wanted).dropna(subset=[figure])
    if not len(rows):
        return None
    table = rows.pivot_table(index="run", columns=["model", "method"], values=figure)
    mean = table.mean().mean()
    fixed = table.columns[table.count() == 1]
    table[fixed] = table[fixed].ffill().bfill()
    seeds = list(table.dropna().mean(axis=1))
    return mean, mean_interval(seeds)[1] if seeds else 0.0


def with_interval(share):
    """A share and its half width as text; a dash if there is none."""
    if share is None:
        return "-"
    mean, half = share
    return f"{percent(mean)} ± {percent(half)}" if half > ROUNDING else percent(mean)


def average(values):
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


class Paper:
    def __init__(self, paper, models):
        self.rows = {row["name"]: row for row in paper["methods"]}
        self.places = {model["name"]: place for place, model in enumerate(paper["models"])
                       if model["name"] in models}
        self.dgpas = next(row["name"] for row in paper["methods"] if row["kind"] == "dgpas")
        self.abstract = {key: paper[key] for key in ("trainingTimeReduction", "bubbleRateReduction")}

    def seconds(self, row, model):
        """As printed; None if there is no such row."""
        return self.rows[row]["seconds"][self.places[model]] if row in self.rows else None

    def is_other_planner(self, row):
        return row in self.rows and self.rows[row]["kind"] == "planner"

    def table_reduction(self):
        """Relative time saved by DGPAS over other planners, mean over table 3."""
        return average(1 - self.seconds(self.dgpas, model) / self.seconds(row, model)
                       for row in self.rows if self.is_other_planner(row) for model in self.places)

    def assisted_reduction(self, model):
        theirs = self.seconds(ASSISTED, model)
        return None if theirs is None else 1 - theirs / self.seconds(self.dgpas, model)


@framed("model", "method", "help", "row", "paperSeconds", "oursSeconds", "oursHalfWidth", "paperOverDgpas",
        "oursOverFaithful", "oursOverImproved")
def compare(cases, run, paper):
    """Table 3 over the first network: a row per method that finished, and two more for grdqn."""
    for model in run["models"]:
        wanted = {"model": model, "network": run["networks"][0]["name"]}
        dgpas = [cases.mean("iterationSeconds.none", method=variant, **wanted) for variant in VARIANTS]
        for method in run["methods"]:
            is_dgpas = method["theirs"] == paper.dgpas
            for kind, row in zip(HELPS if is_dgpas else (NONE,), (method["theirs"], ASSISTED, ASSISTED)):
                ours = cases.interval(f"iterationSeconds.{kind}", method=method["name"], **wanted)
                if ours:
                    seconds = paper.seconds(row, model)
                    yield (model, method["name"], kind, row, seconds, *ours,
                           seconds and seconds / paper.seconds(paper.dgpas, model),
                           *(mean and ours[0] / mean for mean in dgpas))


def compare_orders(table3, run, paper):
    alone = table3[table3.help == NONE]
    for variant, model in itertools.product(VARIANTS, run["models"]):
        rows = alone[(alone.model == model)
                     & ((alone.method == variant) | alone.row.map(paper.is_other_planner))]
        pairs, _ = compare_order(dict(zip(rows.row, rows.paperSeconds)), list(rows.oursSeconds), DIGIT, EQUAL)
        yield model, variant, len(rows) * (len(rows) - 1) // 2, pairs


def count_reversed(orders):
    """By variant of grdqn: reversed pairs of table 3's planners, and all pairs."""
    return {variant: (sum(len(found) for _, one, _, found in orders if one == variant),
                      sum(pairs for _, one, pairs, _ in orders if one == variant)) for variant in VARIANTS}


def text_of_reversed(counts):
    return ", ".join(f"{reversed_} of {pairs} with {variant}" for variant, (reversed_, pairs) in counts.items())


def reduction_of(table3, paper, variant):
    """Relative time saved by a variant of grdqn over other planners, mean over table 3."""
    alone = table3[table3.help == NONE]
    dgpas = alone[alone.method == variant].set_index("model").oursSeconds
    return average(1 - dgpas[row.model] / row.oursSeconds for row in alone.itertuples()
                   if row.model in dgpas and paper.is_other_planner(row.row))


def paying_bandwidth(points):
    """The lowest bandwidth at and above which full help always pays; None if it does not at the highest.
    points: of one method and model."""
    points = points.sort_values("bitsPerSecond", ascending=False)
    pays = (points.finished & ~(points[f"gain.{FULL}"] < LEAST_GAIN)).cummin()
    return points.bitsPerSecond[pays].min() if pays.any() else None


def format_seconds(row):
    theirs = f"{row.paperSeconds:.4g} / " if row.paperSeconds and not math.isnan(row.paperSeconds) else ""
    half = f" ± {rounded(row.oursHalfWidth, 2)}" if row.oursHalfWidth > LAST_DIGIT * row.oursSeconds else ""
    return theirs + rounded(row.oursSeconds) + half


@framed("model", "method", "runs", "exactSeconds", "representable", "representableBound", "division",
        "divisionHalfWidth", "plan", "planHalfWidth", "placing", "placingHalfWidth", "placingMost",
        "planLeast", "planMost")
def average_misses(misses):
    """A row per model and method: relative loss over exact of the best plan after each step, and of the
    placing step over the best placement of its division."""
    for (model, method), own in misses.groupby(["model", "method"], sort=False):
        shares = [list(own[name] / own[other] - 1) for name, other in (
            ("divisionSeconds", "exactSeconds"), ("planSeconds", "exactSeconds"), ("planSeconds", "divisionSeconds"))]
        first = own.iloc[0]
        yield (model, method, len(own), first.exactSeconds,
               first.representableSeconds / first.exactSeconds - 1,
               first.representableBoundSeconds / first.exactSeconds - 1,
               *(figure for share in shares for figure in mean_interval(share)), max(shares[-1]),
               min(shares[1]), max(shares[1]))


def state_of(row):
    if row.method == STAGE_AWARE:
        return "-"
    if row.representable - row.representableBound < 1e-9:
        return percent(row.representable)
    return f"{percent(row.representableBound)} to {percent(row.representable)}"


class Results:
    """A run of the study: its files and their tables."""

    def __init__(self, folder, run):
        import pandas
        self.run, self.models, self.network = run, run["models"], run["networks"][0]
        self.paper = Paper(run["paper"], run["models"])
        path = folder / "results.csv"
        more = {THEOREM: float} if THEOREM in path.read_text(encoding="utf-8") else {}
        self.results = read_frame(path, {**RESULTS, **more}, MAY_BE_EMPTY)
        self.results["bubbleSeconds"] = (self.results.bubbleRate * self.results.stages
                                         * self.results.iterationSeconds)
        self.cases = Plans(self.results, KEYS)
        rest = read_frame(folder / "checkpoints.csv", HELPED, MAY_BE_EMPTY, 0)
        self.checkpoints = int(run["options"]["checkpoints"])
        own = self.results.assign(checkpoints=self.checkpoints)[[*HELPED]]
        rest = rest[rest.checkpoints != self.checkpoints]
        self.helped = Plans(pandas.concat([own, rest] if len(rest) else [own]), [*KEYS, "checkpoints"])

        def points(name, condition):
            keys = columns("model method", condition, "run")
            return Plans(read_frame(folder / name, {**keys, **OUTCOME}, MAY_BE_EMPTY, 0), list(keys))

        self.mini = points("figure11.csv", "miniBatches")
        self.micro = points("micro_batches.csv", "microBatches")
        self.bandwidths = points("bandwidth.csv", "bitsPerSecond")
        # Older runs have no items.
        self.items = points("items.csv", "items") if (folder / "items.csv").exists() else None
        self.misses = average_misses(read_frame(folder / "decomposition.csv", MISSES, (), 0))
        self.table3 = compare(self.cases, run, self.paper)
        self.orders = list(compare_orders(self.table3, run, self.paper))

    def reductions(self):
        return {variant: reduction_of(self.table3, self.paper, variant) for variant in VARIANTS}

    @framed("model", "network", "method", "help", "iterationSeconds", "iterationSecondsHalfWidth", "bubbleRate",
            "bubbleRateHalfWidth")
    def means(self):
        for network, model, method, kind in itertools.product(
                self.run["networks"], self.models, self.run["methods"], HELPS):
            wanted = {"model": model, "network": network["name"], "method": method["name"]}
            seconds = self.cases.interval(f"iterationSeconds.{kind}", **wanted)
            if seconds:
                yield *wanted.values(), kind, *seconds, *self.cases.interval(f"bubbleRate.{kind}", **wanted)

    def ours(self, model, method, figure="iterationSeconds.none"):
        return self.cases.mean(figure, model=model, network=self.network["name"], method=method)

    def counts(self):
        return sorted(set(self.helped.frame.checkpoints))

    def ours_helped(self, model, method, checkpoints):
        """Seconds of an iteration by kind of help; None where there is no plan."""
        return [self.helped.mean(f"iterationSeconds.{kind}", model=model, network=self.network["name"],
                                 method=method, checkpoints=checkpoints) for kind in HELPS]

    def rows_of_table3(self):
        rows = {}
        for row in self.table3.itertuples():
            name = (row.method + (f" + {row.help}" if row.help != NONE else "")
                    + (f" ({row.row})" if row.row else ""))
            rows.setdefault((row.method, row.help), {"": name})[row.model] = format_seconds(row)
        for key in itertools.product((method["name"] for method in self.run["methods"]), HELPS):
            if key in rows:
                yield [rows[key][""], *(rows[key].get(model, "no plan") for model in self.models)]

    def rows_of_averages(self):
        def share(values):
            return or_dash(average(values), percent)

        def to_exact(variant, model):
            exact, ours = self.ours(model, "exact"), self.ours(model, variant)
            return ours / exact - 1 if exact and ours else None

        return [["less time than the planners of table 3, from its cells",
                 percent(self.paper.table_reduction()),
                 *(or_dash(one, percent) for one in self.reductions().values())],
                ["the same, as the abstract says it", percent(self.paper.abstract["trainingTimeReduction"]),
                 "", ""],
                ["more time than exact", "-",
                 *(share(to_exact(variant, model) for model in self.models) for variant in VARIANTS)],
                *([f"less time with help, {kind}", share(map(self.paper.assisted_reduction, self.models)),
                   *(share(self.ours(model, variant, f"gain.{kind}") for model in self.models)
                     for variant in VARIANTS)] for kind in (IDEAL, FULL))]

    def rows_of_figure12(self):
        for model, variant, count in itertools.product(self.models, VARIANTS, self.counts()):
            alone, ideal, full = self.ours_helped(model, variant, count)
            if alone:
                pairs = (("DGPAS", alone), (ASSISTED, ideal), (ASSISTED, full),
                         ("Seq1F1B", self.ours(model, f"seq1f1b-{variant}")))
                yield [model, variant, str(count), *(
                    f"{or_dash(self.paper.seconds(row, model), rounded)} / {or_dash(mean, rounded)}"
                    for row, mean in pairs), or_dash(self.paper.assisted_reduction(model), percent),
                       percent(1 - ideal / alone), percent(1 - full / alone)]

    def section_of_figure11(self, title, note, points, condition, what, is_short=False, sheet=""):
        return Section(title, note, [what, *self.models, "all, ideal", "all, full"], [
            [f"{value:.0f}", *(with_interval(over_seeds(points, f"decrease.{kind}", **one, **{condition: value}))
                               for kind, one in (*((IDEAL, {"model": model}) for model in self.models),
                                                 (IDEAL, {}), (FULL, {})))]
            for value in sorted(set(points.frame[condition]))], is_short, sheet or f"dgpas-{what}")

    def rows_of_help(self):
        for network, method, count in itertools.product(self.run["networks"], self.run["methods"], self.counts()):
            wanted = {"network": network["name"], "method": method["name"], "checkpoints": count}
            chosen = self.helped.of(finished=True, **wanted)
            if len(chosen):
                yield [network["label"], method["name"], str(count),
                       *(with_interval(over_seeds(self.helped, f"{figure}.{kind}", **wanted))
                         for kind in (IDEAL, FULL) for figure in ("gain", "decrease", "bubbleTime")),
                       *(or_dash(chosen[f"gain.{kind}"].min(), percent) for kind in (IDEAL, FULL))]

    def rows_of_bandwidths(self):
        def text(points):
            least = paying_bandwidth(points)
            return "no plan" if not len(points) else "never" if least is None else f"{least / 1e6:g} Mbit/s"

        return [[method, *(text(self.bandwidths.of(method=method, model=model)) for model in self.models)]
                for method in (IMPROVED, "exact") if len(self.bandwidths.of(method=method))]

    def first_plans(self):
        """(model, method, figures) of each first plan on the first network, if it finished."""
        for model, method in itertools.product(self.models, self.run["methods"]):
            plans = self.cases.of(model=model, network=self.network["name"], method=method["name"])
            if len(plans) and plans.finished.iloc[0]:
                yield model, method["name"], plans.iloc[0]

    def sections(self):
        over = f"over {self.network['label']}"
        yield Section(
            f"Table 3 and figure 10, {over}", "seconds: theirs / ours, mean and 95 % confidence interval (Student); "
            "ours are of estimated devices, so only the order and the next table compare",
            ["method (row of table 3)", *self.models], self.rows_of_table3(), sheet="dgpas-table3")
        yield Section(
            "Averages", "over models, and over planners where there are several",
            ["on average", "theirs", *(f"ours, {variant}" for variant in VARIANTS)], self.rows_of_averages(),
            sheet="dgpas-averages")
        yield Section(
            "Order of the planners", "pairs of table 3 that are the other way round in ours by more than 0.5 %",
            ["model", "grdqn", "pairs", "reversed", "which"],
            ([model, variant, str(count), str(len(pairs)), ", ".join(pairs) or "-"]
             for model, variant, count, pairs in self.orders), False, "dgpas-orders")
        yield Section(
            f"Where grdqn's misses come from, {over}",
            "predicted time over exact: the best plan that SDQN's eight inputs can say, SDQN's division placed "
            "optimally, and the plan; placing is the plan over its division placed optimally",
            ["model", "plan of", "runs", "exact (s)", "best of the state", "division", "plan", "plan, from", "to",
             "placing", "at most"],
            ([row.model, row.method, str(row.runs), rounded(row.exactSeconds), state_of(row),
              *map(with_interval, ((row.division, row.divisionHalfWidth), (row.plan, row.planHalfWidth))),
              percent(row.planLeast), percent(row.planMost), with_interval((row.placing, row.placingHalfWidth)),
              percent(row.placingMost)]
             for row in self.misses.itertuples()), False, "dgpas-misses")
        yield Section(
            f"Figure 12, {over}", "seconds: theirs / ours",
            ["model", "grdqn", "checkpoints", "DGPAS", "DGPAS_Co, ideal", "DGPAS_Co, full", "Seq1F1B", "less by Co, theirs", "ideal",
             "full"], self.rows_of_figure12(), False, "dgpas-figure12")
        yield self.section_of_figure11(
            "Figure 11: decrease of the bubble rate over mini-batches",
            f"ideal, mean over the plans of {', '.join(self.run['bubblesOf'])}; theirs on average "
            + percent(self.paper.abstract["bubbleRateReduction"]), self.mini, "miniBatches", "mini-batches", True)
        yield self.section_of_figure11(
            "Figure 11 read otherwise: over micro-batches", "one mini-batch of 256 samples, cut into so many; "
            "same plans", self.micro, "microBatches", "micro-batches")
        if self.items:
            yield self.section_of_figure11(
                "Figure 11 as the authors' scripts count: over items",
                "one pass over so many micro-batches of 32 samples, whatever memory they take; same plans",
                self.items, "items", "items")
        yield Section(
            "Help between neighbours by network",
            "by how much less, mean over models and seeds, by checkpoints inside a micro-batch (the paper has one); "
            "worst: the case whose time gains least",
            ["network", "plan of", "checkpoints", "ideal: time", "bubble rate", "bubble time", "full: time", "bubble rate",
             "bubble time", "worst: ideal", "full"], self.rows_of_help(), False, "dgpas-help")
        yield Section(
            "Bandwidth of a LAN from which on full help pays",
            f"gains {percent(LEAST_GAIN)} of an iteration or more there and at every bandwidth above; grdqn's plan "
            f"is that for {self.network['label']}, exact plans for each bandwidth",
            ["plan of", *self.models], self.rows_of_bandwidths(), sheet="dgpas-paying")
        plans = list(self.first_plans())
        yield Section(
            f"Bubble rates and indices, {over}", "first seed; the index of equation 14 adds seconds to a logarithm "
            "and is no rate; theta of theorem 1 is a mean over grants",
            ["model", "plan of", "bubble rate", "ideal", "full", "index (eq. 14)", "ideal", "full", "theta: ideal",
             "full", "grants: ideal", "full"],
            ([model, method, *(percent(first[f"bubbleRate.{kind}"]) for kind in HELPS),
              *(rounded(first[f"bubbleIndex.{kind}"], 3) for kind in HELPS),
              *(or_dash(first[f"theta.{kind}"]) for kind in (IDEAL, FULL)),
              *(f"{first[f'grants.{kind}']:.0f}" for kind in (IDEAL, FULL))] for model, method, first in plans), False)
        if f"{THEOREM}.{IDEAL}" in self.cases.frame:
            yield Section(
                f"Theorem 1 and what was measured, {over}",
                "seconds of all stages in bubbles, first seed, ideal; the theorem's bound is that without help times "
                "the product of 1 - theta over the grants",
                ["model", "plan of", "grants", "no help", "theorem 1", "measured"],
                ([model, method, f"{first[f'grants.{IDEAL}']:.0f}", *(or_dash(first[key]) for key in (
                    f"bubbleSeconds.{NONE}", f"{THEOREM}.{IDEAL}", f"bubbleSeconds.{IDEAL}"))]
                 for model, method, first in plans), False)


def build(folder, run):
    found = Results(folder, run)
    sections, paper = list(found.sections()), found.paper
    summary = {"trainingTimeReduction": {
        "paperTable3": paper.table_reduction(), "paperAbstract": paper.abstract["trainingTimeReduction"],
        **{variant: share for variant, share in found.reductions().items()}},
        "bubbleRateReduction": {
            "paperAbstract": paper.abstract["bubbleRateReduction"],
            **({kind: over_seeds(found.mini, f"decrease.{kind}")[0] for kind in HELPS}
               if len(found.mini.of(finished=True)) else {})}}
    frames = {"means": found.means(), "table3": found.table3, "misses": found.misses}
    files = {**{f"{name}.csv": frame.to_csv(index=False) for name, frame in frames.items()},
             "summary.json": json.dumps(summary, indent=2) + "\n",
             "tables.md": page_of("The DGPAS paper beside ours", run["published"], sections)}
    return (print_of(sections) + "Pairs of planners that are the other way round than in table 3: "
            + text_of_reversed(count_reversed(found.orders))
            + f"\n\nTables: {folder}/  tables.md (all {len(sections)} tables), means.csv, table3.csv,\n"
            f"  misses.csv, summary.json\nDraw them: analysis/dgpas_pictures.py {folder}", files)


if __name__ == "__main__":
    start(lambda: tabulate(__doc__, "results/dgpas-testbed", build))
