#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Measure how long requests over a slow link take with the TCP of the running Linux kernel.

Reads a CSV of cases, runs each between two network namespaces, and writes the CSV with measurements, the
reference for the simulated network. Its own output can be its input. Needs root, ip and tc (iproute2) and
ethtool. Many cases run at once, in real time.

A case
  shaper         sender: token buckets on the device's and the server's own interfaces, as on a host
                 that knows its link; TCP small queues then keep most unsent data in the socket.
                 router: token buckets in a third namespace between the two, as in a modem or a cell
  up, down       rate of IP packets, bit/s, or rates over time from the first request, such as
                 0s:1100000;10s:300000, or a CSV seconds,bitsPerSecond beside the cases, replayed
                 in a loop; since the buckets also count Ethernet's 14 bytes, they get 1514 / 1500 of
                 the rate; at least 10 kbit/s
  queuePackets   capacity of the queue before each bucket, full packets, enforced in bytes
  delaySeconds   one-way propagation delay: a process forwards packets between the last two
                 namespaces when they are due, which adds 0.1 ms. 0: a veth pair, no process
  sendBufferBytes
                 SO_SNDBUF of every socket, which the kernel doubles; 0: sized by the kernel
  pattern        camera: request i is due i periods after the first, and dropped if another one
                 waits behind the one being written. actor: a request is made a period after the
                 answer to the previous one.
  periodSeconds, requests, requestBytes, replyBytes
                 period, number of requests, and sizes of requests and answers
  deviceSeconds, serverSeconds
                 computing time before a request is written, and before its answer; the server
                 serves one request at a time
  bulkBytes, bulkEvery
                 after every bulkEvery requests the actor also writes bulkBytes on the same
                 connection; 0: none
Segmentation offload is off. TCP is CUBIC without Nagle's algorithm; requests and answers use separate
connections, and each message has a header of 48 bytes, as in the simulation.

Measured, each a mean over --runs
  meanSeconds, p95Seconds   from a request being due (camera) or made (actor) until its answer is read
  medianSeconds             the same, of requests after the first
  meanSpread, p95Spread, medianSpread   range of these over the runs
  ended, dropped            numbers of requests
  bufferedBytes             unsent and unacknowledged bytes in the device's socket when a write returns,
                            mean of the later half of the writes

