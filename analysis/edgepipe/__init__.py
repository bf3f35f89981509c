# SPDX-License-Identifier: GPL-2.0-only
"""What the programs of analysis/ share."""
