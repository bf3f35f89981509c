# SPDX-License-Identifier: GPL-2.0-only
"""The launcher: its words, its errors, what it does when packages are missing, what it hands over.

No test here builds or installs: those that run something run a copy of the launcher in a folder
where the build, or the ns-3 tree, is a script that tells how it was called.
"""

import io
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

from places import InFolder, ROOT

sys.path.insert(0, str(ROOT))
from launcher import packages, steps  # noqa: E402

# Stands for a scenario: prints how it was called and fails with 7 if told to.
TELL = """#!/usr/bin/env python3
import json, os, sys
print(json.dumps([sys.argv[1:], os.getcwd(), os.environ.get("EDGEPIPE_TRACES")]))
sys.exit(7 if "--fail" in sys.argv else 0)
"""

# Stands for the ns3 of a source tree: notes how it was called, and configures itself.
TREE_NS3 = """
import json, pathlib, sys
here = pathlib.Path(__file__).parent
with open(here / "calls", "a") as calls:
    calls.write(json.dumps(sys.argv[1:]) + "\\n")
if sys.argv[1] == "configure":
    (here / ".lock-ns3_linux_build").write_text(
        "NS3_ENABLED_CONTRIBUTED_MODULES = ['ns3-edgepipe']\\nENABLE_TESTS = True\\n")
"""


def launch(*words, root=ROOT, cwd=None, **environment):
    return subprocess.run([str(root / "ns3"), *words], cwd=cwd, env={**os.environ, **environment},
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)