Example: record_kernel_latency.py kernel-latency.csv --out kernel-latency.csv
"""

import argparse
import concurrent.futures
import contextlib
import csv
import datetime
import fcntl
import heapq
import itertools
import math
import multiprocessing
import operator
import os
import platform
import queue
import signal
import socket
import statistics
import struct
import sys
import threading
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../analysis"))
from edgepipe.pictures import InputError, Parser, number, start  # noqa: E402
from edgepipe.study_options import choice, whole  # noqa: E402
from edgepipe.study_options import number as figure  # noqa: E402
from busy_machine import BusyMachine  # noqa: E402
from namespaces import (ETHERNET, HOLD, PACKET, apart, call, check_rights, delay_packets,  # noqa: E402
                        depend, inside, make_tap, plug, set_up, shape)

STATISTICS = ("mean", "p95", "median")
MEASURED = ("meanSeconds", "p95Seconds", "meanSpread", "p95Spread", "ended", "dropped",
            "bufferedBytes", "medianSeconds", "medianSpread")
SLOWEST, FASTEST = 1e4, 1e9  # bit/s
HEADER = 48  # bytes of a message before its payload
PORT = 4700
SETTLE = 12  # s, for the networks of all cases to be set up
SIOCOUTQ = 0x5411
TCP_CONGESTION = 13


# ---------------------------------------------------------------- cases


def read_cases(path):
    """Returns the cases of a file, each a dict of numbers and words."""
    try:
        with open(path, newline="", encoding="utf-8") as file:
            lines = [(number, line) for number, line in enumerate(file, 1)
                     if line.strip() and not line.startswith("#")]
    except UnicodeDecodeError as error:
        raise InputError("%s: cannot be read: %s" % (path, error)) from error
    rows = list(csv.reader(line for _, line in lines))
    missing = [name for name in CASE if not rows or name not in rows[0]]
    if missing:
        raise InputError("%s: found no column %s, expected %s" % (path, missing[0], ",".join(CASE)))
    return [read_case(path, number, dict(zip(rows[0], row)))
            for (number, _), row in zip(lines[1:], rows[1:])]


def read_rate(folder, text):
    """Returns [(seconds, bit/s)], the first at 0 s, and the period of repetition, s.

    Raises ValueError and OSError."""
    if text.endswith(".csv"):
        with open(os.path.join(folder, text), encoding="utf-8") as file:
            rows = [line.split(",") for line in file if line[:1].isdigit()]
        steps = [(float(row[0]), float(row[1])) for row in rows]
        period = 2 * steps[-1][0] - steps[-2][0] if len(steps) > 1 else math.inf
    else:
        steps, period = [], math.inf
        for step in text.split(";"):
            time_of, colon, rate = step.rpartition(":")
            if colon and not time_of.endswith("s"):
                raise ValueError
            steps.append((float(time_of[:-1]) if colon else 0.0, float(rate)))
    times = [step[0] for step in steps]
    if not steps or times[0] != 0 or times != sorted(set(times)) or not all(
            0 <= rate <= FASTEST for _, rate in steps):
        raise ValueError
    return [(when, max(SLOWEST, rate)) for when, rate in steps], period


def rate(text, folder):
    """Checks that read_rate can read a rate, and returns its text."""
    try:
        read_rate(folder, text)
    except (ValueError, IndexError, OSError):
        raise ValueError("bit/s up to %g, by time or as recorded" % FASTEST) from None
    return text


# Readers of the columns of a case; their ValueError says what was expected.
COUNT, SECONDS = whole(0, 10 ** 9), figure(0, 1e9)
CASE = {"shaper": choice("sender", "router"), "up": rate, "down": rate,
        "queuePackets": whole(2, 10 ** 9), "sendBufferBytes": COUNT,
        "pattern": choice("camera", "actor"), "periodSeconds": figure(1e-3, 1e9),
        "requests": whole(1, 10 ** 9), "requestBytes": COUNT, "replyBytes": COUNT,
        "deviceSeconds": SECONDS, "serverSeconds": SECONDS, "bulkBytes": COUNT, "bulkEvery": COUNT,
        "delaySeconds": SECONDS}


def read_case(path, line, fields):
    case = {"folder": os.path.dirname(os.path.abspath(path))}
    for name, read in CASE.items():
        text = fields.get(name, "")
        try:
            case[name] = read(text, case["folder"]) if read is rate else read(text)
        except ValueError as error:
            raise InputError("%s: line %d: %s: found %r, expected %s" % (
                path, line, name, text, error)) from None
    return case


# ---------------------------------------------------------------- the network


class Network:
    """Two namespaces, and a router between them if that has the buckets."""

    def __init__(self, case):
        self.case = case
        self.stack = contextlib.ExitStack()

    def __enter__(self):
        with self.stack:
            self.join()
            self.stack = self.stack.pop_all()
        return self

    def join(self):
        case = self.case
        hops = [self.stack.enter_context(apart(*HOLD)) for _ in range(2 + (case["shaper"] == "router"))]
        self.device, *_, self.server = hops
        for i, (left, right) in enumerate(zip(hops, hops[1:])):
            if case["delaySeconds"] and right == self.server:
                taps = make_tap(left, "right"), make_tap(right, "left")
                for tap in taps:
                    self.stack.callback(os.close, tap)
                relay = multiprocessing.Process(target=delay_packets, daemon=True, args=(os.getpid(), taps, case["delaySeconds"]))
                relay.start()
                self.stack.callback(relay.join)
                self.stack.callback(relay.kill)
            else:
                plug(left, "right", right, "left")
            for hop, end, host in ((left, "right", 1), (right, "left", 2)):
                with inside(hop):
                    call("ip", "addr", "add", "10.0.%d.%d/24" % (i, host), "dev", end)
                    set_up(end)
        for router in hops[1:-1]:
            with inside(router), open("/proc/sys/net/ipv4/ip_forward", "w", encoding="ascii") as file:
                file.write("1")
            for hop, gateway in ((self.device, "10.0.0.2"), (self.server, "10.0.1.1")):
                with inside(hop):
                    call("ip", "route", "add", "default", "via", gateway)
        self.addresses = "10.0.0.1", "10.0.%d.2" % (len(hops) - 2)
        self.buckets = [(hops[-2], "right", *read_rate(case["folder"], case["up"])),
                        (hops[1], "left", *read_rate(case["folder"], case["down"]))]
        for hop, end, steps, _ in self.buckets:
            self.set_rate("add", hop, end, steps[0][1])

    def set_rate(self, verb, hop, end, rate):
        with inside(hop):
            shape(verb, end, rate * (PACKET + ETHERNET) / PACKET, self.case["queuePackets"])

    def follow_steps(self, begin, ended):
        """Changes the rates when due, until the run has ended."""
        def list_changes(hop, end, steps, period):
            for round_of in itertools.count() if period < math.inf else (0,):
                for when, rate in steps:
                    yield (when + round_of * period if round_of else when, hop, end, rate)

        changes = [list_changes(*bucket) for bucket in self.buckets]
        for when, hop, end, rate in heapq.merge(*changes, key=operator.itemgetter(0)):
            if ended.wait(max(0, begin + when - time.monotonic())):
                return
            self.set_rate("change", hop, end, rate)

    def __exit__(self, *_):
        self.stack.close()

    def socket_in(self, hop):
        """A TCP socket in a namespace, for use from any thread."""
        with inside(hop):
            made = socket.socket()
        made.setsockopt(socket.IPPROTO_TCP, TCP_CONGESTION, b"cubic")
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self.case["sendBufferBytes"]:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, self.case["sendBufferBytes"])
        return made

    def connect(self, source, target, address):
        """Returns both ends of a connection."""
        listener = self.socket_in(target)
        listener.bind((address, PORT))
        listener.listen(1)
        near = self.socket_in(source)
        near.connect((address, PORT))
        far, _ = listener.accept()
        listener.close()
        return near, far


# ---------------------------------------------------------------- requests


def write(near, number, payload):
    near.sendall(struct.pack("!q", number) + bytes(HEADER - 8 + payload))


def receive(far, count):
    data = bytearray()
    while len(data) < count:
        part = far.recv(min(count - len(data), 1 << 16))
        if not part:
            raise ConnectionError
        data += part
    return data


def read(far, payloads):
    """Returns the number of the next message; payloads: sizes of requests (number from 0) and bulk data."""
    number, = struct.unpack("!q", receive(far, HEADER)[:8])
    receive(far, payloads[number < 0])
    return number


class Run:
    """A running case: a writer, a server and a reader, all timed by one clock."""

    def __init__(self, case, network):
        self.case = case
        device, server = network.addresses
        self.up = network.connect(network.device, network.server, server)
        self.down = network.connect(network.server, network.device, device)
        self.writes = queue.Queue()
        self.lock = threading.Lock()
        self.unwritten = 0
        self.due, self.ended, self.buffered = {}, {}, []
        self.answered = threading.Event()

    def in_background(self, work):
        def until_closed():
            try:
                while True:
                    work()
            except OSError:
                pass
        threading.Thread(target=until_closed, daemon=True).start()

    def write_next(self):
        number, payload = self.writes.get()
        write(self.up[0], number, payload)
        held, = struct.unpack("i", fcntl.ioctl(self.up[0], SIOCOUTQ, bytes(4)))
        self.buffered.append(held)
        with self.lock:
            self.unwritten -= 1

    def serve_next(self):
        number = read(self.up[1], (self.case["requestBytes"], self.case["bulkBytes"]))
        if number >= 0:
            time.sleep(self.case["serverSeconds"])
            write(self.down[0], number, self.case["replyBytes"])

    def read_next(self):
        number = read(self.down[1], (self.case["replyBytes"],) * 2)
        self.ended[number] = time.monotonic()
        self.answered.set()

    def hand(self, number, payload):
        with self.lock:
            self.unwritten += 1
        self.writes.put((number, payload))

    def take_pictures(self, begin):
        case, dropped = self.case, 0
        for i in range(case["requests"]):
            due = begin + i * case["periodSeconds"]
            time.sleep(max(0, due - time.monotonic()))
            if self.unwritten > 1:
                dropped += 1
                continue
            self.due[i] = due
            time.sleep(case["deviceSeconds"])
            self.hand(i, case["requestBytes"])
        return dropped

    def act(self):
        case = self.case
        for i in range(case["requests"]):
            time.sleep(case["periodSeconds"])
            self.answered.clear()
            self.due[i] = time.monotonic()
            time.sleep(case["deviceSeconds"])
            self.hand(i, case["requestBytes"])
            self.answered.wait()
            if case["bulkBytes"] and (i + 1) % case["bulkEvery"] == 0:
                self.hand(-1, case["bulkBytes"])
        return 0

    def measure(self, follow_steps):
        """Returns the measurements in MEASURED, without spreads."""
        for work in (self.write_next, self.serve_next, self.read_next):
            self.in_background(work)
        begin, over = time.monotonic(), threading.Event()
        steps = threading.Thread(target=follow_steps, args=(begin, over))
        steps.start()
        dropped = self.take_pictures(begin) if self.case["pattern"] == "camera" else self.act()
        while len(self.ended) < len(self.due):
            self.answered.wait()
            self.answered.clear()
        over.set()
        steps.join()
        for end in self.up + self.down:
            end.shutdown(socket.SHUT_RDWR)
        taken = [self.ended[i] - self.due[i] for i in self.due]
        median = statistics.median(taken[1:] or taken)
        held = self.buffered[len(self.buffered) // 2:]
        p95 = statistics.quantiles(taken * 2 if len(taken) == 1 else taken, n=20, method="inclusive")
        return {"meanSeconds": statistics.fmean(taken), "p95Seconds": p95[-1],
                "medianSeconds": median, "ended": len(taken), "dropped": dropped,
                "bufferedBytes": sum(held) / len(held)}


def summarize(runs):
    """Returns the measurements in MEASURED over the runs of a case."""
    found = {}
    for name in STATISTICS:
        values = [run[name + "Seconds"] for run in runs]
        found[name + "Seconds"] = "%.4f" % (sum(values) / len(values))
        found[name + "Spread"] = "%.4f" % (max(values) - min(values))
    for name in ("ended", "dropped", "bufferedBytes"):
        found[name] = round(sum(run[name] for run in runs) / len(runs))
    return found


def depend_and_stop(parent):
    """In a process of the pool: ends with its parent, and by Ctrl-C."""
    depend(parent)
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def run_case(case):
    with Network(case) as network:
        time.sleep(SETTLE)
        return Run(case, network).measure(network.follow_steps)


# ---------------------------------------------------------------- main


def record(arguments):
    cases = read_cases(arguments.cases)
    check_rights()
    busy = BusyMachine(arguments.busy_machine)
    busy.check_load(1)
    with concurrent.futures.ProcessPoolExecutor(arguments.at_once, initializer=depend_and_stop,
                                                initargs=(os.getpid(),)) as pool:
        measured = list(pool.map(run_case, cases * arguments.runs))
    with open(arguments.out, "w", newline="", encoding="utf-8") as file:
        file.write("# Linux %s, CUBIC, recorded %s, mean of %d runs\n# tool: traces/capture/"
                   "record_kernel_latency.py, which says what the columns are\n"
                   % (platform.release(), datetime.date.today().isoformat(), arguments.runs)
                   + f"# {busy}\n" * bool(busy.found))
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*CASE, *MEASURED])
        for i, case in enumerate(cases):
            found = summarize(measured[i::len(cases)])
            writer.writerow(["%g" % case[name] if isinstance(case[name], float) else case[name]
                             for name in CASE] + [found[name] for name in MEASURED])


def main():
    parser = Parser(__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", help="CSV of cases; earlier measurements in it are ignored")
    parser.add_argument("--out", required=True, help="CSV to write")
    parser.add_argument("--runs", type=number(1, 100, int), metavar="1 to 100", default=1,
                        help="runs of each case (default: %(default)s)")
    parser.add_argument("--at-once", type=number(1, 100, int), metavar="1 to 100", default=90,
                        help="cases to run at once; those with a delay use the CPU (default: %(default)s)")
    BusyMachine.add_option(parser.add_argument)
    record(parser.parse_args())


if __name__ == "__main__":
    start(main)
