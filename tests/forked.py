# SPDX-License-Identifier: GPL-2.0-only
"""Scripts, each in a process of its own: a child of one that has loaded what takes long to load."""

import atexit
import functools
import json
import os
import subprocess
import tempfile
from pathlib import Path

TORCH = ("torch", "torchvision")
PICTURES = ("matplotlib.figure", "matplotlib.backends.backend_agg", "matplotlib.backends.backend_svg", "pandas",
            "scipy.optimize", "scipy.stats")
SERVER = '''
import atexit, importlib, json, os, runpy, sys, traceback
for name in sys.argv[1:]:
    try:
        importlib.import_module(name)
    except ImportError:
        pass
for line in sys.stdin:
    said, folder, environment, *sys.argv = json.loads(line)
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        for number, name in ((1, "out"), (2, "err")):
            os.dup2(os.open(os.path.join(said, name), os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        sys.path[0] = os.path.dirname(sys.argv[0])
        status = 0
        try:
            runpy.run_path(sys.argv[0], run_name="__main__")
        except SystemExit as end:
            status = end.code or 0
            if not isinstance(status, int):
                print(status, file=sys.stderr)
                status = 1
        except BaseException:
            status = 1
            traceback.print_exc()
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)  # without the time that it takes to unload everything
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
'''


@functools.lru_cache(maxsize=None)
def server(python, modules):
    process = subprocess.Popen([python, "-c", SERVER, *modules], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    atexit.register(process.communicate)
    return process


def run(python, *words, folder=".", environment=None, modules=TORCH):
    """A script that has ended in a folder, as subprocess.run gives it; a first run waits for the modules."""
    process, words = server(python, modules), [os.fsdecode(word) if isinstance(word, bytes) else str(word) for word in words]
    with tempfile.TemporaryDirectory() as outputs:
        process.stdin.write(json.dumps([outputs, str(folder), environment or dict(os.environ), *words]) + "\n")
        process.stdin.flush()
        status = int(process.stdout.readline())
        said = [Path(outputs, name).read_text(encoding="utf-8", errors="replace") for name in ("out", "err")]
    return subprocess.CompletedProcess(words, status, *said)
