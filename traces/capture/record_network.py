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
import socket
import struct
import sys
import time

ORDER = struct.Struct("!4scdd")  # EPRN, u (up) or d (down), seconds, interval
MAGIC = b"EPRN"
CHUNK = 1 << 16
IP_PER_PAYLOAD = 1500 / 1448  # bytes of a full packet, with time stamps
WAIT = 30  # s, for the other host
LONGEST = 86400  # s


class Refusal(Exception):
    pass


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise Refusal(message)


def number(low, high):
    def read(text):
        value = float(text)
        if not low <= value <= high:
            raise ValueError
        return value
    read.__name__ = f"number from {low:g} to {high:g}"
    return read


def send(end, seconds):
    """Sends until the time is over; the receiver then has everything."""
    over, data = time.monotonic() + seconds, bytes(CHUNK)
    while time.monotonic() < over:
        end.sendall(data)
    end.shutdown(socket.SHUT_WR)


def receive(end, seconds, interval):
    """IP bit/s of each interval from the first byte on; what is later than the time is left out."""
    counts, begin = [0] * round(seconds / interval), None
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
            raise Refusal("the other host closed the connection, expected record_network.py there")
        data += part
    return data


def serve(port):
    """Serves one recording after another; never returns."""
    with socket.create_server(("", port), family=socket.AF_INET6, dualstack_ipv6=True) as listener:
        while True:
            end, (who, *_) = listener.accept()
            end.settimeout(WAIT)
            with end:
                try:
                    magic, direction, seconds, interval = ORDER.unpack(read_exactly(end, ORDER.size))
                    if magic != MAGIC or not 0 < interval <= seconds <= LONGEST:
                        continue
                    print(f"{who}: {'from' if direction == b'u' else 'to'} there, {seconds:g} s", flush=True)
                    if direction == b"u":
                        end.sendall(json.dumps(receive(end, seconds, interval)).encode())
                    else:
                        send(end, seconds)
                except (OSError, Refusal) as error:
                    print(f"{who}: {error}", flush=True)


def record(host, port, direction, seconds, interval):
    try:
        end = socket.create_connection((host, port), WAIT)
    except OSError as error:
        raise Refusal(f"{host} {port}: {error.strerror or error}, expected record_network.py --listen {port} there") from None
    with end:
        end.settimeout(seconds + WAIT)
        end.sendall(ORDER.pack(MAGIC, direction, seconds, interval))
        if direction == b"d":
            return receive(end, seconds, interval)
        send(end, seconds)
        answer = b"".join(iter(lambda: end.recv(CHUNK), b""))
        return json.loads(answer)


def write(name, rates, options):
    with open(name, "w", encoding="utf-8") as file:
        file.write("# IP bit/s that reached the receiver of a TCP connection which always had data to send.\n"
                   f"# Made by: record_network.py HOST {options.port} --seconds {options.seconds:g} "
                   f"--interval {options.interval:g}, {time.strftime('%Y-%m-%d')}\nseconds,bitsPerSecond\n")
        for place, rate in enumerate(rates):
            file.write(f"{place * options.interval:g},{rate:.0f}\n")
    print(f"{name}: {sum(rates) / len(rates) / 1e6:.4g} Mbit/s, {min(rates) / 1e6:.4g} to {max(rates) / 1e6:.4g}")


def main():
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("host", nargs="?", help="the other host")
    parser.add_argument("port", nargs="?", type=int, default=4800, help="its port (default: %(default)s)")
    parser.add_argument("--listen", type=int, metavar="PORT", help="wait for the other host")
    parser.add_argument("--seconds", type=number(0.1, LONGEST), default=60, help="s each way (default: %(default)s)")
    parser.add_argument("--interval", type=number(0.01, 3600), default=1, help="s per line (default: %(default)s)")
    parser.add_argument("--out", default="network", help="start of the files' names (default: %(default)s)")
    options = parser.parse_args()
    if bool(options.host) == bool(options.listen):
        raise Refusal("expected a host, or --listen PORT")
    if options.interval > options.seconds:
        raise Refusal(f"--interval: found {options.interval:g}, expected at most the {options.seconds:g} of --seconds")
    if options.listen:
        serve(options.listen)
    for direction, name in ((b"u", "up"), (b"d", "down")):
        write(f"{options.out}.{name}.csv", record(options.host, options.port, direction, options.seconds,
                                                  options.interval), options)


if __name__ == "__main__":
    try:
        main()
    except (Refusal, OSError) as error:
        sys.exit(f"record_network.py: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
