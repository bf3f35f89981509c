# SPDX-License-Identifier: GPL-2.0-only
"""Reads the timeline.json of a scenario, and finds iterations and bubbles in it.

The format of the file: contrib/edgepipe/model/telemetry/edgepipe-timeline.h.
"""

import math
from collections import namedtuple
from dataclasses import dataclass, field

from edgepipe.campaign.values import shown
from edgepipe.pictures import InputError
from edgepipe.run_file import read_json

# A task or a transfer; start and end in seconds; micro_batch: None if there is none.
Span = namedtuple("Span", "device category kind start end iteration micro_batch")

# An instantaneous event; time in seconds.
Mark = namedtuple("Mark", "device kind time")

# Messages without data of the trained network, a few hundred bytes at most.
CONTROL = {"assignment", "hello", "ready", "start", "done", "ask", "report", "request", "collect",
           "move", "refusal", "merge", "probe"}
# Tasks outside of iterations, though they carry an iteration's number.
BETWEEN = {"planning"}
# Tasks for another device's stage.
ASSISTANCE = {"assist-forward", "assist-backward"}


@dataclass
class Iteration:
    """The work of all devices on one mini-batch; times in seconds."""

    start: float = math.inf  # the workers are told to begin
    end: float = -math.inf  # the last worker has reported
    finished: bool = True
    tasks: dict = field(default_factory=dict)  # by device, in the order of their start
    started_devices: int = 0
    done_devices: int = 0

    def idle(self):
        """(device, start, end) of every gap between the first and last task of a device's own stage."""
        for device, tasks in self.tasks.items():
            own = [number for number, task in enumerate(tasks) if task.kind not in ASSISTANCE]
            if not own:
                continue
            busy_until = tasks[own[0]].end
            for task in tasks[own[0] + 1:own[-1] + 1]:
                if task.start > busy_until:
                    yield device, busy_until, task.start
                busy_until = max(busy_until, task.end)


class Case:
    def __init__(self, name, spans, marks=()):
        self.name = name
        self.spans = spans
        self.marks = list(marks)
        self.end = max(span.end for span in spans)
        self.iterations = self._iterations()

    def _iterations(self):
        """Iterations from the first "start" to the last "done", as in iterations.csv.

        Other messages do not bound an iteration: weights move before it, helpers return their results
        after it, and reports and probes carry no iteration's number.
        """
        iterations, last_done = {}, {}
        for span in sorted(self.spans, key=lambda span: span.start):
            computes = span.category == "task" and span.kind not in BETWEEN
            if not computes and span.kind not in ("start", "done"):
                continue
            iteration = iterations.setdefault(span.iteration, Iteration())
            if computes:
                iteration.tasks.setdefault(span.device, []).append(span)
            iteration.started_devices += span.kind == "start"
            iteration.done_devices += span.kind == "done"
            if span.kind == "start" or iteration.started_devices == 0:
                iteration.start = min(iteration.start, span.start)
            iteration.end = max(iteration.end, span.end)
            if span.kind == "done":
                last_done[span.iteration] = max(last_done.get(span.iteration, 0), span.end)
        for number, iteration in iterations.items():
            iteration.finished = iteration.done_devices >= iteration.started_devices
            if iteration.finished:
                iteration.end = last_done.get(number, iteration.end)
        return dict(sorted(iterations.items()))

    def devices(self):
        """Devices by their first task, in the order of the pipeline; then those that only sent."""
        spans = sorted(self.spans, key=lambda span: (span.category != "task", span.start))
        return list(dict.fromkeys(span.device for span in spans if span.kind not in CONTROL))


def read_cases(path):
    document = read_json(path)
    events = document.get("traceEvents") if isinstance(document, dict) else document
    if not isinstance(events, list):
        raise InputError(f'{path}: no list "traceEvents", expected a scenario\'s timeline.json')
    processes, spans, marks = {}, {}, {}
    for complete in (False, True):  # names first, as they may be anywhere
        for number, event in enumerate(events):
            try:
                if not isinstance(event, dict):
                    raise InputError(f"found {shown(event)}, expected an object")
                if complete and event.get("ph") == "X":
                    case, span = _span(event, processes)
                    spans.setdefault(case, []).append(span)
                elif complete and event.get("ph") == "i":
                    case, device = _place(event, processes)
                    marks.setdefault(case, []).append(
                        Mark(device, _get(event, "name", str), _get(event, "ts", float) / 1e6))
                elif not complete and event.get("name") == "process_name":
                    processes[_get(event, "pid", int)] = _process(event)
            except InputError as error:
                raise InputError(f"{path}: event {number}: {error}") from None
    if not spans:
        raise InputError(f"{path}: no task and no transfer in it, nothing to draw")
    return [Case(name, case_spans, marks.get(name, ())) for name, case_spans in spans.items()]


def _get(event, key, kind):
    """A member of the required kind: str, dict, int, or float for any finite number >= 0."""
    names = {str: "a string", dict: "an object", int: "a whole number", float: "a number from 0"}
    value = event.get(key)
    good = isinstance(value, (int, float) if kind is float else kind) and value is not True
    if kind in (int, float):
        good = good and value is not False and 0 <= value < 1e18
    if not good:
        found = shown(value) if key in event else "nothing"
        raise InputError(f'"{key}": found {found}, expected {names[kind]}')
    return value


def _process(event):
    name = _get(_get(event, "args", dict), "name", str)
    case, separator, device = name.rpartition(" / ")
    if not separator:
        raise InputError(f'"name": found {shown(name)}, expected "CASE / DEVICE"')
    return case, device


def _place(event, processes):
    pid = _get(event, "pid", int)
    if pid not in processes:
        raise InputError(f'"pid": {pid} has no process_name')
    return processes[pid]


def _span(event, processes):
    case, device = _place(event, processes)
    args = _get(event, "args", dict)
    start = _get(event, "ts", float)
    return case, Span(device, _get(event, "cat", str), _get(event, "name", str), start / 1e6,
                      (start + _get(event, "dur", float)) / 1e6, _get(args, "iteration", int),
                      _get(args, "microBatch", int) if "microBatch" in args else None)
