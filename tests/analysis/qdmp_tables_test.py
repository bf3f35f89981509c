# SPDX-License-Identifier: GPL-2.0-only
"""The study qdmp-tables as a user meets it, its page, and the pictures of its results."""

import collections
import csv
import json
import unittest

from places import ROOT
from programs import Program
from scripts import NEEDS_MATPLOTLIB, ScriptTest, load

import qdmp_pictures

TABLES = ROOT / "contrib/edgepipe/doc/tables"
TRACES = f"--traces={ROOT / 'traces'}"
SECOND = ("1", "0.0", "rasp", "anchored")
PLANNERS = ("cloud-only", "edge-only", "neurosurgeon", "dads", "qdmp")


class QdmpTablesScenario(Program):
    def run_tables(self, *options):
        return self.ended(self.run_program("qdmp-tables", TRACES, "--repeats=1", "--simulate=false", "--out=r",
                                           *options), stderr="").stdout

    def test_all_tables(self):
        text = self.run_tables()
        for check in (self.check_that_files_say_the_same, self.check_figures_and_orders, self.check_choices,
                      self.check_explained_differences, self.check_documented_tables):
            with self.subTest(check.__name__):
                check(text)

    def check_documented_tables(self, _):
        for name in ("qdmp-choices", "qdmp-contradictions", "qdmp-calibration", "qdmp-assumptions",
                     "qdmp-layers", "qdmp-second-flop-table2", "qdmp-second-flop-table3",
                     "qdmp-second-flop-table6"):
            self.assertEqual((self.folder / f"r/sheet-{name}.csv").read_text(), (TABLES / f"{name}.csv").read_text())

    def check_that_files_say_the_same(self, text):
        rows = self.read_csv("r", "results.csv")
        row, = (row for row in rows if (row["figure"], row["model"], row["network"],
                                        row["planner"]) == ("table2", "AlexNet", "3G", "qdmp"))
        self.assertAlmostEqual(float(row["difference"]),
                               float(row["ours"]) / float(row["paper"]) - 1, places=9)
        cell = f"{float(row['paper']):.2f} {float(row['ours']):.2f}"
        self.assertIn(cell, text)
        self.assertLess(len(text.splitlines()), 80)  # the others are in tables.md
        for row in self.read_csv("r", "verdicts.csv"):
            self.assertIn(f"{row['figure']}: {row['verdict']}; ", text)
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

    def check_figures_and_orders(self, _):
        rows = self.read_csv("r", "results.csv")
        # 6 models over 2 networks, or 4, times the planners shown.
        self.assertEqual(collections.Counter(row["figure"] for row in rows), {
            "table2": 12 * 7, "table3": 12 * 7, "table6": 24, "figure7": 12 * 2, "figure8": 12 * 4,
            "figure9": 12 * 3, "figure10": 12 * 4})
        figures = {(row["figure"], row["planner"]): row for row in rows
                   if (row["model"], row["network"]) == ("AlexNet", "3G")}
        for key, column, expected in (
                (("figure7", "qdmp"), "paper", 0.73 / 0.43),
                (("figure7", "qdmp"), "ours", 0.73 / float(figures["table2", "qdmp"]["ours"])),
                (("figure10", "dads"), "paper", 1.54 / 1.37),
                (("table2", "dads-with-input"), "paper", 0.69),
                (("table3", "cloud-only-serial"), "paper", 0.88)):
            self.assertAlmostEqual(float(figures[key][column]), expected, places=12)
        orders = self.read_csv("r", "order.csv")
        self.assertEqual(len(orders), 2 * 12 * 2)
        self.assertEqual(collections.Counter((row["table"], row["reading"]) for row in orders
                                             if row["agrees"] == "yes"), {
            ("table2", "as printed"): 11, ("table3", "as printed"): 11, ("table2", "as read"): 8,
            ("table3", "as read"): 8})

    def check_choices(self, _):
        rows = self.read_csv("r", "choices.csv")
        self.assertEqual(sum(row["isQdmpAhead"] == "True" for row in rows),
                         9 * 3 * len({tuple(row[name] for name in qdmp_maker().ASSUMPTIONS)
                                      for row in rows}))
        agrees = collections.Counter()
        for row in rows:
            key = (row["tensorBytes"], row["setUpShare"], row["device"][:4], row["execution"],
                   row["belief"], row["planner"])
            agrees[key] += row["agrees"] == "True"
            agrees[(*key, "ahead")] += row["agrees"] == row["isQdmpAhead"] == "True"
        first = ("4", "0.0", "rasp", "proportional", "alone")
        for reading, planner, expected in (
                (first, "neurosurgeon", (8, 6)), (first, "dads-with-input", (9, 7)),
                (first, "qdmp", (2, 0)),
                (SECOND + ("roofline",), "neurosurgeon", (6, 4)),
                (SECOND + ("roofline",), "dads-with-input", (7, 5)),
                (SECOND + ("flop",), "neurosurgeon", (6, 4)),
                (SECOND + ("flop",), "dads-with-input", (7, 5)),
                (SECOND + ("flop",), "qdmp", (7, 5))):
            with self.subTest(reading, planner=planner):
                key = (*reading, planner)
                self.assertEqual((agrees[key], agrees[(*key, "ahead")]), expected)
        # The printed cells that come out of 8 bits and anchored execution.
        figures = {(row["figure"], row["model"], row["network"]): float(row["ours"])
                   for row in self.read_csv("r", "second-reading.csv")
                   if row["planner"] == "qdmp" and row["belief"] == "flop"}
        for model, network, latency, frames in (
                ("DarkNet19", "3G", 0.92, 2.03), ("DarkNet19", "4G", 0.31, 4.86),
                ("ResNet-18", "3G", 0.48, 4.75), ("ResNet-18", "4G", 0.29, 8.08),
                ("Tiny-YOLO", "3G", 0.91, 1.89)):
            self.assertAlmostEqual(figures["table2", model, network] / latency, 1, delta=0.02)
            self.assertAlmostEqual(figures["table3", model, network] / frames, 1, delta=0.02)

    def test_simulated_figures_stand_beside_the_formula(self):
        self.ended(self.run_program("qdmp-tables", TRACES, "--repeats=1", "--model=alexnet",
                                    "--out=r"), stderr="")
        for row in self.read_csv("r", "cells.csv"):
            is_simulated = row["network"] in ("3G", "4G") and (
                row["execution"] == "anchored" or (row["tensorBytes"], row["setUpShare"],
                                                   row["device"]) == ("4", "0", "raspberry-pi-3b"))
            for fidelity in ("flow", "packet"):
                latency = row[f"{fidelity}LatencySeconds"]
                self.assertEqual(bool(latency), is_simulated, row)
                if not is_simulated:
                    continue
                # A message's way there and back, TCP and headers come on top.
                extra = float(latency) - float(row["latencySeconds"])
                if row["place"] == "device":
                    self.assertAlmostEqual(extra, 0, places=6)
                else:
                    self.assertGreater(extra, 0.045, row)
                    self.assertLess(extra, 0.08 + 0.12 * float(row["transferSeconds"]), row)
                frames = float(row[f"{fidelity}FramesPerSecond"]) / float(row["framesPerSecond"])
                self.assertLess(abs(frames - 1), 0.25, row)

    def test_mistakes_are_one_line(self):
        self.refuse_each((
            (["--model=vgg16"], ("--model", "alexnet, alexnet_parallel")),
            (["--networks=5G"], ("--networks", "CAT1, 3G, 4G, Wi-Fi")),
            (["--tensor-element-bytes=8"], ("--tensor-element-bytes", "whole number")),
            (["--set-up=-1"], ("--set-up",)),
            (["--belief=rooftop"], ("--belief", "alone, roofline or flop")),
            (["--execution=free"], ("--execution", "proportional or anchored")),
            (["--device=nokia"], ("--device", "nokia")),
            (["--traces=/nowhere"], ("/nowhere",)),
            (["--out=/dev/null/r"], ("--out",)),
        ), "qdmp-tables", TRACES)

    def check_explained_differences(self, _):
        """The page explains every difference above the tolerance."""
        found = {(row["figure"], row["planner"], f"{row['model']} {row['network']}")
                 for row in self.read_csv("r", "results.csv")
                 if row["figure"].startswith("table") and row["difference"]
                 and abs(float(row["difference"])) > 0.15}
        with open(TABLES / "qdmp-differences.csv", newline="") as file:
            listed = {(f"table{row['table']}", row["planner"], cell.strip())
                      for row in csv.DictReader(file) for cell in row["cells"].split(",")}
        self.assertTrue(found)
        self.assertEqual(listed, found)


