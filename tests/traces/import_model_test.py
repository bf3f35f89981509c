# SPDX-License-Identifier: GPL-2.0-only
"""Networks that are not measured here: import_model.py, and FLOP that profile_model.py must not guess."""

import json
import math
import re
import textwrap
import unittest

import forked
from places import InFolder, ROOT, python_with

CAPTURE = ROOT / "traces" / "capture"
PYTHON = python_with("torch") or "/usr/bin/python3"
FIGURES = ("operator", "outputShape", "flop", "parameterBytes", "outputBytes")


# Parameters and FLOP, a multiply-accumulate being 2: torchvision's documentation of vit_b_16 (86,567,656
# and 17.56 G multiply-accumulates) and swin_t (28,288,354 and 4.49 G); Sun et al., "MobileBERT", ACL
# 2020, table 4, for BERT-base at 128 tokens (109 M and 22.5 G); for GPT-2 small the closed form at 1,024
# tokens, 12 layers of 24 n d^2 + 4 n^2 d and a head of 2 n d v.
PUBLISHED = {"vit_b_16": (86567656, 2 * 17.56e9), "swin_t": (28288354, 2 * 4.491e9),
             "bert_base": (109482240, 22.5e9),
             "gpt2_small": (124439808, 12 * (24 * 1024 * 768 ** 2 + 4 * 1024 ** 2 * 768)
                            + 2 * 1024 * 768 * 50257)}

