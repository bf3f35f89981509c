#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Measure what each layer of a neural network costs on this machine.

Writes the network as a graph of layers (MODEL.json) and, per batch size, the seconds of each layer
(MODEL.bN.csv in training mode, MODEL.bN.evaluation.csv in evaluation mode), in the formats of contrib/edgepipe/doc/reference/formats.rst.

How layers are timed
  In context, forward: one pass, node after node, with a time stamp T(1,i) after layer i. Layer i
  costs T(1,i) - T(1,i-1), i-1 being the layer executed just before it. On a chain this is the
  formula of the QDMP paper (section 3.3), T(1,i) minus the largest T(1,j) over the predecessors
  j. On a graph with branches that formula would charge a branch for the time of its sibling. On a
  device that executes one layer after another, the difference to the previous layer is right, and
  costs then sum to the time of the pass.
  In context, backward: one loss.backward(); a hook stamps the moment each layer's output
  gradient is complete. The time until the next hook belongs to the layer whose hook fired.
  Repeats: the median over the repeats per layer, scaled by one common factor so that layers sum to
  the median time of the whole pass. Spread is the interquartile range over the repeats.
  Isolated: each layer alone, repeatedly, on inputs detached from the graph.
  On a GPU, time stamps and the walk over the graph delay the launches of small layers, so layers are
  scaled to the median of passes without time stamps.

With --record, passes follow each other for so long. passes/DEVICE/MODEL.bN.csv has the times of each,
for --replay of a simulation, and MODEL.bN.machine.csv what the machine tells before each.

Precision on a GPU: fp32 (without TF32, whatever PyTorch's default), tf32 (in convolutions and matrix
products) or fp16 (by autocast, with weights in fp32).

In training mode, dropout is active, batch norm uses statistics of the batch, and there is a backward pass;
evaluation mode, which is how inference runs, has neither, and no autograd. A simulation of inference reads profiles
of evaluation mode, of training those of training mode.

On a busy machine nothing is written (--busy-machine).

examples:
  profile_model.py resnet18 --device my-laptop --batch 1,32 --threads 4
  profile_model.py my_networks.py:tiny --device my-laptop --input-shape 1,28,28
  profile_model.py resnet18 vgg16 --device my-gpu@pytorch-tf32 --torch-device cuda --precision tf32
