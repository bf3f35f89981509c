# SPDX-License-Identifier: GPL-2.0-only
"""Actors and learner as a user meets them: actor-learner, coknight-figures, and their pictures."""

import csv
import json

from planner.multi_actor_test import MILP
from places import ROOT
from programs import Program, put
from scripts import NEEDS_MATPLOTLIB, ScriptTest

TRACES = f"--traces={ROOT / 'traces'}"
SHORT = (TRACES, "--actors=4", "--link=lan", "--duration=4s", "--warm-up=2s", "--out=out")

REFUSED = [
    (["--actors=2", "--first-actors=3"], ["--first-actors", "--actors"]),
    (["--warm-up=10s"], ["--warm-up", "--duration"]),
    (["--execution=eq5", "--belief=profile"], ["--belief", "--execution=eq5"]),
    (["--most-batch=8"], ["--most-batch", "--batching=none", "opportunistic does"]),
    (["--budget-actors=3"], ["--budget-actors", "since --elastic=true"]),
    (["--replan=false", "--monitor=probe"], ["--monitor", "since --replan=false"]),
    (["--replan-period=1us"], ["--replan-period", "1ms or more"]),
    (["--load=nobody:0.5@1s"], ["--load", "raspberry-pi-4b-0", "server"]),
    (["--cut=nobody@2s"], ["--cut", "nobody"]),
]
REFUSED_FIGURES = [
    (["--figures=3"], ["--figures", "2, 6, 9, 10, 11, 12"]),
    (["--actors=9,3"], ["--actors"]),
    (["--fidelity=high"], ["--fidelity", "flow or packet"]),
    (["--problems=0"], ["--problems", "from 1 to"]),
    (["--duration=1s"], ["--duration", "2s or more"]),
]


