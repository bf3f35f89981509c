# SPDX-License-Identifier: GPL-2.0-only
"""Checks the data under traces/ and the tools that made it. Needs no PyTorch, except for the last
class, which is skipped where it is absent.
"""

import bisect
import collections
import csv
import importlib.util
import json
import math
import random
import shlex
import shutil
import statistics
import sys
import textwrap
import threading
import unittest
import unittest.mock

import forked
from places import ROOT, InFolder, python_with

TRACES = ROOT / "traces"
OPERATORS = set("input conv2d grouped_conv2d depthwise_conv2d linear attention recurrent batch_norm "
                "relu activation pool add mul cat flatten dropout softmax lrn other".split())
SUFFIXES = {"training": "", "evaluation": ".evaluation"}
COUNTED = ("conv2d", "grouped_conv2d", "depthwise_conv2d", "linear")
COLUMNS = ["layer", "operator", "forwardSeconds", "backwardSeconds", "forwardSpreadSeconds",
           "backwardSpreadSeconds", "isolatedForwardSeconds", "isolatedBackwardSeconds"]

TORCHVISION = "torchvision weights metadata, https://github.com/pytorch/vision (_ops, num_params)"
# Published totals: multiply-accumulates of convolutions and linear layers in units of 1e9,
# parameters, tolerance of each, source.
#
# The DGPAS paper's table 2 gives its "RegNet-200MF" 21,152,810 parameters and 2.97 G. That is no
# RegNet-200MF, whose name says 0.2 G; RegNetX-200MF has 2.7 M (RegNetY-200MF 3.2 M). The same
# table's other four models agree with the rows here.
PUBLISHED = {
    "alexnet": (0.714, 0.01, 61100840, 0, TORCHVISION),
    "vgg16": (15.47, 0.01, 138357544, 0, TORCHVISION),
    "vgg19": (19.632, 0.01, 143667240, 0, TORCHVISION),
    "resnet18": (1.814, 0.01, 11689512, 0, TORCHVISION),
    "resnet50": (4.089, 0.01, 25557032, 0, TORCHVISION),
    "resnext101_32x8d": (16.414, 0.01, 88791336, 0, TORCHVISION),
    "mobilenet_v2": (0.301, 0.01, 3504872, 0, TORCHVISION),
    "googlenet": (1.498, 0.01, 6624904, 0, TORCHVISION + ", auxiliary heads left out"),
    "inception_v3": (5.713, 0.01, 23834568, 0,
                     TORCHVISION + "; parameters from the DGPAS paper, table 2: auxiliary head "
                     "left out"),
    "regnet_x_200mf": (0.2, 0.02, 2.7e6, 0.01, "pycls MODEL_ZOO, "
                       "https://github.com/facebookresearch/pycls/blob/main/MODEL_ZOO.md"),
    "darknet19": (5.58 / 2, 0.01, 80 * 2 ** 20 / 4, 0.01,
                  "YOLO9000, https://arxiv.org/abs/1612.08242: 5.58 GFLOP at 224 x 224; size of "
                  "the weights 80 MB, https://pjreddie.com/darknet/imagenet/"),
    "tiny_yolo": (6.9949 / 2, 0.01, 15.8587e6, 0.001,
                  "OpenVINO model zoo, yolo-v2-tiny-ava, https://docs.openvino.ai/cn/latest/"
                  "omz_models_model_yolo_v2_tiny_ava_sparse_30_0001.html"),
    "alexnet_parallel": (0.724, 0.01, 61e6, 0.01,
                         "Sze et al., Efficient Processing of Deep Neural Networks, Proc. IEEE "
                         "2017, table of models: AlexNet 724 M, 61 M"),
    "mnist_cnn": (23984896 / 2e9, 0.001, 1199882, 0,
                  "the two-convolution network of https://github.com/pytorch/examples (mnist)"),
    # No published total without the LSTM: by hand from figure 3 of Espeholt et al., ICML 2018.
    # Per section a convolution from c to k channels at full size and four of k to k at half size.
    "atari_cnn": ((9 * (84 * 84 * 4 * 16 + 42 * 42 * 4 * 16 * 16
                        + 42 * 42 * 16 * 32 + 21 * 21 * 4 * 32 * 32
                        + 21 * 21 * 32 * 32 + 11 * 11 * 4 * 32 * 32)
                   + 11 * 11 * 32 * 256 + 256 * 19) / 1e9, 1e-9,
                  9 * (4 * 16 + 4 * 16 * 16 + 16 * 32 + 4 * 32 * 32 + 32 * 32 + 4 * 32 * 32)
                  + 5 * 16 + 5 * 32 + 5 * 32 + 11 * 11 * 32 * 256 + 256 + 257 * 19, 0,
                  "Espeholt et al., IMPALA, https://arxiv.org/abs/1802.01561, figure 3"),
}


def load_json(path):
    def refuse_twice(pairs):
        keys = [key for key, _ in pairs]
        if len(set(keys)) != len(keys):
            raise ValueError("a key stands twice: %s" % keys)
        return dict(pairs)
    return json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=refuse_twice)


