# SPDX-License-Identifier: GPL-2.0-only
"""The study cost-fit: figures of stacks from measured times of whole networks."""

import csv
import json
import math
import re
import subprocess
from pathlib import Path

from edgepipe.interpreter import need
from edgepipe.pictures import InputError
from edgepipe.results_folder import ResultsFolder
from edgepipe.run_file import read_run
from edgepipe.running import find_program, traces_folder
from edgepipe.study_options import Option, flag
from edgepipe.study_program import Study
from edgepipe.tables import percent, print_table

need("numpy", "scipy")
import numpy as np  # noqa: E402
from scipy.linalg import cho_factor, cho_solve  # noqa: E402
from scipy.sparse import csr_matrix  # noqa: E402

SCENARIOS = ["estimate"]
COLUMNS = ["device", "stack", "framework", "network", "side", "kind", "batch", "seconds", "source", "note"]
KINDS = ["inference", "forward", "backward", "training"]  # forward and backward: of training
PROFILE = "profile"  # note of a row that is the sum of a profile
NARROW = "fp16", "int8"  # precisions whose published times enter the fits of their own stacks alone
NINETY = 1.645  # standard deviations on either side of a 90 % interval
# Figures that have a factor in common, and which stacks have one; those without a key have none.
BLOCKS = {"rates": slice(0, 6), "bandwidths": slice(6, 11), "overhead": slice(17, 18)}
LEVELS = {"processor": lambda one: one["processor"], "device": lambda one: one["device"],
          "software": lambda one: (one["processor"], one.get("family"), one["stack"]),
          "stack": lambda one: (one["device"], one["stack"]),
          "precision": lambda one: (one["processor"], one["precision"]) if one["narrow"] else None,
          "narrowStack": lambda one: (one["device"], one["stack"]) if one["narrow"] else None}
# What else the time of a network varies by, and which rows vary together.
NOISE = {"row": id, "network": lambda row: row["network"],
         "networkOnStack": lambda row: (row["device"], row["stack"], row["network"], is_training(row)),
         "narrowRow": lambda row: id(row) if row["narrow"] else None}
STEPS = 3  # of a fit that have derivatives of their own; later ones have those of the last
ROUNDS = 8  # most steps of a fit
LONGEST = 1.5  # change of a figure's logarithm in a step
NEAR = 1e-3  # change of all logarithms with which a fit ends


def is_training(row):
    return row["kind"] in ("backward", "training")


def counted(number, word):
    return f"{number} {word}{'s' * (number != 1)}"


def read_lines(path):
    try:
        return Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: {getattr(error, 'strerror', error)}") from None


def read_rows(path, needed, lines=None):
    """Rows of a CSV that may have comments, as dictionaries with their place in the file; lines: of the file, if read."""
    lines = read_lines(path) if lines is None else lines
    header, rows = None, []
    for number, line in enumerate(lines, 1):
        fields = next(csv.reader([line]), [])
        if not fields or line.startswith("#"):
            continue
        if len(fields) != len(header or fields) or not header and not {*needed} <= {*fields}:
            raise InputError(f'{path}: line {number}: found "{line}", expected "{",".join(header or needed)}"')
        if header:
            rows.append({**dict(zip(header, fields)), "place": f"{path}: line {number}"})
        header = header or fields
    return rows


def read_number(row, name, least, most, kind=float):
    try:
        value = kind(row[name])
    except ValueError:
        value = math.nan
    if not least <= value <= most:
        raise InputError(f'{row["place"]}: {name}: found "{row[name]}", expected a '
                         f'{"whole " * (kind is int)}number from {least:g} to {most:g}')
    return value