class ActorLearner(Program):
    def run_short(self, *options):
        return self.ended(self.run_program("actor-learner", *SHORT, *options))

    def test_mistakes_are_refused_in_one_line(self):
        self.refuse_each(REFUSED, "actor-learner", *SHORT)
        self.refuse_each(REFUSED_FIGURES, "coknight-figures", TRACES)

    def test_every_planner_that_finds_a_plan_is_compared(self):
        # Without replanning all have one problem.
        result = self.run_short("--planner=all", "--speed-spread=0.5", "--replan=false")
        rows = self.read_csv("out", "results.csv")
        self.assertEqual(sorted(row["planner"] for row in rows),
                         ["all-local", "all-server", "defp", "defp-as-printed", "igreedy", "milp",
                          "ogreedy"])
        for row in rows:
            self.assertIn(row["planner"], result.stdout)
            if row["planner"] == "milp" and not MILP:
                self.assertEqual((row["status"], row["requestsPerSecond"]), ("refused", ""))
                continue
            self.assertGreater(float(row["requestsPerSecond"]), 10)
            self.assertLessEqual(float(row["jainIndex"]), 1 + 1e-9)
        by = {row["planner"]: row for row in rows}
        self.assertEqual(float(by["all-local"]["inferenceShare"]), 0)
        self.assertEqual(int(by["all-server"]["parameterBytes"]), 0)
        for name in MILP:
            self.assertGreaterEqual(float(by[name]["totalReductionSeconds"]),
                                    float(by["defp"]["totalReductionSeconds"]) - 1e-12)

    def test_rates_far_from_the_links_are_told(self):
        options = ("--planner=all-server", "--bandwidth=40Mbps", "--replan=false")
        far = self.run_short(*options, "--planner-bandwidth=4Mbps").stdout
        self.assertRegex(far, r"all-server: (\d+) of \1 decisions on a rate more than a third off; at .* s, .*: "
                              r"4(\.0+)? Mbit/s believed, the link has 3\d")
        self.assertIn("more than a third off", (self.folder / "out/report.html").read_text())
        for bandwidth in ("lone", "share"):
            near = self.run_short(*options, f"--planner-bandwidth={bandwidth}").stdout
            self.assertNotIn("more than a third off", near)

    def test_a_plan_that_does_not_fit_is_refused(self):
        model = self.inputs / "large.json"
        model.write_text(put(3 * 10 ** 9, "layers", 1, "parameterBytes")(  # the learner needs three times as much
            (ROOT / "traces/models/atari_cnn.json").read_text()))
        small = "--actor=raspberry-pi-3b"
        run = self.run_program("actor-learner", *SHORT, small, f"--model={model}", "--planner=all-local")
        self.assertEqual((run.returncode, list(self.folder.iterdir())), (2, []))
        self.assertRegex(run.stderr, r"^actor-learner: all-local: .* on 4 actors take 3.005 GB .*700.0 MB.*\n$")
        run = self.run_short(small, f"--model={model}", "--planner=all-local,all-server")
        self.assertIn("3.005 GB", run.stderr)
        self.assertEqual([(row["status"], row["plan"].split(":")[0])
                          for row in self.read_csv("out", "results.csv")],
                         [("refused", ""), ("finished", "4 actors")])

    def test_another_run_draws_other_churn(self):
        texts = []
        for run in (1, 2):
            self.start_afresh()
            self.run_short("--churn=300", "--first-actors=2", f"--RngRun={run}")
            texts.append((self.folder / "out" / "steps.csv").read_text())
        self.assertNotEqual(*texts)

    def test_what_no_request_measured_is_left_empty(self):
        # Parameters of 4.4 MB do not arrive in time.
        result = self.run_short("--planner=defp,all-local", "--bandwidth=100kbps", "--meetings=false")
        for row in self.read_csv("out", "results.csv"):
            self.assertEqual((row["status"], row["requests"]), ("finished", "0"))
            for column in ("requestsPerSecond", "meanResponseSeconds", "p99ResponseSeconds",
                           "predictedResponseSeconds", "queueSeconds", "jainIndex",
                           "actorLagMean"):
                self.assertEqual(row[column], "", column)
            self.assertRegex(result.stdout, rf"(?m)^ *{row['planner']}(  +-){{7}} ")
            self.assertIn(f"{row['planner']}: no request ended in the measured 2.000 s; at its "
                          "end 4 of 4 actors: waits for the parameters", result.stdout)

    def test_what_executes_is_the_profile_and_planners_may_believe_it(self):
        alone = ("--actors=1", "--unroll=1000", "--train-batch=0", "--model=alexnet",
                 "--compute-budget=0.7", "--meetings=false")
        figures = {}
        for options in ((), ("--belief=profile",), ("--execution=eq5",)):
            self.start_afresh()
            result = self.run_short(*alone, *options)
            self.assertIn("layer costs of actor raspberry-pi-4b: estimated", result.stdout)
            self.assertIn("at the rates believed then, if nobody waits, no bound where a link has more", result.stdout)
            row = self.read_csv("out", "results.csv")[0]
            response, profile, eq5, believed = (
                float(row[f"{name}ResponseSeconds"]) for name in ("mean", "profile", "eq5", "predicted"))
            self.assertAlmostEqual(response, profile, delta=0.05 * profile)
            # Beside eq. 6, the prediction counts four wires of 20 us.
            self.assertAlmostEqual(
                believed, (profile if "--belief=profile" in options else eq5) + 4 * 20e-6, 12)
            figures[options] = (profile, eq5)
        self.assertGreater(figures[()][1], 1.5 * figures[()][0])
        self.assertEqual(*figures[("--execution=eq5",)])

    def test_loads_links_and_batches_are_in_the_results(self):
        self.run_short("--actors=4", "--planner=all-server", "--duration=6s", "--step-time=1ms",
                       "--load=raspberry-pi-4b-0:0.5@2s,server:0.25@3s", "--meetings=true")
        changes = self.read_csv("out", "changes.csv")
        kinds = [row["change"] for row in changes]
        joins = kinds.count("join")
        self.assertEqual(kinds[:joins], ["join"] * joins)
        self.assertEqual(changes[joins - 1]["actors"], "4")
        self.assertIn("report", kinds)
        self.assertIn("server", kinds)
        slow = float(self.read_csv("out", "results.csv")[0]["meanResponseSeconds"])
        self.start_afresh()
        self.run_short("--actors=4", "--planner=all-server", "--duration=6s", "--step-time=1ms",
                       "--load=raspberry-pi-4b-0:0.5@2s,server:0.25@3s",
                       "--batching=opportunistic", "--most-batch=4")
        fast = float(self.read_csv("out", "results.csv")[0]["meanResponseSeconds"])
        self.assertLess(fast, 0.7 * slow)

    def test_defp_meets_over_the_network_unless_told_otherwise(self):
        for meetings in ("true", "false"):
            self.start_afresh()
            self.run_short(f"--meetings={meetings}", "--replan=false")
            row = self.read_csv("out", "results.csv")[0]
            moved = sum(int(use["meetingBytes"]) for use in self.read_csv("out", "usage.csv"))
            self.assertGreater(int(row["planMessages"]), 20)
            if meetings == "false":
                self.assertEqual((int(row["meetingMessages"]), moved), (0, 0))
            else:
                self.assertGreater(int(row["meetingMessages"]), 20)
                self.assertGreater(moved, 64 * int(row["meetingMessages"]))

    def test_use_over_time_is_that_of_the_wire(self):
        # Parameters of 4.4 MB take 2 s, many spans.
        self.run_short("--actors=1", "--planner=all-local", "--bandwidth=20Mbps",
                       "--duration=4.3s", "--span=200ms")
        rows = self.read_csv("out", "usage.csv")
        self.assertEqual(float(rows[-1]["fromSeconds"]), 4)
        moved = [int(row["parameterBytes"]) for row in rows]
        self.assertLessEqual(max(moved), 20e6 / 8 * 0.2)
        self.assertGreater(moved[5], 0.9 * 20e6 / 8 * 0.2)


