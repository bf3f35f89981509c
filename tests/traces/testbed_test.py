# SPDX-License-Identifier: GPL-2.0-only
"""Real runs of plans (run_testbed.py), and their comparison with simulations (the study `validation`)."""

import contextlib
import itertools
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import unittest

from places import ROOT
from programs import Program
from ssh_hosts import NEEDS_SSHD, SshHosts, wait
from edgepipe.running import command_of

TOOL = ROOT / "traces" / "capture" / "run_testbed.py"
KERNEL = TOOL.with_name("record_kernel_latency.py")
LOSS = TOOL.with_name("record_kernel_loss.py")
RECORD = ROOT / "traces" / "capture" / "record_network.py"
RECORDED = ROOT / "traces" / "testbed"
NEEDS_NAMESPACES = unittest.skipUnless(
    all(map(shutil.which, ("ip", "tc", "ethtool", "unshare"))) and subprocess.run(
        ["unshare", "-n", "sh", "-c", "ip link add left type veth peer name right && test -c /dev/net/tun"],
        stderr=subprocess.DEVNULL).returncode == 0,
    "needs root, who may make network namespaces, iproute2 and ethtool")
PAIR = ("--planner=even,exact", "--micro-batches=3", "--iterations=2", "--bandwidth=20Mbps", "--weight-update=false",
        "--ns3::edgepipe::TensorTransport::SmallQueues=true")


