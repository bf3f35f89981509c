# SPDX-License-Identifier: GPL-2.0-only
"""Network namespaces with an sshd each, which stand for other machines."""

import itertools
import os
import shutil
import signal
import subprocess
import time
import unittest
from pathlib import Path

NEEDS_SSHD = unittest.skipUnless(os.geteuid() == 0 and shutil.which("ip") and Path("/usr/sbin/sshd").exists(),
                                 "needs root, iproute2 and openssh-server")


def run(*words, **options):
    return subprocess.run([str(word) for word in words], check=True, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, **options)


def wait(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("waited in vain")
        time.sleep(0.1)


NUMBERS = itertools.count()


class SshHosts:
    """Part of a test with a folder: `ssh`, a program that reaches the hosts."""

    def make_keys(self):
        os.makedirs("/run/sshd", exist_ok=True)
        for name in ("host", "user"):
            run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.folder / name)
        self.config = self.folder / "ssh_config"
        self.config.write_text(f"Host *\n User root\n IdentityFile {self.folder}/user\n"
                          f" UserKnownHostsFile /dev/null\n StrictHostKeyChecking no\n LogLevel ERROR\n")
        self.ssh, scp = (self.folder / "path" / name for name in ("ssh", "scp"))
        self.ssh.parent.mkdir()
        for program in (self.ssh, scp):
            program.write_text(f'#!/bin/sh\nexec /usr/bin/{program.name} -F {self.config} "$@"\n')
            program.chmod(0o755)
        self.path = f"{self.ssh.parent}:{os.environ['PATH']}"

    def make_bridge(self):
        """A network of this machine; returns the first three numbers of its addresses, and what joins hosts to it."""
        net, bridge = f"10.{200 + os.getpid() % 50}.0", f"ep{os.getpid() % 100000}"
        run("ip", "link", "add", bridge, "type", "bridge")
        self.addCleanup(run, "ip", "link", "del", bridge)
        run("ip", "addr", "add", f"{net}.1/24", "dev", bridge)
        run("ip", "link", "set", bridge, "up")
        return net, lambda link: run("ip", "link", "set", link, "master", bridge)

    def start_sshd(self, name, address, join, before="true"):
        """Returns the namespace; join: called with the name of this end of its wire; before: what its shell does first."""
        number = next(NUMBERS)  # the kernel removes a namespace's wires some time after it
        space, link = f"edgepipe-{os.getpid()}-{number}{name}", f"ep{os.getpid() % 100000}{number}{name}"
        run("ip", "netns", "add", space)
        self.addCleanup(run, "ip", "netns", "del", space)
        self.addCleanup(self.kill_host, space)
        run("ip", "link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", space)
        join(link)
        run("ip", "link", "set", link, "up")
        inside = ["ip", "netns", "exec", space]
        run(*inside, "ip", "addr", "add", f"{address}/24", "dev", "eth0")
        for device in ("lo", "eth0"):
            run(*inside, "ip", "link", "set", device, "up")
        config = self.folder / f"sshd_{name}"
        config.write_text(f"HostKey {self.folder}/host\nAuthorizedKeysFile {self.folder}/user.pub\n"
                          "StrictModes no\nUsePAM no\nPermitRootLogin yes\nMaxStartups 100\n"
                          "PidFile none\nSubsystem sftp internal-sftp\n")
        server = subprocess.Popen([*inside, "sh", "-c", f"{before} && exec /usr/sbin/sshd -D -f {config}"],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        wait(lambda: not subprocess.run([self.ssh, address, "true"], stdin=subprocess.DEVNULL,
                                        capture_output=True).returncode)
        return space

    @staticmethod
    def kill_host(space):
        for pid in run("ip", "netns", "pids", space).stdout.split():
            try:
                os.kill(int(pid), signal.SIGKILL)
            except ProcessLookupError:
                pass