def qdmp_maker():
    return load("qdmp_tables")


class Calibration(unittest.TestCase):
    """Two layers that take 1 and 3 s on the device, 0.2 and 0.2 s on the server."""

    def calibrate(self, anchors=(), edge=8.0, cloud=1.0, **assumptions):
        layers = [{"name": name, "inputs": inputs, "outputBytes": 1000, "deviceSeconds": device,
                   "serverSeconds": server, "isolatedDeviceSeconds": 2 * device,
                   "isolatedServerSeconds": server, "predictedDeviceSeconds": device,
                   "predictedServerSeconds": server} for name, inputs, device, server in (
                       ("a", [], 1.0, 0.2), ("b", ["a"], 3.0, 0.2))]
        tool = load("qdmp_calibration")
        costs = {"layers": layers, "inputBytes": 50}, {"layerCosts": {
            "pi": {"mode": "training"}, "gpu": {"mode": ""}}}
        return tool.calibrate(
            tool.Assumptions(**{"device": "pi", "server": "gpu", "tensorBytes": 4, "setUpShare": 0, **assumptions}),
            {"name": "Net", "latencySeconds": {"3G": {"edge-only": edge, "cloud-only": cloud}}}, {"3G": 1000.0},
            anchors, costs, costs[0])

    def seconds(self, made, name):
        return [layer[f"{name}Seconds"] for layer in made.problem["layers"]]

    def test_sums_are_those_of_the_paper_and_proportions_those_of_the_devices(self):
        made = self.calibrate()
        self.assertEqual((made.deviceFactor, made.deviceSeconds), (2, 8))
        self.assertEqual(self.seconds(made, "device"), [2, 6])
        self.assertAlmostEqual(sum(self.seconds(made, "server")), 1.0 - 0.4)
        self.assertEqual(self.seconds(made, "isolatedDevice"), [4, 12])
        self.assertEqual(self.seconds(made, "isolatedServer"), [0.6, 0.6])  # as much longer as on the measured device

    def test_set_up_raises_what_others_believe_and_nothing_else(self):
        made = self.calibrate(setUpShare=0.5)  # half of the median of 2 s, times 2
        self.assertEqual(self.seconds(made, "device"), [2, 6])
        self.assertEqual(self.seconds(made, "isolatedDevice"), [4, 8])
        self.assertEqual(self.seconds(made, "predictedDevice"), [4, 8])

    def test_anchors_scale_the_layers_on_each_side_of_them(self):
        made = self.calibrate([{"model": "Net", "layer": "a", "deviceSeconds": 5.0, "serverSeconds": 0.5}])
        self.assertEqual(self.seconds(made, "device"), [5, 3])
        self.assertAlmostEqual(self.seconds(made, "server")[0], 0.1)

    def test_a_cloud_that_is_faster_than_the_upload_is_refused(self):
        with self.assertRaisesRegex(Exception, "below what uploading the frame takes"):
            self.calibrate(cloud=0.3)


