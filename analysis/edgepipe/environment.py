# SPDX-License-Identifier: GPL-2.0-only
"""Planning during a run as a reinforcement learning environment, with the interface of Gymnasium.

    from edgepipe.environment import PipelineEnvironment

    environment = PipelineEnvironment(cluster="edge-pair", load="slowest:0.4@20s")
    observation, info = environment.reset(seed=1)
    observation, reward, terminated, truncated, info = environment.step(action)

An episode is a run of a scenario, and a step is a decision, the first one before the run. The scenario waits
for actions in a process of its own, which ends with the environment, however that ends.
"""

import contextlib
import queue
import threading

import numpy

from edgepipe.energy import inference_joules, pipeline_joules
from edgepipe.running import ScenarioError, run
from edgepipe.spaces import Box, Discrete, Env


class _Ended(Exception):
    """The episode was abandoned."""


class PlanningEnvironment(Env):
    """Base of both environments; options are those of the scenario.

    reward: one of the class's `rewards`, whose negative is an episode's return; default: the first.
    info["problem"] is the problem as planners get it, info["results"], at the end, the scenario's results.
    The seed determines the scenario's run number.
    """

    metadata = {"render_modes": []}
    scenario = None

    def __init__(self, reward=None, **options):
        self.reward = self.rewards[0] if reward is None else reward
        if self.reward not in self.rewards:
            raise ValueError(f"found reward {reward!r}, expected one of {', '.join(self.rewards)}")
        self.options = {**self.fixed, **options}
        self._asked = self._answers = self._thread = None
        first = self._begin(1)
        self._end()
        self.observation_space = Box(0.0, 1e6, self._observe(first).shape, numpy.float32)
        self.action_space = Discrete(len(first.layers) + 1)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._end()
        # A run number for each episode, reproducible by the seed.
        number = int(seed) + 1 if seed is not None else int(self.np_random.integers(1, 2 ** 31))
        self._problem = self._begin(number)
        self._seconds = 0.0
        return self._observe(self._problem), {"problem": self._problem}

    def step(self, action):
        if self._thread is None:
            raise RuntimeError("step was called before reset, or after the end of the episode")
        if not self.action_space.contains(action):
            raise ValueError(f"found action {action!r}, expected one of {self.action_space}")
        self._answers.put(self._plan(self._problem, int(action)))
        asked = self._asked.get()
        if not isinstance(asked, tuple):  # the end: results, or an error
            self._thread = None
            if isinstance(asked, Exception):
                raise asked
            reward = self._last_reward(asked)
            return (self._observe(self._problem), reward, True, False,
                    {"problem": self._problem, "results": asked})
        self._problem = asked[0]
        return (self._observe(self._problem), self._reward(self._problem), False, False,
                {"problem": self._problem})

    def _reward(self, problem):
        return 0.0

    def close(self):
        self._end()

    __del__ = close

    def _begin(self, number):
        asked, answers, first_plan = queue.Queue(), queue.Queue(), []

        def decide(problem):
            if problem.state is None and first_plan:
                return first_plan[0]  # asked a second time before the run
            asked.put((problem,))
            plan = answers.get()
            if plan is None:
                raise _Ended("the episode was given up")
            first_plan.append(plan)
            return plan

        def work():
            try:
                asked.put(run(self.scenario, planner=decide, RngRun=number, **self.options))
            except Exception as error:  # raised again by step or reset
                asked.put(error)

        self._asked, self._answers = asked, answers
        self._thread = threading.Thread(target=work, daemon=True)
        self._thread.start()
        first = asked.get()
        if not isinstance(first, tuple):
            self._thread = None
            raise first if isinstance(first, Exception) else ScenarioError("nothing was asked", 1)
        return first[0]

    def _end(self):
        """Abandons the episode, if there is one, and waits for its end."""
        thread, self._thread = getattr(self, "_thread", None), None
        if thread is not None:
            while thread.is_alive():
                self._answers.put(None)
                thread.join(0.05)


class PipelineEnvironment(PlanningEnvironment):
    """Pipeline training on two or more devices, of which plans use the first two.

    An action is the number of layers on the first device, 0 to all. An observation has the bandwidth relative
    to the start, the share of each of the two devices that is left, and the share of layers on the first one.
    Rewards are negative: "time": seconds since the last decision, so that an episode's return is the time of
    the training; "latency": mean seconds of an iteration, at the end; "joules": energy of all devices, at the
    end.
    """

    scenario = "adaptive-training"
    rewards = ("time", "latency", "joules")
    fixed = {"adjacent": "off", "cluster": "edge-pair"}

    def __init__(self, reward=None, **options):
        timeline = {"timeline": reward == "joules" or options.get("timeline", False)}
        super().__init__(reward, **{**options, **timeline})

    def _plan(self, problem, action):
        last = len(problem.layers) - 1
        parts = [(0, 0, action - 1)] * (action > 0) + [(1, action, last)] * (action <= last)
        return problem.plan(parts)

    def _observe(self, problem):
        if problem.state is None:
            self._bandwidth = problem.bandwidth_bits_per_second
        shares = {device.name: device.share for device in problem.state.devices} \
            if problem.state else {}
        stages = problem.state.plan["stages"] if problem.state else []
        names = [layer.name for layer in problem.layers]
        mine = [names.index(stage["lastLayer"]) + 1 for stage in stages
                if stage["device"] == problem.devices[0].name]
        return numpy.array([problem.bandwidth_bits_per_second / self._bandwidth,
                            *(1.0 if shares.get(device.name) is None else shares[device.name]
                              for device in problem.devices[:2]),
                            sum(mine) / len(names)], numpy.float32)

    def _reward(self, problem):
        if self.reward != "time":
            return 0.0
        passed = problem.state.seconds - self._seconds
        self._seconds = problem.state.seconds
        return -float(passed)

    def _last_reward(self, results):
        if self.reward == "joules":
            return -pipeline_joules(results)
        row = next(row for row in results.rows() if row["case"] == "replanning")
        if self.reward == "latency":
            return -float(row["iterationSeconds"])
        return -(float(row["totalSeconds"]) - self._seconds)


class InferenceEnvironment(PlanningEnvironment):
    """Cooperative inference of a device and a server.

    An action is the number of layers on the device, in their order. An observation has uplink and downlink in
    Mbit/s, the share of the device that is left, its backlog, and the share of layers on it. Rewards are 0
    except the last, which is negative: "latency": mean seconds of a frame; "time": seconds of all frames;
    "joules": energy of device and server.
    """

    scenario = "cooperative-inference"
    rewards = ("latency", "time", "joules")
    fixed = {}

    def _plan(self, problem, action):
        return problem.plan(range(action))

    def _observe(self, problem):
        state = problem.state
        device = state.devices[0] if state and state.devices else None
        share = 1.0 if device is None or device.share is None else device.share
        backlog = 0 if device is None or device.backlog is None else device.backlog
        mine = len(state.plan["deviceLayers"]) / len(problem.layers) if state else 0.0
        return numpy.array([problem.uplink_bits_per_second / 1e6,
                            problem.downlink_bits_per_second / 1e6, share, backlog, mine],
                           numpy.float32)

    def _last_reward(self, results):
        if self.reward == "joules":
            return -inference_joules(results)
        column = {"latency": "meanLatencySeconds", "time": "simulatedSeconds"}[self.reward]
        return -float(results.rows()[0][column])


with contextlib.suppress(ImportError):
    import gymnasium

    gymnasium.register("edgepipe/Pipeline-v0", entry_point=PipelineEnvironment)
    gymnasium.register("edgepipe/Inference-v0", entry_point=InferenceEnvironment)
