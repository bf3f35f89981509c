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
import os
import shlex
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../analysis"))
import profile_model as tool  # noqa: E402
from edgepipe.interpreter import need  # noqa: E402
from edgepipe.pictures import InputError, Parser, number, start  # noqa: E402
from profile_model import file_name, whole_numbers  # noqa: E402


def shape_of_input(text):
    """A pair of an input's name, or None, and its sizes."""
    name, colon, sizes = text.rpartition(":")
    return name if colon else None, whole_numbers(sizes)


def options():
    traces = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    parser = Parser(__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("model", help="FILE.onnx, FILE.py:FUNCTION as in profile_model.py, or a torchvision model")
    add("--name", type=file_name, help="name of the model (default: that of the file or function)")
    add("--input-shape", type=shape_of_input, action="append", default=[], metavar="[NAME:]C,H,W",
        help="input shape of one sample (default: the model's); for several inputs NAME is one's, and the option is "
             "repeated")
    add("--input-below", type=number(1, 1e9, int), metavar="N",
        help="torch.nn.Module: inputs are integers from 0 to N - 1, such as tokens")
    add("--out", default=traces, metavar="DIR",
        help="traces folder, the model goes to models/ in it (default: %(default)s)")
    add("--kind", type=file_name, metavar="NAME",
        help="folder below models/ for a kind of networks, such as transformers (default: none)")
    add("--replace-model", action="store_true", help="overwrite an existing model file")
    return parser.parse_args()


def check_name(name):
    try:
        return file_name(name)
    except argparse.ArgumentTypeError as error:
        raise InputError("--name: %s" % error)


def import_model(opts):
    shapes = dict(opts.input_shape)
    if opts.model.endswith(".onnx"):
        from onnx_graph import OnnxGraph
        graph = OnnxGraph(opts.model, shapes)
        opts.name = opts.name or check_name(os.path.basename(opts.model)[:-len(".onnx")])
        rows, dims, source = graph.rows(), graph.dims, os.path.basename(opts.model)
    else:
        opts.input_shape = shapes.get(None)
        if set(shapes) - {None}:
            raise InputError("--input-shape: found a name, expected one only for inputs of an ONNX file")
        network, rows, source = tool.describe_model(opts, tool.torch.device("meta"))
        dims = network.dims
    tool.check_weights(opts.model, rows)
    path = os.path.join(opts.out, "models", opts.kind or "", opts.name + ".json")
    command = shlex.join([tool.SCRIPT, *sys.argv[1:]])
    if tool.model_to_write(path, rows, opts.replace_model):
        tool.write_file(path, tool.model_text(opts, source, command, dims, rows))
    print(tool.summary(opts.name, rows, path))
    largest = max(rows, key=lambda row: row["flop"])
    total = sum(row["flop"] for row in rows)
    if 2 * largest["flop"] > total:
        sys.stderr.write("%s: layer %s (%s) has %.0f %% of the FLOP; no plan can cut inside it\n" % (
            tool.SCRIPT, largest["name"], largest["operator"], 100 * largest["flop"] / total))


def main():
    opts = options()
    if opts.model.endswith(".onnx"):
        need("onnx")
    else:
        tool.load_torch([opts.model])
    import_model(opts)


if __name__ == "__main__":
    start(main)
