# SPDX-License-Identifier: GPL-2.0-only
"""ONNX files as people export them: figures by hand of small networks, and refusals of one line."""

import json
import subprocess
import textwrap
import unittest

from places import InFolder, ROOT, python_with

CAPTURE = ROOT / "traces" / "capture"
PYTHON = python_with("torch", "onnx")

# Builds the networks below, imports each in this process, and prints rows, or the error, by name.
BUILD = textwrap.dedent('''
    import json, os, sys
    import numpy as np
    import onnx
    from onnx import helper, numpy_helper, TensorProto
    folder, capture = sys.argv[1:]
    sys.path[:0] = [capture, capture + "/../../analysis"]
    from edgepipe.pictures import InputError
    from onnx_graph import OnnxGraph
    import profile_model

    random = np.random.default_rng(1)
    F, I8, I64 = TensorProto.FLOAT, TensorProto.INT8, TensorProto.INT64

    def weight(*shape, kind="float32"):
        return (10 * random.standard_normal(shape)).astype(kind)

    def node(op, inputs, outputs, **more):
        return helper.make_node(op, inputs.split(), outputs.split(), name=outputs.split()[0], **more)

    def constant(name, value):
        return helper.make_node("Constant", [], [name], value=numpy_helper.from_array(np.asarray(value)))

    def net(name, nodes, inputs, outputs=("y",), weights={}, opset=13, ir=7, shapes={}, domains=()):
        graph = helper.make_graph(
            nodes, name, [helper.make_tensor_value_info(key, kind, shape) for key, (kind, shape) in inputs.items()],
            [helper.make_tensor_value_info(one, F, None) for one in outputs],
            [value if isinstance(value, TensorProto) else numpy_helper.from_array(np.asarray(value), key)
             for key, value in weights.items()])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)] + [
            helper.make_opsetid(one, 1) for one in domains])
        model.ir_version = ir
        unnamed(model)
        path = os.path.join(folder, name + ".onnx")
        onnx.save(model, path)
        try:
            rows = OnnxGraph(path, shapes).rows()
            profile_model.check_weights(name, rows)
            made[name] = rows
        except InputError as error:
            made[name] = str(error)

    def unnamed(model):
        """Outputs that are called none are left out, as exports do."""
        for one in model.graph.node:
            one.output[:] = ["" if name == "none" else name for name in one.output]

    made = {}
    image = {"x": (F, [1, 3, 8, 8])}
    two = [node("Conv", "x w1 b1", "c1", pads=[1] * 4), node("Conv", "c1 w2 b2", "y", pads=[1] * 4)]
    held = {"w1": weight(4, 3, 3, 3), "b1": weight(4), "w2": weight(6, 4, 3, 3), "b2": weight(6)}
    net("initializers", two, image, weights=held)
    net("constants", [constant(*one) for one in held.items()] + two, image)
    net("of_shape", [node("ConstantOfShape", key + "s", key) for key in held] + two, image,
        weights={key + "s": np.array(value.shape) for key, value in held.items()})
    net("chains", [node("Identity", "w1i", "w1"), node("Cast", "b1i", "b1", to=F), node("Transpose", "w2i", "w2", perm=[1, 0, 2, 3]),
                   node("Reshape", "b2i s", "b2")] + two, image,
        weights={"w1i": held["w1"], "b1i": held["b1"], "w2i": held["w2"].swapaxes(0, 1), "b2i": held["b2"].reshape(2, 3), "s": np.array([6])})
    net("half", [node("Cast", key + "h", key, to=F) for key in held] + two, image,
        weights={key + "h": value.astype("float16") for key, value in held.items()})
    net("newer", two, image, weights=held, opset=21, ir=10)
    scales = {"s": np.float32(0.1), "z": np.int8(0)}
    net("dequantised", [node("QuantizeLinear", "x s z", "q"), node("DequantizeLinear", "q s z", "d"),
                        node("DequantizeLinear", "w1q sw z", "w1"), node("Conv", "d w1 b1", "y")], image,
        weights={"w1q": weight(4, 3, 3, 3, kind="int8"), "b1": held["b1"], "sw": np.float32(0.2), **scales})
    net("qlinear", [node("QuantizeLinear", "x s z", "q"), node("QLinearConv", "q s z w sw z s z b", "c"),
                    node("DequantizeLinear", "c s z", "y")], image,
        weights={"w": weight(4, 3, 3, 3, kind="int8"), "b": np.arange(4, dtype="int32"), "sw": np.float32(0.2), **scales})
    net("integers", [node("DynamicQuantizeLinear", "x", "q s z"), node("MatMulInteger", "q w z", "m"),
                     node("Cast", "m", "c", to=F), node("Mul", "c s", "y")], {"x": (F, [1, 8])},
        weights={"w": weight(8, 5, kind="int8")})
    net("masked", [node("MatMul", "x w", "m"), node("Add", "m mask", "a"), node("Add", "a b", "c"), node("Mul", "c half", "d"),
                   node("Add", "d grid", "g"), node("Where", "which g low", "e"), node("Add", "e waves", "y")],
        {"x": (F, [1, 6, 6])},
        weights={"w": weight(6, 6), "b": weight(6), "mask": np.triu(np.full((6, 6), -np.inf, "float32"), 1),
                 "half": np.float32(0.5), "grid": (np.arange(36, dtype="float32").reshape(6, 6) + 0.5), "which": np.tri(6) > 0, "low": np.full((6, 6), -1e4, "float32"),
                 "waves": np.stack([f(np.arange(6)[:, None] / 10 ** np.arange(3)) for f in (np.sin, np.cos)], -1).reshape(6, 6).astype("float32")})
    net("expand", [constant("t", np.array([-1, 1, 4])), constant("three", np.array([3])),
                   helper.make_node("ConstantOfShape", ["three"], ["ones"], value=helper.make_tensor("v", I64, [1], [1])),
                   constant("m1", np.array(-1)), node("Mul", "ones m1", "neg"), node("Equal", "t neg", "eq"),
                   node("Where", "eq ones t", "sz"), node("Expand", "tok sz", "e"), node("Concat", "e x", "y", axis=1)],
        {"x": (F, [1, 5, 4])}, weights={"tok": weight(1, 1, 4)})
    for mode, of in (("nearest", "nearest"), ("linear", "linear"), ("cubic", "cubic")):
        net("resize_" + of, [node("Resize", "x  sc".replace("  ", " none "), "y", mode=mode)], image,
            weights={"sc": np.array([1, 1, 2, 2], "float32"), "none": np.array([], "float32")})
    net("upsample", [node("Upsample", "x sc", "y")], image, weights={"sc": np.array([1, 1, 2, 2], "float32")}, opset=9)
    for op in ("Sum", "Mean", "Max", "Min"):
        net(op, [node(op, "x x x", "y")], image)
    net("einsum", [node("Einsum", "x w", "y", equation="bnd,de->bne")], {"x": (F, [2, 6, 4])}, weights={"w": weight(4, 5)})
    for of in ("int32", "int16", "uint8"):
        kind = getattr(TensorProto, of.upper())
        net("tokens_" + of, [node("Cast", "ids", "i", to=I64), node("Gather", "w i", "y")], {"ids": (kind, [1, 6])},
            weights={"w": weight(100, 4)})
    net("two_inputs", [node("Gather", "w ids", "e"), node("Mul", "e mask", "m"), node("Add", "m e", "y")],
        {"ids": (I64, ["n", "len"]), "mask": (F, ["n", "len", 1]), "unused": (F, [1, 9])}, weights={"w": weight(100, 4)},
        shapes={"ids": [6], "mask": [6, 1]})
    for op, gates in (("LSTM", 4), ("GRU", 3), ("RNN", 1)):
        net(op, [node(op, "x w r b", "y h", hidden_size=5, direction="bidirectional")], {"x": (F, [7, 1, 3])},
            weights={"w": weight(2, 5 * gates, 3), "r": weight(2, 5 * gates, 5), "b": weight(2, 10 * gates)})
    net("LSTM_both", [node("LSTM", "x w r", "a h c", hidden_size=5), node("Relu", "a", "y"), node("Relu", "h", "z")],
        {"x": (F, [7, 1, 3])}, ("y", "z"), weights={"w": weight(1, 20, 3), "r": weight(1, 20, 5)})
    net("LSTM_state", [node("LSTM", "x w r", "none h", hidden_size=5), node("Relu", "h", "y")], {"x": (F, [7, 1, 3])},
        weights={"w": weight(1, 20, 3), "r": weight(1, 20, 5)})
    net("split", [node("Split", "x", "a b c", axis=1), node("Conv", "a w", "d"), node("Concat", "d c", "y", axis=1)],
        {"x": (F, [1, 6, 4, 4])}, weights={"w": weight(2, 2, 1, 1)})
    net("tied", [node("Gather", "e ids", "g"), node("MatMul", "g w", "m"), node("Transpose", "e", "t"), node("MatMul", "m t", "y")],
        {"ids": (I64, [1, 6])}, weights={"e": weight(50, 4), "w": weight(4, 4)})
    table = weight(50, 20)
    net("transposed", [node("Gather", "e ids", "g"), node("MatMul", "g t", "y")], {"ids": (I64, [1, 6])}, weights={"e": table, "t": table.T})
    net("twice", [node("MatMul", "x w", "a"), node("Add", "a b", "c"), node("Identity", "b", "b2"), node("MatMul", "c w2", "d"),
                  node("Add", "d b2", "y")], {"x": (F, [1, 4])},
        weights={"w": weight(4, 4), "w2": weight(4, 4), "b": np.zeros(4, "float32")})
    net("frozen", [constant("b", np.zeros(4, "float32")), node("Gemm", "x w b", "a"), node("Gemm", "a w2 b", "y")], {"x": (F, [1, 4])},
        weights={"w": weight(4, 4), "w2": weight(4, 4)})
    net("within", [node("Einsum", "w w", "p", equation="ij,jk->ik"), node("MatMul", "x p", "y")], {"x": (F, [1, 4])}, weights={"w": weight(4, 4)})
    net("reduce_18", [node("ReduceMean", "x axes", "m", keepdims=0), node("Split", "m", "a b", axis=1, num_outputs=2), node("Add", "a b", "y")],
        image, weights={"axes": np.array([2])}, opset=18)
    net("branches", [helper.make_node("If", ["yes"], ["y"], then_branch=helper.make_graph(
        [node("Relu", "x", "r")], "a", [], [helper.make_tensor_value_info("r", F, None)]), else_branch=helper.make_graph(
        [node("Erf", "x", "s")], "b", [], [helper.make_tensor_value_info("s", F, None)]))], image, weights={"yes": np.array(True)})
    net("fused", [node("FusedMatMul", "x w", "m", transB=1, domain="com.microsoft"),
                  node("SkipLayerNormalization", "m x g b", "s", domain="com.microsoft"), node("Gelu", "s", "y", domain="com.microsoft")],
        {"x": (F, [1, 6, 4])}, weights={"w": weight(4, 4), "g": weight(4), "b": weight(4)}, domains=["com.microsoft"])
    net("fused_attention", [node("Attention", "x w b", "y", num_heads=2, domain="com.microsoft")], {"x": (F, [1, 6, 4])},
        weights={"w": weight(4, 12), "b": weight(12)}, domains=["com.microsoft"])
    # Refused.
    net("weights_as_inputs", two, {**image, **{key: (F, list(value.shape)) for key, value in held.items()}})
    net("no_weights", [node("MatMul", "x z", "y")], {"x": (F, [1, 4, 4]), "z": (F, [1, 4, 4])})
    net("data_sizes", [node("NonZero", "x", "n"), node("Cast", "n", "f", to=F), node("Relu", "f", "y")], image)
    net("loop", [helper.make_node("If", ["x"], ["y"], then_branch=helper.make_graph([], "a", [], []),
                                  else_branch=helper.make_graph([], "b", [], []))], {"x": (TensorProto.BOOL, [1])})
    net("unknown_operator", [node("Sharpen", "x", "y", domain="org.example")], image, domains=["org.example"])
    net("negative", [node("Reshape", "x s", "y")], image, weights={"s": np.array([1, -3, 64])})
    net("negative_input", [node("Relu", "x", "y")], {"x": (F, [1, -3, 4])})
    net("stride_0", [node("Conv", "x w", "y", strides=[0, 0])], image, weights={"w": weight(4, 3, 3, 3)})
    net("kernel_below_0", [node("MaxPool", "x", "y", kernel_shape=[-2, 2])], image)
    net("channels", [node("Conv", "x w", "y")], image, weights={"w": weight(4, 5, 3, 3)})
    net("brain", [node("MatMul", "x w", "y")], {"x": (TensorProto.BFLOAT16, [1, 8])},
        weights={"w": helper.make_tensor("w", TensorProto.BFLOAT16, [8, 3], bytes(48), raw=True)})
    net("missing", [node("Relu", "nowhere", "r"), node("Add", "x r", "y")], image)
    net("open", [node("Relu", "x", "y")], {"x": (F, ["n", "c", 4])})
    net("other_name", [node("Relu", "x", "y")], image, shapes={"z": [3, 4, 4]})
    print(json.dumps(made))
''')


