# SPDX-License-Identifier: GPL-2.0-only
"""Simulations of all real runs in traces/testbed take as long as these; real computing; the page for runs of one's own."""

import csv
import json
import os
import shutil
import statistics
import sys
import unittest

from manual.documentation_long_test import LAUNCHER
from manual.documentation_test import DOC, read_blocks
from places import BIN, InFolder, ROOT, python_with
from programs import Program
from ssh_hosts import NEEDS_SSHD, SshHosts
from traces import testbed_test
from traces.testbed_test import NEEDS_NAMESPACES, TOOL

import edgepipe
from edgepipe.running import command_of

# Median and largest error of a group of drawn runs, by level.
LIMITS = {"packet": (0.02, 0.06), "flow": (0.03, 0.08)}


class Recorded(InFolder):
    def test_simulations_take_as_long(self):
        run = self.ended(self.start(ROOT / "ns3", "run", f"validation --out={self.folder}/v"))
        rows = [row for row in self.read_csv("v", "results.csv") if row["counts"] == "true"]
        for group in ("first", "held-out"):
            for level, (median, worst) in LIMITS.items():
                sizes = [abs(float(row[f"{level}Error"])) for row in rows if row["group"] == group]
                self.assertGreater(len(sizes), 30)
                self.assertLess(statistics.median(sizes), median)
                self.assertLess(max(sizes), worst)
        self.assertRegex(run.stdout, r"packet level (\d+) of \1, flow level (\d+) of \2")


@NEEDS_SSHD
@unittest.skipUnless(python_with("torch", "torchvision"), "needs PyTorch and torchvision")
class Page(SshHosts, InFolder):
    """Two namespaces stand for two Raspberry Pis."""

    def test_commands_of_the_page_as_printed(self):
        self.make_keys()
        net, join = self.make_bridge()
        users = self.folder / "passwd"
        users.write_text("root:x:0:0::/root:/bin/bash\npi:x:0:0::/home/pi:/bin/bash\n"
                         "sshd:x:100:65534::/run/sshd:/bin/false\n")
        for number, name in enumerate(("one", "two"), 2):
            home, address = self.folder / name, f"{net}.{number}"
            home.mkdir()
            with open(self.config, "a") as config:
                config.write(f"Host {name}\n HostName {address}\n")
            self.start_sshd(name, address, join,
                            f"taskset -cp {number - 2} $$; mount --bind {users} /etc/passwd && "
                            f"mount -t tmpfs none /home && mkdir /home/pi && mount --bind {home} /home/pi")
        here = self.folder / "here"
        for part in ("analysis", "traces"):
            shutil.copytree(ROOT / part, here / part, ignore=shutil.ignore_patterns("testbed"))
        (here / "ns3").write_text(LAUNCHER.format(root=ROOT))
        (here / "ns3").chmod(0o755)
        block, = (block for block in read_blocks(DOC / "validation" / "testbed.rst", "bash") if "--hosts" in block.text)
        run = self.start("bash", "-ec", f"cd here\n{block.text}", PATH=self.path, EDGEPIPE_TRACES=str(here / "traces"),
                         EDGEPIPE_BIN_DIR=str(BIN))
        self.ended(run)
        rows = self.read_csv("here/results/validation", "results.csv")
        self.assertEqual([row["run"] for row in rows], ["paced", "paced", "real", "real"])
        for row in rows:
            self.assertLess(abs(float(row["flowError"])), 0.2, row)


