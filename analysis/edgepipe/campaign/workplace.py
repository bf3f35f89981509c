# SPDX-License-Identifier: GPL-2.0-only
"""The folder beside a database in which campaigns run cases, with a subfolder per campaign."""

import fcntl
import json
import os
import shutil
import time

from edgepipe.campaign.hosts_engine import unpack
from edgepipe.campaign.job import NOTE
from edgepipe.campaign.record import has_ended, read_record
from edgepipe.pictures import InputError

# Free bytes below which the disk counts as full, which can make cases fail.
LEAST_FREE = 16 << 20
ATTEMPTS = 100


class Workplace:
    """Holds a lock while the campaign or any of its cases runs, even after the campaign was killed."""

    def __init__(self, database):
        self.base = database.with_name(database.name + ".work")
        self.owner = f"{time.time_ns():x}-{os.getpid()}"
        self.folder = self.base / self.owner
        for attempt in range(ATTEMPTS):
            try:
                self.lock = self._make()
                break
            except (FileNotFoundError, FileExistsError):
                if attempt + 1 == ATTEMPTS:
                    raise  # campaigns that end keep removing the common folder
            except OSError as error:
                raise InputError(f"{self.folder}: {error.strerror}") from None

    def _make(self):
        """Makes the folder under a hidden name until it is locked, else others take it for abandoned."""
        hidden = self.base / f".{self.owner}"
        hidden.mkdir(parents=True, exist_ok=True)
        lock = open(hidden / "lock", "w")
        fcntl.flock(lock, fcntl.LOCK_EX)
        hidden.rename(self.folder)
        return lock

    def check_room(self):
        free = os.statvfs(self.folder)
        if free.f_bavail * free.f_frsize < LEAST_FREE:
            raise InputError(f"{self.base}: less than {LEAST_FREE >> 20} MB are free; make room, and "
                             "the same command goes on where this one ends")

    def _take(self, owner):
        """The locked file of an owner that is gone; None if it still runs; False if it has no folder."""
        try:
            lock = open(self.base / owner / "lock")
        except OSError:
            return False
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return lock
        except OSError:
            lock.close()
            return None

    def gather(self, store, engine_lives):
        """Stores ended cases of campaigns that are gone, removes their folders, and returns the number stored.
        engine_lives: whether an owner's cases still run elsewhere, from its folder."""
        found = 0
        owners = {path.name for path in self.base.glob("[!.]*") if path.is_dir()}
        for owner in sorted(owners | set(store.owners())):
            folder = self.base / owner
            if owner == self.owner or (folder.is_dir() and engine_lives(folder)):
                continue
            lock = self._take(owner)
            if lock is None:
                continue
            for archive in folder.glob("answers/*"):
                if (folder / "cases" / archive.name).is_dir():
                    unpack(archive, folder / "cases" / archive.name, archive)
            records = []
            for case in sorted(folder.glob(f"cases/*/{NOTE}")):
                if has_ended(case.parent):
                    try:
                        note = json.loads(case.read_text())
                        records.append(read_record(case.parent, note["case"], note["program"],
                                                   note["keep"]))
                    except (ValueError, KeyError):
                        continue  # truncated on a full disk
            store.add(records)
            store.release(owner)
            found += len(records)
            shutil.rmtree(folder, ignore_errors=True)
            if lock:
                lock.close()
        return found

    def leave(self):
        if not any(map(has_ended, self.folder.glob("cases/*"))):
            shutil.rmtree(self.folder, ignore_errors=True)
        self.lock.close()
        try:
            self.base.rmdir()
        except OSError:
            pass  # other campaigns use it
