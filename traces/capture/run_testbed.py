#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Execute a simulated run for real: same plans, times of layers, messages and network.

FOLDER has the results of ./ns3 run pipeline-training, cooperative-inference or data-parallel. Each plan in it is
executed by processes in network namespaces of their own, one per device, whose messages cross this kernel's TCP.
Computing is paced: a task waits as long as the simulated one computes, so a few cores carry many devices; or real
(--compute=real): PyTorch executes a device's layers on a core of its own. Links are
token buckets of the simulated rate and queue, and a process per device that delays packets; or (--shaper=ns3) the
simulated links themselves, in real time (./ns3 build live-network). Needs root, ip and tc (iproute2) and ethtool.

Taken, up to 5 Gbit/s: --link=lan, and bearers (4g, 3g, cat1) with --jitter=0s, also with a --bandwidth over time;
  pipeline-training      --schedule=gpipe or 1f1b, without groups, help, other plans during the run, or load
  cooperative-inference  --replan=false, frames back to back
  data-parallel          --exchange=ring --bucket-bytes=0, shares that stay
With --shaper=ns3 over every --link but lte (the second: lan), with loss. Weight updates are left out; everything
else is refused.

Results are those of the scenario, as far as they can be measured:
  results.csv     a row per plan; iterationSeconds (of inference meanLatencySeconds): mean over the runs;
                  spreadSeconds: range of the runs' means; lateSeconds: by which tasks ended late, in the mean;
                  busyShare: of the machine's cores during the runs, also by others: above a half, or with others
                  busy, what is measured is this machine; networkLateSeconds: by which ns-3 was late, at
                  most; networkLateShare: share of time in which that was over 1 ms: above 0.5 % the run does
                  not count
  iterations.csv  every iteration, frame or update of every run
  timeline.json   of the first run, for analysis/timeline.py
  run.json        the simulation's, and every device's tasks, for ./ns3 run validation
  passes-PLAN-DEVICE.csv  with --compute=real, every pass through every layer, for --replay
"""

import argparse
import contextlib
import csv
import datetime
import json
import multiprocessing
import os
import platform
import selectors
import shlex
import socket
import statistics
import sys
import threading
import time
from pathlib import Path

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../analysis"))
from edgepipe import problem as read_problem  # noqa: E402
from edgepipe.campaign.hosts import SSH, read_hosts  # noqa: E402
from edgepipe.campaign.progress import Progress  # noqa: E402
from edgepipe.interpreter import need  # noqa: E402
from edgepipe.passes import text_of_passes  # noqa: E402
from edgepipe.pictures import InputError, Parser, number, start  # noqa: E402
from edgepipe.problem_files import NETWORK  # noqa: E402
from edgepipe.problems import PipelineProblem, TwoWayCutProblem, expect  # noqa: E402
from edgepipe.results_folder import ResultsFolder, exact  # noqa: E402
from edgepipe.run_file import read_json, read_run  # noqa: E402
from edgepipe.running import command_of, traces_folder  # noqa: E402
from edgepipe.study_options import Option, read_value, whole  # noqa: E402
from edgepipe.study_options import rate as read_rate  # noqa: E402
from edgepipe.study_options import time as read_time  # noqa: E402
from edgepipe.tables import columns, print_table, read_table, share  # noqa: E402
from busy_machine import BusyMachine  # noqa: E402
from namespaces import (ETHERNET, HOLD, PACKET, RELAY, apart, call, check_rights, delay_packets,  # noqa: E402
                        inside, launch, make_tap, plug, set_up, shape)
from testbed_node import KINDS  # noqa: E402

NODE = Path(__file__).with_name("testbed_node.py")
ROOT = NODE.parents[2]
PORT = 4700
QUEUE, BEARERS, WIRES = "1000", ("4g", "3g", "cat1"), ("lan", "p2p")  # the simulation's queue, packets
SLOWEST = 1e4  # bit/s, below which a bucket does not go
FASTEST = 5e9  # bit/s, above which what is measured is this kernel's time per packet
CABLE = 1e9  # bit/s, of a device that hangs on the core of bearers
LEAST_DELAY = 2e-4  # s: of a full packet; with less there is no process
LONGEST_WAIT = 30  # s, for links to be up
# Where tasks that are not of two directions tell how long they take.
SECONDS = {"worker": "computeSeconds", "device": "deviceSeconds", "server": "serverSeconds"}
# Options with the only value that is taken, of all workloads and of each.
PLAIN = {"load": "", "cut": "", "mtu": "1500"}


# ---------------------------------------------------------------- what is to be executed


class Options(dict):
    """Options of a run.json, which are texts."""

    def __init__(self, path, options):
        if not isinstance(options, dict) or not all(isinstance(text, str) for text in options.values()):
            raise InputError(f'{path}: found no "options" that are texts, expected those of a run')
        super().__init__(options)
        self.path = path

    def __missing__(self, name):
        raise InputError(f'{self.path}: options: "{name}" is missing')

    def read(self, name, read, text=None):
        """An option's value; text: what is read instead."""
        try:
            return read_value(Option(name, "", "", read), self[name] if text is None else text)
        except InputError as error:
            raise InputError(f"{self.path}: {error}") from None

    def count(self, name):
        return self.read(name, whole(1, 2 ** 31))

    def count_or(self, name, usual):
        return self.read(name, whole(0, 2 ** 31), self[name] or usual)


