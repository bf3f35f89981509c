# SPDX-License-Identifier: GPL-2.0-only
"""Plans and planners from outside: --plan, --planner=exec:..., and the package edgepipe."""

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

from places import BIN, ROOT
from programs import PROBLEM, Program, QUICK

PLANNERS = ROOT / "analysis" / "planners"
MARK = "EDGEPIPE_TEST_MARK"  # in the environment of all that a test starts

GOOD = ('{"stages": [{"device": "left", "firstLayer": "a", "lastLayer": "a"}, '
        '{"device": "right", "firstLayer": "b", "lastLayer": "b"}]}')


def stages(*parts):
    """A shell script that answers these stages."""
    form = [dict(zip(("device", "firstLayer", "lastLayer"), part)) for part in parts]
    return say(json.dumps({"stages": form}))


def say(text):
    """A shell script that answers a text, without its own end of the line."""
    return f"while read -r x; do printf '%s\\n' '{text}'; done"


def python(text):
    """A shell script that runs a program in Python."""
    return f"exec {sys.executable} -S -c '{text}'"


# What a program does, and words of the one line that is said about it.
MISBEHAVIOUR = [
    ("ends at once", "exit 0", ["ended with status 0", "@planner"]),
    ("ends with an error", "exit 3", ["ended with status 3"]),
    ("ends with last words", "echo 'Traceback'>&2; echo 'ValueError: no' >&2; exit 1",
     ["ended with status 1", "ValueError: no"]),
    ("is ended by a signal", "kill -SEGV $$", ["signal", "Segmentation fault"]),
    ("ends after it was asked", "read -r x; exit 0", ["ended with status 0"]),
    ("ends in mid-line", "read -r x; printf '{\"stages\"'", ["in the middle of a line"]),
    ("ends before the end of the line", f"read -r x; printf '%s' '{GOOD}'", ["in the middle of a line"]),
    ("prints text", say("hello"), ["answer", "not JSON", '"hello"']),
    ("prints text after the plan", say(GOOD + " done"), ["not JSON"]),
    ("prints half a plan", say(GOOD[:40]), ["not JSON"]),
    ("greets", f"echo hello; {say(GOOD)}", ["hello"]),
    ("answers a list", say(f"[{GOOD}]"), ["an array", "an object"]),
    ("answers a number", say("1"), ["found 1", "an object"]),
    ("answers the problem", "while read -r x; do printf '%s\\n' \"$x\"; done", ["unknown key"]),
    ("answers without stages", say("{}"), ['"stages" is missing']),
    ("answers no list of stages", say('{"stages": {}}'), ["stages", "an array"]),
    ("answers no stage", say('{"stages": []}'), ["before layer"]),
    ("answers an unknown key", say('{"stages": [], "why": 1}'), ["unknown key", '"why"']),
    ("answers in another version", say('{"formatVersion": 2, "stages": []}'),
     ["formatVersion: found 2, expected 1"]),
    ("repeats a key", say('{"stages": [], "stages": []}'), ["stages"]),
    ("names no device", stages(("up", "a", "b")), ["stages[0].device", '"up"', "a device"]),
    ("numbers a device", stages((0, "a", "b")), ["stages[0].device", "found 0"]),
    ("names no layer", stages(("left", "a", "z")), ["stages[0].lastLayer", '"z"', "a layer"]),
    ("gives a device two stages", stages(("left", "a", "a"), ("left", "b", "b")), ["left", "another stage"]),
    ("goes backwards, a cycle", stages(("left", "b", "a")), ["stage 0"]),
    ("repeats layers", stages(("left", "a", "a"), ("right", "a", "b")), ["stage 1"]),
    ("leaves layers out", stages(("left", "a", "a")), ["end before layer"]),
    ("exceeds memory", stages(("right", "a", "b")), ["needs", "right has"]),
    ("answers groups to a problem without them",
     say('{"stages": [{"devices": [{"device": "left", "samples": 1}, {"device": "right", "samples": 1}], '
         '"firstLayer": "a", "lastLayer": "b"}]}'), ["no costs of parts", "groups=true"]),
    ("answers infinity", say('{"stages": [], "iterationSeconds": 1e999}'), ["not JSON", "1e999"]),
    ("answers what is no text", "read -r x; printf '\\377\\376\\n'; sleep 1000", ["not JSON"]),
    ("answers zeros", "read -r x; head -c 100 /dev/zero; echo; sleep 1000", ["not JSON"]),
    ("answers in deep brackets", python('print("[" * 1000000, flush=True); import time; time.sleep(1000)'),
     ["not JSON"]),
    ("answers a gigabyte", "read -r x; head -c 1000000000 /dev/zero; sleep 1000",
     ["a line of more than 64 MiB"]),
    ("never answers", "sleep 1000", ["did not answer within"]),
    ("never answers and does not want to end", "trap '' TERM INT HUP; sleep 1000; sleep 1000",
     ["did not answer within"]),
    ("stops itself", "kill -STOP $$", ["did not answer within"]),
    ("closes its input", "exec 0<&-; sleep 1000", ["closed its standard input"]),
    ("closes its output", "read -r x; exec 1>&-; sleep 1000", ["closed its standard output"]),
    ("complains without end", "read -r x; yes no >&2", ["did not answer within"]),
    ("forks and ends", "sleep 1000 & sleep 1000 & exit 4", ["ended with status 4"]),
    ("forks and never answers", "sleep 1000 & (sleep 1000 & sleep 1000) & wait", ["did not answer within"]),
    ("starts a session of its own and ends", "setsid sleep 1000 & sleep 0.2; exit 5",
     ["ended with status 5"]),
    ("hides behind two sessions",
     "setsid -f setsid -f sh -c 'sleep 1000 & sleep 1000'; sleep 0.2; exit 6",
     ["ended with status 6"]),
    ("kills its parent", "read -r x; kill -KILL $PPID; sleep 1000", ["killed its guardian"]),
    ("closes its output and kills its parent", "read -r x; exec 1>&-; kill -KILL $PPID; sleep 1000",
     ["killed its guardian"]),
]


