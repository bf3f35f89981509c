# SPDX-License-Identifier: GPL-2.0-only
"""The documentation: HTML without a warning, links, pictures, commands, columns of results, and its size."""

import csv
import functools
import html.parser
import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest
import urllib.parse
from pathlib import Path

from analysis.edgepipe_package_test import make_problem
from places import BIN, ROOT

import edgepipe

DOC = ROOT / "contrib" / "edgepipe" / "doc"
PAGES = sorted(DOC.rglob("*.rst"))
MOST_WORDS = 26000
MOST_README_LINES = 90
PROGRAM = re.compile(r"``(\w+\.py)``:$")  # before a block that is such a file
NEEDS_TOOLS = unittest.skipUnless(shutil.which("sphinx-build") and shutil.which("doxygen"),
                                  "needs the packages doxygen and python3-sphinx")


class Block:
    """A code block of a page: its language, classes and text, and the paragraph's line before it."""

    PATTERN = re.compile(r"^( *)\.\. code-block:: (\w+)\n((?:\1   :.*\n)*)\n((?:\1   .*\n|\n)+)", re.MULTILINE)

    def __init__(self, page, text, found):
        indent = len(found[1]) + 3
        self.page, self.language = page, found[2]
        self.classes = re.findall(r":class: (.*)", found[3])
        self.text = "".join(line[indent:] or "\n" for line in found[4].splitlines(True)).strip() + "\n"
        self.before = text[:found.start()].rstrip().rpartition("\n")[2]

    def __str__(self):
        return f"{self.page.relative_to(DOC)}: {self.text}"


def read_blocks(page, language):
    text = page.read_text(encoding="utf-8")
    return [block for block in (Block(page, text, found) for found in Block.PATTERN.finditer(text))
            if block.language == language]


def command(words):
    """How a scenario or study is run here, of the words after `./ns3 run`."""
    name, *options = words
    if (ROOT / "scenarios" / f"{name}.cc").is_file():
        return [BIN / name, *options]
    return ["/usr/bin/python3", ROOT / "analysis" / "run_study.py", name, *options]


def run(words, folder):
    return subprocess.run(command(words), cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          env={**os.environ, "EDGEPIPE_TRACES": str(ROOT / "traces"),
                               "EDGEPIPE_PROGRESS": "off", "EDGEPIPE_BIN_DIR": str(BIN)})


class Page(html.parser.HTMLParser):
    """What a page of HTML points to, and the anchors that it has."""

    def __init__(self, text):
        super().__init__()
        self.targets, self.anchors = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("id", "name"):
                self.anchors.add(value)
            elif name in ("href", "src"):
                self.targets.append(value)


@functools.cache
def read_page(path):
    return Page(path.read_text(encoding="utf-8"))


def find_broken_links(folder, pages):
    """Targets within a folder of HTML that are not there, files and anchors."""
    broken = []
    for path in pages:
        for target in read_page(path).targets:
            url = urllib.parse.urlsplit(target)
            if url.scheme or url.netloc:
                continue
            file = (path.parent / urllib.parse.unquote(url.path)).resolve() if url.path else path
            if not file.is_file():
                broken.append(f"{path.relative_to(folder)}: {target}")
            elif url.fragment and file.suffix == ".html" and url.fragment not in read_page(file).anchors:
                broken.append(f"{path.relative_to(folder)}: {target}")
    return broken


