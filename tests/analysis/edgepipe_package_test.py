# SPDX-License-Identifier: GPL-2.0-only
"""The package edgepipe as a user's script meets it, and the planners of the field."""

import itertools
import json
import operator
import random
import re
import sys
import textwrap

from places import InFolder, ROOT

import edgepipe
import planner_order
from edgepipe import comparison
from edgepipe.chains import Chain, best_chain
from edgepipe.problems import PlanError, read_plan, read_problem, write_plan

PLANNERS = ROOT / "analysis" / "planners"
RUN = {"model": "alexnet", "link": "lan", "iterations": 1, "adjacent": "off"}


def make_problem(layers, devices, types, seed, memory=10 ** 8):
    """A pipeline problem with random figures; memory: least of a device, bytes."""
    draw = random.Random(seed)
    return read_problem({
        "problem": "pipeline", "microBatches": draw.randint(1, 4),
        "layers": [{"name": f"l{i}", "inputs": [f"l{i - 1}"] if i else [],
                    "outputBytes": draw.randint(1, 10 ** 6), "parameterBytes": draw.randint(0, 100),
                    "activationBytes": draw.randint(0, 100)} for i in range(layers)],
        "devices": [{"name": f"d{i}", "type": f"t{i % types}",
                     "memoryBytes": memory * (1 + i % types),
                     **({"uplinkBitsPerSecond": draw.choice([1e6, 5e6, 2e7]),
                         "downlinkBitsPerSecond": draw.choice([1e6, 5e6, 2e7])}
                        if seed % 2 else {}),
                     **({"delaySeconds": draw.random() / 1000} if seed % 3 else {})}
                    for i in range(devices)],
        "costs": {f"t{i}": {side: [draw.random() for _ in range(layers)]
                            for side in ("forwardSeconds", "backwardSeconds")}
                  for i in range(types)},
        "bandwidthBitsPerSecond": 1e7})


def every_chain(layers, devices):
    """Every way to cut layers into stages and to give each a device of its own."""
    for count in range(1, min(layers, devices) + 1):
        for cuts in itertools.combinations(range(1, layers), count - 1):
            edges = [0, *cuts, layers]
            for order in itertools.permutations(range(devices), count):
                yield [(device, edges[i], edges[i + 1]) for i, device in enumerate(order)]


