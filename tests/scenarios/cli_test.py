# SPDX-License-Identifier: GPL-2.0-only
"""The programs as a user meets them: broken inputs, same seed same bytes, what a run leaves behind.

Every test runs built programs on a small model, cluster and profile of its own, in a folder of
its own; the device files and the capacities of links are the real ones.
"""

import json
import os
import re
import resource
import subprocess

from places import BIN, ROOT
from programs import (CLUSTER, MODEL, PAIR, PI, PROBLEM, PROFILE, QUICK, SMALL, STRONG, Program, change_json, layer,
                      put, replace, without)
from edgepipe.results_folder import ResultsFolder
from edgepipe.study_options import options_of

PROGRAMS = ("quickstart", "pipeline-training", "plan", "scalability")
PLANNERS = ("even", "dp", "exact")


# What the user reads as "this, found that, expected that": the words each message must hold.
BROKEN_FILES = [
    (MODEL, replace('"flop"', '"flops"'), [MODEL, "layers[0]", '"flops"', "flop,"]),
    (MODEL, put(9007199254740991, "layers", 1, "activationBytes"), ["no plan fits", '"conv"', "6.32 GB"]),
    (MODEL, put("conv3d", "layers", 1, "operator"), [MODEL, "layers[1].operator", '"conv3d"', "formats.rst"]),
    (MODEL, put(0, "layers", 1, "outputBytes"), [MODEL, "layers[1].outputBytes", "found 0"]),
    (MODEL, put("edgepipe-cluster 1", "format"),
     [MODEL, "format", '"edgepipe-cluster 1"', '"edgepipe-model 1"']),
    (MODEL, put([], "layers"), [MODEL, "layers", "no layer"]),
    (MODEL, put(10**12, "layers", 4, "parameterBytes"), ["no plan fits", '"head"', "3 TB", "6.32 GB"]),
    (PROFILE, replace("\nrelu,", "\nrelu6,"), [PROFILE, "line 10", '"relu6"', "a layer of model tiny"]),
    (PROFILE, replace("backwardSeconds", "operator2"), [PROFILE, "line 7", '"operator2"']),
    (PROFILE, replace(",forwardSeconds", ""), [PROFILE, "line 7", '"forwardSeconds" is missing']),
    (PROFILE, replace("0.004", "fast"), [PROFILE, "line 8", "backwardSeconds", '"fast"', "seconds"]),
    (PROFILE, replace("0.004", "1e999"), [PROFILE, "line 8", "backwardSeconds", '"1e999"', "seconds"]),
    (PROFILE, lambda text: text[:text.index("head,")], [PROFILE, '"head"', "no row"]),
    (PROFILE, replace(",0.004", ""), [PROFILE, "line 8", "3 fields", "expected 4"]),
    (PROFILE, replace("\nrelu,relu", "\nconv,relu"), [PROFILE, "line 10", '"conv"', "twice"]),
    (PROFILE, replace("# origin: measured\n", ""), [PROFILE, "# origin", "missing"]),
    (PROFILE, lambda text: text[text.index("layer,"):], [PROFILE, "# format", "missing"]),
    (PROFILE, replace("model: tiny", "model: huge"), [PROFILE, "model", '"huge"', '"tiny"']),
    (PROFILE, replace("raspberry-pi-5", "v100"), [PROFILE, "device", '"v100"', '"raspberry-pi-5"']),
    (PROFILE, replace("batch: 2", "batch: 3"), [PROFILE, "batch", "3", "2"]),
    (PROFILE, replace("profile 1", "profile 9"),
     [PROFILE, "format", '"edgepipe-profile 9"', '"edgepipe-profile 2"']),
    (PROFILE, replace("measured", "guessed"),
     [PROFILE, "origin", '"guessed"', "measured, published or estimated"]),
    (PROFILE, replace("# command:", "# command"), [PROFILE, "line 6", '"# key: value"']),
    (PROFILE, replace("# command:", "# batch:"), [PROFILE, "line 6", '"batch"', "twice"]),
    (PROFILE, lambda text: text[:text.index("layer,")],
     [PROFILE, "the line with the column names is missing"]),
    (PROFILE, lambda text: "", [PROFILE, "empty file"]),
    (CLUSTER, put("raspberry-pi-6", "devices", 1, "type"),
     [CLUSTER, "devices[1].type", '"raspberry-pi-6"', "devices/raspberry-pi-6.json"]),
    (CLUSTER, put("10000Tbps", "network", "bandwidth"),
     [CLUSTER, "network.bandwidth", "10000Tbps", "a data rate"]),
    (CLUSTER, put("1e300s", "network", "delay"), [CLUSTER, "network.delay", "1e300s", "a time"]),
    (CLUSTER, put(1e12, "devices", 1, "count"), [CLUSTER, "devices[1].count", "at most 100000"]),
    (CLUSTER, put({"link": "trace", "trace": "x.csv"}, "devices", 1, "network"),
     [CLUSTER, "devices[1].network.trace", '"x.csv"', "a file's path"]),
    (CLUSTER, put({"link": "lan", "mbps": 3}, "devices", 1, "network"),
     [CLUSTER, "devices[1].network", '"mbps"', "bandwidth"]),
    (CLUSTER, put([], "devices"), [CLUSTER, "devices", "no device"]),
    (CLUSTER, put("jetson-orin-nano", "devices", 1, "name"),
     [CLUSTER, "devices[1]", '"jetson-orin-nano-0"', "twice"]),
    (CLUSTER, put("infrared", "network", "link"),
     [CLUSTER, "network", "link", '"infrared"', "lan, lte, p2p"]),
    (CLUSTER, without("network"), [CLUSTER, '"network" is missing']),
    (CLUSTER, put(1, "devices", 0, "number"), [CLUSTER, "devices[0]", '"number"', "count"]),
    (PI, without("memoryBandwidthBytesPerSecond"),
     [PI, "missing memoryBandwidthBytesPerSecond;", "device_figures.py"]),
    (PI, put(0, "peakFlopPerSecond", "value"), [PI, "peakFlopPerSecond.value", "found 0", "above 0"]),
    (PI, without("loadWatts", "source"), [PI, "loadWatts", '"source" is missing']),
    (PI, put("", "loadWatts", "source"), [PI, "loadWatts.source", '""']),
    (PI, put(12.7, "loadWatts"), [PI, "loadWatts", "12.7", "an object"]),
    (PI, without("stacks", "pytorch", "figures", "linear"),
     [PI, "stacks.pytorch.figures", '"linear" is missing']),
    (PI, put(1, "stacks", "pytorch", "figures", "linears"),
     [PI, "stacks.pytorch.figures", '"linears"', "depthwiseConvolution"]),
    (PI, put("torch", "stack", "training"), [PI, "stack.training", '"torch"', "stacks"]),
    (PI, put("edgepipe-device 1", "format"), [PI, "format", '"edgepipe-device 1"', '"edgepipe-device 2"']),
    (PI, put("pi", "name"), [PI, "name", '"pi"', '"raspberry-pi-5"']),
]