def list_rates(option, first):
    """[(seconds, bit/s)] of a --bandwidth, which may change over time."""
    if ":" not in option:
        return [(0.0, first)]
    steps = [step.partition(":") for step in option.split(",")]
    return [(read_time(when), read_rate(0)(text)) for when, _, text in steps]


def read_directions(options, row):
    """Rates up and down as options; empty: the link's own. Runs older than --uplink-bandwidth say the uplink's by
    --bandwidth."""
    both, up = options["bandwidth"], options.get("uplink-bandwidth")
    return up or both, options["downlink-bandwidth"] or both * (row["link"] in WIRES or up is not None)


def fix_rates(row, up, down):
    """Options for whoever repeats a run without its cluster's file."""
    rate = f"{float(row['bandwidthBitsPerSecond']):.0f}bps"
    if row["link"] in WIRES:
        return {"bandwidth": up or rate}
    return {"uplink-bandwidth": up or rate,
            "downlink-bandwidth": down or f"{float(row['downlinkBitsPerSecond']):.0f}bps"}


class DescribedLinks:
    """Links of which the simulation's network is a description."""

    def __init__(self, options, row):
        if row["link"] == "mixed":
            raise InputError(f"{options.path}: found a network for each device, expected one for all")
        self.send_buffer = options.count_or("send-buffer", "0" if row["link"] in WIRES else "131072")
        is_constant = row["link"] in (*WIRES, *BEARERS)
        self.options = {"link": row["link"],
                        **(fix_rates(row, *read_directions(options, row)) if is_constant else {}),
                        **({"delay": f"{row['delaySeconds']}s"} if row["delaySeconds"] else {})}


class SimulatedLinks(DescribedLinks):
    """Links that ns-3 simulates in real time."""

    def __init__(self, options, row):
        super().__init__(options, row)
        if row["link"] == "lte":
            raise InputError(f"{options.path}: found --link=lte, expected another one: its packets have addresses of "
                             "their own")
        self.network = {**{name: options[name] for name in NETWORK if options[name]}, **self.options}

    def connect(self, wired):
        if any(wired) and self.options["link"] not in WIRES:
            raise InputError("--shaper=ns3: found a server on a cable beside other links, expected --link=lan")
        return LiveNetwork(len(wired), self.network)


class HostLinks(DescribedLinks):
    """Whatever joins real hosts."""

    def __init__(self, options, row, hosts):
        super().__init__(options, row)
        self.hosts = hosts

    def connect(self, wired):
        if len(wired) > len(self.hosts):
            raise InputError(f"--hosts: found {len(self.hosts)} hosts, expected {len(wired)}, one for each device that "
                             "takes part")
        return RemoteHosts(self.hosts[:len(wired)])


