# SPDX-License-Identifier: GPL-2.0-only
"""Scenarios from Python: run, problem, plan, simulate."""

import collections.abc
import contextlib
import csv
import glob
import itertools
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import weakref
from pathlib import Path

from edgepipe.problems import PLANS, PROBLEMS, PlanError, expect, read_plan, read_problem, write_plan
from edgepipe.problem_files import write_plan as write_run_plan, write_problem
from edgepipe.programs import answer

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent  # in a clone
INSTALLED = HERE.parent.parent.parent.parent  # prefix of lib/python3/dist-packages/edgepipe
PATH = (str, os.PathLike)


class ScenarioError(RuntimeError):
    """A scenario refused its options or failed; the message is its own."""

    def __init__(self, message, status):
        super().__init__(message)
        self.status = status


class Results:
    """The results of a scenario.

    results["iterations"] is the table iterations.csv: a pandas data frame if pandas is installed, otherwise a
    list of dictionaries. The folder is removed with this object unless `out` named it.
    """

    def __init__(self, folder, output, temporary=None):
        self.folder = Path(folder)
        self.output = output
        if temporary:
            weakref.finalize(self, shutil.rmtree, temporary, True)

    def __getitem__(self, name):
        if name not in self.keys():
            raise KeyError(f"found {name!r}, expected one of {', '.join(self.keys())}")
        return read_csv(self.folder / f"{name}.csv")

    def rows(self, name="results"):
        """A table as a list of dictionaries, with pandas or without."""
        table = self[name]
        return table.to_dict("records") if hasattr(table, "columns") else table

    def keys(self):
        """The names of the tables."""
        return sorted(path.stem for path in self.folder.glob("*.csv"))

    @property
    def results(self):
        """results.csv, a row for each planner or case."""
        return self["results"]

    @property
    def timeline(self):
        """The events of timeline.json: tasks and messages; times in microseconds."""
        path = self.folder / "timeline.json"
        if not path.exists():
            raise PlanError(f"timeline: found none of {self.run['scenario']} with these options, expected a run that "
                            "writes timeline.json")
        return json.loads(path.read_text())["traceEvents"]

    @property
    def run(self):
        """run.json: the run's settings, and the origins of layer costs."""
        return json.loads((self.folder / "run.json").read_text())

    @property
    def problem(self):
        """The problem given to the planners."""
        return problem(self.folder)

    def __repr__(self):
        return f"<results of {self.run['scenario']}: {', '.join(self.keys())}>"


def _number(text):
    for kind in (int, float):
        with contextlib.suppress(ValueError):
            return kind(text)
    return text or None


def read_csv(path):
    """A table as a data frame, or without pandas as dictionaries, with None for empty cells."""
    try:
        import pandas
    except ImportError:
        with open(path, newline="", encoding="utf-8") as file:
            return [{key: _number(text) for key, text in row.items()}
                    for row in csv.DictReader(file)]
    return pandas.read_csv(path)


def find_program(name):
    """The path of a scenario's program, which is built if missing."""
    folders = [os.environ.get("EDGEPIPE_BIN_DIR"), ROOT / "build" / "bin",
               INSTALLED / "libexec" / "edgepipe"]
    for folder in filter(None, folders):
        path = Path(folder) / name
        if os.access(path, os.X_OK):
            return path
    if (ROOT / "ns3").exists() and (ROOT / "scenarios" / f"{name}.cc").exists():
        subprocess.run([ROOT / "ns3", "build", name], check=True, stdout=sys.stderr)
        return ROOT / "build" / "bin" / name
    known = sorted([path.stem for path in (ROOT / "scenarios").glob("*.cc")] + list(studies()))
    raise ScenarioError(f"no scenario is called {name!r}"
                        + (f", expected one of {', '.join(known)}" if known else ""), 2)


def studies():
    """Files of studies by name: programs with a list SCENARIOS."""
    found = {}
    for path in [*ROOT.glob("analysis/*.py"), *ROOT.glob("analysis/papers/*.py")]:
        if re.search(r"^SCENARIOS = ", path.read_text(encoding="utf-8"), re.MULTILINE):
            found[path.stem.replace("_", "-")] = path
    return found


def command_of(name):
    """The command that starts a scenario or a study."""
    if name in studies():
        return [sys.executable, str(ROOT / "analysis" / "run_study.py"), name]
    return [str(find_program(name))]