BROKEN_OPTIONS = [
    (["--cabbage=1"], ["--cabbage", "unknown option", "--help"]),
    (["--iterations"], ["--iterations", "--iterations=VALUE"]),
    (["alexnet"], ['"alexnet"', "--NAME=VALUE"]),
    (["-iterations=3"], ['"-iterations=3"', "--NAME=VALUE"]),
    (["--model=no/such.json"], ["--model", "no/such.json", "no such file", "tiny"]),
    (["--model=./"], ["./", "directory"]),
    (["--planner=dp,best"], ["--planner", '"best"']),
    (["--link=wifi", "--distance=5000"], ["--distance: found 5000 m", "less"]),
    (["--planner=dp,dp"], ["--planner", '"dp,dp"', "different names"]),
    (["--planner="], ["--planner", '""', "dp, dp-dgpas, even, exact"]),
    (["--loss=1"], ["--loss", "1", "0 to 0.99"]),
    (["--bandwidth=0s:1Mbps,2s:2Mbps,1s:3Mbps"],
     ["--bandwidth", "0s:1Mbps,2s:2Mbps,1s:3Mbps", "order of time"]),
    (["--bandwidth=1s:1Mbps"], ["--bandwidth", "1s:1Mbps", "from 0s on"]),
    (["--bandwidth=0s:1Mbps,1s:0Mbps"], ["--bandwidth", "0 for a while except on lan and p2p"]),
    (["--bandwidth=1bps"], ["--bandwidth", "found 1,", "1e3"]),
    (["--delay=1"], ["--delay", '"1"', "ms"]),
    (["--devices=65536", "--pipelines=65536"], ["--pipelines", "at most 1000000 devices"]),
    (["--delay=200s"], ["--delay", "200", "100 s"]),
    (["--mtu=9000", "--link=wifi"], ["--mtu", "9000", "2296"]),
    (["--link=wifi", "--wifi-standard=n", "--wifi-width=80"], ["--wifi-width", "80", "20 to 40 MHz"]),
    (["--link=wifi", "--wifi-band=2.4", "--wifi-width=20"], ["--wifi-band", "2.4", "ac 5"]),
    (["--link=wifi", "--wifi-width=60"], ["--wifi-width", "60", "doubling"]),
    (["--link=wifi", "--distance=10000"], ["--planner-bandwidth", "jetson-orin-nano-0", "pi-0", "no data"]),
    (["--monitor=probe"], ["--monitor", "expected passive, since --replan=off does not use it; on does"]),
    (["--planning-time=measured"], ["--planning-time", "expected off, since --replan=off"]),
    (["--minimum-gain=5ms"], ["--minimum-gain", "expected 0s, since --adjacent=off"]),
    (["--iterations=3", "--ns3::edgepipe::PipelineCoordinator::Iterations=2"],
     ["--iterations", '"3"', "no --ns3::edgepipe::PipelineCoordinator::Iterations"]),
    (["--ns3::edgepipe::AdjacentScheduler::MinimumGain=1ms", "--adjacent=on"],
     ["--minimum-gain", '"0s"', "no --ns3::edgepipe::AdjacentScheduler::MinimumGain"]),
    (["--cost-plans=anew"], ["--cost-plans", "since --cost-draws=0 "]),
    (["--load-end=hold"], ["--load-end", "since --load= "]),
    (["--link=trace", "--bandwidth=1Mbps", "--trace-offset=3s"], ["--trace-offset", "no link replays a recording"]),
    (["--link=wifi", "--speed=3"], ["--speed", "since --mobility=static"]),
    (["--cut=pi-9@1s"], ["--cut", '"pi-9"', "pi-1"]),
    (["--cut=@1s"], ["--cut", '"@1s"', "DEVICE@TIME"]),
    (["--RngRun=-1"], ["--RngRun", '"-1"']),
    (["--RngSeed=0"], ["--RngSeed", '"0"']),
    (["--ns3::TcpSocket::Cabbage=1"], ["--ns3::TcpSocket::Cabbage", "no such attribute"]),
    (["--ns3::TcpSocket::SegmentSize=big"], ["--ns3::TcpSocket::SegmentSize", '"big"']),
    (["--PrintAttributes=ns3::Cabbage"], ["--PrintAttributes", '"ns3::Cabbage"']),
    (["--SchedulerType=ns3::Node"], ["--SchedulerType", '"ns3::Node"']),
    (["--out=/dev/null/results"], ["--out", "/dev/null/results", "not a folder"]),
    (["--out="], ["--out", '""']),
]

BROKEN_PROBLEMS = [
    (put("two-way cut", "problem"),
     ["problem:", '"two-way cut"', '"pipeline", "two-way-cut", "batch-shares", "multi-actor" or "language-model"']),
    (put([0.25], "costs", "t", "forwardSeconds"), ["costs.t.forwardSeconds", "1 costs", "2 layers"]),
    (put([1, 1, 1], "costs", "t", "backwardSeconds"), ["costs.t.backwardSeconds", "3 costs", "2 layers"]),
    (put([1e308, 1e308], "costs", "t", "forwardSeconds"), ["forwardSeconds", "inf s in all"]),
    (put(1e-310, "bandwidthBitsPerSecond"), ["bandwidthBitsPerSecond"]),
    (put(2**32, "microBatches"), ["microBatches", "4294967296", "at most 4294967295"]),
    (put("u", "devices", 1, "type"), ['"right"', '"u"']),
    (put("left", "devices", 1, "name"), ['"left"', "twice"]),
    (put([], "devices"), ["no device"]),
    (put([], "layers"), ["layers", "no layer"]),
]



# What programs need that the inputs of these tests have.
INPUTS = {"pipeline-training": SMALL, "adaptive-training": SMALL, "cooperative-inference": PAIR,
          "trace-replay": PAIR, "bandwidth-variation": PAIR}

