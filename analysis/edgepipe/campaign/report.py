# SPDX-License-Identifier: GPL-2.0-only
"""The page of a study: a self-contained HTML file, and its figures as SVG and PDF."""

import base64
import html
import io
import json
import re
import shlex
from pathlib import Path

from edgepipe.campaign.figures import draw, scale
from edgepipe.campaign.summary import Summary, compare
from edgepipe.comparison import TIE
from edgepipe.campaign.units import title_of
from edgepipe.campaign.values import sort_key
from edgepipe.pictures import InputError, load_matplotlib, save
from edgepipe.reports import write_all
from edgepipe.run_file import unlike_stacks
from edgepipe.tables import unique

PAGE = Path(__file__).resolve().parent / "page"
ROOT = PAGE.parents[3]
TIMELINE_BYTES = 20_000_000  # of all timelines in a page, compressed
TIMELINE = "timeline.json"


def write_report(study, store, cases, count, folder):
    """Returns the names of the files written; cases: ended ones, from Store.read; count: of all cases."""
    summary = Summary(study, cases)
    load_matplotlib(8)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: {error.strerror}") from None
    names, figures = [], []
    for name in summary.drawn:
        figure, left_out = draw(summary, name)
        for suffix in ("svg", "pdf"):
            save(figure, folder / f"{name}.{suffix}", 150)
            names.append(f"{name}.{suffix}")
        figures.append(figure_part(name, scale(summary, name)[0], inline_svg(figure, name), left_out))
    timelines, more = read_timelines(store, cases)
    data = {"keys": summary.keys, "figures": summary.figures, "judged": summary.figure,
            "shown": shown_figures(summary), "cases": [facts_of(case, timelines) for case in cases],
            "groups": groups_of(summary, cases),
            "choices": [sorted(unique(group.keys[name] for group in summary.groups), key=sort_key)
                        for name in summary.keys],
            "timelines": timelines, "names": {
                case["hash"]: name_of(case, study) for case in cases if case["hash"] in timelines}}
    page = read_part("page.html")
    for key, value in {
            "body": read_part("study.html"), "timeline": read_part("timeline.html"),
            "title": html.escape(study.name()),
            "facts": facts_part(study, summary, cases, count) + stacks_part(cases),
            "comparison": comparison_part(summary), "figures": "".join(figures),
            "failures": failures_part(cases), "costs": costs_part(cases),
            "more": f"<p>{more} further runs have timelines that are not in this page; it is full."
                    "</p>" if more else "",
            "style": read_part("page.css"),
            "data": json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c"),
            "script": "".join(map(read_part, ("common.js", "table.js", "timeline.js")))}.items():
        page = page.replace(f"@{key}@", value)
    write_all(folder, {"report.html": page})
    return ["report.html", *names]


def read_part(name):
    return (PAGE / name).read_text(encoding="utf-8")


def inline_svg(figure, name):
    """The SVG element of a figure, with ids that are unique on the page."""
    import matplotlib

    text = io.StringIO()
    with matplotlib.rc_context({"svg.fonttype": "none"}):
        figure.savefig(text, format="svg", metadata={"Date": None})
    width = figure.get_size_inches()[0]
    drawing = text.getvalue()[text.getvalue().index("<svg"):].replace(
        "<svg", f'<svg style="min-width: {4.5 * width:g}rem; max-width: {7.5 * width:g}rem"', 1)
    return re.sub(r'(id="|url\(#|xlink:href="#)', rf"\g<1>{name}-", drawing)


def figure_part(name, title, drawing, left_out):
    note = f" {left_out} further panels are left out." if left_out else ""
    return (f'<figure><div class="wide">{drawing}</div><figcaption>{html.escape(title)}: '
            f"mean and 95 % confidence interval over runs.{note} Also in <code>{name}.svg</code> and "
            f"<code>{name}.pdf</code> beside this page.</figcaption></figure>\n")


def read_timelines(store, cases):
    """Compressed timelines by hash of their case, and the number of those left out."""
    found, size, more = {}, 0, 0
    for case in cases:
        packed = store.packed_file(case["id"], TIMELINE)
        if packed and size + len(packed) <= TIMELINE_BYTES:
            size += len(packed)
            found[case["hash"]] = base64.b64encode(packed).decode()
        else:
            more += packed is not None
    return found, more


def shown_figures(summary):
    """Figures shown in the table at first: those drawn, then others that differ between runs."""
    differing = [name for name in summary.figures
                 if len({value for group in summary.groups for value in group.values[name]}) > 1]
    return unique([*summary.drawn, *differing])[:5]


def facts_of(case, timelines):
    return {"run": case["run"], "command": case["command"], "host": case["host"],
            "commit": short(case["commit"]), "ended": case["ended"], "seconds": case["wallSeconds"],
            "bytes": case["peakMemoryBytes"], "outcome": case["outcome"],
            "timeline": case["hash"] if case["hash"] in timelines else ""}


def groups_of(summary, cases):
    """Content of the table: keys, means with half widths, and for every run the number of its case and its
    figures."""
    numbers = {case["hash"]: index for index, case in enumerate(cases)}
    groups = []
    for group in sorted(summary.groups, key=lambda one: [sort_key(one.keys[name])
                                                         for name in summary.keys]):
        intervals = [group.interval(name) for name in summary.figures]
        groups.append({
            "keys": [group.keys[name] for name in summary.keys],
            "means": [one and [number(one[0]), number(one[1]) if one[2] > 1 else None]
                      for one in intervals],
            "runs": [[numbers[case["hash"]],
                      *(number(group.values[name][index]) for name in summary.figures)]
                     for index, case in enumerate(group.cases)]})
    return groups


