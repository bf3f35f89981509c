#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Write what other tools measured as a profile, profiles/DEVICE/MODEL.bN.csv or MODEL.bN.evaluation.csv.

Two formats, told by their content:
  trtexec    JSON of TensorRT's trtexec --exportProfile: times of an engine's layers, which are fused. The model
             (--model) must be there, imported from the same ONNX file (import_model.py). A row's averageMs is
             spread over the layers that it names in proportion to their FLOP; so are copies and reformats.
             Layers that no row names cost 0; a convolution or product among them is an error, as is a name that no
             layer has in a row that takes time, constants apart. Rows __myl_ name none; they are spread over layers
             that no row names.
  PipeDream  graph.txt of PipeDream's profiler: a graph with milliseconds and bytes of a batch. It becomes a model
             (--model names it) and a profile. --batch says of how many samples. FLOP are derived from descriptions
             of convolutions and products, else one per number of the output. The time of reading inputs counts as 0,
             as in PipeDream's own planner.

examples:
  import_profile.py profile.json --model my_net --device jetson-orin-nano --batch 1
  import_profile.py graph.txt --model vgg16_pd --device v100-pd --batch 64
"""

import argparse
import collections
import json
import math
import os
import re
import shlex
import sys
from pathlib import Path

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../analysis"))
import profile_model as tool  # noqa: E402
from edgepipe.pictures import InputError, Parser, number, start  # noqa: E402
from edgepipe.run_file import read_json  # noqa: E402

COSTLY = {"conv2d", "grouped_conv2d", "depthwise_conv2d", "linear", "attention", "recurrent"}
MOST_SECONDS = 1e9
# Beginnings of PipeDream's descriptions, and operators.
KINDS = {"Linear": "linear", "BatchNorm": "batch_norm", "ReLU": "relu", "MaxPool": "pool", "AvgPool": "pool",
         "AdaptiveAvgPool": "pool", "AdaptiveMaxPool": "pool", "Add": "add", "Concat": "cat", "View": "flatten",
         "Flatten": "flatten", "Dropout": "dropout", "Softmax": "softmax", "LocalResponseNorm": "lrn",
         "LSTM": "recurrent", "GRU": "recurrent", "RNN": "recurrent", "Sigmoid": "activation", "Tanh": "activation"}
NODE = re.compile(r"(\S+) -- (.*) -- forward_compute_time=([^,]+), backward_compute_time=([^,]+), "
                  r"activation_size=(\[[^\]]*\]|[^,]+), parameter_size=(\S+)(?: -- stage_id=\d+)?$")
# What TensorRT puts before a layer's name, and names of constants, which are no layers.
BESIDE = re.compile(r"(?<![\w./:-])(?:copied_)?(?:reshape|squeeze|unsqueeze|shuffle)_(?:before|after)_")
CONSTANTS = re.compile(r"(?<![\w./:-])(?:onnx::\w+|ONNXTRT_\w+|ForeignNode|[\w./:-]*\bConstant(?:_\w+)?)(?![\w./:-])|\(Unnamed Layer\* \d+\) \[[^\]]*\]")
# Products in a description, which may be of several modules.
PART = re.compile(r"(LSTM|GRU|RNN)(?:Cell)?\((\d+), (\d+)([^()]*)\)|Linear\(in_features=(\d+), out_features=(\d+)([^()]*)\)")
GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
EDGE = re.compile(r"\s+(\S+) -- (\S+)$")
Measured = collections.namedtuple("Measured", "seconds repeats mode")  # seconds: (forward, backward) by layer


def figure(where, name, value, most):
    """A number from 0 on."""
    try:
        found = float(value)
    except (TypeError, ValueError):
        found = math.nan
    if isinstance(value, bool) or not 0 <= found <= most:
        raise InputError(f"{where}: {name}: found {json.dumps(value)[:60]}, expected a number from 0 to {most:g}")
    return found


# ---------------------------------------------------------------- trtexec


def names_of(row, layers):
    """The layers that the name of a row names, in its order, and what is left of it; layers: by ONNX name."""
    found, rest = [], BESIDE.sub("", row).replace("...", " ")
    for part in sorted(layers, key=len, reverse=True):  # a name may begin another one
        pattern = r"(?<![\w./:-])" + re.escape(part) + r"(?:_output_\d+)?(?:_clone_\d+)?(?![\w./:-])"
        if match := re.search(pattern, rest):
            found.append((match.start(), layers[part]))
            rest = rest[:match.start()] + "\0" * len(match[0]) + rest[match.end():]
    words = re.sub(r"Reformatting CopyNode for (?:Input|Output) Tensor \d+ to|\bcopy\b|PWN|\0+|[\s+|,(){}\[\]]",
                   " ", CONSTANTS.sub(" ", rest)).split()
    return [layer for _, layer in sorted(found)], " ".join(words)


def read_rows(path, rows):
    """Names, seconds and count of runs of trtexec's rows."""
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise InputError(f"{path}: expected a list of objects, as trtexec --exportProfile writes")
    counts = [figure(path, "count", row["count"], 1e12) for row in rows if "count" in row]
    found = []
    for index, row in enumerate(row for row in rows if "count" not in row):
        where = f"{path}: row {index + 1}"
        if not isinstance(row.get("name"), str) or not row["name"]:
            raise InputError(f"{where}: found no name, expected layers")
        if "averageMs" in row:
            average = figure(where, "averageMs", row["averageMs"], 1e3 * MOST_SECONDS)
        elif counts and counts[0] > 0 and "timeMs" in row:
            average = figure(where, "timeMs", row["timeMs"], 1e15) / counts[0]
        else:
            raise InputError(f"{where}: found no averageMs, expected milliseconds")
        found.append((row["name"], average / 1e3))
    if not found:
        raise InputError(f"{path}: found no layer, expected at least one")
    return found, max(1, round(counts[0])) if counts else 1


