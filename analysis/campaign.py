#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs the cases of a study, stores their results in a database, and makes tables and a page of them.

./ns3 campaign installs and builds what is needed, then hands over to this program. The format of a
study is described in contrib/edgepipe/doc/guide/campaigns.rst.
"""

import csv
import json
import os
import shlex
import sys
from collections import Counter
from pathlib import Path

from edgepipe.interpreter import need
from edgepipe.campaign.hosts import check_hosts, read_hosts
from edgepipe.campaign.runner import Campaign, become_interruptible, find_program
from edgepipe.campaign.source import commit_of, source_of, version_of
from edgepipe.campaign.store import Store
from edgepipe.campaign.study import digest_file, read_study
from edgepipe.pictures import InputError, Parser, number, start
from edgepipe.reports import as_given
from edgepipe.tables import unique

ROOT = Path(__file__).resolve().parent.parent
BIN_DIR = Path(os.environ.get("EDGEPIPE_BIN_DIR") or ROOT / "build" / "bin")

CASE_COLUMNS = ("hash", "scenario", "run", "outcome", "exitStatus", "wallSeconds",
                "peakMemoryBytes", "host", "ended", "commit", "edgepipe", "ns3", "command")


def study_of(options):
    scenarios = sorted(path.stem for path in (ROOT / "scenarios").glob("*.cc"))
    return read_study(Path(options.study), scenarios)


def open_study(options):
    """The study, its database, and its cases for the present sources, or, if none were run with these,
    for the sources that most were run with."""
    study = study_of(options)
    store = Store(ROOT / study.database, make=False)
    source = source_of(ROOT, study.words())
    cases = study.cases(source, ROOT)
    questions = {case.question for case in cases}
    found = Counter(one for question, one in store.select(
        "SELECT question, source FROM cases ORDER BY id DESC") if question in questions)
    if found and source not in found:
        (earlier, _), = found.most_common(1)  # ties: the newest
        cases = study.cases(earlier, ROOT)
        print("campaign.py: the sources have changed since; this is what the earlier ones gave",
              file=sys.stderr)
    return study, store, cases


def summary(outcomes, count, database):
    missing = count - sum(outcomes.values())
    return ", ".join([f"{outcomes['ok']} of {count} cases are done",
                      *(f"{outcomes[name]} {name}" for name in sorted(outcomes) if name != "ok"),
                      *([f"{missing} not run"] if missing else [])]) + f": {as_given(database, ROOT)}"


def do_run(options):
    study = study_of(options)
    source = source_of(ROOT, study.words())
    cases = study.cases(source, ROOT)
    os.environ.setdefault("EDGEPIPE_TRACES", str(ROOT / "traces"))
    # Planners in Python import edgepipe.
    os.environ["PYTHONPATH"] = os.pathsep.join(
        [str(ROOT / "analysis"), *filter(None, [os.environ.get("PYTHONPATH")])])
    program = find_program(ROOT, BIN_DIR, study.scenario, source)
    store = Store(ROOT / study.database)
    study.jobs = options.jobs or study.jobs
    jobs = study.jobs or os.cpu_count()
    hosts = []
    if study.engine == "hosts":
        if study.jobs:
            where = "--jobs" if options.jobs else f"{study.path}: jobs"
            raise InputError(f"{where}: found {study.jobs}, expected none, since {study.hosts} says how many cases "
                             "each host runs at once")
        files = study.files(ROOT)
        hosts = check_hosts(read_hosts(ROOT / study.hosts, ROOT), identity(study.scenario, files),
                            [study.scenario, *files])
    become_interruptible()
    campaign = Campaign(study, store, {study.scenario: program}, ROOT, jobs, hosts)
    try:
        campaign.open()
        if options.dry_run:
            campaign.check(cases)
            print(f"{len(cases)} cases; the scenario takes all their options, and none was run")
            return 0
        outcomes = campaign.run(cases, options.verb == "rerun")
        campaign.finish()
    finally:
        campaign.close()
    print(summary(outcomes, len(cases), study.database))
    hashes = {case.hash for case in cases}
    kept = {name for one, name in store.select("SELECT hash, name FROM files JOIN cases ON id = caseId")
            if one in hashes}
    if outcomes["ok"] and not {*study.keep_given} <= kept:
        raise InputError(f"{study.path}: keep: found {', '.join(sorted({*study.keep_given} - kept))}, which no case "
                         "wrote, expected files that the scenario writes")
    failed = sum(outcomes.values()) - outcomes["ok"]
    typed = shlex.quote(options.study)
    print("\nTry next:\n" + (f"  ./ns3 campaign failed {typed}    (why)\n"
                             f"  ./ns3 campaign rerun {typed}     (once more)" if failed else
                             f"  ./ns3 campaign report {typed}"))
    return 1 if failed else 0


def identity(scenario, files):
    """What must be the same on every host, and the number of cores."""
    return {"commit": commit_of(ROOT), "source": source_of(ROOT), "program": version_of(BIN_DIR / scenario),
            "files": {name: digest_file(ROOT / name) for name in files}, "cores": os.cpu_count()}


def do_status(options):
    study, store, cases = open_study(options)
    there = store.outcomes()
    outcomes = Counter(there[case.hash] for case in cases if case.hash in there)
    print(summary(outcomes, len(cases), study.database))
    count = len({one for (one,) in store.select("SELECT hash FROM claims")} & {case.hash for case in cases})
    if count:
        print(f"{count} are claimed by a campaign that runs or was killed")


def do_failed(options):
    _, store, cases = open_study(options)
    there = store.outcomes()
    for case in store.read([case.hash for case in cases if there.get(case.hash, "ok") != "ok"]):
        attempts = f" {case['attempts']} times" if case["attempts"] > 1 else ""
        print(f"{case['outcome']}{attempts}, exit status {case['exitStatus']}, on {case['host']}:\n"
              f"  {case['command']}")
        for line in (case["log"] or "").splitlines()[-10:]:
            print(f"    {line}")


def export_rows(cases):
    """Column names, and a dictionary for each row; a case without results has one row."""
    options = unique(f"--{name}" for case in cases for name in case["options"])
    results = {name: f"results.{name}" if name in CASE_COLUMNS else name
               for case in cases for row in case["rows"] for name in row}
    rows = [{**{name: case[name] for name in CASE_COLUMNS},
             **{f"--{name}": value for name, value in case["options"].items()},
             **{results[name]: value for name, value in row.items()}}
            for case in cases for row in case["rows"] or [{}]]
    return [*CASE_COLUMNS, *options, *results.values()], rows


def do_export(options):
    study, store, cases = open_study(options)
    columns, rows = export_rows(store.read([case.hash for case in cases]))
    try:
        file = open(options.out, "w", newline="", encoding="utf-8") if options.out else sys.stdout
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        file.flush()
    except OSError as error:
        raise InputError(f"{options.out or 'standard output'}: {error.strerror}") from None


def do_report(options):
    need("matplotlib", "scipy")
    from edgepipe.campaign.report import write_report

    study, store, cases = open_study(options)
    folder = Path(options.out or os.path.relpath(ROOT / "results" / study.name()))
    for name in write_report(study, store, store.read([case.hash for case in cases]), len(cases),
                             folder):
        print(as_given(folder / name))


def main():
    parser = Parser(__doc__, prog="./ns3 campaign")
    verbs = parser.add_subparsers(metavar="VERB", dest="verb", required=True)

    study = ["study"], {"metavar": "STUDY.json"}
    jobs = ["-j", "--jobs"], {"type": number(1, 10000, int), "metavar": "N", "help": (
        "number of cases to run at once (default: the study's jobs, or else the number of cores)")}
    dry = ["--dry-run"], {"action": "store_true", "help": "check the options of all cases, and run none"}
    for name, function, text, *arguments in (
            ("run", do_run, "run the cases that are not in the database yet", jobs, dry, study),
            ("rerun", do_run, "rerun failed cases, and run those that are not in the database yet", jobs, dry, study),
            ("status", do_status, "show how many cases are done", study),
            ("failed", do_failed, "list the cases that failed, with the end of their output", study),
            ("export", do_export, "print all rows of results, with the options of their cases",
             (["format"], {"choices": ["csv"]}), study,
             (["-o", "--out"], {"metavar": "FILE", "help": "write to FILE instead of standard output"})),
            ("report", do_report,
             "make a page with tables, figures and timelines, and the figures as SVG and PDF", study,
             (["-o", "--out"], {"metavar": "FOLDER",
                                "help": "folder to write to (default: results/ and the name of the study)"})),
            ("identity", lambda one: print(json.dumps(identity(one.scenario, one.files))),
             "print the identity of a scenario's program; campaigns ask hosts for it", (["scenario"], {}),
             (["files"], {"nargs": "*"}))):
        sub = verbs.add_parser(name, help=text, text=text)
        sub.set_defaults(function=function)
        for names, about in arguments:
            sub.add_argument(*names, **about)
    options = parser.parse_args()
    try:
        sys.exit(options.function(options))
    except KeyboardInterrupt:
        print("./ns3 campaign: stopped; the same command goes on", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    start(main)