class Links:
    """Rates, queues and delays of all devices."""

    def __init__(self, options, row, path, is_routed):
        self.is_routed = is_routed  # whether uplinks' buckets are behind the hosts
        self.is_wire = row["link"] == "lan"
        if options["loss"] != "0":
            raise InputError(f"{options.path}: found --loss={options['loss']}, expected --loss=0")
        if not self.is_wire and (row["link"] not in BEARERS or options["jitter"] not in ("0s", "0")):
            raise InputError(f'{path}: found the network "{row["link"]}", expected --link=lan, or 4g, 3g or '
                             "cat1 with --jitter=0s")
        read_table(path, columns("", "bandwidthBitsPerSecond downlinkBitsPerSecond delaySeconds"),
                   ("downlinkBitsPerSecond",))
        first = float(row["bandwidthBitsPerSecond"])
        up, down = read_directions(options, row)
        self.up = options.read("bandwidth", lambda text: list_rates(text, first), up)
        self.down = options.read("downlink-bandwidth", lambda text: list_rates(
            text, float(row["downlinkBitsPerSecond"] or first)), down)
        fastest = max(rate for _, rate in (*self.up, *self.down))
        if fastest > FASTEST:
            raise InputError(f"{path}: found a link of {fastest / 1e9:g} Gbit/s, expected at most {FASTEST / 1e9:g}, "
                             "which a kernel can shape")
        self.queue = options.read("queue", whole(1, 2 ** 31), options["queue"] or QUEUE)
        self.delay = float(row["delaySeconds"])
        self.send_buffer = options.count_or("send-buffer", "0" if self.is_wire else "131072")
        self.options = {"link": row["link"], **fix_rates(row, up, down), "delay": f"{row['delaySeconds']}s"}

    def connect(self, wired):
        return Star(wired, self)

    def byte_seconds(self, rate):
        """Time on the link per byte of a frame."""
        return 8 / max(rate, SLOWEST)

    def shape(self, verb, interface, rate):
        # Wires carry Ethernet frames with preamble, check sequence and gap; bearers IP packets.
        share, more = (1, ("overhead", "24", "mpu", "84")) if self.is_wire else ((PACKET + ETHERNET) / PACKET, ())
        shape(verb, interface, max(rate, SLOWEST) * share, self.queue, *more)


class Case:
    """A plan, and the tasks of each device, by role; devices are indices."""

    def __init__(self, row, names, tasks, count, wired=()):
        self.row, self.names, self.tasks, self.count = row, names, tasks, count
        self.wired = wired  # devices that hang on the core by a cable


def open_problem(folder, kind):
    try:
        problem = read_problem(folder)
        expect(isinstance(problem, kind), "problem", problem.kind, kind.kind)
    except ValueError as error:
        raise InputError(f"{folder / 'problem.json'}: {error}") from None
    return problem


def find_stages(folder, run, rows, _):
    """Cases of pipeline-training."""
    problem = open_problem(folder, PipelineProblem)
    names = [device.name for device in problem.devices]
    layers = [layer.name for layer in problem.layers]
    cuts = [0, *problem.cut_bytes(), 0]
    for row in rows:
        plan = problem.plan_of(row["plan"])
        expect(all(stage.device for stage in plan.stages), "plan", row["plan"], "one device a stage")
        stages = [(names.index(stage.device), layers.index(stage.first_layer), layers.index(stage.last_layer))
                  for stage in plan.stages]
        devices = [device for device, *_ in stages]
        tasks = {0: {"coordinator": {"nodes": devices}}}
        for number_of, (device, first, last) in enumerate(stages):
            forward, backward = problem.seconds(device, first, last)
            tasks.setdefault(device, {})["stage"] = {
                "stage": number_of, "stages": len(stages), "schedule": run["options"]["schedule"],
                "microBatches": problem.micro_batches, "coordinator": 0,
                "previous": devices[number_of - 1] if number_of else None, "next": [*devices, None][number_of + 1],
                "forwardSeconds": forward, "backwardSeconds": backward, "inputBytes": cuts[first],
                "outputBytes": cuts[last + 1], "layers": layers[first:last + 1]}
        yield Case(row, names, tasks, run["options"].count("iterations"))


def find_frames(folder, run, rows, is_real):
    """Cases of cooperative-inference; the server is the last device. Only real computing needs their layers."""
    problem = open_problem(folder, TwoWayCutProblem) if is_real else None
    for row, mine in split(folder / "plans.csv", rows, "devices", columns(
            "planner device", "uplinkBytes downlinkBytes deviceSeconds serverSeconds")):
        names = [plan["device"] for plan in mine] + ["server"]
        server = len(mine)
        cut = problem.plan_of(row["plan"]) if problem and " | " not in row["plan"] else None
        tasks = {number_of: {"device": {
            "layers": cut and cut.device_layers, "server": server, "framesInFlight": run["options"].count("in-flight"),
            "uplinkBytes": int(plan["uplinkBytes"]), "deviceSeconds": plan["deviceSeconds"]}}
            for number_of, plan in enumerate(mine)}
        tasks[server] = {"server": {"layers": cut and cut.server_layers, "clients": [
            {"node": number_of, "uplinkBytes": int(plan["uplinkBytes"]), "downlinkBytes": int(plan["downlinkBytes"]),
             "serverSeconds": plan["serverSeconds"]} for number_of, plan in enumerate(mine)]}}
        yield Case(row, names, tasks, run["options"].count("frames"), wired={server})


