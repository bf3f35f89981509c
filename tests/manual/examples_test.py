# SPDX-License-Identifier: GPL-2.0-only
"""The examples of the module, a planner and a link of one's own in libraries, as a reader tries them."""

import json
import re
import subprocess

from places import BIN, ROOT, InFolder
from programs import Program, QUICK

EXAMPLES = ROOT / "contrib" / "edgepipe" / "examples"
FLOW = "--transport=ns3::edgepipe::FlowTransport"


def run(name, *options):
    result = subprocess.run([BIN / name, *options], capture_output=True, text=True, cwd=ROOT)
    if result.returncode:
        raise AssertionError(f"{name} {options}: status {result.returncode}\n{result.stderr}")
    return result.stdout


def times(text, what):
    """The seconds that lines about something begin or end with."""
    return [float(found.group(1)) for line in text.splitlines() if what in line
            for found in [re.search(r"\+([0-9.e+-]+)s", line)] if found]


class Examples(InFolder):
    def assert_close(self, name, what, share):
        packets, flows = times(run(name), what), times(run(name, FLOW), what)
        self.assertEqual(len(packets), len(flows))
        self.assertTrue(packets)
        self.assertAlmostEqual(flows[-1], packets[-1], delta=share * packets[-1])

    def test_each_is_listed_for_the_tests_of_a_tree(self):
        listed = (EXAMPLES.parent / "test" / "examples-to-run.py").read_text()
        for path in EXAMPLES.glob("*.cc"):
            self.assertIn(f'"{path.stem}', listed)

    def test_each_is_short(self):
        for path in EXAMPLES.glob("*.cc"):
            self.assertLessEqual(len(path.read_text().splitlines()), 90, path)

    def test_a_pipeline_on_a_star(self):
        self.assert_close("edgepipe-pipeline", "iteration", 0.05)

    def test_another_planner_is_slower_than_the_exact_one(self):
        self.assertGreater(times(run("edgepipe-pipeline", "--planner=even"), "iteration")[-1],
                           times(run("edgepipe-pipeline"), "iteration")[-1])

    def test_a_mistake_is_one_line(self):
        self.assert_one_line(self.start(BIN / "edgepipe-pipeline", "--planner=nobody"),
                             '"nobody", expected one of: ')

    def test_inference_whose_cut_moves(self):
        text = run("edgepipe-cooperative-inference")
        plans = [line for line in text.splitlines() if "layers on the device" in line]
        self.assertGreater(len(plans), 1, text)
        self.assertEqual(len(times(text, "frame")), 20)
        self.assert_close("edgepipe-cooperative-inference", "frame", 0.05)

    def test_two_workloads_in_one_cell_slow_each_other_down(self):
        both, alone = run("edgepipe-shared-cell"), run("edgepipe-shared-cell", "--alone=true")
        self.assertEqual(len(times(both, "iteration")), 1)
        self.assertEqual(len(times(both, "frame")), 10)
        self.assertGreater(sum(times(both, "frame")), sum(times(alone, "frame")))

    def test_what_is_printed_of_each_workload_is_its_own(self):
        both, alone = run("edgepipe-shared-cell"), run("edgepipe-shared-cell", "--alone=true")
        server = "inference on rtx-2080-ti-4"
        # Ten frames, computed by the server whoever else is in the cell.
        for text in both, alone:
            line = next(line for line in text.splitlines() if server in line)
            self.assertEqual(line.split()[3], "10", text)
        self.assertEqual(both.count("training on "), 3, both)
        self.assertNotIn("training on ", alone)


class OwnLibrary(Program):
    LIBRARY = BIN.parent / "lib" / "libround-robin.so"

    def test_a_planner_of_another_library_is_known_by_its_name(self):
        self.ended(self.run_program("pipeline-training", *QUICK, f"--library={self.LIBRARY}",
                                    "--planner=round-robin,even", "--out=out"))
        rows = {row["planner"]: row for row in self.read_csv("out", "results.csv")}
        self.assertEqual(rows["round-robin"]["status"], "finished")
        self.assertIn(str(self.LIBRARY), (self.folder / "out" / "run.json").read_text())

    def test_without_its_library_it_is_refused(self):
        self.assert_refused(self.run_program("pipeline-training", *QUICK,
                                             "--planner=round-robin"), ["--planner", "round-robin"])

    def test_a_second_library_belongs_into_the_first_option(self):
        self.assert_refused(self.run_program("pipeline-training", *QUICK,
                                             f"--library={self.LIBRARY}",
                                             f"--library={self.LIBRARY}", repeats=True),
                            ["--library", "found a second one", "commas separate them"])

    def test_a_library_that_cannot_be_opened_is_refused(self):
        self.assert_refused(self.run_program("pipeline-training", *QUICK,
                                             "--library=nowhere.so"), ["--library", "nowhere.so"])


class OwnLink(Program):
    OWN = (f"--library={BIN.parent / 'lib' / 'libtwo-switches.so'}", "--link=two-switches")

    def train(self, *words, status=0):
        return self.ended(self.run_program("pipeline-training", *QUICK, "--planner=even", *words), status)

    def test_a_link_of_another_library_has_its_options_at_both_fidelities(self):
        for fidelity in "flow", "packet":
            seconds = []
            for trunk in "--trunk=5Mbps", "--trunk=500Mbps", "--trunk-delay=100ms":
                self.train(*self.OWN, trunk, "--bandwidth=100Mbps", f"--fidelity={fidelity}", "--out=out")
                row, = self.read_csv("out", "results.csv")
                seconds.append(float(row["iterationSeconds"]))
                options = json.loads((self.folder / "out/run.json").read_text())["options"]
                self.assertIn(trunk, [f"--{name}={value}" for name, value in options.items()])
            with self.subTest(fidelity, seconds=seconds):
                self.assertGreater(seconds[0], 2 * seconds[1])
                self.assertGreater(seconds[2], seconds[1] + 0.2)

    def test_its_options_are_explained_and_checked(self):
        self.assertIn("two-switches: rate of the wire between the switches [10000000bps]",
                      re.sub(r"\s+", " ", self.train(*self.OWN, "--help").stdout))
        for words, expected in (
                ((*self.OWN, "--trunk=fast"), ["--trunk", '"fast"', "DataRate"]),
                ((*self.OWN, "--trunk-delay=5"), ["--trunk-delay", '"5"', "a time from 0 with its unit"]),
                ((self.OWN[0], "--link=lan", "--trunk=5Mbps"),
                 ["--trunk", "since --link=lan does not use it; two-switches does"]),
                (("--link=lan", "--trunk=5Mbps"), ["--trunk", "unknown option"])):
            with self.subTest(words):
                self.assert_refused(self.run_program("pipeline-training", *QUICK, *words), expected)