class _Listener:
    """Answers problems with a function in this process, at a socket in a folder."""

    def __init__(self, function, folder):
        self.function = function
        self.error = None
        self.name = getattr(function, "__name__", type(function).__name__)
        # Commands are split on spaces, which these paths may contain; results call a program by its file.
        place = folder / f"{len(list(folder.iterdir()))}"
        place.mkdir()
        others = (f"{self.name}#{count}" for count in itertools.count(2))
        file = next(one for one in itertools.chain([self.name], others) if not any(folder.glob(f"*/at/{glob.escape(one)}")))
        for name, path in (("python", sys.executable), (f"at/{file}", HERE / "relay.py")):
            (place / name).parent.mkdir(exist_ok=True)
            os.symlink(path, place / name)
        address = place / "socket"
        self.command = f"exec:{place / 'python'} -SE {place / 'at' / file}"
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.bind(str(address))
        self.socket.listen()
        threading.Thread(target=self.accept, daemon=True).start()

    def close(self):
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)  # wakes the accepting thread
        self.socket.close()

    def accept(self):
        with contextlib.suppress(OSError):  # the socket was closed
            while True:
                threading.Thread(target=self.serve, args=self.socket.accept()[:1],
                                 daemon=True).start()

    def serve(self, connection):
        with connection, connection.makefile("r", encoding="utf-8") as lines:
            for line in lines:
                try:
                    text = answer(self.function, line)
                except Exception as error:  # any error of the planner, for its author
                    self.error = error
                    text = "!" + json.dumps(f"{type(error).__name__}: {error}")
                with contextlib.suppress(OSError):
                    connection.sendall(text.encode() + b"\n")


def _value(value, name, folder, listeners, names):
    """An option's value as typed on a command line; names: gets names for functions and plans in results."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str) or not isinstance(value, collections.abc.Iterable):
        if callable(value):
            listeners.append(_Listener(value, folder))
            names[listeners[-1].command] = listeners[-1].name
            return listeners[-1].command
        if type(value) in PLANS.values():
            file = folder / f"plan{len(list(folder.iterdir()))}.json"
            file.write_text(json.dumps(write_plan(value)) + "\n")
            names[f"plan:{file}"] = f"plan:{value.planner}" if value.planner else "plan"
            return str(file) if name == "plan" else f"plan:{file}"
        return str(value)
    return ",".join(_value(one, name, folder, listeners, names) for one in value)


def run(scenario, out=None, **options):
    """Runs a scenario; micro_batch_size=8 is its option --micro-batch-size=8.

    Lists are joined by commas. A planner may be a function from a problem to a plan, called in this process,
    or a plan made by `plan` or problem.plan(); results refer to them by name. RngRun=2 is ns-3's own option.
    `out` names a folder that is new, empty, or has a run's results. Raises ScenarioError with the scenario's
    error message.
    """
    expect(isinstance(scenario, str) and re.fullmatch(r"[\w-]+", scenario), "scenario", scenario, "a name")
    expect(out is None or isinstance(out, PATH), "out", out, "a folder")
    folder = Path(tempfile.mkdtemp(dir=_home()))
    target = Path(out) if out else folder / "results"
    listeners, names = [], {}
    # Ends the scenario with this process, if the system has setpriv.
    setpriv = shutil.which("setpriv")
    guard = [setpriv, "--pdeathsig", "KILL"] if setpriv else []
    try:
        words = [f"--{name if '::' in name else name.replace('_', '-')}="
                 f"{_value(value, name, folder, listeners, names)}" for name, value in options.items()]
        ended = subprocess.run([*guard, *command_of(scenario), *words, f"--out={target}"],
                               env=_environment(), stdin=subprocess.DEVNULL, capture_output=True,
                               text=True, errors="replace")
    except ValueError as error:  # such as a zero byte
        raise ScenarioError(f"{scenario}: found options that no command line can hold: {error}", 2) from None
    finally:
        for one in listeners:
            one.close()
    names = _unlike(names, words)
    if ended.returncode not in (0, 3):
        shutil.rmtree(folder, ignore_errors=True)
        error = ScenarioError(_replace(ended.stderr.strip(), names) or f"{scenario} ended with status "
                              f"{ended.returncode}", ended.returncode)
        raise error from next((one.error for one in listeners if one.error), None)
    said = _put_names(names, ended.stdout + ended.stderr, target)
    if out:
        shutil.rmtree(folder, ignore_errors=True)
    return Results(target, said, None if out else folder)


_homes = {}  # by system folder for temporary files: our folder in it, and the process that removes it


def _home():
    """A folder for temporary folders, removed when this process ends, even if killed."""
    place = tempfile.gettempdir()
    if place not in _homes:
        home = tempfile.mkdtemp(prefix="edgepipe-")
        # Its standard input ends with this process.
        remover = subprocess.Popen([sys.executable, "-SE", "-c", _REMOVE, home], stdin=subprocess.PIPE,
                                   stdout=subprocess.DEVNULL, start_new_session=True)
        _homes[place] = home, remover
    return _homes[place][0]


_REMOVE = "import shutil, sys; sys.stdin.read(); shutil.rmtree(sys.argv[1], True)"


def _unlike(names, words):
    """Unique names for functions and plans, distinct from other planners in the options."""
    taken = {part for word in words if word.startswith("--planner=") for part in word.partition("=")[2].split(",")}
    unlike = {}
    for command, name in names.items():
        others = (f"{name}#{count}" for count in itertools.count(2))
        unlike[command] = next(one for one in itertools.chain([name], others) if one not in taken)
        taken.add(unlike[command])
    return dict(sorted(unlike.items(), reverse=True))  # no command before a longer one with the same start


def _put_names(names, said, folder):
    """Puts names into the files of a scenario, and into its output, which is returned."""
    for path in [*folder.glob("*.csv"), *folder.glob("*.json"), *folder.glob("*.html")] if names else []:
        text = path.read_text(encoding="utf-8")
        named = _replace(text, names)
        if named != text:
            path.write_text(named, encoding="utf-8")
    return _replace(said, names)


def _replace(text, words):
    for one, other in words.items():
        text = text.replace(one, other)
    return text


def traces_folder():
    """The folder of models, devices and recordings; None if there is none."""
    folders = [os.environ.get("EDGEPIPE_TRACES"), ROOT / "traces", INSTALLED / "share/edgepipe/traces"]
    return next((Path(folder) for folder in folders if folder and Path(folder).is_dir()), None)


def _environment():
    environment = {"EDGEPIPE_PROGRESS": "off", **os.environ}
    if (ROOT / "traces").is_dir():
        environment.setdefault("EDGEPIPE_TRACES", str(ROOT / "traces"))
    paths = [str(HERE.parent), *filter(None, [environment.get("PYTHONPATH")])]
    return {**environment, "PYTHONPATH": os.pathsep.join(paths)}


def problem(source):
    """Reads a problem from a dictionary, a problem.json, or a folder with the results of a run.

    A run's problem keeps its origin, so that `simulate` runs the same scenario.
    """
    if isinstance(source, dict):
        return read_problem(source)
    expect(isinstance(source, PATH), "problem", source, "a dictionary, a file or a folder")
    path = Path(source)
    path = path / "problem.json" if path.is_dir() else path
    about = path.parent / "run.json"
    try:
        form, origin = (json.loads(one.read_text(encoding="utf-8")) if one == path or one.exists() else None
                        for one in (path, about))
    except (OSError, ValueError) as error:
        raise PlanError(f"problem: found {str(source)!r}, expected a file that holds a problem: {error}") from None
    read = read_problem(form)
    if origin:
        try:
            read.origin = (origin["scenario"], {**origin.get("options", {}), "RngSeed": origin["rngSeed"],
                                                "RngRun": origin["rngRun"]})
        except (AttributeError, KeyError, TypeError):
            raise PlanError(f"problem: found {str(about)!r}, expected that of a run beside it") from None
    return read


def _expect_problem(problem):
    expect(type(problem) in PROBLEMS.values(), "problem", problem, "what edgepipe.problem(FILE, FOLDER or dictionary) reads")


def plan(problem, planner="exact"):
    """The plan of a planner: a name, or a function."""
    _expect_problem(problem)
    expect(callable(planner) or isinstance(planner, str) and planner and "," not in planner, "planner", planner,
           "one name or a function")
    if callable(planner):
        return read_plan(problem, write_plan(planner(problem)))
    (form,), = plan_all([problem.to_json()], [planner])
    return read_plan(problem, form)


def plan_all(problems, planners, words=()):
    """For each problem, a list with each planner's plan, all dictionaries; words: options of `plan`."""
    with tempfile.TemporaryDirectory(dir=_home()) as folder:
        names = [f"{number}.json" for number in range(len(problems))]
        for name, problem in zip(names, problems):
            (Path(folder) / name).write_text(json.dumps(problem))
        ended = subprocess.run([Path(find_program("plan")).resolve(), f"--problem={','.join(names)}",
                                f"--planner={','.join(planners)}", *words],
                               env=_environment(), stdin=subprocess.DEVNULL, capture_output=True,
                               text=True, errors="replace", cwd=folder)
    if ended.returncode:
        raise ScenarioError(ended.stderr.strip(), ended.returncode)
    plans = [json.loads(line) for line in ended.stdout.splitlines()]
    return [plans[at:at + len(planners)] for at in range(0, len(plans), len(planners))]