def name_of(case, study):
    """Name of a case within its study."""
    return ", ".join([f"{name} {case['options'][name]}" for name in study.swept
                      if name in case["options"]] + [f"run {case['run']}"])


def short(commit):
    return commit[:12] + "+" * commit.endswith("+") if commit else "unknown"


def number(value):
    return float(f"{value:.9g}") if isinstance(value, float) else value


def table(head, rows):
    def line(cells, tag):
        return "<tr>" + "".join(f"<{tag}>{html.escape(str(cell))}</{tag}>" for cell in cells) + "</tr>"

    return ('<div class="wide"><table><thead>' + line(head, "th") + "</thead><tbody>"
            + "".join(line(row, "td") for row in rows) + "</tbody></table></div>\n")


def facts_part(study, summary, cases, count):
    bad = sum(case["outcome"] != "ok" for case in cases)
    programs = unique(" ".join(filter(None, (
        case["edgepipe"] and f"edgepipe {case['edgepipe']}", case["ns3"] and f"ns-3 {case['ns3']}",
        f"commit {short(case['commit'])}"))) for case in cases)
    dirty = any(case["commit"].endswith("+") for case in cases)
    path = study.path.resolve()  # as typed in the top folder
    path = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
    facts = [("scenario", study.scenario),
             ("cases", f"{len(cases)} of {count} have ended" + (f", {bad} not well" if bad else "")),
             ("repetitions", f"{study.repetitions}"
              + ", all equal: nothing in them is random" * summary.is_equal()), ("program", "; ".join(programs)
              + (" (+: with changes that are not committed)" if dirty else "")),
             ("the same in all", ", ".join(f"{name} {value}" for name, value in summary.fixed.items()
                                           if value != "") or "nothing"),
             ("run all again", f"./ns3 campaign run {shlex.quote(str(path))}")]
    return "<dl>" + "".join(f"<dt>{name}</dt><dd>{html.escape(str(value))}</dd>"
                            for name, value in facts) + "</dl>"


def comparison_part(summary):
    if not summary.subject:
        return "<p>The study compares nothing.</p>"
    name = summary.subject.lstrip("-")
    better = "more" if summary.is_more_better(summary.figure) else "less"
    points = summary.points(summary.figure)
    fewest = min(one[2] for subjects in points.values() for one in subjects.values())
    note = (f"By {title_of(summary.figure)}, of which {better} is better; the number of points, "
            f"{len(points)} in all, at which one {name} beats another. Of two whose 95 % confidence "
            f"intervals overlap, or that differ by less than {TIE:.0%}, neither does: a tie.")
    if fewest < 2:
        note += " Some points were run once: there is no interval, and any larger difference counts."
    rows = [(first, second, *counts)
            for (first, second), counts in summary.pairs(summary.figure).items()]
    if not rows:
        return f"<p>Only one {name} at every point.</p>"
    return (f"<p>{html.escape(note)}</p>" + "".join(f"<p>{html.escape(line)}</p>" for line in prediction_lines(summary))
            + table((name, "against", "better", "tie", "worse"), rows) + orders_part(summary, points))


def prediction_lines(summary):
    """Where prediction and simulation disagree, a line for each pair or subject; nothing where nothing is predicted."""
    if not summary.predicted:
        return []
    reversed_, far, count, is_ordered = summary.disagreements()
    lines = [f"The orders disagree at {number} of {count} points: {one} is predicted to beat {other}, "
             f"but in the simulation {other} is better." for (one, other), number in reversed_.items()]
    lines += [f"Predictions for {name} are off by a factor of two or more at {number} of {count} points."
              for name, number in far.items()]
    return lines or ["Prediction and simulation agree on the order at every point."] * is_ordered


def orders_part(summary, points):
    """The order at every point, with a wave between neighbours that tie."""
    sign = -1 if summary.is_more_better(summary.figure) else 1
    rows = []
    for key, subjects in points.items():
        order = sorted(subjects, key=lambda one: sign * subjects[one][0])
        text = str(order[0])
        for one, other in zip(order, order[1:]):
            text += f" {'<' if compare(subjects[one], subjects[other]) else '≈'} {other}"
        rows.append((*[value for _, value in key], text))
    head = [name.lstrip("-") for name, _ in next(iter(points))]
    rows.sort(key=lambda row: [sort_key(one) for one in row[:-1]])
    return ("<details><summary>The order at every point (best first; ≈ at a tie)"
            "</summary>" + table([*head, "order"], rows) + "</details>")


def failures_part(cases):
    bad = [case for case in cases if case["outcome"] != "ok"]
    if not bad:
        return ""
    return ("<h2>Not well</h2>" + "".join(
        f"<details><summary>{case['outcome']}, exit status {case['exitStatus']}: "
        f"<code>{html.escape(case['command'])}</code></summary><pre>{html.escape(case['log'] or '')}"
        "</pre></details>" for case in bad))


def costs_part(cases):
    costs = [json.loads(case["layerCosts"] or "{}") for case in cases]
    rows = unique((device, cost.get("origin", ""), cost.get("source", ""), cost.get("stack", ""))
                  for one in costs for device, cost in one.items())
    if not rows:
        return "<p>The scenario names no layer costs.</p>"
    return table(("device type", "origin", "source", "stack"), sorted(rows))


def stacks_part(cases):
    """Above the numbers: which device types run another kind of software than others."""
    notes = unique(unlike_stacks(json.loads(case["layerCosts"] or "{}")) for case in cases)
    return "".join(f"<p>{html.escape(note)[:1].upper()}{html.escape(note)[1:]}.</p>" for note in notes if note)