class Executed(Program):
    """Real runs by PyTorch."""

    execute, compare = testbed_test.Testbed.execute, testbed_test.Testbed.compare
    assert_as_long = testbed_test.Testbed.assert_as_long

    @NEEDS_NAMESPACES
    @unittest.skipUnless(python_with("torch", "torchvision"), "needs PyTorch and torchvision")
    @unittest.skipUnless(len(os.sched_getaffinity(0)) > 1, "needs a core for each stage")
    def test_pytorch_executes_stages(self):
        run = self.start(*command_of("pipeline-training"), "--model=squeezenet1_1", "--cluster=xeon-lab", "--devices=2",
                         "--planner=even", "--micro-batch-size=1", "--micro-batches=2", "--iterations=4", "--out=s")
        self.ended(run, stderr="")
        self.ended(self.start(sys.executable, TOOL, "s", "--out=r", "--busy-machine", "--compute=real"), stderr="")
        events = json.loads((self.folder / "r" / "timeline.json").read_text())["traceEvents"]
        tasks = [event for event in events if event.get("cat") == "task"]
        self.assertEqual(len(tasks), 4 * 2 * 2 * 2)
        recorded = 0
        for stage in range(2):
            rows = list(csv.DictReader(line for line in (
                self.folder / "r" / f"passes-even-xeon-1core-{stage}.csv").read_text().splitlines() if line[0] != "#"))
            self.assertEqual({row["iteration"] for row in rows}, {str(number) for number in range(8)})
            recorded += sum(float(row["forwardSeconds"]) + float(row["backwardSeconds"]) for row in rows)
        whole = sum(event["dur"] for event in tasks) / 1e6
        self.assertTrue(0.95 * whole < recorded < whole, (recorded, whole))
        self.ended(self.start(*command_of("validation"), "--runs=r", "--out=v"), stderr="")
        self.assertTrue(self.read_csv("v", "results.csv")[0]["flowCorrelation"])

    @NEEDS_NAMESPACES
    @unittest.skipUnless(python_with("torch", "torchvision"), "needs PyTorch and torchvision")
    @unittest.skipUnless(len(os.sched_getaffinity(0)) > 1, "needs a core for each worker")
    def test_pytorch_trains_shares(self):
        self.ended(self.start(*command_of("data-parallel"), "--model=squeezenet1_1", "--cluster=xeon-lab", "--devices=2",
                              "--planner=equal", "--base-batch=4", "--updates=5", "--bucket-bytes=0", "--out=s"), stderr="")
        self.ended(self.start(sys.executable, TOOL, "s", "--out=r", "--busy-machine", "--compute=real"), stderr="")
        events = json.loads((self.folder / "r" / "timeline.json").read_text())["traceEvents"]
        tasks = [event["dur"] / 1e6 for event in events if event.get("cat") == "task"]
        self.assertEqual(len(tasks), 5 * 2)
        told, = json.loads((self.folder / "r" / "run.json").read_text())["testbed"]["tasks"]
        mean = sum(roles["worker"]["computeSeconds"] for roles in told.values()) / 2
        self.assertTrue(0.95 * sum(tasks) / 10 < mean < sum(tasks) / 10, (mean, tasks))
        for worker in range(2):
            text = (self.folder / "r" / f"passes-equal-xeon-1core-{worker}.csv").read_text()
            self.assertIn("# batch: 2\n", text)
            self.assertEqual(len(text.splitlines()), 5 + 5 * len(told["0"]["worker"]["layers"]))
        self.ended(self.start(*command_of("validation"), "--runs=r", "--out=v"), stderr="")
        row, = self.read_csv("v", "results.csv")
        self.assertEqual(row["counts"], "false")
        self.assertTrue(row["flowCorrelation"])
        self.assertLess(float(row["flowError"]), 0.25)  # a busy machine is slower

    @NEEDS_NAMESPACES
    @unittest.skipUnless(python_with("torch", "torchvision"), "needs PyTorch and torchvision")
    @unittest.skipUnless(len(os.sched_getaffinity(0)) > 1, "needs a core for the device and one for the server")
    def test_pytorch_infers_on_device_and_server(self):
        infer = (*command_of("cooperative-inference"), "--model=squeezenet1_1", "--device=xeon-1core",
                 "--server=xeon-1core", "--link=lan", "--bandwidth=100Mbps", "--frames=6", "--replan=false", "--out=s")
        self.ended(self.start(*infer, "--planner=edge-only"), stderr="")
        problem = edgepipe.problem(self.folder / "s")
        names = [layer.name for layer in problem.layers]
        cut = problem.plan([*names[:6], *names[8:10]])  # of two branches the second
        self.assertEqual(cut.device_layers[-2:], ["features.3.expand3x3", "features.3.expand3x3_activation"])
        (self.folder / "p.json").write_text(json.dumps(cut.to_json()))
        self.ended(self.start(*infer, "--planner=plan:p.json,edge-only"), stderr="")
        plans = self.folder / "s" / "plans.csv"
        plans.write_text(plans.read_text().replace("xeon-1core-0", "../xeon"))
        self.ended(self.start(sys.executable, TOOL, "s", "--out=r", "--busy-machine", "--compute=real"), stderr="")
        tasks = [event for event in json.loads((self.folder / "r" / "timeline.json").read_text())["traceEvents"]
                 if event.get("cat") == "task"]
        told = json.loads((self.folder / "r" / "run.json").read_text())["testbed"]["tasks"]
        for roles, layers in ((told[0]["0"], cut.device_layers), (told[0]["1"], cut.server_layers), (told[1]["0"], names)):
            (role, task), = roles.items()
            rows = list(csv.DictReader(line for line in (self.folder / "r" / task["passes"]).read_text().splitlines()
                                       if line[0] != "#"))
            self.assertEqual([(row["iteration"], row["layer"]) for row in rows],
                             [(str(frame), layer) for frame in range(6) for layer in layers])
            self.assertEqual({row["backwardSeconds"] for row in rows}, {"0"})
            mean = task["deviceSeconds"] if role == "device" else task["clients"][0]["serverSeconds"]
            self.assertAlmostEqual(sum(float(row["forwardSeconds"]) for row in rows) / 6, mean, delta=1e-3 * mean)
        self.assertEqual(len(tasks), 3 * 6)
        recorded = 6 * sum((told[0]["0"]["device"]["deviceSeconds"], told[0]["1"]["server"]["clients"][0]["serverSeconds"],
                            told[1]["0"]["device"]["deviceSeconds"]))
        whole = sum(event["dur"] for event in tasks) / 1e6
        self.assertTrue(0.9 * whole < recorded < whole, (recorded, whole))
        self.ended(self.start(*command_of("validation"), "--runs=r", "--out=v"), stderr="")
        for row in self.read_csv("v", "results.csv"):
            self.assertTrue(row["flowCorrelation"])
            self.assertLess(float(row["flowError"]), 0.25)  # a busy machine is slower