class Testbed(Program):
    def execute(self, *words):
        return self.start(sys.executable, TOOL, "s", "--out=r", "--busy-machine", *(words or ("--runs=1",)), EDGEPIPE_TRACES=str(self.inputs))

    def compare(self):
        """The rows of validation for the real runs in r."""
        self.ended(self.run_program("validation", "--runs=r", "--out=v"), stderr="")
        return self.read_csv("v", "results.csv")

    def assert_as_long(self, row, below, above):
        """Simulated packets take as long as the real ones, unless the machine was busy and the run does not count."""
        ratio = float(row["packetSeconds"]) / float(row["realSeconds"])
        self.assertTrue(row["counts"] == "false" or below < ratio < above, row)

    @NEEDS_NAMESPACES
    def test_a_pipeline_takes_its_tasks_and_its_wires(self):
        for schedule in ("gpipe", "1f1b"):
            with self.case(schedule):
                self.train(*PAIR, f"--schedule={schedule}", "--out=s")
                self.ended(self.execute(), stderr="")
                simulated = {row["planner"]: row for row in self.read_csv("s", "results.csv")}
                for row in self.read_csv("r", "results.csv"):
                    # A bucket that was idle sends its first packet at once.
                    self.assertGreater(float(row["iterationSeconds"]),
                                       0.97 * float(simulated[row["planner"]]["predictedIterationSeconds"]))
                events = json.loads((self.folder / "r" / "timeline.json").read_text())["traceEvents"]
                sent = [event for event in events if event["name"] in ("activations", "gradients")]
                moved = sum(int(row["movedBytes"]) for row in simulated.values())
                payload = sum(event["args"]["bytes"] for event in sent)
                self.assertTrue(0 <= moved - payload < 0.01 * moved, (moved, payload))
                self.assertEqual(len({(e["pid"], e["name"], e["args"]["iteration"], e["args"]["microBatch"])
                                      for e in sent}), len(sent))
                for row in self.read_csv("r", "iterations.csv"):  # no link drops the first packets
                    self.assertLess(float(row["startSeconds"]), 0.5)
                self.ended(self.start(sys.executable, ROOT / "analysis" / "timeline.py", "r"), stderr="")
                even, exact, _ = self.compare()
                self.assertEqual((even["planner"], exact["planner"]), ("even", "exact"))
                self.train(*PAIR, f"--schedule={schedule}", "--fidelity=packet", "--out=p")
                packets = {row["planner"]: row for row in self.read_csv("p", "results.csv")}
                for row in (even, exact):
                    mine, packet = simulated[row["planner"]], packets[row["planner"]]
                    for level, expected in (("packet", packet["iterationSeconds"]), ("flow", mine["iterationSeconds"]),
                                            ("predicted", mine["predictedIterationSeconds"])):
                        self.assertLess(abs(float(row[f"{level}Seconds"]) / float(expected) - 1), 0.01, level)

    @NEEDS_NAMESPACES
    def test_frames_and_updates_are_executed_too(self):
        for name, words, figure in (
                ("cooperative-inference", ("--device=raspberry-pi-5", "--server=jetson-orin-nano", "--devices=2",
                                           "--frames=4", "--replan=false", "--planner=cloud-only,edge-only",
                                           "--link=4g", "--jitter=0s"), "meanLatencySeconds"),
                ("data-parallel", ("--cluster=lab", "--planner=equal", "--updates=2", "--bucket-bytes=0",
                                   "--bandwidth=20Mbps"), "iterationSeconds")):
            with self.case(name):
                self.ended(self.run_program(name, "--model=tiny", *words, "--out=s"))
                self.ended(self.execute(), stderr="")
                for mine, row in zip(self.read_csv("s", "results.csv"), self.compare()):
                    self.assertGreater(float(row["realSeconds"]), 0.8 * float(mine[figure]))
                    self.assertLess(abs(float(row["flowSeconds"]) / float(mine[figure]) - 1), 0.02)

    @NEEDS_NAMESPACES
    def test_nothing_is_left_after_a_kill(self):
        self.train(*PAIR, "--iterations=2000", "--delay=1ms", "--out=s")
        lines = (ROOT / "traces" / "links" / "kernel-latency.csv").read_text().splitlines()
        (self.folder / "cases.csv").write_text("\n".join(
            [*lines[:3], next(line for line in lines if re.match("router.*,camera,.*,0.007,", line))]))
        for (least, *tool), (kill, number) in itertools.product((
                (4, TOOL, "s", "--busy-machine"), (6, KERNEL, "cases.csv", "--at-once=1", "--busy-machine")), (
                (os.kill, signal.SIGKILL), (os.kill, signal.SIGTERM), (os.killpg, signal.SIGINT))):  # the last by Ctrl-C
            run = subprocess.Popen([sys.executable, *tool, "--out=r"], cwd=self.folder, start_new_session=True,
                                   stderr=subprocess.PIPE, text=True)
            self.addCleanup(run.kill)
            deadline = time.monotonic() + 60
            while len(self.list_session(run.pid)) < least:
                self.assertLess(time.monotonic(), deadline, "no nodes were started")
                time.sleep(0.1)
            time.sleep(0.5)
            kill(run.pid, number)
            self.assertEqual(run.communicate(timeout=60)[1], "")
            while self.list_session(run.pid):
                self.assertLess(time.monotonic(), deadline, "processes are left")
                time.sleep(0.1)

    @staticmethod
    def list_session(leader):
        return subprocess.run(["ps", "-o", "pid=", "-s", str(leader)], capture_output=True, text=True).stdout.split()

    @NEEDS_NAMESPACES
    def test_a_kernel_is_slowed_by_losses(self):
        head = "delay one way (ms),lost each way (%),bytes,messages,kernel (s),setting\n"
        (self.folder / "cases.csv").write_text(head + "20,0,15000,20,-,a\n20,3,15000,40,-,b\n")
        self.ended(self.start(sys.executable, LOSS, "cases.csv", "--runs=1", "--out=o.csv", "--busy-machine"), stderr="")
        rows = self.read_csv("", "o.csv")
        self.assertEqual([row["setting"] for row in rows], ["a", "b"])
        idle, lossy = (float(row["kernel (s)"]) for row in rows)
        self.assertGreater(idle, 0.04)  # a round trip and 1.2 ms; two without a grown window
        self.assertGreater(lossy, 1.1 * idle)
        (self.folder / "cases.csv").write_text(head + "20,three,15000,20,-,a\n")
        self.ended(self.start(sys.executable, LOSS, "cases.csv", "--out=o.csv"), 2, stderr=(
            'record_kernel_loss.py: cases.csv: line 2: lost each way (%): found "three", expected a number up to 90\n'))

    @NEEDS_NAMESPACES
    def test_simulated_links_carry_real_packets(self):
        for words in (("--link=lan", "--bandwidth=20Mbps", "--delay=2ms"), ("--link=wifi", "--distance=10"),
                      ("--link=lan", "--bandwidth=20Mbps", "--delay=2ms", "--loss=0.01", "--fidelity=packet")):
            with self.case(" ".join(words)):
                self.train("--planner=even", "--iterations=3", "--weight-update=false", *words, "--out=s")
                self.ended(self.execute("--shaper=ns3"), stderr="")
                row, = self.compare()
                loses = "--fidelity=packet" in words  # a kernel repairs these short messages sooner
                self.assert_as_long(row, 0.7, 2 if loses else 1.1)
                self.assertEqual(bool(row["flowSeconds"]), not loses)
        shutil.rmtree(self.folder / "r")
        self.train("--planner=even", "--link=lte", "--out=s")
        self.assert_one_line(self.execute("--shaper=ns3"), "found --link=lte")
        for words, said in ((("--taps=77",), "at most 250 open descriptors"), (("--taps=0", "--link=lte"), "--link"),
                            (("--taps=0", "--fidelity=flow"), "--fidelity")):
            self.assert_one_line(self.start(*command_of("live-network"), *words), said)

    @NEEDS_NAMESPACES
    def test_the_network_stays_until_the_last_worker_has_its_message(self):
        self.ended(self.run_program("data-parallel", "--model=tiny", "--cluster=lab", "--planner=equal", "--updates=3",
                                    "--bucket-bytes=0", "--link=wifi", "--wifi-standard=n", "--distance=40", "--out=s"))
        self.ended(self.execute("--shaper=ns3", "--runs=3"), stderr="")
        self.assert_as_long(self.compare()[0], 0.9, 1.1)

    @NEEDS_NAMESPACES
    def test_inference_over_simulated_wires_begins_at_once(self):
        infer = ("cooperative-inference", "--model=tiny", "--device=raspberry-pi-5", "--server=jetson-orin-nano",
                 "--devices=5", "--frames=3", "--replan=false", "--planner=cloud-only", "--out=s")
        self.ended(self.run_program(*infer, "--link=lan", "--bandwidth=20Mbps"))
        self.ended(self.execute("--shaper=ns3", "--runs=3"), stderr="")
        starts = [float(row["startSeconds"]) for row in self.read_csv("r", "iterations.csv") if row["iteration"] == "0"]
        self.assertEqual(len(starts), 3 * 5)
        self.assertLess(max(starts), 0.5)  # else a SYN was lost
        self.assert_as_long(self.compare()[0], 0.9, 1.1)
        self.ended(self.run_program(*infer, "--link=4g"))
        self.assert_one_line(self.execute("--shaper=ns3"), "found a server on a cable", "expected --link=lan")

    @NEEDS_NAMESPACES
    def test_a_network_that_ends_is_one_line(self):
        self.train("--planner=even", "--iterations=100", "--weight-update=false", "--out=s")
        program = self.folder / "bin" / "live-network"
        program.parent.mkdir()
        program.write_text("#!/bin/sh\necho ready\nread line\nexit 1\n")
        program.chmod(0o755)
        run = self.start(sys.executable, TOOL, "s", "--out=r", "--busy-machine", "--shaper=ns3", EDGEPIPE_BIN_DIR=str(program.parent))
        self.assert_one_line(run, "live-network: its process ended, expected it to run")
        self.assertFalse((self.folder / "r").exists())

    def test_real_computing_is_refused_where_it_is_none(self):
        for words, more, said in ((("--planner=even", "--devices=2"), ("--runs=2",), "--runs: found 2, expected 1"),
                                  (("--planner=even",), (), "found 3 devices in even, expected at most")):
            with self.case(said):
                self.train(*words, "--out=s")
                self.assert_one_line(self.execute("--compute=real", *more), said)
        self.ended(self.run_program("cooperative-inference", "--model=tiny", "--device=raspberry-pi-5", "--devices=2",
                                    "--server=jetson-orin-nano", "--planner=cloud-only", "--replan=false", "--link=lan",
                                    "--out=s"))
        path = self.folder / "s" / "results.csv"
        path.write_text(path.read_text().replace("server image..head", "a image..head | b: server image..head"))
        self.assert_one_line(self.execute("--compute=real"), "found several plans in cloud-only, expected one")
        shutil.copy(self.inputs / "problem.json", self.folder / "s")
        self.assert_one_line(self.execute("--compute=real"), "s/problem.json: problem: found 'pipeline', expected two-way-cut")

    @NEEDS_NAMESPACES
    def test_what_a_machine_lacks_is_one_line(self):
        self.train(*PAIR, "--devices=1", "--delay=1ms", "--out=s")
        for name in ("torch", "torchvision"):
            (self.inputs / f"{name}.py").write_text("raise ImportError")
        for name, *words in (("run_testbed.py", "s", "--compute=real"), ("profile_model.py", "alexnet", "--device=d")):
            self.assert_one_line(self.start(sys.executable, TOOL.with_name(name), *words, "--out=r", PYTHONPATH=str(self.inputs)),
                                 "has no torch and no torchvision: apt install", status=1)
        order = {"real": {"model": "alexnet", "batch": 1, "layers": ["input"], "trains": True, "core": 0}}
        for raised, said in (("ImportError", "has no torch and no torchvision: apt install"),
                             ("RuntimeError('no memory\\nfor it')", "no memory")):
            (self.inputs / "torch.py").write_text(f"raise {raised}")
            node = subprocess.run([sys.executable, TOOL.with_name("testbed_node.py")], input=json.dumps(order), text=True,
                                  capture_output=True, env={**os.environ, "PYTHONPATH": str(self.inputs)})
            self.assertRegex(json.loads(node.stdout)["failure"], f"^.*{said}.*$")
            self.assertEqual(node.stderr, "")
        without_tc = self.inputs / "path"
        without_tc.mkdir()
        for tool in ("ip", "ethtool"):
            (without_tc / tool).symlink_to(shutil.which(tool))
        lacking = ["setpriv", "--inh-caps=-all", "--bounding-set"]
        for before, said in ((["setpriv", "--reuid=65534", "--clear-groups"], "found user 65534, expected root"),
                             ([*lacking, "-sys_admin"], "expected CAP_SYS_ADMIN"), ([*lacking, "-sys_nice"], "expected CAP_SYS_NICE"),
                             ([*lacking, "-net_admin"], "/dev/net/tun: Operation not permitted, expected a kernel with TAP"),
                             (["env", f"PATH={without_tc}"], "found no tc, expected it to be installed"),
                             (["unshare", "-m", "sh", "-c", 'mount --bind /dev/null /dev/net/tun && exec "$@"', "sh"],
                              "/dev/net/tun: Inappropriate ioctl for device, expected a kernel with TAP")):
            for more in ((), ("--shaper=ns3",)):
                with self.subTest(said, more=more):
                    self.assert_one_line(self.start(*before, sys.executable, TOOL, "s", "--out=r", "--busy-machine", "--runs=1", *more), said)
        self.assertFalse((self.folder / "r").exists())

    def test_mistakes_are_one_line(self):
        for words, said in ((("--schedule=seq1f1b",), "expected gpipe or 1f1b"),
                            (("--loss=0.01", "--fidelity=packet"), "--loss=0.01"),
                            (("--link=4g",), "with --jitter=0s"),
                            (("--planner=hybrid",), "expected one device a stage"),
                            (("--link=wifi",), '"wifi"'), (("--adjacent=on",), "expected --adjacent=off")):
            with self.case(" ".join(words)):
                self.train(*words, "--out=s")
                self.assert_one_line(self.execute(), said)
                self.assertFalse((self.folder / "r").exists())
        for name, old, new, said in (
                ("run.json", '"load": "",', "", '"load" is missing'),
                ("run.json", '"iterations": "1"', '"iterations": "0"', 'found "0"'),
                ("results.csv", ",link,", ",net,", '"link" is missing'), ("problem.json", "{", "[", "s/problem.json")):
            with self.case(said):
                self.train("--out=s")
                path = self.folder / "s" / name
                text = path.read_text()
                self.assertIn(old, text)
                path.write_text(text.replace(old, new, 1))
                self.assert_one_line(self.execute(), said)
        (self.folder / "s" / "run.json").write_text('{"scenario": "actor-learner"}')
        self.assert_one_line(self.execute(), '"actor-learner"', "expected pipeline-training, cooperative-inference")
        self.assert_one_line(self.run_program("validation", "--runs=s"), "testbed")
        self.assert_one_line(self.run_program("validation", "--runs=none"), "run_testbed.py")
        for old, new, said in (('"tasks"', '"x"', "tasks: found null"), ("4941984", '"x"', "tasks: found"),
                               ("4941984", "Infinity", "tasks: found"),
                               ('"rank"', '"clients": 5, "rank"', "tasks: found"), ('"loss": "0"', '"loss": "lots"', "--loss"),
                               ('"loss": "0"', '"loss": 0', "options: found"),
                               ('"tasks": [', '"tasks": [{"0": {"worker": {}}},', "found 1 rows, expected 2"),
                               ('"data-parallel"', "[]", "scenario: found []")):
            with self.case(old):
                shutil.copytree(RECORDED / "first" / "ring-01", self.folder / "t")
                about = self.folder / "t" / "run.json"
                about.write_text(about.read_text().replace(old, new, 1))
                self.assert_one_line(self.run_program("validation", "--runs=t"), said)
        shutil.copytree(RECORDED / "replay" / "gpipe-disturbed", self.folder / "u")
        path = self.folder / "u" / "passes-even-xeon-1core-0.csv"
        head, _, rows = path.read_text().partition("input,")
        path.write_text(f"{head}input,nan,{rows.partition(',')[2]}")
        self.assert_one_line(self.run_program("validation", "--runs=u"),
                             f'{path.name}: line 5: forwardSeconds: found "nan", expected a number')


