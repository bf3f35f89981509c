# SPDX-License-Identifier: GPL-2.0-only
"""The study llm-fit: speeds of devices that run language models, from published rows, and predictions of other rows."""

import csv
import json
import shlex
from pathlib import Path
from statistics import median

from edgepipe.pictures import InputError
from edgepipe.running import traces_folder
from edgepipe.study_options import Option, choice
from edgepipe.study_program import Study
from edgepipe.tables import print_table, rounded

SCENARIOS = ["llm-inference"]
STEP = 0.1  # by which an unknown is changed to see what depends on it
ROUNDS = 4  # of Newton's method; computed times are linear in the unknowns, waiting is nearly so
CLOSE = 1e-3  # relative error of a fitted row
COLUMNS = ["row", "device", "column", "value", "options", "source", "notes"]


def solve(matrix, right):
    """The solution of a square system of linear equations, by elimination with the largest pivot."""
    rows = [[*line, value] for line, value in zip(matrix, right)]
    for i in range(len(rows)):
        best = max(range(i, len(rows)), key=lambda k: abs(rows[k][i]))
        rows[i], rows[best] = rows[best], rows[i]
        if rows[i][i] == 0:
            return None
        for k, other in enumerate(rows):
            if k != i:
                factor = other[i] / rows[i][i]
                rows[k] = [a - factor * b for a, b in zip(other, rows[i])]
    return [line[-1] / line[i] for i, line in enumerate(rows)]


def place(device, path):
    """The object that holds the last word of a path such as decode.block.bytesPerSecond, and that word."""
    *words, last = path.split(".")
    for word in words:
        device = device.setdefault(word, {})
    return device, last


def get(device, path):
    """A figure as seconds per unit, in which times are linear."""
    where, last = place(device, path)
    return 1 / where[last] if last.endswith("PerSecond") else where[last]


def put(device, path, value):
    where, last = place(device, path)
    where[last] = 1 / value if last.endswith("PerSecond") else value


