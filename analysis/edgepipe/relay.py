# SPDX-License-Identifier: GPL-2.0-only
"""Forwards lines to the process that listens on the socket in the folder above, and returns its answers.

A scenario runs it as the planner in place of a function in a notebook or a script, by a link with the function's name.
"""

import json
import os
import socket
import sys

with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
    connection.connect(os.path.join(os.path.dirname(sys.argv[0]), "../socket"))
    answers = connection.makefile("r", encoding="utf-8")
    for line in sys.stdin:
        connection.sendall(line.encode())
        answer = answers.readline()
        if not answer:
            sys.exit("the process that plans has ended")
        if answer.startswith("!"):
            sys.exit(json.loads(answer[1:]))
        print(answer, end="", flush=True)
