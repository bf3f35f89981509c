# SPDX-License-Identifier: GPL-2.0-only
"""The programs of analysis/ on files made by hand: pictures, their figures, and refusals."""

import json
import os
import subprocess
import sys
import unittest
from unittest import mock

from places import ANALYSIS, ROOT
from scripts import NEEDS_MATPLOTLIB, ScriptTest, named, span, two_stages

from edgepipe import chrome_trace, running


# a idles 25-60 and 70-80, b idles 50-60, s.
BUBBLES = 0.055


class InterpreterTest(unittest.TestCase):
    def test_another_python_gives_way_to_debians(self):
        from edgepipe.interpreter import DEBIAN_PYTHON, need

        with mock.patch("os.execv", side_effect=InterruptedError) as start, \
                mock.patch("os.access", return_value=True), \
                mock.patch("sys.executable", "/opt/bin/python3"):
            need("json")
            start.assert_not_called()
            with self.assertRaises(InterruptedError):
                need("json", "no_such_module")
            start.assert_called_once_with(DEBIAN_PYTHON, [DEBIAN_PYTHON, *sys.orig_argv[1:]])

    def test_debians_says_what_to_install_for_every_tool(self):
        capture = ROOT / "traces" / "capture"
        for words, missing in (
                ([capture / "profile_model.py", "resnet18", "--device", "x"], ["torch", "torchvision"]),
                ([capture / "profile_model.py", "a.py:make", "--device", "x"], ["torch"]),
                ([capture / "device_figures.py", "a-board"], ["torch"])):
            # -S: without what is installed
            run = subprocess.run(["/usr/bin/python3", "-S", *words], text=True, capture_output=True)
            with self.subTest(words):
                self.assertNotEqual(run.returncode, 0)
                self.assertEqual(len(run.stderr.splitlines()), 1, run.stderr)
                self.assertIn("/usr/bin/python3 has " + " and ".join(f"no {name}" for name in missing)
                              + ": apt install " +
                              " ".join(f"python3-{name}" for name in missing) + "\n", run.stderr)

    def test_programs_and_no_others_name_their_interpreter(self):
        for folder in ("analysis", "traces", "tests", "launcher"):
            for path in (ROOT / folder).rglob("*.py"):
                is_program = path.read_bytes().startswith(b"#!/usr/bin/env python3\n")
                self.assertEqual(os.access(path, os.X_OK), is_program, path)
                self.assertFalse(is_program and "edgepipe" in path.relative_to(ROOT).parts, path)


class OtherScenarioTest(ScriptTest):
    def test_results_of_another_scenario_name_the_script_that_draws_them(self):
        from edgepipe.run_file import DRAWN_BY

        scripts = list(dict.fromkeys(DRAWN_BY.values()))
        for script, right in zip(scripts, scripts[1:] + scripts[:1]):
            scenario = next(name for name, by in DRAWN_BY.items() if by == right)
            (self.folder / "run.json").write_text(json.dumps({"scenario": scenario}))
            self.script = script
            mine = ", ".join(name for name, by in DRAWN_BY.items() if by == script)
            self.refuse(f"{script} on {scenario}",
                        f"found results of {scenario}, expected those of {mine}; "
                        f"analysis/{right} draws {scenario}\n", ".")

    def test_every_script_and_every_scenario_that_is_drawn_is_known(self):
        from edgepipe.run_file import DRAWN_BY

        self.assertEqual({*DRAWN_BY.values(), "campaign.py", "reproduce.py", "run_study.py"},
                         {path.name for path in ANALYSIS.glob("*.py") if os.access(path, os.X_OK)})
        for scenario in DRAWN_BY:
            self.assertTrue((ROOT / "scenarios" / f"{scenario}.cc").exists() or scenario in running.studies(), scenario)


class SharesTest(unittest.TestCase):
    def test_means_and_ranges_of_shares_are_those_found_by_hand(self):
        import data_parallel

        # 32 samples for 10 updates, 64 for 30, 0 for 60: 40 updates at a time.
        self.assertEqual(
            data_parallel.summarize([(0, 32), (10, 64), (40, 0)], 100, 40),
            ([0, 40, 80, 100], [56, 0, 0, 0], [32, 0, 0, 0], [64, 0, 0, 0]))


class TimelineTest(ScriptTest):
    script = "timeline.py"

    def write(self, content, name="timeline.json"):
        path = self.folder / name
        path.write_text(content if isinstance(content, str) else
                        json.dumps({"displayTimeUnit": "ms", "traceEvents": content}))
        return path


