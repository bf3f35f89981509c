# SPDX-License-Identifier: GPL-2.0-only
"""The learning environments, rule by rule of Gymnasium's check_env."""

import gc
import importlib.util
import inspect
import json
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
import warnings
from pathlib import Path

from places import InFolder, ROOT


try:
    import numpy
    from edgepipe.energy import inference_joules, pipeline_joules
    from edgepipe.environment import InferenceEnvironment, PipelineEnvironment
    from edgepipe.running import Results
    from edgepipe.spaces import Box, Discrete, Env
except ImportError:
    numpy = None
try:
    import gymnasium
except ImportError:
    gymnasium = None

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


def replanned(info):
    """The row of the case that an episode is."""
    return next(row for row in info["results"].rows() if row["case"] == "replanning")


def play_alone(seed):
    """In a process of its own: observations, rewards, and the bytes of what the scenario wrote."""
    environment = PipelineEnvironment(**PIPELINE)
    seen, rewards, info = play(environment, seed)
    folder = info["results"].folder
    return seen, rewards, {path.name: path.read_bytes() for path in sorted(folder.iterdir())
                           if path.suffix in (".csv", ".json") and path.name != "run.json"}


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

    # The rules of Gymnasium's env_checker and passive_env_checker, by the names of its functions.

    def test_check_env(self):
        for one in self.each():
            self.assertIsInstance(one, Env)
            self.assertIs(one.unwrapped, one)
            self.assertTrue(hasattr(one, "action_space") and hasattr(one, "observation_space"))
        again = PipelineEnvironment(**PIPELINE)
        for _ in range(2):  # what is closed may be closed
            again.close()

    def test_check_observation_space(self):
        # Of check_space and _check_box_observation_space: bounds of the space's shape, low < high.
        for one in self.each():
            space = one.observation_space
            self.assertIsInstance(space, Box)
            self.assertTrue(space.shape and all(size > 0 for size in space.shape))
            self.assertEqual((space.low.shape, space.high.shape), (space.shape, space.shape))
            self.assertTrue(numpy.all(space.low < space.high))
            # Of check_space_limit.
            self.assertTrue(numpy.all(numpy.isfinite(space.low) & numpy.isfinite(space.high)))
            self.assertEqual(space.dtype, numpy.float32)

    def test_check_action_space(self):
        # Of check_space: n > 0, no shape; and samples are contained, others are not.
        for one in self.each():
            space = one.action_space
            self.assertIsInstance(space, Discrete)
            self.assertGreater(space.n, 1)
            self.assertEqual(space.shape, ())
            for _ in range(20):
                self.assertIn(space.sample(), space)
            for wrong in (-1, space.n, 0.5, "0", None):
                self.assertFalse(space.contains(wrong))

    def test_check_reset_seed_and_deprecations(self):
        for one in self.each():
            self.assertFalse(callable(getattr(one, "seed", None)))
            self.assertNotIn("return_info", inspect.signature(one.reset).parameters)
            parameter = inspect.signature(one.reset).parameters["seed"]
            self.assertEqual(parameter.kind, inspect.Parameter.KEYWORD_ONLY)
            self.assertIsNone(parameter.default)
            first, _ = one.reset(seed=123)
            self.assertIn(first, one.observation_space)
            state = one.np_random.bit_generator.state
            again, _ = one.reset(seed=123)
            self.assertEqual(first.tolist(), again.tolist())
            self.assertEqual(state, one.np_random.bit_generator.state)
            other, _ = one.reset(seed=456)
            self.assertIn(other, one.observation_space)
            self.assertNotEqual(state, one.np_random.bit_generator.state)

    def test_reset_passive_checker_options_return_type_and_check_obs(self):
        for one in self.each():
            self.assertIn("options", inspect.signature(one.reset).parameters)
            result = one.reset(seed=1, options={})
            self.assertIsInstance(result, tuple)
            observation, info = result
            self.assertIsInstance(observation, numpy.ndarray)
            self.assertEqual(observation.dtype, one.observation_space.dtype)
            self.assertIn(observation, one.observation_space)
            self.assertIsInstance(info, dict)

    def test_env_step_passive_checker(self):
        for one in self.each():
            one.reset(seed=3)
            terminated = False
            while not terminated:
                result = one.step(one.action_space.sample())
                self.assertIsInstance(result, tuple)
                self.assertEqual(len(result), 5)
                observation, reward, terminated, truncated, info = result
                self.assertEqual(observation.dtype, one.observation_space.dtype)
                self.assertIn(observation, one.observation_space)
                self.assertIsInstance(reward, float)
                self.assertTrue(numpy.isfinite(reward))
                self.assertIsInstance(terminated, bool)
                self.assertIsInstance(truncated, bool)
                self.assertIsInstance(info, dict)
            with self.assertRaises(RuntimeError):
                one.step(0)

    def test_env_render_passive_checker(self):
        for one in self.each():
            modes = one.metadata["render_modes"]
            self.assertIsInstance(modes, list)
            self.assertTrue(all(isinstance(mode, str) for mode in modes))
            self.assertEqual(modes, [])  # so that no frames per second are asked for
            self.assertIsNone(one.render_mode)

    @unittest.skipUnless(gymnasium, "Gymnasium is not installed, and Debian has none")
    def test_gymnasium_itself_finds_nothing(self):
        from gymnasium.utils.env_checker import check_env
        for name, options in (("Pipeline", PIPELINE), ("Inference", INFERENCE)):
            with self.subTest(name), warnings.catch_warnings():
                warnings.simplefilter("error")
                made = gymnasium.make(f"edgepipe/{name}-v0", **options)
                self.addCleanup(made.close)
                self.assertIsInstance(made.unwrapped.observation_space, gymnasium.spaces.Box)
                check_env(made.unwrapped)

    def test_actions_outside_the_space_are_refused_and_seeds_repeat_episodes(self):
        for one in self.each():
            one.reset(seed=1)
            with self.assertRaisesRegex(ValueError, "Discrete"):
                one.step(one.action_space.n)
            self.assertEqual(play(one, 5)[:2], play(one, 5)[:2])

    def test_actions_matter_and_returns_are_what_the_scenario_says(self):
        pipeline, inference = self.environments
        rewards = []
        for action in (0, pipeline.action_space.n - 1):
            _, reward, info = play(pipeline, 1, action)
            total = replanned(info)["totalSeconds"]
            self.assertAlmostEqual(sum(reward), -float(total), places=6)
            rewards.append(sum(reward))
        self.assertNotEqual(*rewards)
        self.assertNotEqual(*(sum(play(inference, 1, action)[1])
                              for action in (0, inference.action_space.n - 1)))


