# SPDX-License-Identifier: GPL-2.0-only
"""The scenario `qdmp-tables` as a user meets it, its page, and the pictures of its results."""

import csv
import json
import re
import sys
import unittest

import analysis_test
import cli_test

import dag_layout
import qdmp_tables

PAPERS = cli_test.ROOT.parent / "shared" / "papers" / "tables"
PAGE = cli_test.ROOT / "contrib" / "edgepipe" / "doc" / "qdmp.rst"
TRACES = f"--traces={cli_test.ROOT / 'traces'}"
PLANNERS = ("cloud-only", "edge-only", "neurosurgeon", "dads", "qdmp")


class QdmpTablesScenario(cli_test.Program):
    def run_tables(self, *options):
        result = self.run_program("qdmp-tables", TRACES, "--repeats=1", "--out=r", *options)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout

    def test_the_same_command_gives_the_same_results(self):
        contents = set()
        for _ in range(2):
            self.run_tables("--model=alexnet,googlenet")
            contents.add(tuple((self.folder / "r" / name).read_bytes() for name in (
                "results.csv", "order.csv", "assumptions.csv", "run.json")))
        self.assertEqual(len(contents), 1)

    def test_files_and_tables_say_the_same(self):
        text = self.run_tables()
        rows = self.read_csv("r", "results.csv")
        row, = (row for row in rows if (row["figure"], row["model"], row["network"],
                                        row["planner"]) == ("table2", "AlexNet", "3G", "qdmp"))
        self.assertAlmostEqual(float(row["difference"]),
                               float(row["ours"]) / float(row["paper"]) - 1, places=9)
        cell = f"{float(row['paper']):.2f} {float(row['ours']):.2f}"
        self.assertIn(cell, text)
        page = (self.folder / "r" / "tables.md").read_text()
        for words in (cell, "## Figure 10", "## Order of the planners", "| ResNet-18 | 4G |"):
            self.assertIn(words, page)
        decisions = self.read_csv("r", "costs.csv")
        self.assertEqual(len(decisions), 6 * (3 * 2 + 3))
        self.assertTrue(all(float(row["seconds"]) > 0 for row in decisions))
        points = self.read_csv("r", "figure11.csv")
        self.assertEqual([float(row["uplinkBitsPerSecond"]) for row in points],
                         [0.5e6 * step for step in range(31)])
        self.assertEqual(points[0]["cloudOnlySeconds"], "")

    def test_mistakes_are_one_line(self):
        for words, *options in (
            (("--model", "alexnet, alexnet_parallel"), "--model=vgg16"),
            (("--networks", "CAT1, 3G, 4G, Wi-Fi"), "--networks=5G"),
            (("--tensor-bytes", "whole number"), "--tensor-bytes=8"),
            (("--set-up",), "--set-up=-1"),
            (("devices/nokia.json", "cannot be read"), "--device=nokia"),
            (("/nowhere",), "--traces=/nowhere"),
            (("--out",), "--out=/dev/null/r"),
        ):
            with self.subTest(options):
                self.assert_refused(self.run_program("qdmp-tables", TRACES, *options), words)

    def test_the_page_explains_every_difference_above_the_tolerance(self):
        """The lists `Table N, PLANNER: MODEL NETWORK, ...;` of the page are those of the run."""
        self.run_tables()
        found = {(row["figure"], row["planner"], f"{row['model']} {row['network']}")
                 for row in self.read_csv("r", "results.csv")
                 if row["figure"].startswith("table") and row["difference"]
                 and abs(float(row["difference"])) > 0.15}
        text = " ".join(PAGE.read_text().split())
        listed = {(f"table{table}", planner, cell.strip())
                  for table, planner, cells in re.findall(
                      r"Table (\d), ``([a-z-]+)``: ([^;]+);", text)
                  for cell in cells.split(",")}
        self.assertTrue(found)
        self.assertEqual(listed, found)


