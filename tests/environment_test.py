# SPDX-License-Identifier: GPL-2.0-only
"""The learning environments, rule by rule of Gymnasium's check_env."""

import gc
import inspect
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import uuid
from pathlib import Path

ROOT = Path(os.environ.get("EDGEPIPE_ROOT", Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(ROOT / "analysis"))

try:
    import numpy
    from edgepipe.environment import InferenceEnvironment, PipelineEnvironment
    from edgepipe.spaces import Box, Discrete, Env
except ImportError:
    numpy = None

PIPELINE = {"model": "mnist_cnn", "iterations": 8, "link": "lan", "load": "slowest:0.3@0.1s",
            "replan_threshold": 0.05}
INFERENCE = {"model": "resnet18", "frames": 12, "bandwidth": "0s:8Mbps,5s:1Mbps"}


def make():
    return (PipelineEnvironment(**PIPELINE), InferenceEnvironment(**INFERENCE))


def play(environment, seed, pick=None):
    """An episode: observations, rewards, the last info. Actions are drawn, or picked."""
    environment.action_space.seed(seed)
    observation, info = environment.reset(seed=seed)
    seen, rewards, terminated = [observation], [], False
    while not terminated:
        action = environment.action_space.sample() if pick is None else pick
        observation, reward, terminated, truncated, info = environment.step(action)
        seen.append(observation)
        rewards.append(reward)
    return [one.tolist() for one in seen], rewards, info


def play_alone(seed):
    """In a process of its own."""
    environment = PipelineEnvironment(**PIPELINE)
    return play(environment, seed)[:2]


@unittest.skipUnless(numpy, "needs numpy")
class Rules(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.environments = make()

    @classmethod
    def tearDownClass(cls):
        for one in cls.environments:
            one.close()

    def each(self):
        for one in self.environments:
            with self.subTest(type(one).__name__):
                yield one

    def test_it_is_an_environment_with_spaces(self):
        # check_env: isinstance Env, has action_space and observation_space, of known kinds.
        for one in self.each():
            self.assertIsInstance(one, Env)
            self.assertIsInstance(one.observation_space, Box)
            self.assertIsInstance(one.action_space, Discrete)
            self.assertIs(one.unwrapped, one)

    def test_the_observation_space_makes_sense(self):
        # check_observation_space: no empty dimension, low <= high, a dtype for its bounds.
        for one in self.each():
            space = one.observation_space
            self.assertTrue(all(size > 0 for size in space.shape))
            self.assertTrue(numpy.all(space.low <= space.high))
            self.assertEqual((space.low.shape, space.high.shape), (space.shape, space.shape))
            self.assertEqual(space.dtype, numpy.float32)

    def test_the_action_space_makes_sense(self):
        # check_action_space: Discrete has n > 0, samples are contained, others are not.
        for one in self.each():
            self.assertGreater(one.action_space.n, 1)
            for _ in range(20):
                self.assertTrue(one.action_space.contains(one.action_space.sample()))
            for wrong in (-1, one.action_space.n, 0.5, "0", None):
                self.assertFalse(one.action_space.contains(wrong))

    def test_reset_has_seed_and_options_as_keywords(self):
        # check_reset_seed, check_reset_options: the signature, and the same observation for a seed.
        for one in self.each():
            signature = inspect.signature(one.reset).parameters
            self.assertEqual(signature["seed"].kind, inspect.Parameter.KEYWORD_ONLY)
            self.assertIsNone(signature["seed"].default)
            self.assertIn("options", signature)
            first, _ = one.reset(seed=123)
            state = one.np_random.bit_generator.state
            again, _ = one.reset(seed=123, options={})
            self.assertEqual(first.tolist(), again.tolist())
            self.assertEqual(state, one.np_random.bit_generator.state)

    def test_reset_returns_an_observation_and_a_dictionary(self):
        # check_reset_return_type.
        for one in self.each():
            result = one.reset()
            self.assertIsInstance(result, tuple)
            self.assertEqual(len(result), 2)
            self.assertTrue(one.observation_space.contains(result[0]), result[0])
            self.assertIsInstance(result[1], dict)

    def test_step_returns_five_things_of_their_kinds(self):
        # env_step_passive_checker: observation contained, a finite reward, two truth values, a dict.
        for one in self.each():
            one.reset(seed=3)
            terminated = False
            while not terminated:
                result = one.step(one.action_space.sample())
                self.assertEqual(len(result), 5)
                observation, reward, terminated, truncated, info = result
                self.assertTrue(one.observation_space.contains(observation), observation)
                self.assertIsInstance(reward, float)
                self.assertTrue(numpy.isfinite(reward))
                self.assertIsInstance(terminated, bool)
                self.assertIsInstance(truncated, bool)
                self.assertIsInstance(info, dict)
            with self.assertRaises(RuntimeError):
                one.step(0)

    def test_render_modes_are_declared(self):
        # check_env: metadata has render_modes; render without one returns nothing.
        for one in self.each():
            self.assertEqual(one.metadata["render_modes"], [])
            self.assertIsNone(one.render_mode)

    def test_actions_outside_the_space_are_refused(self):
        for one in self.each():
            one.reset(seed=1)
            with self.assertRaisesRegex(ValueError, "Discrete"):
                one.step(one.action_space.n)

    def test_the_same_seed_gives_the_same_episode(self):
        for one in self.each():
            first, again = play(one, 5)[:2], play(one, 5)[:2]
            self.assertEqual(first, again)

    def test_actions_matter_and_returns_are_what_the_scenario_says(self):
        pipeline, inference = self.environments
        rewards = []
        for action in (0, pipeline.action_space.n - 1):
            _, reward, info = play(pipeline, 1, action)
            rows = info["results"].results
            rows = rows.to_dict("records") if hasattr(rows, "columns") else rows
            total = next(row["totalSeconds"] for row in rows if row["case"] == "replanning")
            self.assertAlmostEqual(sum(reward), -float(total), places=6)
            rewards.append(sum(reward))
        self.assertNotEqual(*rewards)
        self.assertNotEqual(*(sum(play(inference, 1, action)[1])
                              for action in (0, inference.action_space.n - 1)))


@unittest.skipUnless(numpy, "needs numpy")
class Processes(unittest.TestCase):
    def test_several_at_once_give_what_each_alone_gives(self):
        alone = [play_alone(seed) for seed in (1, 2)]
        with multiprocessing.get_context("spawn").Pool(2) as pool:
            self.assertEqual(pool.map(play_alone, (1, 2)), alone)

    def test_episodes_leave_no_folders_threads_or_files(self):
        def count():
            return threading.active_count(), len(os.listdir("/proc/self/fd"))

        with tempfile.TemporaryDirectory() as folder:
            before, tempfile.tempdir = tempfile.tempdir, folder
            try:
                environment = PipelineEnvironment(**PIPELINE)
                once = count()
                for seed in range(3):
                    play(environment, seed)
                environment.reset(seed=1)
                environment.close()
                del environment
                gc.collect()
                self.assertEqual(os.listdir(folder), [])
                time.sleep(0.5)  # threads that serve see the end of their connection
                self.assertLessEqual(count(), once)
            finally:
                tempfile.tempdir = before

    def test_a_killed_one_leaves_no_process(self):
        mark = uuid.uuid4().hex
        script = ("import sys, time\n"
                  f"sys.path.insert(0, {str(ROOT / 'analysis')!r})\n"
                  "from edgepipe.environment import PipelineEnvironment\n"
                  f"environment = PipelineEnvironment(**{PIPELINE!r})\n"
                  "environment.reset(seed=1)\nprint('ready', flush=True)\ntime.sleep(1000)\n")
        child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE,
                                 env={**os.environ, "EDGEPIPE_TEST_MARK": mark})
        self.addCleanup(child.stdout.close)
        self.addCleanup(child.kill)
        self.assertEqual(child.stdout.readline(), b"ready\n")

        def left():
            found = []
            for entry in Path("/proc").iterdir():
                try:
                    if entry.name.isdigit() and mark.encode() in (entry / "environ").read_bytes():
                        found.append(entry.name)
                except OSError:
                    pass
            return found

        self.assertGreater(len(left()), 2)
        child.send_signal(signal.SIGKILL)
        child.wait()
        deadline = time.monotonic() + 10
        while left() and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertEqual(left(), [])


if __name__ == "__main__":
    unittest.main()