# What people type and hand in that no table above has: the program, its options, files in the folder
# where it runs (None: a named pipe), and the words each message must hold.
MISTAKES = [
    ("a hexadecimal number", "pipeline-training", ["--iterations=0x10"], {},
     ["--iterations", '"0x10"', "a whole number from 1"]),
    ("digits of another script", "pipeline-training", ["--iterations=\u0663"], {},
     ["--iterations", "a whole number from 1"]),
    ("a per cent sign", "pipeline-training", ["--loss=5%"], {},
     ["--loss", '"5%"', "a number from 0 to 0.99"]),
    ("a rate in bytes", "pipeline-training", ["--bandwidth=10MB"], {}, ["--bandwidth", '"10MB"', "Mbps"]),
    ("a rate with two points", "pipeline-training", ["--bandwidth=1.5.5Gbps"], {},
     ["--bandwidth", "such as 5.85Mbps"]),
    ("a camera that never comes to its last frame", "cooperative-inference",
     ["--frame-rate=1e-300", "--link=lan"], {}, ["frame-rate", "1e-300", "100 frames in 1e9 s"]),
    ("a rate with a blank", "pipeline-training", ["--bandwidth=10 Mbps"], {},
     ["--bandwidth", "such as 5.85Mbps"]),
    ("a time in days", "pipeline-training", ["--delay=1d"], {}, ["--delay", "(ns, us, ms, s, min, h)"]),
    ("rates by time, separated by a semicolon", "pipeline-training",
     ["--bandwidth=0s:9Mbps;5s:2Mbps"], {}, ["--bandwidth", "0s:5.85Mbps,30s:1.1Mbps"]),
    ("a list with a hole", "pipeline-training", ["--planner=dp,,even"], {},
     ["--planner", "separated by commas"]),
    ("a dash that is none", "pipeline-training", ["\u2013-iterations=3"], {}, ["--NAME=VALUE, or --help"]),
    ("a short option", "pipeline-training", ["-n"], {}, ["--NAME=VALUE, or --help"]),
    ("a value in a word of its own", "pipeline-training", ["--iterations", "3"], {}, ["--iterations=VALUE"]),
    ("another case", "pipeline-training", ["--Model=tiny"], {}, ["did you mean --model?"]),
    ("no name", "pipeline-training", ["--=3"], {}, ["unknown option; --help"]),
    ("a name of 100 kB", "pipeline-training", [f"--{'x' * 100000}=1"], {}, ["unknown option"]),
    ("a value of 100 kB", "pipeline-training", [f"--model={'x' * 100000}"], {},
     ["--model", "expected a file's path or one of: tiny"]),
    ("an ONNX file as the model", "pipeline-training", ["--model=./net.onnx"], {"net.onnx": b"\x08\x07"},
     ["--model", "traces/capture/import_model.py ./net.onnx makes one of it"]),
    ("a function as the model", "cooperative-inference", ["--model=nets.py:net"], {},
     ["--model", "traces/capture/import_model.py nets.py:net makes one of it"]),
    ("a value with a line end", "pipeline-training", ["--model=ti\nny"], {}, ["--model", "ti?ny"]),
    ("a value that is no UTF-8", "pipeline-training", [b"--model=\xff"], {}, ["--model", "tiny"]),
    ("a named pipe as the model", "pipeline-training", ["--model=./pipe.json"],
     {"pipe.json": None}, ["./pipe.json", "a plain file"]),
    ("a device without an end as the model", "pipeline-training", ["--model=/dev/zero"], {},
     ["/dev/zero", "a plain file"]),
    ("UTF-16 as the model", "pipeline-training", ["--model=./m.json"],
     {"m.json": '{"format": 1}'.encode("utf-16")}, ["m.json", "not JSON"]),
    ("a model of 100,000 brackets", "pipeline-training", ["--model=./m.json"],
     {"m.json": b"[" * 100000}, ["m.json", "not JSON"]),
    ("a recording that nobody has", "trace-replay", ["--trace=lte-drivng"], {},
     ["--trace", '"lte-drivng"', "a file's path"]),
    ("a text as a library", "pipeline-training", ["--library=lib.so"], {"lib.so": b"text"},
     ["--library", "lib.so", "a shared library"]),
    ("a name that an option had", "data-parallel", ["--workers=4"], {}, ["type --devices=NUMBER"]),
    ("a name that another option had", "cooperative-inference", ["--server-load-trace=l.csv"], {},
     ["type --load=server:FILE"]),
    ("an option of cameras without a rate", "cooperative-inference", ["--frame-queue=3"], {},
     ["--frame-queue", "with --frame-rate"]),
    ("an option twice in a case", "fidelity", ["--case=planner=dp planner=even"], {},
     ["a second planner", "once"]),
    ("a folder as the recording to write", "record-bandwidth", ["--recording=folder"],
     {"folder/keep": b""}, ["--recording", "which is no file"]),
    ("a folder with somebody's results", "pipeline-training", ["--out=folder"],
     {"folder/results.csv": b"mine"}, ["--out", '"folder" holds "results.csv"', "new, empty"]),
    ("the folder where one works", "pipeline-training", ["--out=."], {"notes": b"mine"},
     ["--out", '"." holds "notes"']),
    ("a ~ after an equals sign", "pipeline-training", ["--out=~/r"], {}, ["--out", '"~/r"', "$HOME/r"]),
    ("a ~ in the name of a file", "plan", ["--problem=~/p.json"], {}, ["--problem", "$HOME/p.json"]),
    ("a plan for a device that is not there", "pipeline-training", ["--plan=p.json", "--dry-run"],
     {"p.json": b'{"stages": [{"device": "nobody", "firstLayer": "image", "lastLayer": "head"}]}'},
     ["p.json", '"nobody"']),
    ("a window without time", "wifi-calibration", ["--window=0s"], {}, ["--window", "1ms or more"]),
    ("a sweep that ends before it begins", "bandwidth-variation", ["--from=2Mbps", "--to=1Mbps"], {},
     ["--to", "2Mbps of --from"]),
]