def find_shares(folder, run, rows, _):
    """Cases of data-parallel."""
    options = run["options"]
    models = Path(options["traces"] or traces_folder()) / "models"
    model = next(models.rglob(f"{options['model']}.json"), Path(options["model"]))
    try:
        layers = {layer["name"]: layer["parameterBytes"] for layer in read_json(model)["layers"]}
    except (KeyError, TypeError):
        raise InputError(f"{model}: expected a model's layers with their parameterBytes") from None
    updates = options.count("updates")
    for row, mine in split(folder / "workers.csv", rows, "workers", columns("planner worker", "samples computeSeconds")):
        tasks = {rank: {"worker": {
            "rank": rank, "workers": len(mine), "next": (rank + 1) % len(mine), "gradientBytes": sum(layers.values()),
            "computeSeconds": worker["computeSeconds"] / updates, "samples": round(worker["samples"] / updates),
            "layers": [*layers]}} for rank, worker in enumerate(mine)}
        yield Case(row, [worker["worker"] for worker in mine], tasks, updates)


# Scenario: how its cases are found, the columns of what is measured and of its prediction, and options with the only
# value that is taken.
WORKLOADS = {
    "pipeline-training": (find_stages, ("iterationSeconds", "predictedIterationSeconds"),
                          {"adjacent": "off", "replan": "off", "pipelines": "1"}),
    "cooperative-inference": (find_frames, ("meanLatencySeconds", "predictedLatencySeconds"),
                              {"replan": "false", "frame-rate": "0", "cluster": ""}),
    "data-parallel": (find_shares, ("iterationSeconds", ""),
                      {"exchange": "ring", "bucket-bytes": "0", "join": "", "leave": "", "control": "shared"})}


def split(path, rows, count, kinds):
    """Rows of results.csv, each with its planner's rows of another table; count: the column with their number."""
    table = read_table(path, kinds)
    for row in rows:
        mine = [one for one in table if one["planner"] == row["planner"]]
        if str(len(mine)) != row[count]:
            raise InputError(f'{path}: found {len(mine)} rows of "{row["planner"]}", expected {row[count]}')
        yield row, mine


def read_results(path, figure, count):
    """Rows of results.csv as texts."""
    read_table(path, columns(f"planner link plan {count}", figure))
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def read_cases(folder, shaper, hosts, is_real):
    """run.json, the network and the cases of a folder of results."""
    about = folder / "run.json"
    run = read_run(about)
    if run.get("scenario") not in [*WORKLOADS]:
        raise InputError(f'{about}: found results of "{run.get("scenario")}", expected {", ".join(WORKLOADS)}')
    for name in ("versions", "rngSeed", "rngRun"):
        if name not in run:
            raise InputError(f'{about}: "{name}" is missing')
    find, (figure, _), plain = WORKLOADS[run["scenario"]]
    run["options"] = Options(about, run.get("options"))
    for name, value in {**PLAIN, **plain}.items():
        if run["options"][name] != value:
            raise InputError(f"{about}: found --{name}={run['options'][name]}, expected --{name}={value}")
    if run["options"].get("replay"):
        raise InputError(f"{about}: found --replay={run['options']['replay']}, expected none")
    if run["options"].get("schedule", "gpipe") not in ("gpipe", "1f1b"):
        raise InputError(f'{about}: found --schedule={run["options"]["schedule"]}, expected gpipe or 1f1b')
    path = folder / "results.csv"
    rows = read_results(path, figure, {find_frames: "devices", find_shares: "workers"}.get(find, ""))
    if hosts:
        links = HostLinks(run["options"], rows[0], hosts)
    elif shaper == "ns3":
        links = SimulatedLinks(run["options"], rows[0])
    else:
        links = Links(run["options"], rows[0], path, shaper == "router")
    try:
        return run, links, list(find(folder, run, rows, is_real))
    except ValueError as error:
        raise InputError(f"{path}: {error}") from None


# ---------------------------------------------------------------- namespaces


class Hosts:
    """A process in a namespace of its own for each device."""

    def __init__(self, addresses):
        self.stack = contextlib.ExitStack()
        self.nodes = [self.start(index) for index in range(len(addresses))]
        self.addresses = [[address, PORT] for address in addresses]
        self.late = 0, 0  # of the network: s at most, and share of time in which it is over 1 ms
        self.over = threading.Event()

    def start(self, _):
        """The process of a device."""
        return self.spawn_apart(str(NODE))

    def spawn_apart(self, *words):
        return self.stack.enter_context(apart(*words))

    def spawn(self, *words, **more):
        return self.stack.enter_context(launch(*words, **more))

    def __exit__(self, *_):
        self.over.set()
        self.stack.close()

    def check(self):
        """Refuses a network that is gone."""

    def address(self, index, bits):
        """Gives a device's wire its address; to be called in its namespace."""
        call("ip", "link", "set", "lo", "up")
        call("ip", "addr", "add", f"{self.addresses[index][0]}/{bits}", "dev", "wire")
        set_up("wire")