class Problems(InFolder):
    def test_forms_round_trip_with_what_is_not_known_of_them(self):
        form = make_problem(3, 2, 2, 1).to_json()
        form["devices"][0]["colour"] = "red"
        form["state"] = {"seconds": 2.0, "plan": {"stages": []}, "devices": [{"name": "d0", "share": 0.5}]}
        problem = read_problem(form)
        self.assertEqual(problem.state.devices[0].share, 0.5)
        self.assertIsNone(problem.state.devices[0].backlog)
        self.assertEqual(problem.to_json(), form)
        plan = problem.plan([(1, 0, "l1"), ("d0", 2, 2)])
        self.assertEqual(read_plan(problem, write_plan(plan)), plan)
        self.assertEqual(write_plan(plan)["formatVersion"], 1)

    def test_the_text_of_a_cut_names_its_sides(self):
        names = ["a", "b..c", "c", "d"]
        problem = read_problem({"problem": "two-way-cut", "inputBytes": 1, "uplinkBitsPerSecond": 1,
                                "downlinkBitsPerSecond": 1, "layers": [
                                    {"name": name, "inputs": [], "outputBytes": 1, "deviceSeconds": 1, "serverSeconds": 1}
                                    for name in names]})
        for text, mine in (("pi-0 a..d", names), ("server a..d", []), ("2 devices a,c > server b..c,d", ["a", "c"]),
                           ("2 devices a..b..c > server c..d", names[:2])):
            plan = problem.plan_of(text)
            self.assertEqual((plan.device_layers, plan.server_layers), (mine, [one for one in names if one not in mine]))
        for wrong in ("", "pi-0 e", "x > y > z", "first: pi-0 a..d | last: server a..d"):
            with self.assertRaisesRegex(PlanError, "plan: found .*, expected "):
                problem.plan_of(wrong)

    def test_mistakes_are_told(self):
        good = make_problem(2, 1, 1, 1).to_json()
        for change, words in (({"problem": "knapsack"}, '"knapsack"'), ({"formatVersion": 3}, "3"),
                              ({"devices": [{"name": "d"}]}, '"type" is missing'),
                              ({"layers": [7]}, "found 7")):
            with self.assertRaisesRegex(PlanError, words):
                read_problem({**good, **change})
        with self.assertRaisesRegex(PlanError, "expected a plan"):
            write_plan(None)
        problem = read_problem(good)
        (self.folder / "problem.json").write_text(json.dumps(good))
        (self.folder / "run.json").write_text('{"scenario": "plan"}')
        for wrong in (lambda: edgepipe.problem(self.folder), lambda: edgepipe.run(None), lambda: edgepipe.run("plan", out=3),
                      lambda: edgepipe.problem(None), lambda: edgepipe.problem("/none"), lambda: edgepipe.problem({"problem": []}),
                      lambda: edgepipe.plan(good), lambda: edgepipe.plan(problem, "even,dp"),
                      lambda: edgepipe.simulate(None, None), lambda: problem.plan([(-1, 0, 0)]),
                      lambda: problem.seconds(0, 0, -1), lambda: problem.memory_bytes(-1, 0)):
            with self.subTest(wrong.__code__.co_consts), self.assertRaisesRegex(PlanError, ": found .*, expected "):
                wrong()
        with self.assertRaisesRegex(edgepipe.ScenarioError, "null byte"):
            edgepipe.run("plan", problem="a\0b")

    def test_iteration_seconds_are_those_of_the_cost_model(self):
        for seed in range(8):
            form = make_problem(6, 3, 2, seed).to_json()
            if seed >= 5:
                # Two layers use weights of others; the even plan has them on several devices.
                for layer, owner in ((4, 1), (5, 1), (5, 2)):
                    form["layers"][owner]["parameterBytes"] = 10 ** 5 * owner
                    form["layers"][layer].setdefault("tied", []).append(
                        {"layer": form["layers"][owner]["name"], "bytes": 10 ** 5 * owner})
            problem = read_problem(form)
            for planner in ("dp", "dp-dgpas", "exact", "even"):
                plan = edgepipe.plan(problem, planner)
                self.assertAlmostEqual(problem.iteration_seconds(plan),
                                       plan.more["iterationSeconds"], places=9)

    def test_a_stage_takes_the_memory_that_planners_count(self):
        # As in pipeline-cost-model-test.cc: a feeds b and d, c follows b, d joins a and c.
        form = {**make_problem(4, 1, 1, 0).to_json(), "microBatches": 4, "optimizerStates": 2, "layers": [
            {"name": name, "inputs": inputs, "outputBytes": output, "parameterBytes": 2 ** place,
             "activationBytes": 10 * 2 ** place}
            for place, (name, inputs, output) in enumerate((("a", [], 100), ("b", ["a"], 30), ("c", ["b"], 7),
                                                            ("d", ["a", "c"], 1)))]}
        for recomputes, sizes in ((False, (4 * 6 + 260 + 4 * 160, 4 * 4 + 260 + 4 * 140)),
                                  (True, (4 * 6 + 260 + 160 + 4 * 100, 4 * 4 + 260 + 140 + 4 * 130))):
            problem = read_problem({**form, "recomputes": recomputes})
            self.assertEqual((problem.memory_bytes(1, 2), problem.memory_bytes(2, 2)), sizes)
        # The loss keeps the output; weights of a stage before count again, once.
        form["layers"][3].update(outputBytes=1000, tied=[{"layer": "a", "bytes": 1}])
        form["layers"][2]["tied"] = [{"layer": "a", "bytes": 1}, {"layer": "b", "bytes": 2}]
        self.assertEqual(read_problem(form).memory_bytes(2, 3),
                         4 * (12 + 1 + 2) + 2 * 1000 + 4 * (120 + 1000 + 130 - 30))


