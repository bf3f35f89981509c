# SPDX-License-Identifier: GPL-2.0-only
"""Looks of cases, the same in all pictures and, as to colours, on the pages: page/common.js has those."""

import json
import re
from pathlib import Path

_TEXT = (Path(__file__).resolve().parent / "campaign/page/common.js").read_text(encoding="utf-8")
PALETTE = json.loads(re.search(r"^const COLOURS = (\[.*\]);", _TEXT, re.MULTILINE)[1])
COLOURS = json.loads(re.search(r"^const LOOKS = (\{.*?^\});", _TEXT, re.DOTALL | re.MULTILINE)[1])
MARKERS = {"qdmp": "o", "dads": "D", "neurosurgeon": "s", "edge-only": "^", "cloud-only": "v",
           "defp": "o", "milp": "*", "ogreedy": "P", "igreedy": "X", "defp-as-printed": "s", "all-local": "^",
           "all-server": "v", "bno": "o", "bno-normalized": "s", "equal": "^", "random": "v", "optimal": "D"}


def looks(names):
    """Colour and marker of each case; those without any of their own get what the others leave, in turn."""
    left = [colour for colour in PALETTE if all(COLOURS.get(name) != colour for name in names)]
    markers = [marker for marker in "osD^vPX*<>" if all(MARKERS.get(name) != marker for name in names)]
    others, unmarked = ([name for name in names if name not in known] for known in (COLOURS, MARKERS))
    return {name: (COLOURS.get(name) or left[others.index(name) % len(left)],
                   MARKERS.get(name) or markers[unmarked.index(name) % len(markers)]) for name in names}
