# SPDX-License-Identifier: GPL-2.0-only
"""Runs the cases of a study that are not in the database yet."""

import difflib
import itertools
import re
import shlex
import shutil
import signal
import subprocess
import time
from collections import Counter, deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from edgepipe.campaign.hosts_engine import HostsEngine
from edgepipe.campaign.job import Limits, Program, note_case
from edgepipe.campaign.local_engine import LocalEngine
from edgepipe.campaign.progress import Progress
from edgepipe.campaign.record import read_record
from edgepipe.campaign.slurm_engine import SlurmEngine, lives
from edgepipe.campaign.source import commit_of, stamp_of
from edgepipe.campaign.summary import check_report
from edgepipe.campaign.workplace import Workplace
from edgepipe.pictures import InputError
from edgepipe.study_options import options_of

STORE_PERIOD = 0.25  # seconds between changes of the database
LOOK_PERIOD = 1  # seconds between looks at the claims of other campaigns
MOST_MISTAKES = 10  # to show


def find_program(root, bin_dir, scenario, source):
    path = bin_dir / scenario
    try:
        told = subprocess.run([path, "--describe"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              stdin=subprocess.DEVNULL, cwd=root, text=True)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; ./ns3 build {scenario} builds it") from None
    if told.returncode:
        raise InputError(f"{path} --describe: {told.stderr.strip() or told.returncode}")
    return Program(str(path), any(one.name == "out" for one in options_of(told.stdout)), commit_of(root), source)


def check_options(cases, programs, root, folder, jobs):
    """The scenarios' distinct errors, each value of each option checked once; programs: by scenario."""
    seen, chosen = set(), []
    for case in cases:
        options = {case.scenario, *((case.scenario, *option) for option in case.options)}
        if not options <= seen:
            seen |= options
            chosen.append(case)

    def refusal(case, words):
        program = programs[case.scenario]
        # A folder of its own, since each is made and removed.
        words = [program.path, *words, "--dry-run", *([f"--out={folder}/{case.hash}"] if program.has_out else [])]
        told = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              stdin=subprocess.DEVNULL, cwd=root, text=True, errors="replace")
        return (told.stderr.strip() or f"exit status {told.returncode}") if told.returncode else None

    def check(case):
        mistakes, words = {}, case.words()  # by the option at fault: a guess that is refused too tells nothing
        while words and (mistake := refusal(case, words)) and option_of(mistake) not in mistakes:
            mistakes[option_of(mistake)] = mistake
            words = mended(words, mistake)
        return mistakes.values()

    with ThreadPoolExecutor(jobs) as pool:
        return list(dict.fromkeys(itertools.chain.from_iterable(pool.map(check, chosen))))


def option_of(mistake):
    """The option that a scenario refuses, or another beginning of what it says."""
    return "".join(mistake.split(": ")[1:2])


def mended(words, mistake):
    """The words, with the refused option as it may have been meant, so that a scenario tells its next mistake and no
    consequence of this one; none if that cannot be guessed."""
    found = re.match(r'\S+ --([^\s=]+): (?:unknown option(?:; did you mean --(\S+)\?)?|found "(.*?)", expected (.*))',
                     mistake)
    option = found and next((word for word in words if word.startswith(f"--{found[1]}=")), None)
    if not option:
        return None
    value = option.partition("=")[2]
    name = found[1]
    if found[3] is None:
        name = found[2]
    else:
        near = (difflib.get_close_matches(found[3], re.findall(r"[\w.-]+", found[4]), n=1)
                or re.findall(r"\b\d+\b", found[4]))
        if not found[3] or not near or near[0] == found[3]:
            return None
        value = value.replace(found[3], near[0])
    rest = [word for word in words if word != option]
    return rest if not name or any(word.startswith(f"--{name}=") for word in rest) else [*rest, f"--{name}={value}"]


def refuse(mistakes):
    if mistakes:
        more = len(mistakes) - MOST_MISTAKES
        raise InputError("no case was run, since the scenario refuses options of the study:", [
            *mistakes[:MOST_MISTAKES], *([f"and {more} more mistakes"] if more > 0 else [])])


