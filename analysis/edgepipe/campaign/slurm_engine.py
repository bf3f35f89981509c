# SPDX-License-Identifier: GPL-2.0-only
"""Runs cases in job arrays of Slurm, whose nodes share the folder of the database."""

import shlex
import subprocess
import time
from collections import Counter

from edgepipe.campaign.job import command_of
from edgepipe.campaign.record import has_ended
from edgepipe.pictures import InputError

PERIOD = 0.5  # seconds between two looks at the cases
QUEUE_PERIOD = 5  # seconds between two looks at the queue
MOST_LOSSES = 3
MOST_TASKS = 1000  # per array; Slurm's default limit is 1001
IDS = "slurm-jobs"


class SlurmEngine:
    """Submits waiting cases as arrays, and polls for ended ones."""

    def __init__(self, folder, root, options, jobs):
        """options: further arguments of sbatch; jobs: tasks at once; 0: as many as Slurm allows."""
        self._folder = folder
        self._root = root
        self._options = options
        self._throttle = f"%{jobs}" if jobs else ""
        self._new = []
        self._running = {}  # (folder, line, task) by case
        self._losses = Counter()
        self._arrays = 0
        self._looked = self._queued = 0

    def room(self):
        return MOST_TASKS - len(self._running) - len(self._new)

    def submit(self, case, folder, program, limits):
        quoted = shlex.quote(str(folder))
        line = f"hostname >{quoted}/host; {command_of(case, quoted, program, limits)}"
        self._new.append((case, folder, line))

    def ended(self):
        if self._new:
            self._hand_out()
        now = time.monotonic()
        if now - self._looked < PERIOD:
            return []
        self._looked = now
        ended = self._look()
        if not ended and self._running and now - self._queued > QUEUE_PERIOD:
            self._queued = now
            self._find_lost()
            ended = self._look()
        return ended

    def _look(self):
        ended = [(case, entry[0], None) for case, entry in self._running.items()
                 if has_ended(entry[0])]
        for case, _, _ in ended:
            del self._running[case]
        return ended

    def _hand_out(self):
        self._arrays += 1
        lines = self._folder / f"array.{self._arrays}"
        lines.write_text("".join(f"{line}\n" for _, _, line in self._new))
        script = (f"#!/bin/sh\ncd {shlex.quote(str(self._root))} && export EDGEPIPE_PROGRESS=off && "
                  f'eval "$(sed -n "$((SLURM_ARRAY_TASK_ID + 1))p" {shlex.quote(str(lines))})"\n')
        told = call("sbatch", "--parsable", f"--array=0-{len(self._new) - 1}{self._throttle}",
                    "--job-name=edgepipe", "--output=/dev/null", "--export=ALL", *self._options,
                    text=script)
        job = told.strip().split(";")[0]
        with open(self._folder / IDS, "a", encoding="utf-8") as ids:
            ids.write(f"{job}\n")
        for task, (case, folder, line) in enumerate(self._new):
            self._running[case] = (folder, line, f"{job}_{task}")
        self._new = []

    def _find_lost(self):
        """Resubmits cases that have left the queue without ending: they were killed, or their node is gone."""
        queue = queued(read_ids(self._folder))
        for case, (folder, line, task) in list(self._running.items()):
            if task in queue or has_ended(folder):
                continue
            self._losses[case] += 1
            if self._losses[case] == 1:
                continue  # its last file may not be visible yet
            if self._losses[case] <= MOST_LOSSES:
                del self._running[case]
                self._new.append((case, folder, line))
                continue
            with open(folder / "stderr", "a", encoding="utf-8") as log:
                log.write(f"Slurm has ended its task {task} and {MOST_LOSSES - 1} before; "
                          f"scontrol show job {task} or sacct says why\n")
            (folder / "status").write_text("137\n")

    def close(self):
        pass

    def kill(self):
        ids = read_ids(self._folder)
        if ids:
            call("scancel", *ids)


def lives(folder):
    """Whether an array that a campaign began is still in the queue."""
    ids = read_ids(folder)
    return bool(ids) and bool(queued(ids))


def read_ids(folder):
    path = folder / IDS
    return path.read_text(encoding="utf-8").split() if path.is_file() else []


def queued(ids):
    """Names of the waiting and running tasks of these arrays."""
    return set(call("squeue", "--noheader", "--array", "--format=%i", f"--jobs={','.join(ids)}",
                    harmless="Invalid job id").split())


def call(*words, text="", harmless="\0"):
    """Output of a program; harmless: text on standard error of a failure to ignore."""
    try:
        told = subprocess.run(words, input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True)
    except OSError as error:
        raise InputError(f"{words[0]}: {error.strerror}; the package slurm-client has it") from None
    if told.returncode and harmless not in told.stderr:
        raise InputError(f"{words[0]}: {told.stderr.strip() or told.returncode}")
    return told.stdout