class Recorded(Program):
    """The real runs in traces/testbed."""

    def compare(self, *places):
        for place in places:
            shutil.copytree(RECORDED / place, self.folder / "runs" / place)
        return self.compare_again()

    def compare_again(self):
        self.ended(self.run_program("validation", "--runs=runs", "--out=v"), stderr="")
        return {(row["group"], row["run"].split("/")[1], row["planner"]): row for row in self.read_csv("v", "results.csv")}

    def test_hosts_queues_are_small_and_those_of_routers_are_not(self):
        rows = self.compare("two-way-host", "two-way-router")
        for name, planner, least in (("ring", "equal", 0.15), ("pipeline", "even", 0.07)):
            host, router = (rows[f"two-way-{shaper}", name, planner] for shaper in ("host", "router"))
            for row, level in ((host, "packet"), (host, "flow"), (router, "packet")):
                self.assertLess(abs(float(row[f"{level}Error"])), 0.03)
            # Without the hosts' small queues it would be as long as behind a router.
            self.assertGreater(float(router["packetSeconds"]) / float(host["realSeconds"]) - 1, least)

    def test_passes_of_shares_and_frames_are_replayed(self):
        for name in ("ring-01", "inference-00"):
            before, where = self.compare(f"first/{name}"), self.folder / "runs" / "first" / name
            run = json.loads((where / "run.json").read_text())
            run["testbed"]["compute"], times, more = "real", (where / "iterations.csv").read_text().splitlines(), {}
            (where / "iterations.csv").write_text("\n".join(
                [times[0], *(f"{line.rpartition(',')[0]},{int(line.split(',')[3]) + 1}" for line in times[1:]
                             if line.split(",")[1] == "0")]))
            count = int(run["options"].get("updates", run["options"].get("frames")))
            for row, tasks in zip(before.values(), run["testbed"]["tasks"]):
                for device, roles in tasks.items():
                    for role, task in roles.items():
                        figure = {"worker": "computeSeconds", "device": "deviceSeconds", "server": "serverSeconds"}[role]
                        seconds = task.get("clients", [task])[0][figure]
                        if seconds:
                            task["passes"] = f"p{len(list(where.iterdir()))}.csv"
                            (where / task["passes"]).write_text("iteration,layer,forwardSeconds,backwardSeconds\n" + "".join(
                                f"{k},a,{seconds / 4},0\n{k},b,{seconds * (k + 0.75)},0\n" for k in range(count)))
                            more[row["planner"]] = more.get(row["planner"], 0) + seconds * (count - 1) / 2 / (
                                len(tasks) if role == "worker" else 1)
            (where / "run.json").write_text(json.dumps(run))
            for key, row in self.compare_again().items():
                self.assertGreater(float(row["flowCorrelation"]), 0.999)
                self.assertAlmostEqual(float(row["flowSeconds"]) - float(before[key]["flowSeconds"]), more[row["planner"]],
                                       delta=0.01 * more[row["planner"]])
            shutil.rmtree(where)

