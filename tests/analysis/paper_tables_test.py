# SPDX-License-Identifier: GPL-2.0-only
"""analysis/papers/: tables of raw results kept in paper-tables/, compared with those that were made of
them when the scenarios made their own tables."""

import json
import math
import re
import shutil
import unittest
from pathlib import Path

from places import InFolder, ROOT
from scripts import NEEDS_PANDAS, load, make_tables

from edgepipe import comparison, tables

HERE = Path(__file__).resolve().parent / "paper-tables"
SCRIPTS = {"qdmp": "qdmp_tables", "dgpas": "dgpas_testbed", "dgpas-seeds": "dgpas_testbed",
           "bno": "bno_table", "coknight": "coknight_figures"}
# Only in the files.
NOT_PRINTED = re.compile(r"## (Second reading|Simulated|Figure (7|8|9|10), (latency|throughput)|Table 6,|"
                         "Calibration|Tables 1 and 4,|Order of the planners\n\npairs that we|What other assumptions|"
                         "Choices as printed|Cells of the paper|Figures 2 and 3|"
                         "Order of the planners\n\npairs of table 3|Where grdqn's|Figure 12,|"
                         "Figure 11 read otherwise|Help between|"
                         "Bubble rates|Figure (2|6|10|12):|By model|Weight update of)")
MOST_LINES = 80  # on a screen; the file has the others
WORD = re.compile(r"[-+]?\d+\.?\d*(?:e[-+]?\d+)?|[^\s\d,|]+")
def as_number(word):
    try:
        return float(word)
    except ValueError:
        return None


@NEEDS_PANDAS
class Tables(InFolder):
    def make(self, name, folder):
        return make_tables(SCRIPTS[name], folder)

    def copy(self, name):
        shutil.rmtree(self.folder / "r", ignore_errors=True)
        return shutil.copytree(HERE / name, self.folder / "r")

    def assert_same(self, text, expected, where):
        """The same words, and the same numbers."""
        found, wanted = WORD.findall(text), WORD.findall(expected)
        self.assertEqual(len(found), len(wanted), where)
        for at, (mine, theirs) in enumerate(zip(found, wanted)):
            number = as_number(theirs)
            if mine != theirs and (number is None or not math.isclose(
                    as_number(mine) or 0, number, rel_tol=1e-9, abs_tol=1e-14)):
                self.fail(f"{where}: {' '.join(found[max(0, at - 6):at + 1])}; expected {theirs}")

    def test_tables_have_the_numbers_that_they_had(self):
        for name in SCRIPTS:
            with self.subTest(name):
                folder = self.copy(name)
                self.ended(self.make(name, folder), stderr="")
                for expected in (folder / "expected").iterdir():
                    self.assert_same((folder / expected.name).read_text(), expected.read_text(),
                                     f"{name}/{expected.name}")

    def test_what_is_printed_is_what_the_file_says(self):
        for name in SCRIPTS:
            with self.subTest(name):
                folder = self.copy(name)
                lines = self.make(name, folder).stdout.splitlines()
                self.assertLess(len(lines), MOST_LINES)
                printed = {" ".join(line.split()) for line in lines}
                page, = (folder / "expected").glob("*.md")
                sections = re.split(r"\n(?=## )", page.read_text())
                rows = [row for section in sections[1:]
                        if not NOT_PRINTED.match(section)
                        for row in re.findall(r"(?m)^\|(.*)\|$", section)[2:]]
                self.assertGreater(len(rows), 5)
                for row in rows:
                    self.assertIn(" ".join(row.replace(" | ", " ").split()), printed)

    def test_broken_results_are_refused_in_one_line_and_nothing_is_written(self):
        for name, file, broken, words in (
                ("qdmp", "cells.csv", lambda text: text.replace("latencySeconds", "latency"),
                 'cells.csv: line 1: column "latencySeconds" is missing'),
                ("qdmp", "run.json", lambda text: "{}", "expected results of qdmp-tables"),
                ("bno", "results.csv", lambda text: text.replace("finished,", "finished,x", 1),
                 'line 2: paperMilliseconds: found "x'),
                ("dgpas", "run.json", lambda text: text[:-2], "expected JSON"),
                ("coknight", "figure-9.csv", lambda text: text.replace("serverUse", "use"),
                 'column "serverUse" is missing')):
            with self.subTest(words):
                folder = self.copy(name)
                path = folder / file
                path.write_text(broken(path.read_text()))
                before = sorted(folder.iterdir())
                self.assert_one_line(self.make(name, folder), words)
                self.assertEqual(sorted(folder.iterdir()), before)


