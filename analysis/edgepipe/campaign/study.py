# SPDX-License-Identifier: GPL-2.0-only
"""A study: a set of runs of a scenario. Format: contrib/edgepipe/doc/guide/campaigns.rst."""

import difflib
import hashlib
import itertools
import json
import math
import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path

from edgepipe.campaign.values import MOST_VALUES, read_quantity, read_values, shown, text_of
from edgepipe.pictures import InputError
from edgepipe.run_file import read_json

MEMBERS = ("scenario", "options", "grid", "zip", "list", "repetitions", "engine", "jobs",
           "timeLimit", "retries", "keep", "database", "report")
# Options set by the campaign.
RESERVED = {"RngRun": "repetitions", "out": "the database", "dry-run": "no such option",
            "help": "no such option", "PrintHelp": "no such option"}
DATABASE = "results/campaigns.sqlite"
REPORT = {"compare": str, "figure": str, "figures": list, "x": str}


@dataclass(frozen=True)
class Case:
    scenario: str
    options: tuple  # (name, value) pairs of texts
    run: int  # ns-3's RngRun
    question: str  # hash of the above and of the files named in options
    hash: str  # of the question and the program's sources

    def words(self):
        return [f"--{name}={value}" for name, value in self.options] + [f"--RngRun={self.run}"]

    def note(self):
        return {"hash": self.hash, "question": self.question, "scenario": self.scenario,
                "run": self.run, "options": self.options, "command": self.command()}

    def command(self):
        return f"./ns3 run {shlex.quote(shlex.join([self.scenario, *self.words()]))}"


@dataclass
class Sweep:
    path: Path
    scenario: str
    fixed: dict
    swept: list  # names of the options that vary, in the order of the file
    points: list  # dictionaries of values by option, all texts
    repetitions: int = 1
    engine: str = "local"
    hosts: str = ""  # file of hosts, for the engine hosts
    sbatch: str = ""  # further options of sbatch, for the engine slurm
    jobs: int = 0  # cases at once; 0: the number of cores
    time_limit: float = 0  # seconds per case; 0: none
    retries: int = 0
    keep: list = field(default_factory=lambda: ["timeline.json"])
    keep_given: list = field(default_factory=list)  # the same, if the study says it
    keeps_all: bool = False  # whether to keep files of every run, not only the first
    database: str = DATABASE
    report: dict = field(default_factory=dict)

    def name(self):
        return self.path.stem

    def cases(self, source, root):
        """source: identity of the program's sources; root: folder to which file names are relative."""
        digests = {}
        cases = {}
        for run in range(1, self.repetitions + 1):
            for point in self.points:
                case = make_case(self.scenario, {**self.fixed, **point}, run, source, root, digests)
                cases.setdefault(case.hash, case)
        return list(cases.values())

    def words(self):
        """Parts of all values of options that may name something, each once."""
        return sorted({word for point in self.points for value in {**self.fixed, **point}.values()
                       for word in words_of(value)})

    def files(self, root):
        """Hashes of the files named in options, by name."""
        return {word: found for word in self.words() if (found := digest_file(root / word))}


def make_case(scenario, options, run, source, root, digests):
    """A case; digests: cache of hashes of files by name."""
    options = tuple(options.items())
    files = {}
    for _, value in options:
        for word in words_of(value):
            if word not in digests:
                digests[word] = digest_file(root / word)
            if digests[word]:
                files[word] = digests[word]
    question = digest(json.dumps([scenario, sorted(options), run, files], sort_keys=True))
    return Case(scenario, options, run, question, digest(json.dumps([question, source])))


def words_of(value):
    """Parts of a value that may name a file, as in DEVICE:FILE, exec:python3 FILE and cluster=FILE."""
    return sorted({value, *value.split(","), *re.split(r"[,:=\s]+", value)} - {""})


def digest(text):
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:32]


def digest_file(path):
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None
    except (OSError, ValueError):
        return None


def read_study(path, scenarios):
    if path.exists() and not path.is_file():
        raise InputError(f"{path}: expected a plain file")
    document = read_json(path, object_pairs_hook=each_once)
    try:
        return build(path, document, scenarios)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def each_once(pairs):
    names = [name for name, _ in pairs]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f'found "{name}" twice in one object, expected it once')
    return dict(pairs)


def build(path, document, scenarios):
    take(document, dict, "the study", "an object")
    mistakes = [f'found "{name}"{near(name, MEMBERS)}; ' for name in document if name not in MEMBERS]
    if mistakes:
        raise InputError("".join(mistakes) + "expected some of " + ", ".join(MEMBERS))
    scenario = document.get("scenario")
    if scenario not in scenarios:
        hint = near(scenario, scenarios) if isinstance(scenario, str) else ""
        raise InputError(f"scenario: found {shown(scenario)}, expected a scenario{hint}; "
                         "./ns3 show targets lists them")
    fixed = {name: text_of(value, f"options.{name}") for name, value in
             take_options(document.get("options", {}), "options", "an object").items()}
    parts = [read_grid(document), read_zip(document), read_list(document)]
    swept = [name for part in parts for name in part[0]]
    for where, names in (("options", fixed), ("the study", swept)):
        for name in names:
            if name in RESERVED:
                raise InputError(f'{where}: found "{name}", which the campaign sets itself: '
                                 f"{RESERVED[name]}")
            if not re.fullmatch(r"\w[\w:-]*", name):
                raise InputError(f"{where}: found {shown(name)}, expected the name of an option")
    for name in swept:
        if name in fixed or swept.count(name) > 1:
            raise InputError(f'option "{name}": found two times, expected it in one of options, '
                             "grid, zip and list")
    study = Sweep(path, scenario, fixed, swept,
                  [{**a, **b, **c} for a, b, c in itertools.product(*(part[1] for part in parts))])
    read_rest(study, document)
    if len(study.points) * study.repetitions > 10 * MOST_VALUES:
        raise InputError(f"found {len(study.points) * study.repetitions} cases, expected at most "
                         f"{10 * MOST_VALUES}")
    return study