class Field(InFolder):
    def test_the_best_chain_is_that_of_all_chains(self):
        for seed in range(12):
            problem = make_problem(5, 4, 2, seed, memory=4 * 10 ** 6)
            chain = Chain(problem)
            for combine, source in ((max, None), (max, 0), (operator.add, 0)):
                def cost(stages):
                    total = 0.0
                    before = None
                    for device, first, end in stages:
                        total = combine(combine(total, chain.transfer(before, device, first)),
                                        chain.stage(device, first, end))
                        before = device
                    return total
                fitting = [stages for stages in every_chain(5, 4)
                           if all(chain.fits(*stage) for stage in stages)
                           and (source is None or stages[0][0] == source)]
                found = [(device, first, last + 1)
                         for device, first, last in best_chain(problem, combine, source)]
                self.assertIn(found, fitting)
                self.assertAlmostEqual(cost(found), min(map(cost, fitting)))

    def test_every_planner_makes_a_plan(self):
        problem = make_problem(6, 3, 2, 3)
        file = self.folder / "problem.json"
        file.write_text(json.dumps(problem.to_json()))
        for name in ("capacity_proportional", "pipeedge", "edgeshard", "edgeshard latency", "pipedream", "even"):
            with self.subTest(name):
                word, *more = name.split()
                command = " ".join([str(PLANNERS / f"{word}.py"), *more])
                plan = edgepipe.plan(problem, f"exec:{command}")
                self.assertEqual(plan.stages[0].first_layer, "l0")
                if word == "edgeshard":
                    self.assertEqual(plan.stages[0].device, "d0")

    def test_pairs_in_the_wrong_order_are_found(self):
        rows = [{"planner": name, "predictedSeconds": predicted, "simulatedSeconds": simulated}
                for name, predicted, simulated in (("a", 1, 3), ("b", 2, 2), ("c", 2.03, 2.5),
                                                   ("d", 4, 2.03))]
        pairs = {(pair["faster"], pair["slower"]): pair for pair in planner_order.compare(rows)}
        # b and c are a tie by prediction, b and d by simulation.
        self.assertEqual({"TIE": comparison.TIE, "FAR": comparison.FAR},
                         {name: float(value) for file in ("run-report.h", "experiment.cc") for name, value in
                          re.findall(r"constexpr double (TIE|FAR) = (.*);", (ROOT / "scenarios/lib" / file).read_text())})
        self.assertEqual(set(pairs), {("a", "b"), ("a", "c"), ("a", "d"), ("c", "d")})
        self.assertTrue(all(pair["isReversed"] for pair in pairs.values()))
        self.assertEqual(pairs["a", "b"]["predictedRatio"], 2)
        rows[0]["simulatedSeconds"] = 1
        kept = [pair for pair in planner_order.compare(rows) if not pair["isReversed"]]
        self.assertEqual(len(kept), 3)

    def test_the_order_of_planners_is_compared_by_one_command(self):
        ended = self.ended(self.start(sys.executable, ROOT / "analysis/papers/planner_order.py",
                                      "--models=alexnet", "--links=lan", "--ours=even,exact", "--out=out"))
        self.assertRegex(ended.stdout, r"lan +\d+ +0  -")
        self.assertEqual(len(self.read_csv("out", "order.csv")), 2 + 5)
        self.assertEqual(self.read_csv("out", "reversed.csv"), [])
        for words, said in (("--links=lan,", "--links: found"), ("--ours=", "--ours: found"), ("--ours=dp,dp", "--ours: found"),
                            ("--ours=nobody", '--planner: found "nobody"')):
            ended = self.start(sys.executable, ROOT / "analysis/papers/planner_order.py", "--models=alexnet", words, "--out=none")
            self.assertIn(said, self.ended(ended, 2).stderr)
            self.assertFalse((self.folder / "none").exists())

    def test_a_folder_with_files_of_others_is_left_alone(self):
        (self.folder / "mine.txt").write_text("")
        for script in ("planner_order", "joint_help", "load_variance"):
            ended = self.start(sys.executable, ROOT / f"analysis/papers/{script}.py", f"--out={self.folder}")
            self.assertIn('holds "mine.txt", which no run wrote there', self.ended(ended, 2).stderr)

    def test_files_are_short(self):
        for path in PLANNERS.glob("*.py"):
            lines = path.read_text().splitlines()
            self.assertLess(len(lines), 70, path)
            if path.stem in ("even", "edge_only", "equal", "all_local"):
                self.assertLessEqual(len(lines), 30, path)