class BrokenInputs(Program):
    def test_other_mistakes_are_refused_in_one_line(self):
        for sentence, program, options, files, words in MISTAKES:
            with self.case(sentence):
                for name, content in files.items():
                    path = self.folder / name
                    path.parent.mkdir(exist_ok=True)
                    os.mkfifo(path) if content is None else path.write_bytes(content)
                before = list(self.folder.rglob("*"))
                result = self.run_program(program, *INPUTS.get(program, ()), *options)
                self.assert_refused(result, words, before)
                self.assertLess(len(result.stderr), 2500)
                for name, content in files.items():
                    self.assertIn(content, (None, content and (self.folder / name).read_bytes()))

    def test_broken_files_are_refused_in_one_line(self):
        for name, change, words in BROKEN_FILES:
            with self.case(" ".join(words)):
                self.edit(name, change)
                self.assert_refused(self.run_program("pipeline-training", *QUICK), words)

    def test_broken_options_are_refused_in_one_line(self):
        self.refuse_each(BROKEN_OPTIONS, "pipeline-training", *SMALL)

    def test_broken_problems_are_refused_in_one_line(self):
        for change, words in BROKEN_PROBLEMS:
            with self.case(" ".join(words)):
                self.edit(PROBLEM, change)
                result = self.run_program("plan", f"--problem={self.inputs / PROBLEM}")
                self.assert_refused(result, [PROBLEM, *words])

    def test_plan_refuses_broken_options_in_one_line(self):
        problem = f"--problem={self.inputs / PROBLEM}"
        self.refuse_each([
            ([], ["--problem", '""']),
            (["--problem=none.json"], ["none.json", "No such file"]),
            ([problem, "--planner=best"], ["--planner", '"best"', "dp, dp-dgpas, even, exact"]),
            ([problem, "--planner=even,best"], ["--planner", '"best"', "dp, dp-dgpas, even, exact"]),
            ([problem, "--planner=even,best", "--dry-run"], ["--planner", '"best"', "dp, dp-dgpas, even, exact"]),
            ([problem, "--planner=qdmp"], ["--planner, for a pipeline:", '"qdmp"', "dp, dp-dgpas, even, exact"]),
            ([f"--problem={ROOT}/contrib/edgepipe/doc/examples/two-way-cut-problem.json", "--state-nodes=5"],
             ["--state-nodes", "0, since a two-way cut has none"]),
            ([problem, "--envelope"], ["--envelope", "a pipeline has none"]),
            ([problem, "--envelope=all"], ["--envelope", '"all"', "true or false"]),
        ], "plan")

    def test_every_planner_says_when_nothing_fits(self):
        self.edit(PROBLEM, put(100, "devices", 0, "memoryBytes"))
        self.edit(CLUSTER, put(100, "devices", 0, "memoryBytes"))
        self.edit(CLUSTER, put(150, "devices", 1, "memoryBytes"))
        self.edit(PROBLEM, put(150, "devices", 1, "memoryBytes"))
        for planner in PLANNERS:
            with self.subTest(planner):
                option = f"--planner={planner}"
                problem = f"--problem={self.inputs / PROBLEM}"
                self.assert_refused(self.run_program("plan", option, problem),
                                    [planner, '"a" needs 3.8 kB', "150 B"])
                self.assert_refused(self.run_program("pipeline-training", *QUICK, option),
                                    [planner, '"image" needs', "120 B", "plans leave 20 % of its memory free"])

    def test_a_stage_that_computes_for_longer_than_the_clock_runs_is_refused(self):
        self.edit(PROFILE, lambda text: text.replace("0.004", "1e30"))
        self.assert_refused(self.run_program("pipeline-training", *QUICK, "--planner=even"),
                            ["on pi-0", "computes until 4e+30 s", "at most 1e+09 s"])

    def test_results_that_cannot_be_written_are_refused(self):
        # Not even root may write there.
        self.assert_one_line(self.run_program("pipeline-training", *QUICK, "--out=/proc/edgepipe-results"),
                             '--out: cannot write "/proc/edgepipe-results": ')

    def test_a_folder_to_which_another_run_writes_is_refused(self):
        held = ResultsFolder(self.folder / "r")
        held.hold()
        for program, options in (("pipeline-training", QUICK), ("bandwidth-variation", PAIR)):
            for out in ("r", "./r/"):
                self.assert_refused(self.run_program(program, *options, f"--out={out}"),
                                    ["--out: found a run that writes to"])
        held.held.close()
        self.train("--out=r")

    def test_what_standard_output_loses_is_told(self):
        with open("/dev/full", "w") as full:
            result = subprocess.run([BIN / "plan", f"--problem={self.inputs / PROBLEM}"], text=True,
                                    stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(result.returncode, 2)
        self.assertRegex(result.stderr, r"^plan: standard output: .* disk full\?\n$")

    def test_a_limit_on_the_size_of_files_leaves_no_half_results(self):
        limit = (4096, resource.getrlimit(resource.RLIMIT_FSIZE)[1])
        result = self.ended(subprocess.run(
            [BIN / "pipeline-training", *QUICK, "--out=r"], cwd=self.folder, text=True,
            capture_output=True, env={**os.environ, "EDGEPIPE_TRACES": str(self.inputs)},
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit)), 2)
        self.assertIn("File too large", result.stderr)
        self.assertFalse((self.folder / "r").exists())

    def test_an_empty_variable_names_no_traces(self):
        self.inputs.rename(self.folder / "traces")
        self.ended(subprocess.run([BIN / "pipeline-training", *QUICK], cwd=self.folder, text=True,
                                  capture_output=True, env={**os.environ, "EDGEPIPE_TRACES": ""}))


class MutatedInputs(Program):
    TURNS = 1

    def test_a_mutated_file_works_or_is_refused_in_one_line(self):
        for name in (MODEL, CLUSTER):
            self.check_fields(name, "pipeline-training", *QUICK)
        for name, count in ((MODEL, 15), (PROFILE, 10), (CLUSTER, 15)):
            self.check_mutated(name, "pipeline-training", *QUICK, count=self.TURNS * count)

    def test_a_mutated_problem_works_or_is_refused_in_one_line(self):
        self.check_fields(PROBLEM, "plan", f"--problem={self.inputs / PROBLEM}")
        self.check_mutated(PROBLEM, "plan", f"--problem={self.inputs / PROBLEM}", count=20 * self.TURNS,
                           planners=PLANNERS)


# Everything a run writes but run.json, which tells the time on the wall.
# What every row of results.csv ends with.
SWEPT = ("bandwidthBitsPerSecond", "downlinkBitsPerSecond", "delaySeconds", "trace",
         "distanceMeters", "lossRate", "rngSeed", "rngRun")
TOLD = ("--planner-bandwidth=100Mbps",)  # which takes seconds to measure in packets
REPEATABLE = ("results.csv", "iterations.csv", "devices.csv", "links.csv", "timeline.json", "problem.json")


