# SPDX-License-Identifier: GPL-2.0-only
"""The study dgpas-testbed as a user meets it, and the pictures of its results."""

import json
import math
import os
import unittest

from places import ROOT
from programs import Program
from scripts import NEEDS_MATPLOTLIB, NEEDS_PANDAS, ScriptTest, load

TRACES = f"--traces={ROOT / 'traces'}"
FAST = ("--quick", "--planner=exact,dp-dgpas,dp,ga", "--mini-batches=1,2")


class DgpasScenario(Program):
    def run_testbed(self, *options):
        return self.ended(self.run_program("dgpas-testbed", TRACES, "--out=r", *options), stderr="").stdout

    def test_seeds_are_of_random_planners_and_change_their_plans(self):
        # A budget this small leaves the search at chance.
        self.run_testbed("--quick", "--planner=exact,dp-dgpas,ga", "--mini-batches=1", "--model=vgg19", "--seeds=3",
                         "--ns3::edgepipe::SearchPipelinePlanner::Evaluations=20")
        rows = [row for row in self.read_csv("r", "results.csv") if row["help"] == "none"]
        runs = {method: [row["run"] for row in rows if row["method"] == method]
                for method in ("dp-dgpas", "exact", "ga")}
        self.assertEqual(runs, {"dp-dgpas": ["1"], "exact": ["1"], "ga": ["1", "2", "3"]})
        seconds = [float(row["iterationSeconds"]) for row in rows if row["method"] == "ga"]
        self.assertEqual(len(set(seconds)), 3)
        mean, = (row for row in self.read_csv("r", "means.csv")
                 if (row["method"], row["help"]) == ("ga", "none"))
        self.assertAlmostEqual(float(mean["iterationSeconds"]), sum(seconds) / 3, places=9)
        center = sum(seconds) / 3
        deviation = (sum((one - center) ** 2 for one in seconds) / 2) ** 0.5
        self.assertAlmostEqual(float(mean["iterationSecondsHalfWidth"]) / deviation,
                               4.302653 / 3 ** 0.5, places=6)  # Student, 2 degrees of freedom

    def test_files_and_tables_say_the_same(self):
        text = self.run_testbed(*FAST, "--model=alexnet,vgg19", "--networks=lan-1g,wifi-ac")
        rows = self.read_csv("r", "results.csv")
        self.assertEqual({(row["model"], row["network"], row["method"], row["help"])
                          for row in rows},
                         {(model, network, method, kind) for model in ("AlexNet", "VGG19")
                          for network, methods in (
                              ("lan-1g", ("exact", "dp-dgpas", "dp", "ga")),
                              ("wifi-ac", ("exact", "dp-dgpas", "ga")))
                          for method in methods for kind in ("none", "ideal", "full")})
        self.assertTrue(all(row["status"] == "finished" for row in rows))
        dp, = (row for row in self.read_csv("r", "table3.csv")
               if (row["model"], row["method"]) == ("VGG19", "dp-dgpas"))
        self.assertEqual((dp["row"], float(dp["paperSeconds"])), ("DP", 118.5))
        self.assertAlmostEqual(float(dp["paperOverDgpas"]), 118.5 / 63.96, places=12)
        cell = f"118.5 / {float(dp['oursSeconds']):.4g}"
        page = (self.folder / "r" / "tables.md").read_text()
        for words in (cell, "802.11ac", "index (eq. 14)"):
            self.assertIn(words, page)
        self.assertIn(cell, text)
        self.assertEqual({row["miniBatches"] for row in self.read_csv("r", "figure11.csv")},
                         {"1", "2"})
        self.assertEqual({row["items"] for row in self.read_csv("r", "items.csv")},
                         {"2", "4", "8", "16", "32"})
        self.assertTrue(all(row["status"] == "finished" for row in self.read_csv("r", "items.csv")))
        helped = {(row["checkpoints"], row["network"], row["help"]): float(row["iterationSeconds"])
                  for row in self.read_csv("r", "checkpoints.csv")
                  if (row["model"], row["method"]) == ("VGG19", "dp-dgpas")}
        self.assertEqual(set(helped), {(count, network, kind) for count in ("1", "16", "256")
                                       for network in ("lan-1g", "wifi-ac") for kind in ("none", "ideal", "full")})
        self.assertEqual(len({helped[count, "lan-1g", "none"] for count in ("1", "16", "256")}), 1)
        self.assertLess(helped["256", "lan-1g", "ideal"], helped["1", "lan-1g", "ideal"])
        self.assertIn("Theorem 1 and what was measured", page)
        self.assertEqual({float(row["bitsPerSecond"])
                          for row in self.read_csv("r", "bandwidth.csv")}, {1e7, 1e9, 1e11})

    @unittest.skipIf("EDGEPIPE_WITHOUT_TORCH" in os.environ, "this build is without LibTorch")
    def test_the_plan_that_the_authors_published_is_a_row_of_its_model(self):
        said = self.run_testbed("--quick", "--planner=grdqn", "--model=alexnet,vgg19", "--mini-batches=1",
                                "--methods=dgpas-published-plan")
        row, = (row for row in self.read_csv("r", "results.csv") if row["help"] == "none")
        self.assertEqual((row["model"], row["status"]), ("VGG19", "no-plan"))
        self.assertRegex(said, r'No plan: dgpas-published-plan, VGG19.*"classifier.6"\) needs 8.73 GB')

    def test_a_planner_without_a_plan_is_told_and_the_others_go_on(self):
        text = self.run_testbed("--quick", "--planner=even,dp-dgpas,dp", "--model=inception_v3",
                                "--mini-batches=1")
        self.assertIn("No plan: even, InceptionV3", text)
        status = {row["method"]: row["status"] for row in self.read_csv("r", "results.csv")}
        self.assertEqual(status, {"even": "no-plan", "dp-dgpas": "finished", "dp": "finished"})

    def test_mistakes_are_one_line(self):
        self.refuse_each((
            (["--model=resnet18"], ("--model", "alexnet, resnext101_32x8d")),
            (["--networks=5g"], ("--networks", "lan-1g, lan-100m, wifi-ac, memory")),
            (["--planner=best"], ("--planner", "expected some of", "grdqn")),
            (["--methods=pso", *FAST], ("--methods", "dp-dgpas, ga, dp, exact")),
            (["--seeds=0"], ("--seeds", "whole number")),
            (["--other-seeds=x"], ("--other-seeds", "whole number")),
            (["--bubbles-of=grdqn-faithful"], ("--bubbles-of", "grdqn-improved")),
            (["--mini-batches=4,2"], ("--mini-batches",)),
            (["--checkpoints=0", *FAST], ("--checkpoints",)),
            (["--lambda=-1", *FAST], ("--lambda",)),
            (["--quick=perhaps"], ("--quick",)),
            (["--fidelity=exact", *FAST], ("--fidelity",)),
            (["--traces=/nowhere"], ("/nowhere",)),
            (["--out=/dev/null/r"], ("--out",)),
        ), "dgpas-testbed", TRACES)


