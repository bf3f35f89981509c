# SPDX-License-Identifier: GPL-2.0-only
"""Data-parallel training as a user meets it: data-parallel, bno-table and their pictures."""

import json
import re

from places import ROOT
from programs import Program
from scripts import make_tables

SMALL = ("--model=tiny", "--cluster=lab", "--base-batch=12")
TABLE = ("--model=tiny", "--cluster=lab", "--base-batch=12", "--updates=120")
STRATEGIES = ("bno", "equal", "optimal", "random")

# Words of the command line that are refused, and words of the answer.
REFUSED = [
    (["--base-batch=2"], ["--base-batch", "each of 3 workers"]),
    (["--exchange=merged-ring", "--fidelity=packet"], ["--exchange", "ring or"]),
    (["--monitor=oracle", "--devices=1"], ["--monitor", "a lone worker"]),
    (["--monitor=oracle", "--latencies=all-pairs"], ["--latencies", "not all pairs"]),
    (["--replan-period=1s"], ["--replan-period", "whenever all have reported"]),
    (["--replan-threshold=1", "--replan-period=1us"], ["--replan-period", "1ms or more"]),
    (["--update-interval=0"], ["--update-interval", "1us or more"]),
    (["--load=nobody:0.5@2s"], ["--load", "DEVICE:FILE"]),
    (["--load=pi-0:1.4@2s"], ["--load", '"pi-0:1.4@2s"', "a share"]),
    (["--load=pi-0"], ["--load", '"pi-0"', "DEVICE:FILE"]),
    (["--load=pi-0:0.5@2s,0.4@3s"], ["--load", "pi-0 has a second load"]),
    (["--load-trace=none.csv"], ["type --load="]),
    (["--join=pi-1"], ["--join", "NAME@TIME such as pi-1@20s"]),
    (["--leave=nobody@3s"], ["--leave", "NAME@TIME"]),
    (["--leave=jetson-orin-nano-0@3s"], ["--leave", "the first, which decides"]),
    (["--join=pi-1@3s", "--leave=pi-1@2s"], ["--leave", "after that"]),
    (["--leave=pi-1@3s", "--exchange=merged-ring"], ["--leave", "merged ring"]),
    (["--control-cut=pi-0@1s"], ["--control-cut", "own"]),
    (["--control=own", "--control-cut=nobody@1s"], ["--control-cut", "NAME@TIME"]),
    (["--control=own", "--control-bandwidth=0"], ["--control-bandwidth", "data rate"]),
    (["--control=own", "--control-trace=none.csv"], ["--control-trace", "none.csv"]),
    (["--shares=bno"], ["type --planner="]),
]
REFUSED_TABLE = [
    (["--conditions=windy"], ["--conditions", "steady"]),
    (["--planner=best"], ["--planner", "bno-normalized"]),
    (["--update-every=0"], ["--update-every", "from 1 to"]),
    (["--base-batch=1"], ["--base-batch"]),
]