class SameSeedSameBytes(Program):
    def read(self, out):
        return {name: (self.folder / out / name).read_bytes() for name in REPEATABLE}

    def rows(self, out, planner):
        return [row for name in REPEATABLE if name.endswith(".csv")
                for row in self.read_csv(out, name) if row["planner"] == planner]

    def test_a_run_repeats_byte_by_byte(self):
        # Wi-Fi's bandwidth is measured in packets before the run.
        for options in (*(("--fidelity=flow", f"--link={link}") for link in ("lan", "p2p", "wifi")),
                        *(("--fidelity=packet", more, *TOLD)
                          for more in ("--link=lan", "--link=p2p", "--loss=0.01")),
                        ("--fidelity=packet", "--link=wifi")):
            with self.subTest(options):
                for out in ("first", "second"):
                    self.train(*options, "--planner=even,exact", "--iterations=2", "--RngRun=3", f"--out={out}")
                self.assertEqual(self.read("first"), self.read("second"))

    def test_another_run_number_changes_what_is_random(self):
        for options in (("--link=wifi", "--fidelity=packet"), ("--loss=0.01", "--fidelity=packet"),
                        ("--loss=0.01",)):
            with self.subTest(options[0]):
                for run in (1, 2):
                    self.train(*options, *TOLD, "--planner=even", f"--RngRun={run}", f"--out={run}")
                self.assertNotEqual(*(self.read_csv(run, "results.csv")[0]["iterationSeconds"]
                                      for run in "12"))
                self.assertNotEqual(self.read("1")["timeline.json"], self.read("2")["timeline.json"])

    def test_a_case_does_not_depend_on_the_cases_before_it(self):
        self.edit(CLUSTER, put(125000, "devices", 0, "memoryBytes"))
        for options in (("--link=wifi", "--fidelity=packet"), ("--loss=0.01", "--fidelity=packet"),
                        ("--loss=0.01",)):
            with self.subTest(options[0]):
                self.train(*options, *TOLD, "--planner=exact", "--out=alone")
                said = self.train(*options, *TOLD, "--planner=dp,even,exact", "--out=last").stdout
                self.assertIn('planner even: stage 0 (layers "image" to "conv") needs 188 kB', said)
                self.assertEqual([row["status"] for row in self.read_csv("last", "results.csv")],
                                 ["finished", "no-plan", "finished", "finished"])
                self.assertEqual(self.rows("alone", "exact"), self.rows("last", "exact"))


