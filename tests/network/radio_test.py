# SPDX-License-Identifier: GPL-2.0-only
"""Wireless links as a user meets them: mistakes in their options, recordings made and shipped."""

import csv
import re
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from places import BIN, InFolder, REAL_TRACES, ROOT
from programs import last_of_each

SHIPPED = ("lte-up", "lte-down", "wifi-up", "wifi-down")
SHORT = ("--duration=20s", "--fidelity=flow", "--distance=600", "--mobility=random-walk", "--speed=20")


def record(*arguments):
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run([BIN / "record-bandwidth", *last_of_each(arguments)], cwd=folder,
                              capture_output=True, text=True, timeout=300, env=REAL_TRACES)


def read(path):
    """Comments, and rows of two numbers."""
    lines = Path(path).read_text().splitlines()
    rows = csv.DictReader(line for line in lines if not line.startswith("#"))
    values = [(float(row["seconds"]), float(row["bitsPerSecond"])) for row in rows]
    return [line for line in lines if line.startswith("#")], values


class Mistakes(InFolder):
    """One line on standard error, exit status 2, no file."""

    CASES = {
        "--competitors=400": "319",
        "--lte-bandwidth=24": "resource blocks",
        "--lte-bandwidth=7": "resource blocks",
        "--loss=0.1": "lte",
        "--mtu=2000": "1500",
        "--interval=0s": "interval",
        "--duration=0s": "duration",
        "--recording=/proc/none/file": "cannot write",
        "--link=lan --mobility=away": "mobility",
        "--link=p2p --competitors=1": "competitors",
        "--distance=2000": "distance",
    }

    def test_each_is_named(self):
        for arguments, word in self.CASES.items():
            with self.subTest(arguments):
                out = self.folder / "out.csv"
                self.assert_one_line(record(f"--recording={out}", "--fidelity=packet", "--duration=2s",
                                            *arguments.split()), word)
                self.assertEqual(out.read_text() if out.exists() else "", "")


class Recordings(InFolder):
    def record(self, *more):
        out = self.folder / "out.csv"
        self.ended(record(f"--recording={out}", *SHORT, *more))
        return out

    def test_equal_commands_make_equal_files_and_other_runs_others(self):
        first = self.record().read_text()
        self.assertEqual(first, self.record().read_text())
        self.assertNotEqual(first.split("bitsPerSecond")[1],
                            self.record("--RngRun=2").read_text().split("bitsPerSecond")[1])

    def test_the_header_says_how_it_was_made(self):
        comments, rows = read(self.record())
        self.assertIn(f'./ns3 run "record-bandwidth {" ".join(SHORT)}"', " ".join(comments))
        self.assertRegex(comments[2], r"edgepipe \S+, ns-3 \S+, seed 1, run 1")
        self.assertEqual(comments[3:], ["# direction: up", "# saturated: up"])
        self.assertEqual([seconds for seconds, _ in rows], list(range(20)))

    def test_shipped_ones_vary_and_can_be_made_again(self):
        for name in SHIPPED:
            with self.subTest(name):
                comments, rows = read(ROOT / "traces" / "bandwidth" / f"{name}.csv")
                link, direction = name.split("-")
                command = re.search(r'"record-bandwidth ([^"]*)"', " ".join(comments))[1].split()
                self.assertIn(f"--direction={direction}", command)
                self.assertIn(f"--link={link}", command)
                self.assertNotIn("--fidelity=flow", command)
                rates = [rate for _, rate in rows]
                self.assertGreaterEqual(rows[-1][0], 110)
                self.assertGreater(max(rates), 1.5 * min(rates))


class Directions(InFolder):
    """Which recordings are a capacity, and how a refusal says to go on."""

    LINK = ("--link=trace", "--fidelity=flow", "--duration=1s")

    def replay(self, *options):
        return record(*self.LINK, f"--out={self.folder / 'out'}", *options)

    def write(self, down, up):
        path = self.folder / "drive.csv"
        rows = [f"2024.05.06_10.00.{i:02},{down(i)},{up(i)},D\n" for i in range(40)]
        path.write_text("Timestamp,DL_bitrate,UL_bitrate,State\n" + "".join(rows))
        return path

    def test_a_download_has_no_uplink(self):
        path = self.write(lambda i: 40000 + 500 * (i % 7), lambda i: 120 + 2 * (i % 7))
        self.assert_one_line(self.replay(f"--trace={path}"), "uplink: found a mean of 0.126 Mbit/s, 0.303%")
        self.assertEqual(list(self.folder.glob("out*")), [])
        for options, words in {
                ("--trace=lte-up", f"--trace-down={path}"): "downlinks replay",
                ("--bandwidth=5Mbps", f"--trace-down={path}"): "downlinks replay",
                (f"--trace={path}", "--trace-unsaturated=true"): "uplinks replay"}.items():
            with self.subTest(options):
                run = self.replay(*options)
                self.assertIn(words, self.ended(run).stdout)
                self.assertNotIn("uplinks and", run.stdout)

    def test_an_upload_has_no_downlink(self):
        path = self.write(lambda i: 120 + 2 * (i % 7), lambda i: 40000 + 500 * (i % 7))
        self.assert_one_line(self.replay(f"--trace={path}"), "downlink: found a mean of 0.126 Mbit/s")
        self.ended(self.replay(f"--trace={path}", "--trace-down=lte-down"))

    def test_shipped_ones_are_used_as_what_they_are(self):
        for options, words in {
                ("--trace=5g-driving",): "--trace-down=5g-driving",
                ("--trace=lte-down",): "the uplink was not saturated",
                ("--trace=lte-up", "--trace-down=lte-up"): "the downlink was not saturated",
                ("--trace=3g-bus",): "the uplink was not saturated"}.items():
            with self.subTest(options):
                self.assert_one_line(self.replay(*options), words)
        self.ended(self.replay("--trace=lte-driving", "--trace-down=5g-driving"))
        for name in ("lte-up", "umts-driving"):
            said = self.ended(self.replay(f"--trace={name}")).stdout
            self.assertEqual("uplinks and downlinks" in said, name == "lte-up", said)


class Calibration(InFolder):
    def test_who_interrupts_it_leaves_nothing_behind(self):
        run = subprocess.Popen(
            [BIN / "wifi-calibration", "--table=table.csv", "--out=out"], cwd=self.folder, env=REAL_TRACES,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        with run:
            time.sleep(1)  # of half an hour
            self.assertIsNone(run.poll(), run.stderr.read() if run.poll() else "")
            run.send_signal(signal.SIGTERM)
        self.assertEqual(run.returncode, -signal.SIGTERM)
        self.assertEqual(list(self.folder.iterdir()), [])