@unittest.skipUnless(numpy, "needs numpy")
class Processes(unittest.TestCase):
    def test_four_at_once_give_the_bytes_of_four_alone(self):
        seeds = (1, 2, 3, 4)
        alone = [play_alone(seed) for seed in seeds]
        self.assertIn("iterations.csv", alone[0][2])
        self.assertEqual(len({str(rewards) for _, rewards, _ in alone}), 4)
        with multiprocessing.get_context("spawn").Pool(4) as pool:
            self.assertEqual(pool.map(play_alone, seeds), alone)

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
                self.assertEqual(list(Path(folder).glob("*/*")), [])
                time.sleep(0.5)  # threads that serve see the end of their connection
                for now, before_it in zip(count(), once):
                    self.assertLessEqual(now, before_it)
            finally:
                tempfile.tempdir = before

    def test_a_killed_one_leaves_no_process_and_no_file(self):
        # The scenario computes for minutes when its environment dies, and asks nobody meanwhile.
        mark = uuid.uuid4().hex
        options = {**PIPELINE, "iterations": 1000000, "micro_batches": 64, "load": ""}
        script = ("import sys\n"
                  f"sys.path.insert(0, {str(ROOT / 'analysis')!r})\n"
                  "from edgepipe.environment import PipelineEnvironment\n"
                  f"environment = PipelineEnvironment(**{options!r})\n"
                  "environment.reset(seed=1)\nenvironment.step(1)\n")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        child = subprocess.Popen([sys.executable, "-c", script], env={
            **os.environ, "EDGEPIPE_TEST_MARK": mark, "TMPDIR": folder.name})
        self.addCleanup(child.kill)

        def left():
            found = {}
            for entry in Path("/proc").iterdir():
                try:
                    if entry.name.isdigit() and mark.encode() in (entry / "environ").read_bytes():
                        fields = (entry / "stat").read_text().rpartition(")")[2].split()
                        if fields[0] != "Z":
                            ticks = int(fields[11]) + int(fields[12])
                            found[entry.name] = (os.readlink(entry / "exe"), ticks)
                except OSError:
                    pass
            return found

        def computing():
            return any(program.endswith("adaptive-training")
                       and ticks > 0.5 * os.sysconf("SC_CLK_TCK")
                       for program, ticks in left().values())

        self.assertTrue(becomes(computing))
        self.assertNotEqual(os.listdir(folder.name), [])
        self.addCleanup(lambda: [os.kill(int(number), signal.SIGKILL) for number in left()])
        child.send_signal(signal.SIGKILL)
        child.wait()
        self.assertTrue(becomes(lambda: not left()), left())
        self.assertEqual(os.listdir(folder.name), [])


