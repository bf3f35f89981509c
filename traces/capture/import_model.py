#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Write a network as a graph of layers, traces/models/NAME.json, without measuring it.

The network is an ONNX file or a torch.nn.Module. It is not run: tensors have shapes but no values.
Layer costs on any device are then roofline estimates, with the origin `estimated`. FLOP are counted as in
profile_model.py; an operator without a rule is an error that names it.

An ONNX file does not tell what training keeps for the backward pass: a layer's activationBytes are assumed
to be the bytes of its output, or 0 if it only moves data.
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
from edgepipe.pictures import InputError, Parser, number, start  # noqa: E402
from profile_model import file_name, one_line, unlike, whole_numbers  # noqa: E402

# FLOP per element of the output; operators, and their words in the model format.
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
INTEGERS = (6, 7)  # ONNX data types
# ONNX does not infer shapes that depend on a quotient of sizes, so sizes are computed here. Functions of a
# getter of the operator's attributes and its inputs, numpy arrays.
COMPUTED = {
    "Constant": lambda get: get("value"), "Identity": lambda get, x: x,
    "Add": lambda get, x, y: x + y, "Sub": lambda get, x, y: x - y, "Mul": lambda get, x, y: x * y,
    "Div": lambda get, x, y: x // y if x.dtype.kind == y.dtype.kind == "i" else x / y,
    "Mod": lambda get, x, y: x % y, "Floor": lambda get, x: x // 1,
    "Cast": lambda get, x: x.astype("int64" if get("to") in INTEGERS else "float64"),
    "Gather": lambda get, x, at: x.take(at, get("axis", 0)),
    "Concat": lambda get, *parts: numpy.concatenate(parts, get("axis")),
    "Slice": lambda get, x, starts, ends, axes=None, steps=None: x[part_of(
        x.ndim, starts, ends, axes, steps)],
    "ConstantOfShape": lambda get, sizes: numpy.full(sizes, get("value", 0)),
    "Reshape": lambda get, x, sizes: x.reshape(sizes),
    "Transpose": lambda get, x: x.transpose(get("perm")),
    "Unsqueeze": lambda get, x, axes: numpy.expand_dims(x, tuple(axes)),
    "Squeeze": lambda get, x, axes=None: x.squeeze(None if axes is None else tuple(axes))}
SIZES = {1: 4, 2: 1, 3: 1, 4: 2, 5: 2, 6: 4, 7: 8, 9: 1, 10: 2, 11: 8, 12: 4, 13: 8, 16: 2}


def part_of(count, starts, ends, axes, steps):
    """Slices of an array with count axes, as in ONNX's Slice."""
    parts = [slice(None)] * count
    for index, axis in enumerate(range(len(starts)) if axes is None else axes):
        parts[axis] = slice(starts[index], ends[index], 1 if steps is None else steps[index])
    return tuple(parts)