@NEEDS_TOOLS
class HtmlTest(unittest.TestCase):
    """A checkout of its own, without what was made before."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve()
        shutil.copy(ROOT / "ns3", self.root)
        for name in ("launcher", "contrib/edgepipe", "scenarios", "analysis", "traces"):
            shutil.copytree(ROOT / name, self.root / name)
        self.doc = self.root / "contrib" / "edgepipe" / "doc"

    def make(self):
        return subprocess.run([self.root / "ns3", "docs"], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, env={**os.environ, "EDGEPIPE_BIN_DIR": str(BIN)})

    def test_pages_pictures_links_and_api(self):
        made = self.make()
        self.assertEqual(made.returncode, 0, made.stderr)
        folder = self.root / "build" / "docs" / "html"
        index = (folder / "index.html").read_text()
        for page in self.doc.rglob("*.rst"):
            name = page.relative_to(self.doc).with_suffix(".html")
            self.assertIn(f'href="{name}"' if page.stem != "index" else 'href="api/', index)
        self.assertIn("searchindex.js", {path.name for path in folder.iterdir()})
        self.assertTrue((folder / "api" / "classns3_1_1edgepipe_1_1PipelinePlanner.html").exists())
        pages = [path for path in folder.rglob("*.html") if folder / "api" not in path.parents]
        self.assertEqual(find_broken_links(folder, pages), [])
        options = (folder / "reference" / "options.html").read_text()
        for words in ("options-pipeline-training", "--stall-timeout"):
            self.assertIn(words, options)
        attributes = (folder / "reference" / "attributes.html").read_text()
        for words in ("attributes-flowtransport", "StoreAndForward", "IterationEnd"):
            self.assertIn(words, attributes)

    def test_a_warning_is_an_error_every_time(self):
        for page in self.doc.rglob("*.rst"):
            page.unlink()
        (self.doc / "index.rst").write_text("**bold without an end\n")
        for _ in range(2):
            made = self.make()
            self.assertEqual(made.returncode, 1)
            self.assertIn("index.rst:1: WARNING", made.stderr)


class TextTest(unittest.TestCase):
    def test_size(self):
        self.assertLessEqual(sum(len(page.read_text().split()) for page in PAGES), MOST_WORDS)
        self.assertLessEqual(len((ROOT / "README.md").read_text().splitlines()), MOST_README_LINES)

    def test_links_and_pictures_of_the_readme(self):
        text = (ROOT / "README.md").read_text()
        links = [link for link in re.findall(r"\]\(([^)]+)\)", text) if "://" not in link]
        self.assertGreater(len(links), 10)
        self.assertEqual([link for link in links if not (ROOT / link).is_file()], [])

    def test_links_of_the_pages(self):
        labels = {label for page in PAGES for label in re.findall(r"^\.\. _([\w-]+):", page.read_text(), re.MULTILINE)}
        broken, count = [], 0
        for page in PAGES:
            for kind, target in re.findall(r":(doc|ref):`(?:[^`<]*<)?([^`>]+)>?`", page.read_text()):
                place = DOC / target[1:] if target[0] == "/" else page.parent / target
                count += 1
                if not (place.with_suffix(".rst").is_file() if kind == "doc" else target in labels):
                    broken.append(f"{page.name}: {target}")
        self.assertGreater(count, 30)
        self.assertEqual(broken, [])

    def test_every_path_that_is_named_exists(self):
        """Paths from the top folder in the pages, and pages that sources name."""
        missing = []
        for page in [*PAGES, ROOT / "README.md"]:
            for path in re.findall(r"(?<![\w/.:])((?:analysis|traces|tests|contrib|scenarios)/[\w/.-]*\w\.\w+)",
                                   page.read_text(encoding="utf-8")):
                if not (ROOT / path).exists() and not re.search("my-|NAME|DEVICE", path):
                    missing.append(f"{page.name}: {path}")
        for folder in ("analysis", "contrib/edgepipe", "scenarios", "launcher"):
            for source in (ROOT / folder).rglob("*"):
                if source.suffix in (".h", ".cc", ".py", ".json", ".ipynb"):
                    for path in re.findall(r"\bdoc/([\w/-]+\.rst)", source.read_text(encoding="utf-8")):
                        if not (DOC / path).is_file():
                            missing.append(f"{source.relative_to(ROOT)}: doc/{path}")
        self.assertEqual(missing, [])

    def test_every_name_of_code_exists(self):
        """Names of classes, attributes and trace sources in the pages are words of the sources."""
        words = set()
        for folder in ("analysis", "contrib/edgepipe", "scenarios", "traces/capture"):
            for source in (ROOT / folder).rglob("*"):
                if source.suffix in (".h", ".cc", ".py"):
                    words.update(re.findall(r"\w+", source.read_text(encoding="utf-8")))
        missing = {f"{page.relative_to(DOC)}: {word}" for page in PAGES
                   for name in re.findall(r"``([\w:]+)``", page.read_text(encoding="utf-8"))
                   for word in name.split("::") if re.fullmatch(r"[A-Z][a-z]+([A-Z]\w*)+", word)}
        self.assertEqual({name for name in missing if name.rpartition(" ")[2] not in words}, set())

    def test_every_name_of_the_python_package_is_described(self):
        page = (DOC / "guide/own-planner.rst").read_text()
        self.assertEqual([name for name in edgepipe.__all__
                          if not re.search(rf"edgepipe\.{name}\(|import {name}\b|``{name}``", page)], [])

    def test_scripts_that_a_reader_starts_are_executable(self):
        scripts = {found for page in DOC.glob("guide/*.rst") for block in read_blocks(page, "bash")
                   for found in re.findall(r"^((?:analysis|traces/capture)/[\w/]+\.py)", block.text, re.MULTILINE)}
        self.assertGreater(len(scripts), 15)
        for script in scripts:
            self.assertTrue(os.access(ROOT / script, os.X_OK), script)


class CommandTest(unittest.TestCase):
    """The long test runs all of them; this one has every scenario look at its options."""

    def test_options_are_accepted(self):
        lines = re.findall(r"\| `(./ns3 run .*)` \|$", (ROOT / "README.md").read_text(), re.MULTILINE)
        for page in DOC.glob("guide/*.rst"):
            lines += [line for block in read_blocks(page, "bash") if "elsewhere" not in block.classes
                      for line in block.text.splitlines()]
        looked_at = 0
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "analysis").symlink_to(ROOT / "analysis")
            (Path(folder) / "traces").symlink_to(ROOT / "traces")
            for line in dict.fromkeys(lines):
                words = shlex.split(line.partition(">")[0])
                if words[:2] != ["./ns3", "run"] or re.search(r"results/|mine|exec:|\bmy\b|--help|1000000", line):
                    continue
                scenario = shlex.split(words[2])
                if scenario[0].startswith("edgepipe-"):
                    continue  # examples have no --dry-run
                looked_at += 1
                with self.subTest(line):
                    made = run([*scenario, "--dry-run"], folder)
                    self.assertEqual((made.returncode, made.stderr), (0, ""))
        self.assertGreater(looked_at, 50)


def round_all(value):
    """A value of JSON with six digits of every number."""
    if isinstance(value, dict):
        return {key: round_all(part) for key, part in value.items()}
    if isinstance(value, list):
        return [round_all(part) for part in value]
    return float(f"{value:.6g}") if isinstance(value, (int, float)) else value


class ExamplesTest(unittest.TestCase):
    """The problems in doc/examples, and the plans that stand beside them."""

    def test_problems_and_plans(self):
        for kind, words, extra in (("pipeline", ["--planner=exact"], ""),
                                   ("two-way-cut", ["--planner=qdmp", "--envelope=true"], "two-way-cut-envelope"),
                                   ("multi-actor", ["--planner=defp", "--pairs=true"], "multi-actor-pairs"),
                                   ("batch-shares", ["--planner=bno"], ""),
                                   ("language-model", ["--planner=exact"], "")):
            with self.subTest(kind), tempfile.TemporaryDirectory() as folder:
                made = run(["plan", f"--problem={DOC / 'examples' / kind}-problem.json", *words], folder)
                self.assertEqual((made.returncode, made.stderr), (0, ""))
                plan = json.loads(made.stdout)
                names = [f"{kind}-plan", *[extra] * bool(extra)]
                shown = {key: value for name in names
                         for key, value in json.loads((DOC / "examples" / f"{name}.json").read_text()).items()}
                for one in (plan, shown):
                    one.pop("decisionSeconds", None)
                self.assertEqual(round_all(plan), round_all(shown))


class PlannersTest(unittest.TestCase):
    """Planners with the name of a paper or system, and what differs from it, in models/pipeline-planners.rst."""

    OURS = {"exact", "even", "fastest-device", "hybrid", "dp", "ga", "pso", "ppo", "edge-only", "cloud-only", "all-local",
            "all-server", "equal", "random", "optimal", "uniform", "by-speed"}  # and methods of no one paper

    def test_every_planner_says_how_it_departs_from_its_paper(self):
        page = (DOC / "models/pipeline-planners.rst").read_text()
        methods, _, departures = page.partition("Departures from papers")
        table = set(re.findall(r"^``([\w-]+)`` +\S", departures, re.MULTILINE))
        nothing = set(re.findall(r"``([\w-]+)``", departures.partition("(")[2].partition(")")[0]))
        self.assertEqual(table & nothing, set())
        known = {}
        for scenario in ("pipeline-training", "cooperative-inference", "actor-learner", "data-parallel",
                         "llm-inference"):
            said = subprocess.run([BIN / scenario, "--planner=none"], capture_output=True, text=True).stderr
            known[scenario] = set(re.findall(r"[\w-]+", said.partition("expected one of: ")[2].partition(", exec:")[0]))
        self.assertEqual(table | nothing | self.OURS, set.union(*known.values()))
        described = set(re.findall(r"[\w-]+", " ".join(re.findall(r"``([\w, -]+)``", methods))))
        self.assertEqual(known["pipeline-training"] - described - {"grdqn-as-printed", "grdqn-stage-aware"}, set())


class OwnPlannerTest(unittest.TestCase):
    """The programs that guide/own-planner.rst prints, as it prints them."""

    def test_they_plan(self):
        programs = {PROGRAM.search(block.before)[1]: block.text for block in read_blocks(
            DOC / "guide/own-planner.rst", "python") if PROGRAM.search(block.before)}
        problems = {"mine.py": make_problem(4, 2, 2, 0).to_json(), "narrowest.py": json.loads(
            (DOC / "examples/two-way-cut-problem.json").read_text())}
        self.assertEqual(set(programs), set(problems))
        for name, text in programs.items():
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                (Path(folder) / name).write_text(text)
                (Path(folder) / "problem.json").write_text(json.dumps(problems[name]))
                made = subprocess.run([BIN / "plan", "--problem=problem.json", f"--planner=exec:/usr/bin/python3 {name}"],
                                      cwd=folder, capture_output=True, text=True,
                                      env={**os.environ, "PYTHONPATH": str(ROOT / "analysis")})
                self.assertEqual((made.returncode, made.stderr), (0, ""))
                self.assertGreater(len(json.loads(made.stdout)), 2)


class ColumnsTest(unittest.TestCase):
    """The columns in reference/results.rst are those that scenarios write."""

    RUNS = (["pipeline-training", "--model=mnist_cnn"],
            ["adaptive-training", "--model=mnist_cnn", "--iterations=3"],
            ["cooperative-inference", "--frames=5"],
            ["actor-learner", "--actors=2", "--duration=3s", "--warm-up=1s"],
            ["data-parallel", "--updates=20"],
            ["scalability", "--model=mnist_cnn", "--devices=2", "--pipelines=1", "--planner=even"],
            ["bandwidth-variation", "--from=1Mbps", "--to=1Mbps", "--planner=edge-only"])
    # Columns of every results.csv; reference/results.rst says so once.
    TAIL = "bandwidthBitsPerSecond,downlinkBitsPerSecond,delaySeconds,trace,distanceMeters,lossRate,rngSeed,rngRun"

    def test_columns(self):
        page = DOC / "reference" / "results.rst"
        known = {"".join(columns.split()) for block in read_blocks(page, "text")
                 for columns in block.text.split("\n\n")}
        known |= set(re.findall(r"``([\w,]+,[\w,]+)``", page.read_text()))
        for words in self.RUNS:
            with tempfile.TemporaryDirectory() as folder:
                made = run([*words, "--out=out"], folder)
                self.assertEqual(made.returncode, 0, f"{words}: {made.stderr}")
                files = sorted(Path(folder).glob("out/*.csv"))
                self.assertGreater(len(files), 0)
                for path in files:
                    with open(path, newline="") as file:
                        header = ",".join(next(csv.reader(file)))
                    with self.subTest(words[0], file=path.name):
                        short = header.removesuffix("," + self.TAIL)
                        self.assertTrue({header, short, re.sub(",distanceMeters.*|,downlinkBits.*", "", short),
                                         header.replace("case,link", "planner,link")} & known, header)
