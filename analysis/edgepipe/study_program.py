# SPDX-License-Identifier: GPL-2.0-only
"""Studies that are run like scenarios: ./ns3 run NAME runs the Study in analysis/NAME.py.

A study declares its options and the cases that it needs. The campaign runner runs each case once, and a
killed study continues when the same command is repeated.
"""

import importlib
import inspect
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from edgepipe.campaign.progress import Progress
from edgepipe.campaign.record import rows_of
from edgepipe.campaign.runner import Campaign, become_interruptible, find_program
from edgepipe.campaign.source import source_of, stamp_of
from edgepipe.campaign.store import Store
from edgepipe.campaign.study import Sweep, digest, make_case
from edgepipe.pictures import InputError
from edgepipe.results_folder import LIST, ResultsFolder
from edgepipe.run_file import unlike_stacks
from edgepipe.run_page import page_of
from edgepipe.running import ROOT, ScenarioError, studies, traces_folder
from edgepipe.running import find_program as find_path
from edgepipe.study_options import Option, describe, names, options_of, read_value, read_words, whole

DATABASE = ".edgepipe-cases"  # in the folder of the results, while cases run
INPUTS = ".edgepipe-inputs"  # likewise, for files that a study writes for its cases
SHOWN_REASONS = 8  # for a stalled case


@dataclass
class Result:
    status: str  # ok, stalled, failed, crashed or time limit
    rows: list  # of results.csv, as dictionaries
    files: dict  # contents of the files in KEEP, bytes
    said: str  # on standard error, if the case is not ok
    seconds: float  # wall-clock time
    exit: int  # exit status

    @property
    def run(self):
        """run.json, or the part of it in the results."""
        text = self.files.get("run.json") or (self.rows and self.rows[0].get("run")) or "{}"
        return json.loads(text)

    @property
    def row(self):
        row, = self.rows
        return row

    def table(self, name):
        """The rows of another CSV, as dictionaries with numbers converted."""
        return rows_of(self.files[name].decode())

    def reason(self):
        return (self.said.strip().splitlines() or [self.status])[-1].partition(": ")[2]