class PublishedFigures(unittest.TestCase):
    @unittest.skipUnless(PAPERS.is_dir(), f"{PAPERS} is not there")
    def test_the_shipped_figures_are_the_papers(self):
        shipped = json.loads((cli_test.ROOT / "traces/published/qdmp-tables.json").read_text())

        def table(name):
            with open(PAPERS / f"qdmp_{name}.csv", newline="") as file:
                return list(csv.DictReader(file))

        self.assertEqual(
            {row["technology"]: float(row["max_uplink_mbps"]) * 1e6
             for row in table("table5_uplink_mbps")},
            {network["name"]: network["uplinkBitsPerSecond"] for network in shipped["networks"]})
        models = {model["name"]: model for model in shipped["models"]}
        for key, name in (("latencySeconds", "table2_latency_s"),
                          ("framesPerSecond", "table3_throughput_fps")):
            rows = table(name)
            self.assertEqual(len(rows), 12)
            for row in rows:
                self.assertEqual({planner: float(row[planner.replace("-", "_")])
                                  for planner in PLANNERS},
                                 models[row["model"]][key][row["network"]], (name, row))
        for row in table("table4_decision_time_s"):
            model = models[row["model"]]
            self.assertEqual(int(row["layers"]), model["layers"])
            for device, column in (("raspberry-pi-3b", "rpi3b"), ("raspberry-pi-4b", "rpi4b"),
                                   ("i3-3240", "i3")):
                self.assertEqual({planner: float(row[f"{column}_{planner}"])
                                  for planner in ("dads", "qdmp")},
                                 model["decisionSeconds"][device])
        for row in table("table1_dads_decision_time_s"):
            for device, column in (("raspberry-pi-3b", "rpi3b"), ("raspberry-pi-4b", "rpi4b"),
                                   ("i3-3240", "i3_3240")):
                self.assertEqual(float(row[column]),
                                 models[row["model"]]["decisionSeconds"][device]["dads"])
        for row in table("table6_traffic_mbit_per_frame"):
            self.assertEqual({network: float(row[network]) for network in
                              ("CAT1", "3G", "4G", "Wi-Fi")},
                             models[row["model"]]["mebibitsPerFrame"])


class Layout(unittest.TestCase):
    def test_least_squares_keep_order_and_distance(self):
        self.assertEqual(dag_layout.spread([0, 0, 0]), [-1, 0, 1])
        self.assertEqual(dag_layout.spread([5, 0]), [2, 3])
        self.assertEqual(dag_layout.spread([0, 3, 9]), [0, 3, 9])

    def test_a_block_with_a_shortcut_has_a_lane_for_it(self):
        layout = dag_layout.place([[], [0], [1], [2, 0], [3]])
        self.assertEqual(layout.depth, [0, 1, 2, 3, 4])
        shortcut = layout.routes[0, 3]
        self.assertEqual([depth for depth, _ in shortcut], [0, 1, 2, 3])
        for (_, lane), layer in zip(shortcut[1:3], (1, 2)):
            self.assertGreaterEqual(abs(lane - layout.height[layer]), 1 - 1e-9)
        self.assertEqual(layout.depths, 5)

    def test_no_two_layers_of_a_shipped_model_overlap(self):
        for name in ("googlenet", "inception_v3", "mobilenet_v2"):
            model = json.loads((cli_test.ROOT / f"traces/models/{name}.json").read_text())
            index = {layer["name"]: at for at, layer in enumerate(model["layers"])}
            layout = dag_layout.place([[index[one] for one in layer["inputs"]]
                                       for layer in model["layers"]])
            columns = {}
            for depth, height in zip(layout.depth, layout.height):
                columns.setdefault(depth, []).append(height)
            for heights in columns.values():
                heights.sort()
                for low, high in zip(heights, heights[1:]):
                    self.assertGreaterEqual(high - low, 1 - 1e-9, name)


