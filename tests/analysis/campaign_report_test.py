# SPDX-License-Identifier: GPL-2.0-only
"""The page of a study: its figures by hand, and what a reader does with it in a real browser."""

import html
import importlib.util
import json
import math
import re
import sys
import time
import unittest

from places import ROOT, InFolder

from scripts import NEEDS_MATPLOTLIB, two_stages

from browser import CHROMIUM, Browser

from edgepipe.campaign.record import Record
from edgepipe.campaign.store import Store
from edgepipe.campaign.study import read_study
from edgepipe.campaign.units import scale_of, title_of
from edgepipe.looks import looks
from edgepipe.pictures import InputError

NEEDS_SCIPY = unittest.skipUnless(importlib.util.find_spec("scipy"), "needs python3-scipy")
NEEDS_CHROMIUM = unittest.skipUnless(CHROMIUM, "needs the package chromium")


def stored(case, rows, **more):
    """A case that has ended."""
    values = {**case.note(), "outcome": "ok", "exitStatus": 0, "attempts": 1,
              "wallSeconds": 1.5, "peakMemoryBytes": 50000000, "host": "here", "ended": "2026-01-01",
              "commit": "0123456789abcdef+", "source": "source", "edgepipe": "0.1.0", "ns3": "3.37",
              "layerCosts": json.dumps({"<pi>": {"origin": "measured", "source": "a & b", "stack": "eager, fp32"},
                                         "nano": {"origin": "estimated", "source": "c", "stack": "engine, fp32"}}), **more}
    timeline = json.dumps({"traceEvents": two_stages("even")}).encode()
    return Record({name: value for name, value in values.items() if name != "options"}, case.options, rows,
                  {"timeline.json": timeline} if case.run == 1 else {})


class Reported(InFolder):
    """A study of two options, planners in rows, and three runs."""

    members = {"options": {"model": "m"}, "grid": {"devices": "2..8 log2", "link": ["lan", "wifi"]},
               "repetitions": 3}

    def setUp(self):
        super().setUp()
        path = self.folder / "my <study>.json"
        path.write_text(json.dumps({"scenario": "plan", **self.members}))
        self.study = read_study(path, ["plan"])
        self.cases = self.study.cases("source", self.folder)

    def rows(self, case):
        """even takes 10 s, 11 s and 12 s; dp over lan 1 s each, over wifi 10.5 s, 11 s and 14.5 s."""
        options = dict(case.options)
        dp = {"lan": [1, 1, 1], "wifi": [10.5, 11, 14.5]}[options["link"]][case.run - 1]
        return [{"planner": planner, "devices": int(options["devices"]), "model": "m",
                 "status": "finished", "iterationSeconds": seconds * int(options["devices"]),
                 "bubbleRate": 0.5, "stages": case.run}
                for planner, seconds in (("even", 9 + case.run), ("dp", dp))]

    def records(self):
        return [stored(case, self.rows(case)) for case in self.cases]

    def report(self, records=None, report=None):
        from edgepipe.campaign.report import write_report

        store = Store(self.folder / "base.sqlite")
        store.add(self.records() if records is None else records)
        self.study.report = report or {}
        names = write_report(self.study, store, store.read([case.hash for case in self.cases]),
                             len(self.cases), self.folder / "page")
        return names, (self.folder / "page" / "report.html").read_text()

    def assert_has(self, page, part):
        self.assertTrue(part in page, part)

    def data(self, page):
        return json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])


