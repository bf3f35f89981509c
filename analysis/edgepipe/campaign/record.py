# SPDX-License-Identifier: GPL-2.0-only
"""Reads the folder of a finished case into a record for the database."""

import contextlib
import csv
import io
import json
import math
import re
import signal
import socket
from dataclasses import dataclass
from datetime import datetime, timezone

from edgepipe.pictures import InputError
from edgepipe.run_file import read_run

LOG_LINES = 40
LOG_BYTES = 8000
# Exit status of a stalled scenario, and of the program timeout.
STALLED, TIME_LIMIT = 3, 124
# Outcomes with valid, possibly incomplete results.
WITH_RESULTS = ("ok", "stalled")


@dataclass
class Record:
    values: dict  # by column of the table of cases
    options: tuple
    rows: list  # of results.csv, as dictionaries
    files: dict  # content by name


def has_ended(folder):
    """Whether the case of a folder has ended; its exit status and a newline are written last."""
    try:
        return re.fullmatch(rb"\d{1,3}\n", (folder / "status").read_bytes()) is not None
    except OSError:
        return False


def read_record(folder, case, program, keep, host=None):
    """case: result of Case.note; program: its commit and source; keep: names of files to store."""
    status = int(read(folder / "status"))
    out, stdout = folder / "out", read(folder / "stdout")
    outcome, end = outcome_of(status)
    is_well = outcome in WITH_RESULTS
    run = {}
    if is_well:
        with contextlib.suppress(InputError):
            run = read_run(out / "run.json")
    rows = read_rows(out / "results.csv", stdout) if is_well else []
    lines = (read(folder / "stderr") or stdout).splitlines()[-LOG_LINES:]
    log = None if outcome == "ok" else "".join(f"{line}\n" for line in lines)[-LOG_BYTES:] + end
    seconds, kilobytes = read_usage(folder / "usage")
    versions = run.get("versions") or {}
    costs = run.get("layerCosts")
    values = {
        **{name: case[name] for name in ("hash", "question", "scenario", "run", "command")},
        "outcome": outcome, "exitStatus": status,
        "attempts": max(1, read(folder / "attempts").count("\n")),
        "wallSeconds": seconds, "peakMemoryBytes": None if kilobytes is None else 1024 * kilobytes,
        "host": host or read(folder / "host").strip() or socket.gethostname(),
        "ended": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "commit": program["commit"], "source": program["source"],
        "edgepipe": versions.get("edgepipe"), "ns3": versions.get("ns-3"),
        "compiler": versions.get("compiler"), "log": log,
        "layerCosts": json.dumps(costs) if costs else None,
    }
    files = {name: (out / name).read_bytes() for name in keep if is_well and (out / name).is_file()}
    return Record(values, [tuple(option) for option in case["options"]], rows, files)


def outcome_of(status):
    """Outcome of a case, and a last line for its log."""
    if status == TIME_LIMIT:
        return "time limit", "killed at the time limit of the study\n"
    if status > 128:
        name = next((one.name for one in signal.Signals if one == status - 128), "")
        return "crashed", f"killed by {name}\n" * bool(name)
    return {0: "ok", STALLED: "stalled"}.get(status, "failed"), ""


def read(path):
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def read_rows(table, stdout):
    """The rows of results.csv, or else the JSON that the scenario prints."""
    if table.is_file():
        return rows_of(read(table))
    if not stdout.startswith("{"):
        return []
    try:
        answer = json.loads(stdout)
    except ValueError:
        return []
    return [{name: value if isinstance(value, (str, int, float)) else json.dumps(value)
             for name, value in answer.items()}]


def rows_of(text):
    return [{name: value_of(cell) for name, cell in row.items() if name and cell is not None}
            for row in csv.DictReader(io.StringIO(text))]


def value_of(cell):
    try:
        value = int(cell)
        return value if str(value) == cell and abs(value) < 2 ** 63 else cell
    except ValueError:
        pass
    try:
        value = float(cell)
    except ValueError:
        return cell
    return value if math.isfinite(value) else cell


def read_usage(path):
    """Seconds and kilobytes from the last line of the program time; None each if missing."""
    words = read(path).split()
    try:
        return float(words[-2]), int(words[-1])
    except (IndexError, ValueError):
        return None, None