class RemoteHosts(Hosts):
    """Devices that are hosts of their own, reached by ssh."""

    def __init__(self, hosts):
        self.hosts = hosts
        super().__init__([self.resolve(host.name) for host in hosts])

    @staticmethod
    def resolve(name):
        """The address of a host, whose name others need not know."""
        settings = dict(line.split(" ", 1) for line in call("ssh", "-G", name).splitlines())
        try:
            return socket.gethostbyname(settings["hostname"])
        except OSError as error:
            raise InputError(f"{name}: {error.strerror}") from None

    def start(self, index):
        host = self.hosts[index]
        return self.spawn(*SSH, host.name, f"cd {shlex.quote(host.folder)} && exec /usr/bin/python3 traces/capture/{NODE.name}")

    def __enter__(self):
        return self

    def begin(self, _):
        """Nothing is to be started."""

    def finish(self):
        """Nothing is simulated."""


class LiveNetwork(Hosts):
    """Devices whose packets cross a network that ns-3 simulates in real time."""

    def __init__(self, count, options):
        super().__init__([f"10.200.{i}.2" for i in range(count)])
        self.options = options
        self.program = None

    def __enter__(self):
        self.taps = [make_tap(node, "wire") for node in self.nodes]
        for i, (node, tap) in enumerate(zip(self.nodes, self.taps)):
            self.stack.callback(os.close, tap)
            os.set_blocking(tap, True)
            with inside(node):
                self.address(i, 24)
                call("ip", "route", "add", "default", "via", f"10.200.{i}.1")
        return self

    def begin(self, number_of_run):
        self.program = self.spawn(*command_of("live-network"), f"--taps={','.join(map(str, self.taps))}",
                                  f"--RngRun={number_of_run + 1}",
                                  *(f"--{name}={text}" for name, text in self.options.items()), pass_fds=self.taps)
        os.sched_setscheduler(self.program.pid, os.SCHED_FIFO, os.sched_param(RELAY))
        if self.program.stdout.readline() != b"ready\n":
            raise InputError("live-network: found no network, expected one that is simulated in real time")
        self.program.stdin.write(b"\n")
        self.program.stdin.flush()

    def check(self):
        if self.program and self.program.poll() is not None:
            raise InputError("live-network: its process ended, expected it to run")

    def finish(self):
        self.program.stdin.close()
        self.late = tuple(map(float, self.program.stdout.readline().split()))


class Star(Hosts):
    """Devices joined by a bridge in one more namespace."""

    def __init__(self, wired, links):
        """wired: for each device, whether it hangs on the core by a cable instead of a bearer."""
        super().__init__([f"10.0.{i // 250}.{i % 250 + 1}" for i in range(len(wired))])
        self.links, self.wired = links, [is_wired and not links.is_wire for is_wired in wired]
        self.uplinks, self.bridged = [], set()
        self.hub = self.spawn_apart(*HOLD)
        self.byte_seconds = multiprocessing.RawArray("d", [links.byte_seconds(rates[0][1])
                                                           for rates in (links.up, links.down)])

    def __enter__(self):
        for i, node in enumerate(self.nodes):
            self.join(i, node)
        self.wait_for_carriers()
        return self

    def begin(self, _):
        threading.Thread(target=self.follow_steps, args=(time.monotonic(),), daemon=True).start()

    def finish(self):
        """Nothing is simulated."""

    def join(self, index, node):
        """Joins a device to the hub; its uplink's bucket is in its own namespace or in one behind it."""
        port, near = f"port{index}", node
        if self.links.is_routed:
            near = self.spawn_apart(*HOLD)
            plug(node, "wire", near, "in")
            self.bridge(near, "in")
        if self.links.delay + PACKET * max(self.byte_seconds) >= LEAST_DELAY and not self.wired[index]:
            taps = [make_tap(one, name) for one, name in ((near, "wire"), (self.hub, port))]
            for tap in taps:
                self.stack.callback(os.close, tap)
            delayer = multiprocessing.Process(target=delay_packets, daemon=True,
                                              args=(os.getpid(), taps, self.links.delay, self.byte_seconds))
            delayer.start()
            self.stack.callback(delayer.join)
            self.stack.callback(delayer.kill)
        else:
            plug(near, "wire", self.hub, port)
        with inside(node):
            self.address(index, 16)
        if near is not node:
            self.bridge(near, "wire")
        self.bridge(self.hub, port)
        self.uplinks.append(near)
        for end, name, rates in ((near, "wire", self.links.up), (self.hub, port, self.links.down)):
            with inside(end):
                self.links.shape("add", name, CABLE if self.wired[index] else rates[0][1])

    def bridge(self, process, interface):
        """Adds an interface to the bridge of a namespace, and brings both up."""
        with inside(process):
            if process not in self.bridged:
                call("ip", "link", "add", "hub", "type", "bridge")
                call("ip", "link", "set", "hub", "up")
                self.bridged.add(process)
            call("ip", "link", "set", interface, "master", "hub")
            set_up(interface)

    def wait_for_carriers(self):
        """Until the kernel, up to a second late, knows that all links are up: it drops packets before."""
        over = time.monotonic() + LONGEST_WAIT
        for process in {*self.nodes, *self.bridged}:
            with inside(process):
                while "NO-CARRIER" in call("ip", "link", "show", "up"):
                    if time.monotonic() > over:
                        raise InputError(f"found a link without carrier after {LONGEST_WAIT} s, expected all to be up")
                    time.sleep(0.01)

    def follow_steps(self, begin):
        """Changes the rates when due, until the run is over."""
        steps = sorted([(when, True, rate) for when, rate in self.links.up[1:]]
                       + [(when, False, rate) for when, rate in self.links.down[1:]])
        for when, is_up, rate in steps:
            if self.over.wait(max(0, begin + when - time.monotonic())):
                return
            self.byte_seconds[not is_up] = self.links.byte_seconds(rate)
            for index, near in enumerate(self.uplinks):
                if not self.wired[index]:
                    with inside(near if is_up else self.hub):
                        self.links.shape("change", "wire" if is_up else f"port{index}", rate)