@NEEDS_MATPLOTLIB
@NEEDS_SCIPY
class PageTest(Reported):
    def test_means_and_intervals(self):
        names, page = self.report()
        self.assertEqual(names, ["report.html", "iterationSeconds.svg", "iterationSeconds.pdf"])
        for name in names:
            self.assertGreater((self.folder / "page" / name).stat().st_size, 1000)
        data = self.data(page)
        self.assertNotIn("redict", page.partition("<h2>Figures")[0])  # nothing is predicted
        self.assertEqual(data["keys"], ["--devices", "--link", "planner"])
        self.assertEqual(data["figures"], ["iterationSeconds", "bubbleRate", "stages"])
        self.assertEqual(len(data["groups"]), 12)
        groups = {tuple(group["keys"]): group for group in data["groups"]}
        mean, half = groups[("4", "lan", "even")]["means"][0]
        # 40, 44 and 48: s = 4, t(0.975, 2) = 4.302653
        self.assertAlmostEqual(mean, 44)
        self.assertAlmostEqual(half, 4.302653 * 4 / math.sqrt(3), 4)
        runs = groups[("4", "lan", "even")]["runs"]
        self.assertEqual([run[1] for run in runs], [40, 44, 48])
        cases = [data["cases"][run[0]] for run in runs]
        self.assertEqual(cases[1]["command"], "./ns3 run 'plan --model=m --devices=4 --link=lan --RngRun=2'")
        self.assertEqual([bool(case["timeline"]) for case in cases], [True, False, False])

    def test_intervals_that_overlap_decide_nothing(self):
        _, page = self.report()
        # even against dp: over lan dp is better at three points; over wifi they overlap.
        self.assert_has(page, "<tr><td>even</td><td>dp</td><td>0</td><td>3</td><td>3</td></tr>")
        self.assert_has(page, "<td>wifi</td><td>even ≈ dp</td>")
        self.assert_has(page, "<td>lan</td><td>dp &lt; even</td>")

    def test_differences_within_a_tie_of_a_run_decide_nothing(self):
        for seconds, row, order in ((9.99, "0</td><td>6</td><td>0", "even ≈ dp"), (9.7, "6</td><td>0</td><td>0", "even &lt; dp")):
            records = self.records()
            for record in records:
                for one in record.rows:
                    one["iterationSeconds"] = {"even": seconds, "dp": 10}[one["planner"]]
            _, page = self.report(records)
            self.assert_has(page, f"<tr><td>even</td><td>dp</td><td>{row}</td></tr>")
            self.assert_has(page, f"<td>lan</td><td>{order}</td>")
            (self.folder / "base.sqlite").unlink()

    def test_predictions_that_disagree_are_counted(self):
        records = self.records()
        for record in records:
            for row in record.rows:
                # Both within 2 % over lan; dp first over wifi, where it takes 12 s and even 11 s, and far off.
                row["predictedIterationSeconds"] = int(row["devices"]) * (
                    {"even": 1, "dp": 1.01} if dict(record.options)["link"] == "lan" else {"even": 5, "dp": 4})[row["planner"]]
        lines = re.findall("<p>((?:The orders|Predictions).*?)</p>", self.report(records)[1])
        self.assertEqual(lines, ["The orders disagree at 3 of 6 points: dp is predicted to beat even, but in the simulation "
                                 "even is better.",
                                 "Predictions for even are off by a factor of two or more at 6 of 6 points.",
                                 "Predictions for dp are off by a factor of two or more at 3 of 6 points."])

    def test_ties_and_points_without_predictions_are_no_agreement(self):
        agree = "Prediction and simulation agree on the order at every point."
        far = "Predictions for dp are off by a factor of two or more at 2 of 2 points."
        for predicted, simulated, expected in (({"even": 1, "dp": 1}, {"even": 1, "dp": 1}, []),
                                               ({"even": 1, "dp": 5}, {"even": 1, "dp": 5}, [agree]),
                                               ({"even": 1, "dp": 1}, {"even": 1, "dp": 5}, [far])):
            records = self.records()
            for record in records:
                for row in record.rows:
                    row["iterationSeconds"] = simulated[row["planner"]]
                    row["predictedIterationSeconds"] = predicted[row["planner"]] if row["devices"] == 4 else ""
            lines = re.findall("<p>(Prediction.*?)</p>", self.report(records)[1])
            self.assertEqual(lines, expected)
            (self.folder / "base.sqlite").unlink()

    def test_panels_leave_the_axis_its_title(self):
        from edgepipe.campaign.figures import draw
        from edgepipe.campaign.summary import Summary
        from edgepipe.pictures import load_matplotlib

        load_matplotlib(8)
        store = Store(self.folder / "base.sqlite")
        store.add(self.records())
        figure, _ = draw(Summary(self.study, store.read([case.hash for case in self.cases])), "iterationSeconds")
        self.assertEqual(len(figure.axes), 2)
        self.assertEqual(figure._supylabel.get_text(), "iteration (s)")

    def test_whiskers_end_within_the_axis(self):
        from edgepipe.campaign.figures import draw
        from edgepipe.campaign.summary import Summary

        records = self.records()
        for record in records:
            for row in record.rows:  # 11 s +- 2.5 s
                row["iterationSeconds"] = 9 + record.values["run"]
        store = Store(self.folder / "base.sqlite")
        store.add(records)
        figure, _ = draw(Summary(self.study, store.read([case.hash for case in self.cases])), "iterationSeconds")
        ends = [end for axes in figure.axes for container in axes.containers
                for segment in container.lines[2][0].get_segments() for _, end in segment]
        low, high = figure.axes[0].get_ylim()
        self.assertGreater(max(ends), 13)
        self.assertLess(low, min(ends))
        self.assertLess(max(ends), high)

    def test_a_caption_has_the_unit_of_its_axis_and_a_distance_its_own(self):
        from edgepipe.campaign.figures import draw
        from edgepipe.campaign.summary import Summary

        records = self.records()
        for record in records:
            record.rows = [{**row, "meanLatencySeconds": row["iterationSeconds"] / 1000,
                            "devicesMeters": row["devices"]} for row in record.rows]
        _, page = self.report(records, {"figures": ["meanLatencySeconds"], "x": "--devices"})
        self.assert_has(page, "<figcaption>mean latency (ms): mean and 95 %")
        store = Store(self.folder / "base.sqlite")
        figure, _ = draw(Summary(self.study, store.read([case.hash for case in self.cases])), "meanLatencySeconds")
        self.assertEqual([figure._supylabel.get_text(), figure._supxlabel.get_text()],
                         ["mean latency (ms)", "devices (m)"])

    def test_a_legend_has_whatever_a_panel_shows_and_is_not_cut(self):
        from edgepipe.campaign.figures import draw
        from edgepipe.campaign.summary import Summary
        from edgepipe.pictures import load_matplotlib

        load_matplotlib(8)
        names = [f"a planner with a long name {number}" for number in range(8)]
        records = self.records()
        for record in records:
            # The first panel lacks the last planner.
            shown = names[:-1] if dict(record.options)["link"] == "lan" else names
            record.rows = [{**record.rows[0], "planner": name} for name in shown]
        store = Store(self.folder / "base.sqlite")
        store.add(records)
        figure, _ = draw(Summary(self.study, store.read([case.hash for case in self.cases])), "iterationSeconds")
        figure.draw_without_rendering()
        legend, = figure.legends
        self.assertEqual([text.get_text() for text in legend.get_texts()], names)
        box = legend.get_window_extent()
        self.assertGreaterEqual(box.x0, 0)
        self.assertLessEqual(box.x1, figure.bbox.width)
        self.assertLess(max(axes.get_tightbbox().y1 for axes in figure.axes), box.y0)
        # Seven lines of one course take turns.
        dashes = [container.lines[0]._unscaled_dash_pattern for container in figure.axes[0].containers]
        self.assertEqual(dashes, [(-4 * turn % 28, (4, 24)) for turn in range(7)])

    def test_everything_of_a_user_is_escaped(self):
        records = self.records()
        records[0].values.update(outcome="failed", exitStatus=9, log="<script>alert(1)</script>")
        _, page = self.report(records)
        self.assert_has(page, "<title>my &lt;study&gt;</title>")
        self.assert_has(page, "<td>&lt;pi&gt;</td><td>measured</td><td>a &amp; b</td><td>eager, fp32</td>")
        self.assert_has(page, "<p>Unlike stacks, so devices differ by software too: &lt;pi&gt; eager, fp32; "
                        "nano engine, fp32.</p>")
        self.assert_has(page, "<pre>&lt;script&gt;alert(1)")
        self.assert_has(page, "18 of 18 have ended, 1 not well")

    def test_same_results_same_bytes(self):
        before = self.report()[1]
        self.assertEqual(self.report([])[1], before)

    def test_mistakes(self):
        with self.assertRaisesRegex(InputError, "no case of it has results yet"):
            self.report([])
        for report, expected in (({"figure": "no"}, 'report.figure: found "no", expected one of iter'),
                                 ({"compare": "no"}, "report.compare: "), ({"x": "no"}, "report.x: "),
                                 ({"figures": ["no"]}, "report.figures: ")):
            with self.subTest(report), self.assertRaisesRegex(InputError, expected):
                self.report(report=report)

    def test_the_study_says_what_is_drawn(self):
        names, page = self.report(report={"compare": "--link", "figure": "bubbleRate",
                                          "figures": ["stages"], "x": "planner"})
        self.assertEqual(names[1:], ["bubbleRate.svg", "bubbleRate.pdf", "stages.svg", "stages.pdf"])
        self.assert_has(page, "<td>lan</td><td>wifi</td><td>0</td><td>6</td><td>0</td>")


