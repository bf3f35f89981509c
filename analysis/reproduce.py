#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs the studies that compare papers' figures with ours, and makes one page of the results.

./ns3 reproduce installs and builds what is needed, then hands over to this program. The runs of each paper
are listed in analysis/papers/reproduction.json. A script in analysis/papers turns results into tables, and
one in analysis draws them: verdicts.csv says for each figure of the paper whether ours agrees, and
sheet-NAME.csv is a table that the documentation includes. map.csv lists command, file and verdict of each
figure.
"""

import csv
import html
import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

from edgepipe.interpreter import need
from edgepipe.pictures import InputError, Parser, make_folder, start
from edgepipe.reports import as_given, text_of_rows, write_all
from edgepipe.run_file import DRAWN_BY
from edgepipe.running import command_of
from edgepipe.tables import read_table

ROOT = Path(__file__).resolve().parent.parent
PAPERS = ROOT / "analysis/papers"
DOC = ROOT / "contrib/edgepipe/doc"
STYLE = ROOT / "analysis/edgepipe/campaign/page/page.css"
VERDICTS = {"figure": str, "verdict": str, "why": str, "file": str}
READINGS = "readings"  # folder of results from several runs
MAP = ("paper", "figure", "verdict", "why", "command", "file")


def read_papers():
    return json.loads((PAPERS / "reproduction.json").read_text(encoding="utf-8"))


def words_of(options):
    """Options as words of a command line, booleans as ns-3 reads them."""
    return [f"--{name}={json.dumps(value) if isinstance(value, bool) else value}"
            for name, value in options.items()]


class Reproduction:
    def __init__(self, name, paper, out, is_quick):
        self.name, self.paper, self.out, self.is_quick = name, paper, out, is_quick
        self.failures, self.seconds = [], 0.0

    def make(self):
        begin = time.monotonic()
        for run in self.paper["runs"]:
            folder, command = self.out / run["name"], [*command_of(run["scenario"]), *self.words_of(run)]
            if "repetitions" in run:
                for number in range(1, run["repetitions"] + 1):
                    self._start([*command, f"--RngRun={number}", f"--out={folder / str(number)}"], folder)
            elif self._start([*command, f"--out={folder}"], folder) and run["scenario"] in DRAWN_BY:
                self._start([ROOT / "analysis" / DRAWN_BY[run["scenario"]], folder], folder)
        if "after" in self.paper:
            self._start([PAPERS / self.paper["after"], self.out], self.out / READINGS)
        self.seconds = time.monotonic() - begin

    def words_of(self, run):
        return words_of({**run.get("options", {}), **(run.get("quick", {}) if self.is_quick else {})})

    def verdicts(self):
        """Rows of map.csv; runs without verdicts have none."""
        command = {run["name"]: f'./ns3 run "{" ".join([run["scenario"], *self.words_of(run)])}"'
                   for run in self.paper["runs"]}  # as typed by a user
        for folder in [*command, READINGS]:
            path = self.out / folder / "verdicts.csv"
            if path.exists():
                for row in read_table(path, VERDICTS, {"why"}):
                    yield {**row, "paper": self.name, "why": row["why"] or "",
                           "command": command.get(folder, f"./ns3 reproduce {self.name}"),
                           "file": f"{self.name}/{folder}/{row['file']}"}

    def sheets(self):
        """Tables of all runs: those with the paper's figures beside ours, then the others by name."""
        first = self.paper.get("beside", [])
        return sorted(self.out.glob("*/sheet-*.csv"), key=lambda path: (
            first.index(name_of(path)) if name_of(path) in first else len(first), path))

    def _start(self, command, folder):
        """Runs a command, with its output in a log beside the folder; returns whether it succeeded."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder.with_name(f"{folder.name}.log")
        words = [str(word) for word in command]
        shown = [os.path.relpath(word) if word.startswith(str(ROOT)) else word for word in words]
        print(f"{self.name}: {shlex.join(shown)}", flush=True)
        with open(path, "a", encoding="utf-8") as log:
            log.write(f"$ {shlex.join(words)}\n")
            log.flush()
            status = subprocess.run(words, cwd=ROOT, stdout=log, stderr=log,
                                    stdin=subprocess.DEVNULL).returncode
        if status:
            self.failures.append(f"{Path(words[0]).name} ended with {status}: {path}")
            print(f"{self.name}: {self.failures[-1]}", file=sys.stderr)
        return status == 0


def name_of(sheet):
    return sheet.stem[len("sheet-"):]


def table_of(rows, columns, with_file=False):
    """with_file: whether the last column has files to link to."""
    def line(cells, tag):
        cells = [html.escape(cell) for cell in cells]
        if with_file and tag == "td":
            cells[-1] = f'<a href="{cells[-1]}">{cells[-1]}</a>'
        return "<tr>" + "".join(f"<{tag} class=text>{cell}</{tag}>" for cell in cells) + "</tr>"

    return ("<div class=wide><table>" + line(columns, "th")
            + "".join(line(row, "td") for row in rows) + "</table></div>")


def part_of_sheet(sheet):
    with open(sheet, newline="", encoding="utf-8") as file:
        columns, *cells = csv.reader(file)
    return f"<h3>{html.escape(name_of(sheet))}</h3>", table_of(cells, columns)


def part_of(paper, out):
    sheets = paper.sheets()
    beside = [sheet for sheet in sheets if name_of(sheet) in paper.paper.get("beside", [])]
    others = sheets[len(beside):]
    names = ["figure", "verdict", "why", "command", "file"]
    parts = [f"<h2 id={paper.name}>{html.escape(paper.paper['title'])}</h2>",
             f"<p>{paper.seconds / 60:.1f} minutes"
             + (", quick: shorter and with fewer repetitions" if paper.is_quick else "") + ".</p>",
             *(f"<p><b>{html.escape(failure)}</b></p>" for failure in paper.failures),
             *(["<p>Theirs, then ours:</p>"] if beside else []),
             *(text for sheet in beside for text in part_of_sheet(sheet)),
             "<h3>Verdicts</h3>",
             table_of([[row[name] for name in names] for row in paper.verdicts()], names, True),
             *(text for sheet in others for text in part_of_sheet(sheet))]
    parts += [f'<figure><img src="{path.relative_to(out)}" style="max-width:100%">'
              f"<figcaption>{path.relative_to(out)}</figcaption></figure>"
              for run in paper.paper["runs"] for path in sorted((paper.out / run["name"]).glob("*.png"))]
    return "\n".join(parts)


def write_page(papers, out):
    page = ("<!doctype html>\n<html lang=en><meta charset=utf-8>"
            "<meta name=viewport content=\"width=device-width, initial-scale=1\"><title>Papers reproduced</title>"
            f"<style>{STYLE.read_text(encoding='utf-8')} td.text {{ white-space: normal; }}</style>"
            "<h1>Papers: theirs and ours</h1>"
            "<p>By figure and table: agrees, differs and why, or cannot be told.</p>"
            + "\n".join(part_of(paper, out) for paper in papers) + "</html>\n")
    write_all(out, {"index.html": page, "map.csv": text_of_rows(
        [MAP, *([row[name] for name in MAP] for paper in papers for row in paper.verdicts())])})


def main():
    known = read_papers()
    parser = Parser(__doc__, prog="./ns3 reproduce")
    parser.add_argument("papers", nargs="+", metavar="PAPER", choices=[*known, "all"],
                        help=f"{', '.join(known)} or all")
    parser.add_argument("--quick", action="store_true",
                        help="shorter runs and fewer repetitions, at most 10 minutes on two cores")
    parser.add_argument("--out", default="results/reproduce", metavar="FOLDER",
                        help="folder for the page and the results (default: %(default)s)")
    parser.add_argument("--docs", action="store_true",
                        help="also copy the tables and pictures to contrib/edgepipe/doc")
    parser.add_argument("--dry-run", action="store_true", help="only check the options")
    options = parser.parse_args()
    if options.docs and options.quick:
        raise InputError("--docs: found --quick too, expected a full run for the documentation")
    out = make_folder("--out", options.out).resolve()
    if options.dry_run:
        return 0
    need("pandas", "scipy", "matplotlib")
    os.environ.setdefault("EDGEPIPE_TRACES", str(ROOT / "traces"))
    os.environ.setdefault("EDGEPIPE_PROGRESS", "off")
    names = list(known) if "all" in options.papers else list(dict.fromkeys(options.papers))
    papers = [Reproduction(name, known[name], out / name, options.quick) for name in names]
    for paper in papers:
        paper.make()
    write_page(papers, out)
    for paper in papers if options.docs else ():
        for sheet in paper.sheets():
            name = f"{name_of(sheet)}.csv"
            if (DOC / "tables" / name).exists():  # the documentation includes it
                shutil.copyfile(sheet, DOC / "tables" / name)
        for name, source in paper.paper.get("figures", {}).items():
            shutil.copyfile(paper.out / source, DOC / "figures" / name)
    print(f"\nResults: {as_given(options.out)}/index.html (one page), map.csv (figure, verdict, "
          "command, file)")
    return 1 if any(paper.failures for paper in papers) else 0


if __name__ == "__main__":
    start(lambda: sys.exit(main()))
