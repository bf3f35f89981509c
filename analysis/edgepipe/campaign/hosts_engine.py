# SPDX-License-Identifier: GPL-2.0-only
"""Cases on other machines, by GNU parallel over ssh; they share no folder with this one."""

import os
import re
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

MOST_LOSSES = 3  # of a host one after the other, and of a case


class HostsEngine:
    """What a case writes comes back as an archive on standard output."""

    def __init__(self, folder, hosts, lock):
        self._folder = folder
        self._hosts = {host.name: host for host in hosts}
        self._lock = lock
        self._room = sum(2 * host.jobs for host in hosts) + 4
        self._running = {}  # folders by case
        self._lost = []  # cases to be handed out again, with their lines
        self._losses = Counter()  # by case
        self._silent = Counter()  # losses of each host since it last brought something
        self._lines = {}
        self._answers = folder / "answers"
        self._answers.mkdir()
        self._logins = folder / "hosts"
        self._parallel = None
        self._rounds = 0
        self._write_logins()

    def _write_logins(self):
        temporary = self._logins.with_suffix(".new")
        temporary.write_text("".join(f"{host.jobs}/{host.name}\n" for host in self._hosts.values()))
        temporary.replace(self._logins)  # parallel reads it again

    def _start(self):
        self._rounds += 1
        self._log = self._folder / f"jobs.{self._rounds}"
        self._log.touch()
        self._read = 0
        self._parallel = Parallel(
            self._folder,
            ["--sshloginfile", str(self._logins), "--ssh", shlex.join(SSH), "--colsep", "\t",
             "--joblog", str(self._log), "--results", f"{self._answers}/{{1}}", "eval {2}"],
            self._lock, f"parallel.{self._rounds}")

    def room(self):
        return self._room - len(self._running)

    def submit(self, case, folder, program, limits):
        inner = command_of(case, '"$d"', program, limits)
        folders = " ".join(f"{shlex.quote(host.name)}) cd {shlex.quote(host.folder)};;"
                           for host in self._hosts.values())
        self._lines[case.hash] = (
            f': {case.hash}; case "$PARALLEL_SSHLOGIN" in {folders} esac && d=$(mktemp -d) && '
            f'EDGEPIPE_PROGRESS=off EDGEPIPE_TRACES="$PWD/traces" PYTHONPATH="$PWD/analysis" sh -c '
            f'{shlex.quote("d=$1; " + inner)} - "$d"; tar -C "$d" -cf - . ; rm -rf "$d"')
        self._running[case] = folder
        self._hand(case)

    def _hand(self, case):
        if self._parallel is None:
            self._start()
        if self._parallel.is_finishing():
            self._lost.append(case)  # waits for the next parallel
        else:
            self._parallel.tell(f"{case.hash}\t{self._lines[case.hash]}")

    def drain(self):
        """Nothing more comes for now: parallel notices the last ends at the end of its input."""
        if self._parallel:
            self._parallel.finish()

    def ended(self):
        ended = []
        if self._parallel is None:
            return ended
        is_over = self._parallel.has_ended()  # before the log is read: it is whole then
        by_hash = {case.hash: case for case in self._running}
        for host, key in self._new_ends():
            case = by_hash.get(key)
            if case is None:
                continue
            unpack(self._answers / key, self._running[case], f"host {host}")
            if has_ended(self._running[case]):
                self._silent[host] = 0
                ended.append((case, self._running.pop(case), host))
            else:
                self._lose(case, host)
        if is_over:
            self._parallel.close()
            self._parallel = None
            for case in self._running:
                if case not in self._lost:  # parallel was killed, or had no host for it
                    self._count_loss(case, "GNU parallel has ended before it")
                    self._lost.append(case)
        if self._lost and (self._parallel is None or not self._parallel.is_finishing()):
            lost, self._lost = self._lost, []
            for case in lost:
                self._hand(case)
        return ended

    def _lose(self, case, host):
        """The case did not come back; it is handed out again, in the end without that host."""
        said = (self._answers / f"{case.hash}.err")
        why = (said.read_text(errors="replace").strip().splitlines() or ["no answer"])[-1] \
            if said.exists() else "no answer"
        self._silent[host] += 1
        if self._silent[host] >= MOST_LOSSES and host in self._hosts:
            print(f"campaign.py: host {host} is left out from now on: {why}", file=sys.stderr)
            del self._hosts[host]
            self._write_logins()
        if not self._hosts:
            raise InputError("no host is left; what has ended is stored, and the same command goes on")
        self._count_loss(case, why)
        self._lost.append(case)

    def _count_loss(self, case, why):
        self._losses[case] += 1
        if self._losses[case] > MOST_LOSSES * (1 + len(self._hosts)):
            raise InputError(f"a case comes back from no host: {case.command()}: {why}")

    def _new_ends(self):
        """Of each case that has ended since: its host and its hash."""
        with open(self._log, "rb") as log:
            log.seek(self._read)
            new = log.read()
        whole = new[:new.rfind(b"\n") + 1]
        self._read += len(whole)
        for line in whole.decode(errors="replace").splitlines():
            words = line.split("\t")
            if len(words) > 8 and words[0].isdigit():
                key = re.search(r": ([0-9a-f]{32});", words[8])
                if key:
                    yield words[1].rpartition("/")[2], key[1]

    def close(self):
        if self._parallel:
            self._parallel.close()

    def kill(self):
        if self._parallel:
            self._parallel.kill()


def unpack(archive, folder, origin):
    """Moves what a case wrote into its folder; nothing of an archive that was cut short.

    origin: where the archive comes from. It is refused unless it holds plain files below the folder;
    owners, modes and times are those of any new file.
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
            members.sort(key=lambda one: one.name == "./status")  # which says that all is there
            for member in members:
                content.extract(member, folder, set_attrs=False)
    except (OSError, ValueError, tarfile.TarError):
        pass
    finally:
        archive.unlink(missing_ok=True)


class Parallel:
    """A run of GNU parallel that is told its jobs line by line.

    Outlives the campaign if that is killed: then it ends the jobs that it was told, and itself.
    """

    def __init__(self, folder, words, lock, name="parallel", **options):
        """folder: for what it notes; lock: a file that stays open while any job runs."""
        home = folder / "parallel"
        home.mkdir(exist_ok=True)
        self._log = open(folder / f"{name}.log", "w+b")
        self._process = subprocess.Popen(
            ["parallel", "--will-cite", *words], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
            stderr=self._log, start_new_session=True, pass_fds=[lock.fileno()],
            env={**os.environ, "PARALLEL_SHELL": "/bin/sh", "PARALLEL_HOME": str(home),
                 "EDGEPIPE_PROGRESS": "off"}, **options)

    def tell(self, line):
        try:
            self._process.stdin.write(f"{line}\n".encode(errors="surrogateescape"))
            self._process.stdin.flush()
        except BrokenPipeError:
            self.fail()

    def finish(self):
        if not self.is_finishing():
            self._process.stdin.close()

    def is_finishing(self):
        return self._process.stdin.closed

    def has_ended(self):
        return self._process.poll() is not None

    def fail(self):
        self._log.seek(0)
        said = self._log.read().decode(errors="replace").strip().splitlines()
        raise InputError("GNU parallel has ended before its work" + "".join(
            f": {line}" for line in said[-1:]))

    def close(self):
        self.finish()
        self._process.wait()
        self._log.close()

    def kill(self):
        """Ends what runs: parallel kills its jobs at the second signal."""
        for _ in range(2):
            try:
                os.killpg(self._process.pid, signal.SIGTERM)
            except ProcessLookupError:
                break
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._log.close()