On Debian install python3-torch, python3-torchvision and libopenblas0-pthread: without the last
PyTorch uses the reference BLAS, which is tens of times slower.
"""

import argparse
import collections
import contextlib
import datetime
import difflib
import dis
import glob
import importlib.util
import inspect
import itertools
import json
import math
import operator
import os
import platform
import re
import shlex
import statistics
import string
import sys
import time
import warnings
from pathlib import Path
from unittest import mock

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path += [HERE, os.path.join(HERE, "../../analysis")]
from edgepipe.campaign.progress import Progress  # noqa: E402
from edgepipe.interpreter import need  # noqa: E402
from edgepipe.passes import text_of_passes  # noqa: E402
from edgepipe.pictures import InputError, Parser, number, start  # noqa: E402
from edgepipe.reports import write_all  # noqa: E402
from busy_machine import BusyMachine, interquartile  # noqa: E402

Layer = collections.namedtuple("Layer", "node name kind")
Profile = collections.namedtuple("Profile", "forward backward spread isolated repeats seconds")
SUFFIXES = {"training": "", "evaluation": ".evaluation"}  # of files' names, by mode
SCRIPT = os.path.basename(sys.argv[0])
MOVES = {"Identity", "getitem", "permute", "transpose", "contiguous", "chunk", "split", "expand",
         "to", "clone", "pad", "narrow", "Embedding", "embedding", "Unflatten", "unflatten", "unbind",
         "roll", "repeat", "select", "index_select", "gather", "flip", "movedim", "swapaxes", "t",
         "detach", "float", "masked_fill", "expand_as", "PixelShuffle", "ChannelShuffle",
         "new_zeros", "zeros_like", "ones_like"}  # copy, rename or look up; no FLOP
CONVOLUTIONS = {"conv%s%dd" % (way, axes) for way in ("", "_transpose") for axes in (1, 2, 3)}
FACTORIES = ("arange", "empty", "eye", "full", "linspace", "ones", "rand", "randn", "zeros")
SPLITS = {"chunk", "split", "unbind", "tensor_split", "hsplit", "vsplit", "unsafe_chunk", "unsafe_split"}
NORMS = {"LayerNorm", "GroupNorm", "InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d",
         "layer_norm", "group_norm", "instance_norm"}
ARITHMETIC = {"neg", "exp", "log", "sqrt", "rsqrt", "pow", "abs", "clamp", "hardtanh", "minimum",
              "maximum", "where", "sin", "cos", "erf", "square", "reciprocal", "floor", "round",
              "rsub", "lt", "gt", "le", "ge", "eq", "ne", "mean", "sum", "amax", "amin", "max", "min"}


# ---------------------------------------------------------------- command line


def whole_numbers(text):
    try:
        numbers = [int(part) for part in text.split(",")]
    except ValueError:
        numbers = [0]
    if min(numbers) < 1:
        raise argparse.ArgumentTypeError(
            "%r: expected whole numbers >= 1, separated by commas" % text)
    return numbers


def file_name(text):
    if not text or not all(c.isalnum() or c in "._-" for c in text) or text[0] == ".":
        raise argparse.ArgumentTypeError("%r: expected letters, digits, '.', '_' and '-'" % text)
    return text


def some_modes(text):
    modes = text.split(",")
    if not set(modes) <= {*SUFFIXES} or len({*modes}) < len(modes):
        raise argparse.ArgumentTypeError("%r: expected %s, or both separated by a comma" % (text, " or ".join(SUFFIXES)))
    return modes


def device_name(text):
    for part in text.split("@", 1):
        file_name(part)
    return text


def options():
    traces = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    parser = Parser(__doc__, prog=SCRIPT, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("models", nargs="+", metavar="MODEL",
        help="a torchvision classification model, such as resnet18, or FILE.py:FUNCTION, a function "
             "without arguments that returns a torch.nn.Module or a pair (module, input shape without "
             "the batch)")
    add("--device", required=True, type=device_name,
        help="name of the device and folder below profiles/; DEVICE@STACK for a stack that is not "
             "its default")
    add("--batch", type=whole_numbers, default="1", metavar="N,N,...",
        help="batch sizes, samples, separated by commas, a profile for each (%(default)s)")
    add("--name", type=file_name,
        help="name of the model in file names (default: the torchvision name or FUNCTION)")
    add("--input-shape", type=whole_numbers, metavar="C,H,W",
        help="input shape of one sample (default: that from FUNCTION, else 3,224,224; "
             "3,299,299 for inception_v3)")
    add("--input-below", type=number(1, 1e9, int), metavar="N",
        help="inputs are integers from 0 to N - 1, such as tokens, as many as --input-shape says "
             "(default: normally distributed numbers)")
    add("--threads", type=number(1, 1e9, int),
        help="CPU threads (default: PyTorch's choice, one per core)")
    add("--torch-device", choices=["cpu", "cuda"], default="cpu", help="processor to measure (%(default)s)")
    add("--precision", choices=PRECISIONS, default="fp32",
        help="precision of convolutions and matrix products on a GPU (%(default)s)")
    add("--repeats", type=number(1, 1e9, int), default=10,
        help="timed passes of the whole network per batch size (%(default)s)")
    add("--isolated-repeats", type=number(1, 1e9, int), default=3,
        help="timed runs of each layer alone, after an untimed one (%(default)s)")
    add("--warmup", type=number(1, 1e9, int), default=1, help="untimed passes before the timed ones (%(default)s)")
    add("--max-seconds", type=number(0, 1e9), default=600.0,
        help="time after which no more passes are repeated for a batch size, though at least "
             "3 are timed, seconds (%(default)s)")
    add("--record", type=number(0, 1e6), default=0.0, metavar="SECONDS",
        help="time to record passes for after the profile, seconds (default: 0, none)")
    add("--clock", choices=["wall", "cpu"], default="wall",
        help="clock on the CPU: wall time, or CPU time of this process, which other programs "
             "disturb less (only with --threads 1) (%(default)s)")
    add("--mode", type=some_modes, default=",".join(SUFFIXES), metavar="MODE,...",
        help="training or evaluation, a profile for each: training needs the first, inference the second "
             "(%(default)s)")
    BusyMachine.add_option(add)
    add("--out", default=traces, metavar="DIR",
        help="traces folder; files go to models/ and profiles/ in it (%(default)s)")
    add("--replace-model", action="store_true",
        help="overwrite an existing model file; otherwise one with the same layers is kept, "
             "and one with other layers is an error")
    add("--machine",
        help="description of the machine (default: as reported by the system)")
    add("--seed", type=int, default=1, help="seed of weights and inputs (%(default)s)")
    return parser.parse_args()


# ---------------------------------------------------------------- the network


def load_file_model(spec):
    """Returns (module, input shape or None, name, source) of FILE.py:FUNCTION."""
    path, function = spec.rsplit(":", 1)
    found = importlib.util.spec_from_file_location("edgepipe_user_model", path)
    if not os.path.isfile(path) or found is None:
        raise InputError("model %r: there is no file %s of Python" % (spec, path))
    module = importlib.util.module_from_spec(found)
    sys.dont_write_bytecode = True
    try:
        found.loader.exec_module(module)
    except Exception as error:
        raise InputError("model %r: %s does not load: %s" % (spec, path, one_line(error)))
    build = getattr(module, function, None)
    if not callable(build):
        raise InputError("model %r: %s has no function %r" % (spec, path, function))
    try:
        made = build()
    except Exception as error:
        raise InputError("model %r: %s() fails: %s" % (spec, function, one_line(error)))
    dims = None
    if isinstance(made, tuple) and len(made) == 2:
        made, dims = made
        try:
            dims = [int(d) for d in dims]
        except (TypeError, ValueError):
            dims = []
        if not dims or min(dims) < 1:
            raise InputError("model %r: input shape must be sizes >= 1, such as (3, 224, 224)" % spec)
    if not isinstance(made, torch.nn.Module):
        raise InputError("model %r: %s() returned %s, expected a torch.nn.Module or a pair of one "
                       "and its input shape" % (spec, function, type(made).__name__))
    source = "%s:%s" % (os.path.basename(path), function)
    if build.__doc__:
        source += ": " + " ".join(build.__doc__.split("\n\n")[0].split()).rstrip(".")
    return made, dims, function, source


def load_torchvision_model(name):
    """Returns (module, input shape or None, name, source) of a torchvision model."""
    import torchvision
    known = {key: value for key, value in vars(torchvision.models).items()
             if inspect.isfunction(value) and "progress" in inspect.signature(value).parameters}
    if name not in known:
        near = difflib.get_close_matches(name, known, 3)
        raise InputError("unknown model %r: torchvision %s has none of that name%s; a network of "
                       "your own is FILE.py:FUNCTION" % (
                           name, torchvision.__version__,
                           " (near: %s)" % ", ".join(near) if near else ""))
    source = "torchvision " + torchvision.__version__
    arguments = {}
    if name in ("googlenet", "inception_v3"):
        # The auxiliary classifiers are side outputs of training, left out here: the published
        # totals we compare with (23.83 M and 6.62 M parameters) are without them too.
        arguments = {"aux_logits": False, "init_weights": False}
        source += ", aux_logits=False"
    dims = [3, 299, 299] if name == "inception_v3" else None
    return known[name](**arguments), dims, name, source


def one_line(error):
    return " ".join(str(error).split())[:300] or type(error).__name__


@contextlib.contextmanager
def traced_calls():
    """Lets torch.zeros and its like, and slices of buffers, take sizes and devices of tensors that torch.fx traces."""
    def traced(make, target):
        def call(*args, **kwargs):
            found = []
            torch.fx.node.map_aggregate((args, kwargs), lambda one: found.append(one) if isinstance(
                one, torch.fx.Proxy) else None)
            return found[0].tracer.create_proxy("call_function", target, args, kwargs) if found else make(*args, **kwargs)
        return call

    with contextlib.ExitStack() as patches:
        for name in FACTORIES:
            make = getattr(torch, name)
            patches.enter_context(mock.patch.object(torch, name, traced(make, make)))
        patches.enter_context(mock.patch.object(torch.Tensor, "__getitem__", traced(
            torch.Tensor.__getitem__, operator.getitem)))
        yield


def without_in_place(graph_module):
    """Replaces operations that overwrite their input.

    A hook on a tensor that a later layer overwrites would report that later layer's gradient,
    and a saved tensor would be counted for the wrong layer. Time and memory change little:
    autograd keeps a ReLU's output, not its input.
    """
    for module in graph_module.modules():
        if getattr(module, "inplace", False) is True:
            module.inplace = False
    out_of_place = {operator.iadd: operator.add, operator.imul: operator.mul,
                    operator.isub: operator.sub, operator.itruediv: operator.truediv}
    for node in graph_module.graph.nodes:
        if node.op == "call_function":
            node.target = out_of_place.get(node.target, node.target)
            name = getattr(node.target, "__name__", "")
            if name.endswith("_") and not name.endswith("__"):
                home = torch.nn.functional if hasattr(torch.nn.functional, name[:-1]) else torch
                node.target = getattr(home, name[:-1], node.target)
            try:
                bound = inspect.signature(node.target).bind(*node.args, **node.kwargs)
            except (TypeError, ValueError):
                continue
            if bound.arguments.get("inplace", False) is True:
                bound.arguments["inplace"] = False
                node.args, node.kwargs = bound.args, bound.kwargs
        elif node.op == "call_method" and node.target.endswith("_") \
                and not node.target.endswith("__"):
            node.target = node.target[:-1]
    graph_module.recompile()


def drop_unused(graph):
    """Removes what nothing reads, except modules and what overwrites its input."""
    for node in reversed(list(graph.nodes)):
        name = getattr(node.target, "__name__", str(node.target))
        if not node.users and node.op in ("call_function", "call_method", "get_attr") and \
                not name.endswith("_") and name not in ("setitem", "iadd", "isub", "imul", "itruediv"):
            graph.erase_node(node)


def map_tensors(value, function):
    return torch.fx.node.map_aggregate(
        value, lambda part: function(part) if isinstance(part, torch.Tensor) else part)


def tensors_in(value):
    found = []
    map_tensors(value, found.append)
    return found


def parts_of(proxy):
    """Unpacks into as many parts as the calling line expects; PyTorch 1.13 misreads Python 3.11's bytecode."""
    frame = inspect.currentframe().f_back
    for step in dis.get_instructions(frame.f_code):
        if step.offset == frame.f_lasti and step.opname == "UNPACK_SEQUENCE":
            return iter([proxy[part] for part in range(step.argval)])
    return proxy.tracer.iter(proxy)


