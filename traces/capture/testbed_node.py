# SPDX-License-Identifier: GPL-2.0-only
"""One device of a testbed: executes its part of a workload with other nodes over TCP.

Started by run_testbed.py. It reads one JSON order per line from standard input and writes JSON lines; it ends when
standard input does.

Messages are those of the simulation: a header of 48 bytes and a payload, on one connection for each ordered
pair of nodes, CUBIC without Nagle's algorithm. A paced task waits until its time is over; a real one executes its layers by
PyTorch on one core.
"""

import contextlib
import json
import os
import queue
import socket
import struct
import sys
import threading
import time

# Kind, sender, iteration, micro-batch, payload bytes, when it was sent: 48 bytes in all.
HEADER = struct.Struct("!BxHIIQd20x")
NOTICE = 16  # payload of a message without tensors, bytes
KINDS = "assignment", "hello", "ready", "start", "activations", "gradients", "done", "tensor", "result"
ASSIGNMENT, HELLO, READY, START, ACTIVATIONS, GRADIENTS, DONE, TENSOR, RESULT = range(len(KINDS))
TCP_CONGESTION = 13
WARM_UP = 3  # untimed passes
TIMERS = 2e-4  # s, by which sleep may last too long
CHUNK = 1 << 18
ZEROS = memoryview(bytes(CHUNK))


class Clock:
    zero = 0.0  # when the run began, by this machine


def now():
    """Time since the run began, s."""
    return time.monotonic() - Clock.zero


def read_idle():
    """Seconds in which the machine's cores had nothing to do, and all seconds, since it was started."""
    with open("/proc/stat", encoding="ascii") as file:
        times = [int(word) for word in file.readline().split()[1:9]]
    return times[3] + times[4], sum(times)


class Mail:
    """Messages from and to the other nodes."""

    def __init__(self, index, addresses, send_buffer):
        self.index, self.addresses, self.send_buffer = index, addresses, send_buffer
        self.writers = {}
        self.here = {}  # senders of messages that nobody has taken, by (kind, iteration, micro-batch)
        self.tensors = queue.Queue()  # (sender, frame)
        self.arrived = []  # kind, sender, iteration, micro-batch, payload bytes, sent, arrived
        self.changed = threading.Condition()
        self.failure = None
        self.listener = socket.create_server(("", addresses[index][1]), backlog=len(addresses))
        self.in_background(self.accept)

    def in_background(self, work, *arguments):
        def run():
            be_prompt(True)
            try:
                work(*arguments)
            except (OSError, EOFError) as error:
                with self.changed:
                    self.failure = self.failure or error
                    self.changed.notify_all()
        threading.Thread(target=run, daemon=True).start()

    def accept(self):
        while True:
            near, _ = self.listener.accept()
            self.in_background(self.read, near)

    def read(self, near):
        header, payload = bytearray(HEADER.size), memoryview(bytearray(CHUNK))
        while fill(near, header):
            message = HEADER.unpack(header)
            kind, sender, iteration, micro_batch, size, _ = message
            while size > 0:
                count = near.recv_into(payload[:min(size, CHUNK)])
                if count == 0:
                    raise EOFError("node %d closed its connection" % sender)
                size -= count
            with self.changed:
                self.arrived.append((*message, now()))
                if kind == TENSOR:
                    self.tensors.put((sender, iteration))
                else:
                    self.here.setdefault((kind, iteration, micro_batch), []).append(sender)
                self.changed.notify_all()

    def write(self, to, writes):
        near = socket.socket()
        near.setsockopt(socket.IPPROTO_TCP, TCP_CONGESTION, b"cubic")
        near.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self.send_buffer:
            near.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, self.send_buffer)
        near.connect(tuple(self.addresses[to]))
        while True:
            kind, iteration, micro_batch, size, sent = writes.get()
            header = HEADER.pack(kind, self.index, iteration, micro_batch, size, sent)
            first = min(size, CHUNK - HEADER.size)
            near.sendall(header + ZEROS[:first])
            for at in range(first, size, CHUNK):
                near.sendall(ZEROS[:min(CHUNK, size - at)])

    def send(self, to, kind, iteration=0, micro_batch=0, size=NOTICE):
        if to not in self.writers:
            self.writers[to] = queue.Queue()
            self.in_background(self.write, to, self.writers[to])
        self.writers[to].put((kind, iteration, micro_batch, size, now()))

    def take(self, kind, iteration=0, micro_batch=0, count=1):
        """Waits for messages of `count` nodes."""
        key = kind, iteration, micro_batch
        with self.changed:
            self.changed.wait_for(lambda: self.failure or len(self.here.get(key, ())) >= count)
            if self.failure:
                raise self.failure
            self.here.pop(key, None)