class Consistency(unittest.TestCase):
    """What the printed figures imply of each other."""

    def setUp(self):
        self.tool = load("qdmp_consistency")
        self.models = self.tool.read_models(ROOT / "traces")

    def test_the_anchors_that_are_shipped_are_those_that_follow(self):
        shipped = ROOT / "traces/published/qdmp-anchors.json"
        self.assertEqual(shipped.read_text(), self.tool.format_anchors(self.models))
        cells = json.loads(shipped.read_text())["cells"]
        self.assertEqual(len(cells), 9)
        used = [cell for cell in cells if "contradiction" not in cell]
        self.assertEqual([(cell["model"], cell["network"], cell["elements"]) for cell in used],
                         [("DarkNet19", "3G", 256 * 14 * 14), ("Tiny-YOLO", "3G", 256 * 13 * 13),
                          ("Tiny-YOLO", "4G", 256 * 13 * 13), ("ResNet-18", "3G", 512 * 7 * 7),
                          ("ResNet-18", "4G", 256 * 14 * 14)])
        for cell in used:
            model, = (model.published for model in self.models
                      if model.published["name"] == cell["model"])
            self.assertAlmostEqual(
                sum(cell[f"{part}Seconds"] for part in ("device", "transfer", "server")),
                model["latencySeconds"][cell["network"]]["qdmp"], places=5)

    def test_cells_that_contradict_each_other(self):
        found = {(model, network): (round(least, 3), round(most, 3))
                 for model, network, _, least, most in self.tool.find_contradictions(self.models)}
        self.assertEqual(found, {
            ("AlexNet", "CAT1"): (0.751, 0.735), ("AlexNet-Parallel", "3G"): (0.346, 0.335),
            ("AlexNet-Parallel", "CAT1"): (0.453, 0.365), ("Tiny-YOLO", "3G"): (0.189, 0.122),
            ("Tiny-YOLO", "4G"): (0.825, 0.655), ("ResNet-18", "3G"): (0.797, 0.705),
            ("ResNet-18", "CAT1"): (1.055, 0.805), ("GoogLeNet", "3G"): (0.893, 0.865)})
        # By hand: 1 / 3.015 + 0.015 * 2^20 / 1.1e6 = 0.3317 + 0.0143, of at most 0.335.
        self.assertAlmostEqual(1 / 3.015 + 0.015 * 2 ** 20 / 1.1e6, 0.346, places=3)

    def test_cloud_only_throughput_is_one_over_latency_and_the_frame_is_in_bytes(self):
        for model in self.models:
            for network, row in model.published["latencySeconds"].items():
                least, most = self.tool.around(model.frames(network, "cloud-only"))
                latency = self.tool.around(row["cloud-only"])
                self.assertLess(least, 1 / latency[0])
                self.assertGreater(most, 1 / latency[1])
            # Both networks leave the same for the server if the frame has so many bits.
            row = model.published["latencySeconds"]
            bits = ((row["3G"]["cloud-only"] - row["4G"]["cloud-only"])
                    / (1 / model.uplinks["3G"] - 1 / model.uplinks["4G"]))
            self.assertAlmostEqual(bits / (8 * model.frame), 1, delta=0.02)

    def test_no_cut_of_floats_fits_two_cells_of_the_baselines(self):
        alexnet, resnet = (model for model in self.models
                           if model.published["name"] in ("AlexNet", "ResNet-18"))
        for model, bytes_per_element, sizes in ((alexnet, 1, {4096}), (alexnet, 2, set()),
                                                (alexnet, 4, set()), (resnet, 1, {256 * 14 * 14}),
                                                (resnet, 2, {512 * 7 * 7}), (resnet, 4, set())):
            fitting = self.tool.find_fitting_cuts(model, "3G", "neurosurgeon", bytes_per_element)
            self.assertEqual({elements for _, elements in fitting}, sizes)


