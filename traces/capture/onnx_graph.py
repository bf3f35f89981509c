# SPDX-License-Identifier: GPL-2.0-only
"""An ONNX file as rows of a model file: shapes, values of small tensors, weights and FLOP, node by node.

The file is not run. Tensors that depend on constants only are no layers; they belong to their consumers.
"""

import math
import os
import sys
import warnings

import numpy
import onnx
import onnx.external_data_helper
import onnx.shape_inference
import profile_model as tool
from edgepipe.pictures import InputError
from onnx import numpy_helper
from profile_model import one_line, unlike

# FLOP per number of the output; operators, and their words in the model format.
PER_ELEMENT = {
    0: {"Concat": "cat", "QLinearConcat": "cat", "Flatten": "flatten", "Reshape": "flatten",
        "Squeeze": "flatten", "Unsqueeze": "flatten", **dict.fromkeys(
            ("Transpose", "Identity", "Slice", "Split", "Gather", "Expand", "Pad", "Cast", "CastLike",
             "DepthToSpace", "SpaceToDepth", "Tile", "GatherND", "GatherElements", "ScatterND",
             "ScatterElements", "Scatter", "Trilu", "OneHot", "ReverseSequence", "MaxUnpool", "Col2Im",
             "CenterCropPad", "ConstantOfShape", "EyeLike", "RandomNormalLike", "RandomUniformLike",
             "Bernoulli"), "other")},
    1: {"Add": "add", "Sub": "add", "QLinearAdd": "add", "Mul": "mul", "Div": "mul", "QLinearMul": "mul",
        "Relu": "relu", "Clip": "relu", "Dropout": "dropout", **dict.fromkeys(
            ("Sigmoid", "Tanh", "Elu", "LeakyRelu", "PRelu", "HardSigmoid", "HardSwish", "Softplus",
             "Selu", "Gelu", "Mish", "Celu", "Softsign", "ThresholdedRelu", "Shrink", "Swish", "BiasGelu",
             "FastGelu", "QuickGelu", "QLinearSigmoid", "QLinearLeakyRelu"), "activation"),
        **dict.fromkeys(
            ("Erf", "Exp", "Log", "Sqrt", "Pow", "Neg", "Abs", "Reciprocal", "Where", "Equal",
             "Greater", "Less", "GreaterOrEqual", "LessOrEqual", "And", "Or", "Xor", "Not", "Floor",
             "Ceil", "Round", "Sin", "Cos", "Tan", "Asin", "Acos", "Atan", "Sinh", "Cosh", "Asinh",
             "Acosh", "Atanh", "Sign", "Mod", "IsNaN", "IsInf", "BitShift", "BitwiseAnd", "BitwiseOr",
             "BitwiseXor", "BitwiseNot", "CumSum", "QuantizeLinear", "DequantizeLinear",
             "DynamicQuantizeLinear"), "other")},
    2: {"BatchNormalization": "batch_norm"},
    3: {"Softmax": "softmax", "LogSoftmax": "softmax", "Hardmax": "softmax"},
    5: dict.fromkeys(("LayerNormalization", "InstanceNormalization", "GroupNormalization",
                      "LpNormalization", "MeanVarianceNormalization", "RMSNormalization",
                      "SimplifiedLayerNormalization"), "other"),
    6: dict.fromkeys(("SkipLayerNormalization", "SkipSimplifiedLayerNormalization"), "other"),
    7: {"EmbedLayerNormalization": "other"}}
VARIADIC = {"Sum": "add", "Mean": "other", "Max": "other", "Min": "other"}
REDUCTIONS = {"ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceL2", "ReduceProd",
              "ReduceLogSum", "ReduceLogSumExp", "ReduceSumSquare", "ArgMax", "ArgMin", "TopK"}
GLOBAL_POOLS = {"GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool", "QLinearGlobalAveragePool"}
POOLS = {"MaxPool", "AveragePool", "LpPool", "QLinearAveragePool"}
# Inputs: those that are multiplied, and those that are learnt.
CONVOLUTIONS = {"Conv": (0, 1), "FusedConv": (0, 1), "ConvTranspose": (0, 1), "DeformConv": (0, 1),
                "ConvInteger": (0, 1), "QLinearConv": (0, 3)}
PRODUCTS = {"Gemm": (0, 1), "FusedGemm": (0, 1), "QGemm": (0, 3), "MatMul": (0, 1), "FusedMatMul": (0, 1),
            "MatMulInteger": (0, 1), "QLinearMatMul": (0, 3), "DynamicQuantizeMatMul": (0, 1),
            "MatMulIntegerToFloat": (0, 1)}
RECURRENT = {"LSTM", "GRU", "RNN"}
ATTENTION = {"Attention", "MultiHeadAttention"}
LEARNT = {
    "Conv": (1, 2), "FusedConv": (1, 2), "ConvTranspose": (1, 2), "DeformConv": (1, 3), "ConvInteger": (1, 3),
    "QLinearConv": (3, 4, 5, 8), "Gemm": (0, 1, 2), "FusedGemm": (0, 1, 2), "QGemm": (0, 3, 4, 5, 6),
    "MatMul": (0, 1), "FusedMatMul": (0, 1), "MatMulInteger": (0, 1, 2, 3), "QLinearMatMul": (0, 3, 4, 5),
    "DynamicQuantizeMatMul": (1, 2, 3, 4), "MatMulIntegerToFloat": (1, 3, 5, 6), "MatMulNBits": (1, 2, 3, 5),
    "Einsum": range(9), **dict.fromkeys(RECURRENT, (1, 2, 3, 7)), "Attention": (1, 2),
    "MultiHeadAttention": (3,), "BatchNormalization": (1, 2), "InstanceNormalization": (1, 2),
    "LayerNormalization": (1, 2), "GroupNormalization": (1, 2), "RMSNormalization": (1,),
    "SimplifiedLayerNormalization": (1,), "SkipLayerNormalization": (2, 3, 4),
    "SkipSimplifiedLayerNormalization": (2, 3), "EmbedLayerNormalization": (2, 3, 4, 5, 6), "PRelu": (1,),
    "Gather": (0,), "GatherND": (0,), "BiasGelu": (1,), "FastGelu": (1,)}