class Running(InFolder):
    def test_a_run_gives_tables_and_timeline(self):
        ran = edgepipe.run("pipeline-training", planner=["even", "dp"], **RUN)
        self.assertEqual([row["planner"] for row in ran.rows()], ["even", "dp", "fastest-device"])
        self.assertIn("iterations", ran.keys())
        with self.assertRaisesRegex(KeyError, "nonsense.*expected one of devices, iterations, "):
            ran["nonsense"]
        self.assertGreater(len(ran.timeline), 10)
        self.assertEqual(ran.run["scenario"], "pipeline-training")
        folder = ran.folder
        self.assertTrue(folder.exists())
        del ran
        self.assertFalse(folder.exists())

    def test_a_function_is_asked_in_this_process(self):
        asked = []

        def last_first(problem):
            asked.append(problem.state)
            count = len(problem.layers)
            return problem.plan([(len(problem.devices) - 1, 0, count - 1)])

        def even(problem):
            return last_first(problem)

        ran = edgepipe.run("pipeline-training", planner=[last_first, "even", even, last_first], **RUN)
        self.assertEqual(asked, [None] * 3)
        self.assertEqual(int(ran.rows()[0]["stages"]), 1)
        self.assertEqual([row["planner"] for row in ran.rows()],
                         ["last_first", "even", "even#2", "last_first#2", "fastest-device"])
        self.assertNotIn("exec:", "".join(path.read_text() for path in ran.folder.iterdir()))
        self.assertNotIn("exec:", ran.output)
        asked.clear()
        ran = edgepipe.run("adaptive-training", planner=last_first, iterations=6, adjacent="off",
                           load="slowest:0.3@1s", timeline=False)
        during = [state for state in asked if state]
        self.assertGreater(len(during), 0)
        self.assertGreater(during[0].seconds, 0)
        self.assertIn("stages", during[0].plan)
        self.assertTrue(all(0 <= device.share <= 1 for device in during[0].devices))

    def test_what_is_known_of_devices_during_a_run(self):
        cases = (
            ("adaptive-training", {"iterations": 6, "load": "slowest:0.3@1s", "timeline": False},
             lambda problem: problem.plan([(0, 0, len(problem.layers) - 1)]),
             lambda problem: {problem.devices[0].name}, "share backlog"),
            ("cooperative-inference", {"frames": 20, "bandwidth": "0s:8Mbps,1s:1Mbps"},
             lambda problem: problem.plan(range(len(problem.layers))),
             lambda problem: {"device"}, "uplink_bits_per_second share backlog"),
            ("actor-learner", {"actors": 3, "duration": "2s", "warm_up": "1s", "link": "lan"},
             lambda problem: problem.plan([len(problem.layer_flop)] * len(problem.actors)),
             lambda problem: {"server"}, "share backlog"),
            ("data-parallel", {"updates": 20, "devices": 3},
             lambda problem: problem.plan([problem.base_batch - 2, 1, 1]),
             lambda problem: {problem.nodes[0].name}, "share backlog"))
        for scenario, options, plan, names, figures in cases:
            with self.subTest(scenario):
                asked = []

                def decide(problem):
                    asked.append(problem)
                    return plan(problem)

                edgepipe.run(scenario, planner=decide, **options)
                during = [problem for problem in asked if problem.state]
                self.assertGreater(len(during), 0)
                for problem in during:
                    known = {device.name: device for device in problem.state.devices}
                    for name in names(problem):
                        for figure in figures.split():
                            self.assertIsNotNone(getattr(known[name], figure), (name, figure))
                        self.assertGreater(known[name].share, 0)

    def test_what_a_function_throws_is_raised(self):
        def broken(problem):
            raise KeyError("colour")

        with self.assertRaisesRegex(edgepipe.ScenarioError, "planner broken: .*KeyError: 'colour'") as caught:
            edgepipe.run("pipeline-training", planner=broken, **RUN)
        self.assertIsInstance(caught.exception.__cause__, KeyError)
        with self.assertRaisesRegex(edgepipe.ScenarioError, "--link"):
            edgepipe.run("pipeline-training", link="carrier-pigeon")
        with self.assertRaisesRegex(edgepipe.ScenarioError, "pipeline-training"):
            edgepipe.run("pipeline-trainnig")

    def test_a_plan_is_simulated(self):
        ran = edgepipe.run("pipeline-training", planner="even", **RUN)
        problem = ran.problem
        exact = edgepipe.plan(problem, "exact")
        alone = edgepipe.simulate(problem, exact).rows()
        direct = edgepipe.run("pipeline-training", planner="exact", **RUN).rows()
        self.assertEqual(len(alone), 1)
        self.assertEqual(alone[0]["iterationSeconds"], direct[0]["iterationSeconds"])
        slower = edgepipe.simulate(problem, exact, bandwidth="10Mbps").rows()
        self.assertGreater(slower[0]["iterationSeconds"], alone[0]["iterationSeconds"])
        self.assertEqual([row["planner"] for row in edgepipe.run(
            "pipeline-training", planner=["exact", exact], **RUN).rows()], ["exact", "plan:exact", "fastest-device"])
        for made in (exact, problem.plan([(0, 0, len(problem.layers) - 1)])):
            with self.assertRaisesRegex(edgepipe.ScenarioError, 'model: found ".*", expected "vgg16"'):
                edgepipe.simulate(problem, made, model="vgg16")

    def test_a_plan_with_a_group_is_made_and_simulated(self):
        ran = edgepipe.run("pipeline-training", planner="even", groups="true", **{**RUN, "micro_batch_size": 8})
        problem, last = ran.problem, len(ran.problem.layers) - 1
        self.assertEqual(problem.seconds(0, 0, last, 8), problem.seconds(0, 0, last))
        two, three, four = (sum(problem.seconds(0, 0, last, samples)) for samples in (2, 3, 4))
        self.assertAlmostEqual(three, (two + four) / 2)
        plan = problem.plan([({0: 5, problem.devices[1].name: 3}, 0, last)])
        row, = edgepipe.simulate(problem, plan).rows()
        self.assertEqual(row["status"], "finished")
        names = [device.name for device in problem.devices]
        self.assertIn(f"{names[0]} (5) + {names[1]} (3) ", row["plan"])
        self.assertEqual(problem.plan_of(row["plan"]), plan)
        even = problem.plan_of(f"{names[0]}..{names[1]} (4 each) {problem.layers[0].name}..{problem.layers[-1].name}")
        self.assertEqual([(one.device, one.samples) for one in even.stages[0].devices], [(names[0], 4), (names[1], 4)])
        for wrong in (lambda: problem.iteration_seconds(plan),
                      lambda: problem.iteration_seconds(problem.plan([({}, 0, last)])),
                      lambda: problem.seconds(0, 0, last, 9), lambda: problem.seconds(0, 0, last, "4"),
                      lambda: problem.plan([({0: float("nan"), 1: 4}, 0, last)]), lambda: problem.plan_of("x) a..b"),
                      lambda: edgepipe.simulate(make_problem(2, 2, 1, 1), plan)):
            with self.assertRaisesRegex(PlanError, "found .*, expected "):
                wrong()

    def test_an_attribute_of_ns3_may_have_an_underscore(self):
        with self.assertRaisesRegex(edgepipe.ScenarioError, "--ns3::WifiMac::BE_MaxAmpduSize: .*big"):
            edgepipe.run("pipeline-training", **{"ns3::WifiMac::BE_MaxAmpduSize": "big"}, **RUN)

    def test_a_problem_of_ones_own_is_simulated(self):
        named = make_problem(4, 3, 2, 2)
        named.layers[0].name = "input"  # a layer that computes, and is not the model's input
        named.layers[1].inputs = ["input"]
        for key, name in (("t0", "type/0"), ("t1", "..")):
            named.costs[name] = named.costs.pop(key)
            for device in named.devices:
                device.type = name if device.type == key else device.type
        problems = [make_problem(6, 3, 2, seed) for seed in range(6)]
        for problem in (*problems, named):
            for planner in ("exact", "even"):
                plan = edgepipe.plan(problem, planner)
                row = edgepipe.simulate(problem, plan).rows()[0]
                predicted = problem.iteration_seconds(plan)
                self.assertAlmostEqual(row["predictedIterationSeconds"] / predicted, 1, delta=1e-4)
                self.assertAlmostEqual(row["iterationSeconds"] / predicted, 1, delta=0.03)
                self.assertEqual(row["planner"], f"plan:{planner}")
        slower = edgepipe.simulate(problems[3], edgepipe.plan(problems[3], "even"),
                                   link="wifi", bandwidth="", fidelity="flow").rows()
        self.assertEqual(slower[0]["link"], "wifi")

    def test_other_problems_are_simulated_by_their_run_alone(self):
        problem = read_problem({
            "problem": "batch-shares", "baseBatch": 4, "nodes": [
                {"name": "n", "opsPerSecond": 1, "memoryBytesInUse": 1, "latencySeconds": 1}]})
        with self.assertRaisesRegex(PlanError, "a batch-shares problem says too little"):
            edgepipe.simulate(problem, problem.plan([4]))

    def test_a_language_model_is_planned_and_simulated(self):
        ran = edgepipe.run("llm-inference", planner="by-speed", model="llama-3.2-1b", devices=2, output=2)
        problem = ran.problem
        plan = edgepipe.plan(problem, "by-speed")
        self.assertEqual([(part.node, part.amount) for part in plan.parts],
                         [(node.name, problem.amount // 2) for node in problem.nodes])
        uneven = problem.plan([(0, 3), (problem.nodes[1].name, problem.amount - 3)])
        rows = [edgepipe.simulate(problem, one).rows()[0] for one in (plan, uneven)]
        self.assertEqual(rows[0]["tokenSeconds"], ran.rows()[0]["tokenSeconds"])
        self.assertNotEqual(rows[1]["tokenSeconds"], rows[0]["tokenSeconds"])
        with self.assertRaisesRegex(edgepipe.ScenarioError, f"shares out 3 parts, expected {problem.amount}"):
            edgepipe.simulate(problem, problem.plan([(0, 3)]))

    def test_the_documentation_s_python_runs(self):
        text = (ROOT / "contrib/edgepipe/doc/guide/own-planner.rst").read_text()
        blocks = [textwrap.dedent(block) for block in re.findall(
            r"code-block:: python\n\n((?:   .*\n|\n)+)", text)]
        self.assertEqual(len(blocks), 4)  # the second is a program of inference
        for name, block in zip(("mine.py", "study.py"), (blocks[0], "\n".join(
                ["from mine import two_fastest", *blocks[2:], "print(info['results'])"]))):
            (self.folder / name).write_text(block)
        self.assertIn("results of adaptive-training", self.ended(self.run_script("study.py"), stderr="").stdout)

    def run_script(self, name):
        return self.start(sys.executable, name, PYTHONPATH=str(ROOT / "analysis"))

    def test_a_script_of_ones_own_is_a_planner_and_a_script(self):
        script = self.folder / "mine.py"
        script.write_text(
            "import edgepipe\n"
            "@edgepipe.planner\n"
            "def mine(problem):\n"
            "    print('thinking')\n"
            "    return problem.plan([(0, 0, len(problem.layers) - 1)])\n"
            "ran = edgepipe.run('pipeline-training', planner=mine, model='alexnet',\n"
            "                   iterations=1, out='out')\n"
            "print(ran)\n")
        ended = self.run_script("mine.py")
        self.assertIn("results of pipeline-training", ended.stdout, ended.stderr)
        again = edgepipe.run("pipeline-training", planner=f"exec:{sys.executable} {script}", **RUN)
        self.assertEqual(int(again.rows()[0]["stages"]), 1)