@NEEDS_MATPLOTLIB
@NEEDS_SCIPY
class UnitsTest(Reported):
    """Rates with their units, and runs in which nothing is random."""

    members = {"grid": {"bandwidth": ["16Mbps", "1Mbps", "500kbps", "2Mbps", "32Mbps"],
                        "planner": ["even", "dp"]}, "repetitions": 2}
    ORDER = ["500kbps", "1Mbps", "2Mbps", "16Mbps", "32Mbps"]

    def rows(self, case):
        options = dict(case.options)
        return [{"planner": options["planner"], "status": "finished", "rngRun": case.run,
                 "iterationSeconds": 1 + self.ORDER.index(options["bandwidth"])}]

    def test_they_are_a_number_along_which_figures_are_drawn(self):
        from edgepipe.campaign.figures import draw
        from edgepipe.campaign.summary import Summary
        from edgepipe.pictures import load_matplotlib

        load_matplotlib(8)
        store = Store(self.folder / "base.sqlite")
        store.add(self.records())
        for x in ({}, {"x": "bandwidth"}, {"x": "--bandwidth"}):
            self.study.report = x
            summary = Summary(self.study, store.read([case.hash for case in self.cases]))
            self.assertEqual((summary.x, summary.subject, summary.figures),
                             ("--bandwidth", "planner", ["iterationSeconds"]))
            figure, _ = draw(summary, "iterationSeconds")
            axes, = figure.axes
            self.assertEqual(figure._supxlabel.get_text(), "bandwidth (Mbps)")
            for container in axes.containers:
                self.assertEqual([list(one) for one in container.lines[0].get_data()],
                                 [[0.5, 1, 2, 16, 32], [1, 2, 3, 4, 5]])

    def test_runs_are_said_to_be_equal(self):
        _, page = self.report()
        self.assert_has(page, "<dd>2, all equal: nothing in them is random</dd>")
        self.assertEqual(self.data(page)["groups"][0]["means"], [[1, 0]])

    def test_the_study_is_named_by_its_whole_path(self):
        self.assert_has(self.report()[1], "<dd>./ns3 campaign run &#x27;"
                        f"{html.escape(str(self.study.path))}&#x27;</dd>")

    @NEEDS_CHROMIUM
    def test_a_reader_sorts_and_filters_by_size(self):
        self.report()
        with Browser() as browser:
            browser.open(self.folder / "page" / "report.html")
            for _ in range(2):  # as it comes, and sorted
                rows = browser.evaluate("[...document.querySelectorAll('#results tr.group')].map((row) => "
                                        "[...row.children].map((cell) => cell.textContent))")
                self.assertEqual([row[0] for row in rows], [one for one in self.ORDER for _ in "12"])
                self.assertEqual(rows[0][2], "1.000 equal")
                browser.evaluate("document.querySelector('#results th').click()")
            self.assertEqual(browser.evaluate(
                "[...document.querySelector('select[data-key=\"--bandwidth\"]').options].map("
                "(one) => one.value)"), ["", *self.ORDER])
            self.assertEqual(browser.console, [])