class Results(Program):
    def test_a_model_in_a_folder_of_its_kind_is_found_by_its_name(self):
        self.train("--out=above")
        self.refuse_model("transformers")
        kind = self.inputs / "models" / "kind"
        kind.mkdir()
        (self.inputs / MODEL).rename(kind / "tiny.json")
        self.train("--out=below")
        for table in ("results.csv", "iterations.csv", "timeline.json"):
            self.assertEqual((self.folder / "below" / table).read_bytes(),
                             (self.folder / "above" / table).read_bytes())
        self.refuse_model("kind")

    def refuse_model(self, name):
        result = self.train(f"--model={name}", status=2)
        self.assertIn("one of: tiny\n", result.stderr)

    def test_help_is_seen_beside_its_absence(self):
        self.train("--planner=even,exact", "--adjacent=both", "--adjacent-costs=ideal", "--out=r")
        rows = self.read_csv("r", "results.csv")
        self.assertEqual([(row["planner"], row["help"]) for row in rows],
                         [("even", ""), ("even + help", "ideal"),
                          ("exact", ""), ("exact + help", "ideal"), ("fastest-device", "")])
        self.train("--planner=exact", "--adjacent=on", "--adjacent-costs=ideal", "--out=on")
        self.assertEqual(rows[3]["iterationSeconds"],
                         self.read_csv("on", "results.csv")[0]["iterationSeconds"])

    def test_results_hold_a_row_per_planner_and_no_wall_clock(self):
        self.train("--planner=even,dp,exact", "--iterations=3", "--out=r")
        rows = self.read_csv("r", "results.csv")
        self.assertEqual([row["planner"] for row in rows], ["even", "dp", "exact", "fastest-device"])
        for row in rows:
            self.assertEqual((row["model"], row["cluster"], row["status"], row["iterations"]),
                             ("tiny", "lab", "finished", "3"))
            self.assertEqual(row["layerCostOrigins"], "estimated+measured")
            self.assertGreater(float(row["iterationSeconds"]), 0)
            self.assertGreater(float(row["predictedIterationSeconds"]), 0)
            spans = [float(one["iterationSeconds"]) for one in self.read_csv("r", "iterations.csv")
                     if one["planner"] == row["planner"]]
            self.assertEqual(len(spans), 3)
            self.assertAlmostEqual(sum(spans) / 3, float(row["iterationSeconds"]), places=8)
        self.assertEqual(len(self.read_csv("r", "devices.csv")), 12)
        self.train("--planner=even,dp,exact", "--out=one")
        for one, row in zip(self.read_csv("one", "results.csv"), rows):
            self.assertLess(abs(int(row["movedBytes"]) - int(one["movedBytes"])), 0.02 * int(one["movedBytes"]) + 1)

    def test_devices_that_a_plan_leaves_out_are_counted(self):
        said = self.train("--planner=even,exact", "--out=r").stdout
        stages = {row["planner"]: int(row["stages"]) for row in self.read_csv("r", "results.csv")}
        self.assertEqual(stages["fastest-device"], 1)
        devices = max(stages.values())
        left = re.search(rf"^of {devices} devices, left without a stage: (.*)$", said, re.MULTILINE)[1]
        for planner, used in stages.items():
            self.assertEqual(used < devices, planner in left, left)
        self.assertIn(f"{devices - 1} by fastest-device", left)
        self.assertNotIn("left without a stage", self.train("--planner=even", "--out=r").stdout)

    def test_gradients_of_inputs_that_travel_back_are_told(self):
        layers = [layer("image", "input", [], 0, 0, 12000), layer("conv", "conv2d", ["image"], 40000000, 4000, 16000)]
        (self.inputs / "models/bare.json").write_text(json.dumps(
            {"format": "edgepipe-model 1", "name": "bare", "layers": layers}))
        for planner, words in (("even", "even: of every micro-batch 24.00 kB travel back as gradients of inputs"),
                               ("fastest-device", "")):
            said = self.ended(self.run_program("pipeline-training", "--model=bare", "--cluster=lab", "--micro-batch-size=2",
                                               f"--planner={planner}", "--planner-bandwidth=900Mbps", "--out=r")).stdout
            self.assertIn(words, said)
            self.assertEqual("travel back" in said, bool(words))

    def test_a_single_device_is_told_no_measured_bandwidth(self):
        for link in ("wifi", "lan"):
            said = self.train("--planner=even", f"--link={link}", "--devices=1", "--out=r").stdout
            self.assertIn("planners are told no measured bandwidth: a single device sends nothing\n", said)
            self.assertNotIn("Mbit/s between", said.partition("layer costs of")[0])

    def test_a_comparison_ends_with_the_fastest_device_alone(self):
        def planners(*options):
            self.train(*options, "--out=r")
            return {row["planner"]: row for row in self.read_csv("r", "results.csv")}

        self.assertEqual(list(planners("--planner=even")), ["even"])
        self.assertEqual(list(planners("--planner=fastest-device,even")), ["fastest-device", "even"])
        row = planners("--planner=even,exact")["fastest-device"]
        self.assertEqual((row["stages"], row["movedBytes"]), ("1", "0"))
        least = min(float(one["iterationSeconds"]) for one in map(self.alone, (0, 1)))
        self.assertEqual(float(row["iterationSeconds"]), least)
        # The one that memory permits; none at all is no plan, which leaves the others as they are.
        for memory, status in ((1000000000, "finished"), (375000, "no-plan")):
            self.edit(CLUSTER, change_json(lambda cluster, most=memory: [
                one.update(memoryBytes=most if at == 0 else 375000) for at, one in enumerate(cluster["devices"])]))
            rows = planners("--planner=dp,exact")
            self.assertEqual(rows["fastest-device"]["status"], status)

    def alone(self, device):
        cluster = self.inputs / CLUSTER
        kept = cluster.read_text()
        self.edit(CLUSTER, change_json(lambda form: form["devices"].pop(1 - device)))
        self.train("--planner=even", "--out=alone")
        cluster.write_text(kept)
        return self.read_csv("alone", "results.csv")[0]

    def test_rows_of_many_runs_tell_what_was_swept(self):
        for options, expected in (
            (["--bandwidth=10Mbps", "--RngRun=3"], ("1e+07", "", "2e-05", "", "", "0", "1", "3")),
            (["--link=4g", "--delay=5ms", "--RngSeed=2"],
             ("5850000", "14700000", "0.005", "", "", "0", "2", "1")),
            (["--link=wifi", "--distance=7"], ("", "", "", "", "7", "0", "1", "1")),
        ):
            with self.subTest(options):
                self.train("--planner=even", *options, "--out=r")
                row, = self.read_csv("r", "results.csv")
                self.assertEqual(tuple(row[column] for column in SWEPT), expected)

    def test_run_json_says_what_was_run(self):
        self.train("--planner=even,exact", "--RngRun=7", "--out=r")
        run = json.loads((self.folder / "r" / "run.json").read_text())
        self.assertEqual((run["scenario"], run["rngSeed"], run["rngRun"]), ("pipeline-training", 1, 7))
        self.assertEqual(set(run["versions"]), {"edgepipe", "ns-3", "compiler"})
        self.assertTrue(all(run["versions"].values()))
        self.assertEqual((run["options"]["model"], run["options"]["planner"]), ("tiny", "even,exact"))
        self.assertEqual({kind: cost["origin"] for kind, cost in run["layerCosts"].items()},
                         {"jetson-orin-nano": "estimated", "raspberry-pi-5": "measured"})
        self.assertIn(PROFILE, run["layerCosts"]["raspberry-pi-5"]["source"])
        self.assertEqual([case["planner"] for case in run["cases"]], ["even", "exact", "fastest-device"])
        for plan in run["plans"]:
            self.assertRegex(plan["parts"][0]["work"], r"^image\b")
            self.assertRegex(plan["parts"][-1]["work"], r"\bhead$")

    def test_the_timeline_is_a_chrome_trace_of_every_pass(self):
        self.train("--planner=even", "--iterations=2", "--out=r")
        events = json.loads((self.folder / "r" / "timeline.json").read_text())["traceEvents"]
        processes = {event["pid"]: event["args"]["name"] for event in events
                     if event["name"] == "process_name"}
        self.assertEqual(set(processes.values()),
                         {f"even / {device}" for device in ("jetson-orin-nano-0", "pi-0", "pi-1")})
        tasks = [event for event in events if event.get("cat") == "task"]
        passes = [(processes[task["pid"]], task["name"], task["args"]["iteration"],
                   task["args"]["microBatch"]) for task in tasks if "microBatch" in task["args"]]
        # 3 stages, forward and backward, 2 iterations, 2 micro-batches.
        self.assertEqual((len(passes), len(set(passes))), (24, 24))
        self.assertLessEqual({"M", "X", "C"}, {event["ph"] for event in events})
        for pid in processes:
            spans = sorted((task["ts"], task["ts"] + task["dur"]) for task in tasks if task["pid"] == pid)
            for (_, end), (start, _) in zip(spans, spans[1:]):
                self.assertLessEqual(end, start + 1e-6)
        transfers = [event for event in events if event.get("cat") == "transfer"]
        self.assertGreater(sum(event["args"]["bytes"] for event in transfers), 0)
        self.assertTrue(all(event["dur"] >= 0 for event in transfers))

    def test_a_cut_after_the_end_says_so(self):
        said = self.train("--planner=even", "--cut=pi-0@900s", "--out=r").stdout
        self.assertIn("--cut: every run had ended when the links of pi-0 went dead, after 900 s\n", said)

    def test_a_cut_device_is_named_within_the_settable_time(self):
        result = self.train("--planner=even", "--iterations=100", "--cut=pi-0@0.5s",
                            "--stall-timeout=5s", "--out=r", status=3)
        first, *waits = result.stderr.splitlines()
        self.assertRegex(first, r"^pipeline-training: even: stalled, the run ends at 5\.\d+ s")
        text = "\n".join(waits)
        self.assertRegex(text, r"\S+-0: stage \d waits for (activations|gradients) of micro-batch "
                               r"\d, iteration \d+, from stage \d")
        self.assertRegex(text, r"(pi-0 -> \S+|\S+ -> pi-0): (activations|gradients) of "
                               r"micro-batch \d, iteration \d+, \d+ of \d+ bytes delivered")
        row, = self.read_csv("r", "results.csv")
        self.assertEqual((row["status"], row["iterationSeconds"]), ("stalled", ""))
        self.assertGreater(int(row["iterations"]), 3)
        self.assertLess(int(row["iterations"]), 100)
        diagnosis = json.loads((self.folder / "r" / "run.json").read_text())["cases"][0]["diagnosis"]
        self.assertEqual(diagnosis, [line.strip() for line in waits])

    def test_a_folder_with_a_blank_and_odd_letters_is_one_folder(self):
        out = os.fsdecode(b"my r\xe9sults \xff")
        self.train("--planner=even", f"--out={out}")
        self.assertEqual([path.name for path in self.folder.iterdir()], [out])
        self.assertEqual({path.name for path in (self.folder / out).iterdir()},
                         {*REPEATABLE, "report.html", "run.json", ".edgepipe-files"})

    def test_an_option_given_twice_is_refused(self):
        for words in (["--planner=even", "--planner=exact"], ["--RngRun=1", "--RngRun=1"]):
            self.assert_refused(
                self.run_program("pipeline-training", *QUICK, *words, repeats=True),
                [words[0].split("=")[0], "found a second one", words[1].split("=")[1]])

    def test_an_empty_option_means_what_its_help_says(self):
        self.train("--planner=even", "--link=", "--bandwidth=", "--cut=", "--out=r")
        self.assertEqual(self.read_csv("r", "results.csv")[0]["link"], "lan")

    def test_work_that_takes_no_time_leaves_no_odd_numbers(self):
        self.edit(MODEL, change_json(lambda model: [one.update(flop=0, outputBytes=0) for one in model["layers"]]))
        self.edit(PROFILE, lambda text: text.replace("0.002", "0").replace("0.004", "0"))
        self.edit(CLUSTER, change_json(lambda cluster: cluster["devices"].pop(0)))
        result = self.train("--planner=even,exact", "--weight-update=false", "--out=r")
        for name in REPEATABLE:
            self.assertNotRegex((self.folder / "r" / name).read_text(), r"(?i)\b-?(nan|inf)\b")
        self.assertNotRegex(result.stdout, r"(?i)\b-?(nan|inf)\b")

    def test_a_single_device_needs_no_network(self):
        self.edit(CLUSTER, change_json(lambda cluster: cluster["devices"].pop(1)))
        for link, planner in (("lan", "all"), ("p2p", "exact"), ("wifi", "exact")):
            with self.subTest(link):
                self.train(f"--link={link}", f"--planner={planner}", f"--out={link}")
                moved = [row["movedBytes"] for row in self.read_csv(link, "results.csv")]
                self.assertEqual(set(moved), {"0"})

    def test_plan_prints_one_plan_as_json(self):
        for planner in PLANNERS:
            with self.subTest(planner):
                result = self.ended(self.run_program("plan", f"--planner={planner}",
                                                     f"--problem={self.inputs / PROBLEM}"), stderr="")
                plan = json.loads(result.stdout)
                self.assertEqual(set(plan), {"planner", "formatVersion", "layerCount", "stages",
                                             "iterationSeconds", "decisionSeconds"})
                self.assertEqual(plan["planner"], planner)
                self.assertEqual(plan["stages"], [
                    {"device": "left", "firstLayer": "a", "lastLayer": "a"},
                    {"device": "right", "firstLayer": "b", "lastLayer": "b"}])
                # The closed form by hand: sums 2.5 + 2 * 0.008, maxima 0.5 and 1, M - 1 = 3.
                self.assertAlmostEqual(plan["iterationSeconds"], 2.516 + 3 * 1.5, places=9)
        self.assertEqual(list(self.folder.iterdir()), [])