def read_trtexec(path, rows, model):
    """What trtexec measured of a model."""
    layers = {layer["name"]: layer for layer in model["layers"]}
    # import_model.py writes ONNX's slashes as dots.
    known = {**{name.replace(".", "/"): name for name in layers}, **{name: name for name in layers}}
    known.update({"/" + name: of for name, of in known.items()})
    seconds, named, nameless = dict.fromkeys(layers, 0.0), set(), 0.0
    found, repeats = read_rows(path, rows)

    def spread(time, mine):
        flop = sum(layers[one]["flop"] for one in mine)
        for one in mine:
            seconds[one] += time * (layers[one]["flop"] / flop if flop else 1 / len(mine))

    for name, time in found:
        if name.startswith("__myl_"):
            nameless += time
            continue
        mine, rest = names_of(name, known)
        if not time and (rest or not mine):
            continue  # TensorRT's own, such as a copy that became none
        if rest or not mine:
            raise InputError(f"{path}: found {json.dumps(name)[:200]}, expected layers of {model['name']}"
                             + f", of which {json.dumps(rest)[:80]} is none" * bool(rest))
        mine = list(dict.fromkeys(mine))
        named.update(mine)
        spread(time, mine)
    if nameless:
        rest = [name for name in layers if name not in named and layers[name]["operator"] != "input"] or list(layers)
        spread(nameless, rest)
        named.update(rest)
        sys.stderr.write("%s: %s: %.0f %% of the time is of rows without names (__myl_), spread over the %d layers that no "
                         "row names by their FLOP\n" % (Path(sys.argv[0]).name, path, 100 * nameless / sum(
                             seconds.values()), len(rest)))
    missing = [name for name, layer in layers.items() if name not in named and layer["operator"] in COSTLY]
    if missing:
        raise InputError(f"{path}: no row names layer {missing[0]} of {model['name']}, expected all convolutions and "
                         "products")
    return Measured({name: (time, 0.0) for name, time in seconds.items()}, repeats, "evaluation")


def read_model(path):
    model = read_json(path)
    try:
        if model["format"] != "edgepipe-model 1":
            raise InputError(f"{path}: format: found {json.dumps(model['format'])[:60]}, expected \"edgepipe-model 1\"")
        if all(isinstance(layer["name"], str) and isinstance(layer["flop"], (int, float)) and layer["flop"] >= 0
               and isinstance(layer["operator"], str) for layer in model["layers"]) and model["layers"] \
                and isinstance(model["name"], str):
            return model
    except (KeyError, TypeError):
        pass
    raise InputError(f"{path}: expected a model with layers")


# ---------------------------------------------------------------- PipeDream