# ---------------------------------------------------------------- a run


def order(node, **what):
    node.stdin.write(json.dumps(what).encode() + b"\n")
    node.stdin.flush()


def answers(star, names):
    """(index, answer) of nodes as they come, until the caller has had enough."""
    with selectors.DefaultSelector() as ready:
        for index, node in enumerate(star.nodes):
            ready.register(node.stdout, selectors.EVENT_READ, index)
        begun = [b""] * len(star.nodes)
        while True:
            star.check()
            for key, _ in ready.select(timeout=1):
                index, read = key.data, os.read(key.fd, 1 << 20)
                if not read:
                    raise InputError(f"{names[index]}: its process ended, expected it to run")
                *lines, begun[index] = (begun[index] + read).split(b"\n")
                for answer in map(json.loads, lines):
                    if "failure" in answer:
                        raise InputError(f"{names[index]}: {answer['failure']}")
                    yield index, answer


def place(task, places):
    """A task whose devices are numbered by their places among those used."""
    def move(key, value):
        if key in ("previous", "next", "coordinator", "server", "node"):
            return places.get(value)
        if key == "nodes":
            return [places[one] for one in value]
        return [place(one, places) for one in value] if key == "clients" else value
    return {key: move(key, value) for key, value in task.items()}


def computing(case, options, are_remote):
    """What devices execute by PyTorch, each on a core of its own; are_remote: on a host of its own."""
    tasks = [(device, role, task) for device, roles in case.tasks.items() for role, task in roles.items()]
    if any(task.get("layers", "") is None for *_, task in tasks):
        raise InputError(f"--compute=real: found several plans in {case.row['planner']}, expected one of all devices")
    stages = {device: (role, task) for device, role, task in tasks if task.get("layers")}
    cores = [0] * len(stages) if are_remote else range(len(os.sched_getaffinity(0)))
    if len(stages) > len(cores):
        raise InputError(f"--compute=real: found {len(stages)} devices in {case.row['planner']}, expected at most "
                         f"{len(cores)}, one for each core of this machine")
    batch = {"stage": lambda _: options.count("micro-batch-size"), "worker": lambda task: task["samples"]}
    return {device: {"model": options["model"], "batch": batch[role](task) if role in batch else 1,
                     "layers": task["layers"], "trains": role in batch, "core": core}
            for (device, (role, task)), core in zip(stages.items(), cores)}


