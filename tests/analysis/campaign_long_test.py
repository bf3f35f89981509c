# SPDX-License-Identifier: GPL-2.0-only
"""Campaigns of 200 cases: killed, on two hosts that share no file system, and in a Slurm of its own."""

import os
import shutil
import socket
import sqlite3
import subprocess
import unittest

from analysis import campaign_test

from fake_scenario import NAME, NEEDS_TIME, SCENARIO, SERVE, Scenario
from places import BIN, ROOT
from ssh_hosts import NEEDS_SSHD, SshHosts, run, wait

IS_ROOT = os.geteuid() == 0
STUDY = {"grid": {"value": "1..25", "mood": ["good", "bad"]}, "repetitions": 4}


@NEEDS_TIME
class KillTest(campaign_test.KillTest):
    """200 simulations over devices, planners and seeds."""

    test_three_kills_lose_what_was_in_flight_at_most = None

    def test_two_hundred_cases(self):
        program = self.folder / "bin" / "pipeline-training"
        program.write_text('#!/bin/sh\n' + SERVE + 'case " $* " in *" --dry-run "*|*" --help "*|*" --describe "*) ;;\n'
                           f'*) echo "$*" >>"$CALLS";; esac\nexec {BIN}/pipeline-training "$@"\n')
        program.chmod(0o755)
        self.compare_with_undisturbed(200, {
            "scenario": "pipeline-training", "options": {"link": "wifi", "model": "mnist_cnn"},
            "grid": {"micro-batches": "2..32 log2", "planner": ["even", "dp"]}, "repetitions": 20})


class Elsewhere(Scenario):
    """A checkout of its own, so that it can be the same elsewhere."""

    def setUp(self):
        super().setUp()
        self.tree = self.folder / "coordinator" / "tree"
        for name in ("analysis", "contrib/edgepipe/model", "contrib/edgepipe/helper", "scenarios", "traces"):
            shutil.copytree(ROOT / name, self.tree / name,
                            ignore=shutil.ignore_patterns("__pycache__", "papers"))
        git = ["git", "-C", self.tree, "-c", "user.name=a", "-c", "user.email=a@b"]
        run(*git, "init", "-q")
        run(*git, "add", "-A")
        run(*git, "commit", "-qm", "all")
        program = self.tree / "build" / "bin" / NAME
        program.parent.mkdir(parents=True)
        program.write_text(SCENARIO)
        program.chmod(0o755)
        del self.environment["EDGEPIPE_BIN_DIR"]

    def command(self, verb, *words):
        return [str(self.tree / "analysis" / "campaign.py"), verb, *words, str(self.study)]

    def content_of_local(self, study):
        """What the cores of this machine give."""
        self.write(**study, database=str(self.folder / "local.sqlite"))
        self.campaign("run", status=1)
        return self.content("local.sqlite")