ELEMENTWISE = {"Add", "Sub", "Mul", "Div", "Sum"}
FLOATS, BYTES = (1, 10, 11, 16), (2, 3, 17, 18, 19, 20, 21, 22, 23)  # ONNX data types
INTEGERS = (4, 5, 6, 7, 12, 13)  # wider than a byte
SIZES = {1: 4, 2: 1, 3: 1, 4: 2, 5: 2, 6: 4, 7: 8, 9: 1, 10: 2, 11: 8, 12: 4, 13: 8, 14: 8, 15: 16, 16: 2,
         17: 1, 18: 1, 19: 1, 20: 1, 21: 0.5, 22: 0.5, 23: 0.5}
MOST_VALUES = 1 << 22  # numbers of a tensor whose values are computed
MOST_NUMBERS = 1 << 50
ALWAYS_POSITIVE = ("strides", "dilations", "kernel_shape", "group", "blocksize", "num_outputs", "num_heads", "size",
                   "hidden_size", "num_groups", "K", "N")


def part_of(count, starts, ends, axes, steps):
    """Slices of an array with count axes, as in ONNX's Slice."""
    parts = [slice(None)] * count
    for index, axis in enumerate(range(len(starts)) if axes is None else axes):
        step = 1 if steps is None else int(steps[index])
        end = int(ends[index])
        parts[axis] = slice(int(starts[index]), None if step < 0 and end < -(1 << 31) else end, step)
    return tuple(parts)


def reduced(function):
    return lambda get, x, axes=None: function(
        x, axis=None if axes is None else tuple(axes), keepdims=bool(get("keepdims", 1)))


def scattered(get, x, at, updates):
    x = x.copy()
    x[tuple(numpy.moveaxis(at, -1, 0))] = updates
    return x


# Sizes are often computed from sizes. Functions of a getter of the operator's attributes and of its inputs,
# numpy arrays.
COMPUTED = {
    "Identity": lambda get, x: x,
    "Add": lambda get, x, y: x + y, "Sub": lambda get, x, y: x - y, "Mul": lambda get, x, y: x * y,
    "Div": lambda get, x, y: numpy.trunc(x / y).astype(x.dtype) if x.dtype.kind in "iu" else x / y,
    "Mod": lambda get, x, y: numpy.fmod(x, y) if get("fmod", 0) else x % y,
    "Pow": lambda get, x, y: (x ** y).astype(x.dtype),
    "Neg": lambda get, x: -x, "Abs": lambda get, x: abs(x), "Sqrt": lambda get, x: numpy.sqrt(x),
    "Floor": lambda get, x: numpy.floor(x), "Ceil": lambda get, x: numpy.ceil(x),
    "Round": lambda get, x: numpy.round(x),
    "Min": lambda get, *parts: numpy.minimum.reduce(numpy.broadcast_arrays(*parts)),
    "Max": lambda get, *parts: numpy.maximum.reduce(numpy.broadcast_arrays(*parts)),
    "Equal": lambda get, x, y: x == y, "Greater": lambda get, x, y: x > y, "Less": lambda get, x, y: x < y,
    "GreaterOrEqual": lambda get, x, y: x >= y, "LessOrEqual": lambda get, x, y: x <= y,
    "And": lambda get, x, y: x & y, "Or": lambda get, x, y: x | y, "Not": lambda get, x: ~x,
    "Where": lambda get, which, x, y: numpy.where(which, x, y),
    "Cast": lambda get, x: x.astype(onnx.mapping.TENSOR_TYPE_TO_NP_TYPE[get("to")]),
    "Gather": lambda get, x, at: x.take(at, get("axis", 0)),
    "Concat": lambda get, *parts: numpy.concatenate(parts, get("axis")),
    "Slice": lambda get, x, starts, ends, axes=None, steps=None: x[part_of(
        x.ndim, starts, ends, axes, steps)],
    "ConstantOfShape": lambda get, sizes: numpy.broadcast_to(
        get("value", numpy.zeros(1, "float32")).reshape(()), [int(one) for one in sizes]),
    "Expand": lambda get, x, sizes: x + numpy.zeros([int(one) for one in sizes], x.dtype),
    "Tile": lambda get, x, times: numpy.tile(x, times),
    "Range": lambda get, start, end, step: numpy.arange(start, end, step),
    "Reshape": lambda get, x, sizes: x.reshape(
        [x.shape[at] if one == 0 and not get("allowzero", 0) else int(one) for at, one in enumerate(sizes)]),
    "Flatten": lambda get, x: x.reshape(math.prod(x.shape[:get("axis", 1)]), -1),
    "Transpose": lambda get, x: x.transpose(get("perm")),
    "Unsqueeze": lambda get, x, axes: numpy.expand_dims(x, tuple(axes)),
    "Squeeze": lambda get, x, axes=None: x.squeeze(None if axes is None else tuple(axes)),
    "ReduceProd": reduced(numpy.prod), "ReduceSum": reduced(numpy.sum), "ReduceMax": reduced(numpy.max),
    "ReduceMin": reduced(numpy.min), "CumSum": lambda get, x, axis: x.cumsum(int(axis)),
    "NonZero": lambda get, x: numpy.array(x.nonzero(), "int64"), "ScatterND": scattered,
    "Trilu": lambda get, x, k=0: (numpy.triu if get("upper", 1) else numpy.tril)(x, int(k))}


class Tensor:
    """kind: ONNX data type; shape: sizes, None where unknown; value: numpy array or None; roots: of a constant,
    the stored tensors it is made of and how: "stored", "quantised" (8 bits or so) or "scale" of such."""

    def __init__(self, kind, shape, value=None, roots=None):
        self.kind, self.shape, self.value, self.roots = kind, list(shape), value, roots or {}