class Study:
    """Base class of studies; --help prints the class's docstring.

    At the top of the file, SCENARIOS must be a literal list of the programs that the study runs, since
    ./ns3 reads it to build them.
    """

    OPTIONS = []  # list of Option
    KEEP = []  # files to keep from a case's results, besides run.json
    JOBS = None  # default number of cases at once; None: the number of cores
    NEXT = ""  # the program that draws the results
    TABLES = ""  # the program that makes tables of the results, run at the end

    # ---- for a study to write -----------------------------------------------------------------

    def options(self, words):
        """The options; options that a study passes on come from `options_of_scenario`."""
        return self.OPTIONS

    def read(self):
        """Checks combinations of options."""

    def work(self):
        """Runs cases, prints, writes with self.folder.write; returns a description of the files."""
        raise NotImplementedError

    # ---- for a study to use -------------------------------------------------------------------

    def __getattr__(self, name):
        """The value of an option: self.max_bytes is that of --max-bytes."""
        try:
            return self.__dict__["values"][name.replace("_", "-")]
        except KeyError:
            raise AttributeError(name) from None

    def refuse(self, name, expected):
        self.is_refused = True  # no need to keep cases for a repeated command
        raise InputError(f'--{name}: found "{self.texts[name]}", expected {expected}')

    def options_of_scenario(self, scenario, defaults=(), without=()):
        """The options of a scenario, read as texts; defaults: replaces some defaults."""
        declared = [one for one in options_of(said_by(scenario, "--describe")) if one.name not in ("out", *without)]
        self._usual[scenario] = {one.name: one.default for one in declared}
        self._helps.update({scenario: one.help for one in declared if one.name == "planner"})
        return [Option(one.name, dict(defaults).get(one.name, one.default), one.help)
                for one in declared]

    def planners_of(self, scenario):
        """The planners of --planner; for all, the names that the scenario's help lists."""
        if self.planner != "all":
            return names()(self.planner)
        words = self._helps[scenario].partition(", several")[0].split(", ")
        return [word for word in words if ":" not in word]

    def passed_on(self, scenario):
        """The options of the scenario that differ from their defaults."""
        return {name: self.texts[name] for name, default in self._usual[scenario].items()
                if self.texts[name] != default and name != "traces"}

    def case(self, scenario, options, run=None):
        """A case of a scenario; options: by name without dashes; run: ns-3's run number."""
        passed = {**self.passed, **{name: str(value) for name, value in options.items()}}
        passed.pop("RngRun", None)
        return make_case(scenario, passed, run or self.first_run, self._source(scenario), Path.cwd(),
                         self._digests)

    def simulate(self, cases, what="", share=(0, 1), check=0, allowed=("ok", "stalled")):
        """The results of cases, in their order; equal cases run once.

        what: text of the progress line; empty: a count of cases.
        share: (parts done before, all parts) of the study's work, for progress over several calls.
        check: number of cases whose options the scenario checks before any runs, so that mistakes are found
        at once; --dry-run checks all cases.
        allowed: outcomes; any other ends the study with the scenario's message.
        """
        campaign = self._open({case.scenario for case in cases})
        done, all_done = share

        def follow(ended, count, text):
            self._progress.update(done + ended / max(count, 1), all_done, what or text)

        different = list({case.hash: case for case in cases}.values())
        campaign.run(different, progress=follow,
                     to_check=different if self.is_dry else different[:check])
        results = {}
        for stored in self._store.read({case.hash for case in cases}):
            files = {name: self._store.file(stored["id"], name) for name in self._kept}
            results[stored["hash"]] = result = Result(
                stored["outcome"], stored["rows"],
                {name: content for name, content in files.items() if content is not None},
                stored["log"] or "", stored["wallSeconds"], stored["exitStatus"])
            if result.status not in allowed:
                raise InputError(result.reason())
        return [results[case.hash] for case in cases]

    def make_inputs(self):
        folder = self.folder.path / INPUTS
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return folder

    def report_stall(self, what, seconds, lines):
        """Reports what a stalled run waits for, and sets the exit status to 3."""
        self.status = 3
        self._progress.close()
        more = len(lines) - SHOWN_REASONS
        print(f"{self.name}: {what}: stalled, the run ends at {seconds} s; who waits for what:\n"
              + "".join(f"  {line}\n" for line in lines[:SHOWN_REASONS])
              + (f"  and {more} more lines\n" if more > 0 else ""), end="", file=sys.stderr)

    def run_file(self, more=(), example=None):
        """run.json as of a scenario, with the versions of a case; more: further members."""
        run = example.run if example else {}
        return json.dumps({"scenario": self.name, "versions": run.get("versions", {}),
                           "rngSeed": int(self.passed.get("RngSeed", 1)), "rngRun": self.first_run,
                           "options": {name: text for name, text in {**self.texts, **self.passed}.items()
                                       if name != "jobs" and name[:3] != "Rng"},
                           **dict(more)}, indent=2, ensure_ascii=False) + "\n"

    # ---- how it runs --------------------------------------------------------------------------

    def __init__(self, name):
        self.name = name
        self.status = 0
        self.is_refused = False
        self._campaign = self._store = None
        self._digests, self._sources, self._usual, self._helps = {}, {}, {}, {}
        self._kept = ["run.json", *self.KEEP]
        self._progress = Progress()

    def main(self, words):
        own = self.options(words)
        if "traces" not in [one.name for one in own]:
            own = [*own, Option("traces", "", "folder of models, profiles, devices, clusters, links; "
                                 "empty: $EDGEPIPE_TRACES or traces")]
        declared = [*own,
                    Option("jobs", str(self.JOBS or os.cpu_count()), "cases to run at once", whole(1, 1000)),
                    Option("out", f"results/{self.name}", "folder for the results")]
        if {"--help", "-h", "--PrintHelp"} & {*words}:
            print(self._help(declared))
            return 0
        if "--describe" in words:
            print(describe(self.name, inspect.cleandoc(self.__doc__), declared))
            return 0
        given, passed = read_words(words, declared)
        self.passed = dict(sorted(passed.items()))
        self.is_dry = bool(given.pop("dry-run", ""))
        self.first_run = read_value(Option("RngRun", "1", "", whole(0, 2 ** 63)),
                                    self.passed.get("RngRun", "1"))
        self.texts = {one.name: given.get(one.name, one.default) for one in declared}
        self.values = {one.name: read_value(one, self.texts[one.name]) for one in declared}
        self.folder = ResultsFolder(self.texts["out"])
        self.folder.check()
        if not self.is_dry:
            self.folder.hold()
        if self.texts["traces"]:
            os.environ["EDGEPIPE_TRACES"] = self.texts["traces"]
        elif traces_folder():
            os.environ.setdefault("EDGEPIPE_TRACES", str(traces_folder()))
        self.read()
        become_interruptible()
        made, is_new = self.folder.make(), not (self.folder.path / LIST).exists()
        is_over = False
        try:
            if is_new:  # marks the folder as one of results, even if this run fails
                (self.folder.path / LIST).touch()
            files = self.work()
            self._progress.close()
            if self._campaign:
                self._campaign.finish()
            changed = [f"--{one.name}={self.texts[one.name]}" for one in declared
                       if self.texts[one.name] != one.default and one.name not in ("out", "jobs")]
            changed += [f"--{name}={text}" for name, text in self.passed.items()
                        if (name, text) not in (("RngSeed", "1"), ("RngRun", "1"))]
            self.folder.write("report.html", page_of(self.name, changed, self.folder.written()))
            self.folder.commit()
            is_over = True
        except DryRunEnd:
            return 0
        except KeyboardInterrupt:
            made = []
            print(f"{self.name}: stopped; the same command goes on", file=sys.stderr)
            return 130
        finally:
            self._progress.close()
            self.folder.discard()
            self._close(is_over)
            shutil.rmtree(self.folder.path / INPUTS, ignore_errors=True)
            if not is_over and is_new and not any(self.folder.path.glob(f"{DATABASE}*")):
                (self.folder.path / LIST).unlink(missing_ok=True)
                self.folder.remove(made)
        print(f"\nResults: {self.texts['out']}/  report.html (open it in a browser), {files}")
        if self.NEXT:
            print(f"\nTry next:\n  {self.NEXT} {self.texts['out']}     (draws it)")
        sys.stdout.flush()
        if self.TABLES:
            made = subprocess.run([sys.executable, self.TABLES, self.texts["out"]])
            self.status = self.status or made.returncode
        return self.status

    def _help(self, declared):
        width = max(len(one.name) for one in declared) + 6
        lines = [f"{self.name} [Program Options]", "", inspect.cleandoc(self.__doc__), "",
                 "--RngRun=N, --RngSeed=N, ns-3's attributes and --library=FILE are passed on to the "
                 "scenarios. --dry-run only checks the options, --describe prints them as JSON.", "",
                 "Program Options:"]
        for one in declared:
            lines.append(f"    {f'--{one.name}:':{width}}{one.help}"
                         + (f" [{one.default}]" if one.default else ""))
        return "\n".join(lines)

    def _source(self, scenario):
        if scenario not in self._sources:
            self._sources[scenario] = digest(json.dumps(
                [source_of(ROOT), [list(one) for one in stamp_of(find_path(scenario))]]))
        return self._sources[scenario]

    def _open(self, scenarios):
        if not self._campaign:
            self._store = Store(self.folder.path / f"{DATABASE}.sqlite")
            study = Sweep(Path(self.name), "", {}, [], [], keep=self._kept, keeps_all=True)
            self._campaign = Campaign(study, self._store, {}, Path.cwd(), self.values["jobs"],
                                      refuse=self._refuse)
            self._campaign.open()
        for name in scenarios:
            path = find_path(name)
            if name not in self._campaign.programs:
                self._campaign.add(name, find_program(Path.cwd(), path.parent, name,
                                                      self._source(name)))
        return self._campaign

    def _refuse(self, mistakes):
        if mistakes:
            raise InputError(mistakes[0].splitlines()[-1].partition(": ")[2])
        if self.is_dry:
            raise DryRunEnd

    def _close(self, is_over):
        if self._campaign:
            self._campaign.close()
        if self._store:
            is_empty = {*self._store.outcomes().values()} <= {"failed"}
            self._store.close()
            if is_over or is_empty or self.is_dry or self.is_refused:
                for path in self.folder.path.glob(f"{DATABASE}.sqlite*"):
                    path.unlink(missing_ok=True)


def said_by(scenario, *words):
    return subprocess.run([find_path(scenario), *words], stdout=subprocess.PIPE, check=True,
                          stdin=subprocess.DEVNULL, text=True).stdout


def print_layer_costs(run):
    for device, cost in run.get("layerCosts", {}).items():
        negative = cost["negativeValues"]
        print(f"layer costs of {device}: {cost['origin']} ({cost['source']})"
              + (f"; {negative} negative values count as 0" if negative else ""))
    if note := unlike_stacks(run.get("layerCosts", {})):
        print(note)


class DryRunEnd(Exception):
    """Ends a --dry-run that found no mistakes."""


def load_study(name):
    path = studies().get(name)
    if not path:
        raise InputError(f"no study is called {name}")
    sys.path.insert(0, str(path.parent))
    module = importlib.import_module(path.stem)
    found, = [one for one in vars(module).values() if isinstance(one, type) and one is not Study
              and issubclass(one, Study) and one.__module__ == module.__name__]
    return found(name)


def main():
    name, *words = sys.argv
    try:
        sys.exit(load_study(name).main(words))
    except ScenarioError as error:
        raise InputError(str(error)) from None
