# SPDX-License-Identifier: GPL-2.0-only
"""Runs cases on this machine, in servers that fork for each case."""

import json
import os
import signal
import subprocess

from edgepipe.campaign.record import has_ended
from edgepipe.pictures import InputError


class LocalEngine:
    """Hands cases to a program's --serve, a few more than it runs at once.

    A server survives if the campaign is killed; it then finishes the cases that it was given, and exits.
    """

    def __init__(self, folder, root, jobs, lock):
        """folder: for output of servers; lock: a file that is kept open while any case runs."""
        self._folder = folder
        self._root = root
        self._jobs = jobs
        self._lock = lock
        self._servers = {}  # by path of the program
        self._running = {}  # folders by case

    def room(self):
        """Number of further cases that may be submitted now."""
        return 2 * self._jobs + 4 - len(self._running)

    def submit(self, case, folder, program, limits):
        self._running[case] = folder
        server = self._servers.get(program.path) or self._start(program.path)
        words = case.words() + [f"--out={folder}/out"] * program.has_out
        try:
            server.stdin.write(json.dumps({
                "words": words, "folder": str(folder), "seconds": limits.seconds,
                "retries": limits.retries}).encode() + b"\n")
            server.stdin.flush()
        except BrokenPipeError:
            self._fail()

    def _start(self, path):
        server = subprocess.Popen(
            [path, f"--serve={self._jobs}"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
            stderr=open(self._folder / "servers.log", "ab"), cwd=self._root, start_new_session=True,
            pass_fds=[self._lock.fileno()], env={**os.environ, "EDGEPIPE_PROGRESS": "off"})
        self._servers[path] = server
        return server

    def _fail(self):
        said = (self._folder / "servers.log").read_text(errors="replace").strip().splitlines()
        raise InputError("a program that runs cases has ended before its work"
                         + "".join(f": {line}" for line in said[-1:]))

    def ended(self):
        """Cases that have ended, each with its folder and its host, None for this machine."""
        stopped = any(server.poll() is not None for server in self._servers.values())  # before looking at cases
        ended = [(case, folder, None) for case, folder in self._running.items()
                 if has_ended(folder)]
        if not ended and self._running and stopped:
            self._fail()
        for case, _, _ in ended:
            del self._running[case]
        return ended

    def close(self):
        for server in self._servers.values():
            server.stdin.close()
            server.wait()

    def kill(self):
        for server in self._servers.values():
            try:
                os.killpg(server.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            server.wait()
