# SPDX-License-Identifier: GPL-2.0-only
"""Which program gives the results: its sources, and the commit they are of."""

import hashlib
import os
import subprocess
from pathlib import Path

# What a scenario is made of, and what it reads.
FOLDERS = ("contrib/edgepipe/model", "contrib/edgepipe/helper", "scenarios")


def source_of(root):
    """A hash of every source and input file, so that a changed line of text changes no result."""
    hashed = hashlib.sha256()
    traces = Path(os.environ.get("EDGEPIPE_TRACES") or root / "traces")
    for folder in [root / name for name in FOLDERS] + [traces]:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            if path.suffix not in (".pyc", ".py", ".md"):
                content = path.read_bytes()
                hashed.update(f"{path.relative_to(folder)}\0{len(content)}\0".encode())
                hashed.update(content)
    return hashed.hexdigest()[:16]


def commit_of(root):
    """The commit of a checkout, with a plus where files differ from it; empty where there is none."""
    def git(*words):
        return subprocess.run(["git", "-C", str(root), *words], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, text=True)

    try:
        head = git("rev-parse", "HEAD")
        if head.returncode:
            return ""
        changed = git("status", "--porcelain", "--untracked-files=no").stdout.strip()
    except OSError:
        return ""
    return head.stdout.strip() + ("+" if changed else "")


def stamp_of(program):
    """What changes when the program, or a library of its build, is built anew."""
    stamps = []
    for path in [program, *sorted((program.parent.parent / "lib").glob("*.so"))]:
        try:
            found = path.stat()
            stamps.append((path.name, found.st_mtime_ns, found.st_size))
        except OSError:
            stamps.append((path.name, 0, 0))
    return stamps


def version_of(program):
    """The lines in which a scenario explains its options, hashed; empty if it does not run."""
    try:
        told = subprocess.run([program, "--help"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              stdin=subprocess.DEVNULL)
    except OSError:
        return ""
    return "" if told.returncode else hashlib.sha256(told.stdout).hexdigest()[:16]