class Scalability(Program):
    def sweep(self, *options, status=0):
        return self.ended(self.run_program("scalability", *STRONG, "--out=r", *options), status)

    def test_results_hold_a_row_per_case_and_costs_what_depends_on_the_machine(self):
        said = self.sweep("--planner=even,exact", "--devices=1,2,...,5", "--pipelines=1,3").stdout
        self.assertRegex(said, r"\nno more devices have a stage than tiny has layers, \d\n")
        self.assertEqual({path.name for path in (self.folder / "r").iterdir()},
                         {"report.html", "results.csv", "costs.csv", "run.json", ".edgepipe-files"})
        rows, costs = self.read_csv("r", "results.csv"), self.read_csv("r", "costs.csv")
        key = ("planner", "devices", "pipelines")
        keys = [tuple(row[column] for column in key) for row in rows]
        self.assertEqual(keys, [(planner, devices, pipelines) for planner in ("even", "exact")
                                for devices in "1245" for pipelines in "13"])
        self.assertEqual(keys, [tuple(row[column] for column in key) for row in costs])
        found = dict(zip(keys, rows))
        for (planner, devices, pipelines), row in found.items():
            self.assertEqual(row["status"], "finished")
            # Nothing is shared on a LAN: as long as alone, three times the samples.
            one = found[planner, devices, "1"]
            self.assertAlmostEqual(float(row["weakEfficiency"]), 1, places=6)
            self.assertAlmostEqual(float(row["iterationSeconds"]), float(one["iterationSeconds"]), places=9)
            samples = int(pipelines) * 2 * 2 / float(one["iterationSeconds"])
            self.assertAlmostEqual(float(row["samplesPerSecond"]) / samples, 1, places=6)
            base = found[planner, "1", pipelines]
            self.assertAlmostEqual(
                float(row["strongEfficiency"]),
                float(base["iterationSeconds"]) / float(row["iterationSeconds"]) / int(devices),
                places=6)
            self.assertEqual(int(row["transfers"]), int(pipelines) * int(one["transfers"]))
        self.assertEqual(found["even", "5", "1"]["stages"], "5")
        for row in costs:
            self.assertGreater(float(row["simulationSeconds"]), 0)
            self.assertGreater(float(row["decisionSeconds"]), 0)
            self.assertGreater(int(row["simulationPeakMemoryBytes"]), 1e6)

    def test_other_workloads_are_swept(self):
        for workload, case, wall in (
                ("cooperative-inference",
                 "model=tiny device=raspberry-pi-5 server=jetson-orin-nano frames=5", 5),
                ("actor-learner", "model=tiny actor=raspberry-pi-5 server=jetson-orin-nano duration=3s "
                 "warm-up=1s link=lan", None),
                ("data-parallel", "model=tiny cluster=lab updates=10", 10)):
            with self.subTest(workload):
                result = self.run_program("scalability", f"--workload={workload}", f"--case={case}",
                                          "--devices=2,4", "--out=r")
                self.assertEqual(result.returncode, 0, result.stderr)
                rows, costs = self.read_csv("r", "results.csv"), self.read_csv("r", "costs.csv")
                self.assertIn(f", over {rows[0]['link']} at flow level\n", result.stdout)
                self.assertRegex(result.stdout, "layer costs of (actor )?raspberry-pi-5: ")
                self.assertEqual([(row["workload"], row["devices"], row["status"]) for row in rows],
                                 [(workload, devices, "finished") for devices in "24"])
                self.assertEqual(float(rows[0]["weakEfficiency"]), 1)
                for row, cost in zip(rows, costs):
                    if wall:
                        self.assertEqual(int(row["requests"]), wall * int(row["devices"]))
                    self.assertGreater(int(row["events"]), int(row["requests"]))
                    self.assertAlmostEqual(float(cost["microsecondsPerRequest"]),
                                           1e6 * float(cost["simulationSeconds"]) / int(row["requests"]))
                self.ended(self.start("/usr/bin/python3", ROOT / "analysis/scalability.py", "r"))

    def test_a_workload_says_how_many_devices_it_refuses(self):
        for options, words in ((["--workload=knitting"], ["--workload", '"knitting"', "actor-learner"]),
                               (["--workload=actor-learner", "--case=knots=3"], ["knots", "actor-learner"])):
            self.assert_refused(self.run_program("scalability", *options, "--out=q"), words)
        result = self.ended(self.run_program("scalability", "--workload=data-parallel", "--devices=2,20000",
                                             "--case=model=tiny cluster=lab updates=2", "--out=r"))
        self.assertIn("bno, 20000 devices: --devices: found \"20000\", expected a whole number from 0 to "
                      "16384", result.stdout)
        self.assertEqual([row["status"] for row in self.read_csv("r", "results.csv")],
                         ["finished", "refused"])

    def test_without_counts_it_sweeps_pipelines_in_one_cell(self):
        self.ended(self.run_program("scalability", *SMALL, "--planner=even", "--out=r"))
        rows = self.read_csv("r", "results.csv")
        self.assertEqual([(row["devices"], row["pipelines"], row["link"]) for row in rows],
                         [("4", pipelines, "wifi") for pipelines in ("1", "2", "4", "8", "16")])

    def test_a_case_equals_pipeline_training_on_the_same_devices(self):
        self.sweep("--planner=even,exact", "--devices=3")
        self.train("--planner=even,exact", "--out=alone")
        for case, alone in zip(self.read_csv("r", "results.csv"), self.read_csv("alone", "results.csv")):
            for column in ("planner", "stages", "iterationSeconds", "bubbleRate", "movedBytes",
                           "layerCostOrigins"):
                self.assertEqual(case[column], alone[column], column)
            # A case is told the bandwidth that was measured as a whole number of bit/s.
            self.assertAlmostEqual(float(case["predictedIterationSeconds"]),
                                   float(alone["predictedIterationSeconds"]), places=9)

    def test_counts_without_a_plan_are_named_and_the_others_run(self):
        self.edit(MODEL, put(1_600_000_000, "layers", 4, "parameterBytes"))
        self.edit(MODEL, put(1_600_000_000, "layers", 1, "parameterBytes"))
        result = self.sweep("--planner=even", "--devices=1,2,3")
        self.assertEqual([row["status"] for row in self.read_csv("r", "results.csv")],
                         ["no-plan", "finished", "finished"])
        self.assertRegex(result.stdout, r"\n1 device: planner even: .*needs 9.6 GB")
        with open(self.folder / "r" / "run.json") as file:
            self.assertIn("needs 9.6 GB", json.load(file)["cases"][0]["reason"][0])

    def test_a_pipeline_that_stalls_is_named(self):
        result = self.sweep("--planner=even", "--devices=3", "--pipelines=2", "--iterations=100",
                            "--cut=pi-0@0.5s", "--stall-timeout=5s", status=3)
        self.assertRegex(result.stderr, r"^scalability: even, 3 devices, 2 pipelines: stalled, the "
                                        r"run ends at \d+(\.\d+)? s; who waits for what:\n  ")
        self.assertNotIn("site-1/", result.stderr)
        self.assertEqual(self.read_csv("r", "results.csv")[0]["status"], "stalled")

    def test_work_that_takes_no_time_leaves_no_odd_numbers(self):
        self.edit(PROFILE, lambda text: text.replace("0.002", "0").replace("0.004", "0"))
        self.edit(CLUSTER, change_json(lambda cluster: cluster["devices"].pop(0)))
        result = self.sweep("--planner=even", "--weight-update=false", "--devices=1,2")
        for text in (result.stdout, *(path.read_text() for path in (self.folder / "r").iterdir()
                                      if path.suffix != ".html")):
            self.assertNotRegex(text, r"(?i)\b-?(nan|inf|null)\b")

    def test_broken_sweeps_are_refused_in_one_line(self):
        counts = "rising whole numbers from 1 to 1000000"
        self.refuse_each([
            (["--devices=4,2"], ["--devices", '"4,2"', counts]),
            (["--devices=2000000"], ["--devices", '"2000000"', counts]),
            (["--devices=1000", "--pipelines=1001"],
             ["--pipelines", "1000000 devices in all (lan at flow level)", "1001 x 1000"]),
            (["--devices=1001", "--fidelity=packet", "--link=p2p"],
             ["--devices", "1000 devices in all (p2p at packet level)"]),
            (["--devices=2,3", "--cut=pi-1@1s"], ["--cut", '"pi-1"', "pi-0"]),
            (["--planner=best"], ["--planner", '"best"']),
        ], "scalability", *STRONG)


