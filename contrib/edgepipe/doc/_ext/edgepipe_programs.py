# SPDX-License-Identifier: GPL-2.0-only
"""Reference pages that the programs write themselves: options, attributes and trace sources.

`.. scenario-options::` asks every built scenario to --describe itself, `.. attribute-list::` asks ns-3's
TypeId table, `.. trace-list::` reads the module's calls that add trace sources. Programs are looked for
in $EDGEPIPE_BIN_DIR, else in build/bin; without them a note stands in the place of the lists.
"""

import functools
import json
import os
import re
import subprocess
import sys
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import Directive
from docutils.utils.math import latex2mathml

MODULE = Path(__file__).resolve().parent.parent.parent
ROOT = MODULE.parent.parent
SHARED_BY = 4  # an option of as many scenarios, with the same text and default, is listed once


def bin_dir():
    return Path(os.environ.get("EDGEPIPE_BIN_DIR", ROOT / "build" / "bin"))


@functools.cache
def ask(program, *words):
    """What a program prints; empty where it is not built."""
    path = bin_dir() / program
    if not path.is_file():
        return ""
    environment = {**os.environ, "EDGEPIPE_TRACES": str(ROOT / "traces")}
    return subprocess.run([path, *words], capture_output=True, text=True, check=True,
                          env=environment).stdout


def studies():
    """What scenarios and studies in Python say of themselves; of a study its path."""
    found = {path.stem: ask(path.stem, "--describe") for path in (ROOT / "scenarios").glob("*.cc")}
    for folder in ("analysis", "analysis/papers"):
        for path in (ROOT / folder).glob("*.py"):
            if re.search(r"^SCENARIOS = \[", path.read_text(encoding="utf-8"), re.MULTILINE):
                found.setdefault(path.stem.replace("_", "-"), path)
    return dict(sorted(found.items()))


def ask_study(name):
    environment = {**os.environ, "EDGEPIPE_BIN_DIR": str(bin_dir()), "EDGEPIPE_TRACES": str(ROOT / "traces")}
    return subprocess.run([sys.executable, ROOT / "analysis" / "run_study.py", name, "--describe"],
                          capture_output=True, text=True, check=True, env=environment).stdout


def read_options(text):
    """Pairs of name and (help, default) of what --describe says, and its first sentence."""
    said = json.loads(text) if text else {"options": [], "usage": ""}
    options = {one["name"]: (one["help"], one["default"] or None) for one in said["options"]}
    return options, " ".join(said["usage"].partition("\n\n")[0].split())


def read_attributes(text):
    """Pairs of name and (help, default) of what --PrintAttributes says."""
    found = re.findall(r"^\s+--[\w:]+::(\w+)=\[(.*)\]\n\s+(.*)$", text, re.MULTILINE)
    return {name: (said, default) for name, default, said in found}


def read_trace_sources(folder):
    """For each class that has some, pairs of name and help."""
    classes = {}
    for path in sorted(folder.rglob("*.cc")):
        text = path.read_text(encoding="utf-8")
        for part in re.split(r"\bTypeId\(\"|\bTypeId\n(?=\w+::AddA)", text)[1:]:
            name = re.match(r"[\w:]*", part)[0].removesuffix("::AddAttributes").rpartition(":")[2]
            calls = re.findall(r'(?:AddTraceSource\(|Add\((?=[^{}]*\{&\w+::\w+Trace\b))'
                               r'\s*"(\w+)",\s*((?:"[^"]*"\s*)+),', part)
            if calls:
                classes["ns3::edgepipe::" + name] = {trace: ("".join(re.findall(r'"([^"]*)"', said)), None)
                                                     for trace, said in calls}
    return dict(sorted(classes.items()))


def make_list(entries, prefix=""):
    """A definition list: name and default, what it says."""
    items = nodes.definition_list(classes=["reference"])
    for name, (said, default) in entries.items():
        term = nodes.term("", "", nodes.literal(text=prefix + name))
        if default:
            term += nodes.inline("", f"  {default}", classes=["default"])
        definition = nodes.definition("", nodes.paragraph(text=said))
        items += nodes.definition_list_item("", term, definition)
    return items


