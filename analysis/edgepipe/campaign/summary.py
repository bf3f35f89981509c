# SPDX-License-Identifier: GPL-2.0-only
"""Means and intervals over repetitions, and comparison of subjects at every point."""

import re
import shlex
from collections import Counter
from dataclasses import dataclass, field
from itertools import combinations, permutations

from edgepipe.comparison import FAR, clear_order, mean_interval
from edgepipe.pictures import InputError
from edgepipe.campaign.record import WITH_RESULTS
from edgepipe.campaign.values import axis_of
from edgepipe.tables import unique

# Defaults for the compared key and the figure it is judged by: the first one present.
SUBJECTS = ("planner", "shares", "method", "strategy", "case")
FIGURES = ("iterationSeconds", "meanLatencySeconds",
           "simulatedLatencySeconds", "meanResponseSeconds")
MORE_IS_BETTER = ("PerSecond", "Efficiency", "jainIndex", "speedUp")
# Columns before this one describe the run, those after it its results.
BORDER = "status"
RUN = "rngRun"  # column of the run number, which is no figure
# Columns of the network, which follow the results: a sweep of one leaves others as they are.
NETWORK = ("bandwidthBitsPerSecond", "downlinkBitsPerSecond", "delaySeconds", "trace", "distanceMeters", "lossRate")


@dataclass
class Group:
    """Rows of results that differ only in the run."""

    keys: dict
    cases: list = field(default_factory=list)
    values: dict = field(default_factory=dict)  # by figure: values of every run, in the order of cases

    def interval(self, figure):
        """Mean, half width and count; None without values."""
        values = [value for value in self.values[figure] if value is not None]
        if len(set(values)) == 1:
            return values[0], 0.0, len(values)  # without rounding errors
        return (*mean_interval(values), len(values)) if values else None


