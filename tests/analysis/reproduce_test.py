# SPDX-License-Identifier: GPL-2.0-only
"""./ns3 reproduce, and that the documentation's tables are what it makes."""

import csv
import json
import subprocess
import sys
import unittest

from places import ANALYSIS, ROOT
from programs import Program
from scripts import NEEDS_MATPLOTLIB, NEEDS_PANDAS, load, make_tables

import reproduce
from edgepipe import reports, running

TABLES = ROOT / "contrib/edgepipe/doc/tables"
TRACES = f"--traces={ROOT / 'traces'}"


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


@NEEDS_PANDAS
class DocumentedTables(Program):
    """One small table of each paper but QDMP's, made anew; those are in qdmp_tables_test."""

    BNO_RUNS, BNO_COLUMNS = 1, 6
    DGPAS_MODELS, DGPAS_TABLES = ["--model=alexnet,vgg19"], {"dgpas-table3": 4}

    def run_scenario(self, name, folder, *options):
        self.ended(self.run_program(name, TRACES, f"--out={folder}", *options), stderr="")

    def make_tables(self, script, folder):
        self.ended(make_tables(script, self.folder / folder), stderr="")

    def test_coknight(self):
        for run in reproduce.read_papers()["coknight"]["runs"]:
            options = {**run.get("options", {}), "figures": "9" if "9" in run.get("options", {}).get(
                "figures", "9,") else "10"}
            folder = f"r/{run['name']}"
            (self.folder / folder).mkdir(parents=True)
            self.run_scenario(run["scenario"], folder,
                              *(f"--{name}={value}" for name, value in options.items()))
        self.make_tables("coknight_readings", "r")
        made = read(self.folder / "r/readings/sheet-coknight-comparison.csv")
        documented = read(TABLES / "coknight-comparison.csv")
        self.assertEqual(made[0], documented[0])
        self.assertEqual([row for row in made if row[0] in "89"],
                         [row for row in documented if row[0] in "89"])
        self.assertGreater(len(made), 6)
        # Bytes instead of floats.
        column = read(TABLES / "coknight-readings.csv")[0].index("bytes")
        self.assertEqual([row[column] for row in read(
            self.folder / "r/readings/sheet-coknight-readings.csv") if row[0] in "89"],
            [row[column] for row in read(TABLES / "coknight-readings.csv") if row[0] in "89"])

    def test_bno(self):
        self.run_scenario("bno-seeds", "b", "--model=mnist_cnn", "--cluster=bno-testbed",
                          f"--repetitions={self.BNO_RUNS}")
        self.assertEqual(read(self.folder / "b/sheet-bno-published.csv"),
                         read(TABLES / "bno-published.csv"))
        made = read(self.folder / "b/sheet-bno-readings.csv")
        self.assertEqual(len(made), 5)
        for row in made:
            # Random shares, with their interval, are of ten runs.
            self.assertIn(row[:self.BNO_COLUMNS], [one[:self.BNO_COLUMNS] for one in read(TABLES / "bno-readings.csv")])

    def test_dgpas(self):
        self.run_scenario("dgpas-testbed", "d", "--networks=lan-1g", "--planner=dp-dgpas,dp,even,exact",
                          "--mini-batches=1", "--bubbles-of=dp-dgpas", *self.DGPAS_MODELS)
        tables = load("dgpas_testbed")
        folder = self.folder / "d"
        results = tables.Results(folder, json.loads((folder / "run.json").read_text()))
        made = reports.sheets_of(results.sections())
        # Rows of planners that draw nothing.
        for name, least in self.DGPAS_TABLES.items():
            documented = read(TABLES / f"{name}.csv")
            made_rows = list(csv.reader(made[f"sheet-{name}.csv"].splitlines()))
            self.assertGreater(len(made_rows), least)
            # Without the columns of models that are not run.
            kept = [documented[0].index(column) for column in made_rows[0]]
            for row in made_rows:
                self.assertIn(row, [[one[at] for at in kept] for one in documented])
        readings = load("dgpas_readings")
        rows = readings.compare_models(json.loads(
            (ROOT / "traces/published/dgpas.json").read_text()))
        self.assertEqual(readings.make_model_rows(rows), read(TABLES / "dgpas-models.csv")[1:])


class Options(Program):
    def test_scenarios_take_what_they_are_run_with(self):
        for paper in reproduce.read_papers().values():
            for run in paper["runs"]:
                for options in ({**run.get("options", {}), **quick} for quick in ({}, run.get("quick", {}))
                                if quick or "quick" not in run):
                    with self.subTest(run["name"], options=options):
                        self.ended(self.run_program(run["scenario"], TRACES, "--dry-run",
                                                    *reproduce.words_of(options)), stderr="")


