# SPDX-License-Identifier: GPL-2.0-only
"""Campaigns: many runs of a scenario, described by a study and gathered in one database."""
