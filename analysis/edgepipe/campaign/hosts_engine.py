# SPDX-License-Identifier: GPL-2.0-only
"""Runs cases on other machines, each by its own ssh, without a shared folder."""

import contextlib
import os
import shlex
import signal
import subprocess
import sys
import tarfile
from collections import Counter
from pathlib import PurePosixPath

from edgepipe.campaign.hosts import SSH
from edgepipe.campaign.job import NOTE, command_of
from edgepipe.campaign.record import has_ended
from edgepipe.campaign.values import shown
from edgepipe.pictures import InputError

MOST_LOSSES = 3  # consecutive ones of a host, and those of a case


class HostsEngine:
    """The files of a case come back as an archive on standard output.

    The ssh processes survive if the campaign is killed.
    """

    def __init__(self, folder, hosts, lock):
        """folder: for answers of hosts; lock: a file that is kept open while any case runs."""
        self._hosts = list(hosts)
        self._lock = lock
        self._tasks = {}  # folder and command by case
        self._waiting = []
        self._running = {}  # ssh and host by case
        self._losses = Counter()  # by case
        self._silent = Counter()  # losses of each host since its last result
        self._answers = folder / "answers"
        self._answers.mkdir()

    def room(self):
        return sum(2 * host.jobs for host in self._hosts) + 4 - len(self._tasks)

    def submit(self, case, folder, program, limits):
        self._tasks[case] = folder, command_of(case, '"$d"', program, limits)
        self._waiting.append(case)

    def _start(self, case, host):
        # The case ends if standard input does, whose other end is held by a shell around ssh.
        line = (f"cd {shlex.quote(host.folder)} && d=$(mktemp -d) && exec 3<&0 || exit; "
                "(read -r x; kill 0) <&3 >/dev/null 2>&1 & export EDGEPIPE_PROGRESS=off "
                'EDGEPIPE_TRACES="$PWD/traces" PYTHONPATH="$PWD/analysis"; '
                f'{self._tasks[case][1]}; tar -C "$d" -cf - . ; rm -rf "$d"; kill $!')
        input_end, held_end = os.pipe()
        answer = self._answers / case.hash
        with open(answer, "wb") as out, open(f"{answer}.err", "wb") as log:
            ssh = subprocess.Popen(
                ["sh", "-c", '"$@"; exit', "sh", *SSH, host.name, f"exec sh -c {shlex.quote(line)}"],
                stdin=input_end, stdout=out, stderr=log, start_new_session=True,
                pass_fds=[held_end, self._lock.fileno()])
        os.close(input_end)
        os.close(held_end)
        self._running[case] = ssh, host

    def ended(self):
        ended = []
        for case, (ssh, host) in list(self._running.items()):
            if ssh.poll() is None:
                continue
            del self._running[case]
            folder = self._tasks[case][0]
            unpack(self._answers / case.hash, folder, f"host {host.name}")
            if has_ended(folder):
                self._silent[host] = 0
                del self._tasks[case]
                ended.append((case, folder, host.name))
            else:
                self._lose(case, host)
        busy = Counter(host for _, host in self._running.values())
        for host in self._hosts:
            for case in self._waiting[:host.jobs - busy[host]]:
                self._waiting.remove(case)
                self._start(case, host)
        return ended

    def _lose(self, case, host):
        """Queues a lost case again; drops a host after several losses."""
        said = (self._answers / f"{case.hash}.err").read_text(errors="replace").strip()
        why = (said.splitlines() or ["no answer"])[-1]
        self._silent[host] += 1
        if self._silent[host] >= MOST_LOSSES and host in self._hosts:
            print(f"campaign.py: host {host.name} is left out from now on: {why}", file=sys.stderr)
            self._hosts.remove(host)
        if not self._hosts:
            raise InputError("no host is left; what has ended is stored, and the same command goes on")
        self._losses[case] += 1
        if self._losses[case] > MOST_LOSSES * (1 + len(self._hosts)):
            raise InputError(f"a case comes back from no host: {case.command()}: {why}")
        self._waiting.append(case)

    def close(self):
        pass

    def kill(self):
        for ssh, _ in self._running.values():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(ssh.pid, signal.SIGTERM)
            ssh.wait()


def unpack(archive, folder, origin):
    """Unpacks the files of a case into its folder; a truncated archive leaves it unfinished.

    origin: source of the archive, for errors. Refuses an archive with anything but plain files below the
    folder; owners, modes and times are those of new files.
    """
    try:
        with tarfile.open(archive, "r:") as content:
            members = [one for one in content.getmembers() if not one.isdir()]
            for member in members:
                parts = PurePosixPath(member.name).parts
                if (not member.isfile() or member.issparse() or member.name.startswith("/")
                        or ".." in parts or parts == (NOTE,)):
                    raise InputError(f"{origin}: found the entry {shown(member.name)} among what a "
                                     "case wrote, expected plain files below its folder")
            members.sort(key=lambda one: one.name == "./status")  # last, as it marks the case as complete
            for member in members:
                content.extract(member, folder, set_attrs=False)
    except (OSError, ValueError, tarfile.TarError):
        pass
    finally:
        archive.unlink(missing_ok=True)