def execute(case, links, told, real, number_of_run):
    """Runs a case once; real: what devices execute by PyTorch; number_of_run: from 0."""
    used = sorted(case.tasks)
    places = {device: number_of for number_of, device in enumerate(used)}
    found, reports = [], {}
    devices = [device for device in used if "device" in case.tasks[device]] or used[:1]
    with links.connect([device in case.wired for device in used]) as star:
        heard = answers(star, [case.names[device] for device in used])
        for device, node in zip(used, star.nodes):
            order(node, index=places[device], addresses=star.addresses, iterations=case.count,
                  sendBufferBytes=0 if device in case.wired else links.send_buffer,
                  real=real.get(device),
                  tasks={role: place(task, places) for role, task in case.tasks[device].items()})
        for _ in used:
            next(heard)
        star.begin(number_of_run)
        for node in star.nodes:
            order(node, go=True)
        while len(found) < case.count * len(devices):
            index, answer = next(heard)
            found.append((used[index], answer["iteration"], answer["begin"], answer["end"]))
            told(len(found) / case.count / len(devices))
        for node in star.nodes:
            order(node, report=True)
        while len(reports) < len(used):  # a worker of a ring may still wait for its last message
            index, answer = next(heard)
            reports[used[index]] = answer
        star.finish()
    late = [end - start - seconds for report in reports.values() for *_, seconds, start, end in report["tasks"]]
    return Run(sorted(found), reports, used, statistics.fmean(late), star.late)


class Run:
    def __init__(self, iterations, reports, used, late, network_late):
        self.iterations, self.reports, self.used = iterations, reports, used
        self.late, self.network_late = late, network_late
        self.busy_share = max(report["busyShare"] for report in reports.values())

    def passes(self, device):
        """(forward, backward) seconds of each layer, of the passes of a device."""
        return [list(zip(forward, backward)) for *_, forward, backward in self.reports[device]["passes"]]

    def seconds(self):
        return statistics.fmean(end - start for *_, start, end in self.iterations)

    def events(self, name, names, first):
        """Of a timeline: tasks, and messages in lanes by their receiver; first: number of the first process."""
        for device in self.used:
            yield {"ph": "M", "name": "process_name", "pid": first + device,
                   "args": {"name": f"{name} / {names[device]}"}}
        for device, report in self.reports.items():
            for kind, iteration, micro_batch, _, start, end in report["tasks"]:
                yield self.span("task", kind, first + device, 0, start, end,
                                {"iteration": iteration, "microBatch": micro_batch})
            for kind, sender, iteration, micro_batch, size, sent, arrived in report["messages"]:
                yield self.span("transfer", KINDS[kind], first + self.used[sender], device + 1, sent, arrived,
                                {"iteration": iteration, "microBatch": micro_batch, "bytes": size})

    @staticmethod
    def span(category, name, process, lane, start, end, more):
        return {"ph": "X", "cat": category, "name": name, "pid": process, "tid": lane,
                "ts": max(0, round(1e6 * start, 3)), "dur": max(0, round(1e6 * (end - start), 3)), "args": more}


# ---------------------------------------------------------------- main


def describe(case, runs, figure):
    """A row of results.csv: what the simulation has as well, and what was measured."""
    row, means = case.row, [run.seconds() for run in runs]
    kept = ("case", "planner", "model", "cluster", "deviceType", "serverType", "devices", "workers", "link", "schedule",
            "exchange", "microBatches", "microBatchSize", "baseBatch", "iterations", "updates", "stages")
    last = ("plan", "bandwidthBitsPerSecond", "downlinkBitsPerSecond", "delaySeconds")
    return {**{name: row[name] for name in kept if name in row}, "runs": len(runs),
            figure: exact(statistics.fmean(means)), "spreadSeconds": exact(max(means) - min(means)),
            "lateSeconds": exact(statistics.fmean(run.late for run in runs)),
            "busyShare": exact(max(run.busy_share for run in runs)),
            **{name: exact(max(run.network_late[at] for run in runs))
               for at, name in enumerate(("networkLateSeconds", "networkLateShare"))}, **{name: row[name] for name in last}}


def write_passes(out, case, run, real):
    """The recordings of a case's devices; sets the seconds of its tasks to their means."""
    for device, what in real.items():
        passes = run.passes(device)
        forward, backward = (statistics.fmean(sum(layer[side] for layer in one) for one in passes) for side in range(2))
        role, task = next((role, task) for role, task in case.tasks[device].items() if task.get("layers"))
        if role == "stage":
            task.update(forwardSeconds=forward, backwardSeconds=backward)
        for one in task.get("clients", [task] * (role in SECONDS)):
            one[SECONDS[role]] = forward + backward
        name = f"{case.row['planner']}-{case.names[device]}".replace(":", "-").replace("/", "-")
        task["passes"] = f"passes-{name}.csv"
        out.write(task["passes"],
                  text_of_passes(what["model"], what["batch"], what["layers"], passes,
                                 [("mode", "training" if what["trains"] else "evaluation")]))