class MeasureTest(TimelineTest):
    def get_bubbles(self, iteration):
        return sum(end - start for _, start, end in iteration.idle())

    def only_case(self, events):
        cases = chrome_trace.read_cases(self.write(events))
        self.assertEqual(len(cases), 1)
        return cases[0]

    def test_an_iterations_duration_and_bubbles_are_those_found_by_hand(self):
        iteration = self.only_case(two_stages()).iterations[0]
        self.assertAlmostEqual(iteration.end - iteration.start, 0.1, places=12)
        self.assertEqual([(device, round(1000 * start), round(1000 * end))
                          for device, start, end in iteration.idle()],
                         [("a", 25, 60), ("a", 70, 80), ("b", 50, 60)])

    def test_the_pause_between_iterations_is_no_bubble(self):
        case = self.only_case(two_stages() + two_stages(shift=500, iteration=1))
        self.assertEqual(list(case.iterations), [0, 1])
        for iteration in case.iterations.values():
            self.assertAlmostEqual(self.get_bubbles(iteration), BUBBLES, places=12)

    def test_handing_out_the_plan_is_no_part_of_the_first_iteration(self):
        setup = [span(100000, "transfer", "assignment", 0, 30), span(100001, "transfer", "ready", 30, 40)]
        case = self.only_case(setup + two_stages(shift=50))
        self.assertAlmostEqual(case.iterations[0].start, 0.05, places=12)
        self.assertAlmostEqual(self.get_bubbles(case.iterations[0]), BUBBLES, places=12)

    def test_an_iteration_is_from_its_first_start_to_its_last_done(self):
        a, b = 100000, 100001
        around = [span(a, "transfer", kind, start, end, iteration)
                  for kind, start, end, iteration in (
                      ("hello", 0, 1, 0), ("probe", 300, 301, 0), ("report", 520, 521, 0),
                      ("ask", 700, 701, 0), ("move", 200, 210, 1), ("layer-weights", 210, 480, 1),
                      ("result", 160, 170, 0), ("collect", 170, 180, 0))]
        planning = [span(b, "task", "planning", 180, 200, 1)]
        case = self.only_case(two_stages(shift=50) + around + planning + two_stages(shift=500, iteration=1))
        self.assertEqual([(round(1000 * i.start), round(1000 * i.end))
                          for i in case.iterations.values()], [(50, 150), (500, 600)])
        for iteration in case.iterations.values():
            self.assertTrue(iteration.finished)
            self.assertAlmostEqual(self.get_bubbles(iteration), BUBBLES, places=12)

    def test_an_iteration_that_not_every_device_reported_has_not_finished(self):
        events = two_stages()
        self.assertTrue(self.only_case(events).iterations[0].finished)
        self.assertFalse(self.only_case(events[:-1]).iterations[0].finished)

    def test_devices_stand_in_the_order_of_their_first_task(self):
        events = two_stages() + [named(100002, "even / coordinator"), named(100003, "even / idle"),
                                 span(100002, "transfer", "start", 0, 1)]
        events.sort(key=lambda event: -event["pid"])
        self.assertEqual(self.only_case(events).devices(), ["a", "b"])

    def test_cases_keep_the_files_order_and_their_own_events(self):
        cases = chrome_trace.read_cases(
            self.write(two_stages("even") + two_stages("a / exact", 200000, shift=3)))
        self.assertEqual([case.name for case in cases], ["even", "a / exact"])
        self.assertEqual([len(case.spans) for case in cases], [17, 17])