def becomes(true, tries=600):
    """Whether something becomes true within a minute."""
    for _ in range(tries):
        if true():
            return True
        time.sleep(0.1)
    return False


DEVICE = {"idleWatts": {"value": 2}, "loadWatts": {"value": 5}}
SERVER = {"idleWatts": {"value": 10}, "loadWatts": {"value": 110}}


@unittest.skipUnless(numpy, "needs numpy")
class Joules(InFolder):
    """Energy by hand, and as a reward."""

    def setUp(self):
        super().setUp()
        for name, figures in (("small", DEVICE), ("large", SERVER)):
            self.write(name, json.dumps(figures))

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return str(self.folder / name)

    def test_of_a_pipeline(self):
        small = {"name": "a", "type": str(self.folder / "small"), "memoryBytes": 1}
        self.write("problem.json", json.dumps({
            "problem": "pipeline", "microBatches": 1, "layers": [], "costs": {},
            "bandwidthBitsPerSecond": 1,
            "devices": [small, {**small, "name": "b", "type": str(self.folder / "large")}]}))
        self.write("results.csv", "case,totalSeconds\nneither,99\nreplanning,10\n")
        events = [{"ph": "M", "name": "process_name", "pid": pid, "args": {"name": name}}
                  for pid, name in ((1, "neither / a"), (2, "replanning / a"), (3, "replanning / b"))]
        events += [{"ph": "X", "cat": cat, "name": "forward", "pid": pid, "dur": seconds * 1e6}
                   for cat, pid, seconds in (("task", 1, 50), ("task", 2, 3), ("task", 2, 1),
                                             ("transfer", 2, 6), ("task", 3, 0.5))]
        self.write("timeline.json", json.dumps({"traceEvents": events}))
        # a: 10 s at 2 W, 4 s of them at 3 W more; b: 10 s at 10 W, half a second of them at 100 W more.
        self.assertAlmostEqual(pipeline_joules(Results(self.folder, "")), 20 + 12 + 100 + 50)

    def test_of_inference(self):
        self.write("run.json", json.dumps({"options": {"device": str(self.folder / "small"),
                                                       "server": str(self.folder / "large")}}))
        self.write("results.csv", "devices,simulatedSeconds\n3,10\n")
        self.write("frames.csv", "device,status,startedSeconds,computedSeconds,uploadedSeconds,"
                   "servedSeconds\na,finished,0,2,3,4\na,finished,1,3,5,5.5\nb,finished,0,0,3.5,4.5\n"
                   "b,dropped,,,,\n")
        # a computes from 0 to 3, b and a third never, the server from 3 to 4.5 and half a second more.
        self.assertAlmostEqual(inference_joules(Results(self.folder, "")), 3 * 20 + 3 * 3 + 100 + 2 * 100)

    def test_rewards(self):
        def last(environment, action):
            _, rewards, info = play(environment, 1, action)
            environment.close()
            self.assertTrue(all(reward == 0 for reward in rewards[:-1]))
            return -rewards[-1], info

        found, info = last(PipelineEnvironment("latency", **PIPELINE), 3)
        self.assertEqual(found, replanned(info)["iterationSeconds"])
        found, info = last(InferenceEnvironment("time", **INFERENCE), 3)
        self.assertEqual(found, info["results"].rows()[0]["simulatedSeconds"])
        found, info = last(PipelineEnvironment("joules", **PIPELINE), 3)
        seconds = replanned(info)["totalSeconds"]
        watts = [[json.loads((ROOT / "traces/devices" / f"{name}.json").read_text())[key]["value"]
                  for name in names] for key in ("idleWatts", "loadWatts")
                 for names in (("raspberry-pi-4b", "i7-9700k"),)]
        self.assertGreater(found, 1.001 * seconds * sum(watts[0]))
        self.assertLess(found, seconds * sum(watts[1]))
        found, info = last(InferenceEnvironment("joules", **INFERENCE), 70)
        row = info["results"].rows()[0]
        # A Raspberry Pi 3B that computes all the time, and a server that waits.
        self.assertAlmostEqual(found / (4.3 * row["simulatedSeconds"] + 18 * row["simulatedSeconds"]), 1,
                               delta=0.05)
        for kind in (PipelineEnvironment, InferenceEnvironment):
            with self.assertRaisesRegex(ValueError, "joules"):
                kind("money")


