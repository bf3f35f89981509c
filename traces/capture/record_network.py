#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Record the bandwidth between two hosts, both ways, by TCP connections that always have data to send.

  there   record_network.py --listen 4800
  here    record_network.py HOST 4800 --seconds 60 --out home

writes home.up.csv (from here to there) and home.down.csv, one after the other, for --link=trace --trace=home.up.csv:
lines seconds,bitsPerSecond of IP packets, counted where they arrive. Needs Python alone, and no rights.
"""

import argparse
import json
import os
import socket
import struct
import sys
import time

ORDER = struct.Struct("!4scdd")  # EPRN, u (up) or d (down), seconds, interval; answered by EPRN when it is its turn
MAGIC = b"EPRN"
CHUNK = 1 << 16
IP_PER_PAYLOAD = 1500 / 1448  # bytes of a full packet, with time stamps
WAIT = 30  # s, for the other host
LONGEST = 86400  # s
INTERVALS = 0.01, 3600  # s


class Refusal(Exception):
    pass


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise Refusal(message)


def number(low, high, kind=float):
    def read(text):
        value = kind(text)
        if not low <= value <= high:
            raise ValueError
        return value
    read.__name__ = f"number from {low} to {high}"
    return read


def send(end, seconds):
    """Sends until the time is over; the receiver then has everything."""
    over, data = time.monotonic() + seconds, bytes(CHUNK)
    while time.monotonic() < over:
        end.sendall(data)
    end.shutdown(socket.SHUT_WR)


def receive(end, seconds, interval):
    """IP bit/s of each interval from the first byte on; what is later than the time is left out."""
    counts, begin = [0] * int(seconds / interval + 1e-9), None
    while part := end.recv(CHUNK):
        begin = begin or time.monotonic()
        slot = int((time.monotonic() - begin) / interval)
        if slot < len(counts):
            counts[slot] += len(part)
    return [8 * count * IP_PER_PAYLOAD / interval for count in counts]


def read_exactly(end, count):
    data = b""
    while len(data) < count:
        part = end.recv(count - len(data))
        if not part:
            raise Refusal("the other host closed the connection")
        data += part
    return data


def serve(port):
    """Serves one recording after another; never returns."""
    both = socket.has_dualstack_ipv6()
    with socket.create_server(("", port), family=socket.AF_INET6 if both else socket.AF_INET,
                              dualstack_ipv6=both) as listener:
        while True:
            end, (who, *_) = listener.accept()
            end.settimeout(WAIT)
            with end:
                try:
                    magic, direction, seconds, interval = ORDER.unpack(read_exactly(end, ORDER.size))
                    if magic != MAGIC or not INTERVALS[0] <= interval <= min(seconds, INTERVALS[1]) or seconds > LONGEST:
                        raise Refusal("found something else, expected record_network.py there")
                    end.sendall(MAGIC)
                    print(f"{who}: {'from' if direction == b'u' else 'to'} there, {seconds:g} s", flush=True)
                    if direction == b"u":
                        end.sendall(json.dumps(receive(end, seconds, interval)).encode())
                    else:
                        send(end, seconds)
                except (OSError, Refusal) as error:
                    print(f"{who}: {error}", flush=True)


def record(host, port, direction, seconds, interval):
    try:
        with socket.create_connection((host, port), WAIT) as end:
            end.settimeout(seconds + WAIT)
            end.sendall(ORDER.pack(MAGIC, direction, seconds, interval))
            if read_exactly(end, len(MAGIC)) != MAGIC:
                raise Refusal("found something else")
            if direction == b"d":
                return receive(end, seconds, interval)
            send(end, seconds)
            return json.loads(b"".join(iter(lambda: end.recv(CHUNK), b"")))
    except (OSError, ValueError, Refusal) as error:
        raise Refusal(f"{host} {port}: {getattr(error, 'strerror', None) or error}, "
                      f"expected record_network.py --listen {port} there") from None


def write(name, direction, rates, options):
    with open(name, "w", encoding="utf-8") as file:
        file.write("# IP bit/s that reached the receiver of a TCP connection which always had data to send.\n"
                   f"# Made by: record_network.py HOST {options.port} --seconds {options.seconds:g} "
                   f"--interval {options.interval:g}, {time.strftime('%Y-%m-%d')}\n"
                   f"# direction: {direction}\n# saturated: {direction}\nseconds,bitsPerSecond\n")
        for place, rate in enumerate(rates):
            file.write(f"{place * options.interval:g},{rate:.0f}\n")
    print(f"{name}: {sum(rates) / len(rates) / 1e6:.4g} Mbit/s, {min(rates) / 1e6:.4g} to {max(rates) / 1e6:.4g}")


def main():
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("host", nargs="?", help="the other host")
    parser.add_argument("port", nargs="?", type=number(1, 65535, int), default=4800, help="its port (default: %(default)s)")
    parser.add_argument("--listen", type=number(1, 65535, int), metavar="PORT", help="wait for the other host")
    parser.add_argument("--seconds", type=number(0.1, LONGEST), default=60, help="s each way (default: %(default)s)")
    parser.add_argument("--interval", type=number(*INTERVALS), default=1, help="s per line (default: %(default)s)")
    parser.add_argument("--out", default="network", help="start of the files' names (default: %(default)s)")
    options = parser.parse_args()
    if bool(options.host) == bool(options.listen):
        raise Refusal("expected a host, or --listen PORT")
    if options.interval > options.seconds:
        raise Refusal(f"--interval: found {options.interval:g}, expected at most the {options.seconds:g} of --seconds")
    if options.listen:
        serve(options.listen)
    if not os.access(os.path.dirname(options.out) or ".", os.W_OK):
        raise Refusal(f"--out: found {options.out}, expected a name in a folder that can be written to")
    recorded = [record(options.host, options.port, direction, options.seconds, options.interval)
                for direction in (b"u", b"d")]
    for name, rates in zip(("up", "down"), recorded):
        write(f"{options.out}.{name}.csv", name, rates, options)


if __name__ == "__main__":
    try:
        main()
    except (Refusal, OSError) as error:
        sys.exit(f"record_network.py: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