class PublishedBno(unittest.TestCase):
    def test_random_beats_equal_on_identical_gpus(self):
        models = {model["name"]: model["milliseconds"] for model in json.loads(
            (ROOT / "traces/published/bno-weight-update.json").read_text())["models"]}
        shorter = {name: 1 - figures["random"] / figures["equal"]
                   for name, figures in models.items() if "random" in figures}
        self.assertAlmostEqual(shorter["ResNet50"], 0.124, delta=0.0005)
        self.assertAlmostEqual(shorter["AlexNet"], -0.124, delta=0.0005)
        gains = sorted(1 - figures["bno"] / figures["equal"] for figures in models.values()
                       if "equal" in figures)
        self.assertAlmostEqual(gains[0], 0.023, delta=0.0005)
        self.assertAlmostEqual(gains[1], 0.186, delta=0.0005)


    def test_no_link_of_a_gpu_holds_the_transfers_in_the_time_that_is_printed(self):
        for name, seconds, megabytes, times in (("resnet50", 0.263e-3, 102, 37),
                                                ("vgg16", 0.263e-3, 553, 200)):
            layers = json.loads((ROOT / f"traces/models/{name}.json").read_text())["layers"]
            gradients = sum(layer["parameterBytes"] for layer in layers)
            self.assertAlmostEqual(gradients / 1e6, megabytes, delta=1)
            # A ring of four: each sends 2 x 3 / 4 of the gradients.
            rate = 2 * 3 / 4 * gradients / seconds
            cluster = json.loads((ROOT / "traces/clusters/bno-pcie.json").read_text())
            carried = float(cluster["network"]["bandwidth"].removesuffix("bps")) / 8
            self.assertAlmostEqual(rate / carried, times, delta=0.02 * times)


class Reproduce(Program):
    """The program, with a scenario that does nothing."""

    def setUp(self):
        super().setUp()
        self.bin = self.folder / "bin"
        self.bin.mkdir()

    def install(self, name, text):
        path = self.bin / name
        path.write_text(f"#!{sys.executable}\n{text}")
        path.chmod(0o755)

    def reproduce(self, *words):
        program = (f"import sys; sys.path.insert(0, {str(ANALYSIS)!r}); import reproduce; "
                   f"reproduce.command_of = lambda name: [{str(self.bin)!r} + '/' + name]; "
                   "from edgepipe.pictures import start; start(lambda: sys.exit(reproduce.main()))")
        return subprocess.run(["/usr/bin/python3", "-c", program, "--out=out", *words],
                              cwd=self.folder, capture_output=True, text=True)

    def test_a_run_that_fails_is_named_and_the_page_still_made(self):
        self.install("qdmp-tables", "import sys\nsys.exit('no such thing')\n")
        result = self.ended(self.reproduce("qdmp", "--quick"), 1)
        self.assertIn("qdmp-tables ended with 1", result.stderr)
        log = self.folder / "out/qdmp/qdmp-tables.log"
        self.assertIn("no such thing", log.read_text())
        self.assertIn("qdmp-tables ended with 1", (self.folder / "out/index.html").read_text())
        self.assertEqual(read(self.folder / "out/map.csv"), [list(reproduce.MAP)])

    def test_mistakes_are_one_line(self):
        for words, answer in ((["qdpm"], "qdpm"), (["qdmp", "--fast"], "--fast"), ([], "PAPER"),
                              (["qdmp", "--quick", "--docs"], "--docs"),
                              (["qdmp", "--out=/dev/null/x"], 'found "/dev/null/x", expected a folder')):
            self.assert_one_line(self.reproduce(*words), answer)

    @NEEDS_PANDAS
    @NEEDS_MATPLOTLIB
    def test_the_map_has_every_figure_with_command_file_and_verdict(self):
        results = ROOT / "tests/analysis/paper-tables/qdmp"
        self.install("qdmp-tables", f"""import shutil, subprocess, sys
out = [word[6:] for word in sys.argv if word.startswith('--out=')][0]
for name in ('calibration.csv', 'cells.csv', 'decisions.csv', 'run.json'):
    shutil.copy({str(results)!r} + '/' + name, out)
subprocess.run([{str(reproduce.PAPERS / "qdmp_tables.py")!r}, out])
""")
        result = self.reproduce("qdmp")
        rows = [dict(zip(reproduce.MAP, row)) for row in read(self.folder / "out/map.csv")[1:]]
        figures = [row["figure"] for row in rows]
        self.assertEqual(figures[:5], ["Figure 1", "Figure 2", "Figure 3", "Tables 1 and 4",
                                       "Table 2"], result.stderr)
        self.assertIn("Figures 12 and 13", figures)
        for row in rows:
            self.assertIn(row["verdict"], ("agrees", "differs", "cannot be told"))
            self.assertTrue(row["command"].startswith("./ns3 run"))
            if row["figure"] != "Figure 11":  # its run has no such file
                self.assertTrue((self.folder / "out" / row["file"]).is_file(), row)
        page = (self.folder / "out/index.html").read_text()
        for words in ("qdmp-contradictions", "Figure 10", "QDMP: cooperative inference"):
            self.assertIn(words, page)
        # The paper's tables beside ours come first, then what they say.
        places = [page.index(f"<h3>{name}</h3>") for name in (
            "qdmp-table2", "qdmp-table3", "Verdicts", "qdmp-assumptions")]
        self.assertEqual(places, sorted(places))
        why = {row["figure"]: row["why"] for row in rows}
        self.assertIn("of 6 not calibrated within 15 %", why["Table 2"])

    def test_what_it_runs_is_there(self):
        for name, paper in reproduce.read_papers().items():
            names = [run["name"] for run in paper["runs"]]
            self.assertEqual(len(set(names)), len(names))
            for run in paper["runs"]:
                scenario = run["scenario"]
                self.assertTrue(scenario in running.studies()
                                or (ROOT / f"scenarios/{scenario}.cc").is_file(), name)
            for source in paper.get("figures", {}).values():
                self.assertIn(source.split("/")[0], [*names, reproduce.READINGS])