@NEEDS_SCIPY
class KeysTest(Reported):
    """Which columns tell rows apart, and what is drawn along what."""

    members = {"zip": {"link": ["lan", "wifi", "3g"], "distance": [5, 5, 20]},
               "grid": {"devices": ["2,4", "8"]}}

    def summary(self, rows):
        from edgepipe.campaign.summary import Summary

        store = Store(self.folder / "base.sqlite")
        store.add([stored(case, rows(dict(case.options))) for case in self.cases])
        return Summary(self.study, store.read([case.hash for case in self.cases]))

    def test_a_column_that_others_determine_is_left_out(self):
        summary = self.summary(lambda options: [
            {"planner": planner, "devices": int(count), "link": options["link"],
             "network": f"{options['link']} (fast)", "status": "finished", "iterationSeconds": 1.5}
            for planner in ("even", "dp") for count in options["devices"].split(",")])
        self.assertEqual(summary.keys, ["--link", "--distance", "planner", "devices"])
        self.assertEqual((summary.subject, summary.x, len(summary.groups)), ("planner", "devices", 18))

    def test_without_a_status_only_what_is_compared_is_a_key(self):
        summary = self.summary(lambda options: [
            {"planner": "even", "stages": f"[{options['link']}]", "iterationSeconds": 1.5}])
        self.assertEqual(summary.keys, ["--devices", "--link", "--distance"])
        self.assertEqual(summary.fixed, {"planner": "even"})
        # distance varies with link alone, so nothing is drawn along it
        self.assertEqual((summary.subject, summary.x), ("--devices", ""))