class Replayed(Program):
    """The real runs in traces/testbed."""

    compare, compare_again = testbed_test.Recorded.compare, testbed_test.Recorded.compare_again

    def test_plans_on_a_busy_machine_and_those_that_send_nothing_are_not_counted(self):
        rows = self.compare("first/pipeline-05", "first/pipeline-08")
        self.assertEqual({key[1:] for key, row in rows.items() if row["counts"] == "false"},
                         {("pipeline-05", "even"), ("pipeline-08", "ga"), ("pipeline-08", "exact")})

    def test_recorded_passes_are_replayed(self):
        rows = self.compare("replay")
        self.assertEqual(len(rows), 2)
        for row in rows.values():
            for level in ("packet", "flow"):
                self.assertLess(abs(float(row[f"{level}Error"])), 0.03)
                self.assertGreater(float(row[f"{level}Correlation"]), 0.9)
            self.assertEqual(row["counts"], "false")
        alike = self.folder / "runs" / "replay" / "gpipe-disturbed" / "iterations.csv"
        head, *rows = alike.read_text().splitlines()
        alike.write_text("\n".join([head, *(row.rpartition(",")[0] + ",0.5" for row in rows)]))
        shutil.rmtree(alike.parent.with_name("1f1b-disturbed"))
        row, = self.compare_again().values()
        self.assertEqual(row["flowCorrelation"], "")
