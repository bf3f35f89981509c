#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Write a network as a graph of layers, traces/models/NAME.json, without measuring it.

The network is an ONNX file or a torch.nn.Module; neither is run, tensors have shapes and no values.
Layer costs then come by roofline from any device, with the origin `estimated`. FLOP are counted as
profile_model.py does; an operator that no rule knows is an error that names it.

What an ONNX file says nothing of is what training keeps until backward: a layer's activationBytes are
taken to be the bytes of its output, and 0 where it only moves data.
"""

import argparse
import math
import os
import shlex
import sys
import warnings

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../analysis"))
import profile_model as tool  # noqa: E402
from edgepipe.interpreter import need  # noqa: E402
from profile_model import BadInput, file_name, one_line, positive, shape  # noqa: E402

SCRIPT = os.path.basename(__file__)
tool.SCRIPT = SCRIPT

# Operators by what they cost per element of the output, and the word of the model format.
PER_ELEMENT = {
    0: {"Concat": "cat", "Flatten": "flatten", "Reshape": "flatten", "Squeeze": "flatten",
        "Unsqueeze": "flatten", **dict.fromkeys(
            ("Transpose", "Identity", "Slice", "Split", "Gather", "Expand", "Pad", "Cast",
             "DepthToSpace", "SpaceToDepth", "Tile", "GatherND", "GatherElements"), "other")},
    1: {"Add": "add", "Sub": "add", "Mul": "mul", "Div": "mul", "Relu": "relu", "Clip": "relu",
        "Dropout": "dropout", **dict.fromkeys(
            ("Sigmoid", "Tanh", "Elu", "LeakyRelu", "PRelu", "HardSigmoid", "HardSwish", "Softplus",
             "Selu", "Gelu", "Mish"), "activation"), **dict.fromkeys(
            ("Erf", "Exp", "Log", "Sqrt", "Pow", "Neg", "Abs", "Reciprocal", "Where", "Equal",
             "Greater", "Less", "And", "Or", "Not", "Min", "Max", "Floor", "Ceil", "Round", "Sin",
             "Cos"), "other")},
    2: {"BatchNormalization": "batch_norm"},
    3: {"Softmax": "softmax", "LogSoftmax": "softmax"},
    5: {"LayerNormalization": "other", "InstanceNormalization": "other",
        "GroupNormalization": "other"},
}
REDUCTIONS = {"ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceL2", "ReduceProd", "ArgMax",
              "ArgMin"}
GLOBAL_POOLS = {"GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool"}
POOLS = {"MaxPool", "AveragePool", "LpPool"}
SIZES = {1: 4, 2: 1, 3: 1, 4: 2, 5: 2, 6: 4, 7: 8, 9: 1, 10: 2, 11: 8, 12: 4, 13: 8, 16: 2}


class OnnxGraph:
    """The layers of an ONNX file."""

    def __init__(self, path, dims):
        import onnx
        import onnx.shape_inference
        self.onnx = onnx
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the error that follows says it
                model = onnx.load(path)
            onnx.checker.check_model(model)
        except OSError as error:
            raise BadInput("%s: %s" % (path, error.strerror or one_line(error)))
        except Exception as error:  # of protobuf, or of the checker: both say what is wrong
            raise BadInput("%s: not an ONNX model: %s" % (path, one_line(error)))
        graph = model.graph
        self.constants = {one.name: one for one in graph.initializer}
        inputs = [one for one in graph.input if one.name not in self.constants]
        if len(inputs) != 1:
            raise BadInput("%s: the network takes %d inputs, expected one tensor" % (
                path, len(inputs)))
        self.input = inputs[0]
        self.fix_shape(path, dims)
        try:
            inferred = onnx.shape_inference.infer_shapes(model, strict_mode=True, data_prop=True)
        except Exception as error:
            raise BadInput("%s: the shapes of tensors cannot be inferred: %s" % (
                path, one_line(error)))
        graph = inferred.graph
        self.types = {one.name: one.type.tensor_type for one in
                      [*graph.value_info, *graph.output, self.input]}
        self.nodes, self.path = graph.node, path
        self.producers = {name: node for node in graph.node for name in node.output}

    def fix_shape(self, path, dims):
        """A batch of one, and the shape of a sample."""
        sizes = self.input.type.tensor_type.shape.dim
        if dims and len(dims) != len(sizes) - 1:
            raise BadInput("%s: input %s has %d sizes behind the batch, found %d in --input-shape" % (
                path, self.input.name, len(sizes) - 1, len(dims)))
        for index, size in enumerate(sizes):
            if index == 0:
                size.dim_value = 1
            elif dims:
                size.dim_value = dims[index - 1]
            elif not size.dim_value:
                raise BadInput("%s: size %d of input %s is open; --input-shape gives it" % (
                    path, index, self.input.name))
        self.dims = [size.dim_value for size in sizes[1:]]

    def shape(self, name):
        if name in self.constants:
            return list(self.constants[name].dims)
        if name not in self.types:
            raise BadInput("%s: the shape of tensor %s is not known" % (self.path, name))
        sizes = [size.dim_value for size in self.types[name].shape.dim]
        if 0 in sizes:
            raise BadInput("%s: a size of tensor %s is not known" % (self.path, name))
        return sizes

    def count(self, name):
        return math.prod(self.shape(name))

    def bytes(self, name):
        kind = self.constants[name].data_type if name in self.constants else \
            self.types[name].elem_type
        return self.count(name) * SIZES.get(kind, 4)

    def rows(self):
        """The rows of a model file. What depends on constants alone is a part of its reader."""
        layer_of = {self.input.name: "input"}
        rows = [{"name": "input", "operator": "input", "inputs": [],
                 "outputShape": self.dims, "flop": 0, "parameterBytes": 0,
                 "outputBytes": self.bytes(self.input.name), "activationBytes": 0}]
        names, counted = {"input"}, set()
        for node in self.nodes:
            data = [name for name in node.input if name in layer_of]
            if not data or node.op_type == "Shape":
                continue
            name = node.name.strip("/").replace("/", ".") or node.op_type.lower()
            wanted, number = name, 1
            while name in names:
                number += 1
                name = "%s:%d" % (wanted, number)
            names.add(name)
            kind, flop = self.cost(node, name)
            given, made = node.input, node.output
            if node.op_type == "BatchNormalization":
                given, made = given[:3], made[:1]  # running statistics are not learnt
            own = [one for one in given if one in self.constants and one not in counted]
            counted.update(own)
            size = sum(self.bytes(one) for one in made if one in self.types)
            moves = node.op_type in PER_ELEMENT[0]
            rows.append({
                "name": name, "operator": kind,
                "inputs": list(dict.fromkeys(layer_of[one] for one in data)),
                "outputShape": self.shape(node.output[0])[1:], "flop": round(flop),
                "parameterBytes": sum(self.bytes(one) for one in own if self.is_weight(one)),
                "outputBytes": size, "activationBytes": 0 if moves else size})
            layer_of.update((one, name) for one in node.output)
        return rows

    def is_weight(self, name):
        """Numbers that are learnt; shapes and indices are none."""
        return self.constants[name].data_type in (1, 10, 11, 16)

    def attribute(self, node, name, default=None):
        for one in node.attribute:
            if one.name == name:
                return self.onnx.helper.get_attribute_value(one)
        return default

    def cost(self, node, name):
        """The operator's word, and forward FLOP of a sample."""
        kind = node.op_type
        elements = self.count(node.output[0])
        if kind in ("Conv", "ConvTranspose"):
            weight, groups = self.shape(node.input[1]), self.attribute(node, "group", 1)
            channels = self.shape(node.input[0])[1]
            out = self.shape(node.output[0])[1]
            over = self.count(node.input[0]) if kind == "ConvTranspose" else elements
            return tool.convolution_kind(groups, channels, out), 2 * over * math.prod(weight[1:])
        if kind == "Gemm":
            sizes = self.shape(node.input[0])
            return "linear", 2 * elements * sizes[0 if self.attribute(node, "transA", 0) else 1]
        if kind == "MatMul":
            return "linear", 2 * elements * self.shape(node.input[0])[-1]
        if kind in POOLS:
            window = math.prod(self.attribute(node, "kernel_shape"))
            return "pool", max(self.count(node.input[0]), elements * window)
        if kind in GLOBAL_POOLS:
            return "pool", self.count(node.input[0])
        if kind in REDUCTIONS:
            return "other", self.count(node.input[0])
        if kind == "LRN":
            return "lrn", elements * (self.attribute(node, "size") + 3)
        for flop, words in PER_ELEMENT.items():
            if kind in words:
                return words[kind], flop * elements
        raise BadInput("%s: layer %s: no rule counts the FLOP of the operator %s" % (
            self.path, name, kind))


