# SPDX-License-Identifier: GPL-2.0-only
"""A workload of one's own (scenarios/echo-workload), in a library: whatever the others have, it has too."""

import csv
import json
import re
import shlex
import sys

from places import ANALYSIS, BIN
import edgepipe
from programs import Program
from scripts import NEEDS_MATPLOTLIB

LIBRARY = BIN.parent / "lib" / "libecho-workload.so"
OWN = (f"--library={LIBRARY}", "--workload=echo")
LINK = ("--link=p2p", "--bandwidth=10Mbps", "--delay=1ms")


class EchoWorkload(Program):
    def run_own(self, *words, program="workload", status=0):
        return self.ended(self.run_program(program, *OWN, *words, "--out=out"), status)

    def analyse(self, script, *words):
        return self.ended(self.start(sys.executable, ANALYSIS / script, *words)).stdout

    def events(self):
        return json.loads((self.folder / "out/timeline.json").read_text())["traceEvents"]

    def test_it_runs_by_name_in_both_fidelities_and_takes_the_time_of_two_transfers_and_the_work(self):
        # Packets of 1500 bytes hold 1448 of payload, and PPP adds 2 to each.
        seconds = 2 * (8e6 * 1502 / 1448 / 10e6 + 0.001) + 0.05
        for words, share in (("--fidelity=flow", 3e-3), ("--fidelity=packet", 5e-3),
                             ("--ns3::edgepipe::FlowTransport::StartUp=false", 1e-4)):
            with self.subTest(words):
                self.run_own(*LINK, "--bytes=1000000", "--work=50ms", words)
                row, = self.read_csv("out", "results.csv")
                self.assertAlmostEqual(float(row["echoSeconds"]), seconds, delta=share * seconds)

    def test_without_its_library_nobody_knows_it(self):
        self.assert_refused(self.run_program("workload", "--workload=echo"),
                            ["--workload", '"echo"', "data-parallel"])
        self.assert_refused(self.run_program("workload", *OWN, "--bites=1"),
                            ["--bites", "did you mean --bytes?"])

    def test_it_has_no_costs_to_draw(self):
        self.assert_refused(self.run_program("workload", *OWN, *LINK, "--cost-draws=20"),
                            ["--cost-draws", "echo has no layer costs"])

    def test_it_is_drawn_and_its_commands_reproduce_what_was_drawn(self):
        # Beside the others, and by its name.
        for words in (["--workload=all", "--random=5"], ["--random=2", "--planners=2"]):
            self.run_own("--link=lan", "--seeds=1", *words, program="fidelity")
            drawn = self.read_csv("out", "results.csv")
            rows = [row for row in drawn if row["workload"] == "echo"]
            self.assertEqual(len(rows), 1 if "--workload=all" in words else 2)
        for row in rows:
            self.assertLess(abs(float(row["difference"])), 0.1)
            self.ended(self.run_program(*shlex.split(shlex.split(row["command"])[-1]), "--out=again"))
            one, = self.read_csv("again", "results.csv")
            self.assertAlmostEqual(float(one["echoSeconds"]), float(row["packetFirstSeconds"]), places=12)

    @NEEDS_MATPLOTLIB
    def test_it_is_swept_with_its_units_and_column_and_drawn(self):
        said = self.run_own("--devices=1,2,4", "--case=link=lan bytes=50000", program="scalability").stdout
        self.assertRegex(said, r"devices +status +echo \(s\) +echoes/s")
        rows = self.read_csv("out", "results.csv")
        self.assertEqual([(row["devices"], row["requests"], row["echoBytes"]) for row in rows],
                         [(count, count, "50000") for count in "124"])
        self.analyse("scalability.py", "out", "-o", "s.svg")
        for words in ("echo (s)", "echoes/s"):
            self.assertIn(f"<!-- {words} -->", (self.folder / "s.svg").read_text())

    def test_its_report_has_its_column_and_the_command(self):
        self.run_own(*LINK, "--work=7ms")
        page = (self.folder / "out/report.html").read_text()
        data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])
        self.assertEqual(data["command"], f'./ns3 run "workload --workload=echo --work=7ms --link=p2p '
                         f'--bandwidth=10Mbps --delay=1ms --library={LIBRARY}"')
        self.assertIn("echoSeconds", next(csv.reader(data["results"].splitlines())))
        self.assertEqual(data["run"]["options"]["work"], "7ms")
        self.assertEqual(data["timelines"]["run"]["traceEvents"], self.events())

    @NEEDS_MATPLOTLIB
    def test_its_timeline_has_the_task_and_both_messages(self):
        self.run_own(*LINK)
        spans = [(event["cat"], event["name"]) for event in self.events() if event["ph"] == "X"]
        self.assertEqual(sorted(spans), [("task", "work"), ("transfer", "call"), ("transfer", "reply")])
        self.analyse("timeline.py", "out", "-o", "t.svg")
        for kind in ("work", "call", "reply"):
            self.assertIn(f"<!-- {kind} -->", (self.folder / "t.svg").read_text())

    def test_a_link_that_stops_is_explained_by_its_roles_and_messages(self):
        said = self.run_own(*LINK, "--cut=client-0@50ms", "--stall-timeout=5s", status=3).stderr
        for words in ("server: server waits for 1 calls", "client-0: client waits for its reply",
                      "client-0 -> server: call of client 0, "):
            self.assertIn(words, said)
        self.assertEqual(self.read_csv("out", "results.csv")[0]["status"], "stalled")

    def test_a_campaign_varies_its_attribute(self):
        study = {"scenario": "workload",
                 "options": {"library": str(LIBRARY), "workload": "echo", "link": "p2p"},
                 "grid": {"work": ["1ms", "11ms"]}, "database": str(self.folder / "base.sqlite")}
        (self.folder / "echo.json").write_text(json.dumps(study))
        self.assertIn("2 of 2 cases are done", self.analyse("campaign.py", "run", "echo.json"))
        self.analyse("campaign.py", "export", "csv", "echo.json", "-o", "echo.csv")
        first, second = self.read_csv(".", "echo.csv")
        self.assertAlmostEqual(float(second["echoSeconds"]) - float(first["echoSeconds"]), 0.01, places=9)

    def test_it_runs_from_python(self):
        ran = edgepipe.run("workload", workload="echo", library=LIBRARY, link="p2p", devices=1)
        row, = ran.rows()
        self.assertGreater(row["echoSeconds"], 0.01)
        self.assertEqual(ran.run["options"]["workload"], "echo")
        self.assertIn("reply", [event["name"] for event in ran.timeline])
