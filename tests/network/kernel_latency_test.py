# SPDX-License-Identifier: GPL-2.0-only
"""Requests over slow links take as long as over the real kernel's TCP, at either fidelity."""

import csv
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import unittest

from fidelity_floor import kernel_mean, name_kernel_case, read_floor
from places import BIN, InFolder, ROOT

RUNS = ROOT / "traces" / "links" / "kernel-latency.csv"
TOOL = ROOT / "traces" / "capture" / "record_kernel_latency.py"
PACKETS_TO_KERNEL = FLOWS_TO_PACKETS = 0.15
WITH_LOSSES = 0.18  # either, see has_losses()
# Where the shaper is the device's own, without delay, TCP hands it some 130 kB at once: a shorter
# queue drops what the host itself sends, and the tail is that of such losses.
SHORT_QUEUE = 100
LEAST_COMPARED = 0.8  # of all means and percentiles
# Before a recording with outages, where in one a short queue's losses fall is chance: the kernel's
# figures are means over runs, and so are those of packets, whose runs differ by a small delay.
DELAYS = ("0us", "200us", "400us")


def read_csv(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def read_kernel():
    """Returns {case: {shaper: row}}, a case being what else is asked."""
    cases = {}
    for row in read_csv(RUNS):
        shaper = row["shaper"]
        case = tuple((name, row[name]) for name in list(row)[1:15])
        cases.setdefault(case, {})[shaper] = row
    return cases


def describe(seconds):
    """Returns mean, 95th percentile, and the median after the first."""
    return (statistics.fmean(seconds), statistics.quantiles(seconds, n=20, method="inclusive")[-1],
            statistics.median(seconds[1:]))


def has_pauses(case):
    return case["delaySeconds"] != "0"


def write_profile(traces, device, name, seconds):
    """Write what the layers of a model take on a device, where `seconds` names them; the others take nothing."""
    layers = json.loads((traces / "models" / (name + ".json")).read_text(encoding="utf-8"))["layers"]
    path = traces / "profiles" / device / (name + ".b1.csv")
    path.parent.mkdir(parents=True)
    header = {"format": "edgepipe-profile 1", "model": name, "device": device, "batch": 1, "origin": "measured"}
    path.write_text("".join(["# %s: %s\n" % item for item in header.items()]
                            + ["layer,forwardSeconds,backwardSeconds\n"]
                            + ["%s,%r,0\n" % (one["name"], seconds.get(one["name"], 0)) for one in layers]),
                    encoding="utf-8")


def make_traces(traces, case):
    """A traces folder where computing takes as long as it was recorded with."""
    for path in (ROOT / "traces").iterdir():
        if path.name != "profiles":
            (traces / path.name).symlink_to(path)
    server = float(case["serverSeconds"])
    if case["pattern"] == "camera":
        write_profile(traces, "rtx-2080-ti", "googlenet", {"fc": server})
    else:
        write_profile(traces, "v100", "atari_cnn", {"features.linear1": server})
        # What the cut leaves to the server would take the actor long.
        write_profile(traces, "raspberry-pi-3b", "atari_cnn",
                      {"features.conv1": float(case["deviceSeconds"]), "features.linear1": 1})


def run(name, case, fidelity, delay, options):
    """Returns the folder with the results of a scenario over the link of a case."""
    if case["up"].endswith(".csv"):
        files = [str(RUNS.parent / case[way]) for way in ("up", "down")]
        link = ["--link=trace", "--trace-unsaturated=true", "--trace=" + files[0], "--trace-down=" + files[1]]
    else:
        rates = [",".join(step + "bps" for step in case[way].split(";")) for way in ("up", "down")]
        link = ["--link=4g", "--bandwidth=" + rates[0], "--downlink-bandwidth=" + rates[1]]
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as traces:
        make_traces(pathlib.Path(traces), case)
        done = subprocess.run(
            [BIN / name, *link, "--jitter=0ms",
             "--delay=" + (case["delaySeconds"] + "s" if has_pauses(case) else delay),
             "--queue=" + case["queuePackets"],
             "--send-buffer=" + case["sendBufferBytes"], "--fidelity=" + fidelity,
             "--traces=" + traces, "--out=" + folder] + options,
            capture_output=True, text=True, timeout=600, check=False)
        if done.returncode:
            raise AssertionError(done.stderr)
        return {path.name: read_csv(path) for path in pathlib.Path(folder).glob("*s.csv")}


def make_model(path, frame, answer):
    """Returns the path of a model that computes nothing; its input and answer have so many bytes."""
    layers = [{"name": name, "operator": name, "inputs": inputs, "outputShape": [size // 4], "flop": 0,
               "parameterBytes": 0, "outputBytes": size, "activationBytes": 0}
              for name, inputs, size in (("input", [], 4 * frame), ("linear", ["input"], answer))]
    path.write_text(json.dumps({"format": "edgepipe-model 1", "name": "frame", "source": "test",
                                "command": "", "inputShape": [frame], "layers": layers}),
                    encoding="utf-8")
    return path


def simulate_camera(case, fidelity, delay):
    with tempfile.TemporaryDirectory() as folder:
        model = "googlenet" if float(case["serverSeconds"]) else make_model(
            pathlib.Path(folder) / "frame.json", int(case["requestBytes"]), int(case["replyBytes"]))
        found = run("cooperative-inference", case, fidelity, delay,
                    ["--model=%s" % model, "--planner=cloud-only", "--monitor=oracle",
                     "--frames=" + case["requests"],
                     "--frame-rate=%r" % (1 / float(case["periodSeconds"]))])
    result, = found["results.csv"]
    assert result["uplinkBytesPerFrame"] == case["requestBytes"], result
    assert result["downlinkBytesPerFrame"] == case["replyBytes"], result
    return [float(row["latencySeconds"]) for row in found["frames.csv"] if row["status"] == "finished"]


def simulate_actor(case, fidelity, delay):
    count, period = int(case["requests"]), float(case["periodSeconds"])
    options = ["--actors=1", "--warm-up=0s", "--step-spread=0", "--step-time=%rs" % period,
               "--frame-element-bytes=1", "--train-batch=0", "--replan=false",
               "--meetings=false",
               "--duration=%rs" % (10 + count * (period + 0.5))]
    if case["bulkBytes"] == "0":
        options += ["--planner=all-server"]
    else:
        # A planner that takes the link for a fast one has the first layers on the actor.
        options += ["--planner=defp", "--actor=raspberry-pi-3b", "--planner-bandwidth=1Gbps",
                    "--bandwidth-budget=0.9", "--unroll=" + case["bulkEvery"]]
    found = run("actor-learner", case, fidelity, delay, options)
    result, = found["results.csv"]
    requests = int(result["requests"])
    for kind, size, count_of in (("tensorBytes", "requestBytes", requests),
                                 ("trajectoryBytes", "bulkBytes",
                                  requests // max(1, int(case["bulkEvery"] or 0)))):
        # The first requests are served on the actor, and what is under way at the end counts in part.
        if int(case[size]):
            sent = int(result[kind]) / int(case[size])
            assert 0.97 * count_of - 2 <= sent <= count_of + 1, (kind, result)
    return [float(row["responseSeconds"]) for row in found["steps.csv"][:count]]


def simulate(case, fidelity):
    """Returns what describe() does, and how many ended: means over the runs."""
    case = dict(case)
    is_chance = fidelity == "packet" and has_losses(case)
    one = simulate_camera if case["pattern"] == "camera" else simulate_actor
    runs = [one(case, fidelity, delay) for delay in (DELAYS if is_chance else DELAYS[:1])]
    means = [sum(figures) / len(runs) for figures in zip(*map(describe, runs))]
    return means, sum(map(len, runs)) / len(runs)


def is_unsteady(row, name):
    """Whether the kernel's own runs differ in a statistic by as much as others are allowed to."""
    return float(row[name + "Spread"]) > PACKETS_TO_KERNEL * float(row[name + "Seconds"])


def has_losses(case):
    """Whether a short queue loses packets in a recording's outages."""
    return dict(case)["up"].endswith(".csv") and int(dict(case)["queuePackets"]) <= SHORT_QUEUE


class KernelLatency(unittest.TestCase):
    EVERY = 3  # of so many cases one is simulated; all take minutes, see kernel_latency_long_test.py

    @classmethod
    def setUpClass(cls):
        cls.kernel = dict(list(read_kernel().items())[::cls.EVERY])
        cls.found = {case: {fidelity: simulate(case, fidelity) for fidelity in ("packet", "flow")}
                     for case in cls.kernel}
        # The columns of packets and flows in network.rst, mean and 95th percentile, and the median.
        for case, found in cls.found.items():
            print(*(dict(case)[name] for name in ("up", "queuePackets", "periodSeconds", "pattern",
                                                  "bulkBytes", "sendBufferBytes")),
                  *("%s %.3g %.3g %.3g" % (fidelity, *found[fidelity][0]) for fidelity in found))

    def assert_close(self, found, expected, share):
        self.assertLess(abs(found / expected - 1), share, "%.4f and %.4f s" % (found, expected))

    def test_packets_take_as_long_as_in_the_kernel(self):
        compared = skipped = 0
        for case, rows in self.kernel.items():
            if dict(case)["sendBufferBytes"] == "0":
                continue
            for shaper, row in rows.items():
                found, ended = self.found[case]["packet"]
                with self.subTest(shaper=shaper, case=case):
                    self.assertAlmostEqual(ended, int(row["ended"]), delta=1 + 0.03 * ended)
                for name, value in zip(("mean", "p95"), found):
                    expected = float(row[name + "Seconds"])
                    if is_unsteady(row, name) or (
                            name == "p95" and shaper == "sender"
                            and int(row["queuePackets"]) <= SHORT_QUEUE):
                        skipped += 1
                        continue
                    compared += 1
                    with self.subTest(statistic=name, shaper=shaper, case=case):
                        self.assert_close(value, expected,
                                          WITH_LOSSES if has_losses(case) else PACKETS_TO_KERNEL)
        self.assertGreater(compared, LEAST_COMPARED * (compared + skipped))

    def test_flows_take_as_long_as_packets(self):
        compared = skipped = 0
        for case, found in self.found.items():
            for name, flow, packet in zip(("mean", "p95"), found["flow"][0], found["packet"][0]):
                if any(is_unsteady(row, name) for row in self.kernel[case].values()):
                    skipped += 1
                    continue
                compared += 1
                with self.subTest(statistic=name, case=case):
                    self.assert_close(flow, packet, WITH_LOSSES if has_losses(case) else FLOWS_TO_PACKETS)
        self.assertGreater(compared, LEAST_COMPARED * (compared + skipped))

    def test_neither_lies_further_from_the_kernel_than_when_frozen(self):
        cases = {name_kernel_case(case): case for case in self.kernel}
        rows = [row for row in read_floor() if row["link"] == "kernel"]
        self.assertGreaterEqual(len(rows), 2 * 20)
        for row in rows:
            if row["case"] not in cases:
                continue
            with self.subTest(level=row["level"], case=row["case"]):
                case = cases[row["case"]]
                self.assertAlmostEqual(float(row["truthSeconds"]), kernel_mean(self.kernel[case]), places=5)
                found = self.found[case][row["level"]][0][0]
                self.assertLessEqual(abs(found / float(row["truthSeconds"]) - 1), float(row["allowance"]),
                                     "%.4f s, the kernel %s s, frozen %s s"
                                     % (found, row["truthSeconds"], row["seconds"]))

    def test_there_are_enough_cases(self):
        fixed = [dict(case) for case in read_kernel() if dict(case)["sendBufferBytes"] != "0"]
        self.assertGreaterEqual(len(fixed), 12)
        for pattern in ("camera", "actor"):
            queues = {int(case["queuePackets"]) for case in fixed if case["pattern"] == pattern}
            self.assertLessEqual(min(queues), 50)
            self.assertGreaterEqual(max(queues), 1000)


class Tool(InFolder):
    def refuse(self, text, *words):
        (self.folder / "cases.csv").write_text(text, encoding="utf-8")
        self.assert_one_line(self.start(sys.executable, TOOL, "cases.csv", "--out", "out.csv"), *words)
        self.assertFalse((self.folder / "out.csv").exists())

    def test_mistakes_are_one_line(self):
        lines = [line for line in RUNS.read_text(encoding="utf-8").splitlines()
                 if not line.startswith("#")][:2]
        self.refuse("", "shaper")
        self.refuse(lines[0].replace("queuePackets", "queue") + "\n", "queuePackets")
        for column, value in (("shaper", "modem"), ("up", "-1"), ("down", "1s:1e6"),
                              ("queuePackets", "1"), ("requests", "1.5"), ("periodSeconds", "nan"),
                              ("pattern", "")):
            with self.subTest(column=column):
                fields = lines[1].split(",")
                fields[lines[0].split(",").index(column)] = value
                self.refuse("# a comment\n" + lines[0] + "\n" + ",".join(fields) + "\n", ": line 3: ", column,
                            repr(value))
