# SPDX-License-Identifier: GPL-2.0-only
"""Profiles of other tools (import_profile.py)."""

import json
import sys

from places import ROOT, InFolder

CAPTURE = ROOT / "traces" / "capture"
ROWS = [{"count": 10}, {"name": "conv1 + PWN(act/Relu)", "timeMs": 12.0, "averageMs": 1.2, "percentage": 60},
        {"name": "fc", "timeMs": 8.0, "averageMs": 0.8}, {"name": "act/Relu_output_0 copy", "averageMs": 0.3}]
GRAPH = """node1 -- Input -- forward_compute_time=400.0, backward_compute_time=0.000, activation_size=6144.0, parameter_size=0.000
node10 -- Linear(in_features=1024, out_features=5, bias=True) -- forward_compute_time=0.5, backward_compute_time=1.0, activation_size=40.0, parameter_size=20500.0 -- stage_id=1
node3 -- ReLU(inplace) -- forward_compute_time=1.0, backward_compute_time=2.0, activation_size=[8192.0; 8.0], parameter_size=0.0
node2 -- Conv2d(3, 16, kernel_size=(3, 3), stride=(2, 2), padding=(1, 1), bias=False) -- forward_compute_time=4.0, backward_compute_time=8.0, activation_size=8192.0, parameter_size=1728.0
\tnode1 -- node2
\tnode2 -- node3
\tnode3 -- node10
"""


def layer(name, operator, inputs, flop):
    return {"name": name, "operator": operator, "inputs": inputs, "outputShape": [4], "flop": flop,
            "parameterBytes": 0, "outputBytes": 16, "activationBytes": 0}


