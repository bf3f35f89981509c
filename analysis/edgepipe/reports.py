# SPDX-License-Identifier: GPL-2.0-only
"""Tables of a run's raw results: text on the terminal, Markdown, and CSV."""

import csv
import io
import os
import signal
import sys
from dataclasses import dataclass
from pathlib import Path

from edgepipe.interpreter import need
from edgepipe.pictures import InputError, Parser, note_file
from edgepipe.run_file import check_scenario, read_run
from edgepipe.tables import lines_of, read_table, rounded

# Verdict on a paper's figure by whether ours agrees; None: not decidable by a run.
VERDICTS = {True: "agrees", False: "differs", None: "cannot be told"}


def as_given(path, base="."):
    """A path for people: whole if it was given so, else from the working folder; base: of one that is not whole."""
    return str(path) if os.path.isabs(path) else os.path.relpath(Path(base, path))


@dataclass
class Section:
    title: str
    note: str  # how to read it, or empty
    columns: list
    rows: list
    is_short: bool = True  # whether it is also printed
    sheet: str = ""  # name of its own CSV; empty: none

    def __post_init__(self):
        self.rows = list(self.rows)


def framed(*columns):
    """Makes a pandas frame from the rows that a function yields; columns: names, unless rows have them."""
    def decorate(function):
        def make(*given):
            import pandas
            return pandas.DataFrame(list(function(*given)), columns=columns or None)
        return make
    return decorate


def tabulate(description, default, build):
    """Runs a program that makes tables.

    default: the default folder to read.
    build: turns the folder and its run.json into a text to print, and texts by file name.
    """
    need("pandas", "scipy")
    parser = Parser(description)
    parser.add_argument("folder", nargs="?", default=default, metavar="FOLDER",
                        help="results of the scenario (default: %(default)s)")
    folder = Path(parser.parse_args().folder)
    check_scenario(folder, sys.argv[0])
    try:
        text, files = build(folder, read_run(folder / "run.json"))
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise InputError(f"{folder}: expected results of {Path(default).name}: "
                         f"{type(error).__name__} {error}") from None
    write_all(folder, files)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # allows "| head"
    print(text)


def read_frame(path, columns, may_be_empty=(), least=1):
    import pandas

    return pandas.DataFrame(read_table(path, columns, may_be_empty, least), columns=list(columns))


def write_all(folder, files):
    """Writes all files under temporary names, then renames them."""
    written = []
    try:
        for name, text in files.items():
            path = folder / f".{name}.{os.getpid()}"
            written.append((path, folder / name))
            path.write_text(text, encoding="utf-8")
        for path, final in written:
            path.replace(final)
            note_file(final)
    except OSError as error:
        raise InputError(f"{error.filename}: {error.strerror}") from None
    finally:
        for path, _ in written:
            path.unlink(missing_ok=True)


def or_dash(value, form=lambda value: rounded(value, 3)):
    return "-" if value is None or value != value else form(value)


def markdown_of(columns, rows):
    def line(cells):
        return "|" + "".join(" " + cell.replace("|", "\\|") + " |" for cell in cells) + "\n"

    rule = [":--"] + ["--:"] * (len(columns) - 1)
    return line(columns) + line(rule) + "".join(map(line, rows))


def print_of(sections):
    return "".join(
        f"{one.title}{f' ({one.note})' if one.note else ''}:\n\n{lines_of(one.columns, one.rows)}\n"
        for one in sections if one.is_short and one.rows)


def page_of(title, source, sections):
    return f"# {title}\n\n{source}\n" + "".join(
        f"\n## {one.title}\n\n" + (f"{one.note}\n\n" if one.note else "")
        + markdown_of(one.columns, one.rows) for one in sections)


def sheets_of(sections):
    """CSV of the sections with a sheet, for pages that include them; a lone hyphen would start a list
    there."""
    return {f"sheet-{one.sheet}.csv": text_of_rows(
        [one.columns, *(["–" if cell == "-" else cell for cell in row] for row in one.rows)])
        for one in sections if one.sheet}


def text_of_rows(rows):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def csv_of_rows(rows, columns=()):
    """CSV of dictionaries; columns: used if there are no rows."""
    return text_of_rows([list(rows[0]) if rows else columns, *(row.values() for row in rows)])


def judge(description, build, place=""):
    """Runs a program that judges the figures of a paper.

    build: turns the folder from the command line into sections, whose sheets go to its subfolder place, and
    verdicts: (figure, whether it agrees (see VERDICTS), why, file) each.
    """
    need("pandas", "scipy")
    parser = Parser(description)
    parser.add_argument("folder", metavar="FOLDER")
    folder = Path(parser.parse_args().folder)
    sections, verdicts = build(folder)
    (folder / place).mkdir(exist_ok=True)
    write_all(folder / place, {**sheets_of(sections), "verdicts.csv": csv_of_verdicts(verdicts)})


def csv_of_verdicts(verdicts):
    return text_of_rows([["figure", "verdict", "why", "file"], *(
        (figure, VERDICTS[is_so], *more) for figure, is_so, *more in verdicts)])