@unittest.skipUnless(PYTHON, "needs PyTorch and ONNX")
class ImportOnnx(InFolder):
    @classmethod
    def setUpClass(cls):
        import tempfile
        with tempfile.TemporaryDirectory() as folder:
            run = subprocess.run([PYTHON, "-c", BUILD, folder, str(CAPTURE)], capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        cls.made, cls.said = json.loads(run.stdout), run.stderr

    def rows(self, name):
        self.assertIsInstance(self.made[name], list, self.made[name])
        return {one["name"]: one for one in self.made[name]}

    def bytes(self, name):
        return sum(one["parameterBytes"] for one in self.rows(name).values())

    def test_weights_wherever_they_are_stored(self):
        numbers = 4 * 27 + 4 + 6 * 36 + 6
        flop = 2 * 64 * (4 * 27 + 6 * 36)
        for name in ("initializers", "constants", "of_shape", "chains", "half", "newer"):
            with self.subTest(name):
                self.assertEqual(self.bytes(name), numbers * (2 if name == "half" else 4))
                self.assertEqual(sum(one["flop"] for one in self.rows(name).values()), flop)
                self.assertEqual([one.get("parameters") for one in self.rows(name).values()][1:],
                                 [112, 222] if name == "half" else [None, None])

    def test_weights_in_bfloat16_have_two_bytes_each(self):
        row = self.rows("brain")["y"]
        self.assertEqual((row["flop"], row["parameterBytes"], row["outputBytes"]), (48, 48, 6))

    def test_quantised_weights_have_a_byte_each(self):
        for name, layer, held in (("dequantised", "y", 108 + 16 + 5), ("qlinear", "c", 108 + 16 + 5)):
            with self.subTest(name):
                rows = self.rows(name)
                self.assertEqual(rows[layer]["flop"], 2 * 36 * 4 * 27)
                self.assertEqual(rows[layer]["parameterBytes"], held)
                self.assertEqual(rows[layer].get("parameters"), 108 + 4 + 2)
                self.assertEqual(self.bytes(name), held)
                self.assertEqual(rows["q"]["outputBytes"], 192)
        self.assertEqual((self.bytes("integers"), self.rows("integers")["m"]["flop"]), (40, 80))

    def test_masks_single_numbers_grids_and_tables_of_sines_are_no_weights(self):
        self.assertEqual(self.bytes("masked"), 4 * (36 + 6))

    def test_sizes_are_computed(self):
        self.assertEqual(self.rows("expand")["y"]["outputShape"], [6, 4])
        self.assertEqual(self.bytes("expand"), 16)
        self.assertEqual(self.rows("reduce_18")["y"]["outputShape"], [2, 8])

    def test_operators(self):
        numbers = 3 * 16 * 16
        for name, flop in (("resize_nearest", 0), ("resize_linear", 8 * numbers), ("resize_cubic", 32 * numbers),
                           ("upsample", 0), ("Sum", 2 * 192), ("Mean", 3 * 192), ("Max", 2 * 192), ("Min", 2 * 192),
                           ("einsum", 2 * 6 * 4 * 5)):
            with self.subTest(name):
                self.assertEqual(self.rows(name)["y"]["flop"], flop)
        for name, gates in (("LSTM", 4), ("GRU", 3), ("RNN", 1)):
            with self.subTest(name):
                row = self.rows(name)["y"]
                self.assertEqual((row["operator"], row["flop"]), ("recurrent", 2 * 7 * 2 * gates * 5 * (3 + 5)))
                self.assertEqual(row["parameterBytes"], 4 * 2 * gates * 5 * (3 + 5 + 2))
                self.assertEqual(row["outputBytes"], 4 * 7 * 2 * 5)  # no row reads the last state
        self.assertEqual([one["operator"] for one in self.made["branches"]], ["input", "relu", "other"])
        rows = self.rows("fused")
        self.assertEqual((rows["m"]["flop"], self.bytes("fused")), (2 * 6 * 16, 4 * (16 + 8)))
        self.assertEqual(self.rows("fused_attention")["y"]["flop"], 6 * (2 * 4 * 12 + 4 * 6 * 4 + 3 * 6 * 2))

    def test_several_inputs(self):
        """Each is a tensor of its own behind the layer of all, so that only what is needed crosses a cut."""
        rows = self.rows("two_inputs")
        self.assertEqual(list(rows), ["input", "ids", "mask", "e", "m", "y"])
        self.assertEqual([rows[one]["outputBytes"] for one in ("input", "ids", "mask")], [72, 48, 24])
        self.assertEqual(rows["m"]["inputs"], ["e", "mask"])
        self.assertEqual([rows[one].get("integerBytes", 0) for one in rows], [48, 48, 0, 0, 0, 0])
        for of, size in (("int32", 4), ("int16", 2), ("uint8", 0)):
            with self.subTest(of):
                row = self.rows("tokens_" + of)["input"]
                self.assertEqual(row.get("integerBytes", 0), 6 * size)

    def test_parts_are_layers_of_their_own(self):
        rows = self.rows("split")
        self.assertEqual(list(rows), ["input", "a", "a:2", "d", "y"])  # none for the part that nothing reads
        self.assertEqual(rows["a:2"]["outputBytes"], 128)
        self.assertEqual(rows["y"]["inputs"], ["d", "a:2"])
        rows = self.rows("LSTM_both")
        self.assertEqual(rows["a"]["outputBytes"], 4 * (35 + 5))
        self.assertEqual([rows[one]["outputBytes"] for one in ("a:2", "a:3")], [140, 20])
        self.assertEqual(rows["z"]["inputs"], ["a:3"])
        self.assertEqual(self.rows("LSTM_state")["none"]["outputBytes"], 20)

    def test_weights_count_once_and_later_layers_name_them(self):
        rows = self.rows("tied")
        self.assertEqual([rows[one]["parameterBytes"] for one in ("g", "m", "y")], [800, 64, 0])
        self.assertEqual(rows["y"]["tied"], [{"layer": "g", "bytes": 800}])
        rows = self.rows("transposed")
        self.assertEqual((self.bytes("transposed"), rows["y"]["tied"]), (4000, [{"layer": "g", "bytes": 4000}]))
        for name in ("twice", "frozen"):  # equal fresh biases
            self.assertEqual(self.bytes(name), 4 * (16 + 16 + 4 + 4))
            self.assertFalse(any("tied" in one for one in self.rows(name).values()))
        self.assertEqual(self.bytes("within"), 64)

    def test_what_is_refused(self):
        for name, words in (("weights_as_inputs", "layer c1 (Conv): its weights, tensor w1, are an input"),
                            ("no_weights", "found no weights"), ("data_sizes", "depends on data"),
                            ("loop", "depends on data"), ("unknown_operator", "operators of org.example"),
                            ("negative", ""), ("negative_input", "found the size -3"),
                            ("stride_0", "strides: found 0, expected at least 1"),
                            ("kernel_below_0", "kernel_shape: found -2"),
                            ("channels", "found 3 channels, expected 5"), ("missing", "reads tensor nowhere"),
                            ("open", "size 1 of input x is open"), ("other_name", "found input 'z', expected x")):
            with self.subTest(name):
                self.assertIsInstance(self.made[name], str, self.made[name])
                self.assertIn(words, self.made[name])
                self.assertNotIn("\n", self.made[name])
        self.assertEqual(self.said, "")
