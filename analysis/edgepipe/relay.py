# SPDX-License-Identifier: GPL-2.0-only
"""Forwards lines to the process that listens on a socket, and returns its answers: relay.py SOCKET.

A scenario runs it as the planner in place of a function in a notebook or a script.
"""

import json
import socket
import sys

with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
    connection.connect(sys.argv[1])
    answers = connection.makefile("r", encoding="utf-8")
    for line in sys.stdin:
        connection.sendall(line.encode())
        answer = answers.readline()
        if not answer:
            sys.exit("the process that plans has ended")
        if answer.startswith("!"):
            sys.exit(json.loads(answer[1:]))
        print(answer, end="", flush=True)