class PublishedFigures(unittest.TestCase):
    """What is shipped, against sums of the printed tables' columns and rows, summed apart."""

    def setUp(self):
        self.shipped = json.loads((ROOT / "traces/published/qdmp-tables.json").read_text())

    def check(self, sums, keys, find):
        """The sum over the models of each of several columns."""
        for key, expected in zip(keys, sums):
            found = sum(find(model, key) for model in self.shipped["models"])
            self.assertAlmostEqual(found, expected, places=9, msg=key)

    def test_the_columns_add_up_as_printed(self):
        for key, network, sums in (
                ("latencySeconds", "3G", (9.9, 6.34, 5.63, 5.53, 3.93)),
                ("latencySeconds", "4G", (2.39, 6.34, 2.52, 2.39, 2.13)),
                ("framesPerSecond", "3G", (4.43, 7.5, 9.55, 8.06, 15.96)),
                ("framesPerSecond", "4G", (18.0, 7.5, 23.19, 25.26, 34.55))):
            with self.subTest(key, network=network):
                self.check(sums, PLANNERS, lambda model, one: model[key][network][one])
        for planner, sums in (("dads", (87.13, 23.25, 8.76)), ("qdmp", (7.47, 0.64, 0.21))):
            self.check(sums, ("raspberry-pi-3b", "raspberry-pi-4b", "i3-3240"),
                       lambda model, device: model["decisionSeconds"][device][planner])
        self.check((0.18, 1.16, 5.51, 6.9), ("CAT1", "3G", "4G", "Wi-Fi"),
                   lambda model, network: model["mebibitsPerFrame"][network])
        self.assertEqual([(one["name"], one["uplinkBitsPerSecond"])
                          for one in self.shipped["networks"]],
                         [("CAT1", 0.13e6), ("3G", 1.1e6), ("4G", 5.85e6), ("Wi-Fi", 18.88e6)])

    def test_the_rows_add_up_as_printed(self):
        sums = {"AlexNet": (24, 3.68, 1.7, 7.9, 25.6, 1.36, 1.78),
                "AlexNet-Parallel": (28, 2.53, 1.41, 12.27, 19.58, 1.44, 2.34),
                "DarkNet19": (27, 6.28, 3.0, 5.25, 18.37, 1.4, 2.69),
                "Tiny-YOLO": (16, 9.14, 4.66, 4.23, 6.58, 1.22, 2.49),
                "ResNet-18": (111, 4.01, 2.11, 10.8, 21.96, 26.58, 1.82),
                "GoogLeNet": (166, 5.69, 2.89, 5.05, 16.41, 95.46, 2.63)}
        self.assertEqual({model["name"] for model in self.shipped["models"]}, set(sums))
        for model in self.shipped["models"]:
            found = [model["layers"]]
            for key in ("latencySeconds", "framesPerSecond"):
                self.assertEqual(set(model[key]), {"3G", "4G"})
                for network in ("3G", "4G"):
                    self.assertEqual(set(model[key][network]), set(PLANNERS))
                    found.append(sum(model[key][network].values()))
            found.append(sum(sum(one.values()) for one in model["decisionSeconds"].values()))
            found.append(sum(model["mebibitsPerFrame"].values()))
            for one, expected in zip(found, sums[model["name"]]):
                self.assertAlmostEqual(one, expected, places=9, msg=(model["name"], found))

    def test_the_order_is_the_papers(self):
        for model in self.shipped["models"]:
            for network in ("3G", "4G"):
                latency = model["latencySeconds"][network]
                self.assertEqual(min(latency.values()), latency["qdmp"])
                frames = model["framesPerSecond"][network]
                self.assertEqual(max(frames.values()), frames["qdmp"])
            # A device alone does not notice the network.
            for key in ("latencySeconds", "framesPerSecond"):
                self.assertEqual(*(model[key][network]["edge-only"] for network in ("3G", "4G")))


