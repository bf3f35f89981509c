# SPDX-License-Identifier: GPL-2.0-only
"""Planners in Python as programs that scenarios ask: --planner="exec:python3 mine.py"."""

import contextlib
import inspect
import json
import os
import sys

from edgepipe.problems import PlanError, read_problem, write_plan

ASKED = "EDGEPIPE_PLANNER"  # set in the environment of a program that a scenario asks


def planner(function):
    """Turns a function from a problem to a plan into a program.

        @planner
        def last(problem):
            return problem.plan([(0, 0, len(problem.layers) - 1)])

    If a scenario has started the file, the function answers the scenario's problems from here on, so put it
    last in the file; otherwise the function is unchanged. Its output goes to standard error. A file that is
    started by hand and ends with the function answers the problem on standard input.
    """
    if function.__module__ == "__main__":
        if os.environ.get(ASKED):
            serve(function)
            sys.exit()
        if _is_last(function):
            sys.exit(_answer_once(function))
    return function


def _is_last(function):
    """Whether the function is the last code in its file."""
    try:
        lines, first = inspect.getsourcelines(function)
        whole, _ = inspect.findsource(function)
    except (OSError, TypeError):
        return False
    return not any(line.strip() and not line.startswith("#") for line in whole[first - 1 + len(lines):])


def _answer_once(function):
    """Prints the plan for the problem on standard input; returns the exit status."""
    name = os.path.basename(sys.argv[0])
    text = "" if sys.stdin is None or sys.stdin.isatty() else sys.stdin.read()
    if not text.strip():
        print(f"{name}: no problem on standard input; type {name} < results/pipeline-training/problem.json, or "
              f'./ns3 run "pipeline-training --planner=exec:python3 {name}"', file=sys.stderr)
        return 2
    try:
        with contextlib.redirect_stdout(sys.stderr):
            plan = answer(function, text)
    except (PlanError, ValueError) as error:
        print(f"{name}: standard input: {error}", file=sys.stderr)
        return 2
    print(plan)
    return 0


def answer(function, line):
    """The plan of a function for a problem, each a line of JSON."""
    return json.dumps(write_plan(function(read_problem(json.loads(line)))))


def serve(function):
    try:
        for line in sys.stdin:
            with contextlib.redirect_stdout(sys.stderr):
                text = answer(function, line)
            print(text, flush=True)
    except (BrokenPipeError, KeyboardInterrupt):
        sys.exit(1)
