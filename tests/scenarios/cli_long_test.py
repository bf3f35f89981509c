# SPDX-License-Identifier: GPL-2.0-only
"""More of cli_test's mutated inputs."""

from scenarios import cli_test


class MutatedInputs(cli_test.MutatedInputs):
    TURNS = 4
