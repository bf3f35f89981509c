# SPDX-License-Identifier: GPL-2.0-only
"""Shared by all parts of the launcher: paths, set-up steps and their output."""

import fcntl
import os
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
LOG = BUILD / "setup.log"
LOCK = BUILD / ".lock"
PERIOD = 10  # seconds between lines in a log
SOON = 10  # seconds for which nobody asks how long they take


class LauncherError(Exception):
    """A problem that the user can fix; the message is shown to them."""

    def __init__(self, message, status=1):
        super().__init__(message)
        self.status = status


def say(text, end="\n"):
    print(f"[edgepipe] {text}", end=end, file=sys.stderr, flush=True)


def step(title, command, **options):
    """Runs a set-up command into the log; shows progress if it takes time, and its output if it fails."""
    BUILD.mkdir(exist_ok=True)
    started = time.monotonic()
    with open(LOG, "ab") as log:
        log.write(f"\n$ {shlex.join(map(str, command))}\n".encode())
        log.flush()
        start = log.tell()
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, **options
        )
    seconds = 0
    try:
        while process.returncode is None:
            try:
                process.wait(0.5 if seconds == 0 else 1)
            except subprocess.TimeoutExpired:
                if sys.stderr.isatty() or seconds % PERIOD == 0:
                    progress(title, start, seconds)
                seconds += 1
    except KeyboardInterrupt:
        # Ctrl-C reaches both, a signal to this process alone does not; what was built stays.
        process.terminate()
        process.wait()
        raise
    if sys.stderr.isatty() and seconds:
        print("\r\033[K", end="", file=sys.stderr)
    if process.returncode:
        output = LOG.read_bytes()[start:].decode(errors="replace").splitlines()
        raise LauncherError("\n".join(output[-60:] + [f"{title}: failed; the full log is {LOG}"]))
    if seconds:
        say(f"{title}: done in {time.monotonic() - started:.0f} s")


def left(done, steps, seconds):
    """How long the rest will take if its steps are like those done, in words; nothing if it cannot be told yet."""
    rest = seconds * (steps - done) / done if done else 0
    if seconds < SOON or rest < SOON:
        return ""
    return f"about {rest / 60:.0f} min left" if rest >= 90 else f"about {rest:.0f} s left"


def progress(title, start, seconds):
    """Shows ninja's count of steps; on a terminal in a line that is overwritten."""
    counts = re.findall(rb"^\[(\d+)/(\d+)\]", LOG.read_bytes()[start:], re.MULTILINE)
    words = [f"{seconds} s"] * (seconds > 0)
    for done, steps in counts[-1:]:
        words += [f"[{done.decode()}/{steps.decode()}]", *filter(None, [left(int(done), int(steps), seconds)])]
    text = " ".join([title, "...", *words])
    if sys.stderr.isatty():
        say(f"{text}\033[K\r", end="")
    else:
        say(text)


def lock_build():
    """Takes a lock, held until this process ends or becomes another, against concurrent builds."""
    BUILD.mkdir(exist_ok=True)
    lock = open(LOCK, "w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        say("waiting for another ./ns3 to finish building ...")
        fcntl.flock(lock, fcntl.LOCK_EX)
    lock_build.file = lock


def work_on(command):
    """Starts a set-up command in the background, which holds the lock until it ends."""
    with open(LOG, "ab") as log:
        subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                         pass_fds=[lock_build.file.fileno()])


def become(command, directory):
    """Replaces this process by the command: output, signals and exit status are the command's."""
    os.environ.setdefault("EDGEPIPE_TRACES", str(ROOT / "traces"))
    sys.stdout.flush()
    try:
        os.chdir(directory)
        os.execvp(command[0], command)
    except OSError as error:
        raise LauncherError(f"cannot run {command[0]} in {directory}: {error.strerror}") from None