@NEEDS_MATPLOTLIB
class PictureTest(TimelineTest):
    def read_pixels(self, path):
        import matplotlib.image

        return matplotlib.image.imread(path)[:, :, :3]

    def where(self, pixels, colour):
        wanted = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
        return abs(pixels - wanted).max(axis=2) < 0.01

    def share(self, pixels, colour):
        return self.where(pixels, colour).mean()

    def test_the_picture_has_every_kind_in_its_colour(self):
        self.write(two_stages())
        self.ended(self.run_script("."), stderr="")
        pixels = self.read_pixels(self.folder / "timeline.png")
        for kind in ("#0072B2", "#E69F00", "#009E73", "#56B4E9", "#D55E00", "#E3E3E3"):
            self.assertGreater(self.share(pixels, kind), 0.001, kind)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()
                                if path.name != "config"), ["timeline.json", "timeline.png"])

    def test_boxes_are_as_long_as_the_tasks(self):
        # All forward is 40 ms and all backward is 40 ms, half the 100 ms twice over.
        self.write(two_stages())
        self.run_script(".", "--dpi", "300")
        pixels = self.read_pixels(self.folder / "timeline.png")[150:]  # below the legend
        forward, backward = self.share(pixels, "#0072B2"), self.share(pixels, "#E69F00")
        idle = self.share(pixels, "#E3E3E3")
        self.assertAlmostEqual(forward / backward, 1, delta=0.1)
        self.assertAlmostEqual(idle / backward, 55 / 40, delta=0.15)

    def test_a_window_leaves_out_what_lies_outside_it(self):
        self.write(two_stages())
        for words, backward in ((["--to", "0.03"], False), (["--from", "0.05"], True)):
            self.ended(self.run_script(".", *words))
            pixels = self.read_pixels(self.folder / "timeline.png")
            self.assertEqual(self.share(pixels, "#E69F00") > 0.001, backward)
            self.assertEqual(self.share(pixels, "#0072B2") > 0.001, not backward)

    def test_a_window_fills_the_width(self):
        self.write(two_stages())
        run = self.run_script(".", "--from", "0.06", "--to", "0.07")  # both run backward
        self.assertEqual(run.returncode, 0, run.stderr)
        pixels = self.read_pixels(self.folder / "timeline.png")
        self.assertGreater(self.where(pixels, "#E69F00").any(axis=0).mean(), 0.85)

    def test_titles_state_duration_and_the_rates_of_the_results(self):
        self.write(two_stages("even") + two_stages("exact", 200000, 10) +
                   two_stages("exact", 200000, 500, iteration=1)[:-1])
        self.write("case,planner,iteration,idleRate,bubbleRate\n"
                   "neither,even,0,0.123,0.045\nneither,exact,0,0.5,0.25\n", "iterations.csv")
        self.ended(self.run_script(".", "--out", "all.svg"))
        text = (self.folder / "all.svg").read_text()
        self.assertIn("<!-- even -->", text)
        self.assertIn("iteration 100 ms, idle 12.3 %, bubbles 4.5 %, 2 devices", text)
        self.assertIn("iteration 0: 100 ms, idle 50.0 %, bubbles 25.0 %, iteration 1 did not finish", text)
        (self.folder / "iterations.csv").unlink()
        self.run_script(".", "--out", "all.svg")
        self.assertIn("iteration 100 ms, 2 devices", (self.folder / "all.svg").read_text())
        self.ended(self.run_script(".", "--out", "one.svg", "--case", "exact", "--iteration", "0"))
        text = (self.folder / "one.svg").read_text()
        self.assertNotIn("<!-- even -->", text)
        self.assertIn("time since iteration 0 began (ms)", text)

    def test_the_same_run_gives_the_same_bytes_in_every_format(self):
        self.write(two_stages())
        for name in ("a.png", "a.svg", "a.pdf"):
            pictures = set()
            for _ in range(2):
                self.ended(self.run_script(".", "--out", name))
                pictures.add((self.folder / name).read_bytes())
            self.assertEqual(len(pictures), 1, name)

    def test_an_output_that_takes_no_words_is_no_bug(self):
        self.write(two_stages())
        for redirection, said in (("> /dev/full", "timeline.py: standard output: No space left on device\n"),
                                  (">&-", ""), ("| true", "")):
            run = subprocess.run(f"'{sys.executable}' '{ANALYSIS / self.script}' . {redirection}",
                                 shell=True, cwd=self.folder, stderr=subprocess.PIPE, text=True)
            self.assertEqual(run.stderr, said)
            self.assertTrue((self.folder / "timeline.png").is_file())

    def test_a_failed_run_leaves_an_older_picture_alone(self):
        self.write(two_stages())
        (self.folder / "timeline.png").write_text("older")
        self.assertEqual(self.run_script(".", "--iteration", "7").returncode, 2)
        self.assertEqual((self.folder / "timeline.png").read_text(), "older")