NETS = textwrap.dedent('''
    import torch
    from torch import nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(100, 32)
            self.encoder = nn.TransformerEncoder(
                nn.TransformerEncoderLayer(32, 4, 64, batch_first=True), 3)
            self.head = nn.Linear(32, 5)

        def forward(self, x):
            return self.head(self.encoder(self.embed(x)).mean(1))

    def tokens():
        return Net(), (10,)

    class Recurrent(nn.Module):
        def __init__(self, kind):
            super().__init__()
            self.part = kind(28, 64, 2, batch_first=True)
            self.head = nn.Linear(64, 10)

        def forward(self, x):
            return self.head(self.part(x)[0][:, -1])

    def lstm():
        return Recurrent(nn.LSTM), (28, 28)

    def gru():
        return Recurrent(nn.GRU), (28, 28)

    class Spectrum(nn.Module):
        def forward(self, x):
            return torch.fft.rfft(x).abs()

    def spectrum():
        return Spectrum(), (3, 8, 8)

    class Resized(nn.Module):
        def forward(self, x):
            x = nn.functional.interpolate(x, scale_factor=2.0)
            return nn.functional.interpolate(x, size=[32, 32], mode="bilinear")

    def resized():
        return Resized(), (3, 8, 8)

    class Halves(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(4, 4, 1)

        def forward(self, x):
            a, b, c = x.chunk(3, 1)
            return torch.cat([self.conv(a), c], 1)

    def halves():
        return Halves(), (12, 8, 8)

    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.body = nn.Embedding(100, 16), nn.Linear(16, 16)
            self.head = nn.Linear(16, 100, bias=False)
            self.head.weight = self.embed.weight

        def forward(self, x):
            return self.head(self.body(self.body(self.embed(x))))

    def tied():
        return Tied(), (6,)

    class Einstein(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.zeros(8, 5))

        def forward(self, x):
            return torch.einsum("bnd,de->bne", x, self.weight)

    def einstein():
        return Einstein(), (6, 8)

    class Weightless(nn.Module):
        def forward(self, x):
            return x @ x.transpose(1, 2)

    def weightless():
        return Weightless(), (6, 8)

    class Functional(nn.Module):
        def __init__(self):
            super().__init__()
            self.depth, self.up = nn.Parameter(torch.zeros(4, 1, 3, 3)), nn.Parameter(torch.zeros(4, 3, 2, 2))
            self.bias, self.normed = nn.Parameter(torch.zeros(1, 1, 16)), nn.utils.weight_norm(nn.Conv1d(16, 8, 1))
            self.register_buffer("places", torch.arange(9))

        def forward(self, x):
            x = nn.functional.conv2d(x, self.depth, padding=1, groups=4)
            x = nn.functional.conv_transpose2d(x, self.up, stride=2).flatten(0, 1)
            part = x[..., :5] + torch.arange(5, device=x.device) + self.places[:x.size(2) - 11]
            x = torch.baddbmm(self.bias, part, part.transpose(1, 2)) + torch.zeros(x.shape[1], 16, device=x.device)
            return self.normed(x)

    def functional():
        return Functional(), (4, 8, 8)

    def half():
        return nn.Sequential(nn.Linear(8, 6), nn.ReLU()).half(), (8,)

    def mapping():
        class Mapping(nn.Module):
            def forward(self, batch):
                return batch["image"] * 2
        return Mapping(), (3, 8, 8)

    def decoder():
        class Both(nn.Module):
            def __init__(self):
                super().__init__()
                self.part = nn.TransformerDecoder(nn.TransformerDecoderLayer(32, 4, 64, batch_first=True), 2)

            def forward(self, x):
                return self.part(x, x * 2)
        return Both(), (10, 32)

    class Small(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(3, 8, 3, padding=1)
            self.group = nn.Conv2d(8, 8, 3, padding=1, groups=8)
            self.norm = nn.BatchNorm2d(8)
            self.pool = nn.MaxPool2d(2)
            self.head = nn.Linear(8 * 16, 5)

        def forward(self, x):
            x = torch.relu(self.norm(self.group(self.conv(x))))
            return self.head(torch.flatten(self.pool(x + x), 1)).softmax(1)

    def small():
        return Small(), (3, 8, 8)

    def encoder():
        net = nn.TransformerEncoder(nn.TransformerEncoderLayer(32, 4, 64, batch_first=True), 3)
        for one in net.parameters():  # an export keeps equal ones once
            nn.init.normal_(one)
        return net, (10, 32)

    def shufflenet():
        import torchvision
        return torchvision.models.shufflenet_v2_x1_0(), (3, 224, 224)

    def resnet50():
        import torchvision
        return torchvision.models.resnet50(), (3, 224, 224)
''')
EXPORT = textwrap.dedent('''
    import sys, torch
    sys.path.insert(0, sys.argv[1])
    import nets
    name, file, mode, batch = sys.argv[2:]
    module, dims = getattr(nets, name)()
    torch.onnx.export(module.train(mode == "TRAINING"), torch.randn(2, *dims), file,
                      training=getattr(torch.onnx.TrainingMode, mode), do_constant_folding=mode == "EVAL",
                      input_names=["x"], dynamic_axes={"x": {0: "n"}} if batch == "open" else {})
''')
SAME = textwrap.dedent('''
    import copy, sys, torch
    from torch import nn
    sys.path.insert(0, sys.argv[1])
    import torch_parts
    torch.manual_seed(1)

    def same(module, *inputs):
        module.eval()
        parts = torch_parts.in_parts(copy.deepcopy(module))
        assert type(parts) is not type(module)
        one, other = (made[0] if isinstance(made, tuple) else made for made in (module(*inputs), parts(*inputs)))
        assert torch.allclose(one, other, atol=1e-5), type(module)

    with torch.no_grad():
        for first in (True, False):
            x, y = torch.randn(3, 5, 32), torch.randn(3, 7, 32) if first else torch.randn(7, 5, 32)
            mask = torch.ones(x.shape[first], x.shape[first]).triu(1).bool()
            same(nn.MultiheadAttention(32, 4, batch_first=first), x, y, y)
            same(nn.MultiheadAttention(32, 4, bias=False, kdim=32, vdim=16, batch_first=first), x, y, y[..., :16])
            for norm in (True, False):
                layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=first, norm_first=norm)
                same(layer, x, mask)
                same(nn.TransformerEncoder(layer, 2, nn.LayerNorm(32)), x, mask)
                same(nn.TransformerDecoderLayer(32, 4, 64, batch_first=first, norm_first=norm), x, y, mask)
            same(nn.Transformer(32, 4, 2, 2, 64, batch_first=first), x, y)
            same(nn.LSTM(32, 16, 3, batch_first=first, bidirectional=True, proj_size=8), x)
            same(nn.GRU(32, 16, 2, batch_first=first), x, torch.randn(2, 3 if first else 5, 16))
            same(nn.RNN(32, 16, 2, batch_first=first, nonlinearity="relu"), x)
''')
# Prints by how much the two differ with the same weights, over the largest score.
SWIN = textwrap.dedent('''
    import sys, torch, torchvision
    sys.path.insert(0, sys.argv[1])
    import transformer_networks
    torch.manual_seed(1)
    theirs, ours = torchvision.models.swin_t(), transformer_networks.swin_t()[0]

    def weights(module):
        """Those of layers in their order, and of the biases of scores, which the two hold elsewhere."""
        layers = [one for one in module.modules() if isinstance(
            one, (torch.nn.Conv2d, torch.nn.Linear, torch.nn.LayerNorm))]
        tables = [value for name, value in module.named_parameters()
                  if name.endswith(("attention.bias", "position_bias_table"))]
        return sorted(layers, key=lambda one: str((type(one), one.weight.shape))), tables

    for ones, others in zip(weights(theirs), weights(ours)):
        assert len(ones) == len(others)
        for one, other in zip(ones, others):
            if isinstance(one, torch.nn.Module):
                torch.nn.init.normal_(one.weight, 0.5, 0.1) if one.weight.dim() == 1 else None
                other.load_state_dict(one.state_dict())
            else:
                torch.nn.init.normal_(one)
                other.data.copy_(one.data)
    x = torch.randn(1, 3, 224, 224)
    with torch.no_grad():
        one, other = theirs.eval()(x), ours.eval()(x)
    print(float((one - other).abs().max() / one.abs().max()))
''')