class OnnxGraph:
    def __init__(self, path, dims):
        global numpy
        import numpy
        import onnx
        import onnx.numpy_helper
        import onnx.shape_inference
        self.onnx, self.path = onnx, path
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # an error follows that says the same
                model = onnx.load(path)
            onnx.checker.check_model(model)
        except OSError as error:
            raise InputError("%s: %s" % (path, error.strerror or one_line(error)))
        except Exception as error:  # from protobuf or the checker, both with a reason
            raise InputError("%s: not an ONNX model: %s" % (path, one_line(error)))
        graph = model.graph
        self.constants = {one.name: one for one in graph.initializer}
        inputs = [one for one in graph.input if one.name not in self.constants]
        if len(inputs) != 1:
            raise InputError("%s: the network takes %d inputs, expected one tensor" % (
                path, len(inputs)))
        self.input = inputs[0]
        self.fix_shape(path, dims)
        for one in graph.initializer:
            if one.data_type not in INTEGERS and len(one.raw_data) > 4096:
                one.ClearField("raw_data")  # a weight; no shape depends on it
        while self.infer_shapes(model):
            pass
        self.nodes = graph.node

    def infer_shapes(self, model):
        """Infers the types of tensors, and turns integer tensors with known values into constants.

        Returns whether there are new constants, with which more shapes may be inferred.
        """
        graph, helper = model.graph, self.onnx.numpy_helper
        try:
            inferred = self.onnx.shape_inference.infer_shapes(model, strict_mode=True, data_prop=True)
        except Exception as error:
            raise InputError("%s: the shapes of tensors cannot be inferred: %s" % (
                self.path, one_line(error)))
        self.types = {one.name: one.type.tensor_type for one in
                      [*inferred.graph.value_info, *inferred.graph.output, self.input]}
        known = {name: helper.to_array(one) for name, one in self.constants.items()
                 if one.data_type in INTEGERS}
        before = len(self.constants)
        for node in graph.node:
            value = self.compute(node, known)
            if value is None:
                continue
            known[node.output[0]] = value
            if value.dtype.kind == "i":
                graph.initializer.append(helper.from_array(value, node.output[0]))
                self.constants[node.output[0]] = graph.initializer[-1]
        rest = [node for node in graph.node if node.output[0] not in self.constants]
        del graph.node[:]
        graph.node.extend(rest)
        return len(self.constants) > before

    def compute(self, node, known):
        """The value of a node from known inputs; None if one is unknown or no rule computes it."""
        def get(name, default=None):
            value = self.attribute(node, name, default)
            return self.onnx.numpy_helper.to_array(value) if name == "value" else value

        try:
            if node.op_type == "Shape":
                return numpy.array(self.shape(node.input[0])[get("start", 0):get("end")], "int64")
            given = [known[name] for name in node.input]
            return COMPUTED[node.op_type](get, *given, *filter(None, [get("axes")]))
        except (AttributeError, InputError, IndexError, KeyError, TypeError, ValueError):
            return None

    def fix_shape(self, path, dims):
        """Sets the shape of a sample, and the batch: the file's, or 1 if that is open."""
        sizes = self.input.type.tensor_type.shape.dim
        if dims and len(dims) != len(sizes) - 1:
            raise InputError("%s: input %s has %d sizes behind the batch, found %d in --input-shape" % (
                path, self.input.name, len(sizes) - 1, len(dims)))
        for index, size in enumerate(sizes):
            if index == 0:
                self.batch = size.dim_value = size.dim_value or 1
            elif dims:
                size.dim_value = dims[index - 1]
            elif not size.dim_value:
                raise InputError("%s: size %d of input %s is open; --input-shape gives it" % (
                    path, index, self.input.name))
        self.dims = [size.dim_value for size in sizes[1:]]

    def shape(self, name):
        if name in self.constants:
            return list(self.constants[name].dims)
        if name not in self.types or not self.types[name].HasField("shape"):
            raise InputError("%s: the shape of tensor %s is not known" % (self.path, name))
        sizes = [size.dim_value for size in self.types[name].shape.dim]
        if 0 in sizes:
            raise InputError("%s: a size of tensor %s is not known" % (self.path, name))
        return sizes

    def count(self, name):
        return math.prod(self.shape(name))

    def bytes(self, name):
        kind = self.constants[name].data_type if name in self.constants else \
            self.types[name].elem_type
        return self.count(name) * SIZES.get(kind, 4)

    def rows(self):
        """The rows of a model file. Nodes that depend only on constants count as part of their consumers."""
        weights = {name: [name] for name in self.constants}  # by tensor, those that it is made of
        layer_of = {self.input.name: "input"}
        rows = [{"name": "input", "operator": "input", "inputs": [],
                 "outputShape": self.dims, "flop": 0, "parameterBytes": 0,
                 "outputBytes": self.per_sample(self.bytes(self.input.name)), "activationBytes": 0}]
        names, counted = {"input"}, set()
        for node in self.nodes:
            data = [name for name in node.input if name in layer_of]
            if not data or node.op_type == "Shape":
                made = [one for name in node.input for one in weights.get(name, ())]
                if node.op_type != "Shape":
                    weights.update(dict.fromkeys(node.output, made))
                continue
            name = unlike(node.name.strip("/").replace("/", ".") or node.op_type.lower(), names)
            kind, flop = self.cost(node, name)
            given, made = node.input, node.output
            if node.op_type == "BatchNormalization":
                given, made = given[:3], made[:1]  # running statistics are not learnt
            own = {one for name in given for one in weights.get(name, ())} - counted
            counted.update(own)
            size = self.per_sample(sum(self.bytes(one) for one in made if one in self.types))
            moves = node.op_type in PER_ELEMENT[0]
            rows.append({
                "name": name, "operator": kind,
                "inputs": list(dict.fromkeys(layer_of[one] for one in data)),
                "outputShape": self.shape(node.output[0])[1:], "flop": self.per_sample(flop),
                "parameterBytes": sum(self.bytes(one) for one in own if self.is_weight(one)),
                "outputBytes": size, "activationBytes": 0 if moves else size})
            layer_of.update((one, name) for one in node.output)
        return rows

    def per_sample(self, figure):
        return round(figure / self.batch)

    def is_weight(self, name):
        """Whether a constant is learnt, unlike shapes and indices."""
        return self.constants[name].data_type in (1, 10, 11, 16)

    def attribute(self, node, name, default=None):
        found = [one for one in node.attribute if one.name == name]
        return self.onnx.helper.get_attribute_value(found[0]) if found else default

    def cost(self, node, name):
        """The operator's word in the model format, and forward FLOP of the batch."""
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
        raise InputError("%s: layer %s: no rule counts the FLOP of the operator %s" % (
            self.path, name, kind))


def options():
    traces = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    parser = Parser(__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("model", help="FILE.onnx, FILE.py:FUNCTION as in profile_model.py, or a torchvision model")
    add("--name", type=file_name, help="name of the model (default: that of the file or function)")
    add("--input-shape", type=whole_numbers, metavar="C,H,W", help="input shape of one sample (default: the model's)")
    add("--input-below", type=number(1, 1e9, int), metavar="N",
        help="torch.nn.Module: inputs are integers from 0 to N - 1, such as tokens")
    add("--out", default=traces, metavar="DIR",
        help="traces folder, the model goes to models/ in it (default: %(default)s)")
    add("--kind", type=file_name, metavar="NAME",
        help="folder below models/ for a kind of networks, such as transformers (default: none)")
    add("--replace-model", action="store_true", help="overwrite an existing model file")
    return parser.parse_args()


def import_model(opts):
    if opts.model.endswith(".onnx"):
        graph = OnnxGraph(opts.model, opts.input_shape)
        opts.name = opts.name or os.path.basename(opts.model)[:-len(".onnx")]
        rows, dims, source = graph.rows(), graph.dims, os.path.basename(opts.model)
    else:
        network, rows, source = tool.describe_model(opts, tool.torch.device("meta"))
        dims = network.dims
    path = os.path.join(opts.out, "models", opts.kind or "", opts.name + ".json")
    command = shlex.join([tool.SCRIPT, *sys.argv[1:]])
    if tool.model_to_write(path, rows, opts.replace_model):
        tool.write_file(path, tool.model_text(opts, source, command, dims, rows))
    print(tool.summary(opts.name, rows, path))


def main():
    opts = options()
    if opts.model.endswith(".onnx"):
        need("onnx")
    else:
        tool.load_torch([opts.model])
    import_model(opts)


if __name__ == "__main__":
    start(main)
