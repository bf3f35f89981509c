# SPDX-License-Identifier: GPL-2.0-only
"""Recordings of passes, in the format of contrib/edgepipe/doc/reference/formats.rst."""


def text_of_passes(model, batch, layers, passes, more=()):
    """passes: of each, (forward, backward) seconds of every layer; more: further (key, value) of the header."""
    head = [("format", "edgepipe-passes 1"), ("model", model), ("batch", batch), *more]
    lines = ["# %s: %s" % pair for pair in head] + ["iteration,layer,forwardSeconds,backwardSeconds"]
    lines += ["%d,%s,%.4g,%.4g" % (number, layer, *seconds)
              for number, one in enumerate(passes) for layer, seconds in zip(layers, one)]
    return "\n".join(lines) + "\n"
