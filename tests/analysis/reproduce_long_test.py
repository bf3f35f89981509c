# SPDX-License-Identifier: GPL-2.0-only
"""Documented tables as reproduce_test makes them, of all runs and models."""

from analysis import reproduce_test


class DocumentedTables(reproduce_test.DocumentedTables):
    BNO_RUNS, BNO_COLUMNS = 10, 7
    DGPAS_MODELS, DGPAS_TABLES = [], {"dgpas-table3": 4, "dgpas-help": 4, "dgpas-paying": 1}