class RefusalTest(TimelineTest):
    def test_a_bad_file_is_refused_in_one_line(self):
        task = {"ph": "X", "cat": "task", "name": "forward", "pid": 1, "tid": 0, "ts": 0, "dur": 1,
                "args": {"iteration": 0}}
        for words, content, expected in (
            ("not JSON", "{\n \"traceEvents\": [}", "line 2, column 18"),
            ("empty file", "", "expected JSON"),
            ("nested too deep", "[" * 100000, "expected JSON"),
            ("bytes of something else", "\x00\x01", "expected JSON"),
            ("another document", '{"planner": "even"}', 'no list "traceEvents"'),
            ("a number", "7", 'no list "traceEvents"'),
            ("no events", [], "nothing to draw"),
            ("names only", [named(1, "even / a")], "nothing to draw"),
            ("an event that is no object", [7], "event 0: found 7"),
            ("a process without a name", [task], 'event 0: "pid": 1 has no process_name'),
            ("a process that is no case's", [named(1, "even"), task], '"CASE / DEVICE"'),
            ("time is text", [named(1, "even / a"), {**task, "ts": "now"}],
             'event 1: "ts": found "now", expected a number'),
            ("time is not a number", [named(1, "even / a"), {**task, "ts": float("nan")}], '"ts": found NaN'),
            ("negative duration", [named(1, "even / a"), {**task, "dur": -1}], '"dur": found -1'),
            ("no duration", [named(1, "even / a"),
                             {key: task[key] for key in task if key != "dur"}],
             '"dur": found nothing'),
            ("iteration is true", [named(1, "even / a"), {**task, "args": {"iteration": True}}],
             '"iteration": found true'),
            ("nothing but messages of control",
             [named(1, "even / a"), {**task, "cat": "transfer", "name": "ready"}],
             "nothing to draw"),
        ):
            self.refuse(words, expected, self.write(content))

    def test_a_bad_option_is_refused_in_one_line(self):
        self.write(two_stages())
        for words, expected, *arguments in (
            ("no such folder", "no such file", "missing"),
            ("no quickstart yet", "./ns3 run quickstart"),
            ("no such case", "which has even", ".", "--case", "exact"),
            ("no such iteration", "iterations 0 to 0", ".", "--iteration", "1"),
            ("iteration below 0", 'found "-1", expected a whole number', ".", "--iteration=-1"),
            ("iteration not whole", "expected a whole number", ".", "--iteration", "0.5"),
            ("begin is text", 'found "now", expected a number', ".", "--from", "now"),
            ("begin is no number", 'found "nan", expected a number', ".", "--from", "nan"),
            ("window inside out", "nothing to draw", ".", "--from", "0.05", "--to", "0.01"),
            ("window after the end", "the run ends at 0.1 s", ".", "--from", "5"),
            ("two windows", "do not go together", ".", "--iteration", "0", "--to", "1"),
            ("width of nothing", 'found "0", expected a number from 3', ".", "--width", "0"),
            ("width of infinity", 'found "inf"', ".", "--width", "inf"),
            ("unknown ending", "expected a name ending in .png", ".", "--out", "a.jpeg"),
            ("unknown option", "unrecognized", ".", "--colour", "red"),
        ):
            self.refuse(words, expected, *arguments)

    @NEEDS_MATPLOTLIB
    def test_a_picture_that_cannot_be_made_is_refused_in_one_line(self):
        self.write([event for case in range(20) for event in two_stages(f"case {case}", 100000 * (1 + case))])
        self.write(two_stages() + [named(100001, "even / " + "b" * 100)], "long.json")
        for words, expected, *arguments in (
            ("too large", "smaller --dpi", ".", "--row-height", "2", "--dpi", "1200"),
            ("no room", "leaves no room", "long.json"),
            ("no such folder to write to", "No such file", ".", "--out", "missing/a.png"),
        ):
            self.refuse(words, expected, *arguments)

    def test_without_matplotlib_it_names_the_package(self):
        (self.folder / "matplotlib.py").write_text("raise ImportError")
        self.write(two_stages())
        run = self.ended(self.run_script(".", environment={"PYTHONPATH": str(self.folder)}), 1)
        self.assertEqual(len(run.stderr.splitlines()), 1)
        self.assertIn("apt install python3-matplotlib", run.stderr)

    @NEEDS_MATPLOTLIB
    def test_an_environment_without_matplotlib_gives_way_to_debian_s_python(self):
        binaries = self.folder / "own" / "bin"
        binaries.mkdir(parents=True)
        (binaries / "python3").symlink_to("/usr/bin/python3")
        (self.folder / "own" / "pyvenv.cfg").write_text(
            "home = /usr/bin\ninclude-system-site-packages = false\n")
        self.write(two_stages())
        self.ended(subprocess.run([binaries / "python3", ANALYSIS / self.script, ".", "--out=a b.png"],
                                  cwd=self.folder, stderr=subprocess.PIPE, text=True), stderr="")
        self.assertTrue((self.folder / "a b.png").is_file())

    def test_help_names_every_option_with_unit_and_default(self):
        text = " ".join(self.run_script("--help").stdout.split())
        for words in ("results/quickstart", "--case NAME", "--iteration K", "--from S", "--to S",
                      "--out FILE", "--width IN", "--row-height IN", "--font-size PT", "--dpi N",
                      "default: 7.2", "default: 150", "seconds", "inches", "points"):
            self.assertIn(words, text)