class Statistics(unittest.TestCase):
    @NEEDS_PANDAS
    def test_intervals_are_students(self):
        from scipy import stats

        # Mean 3, s = sqrt(2.5), t(0.975, 4) = 2.776445: 2.776445 sqrt(2.5 / 5).
        mean, half = comparison.mean_interval([1, 2, 3, 4, 5])
        self.assertEqual(mean, 3)
        self.assertAlmostEqual(half, 1.963243, places=6)
        self.assertAlmostEqual(comparison.mean_interval([1, 3])[1], 12.706205, places=6)
        self.assertEqual(comparison.mean_interval([7]), (7, 0))
        self.assertEqual(comparison.mean_interval([7, 7, 7]), (7, 0))
        values = [0.3, 1.7, 0.2, 5.0, 2.2, 0.9]
        mean, half = comparison.mean_interval(values)
        low, high = stats.t.interval(0.95, len(values) - 1, mean, stats.sem(values))
        self.assertAlmostEqual(mean - half, low, places=12)
        self.assertAlmostEqual(mean + half, high, places=12)

    def test_orders_are_compared_pair_by_pair(self):
        theirs = {"a": 1.00, "b": 1.01, "c": 1.01}
        for ours, expected in (
                ([1, 2, 2], ([], [])),
                # Equal in print has no known order, but is not ours.
                ([2, 1, 3], (["a/b"], ["a/b", "b/c"])),
                # A tie reverses nothing.
                ([1, 1, 1 + 1e-12], ([], ["a/b", "a/c"])),
                # Less than a digit is a difference too.
                ([1.001, 1, 1], (["a/b", "a/c"], ["a/b", "a/c"]))):
            self.assertEqual(comparison.compare_order(theirs, ours, 0.01), expected, ours)
        self.assertEqual(comparison.compare_order(theirs, [1.001, 1, 1], 0.01, 0.005)[0], [])

    def test_numbers_for_people(self):
        for value, digits, text in ((0.000123456, 4, "0.0001235"), (12.3456, 4, "12.35"), (0, 4, "0"),
                                    (123456, 4, "123456"), (999.96, 4, "1000.0"), (1, 3, "1.00"), (0.5, 3, "0.500"),
                                    (-2.5, 2, "-2.5"), (1e15, 4, "1e+15")):
            self.assertEqual(tables.rounded(value, digits), text)
        self.assertEqual([tables.percent(share) for share in (0.1235, -0.00001, 2, 0.0125)],
                         ["12.4 %", "0.0 %", "200.0 %", "1.3 %"])
        self.assertEqual([comparison.round_half_away(value) for value in (2.5, -2.5, 0.4, -0.4)],
                         [3, -3, 0, 0])