def options(argv):
    class Parser(argparse.ArgumentParser):
        def error(self, message):
            self.exit(2, "%s: %s\n" % (SCRIPT, message))

    traces = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    parser = Parser(prog=SCRIPT, description=__doc__,
                    formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("model", help="FILE.onnx, FILE.py:FUNCTION as in profile_model.py, or a torchvision model")
    add("--name", type=file_name, help="name of the model (default: that of the file or function)")
    add("--input-shape", type=shape, metavar="C,H,W", help="input of one sample")
    add("--input-below", type=positive(int), metavar="N",
        help="of a torch.nn.Module: the input are whole numbers from 0 to N - 1, such as tokens")
    add("--out", default=traces, metavar="DIR",
        help="the traces folder: models/ below it is written (%(default)s)")
    add("--kind", type=file_name, metavar="NAME",
        help="folder below models/ for networks of a kind, such as transformers")
    add("--replace-model", action="store_true", help="overwrite the model file")
    return parser.parse_args(argv)


def import_model(opts, argv):
    if opts.model.endswith(".onnx"):
        graph = OnnxGraph(opts.model, opts.input_shape)
        opts.name = opts.name or os.path.basename(opts.model)[:-len(".onnx")]
        rows, dims, source = graph.rows(), graph.dims, os.path.basename(opts.model)
    else:
        network, rows, source = tool.describe_model(opts, tool.torch.device("meta"))
        dims = network.dims
    path = os.path.join(opts.out, "models", opts.kind or "", opts.name + ".json")
    command = " ".join([SCRIPT] + [shlex.quote(word) for word in argv])
    if tool.model_to_write(path, rows, opts.replace_model):
        tool.write_atomically(path, tool.model_text(opts, source, command, dims, rows))
    print(tool.summary(opts.name, rows, path))


def run(argv):
    """The tool with these arguments; returns its exit status."""
    opts = options(argv)
    if opts.model.endswith(".onnx"):
        need("onnx")
    else:
        need("torch", *([] if ".py:" in opts.model else ["torchvision"]))
        import torch
        import torch.fx
        tool.torch = torch
    try:
        import_model(opts, argv)
    except BadInput as problem:
        sys.stderr.write("%s: %s\n" % (SCRIPT, problem))
        return 2
    except OSError as problem:
        sys.stderr.write("%s: %s: %s\n" % (SCRIPT, problem.filename, problem.strerror))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
