# SPDX-License-Identifier: GPL-2.0-only
"""Reads a file of hosts, and checks that each host has the same program as this machine."""

import json
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from edgepipe.pictures import InputError

# A host that is silent for 15 s counts as lost.
SSH = ["ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-o", "ServerAliveInterval=5",
       "-o", "ServerAliveCountMax=3"]


@dataclass(frozen=True)
class Host:
    name: str  # for ssh
    jobs: int  # cases at once; 0: its number of cores
    folder: str  # of edgepipe on the host


def read_hosts(path, root):
    """The hosts in a file with lines [JOBS/]HOST [FOLDER]; FOLDER: by default as on this machine."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    hosts = []
    for number, line in enumerate(lines, 1):
        text = line.partition("#")[0].strip()
        if not text:
            continue
        found = re.fullmatch(r"(?:(\d{1,4})/)?([\w.@:%+-]+)(?:\s+(\S.*))?", text)
        if not found or found[1] and not int(found[1]) or found[2].startswith("-"):
            raise InputError(f'{path}: line {number}: found "{text}", expected [JOBS/]HOST [FOLDER]')
        if found[2] in [host.name for host in hosts]:
            raise InputError(f'{path}: line {number}: found "{found[2]}" twice, expected it once')
        hosts.append(Host(found[2], int(found[1] or 0), found[3] or str(root)))
    if not hosts:
        raise InputError(f"{path}: no host, expected a line [JOBS/]HOST [FOLDER] for each")
    return hosts


def check_hosts(hosts, mine, words):
    """The hosts that answer, with their numbers of jobs; refuses a host that differs from this machine.

    mine: identity of this machine; words: arguments of campaign.py identity.
    """
    def ask(host):
        line = (f"cd {shlex.quote(host.folder)} && test -x /usr/bin/time && /usr/bin/python3 "
                f"analysis/campaign.py identity {shlex.join(words)}")
        return subprocess.run([*SSH, host.name, line], stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, errors="replace")

    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(ask, hosts))
    there = []
    for host, answer in zip(hosts, answers):
        said = (answer.stderr.strip().splitlines() or [f"exit status {answer.returncode}"])[-1]
        if answer.returncode == 255:
            print(f"campaign.py: host {host.name} is left out: {said}", file=sys.stderr)
            continue
        if answer.returncode:
            raise InputError(f"host {host.name}: {host.folder}: {said}; expected edgepipe as here, "
                             "built, and the package time")
        try:
            theirs = json.loads(answer.stdout)
        except ValueError:
            raise InputError(f"host {host.name}: found {answer.stdout[:80]!r}, expected its identity") \
                from None
        for name, value in mine.items():
            if name != "cores" and theirs.get(name) != value:
                raise InputError(f"host {host.name}: {name}: found {theirs.get(name)!r}, expected "
                                 f"{value!r} as here")
        there.append(replace(host, jobs=host.jobs or theirs.get("cores") or 1))
    if not there:
        raise InputError("no host answers")
    return there