class Help(Program):
    def describe(self, program):
        """Defaults by option, as --describe has them; --help has the same options."""
        said, shown = (self.ended(self.run_program(program, word), stderr="").stdout for word in ("--describe", "--help"))
        options = options_of(said)
        self.assertEqual(re.findall(r"^ *--(\S+):", shown.split("Program Options:")[1].split("General Arguments:")[0],
                                    re.MULTILINE), [one.name for one in options])
        for one in options:
            self.assertIn(f"{one.help} [{one.default}]" if one.default else one.help, shown)
        return {one.name: one.default for one in options}

    def test_help_lists_every_option_with_its_default(self):
        for program in ("quickstart", "pipeline-training", "scalability"):
            with self.subTest(program):
                given = ("--model=tiny", "--cluster=lab", "--micro-batch-size=2", "--out=r")
                self.ended(self.run_program(program, *given))
                options = json.loads((self.folder / "r" / "run.json").read_text())["options"]
                shown = self.describe(program)
                self.assertEqual(set(shown) - {"jobs"}, set(options))  # results depend on no jobs
                changed = {name for name in options if shown[name] != options[name]}
                self.assertEqual(changed, {"model", "cluster", "micro-batch-size", "out"})
                self.assertEqual(shown["model"], "alexnet")
                self.assertEqual(shown["out"], f"results/{program}")

    def test_help_of_plan_lists_its_options(self):
        self.assertEqual(self.describe("plan"),
                         {"problem": "", "planner": "", "envelope": "false",
                          "state-nodes": "0", "pairs": "false", "cost-draws": "0",
                          "cost-plans": "kept", "cost-spread": "0"})

    def test_help_runs_nothing(self):
        for program in PROGRAMS:
            with self.subTest(program):
                self.assertEqual(self.run_program(program, "--model=tiny", "--help").returncode,
                                 2 if program == "plan" else 0)
                self.assertEqual(self.run_program(program, "-h").stdout, self.run_program(program, "--help").stdout)
        self.assertEqual(list(self.folder.iterdir()), [])
