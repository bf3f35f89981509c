# SPDX-License-Identifier: GPL-2.0-only
"""Recorded passes, replayed by --replay."""

from programs import PAIR, Program

LAYERS = "image", "conv", "relu", "sum", "head"
ONE = ("--devices=1", "--planner=even", "--weight-update=false", "--replay=jetson-orin-nano-0:p.csv")


class Replay(Program):
    def record(self, factors, batch=2, model="tiny", backward=2):
        """A recording whose pass k takes factors[k] seconds a layer forward, twice that (or backward times) backward."""
        lines = [f"# model: {model}", f"# batch: {batch}", "iteration,layer,forwardSeconds,backwardSeconds"]
        lines += [f"{number},{layer},{factor},{backward * factor}" for number, factor in enumerate(factors) for layer in LAYERS]
        (self.folder / "p.csv").write_text("\n".join(lines) + "\n")

    def iterations(self):
        return [round(float(row["iterationSeconds"]), 6) for row in self.read_csv("o", "iterations.csv")]

    def test_each_micro_batch_takes_the_next_pass(self):
        for level in ("flow", "packet"):
            for order, expected in (("loop", [15 * 3, 15 * 7, 15 * 5]), ("hold", [15 * 3, 15 * 7, 15 * 10])):
                with self.case(f"{level}, {order}"):
                    self.record([1, 2, 2, 5] if order == "hold" else [1, 2, 3, 4, 1, 4])
                    self.train(*ONE, "--iterations=3", f"--replay-order={order}", f"--fidelity={level}", "--out=o")
                    self.assertEqual(self.iterations(), expected)

    def test_blocks_are_drawn_by_the_run_number(self):
        self.record([1] * 10 + [9] * 10)
        seen = []
        for run in (1, 1, 2):
            self.train(*ONE, "--iterations=20", "--replay-order=blocks", "--replay-block=2", f"--RngRun={run}", "--out=o")
            seen.append(self.iterations())
        self.assertEqual(seen[0], seen[1])
        self.assertNotEqual(seen[0], seen[2])
        self.assertEqual(set(seen[0]) - {30, 150, 270}, set())

    def test_frames_take_recorded_passes_on_device_and_server(self):
        self.record([1, 3], batch=1, backward=0)
        for planner, device, part in (("edge-only", "raspberry-pi-5-0", "device"), ("cloud-only", "server", "server")):
            with self.subTest(planner):
                self.ended(self.run_program("cooperative-inference", *PAIR, "--frames=4", f"--planner={planner}",
                                            "--replan=false", f"--replay={device}:p.csv", "--out=o"))
                latencies = [float(row["latencySeconds"]) for row in self.read_csv("o", "frames.csv")]
                for latency, recorded in zip(latencies, (5, 15, 5, 15)):
                    self.assertTrue(recorded <= latency < recorded + 0.5, (part, latencies))

    def test_a_server_of_two_devices_takes_a_pass_for_each_frame_of_both(self):
        self.record([1, 2, 4, 8], batch=1, backward=0)
        self.ended(self.run_program("cooperative-inference", *PAIR, "--devices=2", "--frames=2", "--planner=cloud-only",
                                    "--replan=false", "--replay=server:p.csv", "--out=o"))
        served = [float(row["servedSeconds"]) for row in self.read_csv("o", "frames.csv")]
        self.assertTrue(5 * 15 < max(served) < 5 * 15 + 0.5, served)

    def share(self, *options):
        """Runs data-parallel training of one worker."""
        return self.run_program("data-parallel", "--model=tiny", "--cluster=lab", "--devices=1", "--planner=equal",
                                "--base-batch=2", "--updates=3", "--replay=jetson-orin-nano-0:p.csv", *options, "--out=o")

    def list_computed(self, *options):
        self.ended(self.share(*options))
        return [float(row["lastComputedSeconds"]) - float(row["startSeconds"]) for row in self.read_csv("o", "updates.csv")]

    def test_updates_take_recorded_passes(self):
        for samples, *more in ((2, "--bucket-bytes=0"), (2, "--bucket-bytes=1000", "--fidelity=packet"),
                               (6, "--bucket-bytes=0")):
            with self.case(f"{samples} samples, {more}"):
                self.record([1, 3])
                (seconds, *_), (two, *_) = (self.list_computed(f"--base-batch={one}", "--replay=") for one in (samples, 2))
                for taken, recorded in zip(self.list_computed(f"--base-batch={samples}", *more), (15, 45, 15), strict=True):
                    self.assertAlmostEqual(taken / recorded, seconds / two, delta=1e-4)

    def test_shares_follow_a_worker_that_slows_down(self):
        self.record([0.002] * 10 + [0.02] * 20)
        self.ended(self.run_program("data-parallel", "--model=tiny", "--cluster=lab", "--planner=optimal", "--updates=30",
                                    "--base-batch=600", "--replay=pi-1:p.csv", "--update-interval=1s", "--out=o"))
        first, *_, last = (int(row["samples"]) for row in self.read_csv("o", "shares.csv")
                           if row["worker"] == "pi-1" and row["version"] != "0")
        self.assertLess(last, first / 3)

    def test_a_slower_device_is_noticed_by_a_replanner(self):
        self.record([0.002] * 4 + [0.2] * 40)
        self.train("--planner=exact", "--iterations=8", "--replan=on", "--replay=jetson-orin-nano-0:p.csv", "--out=o")
        self.assertGreater(int(self.read_csv("o", "results.csv")[0]["planChanges"]), 0)

    def test_mistakes_are_one_line(self):
        name = "jetson-orin-nano-0"
        for words, said in (((f"--replay={name}",), "expected DEVICE:FILE for devices of the cluster"),
                            (("--replay=nobody:p.csv",), 'found "nobody:p.csv"'),
                            ((f"--replay={name}:p.csv,{name}:q.csv",), "each once"),
                            ((f"--replay={name}:none.csv",), "none.csv"),
                            (("--adjacent=on",), "none where idle devices help"),
                            (("--replay-block=3",), "--replay-order"), (("--replay-order=x",), "loop, hold or blocks"),
                            (("--micro-batch-size=4",), 'batch: found "2", expected 4'),
                            (("--replay=", "--replay-order=hold"), "--replay")):
            with self.case(" ".join(words)):
                self.record([1])
                before = [self.folder / "p.csv"]
                result = self.run_program("pipeline-training", "--model=tiny", "--cluster=lab", "--micro-batch-size=2",
                                          *ONE, *words, "--out=o")
                self.assert_refused(result, [said], before)
        for old, new, said in (("# batch: 2\n", "", "found no batch"), ("batch: 2", "batch: 0", 'batch: found "0"'),
                               ("batch: 2", "batch: 2.5", 'batch: found "2.5", expected a whole number'),
                               ("image", "head", "layers of the model"), ("0,sum,1,2\n", "", '"sum" is missing')):
            with self.case(said):
                self.record([1])
                path = self.folder / "p.csv"
                path.write_text(path.read_text().replace(old, new, 1))
                self.assert_refused(self.share(), ["p.csv", said], [path])
        self.record([1], model="other")
        self.assert_refused(self.run_program("pipeline-training", "--model=tiny", "--cluster=lab", *ONE, "--out=o"),
                            ['model: found "other", expected tiny'], [self.folder / "p.csv"])