class Estimator:
    """The formula of the scenarios, which estimates the times of rows for any figures."""

    def __init__(self, rows, names, stacks, traces, folder):
        self.names, self.stacks, self.rows = names, stacks, rows
        self.used = {(row["device"], row["stack"]) for row in rows}
        path = folder / "passes.json"
        path.write_text(json.dumps([
            {"place": row["place"], "device": f'{row["device"]}@{row["stack"]}', "network": row["network"],
             "kind": row["kind"], "batch": row["batch"], **({"side": row["side"]} if row["side"] else {})} for row in rows]))
        self.process = subprocess.Popen([find_program("estimate"), f"--passes={path}", f"--traces={traces}"],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.read()  # by the figures in the device files

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            raise InputError(self.process.stderr.read().strip().partition(": ")[2])
        return np.log(np.array(json.loads(line)))

    def estimate(self, figures):
        """Logarithms of seconds; figures: logarithms by stack and figure."""
        tried = {f"{device}@{stack}": dict(zip(self.names, np.exp(mine).tolist()))
                 for (device, stack), mine in zip(self.stacks, figures) if (device, stack) in self.used}
        print(json.dumps(tried), file=self.process.stdin, flush=True)
        return self.read()

    def derive(self, figures, step=1e-4):
        """Estimates, and their derivatives by the figures of the row's stack, a row each."""
        now = self.estimate(figures)
        return now, np.array([(self.estimate(figures + step * one) - now) / step
                              for one in np.eye(len(self.names))]).T

    def close(self):
        self.process.communicate()


class Pool:
    """Logarithms of the figures of all stacks, normal about what is judged of their processors.

    They differ by independent factors: of each figure and of blocks of figures, for a processor, a software, a device
    and a stack. So a stack without measurements takes those of its software on other devices, and of its device.
    """

    def __init__(self, stacks, judged, names):
        processors = [judged["processors"][one["processor"]] for one in stacks.values()]
        self.mean = np.array([[math.log(one[name]["value"]) for name in names] for one in processors])
        spread = np.array([[one[name]["spread"] for name in names] for one in processors])
        shape, factors = self.mean.shape, []
        for level, blocks in judged["factors"].items():
            keys = list(map(LEVELS[level], stacks.values()))
            for key in filter(None, dict.fromkeys(keys)):
                mine = np.array([[one == key] for one in keys])
                for block, size in blocks.items():
                    if block == "figures":
                        factors += [size * spread * mine * one for one in np.eye(shape[1])]
                    else:
                        factors.append(np.zeros(shape))
                        factors[-1][:, BLOCKS[block]] = size * mine
        self.factors = np.array(factors)  # by factor, stack and figure
        self.places = {stack: place for place, stack in enumerate(stacks)}


class Fit:
    """Figures that fit measured times and the pool's judgement best, and how uncertain they leave an estimate.

    known: whether each row may enter; judged: whether the fit estimates it.
    """

    def __init__(self, pool, estimator, first, noise, known, judged):
        self.pool, self.estimator, self.rows = pool, estimator, estimator.rows
        self.known, self.judged = known, judged
        self.places = [pool.places[row["device"], row["stack"]] for row in self.rows]
        self.measured = np.log([row["seconds"] for row in self.rows])
        self.noise = np.zeros((len(self.rows),) * 2)
        for name, spread in noise.items():
            found = {}
            keys = np.array([found.setdefault(NOISE[name](row), len(found)) for row in self.rows])
            self.noise += spread ** 2 * ((keys[:, None] == keys) & (keys != found.get(None)))
        self.first = first

    def load(self, derivatives):
        """Derivatives of estimates by the pool's factors."""
        load = np.empty((len(self.rows), len(self.pool.factors)))
        for place in {*self.places}:
            mine = np.equal(self.places, place)
            load[mine] = derivatives[mine] @ self.pool.factors[:, place].T
        return csr_matrix(load)

    def solve(self, used):
        """Fits to the rows used, by Gauss-Newton from the pool's judgement, which has seen none of them."""
        weights = np.zeros(len(self.pool.factors))
        used = np.flatnonzero(used & self.known)
        for count in range(ROUNDS):
            figures = self.pool.mean + np.tensordot(weights, self.pool.factors, 1)
            if 0 < count < STEPS:
                now, derivatives = self.estimator.derive(figures)
            elif count:
                now = self.estimator.estimate(figures)
            else:
                now, derivatives = self.first
            if count < STEPS:
                load = self.load(derivatives)
                mine = load[used]
                solver = cho_factor((mine @ mine.T).toarray() + self.noise[np.ix_(used, used)])
            change = mine.T @ cho_solve(solver, (self.measured - now)[used] + mine @ weights) - weights
            longest = np.abs(np.tensordot(change, self.pool.factors, 1)).max()
            weights = weights + change * min(1, LONGEST / max(longest, 1e-9))
            if longest < NEAR:
                break
        self.figures = self.pool.mean + np.tensordot(weights, self.pool.factors, 1)
        self.derivatives, self.used, self.loaded = derivatives, used, load
        return self.estimator.estimate(self.figures)

    def variances(self, load, used):
        """Of logarithms of estimates with these derivatives by the factors, when the rows used are known."""
        used = used[self.known[used]]
        mine = self.loaded[used]
        both = (load @ mine.T).toarray()
        solver = cho_factor((mine @ mine.T).toarray() + self.noise[np.ix_(used, used)])
        return load.power(2).sum(1).A1 - (both * cho_solve(solver, both.T).T).sum(1)


class CostFit(Study):
    """Fit the costs of layers on devices to measured times of whole networks, and show the errors of estimates for
    networks and devices whose rows were removed."""

    OPTIONS = [
        Option("rows", "published/device-figures.csv", "file of measured times, in the traces folder or by path"),
        Option("device", "", "device whose rows alone are removed and shown, and whose file alone is written, NAME@STACK "
               "for one of its stacks; empty: all"),
        Option("machine", "", "file that traces/capture/capture_machine.py wrote, whose device is fitted beside the others, "
               "and, with --write, gets a device file and profiles; empty: none"),
        Option("write", "false", "write the fitted figures into the device files", flag)]

    def read(self):
        self.traces = traces_folder() or Path("traces")
        self.judged = read_run(self.traces / "published/operator-figures.json")
        if self.judged.get("format") != "edgepipe-operator-figures 2":
            raise InputError(f'{self.traces}/published/operator-figures.json: format: found "{self.judged.get("format")}", '
                             'expected "edgepipe-operator-figures 2"')
        self.names = [*self.judged["processors"]["gpu"]]
        self.files = {path: read_run(path) for path in sorted((self.traces / "devices").glob("*.json"))}
        self.machine_profiles = {}
        if self.machine:
            self.read_machine()
        self.stacks, self.rows, self.others = {}, [], []
        for path, file in self.files.items():
            for stack, about in file.get("stacks", {}).items():
                runs = [kind for kind in ("inference", "training") if file["stack"][kind] == stack]
                self.stacks[file["name"], stack] = {**about, "device": file["name"], "stack": stack, "runs": runs}
                for folder in [f'{file["name"]}@{stack}'] + [file["name"]] * ("training" in runs):
                    self.read_profiles(file["name"], stack, {
                        path: None for path in sorted((self.traces / "profiles" / folder).glob("*.csv"))}
                        if self.values["device"] != file["name"] or not self.machine
                        else self.machine_profiles if "@" not in folder else {})
        known = sorted({device for device, _ in self.stacks})
        if self.device and self.device not in [*known, *(f"{device}@{stack}" for device, stack in self.stacks)]:
            self.refuse("device", ", ".join(known[:-1]) + " or " + known[-1])
        path = next((path for path in (Path(self.texts["rows"]), self.traces / self.texts["rows"]) if path.is_file()), None)
        if not path:
            self.refuse("rows", "a file, by path or in the traces folder")
        for row in read_rows(path, COLUMNS):
            row.update(batch=read_number(row, "batch", 1, 1e6, int), seconds=read_number(row, "seconds", 1e-9, 1e9),
                       side=row["side"] and read_number(row, "side", 1, 10000, int))
            if row["kind"] not in KINDS:
                raise InputError(f'{row["place"]}: kind: found "{row["kind"]}", expected {", ".join(KINDS)}')
            if row["stack"] and (row["device"], row["stack"]) not in self.stacks:
                raise InputError(f'{row["place"]}: found stack "{row["stack"]}" of device "{row["device"]}", expected one of '
                                 "a device file, or none")
            (self.rows if row["stack"] else self.others).append(row)
        profiled = {(row["device"], row["stack"]) for row in self.rows if row["note"] == PROFILE}
        for key, stack in self.stacks.items():
            # Published times in few bits are of kernels of their own, so they enter no other stack's fit.
            stack["narrow"] = stack.get("precision") in NARROW and key not in profiled
        for row in self.rows:
            row["narrow"] = self.stacks[row["device"], row["stack"]]["narrow"]
        if all(row["narrow"] for row in self.rows):
            raise InputError(f"{path}: found no row with a stack, nor a profile, expected times to fit to")

    def read_machine(self):
        """The device file and the profiles in the file of a machine, in place of those in the traces folder."""
        file = read_run(Path(self.machine))
        try:
            device, self.machine_profiles = file["device"], {
                self.traces / "profiles" / file["device"]["name"] / name: lines for name, lines in file["profiles"].items()}
            is_whole = file["format"] == "edgepipe-machine 1" and device["stacks"] and re.fullmatch(r"[\w.-]+", device["name"])
        except (AttributeError, KeyError, TypeError):
            is_whole = False
        if not is_whole:
            self.refuse("machine", "a file that traces/capture/capture_machine.py wrote, edgepipe-machine 1")
        if self.values["device"]:
            self.refuse("device", f'none, since --machine has {device["name"]}')
        self.values["device"] = device["name"]
        self.files[self.traces / "devices" / f'{device["name"]}.json'] = device

    def link_traces(self, folder):
        """A traces folder that has the machine's device beside the others."""
        if not self.machine:
            return self.traces
        (folder / "traces/devices").mkdir(parents=True)
        for one in [*self.traces.iterdir(), *(self.traces / "devices").iterdir()]:
            if one != self.traces / "devices" and one.stem != self.device:
                (folder / "traces" / one.relative_to(self.traces)).symlink_to(one.resolve())
        (folder / f"traces/devices/{self.device}.json").write_text(
            json.dumps(self.files[self.traces / "devices" / f"{self.device}.json"]))
        return folder / "traces"

    def read_profiles(self, device, stack, files):
        """Adds a row for the forward and one for the backward pass of each profile, if it has one."""
        for path, lines in files.items():
            rows = read_rows(path, ["forwardSeconds", "backwardSeconds"], lines)
            forward, backward = (sum(max(0, read_number(row, name, -1e9, 1e9)) for row in rows)
                                 for name in ("forwardSeconds", "backwardSeconds"))
            network, _, batch = path.name.partition(".csv")[0].removesuffix(".evaluation").rpartition(".b")
            for kind, seconds in (("forward" if backward else "inference", forward), ("backward", backward)):
                if seconds:
                    self.rows.append({
                        **dict.fromkeys(COLUMNS, ""), "device": device, "stack": stack, "network": network, "kind": kind,
                        "batch": int(batch), "seconds": seconds, "source": str(path.relative_to(self.traces)),
                        "note": PROFILE, "place": str(path)})

    def work(self):
        self.firsts = []
        inputs = self.make_inputs()
        estimator = Estimator(self.rows, self.names, self.stacks, self.link_traces(inputs), inputs)
        pool = Pool(self.stacks, self.judged, self.names)
        first = estimator.derive(pool.mean)
        narrow = np.array([row["narrow"] for row in self.rows])
        self.fits = {isin: Fit(pool, estimator, first, self.judged["noise"], isin | ~narrow, narrow == isin)
                     for isin in {False, *(stack["narrow"] for stack in self.stacks.values())}}
        removed = [(name, value) for name in ("network", "device") for value in dict.fromkeys(
            row[name] for row in self.rows if self.is_shown(row["device"], row["stack"]))]
        for count, (name, value) in enumerate(removed):
            self._progress.update(count, len(removed) + 1, f"without {value}")
            isin = np.array([row[name] == value for row in self.rows])
            for fit in self.fits.values():
                places = np.flatnonzero(isin & fit.judged)
                if not places.size:
                    continue
                estimates = fit.solve(~isin)
                variances = fit.variances(fit.loaded[places], fit.used) + np.diag(fit.noise)[places]
                for place, variance in zip(places, variances):
                    self.rows[place][f"{name}Seconds"] = math.exp(estimates[place])
                    self.rows[place][f"{name}Spread"] = math.sqrt(variance)
            if self.machine and name == "device":
                before = self.solve(~isin)
        if not self.device:
            self.find_firsts()
        after = self.solve(np.full(len(self.rows), True))
        for row, estimate in zip(self.rows, after):
            row["estimate"] = math.exp(estimate)
        estimator.close()
        self.find_spreads()
        if self.write:
            self.write_devices()
        table = [self.summarise(*one) for one in self.list_groups()]
        print_table([*table[0]], [[*one.values()] for one in table])
        print(f"Without the network, the device: estimated by fits that no row of it entered; means are geometric.\n"
              f"{len(self.others)} rows are not compared with: results.csv says why.")
        self.folder.write("results.csv", [self.describe(row) for row in self.rows + self.others])
        self.folder.write("summary.csv", table)
        if self.firsts:
            print("\nOf a device's other networks, without a figure of the device and with the first one in the file alone:")
            print_table([*self.firsts[0]], [[*one.values()] for one in self.firsts])
            self.folder.write("first.csv", self.firsts)
        self.folder.write("run.json", self.run_file())
        if self.machine:
            self.print_shift(after - before)
        return "results.csv, summary.csv, " + "first.csv, " * bool(self.firsts) + "run.json"

    def solve(self, used):
        """Estimates of all rows, each by the fit that judges it."""
        return sum(np.where(fit.judged, fit.solve(used), 0) for fit in self.fits.values())

    def print_shift(self, changes):
        """Prints what estimates were without the machine's figures and are with them; changes: of all rows, logarithms."""
        mine = [row for row in self.rows if row["device"] == self.device]
        print()
        print_table(["network", "kind", "batch", "measured (ms)", "before (ms)", "90 % interval", "after (ms)"], [
            [row["network"], row["kind"], str(row["batch"]), *(f"{1e3 * row[name]:.4g}" for name in ("seconds", "deviceSeconds")),
             f'x{math.exp(NINETY * row["deviceSpread"]):.2f}', f'{1e3 * row["estimate"]:.4g}'] for row in mine])
        others = {}
        for row, change in zip(self.rows, changes):
            others.setdefault(row["device"], []).append(change)
        others.pop(self.device)
        means = {name: sum(one) / len(one) for name, one in others.items()}
        if means:
            most = max(means, key=lambda name: abs(means[name]))
            print(f"Before: estimated without the figures of {self.device}. With them estimates of other devices change by "
                  f"{percent(math.expm1(sum(means.values()) / len(means)))} in the mean, most those of {most}, by "
                  f"{percent(math.expm1(means[most]))}.")

    def find_firsts(self):
        """Errors of estimates of devices of which no figure is known, and of which one is."""
        everything = [0.0, 0.0, 0]
        fit = self.fits[False]
        for device in dict.fromkeys(row["device"] for row, isin in zip(self.rows, fit.judged) if isin):
            mine = [row["device"] == device and isin for row, isin in zip(self.rows, fit.judged)]
            first = self.rows[mine.index(True)]
            others = [place for place, row in enumerate(self.rows) if mine[place] and row["network"] != first["network"]]
            if not others:
                continue
            estimates = fit.solve(np.array([not one or row is first for one, row in zip(mine, self.rows)]))
            sums = [sum(abs(estimate - math.log(self.rows[place]["seconds"])) for place, estimate in pairs) for pairs in (
                [(place, math.log(self.rows[place]["deviceSeconds"])) for place in others],
                [(place, estimates[place]) for place in others])]
            everything = [one + more for one, more in zip(everything, (*sums, len(others)))]
            self.firsts.append(self.describe_first(
                device, f'{first["stack"]}, {first["network"]}, {first["kind"]}', *sums, len(others)))
        if self.firsts:
            self.firsts.append(self.describe_first("all", "", *everything))

    @staticmethod
    def describe_first(device, first, before, after, count):
        return {"device": device, "first": first, "others": str(count),
                **{f"{name}: typical error": f"x{math.exp(one / count):.2f}"
                   for name, one in (("without", before), ("with it", after))}}

    def find_spreads(self):
        """Finds how uncertain the fit leaves estimates of each stack, for the passes that were measured on others like
        it, and how much of that its own rows left as it was."""
        for place, (key, stack) in enumerate(self.stacks.items()):
            fit = self.fits[stack["narrow"]]
            mine = np.array([place == one for one in fit.places])
            for kind in ("inference", "training"):
                alike = [count for count, row in enumerate(self.rows) if is_training(row) == (kind == "training")
                         and fit.known[count] and self.stacks[row["device"], row["stack"]]["processor"] == stack["processor"]]
                load = csr_matrix(fit.derivatives[alike] @ fit.pool.factors[:, place].T)
                known, before = (fit.variances(load, np.flatnonzero(used)).mean() for used in (mine | True, ~mine))
                stack["borrowed", kind] = known / before
                stack["spread", kind] = math.sqrt(known + np.diag(fit.noise)[alike].mean())

    def is_shown(self, device, stack):
        return self.device in ("", device, f"{device}@{stack}")

    def write_devices(self):
        for path, file in self.files.items():
            for place, ((device, name), stack) in enumerate(self.stacks.items()):
                if device != file["name"] or not self.is_shown(device, name):
                    continue
                networks = [row["network"] for row in self.rows if (row["device"], row["stack"]) == (device, name)]
                known = [f'{1 - stack["borrowed", kind]:.0%} of {kind}' for kind in ("inference", "training")]
                file["stacks"][name].update(
                    figures={one: float(f"{math.exp(value):.3g}") for one, value in zip(self.names, self.fits[stack["narrow"]].figures[place])},
                    spread={kind: float(f'{stack["spread", kind]:.2g}') for kind in ("inference", "training")},
                    source=f"measured by others or in profiles: cost-fit to {counted(len(networks), 'time')} of "
                    f"{counted(len({*networks}), 'network')}, which decide {' and '.join(known)}, and to other devices and "
                    "stacks" if networks
                    else "estimate: no figures of its own; cost-fit from other devices and stacks")
            self.write_into(path.parent, {path.name: json.dumps(file, indent=2, ensure_ascii=False) + "\n"})
        self.write_into(self.traces / "profiles" / self.device, {
            path.name: "\n".join(lines) + "\n" for path, lines in self.machine_profiles.items()})

    @staticmethod
    def write_into(path, files):
        folder = ResultsFolder(path)
        for name, text in files.items():
            folder.write(name, text)
        if files:
            folder.commit_some()

    def list_groups(self):
        """Rows of the table: what it is called, and the rows that it sums up."""
        for (device, name), stack in self.stacks.items():
            for kind in ("inference", "training") if self.is_shown(device, name) else ():
                mine = [row for row in self.rows if (row["device"], row["stack"]) == (device, name)
                        and is_training(row) == (kind == "training")]
                if mine or kind in stack["runs"]:
                    yield device + ", profiles" * any(row["note"] == PROFILE for row in mine), name, kind, mine, stack
        shown = [row for row in self.rows if self.is_shown(row["device"], row["stack"])]
        for title, kinds in (("all published", (False, False)), ("published in fp16 and int8", (False, True)),
                             ("all profiles", (True, False))):
            mine = [row for row in shown if (row["note"] == PROFILE, row["narrow"]) == kinds]
            for kind in ("inference", "training"):
                yield title, "", kind, [row for row in mine if is_training(row) == (kind == "training")], None
            yield title, "", "both", mine, None

    @staticmethod
    def summarise(device, name, kind, rows, stack):
        cells = {"device": device, "stack": name, "kind": kind, "default": "yes" * (stack is not None and kind in stack["runs"]),
                 "figures": str(len(rows)), "borrowed": f'{stack["borrowed", kind]:.0%}' if stack else "",
                 "90 % interval": f'x{math.exp(NINETY * stack["spread", kind]):.2f}' if stack else ""}
        for name in ("network", "device"):
            errors = [math.log(row[f"{name}Seconds"] / row["seconds"]) for row in rows]
            spreads = [row[f"{name}Spread"] for row in rows]
            for title, value in ((f"without {name}: mean", lambda: math.expm1(sum(errors) / len(rows))),
                                 ("within 25 %", lambda: sum(abs(math.expm1(one)) <= 0.25 for one in errors) / len(rows)),
                                 ("in 90 % interval", lambda: sum(
                                     abs(one) <= NINETY * spread for one, spread in zip(errors, spreads)) / len(rows))):
                cells[title if "mean" in title else f"{name}: {title}"] = percent(value()) if rows else "-"
        return cells

    @staticmethod
    def describe(row):
        """A line of results.csv."""
        seconds, errors = row["seconds"], {}
        for name, estimate in (("", "estimate"), ("withoutNetwork", "networkSeconds"), ("withoutDevice", "deviceSeconds")):
            errors[f"{name}Seconds" if name else "estimatedSeconds"] = row.get(estimate)
            errors[f"{name}Error" if name else "error"] = row[estimate] / seconds - 1 if estimate in row else None
            if name:
                errors[f"{name}Spread"] = row.get(estimate.replace("Seconds", "Spread"))
        return {**{name: row[name] for name in COLUMNS[:7]}, "measuredSeconds": seconds, **errors, "source": row["source"],
                "note": row["note"]}