@NEEDS_MATPLOTLIB
class Pictures(ScriptTest):
    script = "actor_learner.py"

    def write_run(self):
        def write(name, columns, rows):
            with open(self.folder / name, "w", newline="") as file:
                csv.writer(file).writerows([columns.split(","), *rows])
        write("results.csv", "planner,status,requestsPerSecond,predictedResponseSeconds",
              [("defp", "finished", 90, 0.004), ("all-server", "finished", 80, 0.003)])
        write("steps.csv", "planner,cut,responseSeconds,endedSeconds",
              [(name, 7, 0.004 + i / 1e4, i) for name in ("defp", "all-server") for i in range(9)])
        write("changes.csv", "planner,seconds,change,share,bytesPerSecond,serverShare",
              [(name, *row) for name in ("defp", "all-server")
               for row in ((0, "join", 1, 1e6, 1), (3, "report", 0.5, 2e6, 1),
                           (4, "server", "", "", 0.5))])
        write("usage.csv", "planner,fromSeconds,inferenceShare,trainingShare,tensorBytes,"
              "trajectoryBytes,actionBytes,parameterBytes",
              [(name, i, 0.3, 0.01, 1e6, 1e5, 1e3, 1e6)
               for name in ("defp", "all-server") for i in range(5)])

    def test_a_run_is_drawn(self):
        self.write_run()
        self.ended(self.run_script("."))
        for name in ("responses.png", "server.png", "decisions.png"):
            self.assertGreater((self.folder / name).stat().st_size, 5000)

    def test_a_figure_that_is_none_is_refused(self):
        self.write_run()
        path = self.folder / "steps.csv"
        path.write_text(path.read_text().replace("0.004", "soon", 1))
        self.refuse("a response in words", "steps.csv: line 2", ".")


@NEEDS_MATPLOTLIB
class CoknightPictures(ScriptTest):
    script = "coknight_pictures.py"

    def test_figures_are_drawn_and_broken_ones_refused(self):
        rows = [{"planner": planner, "bandwidthMBps": limit, "requestsPerSecond": 10 + limit}
                for planner in ("defp", "all-server") for limit in (50, 2)]
        path = self.folder / "coknight.json"
        path.write_text(json.dumps({"figures": {"10": {"rows": rows}}}))
        self.ended(self.run_script("."))
        self.assertGreater((self.folder / "coknight.png").stat().st_size, 5000)
        for text, words in (("{", "expected JSON"),
                            ('{"figures": {}}', "found no figure"),
                            ('{"figures": {"10": {"rows": [{"planner": "defp"}]}}}', "figure 10")):
            path.write_text(text)
            self.refuse(text, words, ".")
        path.unlink()
        self.refuse("no file", "No such file", ".")
