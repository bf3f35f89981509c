# SPDX-License-Identifier: GPL-2.0-only
"""Simulations of all real runs in traces/testbed take as long as these; the page for runs of one's own."""

import shutil
import statistics
import unittest

from manual.documentation_long_test import LAUNCHER
from manual.documentation_test import DOC, read_blocks
from places import BIN, InFolder, ROOT, python_with
from ssh_hosts import NEEDS_SSHD, SshHosts

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
