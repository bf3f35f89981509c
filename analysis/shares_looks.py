# SPDX-License-Identifier: GPL-2.0-only
"""How strategies of batch shares look in pictures, the same in all of them."""

# Okabe and Ito's colours, told apart by colour-blind eyes.
LOOKS = {"bno": ("#D55E00", "o"), "bno-normalized": ("#E69F00", "s"), "equal": ("#999999", "^"),
         "random": ("#56B4E9", "v"), "optimal": ("#0072B2", "D")}


def looks(strategies):
    """Colour and marker of each strategy."""
    return {strategy: LOOKS.get(strategy, ("#000000", "*")) for strategy in strategies}
