# SPDX-License-Identifier: GPL-2.0-only
"""Tools that measure this machine by PyTorch, for a minute each."""

import json
import unittest

from places import BIN
from traces import traces_test
from traces.traces_test import HAS_TORCH, files, load_json


class DeviceFigures(traces_test.DeviceFigures):
    @unittest.skipUnless(HAS_TORCH, "needs PyTorch")
    def test_it_writes_a_whole_file_that_a_scenario_takes(self):
        self.ended(self.run_tool("mine", "--threads", "1", "--load-watts", "7", "--busy-machine"))
        device = load_json(self.folder / "devices/mine.json")
        self.assertEqual(set(device), set(load_json(files("devices", "*.json")[0])))
        self.assertEqual(device["loadWatts"]["value"], 7)
        self.assertTrue(device["idleWatts"]["source"].startswith("estimate"))
        self.assertEqual(self.run_tool("mine").returncode, 2)  # is there already
        (self.folder / "clusters/lab.json").write_text(json.dumps({
            "format": "edgepipe-cluster 1", "name": "lab", "source": "this test",
            "devices": [{"type": "mine", "count": 2}],
            "network": {"link": "lan", "delay": "100us"}}))
        run = self.start(BIN / "pipeline-training", "--cluster=clusters/lab.json", "--planner=even",
                         "--model=mnist_cnn")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertIn("layer costs of mine: estimated (roofline of device mine, PyTorch 1", run.stdout)


class CaptureMachine(traces_test.CaptureMachine):
    @unittest.skipUnless(HAS_TORCH, "needs PyTorch")
    def test_one_file_has_the_device_and_profiles_of_both_modes(self):
        run = self.ended(self.run_tool("mine", "--threads", "1", "--busy-machine", "--minutes", "0.01", "--idle-watts", "2",
                                       "--networks", "mobilenet_v2,mnist_cnn", "--batch", "1"))
        self.assertIn('"cost-fit --machine=mine.machine.json --write=true"', run.stdout)
        machine = load_json(self.folder / "mine.machine.json")
        self.assertEqual((machine["device"]["name"], machine["device"]["idleWatts"]["value"]), ("mine", 2))
        self.assertEqual({*machine["profiles"]}, {"mobilenet_v2.b1.csv", "mobilenet_v2.b1.evaluation.csv"})
        self.assertEqual([*machine["leftOut"]], ["mnist_cnn, batch 1"])
        self.assertIn("left out: ", run.stderr)
        self.assertEqual(self.run_tool("mine").returncode, 2)  # is there already