RESULTS = ("planner,devices,pipelines,model,cluster,link,fidelity,status,iterationSeconds,"
           "samplesPerSecond,strongEfficiency,weakEfficiency,transfers")


class ScalabilityTest(ScriptTest):
    script = "scalability.py"

    def write_sweep(self, devices=(2, 20, 200), pipelines=(1,), planners=("even", "exact")):
        """Twice the devices train in half the time; "exact" has no plan for the most devices."""
        results = [RESULTS]
        for planner in planners:
            for d in devices:
                for p in pipelines:
                    key = f"{planner},{d},{p}"
                    if (planner, d) == ("exact", 200):
                        results.append(f"{key},tiny,lab,lan,flow,no-plan,,,,,0")
                    else:
                        results.append(f"{key},tiny,lab,lan,flow,finished,{8 / d},{d * p},1,1,"
                                       f"{10 * d * p}")
        (self.folder / "results.csv").write_text("\n".join(results) + "\n")

    def draw(self, *words):
        self.ended(self.run_script(".", *words), stderr="")

    def sweeps(self):
        """By title: the kind of scaling, what was swept, and the cases."""
        import scalability

        cases = scalability.read_table(self.folder / "results.csv", {
            **scalability.RESULTS, **scalability.MORE_RESULTS[False]}, scalability.MAY_BE_EMPTY)
        return {title: (kind, across, swept)
                for title, kind, across, _, swept in scalability.choose_sweeps(cases, False)}

    def test_lines_hold_the_figures_of_finished_cases(self):
        import scalability

        self.write_sweep()
        (kind, across, cases), = self.sweeps().values()
        for planner, column, expected in (
                ("even", "iterationSeconds", [(2, 4), (20, 0.4), (200, 0.04)]),
                ("exact", "iterationSeconds", [(2, 4), (20, 0.4)]),
                ("even", f"{kind}Efficiency", [(2, 1), (20, 1), (200, 1)])):
            self.assertEqual(scalability.points_of(cases, planner, across, column), expected)

    def test_pipelines_are_drawn_where_they_were_swept(self):
        self.write_sweep(devices=(4,), pipelines=(1, 2, 4))
        (title, (kind, across, _)), = self.sweeps().items()
        self.assertEqual((title, kind, across), ("Weak scaling, 4 devices a pipeline", "weak", "pipelines"))
        self.write_sweep(pipelines=(1, 2))
        self.assertEqual({title: {(case["devices"], case["pipelines"]) for case in cases}
                          for title, (_, _, cases) in self.sweeps().items()}, {
            "Strong scaling, 1 pipeline": {(2, 1), (20, 1), (200, 1)},
            "Weak scaling, 200 devices a pipeline": {(200, 1), (200, 2)}})

    @NEEDS_MATPLOTLIB
    def test_the_picture_has_every_planner(self):
        self.write_sweep()
        self.draw_twice(".", "-o", "all.svg")
        text = (self.folder / "all.svg").read_text()
        for words in ("even", "exact", "tiny on lab, lan at flow level", "Strong scaling, 1 pipeline",
                      "devices of the site"):
            self.assertIn(f"<!-- {words} -->", text)
        self.draw("--width=3")
        self.assertGreater((self.folder / "scalability.png").stat().st_size, 10000)

    def test_a_picture_that_cannot_be_written_is_refused_before_it_is_drawn(self):
        self.write_sweep()
        # -S: nothing could be drawn
        run = self.ended(subprocess.run(["/usr/bin/python3", "-S", ANALYSIS / self.script, self.folder,
                                         "--out=/proc/a.png"], text=True, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE), 2)
        self.assertRegex(run.stderr, r"^scalability.py: /proc: cannot write there: .+\n$")

    @NEEDS_MATPLOTLIB
    def test_an_efficiency_below_the_least_is_marked(self):
        self.write_sweep()
        mark = "<!-- arrow: below 0.01 -->"
        self.draw("-o", "all.svg")
        self.assertNotIn(mark, (self.folder / "all.svg").read_text())
        results = self.folder / "results.csv"
        results.write_text(results.read_text().replace(",200,1,1,2000", ",200,5e-7,1,2000"))
        self.draw("-o", "all.svg")
        text = (self.folder / "all.svg").read_text()
        self.assertEqual(text.count(mark), 1)
        self.draw("-o", "marked.png")

    @NEEDS_MATPLOTLIB
    def test_one_case_is_a_picture_too(self):
        self.write_sweep(devices=(4,), planners=("even",))
        self.draw()

    def test_bad_files_are_refused_in_one_line(self):
        for words, file, change, expected in (
            ("no results", "results.csv", None, "no such file"),
            ("an empty file", "results.csv", lambda text: "", 'column "planner" is missing'),
            ("no row", "results.csv", lambda text: RESULTS + "\n", "no row"),
            ("text for a number", "results.csv", lambda text: text.replace("even,2,", "even,two,"),
             'results.csv: line 2: devices: found "two", expected a whole number above 0'),
            ("a column too few", "results.csv", lambda text: text.replace("strongEfficiency", "s"),
             'results.csv: line 1: column "strongEfficiency" is missing'),
            ("a negative time", "results.csv", lambda text: text.replace("4.0,", "-1,", 1),
             'iterationSeconds: found "-1", expected a number'),
            ("a row too short", "results.csv", lambda text: text + "even,3\n", 'line 8: pipelines: found ""'),
            ("nothing finished", "results.csv", lambda text: text.replace("finished", "stalled"),
             "no case has finished"),
            ("bytes of something else", "results.csv", lambda text: "\udcff\0", "expected CSV"),
        ):
            with self.subTest(words):
                self.write_sweep()
                path = self.folder / file
                if change:
                    path.write_text(change(path.read_text()), errors="surrogateescape")
                else:
                    path.unlink()
                self.refuse(words, expected, ".")

    def test_bad_options_are_refused_in_one_line(self):
        self.write_sweep()
        for words, expected, *arguments in (
            ("unknown ending", "expected a name ending in .png", "-o", "a.jpeg"),
            ("an unknown option", "unrecognized", "--colour"),
        ):
            self.refuse(words, expected, ".", *arguments)