def be_prompt(is_prompt):
    """Whether the calling thread runs before those that are not."""
    with contextlib.suppress(OSError, AttributeError):  # without the right, timers may be later
        os.sched_setscheduler(0, *((os.SCHED_FIFO, os.sched_param(1)) if is_prompt
                                   else (os.SCHED_OTHER, os.sched_param(0))))


def fill(near, buffer):
    """Reads a whole buffer; returns whether there was anything to read."""
    done = 0
    while done < len(buffer):
        count = near.recv_into(memoryview(buffer)[done:])
        if count == 0:
            if done:
                raise EOFError("a connection ended within a message")
            return False
        done += count
    return True


class Device:
    """Runs one task at a time, and remembers when."""

    passes = ()

    def __init__(self):
        self.tasks = []  # name, iteration, micro-batch, seconds, begin, end

    def begin(self):
        """An iteration begins."""

    def run(self, name, iteration, micro_batch, seconds):
        begin = now()
        self.compute(name, (iteration, micro_batch), begin, seconds)
        end = now()
        self.tasks.append((name, iteration, micro_batch, self.owed(seconds, end - begin), begin, end))

    @staticmethod
    def owed(seconds, _):
        return seconds

    @staticmethod
    def compute(_, __, begin, seconds):
        time.sleep(max(0, seconds - TIMERS))
        while now() < begin + seconds:
            pass


class RealDevice(Device):
    """Executes layers, and remembers the seconds of each."""

    def __init__(self, model, batch, layers, trains, core):
        """core: number among those that this process may use."""
        super().__init__()
        os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[core]})
        from torch_stage import TorchStage
        self.stage, self.layers, self.forwards, self.passes = TorchStage(model, batch, layers, trains), layers, {}, []
        for _ in range(WARM_UP):
            self.stage.forward(None)
            self.stage.backward(None)

    def begin(self):
        self.stage.begin()

    def compute(self, name, key, *_):
        if name != "backward":
            self.forwards[key] = self.stage.forward(key)
        if name != "forward":
            self.passes.append((*key, self.forwards.pop(key), self.stage.backward(key)))

    @staticmethod
    def owed(_, seconds):
        return seconds


def list_steps(schedule, stage, stages, micro_batches):
    """(whether backward, micro-batch), in order."""
    warm_up = micro_batches if schedule == "gpipe" else min(stages - stage - 1, micro_batches)
    steps = []
    for m in range(micro_batches + warm_up):
        if m < micro_batches:
            steps.append((False, m))
        if m >= warm_up:
            steps.append((True, m - warm_up))
    return steps


def greet(mail, to, count):
    """Opens the connections that a node needs, and waits for those to it."""
    for one in to:
        mail.send(one, HELLO)
    mail.take(HELLO, count=count)


def run_stage(mail, device, order):
    """A stage of a pipeline: the steps of its schedule, as soon as their inputs are here."""
    previous, following = order["previous"], order["next"]
    neighbours = [one for one in (previous, following) if one is not None]
    mail.take(ASSIGNMENT)
    greet(mail, neighbours, len(neighbours))
    mail.send(order["coordinator"], READY)
    steps = list_steps(order["schedule"], order["stage"], order["stages"], order["microBatches"])
    for iteration in range(order["iterations"]):
        mail.take(START, iteration)
        device.begin()
        for is_backward, m in steps:
            source, to = (following, previous) if is_backward else (previous, following)
            kind = GRADIENTS if is_backward else ACTIVATIONS
            if source is not None:
                mail.take(kind, iteration, m)
            device.run("backward" if is_backward else "forward", iteration, m,
                       order["backwardSeconds" if is_backward else "forwardSeconds"])
            if to is not None:
                mail.send(to, kind, iteration, m, order["inputBytes" if is_backward else "outputBytes"])
        mail.send(order["coordinator"], DONE, iteration)


