# SPDX-License-Identifier: GPL-2.0-only
"""Identity of the program behind results: its sources and their commit."""

import hashlib
import os
import subprocess
from pathlib import Path

# Sources of the scenarios; their input files are added.
FOLDERS = ("contrib/edgepipe/model", "contrib/edgepipe/helper", "scenarios")


def source_of(root):
    """A hash of all source and input files, without Python and Markdown, which do not change results."""
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
    """The commit of a checkout, with a plus if files differ from it; empty without a checkout."""
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
    """Times and sizes of the program and the libraries of its build, which change on a rebuild."""
    stamps = []
    for path in [program, *sorted((program.parent.parent / "lib").glob("*.so"))]:
        try:
            found = path.stat()
            stamps.append((path.name, found.st_mtime_ns, found.st_size))
        except OSError:
            stamps.append((path.name, 0, 0))
    return stamps


def version_of(program):
    """Hash of a scenario's --help; empty if it does not run."""
    try:
        told = subprocess.run([program, "--help"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              stdin=subprocess.DEVNULL)
    except OSError:
        return ""
    return "" if told.returncode else hashlib.sha256(told.stdout).hexdigest()[:16]
