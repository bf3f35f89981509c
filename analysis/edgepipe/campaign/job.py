# SPDX-License-Identifier: GPL-2.0-only
"""The shell command of one case, which runs a scenario in its own folder and records how it ended."""

import json
import shlex
from dataclasses import dataclass

NOTE = "case.json"  # the campaign's note in the folder of a case


@dataclass(frozen=True)
class Program:
    path: str
    has_out: bool  # whether it has an option --out
    commit: str
    source: str


@dataclass(frozen=True)
class Limits:
    seconds: float = 0  # 0: no limit
    retries: int = 0  # further attempts of a case that fails


def command_of(case, folder, program, limits):
    """A line for sh, which writes the file status last; folder: a shell expression."""
    words = [shlex.quote(program.path), *map(shlex.quote, case.words())]
    if program.has_out:
        words.append(f"--out={folder}/out")
    limit = f"timeout -k 5 {limits.seconds:g} " if limits.seconds else ""
    line = (f"/usr/bin/time -q -f '%e %M' -o {folder}/usage {limit}{' '.join(words)} "
            f">{folder}/stdout 2>{folder}/stderr </dev/null; s=$?")
    if limits.retries:
        line = (f"n=0; while :; do n=$((n+1)); echo >>{folder}/attempts; {line}; "
                f"[ $s != 0 ] && [ $n -le {limits.retries} ] || break; done")
    return f"{line}; echo $s >{folder}/status"


def note_case(folder, case, program, keep):
    """Makes the folder of a case, with a note for its record."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / NOTE).write_text(json.dumps({
        "case": case.note(),
        "program": {"commit": program.commit, "source": program.source}, "keep": keep}))