def load_model(name):
    return load_json(TRACES / f"models/{name}.json")


def files(*pattern):
    found = sorted(TRACES.glob("/".join(pattern)))
    assert found, f"nothing matches {pattern}"
    return found


def read_head(lines):
    """Returns the comments that say "name: value" as a dict."""
    return dict(line[2:].split(": ", 1) for line in lines if line.startswith("# ") and ": " in line)


def read_profile(path):
    """Returns (header as a dict, column names, rows)."""
    lines = path.read_text(encoding="utf-8").splitlines()
    head = read_head(lines)
    table = list(csv.reader(line for line in lines if not line.startswith("#")))
    return head, table[0], table[1:]


def model_problems(model):
    """What is wrong with a model as a graph; an empty list if nothing is."""
    problems, seen, used = [], {}, set()
    keys = ["name", "operator", "inputs", "outputShape", "flop", "parameterBytes", "outputBytes",
            "activationBytes"]
    for layer in model["layers"]:
        name = layer.get("name")
        if sorted(set(layer) - {"tied", "integerBytes"}) != sorted(keys):
            problems.append("%s: keys %s" % (name, sorted(layer)))
            continue
        if name in seen:
            problems.append("%s stands twice" % name)
        if layer["operator"] not in OPERATORS:
            problems.append("%s: operator %s" % (name, layer["operator"]))
        if (layer["operator"] == "input") != (layer["inputs"] == []):
            problems.append("%s: the input and only the input has no inputs" % name)
        for source in layer["inputs"]:
            if source not in seen:
                problems.append("%s: input %s does not come before it" % (name, source))
        if len(set(layer["inputs"])) != len(layer["inputs"]):
            problems.append("%s: an input twice" % name)
        for key in keys[4:]:
            if not isinstance(layer[key], int) or layer[key] < 0:
                problems.append("%s: %s is %r" % (name, key, layer[key]))
        if layer["outputBytes"] < 4 * math.prod(layer["outputShape"]):
            problems.append("%s: output smaller than its shape" % name)
        used.update(layer["inputs"])
        seen[name] = layer
    first = model["layers"][0]
    if first["operator"] != "input" or first["outputShape"] != model["inputShape"]:
        problems.append("the first layer is not the input")
    return problems


class Models(unittest.TestCase):
    def test_every_published_model_is_there_and_no_other(self):
        names = {path.stem for path in files("models", "*.json")}
        self.assertEqual(names, set(PUBLISHED))

    def test_totals_agree_with_the_published_ones(self):
        for name, (gmac, gmac_tolerance, parameters, tolerance, source) in PUBLISHED.items():
            with self.subTest(name, source=source):
                layers = load_model(name)["layers"]
                counted = sum(l["flop"] for l in layers if l["operator"] in COUNTED) / 2e9
                self.assertAlmostEqual(counted / gmac, 1, delta=max(gmac_tolerance, 1e-12))
                own = sum(l["parameterBytes"] for l in layers) / 4
                self.assertAlmostEqual(own / parameters, 1, delta=max(tolerance, 1e-12))

    def test_every_graph_is_well_formed_and_in_topological_order(self):
        for path in files("models", "*.json") + files("models", "*", "*.json"):
            with self.subTest(path.name):
                model = load_json(path)
                self.assertEqual(model["format"], "edgepipe-model 1")
                self.assertEqual(model["name"] + ".json", path.name)
                self.assertTrue(model["source"] and model["command"])
                self.assertEqual(model_problems(model), [])

    def test_a_broken_graph_is_noticed(self):
        model = load_json(TRACES / "models/alexnet.json")
        layers = model["layers"]
        layers[2], layers[3] = layers[3], layers[2]
        self.assertIn("before it", " ".join(model_problems(model)))

    def test_training_keeps_at_least_what_later_layers_need(self):
        # Every convolution's and linear layer's input is kept by someone, so in total a model
        # keeps no less than all those distinct inputs.
        for path in files("models", "*.json"):
            with self.subTest(path.name):
                layers = load_json(path)["layers"]
                output = {l["name"]: l["outputBytes"] for l in layers}
                needed = {s for l in layers if l["operator"] in COUNTED for s in l["inputs"]}
                kept = sum(l["activationBytes"] for l in layers)
                self.assertGreaterEqual(kept, sum(output[name] for name in needed))

    def test_the_two_towers_are_branches(self):
        layers = load_json(TRACES / "models/alexnet_parallel.json")["layers"]
        joins = [l["inputs"] for l in layers if l["operator"] == "cat"]
        self.assertEqual([len(inputs) for inputs in joins], [2, 2, 2, 2])
        self.assertEqual(sum(l["inputs"] == ["input"] for l in layers), 2)


