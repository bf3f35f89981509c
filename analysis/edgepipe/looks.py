# SPDX-License-Identifier: GPL-2.0-only
"""Looks of planners and strategies, the same in all pictures."""

# Okabe and Ito's palette for colour-blind readers, and a marker for each planner.
LOOKS = {"qdmp": ("#0072B2", "o"), "dads": ("#D55E00", "D"), "neurosurgeon": ("#E69F00", "s"),
         "edge-only": ("#999999", "^"), "cloud-only": ("#56B4E9", "v"),
         "defp": ("#0072B2", "o"), "milp": ("#000000", "*"), "ogreedy": ("#009E73", "P"),
         "igreedy": ("#CC79A7", "X"), "defp-as-printed": ("#E69F00", "s"), "all-local": ("#999999", "^"), "all-server": ("#D55E00", "v"),
         "bno": ("#D55E00", "o"), "bno-normalized": ("#E69F00", "s"), "equal": ("#999999", "^"),
         "random": ("#56B4E9", "v"), "optimal": ("#0072B2", "D")}
OTHERS = [("#009E73", "P"), ("#CC79A7", "X"), ("#000000", "*")]


def looks(names):
    """Colour and marker of each planner or strategy."""
    others = [name for name in names if name not in LOOKS]
    return {name: LOOKS.get(name) or OTHERS[others.index(name) % len(OTHERS)] for name in names}

PALETTE = ["#0072B2", "#D55E00", "#009E73", "#E69F00", "#CC79A7", "#56B4E9", "#000000", "#999999"]
MARKERS = "osD^vPX*<>"


def distinct_looks(names):
    """As looks, for any names: if one is unknown there, all get colours in turn."""
    if all(name in LOOKS for name in names):
        return looks(names)
    return {name: (PALETTE[index % len(PALETTE)], MARKERS[index % len(MARKERS)])
            for index, name in enumerate(names)}