class PublishedFigures(unittest.TestCase):
    def shipped(self):
        return json.loads((ROOT / "traces/published/dgpas.json").read_text())

    def test_the_rows_and_columns_of_table_3_add_up_as_printed(self):
        shipped = self.shipped()
        rows = {"DGPAS": 162.85, "PG-MPSS": 187.94, "DP": 260.77, "GA": 216.13, "PSO": 247.4,
                "PPO": 229.12, "AutoPipe": 179.42, "DGPAS_Co": 104.2, "Seq1F1B": 148.094}
        columns = {"AlexNet": 50.0976, "ResNeXt101": 506.3603, "VGG19": 691.032,
                   "InceptionV3": 391.6971, "RegNet-200MF": 96.737}
        self.assertEqual([method["name"] for method in shipped["methods"]], list(rows))
        self.assertEqual([model["name"] for model in shipped["models"]], list(columns))
        for method, expected in zip(shipped["methods"], rows.values()):
            self.assertAlmostEqual(sum(method["seconds"]), expected, places=9, msg=method)
        for at, (model, expected) in enumerate(columns.items()):
            found = sum(method["seconds"][at] for method in shipped["methods"])
            self.assertAlmostEqual(found, expected, places=9, msg=model)


@NEEDS_PANDAS
class Theorem(unittest.TestCase):
    """Theorem 1, of a time of 10 s in bubbles without help."""

    def setUp(self):
        self.tool = load("dgpas_testbed")

    def test_theta_is_the_mean_over_grants(self):
        for grants, imbalance, bubbles, theta in ((0, 0, 10, None), (1, 1, 0, None), (1, 0, 10, 1),
                                                  (2, 2 + 5, 10, 0.65), (1, 29, 10, -1.9)):
            self.assertEqual(self.tool.find_theta({"grants": grants, "imbalanceSeconds": imbalance}, bubbles),
                             theta)

    def test_theorem_1_multiplies_over_grants(self):
        def bound(grants, logs, bubbles=10):
            return self.tool.find_theorem({"grants": grants, "logImbalance": logs}, bubbles)
        self.assertIsNone(bound(1, 0, 0))
        self.assertEqual(bound(0, 0), 10)
        self.assertAlmostEqual(bound(2, math.log(2) + math.log(5)), 1)  # 10 * (2 / 10) * (5 / 10)
        self.assertEqual(bound(2, None), 0)  # JSON's minus infinity: a grant in balance leaves nothing


