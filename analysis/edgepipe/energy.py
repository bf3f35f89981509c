# SPDX-License-Identifier: GPL-2.0-only
"""Energy of a run, joules, from the power figures of its devices in traces/devices/NAME.json.

A device draws its idle power all the time, and its load power while it computes. The energy of radios is
included only as far as they were on when these figures were measured.
"""

import json
from pathlib import Path

from edgepipe.running import traces_folder


def pipeline_joules(results, case="replanning"):
    """Joules of all devices, in a case of adaptive-training that wrote its timeline."""
    row = next(row for row in results.rows() if row["case"] == case)
    names, busy = {}, {}
    for event in results.timeline:
        if event["name"] == "process_name":
            names[event["pid"]] = event["args"]["name"]
        elif event.get("cat") == "task":
            name = names[event["pid"]]
            busy[name] = busy.get(name, 0) + event["dur"] / 1e6
    return sum(_joules(device.type, float(row["totalSeconds"]), busy.get(f"{case} / {device.name}", 0))
               for device in results.problem.devices)


def inference_joules(results):
    """Joules of devices and server, in a run of cooperative-inference with one planner."""
    row = results.rows()[0]
    mine, server = {}, []
    for frame in results.rows("frames"):
        if frame["status"] == "finished":
            mine.setdefault(frame["device"], []).append((frame["startedSeconds"], frame["computedSeconds"]))
            server.append((frame["uploadedSeconds"], frame["servedSeconds"]))
    options = results.run["options"]
    seconds = float(row["simulatedSeconds"])
    idle = int(row["devices"]) - len(mine)  # devices without a finished frame
    return (sum(_joules(options["device"], seconds, _covered(spans)) for spans in mine.values())
            + idle * _joules(options["device"], seconds, 0)
            + _joules(options["server"], seconds, _covered(server)))


def _joules(device, seconds, busy_seconds):
    file = Path(device)
    if not file.is_file():
        file = traces_folder() / "devices" / f"{device}.json"
    figures = json.loads(file.read_text(encoding="utf-8"))
    idle, load = (figures[key]["value"] for key in ("idleWatts", "loadWatts"))
    return idle * seconds + (load - idle) * busy_seconds


def _covered(spans):
    """Seconds covered by at least one span; spans with an unknown end do not count."""
    total, until = 0.0, float("-inf")
    for start, end in sorted((float(start), float(end)) for start, end in spans
                             if None not in (start, end) and start == start and end == end):
        total += max(0.0, end - max(start, until))
        until = max(until, end)
    return total

