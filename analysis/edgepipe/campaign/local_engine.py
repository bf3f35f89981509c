# SPDX-License-Identifier: GPL-2.0-only
"""Cases on the cores of this machine, by GNU parallel."""

import os
import shlex
import signal
import subprocess

from edgepipe.campaign.job import command_of
from edgepipe.campaign.record import has_ended
from edgepipe.pictures import InputError


class LocalEngine:
    """Hands cases to one GNU parallel, a few more than it runs at once."""

    def __init__(self, folder, root, jobs, lock):
        """folder: for what the cases write; lock: a file that stays open while any of them runs."""
        self._folder = folder
        self._room = 2 * jobs + 4
        self._running = {}
        home = folder / "parallel"
        home.mkdir()
        self._log = open(folder / "parallel.log", "w+b")
        # A session of its own: where the campaign is killed, what runs comes to its end.
        self._parallel = subprocess.Popen(
            ["parallel", "--will-cite", "--ungroup", "--jobs", str(jobs)],
            stdin=subprocess.PIPE, stdout=self._log, stderr=self._log, cwd=root,
            start_new_session=True, pass_fds=[lock.fileno()],
            env={**os.environ, "PARALLEL_SHELL": "/bin/sh", "PARALLEL_HOME": str(home),
                 "EDGEPIPE_PROGRESS": "off"})

    def room(self):
        """How many more cases may be handed over now."""
        return self._room - len(self._running)

    def submit(self, case, folder, program, limits):
        line = command_of(case, shlex.quote(str(folder)), program, limits)
        self._running[case] = folder
        try:
            self._parallel.stdin.write(f"{line}\n".encode(errors="surrogateescape"))
            self._parallel.stdin.flush()
        except BrokenPipeError:
            self._fail()

    def ended(self):
        """Cases that have, each with its folder and its host."""
        ended = [(case, folder, None) for case, folder in self._running.items()
                 if has_ended(folder)]
        if not ended and self._running and self._parallel.poll() is not None:
            self._fail()
        for case, _, _ in ended:
            del self._running[case]
        return ended

    def drain(self):
        """Nothing more comes for now."""

    def _fail(self):
        self._log.seek(0)
        said = self._log.read().decode(errors="replace").strip().splitlines()
        raise InputError("GNU parallel has ended before its work" + "".join(
            f": {line}" for line in said[-1:]))

    def close(self):
        """After the last case."""
        self._parallel.stdin.close()
        self._parallel.wait()
        self._log.close()

    def kill(self):
        """Ends what runs: parallel kills its jobs at the second signal."""
        for _ in range(2):
            try:
                os.killpg(self._parallel.pid, signal.SIGTERM)
            except ProcessLookupError:
                break
        try:
            self._parallel.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(self._parallel.pid, signal.SIGKILL)
            self._parallel.wait()
