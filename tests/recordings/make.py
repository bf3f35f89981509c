#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Write the recordings of this folder: made-up rates in the formats of Mahimahi, Pensieve and
G-NetTrack, with what real ones have that is awkward: outages, opportunities at time 0, several at
one millisecond, times that begin late and fall between seconds, seconds that are missing or there
twice, columns without a value, and one link of more than 50 Mbit/s.

make.py [FOLDER]: into the folder of this script unless told otherwise.
"""

import math
import os
import random
import sys

SECONDS = 80
COLUMNS = ("Timestamp,Longitude,Latitude,Speed,Operatorname,CellID,NetworkMode,RSRP,DL_bitrate,"
           "UL_bitrate,State")


def walk(seed, mean, outages=True):
    """Returns a rate for each second, bit/s: it drifts by a third, and may be out for a while."""
    chance = random.Random(seed)
    drift, rates = 0.0, []
    for second in range(SECONDS):
        drift = 0.8 * drift + 0.7 * (chance.random() - 0.5)
        is_out = outages and 30 <= second < 34
        rates.append(0.0 if is_out else mean * math.exp(drift))
    return rates


def mahimahi(seed, mean, at_once):
    """A line for each packet of 1500 bytes: the millisecond in which it may leave."""
    lines, bits = ["0"] * at_once, 0.0
    for second, rate in enumerate(walk(seed, mean)):
        for millisecond in range(1000):
            bits += rate / 1000
            while bits >= 12000:
                lines.append(str(1000 * second + millisecond + 1))
                bits -= 12000
    return "\n".join(lines) + "\n"


def pensieve(seed, mean, first, step):
    """Seconds and Mbit/s, at times that are about as far apart as told."""
    chance = random.Random(seed + 1000)
    time, lines = first, []
    rates = walk(seed, mean, False)
    while time < SECONDS:
        lines.append("%.9g\t%.9g" % (time, rates[int(time)] / 1e6))
        time += step * (0.6 + 0.8 * chance.random())
    return "\n".join(lines) + "\n"


def gnettrack(seed, down, up):
    """A row about every second, kbit/s; some seconds have two, some none, some no value."""
    downs, ups = walk(seed, down), walk(seed + 500, up)
    rows = [COLUMNS]
    for second in range(SECONDS):
        if second % 17 == 5:
            continue
        clock = 86400 - 40 + second  # past midnight
        stamp = "2024.02.%02d_%02d.%02d.%02d" % (28 + clock // 86400, clock // 3600 % 24,
                                                clock // 60 % 60, clock % 60)
        for again in range(2 if second % 11 == 3 else 1):
            rates = ["%d" % round(rate * (1 + again) / 1000) for rate in (downs[second], ups[second])]
            if again and second % 2:
                rates[0] = "-"
            rows.append("%s,0.0,0.0,%d,X,1,4G,-90,%s,%s,D" % (stamp, second % 7, *rates))
    return "\n".join(rows) + "\n"


RECORDINGS = {
    "mahimahi/slow.up": lambda: mahimahi(1, 3e5, 0),
    "mahimahi/slow.down": lambda: mahimahi(2, 5e5, 3),
    "pensieve/even.txt": lambda: pensieve(3, 3e6, 0, 1),
    "pensieve/late.txt": lambda: pensieve(4, 1e6, 0.474, 1.7),
    "gnettrack/slow.csv": lambda: gnettrack(5, 8e6, 2e6),
    "gnettrack/fast.csv": lambda: gnettrack(6, 9e7, 1.2e7),
}


def main(words):
    folder = words[0] if words else os.path.dirname(os.path.abspath(__file__))
    for name, make in RECORDINGS.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(make())


if __name__ == "__main__":
    main(sys.argv[1:])