class Network:
    """A traced module, run one node at a time."""

    def __init__(self, module, dims, below=None):
        self.dims, self.below = dims, below
        import torch_parts
        if type(module).__module__.startswith("torch.nn") and not isinstance(module, torch.nn.Sequential):
            module = torch.nn.Sequential(module)  # so that its optional arguments are left out
        torch.fx.Proxy.__iter__ = parts_of
        try:
            with traced_calls():
                self.traced = torch.fx.symbolic_trace(torch_parts.in_parts(module))
            drop_unused(self.traced.graph)
        except Exception as error:
            raise InputError("torch.fx cannot trace the network: %s" % one_line(error))
        without_in_place(self.traced)
        self.nodes = list(self.traced.graph.nodes)
        self.modules = dict(self.traced.named_modules())
        given = [n for n in self.nodes if n.op == "placeholder" and not n.args]
        if len(given) != 1:
            raise InputError("the network takes %d inputs, expected one tensor, or an ONNX file, which may have several"
                             % len(given))
        self.input = given[0]
        if any(n.target is operator.getitem and n.args[0] is self.input and isinstance(n.args[1], str) for n in self.nodes):
            raise InputError("the network takes a dictionary, expected one tensor, or an ONNX file of it")
        self.interpreter = torch.fx.Interpreter(self.traced)
        self.layers = []

    def sample(self, batch, device):
        if self.below:
            return torch.randint(self.below, [batch] + self.dims, device=device)
        kind = next((one.dtype for one in self.traced.parameters() if one.is_floating_point()), None)
        return torch.randn([batch] + self.dims, device=device, dtype=kind)

    def evaluate(self, node, values, fetch):
        """Runs one node; fetch(node) gives the value of an earlier one."""
        if node.op == "placeholder":
            return values if node is self.input else node.args[0]
        args, kwargs = torch.fx.node.map_arg((node.args, node.kwargs), fetch)
        return getattr(self.interpreter, node.op)(node.target, args, kwargs)

    def dead_after(self, node):
        return self.interpreter.user_to_last_uses.get(node, ())

    def run(self, values, visit=None):
        """One pass; visit(node, result) after each node. Returns the network's output."""
        env = {}
        for node in self.nodes:
            result = self.evaluate(node, values, env.__getitem__)
            env[node] = result
            if visit:
                visit(node, result)
            for used in self.dead_after(node):
                del env[used]
            if node.op == "output":
                return result

    def parameters_of(self, node, layers=()):
        """Parameters that this node uses: its module's, or those fetched by attribute, possibly through nodes
        that are no layers, such as a slice of them."""
        if node.op == "call_module":
            return list(self.modules[node.target].parameters())
        if node.op == "get_attr":
            value = self.interpreter.fetch_attr(node.target)
            return [value] if isinstance(value, torch.nn.Parameter) else []
        return [p for used in node.all_input_nodes
                if used.op == "get_attr" or used not in layers and used.op != "placeholder"
                for p in self.parameters_of(used, layers)]


# ---------------------------------------------------------------- what a layer is and computes