def execute_all(arguments):
    hosts = read_hosts(arguments.hosts, ROOT) if arguments.hosts else []
    is_real = arguments.compute == "real"
    run, links, cases = read_cases(arguments.folder, arguments.shaper, hosts, is_real)
    reals = [computing(case, run["options"], bool(hosts)) if is_real else {} for case in cases]
    if is_real:
        if arguments.runs > 1:
            raise InputError(f"--runs: found {arguments.runs}, expected 1 with --compute=real")
        if not hosts:
            need("torch", "torchvision")
    busy = BusyMachine(arguments.busy_machine)
    if not hosts:
        check_rights()
        busy.check_load(max(len(real) for real in reals) if is_real else 1)
    out = ResultsFolder.of_script(arguments.out)
    figures = WORKLOADS[run["scenario"]][1]
    figure, _ = figures
    progress, rows, table, events = Progress(), [], [], []
    for number_of, (case, real) in enumerate(zip(cases, reals)):
        runs = []
        for _ in range(arguments.runs):
            runs.append(execute(case, links, lambda share: progress.update(
                number_of * arguments.runs + len(runs) + share, len(cases) * arguments.runs, case.row["planner"]), real, len(runs)))
            table += [{"planner": case.row["planner"], "run": len(runs) - 1, "device": case.names[device],
                       "iteration": i, "startSeconds": exact(begin), "iterationSeconds": exact(end - begin)}
                      for device, i, begin, end in runs[-1].iterations]
        events += runs[0].events(case.row["planner"], case.names, 100000 * (number_of + 1))
        rows.append(describe(case, runs, figure))
        write_passes(out, case, runs[0], real)
    progress.close()
    out.write("results.csv", rows)
    out.write("iterations.csv", table)
    out.write("timeline.json", json.dumps({"displayTimeUnit": "ms", "traceEvents": events}) + "\n")
    out.write("run.json", json.dumps({
        **{name: run[name] for name in ("scenario", "versions", "rngSeed", "rngRun")},
        "options": {**run["options"], **links.options, "out": arguments.out},
        "testbed": {"kernel": platform.release(), "congestionControl": "cubic", "compute": arguments.compute,
                    "shaper": arguments.shaper, "date": datetime.date.today().isoformat(), "figures": figures,
                    "busy": busy.found, "tasks": [case.tasks for case in cases]}}, indent=2) + "\n")
    out.commit()
    print_table(["plan", "simulated (s)", "real (s)", "spread", "simulation error", "late", "busy"],
                [[row["planner"], f"{float(case.row[figure]):.4g}", f"{float(row[figure]):.4g}",
                  share(float(row["spreadSeconds"]) / float(row[figure])),
                  f"{float(case.row[figure]) / float(row[figure]) - 1:+.2%}",
                  f"{1e6 * float(row['lateSeconds']):.0f} us", f"{float(row['busyShare']):.0%}"]
                 for row, case in zip(rows, cases)])
    print("spread: range of the runs' means; late: of tasks, mean; busy: the machine's cores\n"
          + "simulated: with weight updates, which are left out of real\n" * (run["options"].get("weight-update") == "true")
          + f"{busy}\n" * bool(busy.found) + "\n"
          f"Results: {arguments.out}/")


def main():
    parser = Parser(__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="results of the simulation")
    parser.add_argument("--out", required=True, help="folder of the results")
    parser.add_argument("--shaper", choices=("host", "router", "ns3"), default="host",
                        help="where the buckets of uplinks are: host (TCP keeps data in the socket while its own "
                             "interface is busy), router (a namespace behind it), or ns3 (ns-3 in real time) "
                             "(default: %(default)s)")
    parser.add_argument("--hosts", type=Path, metavar="FILE",
                        help="file with a line HOST [FOLDER] for each device, in their order, reached by ssh: real hosts "
                             "with edgepipe in FOLDER (by default as here), and their own network")
    parser.add_argument("--compute", choices=("paced", "real"), default="paced",
                        help="paced: tasks wait as long as simulated ones; real: PyTorch executes them "
                             "(default: %(default)s)")
    parser.add_argument("--runs", type=number(1, 100, int), metavar="1 to 100",
                        help="runs of each plan (default: 3; 1 with --compute=real)")
    BusyMachine.add_option(parser.add_argument)
    arguments = parser.parse_args()
    arguments.runs = arguments.runs or (1 if arguments.compute == "real" else 3)
    execute_all(arguments)


if __name__ == "__main__":
    start(main)