class DataParallel(Program):
    def start_afresh(self):
        super().start_afresh()
        (self.inputs / "published").mkdir()
        (self.inputs / "published/bno-weight-update.json").write_text(json.dumps(
            {"format": "edgepipe-published-bno 1", "source": "made up",
             "models": [{"name": "Tiny", "file": "tiny", "milliseconds": {"bno": 0.5}}]}))

    def train(self, *options, status=0, program="data-parallel", small=SMALL):
        return self.ended(self.run_program(program, *small, *options), status)

    def rows(self, name):
        return self.read_csv("out", name)

    def test_files_hold_what_happened(self):
        said = self.train("--planner=all", "--updates=150", "--update-interval=50ms", "--out=out")
        for strategy in STRATEGIES:
            self.assertIn(strategy, said.stdout)
        results = self.rows("results.csv")
        self.assertEqual([row["planner"] for row in results], list(STRATEGIES))
        self.assertEqual({row["status"] for row in results}, {"finished"})
        self.assertEqual({row["workers"] for row in results}, {"3"})
        shares = {}
        for row in self.rows("shares.csv"):
            key = row["planner"], row["version"]
            shares[key] = shares.get(key, 0) + int(row["samples"])
        updates = self.rows("updates.csv")
        self.assertEqual(len(updates), 4 * 150)
        for row in updates:
            self.assertEqual(int(row["samples"]), shares[row["planner"], row["version"]])
            if row["planner"] != "bno":
                self.assertEqual(row["samples"], "12")
        self.assertEqual([row["updates"] for row in self.rows("stretches.csv")], ["100", "50"] * 4)
        run = json.loads((self.folder / "out/run.json").read_text())
        self.assertEqual([case["missingMetrics"] for case in run["cases"]], [[]] * 4)
        # Gradients of 44 kB, 2 * 2 / 3 of them in an update, and two hellos.
        for row in self.rows("workers.csv"):
            self.assertAlmostEqual(int(row["exchangeBytes"]), 150 * 44000 * 4 / 3 + 32, delta=600)

    def test_shares_follow_a_link_that_is_watched(self):
        common = ("--planner=optimal", "--exchange=parameter-server", "--updates=100",
                  "--update-interval=20ms", "--replan-threshold=0.1",
                  "--bandwidth=0s:100Mbps,500ms:1Mbps")
        last = {}
        for monitor in ("none", "oracle", "probe", "passive"):
            self.train(*common, f"--monitor={monitor}", "--out=out")
            rows = self.rows("shares.csv")
            last[monitor] = int(rows[-3]["samples"])
            self.assertEqual("monitor" in self.rows("results.csv")[0], monitor != "none")
        self.assertEqual(self.rows("results.csv")[0]["monitor"], "passive")
        self.assertGreaterEqual(int(self.rows("results.csv")[0]["decisions"]), 2)
        for monitor in ("oracle", "passive"):
            self.assertGreater(last[monitor], 4)

    def test_workers_join_and_leave(self):
        said = self.train("--planner=equal", "--updates=200", "--update-interval=20ms",
                          "--join=pi-1@200ms", "--leave=pi-0@500ms", "--out=out").stdout
        first = {row["version"]: row["firstUpdate"] for row in self.rows("shares.csv")}
        self.assertIn(f"equal: pi-1 asked to join at 0.2000 s; it works from update {first['1']} on", said)
        self.assertIn(f"equal: pi-0 asked to leave at 0.5000 s; it is gone from update {first['2']} on", said)
        self.assertEqual([row["samples"] for row in self.rows("shares.csv")], list("660444606"))
        self.train("--planner=equal", "--updates=50", "--leave=pi-0@100ms,pi-1@100ms", "--out=out")

    def test_a_cut_control_link_is_named_and_training_goes_on(self):
        said = self.train("--planner=random", "--updates=200", "--update-interval=20ms",
                          "--missing-after=200ms", "--control=own", "--control-cut=pi-1@500ms",
                          "--out=out").stdout
        self.assertIn("warning: random: shares did not change while metrics of pi-1 were missing, from 0.", said)
        self.assertIn("still were at the end", said)
        decided = [float(row["decidedSeconds"]) for row in self.rows("shares.csv")]
        self.assertLess(max(decided), 0.55)
        self.assertGreater(float(self.rows("updates.csv")[-1]["endSeconds"]), 0.8)

    def test_metrics_come_back_with_the_bandwidth(self):
        (self.folder / "gap.csv").write_text("seconds,bitsPerSecond\n0,10000000\n0.5,0\n"
                                             "1,10000000\n100,10000000\n")
        self.train("--planner=random", "--updates=300", "--update-interval=20ms",
                   "--missing-after=100ms", "--control=own", "--control-trace=gap.csv",
                   "--out=out")
        run = json.loads((self.folder / "out/run.json").read_text())
        missing = run["cases"][0]["missingMetrics"]
        self.assertTrue(missing)
        for one in missing:
            self.assertGreaterEqual(one["untilSeconds"], 1)
        decided = [float(row["decidedSeconds"]) for row in self.rows("shares.csv")]
        self.assertFalse([time for time in decided if 0.52 < time < 1])
        self.assertGreater(max(decided), 1)

    def test_a_cut_network_says_who_waits(self):
        said = self.train("--updates=1000", "--cut=pi-0@500ms", "--out=out", status=3).stderr
        self.assertIn("waits for gradients of iteration", said)

    def test_mistakes_take_one_line(self):
        self.refuse_each(REFUSED, "data-parallel", *SMALL)
        self.refuse_each(REFUSED_TABLE, "bno-table", *TABLE)

    def test_table_and_pictures(self):
        self.train("--out=out", program="bno-table", small=TABLE)
        self.assertIn("cannot be wall times", self.make_table("out"))
        rows = self.rows("results.csv")
        self.assertEqual(len(rows), 4 * 5)
        self.assertEqual([row["paperMilliseconds"] for row in rows if row["paperMilliseconds"]], ["0.5"])
        for row in rows:
            if row["planner"] != "bno":
                self.assertAlmostEqual(float(row["samplesPerUpdate"]), 12)
        self.assertIn("| lab | ", (self.folder / "out/bno-table.md").read_text())
        self.draw("bno_pictures.py", "weight-update.png", "comparison.png")
        self.train("--planner=bno,equal", "--updates=150", "--join=pi-1@200ms", "--out=out")
        self.draw("data_parallel.py", "data-parallel.png")
        # Nothing to compare with.
        self.train("--planner=bno", "--out=alone", program="bno-table", small=TABLE)
        self.assertNotIn("never changed", self.make_table("alone"))
        run = self.ended(self.start("/usr/bin/python3", ROOT / "analysis/bno_pictures.py", "alone"))
        self.assertIn("no comparison", run.stdout)
        self.assertFalse((self.folder / "alone/comparison.png").exists())

    def test_headings_say_both_ways_of_a_link(self):
        link = ("--link=4g", "--bandwidth=20Mbps", "--uplink-bandwidth=5Mbps", "--out=out")
        both = "link 4g (up 5.000 Mbit/s, down 20.00 Mbit/s, delay "
        self.assertIn(both, self.train("--updates=3", *link).stdout)
        self.assertIn(both, self.train(f"--traces={ROOT}/traces", "--model=llama-3.2-1b", "--output=2", *link,
                                       program="llm-inference", small=()).stdout)

    def test_report_says_what_its_figures_mean(self):
        said = self.train("--planner=bno,equal", "--updates=3", "--update-interval=1000s", "--out=out").stdout
        self.assertRegex(said, r"\n\S+ alone would take \S+ ms or more for an update of the base batch")
        fastest, whole = re.search(r"\n(\S+) alone would take (\S+) ms or more", said).groups()
        loaded = self.train("--planner=equal", "--updates=3", f"--load={fastest}:0.5", "--out=out").stdout
        other, slow = re.search(r"\n(\S+) alone would take (\S+) ms or more", loaded).groups()
        self.assertLess(float(whole), float(slow))
        self.assertTrue(other != fastest or abs(float(slow) / float(whole) - 2) < 1e-3, (whole, slow))
        self.assertIn("bno: shares never changed: no report was due before the end", said)
        self.assertNotIn("base batch of", said)
        said = self.train("--planner=bno", "--updates=150", "--update-interval=50ms",
                          "--exchange=parameter-server", "--out=out").stdout
        self.assertIn("do not add up to the base batch of 12", said)
        self.assertIn(", most ", said)
        row = self.rows("results.csv")[0]
        self.assertLessEqual(float(row["exchangeAndStepSeconds"]), float(row["weightUpdateSeconds"]))
        for row in self.rows("updates.csv"):
            self.assertLess(float(row["startSeconds"]), float(row["firstComputedSeconds"]))

    def make_table(self, folder):
        run = self.ended(make_tables("bno_table", self.folder / folder), stderr="")
        return run.stdout

    def draw(self, script, *pictures):
        tool = ("/usr/bin/python3", ROOT / "analysis" / script)
        self.ended(self.start(*tool, "out", "--dpi=50"))
        for picture in pictures:
            self.assertGreater((self.folder / "out" / picture).stat().st_size, 1000)
        self.assert_one_line(self.start(*tool, "nowhere"))