class Profiles(unittest.TestCase):
    def test_the_captured_device_has_every_model_at_both_batches(self):
        names = {path.name for path in files("profiles", "xeon-1core", "*.csv")}
        self.assertLessEqual({"%s.b%d.csv" % (m, b) for m in PUBLISHED for b in (1, 32)}, names)

    def test_every_profile_matches_its_model_and_says_where_it_is_from(self):
        for path in files("profiles", "*", "*.csv"):
            with self.subTest(str(path)):
                head, columns, rows = read_profile(path)
                self.assertIn(head["format"], ("edgepipe-profile 1", "edgepipe-profile 2"))
                self.assertEqual(path.parent.name, head["device"])
                self.assertEqual(path.name, "%s.b%s%s.csv" % (
                    head["model"], head["batch"], SUFFIXES[head.get("mode", "training")]))
                self.assertIn(head["origin"], ("measured", "published", "estimated"))
                for key in ("machine", "versions", "threads", "date", "command", "repeats"):
                    self.assertTrue(head.get(key), key)
                self.assertIn("profile_model.py", head["command"])
                self.assertEqual(columns, COLUMNS)
                model = load_model(head["model"])
                self.assertEqual([row[:2] for row in rows],
                                 [[l["name"], l["operator"]] for l in model["layers"]])
                self.assertTrue((TRACES / f"devices/{head['device'].split('@')[0]}.json").exists())

    def test_times_are_plausible(self):
        for path in files("profiles", "*", "*.csv"):
            with self.subTest(str(path)):
                head, _, rows = read_profile(path)
                times = [[float(cell) for cell in row[2:]] for row in rows]
                self.assertTrue(all(math.isfinite(t) and t >= 0 for row in times for t in row))
                self.assertEqual(times[0], [0] * 6)
                model = load_model(head["model"])
                name, _, stack = head["device"].partition("@")
                device = load_json(TRACES / "devices" / (name + ".json"))
                stack = device["stacks"][stack or device["stack"]["training"]]
                peak = stack["tensorCoreGain"] * device["peakFlopPerSecond"]["value"]
                flop = sum(l["flop"] for l in model["layers"]) * int(head["batch"])
                forward, backward = (sum(row[i] for row in times) for i in (0, 1))
                # Winograd kernels count fewer operations than a direct convolution.
                self.assertLess(flop / forward, 2.25 * peak)
                if stack["processor"] != "gpu":  # which waits for launches
                    self.assertGreater(flop / forward, 0.01 * peak)
                if head.get("mode", "training") == "training":
                    self.assertTrue(0.5 < backward / forward < 6, backward / forward)

    def test_a_batch_of_32_takes_4_to_64_times_as_long_as_one_sample(self):
        # Below 32 where weights dominate, above where activations leave the caches.
        for name in PUBLISHED:
            with self.subTest(name):
                whole = []
                for batch in (1, 32):
                    _, _, rows = read_profile(TRACES / f"profiles/xeon-1core/{name}.b{batch}.csv")
                    whole.append(sum(float(row[2]) + float(row[3]) for row in rows))
                self.assertGreater(whole[1], 4 * whole[0])
                self.assertLess(whole[1], 64 * whole[0])


class Devices(unittest.TestCase):
    def test_every_figure_has_a_value_and_a_source(self):
        figures = ["peakFlopPerSecond", "memoryBytes", "usableMemoryBytes",
                   "memoryBandwidthBytesPerSecond", "idleWatts", "loadWatts"]
        for path in files("devices", "*.json"):
            device = load_json(path)
            with self.subTest(device["name"]):
                self.assertEqual(device["format"], "edgepipe-device 2")
                self.assertEqual(device["name"] + ".json", path.name)
                self.assertEqual(sorted(device), sorted(
                    ["format", "name", "description", "stack", "stacks"] + figures))
                for key in figures:
                    self.assertEqual(sorted(device[key]), ["source", "value"], key)
                    self.assertGreater(device[key]["value"], 0, key)
                for key, one in {**{key: device[key] for key in figures}, **device["stacks"]}.items():
                    self.assertGreater(len(one["source"]), 10, key)
                    self.assertTrue(any(word in one["source"] for word in (
                        "http", "paper", "estimate: ", "measured")), f"{key}: {one['source']}")
                self.assertLess(device["idleWatts"]["value"], device["loadWatts"]["value"])


class Clusters(unittest.TestCase):
    def test_every_type_exists_and_the_network_is_sound(self):
        for path in files("clusters", "*.json"):
            cluster = load_json(path)
            with self.subTest(cluster["name"]):
                self.assertEqual(cluster["format"], "edgepipe-cluster 1")
                self.assertEqual(cluster["name"] + ".json", path.name)
                self.assertTrue(cluster["source"])
                names = []
                for device in cluster["devices"]:
                    self.assertTrue((TRACES / f"devices/{device['type']}.json").exists())
                    self.assertGreater(device.get("count", 1), 0)
                    names.append(device.get("name", device["type"]))
                self.assertEqual(len(set(names)), len(names))
                self.assertIn(cluster["network"]["link"], ("lan", "p2p", "wifi"))
                self.assertLess({"bandwidth", "delay"}, {*cluster["network"]})

    def test_the_dgpas_testbed_is_the_paper_s(self):
        cluster = load_json(TRACES / "clusters/dgpas-testbed.json")
        self.assertEqual({d["type"]: d["count"] for d in cluster["devices"]},
                         {"jetson-orin-nano": 2, "jetson-xavier-nx": 1, "raspberry-pi-5": 12})