def write_program(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


class Words(InFolder):
    def test_the_version_is_that_of_the_module_and_of_the_citation(self):
        version = (ROOT / "contrib/edgepipe/VERSION").read_text().strip()
        self.assertEqual(self.ended(launch("--version")).stdout, f"edgepipe {version}\n")
        self.assertIn(f"\nversion: {version}\n", (ROOT / "CITATION.cff").read_text())
        self.assertIn(f"\n## {version} ", (ROOT / "CHANGES.md").read_text())

    def test_every_verb_has_help(self):
        for verb in ("setup", "configure", "build", "run", "campaign", "reproduce", "test", "docs",
                     "show", "clean"):
            with self.subTest(verb):
                result = self.ended(launch(verb, "--help"))
                self.assertIn(f"usage: ./ns3 {verb}", result.stdout)
                self.assertRegex(launch("--help").stdout, rf"\n    {verb}\b")

    def test_unknown_verb(self):
        result = self.ended(launch("biuld"), 2)
        self.assertIn("invalid choice: 'biuld'", result.stderr)

    def test_show_devices_lists_stacks_and_what_stands_behind_each(self):
        rows = [line.split() for line in launch("show", "devices").stdout.splitlines()]
        self.assertIn(["raspberry-pi-4b", "pytorch", "training", "eager", "fp32", "8", "0+0", "PyTorch"], rows)
        self.assertIn(["h200", "pytorch-fp16", "eager", "fp16", "0"], [row[:4] + row[4:5] for row in rows])
        self.assertIn(["xeon-1core", "pytorch", "inference+training", "eager", "fp32", "0"], [row[:6] for row in rows])
        (self.folder / "devices").mkdir()
        for text in ("", "[]", "{", '{"name": "x", "stacks": {"a": 3}, "stack": {}}', '{"stacks": 1}'):
            with self.subTest(text):
                if text:
                    (self.folder / "devices/x.json").write_text(text)
                said = self.ended(launch("show", "devices", EDGEPIPE_TRACES=str(self.folder)), 2)
                self.assertEqual(said.stderr.count("\n"), 1, said.stderr)

    def test_show_targets_lists_every_scenario(self):
        listed = launch("show", "targets").stdout.split()
        scenarios = [path.stem for path in (ROOT / "scenarios").glob("*.cc")]
        self.assertTrue(scenarios)
        for scenario in scenarios:
            self.assertIn(scenario, listed)

    def test_scenario_options_outside_the_quotes(self):
        result = self.ended(launch("run", "quickstart", "--planner=even"), 2)
        self.assertIn('./ns3 run "NAME --planner=even"', result.stderr)

    def test_work_on_no_thing_at_once(self):
        for jobs in ("0", "-1", "two", "1.5"):
            result = self.ended(launch("build", "-j", jobs), 2)
            self.assertIn("expected a whole number from 1 on", result.stderr)

    def test_open_quote(self):
        result = launch("run", "quickstart 'x")
        self.assertEqual((result.returncode, len(result.stderr.splitlines())), (2, 1))

    def test_source_tree_that_is_none(self):
        result = launch("run", "quickstart", NS3_ROOT="/nowhere")
        self.assertEqual((result.returncode, len(result.stderr.splitlines())), (2, 1))
        self.assertIn("NS3_ROOT=/nowhere is no ns-3 source tree", result.stderr)


class Copy(InFolder):
    """A copy of the launcher with one scenario, `tell`, built by hand."""

    def setUp(self):
        super().setUp()
        self.root = self.folder / "clone"
        self.root.mkdir()
        shutil.copy(ROOT / "ns3", self.root)
        shutil.copytree(ROOT / "launcher", self.root / "launcher")
        (self.root / "contrib" / "edgepipe").mkdir(parents=True)
        (self.root / "scenarios").mkdir()
        (self.root / "scenarios" / "tell.cc").touch()
        write_program(self.root / "build" / "bin" / "tell", TELL)

    def stand_in(self, ninja):
        """Programs that stand for ninja and for a dpkg-query to which all is installed."""
        (self.root / "build" / "CMakeCache.txt").write_text(f"CMAKE_HOME_DIRECTORY:INTERNAL={self.root}\n")
        write_program(self.root / "path" / "ninja", ninja)
        write_program(self.root / "path" / "dpkg-query", f"#!/bin/sh\nshift 2\necho \"$@\" >>{self.root}/asked\n"
                      'for name in "$@"; do echo "installed $name"; done\n')
        self.path = f"{self.root / 'path'}{os.pathsep}{os.environ['PATH']}"


class Run(Copy):
    def told(self, *words, **environment):
        result = launch("run", "--no-build", *words, root=self.root, **environment)
        self.assertEqual(result.stderr, "")
        return json.loads(result.stdout), result.returncode

    def test_arguments_folder_and_traces(self):
        environment = {"EDGEPIPE_TRACES": ""}
        with mock.patch.dict(os.environ):
            os.environ.pop("EDGEPIPE_TRACES", None)
            expected = [["--a=1", "b c"], str(self.root), str(self.root / "traces")]
            self.assertEqual(self.told("tell --a=1 'b c'"), (expected, 0))
            self.assertEqual(self.told("tell", "--", "--a=1", "b c"), (expected, 0))
        environment["EDGEPIPE_TRACES"] = "/mine"
        self.assertEqual(self.told("tell", **environment)[0][2], "/mine")

    def test_a_planner_s_command_may_have_blanks(self):
        for text, expected in (
                ("--planner=exec:python3 mine.py,exact --link=wifi",
                 ["--planner=exec:python3 mine.py,exact", "--link=wifi"]),
                ("'--planner=even,exec:a.py -x --y' --n=1", ["--planner=even,exec:a.py -x --y", "--n=1"]),
                ("--planner=even,exec:a.py -x 2 --n=1", ["--planner=even,exec:a.py -x 2", "--n=1"]),
                ("--planner=even alexnet", ["--planner=even", "alexnet"])):
            (arguments, _, _), _ = self.told(f"tell {text}")
            self.assertEqual(arguments, expected)

    def test_exit_status_is_passed_on(self):
        self.assertEqual(self.told("tell --fail")[1], 7)

    def test_working_folder(self):
        self.assertEqual(self.told("tell", "--cwd", "/")[0][1], "/")

    def test_command_template(self):
        (arguments, _, _), _ = self.told("tell --a", "--command-template=%s --first")
        self.assertEqual(arguments, ["--first", "--a"])

    def test_a_command_template_that_makes_no_sense(self):
        for template, answer in (("gdb", "expected %s where the program goes"), ("'%s", "No closing")):
            result = launch("run", "tell", "--no-build", f"--command-template={template}", root=self.root)
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertRegex(result.stderr, f"^ns3: --command-template: .*{answer}.*\n$")

    def test_not_built(self):
        (self.root / "build" / "bin" / "tell").unlink()
        result = launch("run", "tell", "--no-build", root=self.root)
        self.assertEqual((result.returncode, len(result.stderr.splitlines())), (1, 1))

    def test_unknown_scenario(self):
        result = self.ended(launch("run", "tel --a", root=self.root), 2)
        self.assertEqual(result.stderr, "ns3: no scenario is called 'tel'; did you mean tell?\n")
        result = launch("run", "qqqqqq", root=self.root)
        self.assertEqual((result.returncode, len(result.stderr.splitlines())), (2, 1))


class Scratch(Copy):
    """The user's own programs, as in ns-3's scratch folder."""

    def setUp(self):
        super().setUp()
        self.stand_in("#!/bin/sh\necho \"$@\" >built\n")
        (self.root / "build" / "build.ninja").write_text("")
        for name, text in (("mine.cc", "int main()"), ("two/parts.cc", "void part();"),
                           ("two/whole.cc", "int\nmain (int argc, char** argv)")):
            (self.root / "scratch" / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / "scratch" / name).write_text(text)
        for name in ("mine", "two/whole"):
            write_program(self.root / "build" / "bin" / "scratch" / name, TELL)

    def test_they_are_built_and_run_by_their_place(self):
        for name, target in (("scratch/mine", "scratch-mine"), ("scratch/mine.cc", "scratch-mine"),
                             ("scratch/two/whole", "scratch-two-whole")):
            with self.subTest(name):
                result = self.ended(launch("run", f"{name} --a=1", root=self.root, cwd=self.root, PATH=self.path))
                self.assertEqual(json.loads(result.stdout)[:2], [["--a=1"], str(self.root)])
                self.assertEqual((self.root / "built").read_text().split()[-1], target)

    def test_they_are_listed(self):
        listed = launch("show", "targets", root=self.root).stdout.split()
        self.assertIn("scratch/mine", listed)
        self.assertIn("scratch/two/whole", listed)
        self.assertNotIn("scratch/two/parts", listed)

    def test_one_that_is_not_there(self):
        for name in ("scratch/min", "scratch/two/parts", "scratch/three"):
            result = self.ended(launch("run", name, root=self.root), 2)
            self.assertRegex(result.stderr, rf"^ns3: {name}: found no such program, expected {name}\.cc.*\n$")

    def test_a_source_tree_has_its_own(self):
        tree = self.folder / "tree"
        (tree / "src" / "core").mkdir(parents=True)
        (tree / "ns3").touch()
        result = self.ended(launch("run", "scratch/mine", root=self.root, NS3_ROOT=str(tree)), 2)
        self.assertIn(f"{tree}/scratch", result.stderr)


class Learning(Copy):
    """What needs LibTorch is built beside the scenario, which learns of it by a lock."""

    NINJA = """#!/usr/bin/env python3
import pathlib, sys, time
root = pathlib.Path(sys.argv[2]).parent
if "edgepipe-learning" in sys.argv:
    (root / "started").touch()
    time.sleep(2)
    (root / "built").touch()
    sys.exit(1)
"""
    TELL = """#!/usr/bin/env python3
import fcntl, os, pathlib, signal
signal.alarm(20)
root = pathlib.Path.cwd()
early = (root / "built").exists()
with open(os.environ["EDGEPIPE_LEARNING_LOCK"]) as lock:
    fcntl.flock(lock, fcntl.LOCK_SH)
print(early, (root / "built").exists())
"""

    def setUp(self):
        super().setUp()
        write_program(self.root / "build" / "bin" / "tell", self.TELL)
        self.stand_in(self.NINJA)

    def test_a_scenario_starts_before_it_is_built_and_waits_when_it_learns(self):
        (self.root / "build" / "build.ninja").write_text("build edgepipe-learning: phony\n")
        result = launch("run", "tell", root=self.root, PATH=self.path)
        self.assertEqual((result.stdout, result.returncode), ("False True\n", 0), result.stderr)

    def test_without_libtorch_nothing_is_awaited(self):
        (self.root / "build" / "build.ninja").write_text("")
        result = launch("run", "tell", root=self.root, PATH=self.path)
        self.assertEqual((result.stdout, result.returncode), ("False False\n", 0), result.stderr)
        self.assertFalse((self.root / "started").exists())


class Build(Copy):
    """A test or a benchmark by its name brings what tests need, as all of them do."""

    def test_what_tests_need_is_installed_for_one(self):
        for target, more in (("tests", True), ("network-test", True), ("flow-benchmark", True), ("quickstart", False)):
            with self.subTest(target):
                self.stand_in("#!/bin/sh\n")
                write_program(self.root / "path" / "cmake", "#!/bin/sh\n")
                (self.root / "build" / "build.ninja").touch()
                (self.root / "asked").unlink(missing_ok=True)
                self.ended(launch("build", target, root=self.root, cwd=self.root, PATH=self.path), 0)
                asked = (self.root / "asked").read_text().split()
                self.assertEqual(("libgtest-dev" in asked, "valgrind" in asked), (more, more))


class Campaign(Copy):
    """What a study needs is installed and built; the program of campaigns gets every word."""

    def setUp(self):
        super().setUp()
        self.stand_in("#!/bin/sh\necho \"$@\" >built\n")
        (self.root / "build" / "build.ninja").write_text("")
        (self.root / "analysis").mkdir()
        write_program(self.root / "analysis" / "campaign.py", TELL)

    def campaign(self, *words, study):
        for name in ("built", "asked"):
            (self.root / name).unlink(missing_ok=True)
        (self.root / "study.json").write_text(study)
        result = launch("campaign", *words, root=self.root, cwd=self.root, PATH=self.path)
        self.assertEqual(result.stderr, "")
        arguments, folder, _ = json.loads(result.stdout)
        self.assertEqual((arguments, folder), ([*words], str(self.root)))
        return [(self.root / name).read_text().split() if (self.root / name).exists() else []
                for name in ("built", "asked")]

    def test_run_builds_the_scenario_and_installs_its_engine(self):
        for engine, package in (('"local"', "ns3"), ('{"hosts": "h"}', "openssh-client"),
                                ('"slurm"', "slurm-client"), ('{"slurm": "-p x"}', "slurm-client")):
            with self.subTest(engine):
                study = f'{{"scenario": "tell", "engine": {engine}}}'
                built, asked = self.campaign("run", "-j", "3", "study.json", study=study)
                self.assertEqual(built[-1], "tell")
                self.assertIn(package, asked)

    def test_other_verbs_build_nothing(self):
        for verb in ("status", "failed", "export"):
            built, asked = self.campaign(verb, "study.json", study='{"scenario": "tell"}')
            self.assertEqual((built, asked), ([], []))
        built, asked = self.campaign("report", "study.json", study='{"scenario": "tell"}')
        self.assertEqual((built, asked), ([], ["python3-matplotlib", "python3-scipy"]))

    def test_papers_build_the_scenarios_that_they_run(self):
        (self.root / "analysis/papers").mkdir()
        (self.root / "analysis/papers/reproduction.json").write_text(json.dumps({
            "a": {"runs": [{"scenario": "tell"}]}, "b": {"runs": [{"scenario": "song"}]}}))
        (self.root / "analysis/papers/song.py").write_text('SCENARIOS = ["say"]\n')
        write_program(self.root / "analysis" / "reproduce.py", TELL)
        for words, built in ((["a", "--quick"], ["tell"]), (["b", "a", "--out=o"], ["say", "tell"]),
                             (["all", "--docs"], ["say", "tell"]), (["c"], [])):
            (self.root / "built").unlink(missing_ok=True)
            result = launch("reproduce", *words, root=self.root, cwd=self.root, PATH=self.path)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertEqual(json.loads(result.stdout)[:2], [words, str(self.root)])
            file = self.root / "built"
            self.assertEqual(file.read_text().split()[-len(built):] if file.exists() else [], built)

    def test_mistakes_about_papers_are_said_before_anything_is_built(self):
        (self.root / "analysis/papers").mkdir()
        (self.root / "analysis/papers/reproduction.json").write_text(
            json.dumps({"bno": {"runs": [{"scenario": "tell"}]}}))
        for name in ("reproduce.py", "edgepipe"):
            (self.root / "analysis" / name).unlink(missing_ok=True)
            (self.root / "analysis" / name).symlink_to(ROOT / "analysis" / name)
        (self.root / "file").touch()
        for words, complaint in ((["bno", "--out=file/x"], "--out: found"), (["bnoo"], "choose from"),
                                 (["bno", "--docs", "--quick"], "--docs: found --quick")):
            with self.subTest(words):
                result = launch("reproduce", *words, root=self.root, cwd=self.root, PATH=self.path)
                self.assertEqual(result.returncode, 2)
                self.assertIn(complaint, result.stderr)
                self.assertFalse((self.root / "built").exists())

    def test_a_study_with_mistakes_is_left_to_the_campaign(self):
        for study in ("", "[]", '{"scenario": "no"}', '{"scenario": "no", "engine": {}}'):
            self.assertEqual(self.campaign("run", "study.json", study=study)[0], [])


class Moved(Copy):
    """A checkout that was built, then copied or moved: what its build/ says is of the old place."""

    # Notes how it was called, and configures as told.
    CMAKE = """#!/usr/bin/env python3
import pathlib, sys
build = pathlib.Path(sys.argv[sys.argv.index("-B") + 1])
home = sys.argv[sys.argv.index("-S") + 1]
options = [word[2:].replace("=", ":STRING=") for word in sys.argv if word[:2] == "-D"]
(build / "CMakeCache.txt").write_text(
    "\\n".join([f"CMAKE_HOME_DIRECTORY:INTERNAL={home}", *options, ""]))
(build / "build.ninja").write_text(home)
(build / "calls").open("a").write(" ".join(options) + "\\n")
"""

    def setUp(self):
        super().setUp()
        self.build = self.root / "build"
        self.stand_in("#!/bin/sh\n")
        self.settings = "EDGEPIPE_TESTS:STRING=ON CMAKE_BUILD_TYPE:STRING=Debug"
        (self.build / "CMakeCache.txt").write_text(
            "\n".join(["CMAKE_HOME_DIRECTORY:INTERNAL=/old", *self.settings.split(), ""]))
        (self.build / "build.ninja").write_text("/old")
        write_program(self.root / "path" / "cmake", self.CMAKE)

    def run_tell(self):
        result = self.ended(launch("run", "tell", root=self.root, PATH=self.path))
        return result.stderr, (self.build / "calls").read_text().splitlines()

    def test_is_configured_once_more_with_its_settings(self):
        said, calls = self.run_tell()
        self.assertIn("build/ was made for /old: starting afresh", said)
        self.assertEqual(calls, [self.settings])
        self.assertEqual((self.build / "build.ninja").read_text(), str(self.root))
        said, calls = self.run_tell()
        self.assertEqual((said, calls), ("", [self.settings]))

    def test_is_configured_when_that_was_cut_short(self):
        for name in ("build.ninja", "CMakeCache.txt"):
            with self.subTest(name):
                (self.build / "calls").unlink(missing_ok=True)
                (self.build / name).unlink()
                self.assertEqual(len(self.run_tell()[1]), 1)


class Tree(Copy):
    def setUp(self):
        super().setUp()
        self.tree = self.root.parent / "tree"
        (self.tree / "src" / "core").mkdir(parents=True)
        (self.tree / "contrib").mkdir()
        write_program(self.tree / "ns3", TREE_NS3)

    def launch(self, *words):
        (self.tree / "calls").unlink(missing_ok=True)
        self.ended(launch(*words, root=self.root, NS3_ROOT=str(self.tree)))
        return [json.loads(line) for line in (self.tree / "calls").read_text().splitlines()]

    def test_links_configures_and_hands_over(self):
        configure, build, run = self.launch("run", "tell --a=1", "-j1")
        self.assertEqual((self.tree / "contrib" / "edgepipe").resolve(), self.root / "contrib" / "edgepipe")
        self.assertEqual((self.tree / "scratch" / "edgepipe" / "tell.cc").resolve(),
                         self.root / "scenarios" / "tell.cc")
        self.assertEqual(configure[0], "configure")
        self.assertIn("--enable-modules=edgepipe;csma", configure)
        self.assertEqual(build, ["build", "-j", "1", "scratch/edgepipe/tell"])
        self.assertEqual(run, ["run", "scratch/edgepipe/tell", "--no-build", f"--cwd={self.root}",
                               "--", "--a=1"])
        self.assertEqual([call[0] for call in self.launch("run", "tell")], ["build", "run"])

    def test_keeps_the_modules_of_a_configured_tree(self):
        (self.tree / ".lock-ns3_linux_build").write_text("ENABLE_TESTS = False\n")
        (self.tree / "cmake-cache").mkdir()
        (self.tree / "cmake-cache" / "CMakeCache.txt").write_text(
            "//List\nNS3_ENABLED_MODULES:STRING=lte;csma\n")
        configure = self.launch("run", "tell")[0]
        self.assertIn("--enable-modules=lte;csma;edgepipe", configure)
        self.assertNotIn("--build-profile=release", configure)

    def test_a_scenario_that_is_gone_loses_its_link(self):
        self.launch("run", "tell")
        (self.root / "scenarios" / "tell.cc").rename(self.root / "scenarios" / "say.cc")
        self.launch("run", "say")
        self.assertEqual(os.listdir(self.tree / "scratch" / "edgepipe"), ["say.cc"])

    def test_a_folder_in_the_way(self):
        (self.tree / "contrib" / "edgepipe").mkdir()
        result = launch("run", "tell", root=self.root, NS3_ROOT=str(self.tree))
        self.assertEqual((result.returncode, len(result.stderr.splitlines())), (2, 1))


class Steps(InFolder):
    """A set-up step, in a log as on a terminal that is none."""

    def test_how_long_the_rest_of_a_build_takes_is_said_once_it_can_be_told(self):
        for done, count, seconds, said in ((0, 40, 30, ""), (1, 40, 5, ""), (4, 40, 30, "about 4 min left"),
                                           (20, 40, 60, "about 60 s left"), (39, 40, 100, "")):
            self.assertEqual(steps.left(done, count, seconds), said)

    def test_an_interrupted_build_ends(self):
        script = (f"import sys; sys.path.insert(0, {str(ROOT)!r})\nfrom launcher import steps\n"
                  f"steps.BUILD = steps.Path({str(self.folder)!r}); steps.LOG = steps.BUILD / 'log'\n"
                  "steps.step('building', ['sh', '-c', 'echo $$ > pid; exec sleep 60'], cwd=steps.BUILD)")
        run = subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.DEVNULL)
        pid = self.folder / "pid"
        while not (pid.exists() and pid.read_text().strip()):
            self.assertIsNone(run.poll())
            time.sleep(0.05)
        run.send_signal(signal.SIGINT)
        self.assertNotEqual(run.wait(60), 0)
        with self.assertRaises(ProcessLookupError):
            os.kill(int(pid.read_text()), 0)

    def test_says_now_and_then_how_far_it_is(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.multiple(
            steps, BUILD=Path(folder), LOG=Path(folder) / "log", PERIOD=1
        ), mock.patch("sys.stderr", new_callable=io.StringIO) as said:
            steps.step("building", ["sh", "-c", "echo '[1/2] one'; sleep 2.2; echo '[2/2] two'"])
        self.assertRegex(said.getvalue(), r"^\[edgepipe\] building \.\.\.")
        self.assertRegex(said.getvalue(), r"\n\[edgepipe\] building \.\.\. 1 s \[1/2\]\n")
        self.assertRegex(said.getvalue(), r"\n\[edgepipe\] building: done in \d+ s\n$")


class Packages(unittest.TestCase):
    """What install_packages does on machines of several kinds; `step` is where commands would run."""

    def install(self, uid, programs, missing, sudo_status=1, failing=()):
        commands = []

        def step(_, command):
            commands.append(" ".join(command))
            if len(commands) in failing:
                raise steps.LauncherError("failed")

        with mock.patch.multiple(
            packages,
            missing_packages=lambda _: missing,
            step=step,
        ), mock.patch("os.geteuid", return_value=uid), mock.patch(
            "shutil.which", side_effect=lambda name: name if name in programs else None
        ), mock.patch(
            "subprocess.run", return_value=mock.Mock(returncode=sudo_status)
        ), mock.patch.object(Path, "glob", return_value=[Path("x_Packages")]):
            packages.install_packages(["cmake", "ninja-build"])
        return commands

    def test_nothing_missing(self):
        self.assertEqual(self.install(1000, [], []), [])

    def test_root_installs(self):
        (command,) = self.install(0, [], ["cmake"])
        self.assertRegex(command, "^env DEBIAN_FRONTEND=noninteractive apt-get .*install.* cmake$")

    def test_sudo_without_a_password(self):
        (command,) = self.install(1000, ["sudo"], ["cmake"], sudo_status=0)
        self.assertRegex(command, "^sudo -n env .*apt-get .*install.* cmake$")

    def test_no_right_to_install(self):
        for programs, start in (["sudo"], "sudo sh -c"), ([], "su -c"):
            with self.subTest(start), self.assertRaises(steps.LauncherError) as caught:
                self.install(1000, programs, ["cmake", "ccache"])
            self.assertEqual(caught.exception.status, 1)
            self.assertIn(
                f"{start} 'apt-get update && apt-get install --yes --no-install-recommends "
                "cmake ccache'", str(caught.exception))

    def test_old_package_lists_are_renewed_once(self):
        first, update, second = self.install(0, [], ["cmake"], failing=[1])
        self.assertEqual(first, second)
        self.assertTrue(update.endswith("apt-get -o DPkg::Lock::Timeout=600 "
                                        "-o Acquire::Retries=3 update"))
        with self.assertRaises(steps.LauncherError):
            self.install(0, [], ["cmake"], failing=[1, 3])

    def test_missing_is_what_dpkg_does_not_call_installed(self):
        answer = mock.Mock(stdout="installed cmake\nconfig-files ccache\n")
        with mock.patch("shutil.which", return_value="dpkg-query"), mock.patch(
            "subprocess.run", return_value=answer
        ):
            self.assertEqual(packages.missing_packages(["cmake", "ccache", "g++"]), ["ccache", "g++"])