class Toy:
    """What PipelineEnvironment has, and a best action for each of two observations."""

    def __init__(self, **options):
        self.observation_space, self.action_space = Box(0.0, 1.0, (1,)), Discrete(5)

    def observe(self):
        return numpy.array([self.step_number % 2], numpy.float32)

    def reset(self, seed=None):
        self.step_number = 0
        return self.observe(), {}

    def step(self, action):
        reward = -float((action - (3 if self.step_number % 2 else 1)) ** 2)
        self.step_number += 1
        return self.observe(), reward, self.step_number == 6, False, {}

    def close(self):
        pass


@unittest.skipUnless(numpy and importlib.util.find_spec("torch"), "needs PyTorch")
class PolicyGradient(unittest.TestCase):
    SCRIPT = ROOT / "analysis" / "environments" / "policy_gradient.py"

    def test_it_learns_what_to_do_when(self):
        spec = importlib.util.spec_from_file_location("policy_gradient", self.SCRIPT)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        module.PipelineEnvironment = Toy
        self.assertGreater(module.learn(1, 8), 0)  # a step is too few
        self.assertEqual(module.learn(1, 400), 0)

    def test_mistakes_are_one_line(self):
        for word in ("--episodes=-1", "--seeds=0", "--jobs=two", "lte"):
            ended = subprocess.run([sys.executable, self.SCRIPT, word], capture_output=True, text=True)
            self.assertEqual((ended.returncode, ended.stdout), (2, ""))
            self.assertRegex(ended.stderr, f"^policy_gradient.py: .*{word.split('=')[-1]}.*\n$")

    def test_it_runs_and_is_short(self):
        self.assertLessEqual(len(self.SCRIPT.read_text().splitlines()), 150)
        ended = subprocess.run([sys.executable, self.SCRIPT, "--seeds=1", "--episodes=8"],
                               capture_output=True, text=True)
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        self.assertRegex(ended.stdout, r"learnt in 8 episodes, seed 1: +\d+\.\d\d s, \d\.\d{3} of anew")