class OnnxGraph:
    """shapes: by name of an input, or None for all others, sizes of a sample."""

    def __init__(self, path, shapes):
        self.path = path
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # an error follows that says the same
                model = onnx.load(path, load_external_data=False)
        except OSError as error:
            raise InputError("%s: %s" % (path, error.strerror or one_line(error)))
        except Exception as error:  # from protobuf, with a reason
            raise InputError("%s: not an ONNX model: %s" % (path, one_line(error)))
        graph = model.graph
        if not graph.node or not graph.output:
            raise InputError("%s: not an ONNX model: found no %s" % (path, "layer" if graph.output else "output"))
        self.opset = min([one.version for one in model.opset_import if one.domain in ("", "ai.onnx")] +
                         [onnx.defs.onnx_opset_version()])
        self.functions = {(one.domain, one.name): one for one in model.functions}
        self.tensors, self.stored, self.layer_of, self.from_sizes = {}, {}, {}, set()
        self.own, self.alike, self.aliases, self.squares = {}, set(), set(), {}
        self.add_stored(graph)
        self.nodes = self.expand(graph.node)
        self.used = self.live(graph)
        self.inputs = [one for one in graph.input if one.name not in self.tensors and one.name in self.used]
        if not self.inputs:
            raise InputError("%s: the network takes no input, expected a tensor" % path)
        self.batch = None
        given = {one.name for one in self.inputs}
        for name in shapes:
            if name is not None and name not in given:
                raise InputError("%s: --input-shape: found input %r, expected %s" % (path, name, " or ".join(given)))
        for one in self.inputs:
            self.tensors[one.name] = self.fixed(one, shapes.get(one.name, shapes.get(None)))
        if len(self.inputs) == 1:
            self.dims = self.sample_shape(self.tensors[self.inputs[0].name])
        else:
            self.dims = [sum(math.prod(self.sample_shape(self.tensors[name])) for name in given)]

    # ------------------------------------------------------------ the file

    def refuse(self, node, what):
        name = node.name or (node.output[0] if node.output else "")
        raise InputError(one_line("%s: layer %s (%s): %s" % (self.path, name, node.op_type, what)))

    def add_stored(self, graph):
        """Takes the stored tensors of a graph, whose values are read when they are needed."""
        for one in graph.initializer:
            self.stored[one.name] = one
            self.tensors[one.name] = Tensor(one.data_type, one.dims, roots={one.name: "stored"})
            self.check(one.name, one.dims)
        for one in graph.sparse_initializer:
            self.tensors[one.values.name] = Tensor(one.values.data_type, one.dims, roots={one.values.name: "stored"})
            self.check(one.values.name, one.dims)

    def expand(self, nodes, depth=0):
        """The nodes, with those of the file's own functions in place of their calls."""
        expanded = []
        for node in nodes:
            function = self.functions.get((node.domain, node.op_type))
            if function is None:
                expanded.append(node)
                continue
            if depth > 50:
                self.refuse(node, "functions call each other without end")
            inner = dict(zip(function.input, node.input))
            inner.update(zip(function.output, node.output))
            given = {one.name: one for one in node.attribute}
            copies = []
            for part in function.node:
                copy = onnx.NodeProto()
                copy.CopyFrom(part)
                for names in (copy.input, copy.output):
                    names[:] = [name and inner.setdefault(name, "%s/%s" % (node.name or node.output[0], name))
                                for name in names]
                copy.name = "%s/%s" % (node.name or node.output[0], part.name or part.op_type.lower())
                kept = [one for one in part.attribute if not one.ref_attr_name or one.ref_attr_name in given]
                del copy.attribute[:]
                for one in kept:
                    new = copy.attribute.add()
                    new.CopyFrom(given.get(one.ref_attr_name, one))
                    new.name = one.name
                copies.append(copy)
            expanded += self.expand(copies, depth + 1)
        return expanded

    def live(self, graph):
        """Names of the tensors that the network's outputs depend on; drops all other nodes."""
        used = {one.name for one in graph.output}
        kept = []

        def read(node):
            used.update(node.input)
            for one in node.attribute:
                for inner in ([one.g] if one.HasField("g") else []) + list(one.graphs):
                    used.update(end.name for end in inner.output)
                    for part in inner.node:
                        read(part)

        for node in reversed(self.nodes):
            if used.intersection(node.output):
                read(node)
                kept.append(node)
        self.nodes = kept[::-1]
        return used - {""}

    def fixed(self, given, dims):
        """An input with all sizes fixed; the batch is the file's, or 1 if that is open."""
        if not given.type.HasField("tensor_type"):
            raise InputError("%s: input %s is no tensor" % (self.path, given.name))
        sizes = [size.dim_value if size.HasField("dim_value") else 0
                 for size in given.type.tensor_type.shape.dim]
        if dims and len(dims) != len(sizes) - 1:
            raise InputError("%s: input %s has %d sizes behind the batch, found %d in --input-shape" % (
                self.path, given.name, max(0, len(sizes) - 1), len(dims)))
        axis = self.batch_axis(given.name)
        if len(sizes) > axis:
            size = sizes.pop(axis)
            size = size if size > 0 else self.batch or 1
            self.batch = self.batch or size
            sizes = dims or sizes
            sizes = [*sizes[:axis], size, *sizes[axis:]]
        for index, size in enumerate(sizes):
            if size == 0:
                raise InputError("%s: size %d of input %s is open; --input-shape gives it" % (
                    self.path, index, given.name))
        self.check(given.name, sizes)
        return Tensor(given.type.tensor_type.elem_type, sizes)

    def batch_axis(self, name):
        """1 for an input that recurrent layers read step by step, with samples behind the steps, else 0."""
        names = {name}
        for node in self.nodes:
            if node.op_type in RECURRENT and node.input and node.input[0] in names:
                return 0 if self.attribute(node, "layout", 0) else 1
            if node.op_type in ("Gather", "Cast", "Identity", "Dropout") and names.intersection(node.input):
                names.update(node.output[:1])
        return 0

    def check(self, name, shape):
        wrong = [size for size in shape if size is not None and size < 0]
        if wrong or math.prod(size for size in shape if size) > MOST_NUMBERS:
            raise InputError(one_line("%s: tensor %s: found the size %s, expected 0 or more" % (
                self.path, name, wrong[0]) if wrong else "%s: tensor %s has more than 2^50 numbers" % (
                self.path, name)))

    # ------------------------------------------------------------ values and shapes

    def value(self, name):
        """The numbers of a tensor, or None if they are unknown or many."""
        tensor = self.tensors.get(name)
        if tensor is None:
            return None
        if tensor.value is None and name in self.stored and math.prod(tensor.shape) <= MOST_VALUES:
            one = self.stored[name]
            try:
                if onnx.external_data_helper.uses_external_data(one):
                    onnx.external_data_helper.load_external_data_for_tensor(one, os.path.dirname(self.path))
                    one.data_location = onnx.TensorProto.DEFAULT
                tensor.value = numpy_helper.to_array(one)
            except Exception:  # a type without values, or no data
                del self.stored[name]
        return tensor.value

    def attribute(self, node, name, default=None):
        found = [one for one in node.attribute if one.name == name]
        return onnx.helper.get_attribute_value(found[0]) if found else default

    def shape(self, name):
        if name not in self.tensors or None in self.tensors[name].shape:
            raise InputError(one_line("%s: a size of tensor %s is not known: it depends on data" % (self.path, name)))
        return self.tensors[name].shape

    def count(self, name):
        return math.prod(self.shape(name))

    def bytes(self, name):
        return math.ceil(self.count(name) * SIZES.get(self.tensors[name].kind, 4))

    def sample_shape(self, tensor):
        """Sizes for one sample; their product is the count of its numbers, wherever the batch has gone."""
        return tool.sample_shape(list(tensor.shape), self.batch or 1)

    def compute(self, node):
        """The values that a node makes from known ones; None if one is unknown or no rule computes it."""
        def get(name, default=None):
            value = self.attribute(node, name, default)
            return numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else value

        if node.op_type == "Constant":
            for key, kind in (("value", None), ("value_float", "float32"), ("value_floats", "float32"),
                              ("value_int", "int64"), ("value_ints", "int64")):
                if get(key) is not None:
                    return [numpy.asarray(get(key), kind)]
            return None
        if node.op_type in ("Shape", "Size"):
            shape = self.shape(node.input[0])
            return [numpy.array(shape[get("start", 0):get("end")] if node.op_type == "Shape" else math.prod(shape),
                                "int64")]
        if node.op_type not in COMPUTED and node.op_type != "Split":
            return None
        given = [self.value(name) if name else None for name in node.input]
        if any(one is None for name, one in zip(node.input, given) if name):
            return None
        if node.op_type == "Split":
            shapes = self.split(node)
            at = numpy.cumsum([one[get("axis", 0)] for one in shapes])[:-1]
            return numpy.split(given[0], at, get("axis", 0))
        more = [get(key) for key in ("axes",) if get(key) is not None]
        if node.op_type == "Slice" and get("starts"):
            more = [get("starts"), get("ends"), *more]
        if node.op_type in ("Expand", "ConstantOfShape", "Tile", "Range") and self.grows(node, given):
            return None
        made = COMPUTED[node.op_type](get, *given, *more)
        return [numpy.asarray(made)]

    def grows(self, node, given):
        """Whether a node makes more numbers than are kept."""
        if node.op_type == "Range":
            return abs(given[1] - given[0]) > MOST_VALUES * abs(given[2])
        sizes = [max(1, int(one)) for one in given[-1].flatten()]
        most = MOST_NUMBERS if node.op_type == "ConstantOfShape" else MOST_VALUES
        return math.prod(sizes) * (given[0].size if node.op_type == "Tile" else 1) > most

    def known(self, node):
        """What a node makes of constants, as tensors."""
        try:
            with numpy.errstate(all="ignore"):
                values = self.compute(node)
        except InputError:
            raise
        except Exception:  # whatever numpy says of such arguments
            values = None
        if values is None and node.op_type == "Constant":
            self.refuse(node, "found no value, expected a tensor or numbers")
        if values is None:
            return self.infer(node)
        made = []
        for value in values:
            kind = onnx.mapping.NP_TYPE_TO_TENSOR_TYPE.get(value.dtype, 1)
            if node.op_type == "Constant" and self.attribute(node, "value") is not None:
                kind = self.attribute(node, "value").data_type
            self.check(node.output[0], value.shape)
            made.append(Tensor(kind, value.shape, value if value.size <= MOST_VALUES else None))
        return made

    def infer(self, node):
        """Types and shapes of what a node makes."""
        for one in node.attribute:
            value = onnx.helper.get_attribute_value(one) if one.name in ALWAYS_POSITIVE else 1
            values = value if isinstance(value, (list, tuple)) else [value]
            if any(isinstance(part, int) and part < 1 for part in values):
                self.refuse(node, "%s: found %d, expected at least 1" % (one.name, min(values)))
        if node.op_type in CONVOLUTIONS and len(node.input) > CONVOLUTIONS[node.op_type][1]:
            ranks = [len(self.tensors[node.input[at]].shape) for at in CONVOLUTIONS[node.op_type] if node.input[at]]
            if min(ranks) < 3 or len(set(ranks)) > 1:
                self.refuse(node, "found an input and weights of %s sizes, expected as many, 3 or more" %
                            " and ".join(map(str, ranks)))
        made = self.fitting(node, lambda: self.own_shapes(node) or self.onnx_shapes(node))
        for name, tensor in zip(node.output, made):
            if name:
                self.check(name, tensor.shape)
        return made

    def fitting(self, node, function):
        """What the function returns; an error if it stumbles over the node's inputs or attributes."""
        try:
            return function()
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            if isinstance(error, InputError):
                raise
            self.refuse(node, "its inputs or attributes do not fit")

    def onnx_shapes(self, node):
        """As the package onnx infers them."""
        copy = onnx.NodeProto()
        copy.CopyFrom(node)
        copy.domain = ""
        if node.op_type in ("AveragePool", "LpPool"):
            copy.op_type = "MaxPool"  # of which also old versions know dilations
        try:
            known = onnx.defs.get_schema(copy.op_type, self.opset, "").attributes
        except Exception:  # that onnx has for operators it does not know
            self.refuse(node, "no rule counts the FLOP of the operator %s" % node.op_type)
        for one in [one for one in copy.attribute if one.name not in known]:
            copy.attribute.remove(one)  # of a later version
        graph = onnx.GraphProto(name="one")
        graph.node.append(copy)
        for name in dict.fromkeys(filter(None, node.input)):
            tensor = self.tensors[name]
            graph.input.append(onnx.helper.make_tensor_value_info(name, tensor.kind, tensor.shape))
            value = self.value(name) if tensor.roots is not None and name not in self.layer_of and \
                math.prod(size or 0 for size in tensor.shape) <= 4096 else None
            if value is not None and onnx.mapping.NP_TYPE_TO_TENSOR_TYPE.get(value.dtype) == tensor.kind:
                graph.initializer.append(numpy_helper.from_array(numpy.ascontiguousarray(value).reshape(
                    value.shape), name))
        graph.output.extend(onnx.ValueInfoProto(name=name) for name in node.output if name)
        try:
            model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", self.opset)])
            context = onnx.checker.C.CheckerContext()
            context.ir_version, context.opset_imports = onnx.IR_VERSION, {"": self.opset}
            onnx.checker.check_node(copy, context)  # infer_shapes reads beyond the inputs of a wrong one
            found = onnx.shape_inference.infer_shapes(model, strict_mode=True, data_prop=True).graph.output
        except Exception as error:
            self.refuse(node, "the shapes of tensors cannot be inferred: %s" % one_line(error))
        types = {one.name: one.type.tensor_type for one in found}
        return [Tensor(types[name].elem_type, [size.dim_value if size.HasField("dim_value") else None
                                               for size in types[name].shape.dim]
                       if types[name].HasField("shape") else [None]) if name else None for name in node.output]

    def split(self, node):
        """Shapes of the parts."""
        shape = self.shape(node.input[0])
        axis, count = self.attribute(node, "axis", 0), len(node.output)
        sizes = self.attribute(node, "split")
        if len(node.input) > 1 and node.input[1]:
            sizes = self.value(node.input[1])
        if sizes is None:
            each = -(-shape[axis] // count)
            sizes = [min(each, shape[axis] - each * part) for part in range(count)]
        if len(sizes) != count or sum(map(int, sizes)) != shape[axis] or min(sizes) < 0:
            self.refuse(node, "found parts of %s of %d, expected %d parts" % (
                "+".join(map(str, sizes)), shape[axis], count))
        return [[int(size) if at == axis % len(shape) else one for at, one in enumerate(shape)] for size in sizes]

    def own_shapes(self, node):
        """Those that the package onnx does not infer: of later versions, and of ONNX Runtime's operators."""
        kind, get = node.op_type, lambda name, default=None: self.attribute(node, name, default)
        given = [self.tensors[name] if name else None for name in node.input]

        def numbers(index, name=None):
            """Numbers of an input that is known, or of an attribute."""
            if name and get(name) is not None:
                return list(get(name))
            value = self.value(node.input[index]) if len(node.input) > index and node.input[index] else None
            return None if value is None else value.flatten().tolist()

        def make(*shapes, of=None):
            made = [Tensor(given[0].kind if of is None else of, shape) for shape in shapes]
            return (made + [Tensor(7, [None])] * len(node.output))[:max(1, len(node.output))]

        if kind == "Split":
            return make(*self.split(node))
        if kind.startswith("Reduce"):
            shape = self.shape(node.input[0])
            axes = numbers(1, "axes")
            if axes is None and len(node.input) > 1 and node.input[1]:
                return make([None])
            if not axes:
                axes = [] if get("noop_with_empty_axes", 0) else range(len(shape))
            axes = {int(axis) % len(shape) for axis in axes}
            return make([1 if at in axes else size for at, size in enumerate(shape)
                         if at not in axes or get("keepdims", 1)])
        if kind == "Pad":
            shape, pads = list(given[0].shape), numbers(1, "pads" if get("pads") is not None else "paddings")
            if pads is None:
                return make([None] * len(shape))
            axes = numbers(3) or range(len(shape))
            for index, axis in enumerate(axes):
                shape[int(axis)] += pads[index] + pads[index + len(pads) // 2]
            return make(shape)
        if kind in ("Resize", "Upsample"):
            shape = list(given[0].shape)
            last = len(node.input) - 1
            sizes = numbers(3) if kind == "Resize" and last == 3 else None
            scales = numbers(2 if last > 1 else 1, "scales")
            axes = get("axes") or range(len(shape))
            if not sizes and not scales:
                return make([None] * len(shape))
            for index, axis in enumerate(axes):
                shape[axis] = int(sizes[index]) if sizes else math.floor(shape[axis] * scales[index])
            return make(shape)
        if kind == "Einsum":
            letters, ends = self.einsum(node)
            return make([letters[one] for one in ends])
        if kind in ("Add", "Sub", "Mul", "Div", "And", "Or", "Equal", "Greater", "Less", "Pow") and \
                get("broadcast", 0):
            return make(given[0].shape, of=None if kind[-1] in "dbvlw" and kind not in ("And", "Equal") else 9)
        if kind == "Reshape" and get("shape") is not None:
            shape = [given[0].shape[at] if one == 0 else one for at, one in enumerate(get("shape"))]
            if -1 in shape:
                shape[shape.index(-1)] = self.count(node.input[0]) // math.prod(one for one in shape if one > 0)
            return make(shape)
        if kind == "MatMulNBits":
            return make([*given[0].shape[:-1], get("N")])
        if kind in ("QGemm", "FusedGemm"):
            rows, columns = self.shape(node.input[0])[::-1 if get("transA", 0) else 1][0], self.shape(
                node.input[PRODUCTS[kind][1]])[0 if get("transB", 0) else 1]
            return make([rows, columns])
        if kind in ("FusedMatMul", "DynamicQuantizeMatMul", "MatMulIntegerToFloat"):
            first, second = (self.shape(node.input[at])[:] for at in (0, 1))
            for shape, key in ((first, "transA"), (second, "transB")):
                if get(key, 0):
                    shape[-2:] = shape[:-3:-1]
            return make([*numpy.broadcast_shapes(first[:-2], second[:-2]), first[-2], second[-1]], of=1)
        if kind == "FusedConv":
            copy = onnx.NodeProto()
            copy.CopyFrom(node)
            copy.op_type = "Conv"
            del copy.input[3:]
            return self.onnx_shapes(copy)
        if kind in ("QLinearAdd", "QLinearMul"):
            return make(list(numpy.broadcast_shapes(given[0].shape, given[3].shape)))
        if kind == "QLinearConcat":
            parts, axis = given[2::3], get("axis")
            shape = list(parts[0].shape)
            shape[axis] = sum(one.shape[axis] for one in parts)
            return make(shape, of=parts[0].kind)
        if kind == "QLinearGlobalAveragePool":
            shape = given[0].shape
            return make([shape[0], 1, 1, shape[3]] if get("channels_last", 0) else
                        [*shape[:2], *[1] * (len(shape) - 2)])
        if kind == "Attention" and node.domain == "com.microsoft":
            width = get("qkv_hidden_sizes", [self.shape(node.input[1])[1] // 3])[-1]
            return make([*given[0].shape[:-1], width])
        if kind in ATTENTION:
            query, value = self.shape(node.input[0]), self.shape(node.input[2])
            return make([*query[:-1], value[-1]] if len(query) != 3 or kind == "MultiHeadAttention" else
                        [*query[:-1], value[-1] // get("kv_num_heads", 1) * get("q_num_heads", 1)])
        if kind == "EmbedLayerNormalization":
            return make([*given[0].shape, self.shape(node.input[2])[1]], [given[0].shape[0]], of=given[2].kind)
        if kind == "QuantizeLinear" and (get("output_dtype", 0) or len(node.input) > 2 and node.input[2]):
            return make(given[0].shape, of=get("output_dtype", 0) or given[2].kind)
        if kind == "DequantizeLinear":
            return make(given[0].shape, of=given[1].kind)
        if kind in ("Mish", "Gelu", "Swish", "GroupNormalization", "RMSNormalization", "BitwiseNot",
                    "BiasGelu", "FastGelu", "QuickGelu", "SkipLayerNormalization", "QLinearSigmoid",
                    "QLinearLeakyRelu", "SimplifiedLayerNormalization", "SkipSimplifiedLayerNormalization",
                    "LpNormalization"):
            return make(*[given[0].shape] * len(node.output))
        if kind in ("BitwiseAnd", "BitwiseOr", "BitwiseXor"):
            return make(list(numpy.broadcast_shapes(given[0].shape, given[1].shape)))
        return None

    def einsum(self, node):
        return tool.einsum_sizes(self.attribute(node, "equation", b"").decode(), list(map(self.shape, node.input)))

    # ------------------------------------------------------------ rows

    def rows(self):
        """The rows of a model file."""
        self.names, self.table = {"input"}, []
        total = sum(self.bytes(one.name) for one in self.inputs)
        self.table.append(self.row("input", "input", [], self.dims, 0, self.per_sample(total), 0,
                                   [one.name for one in self.inputs]))
        for one in self.inputs:
            self.layer_of[one.name] = "input"
            if len(self.inputs) > 1:
                self.add_part(one.name, "flatten", one.name, ["input"])
        waiting = self.nodes[::-1]
        while waiting:
            node = waiting.pop()
            if node.domain not in ("", "ai.onnx", "com.microsoft"):
                self.refuse(node, "no rule counts the FLOP of operators of %s" % node.domain)
            missing = [name for name in node.input if name and name not in self.tensors]
            if missing or not node.output:
                self.refuse(node, "reads tensor %s, which nothing has made" % missing[0] if missing else
                            "makes no tensor")
            data = [name for name in node.input if name in self.layer_of]
            if node.op_type in ("If", "Loop", "Scan"):
                waiting += self.branch(node)[::-1]
            elif not data or node.op_type in ("Shape", "Size"):
                self.add_constant(node)
            else:
                self.add_layer(node, list(dict.fromkeys(self.layer_of[name] for name in data)))
        if len(self.table) == 1:
            raise InputError("%s: no layer depends on the input" % self.path)
        if self.alike:
            sys.stderr.write("%s: %s: %s: these weights are kept once with equal ones of an earlier layer and count as "
                             "tied; if the network does not tie them, export it trained or in training mode\n" % (
                                 tool.SCRIPT, self.path, ", ".join(sorted(self.alike)[:3]) +
                                 (" and %d more" % (len(self.alike) - 3) if len(self.alike) > 3 else "")))
        return self.table

    def branch(self, node):
        """The nodes of an If whose condition does not depend on data."""
        value = self.value(node.input[0]) if node.op_type == "If" and node.input and \
            node.input[0] not in self.layer_of else None
        graph = self.attribute(node, "then_branch" if value is not None and value.all() else "else_branch")
        if value is None or graph is None:
            self.refuse(node, "how often it runs depends on data, expected a network without it")
        self.add_stored(graph)
        return self.expand(graph.node) + [onnx.helper.make_node("Identity", [one.name], [name]) for one, name
                                          in zip(graph.output, node.output)]

    def add_constant(self, node):
        made = self.known(node)
        roots = {}
        for index, name in enumerate(filter(None, node.input)):
            for root, how in self.tensors[name].roots.items():
                if node.op_type in ("QuantizeLinear", "DequantizeLinear") and how == "stored":
                    how = "scale" if index else "quantised"
                roots.setdefault(root, how)
        if node.op_type in ("Shape", "Size") or self.from_sizes.intersection(node.input):
            self.from_sizes.update(node.output)
        elif node.op_type in ("Constant", "ConstantOfShape", "RandomNormal", "RandomUniform"):
            roots = {node.output[0]: "stored"}
        for name, tensor in zip(node.output, made):
            if not name:
                continue
            tensor.roots = {} if node.op_type in ("Shape", "Size") else roots
            self.tensors[name] = tensor
        if node.op_type == "Identity" and node.input[0] in self.stored:
            self.aliases.add(node.output[0])

    def row(self, name, kind, inputs, shape, flop, size, kept, made):
        """A row of the model file, for a layer that makes the tensors of these names."""
        integers = self.per_sample(sum(self.bytes(one) for one in made if self.tensors[one].kind in INTEGERS))
        return {"name": name, "operator": kind, "inputs": inputs, "outputShape": [int(one) for one in shape],
                "flop": flop, "parameterBytes": 0, "outputBytes": size, "activationBytes": kept,
                **({"integerBytes": integers} if integers else {})}

    def add_part(self, name, kind, layer, inputs):
        """A layer for one of several tensors, so that only those still needed cross a cut."""
        part = unlike(layer_name(layer), self.names)
        size = self.per_sample(self.bytes(name))
        self.table.append(self.row(part, kind, inputs, self.sample_shape(self.tensors[name]), 0, size, 0, [name]))
        self.layer_of[name] = part

    def add_layer(self, node, inputs):
        for name, tensor in zip(node.output, self.infer(node)):
            self.tensors[name] = tensor
        made = [name for name in node.output if name in self.used]
        if not all(map(self.count, made)):
            self.refuse(node, "makes a tensor without numbers")
        first = layer_name(node.name.strip("/").replace("/", ".") or node.op_type.lower())
        if node.op_type == "Split":
            for name in made:
                self.add_part(name, "other", first, inputs)
            return
        kind, flop = self.fitting(node, lambda: self.cost(node))
        if flop > MOST_NUMBERS:
            self.refuse(node, "has more than 2^50 FLOP")
        name = unlike(first, self.names)
        size = self.per_sample(sum(map(self.bytes, made)))
        shape = self.sample_shape(self.tensors[made[0]]) if len(made) == 1 else \
            [self.per_sample(sum(map(self.count, made)))]
        moves = node.op_type in PER_ELEMENT[0]
        row = self.row(name, kind, inputs, shape, self.per_sample(flop), max(size, 1 if flop else 0),
                       0 if moves else size, made)
        self.table.append(row)
        self.weigh(node, row)
        for one in made:
            self.layer_of[one] = name
            if len(made) > 1:
                self.add_part(one, "flatten", name, [name])

    def per_sample(self, figure):
        return math.ceil(figure / (self.batch or 1) - 0.5)

    # ------------------------------------------------------------ weights

    def weigh(self, node, row):
        """Sets the bytes of a layer's weights; those that an earlier layer has are tied."""
        tied, learnt, numbers = {}, self.weights_of(node), 0
        if node.op_type in {**CONVOLUTIONS, **dict.fromkeys(RECURRENT)}:
            at = CONVOLUTIONS.get(node.op_type, (0, 1))[1]
            name = node.input[at] if len(node.input) > at else ""
            if not any(one in self.tensors[name].roots for one in learnt) and (
                    name not in self.layer_of or name in {one.name for one in self.inputs}):
                self.refuse(node, "its weights, tensor %s, are %s, expected constants of the file" % (
                    name, "an input of the network" if name in self.layer_of else "nowhere stored"))
        for root, how in learnt.items():
            root = self.transposed(root)
            if root not in self.own or self.is_fresh(root):
                self.own[root] = row["name"]
                row["parameterBytes"] += self.bytes(root)
                numbers += self.count(root)
            elif how != "scale" and self.own[root] != row["name"]:
                tied[self.own[root]] = tied.get(self.own[root], 0) + self.bytes(root)
                if any(one in self.aliases and root in self.tensors[one].roots for one in node.input):
                    self.alike.add(row["name"])
        if row["parameterBytes"] * math.prod(row["outputShape"]) != row["outputBytes"] * numbers:
            row["parameters"] = numbers  # of another width than those in the output
        if tied:
            row["tied"] = [{"layer": layer, "bytes": size} for layer, size in tied.items()]

    def transposed(self, name):
        """The earlier weights whose transpose these are, else these: exports store the head that is tied to an
        embedding so, apart from it."""
        one = self.stored.get(name)
        if name in self.own or one is None or len(one.dims) != 2 or min(one.dims) < 16 or \
                one.data_type not in FLOATS or onnx.external_data_helper.uses_external_data(one):
            return name
        try:
            value = numpy_helper.to_array(one)
        except Exception:  # a wrong one; nobody needs its values
            return name
        bits = value.view("u%d" % value.itemsize)
        key = (*sorted(value.shape), int(bits.sum(dtype="u8")))
        for other in self.squares.setdefault(key, []):
            if numpy.array_equal(numpy_helper.to_array(self.stored[other]).T, value):
                return other
        self.squares[key].append(name)
        return name

    def is_fresh(self, name):
        """Whether a vector has equal numbers. Exports keep one for all biases and gains that are not trained yet;
        they are not tied."""
        tensor = self.tensors[name]
        value = self.value(name) if max(tensor.shape, default=1) == math.prod(tensor.shape) else None
        return value is not None and value.size > 0 and bool((value == value.flat[0]).all())

    def weights_of(self, node):
        """The stored tensors that a layer learns, and how each is used."""
        found = {}
        for index, name in enumerate(node.input):
            if not name or name in self.layer_of:
                continue
            tensor = self.tensors[name]
            adds = node.op_type in ELEMENTWISE and self.is_learnt(name)
            joins = node.op_type == "Concat" and any(
                root in self.stored and self.tensors[root].kind in FLOATS for root in tensor.roots)
            if not adds and not joins and index not in LEARNT.get(node.op_type, ()):
                continue
            for root, how in tensor.roots.items():
                kind = self.tensors[root].kind
                direct = node.op_type in ("QLinearConv", "QGemm", "QLinearMatMul") and root == name
                if kind in FLOATS or how != "stored" or direct or (
                        kind in BYTES and index in LEARNT.get(node.op_type, ())):
                    single = (direct or kind in BYTES) and self.count(root) == 1
                    found.setdefault(root, "scale" if single else how)
        return found

    def is_learnt(self, name):
        """Whether a constant that is added or multiplied may be learnt: it is no single number, mask, table of
        sines, or grid of halves, such as a detector's."""
        if self.count(name) < 2:
            return False
        value = self.value(name)
        if value is None or value.dtype.kind != "f" or value.size < 2:
            return True
        with numpy.errstate(all="ignore"):
            if value.min() <= -1e4 or not numpy.isfinite(value).all():
                return False
            flat = value.ravel()
            some = flat[flat != 0]
            if 0 < some.size < flat.size and flat.size > 8 and (some == some[0]).all():
                return False
            if (value != flat[0]).any() and (2 * value == numpy.round(2 * value)).all():
                return False
            return not is_wave(value)

    # ------------------------------------------------------------ FLOP

    def cost(self, node):
        """The operator's word in the model format, and forward FLOP of the batch."""
        kind, get = node.op_type, lambda name, default=None: self.attribute(node, name, default)
        made = next(name for name in node.output if name in self.used)
        elements = self.count(made)
        if kind in CONVOLUTIONS:
            weight, groups = self.shape(node.input[CONVOLUTIONS[kind][1]]), get("group", 1)
            channels = self.shape(node.input[0])[1]
            taken = weight[0] if kind == "ConvTranspose" else weight[1] * groups
            if taken != channels or len(weight) < 3:
                self.refuse(node, "found %d channels, expected %d as its weights have" % (channels, taken))
            over = self.count(node.input[0]) if kind == "ConvTranspose" else elements
            return tool.convolution_kind(groups, channels, self.shape(made)[1]), 2 * over * math.prod(weight[1:])
        if kind in PRODUCTS:
            across = get("transA", 0)
            return "linear", 2 * elements * self.shape(node.input[0])[-2 if across else -1]
        if kind == "MatMulNBits":
            return "linear", 2 * elements * get("K", 1)
        if kind == "Einsum":
            letters, _ = self.einsum(node)
            if len(node.input) > 2:
                self.refuse(node, "found %d factors, expected at most 2" % len(node.input))
            terms = math.prod(letters.values())
            if len(node.input) == 1:
                return "other", terms if terms > elements else 0
            return ("linear", 2 * terms) if terms > elements else ("mul", terms)
        if kind in RECURRENT:
            sizes = self.shape(node.input[0])
            return "recurrent", 2 * sizes[0] * sizes[1] * (self.count(node.input[1]) + self.count(node.input[2]))
        if kind in ATTENTION:
            return "attention", self.attention(node)
        if kind in POOLS:
            window = math.prod(get("kernel_shape") or [1])
            return "pool", max(self.count(node.input[0]), elements * window)
        if kind in GLOBAL_POOLS:
            return "pool", self.count(node.input[0])
        if kind in REDUCTIONS:
            return "other", self.count(node.input[0])
        if kind == "LRN":
            return "lrn", elements * (get("size", 1) + 3)
        if kind in VARIADIC:
            return VARIADIC[kind], elements * (len(node.input) - (kind != "Mean"))
        if kind in ("Resize", "Upsample"):
            return "other", elements * tool.interpolation_flop(
                get("mode", b"nearest").decode("utf-8", "replace"), self.shape(node.input[0]), self.shape(made))
        if kind == "GridSample":
            return "other", elements * 2 * 4
        if kind == "RoiAlign":
            return "other", elements * 2 * 4 * max(1, get("sampling_ratio", 0)) ** 2
        for flop, words in PER_ELEMENT.items():
            if kind in words:
                return words[kind], flop * elements
        self.refuse(node, "no rule counts the FLOP of the operator %s" % kind)

    def attention(self, node):
        """FLOP of scores, softmax and mixing of values; of com.microsoft.Attention also of the projections."""
        query, get = self.shape(node.input[0]), lambda name, default=None: self.attribute(node, name, default)
        if node.domain == "com.microsoft" and node.op_type == "Attention":
            batch, length, width = query
            columns = self.shape(node.input[1])[1]
            return batch * length * (2 * width * columns + 4 * length * columns // 3 +
                                     3 * length * get("num_heads", 1))
        key, value = self.shape(node.input[1]), self.shape(node.input[2])
        heads = query[1] if len(query) == 4 else get("num_heads", get("q_num_heads", 1))
        length = key[-2]
        rows = math.prod(query[:-1]) if len(query) == 4 else math.prod(query[:-1]) * heads
        width = query[-1] if len(query) == 4 else query[-1] // heads
        out = value[-1] if len(value) == 4 else value[-1] // get("kv_num_heads", heads)
        return rows * length * (2 * width + 2 * out + 3)


def is_wave(value):
    """Whether an array is a table of sines, cosines or both of positions."""
    sizes = [size for size in value.shape if size > 1]
    if len(sizes) < 2 or abs(value).max() > 1:
        return False
    table = value.reshape(-1, *sizes[-2:])
    first = table[:, 0]
    if (first == first.flat[0]).all() and first.flat[0] in (0, 1) and not (table == first.flat[0]).all():
        return True
    table = table.reshape(-1, sizes[-1]).astype("float64")
    if sizes[-1] % 2:
        return False
    half = sizes[-1] // 2
    return any(numpy.allclose(one ** 2 + other ** 2, 1, atol=1e-2) for one, other in (
        (table[:, ::2], table[:, 1::2]), (table[:, :half], table[:, half:])))


def layer_name(text):
    """A name that a model file may have."""
    return "".join(one if one.isprintable() else "_" for one in text)[:200] or "layer"