@unittest.skipUnless(python_with("torch"), "needs PyTorch")
class ImportModel(InFolder):
    def setUp(self):
        super().setUp()
        (self.folder / "nets.py").write_text(NETS)

    def tool(self, name, *words):
        return forked.run(PYTHON, CAPTURE / name, *words, "--out", self.folder)

    def run_code(self, code, *words):
        path = self.folder / "code.py"
        path.write_text(code)
        return self.ended(forked.run(PYTHON, path, *words))

    def read(self, name):
        return json.loads((self.folder / "models" / f"{name}.json").read_text())

    def load(self, *words):
        run = self.tool("import_model.py", *words)
        self.assertRegex(run.stderr, r"\A(import_model.py: layer .* of the FLOP; .*\n)?\Z")
        self.assertEqual(run.returncode, 0)
        return self.read(str(words[0]).rsplit(":", 1)[-1].rsplit("/", 1)[-1].removesuffix(".onnx"))

    def test_a_module_without_a_shape_is_said_to_see_an_image(self):
        path = self.folder / "bare.py"
        path.write_text("import torch.nn as nn\ndef bare():\n    return nn.Sequential(nn.Conv2d(3, 4, 3), "
                        "nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 2))\n")
        for words, said in (((), f"import_model.py: model {path}:bare names no input shape, so an image of 3,224,224; "
                                 "--input-shape, or return (module, shape)\n"), (("--input-shape=3,32,32", "--replace-model"), "")):
            run = self.tool("import_model.py", f"{path}:bare", *words)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual(re.sub("(?m)^.*of the FLOP.*\n", "", run.stderr), said)

    def test_transformers_have_their_published_counts_and_are_those_shipped(self):
        shipped = ROOT / "traces" / "models" / "transformers"
        self.assertEqual({path.stem for path in shipped.glob("*.json")}, set(PUBLISHED))
        for name, (parameters, flop) in PUBLISHED.items():
            with self.subTest(name):
                before = json.loads((shipped / f"{name}.json").read_text())
                words = before["command"].split()
                self.assertEqual(words[:2], ["import_model.py", "traces/capture/transformer_networks.py:"
                                             f"{name}"])
                self.assertEqual(self.tool(words[0], ROOT / words[1], *words[2:]).returncode, 0)
                layers = self.read(f"transformers/{name}")["layers"]
                self.assertEqual(layers, before["layers"])
                self.assertEqual(sum(one["parameterBytes"] for one in layers), 4 * parameters)
                self.assertAlmostEqual(sum(one["flop"] for one in layers) / flop, 1, delta=0.01)

    @unittest.skipUnless(python_with("torchvision"), "needs torchvision")
    def test_swin_computes_what_torchvision_s_does(self):
        done = self.run_code(SWIN, CAPTURE)
        self.assertLess(float(done.stdout), 1e-5)

    def test_shapes_alone_give_what_a_pass_gives(self):
        for name, below in (("small", ()), ("tokens", ("--input-below", 100))):
            with self.subTest(name):
                imported = self.load(f"{self.folder / 'nets.py'}:{name}", *below)["layers"]
                self.ended(self.tool("profile_model.py", f"{self.folder / 'nets.py'}:{name}", *below,
                                     "--device", "here", "--repeats", 3, "--replace-model",
                                     "--busy-machine"))
                self.assertEqual(self.read(name)["layers"], imported)

    def test_another_network_of_the_same_names_is_no_model_that_is_kept(self):
        path = self.folder / "two.py"
        for width, figure in ((16, ""), (32, "flop of 0 is 256 there and 512 here")):
            path.write_text("from torch import nn\n\n\ndef two():\n    return nn.Sequential("
                            f"nn.Linear(8, {width}), nn.ReLU()), (8,)\n")
            made = self.tool("import_model.py", f"{path}:two")
            self.assertEqual(made.returncode, 2 if figure else 0)
            self.assertIn(figure, made.stderr)
            self.assertEqual(self.read("two")["layers"][1]["parameterBytes"], 4 * 16 * 9)

    def net(self, name, *words):
        return {one["name"]: one for one in self.load(f"{self.folder / 'nets.py'}:{name}", *words)["layers"]}

    def test_an_encoder_is_one_of_products_that_cost_something(self):
        layers = self.net("tokens", "--input-below", 100)
        n, d, hidden = 10, 32, 64
        self.assertEqual(sum(one["flop"] for one in layers.values() if one["operator"] == "linear"),
                         3 * n * (8 * d * d + 4 * n * d + 4 * d * hidden) + 2 * d * 5)
        self.assertEqual(sum(one["parameterBytes"] for one in layers.values()) / 4, 100 * d + 3 * (
            4 * d * d + 4 * d + 2 * d * hidden + hidden + d + 4 * d) + 5 * d + 5)
        self.assertEqual(layers["encoder.layers.1.linear1"]["flop"], 2 * n * d * hidden)
        self.assertEqual(layers["embed"]["flop"], 0)
        self.assertEqual({name: one["integerBytes"] for name, one in layers.items() if "integerBytes" in one},
                         {"input": 8 * n})
        layers = self.net("decoder")
        self.assertEqual(sum(one["flop"] for one in layers.values() if one["operator"] == "linear"),
                         2 * n * (16 * d * d + 8 * n * d + 4 * d * hidden))

    def test_functions_count_as_the_modules_that_call_them(self):
        layers = self.net("functional")
        self.assertEqual({one["operator"]: (one["flop"], one["parameterBytes"]) for one in layers.values() if one[
            "operator"] in ("depthwise_conv2d", "linear")}, {
                "depthwise_conv2d": (2 * 4 * 64 * 9, 4 * 36), "linear": (2 * 3 * 256 * 5, 4 * 16)})
        self.assertEqual([(one["flop"], one["parameterBytes"]) for one in layers.values() if one["operator"] == "conv2d"],
                         [(2 * 4 * 64 * 12, 4 * 48), (2 * 3 * 8 * 16 * 16, 4 * (8 * 16 + 8 + 8))])

    def test_a_module_of_half_precision_has_half_the_bytes(self):
        layers = self.net("half")
        self.assertEqual((layers["input"]["outputBytes"], *(layers["0"][key] for key in (
            "flop", "parameterBytes", "outputBytes", "activationBytes"))), (2 * 8, 96, 2 * 54, 2 * 6, 2 * 8))

    def test_a_network_of_a_dictionary_is_refused(self):
        done = self.tool("import_model.py", f"{self.folder / 'nets.py'}:mapping")
        self.assertEqual((done.returncode, done.stderr), (2, "import_model.py: the network takes a dictionary, expected "
                                                          "one tensor, or an ONNX file of it\n"))

    @unittest.skipUnless(python_with("torch"), "needs PyTorch")
    def test_parts_compute_what_the_whole_does(self):
        self.run_code(SAME, CAPTURE)

    def test_recurrent_layers(self):
        for name, gates in (("lstm", 4), ("gru", 3)):
            with self.subTest(name):
                done = self.tool("import_model.py", f"{self.folder / 'nets.py'}:{name}")
                self.assertIn("layer part.layers.1 (recurrent) has 58 % of the FLOP", done.stderr)
                layers = {one["name"]: one for one in self.read(name)["layers"]}
                self.assertEqual([layers[f"part.layers.{one}"]["flop"] for one in (0, 1)],
                                 [2 * 28 * gates * 64 * (64 + inputs) for inputs in (28, 64)])
                self.assertEqual(sum(one["parameterBytes"] for one in layers.values()) / 4,
                                 gates * 64 * (28 + 64 + 64 + 64 + 4) + 650)
                self.assertEqual(layers["part.layers.0"]["outputBytes"], 4 * 28 * 64)  # its last state is not read

    def test_parts_of_a_tensor_are_layers_of_their_own(self):
        layers = list(self.net("halves").values())
        self.assertEqual([(one["name"], one["inputs"], one["outputBytes"]) for one in layers[1:]],
                         [("chunk", ["input"], 1024), ("chunk:2", ["input"], 1024), ("conv", ["chunk"], 1024),
                          ("cat", ["conv", "chunk:2"], 2048)])

    def test_tied_weights_are_named(self):
        layers = self.net("tied", "--input-below", 100)
        self.assertEqual(layers["head"]["tied"], [{"layer": "embed", "bytes": 6400}])
        self.assertEqual(layers["body:2"]["tied"], [{"layer": "body", "bytes": 4 * 17 * 16}])
        self.assertEqual([layers[one]["parameterBytes"] for one in ("embed", "body", "body:2", "head")],
                         [6400, 4 * 17 * 16, 0, 0])

    def test_resizing_and_sums_over_letters(self):
        layers = self.net("resized")
        self.assertEqual([layers[one]["flop"] for one in ("interpolate", "interpolate_1")], [0, 8 * 3 * 32 * 32])
        self.assertEqual([(one["flop"], one["parameterBytes"]) for one in self.net("einstein").values()],
                         [(0, 0), (2 * 6 * 8 * 5, 160)])

    def test_what_no_rule_counts_is_an_error_that_names_it(self):
        for tool, more in (("profile_model.py", ("--device", "here")), ("import_model.py", ())):
            for name, words in (("spectrum", ("fft_rfft", "no rule counts the FLOP")),
                                ("weightless", ("layer matmul (linear): found no weights",)),
                                ("tokens", ("does not run on an input of 10",))):
                if name == "weightless" and more:
                    continue  # measured, its products have a cost
                with self.subTest(f"{tool} {name}"):
                    self.assert_one_line(self.tool(tool, f"{self.folder / 'nets.py'}:{name}", *more), *words)
                    self.assertFalse((self.folder / "models").exists())

    def export(self, network, file, mode="TRAINING", batch="open"):
        self.run_code(EXPORT, self.folder, network, file, mode, batch)

    def assert_exported(self, file, network, traced):
        """An ONNX file of a network has the figures of its traced layers, one by one."""
        self.export(network, file)
        exported = self.load(file)["layers"]
        self.assertEqual([{key: one[key] for key in FIGURES} for one in exported],
                         [{key: one[key] for key in FIGURES} for one in traced])

    @unittest.skipUnless(python_with("onnx", "torchvision"), "needs ONNX and torchvision")
    def test_resnet_50_from_onnx_is_the_one_that_was_traced(self):
        traced = json.loads((ROOT / "traces" / "models" / "resnet50.json").read_text())["layers"]
        self.assertGreater(len(traced), 170)
        self.assert_exported(self.folder / "exported.onnx", "resnet50", traced)

    @unittest.skipUnless(python_with("onnx", "torchvision"), "needs ONNX and torchvision")
    def test_shapes_that_are_computed_of_shapes(self):
        """Whatever the mode and the batch of the export. Of the encoder, matrix products by hand; of
        ShuffleNet, parameters and multiply-accumulates as its paper and torchvision have them."""
        n, d, hidden = 10, 32, 64
        products = 3 * (n * (8 * d * d + 4 * n * d) + 4 * n * d * hidden)
        parameters = 3 * (4 * d * d + 4 * d + 2 * d * hidden + hidden + d + 4 * d)
        for number, (network, mode, batch) in enumerate((
                ("encoder", "EVAL", "open"), ("encoder", "EVAL", "fixed"), ("encoder", "TRAINING", "open"),
                ("shufflenet", "TRAINING", "fixed"))):
            with self.subTest(f"{network} {mode} {batch}"):
                file = self.folder / f"{network}{number}.onnx"
                self.export(network, file, mode, batch)
                layers = self.load(file)["layers"]
                held = sum(one["parameterBytes"] for one in layers) / 4
                if network == "encoder":
                    self.assertEqual(held, parameters)
                    self.assertEqual(sum(one["flop"] for one in layers if one["operator"] == "linear"),
                                     products)
                else:
                    self.assertEqual(held, 2278604)
                    self.assertAlmostEqual(sum(one["flop"] for one in layers) / 2 / 146e6, 1, delta=0.02)
                self.assertEqual(layers[0]["outputBytes"], 4 * math.prod(layers[0]["outputShape"]))

    @unittest.skipUnless(python_with("torchvision"), "needs torchvision")
    def test_families_of_torchvision(self):
        """Parameters and multiply-accumulates of its documentation: branches that are dropped at random,
        sizes that are unpacked, attention called by names."""
        for name, parameters, products in (("efficientnet_b0", 5288548, 0.386e9),
                                           ("convnext_tiny", 28589128, 4.456e9),
                                           ("shufflenet_v2_x1_0", 2278604, 0.145e9),
                                           ("vit_b_16", 86567656, 17.564e9)):
            with self.subTest(name):
                layers = self.load(name)["layers"]
                self.assertEqual(sum(one["parameterBytes"] for one in layers), 4 * parameters)
                self.assertAlmostEqual(sum(one["flop"] for one in layers) / 2 / products, 1, delta=0.04)

    @unittest.skipUnless(python_with("onnx"), "needs ONNX")
    def test_an_onnx_file_gives_what_the_module_gives(self):
        file = self.folder / "small_onnx.onnx"
        traced = self.load(f"{self.folder / 'nets.py'}:small")["layers"]
        self.assert_exported(file, "small", traced)
        whole = file.read_bytes()
        for what, content in (("no file", None), ("an empty file", b""), ("half", whole[:len(whole) // 2]),
                              ("text", b"hello\n"), ("zeros", bytes(1000))):
            with self.subTest(what):
                broken = self.folder / "broken.onnx"
                broken.unlink(missing_ok=True)
                if content is not None:
                    broken.write_bytes(content)
                self.assert_one_line(self.tool("import_model.py", broken), "broken.onnx")