@NEEDS_MATPLOTLIB
@NEEDS_SCIPY
@NEEDS_CHROMIUM
class BrowserTest(Reported):
    def setUp(self):
        super().setUp()
        self.report()
        self.browser = Browser()
        self.addCleanup(self.browser.__exit__)
        self.browser.open(self.folder / "page" / "report.html")
        self.wait("timeline.boxes.length > 0")

    def wait(self, condition):
        for _ in range(200):
            if self.browser.evaluate(condition):
                return
            time.sleep(0.05)
        self.fail(f"never came: {condition}; {self.browser.console}")

    def tearDown(self):
        self.assertEqual(self.browser.console, [])
        self.assertEqual(len(self.browser.requests), 1, self.browser.requests)

    def column(self, number):
        return self.browser.evaluate(
            "[...document.querySelectorAll('#results tr.group')].map("
            f"(row) => row.children[{number}].firstChild.textContent)")

    def click(self, selector):
        self.browser.evaluate(f"document.querySelector({json.dumps(selector)}).scrollIntoView()")
        x, y = self.browser.evaluate(
            f"(() => {{ const box = document.querySelector({json.dumps(selector)})"
            ".getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; })()")
        self.browser.click(x, y)

    def choose(self, selector, value):
        self.browser.evaluate(
            f"(() => {{ const one = document.querySelector({json.dumps(selector)}); one.value = "
            f"{json.dumps(value)}; one.dispatchEvent(new Event(one.tagName === 'SELECT' ? 'change' : "
            "'input')); })()")

    def test_sorts(self):
        self.click("#results th:nth-child(4)")
        seconds = [float(one) for one in self.column(3)]
        self.assertEqual(seconds, sorted(seconds))
        self.assertEqual(len(seconds), 12)
        self.click("#results th:nth-child(4)")
        self.assertEqual([float(one) for one in self.column(3)], seconds[::-1])
        self.click("#results th:nth-child(3)")
        self.assertEqual(self.column(2), ["dp"] * 6 + ["even"] * 6)

    def test_filters(self):
        self.choose("select[data-key='--link']", "wifi")
        self.assertEqual(self.column(1), ["wifi"] * 6)
        self.choose("#search", "EVEN 8")
        self.assertEqual([self.column(number) for number in range(3)], [["8"], ["wifi"], ["even"]])
        self.assertEqual(self.browser.evaluate("document.getElementById('count').textContent"),
                         "1 of 12 rows")
        self.choose("#search", "")
        self.choose("select[data-key='--link']", "")
        self.assertEqual(len(self.column(0)), 12)

    def test_units_and_titles_are_those_of_a_run(self):
        names = {name for path in (ROOT / "contrib/edgepipe/doc/reference/results.rst",)
                 for name in re.findall(r"\b[a-z]+(?:[A-Z]\w*)+", path.read_text())}
        self.assertGreater(len(names), 100)
        for name in sorted(names):
            titles = self.browser.evaluate(f"[titleOf('{name}'), look('{name}', []).title]")
            title, factor = scale_of(name, [], 1)
            self.assertEqual([title_of(name), re.sub(r" \((bytes.*|B.*|%)\)$", "", title)],
                             [titles[0], titles[1]])
        self.assertEqual(scale_of("movedBytes", [], 3e6), ("moved (MB)", 1e-6))
        self.assertEqual(scale_of("iterationSeconds", ["weightUpdateSeconds"], 1), ("iteration (ms)", 1000))
        for cases in (["qdmp", "dads"], ["exact", "cloud-only", "edge-only", "qdmp"], ["even", "exact", "dp"],
                      ["neither", "both"], ["all-server", "defp", "a", "b", "c"]):
            colours = [colour for colour, _ in looks(cases).values()]
            self.assertEqual(self.browser.evaluate(f"coloursOf({json.dumps(cases)})"), colours)
            self.assertEqual(len(set(colours)), len(cases))
        self.browser.evaluate("[...document.querySelectorAll('#filters input[type=checkbox]')][1].click()")
        self.assertEqual(set(self.column(5)), {"50.0 %"})

    def test_columns_are_chosen(self):
        heads = "[...document.querySelectorAll('#results th')].map((one) => one.textContent)"
        before = self.browser.evaluate(heads)
        self.assertEqual(before[3], "iteration (s)")
        self.assertNotIn("bubble rate", before)  # the same everywhere
        self.browser.evaluate("[...document.querySelectorAll('#filters input[type=checkbox]')][1].click()")
        self.assertIn("bubble rate", self.browser.evaluate(heads))

    def test_a_row_opens_to_its_commands_and_its_timeline(self):
        self.click("#results tr.group:nth-child(3) td")
        said = self.browser.evaluate("document.querySelector('#results tr.runs').textContent")
        self.assertIn("run 2: ./ns3 run 'plan --model=m --devices=2 --link=wifi --RngRun=2'", said)
        self.assertIn("took 1.5 s and 50 MB on here; commit 0123456789ab+", said)
        self.assertEqual(self.browser.evaluate(
            "[...document.querySelectorAll('tr.runs button')].map((one) => one.textContent)"),
            ["copy", "timeline", "copy", "copy"])
        self.browser.evaluate("document.querySelectorAll('tr.runs button')[1].click()")
        self.wait("document.getElementById('runs').selectedOptions[0].textContent === "
                  "'devices 2, link wifi, run 1'")
        self.click("#results tr.group:nth-child(3) td")
        self.assertFalse(self.browser.evaluate("!!document.querySelector('#results tr.runs')"))

    def test_the_timeline_zooms_and_tells(self):
        self.assertAlmostEqual(self.browser.evaluate("timeline.view.to"), 0.1)
        self.assertEqual(self.browser.evaluate("timeline.boxes.length"), 17)
        self.browser.evaluate("document.getElementById('drawing').scrollIntoView({block: 'center'})")
        # The backward pass of micro-batch 1 on b, from 60 ms to 70 ms.
        x, y = self.browser.evaluate(
            "(() => { const box = timeline.boxes.find((one) => one.span.device === 'b' && "
            "one.span.kind === 'backward' && one.span.microBatch === 1); const at = "
            "document.getElementById('drawing').getBoundingClientRect(); "
            "return [at.x + box.x + box.width / 2, at.y + box.y + box.height / 2]; })()")
        hover = "document.getElementById('hover').textContent"
        self.browser.mouse("mouseMoved", x, y)
        self.wait(f"{hover}.startsWith('b')")
        self.assertEqual(self.browser.evaluate(hover), "b: backward, micro-batch 1, iteration 0, "
                         "60 ms to 70 ms, takes 10 ms")
        self.browser.mouse("mouseWheel", x, y, deltaX=0, deltaY=-100)
        self.wait("timeline.view.to - timeline.view.from < 0.0999")
        view = self.browser.evaluate("timeline.view")
        self.assertAlmostEqual(view["to"] - view["from"], 0.08)
        share = (0.065 - view["from"]) / 0.08
        self.assertAlmostEqual(share, 0.65, 2)  # what was under the pointer stays there
        self.browser.mouse("mousePressed", x, y, button="left", clickCount=1)
        self.browser.mouse("mouseMoved", x + 100, y, button="left", buttons=1)
        self.browser.mouse("mouseReleased", x + 100, y, button="left", clickCount=1)
        moved = self.browser.evaluate("timeline.view")
        self.assertLess(moved["from"], view["from"])
        self.click("#out")
        self.click("#all")
        self.assertEqual(self.browser.evaluate("[timeline.view.from, timeline.view.to]"), [0, 0.1])

    def test_a_phone_shows_it_without_scrolling_the_page_sideways(self):
        self.browser.resize(390, 800)
        self.browser.open(self.folder / "page" / "report.html")
        self.wait("timeline.boxes.length > 0")
        self.browser.requests.pop()
        self.assertEqual(self.browser.evaluate("document.documentElement.scrollWidth"), 390)
        self.assertGreaterEqual(self.browser.evaluate(
            "parseFloat(getComputedStyle(document.body).fontSize)"), 16)