def make_section(title, name, *content):
    return nodes.section("", nodes.title(text=title), *content, ids=[name], names=[name])


def note(text):
    return [nodes.note("", nodes.paragraph(text=text))]


NOT_BUILT = "The scenarios were not built when this page was made: ./ns3 docs builds them first."


class ScenarioOptions(Directive):
    def run(self):
        scenarios = {name: read_options(said if isinstance(said, str) else ask_study(name))
                     for name, said in studies().items()}
        scenarios = {name: found for name, found in scenarios.items() if found[0]}
        if not scenarios:
            return note(NOT_BUILT)
        users = {}
        for options, _ in scenarios.values():
            for option in options.items():
                users[option] = users.get(option, 0) + 1
        shared = {}
        for options, _ in sorted(scenarios.values(), key=lambda found: -len(found[0])):
            for name, found in options.items():
                if users[name, found] >= SHARED_BY:
                    shared.setdefault(name, found)
        sections = [make_section("Options of several scenarios", "options-of-several-scenarios",
                                 make_list(shared, "--"))]
        for scenario, (options, purpose) in scenarios.items():
            own = {name: found for name, found in options.items()
                   if shared.get(name) != found}
            others = [name for name in options if name not in own]
            content = [nodes.paragraph(text=purpose), make_list(own, "--")]
            if others:
                words = nodes.paragraph("", "Also, from the list above: ")
                for index, name in enumerate(others):
                    words += [nodes.Text(", ")] * bool(index) + [nodes.literal(text=f"--{name}")]
                content.append(words)
            sections.append(make_section(scenario, f"options-{scenario}", *content))
        return sections


class AttributeList(Directive):
    def run(self):
        types = re.findall(r"^\s+(ns3::edgepipe::\w+)$", ask("plan", "--PrintTypeIds"), re.MULTILINE)
        if not types:
            return note(NOT_BUILT)
        sections = []
        for name in types:
            attributes = read_attributes(ask("plan", f"--PrintAttributes={name}"))
            if attributes:
                short = name.rpartition(":")[2]
                sections.append(make_section(short, f"attributes-{short.lower()}",
                                             make_list(attributes)))
        return sections


class TraceList(Directive):
    def run(self):
        return [node for name, sources in read_trace_sources(MODULE / "model").items()
                for node in (nodes.paragraph("", "", nodes.strong(text=name.rpartition(":")[2])),
                             make_list(sources))]


class FlowErrors(Directive):
    """traces/links/flow-errors.json: 95th percentiles of flows against packets."""

    def run(self):
        path = ROOT / "traces" / "links" / "flow-errors.json"
        if not path.is_file():
            return note("traces/links/flow-errors.json is not here.")
        errors = json.loads(path.read_text(encoding="utf-8"))["errors"]
        commands = list(dict.fromkeys(error["measuredBy"] for error in errors))
        rows = [["links", "workload", "cases", "95th percentile"]]
        rows += [[", ".join(error["links"]), error["workload"], str(error["cases"]),
                  f"{100 * error['p95']:.2g} %"] for error in errors]
        return [make_table(rows), nodes.paragraph(text="Measured by:"),
                *(nodes.literal_block(command, command, language="bash") for command in commands)]


def make_table(rows):
    group = nodes.tgroup(cols=len(rows[0]))
    group += [nodes.colspec(colwidth=1) for _ in rows[0]]
    parts = [nodes.row("", *(nodes.entry("", nodes.paragraph(text=cell)) for cell in row))
             for row in rows]
    group += [nodes.thead("", parts[0]), nodes.tbody("", *parts[1:])]
    return nodes.table("", group)


def write_math(is_block):
    """MathML, which browsers draw without a script from elsewhere."""
    def visit(self, node):
        self.body.append(latex2mathml.tex2mathml(node.astext(), inline=not is_block))
        raise nodes.SkipNode
    return visit, None


def setup(app):
    app.add_html_math_renderer("mathml", write_math(False), write_math(True))
    app.add_directive("flow-errors", FlowErrors)
    app.add_directive("scenario-options", ScenarioOptions)
    app.add_directive("attribute-list", AttributeList)
    app.add_directive("trace-list", TraceList)
    return {"parallel_read_safe": True}