class DgpasPicture(ScriptTest):
    script = "dgpas_pictures.py"

    def write(self, kinds=("none", "ideal", "full"), seconds="2"):
        (self.folder / "table3.csv").write_text("\n".join((
            "model,method,help,row,paperSeconds,oursSeconds,oursHalfWidth",
            *(f"Net,{variant},{kind},DGPAS,4,{seconds},0.1"
              for variant in ("grdqn", "grdqn-improved") for kind in ("none", "ideal", "full")),
            "Net,seq1f1b-grdqn-improved,none,Seq1F1B,5,2,0", "Net,exact,none,,,2,0")) + "\n")
        for name, condition, values in (("figure11", "miniBatches", (1, 2)),
                                        ("micro_batches", "microBatches", (8,)),
                                        ("items", "items", (2, 32)),
                                        ("bandwidth", "bitsPerSecond", (1e7, 1e9))):
            (self.folder / f"{name}.csv").write_text("\n".join((
                f"model,method,run,{condition},help,iterationSeconds,bubbleRate",
                *(f"Net,exact,1,{value},{kind},{seconds},0.5"
                  for value in values for kind in kinds))) + "\n")

    @NEEDS_MATPLOTLIB
    def test_pictures_name_models_methods_and_theirs(self):
        self.write()
        run = self.draw_twice(".", "--format=svg")
        self.assertEqual(run.stdout.split(),
                         ["figure10.svg", "figure11.svg", "figure12.svg", "bandwidth.svg"])
        for name, words in (("figure10.svg", ("Net", "grdqn", "exact", "hollow")),
                            ("figure11.svg", ("mini-batches", "the paper's average", "authors' scripts")),
                            ("figure12.svg", ("DGPAS_Co, full", "Seq1F1B", "improved")),
                            ("bandwidth.svg", ("Mbit/s", "less time with help"))):
            text = (self.folder / name).read_text()
            for one in words:
                self.assertTrue(one in text, f"{name}: {one}")

    def test_bad_files_are_refused_in_one_line(self):
        self.refuse("no results", "No such file", ".")
        self.write(kinds=("none", "ideal"))
        self.refuse("no full help", "expected a row for none, ideal and full", ".")
        self.write(seconds="fast")
        self.refuse("no number", 'found "fast"', ".")
        self.write()
        self.refuse("a missing folder", "--out", ".", "--out", "missing")
