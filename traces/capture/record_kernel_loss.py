#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Measure how long requests over a path that loses packets take with the TCP of the running Linux kernel.

Reads a CSV of cases, runs each between two network namespaces, and writes the CSV with a new column "kernel (s)",
the reference for the simulated network (contrib/edgepipe/doc/tables/kernel-loss.csv). Needs root, ip and tc
(iproute2) and ethtool. Cases run one after the other, in real time: all of that table take 1.6 hours.

A process forwards packets between the namespaces: it drops a share of them each way, lets the rest cross a wire of
100 Mbit/s with a queue of 1000 packets, and delays them. TCP is CUBIC without Nagle's algorithm and segmentation
offload. A request of so many bytes is sent when the answer of 100 bytes to the one before has come, on one connection.

Example: record_kernel_loss.py kernel-loss.csv --out kernel-loss.csv
"""

import argparse
import contextlib
import csv
import multiprocessing
import os
import socket
import sys
import threading
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../analysis"))
from edgepipe.pictures import InputError, Parser, number, start  # noqa: E402
from busy_machine import BusyMachine  # noqa: E402
from namespaces import HOLD, apart, call, check_rights, delay_packets, inside, make_tap, set_up  # noqa: E402

# Columns of cases, with the largest value of each.
CASE = {"delay one way (ms)": 1e4, "lost each way (%)": 90, "bytes": 1e9, "messages": 1e6}
KERNEL = "kernel (s)"
RATE = 1e8  # bit/s
ANSWER = 100  # bytes
HOSTS = "10.0.0.1", "10.0.0.2"
PORT = 4700
# The kernel's largest windows, so that the loss limits a transfer and not a buffer.
BUFFERS = {"wmem": "4096 16384 16777216", "rmem": "4096 131072 16777216"}


def read_cases(path):
    """Returns the rows of a file, as dicts, and its columns."""
    with open(path, newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        for name in (*CASE, KERNEL):
            if name not in (reader.fieldnames or ()):
                raise InputError("%s: found no column %s, expected %s" % (path, name, ",".join((*CASE, KERNEL))))
        rows = list(reader)
    for line, row in enumerate(rows, 2):
        for name, most in CASE.items():
            try:
                valid = 0 <= float(row[name]) <= most and (name in list(CASE)[:2] or int(row[name]) > 0)
            except (TypeError, ValueError):
                valid = False
            if not valid:
                raise InputError("%s: line %d: %s: found \"%s\", expected a number up to %g"
                                 % (path, line, name, row[name], most))
    return rows, reader.fieldnames


def open_socket(host):
    with inside(host):
        made = socket.socket()
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"cubic")
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return made


def read(from_whom, count):
    while count:
        got = len(from_whom.recv(min(count, 1 << 20)))
        if not got:
            raise InputError("the connection ended")
        count -= got


def measure(delay, loss, size, count, seed):
    """Returns the mean seconds from a request to its answer."""
    with contextlib.ExitStack() as stack:
        hosts = [stack.enter_context(apart(*HOLD)) for _ in HOSTS]
        taps = [make_tap(host, "wire") for host in hosts]
        for tap in taps:
            stack.callback(os.close, tap)
        relay = multiprocessing.Process(target=delay_packets, daemon=True,
                                        args=(os.getpid(), taps, delay, (0, 0), loss, seed, RATE))
        relay.start()
        stack.callback(relay.join)
        stack.callback(relay.kill)
        for host, address in zip(hosts, HOSTS):
            with inside(host):
                call("ip", "addr", "add", address + "/24", "dev", "wire")
                set_up("wire")
                for name, sizes in BUFFERS.items():
                    with open("/proc/sys/net/ipv4/tcp_" + name, "w", encoding="ascii") as file:
                        file.write(sizes)
        listener, near = (stack.enter_context(open_socket(host)) for host in reversed(hosts))
        listener.bind((HOSTS[1], PORT))
        listener.listen(1)
        near.connect((HOSTS[1], PORT))
        far = stack.enter_context(listener.accept()[0])

        def serve():
            for _ in range(count):
                read(far, size)
                far.sendall(bytes(ANSWER))

        server = threading.Thread(target=serve, daemon=True)
        server.start()
        begin = time.monotonic()
        for _ in range(count):
            near.sendall(bytes(size))
            read(near, ANSWER)
        seconds = (time.monotonic() - begin) / count
        server.join()
        return seconds


def record(arguments):
    rows, columns = read_cases(arguments.cases)
    check_rights()
    BusyMachine(arguments.busy_machine).check_load(1)
    for row in rows:
        delay, percent, size, count = (float(row[name]) for name in CASE)
        runs = [measure(delay / 1e3, percent / 100, int(size), int(count), seed)
                for seed in range(1, arguments.runs + 1)]
        row[KERNEL] = "%.4g" % (sum(runs) / len(runs))
    with open(arguments.out, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def main():
    parser = Parser(__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", help="CSV of cases; earlier measurements in it are replaced")
    parser.add_argument("--out", required=True, help="CSV to write")
    parser.add_argument("--runs", type=number(1, 100, int), metavar="1 to 100", default=2,
                        help="runs of each case, each with a seed of its own (default: %(default)s)")
    BusyMachine.add_option(parser.add_argument)
    record(parser.parse_args())


if __name__ == "__main__":
    start(main)
