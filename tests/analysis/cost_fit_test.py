# SPDX-License-Identifier: GPL-2.0-only
"""cost-fit with a few devices: what is removed is not known, and what a stack borrows."""

import csv
import json
import math
import shutil
import unittest

from places import BIN, InFolder, ROOT

from edgepipe.running import command_of

TRACES = ROOT / "traces"
DEVICES = "jetson-nano", "raspberry-pi-4b", "rtx-2080-ti"
# Those with several figures of these devices.
NETWORKS = "alexnet", "inception_v3", "mobilenet_v1", "mobilenet_v2", "resnet152", "resnet18", "resnet50", "vgg16"


def is_narrow(stack):
    return stack.endswith(("fp16", "int8"))


class CostFit(InFolder):
    def setUp(self):
        super().setUp()
        self.traces = self.folder / "traces"
        (self.traces / "devices").mkdir(parents=True)
        (self.traces / "models").symlink_to(TRACES / "models")
        (self.traces / "published").symlink_to(TRACES / "published")
        for name in DEVICES:
            shutil.copy(TRACES / f"devices/{name}.json", self.traces / "devices")
        with open(TRACES / "published/device-figures.csv", encoding="utf-8") as file:
            self.header, *rows = [line for line in file if line[0] != "#"]
        known = [row for row in csv.reader(rows) if row[0] in DEVICES and row[1] and row[2] != "PyTorch 0.3"
                 and row[3] in NETWORKS]
        self.rows = [row for row in known if not is_narrow(row[1])]
        self.narrow = [row for row in known if is_narrow(row[1])]

    def run_fit(self, *words, change=lambda row: 1, out="fit"):
        """The rows of results.csv by device, network, kind and batch; change: factor on the seconds of a row."""
        with open(self.folder / "rows.csv", "w", encoding="utf-8") as file:
            file.write(self.header)
            csv.writer(file, lineterminator="\n").writerows(
                [*row[:7], float(row[7]) * change(row), *row[8:]] for row in self.rows)
        run = self.start(*command_of("cost-fit"), "--rows=rows.csv", f"--traces={self.traces}", f"--out={out}", *words)
        self.said = self.ended(run, stderr="").stdout
        return {(row["device"], row["stack"], row["network"], row["kind"], row["batch"], row["framework"]): row
                for row in self.read_csv(out, "results.csv")}

    def test_what_was_removed_does_not_change_what_is_estimated_without_it(self):
        before = self.run_fit()
        for name, value in (("Network", "resnet50"), ("Device", "raspberry-pi-4b")):
            after = self.run_fit("--device=raspberry-pi-4b", change=lambda row: 3 if value in row else 1)
            mine = [key for key in before if value in key and after[key][f"without{name}Seconds"]]
            self.assertGreater(len(mine), 2)
            for key in mine:
                for column in (f"without{name}Seconds", f"without{name}Spread"):
                    self.assertAlmostEqual(float(after[key][column]) / float(before[key][column]), 1, places=9)
                self.assertGreater(float(after[key]["estimatedSeconds"]), 1.1 * float(before[key]["estimatedSeconds"]))

    def test_times_in_fp16_and_int8_change_their_own_stacks_alone(self):
        self.rows += self.narrow
        before = self.run_fit()
        after = self.run_fit(change=lambda row: 3 if is_narrow(row[1]) else 1)
        self.assertGreater(len([key for key in before if is_narrow(key[1])]), 20)
        for key, row in after.items():
            change = float(row["estimatedSeconds"]) / float(before[key]["estimatedSeconds"])
            if is_narrow(key[1]):
                self.assertGreater(change, 1.5, key)
            else:
                self.assertAlmostEqual(change, 1, places=12, msg=str(key))

    def test_a_device_that_is_twice_as_fast_is_fitted_from_rows_of_its_own(self):
        halved = self.run_fit("--device=rtx-2080-ti@pytorch", change=lambda row: 0.5 if row[0] == "rtx-2080-ti" else 1)
        for key, row in halved.items():
            if key[:2] == ("rtx-2080-ti", "pytorch"):
                self.assertLess(abs(math.log1p(float(row["error"]))), 0.5, key)
        said = (self.folder / "fit/summary.csv").read_text()
        self.assertNotIn("raspberry", said)
        borrowed = {row["kind"]: float(row["borrowed"].rstrip("%")) for row in self.read_csv("fit", "summary.csv")[:2]}
        self.assertLess(max(borrowed.values()), 60)

    def test_a_stack_without_rows_borrows_all_and_alone_is_written(self):
        before = {path.name: path.read_text() for path in (self.traces / "devices").iterdir()}
        self.rows = [row for row in self.rows if row[:2] != ["jetson-nano", "pytorch"]]
        self.run_fit("--device=jetson-nano@pytorch", "--write=true")
        row, *_ = self.read_csv("fit", "summary.csv")
        self.assertEqual([row[name] for name in ("stack", "figures", "borrowed", "without device: mean")],
                         ["pytorch", "0", "100%", "-"])
        for name, text in before.items():
            old, new = json.loads(text), json.loads((self.traces / "devices" / name).read_text())
            if name == "jetson-nano.json":
                new["stacks"]["pytorch"], stack = old["stacks"]["pytorch"], new["stacks"]["pytorch"]
                self.assertEqual(stack["source"], "estimate: no figures of its own; cost-fit from other devices and stacks")
                self.assertGreater(stack["spread"]["training"], 0.2)
            self.assertEqual(new, old)
        self.assertIn('./ns3 run \\"cost-fit ', (self.folder / "fit/report.html").read_text())

    def test_the_first_figure_of_a_device_is_judged_by_its_other_networks(self):
        rows = self.run_fit()
        first, *_ = self.read_csv("fit", "first.csv")
        device = first["device"]
        count = len([key for key in rows if key[0] == device and key[2] not in first["first"]])
        self.assertEqual(int(first["others"]), count)
        keep = next(row for row in self.rows if row[0] == device)
        kept, self.rows = self.rows, [row for row in self.rows if row[0] != device or row is keep]
        self.run_fit("--write=true")
        self.rows = kept
        errors = [abs(math.log(estimate / float(row["measuredSeconds"]))) for row, estimate in self.estimate_again(device, rows)
                  if row["network"] not in first["first"]]
        self.assertAlmostEqual(float(first["with it: typical error"][1:]), math.exp(sum(errors) / count), delta=0.02)

    def estimate_again(self, device, rows):
        """Rows of a device, and what its file gives for them now."""
        mine = [row for key, row in rows.items() if key[0] == device and row["stack"]]
        passes = self.folder / "passes.json"
        passes.write_text(json.dumps([
            {"device": f'{device}@{row["stack"]}', **{name: row[name] for name in ("network", "kind")}, "batch": int(row["batch"]),
             **({"side": int(row["side"])} if row["side"] else {})} for row in mine]))
        said = self.ended(self.start(BIN / "estimate", f"--passes={passes}", f"--traces={self.traces}")).stdout
        return list(zip(mine, json.loads(said)))

    def write_machine(self, **changes):
        """A machine in a file: the rtx-2080-ti under another name, where passes take twice as long as it needs."""
        device = json.loads((TRACES / "devices/rtx-2080-ti.json").read_text())
        device["name"], device["stacks"] = "board", {"pytorch": device["stacks"]["pytorch"]}
        device["stack"] = {"inference": "pytorch", "training": "pytorch"}
        head = "layer,operator,forwardSeconds,backwardSeconds"
        machine = {"format": "edgepipe-machine 1", "device": device, "leftOut": {}, "profiles": {
            "resnet50.b32.csv": ["# batch: 32", head, "conv1,conv2d,0.2,0.4"],
            "resnet50.b32.evaluation.csv": ["# batch: 32", head, "conv1,conv2d,0.2,0"]}, **changes}
        (self.folder / "board.json").write_text(json.dumps(machine))

    def test_the_file_of_a_machine_is_folded_in(self):
        self.write_machine()
        others = {path.name: path.read_text() for path in (self.traces / "devices").iterdir()}
        rows = {key: row for key, row in self.run_fit("--machine=board.json").items() if key[0] == "board"}
        self.assertEqual([key[2:5] for key in rows], [("resnet50", kind, "32") for kind in ("forward", "backward", "inference")])
        for row in rows.values():
            before, after = float(row["withoutDeviceSeconds"]), float(row["estimatedSeconds"])
            self.assertLess(abs(float(row["error"])), 0.6 * abs(float(row["withoutDeviceError"])))
            self.assertIn(f" {1e3 * before:.4g} ", self.said)
            self.assertIn(f" {1e3 * after:.4g}\n", self.said)
        self.assertIn("Before: estimated without the figures of board. With them estimates of other devices change by", self.said)
        self.assertFalse((self.traces / "devices/board.json").exists())
        self.run_fit("--machine=board.json", "--write=true")
        self.assertEqual({name: (self.traces / "devices" / name).read_text() for name in others}, others)
        self.assertEqual((self.traces / "profiles/board/resnet50.b32.csv").read_text().count("\n"), 3)
        for row, estimate in self.estimate_again("board", rows):
            self.assertAlmostEqual(estimate / float(row["estimatedSeconds"]), 1, delta=0.02)

    def test_what_is_no_file_of_a_machine_is_told(self):
        for changes, words, expected in (
                ({"format": "edgepipe-device 2"}, [], '--machine: found "board.json", expected a file that traces/capture'),
                ({"device": {}}, [], '--machine: found "board.json", expected a file that traces/capture'),
                ({"profiles": {"resnet50.b32.csv": ["layer"]}}, [], "resnet50.b32.csv: line 1: found"),
                ({}, ["--device=jetson-nano"], '--device: found "jetson-nano", expected none, since --machine has board')):
            with self.subTest(expected):
                self.write_machine(**changes)
                (self.folder / "rows.csv").write_text(self.header)
                self.assert_one_line(self.start(*command_of("cost-fit"), "--rows=rows.csv", f"--traces={self.traces}",
                                                "--machine=board.json", *words), expected)

    def test_mistakes_are_one_line(self):
        header = self.header.strip()
        for text, words, expected in (
                ("nonsense", [], f'rows.csv: line 1: found "nonsense", expected "{header}"'),
                (header + "\n1,2", [], f'rows.csv: line 2: found "1,2", expected "{header}"'),
                (header + "\nv100,,,resnet50,,training,1.5,1,s,", [], 'rows.csv: line 2: batch: found "1.5", expected a whole'),
                (header + "\njetson-nano,pytorch,,resnet50,,sleeping,1,1,s,", [], 'rows.csv: line 2: kind: found "sleeping"'),
                (header + "\njetson-nano,pytorch,,resnet,,training,1,1,s,", [], 'rows.csv: line 2: network: found "resnet"'),
                (header + "\njetson-nano,torch,,resnet50,,training,1,1,s,", [], 'found stack "torch" of device "jetson-nano"'),
                (header, [], "rows.csv: found no row with a stack"),
                (header, ["--device=abacus"], '--device: found "abacus", expected jetson-nano, ')):
            with self.subTest(expected):
                (self.folder / "rows.csv").write_text(text + "\n")
                self.assert_one_line(self.start(*command_of("cost-fit"), "--rows=rows.csv", f"--traces={self.traces}",
                                                *words), expected)

    def test_the_estimate_is_that_of_a_run(self):
        passes = self.folder / "passes.json"
        one = {"device": "jetson-nano@opencv-cuda", "network": "mobilenet_v2", "batch": 1}
        trained = {**one, "device": "jetson-nano@pytorch"}
        passes.write_text(json.dumps([{**one, "kind": "inference"}, *(
            {**trained, "kind": kind} for kind in ("forward", "backward", "training"))]))
        inference, forward, backward, training = json.loads(self.ended(self.start(BIN / "estimate", f"--passes={passes}")).stdout)
        self.ended(self.start(BIN / "cooperative-inference", "--model=mobilenet_v2", "--device=jetson-nano@opencv-cuda",
                              "--planner=edge-only", "--frames=1", "--out=run"))
        layers = json.loads((self.folder / "run/problem.json").read_text())["layers"]
        self.assertAlmostEqual(sum(layer["deviceSeconds"] for layer in layers) / inference, 1, places=9)
        self.assertGreater(forward, inference)  # batch normalization is not fused
        self.assertGreater(training, forward + backward)  # the update
        passes.write_text(json.dumps([{**one, "kind": "training"}]))
        self.assert_one_line(self.start(BIN / "estimate", f"--passes={passes}"), "an engine for inference")
        passes.write_text(json.dumps([{**one, "kind": "sleeping"}]))
        self.assert_one_line(self.start(BIN / "estimate", f"--passes={passes}"), "passes.json: [0].kind: found")


if __name__ == "__main__":
    unittest.main()
