# SPDX-License-Identifier: GPL-2.0-only
"""report.html of a study, from the same parts as that of scenarios."""

import json
import shlex
from pathlib import Path

from edgepipe.run_file import unlike_stacks
from edgepipe.running import ROOT

FOLDERS = (Path(__file__).parent / "campaign" / "page", ROOT / "scenarios" / "page")
KEYS = ("versions", "rngSeed", "rngRun", "options", "layerCosts")


def command_of(name, words):
    if not words:
        return f"./ns3 run {name}"
    text = shlex.join([name, *words])
    for special in '\\"$`':
        text = text.replace(special, f"\\{special}")
    return f'./ns3 run "{text}"'


def page_of(name, words, files):
    """words: options that differ from their defaults; files: texts by name, with run.json."""
    def part(file):
        return next(path for folder in FOLDERS if (path := folder / file).is_file()).read_text(
            encoding="utf-8")

    table = next((file for file in ("results.csv", *files) if file in files and file.endswith(".csv")), "")
    run = json.loads(files["run.json"])
    data = {"pictures": [], "command": command_of(name, words), "files": list(files), "notes": [], "table": table,
            "results": files.get(table, ""), "run": {key: run[key] for key in KEYS if key in run},
            "names": {}, "timelines": {}}
    data["run"]["options"].pop("out", None)
    data["run"]["unlikeStacks"] = unlike_stacks(data["run"].get("layerCosts", {}))
    page = part("page.html").replace("@body@", part("run.html")).replace(
        "@timeline@", part("timeline.html")).replace("@style@", part("page.css")).replace(
        "@script@", part("common.js") + part("run.js") + part("timeline.js"))
    # A < could end the script.
    return page.replace("@title@", name).replace(
        "@data@", json.dumps(data, ensure_ascii=False).replace("<", "\\u003c"))
