# SPDX-License-Identifier: GPL-2.0-only
"""analysis/papers/joint_help.py: its model of an iteration, its search and its bound."""

import importlib.util
import unittest

import places  # noqa: F401: analysis/ is on the path
from scripts import load

NEEDS = unittest.skipUnless(all(map(importlib.util.find_spec, ("numpy", "scipy"))),
                            "needs python3-numpy, python3-scipy")


def make(module, layers=3, cut=2, schedule="gpipe", overhead=0, parameter_bytes=0, memory=10**15):
    """Layers of 1 s a pass each, the first ones on one device, the others on another."""
    problem = {
        "microBatches": 4, "bandwidthBitsPerSecond": 8e9,
        "layers": [{"name": f"l{i}", "inputs": [f"l{i - 1}"] if i else [], "outputBytes": 8,
                    "parameterBytes": parameter_bytes, "activationBytes": 32} for i in range(layers)],
        "devices": [{"name": name, "type": "some", "memoryBytes": memory} for name in "ab"],
        "costs": {"some": {"forwardSeconds": [1] * layers, "backwardSeconds": [1] * layers}}}
    specs = {"some": {"memoryBandwidthBytesPerSecond": {"value": 1e18}, "stack": {"training": "pytorch"},
                      "stacks": {"pytorch": {"figures": {"layerOverheadSeconds": overhead}}}}}
    stages = [{"device": "a", "spans": [[0, cut - 1]]}, {"device": "b", "spans": [[cut, layers - 1]]}]
    return module.Iteration(problem, stages, schedule, 32, specs)


@NEEDS
class Model(unittest.TestCase):
    def setUp(self):
        self.module = load("joint_help")

    def seconds(self, iteration, layer, count):
        import numpy
        return iteration.seconds(numpy.array([[layer]]), numpy.array([[count]]))[0]

    def test_half_of_the_samples_cross_a_layer_earlier(self):
        iteration = make(self.module)
        # 4 times 2 s and 1 s, forward and backward; then 4 times and once more 1.5 s.
        self.assertAlmostEqual(self.seconds(iteration, 2, 0), 18, places=5)
        self.assertAlmostEqual(self.seconds(iteration, 1, 16), 15, places=5)

    def test_what_is_fixed_is_paid_by_both_and_gradients_are_exchanged(self):
        iteration = make(self.module, overhead=0.25, parameter_bytes=10**9)
        # 1 + 0.25 + 0.75 / 2 s either, a pass; 1 s for the layer's weight gradients.
        self.assertAlmostEqual(self.seconds(iteration, 1, 16), 2 * 5 * 1.625 + 1, places=5)

    def test_what_does_not_fit_or_has_met_takes_for_ever(self):
        # Of the last layer's 32 bytes, half of another's and 8 that the loss keeps, for 4 micro-batches, and
        # 8 bytes that come and 8 that go.
        for memory, fits in ((4 * 56 + 16, True), (4 * 56 + 15, False)):
            iteration = make(self.module, memory=10**15)
            iteration.memory[1] = memory
            self.assertEqual(self.seconds(iteration, 1, 16) < self.module.NEVER, fits)
        iteration = make(self.module, 4, 2)
        self.assertEqual(self.seconds(iteration, 0, 16), self.module.NEVER)

    def test_the_order_of_a_schedule_keeps_few_micro_batches(self):
        order, held = self.module.order_steps("1f1b", 3, 4)
        self.assertEqual((len(order), held), (24, [3, 2, 1]))
        self.assertEqual(order[:3], [(0, 0, 0), (0, 0, 1), (0, 0, 2)])
        self.assertEqual(self.module.order_steps("gpipe", 3, 4)[1], [4, 4, 4])

    def test_the_search_finds_the_best_shares_and_the_bound_proves_it(self):
        import numpy
        iteration = make(self.module)
        *_, (layer, count, time) = self.module.descend(iteration, numpy.array([2]), numpy.array([0]), 18)
        self.assertEqual((layer.tolist(), count.tolist()), ([1], [16]))
        self.assertAlmostEqual(time, 15, places=5)
        annealed = self.module.anneal(iteration, 4, 200, numpy.random.default_rng(1))[2]
        self.assertAlmostEqual(annealed.min(), 15, places=5)
        self.assertAlmostEqual(self.module.bound(iteration, "gpipe"), 15, places=5)

    def test_no_shares_pass_the_bound(self):
        for schedule in ("gpipe", "1f1b"):
            iteration = make(self.module, 9, 6, schedule, 0.01, 10**6)
            least = self.module.bound(iteration, schedule)
            layer, count = iteration.choices(0)
            times = iteration.seconds(layer[:, None], count[:, None])
            self.assertGreaterEqual(times.min(), least * (1 - 1e-9))
            self.assertLess(times.min(), 1.1 * least)