class Summary:
    """Summary of the cases of a study.

    keys: names that distinguish groups; fixed: names and values common to all groups;
    figures: names of measured columns; groups; subject: the compared key, or empty;
    figure: the column that subjects are judged by; x: key of the horizontal axis, or empty.
    """

    def __init__(self, study, cases):
        # (case, row) pairs; a row also has the swept options of its case, named with dashes.
        rows = [(case, {**{f"--{name}": case["options"].get(name, "") for name in study.swept}, **row})
                for case in cases if case["outcome"] in WITH_RESULTS for row in case["rows"]]
        if not rows:
            raise InputError(f"{study.path}: no case of it has results yet; ./ns3 campaign run "
                             f"{shlex.quote(str(study.path))} runs them")
        names = unique(name for _, row in rows for name in row)
        keys, self.figures = self._split(names, rows)
        distinct = {name: unique(row.get(name, "") for _, row in rows) for name in keys}
        network = {name: values for name in NETWORK
                   if (values := unique(row.get(name, "") for _, row in rows)) != [""]}
        self.fixed = {**study.fixed, **{name: values[0] for name, values in [*distinct.items(), *network.items()]
                                        if len(values) == 1}}
        self.keys = [name for name in keys if len(distinct[name]) > 1]
        self._drop_repetition([row for _, row in rows])
        self.groups = self._group(rows)
        self._choose(study)

    @staticmethod
    def _split(names, rows):
        """Names of keys, and of figures: numeric columns after the status."""
        border = names.index(BORDER) if BORDER in names else -1
        numbers = {name for name in names if all(isinstance(row.get(name), (int, float))
                                                 or row.get(name, "") == "" for _, row in rows)
                   and any(row.get(name, "") != "" for _, row in rows)}
        figures = [name for index, name in enumerate(names) if index > border
                   and not name.startswith("--") and name in numbers and name != RUN]
        keys = [name for index, name in enumerate(names)
                if name.startswith("--") or index < border or (border < 0 and name in SUBJECTS)]
        if not figures:
            raise InputError("no column of the results is a number; nothing to report")
        return keys, figures

    def _drop_repetition(self, rows):
        """Drops columns determined by another key, and options determined by their own column."""
        def determines(name, other):
            values = {}
            return all(values.setdefault(str(row.get(name)), str(row.get(other)))
                       == str(row.get(other)) for row in rows)

        for name in [one for one in self.keys if not one.startswith("--") and one not in SUBJECTS]:
            if any(determines(other, name) for other in self.keys if other != name):
                self.keys.remove(name)
        for name in [one for one in self.keys if one.startswith("--")]:
            if any(bare(other) == bare(name) and determines(other, name) for other in self.keys
                   if other != name):
                self.keys.remove(name)

    def _group(self, rows):
        groups = {}
        for case, row in rows:
            key = tuple(row.get(name, "") for name in self.keys)
            group = groups.setdefault(key, Group(dict(zip(self.keys, key))))
            group.cases.append(case)
            for name in self.figures:
                value = row.get(name, "")
                group.values.setdefault(name, []).append(None if value == "" else value)
        return list(groups.values())

    def _choose(self, study):
        def choose(name, known, default):
            value = study.report.get(name, default)
            return value and find_column(study, f"report.{name}", value, known)

        texts = [name for name in self.keys
                 if axis_of(group.keys[name] for group in self.groups) is None]
        self.subject = choose("compare", self.keys, next(
            (name for name in SUBJECTS if name in self.keys),
            next((f"--{name}" for name in SUBJECTS if f"--{name}" in self.keys),
                 texts[0] if texts else "")))
        self.figure = choose("figure", self.figures, next(
            (name for name in FIGURES if name in self.figures), self.figures[0]))
        self.x = choose("x", self.keys, next(
            (name for name in self.keys if name not in texts and name != self.subject
             and self._varies_alone(name)), ""))
        self.drawn = unique([self.figure, *(
            find_column(study, "report.figures", name, self.figures)
            for name in study.report.get("figures", []))])

    @property
    def predicted(self):
        """The column that predicts the figure; empty: none."""
        name = re.sub("^(simulated|mean)(?=[A-Z])", "", self.figure)
        name = f"predicted{name[0].upper()}{name[1:]}"
        return name if name in self.figures else ""

    def disagreements(self):
        """Numbers of points at which a pair of subjects is predicted in one order and simulated in the other, ties
        left out; at which a subject's prediction is far off; of points with predictions; and whether any pair has
        an order in both."""
        reversed_, far = Counter(), Counter()
        count, is_ordered = 0, False
        sign = -1 if self.is_more_better(self.figure) else 1
        predicted, found = self.points(self.predicted), self.points(self.figure)
        for key, subjects in found.items():
            told = predicted.get(key, {})
            both = [one for one in subjects if one in told]
            count += bool(both)
            for one, other in permutations(both, 2):
                order = clear_order(subjects[one][0], subjects[other][0])
                predicted_order = clear_order(told[one][0], told[other][0])
                is_ordered |= bool(order and predicted_order)
                reversed_[one, other] += predicted_order == -sign and order == sign
            for one in both:
                less, more = sorted((told[one][0], subjects[one][0]))
                far[one] += more >= FAR * less and more > 0
        return +reversed_, +far, count, is_ordered

    def is_equal(self):
        """Whether runs were repeated with identical results."""
        intervals = [group.interval(name) for group in self.groups for name in self.figures]
        return all(one is None or not one[1] and one[2] > 1 for one in intervals)

    def _varies_alone(self, name):
        """Whether any two groups differ only in this key and perhaps the subject."""
        rest = {}
        for group in self.groups:
            key = tuple(value for other, value in group.keys.items()
                        if other not in (name, self.subject))
            rest.setdefault(key, set()).add(group.keys[name])
        return any(len(values) > 1 for values in rest.values())

    def is_more_better(self, figure):
        return any(word in figure for word in MORE_IS_BETTER)

    def points(self, figure):
        """(mean, half width, count) of every subject, by values of the other keys."""
        points = {}
        for group in self.groups:
            interval = group.interval(figure)
            if interval:
                key = tuple((name, value) for name, value in group.keys.items()
                            if name != self.subject)
                points.setdefault(key, {})[group.keys.get(self.subject, "")] = interval
        return points

    def pairs(self, figure):
        """For each pair of subjects: numbers of points where the first is better, where they tie, and
        where the second is better."""
        counts = {}
        sign = -1 if self.is_more_better(figure) else 1
        for subjects in self.points(figure).values():
            for a, b in combinations(subjects, 2):
                order = sign * compare(subjects[a], subjects[b])
                first, second = (a, b) if (a, b) in counts or (b, a) not in counts else (b, a)
                entry = counts.setdefault((first, second), [0, 0, 0])
                entry[1 + (order if first == a else -order)] += 1
        return counts


def compare(a, b):
    """-1 if interval a is below b, 1 if above, 0 if they overlap or their means are a tie, as in a run."""
    return clear_order(a[0], b[0]) if abs(a[0] - b[0]) > a[1] + b[1] else 0


def find_column(study, where, name, known):
    """The known column for a name, which may be typed as an option or without its dashes."""
    if name in known:
        return name
    for one in known:
        if bare(one) == bare(name):
            return one
    raise InputError(f'{study.path}: {where}: found "{name}", expected one of ' + ", ".join(known))


def check_report(study, row):
    """Refuses names in a study's report that are neither swept options nor columns of the results."""
    known = [*(f"--{name}" for name in study.swept), *row]
    for name, value in study.report.items():
        for one in value if isinstance(value, list) else filter(None, [value]):
            find_column(study, f"report.{name}", one, known)


def bare(name):
    """A common form of an option and its column, such as --micro-batches and microBatches."""
    return name.replace("-", "").lower()