def find_marked(mark):
    """The processes that have the mark in their environment."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and mark.encode() in (entry / "environ").read_bytes():
                found.append((entry / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            pass  # it has ended, or is not ours
    return found


class OwnPlanner(Program):
    FRESH = 1000  # every process of a test has to end

    def setUp(self):
        super().setUp()
        self.mark = uuid.uuid4().hex
        for name, text in ((MARK, self.mark), ("PYTHONPATH", str(PLANNERS.parent))):
            before = os.environ.get(name)
            os.environ[name] = text
            self.addCleanup(lambda name=name, before=before: os.environ.pop(name) if before is None
                            else os.environ.__setitem__(name, before))

    def write(self, text):
        """A planner that runs a shell script."""
        path = self.folder.parent / "program.sh"
        path.write_text(text + "\n")
        return f"--planner=exec:/bin/sh {path}"

    def assert_nothing_left(self):
        left = []
        for _ in range(100):
            left = find_marked(self.mark)
            if not left:
                return
            time.sleep(0.05)
        self.fail(f"left behind: {left}")

    def plan(self, planner, *options):
        return self.run_program("plan", f"--problem={self.inputs / PROBLEM}", planner, *options)

    def test_misbehaviour_is_said_in_one_line_and_leaves_nothing(self):
        for what, script, words in MISBEHAVIOUR:
            with self.subTest(what):
                waits = "within" in words[0]
                # What is not to be noticed by waiting would take until the test's own end.
                result = self.plan(self.write(script), "--ns3::edgepipe::ExecPipelinePlanner::"
                                   f"Timeout={'500ms' if waits else '24h'}")
                self.assert_one_line(result, "plan: planner exec:/bin/sh ", *words)
                self.assertLess(len(result.stderr), 1000)
                self.assert_nothing_left()

    def test_commands_that_cannot_be_run(self):
        text = self.inputs / "text"
        text.write_text("no program\n")
        for command, word in (("nosuch-program", "No such file"), (text, "Permission denied"),
                              (self.inputs, "Permission denied"), (" ", "no command")):
            with self.subTest(command):
                result = self.plan(f"--planner=exec:{command}")
                self.assert_one_line(result, word)
        for wrong in ("exec:", "exce:true", "exec"):
            result = self.plan(f"--planner={wrong}")
            self.assertIn("exec:COMMAND", result.stderr)
            self.assertEqual(result.returncode, 2)

    def test_what_a_planner_starts_ends_with_it(self):
        result = self.ended(self.plan(self.write(f"setsid sleep 1000 & sleep 1000 & {say(GOOD)}")), stderr="")
        self.assertEqual(json.loads(result.stdout)["stages"], json.loads(GOOD)["stages"])
        self.assert_nothing_left()

    def test_a_killed_scenario_leaves_nothing(self):
        planner = self.write("setsid sleep 1000 & sleep 1000 & read x; sleep 1000")
        for number in (signal.SIGKILL, signal.SIGINT):
            run = subprocess.Popen([BIN / "plan", f"--problem={self.inputs / PROBLEM}", planner],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            deadline = time.monotonic() + 30
            while len(find_marked(self.mark)) < 5 and time.monotonic() < deadline:
                time.sleep(0.02)
            self.assertGreaterEqual(len(find_marked(self.mark)), 5)
            run.send_signal(number)
            run.wait()
            self.assert_nothing_left()

    def test_a_plan_may_fail_in_a_list_with_ours(self):
        result = self.run_program("pipeline-training", *QUICK, "--link=lan", "--out=out",
                                  self.write("exit 3") + ",even")
        self.assert_one_line(result, "ended with status 3")
        self.assertFalse((self.folder / "out").exists())

    def run_real(self, program, *options, status=0):
        """Runs a scenario on the real traces."""
        return self.ended(self.start(BIN / program, *options, **{MARK: self.mark}), status)

    def test_during_a_run_the_old_plan_stays_and_failures_are_counted(self):
        # A good planner that goes wrong after the first plans.
        def good_until(program, count, then):
            path = self.folder / "late.py"
            path.write_text(
                "import subprocess, sys, time\n"
                f"good = subprocess.Popen([sys.executable, {str(PLANNERS / program)!r}],\n"
                "                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)\n"
                "for number, line in enumerate(sys.stdin):\n"
                f"    if number >= {count}:\n"
                f"        {then}\n"
                "    good.stdin.write(line)\n"
                "    good.stdin.flush()\n"
                "    print(good.stdout.readline(), end='', flush=True)\n")
            return f"exec:{sys.executable} {path}"

        adaptive = ("adaptive-training", "--iterations=14", "--load=slowest:0.3@20s",
                    "--trace-offset=30s", "--adjacent=off", "--timeline=false")
        for then, word in (("sys.exit(9)", "ended with status 9"),
                           ("print('{}', flush=True); continue", '"stages" is missing'),
                           ("print('oh', flush=True); continue", "not JSON"),
                           ("time.sleep(1000)", "did not answer within 5 s")):
            with self.subTest(then):
                planner = good_until("pipeedge.py", 1, then)
                result = self.run_real(*adaptive, f"--planner={planner}", "--out=out",
                                       "--ns3::edgepipe::ExecPipelinePlanner::Timeout=5s")
                self.assertEqual(result.stderr, "")
                self.assertIn(word, result.stdout)
                row = {row["case"]: row for row in self.read_csv("out", "results.csv")}["replanning"]
                self.assertEqual((row["status"], row["planChanges"]), ("finished", "0"))
                self.assertGreater(int(row["failedDecisions"]), 0)
                self.assertEqual(row["failedDecisions"], row["decisions"])
                self.assert_nothing_left()
        for program, options, good, count in (
                ("cooperative-inference", ("--bandwidth=0s:8Mbps,5s:2Mbps", "--frames=40"),
                 "edge_only.py", 1),
                ("data-parallel", ("--updates=40", "--devices=3", "--planner=PLANNER"), "equal.py", 1),
                ("actor-learner", ("--actors=4", "--duration=3s", "--warm-up=1s", "--link=lan",
                                   "--bandwidth=0s:8Mbps,1s:2Mbps"), "all_local.py", 1)):
            with self.subTest(program):
                planner = good_until(good, count, "sys.exit(9)")
                words = [option.replace("PLANNER", planner) for option in options]
                if planner not in "".join(words):
                    words.append(f"--planner={planner}")
                result = self.run_real(program, *words, "--out=out")
                self.assertIn("ended with status 9", result.stdout)
                row = self.read_csv("out", "results.csv")[0]
                self.assertEqual(row["status"], "finished")
                self.assertGreater(int(row["failedDecisions"]), 0)
                self.assert_nothing_left()

    def test_the_same_algorithm_gives_the_same_bytes(self):
        cases = (
            ("pipeline-training", "planner", "even", "even.py",
             ("--model=alexnet", "--iterations=2", "--adjacent=both")),
            ("adaptive-training", "planner", "even", "even.py",
             ("--iterations=6", "--load=slowest:0.3@20s", "--cluster=pi-lab")),
            ("cooperative-inference", "planner", "edge-only", "edge_only.py",
             ("--bandwidth=0s:8Mbps,5s:2Mbps", "--frames=20")),
            ("actor-learner", "planner", "all-local", "all_local.py",
             ("--actors=4", "--duration=3s", "--warm-up=1s", "--link=lan")),
            ("data-parallel", "planner", "equal", "equal.py", ("--updates=20", "--devices=3")),
        )
        for program, option, name, file, options in cases:
            with self.subTest(program):
                command = f"exec:{PLANNERS / file}"
                shown = file if name == "even" or name == "equal" else Path(file).stem  # two are names of ours
                self.run_real(program, f"--{option}={name}", "--out=ours", *options)
                self.run_real(program, f"--{option}={command}", "--out=theirs", *options)
                tables = sorted(path.name for path in (self.folder / "ours").glob("*.csv"))
                self.assertIn("results.csv", tables)
                for table in (*tables, *(["timeline.json"] * (program == "pipeline-training"))):
                    ours = (self.folder / "ours" / table).read_text()
                    theirs = (self.folder / "theirs" / table).read_text().replace(shown, name)
                    if table == "results.csv":  # has one column more
                        ours, theirs = (
                            [{name: row[name] for name in row if name != "failedDecisions"}
                             for row in csv.DictReader(io.StringIO(text))] for text in (ours, theirs))
                    self.assertEqual(ours, theirs, table)

    def test_results_call_a_program_by_its_file(self):
        small = ("pipeline-training", *QUICK, "--link=lan", "--out=out")
        for name in ("mine.py", "even.py", "a/mine.py"):
            path = self.folder / name
            path.parent.mkdir(exist_ok=True)
            path.write_text((PLANNERS / "even.py").read_text())
            path.chmod(0o755)
        for programs, expected in (
                (["/usr/bin/python3 mine.py"], ["mine"]),
                (["/usr/bin/env python3 -u mine.py fast --n=2"], ["mine fast --n=2"]),
                (["/usr/bin/python3 even.py", "./mine.py"], ["even.py", "mine"]),  # even is ours
                (["/usr/bin/python3 mine.py", "/usr/bin/python3 a/mine.py"], None)):  # told apart by their commands
            with self.subTest(programs):
                commands = [f"exec:{program}" for program in programs]
                said = self.ended(self.run_program(*small, f"--planner={','.join(commands)},exact"), stderr="").stdout
                names = [*(expected or commands), "exact", "fastest-device"]
                self.assertEqual([row["planner"] for row in self.read_csv("out", "results.csv")], names)
                run = json.loads((self.folder / "out/run.json").read_text())
                self.assertEqual([case["planner"] for case in run["cases"]], names)
                self.assertEqual(run["options"]["planner"], ",".join([*commands, "exact"]))  # to be typed again
                self.assertEqual("exec:" in said, not expected)
                self.assertEqual(len({row["planner"] for row in self.read_csv("out", "iterations.csv")}), len(names))

    def test_decisions_of_a_program_do_not_hold_its_start(self):
        (self.folder / "slow.py").write_text(
            f"import sys, time\nsys.path.insert(0, {str(ROOT / 'analysis')!r})\ntime.sleep(1)\n" + (PLANNERS / "edge_only.py").read_text())
        self.run_real("cooperative-inference", "--bandwidth=0s:8Mbps,5s:2Mbps", "--frames=20", "--out=out",
                      f"--planner=exec:{sys.executable} slow.py,edge-only")
        slow, ours = json.loads((self.folder / "out/run.json").read_text())["cases"]
        self.assertGreaterEqual(slow["wallClock"]["startSeconds"], 1)
        self.assertEqual(ours["wallClock"]["startSeconds"], 0)

    def test_a_planner_started_by_hand_answers_or_says_what_to_type(self):
        def start(path, text):
            return subprocess.run([sys.executable, path], input=text, text=True, capture_output=True,
                                  env={**os.environ, "PYTHONPATH": str(PLANNERS.parent)})
        problem = (self.inputs / PROBLEM).read_text()
        for path in sorted(PLANNERS.glob("*.py")):
            with self.subTest(path.name):
                said = start(path, "")
                self.ended(said, 2)
                self.assertIn(f"type {path.name} < ", said.stderr)
        self.assertEqual(json.loads(start(PLANNERS / "even.py", problem).stdout)["stages"],
                         json.loads(self.plan("--planner=even").stdout)["stages"])
        wrong = start(PLANNERS / "even.py", "{}")
        self.assertEqual((wrong.returncode, len(wrong.stderr.splitlines())), (2, 1), wrong.stderr)
        study = self.inputs / "study.py"
        study.write_text((PLANNERS / "even.py").read_text() + "\n\nprint('studied')\n")
        self.assertEqual(start(study, problem).stdout, "studied\n")

    def test_plans_are_simulated_beside_planners(self):
        run = ("pipeline-training", *QUICK, "--link=lan")
        self.assertEqual(self.run_program(*run, "--planner=even,dp", "--out=a").returncode, 0)
        problem = self.folder / "a" / "problem.json"
        plans = [self.run_program("plan", f"--problem={problem}", f"--planner={name}").stdout
                 for name in ("even", "dp")]
        (self.folder / "one.json").write_text(plans[0])
        (self.folder / "two.json").write_text("".join(plans))
        self.ended(self.run_program(*run, "--planner=even", "--plan=one.json,two.json", "--out=b"), stderr="")
        before = {row["planner"]: row for row in self.read_csv("a", "results.csv")}
        after = {row["planner"]: row for row in self.read_csv("b", "results.csv")}
        self.assertEqual(list(after), ["even", "plan:one.json", "plan:two.json#even", "plan:two.json#dp"])
        for name, row in after.items():
            same = before["dp" if name.endswith("dp") else "even"]
            self.assertEqual({**row, "planner": ""}, {**same, "planner": ""})

    def test_wrong_plans_are_refused_in_one_line(self):
        good = json.loads(GOOD)
        layer = {"device": "pi-0", "firstLayer": "image", "lastLayer": "head"}
        cases = (
            ("no JSON", "{", ["not JSON", "line 1"]),
            ("no plan", "[]", ["no plan"]),
            ("two without names", json.dumps([good, good]), ['"planner" is missing']),
            ("two of one name", json.dumps([{"planner": "x", **good}] * 2), ['"x"', "no other"]),
            ("another problem's", GOOD, ["stages[0].device", '"left"']),
            ("of another version", json.dumps({"stages": [layer], "formatVersion": "2"}), ["formatVersion"]),
            ("half", json.dumps({"stages": [{**layer, "lastLayer": "conv"}]}), ["before layer"]),
        )
        for what, text, words in cases:
            with self.case(what):
                (self.folder / "p.json").write_text(text)
                result = self.run_program("pipeline-training", *QUICK, "--link=lan",
                                          "--planner=even", "--plan=p.json", "--out=out")
                self.assert_one_line(result, "p.json", *words)
                self.assertFalse((self.folder / "out").exists())
        result = self.run_program("pipeline-training", *QUICK, "--plan=none.json")
        self.assertIn("--plan: none.json: cannot be read", result.stderr)

    def test_a_plan_for_another_model_is_refused(self):
        cases = (
            ("pipeline-training", "alexnet", "vgg16", ("--cluster=edge-pair", "--micro-batch-size=1"), True),
            ("cooperative-inference", "vgg16", "vgg19", ("--frames=5",), True),
            ("actor-learner", "atari_cnn", "mnist_cnn",
             ("--actors=2", "--duration=3s", "--warm-up=1s", "--link=lan"), True),
            ("data-parallel", "alexnet", "mnist_cnn", ("--updates=40", "--devices=3", "--update-interval=20ms"), False))
        for program, model, other, options, hasLayers in cases:
            with self.subTest(program):
                self.run_real(program, f"--model={model}", f"--out={program}", *options)
                made = self.ended(self.run_program("plan", f"--problem={program}/problem.json"))
                plan = json.loads(made.stdout)
                file = self.folder / "p.json"

                def refuse(form, *words):
                    file.write_text(json.dumps(form))
                    result = self.run_program(program, f"--traces={ROOT / 'traces'}",
                                              f"--model={other}", "--plan=p.json", *options)
                    self.assert_one_line(result, "p.json", *words)

                refuse(plan, f'model: found "{model}", expected "{other}"')
                if hasLayers:
                    count = plan["layerCount"]
                    refuse({key: plan[key] for key in plan if key != "model"},
                           f"layerCount: found {count}, expected ")
                self.run_real(program, f"--model={model}", "--plan=p.json", *options)
                if program == "pipeline-training":  # made elsewhere, and fits
                    stage = {"firstLayer": "input", "lastLayer": "classifier.6"}
                    file.write_text(json.dumps({"stages": [{**plan["stages"][0], **stage}]}))
                    self.run_real(program, f"--model={other}", "--plan=p.json", *options)

    def test_plans_of_the_other_problems(self):
        cases = (
            ("cooperative-inference", "--planner=edge-only", '{"deviceLayers": [], "serverLayers": '
             "LAYERS}", ("--frames=5", "--model=resnet18"), "cloud-only", "planner"),
            ("actor-learner", "--planner=all-local", '{"actors": ACTORS, "cuts": CUTS}',
             ("--actors=3", "--duration=3s", "--warm-up=1s", "--link=lan",
              "--compute-budget=2", "--bandwidth-budget=2"), None, "planner"),
            ("data-parallel", "--planner=equal", '{"batches": [100, 20, 8]}',
             ("--updates=20", "--devices=3"), None, "planner"),
        )
        model = json.loads((ROOT / "traces/models/resnet18.json").read_text())
        names = [one["name"] for one in model["layers"]]
        for program, planner, text, options, same, column in cases:
            with self.subTest(program):
                actors = [f"raspberry-pi-4b-{index}" for index in range(3)]
                text = (text.replace("LAYERS", json.dumps(names))
                        .replace("ACTORS", json.dumps(actors)).replace("CUTS", "[0, 0, 0]"))
                (self.folder / "p.json").write_text(text)
                self.run_real(program, planner, "--plan=p.json", "--out=out", *options)
                rows = {row[column]: row for row in self.read_csv("out", "results.csv")}
                self.assertEqual(list(rows)[1], "plan:p.json")
                if same:
                    self.run_real(program, f"--planner={same}", "--out=other", *options)
                    other = self.read_csv("other", "results.csv")[0]
                    self.assertEqual(rows["plan:p.json"]["meanLatencySeconds"], other["meanLatencySeconds"])