class ImportedProfiles(InFolder):
    def setUp(self):
        super().setUp()
        (self.folder / "models").mkdir()
        self.write_model(layer("input", "input", [], 0), layer("conv1", "conv2d", ["input"], 980),
                         layer("act.Relu", "relu", ["conv1"], 20), layer("flat", "flatten", ["act.Relu"], 0),
                         layer("fc", "linear", ["flat"], 100))

    def write_model(self, *layers):
        (self.folder / "models/net.json").write_text(json.dumps({
            "format": "edgepipe-model 1", "name": "net", "source": "this test", "command": "none", "inputShape": [4],
            "layers": layers}))

    def bring(self, text, *more):
        (self.folder / "in.txt").write_text(text if isinstance(text, str) else json.dumps(text))
        return self.start(sys.executable, CAPTURE / "import_profile.py", "in.txt", "--model", "net", "--device", "box",
                          "--batch", "2", "--out", ".", *more)

    def read(self, name):
        lines = (self.folder / "profiles/box" / name).read_text().splitlines()
        head = dict(line[2:].split(": ", 1) for line in lines if line.startswith("#"))
        return head, {row[0]: (float(row[2]), float(row[3])) for row in (
            line.split(",") for line in lines if not line.startswith("#")) if row[0] != "layer"}

    def test_fused_rows_are_spread_over_the_layers_they_name(self):
        self.ended(self.bring(ROWS))
        head, seconds = self.read("net.b2.evaluation.csv")
        self.assertEqual((head["format"], head["mode"], head["batch"], head["origin"], head["repeats"]),
                         ("edgepipe-profile 2", "evaluation", "2", "measured", "10"))
        self.assertEqual(seconds, {"input": (0, 0), "conv1": (0.001176, 0), "act.Relu": (0.000324, 0), "flat": (0, 0),
                                   "fc": (0.0008, 0)})

    def test_a_name_that_begins_another_one_is_not_taken_for_it(self):
        self.write_model(layer("conv1", "conv2d", [], 10), layer("conv10", "conv2d", ["conv1"], 10))
        self.ended(self.bring([{"name": "conv10", "averageMs": 1}, {"name": "conv1", "averageMs": 2}]))
        self.assertEqual(self.read("net.b2.evaluation.csv")[1], {"conv1": (0.002, 0), "conv10": (0.001, 0)})

    def test_what_trtexec_adds_to_names_is_no_layer(self):
        self.write_model(layer("a.Conv", "conv2d", [], 10), layer("a.Relu", "relu", ["a.Conv"], 10),
                         layer("b.MatMul", "linear", ["a.Relu"], 20))
        self.ended(self.bring([
            {"name": "/a/Conv + onnx::Mul_4104 + /a/Relu", "averageMs": 2}, {"name": "/b/Constant_5_output_0", "averageMs": 0},
            {"name": "reshape_before_/b/MatMul", "averageMs": 1}, {"name": "/b/MatMul", "averageMs": 3},
            {"name": "copied_squeeze_after_/b/MatMul_output_0_clone_1", "averageMs": 0.5},
            {"name": "__myl_Move_myl0_5", "averageMs": 0}]))
        self.assertEqual(self.read("net.b2.evaluation.csv")[1], {
            "a.Conv": (0.001, 0), "a.Relu": (0.001, 0), "b.MatMul": (0.0045, 0)})
        # A group of layers runs as kernels that name none of them.
        done = self.ended(self.bring([
            {"name": "Reformatting CopyNode for Input Tensor 0 to {ForeignNode[ONNXTRT_cast_7.../a/Relu]}", "averageMs": 1},
            {"name": "__myl_MulAdd_myl0_5", "averageMs": 3}]))
        self.assertEqual(self.read("net.b2.evaluation.csv")[1], {
            "a.Conv": (0.001, 0), "a.Relu": (0.001, 0), "b.MatMul": (0.002, 0)})
        self.assertIn("75 % of the time is of rows without names (__myl_), spread over the 2 layers", done.stderr)
        self.assert_one_line(self.bring([{"name": "Move_5", "averageMs": 1}]), 'found "Move_5"')

    def test_what_trtexec_does_not_say_is_refused(self):
        for rows, expected in (
                (ROWS + [{"name": "conv2 + fc", "averageMs": 1}], 'found "conv2 + fc", expected layers of net, of which '
                                                                 '"conv2" is none'),
                (ROWS[:2], "no row names layer fc of net"),
                ([{"name": "fc", "averageMs": -1}], "averageMs: found -1, expected a number from 0 to"),
                ([{"name": "fc"}], "found no averageMs"), ([{"averageMs": 1}], "found no name"),
                ([], "found no layer"), ([1], "expected a list of objects"), ("[{", "expected JSON"),
                ({"name": 1}, "expected a list of objects")):
            with self.subTest(expected):
                self.assert_one_line(self.bring(rows), expected)
        self.assertFalse((self.folder / "profiles").exists())

    def test_pipedreams_graph_becomes_a_model_and_a_profile(self):
        self.ended(self.bring(GRAPH, "--replace-model"))
        head, seconds = self.read("net.b2.csv")
        self.assertEqual(head["mode"], "training")
        self.assertEqual(seconds, {"input": (0, 0), "node2": (0.004, 0.008), "node3": (0.001, 0.002),
                                   "node10": (0.0005, 0.001)})
        layers = json.loads((self.folder / "models/net.json").read_text())["layers"]
        self.assertEqual([(one["name"], one["operator"], one["inputs"], one["flop"], one["parameterBytes"],
                           one["outputBytes"]) for one in layers], [
            ("input", "input", [], 0, 0, 3072),
            ("node2", "conv2d", ["input"], 2 * 27 * 1024, 1728, 4096), ("node3", "relu", ["node2"], 1025, 0, 4100),
            ("node10", "linear", ["node3"], 2 * 1024 * 5, 20500, 20)])

    def test_pipedreams_recurrent_layers_cost_their_weights_in_each_step(self):
        def describe(text, outputs, weights):
            done = self.ended(self.bring(GRAPH.replace("ReLU(inplace)", text).replace(
                "activation_size=[8192.0; 8.0], parameter_size=0.0", f"activation_size={outputs}, parameter_size={4 * weights}"),
                "--replace-model"))
            one = json.loads((self.folder / "models/net.json").read_text())["layers"][2]
            return one["operator"], one["flop"], done.stderr
        steps, batch = 5, 2
        for text, width, weights, biases, kind in (
                ("LSTM(8, 16)", 16, 64 * 24, 128, "recurrent"), ("GRU(8, 16, bidirectional=True)", 32, 96 * 24, 192, "recurrent"),
                ("LSTM(8, 16, num_layers=2)", 16, 64 * (24 + 32), 256, "recurrent"),
                # Other names of the same weights.
                ("Emulated(  (bidir): LSTM(8, 16, bidirectional=True)  (layer1): LSTM(8, 16))", 32, 128 * 24, 256, "recurrent"),
                ("Attention(  (rnn): LSTM(8, 16)  (attn): Inner(    (q): Linear(in_features=16, out_features=16, bias=False)  ))",
                 16, 64 * 24 + 256, 128, "recurrent"),
                ("Classifier(  (classifier): Linear(in_features=8, out_features=9, bias=True))", 9, 72, 9, "linear")):
            with self.subTest(text):
                sizes = f"[{4 * batch * steps * width}.0; 128.0]"
                self.assertEqual(describe(text, sizes, weights + biases), (kind, 2 * weights * steps, ""))
        self.assertEqual(describe("Embedding(100, 8)", "320.0", 800), ("other", 0, ""))
        self.assertRegex(describe("Mystery(8)", "320.0", 800)[2], r"node3 \(Mystery\(8\)\): no rule counts its FLOP")

    def test_a_graph_that_is_none_is_refused(self):
        for text, expected in (
                (GRAPH + "\tnode10 -- node9\n", 'line 8: found "node9", expected one of the nodes'),
                (GRAPH + "\tnode10 -- node2\n", "form a cycle"),
                (GRAPH.replace("=4.0,", "=nan,"), "line 4: forward_compute_time: found"),
                (GRAPH.replace("Input", "Data"), "found node1 without inputs"),
                (GRAPH + GRAPH.splitlines()[0], "found node1 again"), ("a word\n", 'line 1: found "a word"'),
                (GRAPH.replace("size=40.0", "size=60.0"), "--batch: found 2, expected 3"), ("", "found no Input")):
            with self.subTest(expected):
                self.assert_one_line(self.bring(text, "--replace-model"), expected)
        self.assertFalse((self.folder / "profiles").exists())

    def test_other_mistakes_are_one_line(self):
        (self.folder / "models/net.json").write_text("{}")
        self.assert_one_line(self.bring(ROWS), "expected a model with layers")
        (self.folder / "models/net.json").unlink()
        self.assert_one_line(self.bring(ROWS), "--model: found no models/net.json")
        (self.folder / "in.bin").write_bytes(b"\xff\xfe")
        self.assert_one_line(self.bring(ROWS, "--batch", "0"), '--batch: found "0"')
        self.assert_one_line(self.start(sys.executable, CAPTURE / "import_profile.py", "in.bin", "--model", "net",
                                        "--device", "box", "--batch", "1"), "expected text in UTF-8")