def kind_of(network, node, inputs, outputs):
    """The operator word of the model format; inputs and outputs: tensors."""
    nn = torch.nn
    if node.op == "placeholder":
        return "input"
    if node.op == "call_module":
        module = network.modules[node.target]
        if isinstance(module, nn.modules.conv._ConvNd):
            return convolution_kind(module.groups, module.in_channels, module.out_channels)
        for kind, classes in (
                ("linear", (nn.Linear, nn.Bilinear)),
                ("batch_norm", (nn.modules.batchnorm._BatchNorm,)),
                ("relu", (nn.ReLU, nn.ReLU6)),
                ("flatten", (nn.Flatten,)),
                ("softmax", (nn.Softmax, nn.LogSoftmax)),
                ("lrn", (nn.LocalResponseNorm,)),
                ("dropout", (nn.modules.dropout._DropoutNd,)),
                ("recurrent", (nn.RNNBase, nn.modules.rnn.RNNCellBase)),
                ("pool", tuple(vars(nn.modules.pooling)[n] for n in nn.modules.pooling.__all__))):
            if isinstance(module, classes):
                return kind
        return "activation" if type(module).__name__ in nn.modules.activation.__all__ and \
            not isinstance(module, nn.MultiheadAttention) else "other"
    name = node.target if isinstance(node.target, str) else node.target.__name__
    if name in CONVOLUTIONS:
        (channels_in, channels_out), weight = (one.shape[1] for one in (inputs[0], outputs[0])), inputs[1].shape
        groups = channels_out if "transpose" in name else channels_in
        return convolution_kind(groups // weight[1], channels_in, channels_out)
    if "pool" in name:
        return "pool"
    for kind, names in (
            ("add", ("add", "sub", "add_mask")), ("mul", ("mul", "truediv", "div")),
            ("cat", ("cat", "concat", "stack")), ("relu", ("relu", "relu6")),
            ("flatten", ("flatten", "view", "reshape", "squeeze", "unsqueeze")),
            ("linear", ("linear", "matmul", "bmm", "addmm", "baddbmm", "mm", "mv", "einsum")),
            ("attention", ("scaled_dot_product_attention", "_scaled_dot_product_attention")), ("batch_norm", ("batch_norm",)),
            ("dropout", ("dropout", "dropout2d", "feature_dropout", "stochastic_depth")),
            ("softmax", ("softmax", "log_softmax")), ("lrn", ("local_response_norm",)),
            ("activation", ("sigmoid", "tanh", "gelu", "silu", "hardswish", "hardsigmoid", "elu",
                            "leaky_relu", "softplus", "mish"))):
        if name in names:
            return kind
    return "other"


def convolution_kind(groups, channels_in, channels_out):
    if groups == 1:
        return "conv2d"
    return "depthwise_conv2d" if groups == channels_in <= channels_out else "grouped_conv2d"


def flop_of(network, node, kind, arguments, result):
    """Forward FLOP of one batch. A multiply-accumulate is 2; biases are not counted.

    Per output element: 2 for batch norm, 5 for layer and group norm, 3 for softmax, the window size for
    pooling, 3 more than that for local response norm, 1 for other arithmetic, 0 for moving data. Any other
    operator is refused, since a small number would look plausible.
    """
    outputs = tensors_in(result)
    inputs = [t for a in arguments for t in tensors_in(a)]
    elements = sum(t.numel() for t in outputs)
    module = network.modules[node.target] if node.op == "call_module" else None
    if kind.endswith("conv2d"):
        if module is None:
            return 2 * (inputs[0].numel() if "transpose" in node.target.__name__ else elements) * inputs[1][0].numel()
        if module.transposed:
            return 2 * inputs[0].numel() * module.weight[0].numel()
        return 2 * elements * module.weight[0].numel()
    if kind == "linear":
        if isinstance(module, torch.nn.Bilinear):
            return 2 * elements * module.weight[0].numel()
        if node.target is torch.einsum:
            letters, _ = einsum_sizes(node.args[0], [one.shape for one in inputs])
            if len(inputs) > 2:
                raise InputError("layer %s: einsum has %d factors, expected at most 2" % (node.name, len(inputs)))
            terms = math.prod(letters.values())
            return 2 * terms if terms > elements else terms
        adds = node.op != "call_module" and getattr(node.target, "__name__", node.target) in ("addmm", "baddbmm")
        return 2 * elements * inputs[adds].shape[-1]
    if kind == "recurrent":
        weights = sum(one.numel() for one in module.parameters() if one.dim() > 1)
        return 2 * weights * inputs[0].numel() // inputs[0].shape[-1]
    if kind == "attention":
        query, keys = inputs[0], inputs[1].shape[-2]
        return query.numel() // query.shape[-1] * keys * (2 * query.shape[-1] + 2 * inputs[2].shape[-1] + 3)
    if kind == "pool":
        # Adaptive and padded windows count as the ratio of input to output.
        return max(inputs[0].numel(), elements * window_of(module, node))
    if kind == "lrn":
        size = module.size if module else 5
        return elements * (size + 3)
    per_element = {"input": 0, "cat": 0, "flatten": 0, "batch_norm": 2, "softmax": 3}
    if kind == "other":
        name = type(module).__name__ if module else getattr(node.target, "__name__", node.target)
        if name in MOVES or "Pad" in name:
            return 0
        if name in NORMS:
            return 5 * elements
        if name in ("interpolate", "Upsample", "UpsamplingNearest2d", "UpsamplingBilinear2d"):
            mode = module.mode if module else node.kwargs.get("mode", "nearest")
            return elements * interpolation_flop(mode, inputs[0].shape, outputs[0].shape)
        if name not in ARITHMETIC:
            raise InputError("layer %s: no rule counts the FLOP of the operator %s; write it of others, "
                           "such as those of its parts" % (node.name, name))
        return max(elements, inputs[0].numel() if inputs else 0)
    return elements * per_element.get(kind, 1)


def einsum_sizes(equation, shapes):
    """Sizes by letter of an Einstein sum, and the letters of its result."""
    equation = equation.replace(" ", "")
    terms, _, end = equation.partition("->")
    spare = [one for one in string.ascii_letters if one not in equation]
    letters, every, more = {}, "", ""
    for term, shape in zip(terms.split(","), shapes, strict=True):
        if "..." in term:
            dots = "".join(spare[:len(shape) - len(term) + 3][::-1])
            more, term = max(more, dots, key=len), term.replace("...", dots)
        every += term
        for letter, size in zip(term, shape, strict=True):
            if size != 1 or letter not in letters:
                letters[letter] = size
    if "->" not in equation:
        end = more + "".join(sorted(one for one in set(every) - set(more) if every.count(one) == 1))
    return letters, end.replace("...", more)


def interpolation_flop(mode, sizes, made):
    """FLOP per number of a tensor resized from sizes to made: a multiply-accumulate per number that it is made of."""
    points = 2 if "linear" in mode else 4 if "cubic" in mode else 0
    return 2 * points ** sum(one != other for one, other in zip(sizes, made)) if points else 0


def window_of(module, node):
    size = getattr(module, "kernel_size", None)
    if size is None and node.op == "call_function":
        size = node.kwargs.get("kernel_size", node.args[1] if len(node.args) > 1 and
                               "adaptive" not in str(node.target) else None)
    if size is None:
        return 0
    return size * size if isinstance(size, int) else size[0] * size[-1]


class Describer:
    """Names the layers and counts their figures during one pass."""

    def __init__(self, network, batch):
        self.network, self.batch = network, batch
        self.layer_of, self.names, self.counted = {}, {"input"}, {}
        self.rows, self.saved = [], []
        self.kept, self.kept_after, self.told = 0, {}, 0  # bytes: so far, after each node, in rows
        self.parts = {}  # of nodes that make several tensors: inputs, name and operator of their parts
        self.held = {}  # storage address -> bytes, of tensors that autograd has saved so far
        self.outside = {storage_of(t)[0] for t in
                        list(network.traced.parameters()) + list(network.traced.buffers())}

    def save(self, tensor):
        """Hook for a tensor that autograd keeps: counts its storage for the current layer."""
        address, size = storage_of(tensor)
        if address not in self.outside and address not in self.held:
            self.held[address] = size
            self.kept += size
        self.saved.append(tensor.detach())  # kept alive, so that no address is reused
        return len(self.saved) - 1

    def describe(self, values):
        env, network = {}, self.network
        hooks = torch.autograd.graph.saved_tensors_hooks(self.save, self.saved.__getitem__)
        with hooks:
            for node in network.nodes:
                env[node] = network.evaluate(node, values, env.__getitem__)
                self.kept_after[node] = self.kept
        for node in network.nodes[:-1]:
            self.add(node, env)
        return self.rows

    def add(self, node, env):
        """Adds a layer for a node that makes a tensor; other nodes belong to their consumers."""
        result = env[node]
        is_bundle = inspect.isclass(node.target) and issubclass(node.target, tuple)
        if not tensors_in(result) or node.op == "get_attr" or is_bundle:
            return
        network, tensor = self.network, isinstance(result, torch.Tensor)
        arguments = [env[a] if isinstance(a, torch.fx.Node) else
                     [env[b] for b in a if isinstance(b, torch.fx.Node)]
                     if isinstance(a, (list, tuple)) else None
                     for a in (*node.args, *node.kwargs.values())]
        whole = node.args[0] if node.target is operator.getitem and not isinstance(
            env[node.args[0]], torch.Tensor) else None
        if whole in self.parts:
            inputs, name, kind = self.parts[whole]
        elif whole in self.layer_of:
            self.layer_of[node] = self.layer_of[whole]
            return
        else:
            inputs = list(dict.fromkeys(self.layer_of[one] for one in node.all_input_nodes if one in self.layer_of))
            # A node of constants only (positions, masks) is a part of its consumer.
            if not inputs and node.op != "placeholder":
                return
            name, kind = node.target if node.op == "call_module" else node.name, kind_of(
                network, node, [t for a in arguments for t in tensors_in(a)], tensors_in(result))
        taken = set() if tensor else {one.args[1] for one in node.users if one.target is operator.getitem}
        whole_used = any(one.target is not operator.getitem for one in node.users)
        if not tensor and (whole or not whole_used and getattr(node.target, "__name__", node.target) in SPLITS):
            self.parts[node] = inputs, name, kind
            if whole_used:
                self.layer_of[node] = inputs[0]
            return
        name = "input" if kind == "input" else unlike(name, self.names)
        self.layer_of[node] = name
        own, tied = {}, {}
        for one in network.parameters_of(node, self.layer_of):
            size, layer = one.numel() * one.element_size(), self.counted.setdefault(id(one), name)
            if layer == name:
                own[id(one)] = size
            else:
                tied.setdefault(layer, {})[id(one)] = size
        outputs = used_tensors(node, env)
        shape = sample_shape(list(outputs[0].shape), self.batch) if len(outputs) == 1 else [
            sum(t.numel() for t in outputs) // self.batch]
        row = {"name": name, "operator": kind, "inputs": inputs, "outputShape": shape,
               "flop": round(flop_of(network, node, kind, arguments, result) / self.batch),
               "parameterBytes": sum(own.values()),
               "outputBytes": bytes_of(outputs, self.batch),
               "activationBytes": round((self.kept_after[node] - self.told) / self.batch)}
        integers = bytes_of([t for t in outputs if is_integer(t)], self.batch)
        if integers:
            row["integerBytes"] = integers
        if tied:
            row["tied"] = [{"layer": layer, "bytes": sum(sizes.values())} for layer, sizes in tied.items()]
        self.rows.append((Layer(node, name, kind), row))
        self.told = self.kept_after[node]
        if len(taken) > 1:
            self.parts[node] = [name], name, "flatten"


def bytes_of(tensors, batch):
    """Bytes of tensors for one sample."""
    return round(sum(t.numel() * t.element_size() for t in tensors) / batch)


def is_integer(tensor):
    """Whether its numbers are integers wider than a byte, such as tokens."""
    return not tensor.is_floating_point() and not tensor.is_complex() and tensor.element_size() > 1


def used_tensors(node, env):
    """The tensors of a node's result that other nodes read."""
    result = env[node]
    if isinstance(result, torch.Tensor) or any(used.target is not operator.getitem for used in node.users):
        return tensors_in(result)
    found = {id(t): t for used in node.users for t in used_tensors(used, env)}
    return list(found.values())


def sample_shape(shape, batch):
    """Sizes for one sample of a tensor; their product is the count of its numbers, wherever the batch has gone."""
    if batch in shape:
        at = shape.index(batch)
        return shape[:at] + shape[at + 1:]
    for at, size in enumerate(shape):
        if size and size % batch == 0:
            return shape[:at] + [size // batch] + shape[at + 1:]
    return [max(1, round(math.prod(shape) / batch))]


def unlike(name, names):
    """The name, with a number appended if it is taken; it is added to names."""
    numbered = itertools.chain([name], ("%s:%d" % (name, i) for i in itertools.count(2)))
    found = next(one for one in numbered if one not in names)
    names.add(found)
    return found


def storage_of(tensor):
    """(identity, bytes) of the memory behind a tensor; also for tensors without values."""
    if hasattr(tensor, "untyped_storage"):
        storage = tensor.untyped_storage()
        return storage._cdata, storage.nbytes()
    storage = tensor.storage()
    return storage._cdata, storage.size() * tensor.element_size()


# ---------------------------------------------------------------- timing


def set_precision(precision):
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = precision == "tf32"


def autocast(precision):
    return torch.autocast("cuda", torch.float16, enabled=precision == "fp16")


def mark_on_stream():
    """Time stamp by a CUDA event, which does not delay the device."""
    event = torch.cuda.Event(enable_timing=True)
    event.record()
    return event


PRECISIONS = ["fp32", "tf32", "fp16"]
MARKS = {"wall": time.perf_counter, "cpu": time.process_time, "cuda": mark_on_stream}


def seconds_of(marks):
    """Seconds from the first mark to each."""
    if isinstance(marks[0], float):
        return [mark - marks[0] for mark in marks]
    torch.cuda.synchronize()
    return [marks[0].elapsed_time(mark) / 1e3 for mark in marks]


def loss_of(output):
    return sum(t.float().sum() for t in tensors_in(output) if t.requires_grad)


def whole_pass(module, values, mark, precision, backward):
    """Forward and backward seconds of one pass, without time stamps inside."""
    marks = [mark()]
    with autocast(precision):
        output = module(values)
    marks.append(mark())
    if backward:
        loss = loss_of(output)
        marks.append(mark())
        loss.backward()
        marks.append(mark())
        module.zero_grad(set_to_none=True)
    times = seconds_of(marks)
    return times[1], times[3] - times[2] if backward else 0.0


def timed_pass(network, values, mark, precision, backward):
    """Runs one pass in context; returns forward and backward seconds per layer, in layer order."""
    index = {layer.node: i for i, layer in enumerate(network.layers)}
    marks, order = [mark()], []
    fired, hooked = [], []

    def visit(node, result):
        if node not in index:
            return
        marks.append(mark())
        order.append(index[node])
        if backward:
            for tensor in tensors_in(result):
                # A layer that returns its input (Identity) has no backward work of its own.
                if tensor.requires_grad and not any(tensor is other for other in hooked):
                    hooked.append(tensor)
                    tensor.register_hook(lambda grad, i=index[node]: fired.append((i, mark())))
        if len(hooked) > 4:
            del hooked[0]  # only neighbours share a tensor

    with autocast(precision):
        output = network.run(values, visit)
    forward = [0.0] * len(index)
    times = seconds_of(marks)
    for position, i in enumerate(order):
        forward[i] += times[position + 1] - times[position]
    reverse = [0.0] * len(index)
    if backward:
        loss = loss_of(output)
        del output
        begin = mark()
        loss.backward()
        times = seconds_of([begin] + [at for _, at in fired] + [mark()])
        times[1] = 0.0  # time before the first hook, that of the loss, is charged to its layer
        for position, (i, _) in enumerate(fired):
            reverse[i] += times[position + 2] - times[position + 1]
        network.traced.zero_grad(set_to_none=True)
    return forward, reverse


def isolated_times(network, values, mark, precision, backward, repeats, show):
    """Median forward and backward seconds of each layer alone, in layer order; show: called with the share done."""
    index = {layer.node: i for i, layer in enumerate(network.layers)}
    forward, reverse = [0.0] * len(index), [0.0] * len(index)
    env, wants_gradient = {}, {}
    for position, node in enumerate(network.nodes):
        def fetch(used):
            wanted = backward and wants_gradient.get(used, False)
            return map_tensors(env[used], lambda t: t.detach().requires_grad_(
                wanted and t.is_floating_point()) if isinstance(t, torch.Tensor) and
                used.op != "get_attr" else t)

        if node.op == "output":
            break
        timed = node in index and node.op != "placeholder"
        samples = []
        for repeat in range(repeats + 1 if timed else 1):
            arguments = {used: fetch(used) for used in node.all_input_nodes}
            marks = [mark()]
            with autocast(precision):
                result = network.evaluate(node, values, arguments.__getitem__)
            marks.append(mark())
            outputs = [t for t in tensors_in(result) if t.requires_grad and t.grad_fn]
            if timed and outputs:
                ones = [torch.ones_like(t) for t in outputs]
                marks.append(mark())
                torch.autograd.backward(outputs, ones)
                marks.append(mark())
                network.traced.zero_grad(set_to_none=True)
            samples.append(seconds_of(marks))
        if timed:
            measured = samples[1:]
            forward[index[node]] = statistics.median(s[1] for s in measured)
            if len(measured[0]) > 2:
                reverse[index[node]] = statistics.median(s[3] - s[2] for s in measured)
        wants_gradient[node] = any(t.requires_grad for t in tensors_in(result))
        env[node] = result if node.op == "get_attr" else map_tensors(result, lambda t: t.detach())
        for used in network.dead_after(node):
            del env[used]
        show((position + 1) / len(network.nodes))
    return forward, reverse


def combine(passes, wholes):
    """Layer medians scaled to the median pass, and their spreads; passes[repeat][layer], wholes[repeat]."""
    columns = list(zip(*passes))
    medians = [statistics.median(column) for column in columns]
    total = sum(medians)
    scale = statistics.median(wholes) / total if total > 0 else 1.0
    return [m * scale for m in medians], [interquartile(column) for column in columns]


def measure(network, batch, mode, opts, device, mark):
    backward = mode == "training"
    network.traced.train(backward)
    progress, title = Progress(), "%s, batch %d, %s mode" % (opts.name, batch, mode)
    total, alone = opts.warmup + opts.repeats, opts.isolated_repeats + 1  # passes
    with torch.set_grad_enabled(backward):
        values = network.sample(batch, device)
        if backward:
            freeze_single_value_norms(network, values)
        passes, wholes = [], []
        begun = time.perf_counter()
        for step in range(total):
            spent = time.perf_counter() - begun
            if len(passes) >= min(3, opts.repeats) and spent > opts.max_seconds:
                break
            progress.update(step, total + alone, title)
            one = timed_pass(network, values, mark, opts.precision, backward)
            whole = whole_pass(network.traced, values, mark, opts.precision, backward) \
                if device.type == "cuda" else tuple(map(sum, one))
            if step >= opts.warmup:
                passes.append(one)
                wholes.append(whole)
        isolated = isolated_times(
            network, values, mark, opts.precision, backward, opts.isolated_repeats,
            lambda share: progress.update(total + share * alone, total + alone, title + ", layers alone"))
    progress.close()
    (forward, forward_spread), (reverse, reverse_spread) = (
        combine(*sides) for sides in zip(zip(*passes), zip(*wholes)))
    return Profile(forward, reverse, (forward_spread, reverse_spread), isolated, len(passes),
                   list(map(sum, wholes)))


def read_state():
    """What Linux tells of the machine: the fastest core's MHz, the hottest sensor's degrees Celsius, load of the
    last minute; empty where it does not tell."""
    cores = [float(text) / 1e3 for text in map(read_system, glob.glob(
        "/sys/devices/system/cpu/cpu*/cpufreq/scaling_cur_freq")) if text.strip()]
    cores = cores or list(map(float, re.findall(r"^cpu MHz.*?:(.*)", read_system("/proc/cpuinfo"), re.MULTILINE)))
    heat = [float(text) / 1e3 for text in map(read_system, glob.glob("/sys/class/thermal/thermal_zone*/temp"))
            if text.strip().lstrip("-").isdigit()]
    load = read_system("/proc/loadavg").split()[:1]
    return ["%.0f" % max(cores) if cores else "", "%.1f" % max(heat) if heat else "", *(load or [""])]


def record(network, batch, mode, opts, device, mark):
    """Passes for some time: (forward, backward) seconds of each layer; and rows of the machine's state."""
    backward = mode == "training"
    progress, passes, states = Progress(), [], []
    with torch.set_grad_enabled(backward):
        values = network.sample(batch, device)
        begun = time.perf_counter()
        while (now := time.perf_counter() - begun) < opts.record:
            progress.update(now, opts.record, "%s, batch %d, %s mode, recording" % (opts.name, batch, mode))
            states.append(",".join(["%d,%.3f" % (len(passes), now), *read_state()]))
            passes.append(list(zip(*timed_pass(network, values, mark, opts.precision, backward))))
    progress.close()
    return passes, states


def freeze_single_value_norms(network, values):
    """Puts batch norms of a single value per channel, which has no statistics, into evaluation mode."""
    for node, name, kind in network.layers:
        if (kind == "batch_norm" and node.op == "call_module"
                and math.prod(network.output_shapes[name][1:]) * values.shape[0] == 1):
            network.modules[node.target].eval()
            sys.stderr.write("%s: %s sees one value per channel at batch 1 and is timed in "
                             "evaluation mode\n" % (SCRIPT, name))


# ---------------------------------------------------------------- files


def write_file(path, text):
    folder = Path(path).parent
    folder.mkdir(parents=True, exist_ok=True)
    write_all(folder, {Path(path).name: text})


def model_text(opts, source, command, dims, rows):
    head = {"format": "edgepipe-model 1", "name": opts.name, "source": source,
            "command": command, "inputShape": dims}
    lines = ["  %s: %s" % (json.dumps(k), json.dumps(v)) for k, v in head.items()]
    layers = ",\n".join("    " + json.dumps(row) for row in rows)
    return "{\n%s,\n  \"layers\": [\n%s\n  ]\n}\n" % (",\n".join(lines), layers)


# Figures of a layer by which networks whose layers have the same names differ.
COMPARED = ("inputs", "flop", "parameterBytes", "outputBytes", "tied")


def model_to_write(path, rows, replace):
    """Whether to write the model file; an error if there is one with other layers."""
    if replace or not os.path.exists(path):
        return True
    try:
        with open(path, encoding="utf-8") as file:
            old = [(row["name"], row["operator"], row) for row in json.load(file)["layers"]]
    except (ValueError, KeyError, TypeError):
        raise InputError("%s is no model file; --replace-model overwrites it" % path)
    new = [(row["name"], row["operator"], row) for row in rows]
    for i, (there, here) in enumerate(itertools.zip_longest(old, new, fillvalue=("none", "none", {}))):
        differs = "layer %d is %s there and %s here" % (i, there[0], here[0]) if there[:2] != here[:2] else "".join([
            "%s of %s is %s there and %s here" % (key, here[0], there[2].get(key), here[2].get(key))
            for key in COMPARED if there[2].get(key) != here[2].get(key)][:1])
        if differs:
            raise InputError("%s has other layers (%s); give this network another --name or use "
                             "--replace-model" % (path, differs))
    return False


def profile_text(opts, batch, mode, profile, network, command, machine, versions):
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    head = [("format", "edgepipe-profile 2"), ("model", opts.name), ("device", opts.device),
            ("batch", batch), ("mode", mode), ("origin", "measured"), ("machine", machine),
            ("versions", versions), ("threads", torch.get_num_threads()),
            ("date", today), ("command", command), ("repeats", profile.repeats),
            ("passSpreadSeconds", "%.4g" % interquartile(profile.seconds))]
    if opts.torch_device == "cuda":
        head.insert(8, ("precision", opts.precision))
    if opts.busy.found:
        head.append(("busy", "; ".join(opts.busy.found)))
    lines = ["# %s: %s" % pair for pair in head]
    lines.append("layer,operator,forwardSeconds,backwardSeconds,forwardSpreadSeconds,"
                 "backwardSpreadSeconds,isolatedForwardSeconds,isolatedBackwardSeconds")
    columns = zip(profile.forward, profile.backward, profile.spread[0], profile.spread[1],
                  profile.isolated[0], profile.isolated[1])
    for layer, figures in zip(network.layers, columns):
        if layer.kind == "input":
            figures = [0] * 6
        lines.append(",".join([layer.name, layer.kind] + ["%.4g" % f for f in figures]))
    return "\n".join(lines) + "\n"


def read_system(path):
    """The text of a system file; empty if there is none."""
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def blas_library():
    """File name of the BLAS loaded in this process, or an empty text if Linux does not tell."""
    files = {line.split()[-1] for line in read_system("/proc/self/maps").splitlines() if "/" in line}
    for word, path in itertools.product(("mkl_rt", "mkl_core", "openblas", "libblas"), sorted(files)):
        if word in path:
            real = os.path.realpath(path)
            return "OpenBLAS" if "openblas" in real else os.path.basename(real)
    return ""


def describe_machine(opts, device):
    if opts.machine:
        return " ".join(opts.machine.split())
    models = re.findall(r"^model name.*?:(.*)", read_system("/proc/cpuinfo"), re.MULTILINE)
    name = (read_system("/proc/device-tree/model").strip("\0\n ") or "".join(models[:1]).strip()
            or platform.processor() or platform.machine())
    if device.type == "cuda":
        name += ", " + torch.cuda.get_device_name(device)
    return "%s, %d cores" % (name, os.cpu_count() or 1)


def describe_versions(device):
    parts = ["torch " + torch.__version__]
    if "torchvision" in sys.modules:
        parts.append("torchvision " + sys.modules["torchvision"].__version__)
    parts.append("python " + platform.python_version())
    onednn = re.search(r"MKL-DNN v([0-9.]+)", torch.__config__.show())
    if onednn and device.type == "cpu":
        parts.append("oneDNN " + onednn.group(1))
    blas = blas_library()
    if blas and device.type == "cpu":
        parts.append("BLAS " + blas)
    if device.type == "cuda":
        parts.append("CUDA %s, cuDNN %s" % (torch.version.cuda, torch.backends.cudnn.version()))
    elif blas.startswith("libblas"):
        sys.stderr.write("%s: PyTorch uses the reference BLAS (%s), which is tens of times slower "
                         "than OpenBLAS (Debian: libopenblas0-pthread)\n" % (SCRIPT, blas))
    return ", ".join(parts)


# ---------------------------------------------------------------- main


def describe_model(opts, device):
    """The network named in the options, its layers as rows of a model file, and its source."""
    load = load_file_model if ".py:" in opts.model else load_torchvision_model
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch warns of its own deprecated functions
        module, dims, name, source = load(opts.model)
    opts.name = opts.name or name
    if not (opts.input_shape or dims) and ".py:" in opts.model:
        sys.stderr.write("%s: model %s names no input shape, so an image of 3,224,224; --input-shape, or "
                         "return (module, shape)\n" % (SCRIPT, opts.model))
    dims = opts.input_shape or dims or [3, 224, 224]
    move_to(device, module)
    network = Network(module.train(), dims, opts.input_below)
    try:
        # Two samples, since batch norm needs them; sizes per sample are halves.
        described = Describer(network, 2).describe(network.sample(2, device))
    except NotImplementedError:  # some operators need values
        if device.type != "meta":
            raise
        return describe_model(opts, torch.device("cpu"))
    except (RuntimeError, ValueError, TypeError, IndexError) as error:
        if "memory" in str(error):
            raise
        raise InputError("the network does not run on an input of %s: %s" % (
            "x".join(map(str, dims)), one_line(error)))
    network.layers = [layer for layer, _ in described]
    rows = [row for _, row in described]
    network.output_shapes = {row["name"]: row["outputShape"] for row in rows}
    return network, rows, source


def check_weights(model, rows):
    """Refuses a network with convolutions or matrix products, but without weights: they would seem to be free."""
    products = [row for row in rows if row["flop"] and (
        row["operator"].endswith("conv2d") or row["operator"] in ("linear", "recurrent"))]
    if products and not any(row["parameterBytes"] for row in rows):
        raise InputError("model %s: layer %s (%s): found no weights, here or in any layer, expected some" % (
            model, products[0]["name"], products[0]["operator"]))


def move_to(device, module):
    """Moves parameters and buffers; shared ones stay shared."""
    moved = {}
    for part in module.modules():
        for values in (part._parameters, part._buffers):
            for name, value in values.items():
                if value is not None and id(value) not in moved:
                    new = value.detach().to(device)
                    moved[id(value)] = value, (torch.nn.Parameter(new, value.requires_grad)
                                               if isinstance(value, torch.nn.Parameter) else new)
                if value is not None:
                    values[name] = moved[id(value)][1]
        if isinstance(part, torch.nn.RNNBase):
            part._flat_weights = [getattr(part, name) for name in part._flat_weights_names]


def summary(name, rows, path):
    return "%s: %d layers, %.3g GFLOP forward, %.3g MB of weights (%s)" % (
        name, len(rows), sum(row["flop"] for row in rows) / 1e9,
        sum(row["parameterBytes"] for row in rows) / 1e6, path)


def check_device(torch_device):
    if torch_device == "cuda" and not torch.cuda.is_available():
        raise InputError("--torch-device cuda: this PyTorch sees no CUDA device")


def prepare(opts):
    if opts.name and len(opts.models) > 1:
        raise InputError("--name: found one for %d networks, expected one network" % len(opts.models))
    check_device(opts.torch_device)
    if opts.precision != "fp32" and opts.torch_device != "cuda":
        raise InputError("--precision %s: needs --torch-device cuda" % opts.precision)
    if opts.clock == "cpu" and (opts.threads != 1 or opts.torch_device != "cpu"):
        raise InputError("--clock cpu adds up all threads: it needs --threads 1 and the CPU")
    if opts.threads:
        torch.set_num_threads(opts.threads)
    set_precision(opts.precision)


def profile_model(opts):
    torch.manual_seed(opts.seed)
    device = torch.device(opts.torch_device)
    network, rows, source = describe_model(opts, device)
    others = set(opts.models) - {opts.model}
    command = shlex.join([SCRIPT, *(word for word in sys.argv[1:] if word not in others)])
    model_path = os.path.join(opts.out, "models", opts.name + ".json")
    if model_to_write(model_path, rows, opts.replace_model):
        write_file(model_path, model_text(opts, source, command, network.dims, rows))
    mark = MARKS["cuda" if device.type == "cuda" else opts.clock]
    machine, versions = describe_machine(opts, device), describe_versions(device)
    gigaflop = sum(row["flop"] for row in rows) / 1e9
    print(summary(opts.name, rows, model_path))
    for batch, mode in itertools.product(opts.batch, opts.mode):
        opts.busy = BusyMachine(opts.busy_machine)
        opts.busy.check_load(torch.get_num_threads() if device.type == "cpu" else 1)
        profile = measure(network, batch, mode, opts, device, mark)
        opts.busy.check_spread("%s's pass in %s mode" % (opts.name, mode), profile.seconds)
        stem = "%s.b%d%s" % (opts.name, batch, SUFFIXES[mode])
        path = os.path.join(opts.out, "profiles", opts.device, stem + ".csv")
        write_file(path, profile_text(opts, batch, mode, profile, network, command, machine, versions))
        if opts.record:
            passes, states = record(network, batch, mode, opts, device, mark)
            path_of = os.path.join(opts.out, "passes", opts.device, stem + "%s.csv")
            write_file(path_of % "", text_of_passes(opts.name, batch, [layer.name for layer in network.layers], passes,
                                                    [("mode", mode), ("device", opts.device), ("machine", machine),
                                                     ("versions", versions), ("command", command)]))
            write_file(path_of % ".machine", "\n".join(["iteration,seconds,megahertz,celsius,load", *states]) + "\n")
        forward, reverse = sum(profile.forward), sum(profile.backward)
        print("  batch %d, %s mode: forward %.4g s (%.4g GFLOP/s), backward %.4g s, layers alone %.4g and "
              "%.4g s; %d repeats, interquartile range of the pass %.1f%% (%s)" % (
                  batch, mode, forward, gigaflop * batch / forward, reverse, sum(profile.isolated[0]),
                  sum(profile.isolated[1]), profile.repeats,
                  100 * interquartile(profile.seconds) / statistics.median(profile.seconds),
                  path) + f"; {opts.busy}" * bool(opts.busy.found), flush=True)


def load_torch(models):
    need("torch", *([] if all(".py:" in model for model in models) else ["torchvision"]))
    global torch
    import torch
    import torch.fx


def main():
    opts = options()
    load_torch(opts.models)
    try:
        prepare(opts)
        for model in opts.models:
            profile_model(argparse.Namespace(model=model, **vars(opts)))
    except (RuntimeError, MemoryError) as problem:
        if isinstance(problem, RuntimeError) and "memory" not in str(problem):
            raise
        raise InputError("out of memory; try a smaller --batch or --mode evaluation") from None


if __name__ == "__main__":
    start(main)
