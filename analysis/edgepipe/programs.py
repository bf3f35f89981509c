# SPDX-License-Identifier: GPL-2.0-only
"""Planners in Python as programs that scenarios ask: --planner="exec:python3 mine.py"."""

import contextlib
import json
import os
import sys

from edgepipe.problems import read_problem, write_plan

ASKED = "EDGEPIPE_PLANNER"  # set in the environment of a program that a scenario asks


def planner(function):
    """Turns a function from a problem to a plan into a program.

        @planner
        def last(problem):
            return problem.plan([(-1, 0, -1)])

    Where a scenario has started the file, the function answers its problems from here on, so let it
    be the last in the file; elsewhere it stays as it is. What it prints goes to standard error.
    """
    if os.environ.get(ASKED) and function.__module__ == "__main__":
        serve(function)
        sys.exit()
    return function


def answer(function, line):
    """The plan of a function for a problem, both a line of JSON."""
    return json.dumps(write_plan(function(read_problem(json.loads(line)))))


def serve(function):
    """Answers every line of standard input."""
    try:
        for line in sys.stdin:
            with contextlib.redirect_stdout(sys.stderr):
                text = answer(function, line)
            print(text, flush=True)
    except (BrokenPipeError, KeyboardInterrupt):
        sys.exit(1)