class Node:
    def __init__(self, where, words):
        self.name, self.text = words[0], words[1]
        self.forward, self.backward = (figure(where, name, text, 1e3 * MOST_SECONDS) / 1e3 for name, text in zip(
            ("forward_compute_time", "backward_compute_time"), words[2:4]))
        self.outputs = [figure(where, "activation_size", size.strip(), 1e18) for size in words[4].strip("[]").split(";")]
        self.output = sum(self.outputs)
        self.parameters = figure(where, "parameter_size", words[5], 1e18)
        self.inputs = []

    def is_input(self):
        return self.text.startswith("Input")

    def find(self, pattern, usual=None):
        """Whole numbers in the description."""
        found = re.search(pattern, self.text)
        return [int(one) for one in found.groups()] if found else usual

    def count_products(self):
        """Width of the first product's output, weights of all, and the first one's kind; parts beyond the node's
        parameters are other names of the same weights."""
        width, weights, kind, left = 0, 0, "", 1.001 * self.parameters / 4
        for part in PART.finditer(self.text):
            if part[1]:
                ways = 2 if "bidirectional=True" in part[4] else 1
                layers = int((re.search(r"num_layers=(\d+)", part[4]) or [0, 1])[1])
                first, hidden = int(part[2]), int(part[3])
                rows = GATES[part[1]] * hidden * ways
                mine = rows * (first + hidden + (layers - 1) * (1 + ways) * hidden)
                biases, wide = 2 * rows * layers, ways * hidden
            else:
                wide = biases = int(part[6])
                mine = int(part[5]) * wide
            left -= mine + biases * ("bias=False" not in (part[4] or part[7] or ""))
            if left < 0 and width:
                break
            width, weights, kind = width or wide, weights + mine, kind or ("recurrent" if part[1] else "linear")
        return width, weights, kind

    def describe(self, batch):
        """Operator, shape of the output and FLOP of a sample."""
        numbers = max(1, round(self.output / 4 / batch))
        first = re.match(r"[A-Za-z]*", self.text)[0]
        if first in ("Conv", "Conv1d", "Conv2d", "Conv3d"):
            channels, outputs = self.find(r"\((\d+), (\d+)", [0, 0])
            groups = self.find(r"groups=(\d+)", [1])[0]
            kernel = re.search(r"kernel_size=\(?([\d, ]+)\)?", self.text)
            if not (channels and outputs and groups and kernel and numbers % outputs == 0
                    and self.output % (4 * batch) == 0):
                raise InputError(f"{self.name}: found {self.output:g} bytes of {json.dumps(self.text[:60])}, expected "
                                 f"{outputs} channels of fp32 for each of --batch {batch} samples")
            area = math.prod(int(side) for side in re.findall(r"\d+", kernel[1]))
            return (tool.convolution_kind(groups, channels, outputs), [outputs, numbers // outputs],
                    2 * area * channels // groups * numbers)
        kind = next((kind for text, kind in KINDS.items() if first.startswith(text)), "other")
        width, weights, product = self.count_products()
        if width:
            return product, [numbers], round(2 * weights * self.outputs[0] / 4 / batch / width)
        if kind == "other" and self.parameters and first != "Embedding" and not first.endswith("Norm"):
            sys.stderr.write(f"{Path(sys.argv[0]).name}: {self.name} ({self.text[:40]}): no rule counts its FLOP, so one "
                             "per number; estimates for other devices need more\n")
        moves = kind in ("flatten", "cat") or first in ("Embedding", "")
        return kind, [numbers], 0 if moves else (2 if kind == "batch_norm" else 1) * numbers


def read_graph(path, text):
    """Nodes of PipeDream's graph.txt by name, sorted topologically."""
    nodes, edges = {}, []
    for count, line in enumerate(text.splitlines(), 1):
        where = f"{path}: line {count}"
        if not line.strip():
            continue
        if edge := EDGE.match(line):
            edges.append((where, *edge.groups()))
            continue
        node = NODE.match(line.strip())
        if not node:
            raise InputError(f"{where}: found {json.dumps(line[:60])}, expected a node with its times and sizes, or a tab "
                             "and two nodes, as in PipeDream's graph.txt; of other tools only trtexec's JSON is read")
        if node[1] in nodes:
            raise InputError(f"{where}: found {node[1]} again, expected each node once")
        nodes[node[1]] = Node(where, node.groups())
    for where, source, target in edges:
        for name in (source, target):
            if name not in nodes:
                raise InputError(f"{where}: found {json.dumps(name)}, expected one of the nodes")
        if source not in nodes[target].inputs:
            nodes[target].inputs.append(source)
    rank = {name: ([int(part) for part in re.findall(r"\d+", name)], name) for name in nodes}
    left, done = sorted(nodes, key=rank.get), {}
    while left:
        ready = next((name for name in left if all(one in done for one in nodes[name].inputs)), None)
        if ready is None:
            raise InputError(f"{path}: {', '.join(left[:5])} form a cycle, expected none")
        done[ready] = nodes[ready]
        left.remove(ready)
    return done


def check_batch(path, nodes, batch):
    """Refuses a batch that a network of images does not have, by the outputs of its products."""
    samples = {round(node.output / 4 / outputs[0]) for node in nodes
               if (outputs := node.find(r"^Linear.*out_features=([1-9]\d*)"))}
    if len(samples) == 1 and batch not in samples and any(node.text.startswith("Conv2d") for node in nodes):
        raise InputError(f"--batch: found {batch}, expected {samples.pop()}, the samples of {path.name}'s products")


def read_pipedream(path, text, batch):
    """(rows of a model file, what was measured) of a graph.txt."""
    nodes = read_graph(path, text)
    sources = [node for node in nodes.values() if not node.inputs]
    inputs = [node for node in sources if node.is_input()]
    # States that are handed over from step to step are no work and no bytes.
    empty = [node for node in sources if node not in inputs and not any(
        (node.forward, node.backward, node.output, node.parameters))]
    others = [node.name for node in sources if node not in inputs + empty]
    if not inputs or others:
        raise InputError(f"{path}: found {others[0] + ' without inputs' if others else 'no Input'}, expected Input as the "
                         "only node without inputs")
    check_batch(path, nodes.values(), batch)
    place = {node.name: "input" for node in inputs + empty}
    size = round(sum(node.output for node in inputs) / batch)
    rows = [{"name": "input", "operator": "input", "inputs": [], "outputShape": [max(1, size // 4)], "flop": 0,
             "parameterBytes": 0, "outputBytes": size, "activationBytes": 0}]
    seconds = {"input": (0.0, 0.0)}
    for node in nodes.values():
        if node.name in place:
            continue
        try:
            kind, shape, flop = node.describe(batch)
        except InputError as error:
            raise InputError(f"{path}: {error}") from None
        place[node.name] = node.name
        output = round(node.output / batch)
        rows.append({"name": node.name, "operator": kind, "inputs": list(dict.fromkeys(place[one] for one in node.inputs)),
                     "outputShape": shape, "flop": flop if output else 0, "parameterBytes": round(node.parameters),
                     "outputBytes": output, "activationBytes": output})
        seconds[node.name] = node.forward, node.backward
    trains = any(backward for _, backward in seconds.values())
    return rows, Measured(seconds, 0, "training" if trains else "evaluation")


# ---------------------------------------------------------------- main


def options():
    traces = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    parser = Parser(__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("file", type=Path, help="what was measured")
    add("--model", required=True, type=tool.file_name, help="name of the model, in models/ of the traces folder")
    add("--device", required=True, type=tool.device_name, help="name of the device, DEVICE@STACK for another stack")
    add("--batch", required=True, type=number(1, 1e9, int), metavar="N", help="samples of a pass")
    add("--out", default=traces, metavar="DIR", help="traces folder (default: %(default)s)")
    add("--replace-model", action="store_true", help="overwrite an existing model file (PipeDream)")
    return parser.parse_args()


def find_model(opts):
    models = Path(opts.out) / "models"
    found = [path for path in (models, *sorted(models.glob("*/"))) if (path / f"{opts.model}.json").is_file()]
    if not found:
        raise InputError(f"--model: found no {models}/{opts.model}.json, expected one; import_model.py makes it from the "
                         "ONNX file")
    return found[0] / f"{opts.model}.json"


def read_text(path):
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise InputError(f"{path}: expected text in UTF-8") from None


def import_profile(opts):
    text = read_text(opts.file)
    command = shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]])
    made = None
    if text.lstrip()[:1] in ("[", "{"):
        model = read_model(find_model(opts))
        measured = read_trtexec(opts.file, read_json(opts.file), model)
        operators = {layer["name"]: layer["operator"] for layer in model["layers"]}
    else:
        rows, measured = read_pipedream(opts.file, text, opts.batch)
        operators = {row["name"]: row["operator"] for row in rows}
        path = os.path.join(opts.out, "models", opts.model + ".json")
        if tool.model_to_write(path, rows, opts.replace_model):
            made = path, tool.model_text(argparse.Namespace(name=opts.model), f"PipeDream's {opts.file.name}", command,
                                         rows[0]["outputShape"], rows)
    head = [("format", "edgepipe-profile 2"), ("model", opts.model), ("device", opts.device), ("batch", opts.batch),
            ("mode", measured.mode), ("origin", "measured"), ("machine", f"not said by {opts.file.name}"),
            ("command", command), *[("repeats", measured.repeats)] * (measured.repeats > 0)]
    lines = ["# %s: %s" % pair for pair in head] + ["layer,operator,forwardSeconds,backwardSeconds"]
    lines += ["%s,%s,%.6g,%.6g" % (name, operators[name], *both) for name, both in measured.seconds.items()]
    path = os.path.join(opts.out, "profiles", opts.device,
                        "%s.b%d%s.csv" % (opts.model, opts.batch, tool.SUFFIXES[measured.mode]))
    if made:
        tool.write_file(*made)
    tool.write_file(path, "\n".join(lines) + "\n")
    forward, backward = (sum(both[side] for both in measured.seconds.values()) for side in (0, 1))
    print("%s: %d layers, %s mode, forward %.4g s, backward %.4g s (%s)" % (
        opts.model, len(measured.seconds), measured.mode, forward, backward, path))


if __name__ == "__main__":
    start(lambda: import_profile(options()))
