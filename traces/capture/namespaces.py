# SPDX-License-Identifier: GPL-2.0-only
"""Network namespaces of the running kernel, joined by veth pairs, delays and token buckets."""

import collections
import contextlib
import ctypes
import fcntl
import os
import select
import shutil
import struct
import subprocess
import time

from edgepipe.pictures import InputError

PACKET, ETHERNET = 1500, 14
BURST = 1600  # least size of a bucket, bytes: a packet
BURST_SECONDS = 3e-4  # least size of a bucket, time at its rate: timers of fast buckets are late
# Real-time priorities, so that other programs do not disturb the measurement.
FIRST, RELAY = 1, 2
CLONE_NEWNET = 0x40000000
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


@contextlib.contextmanager
def inside(namespace):
    """Moves this thread into a network namespace, the path of its file."""
    home = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    there = os.open(namespace, os.O_RDONLY)
    try:
        if LIBC.setns(there, CLONE_NEWNET):
            raise InputError("%s: cannot be entered: %s" % (
                namespace, os.strerror(ctypes.get_errno())))
        yield
    finally:
        LIBC.setns(home, CLONE_NEWNET)
        os.close(there)
        os.close(home)


def make_tap(namespace, name):
    """Returns the descriptor of a TAP interface: packets that it sends are read, packets to receive written."""
    try:
        with inside(namespace):
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


def delay_packets(taps, seconds, byte_seconds=(0, 0)):
    """Forwards packets between two TAP interfaces after a delay; never returns.

    byte_seconds: further delay for each byte from the first and from the second: a wire hands a packet over when its
    last byte has crossed, a token bucket when its first may go."""
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(RELAY))
    under_way = collections.deque()
    while True:
        rest = under_way[0][0] - time.monotonic() if under_way else None
        ready, _, _ = select.select(taps, (), (), None if rest is None else max(0, rest))
        for tap in ready:
            other = taps[tap == taps[0]]
            with contextlib.suppress(BlockingIOError):
                while True:
                    packet = os.read(tap, 2048)
                    late = seconds + len(packet) * byte_seconds[tap != taps[0]]
                    under_way.append((time.monotonic() + late, other, packet))
        while under_way and under_way[0][0] <= time.monotonic():
            _, other, packet = under_way.popleft()
            with contextlib.suppress(OSError):  # the interface is not up yet, or down already
                os.write(other, packet)
