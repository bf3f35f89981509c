# SPDX-License-Identifier: GPL-2.0-only
"""analysis/papers/load_variance.py: loads of a mean and a deviation, and the gains of each remedy."""

import argparse
import importlib.util
import random
import statistics
import sys
import unittest

from places import ANALYSIS, InFolder, ROOT
from scripts import load

SCRIPT = ANALYSIS / "papers/load_variance.py"
NEEDS = unittest.skipUnless(
    all(map(importlib.util.find_spec, ("matplotlib", "scipy"))),
    "needs python3-matplotlib, python3-scipy")


class Loads(InFolder):
    def test_a_markov_chain_has_the_mean_the_deviation_and_the_stay(self):
        module = load("load_variance")
        point = module.Point("markov", "net", 2, 0.3)
        steps = module.make_markov(point, random.Random(1), 40000, 0.6)
        ends = [time for time, _ in steps[1:]] + [40000]
        stays = [end - time for (time, _), end in zip(steps, ends)]
        self.assertEqual({round(share, 9) for _, share in steps}, {0.3, 0.9})
        self.assertAlmostEqual(statistics.fmean(stays), 2, delta=0.05)
        mean = sum(share * stay for (_, share), stay in zip(steps, stays)) / 40000
        self.assertAlmostEqual(mean, 0.6, delta=0.01)

    def test_a_recording_keeps_its_course_and_gets_another_deviation(self):
        module = load("load_variance")
        recording = [0.1, 0.2, 0.2, 0.4, 0.1]
        steps = module.make_recorded(module.Point("recorded", "net", 0, 0.2), random.Random(1),
                                     recording, 0.6)
        shares = [share for _, share in steps]
        self.assertAlmostEqual(statistics.fmean(shares), 0.6)
        self.assertAlmostEqual(statistics.pstdev(shares), 0.2)

    def test_devices_of_other_types_take_no_part(self):
        module = load("load_variance")
        options = argparse.Namespace(cluster=ROOT / "traces/clusters/dgpas-testbed.json",
                                     types="jetson-orin-nano,jetson-xavier-nx")
        self.assertEqual(module.device_names(module.write_cluster(options, self.folder / "cluster.json")), [
            "jetson-orin-nano-0", "jetson-orin-nano-1", "jetson-xavier-nx-0"])

    def test_a_gain_is_the_mean_over_runs_of_the_share_of_time_saved(self):
        module = load("load_variance")
        rows = [{"source": "markov", "model": "net", "stay": 2, "deviation": 0.1, "remedy": remedy,
                 "gain": gain} for remedy, gain in (("none", 0), ("help", 0.1), ("help", 0.3))]
        gain, = module.average(rows)
        self.assertEqual((gain["remedy"], gain["runs"], gain["least"]), ("help", 2, 0.1))
        self.assertAlmostEqual(gain["gain"], 0.2)
        # Student, 1 degree of freedom.
        self.assertAlmostEqual(gain["halfWidth"], 12.706205 * 0.1, places=5)

    def test_a_lead_is_taken_run_by_run(self):
        module = load("load_variance")
        point = {"source": "markov", "model": "net", "stay": 2, "deviation": 0.1}
        rows = [{**point, "remedy": remedy, "gain": gain} for remedy, gain in (
            ("none", 0), ("help", 0.1), ("both", 0.2), ("none", 0), ("help", 0.5), ("both", 0.8))]
        best, following, (ahead, half) = module.find_leads(rows)[module.Point(**point)]
        self.assertEqual((best, following), ("both", "help"))
        self.assertAlmostEqual(ahead, 0.2)
        self.assertAlmostEqual(half, 12.706205 * 0.1, places=5)


class Recording(InFolder):
    def test_the_recorder_writes_what_the_replay_reads(self):
        tool = ROOT / "traces/capture/record_load.py"
        run = self.ended(self.start(sys.executable, tool, "--seconds=1", "--what=a test"), stderr="")
        (self.folder / "load.csv").write_text(run.stdout)
        share, = load("load_variance").read_recording(self.folder / "load.csv")
        self.assertTrue(0 < share <= 1, share)
        self.ended(self.start(sys.executable, tool, "--seconds=0"), 2)


@NEEDS
class Command(InFolder):
    def test_the_same_command_gives_the_same_runs_and_a_picture(self):
        contents = set()
        for out, hashes in (("a", "1"), ("b", "2")):
            run = self.ended(self.start(
                sys.executable, SCRIPT, "--models=alexnet", "--deviations=0,0.3", "--stays=2",
                f"--recording={ROOT / 'traces/load/build-server.csv'}", "--iterations=2", "--seeds=2",
                f"--out={out}", PYTHONHASHSEED=hashes), stderr="")
            contents.add((self.folder / out / "runs.csv").read_bytes())
            self.assertGreater((self.folder / out / "load-variance.png").stat().st_size, 10000)
        self.assertEqual(len(contents), 1)
        self.assertIn("recorded", run.stdout)