class LlmFit(Study):
    """Fit the speeds of devices that run language models to published rows, such as tokens/s at a context, and predict
    other rows. --fits names a JSON file: for each device its first guess, which figures are unknown, one row for each,
    and what is assumed. --rows names a CSV file: row, device, column (of results.csv of llm-inference), value (empty:
    only to be predicted), options (of llm-inference), source, notes."""

    OPTIONS = [Option("rows", "", "published rows; empty: those shipped in traces/published"),
               Option("fits", "", "what is fitted to which rows; empty: those shipped in traces/published"),
               Option("write", "false", "whether to write devices into traces/language-devices",
                      choice("false", "true"))]
    KEEP = ["devices.csv"]

    def read(self):
        folder = traces_folder() / "published"
        self.rows_file = Path(self.texts["rows"] or folder / "language-models.csv")
        self.fits_file = Path(self.texts["fits"] or folder / "language-fits.json")
        for name, path in (("rows", self.rows_file), ("fits", self.fits_file)):
            if not path.is_file():
                self.refuse(name, "a file")
        with open(self.rows_file, newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            if reader.fieldnames != COLUMNS:
                raise InputError(f"{self.rows_file}, line 1: found {','.join(reader.fieldnames or [])}, "
                                 f"expected {','.join(COLUMNS)}")
            self.rows = {}
            for row in reader:
                where = f"{self.rows_file}, line {reader.line_num}"
                try:
                    value = float(row["value"]) if row["value"] else None
                except (TypeError, ValueError):
                    value = -1
                if None in row.values() or None in row or (value is not None and not value > 0):
                    raise InputError(f'{where}: found {row["value"]!r}, expected {len(COLUMNS)} cells with a value '
                                     "above 0")
                if row["row"] in self.rows:
                    raise InputError(f'{where}: found row {row["row"]} again, expected each once')
                self.rows[row["row"]] = {**row, "value": value}
        try:
            self.fits = json.loads(self.fits_file.read_text(encoding="utf-8"))
        except ValueError as error:
            raise InputError(f"{self.fits_file}: {error}") from None
        for name, fit in self.fits.items():
            for key in ("device", "assumes"):
                if key not in fit:
                    raise InputError(f"{self.fits_file}: {name}: found no {key}, expected one")
            if len(fit.get("unknown", [])) != len(fit.get("rows", [])):
                raise InputError(f'{self.fits_file}: {name}: found {len(fit.get("rows", []))} rows, expected '
                                 f'{len(fit.get("unknown", []))}, one for each unknown')
            for row in fit.get("rows", []):
                if row not in self.rows or self.rows[row]["value"] is None:
                    raise InputError(f"{self.fits_file}: {name}: found row {row}, expected one of {self.rows_file} "
                                     "with a value")

    def work(self):
        self.inputs, self.count, self.devices = self.make_inputs(), 0, {}
        table = []
        for name, fit in self.fits.items():
            self.devices[name] = device = self.fit(name, fit)
            mine = [row for row in self.rows.values() if row["device"] == name]
            for row, predicted in zip(mine, self.predict(fit, [(device, row) for row in mine])):
                used = row["row"] in fit.get("rows", [])
                is_same = row["options"] in [self.rows[one]["options"] for one in fit.get("rows", [])]
                error = "" if row["value"] is None else predicted / row["value"] - 1
                table.append({"row": row["row"], "device": name, "column": row["column"],
                              "given": "" if row["value"] is None else row["value"], "predicted": predicted,
                              "error": error, "role": "fitted" if used else "predicted" if error == "" else
                              "same run" if is_same else "judged",
                              "fittedOn": " ".join(fit.get("rows", [])), "options": row["options"],
                              "source": row["source"], "notes": row["notes"]})
            text = json.dumps(device, indent=2) + "\n"
            self.folder.write(f"{name}.json", text)
            if self.write == "true" and fit.get("ships", True):
                (traces_folder() / "language-devices").mkdir(exist_ok=True)
                (traces_folder() / "language-devices" / f"{name}.json").write_text(text)
        self.show(table)
        self.folder.write("table.csv", [{
            "row": one["row"], "figure": one["column"], "given": one["given"] and rounded(one["given"]),
            "predicted": rounded(one["predicted"]), "error": one["error"] != "" and f'{one["error"]:+.1%}' or "",
            "role": one["role"], "fitted on": one["fittedOn"]} for one in table])
        self.folder.write("results.csv", table)
        self.folder.write("run.json", self.run_file())
        return "results.csv (a row per published row), table.csv (the same for people), a file per device, run.json"

    def predict(self, fit, pairs):
        """Predicted values of rows, each with a device."""
        cases = []
        for device, row in pairs:
            self.count += 1
            path = self.inputs / f"{self.count}.json"
            path.write_text(json.dumps(device))
            options = dict(word.split("=", 1) for word in shlex.split(row["options"]))
            for option in ("requests-file", "exchange", "model"):
                if (self.rows_file.parent / options.get(option, "/")).is_file():
                    options[option] = str((self.rows_file.parent / options[option]).resolve())
            first = fit.get("first")
            if first:
                (self.inputs / f"{first}.json").write_text(json.dumps(self.devices[first]))
            options["device"] = (f'{self.inputs / (first + ".json")},' if first else "") + str(path)
            cases.append(self.case("llm-inference", {"timeline": "false", **options}))
        values = []
        for (device, row), result in zip(pairs, self.simulate(cases, allowed=("ok",))):
            value = result.row.get(row["column"])
            if value in ("", None):
                self.is_refused = True
                raise InputError(f'{self.rows_file}: {row["row"]}: found no {row["column"]} in the results, expected a '
                                 f'figure of a run that is not {result.row.get("status")}')
            values.append(float(value))
        return values

    def fit(self, name, fit):
        """The device of a fit, as a file has it."""
        device = json.loads(json.dumps(fit["device"]))
        unknown, rows = fit.get("unknown", []), [self.rows[row] for row in fit.get("rows", [])]
        self.tie(device, fit)
        for _ in range(ROUNDS if unknown else 0):
            changed = [device]
            for path in unknown:
                other = json.loads(json.dumps(device))
                put(other, path, get(other, path) * (1 + STEP) or 1e-5)
                self.tie(other, fit)
                changed.append(other)
            found = self.predict(fit, [(one, row) for one in changed for row in rows])
            found = [found[i:i + len(rows)] for i in range(0, len(found), len(rows))]
            left = [row["value"] - value for row, value in zip(rows, found[0])]
            if all(abs(one) < CLOSE / 10 * row["value"] for one, row in zip(left, rows)):
                break
            steps = [get(one, path) - get(device, path) for one, path in zip(changed[1:], unknown)]
            slopes = [[(found[1 + j][i] - found[0][i]) / step for j, step in enumerate(steps)]
                      for i in range(len(rows))]
            moves = solve(slopes, left)
            if moves is None:
                self.is_refused = True
                raise InputError(f"{self.fits_file}: {name}: the rows do not tell the unknowns apart, expected others")
            for path, move in zip(unknown, moves):
                old = get(device, path)
                new = old + move
                # Steps beyond zero are cut short: no figure is negative.
                put(device, path, new if new > 0 else 0 if "essage" in path or "fixed" in path else old / 4)
            self.tie(device, fit)
        values = self.predict(fit, [(device, row) for row in rows])
        missed = [f'{row["row"]} by {value / row["value"] - 1:+.1%}' for row, value in zip(rows, values)
                  if abs(value / row["value"] - 1) > CLOSE]
        for path in [*unknown, *fit.get("ties", {})]:
            where, last = place(device, path)
            where[last] = float(f"{where[last]:.4g}")
        device["fit"] = {"rows": fit.get("rows", []), "unknown": unknown, "assumes": fit["assumes"],
                         **({"misses": missed} if missed else {})}
        print(f"{name}: {', '.join(unknown) or 'nothing'} from {', '.join(fit.get('rows', [])) or 'no row'}\n"
              + "".join(f"  assumed: {one}\n" for one in fit["assumes"])
              + "".join(f"  not reached: {one}\n" for one in missed), end="")
        return device

    def tie(self, device, fit):
        """Sets figures that follow others: PATH: [PATH, factor], rate times factor; or of another device, scaled by the
        speed of blocks: messageSeconds: DEVICE."""
        for path, source in fit.get("ties", {}).items():
            if isinstance(source, str):
                other = self.devices[source]
                ratio = get(device, "decode.block.bytesPerSecond") / get(other, "decode.block.bytesPerSecond")
                put(device, path, get(other, path) * ratio)
            else:
                where, last = place(device, path)
                from_where, from_last = place(device, source[0])
                where[last] = from_where[from_last] * source[1]

    def show(self, table):
        print()
        print_table(["row", "device", "given", "predicted", "error", ""],
                    [[one["row"], one["device"], rounded(one["given"]) if one["given"] != "" else "-",
                      rounded(one["predicted"]), f'{one["error"]:+.1%}' if one["error"] != "" else "-", one["role"]]
                     for one in table])
        judged = [abs(one["error"]) for one in table if one["role"] == "judged"]
        if judged:
            print(f"\n{len(judged)} rows that no fit has seen: error {median(judged):.1%} in the median, "
                  f"{max(judged):.1%} at most")
