# SPDX-License-Identifier: GPL-2.0-only
"""Identity of the program behind results: its sources and their commit."""

import hashlib
import os
import re
import subprocess
from pathlib import Path

# Sources of the scenarios; their input files are added.
FOLDERS = ("contrib/edgepipe/model", "contrib/edgepipe/helper", "scenarios")


def source_of(root, values=None):
    """A hash of all source and input files, without Python and Markdown, which do not change results.

    values: of a study's options. With them, devices are left out that neither they nor any other file names.
    """
    traces = Path(os.environ.get("EDGEPIPE_TRACES") or root / "traces")
    files = {(folder, path): path.read_bytes() for folder in [*(root / name for name in FOLDERS), traces]
             for path in sorted(path for path in folder.rglob("*") if path.is_file())
             if path.suffix not in (".pyc", ".py", ".md")}
    if values is not None:
        devices = {key for key in files if key[1].parent == traces / "devices"}
        texts = [content for key, content in files.items() if key not in devices]
        texts += [",".join(["", *values, ""]).encode()]
        texts += [path.read_bytes() for value in values if is_file(path := root / value)]
        for key in devices:
            if not is_named(key[1].stem.encode(), texts):
                del files[key]
    hashed = hashlib.sha256()
    for (folder, path), content in files.items():
        hashed.update(f"{path.relative_to(folder)}\0{len(content)}\0".encode())
        hashed.update(content)
    return hashed.hexdigest()[:16]


def is_file(path):
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def is_named(name, texts):
    """Whether a name stands where programs, clusters and options have names, and not in running text."""
    pattern = re.compile(rb"[\"'=,:/@]" + re.escape(name) + rb"[\"'=,:/@.]")
    return any(name in text and pattern.search(text) for text in texts)


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