# A residual network with what is hard to trace: an in-place addition, one module used twice,
# batch norm on a single position, a concatenation, two outputs.
TINY = textwrap.dedent('''
    import torch
    from torch import nn

    class Tiny(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(3, 8, 3, padding=1, bias=False)
            self.relu = nn.ReLU(inplace=True)
            self.group = nn.Conv2d(8, 8, 3, padding=1, groups=8)
            self.pool = nn.AdaptiveAvgPool2d(1)
            self.norm = nn.BatchNorm2d(16)
            self.head = nn.Linear(16, 5)

        def forward(self, x):
            x = self.relu(self.conv(x))
            y = self.group(x)
            y += x
            y = self.relu(y)
            z = self.norm(self.pool(torch.cat([x, y], 1)))
            z = z.view(z.size(0), -1)
            return self.head(z), y

    def tiny():
        """A tiny network."""
        return Tiny(), (3, 8, 8)

    def only_module():
        return nn.Sequential(nn.Conv2d(1, 4, 3), nn.Flatten(), nn.Linear(4 * 36, 2))

    def no_module():
        return 5

    def branching():
        class Branching(nn.Module):
            def forward(self, x):
                return x if x.sum() > 0 else -x
        return Branching(), (3, 8, 8)
''')


PYTHON = python_with("torch", "torchvision")


HAS_TORCH = importlib.util.find_spec("torch") is not None
FIGURES_TOOL = TRACES / "capture/device_figures.py"


class DeviceFigures(InFolder):
    def setUp(self):
        super().setUp()
        for name in ("devices", "clusters", "published"):
            (self.folder / name).mkdir()
        shutil.copy(TRACES / "published/operator-figures.json", self.folder / "published")

    def run_tool(self, *words):
        return self.start(sys.executable, FIGURES_TOOL, *words, "--traces", self.folder)

    @unittest.skipUnless(HAS_TORCH, "needs PyTorch")
    def test_a_gpu_that_is_not_there_is_one_line(self):
        run = self.start(sys.executable, FIGURES_TOOL, "mine", "--torch-device", "cuda", "--traces",
                         self.folder, CUDA_VISIBLE_DEVICES="")
        self.assert_one_line(run, "--torch-device cuda: this PyTorch sees no CUDA device")

    def test_mistakes_are_one_line_and_status_2(self):
        for words, expected in (
                (["a/b"], 'device: found "a/b", expected letters'),
                (["mine", "--threads=0"], '--threads: found "0", expected a whole number from 1 to'),
                (["mine", f"--out={self.folder}/none/a.json"], "cannot write there")):
            self.assert_one_line(self.run_tool(*words), expected)


