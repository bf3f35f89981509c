# SPDX-License-Identifier: GPL-2.0-only
"""Mobile links and replayed recordings from the command line: what runs, and what is refused."""

from programs import Program

RATES = "seconds,bitsPerSecond\n0,4000000\n1,2000000\n2,8000000\n3,8000000\n"
OPPORTUNITIES = "\n".join(str(4 * i) for i in range(1, 500)) + "\n"


class MobileLinks(Program):
    """A small pipeline trained over bearers."""

    def write(self, name, text):
        """A recording; in options, @ stands for its folder."""
        (self.inputs / name).write_text(text)

    def train_for(self, seconds, *options):
        """Returns what a run printed; its results must be there."""
        options = (option.replace("@", "../inputs/") for option in options)
        result = self.train("--planner=even", "--out=out", *options)
        rows = self.read_csv("out", "results.csv")
        self.assertEqual(len(rows), 1)
        measured = float(rows[0]["iterationSeconds"])
        self.assertGreater(measured, seconds[0])
        self.assertLess(measured, seconds[1])
        return result.stdout

    def test_every_bearer_trains_at_both_fidelities(self):
        self.write("a.csv", RATES)
        for link, seconds in {"4g": (0.5, 1.5), "3g": (0.8, 3), "cat1": (2, 20),
                              "trace --trace=@a.csv": (0.1, 1.5)}.items():
            for fidelity in ("flow", "packet"):
                with self.case(f"{link}, {fidelity}"):
                    self.write("a.csv", RATES)
                    options = f"--link={link} --fidelity={fidelity}".split()
                    self.assertIn(link.split()[0], self.train_for(seconds, *options))

    def test_options_replace_what_a_bearer_has(self):
        heading = self.train_for((0, 2), "--link=4g", "--bandwidth=0s:2Mbps,1s:4Mbps",
                                 "--downlink-bandwidth=3Mbps", "--delay=10ms", "--jitter=0s",
                                 "--queue=50", "--fidelity=packet")
        self.assertIn("4g (up 2.000 Mbit/s at first, down 3.000 Mbit/s, delay 10.00 ms)", heading)
        slow = self.train_for((2, 100), "--link=4g", "--delay=900ms")
        for fidelity in ("flow", "packet"):
            self.train_for((20, 22), "--link=4g", "--bandwidth=0s:2Mbps,600ms:0bps,20s:2Mbps",
                           "--downlink-bandwidth=0s:2Mbps,600ms:0Mbps,20s:2Mbps", f"--fidelity={fidelity}")
        self.assertIn("delay 900.0 ms and up to 8.000 ms more", slow)

    def test_one_option_sets_both_ways_and_others_one(self):
        for link, options, up, down in (
                ("4g", "--bandwidth=20Mbps", "20.00 Mbit/s", "20.00 Mbit/s"),
                ("3g", "--bandwidth=20Mbps", "20.00 Mbit/s", "20.00 Mbit/s"),
                ("cat1", "--bandwidth=20Mbps", "20.00 Mbit/s", "20.00 Mbit/s"),
                ("trace", "--bandwidth=20Mbps", "20.00 Mbit/s", "20.00 Mbit/s"),
                ("4g", "--bandwidth=0s:20Mbps,1s:9Mbps", "20.00 Mbit/s at first", "20.00 Mbit/s at first"),
                ("4g", "--uplink-bandwidth=20Mbps", "20.00 Mbit/s", "14.70 Mbit/s"),
                ("4g", "--downlink-bandwidth=20Mbps", "5.850 Mbit/s", "20.00 Mbit/s"),
                ("4g", "--bandwidth=20Mbps --uplink-bandwidth=9Mbps", "9.000 Mbit/s", "20.00 Mbit/s"),
                ("4g", "--bandwidth=20Mbps --downlink-bandwidth=0s:9Mbps,1s:2Mbps", "20.00 Mbit/s",
                 "9.000 Mbit/s at first"),
                ("trace", "--trace-down=@a.csv --uplink-bandwidth=20Mbps", "20.00 Mbit/s", "a.csv")):
            with self.case(f"{link} {options}"):
                self.write("a.csv", RATES)
                self.assertIn(f"{link} (up {up}, down {down}, ",
                              self.train_for((0, 100), f"--link={link}", *options.split()))

    def test_a_radio_is_limited_both_ways_or_one(self):
        # A group's halves of a micro-batch go up and come down; each way takes as long as its limit says.
        def seconds(*options):
            self.train_for((0, 1000), "--link=wifi", *options)
            row, = self.read_csv("out", "results.csv")
            return float(row["iterationSeconds"]), row["bandwidthBitsPerSecond"], row["downlinkBitsPerSecond"]
        free, both, up, down = (seconds(*options) for options in (
            (), ("--bandwidth=2Mbps",), ("--uplink-bandwidth=2Mbps",), ("--downlink-bandwidth=2Mbps",)))
        self.assertGreater(both[0], 2 * free[0])
        self.assertEqual([one[1:] for one in (free, both, up, down)],
                         [("", ""), ("2e+06", "2e+06"), ("2e+06", ""), ("", "2e+06")])

    def test_the_downlink_of_a_recording_is_found(self):
        self.write("a.up", OPPORTUNITIES)
        self.assertIn("(up a.up, down a.up,",
                      self.train_for((0, 3), "--link=trace", "--trace=@a.up"))
        self.write("a.down", OPPORTUNITIES)
        self.assertIn("(up a.up, down a.down,",
                      self.train_for((0, 3), "--link=trace", "--trace=@a.up"))
        self.write("a.csv", RATES)
        for given, found in {"--trace-down=@a.csv": "a.csv",
                             "--downlink-bandwidth=9Mbps": "9.000 Mbit/s"}.items():
            with self.subTest(given):
                self.assertIn(f"(up a.up, down {found},",
                              self.train_for((0, 3), "--link=trace", "--trace=@a.up", given))

    def test_mistakes_are_one_line(self):
        for options, words in {
                "--link=trace": ["--trace:", "--bandwidth"],
                "--link=trace --uplink-bandwidth=1Mbps": ["--trace-down:", "--downlink-bandwidth"],
                "--link=trace --downlink-bandwidth=1Mbps": ["--trace:", "--uplink-bandwidth"],
                "--link=trace --trace=@a.csv --uplink-bandwidth=1Mbps": ["--uplink-bandwidth:", "--trace"],
                "--link=lan --uplink-bandwidth=1Mbps": ["--uplink-bandwidth:", "lan"],
                "--link=wifi --bandwidth=0s:0Mbps,1s:1Mbps": ["--bandwidth:", "0s:0Mbps"],
                "--link=4g --downlink-bandwidth=0s:0Mbps,1s:1Mbps": ["--downlink-bandwidth:", "0s:0Mbps"],
                "--link=trace --trace=none.csv": ["--trace:", "none.csv"],
                "--link=trace --trace=.": ["--trace:", "folder"],
                "--link=trace --trace=@bad.csv": ["bad.csv", "line 3"],
                "--link=trace --trace=@a.csv --trace-down=@bad.csv": ["bad.csv", "line 3"],
                "--link=trace --trace=@a.csv --bandwidth=1Mbps": ["--bandwidth:", "--trace"],
                "--link=trace --trace=@a.csv --trace-offset=9s --trace-end=stop":
                    ["--trace-offset:", "a.csv"],
                "--link=4g --downlink-bandwidth=1bps": ["--downlink-bandwidth:", "1e3"],
                "--link=4g --downlink-bandwidth=1s:1Mbps": ["--downlink-bandwidth:", "0s:"],
                "--link=wifi --loss=0.1": ["--loss:", "--fidelity=packet"]}.items():
            with self.case(options):
                self.write("a.csv", RATES)
                self.write("bad.csv", RATES.replace("1,2000000", "1,-2000000"))
                options = options.replace("@", "../inputs/").split()
                self.assert_refused(self.train(*options, status=2), words)