@NEEDS_SSHD
class Hosts(SshHosts, Program):
    """Two namespaces on a bridge stand for two machines."""

    def setUp(self):
        super().setUp()
        self.make_keys()
        net, join = self.make_bridge()
        self.hosts, self.spaces = [f"{net}.2", f"{net}.3"], []
        for name, address in zip("ab", self.hosts):
            self.spaces.append(self.start_sshd(name, address, join))
        self.train("--devices=2", "--planner=even", "--iterations=3", "--weight-update=false", "--bandwidth=1Gbps",
                   "--delay=20us", "--out=s")

    def execute(self, lines, *words):
        (self.folder / "hosts").write_text("".join(f"{line}\n" for line in lines))
        return self.start(sys.executable, TOOL, "s", "--out=r", "--busy-machine", "--runs=1", "--hosts=hosts", *words,
                          EDGEPIPE_TRACES=str(self.inputs), PATH=self.path)

    def test_a_plan_is_executed_on_other_hosts(self):
        self.ended(self.execute(f"{address} {ROOT}" for address in self.hosts), stderr="")
        row, = self.read_csv("r", "results.csv")
        simulated, = self.read_csv("s", "results.csv")
        ratio = float(row["iterationSeconds"]) / float(simulated["iterationSeconds"])
        self.assertGreater(ratio, 0.97)
        events = json.loads((self.folder / "r" / "timeline.json").read_text())["traceEvents"]
        self.assertEqual(len({event["pid"] for event in events if event.get("cat") == "task"}), 2)
        self.assertTrue(all(0 <= event["ts"] < 1e7 for event in events if "ts" in event))

    def test_mistakes_are_one_line(self):
        first, second = (f"{address} {ROOT}" for address in self.hosts)
        for lines, said in (([first], "--hosts: found 1 hosts, expected 2"), ([first, first], "twice"),
                            ([first, f"{self.hosts[1]} /nowhere"], "its process ended"),
                            ([first, f"no-such-host.invalid {ROOT}"], "no-such-host.invalid: ")):
            with self.subTest(said):
                run = self.execute(lines)
                self.assertNotEqual(run.returncode, 0)
                self.assertIn(said, run.stderr)
                self.assertFalse((self.folder / "r").exists())

    def test_nothing_is_left_on_hosts_after_a_kill(self):
        self.ended(self.run_program("cooperative-inference", "--model=tiny", "--device=raspberry-pi-5", "--replan=false",
                                    "--server=jetson-orin-nano", "--planner=cloud-only", "--link=lan", "--frames=20000",
                                    "--out=s"))
        (self.folder / "hosts").write_text("".join(f"{address} {ROOT}\n" for address in self.hosts))
        run = subprocess.Popen([sys.executable, TOOL, "s", "--out=r", "--busy-machine", "--hosts=hosts"], cwd=self.folder,
                               env={**os.environ, "PATH": self.path}, stderr=subprocess.DEVNULL)
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        wait(lambda: all(map(self.list_nodes, self.spaces)))
        time.sleep(1)  # it runs
        self.assertIsNone(run.poll())
        run.kill()
        wait(lambda: not any(map(self.list_nodes, self.spaces)), seconds=10)

    @staticmethod
    def list_nodes(space):
        """Devices of a testbed in a namespace."""
        pids = subprocess.run(["ip", "netns", "pids", space], capture_output=True, text=True, check=True).stdout.split()
        return pids and "testbed_node" in subprocess.run(["ps", "-o", "args=", "-p", ",".join(pids)], capture_output=True,
                                                         text=True).stdout

    def test_any_link_may_describe_their_network(self):
        self.train("--devices=2", "--planner=even", "--weight-update=false", "--link=lte", "--out=s")
        self.ended(self.execute(f"{address} {ROOT}" for address in self.hosts), stderr="")


