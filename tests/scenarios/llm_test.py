# SPDX-License-Identifier: GPL-2.0-only
"""Language models: options and files of llm-inference, and that llm-fit finds the speeds that made its rows."""

import csv
import json
import re
import shutil

from places import ROOT
from programs import Program

MODEL = {"format": "edgepipe-language-model 1", "source": "here", "width": 512, "hidden": 1024, "layers": 4, "heads": 8}
DEVICE = {"format": "edgepipe-language-device 1", "name": "board", "software": "none", "source": "here",
          "memoryBytes": 1000000000, "messageSeconds": 0.0005,
          "decode": {"block": {"bytesPerSecond": 2e9}, "head": {"bytesPerSecond": 3e8},
                     "attention": {"flopPerSecond": 1e10}}}
OPTIONS = "link=lan bandwidth=1Gbps delay=20us weights=q40 exchange=distributed-llama-0.7 prompt=1 output=4"


class LanguageModels(Program):
    def setUp(self):
        super().setUp()
        shutil.copytree(ROOT / "traces/exchanges", self.inputs / "exchanges")
        for name, words in (("small", 1000), ("wordy", 50000)):
            self.write(f"{name}.json", {**MODEL, "name": name, "vocabulary": words})
        self.write("device.json", DEVICE)

    def write(self, name, content):
        (self.folder / name).write_text(content if isinstance(content, str) else json.dumps(content))

    def run_one(self, options):
        words = [f"--{word}" for word in options.split()]
        self.ended(self.run_program("llm-inference", "--device=device.json", *words, "--out=out"))
        row, = self.read_csv("out", "results.csv")
        return row

    def test_requests_of_a_file_come_at_their_times_and_every_result_is_written(self):
        self.write("requests.csv", "arrivalSeconds,promptTokens,outputTokens\n5,3,2\n1,4,3\n")
        row = self.run_one("model=small.json exchange=pipeline devices=2 requests-file=requests.csv token-goal=1s")
        self.assertEqual((row["status"], row["requests"], row["outputTokens"]), ("finished", "2", "5"))
        rows = self.read_csv("out", "requests.csv")
        keys = "request", "arrivedSeconds", "promptTokens", "outputTokens"
        self.assertEqual([tuple(one[key] for key in keys) for one in rows],
                         [("0", "1", "4", "3"), ("1", "5", "3", "2")])
        self.assertEqual(sum(one["kind"] == "decode" for one in self.read_csv("out", "passes.csv")), 3)
        kinds = {event["name"] for event in json.loads((self.folder / "out/timeline.json").read_text())["traceEvents"]}
        self.assertLessEqual({"block", "attention", "head", "exchange", "sending", "receiving"}, kinds)

    def test_the_defaults_and_every_shipped_device_run(self):
        for device in ["", *sorted(path.stem for path in (ROOT / "traces/language-devices").glob("*.json"))]:
            with self.subTest(device):
                words = [f"--device={device}", "--model=llama-3.2-1b"] * bool(device)
                self.ended(self.run_program("llm-inference", f"--traces={ROOT / 'traces'}", "--output=2", *words,
                                            "--out=out"))
                self.assertEqual(self.read_csv("out", "results.csv")[0]["status"], "finished")

    def test_what_predictions_leave_out_and_the_fastest_device_are_told(self):
        options = (f"--traces={ROOT}/traces", "--model=llama-3.2-1b", "--output=4", "--out=out")
        said = self.ended(self.run_program("llm-inference", *options, "--link=wifi")).stdout
        self.assertRegex(said, r"\n(\S+) alone would take [\d.]+ ms a token, without messages\.")
        predicted, simulated = map(float, re.search(
            r"far off for uniform \(([\d.]+) ms a token predicted, ([\d.]+) ms a token simulated\); they leave out "
            r".*messages", said).groups())
        row, = self.read_csv("out", "results.csv")
        self.assertAlmostEqual(simulated, 1e3 * float(row["tokenSeconds"]), delta=0.05)
        self.assertGreater(simulated, 2 * predicted)
        said = self.ended(self.run_program("llm-inference", *options, "--link=lan", "--exchange=pipeline")).stdout
        self.assertNotIn("far off", said)

    def test_contexts_beyond_a_window_that_is_not_modelled_are_said(self):
        self.write("config.json", {"model_type": "mistral", "hidden_size": 512, "intermediate_size": 1024,
                                   "num_hidden_layers": 2, "num_attention_heads": 8, "vocab_size": 100,
                                   "sliding_window": 64})
        for context, said in ((59, False), (60, True)):
            shown = self.ended(self.run_program("llm-inference", "--device=device.json", "--model=config.json",
                                                "--exchange=pipeline", f"--context={context}", "--prompt=2", "--output=3",
                                                "--devices=2", "--out=out"))
            self.assertEqual("not modelled: attention's window of 64 tokens" in shown.stdout, said)

    def test_the_page_of_speculation_says_what_its_command_prints(self):
        page = (ROOT / "contrib/edgepipe/doc/models/language-models.rst").read_text()
        words = re.search(r'./ns3 run "llm-inference (.*)"', page)[1].split()
        without = [word for word in words if not re.match("--(draft|acceptance)", word)]
        shown = re.search(r"tokens/s at packet level, (\S+) without:", page)[1], re.search(r" 0.7,\S+,(\S+),", page)[1]
        for options, figure in zip((without, words), shown):
            self.ended(self.run_program("llm-inference", f"--traces={ROOT / 'traces'}", "--timeline=false",
                                        *options, "--out=out"))
            self.assertEqual(f"{float(self.read_csv('out', 'results.csv')[0]['tokensPerSecond']):.1f}", figure)

    def test_mistakes_are_told(self):
        self.write("requests.csv", "1,4,3\n2,0,3\n")
        self.write("config.json", {"model_type": "llama"})
        self.write("tiny.json", {**DEVICE, "memoryBytes": 100000})
        self.write("right.txt", "1 0\nyes")
        for word, parts in (("--requests-file=requests.csv", ["requests.csv, line 2", "2,0,3"]),
                            ("--model=config.json", ['config.json: key "hidden_size"']),
                            ("--weights=q1", ["--weights", '"q1"', "q40"]),
                            ("--exchange-values=rounds=2", ["--exchange-values"]),
                            ("--exchange=petals", ["--devices"]),
                            ("--device=device.json,device.json", ["--device"]),
                            ("--device=tiny.json", ["uniform: board-1: weights of 6474240 bytes"]),
                            ("--planner=exact", ["tensors"]),
                            ("--draft-depth=2", ["--draft-depth", "--draft"]),
                            ("--draft=none", ["--draft", "none"]),
                            ("--draft=small.json --sequences=2", ["--sequences", '"2"']),
                            ("--draft=small.json --exchange=edgeshard --devices=2", ["--exchange", "one stream"]),
                            ("--draft=small.json --acceptance=1.5", ["--acceptance", "1.5"]),
                            ("--draft=small.json --acceptance-file=gone", ["--acceptance-file", "gone"]),
                            ("--draft=small.json --acceptance-file=right.txt --acceptance=0.5", ["--acceptance"]),
                            ("--draft=small.json --acceptance-file=right.txt", ["right.txt, entry 3", '"yes"'])):
            with self.subTest(word):
                self.assert_refused(self.run_program("llm-inference", "--device=device.json", "--model=small.json",
                                                     "--devices=1", *word.split()), parts, [*self.folder.rglob("*")])

    def test_a_fit_finds_the_speeds_that_made_the_rows(self):
        cases = {"one": ("small", 1, "rootComputeSeconds"), "wordy": ("wordy", 1, "rootComputeSeconds"),
                 "two": ("small", 2, "tokenSeconds"), "four": ("small", 4, "tokenSeconds")}
        rows = []
        for name, (model, devices, column) in cases.items():
            options = f"model={model}.json devices={devices} {OPTIONS}"
            rows.append({"row": name, "device": "board", "column": column, "value": self.run_one(options)[column],
                         "options": options, "source": "here", "notes": ""})
        with open(self.folder / "rows.csv", "w", newline="") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)
        guess = json.loads(json.dumps(DEVICE))
        guess["messageSeconds"] = 0.0001
        guess["decode"]["block"]["bytesPerSecond"] = guess["decode"]["head"]["bytesPerSecond"] = 1e9
        unknown = ["decode.block.bytesPerSecond", "decode.head.bytesPerSecond", "messageSeconds"]
        fit = {"device": guess, "unknown": unknown, "rows": ["one", "wordy", "two"], "assumes": ["nothing"]}
        self.write("fits.json", {"board": fit})
        said = self.ended(self.run_program("llm-fit", "--rows=rows.csv", "--fits=fits.json", "--out=fit")).stdout
        self.assertIn("1 rows that no fit has seen", said)
        found = json.loads((self.folder / "fit/board.json").read_text())
        for path, true in (("block", 2e9), ("head", 3e8)):
            self.assertAlmostEqual(found["decode"][path]["bytesPerSecond"] / true, 1, delta=2e-3)
        self.assertAlmostEqual(found["messageSeconds"] / 0.0005, 1, delta=0.01)
        for row in self.read_csv("fit", "results.csv"):
            self.assertEqual(row["role"], "judged" if row["row"] == "four" else "fitted")
            self.assertAlmostEqual(float(row["error"]), 0, delta=5e-3)
        # Rows that cannot tell unknowns apart.
        fit["rows"] = ["one", "one", "two"]
        self.write("fits.json", {"board": fit})
        before = [*self.folder.rglob("*")]
        self.assert_refused(self.run_program("llm-fit", "--rows=rows.csv", "--fits=fits.json", "--out=bad"),
                            ["board", "do not tell the unknowns apart"], before)
