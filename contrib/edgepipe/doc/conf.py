# SPDX-License-Identifier: GPL-2.0-only
"""How Sphinx makes HTML of these pages: ./ns3 docs."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "_ext"))

project = "edgepipe"
copyright = "the edgepipe authors, GPL-2.0-only"
extensions = ["edgepipe_programs"]
smartquotes = False  # options begin with two dashes
html_math_renderer = "mathml"
html_theme = "alabaster"
html_theme_options = {
    "description": "Edge AI training and inference in ns-3",
    "page_width": "72rem",
    "sidebar_width": "15rem",
    "fixed_sidebar": True,
    "font_family": "system-ui, sans-serif",
    "head_font_family": "system-ui, sans-serif",
}
html_sidebars = {"**": ["about.html", "searchbox.html", "navigation.html"]}
html_static_path = ["_static"]
html_css_files = ["edgepipe.css"]
html_show_copyright = False
html_copy_source = False
exclude_patterns = ["build"]