class RecordNetwork(Program):
    def test_both_ways_are_recorded_and_replayed(self):
        with socket.create_server(("", 0)) as free:
            port = free.getsockname()[1]
        there = subprocess.Popen([sys.executable, RECORD, f"--listen={port}"], stdout=subprocess.PIPE, text=True)
        self.addCleanup(there.stdout.close)
        self.addCleanup(there.wait)
        self.addCleanup(there.kill)
        words = ("localhost", str(port), "--seconds=0.47",  # whose rest of an interval is left out
                  "--interval=0.1", "--out=n")
        deadline = time.monotonic() + 30
        while (run := self.start(sys.executable, RECORD, *words)).returncode and time.monotonic() < deadline:
            self.assert_one_line(run, "Connection refused", status=1)
        self.ended(run, stderr="")
        for name in ("n.up.csv", "n.down.csv"):
            lines = (self.folder / name).read_text().splitlines()
            self.assertEqual([line.split(",")[0] for line in lines[4:]], ["seconds", "0", "0.1", "0.2", "0.3"])
            self.assertTrue(all(float(line.split(",")[1]) > 1e6 for line in lines[5:]), lines)
        self.ended(self.run_program("cooperative-inference", "--model=tiny", "--device=raspberry-pi-5", "--frames=2",
                                    "--server=jetson-orin-nano", "--link=trace", "--trace=n.up.csv", "--out=o"))

    def test_mistakes_are_one_line(self):
        for words, said in (((), "expected a host, or --listen PORT"), (("h", "--seconds=0"), "0.1 to 86400"),
                            (("h", "--seconds=1", "--interval=2"), "--interval: found 2"),
                            (("--listen=70000",), "1 to 65535"), (("h", "--out=none/n"), "--out: found none/n")):
            self.assert_one_line(self.start(sys.executable, RECORD, *words), said, status=1)
        with socket.create_server(("", 0)) as other:
            def answer():
                with contextlib.suppress(OSError), other.accept()[0] as end:
                    end.sendall(b"SSH-2.0-other")
                    while end.recv(100):
                        pass
            threading.Thread(target=answer, daemon=True).start()
            self.assert_one_line(self.start(sys.executable, RECORD, "localhost", str(other.getsockname()[1])),
                                 "found something else, expected record_network.py --listen", status=1)