def simulate(problem, plan, **options):
    """Runs a plan for a problem; options change some of the run's, such as link="wifi".

    A problem that comes from a run is simulated with that run's scenario, options, seed and run number; with
    that run's planner names in place of a plan, this gives the same files. Any other pipeline problem is
    simulated by pipeline-training, over wires with the problem's rates, without weight updates, which it
    does not describe; results call a device NAME there NAME-0.
    """
    _expect_problem(problem)
    if "planner" in options:
        raise PlanError("simulate: found planner, expected none beside the plan, which may be a planner's name")
    if problem.origin is not None:
        scenario, before = problem.origin
        given = {name if "::" in name else name.replace("-", "_"): value
                 for name, value in before.items() if name not in ("out", "plan")}
        return run(scenario, **{**given, "planner": plan, **options})
    if problem.kind != "pipeline":
        raise PlanError(f"a {problem.kind} problem says too little to be simulated by itself, expected one "
                        "that problem() read from a folder of results, beside run.json")
    with tempfile.TemporaryDirectory(dir=_home()) as folder:
        given = write_problem(problem, folder, traces_folder(),
                              not {"link", "bandwidth", "trace"} & set(options))
        form = write_run_plan(problem, read_plan(problem, write_plan(plan)))
        return run("pipeline-training", **{**given, "planner": form, **options})