@NEEDS_MATPLOTLIB
@NEEDS_SCIPY
class LargeTest(Reported):
    """A study of 2,000 rows."""

    members = {"grid": {"devices": "1..250", "link": ["lan", "wifi"]}, "repetitions": 4}

    def rows(self, case):
        options = dict(case.options)
        return [{"planner": planner, "status": "finished", "iterationSeconds": number
                 + int(options["devices"]) + 0.123456789 * case.run, "bubbleRate": 0.5 / case.run,
                 "movedBytes": 10 ** 9 * case.run} for number, planner in enumerate(
                     ("even", "dp", "exact", "grdqn"))]

    @NEEDS_CHROMIUM
    def test_is_below_five_megabytes_and_complete(self):
        records = [stored(case, self.rows(case)) for case in self.cases]
        for record in records:
            record.files.clear()
        _, page = self.report(records)
        self.assertLess(len(page.encode()), 5_000_000)
        with Browser() as browser:
            browser.open(self.folder / "page" / "report.html")
            rows = "document.querySelectorAll('tr.group').length"
            self.assertEqual(browser.evaluate(rows), 300)
            self.assertEqual(browser.evaluate("document.getElementById('count').textContent"),
                             "2000 of 2000 rows, the first 300 shown show all")
            browser.evaluate("document.getElementById('whole').click()")
            self.assertEqual(browser.evaluate(rows), 2000)
            self.assertIsNone(browser.evaluate("document.getElementById('timeline')"))
            self.assertEqual(browser.console, [])
            print("opened in", browser.evaluate(
                "performance.getEntriesByType('navigation')[0].loadEventEnd | 0"), "ms,",
                len(page) // 1000, "kB", file=sys.stderr)
