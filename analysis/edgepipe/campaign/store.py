# SPDX-License-Identifier: GPL-2.0-only
"""The database of campaigns: ended cases with their options, results and files."""

import json
import sqlite3
import time
import zlib
from contextlib import contextmanager

from edgepipe.pictures import InputError

# question: hash of scenario, options, run and input files; hash: of the question and the program's sources.
# "commit" has a plus if the checkout had changes. outcome: ok, stalled, time limit, crashed or failed. log:
# last lines of output of a case that is not ok. layerCosts: JSON by device, with origin and source.
SCHEMA = """
CREATE TABLE IF NOT EXISTS cases (
    id INTEGER PRIMARY KEY, hash TEXT UNIQUE NOT NULL, question TEXT NOT NULL,
    scenario TEXT NOT NULL, run INTEGER NOT NULL, command TEXT NOT NULL,
    outcome TEXT NOT NULL, exitStatus INTEGER NOT NULL, attempts INTEGER NOT NULL,
    wallSeconds REAL, peakMemoryBytes INTEGER, host TEXT NOT NULL, ended TEXT NOT NULL,
    "commit" TEXT NOT NULL, source TEXT NOT NULL, edgepipe TEXT, ns3 TEXT, compiler TEXT,
    layerCosts TEXT, log TEXT);
CREATE INDEX IF NOT EXISTS questions ON cases (question);
CREATE TABLE IF NOT EXISTS options (
    caseId INTEGER NOT NULL REFERENCES cases ON DELETE CASCADE, name TEXT NOT NULL,
    value TEXT NOT NULL, PRIMARY KEY (caseId, name)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS results (
    caseId INTEGER NOT NULL REFERENCES cases ON DELETE CASCADE, row INTEGER NOT NULL,
    cells TEXT NOT NULL, PRIMARY KEY (caseId, row)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS files (
    caseId INTEGER NOT NULL REFERENCES cases ON DELETE CASCADE, name TEXT NOT NULL,
    content BLOB NOT NULL, PRIMARY KEY (caseId, name)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS claims (hash TEXT PRIMARY KEY, owner TEXT NOT NULL) WITHOUT ROWID;
"""
VERSION = 1
PATIENCE = 60  # seconds to wait for other writers


class Store:
    """Opens the database; make: may create it. Several programs may use it at once."""

    def __init__(self, path, make=True):
        self.path = path
        if not make and not path.is_file():
            raise InputError(f"{path}: no such database; ./ns3 campaign run STUDY makes it")
        try:
            if make:
                path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{path}: {error.strerror}") from None
        with self._explained():
            self._base = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)
            self._base.row_factory = sqlite3.Row
            # In one statement, since another program may create the tables at the same time.
            version, tables = self._base.execute(
                "SELECT user_version, (SELECT count(*) FROM sqlite_master) "
                "FROM pragma_user_version").fetchone()
            if version not in (0, VERSION) or (tables and not version):
                raise InputError(f"{path}: found another database, expected one of campaigns")
            self._base.execute("PRAGMA foreign_keys = ON")
            if make:
                self._log_ahead()
                self._base.execute("PRAGMA synchronous = NORMAL")
                self._base.executescript(f"BEGIN IMMEDIATE; {SCHEMA} PRAGMA user_version = "
                                         f"{VERSION}; COMMIT;")

    def _log_ahead(self):
        """Switches to WAL; retries, as SQLite does not wait here for a program that does the same."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                self._base.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or time.monotonic() > end:
                    raise
                time.sleep(0.02)

    @contextmanager
    def _explained(self):
        try:
            yield
        except sqlite3.Error as error:
            raise InputError(f"{self.path}: {error}; what was stored before is safe, and the same "
                             "command goes on once that is mended") from None

    @contextmanager
    def _changes(self):
        """A transaction: all changes inside are stored, or none."""
        with self._explained():
            self._base.execute("BEGIN IMMEDIATE")
            try:
                yield self._base
                self._base.execute("COMMIT")
            except BaseException:
                if self._base.in_transaction:
                    self._base.execute("ROLLBACK")
                raise

    def select(self, words, values=()):
        with self._explained():
            return self._base.execute(words, values).fetchall()

    def outcomes(self):
        return dict(self.select("SELECT hash, outcome FROM cases"))

    def claim(self, cases, owner):
        """The cases that this owner may run now, and (case, owner) of those claimed by others; cases that have
        ended since are in neither."""
        mine, others = [], []
        with self._changes() as base:
            for case in cases:
                if base.execute("SELECT 1 FROM cases WHERE hash = ?", (case.hash,)).fetchone():
                    continue
                base.execute("INSERT OR IGNORE INTO claims VALUES (?, ?)", (case.hash, owner))
                (holder,) = base.execute("SELECT owner FROM claims WHERE hash = ?",
                                         (case.hash,)).fetchone()
                if holder == owner:
                    mine.append(case)
                else:
                    others.append((case, holder))
        return mine, others

    def release(self, owner):
        with self._changes() as base:
            base.execute("DELETE FROM claims WHERE owner = ?", (owner,))

    def owners(self):
        return [owner for (owner,) in self.select("SELECT DISTINCT owner FROM claims")]

    def add(self, records):
        """Stores cases that have ended; those already there stay unchanged."""
        with self._changes() as base:
            for record in records:
                values = record.values
                base.execute("DELETE FROM claims WHERE hash = ?", (values["hash"],))
                names = ", ".join(f'"{name}"' for name in values)
                added = base.execute(f"INSERT OR IGNORE INTO cases ({names}) VALUES "
                                     f"({', '.join('?' * len(values))})", [*values.values()])
                if added.rowcount != 1:
                    continue
                key = added.lastrowid
                base.executemany("INSERT INTO options VALUES (?, ?, ?)",
                                 [(key, *option) for option in record.options])
                base.executemany("INSERT INTO results VALUES (?, ?, ?)",
                                 [(key, number, json.dumps(cells, ensure_ascii=False))
                                  for number, cells in enumerate(record.rows)])
                base.executemany("INSERT INTO files VALUES (?, ?, ?)",
                                 [(key, name, zlib.compress(content))
                                  for name, content in record.files.items()])

    def drop(self, hashes):
        with self._changes() as base:
            base.executemany("DELETE FROM cases WHERE hash = ?", [(one,) for one in hashes])

    def read(self, hashes):
        """Stored cases, each a dictionary of its columns, options, and rows of results."""
        found = []
        for one in hashes:
            case = dict(*self.select('SELECT * FROM cases WHERE hash = ?', (one,)))
            if not case:
                continue
            case["options"] = dict(self.select("SELECT name, value FROM options WHERE caseId = ?",
                                               (case["id"],)))
            case["rows"] = [json.loads(cells) for (cells,) in self.select(
                "SELECT cells FROM results WHERE caseId = ? ORDER BY row", (case["id"],))]
            found.append(case)
        return found

    def file(self, case_id, name):
        packed = self.packed_file(case_id, name)
        return None if packed is None else zlib.decompress(packed)

    def close(self):
        self._base.close()

    def packed_file(self, case_id, name):
        rows = self.select("SELECT content FROM files WHERE caseId = ? AND name = ?",
                           (case_id, name))
        return rows[0][0] if rows else None
