# SPDX-License-Identifier: GPL-2.0-only
"""Tools that need PyTorch, each in a process of its own: a child of one that has loaded it, which takes seconds."""

import atexit
import functools
import json
import subprocess
import tempfile
from pathlib import Path

SERVER = '''
import json, os, runpy, sys
import torch
try:
    import torchvision
except ImportError:
    pass
for line in sys.stdin:
    said, folder, *sys.argv = json.loads(line)
    child = os.fork()
    if child == 0:
        for number, name in ((1, "out"), (2, "err")):
            os.dup2(os.open(os.path.join(said, name), os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
        os.chdir(folder)
        sys.path[0] = os.path.dirname(sys.argv[0])
        runpy.run_path(sys.argv[0], run_name="__main__")
        sys.exit()
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
'''


@functools.lru_cache(maxsize=None)
def server(python):
    process = subprocess.Popen([python, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    atexit.register(process.communicate)
    return process


def run(python, *words, folder="."):
    """A tool that has ended in a folder, as subprocess.run gives it; a first run waits for PyTorch."""
    process, words = server(python), [str(word) for word in words]
    with tempfile.TemporaryDirectory() as outputs:
        process.stdin.write(json.dumps([outputs, str(folder), *words]) + "\n")
        process.stdin.flush()
        status = int(process.stdout.readline())
        said = [Path(outputs, name).read_text(encoding="utf-8") for name in ("out", "err")]
    return subprocess.CompletedProcess(words, status, *said)