class QdmpTablesPicture(ScriptTest):
    script = "qdmp_pictures.py"

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
            "models": [{"name": "Net", "file": "net", "layers": layers, "qdmpOnDevice": plans}]}))
        rows = [f"{table},Net,3G,{planner},u,1,2"
                for table in ("table2", "table3") for planner in PLANNERS] if results else []
        (self.folder / "results.csv").write_text(
            "\n".join(("figure,model,network,planner,unit,paper,ours", *rows)) + "\n")

    @NEEDS_MATPLOTLIB
    def test_pictures_name_models_and_cuts(self):
        self.write()
        run = self.draw_twice(".", "--format=svg")
        self.assertEqual(run.stdout.split(), ["tables.svg", "cuts.svg"])
        for name, words in (
            ("tables.svg", ("latency (s), 3G", "throughput (frames/s), 3G", "Net", "neurosurgeon")),
            ("cuts.svg", ("3G", "3 of 4 layers on the device; b, c sent up",
                          "4G", "all on the server", "CAT1", "all on the device")),
        ):
            text = (self.folder / name).read_text()
            for one in words:
                self.assertTrue(one in text, f"{name}: {one}")

    def test_a_tensor_is_sent_once_however_many_read_it(self):
        layers = [{"name": "in", "operator": "input", "inputs": []},
                  {"name": "a", "operator": "conv2d", "inputs": [0]},
                  {"name": "b", "operator": "relu", "inputs": [1]},
                  {"name": "c", "operator": "relu", "inputs": [1]}]
        self.assertEqual(qdmp_pictures.describe(layers, [True, True, False, False]),
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