class Campaign:
    """Runs and stores cases; run may be called repeatedly between open and close."""

    def __init__(self, study, store, programs, root, jobs, hosts=(), refuse=refuse):
        """programs: by scenario; hosts: checked hosts, for the engine hosts; refuse: called with the errors that
        scenarios find in options of the cases."""
        self._study = study
        self._store = store
        self.programs = {}
        self._built = {}
        self._root = root
        self._jobs = jobs
        self._hosts = hosts
        self._refuse = refuse
        self._limits = Limits(study.time_limit, study.retries)
        self._engine = self._place = None
        for name, program in programs.items():
            self.add(name, program)

    def add(self, name, program):
        self.programs[name] = program
        self._built[Path(program.path)] = stamp_of(Path(program.path))

    def open(self):
        self._place = Workplace(self._store.path)
        self._place.gather(self._store, lives)

    def close(self):
        if self._engine:
            self._engine.kill()
        if self._place:
            self._store.release(self._place.owner)
            self._place.leave()
        self._engine = self._place = None

    def run(self, cases, again=False, progress=None, to_check=None):
        """Returns the number of cases by outcome, including those already stored.

        again: whether to rerun cases that are not ok.
        progress: called with cases done, all cases and a text; by default shown on standard error.
        to_check: cases whose options scenarios check first; None: all that are to be run.
        """
        shown = None if progress else Progress()
        try:
            there = self._store.outcomes()
            done = {"ok"} if again else set(there.values())
            missing = [case for case in cases if there.get(case.hash) not in done]
            if missing:
                self._place.check_room()
                self.check(missing if to_check is None else to_check)
                self._store.drop([case.hash for case in missing if case.hash in there])
                if not self._engine:
                    self._engine = self._start(self._place)
                if self._hosts:
                    self.programs = {name: replace(program, path=f"build/bin/{name}")
                                      for name, program in self.programs.items()}
                self._work(deque(missing), len(cases), self._engine, self._place,
                           progress or shown.update)
        finally:
            if shown:
                shown.close()
        there = self._store.outcomes()
        return Counter(there[case.hash] for case in cases if case.hash in there)

    def check(self, cases):
        """Has scenarios check each value of each option of the cases."""
        self._refuse(check_options(cases, self.programs, self._root, self._place.folder, self._jobs))

    def finish(self):
        if self._engine:
            self._engine.close()
            self._engine = None

    def _start(self, place):
        if self._hosts:
            return HostsEngine(place.folder, self._hosts, place.lock)
        if self._study.engine == "slurm":
            return SlurmEngine(place.folder, self._root, shlex.split(self._study.sbatch),
                               self._study.jobs)
        return LocalEngine(place.folder, self._root, self._jobs, place.lock)

    def _work(self, waiting, count, engine, place, progress):
        """waiting: cases to run; count: number of all cases of the study."""
        to_run = len(waiting)
        elsewhere = []  # (case, campaign) of those that another campaign runs
        records, folders = [], []
        is_checked = False
        running = ended = failed = 0
        stored_at = looked_at = time.monotonic()
        while waiting or elsewhere or running or records:
            room = min(engine.room(), len(waiting))
            if room > 0:
                place.check_room()
                mine, others = self._store.claim([waiting.popleft() for _ in range(room)],
                                                 place.owner)
                ended += room - len(mine) - len(others)
                elsewhere += others
                for case in mine:
                    folder = place.folder / "cases" / case.hash
                    program = self.programs[case.scenario]
                    note_case(folder, case, program, self._kept(case))
                    engine.submit(case, folder, program, self._limits)
                running += len(mine)
            for case, folder, host in engine.ended():
                record = read_record(folder, case.note(), vars(self.programs[case.scenario]),
                                     self._kept(case), host)
                if record.values["outcome"] != "ok":
                    place.check_room()  # it may have failed for lack of space
                    failed += 1
                if record.rows and not is_checked:
                    check_report(self._study, record.rows[0])
                    is_checked = True
                records.append(record)
                folders.append(folder)
                running -= 1
                ended += 1
            now = time.monotonic()
            if records:
                self._check_program(place)
            if records and (now - stored_at > STORE_PERIOD or not (waiting or running)):
                self._store.add(records)
                for folder in folders:
                    shutil.rmtree(folder, ignore_errors=True)
                records, folders = [], []
                stored_at = now
            if elsewhere and now - looked_at > LOOK_PERIOD:
                looked_at = now
                place.gather(self._store, lives)
                waiting += [case for case, _ in elsewhere]
                elsewhere = []
            what = f"case {count - to_run + ended} of {count}"
            what += f", {failed} failed" if failed else ""
            if elsewhere and not running:
                what += f", {len(elsewhere)} are run by another campaign"
            progress(ended, to_run, what)
            if running or elsewhere:
                time.sleep(0.02)

    def _kept(self, case):
        return self._study.keep if case.run == 1 or self._study.keeps_all else []

    def _check_program(self, place):
        """Refuses results if a program was rebuilt, since they may come from either build."""
        for built, stamp in self._built.items():
            if stamp_of(built) == stamp:
                continue
            shutil.rmtree(place.folder / "cases", ignore_errors=True)
            raise InputError(f"{built} was built anew under way; what it gave before is stored, "
                             "and the same command goes on with what is there now")


def become_interruptible():
    def stop(*_):
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, stop)
