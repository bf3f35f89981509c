# SPDX-License-Identifier: GPL-2.0-only
"""Cooperative inference as a user meets it: cooperative-inference, trace-replay,
bandwidth-variation."""

import json
import re

from places import ROOT
from programs import NANO, Program, layer, put

PLANNERS = ("qdmp", "dads", "neurosurgeon", "exact", "edge-only", "cloud-only")
VARIED = [planner for planner in PLANNERS if planner != "exact"]  # by bandwidth-variation
MODEL = "models/camera.json"
CAMERA = ("--model=camera", "--device=raspberry-pi-5", "--server=jetson-orin-nano")
RECORDING = "falling.csv"
PAYLOAD = 1448 / 1500  # of an IP packet over TCP

# One element of the frame takes a byte, of a tensor four: 120 kB up for all, 16 kB after
# "pool".
LAYERS = [
    layer("image", "input", [], 0, 0, 480_000),
    layer("conv", "conv2d", ["image"], 5_000_000_000, 4000, 640_000),
    layer("relu", "relu", ["conv"], 4000, 0, 640_000),
    layer("sum", "add", ["conv", "relu"], 4000, 0, 640_000),
    layer("pool", "pool", ["sum"], 4000, 0, 16_000),
    layer("head", "conv2d", ["pool"], 20_000_000_000, 40000, 40),
]

FILES = ("results.csv", "frames.csv", "plans.csv", "bandwidth.csv", "links.csv")

# Words of the command line that are refused, and words of the answer.
REFUSED = [
    (["--planning-time=off:1"], ["--planning-time", "off"]),
    (["--planning-time=measured:0"], ["--planning-time", "above 0"]),
    (["--planner-bandwidth=1Mbps,2Mbps,3Mbps"], ["--planner-bandwidth", "one up and one down"]),
    # A file of such a name is no option.
    (["--link=trace", "--trace=trace-none.csv"], ["--trace: found", "trace-none.csv"]),
    (["--link=trace", "--trace=./none.csv", "--trace-end=never"], ["--trace-end: found \"never\""]),
    (["--objective=throughput"], ["--objective", "qdmp", "exact"]),
    (["--objective=throughput", "--planner=exact,dads"], ["--objective", "dads", "exact"]),
    (["--know-others=true", "--replan=false"], ["--know-others", "--replan"]),
    (["--replan-threshold=1", "--replan=0"], ["--replan-threshold", "expected 0.1, since --replan=0 "]),
    (["--cluster=mixed-lab", "--devices=2"], ["--devices", "none where --cluster says it"]),
]


class Cooperative(Program):
    def start_afresh(self):
        super().start_afresh()
        model = {"format": "edgepipe-model 1", "name": "camera", "layers": LAYERS}
        (self.inputs / MODEL).write_text(json.dumps(model))
        # The server is fast at few outputs too.
        self.edit(NANO, put(1, "stacks", "tensorrt", "figures", "saturationOutputs"))
        # All on the server pays at 20 Mbit/s, next to nothing is worth sending at 20 kbit/s.
        (self.inputs / RECORDING).write_text("seconds,bitsPerSecond\n0,20000000\n6,20000\n"
                                             "12,20000\n")

    def infer(self, *options, program="cooperative-inference", status=0):
        return self.ended(self.run_program(program, *CAMERA, *options), status)

    def write_profile(self, mode, seconds):
        """A profile of the camera's network on the Pi, in training or evaluation mode."""
        folder = self.inputs / "profiles/raspberry-pi-5"
        folder.mkdir(parents=True, exist_ok=True)
        backward = seconds if mode == "training" else 0
        (folder / f"camera.b1{'.evaluation' * (mode == 'evaluation')}.csv").write_text("\n".join([
            "# format: edgepipe-profile 2", "# model: camera", "# device: raspberry-pi-5", "# batch: 1",
            f"# mode: {mode}", "# origin: measured", "# repeats: 9", "layer,forwardSeconds,backwardSeconds",
            *(f"{one['name']},{seconds},{backward}" for one in LAYERS), ""]))

    def rows(self, name):
        return self.read_csv("out", name)