def read_grid(document):
    """Names, and all combinations of their values; the last name varies fastest."""
    grid = take_options(document.get("grid", {}), "grid", "an object of lists and ranges")
    values = {name: read_values(value, f"grid.{name}") for name, value in grid.items()}
    size = math.prod(map(len, values.values()))
    if size > 10 * MOST_VALUES:
        raise InputError(f"grid: found {size} combinations, expected at most {10 * MOST_VALUES}")
    return list(values), [dict(zip(values, point)) for point in itertools.product(*values.values())]


def read_zip(document):
    """Names, and the points made of all first values, all second values and so on."""
    rows = take_options(document.get("zip", {}), "zip", "an object of lists and ranges")
    values = {}
    for name, value in rows.items():
        # Unlike in grid, a value may be repeated.
        values[name] = ([text_of(one, f"zip.{name}[{index}]") for index, one in enumerate(value)]
                        if isinstance(value, list) and value else read_values(value, f"zip.{name}"))
    if len({len(one) for one in values.values()}) > 1:
        raise InputError("zip: found " + ", ".join(f"{len(one)} values of {name}"
                                                   for name, one in values.items())
                         + "; expected as many of each")
    return list(values), [dict(zip(values, point)) for point in zip(*values.values())] or [{}]


def read_list(document):
    points = take(document.get("list", []), list, "list", "a list of objects")
    read = []
    for index, point in enumerate(points):
        where = f"list[{index}]"
        read.append({name: text_of(value, f"{where}.{name}") for name, value in
                     take_options(point, where, "an object of options").items()})
    return list(dict.fromkeys(name for point in read for name in point)), read or [{}]


def read_rest(study, document):
    study.repetitions = whole(document, "repetitions", 1, 1, 100000)
    study.jobs = whole(document, "jobs", 0, 1, 10000)
    study.retries = whole(document, "retries", 0, 0, 100)
    engine = document.get("engine", "local")
    if engine in ("local", "slurm"):
        study.engine = engine
    elif isinstance(engine, dict) and len(engine) == 1 and isinstance(engine.get("hosts"), str):
        study.engine, study.hosts = "hosts", engine["hosts"]
    elif isinstance(engine, dict) and len(engine) == 1 and isinstance(engine.get("slurm"), str):
        study.engine, study.sbatch = "slurm", engine["slurm"]
    else:
        raise InputError(f'engine: found {shown(engine)}, expected "local", "slurm", '
                         '{"slurm": "OPTIONS OF SBATCH"} or {"hosts": "FILE"}')
    if "timeLimit" in document:
        study.time_limit = read_time(document["timeLimit"])
    for name in ("keep", "report", "database"):
        if name in document:
            kind, what = {"keep": (list, "a list of file names"), "report": (dict, "an object"),
                          "database": (str, "the name of a file")}[name]
            setattr(study, name, take(document[name], kind, name, what))
    study.keep_given = study.keep if "keep" in document else []
    for index, name in enumerate(study.keep):
        if not isinstance(name, str) or "/" in name or not name:
            raise InputError(f"keep[{index}]: found {shown(name)}, expected the name of a file that "
                             "the scenario writes, such as timeline.json")
    if not study.database:
        raise InputError('database: found "", expected the name of a file')
    check_report(study)


def check_report(study):
    """Refuses mistakes that do not depend on the columns of the results."""
    for name, value in study.report.items():
        if name not in REPORT:
            raise InputError(f'report: found "{name}"{near(name, REPORT)}; expected some of '
                             + ", ".join(REPORT))
        take(value, REPORT[name], f"report.{name}",
             "a column" if REPORT[name] is str else "a list of columns")
        for one in value if isinstance(value, list) else [value]:
            option = take(one, str, f"report.{name}", "a column").removeprefix("--")
            if option != one and option not in (*study.swept, *study.fixed):
                raise InputError(f'report.{name}: found "{one}"{near(option, study.swept)}; expected an '
                                 "option of the study, or a column of its results")


def read_time(value):
    seconds, kind, _ = isinstance(value, str) and read_quantity(value) or (0, "", "")
    if kind != "time" or not 0 < seconds <= 1e8:
        raise InputError(f"timeLimit: found {shown(value)}, expected a time above 0 with its unit "
                         "(s, min, h), such as 90s or 10min")
    return seconds


def whole(document, name, default, least, most):
    value = document.get(name, default)
    if name in document and (isinstance(value, bool) or not isinstance(value, int)
                             or not least <= value <= most):
        raise InputError(f"{name}: found {shown(value)}, expected a whole number from {least} to "
                         f"{most}")
    return value


def take_options(value, where, expected):
    """Values by option; names may be given with dashes."""
    names = [name.removeprefix("--") for name in take(value, dict, where, expected)]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f'{where}: found "{name}" twice, expected it once')
    return dict(zip(names, value.values()))


def take(value, kind, where, expected):
    if not isinstance(value, kind):
        raise InputError(f"{where}: found {shown(value)}, expected {expected}")
    return value


def near(name, names):
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    return f", did you mean {close[0]}?" if close else ""
