# SPDX-License-Identifier: GPL-2.0-only
"""Network namespaces of the running kernel, joined by veth pairs, delays and token buckets.

Namespaces have no names, so that the kernel removes them with their processes, however these end."""

import collections
import contextlib
import ctypes
import fcntl
import functools
import os
import random
import select
import shutil
import signal
import struct
import subprocess
import sys
import time

from edgepipe.pictures import InputError

PACKET, ETHERNET = 1500, 14
IPV4 = b"\x08\x00"  # in an Ethernet header
QUEUE_PACKETS = 1000  # before a wire of delay_packets
BURST = 1600  # least size of a bucket, bytes: a packet
BURST_SECONDS = 3e-4  # least size of a bucket, time at its rate: timers of fast buckets are late
# Real-time priorities, so that other programs do not disturb the measurement.
FIRST, RELAY = 1, 2
CLONE_NEWNET = 0x40000000
PR_SET_PDEATHSIG = 1
HOLD = "-c", "import sys; sys.stdin.read()"  # a program that only keeps its namespace
TUNSETIFF = 0x400454CA
TAP = 0x1002  # IFF_TAP | IFF_NO_PI
LIBC = ctypes.CDLL(None, use_errno=True)


def check_rights():
    """Refuses users and machines that cannot make namespaces; gives this process a real-time priority."""
    if os.geteuid() != 0:
        raise InputError("found user %d, expected root, who may make network namespaces"
                         % os.geteuid())
    for tool in ("ip", "tc", "ethtool"):
        if not shutil.which(tool):
            raise InputError("found no %s, expected it to be installed" % tool)
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(FIRST))
    except PermissionError:
        raise InputError("found no right to real-time priorities, expected CAP_SYS_NICE") from None


def call(*words):
    """Runs a program; returns what it printed."""
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise InputError("%s: %s" % (" ".join(words), done.stderr.strip() or done.returncode))
    return done.stdout


def depend(parent):
    """In a new process: ends with its parent, the process of this number, not by itself when Ctrl-C reaches both."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if os.getppid() != parent:  # it has ended already
        os._exit(1)


def leave(parent):
    """In a new process: a network of its own, which ends with it, as it does with its parent."""
    depend(parent)
    if LIBC.unshare(CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), "unshare")


@contextlib.contextmanager
def launch(*words, **more):
    """A program with pipes to and from it, which ends with this block."""
    made = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **more)
    try:
        yield made
    finally:
        made.kill()
        made.wait()
        made.stdin.close()
        made.stdout.close()


@contextlib.contextmanager
def apart(*words):
    """A Python process in a network namespace of its own."""
    with contextlib.ExitStack() as stack:
        try:
            made = stack.enter_context(launch(sys.executable, *words, preexec_fn=functools.partial(leave, os.getpid())))
        except subprocess.SubprocessError:
            raise InputError("found no right to make network namespaces, expected CAP_SYS_ADMIN") from None
        yield made


@contextlib.contextmanager
def inside(other):
    """Moves this thread into the network namespace of a process."""
    home = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    there = os.open("/proc/%d/ns/net" % other.pid, os.O_RDONLY)
    try:
        if LIBC.setns(there, CLONE_NEWNET):
            raise InputError("namespace of %d: cannot be entered: %s" % (
                other.pid, os.strerror(ctypes.get_errno())))
        yield
    finally:
        LIBC.setns(home, CLONE_NEWNET)
        os.close(there)
        os.close(home)


def plug(one, name, other, other_name):
    """Joins the namespaces of two processes by a veth pair."""
    call("ip", "link", "add", name, "netns", str(one.pid), "type", "veth", "peer", "name", other_name, "netns",
         str(other.pid))


def make_tap(other, name):
    """Returns the descriptor of a TAP interface of a process's namespace: packets that it sends are read, packets to
    receive written."""
    with inside(other):
        try:
            tap = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
            fcntl.ioctl(tap, TUNSETIFF, struct.pack("16sH22x", name.encode(), TAP))
        except OSError as error:
            raise InputError("/dev/net/tun: %s, expected a kernel with TAP interfaces and CAP_NET_ADMIN"
                             % error.strerror) from None
    return tap


def set_up(interface):
    """Brings an interface of this namespace up, without segmentation offload."""
    call("ethtool", "-K", interface, "gso", "off", "tso", "off", "gro", "off")
    call("ip", "link", "set", interface, "up")


def shape(verb, interface, rate, queue_packets, *more):
    """Adds or changes the bucket of an interface of this namespace.

    rate: bit/s of what the bucket counts, with Ethernet's 14 bytes per packet; more: words for tc."""
    call("tc", "qdisc", verb, "dev", interface, "root", "tbf", "rate", "%dbit" % rate, "burst",
         str(max(BURST, round(rate / 8 * BURST_SECONDS))),
         "limit", str(queue_packets * (PACKET + ETHERNET)), *more)


def delay_packets(parent, taps, seconds, byte_seconds=(0, 0), loss=0, seed=0, rate=None):
    """In a new process, forwards packets between two TAP interfaces after a delay; never returns.

    byte_seconds: further delay for each byte from the first and from the second: a wire hands a packet over when its
    last byte has crossed, a token bucket when its first may go; loss: share of IP packets that is dropped each way, by
    draws that the seed fixes; rate: of a wire each way, bit/s of IP packets, before which QUEUE_PACKETS wait."""
    depend(parent)
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(RELAY))
    draws = random.Random(seed)
    under_way = {tap: collections.deque() for tap in taps}
    free = dict.fromkeys(taps, 0.0)  # when a wire has sent what it has
    while True:
        first = min((queue[0][0] for queue in under_way.values() if queue), default=None)
        ready, _, _ = select.select(taps, (), (), None if first is None else max(0, first - time.monotonic()))
        for tap in ready:
            with contextlib.suppress(BlockingIOError):
                while True:
                    packet = os.read(tap, 2048)
                    due = time.monotonic()
                    if loss and packet[12:14] == IPV4 and draws.random() < loss:
                        continue
                    if rate:
                        begin = max(due, free[tap])
                        if (begin - due) * rate / 8 > QUEUE_PACKETS * PACKET:
                            continue
                        free[tap] = due = begin + (len(packet) - ETHERNET) * 8 / rate
                    late = seconds + len(packet) * byte_seconds[tap != taps[0]]
                    under_way[tap].append((due + late, packet))
        for tap, queue in under_way.items():
            while queue and queue[0][0] <= time.monotonic():
                with contextlib.suppress(OSError):  # the interface is not up yet, or down already
                    os.write(taps[tap == taps[0]], queue.popleft()[1])
