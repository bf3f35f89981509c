# SPDX-License-Identifier: GPL-2.0-only
"""Lets the planners of this folder find the package edgepipe beside it."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