def coordinate(mail, _, order):
    """Begins the iterations of a pipeline and waits for every stage."""
    for node in order["nodes"]:
        mail.send(node, ASSIGNMENT)
    mail.take(READY, count=len(order["nodes"]))
    for iteration in range(order["iterations"]):
        begin = now()
        for node in order["nodes"]:
            mail.send(node, START, iteration)
        mail.take(DONE, iteration, count=len(order["nodes"]))
        tell(iteration=iteration, begin=begin, end=now())


def train_share(mail, device, order):
    """A worker of data-parallel training: its share of the samples, then a ring all-reduce of the gradients."""
    workers, rank = order["workers"], order["rank"]
    greet(mail, [order["next"]], 1)
    steps = 2 * (workers - 1)
    size, rest = divmod(order["gradientBytes"], workers)
    for iteration in range(order["iterations"]):
        begin = now()
        device.begin()
        device.run("compute", iteration, 0, order["computeSeconds"])
        for step in range(steps):
            mail.send(order["next"], GRADIENTS, iteration, step, size + ((rank - step) % workers < rest))
            mail.take(GRADIENTS, iteration, step)
        if rank == 0:
            tell(iteration=iteration, begin=begin, end=now())


def run_device(mail, device, order):
    """The device of cooperative inference: its layers of each frame; the server does the rest."""
    greet(mail, [order["server"]], 1)
    begins, ends = [], {}
    for frame in range(order["iterations"]):
        if order["uplinkBytes"] and frame >= order["framesInFlight"]:
            mail.take(RESULT, frame - order["framesInFlight"])
        begins.append(now())
        device.run("device-part", frame, 0, order["deviceSeconds"])
        ends[frame] = now()
        if order["uplinkBytes"]:
            mail.send(order["server"], TENSOR, frame, size=order["uplinkBytes"])
    if order["uplinkBytes"]:
        mail.take(RESULT, order["iterations"] - 1)
        ends.update((frame, end) for kind, _, frame, _, _, _, end in mail.arrived if kind == RESULT)
    for frame, begin in enumerate(begins):
        tell(iteration=frame, begin=begin, end=ends[frame])


def serve(mail, device, order):
    """The server of cooperative inference: first come, first served."""
    clients = {client.pop("node"): client for client in order["clients"]}
    greet(mail, clients, len(clients))
    for _ in range(sum(order["iterations"] for client in clients.values() if client["uplinkBytes"])):
        sender, frame = mail.tensors.get()
        device.run("server-part", frame, 0, clients[sender]["serverSeconds"])
        mail.send(sender, RESULT, frame, size=clients[sender]["downlinkBytes"])


ROLES = {"stage": run_stage, "coordinator": coordinate, "worker": train_share, "device": run_device, "server": serve}


def tell(**what):
    os.write(1, json.dumps(what).encode() + b"\n")


def await_order():
    """Ends this process, whatever it does, with the one that gives orders."""
    if not sys.stdin.readline():
        os._exit(1)


def main():
    order = json.loads(sys.stdin.readline() or sys.exit())
    # Messages go before computing, as a network interface does.
    be_prompt(not order["real"])
    try:
        device = RealDevice(**order["real"]) if order["real"] else Device()
        mail = Mail(order["index"], order["addresses"], order["sendBufferBytes"])
        tell(listening=True)
        await_order()
        Clock.zero, idle = time.monotonic(), read_idle()
        *background, last = [(ROLES[role], mail, device, {**task, "iterations": order["iterations"]})
                             for role, task in order["tasks"].items()]
        for work in background:
            mail.in_background(*work)
        report = threading.Thread(target=await_order, daemon=True)
        report.start()
        last[0](*last[1:])
        report.join()
        idle = [after - before for before, after in zip(idle, read_idle())]
        tell(tasks=device.tasks, messages=mail.arrived, passes=device.passes, busyShare=1 - idle[0] / max(1, idle[1]))
    except (Exception, SystemExit) as error:
        tell(failure=str(error).partition("\n")[0] or type(error).__name__)
    sys.stdin.read()


if __name__ == "__main__":
    main()
