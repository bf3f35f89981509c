# SPDX-License-Identifier: GPL-2.0-only
"""One run of GNU parallel that is told its jobs line by line."""

import os
import signal
import subprocess

from edgepipe.pictures import InputError


class Parallel:
    """Outlives the campaign if that is killed: then it ends the jobs that it was told, and itself."""

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