class RewardCurvesTest(ScriptTest):
    script = "reward_curves.py"

    def write(self, run, rewards, name=None, model="vgg19"):
        path = self.folder / (name or f"{run}.csv")
        lines = ["model,variant,run,network,episode,reward,epsilon,loss"]
        lines += [f"{model},faithful,{run},sdqn,{i},{reward},1,0" for i, reward in enumerate(rewards)]
        path.write_text("\n".join(lines) + "\n")
        return path

    def test_mean_and_spread_are_those_found_by_hand(self):
        import reward_curves

        what, curves = reward_curves.read_curves(
            [str(self.write(1, [-1, 0, 4])), str(self.write(2, [1, 4, 4]))])
        self.assertEqual(what, ("vgg19", "faithful"))
        smoothed = [reward_curves.smooth(rewards, 2) for rewards in curves["sdqn"].values()]
        self.assertEqual(smoothed, [[-1, -0.5, 2], [1, 2.5, 4]])
        means, deviations = reward_curves.spread(smoothed)
        self.assertEqual(means, [0, 1, 3])
        for found, expected in zip(deviations, [2 ** 0.5, 4.5 ** 0.5, 2 ** 0.5]):
            self.assertAlmostEqual(found, expected, places=12)

    def test_refuses_what_cannot_be_compared(self):
        first = self.write(1, [1, 2])
        self.refuse("another model", "expected vgg19 faithful", first, self.write(2, [1, 2], model="alexnet"))
        self.refuse("another length", "expected all of the same", first, self.write(3, [1]))
        self.refuse("the same run", "run 1 is in another file too", first,
                    self.write(1, [1, 2], name="again.csv"))
        self.refuse("no number", 'reward: found "much"', self.write(4, ["much"]))
        self.refuse("no file", "No such file", "none.csv")

    @NEEDS_MATPLOTLIB
    def test_draws_beside_the_first_file(self):
        self.ended(self.run_script(self.write(1, [1, 2, 3]), self.write(2, [2, 3, 4])))
        self.assertGreater((self.folder / "reward_curves.png").stat().st_size, 5000)