class QdmpTablesPicture(analysis_test.ScriptTest):
    script = "qdmp_tables.py"

    # in -> a -> b, in -> c, both -> sum
    LAYERS = [{"name": "in", "operator": "input", "inputs": []},
              {"name": "a", "operator": "conv2d", "inputs": [0]},
              {"name": "b", "operator": "relu", "inputs": [1]},
              {"name": "c", "operator": "pool", "inputs": [0]},
              {"name": "sum", "operator": "add", "inputs": [2, 3]}]
    PLANS = {"3G": [True, True, True, True, False], "4G": [False] * 5, "CAT1": [True] * 5}

    def write(self, layers=LAYERS, plans=PLANS, results=True):
        (self.folder / "run.json").write_text(json.dumps({
            "networks": list(plans),
            "models": [{"name": "Net", "file": "net", "layers": layers, "qdmpOnDevice": plans}],
            "figure11": {"cloudBeatsEdgeBitsPerSecond": "1.5e6", "allCloudBitsPerSecond": ""}}))
        rows = [f"{table},Net,3G,{planner},u,1,2"
                for table in ("table2", "table3") for planner in PLANNERS] if results else []
        (self.folder / "results.csv").write_text(
            "\n".join(("figure,model,network,planner,unit,paper,ours", *rows)) + "\n")
        (self.folder / "figure11.csv").write_text(
            "uplinkBitsPerSecond,speedupOverEdgeOnly,speedupOverCloudOnly\n0,1,\n1e6,1.5,2\n")

    @analysis_test.NEEDS_MATPLOTLIB
    def test_pictures_name_models_and_cuts(self):
        self.write()
        run = self.run_script(".", "--format=svg")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertEqual(run.stdout.split(), ["tables.svg", "figure11.svg", "cuts-net.svg"])
        for name, words in (
            ("tables.svg", ("latency (s), 3G", "throughput (frames/s), 3G", "Net", "neurosurgeon")),
            ("figure11.svg", ("ours, 1.50 Mbit/s", "the paper, 12 Mbit/s")),
            ("cuts-net.svg", ("3G: 3 of 4 layers on the device; b, c sent up",
                              "4G: all on the server", "CAT1: all on the device", "conv")),
        ):
            text = (self.folder / name).read_text()
            for one in words:
                self.assertTrue(one in text, f"{name}: {one}")

    @analysis_test.NEEDS_MATPLOTLIB
    def test_the_same_results_give_the_same_bytes(self):
        self.write()
        pictures = set()
        for _ in range(2):
            self.run_script(".")
            pictures.add((self.folder / "cuts-net.png").read_bytes())
        self.assertEqual(len(pictures), 1)

    def test_a_tensor_is_sent_once_however_many_read_it(self):
        layers = [{"name": "in", "operator": "input", "inputs": []},
                  {"name": "a", "operator": "conv2d", "inputs": [0]},
                  {"name": "b", "operator": "relu", "inputs": [1]},
                  {"name": "c", "operator": "relu", "inputs": [1]}]
        self.assertEqual(qdmp_tables.describe(layers, [True, True, False, False]),
                         "1 of 3 layers on the device; a sent up")

    def test_bad_files_are_refused_in_one_line(self):
        self.refuse("no results", "No such file", ".")
        self.write(results=False)
        self.refuse("no row", "no row", ".")
        self.write(plans={"3G": [True]})
        self.refuse("a short plan", "not of 5 layers", ".")
        self.write(layers=[{"name": "a", "operator": "conv2d", "inputs": [0]}], plans={"3G": [True]})
        self.refuse("a loop", "reads no earlier layer", ".")
        self.write()
        (self.folder / "run.json").write_text("{}")
        self.refuse("not a run", "expected what qdmp-tables writes", ".")
        self.write()
        self.refuse("a missing folder", "--out", ".", "--out", "missing")


if __name__ == "__main__":
    sys.exit(unittest.main())
