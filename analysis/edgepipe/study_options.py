# SPDX-License-Identifier: GPL-2.0-only
"""Options of a study, with the same syntax and errors as those of a scenario."""

import difflib
import json
import re
from dataclasses import dataclass

from edgepipe.campaign.values import read_quantity
from edgepipe.pictures import InputError

MOST_COUNTS = 10000  # in a list: more are a mistake, such as steps of 1 up to a million


@dataclass(frozen=True)
class Option:
    name: str
    default: str  # as typed by a user
    help: str
    read: object = str  # turns the text into a value; its ValueError says what was expected


def whole(low, high):
    def read(text):
        if not re.fullmatch(r"[-+]?\d+", text) or not low <= int(text) <= high:
            raise ValueError(f"a whole number from {low} to {high}")
        return int(text)
    return read


def number(low, high):
    def read(text):
        try:
            value = float(text)
        except ValueError:
            value = None
        if value is None or not low <= value <= high:
            raise ValueError(f"a number from {low:g} to {high:g}")
        return value
    return read


def flag(text):
    if text not in ("true", "1", "on", "false", "0", "off"):
        raise ValueError("true or false")
    return text in ("true", "1", "on")


def choice(*known):
    def read(text):
        if text not in known:
            raise ValueError(", ".join(known[:-1]) + f" or {known[-1]}")
        return text
    return read


def names(*known, last=", "):
    """Different names separated by commas, out of known if given; last: joins the last two in errors."""
    def read(text):
        given = text.split(",")
        if "" in given or len({*given}) < len(given):
            raise ValueError("different names, separated by commas")
        if known and not {*given} <= {*known}:
            raise ValueError(f"some of {', '.join(known[:-1])}{last}{known[-1]}")
        return given
    return read


def time(text):
    found = read_quantity(text)
    if not found or found[0] < 0 or found[1] != "time" and found[0] != 0:
        raise ValueError("a time from 0 with its unit (ns, us, ms, s, min, h), such as 1.5s or 2min")
    return found[0]


def rate(low):
    """Data rate, bit/s; low: 0 to allow 0, else 1."""
    def read(text):
        found = read_quantity(text)
        if not found or found[1] != "rate" and (found[0] != 0 or low) or found[0] < low:
            raise ValueError(("a data rate above 0" if low else "0 or a data rate")
                             + " with its unit (bps, kbps, Mbps, Gbps), such as 5.85Mbps")
        return found[0]
    return read


def counts(most):
    """Rising whole numbers; after two or three, ... continues to the next one in equal steps or by a constant
    factor."""
    def read(text):
        found = _fill(text.replace("\u2026", "...").split(","))
        if not found or found[-1] > most:
            raise ValueError(f"rising whole numbers from 1 to {most}, such as 2,4,8 or 2,4,...,{most}")
        return found
    return read


def _fill(words):
    """The numbers of a list; None if it is invalid."""
    found, is_filling = [], False
    for word in words:
        if word == "...":
            if is_filling or len(found) < 2:
                return None
            is_filling = True
            continue
        if not re.fullmatch(r"\d{1,10}", word) or not 0 < int(word) < 2 ** 32:
            return None
        if is_filling:
            *first, before, last = found[-3:]
            factor, step = last // before, last - before
            if last % before or first and last * first[0] != before * before:
                if first and step != before - first[0]:
                    return None
                factor = 0
            while (following := found[-1] * factor if factor else found[-1] + step) < int(word):
                found.append(following)
                if len(found) == MOST_COUNTS:
                    return None
        is_filling = False
        if found and int(word) <= found[-1]:
            return None
        found.append(int(word))
    return None if is_filling else found


def read_words(words, options):
    """Texts by option, and options for ns-3: --RngRun=2, --ns3::TYPE::ATTRIBUTE=VALUE, --library."""
    known = {option.name: option for option in options}
    given, passed = {}, {}
    for word in words:
        found = re.fullmatch(r"--([^=]+)(?:=(.*))?", word, re.DOTALL)
        if not found:
            raise InputError(f'argument "{word}": expected --NAME=VALUE, or --help')
        name, value = found.groups()
        if name in given or name in passed:
            raise InputError(f'--{name}: found a second one, "{value or ""}", expected it once; where '
                             "several values are possible, commas separate them")
        if name in known:
            if value is None and known[name].default not in ("true", "false"):
                raise InputError(f"--{name}: found no value, expected --{name}=VALUE")
            given[name] = "true" if value is None else value
        elif name in ("RngRun", "RngSeed", "library") or "::" in name:
            passed[name] = value or ""
        elif name == "dry-run" and value is None:
            given[name] = "true"
        else:
            close = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
            raise InputError(f"--{name}: unknown option; "
                             + (f"did you mean --{close[0]}?" if close else "--help lists them"))
    return given, passed


def read_value(option, text):
    try:
        return option.read(text)
    except ValueError as error:
        raise InputError(f'--{option.name}: found "{text}", expected {error}') from None


def describe(program, usage, options):
    """What --describe prints, as of a scenario."""
    return json.dumps({"program": program, "usage": usage, "options": [
        {"name": one.name, "help": one.help, "default": one.default} for one in options]}, indent=2, ensure_ascii=False)


def options_of(description):
    """The options that a program declares, from what its --describe prints."""
    return [Option(one["name"], one["default"], one["help"]) for one in json.loads(description)["options"]]
