# SPDX-License-Identifier: GPL-2.0-only
"""A folder of results with the rules of ResultsFolder in C++: all files of a run or none."""

import csv
import errno
import io
import math
import os
import socket
from decimal import Decimal
from pathlib import Path

from edgepipe.pictures import InputError

LIST = ".edgepipe-files"  # names of the results and of files that scripts made from them, one per line
TEMPORARY = ".tmp"


class ResultsFolder:
    """Files get their names at commit, which also removes files of an earlier run."""

    def __init__(self, path):
        self.path = Path(path)
        self._names = []

    def check(self):
        """Refuses a folder that is not writable, or has files that no run wrote."""
        if self.path.is_dir() and not any((self.path / f"{LIST}{end}").exists()
                                          for end in ("", TEMPORARY)):
            foreign = min((one.name for one in self.path.iterdir()
                           if not one.suffix.startswith(TEMPORARY)), default=None)
            if foreign:
                raise InputError(f'--out: "{self.path}" holds "{foreign}", which no run wrote there, '
                                 "expected a folder that is new, empty, or has a run's results")
        made = self.make()
        try:
            self._write(".edgepipe-check" + TEMPORARY, "x")
            (self.path / f".edgepipe-check{TEMPORARY}").unlink()
        finally:
            self.remove(made)

    def hold(self):
        """Refuses other runs in this folder until this object ends, by the name of a socket, as in C++."""
        name = 0xcbf29ce484222325
        for byte in os.fsencode(self.path.resolve()):
            name = (name ^ byte) * 0x100000001b3 % 2 ** 64
        self.held = socket.socket(socket.AF_UNIX)
        try:
            self.held.bind(f"\0edgepipe-out-{name}")
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise InputError(f'--out: found a run that writes to "{self.path}" now, expected a folder '
                                 "for this run alone") from None

    def make(self):
        """Makes the folder; returns the folders made, deepest first."""
        missing = [one for one in (self.path, *self.path.parents) if not one.exists()]
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            if isinstance(error, (NotADirectoryError, FileExistsError)):
                raise InputError(f'--out: "{self.path}" is not a folder and none can be made '
                                 "there") from None
            raise InputError(f'--out: cannot write "{self.path}": {error.strerror}') from None
        return missing

    @staticmethod
    def remove(folders):
        for one in folders:
            try:
                one.rmdir()
            except OSError:
                return

    def write(self, name, content):
        """content: a text, bytes, or rows, written as CSV with the keys of the first row as headings."""
        self.make()
        if not isinstance(content, (str, bytes)):
            content = csv_of(content)
        self._write(name + TEMPORARY, content)
        self._names.append(name)

    def _write(self, name, content):
        try:
            with open(self.path / name, "wb") as file:
                file.write(content if isinstance(content, bytes) else content.encode())
        except OSError as error:
            raise InputError(f'--out: cannot write "{self.path / name.removesuffix(TEMPORARY)}": '
                             f"{error.strerror}") from None

    def written(self):
        """Texts by name of the files that commit has yet to rename."""
        return {name: (self.path / f"{name}{TEMPORARY}").read_text(encoding="utf-8")
                for name in self._names}

    def commit_some(self):
        """Gives files their names; keeps those of an earlier run."""
        for name in self._names:
            os.replace(self.path / f"{name}{TEMPORARY}", self.path / name)
        self._names = []

    def commit(self):
        """Gives all files their names, and removes those of an earlier run."""
        try:
            earlier = (self.path / LIST).read_text(encoding="utf-8").splitlines()
        except OSError:
            earlier = []
        names = self._names[:]
        self.write(LIST, "".join(f"{name}\n" for name in names))
        self.commit_some()
        for name in earlier:
            path = self.path / name
            if path.name == name and name not in names and not path.is_dir():
                path.unlink(missing_ok=True)

    @classmethod
    def of_script(cls, text):
        """The folder of a script's --out, checked before there is work to lose and made by the first result."""
        folder = cls(text)
        folder.check()
        folder.hold()
        return folder

    def discard(self):
        for name in self._names:
            (self.path / f"{name}{TEMPORARY}").unlink(missing_ok=True)
        self._names = []


def exact(value):
    """A number with all significant digits, as scenarios write it; empty for None."""
    if not isinstance(value, float) or not math.isfinite(value):
        return "" if value is None else str(value)
    digits = Decimal(repr(value)).normalize()
    # The shorter of both forms, as std::to_chars.
    fixed = str(int(value)) if abs(value) >= 1e16 else f"{digits:f}"
    mantissa, power = f"{digits:e}".split("e")
    scientific = f"{mantissa}e{power[0]}{power[1:]:0>2}"
    return fixed if len(fixed) <= len(scientific) else scientific


def csv_of(rows):
    rows, text = list(rows), io.StringIO()
    if rows:
        csv.writer(text, lineterminator="\n").writerows(
            [rows[0].keys(), *([exact(row[name]) for name in rows[0]] for row in rows)])
    return text.getvalue()