class PowerMeter(InFolder):
    """Meters of a folder that stands for /sys."""

    def write(self, files):
        for name, text in files.items():
            path = self.folder / "class" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{text}\n")

    def find(self):
        spec = importlib.util.spec_from_file_location("power_meter", TRACES / "capture/power_meter.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        self.time = module.time
        return module.find_meter("cpu", self.folder)

    def test_a_machine_that_tells_nothing_has_none(self):
        self.write({"hwmon/hwmon0/in1_label": "VDD_CPU", "powercap/intel-rapl:0:0/name": "core"})
        self.assertIsNone(self.find())
        self.write({"powercap/intel-rapl:0/name": "package-0"})  # whose counter this user may not read
        self.assertIsNone(self.find())

    def test_a_board_tells_volts_and_amperes(self):
        self.write({"hwmon/hwmon3/in1_label": "VDD_CPU_GPU_CV", "hwmon/hwmon3/in1_input": 5000,
                    "hwmon/hwmon3/curr1_input": 9, "hwmon/hwmon3/in2_label": "VDD_IN",
                    "hwmon/hwmon3/in2_input": 5000, "hwmon/hwmon3/curr2_input": 1000})
        meter = self.find()
        self.assertEqual((meter.source, meter.read()), ("the whole board, VDD_IN", 5))

        self.assertEqual(meter.measure(lambda: None), 5)
        looks, read = threading.Semaphore(0), meter.read
        meter.read = lambda: (looks.release(), read())[1]

        def work():
            self.write({"hwmon/hwmon3/curr2_input": 3000})
            for _ in range(4):
                looks.acquire(timeout=60)
        # The first look may be older than what work wrote.
        self.assertTrue(12 < meter.measure(work) <= 15)

    def test_counters_of_packages_add_up_and_start_again(self):
        def counters(first, second):
            return {f"powercap/intel-rapl:{number}/energy_uj": count for number, count in enumerate((first, second))}
        for number in range(2):
            self.write({f"powercap/intel-rapl:{number}/name": f"package-{number}",
                        f"powercap/intel-rapl:{number}/max_energy_range_uj": 10 ** 8})
        self.write({**counters(5 * 10 ** 6, 99 * 10 ** 6), "powercap/intel-rapl:0:1/name": "dram"})
        meter = self.find()
        self.assertEqual(meter.source, "the processor's package alone")
        with unittest.mock.patch.object(self.time, "monotonic", side_effect=[100, 110]):
            self.assertAlmostEqual(meter.measure(lambda: self.write(counters(8 * 10 ** 6, 10 ** 6))), (3 + 2) / 10)
        self.write({"powercap/intel-rapl:2/name": "psys", "powercap/intel-rapl:2/energy_uj": 1})
        self.assertEqual(self.find().source, "the whole platform, psys")


MACHINE_TOOL = TRACES / "capture/capture_machine.py"


class CaptureMachine(InFolder):
    def run_tool(self, *words):
        return self.start(sys.executable, MACHINE_TOOL, *words)

    def test_mistakes_are_one_line_and_status_2(self):
        for words, expected in (
                (["mine", "--networks=lenet"], '--networks: found "lenet", expected names of traces/models'),
                (["mine", "--minutes=0"], '--minutes: found "0", expected a number from 0.01'),
                (["mine", f"--out={self.folder}/none/a.json"], "cannot write there")):
            self.assert_one_line(self.run_tool(*words), expected)


RECORDINGS = ROOT / "tests/recordings"
MARKOV_TOOL = TRACES / "capture/markov_trace.py"


def read_trace(path):
    """Returns (header as a dict, rows of numbers) of a CSV of bandwidth."""
    lines = path.read_text(encoding="utf-8").splitlines()
    head = read_head(lines)
    table = [line.split(",") for line in lines if not line.startswith("#")]
    assert table[0] == ["seconds", "bitsPerSecond"], table[0]
    return head, [(float(time), float(rate)) for time, rate in table[1:]]


def sample_recording(path, direction, samples=20):
    """The mean rate in each second, bit/s, by looking several times in each."""
    lines = path.read_text(encoding="utf-8").split("\n")
    if "mahimahi" in str(path):
        rates = collections.Counter(int(line) // 1000 for line in lines if line)
        return [12000 * rates[second] for second in range(int(lines[-2]) // 1000)]
    if "gnettrack" in str(path):
        column = {"up": "UL_bitrate", "down": "DL_bitrate"}[direction]
        seconds = collections.defaultdict(list)
        for row in csv.DictReader(lines):
            hours, minutes, rest = row["Timestamp"].split("_")[1].split(".")
            day = 24 * int(row["Timestamp"].split("_")[0].split(".")[2])
            second = 60 * (60 * (day + int(hours)) + int(minutes)) + int(rest)
            if row[column] != "-" and row["State"] != "I":
                seconds[second].append(float(row[column]))
        table = [(time, 1e3 * statistics.mean(rates)) for time, rates in sorted(seconds.items())]
    else:
        table = [(float(line.split()[0]), 1e6 * float(line.split()[1])) for line in lines if line]
    times = [time - table[0][0] for time, _ in table]
    rates = []
    for second in range(int(times[-1])):
        looks = [second + (look + 0.5) / samples for look in range(samples)]
        rates.append(statistics.mean(table[bisect.bisect(times, look)][1] for look in looks))
    return rates


class BandwidthReadme(unittest.TestCase):
    def test_it_has_every_file_with_its_figures(self):
        text = (TRACES / "bandwidth/README.md").read_text(encoding="utf-8")
        lines = [line for line in text.splitlines() if line.startswith("| `")]
        known = {line.split("`")[1]: line for line in lines}
        paths = {path.name: path for path in files("bandwidth", "*.csv")}
        self.assertEqual(set(known), set(paths))

        def rounded(rate):
            return 0 if rate == 0 else float(f"{rate / 1e6:.3g}")

        for name, line in known.items():
            rates = [rate for _, rate in read_trace(paths[name])[1]]
            seconds, figures = [cell.strip() for cell in line.split("|")][-3:-1]
            self.assertEqual(int(seconds), len(rates), name)
            mean, least, most = (float(word) for word in
                                 figures.replace(",", " ").replace(" to ", " ").split())
            for there, here in ((mean, statistics.fmean(rates)), (least, min(rates)), (most, max(rates))):
                self.assertAlmostEqual(there, rounded(here), delta=0.0051 * max(1, there), msg=name)


    def test_it_says_how_both_directions_go_together(self):
        text = " ".join((TRACES / "bandwidth/README.md").read_text(encoding="utf-8").split())
        shares, correlations = [], []
        for name in ("umts-driving", "umts-apart", "lte-driving", "lte-apart"):
            up, down = ([rate for _, rate in read_trace(TRACES / f"bandwidth/{name}.{way}.csv")[1]] for way in ("up", "down"))
            low = [[rate < statistics.mean(one) / 10 for rate in one] for one in (up, down)]
            shares.append(100 * statistics.mean(a and b for a, b in zip(*low)))
            correlations.append(statistics.correlation(up, down))
        self.assertIn("seconds, in %.2f %% of `umts-driving`'s and in %.2f %% of `umts-apart`'s; they correlate by 0.34, "
                      "%.2f and %.2f." % (*shares[:2], *correlations[:2]), text)
        self.assertIn("Over LTE they correlate by 0.47, %.2f and %.2f." % tuple(correlations[2:]), text)


class MarkovTraces(InFolder):
    def shipped(self):
        found = [path for path in files("bandwidth", "*.csv")
                 if "markov_trace.py" in read_trace(path)[0].get("tool", "")]
        self.assertEqual(len(found), 10)
        return found

    def test_each_is_a_recording_that_says_where_it_is_from(self):
        for path in self.shipped():
            with self.subTest(path):
                head, rows = read_trace(path)
                for key in ("origin", "tool", "command", "seed", "recording", "source", "direction", "saturated"):
                    self.assertTrue(head.get(key), key)
                self.assertNotIn("not given", head["source"])
                self.assertEqual([time for time, _ in rows], list(range(400)))
                self.assertTrue(all(0 <= rate < 1e9 for _, rate in rows))
                self.assertLess(path.stat().st_size, 10000)

    def describe(self, rates):
        """The statistics of a header, by its keys."""
        found = {"mean": statistics.mean(rates), "deviation": statistics.pstdev(rates)}
        for lag in (1, 2, 5):
            found["autocorrelation after %d s" % lag] = self.correlate(rates, lag)
        for tenth in (1, 5, 9):
            found["quantile 0.%d" % tenth] = statistics.quantiles(rates, n=10, method="inclusive")[tenth - 1]
        return found

    def check_alike(self, made, real, slack):
        """Whether statistics are as close as a header promises, but for a slack."""
        for key, wanted in real.items():
            part, scale = {"mean": (0.05, real["mean"]), "deviation": (0.1, real["deviation"]),
                           "autocorrelation": (0.1, 1), "quantile": (0.1, real["mean"])}[
                               key.split()[0]]
            self.assertAlmostEqual(made[key], wanted, delta=(part + slack) * scale, msg=key)

    def test_the_statistics_are_those_of_the_recording(self):
        for path in self.shipped():
            with self.subTest(path):
                head, rows = read_trace(path)
                made = self.describe([rate for _, rate in rows])
                printed = {key: [float(word) for word in head[key].split(", ")] for key in made}
                self.check_alike(made, {key: pair[0] for key, pair in printed.items()}, 0.001)
                for key, (_, value) in printed.items():
                    self.assertAlmostEqual(made[key], value, delta=max(1, value) * 0.001, msg=key)

    def test_the_tool_keeps_the_statistics_of_a_recording_and_repeats_itself(self):
        for name, direction in (("gnettrack/fast.csv", "down"), ("gnettrack/fast.csv", "up"),
                                ("mahimahi/slow.down", "down"), ("pensieve/even.txt", "down"),
                                ("pensieve/late.txt", "down")):
            with self.subTest(name):
                real = self.describe(sample_recording(RECORDINGS / name, direction))
                texts = []
                for out in ("a.csv", "b.csv"):
                    self.ended(self.start(sys.executable, MARKOV_TOOL, RECORDINGS / name, "--direction",
                                          direction, "--seconds", "400", "--out", out))
                    texts.append((self.folder / out).read_text(encoding="utf-8"))
                self.assertEqual(*texts)
                head, rows = read_trace(self.folder / "a.csv")
                # 0.01 for the recording having been sampled here.
                self.check_alike(self.describe([rate for _, rate in rows]), real, 0.01)
                # The command in the header makes the same bytes.
                _, file, *words = shlex.split(head["command"])
                again = self.start(sys.executable, MARKOV_TOOL, (RECORDINGS / name).parent / file, *words)
                self.assertEqual(again.stdout, texts[0], again.stderr)

    def test_outages_of_both_directions_stay_in_step(self):
        chance, out = random.Random(1), 0
        rates = [[], []]
        for _ in range(1200):
            out = chance.random() < (0.8 if out else 1 / 40)
            for one in rates:
                keeps = len(one) and one[-1] and chance.random() < 0.7
                one.append(0 if out else one[-1] if keeps else chance.choice((2, 3, 4, 5, 6, 7)) + chance.random())
        for name, one in zip(("up", "down"), rates):
            (self.folder / name).write_text("".join("%d %r\n" % row for row in enumerate(one)), encoding="utf-8")
        self.ended(self.start(sys.executable, MARKOV_TOOL, "up", "--down", "down", "--seconds", "600", "--out", "both"), stderr="")
        texts = [(self.folder / f"both.{name}.csv").read_text() for name in ("up", "down")]
        made = [[rate for _, rate in read_trace(self.folder / f"both.{name}.csv")[1]] for name in ("up", "down")]
        is_low = [[rate < statistics.mean(one) / 10 for rate in one] for one in made]
        low = statistics.mean(up and down for up, down in zip(*is_low))
        self.assertAlmostEqual(low, statistics.mean(up == down == 0 for up, down in zip(*rates)), delta=0.012)
        self.assertGreater(low, 4 * statistics.mean(is_low[0]) * statistics.mean(is_low[1]))
        head = read_trace(self.folder / "both.up.csv")[0]
        self.assertEqual(head["saturated"], "both")
        self.assertEqual(head["both below a tenth of their means"].split(", ")[1], f"{low:.4f}")
        again = self.start(sys.executable, MARKOV_TOOL, "up", "--down", "down", "--seconds", "600")
        self.assertEqual(again.stdout, "".join(texts))

    def test_recordings_are_what_their_script_writes(self):
        self.start(sys.executable, RECORDINGS / "make.py", self.folder)
        made, shipped = ({path.relative_to(top): path.read_bytes() for path in top.glob("*/*")
                          if "__pycache__" not in str(path)} for top in (self.folder, RECORDINGS))
        self.assertTrue(made == shipped != {}, set(made) ^ set(shipped))

    @staticmethod
    def correlate(rates, lag):
        mean, variance = statistics.mean(rates), statistics.pvariance(rates)
        return statistics.mean((a - mean) * (b - mean) for a, b in zip(rates, rates[lag:])) / variance

    def test_bad_input_is_one_line_and_status_2(self):
        def write(name, text):
            (self.folder / name).write_text(text, encoding="utf-8")
            return name
        good = write("good", "".join("%d %d\n" % (i, 1 + (i - 1) // 50 % 2) for i in range(400)))
        cases = [
            (["nowhere"], "cannot be read: No such file"),
            (["."], "cannot be read"),
            ([write("empty", "")], "found 0 s"),
            ([write("words", "a b\n")], "no recording"),
            ([write("short", "0 1\n5 1\n")], "found 5 s, expected at least 60 s"),
            ([write("idle", "0 0\n100 0\n")], "not all below 1000"),
            ([write("negative", "0 1\n50 -1\n100 1\n")], "found 100 s"),
            ([write("huge", "0 1\n1e300 1\n")], "huge"),
            ([write("nan", "0 nan\n100 nan\n")], "nan"),
            ([write("columns", "Timestamp,UL_bitrate\n")], "no recording"),
            ([write("download", "Timestamp,DL_bitrate,UL_bitrate\n" + "".join(
                f"2024.02.01_00.{i // 60:02}.{i % 60:02},{9000 + 10 * i},{90 + i / 10}\n" for i in range(90))),
              "--direction", "up"], "UL_bitrate is 1% of DL_bitrate: acknowledgements"),
            ([good, "--seconds", "5"], '--seconds: found "5"'),
            ([good, "--seed", "x"], '--seed: found "x"'),
            ([good, "--direction", "left"], "--direction"),
            ([self.shipped()[0]], "no recording"),
            ([good, "--out", "."], "Is a directory"),
            ([], "recording")]
        for words, message in cases:
            with self.subTest(" ".join(map(str, words))):
                self.assert_one_line(self.start(sys.executable, MARKOV_TOOL, *words), message)


@unittest.skipUnless(PYTHON, "PyTorch and torchvision are not installed: the profiling tool is not "
                             "tested here (Debian: python3-torch python3-torchvision)")
class ProfilingTool(InFolder):
    def setUp(self):
        super().setUp()
        (self.folder / "nets.py").write_text(TINY)

    def run_tool(self, *arguments):
        return forked.run(PYTHON, TRACES / "capture/profile_model.py", *arguments, folder=self.folder)

    def profile(self, function, *more):
        done = self.run_tool(f"nets.py:{function}", "--device", "here", "--out", ".", "--threads", "1",
                             "--repeats", "3", "--busy-machine", *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return load_json(self.folder / f"models/{function}.json"), done

    def test_a_network_of_the_user_s_own(self):
        model, done = self.profile("tiny", "--batch", "1,4")
        self.assertEqual(model_problems(model), [])
        layers = {layer["name"]: layer for layer in model["layers"]}
        self.assertEqual(list(layers), ["input", "conv", "relu", "group", "add", "relu:2", "cat",
                                        "pool", "norm", "view", "head"])
        self.assertEqual(layers["group"]["operator"], "depthwise_conv2d")
        self.assertEqual(layers["add"]["operator"], "add")
        self.assertEqual(layers["add"]["inputs"], ["group", "relu"])
        self.assertEqual(layers["cat"]["inputs"], ["relu", "relu:2"])
        self.assertEqual(layers["view"]["inputs"], ["norm"])
        self.assertEqual(layers["conv"]["flop"], 2 * 27 * 8 * 64)
        self.assertEqual(layers["group"]["flop"], 2 * 9 * 8 * 64)
        self.assertEqual(layers["conv"]["parameterBytes"], 4 * 27 * 8)
        self.assertEqual(layers["head"]["parameterBytes"], 4 * (16 * 5 + 5))
        # conv keeps its input, relu its output, group's input is that same tensor, cat nothing.
        self.assertEqual(layers["conv"]["activationBytes"], 4 * 3 * 64)
        self.assertEqual(layers["relu"]["activationBytes"], 4 * 8 * 64)
        self.assertEqual(layers["group"]["activationBytes"], 0)
        self.assertIn("one value per channel", done.stderr)
        for batch in ("1", "4"):
            head, columns, rows = read_profile(
                self.folder / f"profiles/here/tiny.b{batch}.csv")
            self.assertEqual((head["batch"], head["repeats"], head["origin"], head["threads"], head["mode"]),
                             (batch, "3", "measured", "1", "training"))
            self.assertGreaterEqual(float(head["passSpreadSeconds"]), 0)
            self.assertEqual(columns, COLUMNS)
            self.assertEqual([row[0] for row in rows], list(layers))
            for row in rows[1:]:
                self.assertGreater(float(row[2]), 0, row[0])
                self.assertGreater(float(row[3]), 0, row[0])
        self.assertEqual([], list(self.folder.rglob("*.tmp")))

    def test_a_module_without_a_shape_takes_the_option_s(self):
        model, _ = self.profile("only_module", "--input-shape", "1,8,8")
        self.assertEqual(model["inputShape"], [1, 8, 8])

    def test_several_networks_of_a_stack_have_a_file_each(self):
        networks = ["nets.py:tiny", f"{TRACES}/capture/networks.py:mnist_cnn"]
        self.ended(self.run_tool(*networks, "--device", "here@fast", "--out", ".", "--repeats", "1",
                                 "--busy-machine"))
        for network, other in (networks, networks[::-1]):
            head, _, _ = read_profile(
                self.folder / f"profiles/here@fast/{network.split(':')[1]}.b1.csv")
            self.assertEqual(head["device"], "here@fast")
            self.assertIn(network, head["command"])
            self.assertNotIn(other, head["command"])

    def test_each_mode_has_a_profile_and_a_recording_of_its_own(self):
        self.profile("tiny", "--batch", "2", "--record", "0.05")
        folders = [self.folder / kind / "here" for kind in ("profiles", "passes")]
        self.assertEqual([sorted(path.name for path in folder.iterdir()) for folder in folders], [
            ["tiny.b2.csv", "tiny.b2.evaluation.csv"],
            ["tiny.b2.csv", "tiny.b2.evaluation.csv", "tiny.b2.evaluation.machine.csv", "tiny.b2.machine.csv"]])
        for mode, suffix in SUFFIXES.items():
            head, _, rows = read_profile(folders[0] / f"tiny.b2{suffix}.csv")
            self.assertEqual((head["mode"], {row[3] for row in rows} == {"0"}), (mode, mode == "evaluation"))
            self.assertIn(f"# mode: {mode}\n", (folders[1] / f"tiny.b2{suffix}.csv").read_text())
        self.profile("only_module", "--input-shape", "1,8,8", "--mode", "evaluation")
        self.assertEqual([path.name for path in folders[0].glob("only_module*")], ["only_module.b1.evaluation.csv"])

    def test_a_model_file_with_other_layers_is_not_overwritten(self):
        self.profile("tiny")
        path = self.folder / "models/tiny.json"
        text = path.read_text().replace('"norm"', '"other_norm"')
        path.write_text(text)
        done = self.ended(self.run_tool("nets.py:tiny", "--device", "here", "--out", ".", "--busy-machine"), 2)
        self.assertIn("other_norm", done.stderr)
        self.assertEqual(path.read_text(), text)

    def test_bad_input_is_one_line_and_status_2(self):
        cases = [
            (["resnet19", "--device", "d"], "unknown model 'resnet19'"),
            (["Resnet", "--device", "d"], "unknown model"),
            (["resnet18", "--device", "d", "--batch", "0"], "--batch: '0'"),
            (["resnet18", "--device", "d", "--batch", "1,x"], "--batch: '1,x'"),
            (["resnet18", "--device", "d", "--mode", "inference"], "--mode: 'inference': expected training or"),
            (["resnet18", "--device", "d", "--mode", "training,training"], "--mode: 'training,training'"),
            (["resnet18", "--device", "a/b"], "--device: 'a/b'"),
            (["resnet18", "--device", "a@b/c"], "--device: 'b/c'"),
            (["resnet18", "vgg16", "--device", "d", "--name", "n"], "--name: found one for 2 networks"),
            (["resnet18", "--device", "d", "--precision", "tf32"], "--precision tf32: needs"),
            (["resnet18"], "--device"),
            (["resnet18", "--device", "d", "--repeats", "-1"], '--repeats: found "-1"'),
            (["resnet18", "--device", "d", "--torch-device", "tpu"], "tpu"),
            (["resnet18", "--device", "d", "--clock", "cpu"], "--clock cpu"),
            (["resnet18", "--device", "d", "--colour"], "--colour"),
            (["alexnet", "--device", "d", "--input-shape", "3,8,8"], "3x8x8"),
            (["nets.py:missing", "--device", "d"], "no function 'missing'"),
            (["nets.py:no_module", "--device", "d"], "returned int"),
            (["nets.py:branching", "--device", "d"], "torch.fx cannot trace"),
            (["nowhere.py:f", "--device", "d"], "there is no file nowhere.py"),
            (["nets.py:tiny", "--device", "d", "--input-shape", "5,8,8"], "5x8x8")]
        runs = [self.run_tool(*arguments, "--out", "never") for arguments, _ in cases]
        for (arguments, words), done in zip(cases, runs):
            with self.subTest(" ".join(arguments)):
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                self.assertIn(words, done.stderr)
        self.assertFalse((self.folder / "never").exists())

    def test_as_a_command(self):
        tool = [PYTHON, TRACES / "capture/profile_model.py"]
        self.assert_one_line(self.start(*tool, "resnet18"))
        self.assertIn("--input-shape", self.start(*tool, "--help").stdout)