class CooperativeInference(Cooperative):
    def test_inference_is_measured_by_evaluation_mode_alone(self):
        for mode, seconds, origin, source in (
                ("training", 0.5, "estimated", "from passes in training mode: profiles/raspberry-pi-5/camera.b1.csv (9 runs); "
                 "90 % within /1.5 to x1.5"),
                ("evaluation", 0.25, "measured", "profiles/raspberry-pi-5/camera.b1.evaluation.csv (9 runs)")):
            with self.subTest(mode):
                self.write_profile(mode, seconds)
                said = self.infer("--planner=edge-only", "--frames=2", "--out=o").stdout
                self.assertIn(f"layer costs of raspberry-pi-5: {origin} ({source})\n", said)
                run = json.loads((self.folder / "o" / "run.json").read_text())
                self.assertEqual({name: run["layerCosts"]["raspberry-pi-5"][name] for name in ("origin", "source", "mode")},
                                 {"origin": origin, "source": source, "mode": mode})
                row, = self.read_csv("o", "results.csv")
                self.assertEqual(row["layerCostOrigins"], "+".join(sorted({origin, "estimated"})))
                self.assertAlmostEqual(float(row["meanLatencySeconds"]), 6 * seconds, places=6)

    def test_tokens_are_sent_as_wide_as_the_model_has_them(self):
        self.infer(f"--model={ROOT}/traces/models/transformers/bert_base.json", "--planner=cloud-only", "--frames=2",
                   "--out=o")
        problem = json.loads((self.folder / "o" / "problem.json").read_text())
        self.assertEqual(problem["inputBytes"], 128 * 8)

    def test_a_stack_of_half_precision_says_that_the_model_keeps_its_bytes(self):
        note = "jetson-orin-nano in fp16: memory and messages are as wide as the model's numbers\n"
        self.assertNotIn("in fp16", self.infer("--server=jetson-orin-nano", "--frames=2", "--out=o").stdout)
        self.edit(NANO, put("fp16", "stacks", "tensorrt", "precision"))
        self.assertIn(note, self.infer("--server=jetson-orin-nano", "--frames=2", "--out=o").stdout)

    def test_unlike_stacks_are_told_above_the_numbers(self):
        note = "unlike stacks, so devices differ by software too: "
        for device, server, stacks in (
                ("raspberry-pi-5", "jetson-orin-nano", "raspberry-pi-5 engine, fp32; jetson-orin-nano engine, tf32"),
                ("raspberry-pi-5@pytorch", "jetson-orin-nano@pytorch",
                 "raspberry-pi-5@pytorch eager, fp32; jetson-orin-nano@pytorch eager, tf32"),
                ("raspberry-pi-5@xnnpack", "jetson-orin-nano@opencv-cuda", ""),
                (f"{self.inputs}/devices/raspberry-pi-5.json@pytorch", "jetson-orin-nano@opencv-cuda",
                 "raspberry-pi-5@pytorch eager, fp32; jetson-orin-nano@opencv-cuda engine, fp32")):
            with self.subTest(device):
                said = self.infer(f"--device={device}", f"--server={server}", "--frames=2", "--out=o").stdout
                run = json.loads((self.folder / "o" / "run.json").read_text())
                self.assertEqual("unlikeStacks" in run, bool(stacks))
                self.assertEqual(note in (self.folder / "o" / "report.html").read_text(), bool(stacks))
                if stacks:
                    self.assertEqual(set(run["unlikeStacks"].removeprefix(note).split("; ")), set(stacks.split("; ")))
                    self.assertLess(said.index(run["unlikeStacks"]), said.index("qdmp  "))
                self.assertEqual(note in said, bool(stacks))
        for device, words in (("raspberry-pi-5@onnx", 'found none that is called "onnx", expected ncnn-fp16, ncnn-int8, pytorch, xnnpack or xnnpack-int8'),
                              ("raspberry-pi-5@", "expected a stack's name after the @"), ("pi@x", '--device: found "pi"')):
            with self.subTest(device):
                self.assert_one_line(self.run_program("cooperative-inference", *CAMERA, f"--device={device}"), words)

    def test_files_hold_every_planner(self):
        said = self.infer("--planner=all", "--frames=5", "--out=out").stdout
        for name in FILES:
            self.assertEqual({row["planner"] for row in self.rows(name)}, set(PLANNERS), name)
        for planner in PLANNERS:
            self.assertIn(planner, said)
        self.assertRegex(said, r"estimated \(roofline of device raspberry-pi-5, ExecuTorch with XNNPACK; "
                         r"90 % within /1\.\d to x1\.\d\)")
        run = json.loads((self.folder / "out/run.json").read_text())
        self.assertEqual(run["options"]["frames"], "5")
        self.assertEqual([case["status"] for case in run["cases"]], ["finished"] * len(PLANNERS))
        problem = json.loads((self.folder / "out/problem.json").read_text())
        self.assertEqual(problem["inputBytes"], 120_000)
        self.assertEqual(problem["layers"][4]["outputBytes"], 16_000)
        self.assertIn("predictedDeviceSeconds", problem["layers"][1])
        for rate in ("uplinkBitsPerSecond", "downlinkBitsPerSecond"):
            self.assertEqual(problem[rate], float(self.rows("plans.csv")[0][rate]))

    def test_figures_agree_with_one_another(self):
        self.infer("--planner=qdmp,cloud-only", "--frames=40", "--frame-rate=60", "--link=3g", "--out=out")
        for result in self.rows("results.csv"):
            frames = [row for row in self.rows("frames.csv") if row["planner"] == result["planner"]]
            done = [row for row in frames if row["status"] == "finished"]
            self.assertEqual(len(frames), 40)
            self.assertEqual(int(result["finishedFrames"]), len(done))
            self.assertEqual(int(result["droppedFrames"]), 40 - len(done))
            self.assertEqual({row["status"] for row in frames if row not in done} - {"dropped"}, set())
            latencies = sorted(float(row["latencySeconds"]) for row in done)
            self.assertAlmostEqual(float(result["meanLatencySeconds"]),
                                   sum(latencies) / len(latencies), places=9)
            rank = -(-95 * len(latencies) // 100)
            self.assertEqual(float(result["p95LatencySeconds"]), latencies[rank - 1])
            for row in done:
                times = [float(row[f"{what}Seconds"]) for what in
                         ("arrived", "started", "computed", "uploaded", "served", "finished")]
                self.assertEqual(times, sorted(times))
        cloud = self.rows("results.csv")[1]
        self.assertGreater(int(cloud["droppedFrames"]), 0)
        self.assertEqual(float(cloud["uplinkBytesPerFrame"]), 120_000)
        self.assertEqual(float(cloud["downlinkBytesPerFrame"]), 40)

    def test_latencies_are_told_by_device(self):
        said = self.infer("--planner=qdmp,edge-only", "--frames=4", "--devices=2", "--out=out").stdout
        for planner in ("qdmp", "edge-only"):
            told = re.search(rf"Mean latency of {planner} by device: (\S+) (\S+) ms, (\S+) (\S+) ms\n", said)
            for device, mean in ((told[1], told[2]), (told[3], told[4])):
                found = [float(row["latencySeconds"]) for row in self.rows("frames.csv")
                         if (row["planner"], row["device"]) == (planner, device)]
                self.assertEqual(len(found), 4)
                self.assertAlmostEqual(1000 * sum(found) / 4 / float(mean), 1, delta=1e-3)
        self.assertRegex(self.infer("--planner=qdmp", "--frames=2", "--devices=9", "--out=out").stdout,
                         "Mean latency of qdmp by device, least and most: ")
        self.assertNotIn("by device", self.infer("--planner=qdmp", "--frames=2", "--out=out").stdout)

    def test_a_frame_alone_takes_what_is_predicted(self):
        self.infer("--planner=all", "--frames=1", "--link=p2p", "--bandwidth=2Mbps",
                   "--start-up=false", "--monitor=oracle", "--out=out")
        rows = {row["planner"]: row for row in self.rows("results.csv")}
        for planner, row in rows.items():
            predicted, simulated = (float(row[f"{what}LatencySeconds"]) for what in ("predicted", "mean"))
            self.assertAlmostEqual(predicted / simulated, 1, delta=0.02, msg=planner)
            self.assertLessEqual(float(rows["qdmp"]["predictedLatencySeconds"]),
                                 predicted * (1 + 1e-9), planner)
        plans = {row["planner"]: row for row in self.rows("plans.csv")}
        self.assertEqual(plans["qdmp"]["cut"], "3 of 4 layers on the device, then pool")
        self.assertEqual(plans["edge-only"]["cut"], "all on the device")
        self.assertEqual(plans["cloud-only"]["cut"], "all on the server")
        self.assertEqual(float(rows["qdmp"]["uplinkBytesPerFrame"]), 16_000)

    def test_devices_share_the_server(self):
        self.infer("--devices=3", "--frames=4", "--planner=cloud-only", "--out=out")
        frames = self.rows("frames.csv")
        self.assertEqual({row["device"] for row in frames}, {f"raspberry-pi-5-{i}" for i in range(3)})
        self.infer("--frames=4", "--planner=cloud-only", "--out=alone")
        self.assertGreater(float(self.rows("results.csv")[0]["meanLatencySeconds"]),
                           float(self.read_csv("alone", "results.csv")[0]["meanLatencySeconds"]))

    def test_throughput_is_planned_for_and_predicted(self):
        for planner in ("exact", "cloud-only"):
            said = self.infer("--objective=throughput", f"--planner={planner}", "--in-flight=8",
                              "--frames=60", "--link=p2p", "--bandwidth=8Mbps", "--out=out").stdout
            self.assertIn("predicted frames/s", said)
            row = self.rows("results.csv")[0]
            self.assertAlmostEqual(float(row["predictedFramesPerSecond"]),
                                   float(self.rows("plans.csv")[0]["predictedFramesPerSecond"]))
            self.assertLess(abs(float(row["framesPerSecond"])
                                / float(row["predictedFramesPerSecond"]) - 1), 0.1)
        self.assertIn('"throughput"', (self.folder / "out/problem.json").read_text())
        said = self.infer("--objective=throughput", "--planner=all", "--frames=5", "--out=out").stdout
        able = [row["planner"] for row in self.rows("results.csv")]
        self.assertEqual(able, ["cloud-only", "edge-only", "exact", "neurosurgeon"])
        self.assertIn("left out, since they do not plan for throughput: dads", said)
        self.assertIn("and qdmp\n", said)

    def test_who_knows_the_others_leaves_a_server_that_is_too_slow(self):
        self.edit(NANO, put(400e9, "peakFlopPerSecond", "value"))
        latency = {}
        for knows in ("false", "true"):
            self.infer("--devices=30", "--frame-rate=2", "--frames=30", "--link=lan",
                       "--bandwidth=1Gbps", "--replan-period=1s", f"--know-others={knows}", "--out=out")
            latency[knows] = float(self.rows("results.csv")[0]["meanLatencySeconds"])
        # 30 cameras of 2 frames/s have three times what the server can do.
        self.assertGreater(latency["false"], 10)
        self.assertLess(latency["true"], latency["false"] / 5)

    def test_a_cluster_of_equals_is_what_the_options_say(self):
        server = {"type": "jetson-orin-nano", "name": "server"}
        cluster = {"format": "edgepipe-cluster 1", "name": "equal", "source": "this test",
                   "devices": [{"type": "raspberry-pi-5", "count": 3}, server],
                   "network": {"link": "4g"}}
        (self.folder / "c.json").write_text(json.dumps(cluster))
        self.infer("--devices=3", "--frames=4", "--out=out")
        self.ended(self.run_program("cooperative-inference", "--model=camera", "--cluster=c.json",
                                    "--frames=4", "--out=own"))
        for name in FILES:
            self.assertEqual((self.folder / "out" / name).read_text(),
                             (self.folder / "own" / name).read_text().replace("server-0", "server"))
        cluster["network"]["link"] = "lan"
        cluster["devices"][0]["count"] = 1
        cluster["devices"][0]["network"] = {"link": "wifi"}
        cluster["devices"].insert(1, {"type": "jetson-orin-nano", "network": {"link": "lan"}})
        (self.folder / "c.json").write_text(json.dumps(cluster))
        self.ended(self.run_program("cooperative-inference", "--model=camera", "--cluster=c.json",
                                    "--frames=4", "--load=server:0.9@0s", "--out=out"))
        row = self.rows("results.csv")[0]
        self.assertEqual((row["deviceType"], row["serverType"], row["devices"]),
                         ("raspberry-pi-5, jetson-orin-nano", "jetson-orin-nano", "2"))
        device = [json.loads((self.folder / f"out/problem{of}.json").read_text())["layers"][1]
                  ["deviceSeconds"] for of in ("", "-jetson-orin-nano")]
        self.assertGreater(device[0], device[1])
        rates = [float(row["uplinkBitsPerSecond"]) for row in self.rows("plans.csv")]
        self.assertNotEqual(*rates)

    def test_start_up_and_planning_take_their_time(self):
        for without, paid, options in (
                ("--start-up=false", "--start-up=true",
                 ("--planner=cloud-only", "--frames=1", "--delay=20ms", "--bandwidth=20Mbps")),
                ("--planning-time=off", "--planning-time=fixed:2s",
                 ("--frames=30", "--frame-rate=10", "--frame-queue=100", "--monitor=oracle",
                  "--bandwidth=0s:20Mbps,1s:100kbps,2s:20Mbps"))):
            means = []
            for option in (without, paid):
                self.infer(option, "--link=p2p", *options, "--out=out")
                means.append(float(self.rows("results.csv")[0]["meanLatencySeconds"]))
            self.assertGreater(means[1], 1.1 * means[0])

    def test_a_dead_link_stalls_with_a_diagnosis(self):
        result = self.infer("--planner=cloud-only", "--cut=raspberry-pi-5-0@500ms",
                            "--stall-timeout=5s", "--out=out", status=3)
        self.assertRegex(result.stdout, r"cloud-only +- +stalled( +-){4} +0 ")
        self.assertRegex(result.stdout, r"cloud-only: stalled, \d+ of 100 frames ended\n")
        self.assertIn("who waits for what", result.stderr)
        row, = self.rows("results.csv")
        self.assertEqual(row["status"], "stalled")
        self.assertLess(int(row["finishedFrames"]), 100)
        self.assertEqual(row["framesPerSecond"], "")
        unfinished = [row for row in self.rows("frames.csv") if row["status"] == "unfinished"]
        self.assertEqual(len([row for row in unfinished if row["arrivedSeconds"]]), 1)
        self.assertEqual(len(unfinished), 100 - int(row["finishedFrames"]))

    def test_rates_far_from_the_links_are_told(self):
        told = re.compile(r"cloud-only: (\d+) of 20 frames on a rate more than a third off; at .* s, .*: "
                          r"[\d.]+ Mbit/s believed, the link has 3\.\d+")  # payload of 4 Mbit/s
        options = ("--planner=cloud-only", "--link=lan", "--frames=20", "--monitor=passive")
        fallen = self.infer(*options, "--bandwidth=0s:42Mbps,0.3s:4Mbps", "--out=r").stdout
        self.assertRegex(fallen, told)
        self.assertLess(int(told.search(fallen)[1]), 10)
        self.assertNotIn("more than a third off", self.infer(*options, "--bandwidth=42Mbps", "--out=r").stdout)
        # Stations that upload leave a share.
        beside = ("--planner=cloud-only", "--link=wifi", "--frames=20", "--competitors=4", "--out=r")
        self.assertNotIn("more than a third off", self.infer(*beside).stdout)

    def test_in_a_cell_the_truth_is_between_a_share_and_all_of_it(self):
        options = ("--planner=cloud-only,edge-only", "--link=wifi", "--frames=20", "--in-flight=2", "--out=r")
        self.assertNotIn("more than a third off", self.infer(*options, "--devices=2").stdout)
        far = self.infer(*options, "--devices=2", "--planner-bandwidth=1Mbps").stdout
        self.assertRegex(far, r"cloud-only: \d+ of 40 frames on a rate more than a third off")
        self.assertNotIn("edge-only: ", far.partition("results.csv")[0])

    def test_shares_of_latency_are_no_utilisation(self):
        said = self.infer("--planner=qdmp", "--link=lan", "--frames=20", "--frame-rate=1", "--out=r").stdout
        self.assertRegex(said, r" computes +share of latency +memory\n")
        self.assertIn("share of latency: of frames' time from arrival to result, spent on the device, waiting there "
                      "included", said)
        self.assertNotIn("share of time", said)
        self.assertEqual({plan["shareOf"] for plan in json.loads(
            (self.folder / "r/run.json").read_text())["plans"]}, {"latency"})

    def test_a_stall_says_that_the_distance_is_out_of_range(self):
        for distance, devices, who in ((5000, 1, "raspberry-pi-5-0"), (4000, 3, "raspberry-pi-5-0 and 2 more")):
            said = self.infer("--planner=cloud-only", "--link=wifi", f"--distance={distance}", "--frames=2",
                              f"--devices={devices}", "--stall-timeout=5s", "--out=out", status=3).stderr
            self.assertIn(f"out of range of wifi: {who}, with --distance at {distance} m, expected less", said)
        cut = self.infer("--planner=cloud-only", "--link=wifi", "--cut=raspberry-pi-5-0@10ms", "--stall-timeout=5s",
                         "--out=out", status=3).stderr
        self.assertNotIn("out of range", cut)

    def test_headings_name_the_network(self):
        for options, expected in (
            (["--link=p2p", "--bandwidth=2Mbps", "--delay=3ms"], "p2p (2.000 Mbit/s, delay 3.000 ms)"),
            (["--link=4g"], "4g (up 5.850 Mbit/s, down 14.70 Mbit/s, delay "),
            (["--link=trace", f"--trace={self.inputs / RECORDING}", "--trace-offset=2s",
              "--trace-scale=0.5", "--trace-end=hold", "--downlink-bandwidth=9Mbps"],
             f"trace (up {RECORDING}, down 9.000 Mbit/s, delay "),
        ):
            with self.subTest(options):
                said = self.infer("--planner=edge-only", "--frames=1", "--out=out", *options).stdout
                network = self.rows("results.csv")[0]["network"]
                self.assertTrue(network.startswith(expected), network)
                self.assertIn(f", {network} at flow level, monitor passive", said)
        self.assertTrue(network.endswith("replayed from 2 s on, times 0.5, then hold"), network)

    def test_mistakes_are_one_line(self):
        self.refuse_each(REFUSED, "cooperative-inference", *CAMERA)

    def test_a_plan_that_does_not_fit_is_refused(self):
        self.edit(MODEL, put(10 ** 10, "layers", 1, "parameterBytes"))
        weights = ["raspberry-pi-5-0", "10.00 GB", "7.900 GB"]
        rest = ["--frames=3", "--link=lan", f"--server={ROOT / 'traces/devices/rtx-2080-ti.json'}"]
        self.assert_refused(self.run_program("cooperative-inference", "--model=camera", "--planner=edge-only",
                                             "--device=raspberry-pi-5", *rest), ["edge-only", *weights])
        said = self.infer("--planner=edge-only,cloud-only", "--out=out", *rest).stdout
        for word in weights:
            self.assertIn(word, said)
        rows = self.rows("results.csv")
        self.assertEqual([row["status"] for row in rows], ["refused", "finished"])
        self.assertEqual([row["plan"].split(" ")[0] for row in rows], ["raspberry-pi-5-0", "server"])
        memory, = json.loads((self.folder / "out" / "run.json").read_text())["plans"][1]["parts"]
        self.assertGreater(memory["memoryBytes"], 10 ** 10)
        self.assertLessEqual(memory["memoryBytes"], memory["capacityBytes"])


class TraceReplay(Cooperative):
    def replay(self, *options):
        return self.infer(f"--trace={self.inputs / RECORDING}", "--frame-rate=4", "--frames=40",
                          "--trace-end=hold", "--tensor-element-bytes=4", "--out=out", *options,
                          program="trace-replay")

    def test_every_planner_meets_the_same_recording(self):
        said = self.replay("--monitor=oracle").stdout
        rows = {row["planner"]: row for row in self.rows("results.csv")}
        self.assertEqual(list(rows), ["qdmp", "dads", "neurosurgeon", "edge-only", "cloud-only"])
        arrivals = {planner: [row["arrivedSeconds"] for row in self.rows("frames.csv")
                              if row["planner"] == planner] for planner in rows}
        self.assertEqual(len({tuple(times) for times in arrivals.values()}), 1)
        self.assertGreaterEqual(int(rows["qdmp"]["planChanges"]), 1)
        self.assertEqual(int(rows["cloud-only"]["planChanges"]), 0)
        self.assertIn("changes of plan:", said)
        self.assertRegex(said, r"qdmp: \d+ changes? between \d+ plans\n +[\d.]+ s, at [\d.]+ Mbit/s: ")
        for other in ("edge-only", "cloud-only"):
            self.assertLess(float(rows["qdmp"]["meanLatencySeconds"]),
                            float(rows[other]["meanLatencySeconds"]), other)

    def test_planners_that_meet_other_stretches_of_a_recording_say_so(self):
        told = "Planners met different stretches of the recording, from "
        said = self.replay("--frame-rate=0", "--planner=edge-only,cloud-only").stdout
        ends = sorted((float(row["simulatedSeconds"]), row["planner"]) for row in self.rows("results.csv"))
        self.assertRegex(said, "\n" + told + f".* s by {ends[0][1]} to .* s by {ends[1][1]}; --frame-rate lets all meet"
                         " the same\n")
        self.assertIn(", tensors sent with 4 bytes a number\n", said)
        self.assertNotIn(told, self.replay("--planner=edge-only,cloud-only").stdout)
        self.assertNotIn(told, self.infer("--planner=edge-only,cloud-only", "--link=lan", "--frames=9", "--out=out").stdout)

    def test_bandwidth_has_estimate_and_truth(self):
        self.replay("--planner=cloud-only", "--monitor=oracle")
        rows = self.rows("bandwidth.csv")
        for row in rows:
            estimate, truth = (float(row[f"{what}UplinkBitsPerSecond"])
                               for what in ("estimated", "available"))
            self.assertAlmostEqual(estimate / truth, 1, delta=1e-6)
        rates = [float(row["availableUplinkBitsPerSecond"]) for row in rows]
        self.assertGreater(max(rates), 15e6)
        self.assertLess(min(rates), 2e4)

    def test_frames_are_predicted_at_the_capacity_when_they_began(self):
        said = self.replay("--planner=qdmp,cloud-only", "--monitor=oracle").stdout
        started = [float(row["startedSeconds"]) for row in self.rows("frames.csv")
                   if (row["planner"], row["status"]) == ("cloud-only", "finished")]
        computing, = {sum(float(row[f"{who}Seconds"]) for who in ("device", "server"))
                      for row in self.rows("plans.csv") if row["planner"] == "cloud-only"}
        expected = [computing + 8 * (120_000 + 40) / (PAYLOAD * 2e7 if time < 6 else PAYLOAD * 2e4)
                    for time in started]
        cloud = self.rows("results.csv")[1]
        # There and back, over the bearer and the server's wire.
        delay = 2 * (float(cloud["delaySeconds"]) + 20e-6)
        self.assertAlmostEqual(float(cloud["predictedLatencySeconds"]),
                               sum(expected) / len(expected) + delay, delta=1e-6)
        self.assertNotRegex(said, r"cloud-only \([^)]*\) is predicted to beat qdmp")

    def test_frames_that_began_without_bandwidth_are_left_out(self):
        (self.inputs / "outage.csv").write_text("seconds,bitsPerSecond\n0,20000000\n"
                                                "0.98,0\n3,20000000\n90,20000000\n")
        said = self.infer("--planner=edge-only,cloud-only", "--frames=10",
                          "--frame-rate=5", "--frame-queue=20", "--link=trace",
                          f"--trace={self.inputs / 'outage.csv'}", "--out=out").stdout
        edge, cloud = self.rows("results.csv")
        self.assertEqual(int(edge["unpredictedFrames"]), 0)
        self.assertGreater(int(cloud["unpredictedFrames"]), 0)
        self.assertLess(float(cloud["predictedLatencySeconds"]), 1)
        self.assertIn(f"cloud-only: the prediction leaves out {cloud['unpredictedFrames']} of 10", said)

    def test_available_bandwidth_is_followed_whatever_the_monitor_does(self):
        for monitor in ("probe", "passive"):
            self.infer(f"--trace={self.inputs / RECORDING}", "--frames=10", "--trace-end=stop",
                       "--planner=cloud-only", f"--monitor={monitor}", "--stall-timeout=10s",
                       "--out=out", "--frame-rate=0.6", "--frame-queue=20",
                       program="trace-replay", status=3)
            rows = [(float(row["seconds"]), float(row["availableUplinkBitsPerSecond"]))
                    for row in self.rows("bandwidth.csv")]
            for begin, rate in ((0, 20e6), (6, 20e3), (18, 0)):
                known = next(known for time, known in reversed(rows) if time <= begin + 0.5)
                self.assertAlmostEqual(known, PAYLOAD * rate, delta=1, msg=(monitor, begin))

    def test_the_default_recording_is_there(self):
        self.ended(self.run_program("trace-replay", f"--traces={ROOT / 'traces'}",
                                    "--frames=20", "--planner=qdmp", "--out=out"))
        row, = self.rows("results.csv")
        self.assertEqual((row["trace"], row["downlinkBitsPerSecond"][:3]), ("lte-driving.up.csv", "512"))


class BandwidthVariation(Cooperative):
    def vary(self, *options):
        return self.infer("--out=out", *options, program="bandwidth-variation")

    def test_a_row_for_every_bandwidth_and_planner(self):
        said = self.vary("--to=3Mbps", "--start-up=false").stdout
        rows = self.rows("results.csv")
        self.assertEqual([float(row["bandwidthBitsPerSecond"]) for row in rows],
                         [5e5 * i for i in range(7) for _ in VARIED])
        self.assertIn("cloud-only beats edge-only: ", said)
        self.assertNotIn("paper", said)  # it has no such model
        for row in rows[len(VARIED):]:
            predicted, simulated = (float(row[f"{what}LatencySeconds"])
                                    for what in ("predicted", "simulated"))
            self.assertAlmostEqual(predicted / simulated, 1, delta=0.02)

    def test_a_lone_frame_pays_for_the_start_up_unless_told_not_to(self):
        latencies = {}
        for options, said in (((), "with TCP's start-up (--start-up=false"),
                              (("--start-up=false",), "without TCP's start-up, "),
                              (("--start-up=false", "--fidelity=packet"), "with TCP's start-up (")):
            self.assertIn(said, self.vary("--from=50Mbps", "--to=50Mbps", "--delay=20ms", *options)
                          .stdout.partition("Mbit/s ")[0])
            row, = (row for row in self.rows("results.csv") if row["planner"] == "cloud-only")
            latencies[options] = float(row["simulatedLatencySeconds"])
            self.assertEqual(row["startUp"], str(said.startswith("with ")).lower())
        paid, ideal, packets = latencies.values()
        self.assertGreater(paid, 2 * ideal)
        self.assertLess(abs(packets / paid - 1), 0.15)

    def test_at_0_only_edge_only_has_a_latency(self):
        self.vary("--to=1Mbps")
        rows = self.rows("results.csv")
        edge = {row["bandwidthBitsPerSecond"]: row for row in rows if row["planner"] == "edge-only"}
        self.assertEqual(len({row["simulatedLatencySeconds"] for row in edge.values()}), 1)
        for row in rows[:len(VARIED)]:
            isEdge = row["planner"] == "edge-only"
            self.assertEqual(row["status"], "finished" if isEdge else "no-link")
            self.assertEqual(row["simulatedLatencySeconds"] != "", isEdge)
            self.assertEqual(row["cut"] != "", isEdge)

    def test_speed_ups_are_ratios_of_latencies(self):
        self.vary("--planner=qdmp", "--from=1Mbps", "--to=2Mbps", "--step=1Mbps")
        rows = self.rows("results.csv")
        self.assertEqual([row["planner"] for row in rows], ["qdmp", "edge-only", "cloud-only"] * 2)
        for i in (0, 3):
            mine, edge, cloud = (float(row["simulatedLatencySeconds"]) for row in rows[i:i + 3])
            self.assertAlmostEqual(float(rows[i]["speedUpOverEdgeOnly"]), edge / mine)
            self.assertAlmostEqual(float(rows[i]["speedUpOverCloudOnly"]), cloud / mine)

    def test_crossovers_are_where_the_rows_say(self):
        said = self.vary("--from=100kbps", "--to=60Mbps", "--step=2800kbps").stdout
        rows = self.rows("results.csv")
        faster = [row["bandwidthBitsPerSecond"] for row, edge in
                  ((row, next(other for other in rows if other["planner"] == "edge-only"))
                   for row in rows if row["planner"] == "cloud-only")
                  if float(row["simulatedLatencySeconds"]) <
                  float(edge["simulatedLatencySeconds"])]
        self.assertIn(f"simulated from {float(faster[0]) / 1e6:.4g}", said)
        there = [row["bandwidthBitsPerSecond"] for row in rows
                 if row["planner"] == "qdmp" and row["cut"] == "all on the server"]
        self.assertIn(f"qdmp sends all to the server: from {float(there[0]) / 1e6:.4g}", said)

    def test_mistakes_are_one_line(self):
        self.refuse_each((
            (["--from=-1Mbps"], ["--from", "0 or a data rate"]),
            (["--to=15"], ["--to", "5.85Mbps"]),
            (["--to=0"], ["--to", "above 0"]),
            (["--step=0"], ["--step"]),
            (["--to=1Gbps", "--step=10bps"], ["--step", "at most"]),
            (["--link=wifi"], ["--link", "swept"]),
            (["--bandwidth=1Mbps"], ["--bandwidth", "swept"]),
            (["--devices=2"], ["--devices", "alone"]),
            (["--in-flight=2"], ["--in-flight", "alone"]),
            (["--frame-rate=1"], ["--frame-rate"]),
            (["--planner=cloud-only,qdmp", "--objective=throughput"], ["--objective", "qdmp plans for"]),
        ), "bandwidth-variation", *CAMERA)