@NEEDS_TIME
@NEEDS_SSHD
class HostsTest(SshHosts, Elsewhere):
    def setUp(self):
        super().setUp()
        self.hosts = {}
        self.make_keys()
        self.environment["PATH"] = self.path
        for number, name in enumerate("ab"):
            self.start_host(name, f"10.{200 + os.getpid() % 50}.{number}")
        self.write_hosts()

    def start_host(self, name, net):
        """An sshd that sees its own checkout and neither the coordinator's folder nor the other's."""
        shutil.copytree(self.tree, self.folder / name / "tree", symlinks=True)
        other = {"a": "b", "b": "a"}[name]
        (self.folder / other).mkdir(exist_ok=True)
        space = self.start_sshd(name, f"{net}.2", lambda link: run("ip", "addr", "add", f"{net}.1/24", "dev", link),
                                f"mount -t tmpfs none {self.folder}/coordinator && mount -t tmpfs none {self.folder}/{other}")
        self.hosts[f"{net}.2"] = (name, space)

    def write_hosts(self):
        (self.folder / "hosts").write_text("# two machines\n" + "".join(
            f"2/{address} {self.folder}/{name}/tree\n"
            for address, (name, _) in self.hosts.items()))
        self.over_ssh = {"engine": {"hosts": str(self.folder / "hosts")},
                         "database": str(self.folder / "coordinator" / "base.sqlite")}

    def ran_on(self, name):
        path = self.folder / name / "tree" / "calls"
        return path.read_text().splitlines() if path.exists() else []

    def test_both_give_what_one_gives(self):
        self.write(**STUDY, **self.over_ssh)
        self.assertIn("100 of 200 cases are done, 100 failed", self.campaign("run", status=1))
        content = self.content("coordinator/base.sqlite")
        self.assertEqual(len(self.ran_on("a")) + len(self.ran_on("b")), 200)
        self.assertGreater(len(self.ran_on("a")), 20)
        self.assertGreater(len(self.ran_on("b")), 20)
        with sqlite3.connect(self.folder / "coordinator" / "base.sqlite") as base:
            hosts = {host for host, in base.execute("SELECT DISTINCT host FROM cases")}
        self.assertEqual(hosts, set(self.hosts))
        self.assertEqual(self.content_of_local(STUDY), content)

    def test_one_that_dies_loses_nothing(self):
        study = {**STUDY, "options": {"seconds": 0.2}}
        self.write(**study, **self.over_ssh)
        campaign = subprocess.Popen(self.command("run"), env=self.environment, text=True,
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        wait(lambda: len(self.ran_on("b")) > 5)
        address, = (one for one, (name, _) in self.hosts.items() if name == "b")
        self.kill_host(self.hosts[address][1])
        said, warned = campaign.communicate(timeout=300)
        self.assertIn("100 of 200 cases are done, 100 failed", said, warned)
        self.assertIn(f"host {address} is left out", warned)
        self.assertEqual(self.content_of_local(study), self.content("coordinator/base.sqlite"))

    def test_a_host_must_have_the_same_program(self):
        self.write(**STUDY, **self.over_ssh)
        source = self.folder / "b" / "tree" / "scenarios" / "plan.cc"
        text = source.read_text()
        source.write_text(text + "\n")
        self.assertRegex(self.campaign("run", status=2), r"host 10\.\d+\.1\.2: commit: found '\w+\+'")
        source.write_text(text)
        program = self.folder / "a" / "tree" / "build" / "bin" / NAME
        program.write_text(program.read_text().replace("folder", "other"))
        self.assertRegex(self.campaign("run", status=2), r"host 10\.\d+\.0\.2: program: found")
        program.unlink()
        self.assertRegex(self.campaign("run", status=2), r"host 10\.\d+\.0\.2: program: found ''")
        shutil.rmtree(self.folder / "a" / "tree")
        self.assertRegex(self.campaign("run", status=2), r"expected edgepipe as here, built")
        self.assertEqual(self.ran_on("b"), [])


@unittest.skipUnless(IS_ROOT and all(map(shutil.which, ("slurmctld", "slurmd", "munged"))),
                     "needs root and the package slurm-wlm")
class SlurmTest(Elsewhere):
    def setUp(self):
        super().setUp()
        place = self.folder / "slurm"
        for name in ("state", "spool"):
            (place / name).mkdir(parents=True)
        place.chmod(0o755)
        key = place / "key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        self.start(["munged", "--foreground", "--force", f"--key-file={key}",
                    f"--socket={place}/munge", f"--pid-file={place}/munge.pid",
                    f"--log-file={place}/munge.log", f"--seed-file={place}/seed"])
        wait((place / "munge").exists)
        node = socket.gethostname().split(".")[0]
        config = place / "slurm.conf"
        config.write_text(f"""ClusterName=edgepipe
SlurmctldHost={node}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={place}/munge
SlurmctldPort={free_port()}
SlurmdPort={free_port()}
StateSaveLocation={place}/state
SlurmdSpoolDir={place}/spool
SlurmctldPidFile={place}/slurmctld.pid
SlurmdPidFile={place}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
NodeName={node} NodeAddr=127.0.0.1 CPUs={os.cpu_count()} State=UNKNOWN
PartitionName=all Nodes={node} Default=YES MaxTime=INFINITE State=UP
""")
        self.environment["SLURM_CONF"] = str(config)
        self.start(["slurmctld", "-D", "-f", config])
        self.start(["slurmd", "-D", "-f", config])
        wait(lambda: "idle" in subprocess.run(["sinfo", "--noheader"], env=self.environment,
                                              capture_output=True, text=True).stdout)

    def start(self, words):
        program = shutil.which(str(words[0])) or f"/usr/sbin/{words[0]}"
        process = subprocess.Popen([program, *map(str, words[1:])], env=self.environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)

    def test_arrays_give_what_one_machine_gives(self):
        self.write(**STUDY, engine="slurm")
        self.assertIn("100 of 200 cases are done, 100 failed", self.campaign("run", status=1))
        self.assert_tidy()
        content = self.content()
        self.assertEqual(len(self.begun()), 200)
        self.assertEqual(self.content_of_local(STUDY), content)

    def test_a_campaign_that_is_killed_finds_what_its_arrays_did(self):
        self.write(grid={"value": "1..30"}, options={"seconds": 0.5}, engine="slurm")
        campaign = subprocess.Popen(self.command("run"), env=self.environment,
                                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait(lambda: len(self.begun()) > 3)
        campaign.kill()
        campaign.wait()
        self.assertIn("30 of 30 cases are done", self.campaign("run"))
        self.assertEqual(len(self.begun()), 30)
        self.assert_tidy()

    def test_options_that_sbatch_refuses(self):
        self.write(engine={"slurm": "--partition=none"})
        self.assertIn("sbatch: ", self.campaign("run", status=2))
        self.assert_tidy()


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]
