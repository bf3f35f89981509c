# SPDX-License-Identifier: GPL-2.0-only
"""How Sphinx makes HTML of these pages: ./ns3 docs."""

project = "edgepipe"
copyright = "the edgepipe authors, GPL-2.0-only"
html_theme = "alabaster"
html_theme_options = {"page_width": "70rem", "fixed_sidebar": True}
html_show_copyright = False
html_copy_source = False
exclude_patterns = ["build"]