@NEEDS_PANDAS
class Dgpas(unittest.TestCase):
    """Table 3, means and bandwidths as found by hand."""

    def setUp(self):
        self.tables = load("dgpas_testbed")
        paper = json.loads((ROOT / "traces/published/dgpas.json").read_text())
        self.run = {"models": [model["name"] for model in paper["models"]],
                    "networks": [{"name": "lan", "label": "LAN"}],
                    "methods": [{"name": name, "schedule": "gpipe", "theirs": theirs}
                                for name, theirs in (("grdqn", "DGPAS"),
                                                     ("grdqn-improved", "DGPAS"), ("dp-dgpas", "DP"),
                                                     ("ga", "GA"), ("exact", ""))]}
        self.paper = self.tables.Paper(paper, self.run["models"])

    def plans(self, rows, keys=("model", "network", "method", "run"), full=0.9, stuck=()):
        """Plans by their keys, and seconds without help, of which help saves a tenth."""
        import pandas

        frame = pandas.DataFrame([
            {**dict(zip(keys, key)), "help": kind,
             "status": "stalled" if (key, kind) in stuck else "finished",
             "iterationSeconds": seconds * {"none": 1, "ideal": 0.9, "full": full}[kind],
             "bubbleRate": 0.5 if kind == "none" else 0.3}
            for key, seconds in rows.items() for kind in ("none", "ideal", "full")])
        return self.tables.Plans(frame, list(keys))

    def test_table_3_and_its_order(self):
        self.assertAlmostEqual(self.paper.table_reduction(), 0.292, delta=0.0005)
        cases = self.plans({(model, "lan", method, seed): seconds for model in self.run["models"]
                            for method, seed, seconds in (
                                ("grdqn", 1, 2), ("grdqn", 2, 4),
                                ("grdqn-improved", 1, 2), ("dp-dgpas", 1, 4), ("ga", 1, 5))})
        table3 = self.tables.compare(cases, self.run, self.paper)
        # Four methods, and for both of grdqn two kinds of help; exact has no case.
        self.assertEqual(len(table3), 5 * 8)
        reductions = [self.tables.reduction_of(table3, self.paper, name)
                      for name in ("grdqn", "grdqn-improved", "pso")]
        self.assertAlmostEqual(reductions[0], ((1 - 3 / 4) + (1 - 3 / 5)) / 2, places=12)
        self.assertAlmostEqual(reductions[1], 0.55, places=12)
        self.assertIsNone(reductions[2])
        cell = table3.iloc[1]
        self.assertEqual((cell.model, cell.help, cell.row, cell.paperSeconds),
                         ("AlexNet", "ideal", "DGPAS_Co", 2.96))
        for mine, expected in ((cell.oursSeconds, 2.7), (cell.oursOverFaithful, 0.9),
                               (cell.oursOverImproved, 1.35), (cell.paperOverDgpas, 2.96 / 4.73)):
            self.assertAlmostEqual(mine, expected, places=12)
        # Theirs has DGPAS < GA < DP for every model, ours has dp-dgpas before ga.
        orders = self.tables.compare_orders(table3, self.run, self.paper)
        self.assertEqual([order[2:] for order in orders], [(3, ["DP/GA"])] * 10)

    def test_a_case_that_did_not_finish_leaves_no_mean(self):
        keys = {("Net", "lan", "dp-dgpas", seed): 2 for seed in (1, 2)}
        where = {"model": "Net", "network": "lan", "method": "dp-dgpas"}
        self.assertEqual(self.plans(keys).mean("iterationSeconds.none", **where), 2)
        stuck = self.plans(keys, stuck={(("Net", "lan", "dp-dgpas", 2), "full")})
        self.assertIsNone(stuck.mean("iterationSeconds.none", **where))
        self.assertIsNone(stuck.mean("iterationSeconds.none", **{**where, "network": "wifi"}))

    def test_shares_are_of_the_bubble_rate_and_of_the_time(self):
        points = self.plans({("Net", "lan", "dp-dgpas", 1): 2})
        self.assertAlmostEqual(
            self.tables.over_seeds(points, "decrease.ideal", model="Net")[0], 0.4)
        self.assertAlmostEqual(points.frame["gain.full"][0], 0.1)
        points.frame["bubbleRate.none"] = 0
        self.assertEqual(points.less("bubbleRate", "ideal")[0], 0)
        self.assertIsNone(self.tables.over_seeds(points, "decrease.ideal", model="Other"))

    def test_means_over_plans_have_intervals_over_seeds(self):
        # dp-dgpas has one plan, which counts in both seeds: 2 and 6 of ga, so means of 3 and 5.
        points = self.plans({("Net", "lan", "dp-dgpas", 1): 4, ("Net", "lan", "ga", 1): 2,
                             ("Net", "lan", "ga", 2): 6})
        mean, half = self.tables.over_seeds(points, "iterationSeconds.none")
        self.assertAlmostEqual(mean, 4)
        self.assertAlmostEqual(half, 12.706205, places=5)
        self.assertEqual(self.tables.over_seeds(points, "iterationSeconds.none", method="dp-dgpas"), (4, 0))

    def test_figure_11_rises_only_if_every_model_does(self):
        # By items the bubble rate with help; without it is 0.5.
        def verdict(**rates):
            points = self.plans({(model, "ga", seed, items): 1 for model in rates for seed in (1, 2)
                                 for items in (2, 4, 8)}, ("model", "method", "run", "items"))
            points.frame["decrease.ideal"] = [1 - 2 * rates[row.model][int(row.items).bit_length() - 2](row.run)
                                              for row in points.frame.itertuples()]
            return load("dgpas_readings").judge_rise({"items": (points, "items")})[1:3]

        def level(rate, spread=0.0):
            return lambda run: rate + spread * (1.5 - run)

        rising = level(0.4), level(0.3), level(0.2)
        self.assertEqual(verdict(A=rising, B=rising), (True, "items: 20.0 % of 2, 60.0 % of 8, 60.0 % of 8, "
                                                             "2 of 2 models rise"))
        # The mean rises, but one model is level, or its seeds say nothing.
        self.assertEqual(verdict(A=rising, B=(level(0.4),) * 3)[0], False)
        noisy = level(0.4), level(0.35), level(0.3, 0.1)
        self.assertEqual(verdict(A=rising, B=noisy)[0], False)
        # Seeds that differ all along do not hide a rise.
        self.assertEqual(verdict(A=rising, B=tuple(level(rate, 0.1) for rate in (0.4, 0.3, 0.2)))[0], True)

    def test_help_pays_from_the_least_bandwidth_without_a_loss_above(self):
        def paying(*gains, stuck=()):
            import pandas

            points = [self.plans({("exact", x): 1}, ("method", "bitsPerSecond"), 1 - gain,
                                 {(("exact", at), "ideal") for at in stuck}).frame
                      for x, gain in gains]
            return self.tables.paying_bandwidth(pandas.concat(points))

        self.assertIsNone(paying((1, 0.1), (2, 0)))
        self.assertEqual(paying((1, 0.1), (2, 0), (3, 0.1)), 3)
        self.assertEqual(paying((1, -0.1), (2, 0.1), (3, 0.1)), 2)
        self.assertIsNone(paying((1, 0.0005)))
        self.assertIsNone(paying((1, 0.1), (2, 0.1), stuck=(2,)))
