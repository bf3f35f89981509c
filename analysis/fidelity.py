#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The study fidelity, and its picture: fidelity.py FOLDER draws iteration times at flow level against packet level.

Left: time at flow level over time at packet level, logarithmic, with bands of 5 and 10 %. Right: the
relative difference of flow level; where packet level is random, a bar spans the differences to its
single runs. The study itself prints the worst cases.
"""

import json
import math
import re
from collections import Counter
from itertools import combinations
from statistics import median
from time import monotonic

from edgepipe import case_draw
from edgepipe.agreement import Point, draw_agreement
from edgepipe.case_comparison import Comparison, answer_of, rank_of, signed
from edgepipe.drawing import draw_picture
from edgepipe.pictures import InputError, start
from edgepipe.results_folder import ResultsFolder
from edgepipe.running import traces_folder
from edgepipe.study_options import Option, flag, names, number, time, whole
from edgepipe.study_program import Study
from edgepipe.tables import columns, print_table, read_table, rounded, share, shown_bytes

SCENARIOS = ["workload-case"]
LIMITS = {"lan": 0.05, "p2p": 0.05, "wifi": 0.10}  # grid: largest acceptable difference
# Links judged together, and the goals for the median, 95th percentile and maximum of their differences.
GOALS = {"LAN": (("lan",), 0.01, 0.03, 0.10),
         "chain": (("p2p",), 0.01, 0.06, 0.20),
         "bearers": (("3g", "4g", "cat1", "trace"), 0.02, 0.04, 0.10),
         "Wi-Fi": (("wifi",), 0.04, 0.09, 0.20),
         "LTE": (("lte",), 0.04, 0.09, 0.20),
         "mixed": (("mixed",), 0.04, 0.10, 0.30)}
MOVED = 0.001  # change of a difference that counts as one
DIFFERENT = 0.05  # relative difference above which planners count as ordered
MOST_TRIES = 100  # draws of a setting before giving up
# Most bytes that a drawn case may move, and most simulated seconds, so that packets take some seconds of each.
MOST = {"LAN": (20e6, 60), "chain": (20e6, 60), "bearers": (10e6, 120), "Wi-Fi": (6e6, 30), "LTE": (6e6, 20),
        "mixed": (4e6, 20)}
LEAST_BYTES = 10000  # with fewer the network hardly matters
SHOWN = 5  # worst cases
SHOWN_PAIRS = 10


def goal_of(link):
    return next(name for name, (links, *_) in GOALS.items() if link in links)


class Fidelity(Study):
    """How close flow level comes to packet level, and at what cost: times of the same plans at both levels,
    over a grid of training runs (traces/fidelity-cases.txt) or over randomly drawn cases of all workloads."""

    NEXT = "analysis/fidelity.py"
    OPTIONS = [
        Option("cases", ",".join(LIMITS), "links of the grid to run: lan, p2p, wifi, separated by commas",
               names(*LIMITS, last=" or ")),
        Option("case", "", "a single case instead of the grid: options of pipeline-training, or of another "
               "workload with workload=NAME, without dashes, separated by blanks; empty: the grid"),
        Option("seeds", "5", "runs to average for a case that is random, with consecutive run numbers from "
               "--RngRun on", whole(1, 1000)),
        Option("quick", "false", "run only a few small cases of the grid", flag),
        Option("random", "0", "number of randomly drawn settings to run instead of the grid; 0: the grid",
               whole(0, 1000000)),
        Option("seed", "1", "with --random: seed of the draws", whole(0, 39999)),
        Option("link", ",".join(case_draw.LINKS), "with --random: links to draw: lan, p2p, wifi, 3g, 4g, lte, "
               "trace, mixed (several in one network, with its cluster file in clusters/ below --out); wires, "
               "bearers, Wi-Fi, LTE and mixed networks equally often", names(*case_draw.LINKS)),
        Option("workload", "all", "with --random: workloads to cycle through, separated by commas, or all", names()),
        Option("planners", "2", "with --random: planners compared in each setting, for their order",
               whole(1, 100)),
        Option("max-bytes", "0", "with --random: most bytes that a case may move; 0: by link, 4 to 20 MB",
               number(0, 1e12)),
        Option("ablation", "false", "with --random: flows without each of their rules in turn (--without of the "
               "scenarios), against the same packets; a table of rules by links", flag),
        Option("max-time", "0", "with --random: longest simulated time of a case; 0: by link, 20 to 120 s",
               time)]

    def read(self):
        if self.texts["case"] and self.random:
            self.refuse("case", "none where --random draws them")
        if self.ablation and not self.random:
            self.refuse("ablation", "false unless --random draws cases")
        if self.workload != ["all"] and not self.random:
            self.refuse("workload", "all unless --random draws cases")
        if self.random and "mixed" in self.link and re.search(r"\s", self.out):
            self.refuse("out", "a path without blanks, which stands among options of cases")
        self.comparisons, self.left_out = [], Counter()

    def work(self):
        begin = monotonic()
        (self.compare_drawn if self.random else self.compare_grid)()
        (self.show_drawn if self.random else self.show_grid)()
        self.show_worst()
        ablation = self.ablate() if self.ablation else []
        if self.random:
            print(f"\n{len(self.comparisons)} cases took {rounded(monotonic() - begin, 3)} s.")
        for one in self.comparisons:
            for level in ("packet", "flow"):
                run = getattr(one, level)
                if not run.is_finished:
                    self.report_stall(f"{one.text}, {level} level", rounded(run.end), run.diagnosis)
        self.folder.write("results.csv", [{**one.row(self.passed), "rngSeed": self.passed.get("RngSeed", 1),
                                           "rngRun": self.first_run} for one in self.comparisons])
        self.folder.write("costs.csv", [{"case": one.text, "packetWallSeconds": one.packet.wall,
                                         "flowWallSeconds": one.flow.wall}
                                        for one in self.comparisons])
        if ablation:
            self.folder.write("ablation.csv", ablation)
        self.folder.write("run.json", self.run_file(example=self.example))
        return ("results.csv (a row per case), " + "ablation.csv (a row per rule and links), " * bool(ablation)
                + "costs.csv (wall-clock times), run.json\n"
                "A case again, with its timeline: its command in results.csv")

    # ---- the grid ---------------------------------------------------------------------------------

    def compare_grid(self):
        texts = [self.texts["case"]] if self.texts["case"] else self.read_grid()
        try:
            results = self.simulate([self.case("workload-case", {
                "case": text, "levels": "flow,packet,ideal", "runs": self.seeds, "requests": "true"})
                for text in texts],
                check=1, allowed=("ok", "failed"))
        except InputError as error:
            raise InputError(f"case: {error}") from None
        self.example = next(iter(results), None)
        for text, result in zip(texts, results):
            if result.status != "ok":
                raise InputError(f'case "{text}": {result.reason()}')
            case = answer_of(result)
            one = Comparison(case["case"], case, LIMITS.get(case["link"], GOALS[goal_of(case["link"])][-1]))
            one.take(case["levels"])
            self.comparisons.append(one)

    def read_grid(self):
        path = traces_folder() / "fidelity-cases.txt"
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except OSError:
            raise InputError(f"{path}: cannot be read, expected the cases to run") from None
        texts = []
        for line in lines:
            text = line.removeprefix("quick ")
            if not text or text[0] == "#":
                continue
            link = re.search(r"(?:^| )link=(\S*)", text)
            if not link:
                raise InputError(f'{path}: found "{text}", expected link=... in it')
            if link[1] in self.cases and (text != line or not self.quick):
                texts.append(text)
        return texts

    # ---- what is drawn ----------------------------------------------------------------------------

    def numbers(self):
        """Random numbers from 0 to 1 of the stream of --seed."""
        count = 0
        while True:
            more = max(2000, 2 * count)
            result, = self.simulate([self.case("workload-case", {"values": more, "seed": self.seed})])
            yield from json.loads(result.row["values"])[count:]
            count = more

    def compare_drawn(self):
        self.example, = self.simulate([self.case("workload-case", {})], check=1)
        workloads = json.loads(self.example.row["workloads"])
        known = [name for name, sweep in workloads.items() if sweep["draws"]]
        self.chosen = known if self.workload == ["all"] else self.workload
        if not {*self.chosen} <= {*known}:
            self.refuse("workload", f"some of {', '.join(known[:-1])} or {known[-1]}")
        self.kinds = self.kinds_of(self.link, {name: workloads[name]["draws"] for name in self.chosen})
        if not self.kinds:
            self.refuse("link", f"others than mixed, which {self.chosen[0]} is not drawn over")
        draw = case_draw.Draw(workloads, self.numbers(), traces_folder())
        files = ResultsFolder(self.folder.path / "clusters")
        # Each round draws for all settings that have no case yet, so that their cases run side by side.
        pending, found = range(self.random), {}
        for number in range(MOST_TRIES):
            texts = {}
            for setting in pending:
                workload, link = self.turn(setting)
                name = f"mixed-{setting}.json"
                options, planners, cluster = draw.draw(workload, link, self.planners,
                                                       f"{self.out}/clusters/{name}")
                if cluster:
                    files.make()
                    files.write(name, cluster)
                    files.commit_some()
                    self._digests.clear()  # hashes by name are outdated
                texts[setting] = [f"{options} planner={one}" for one in planners] or [options]
            found.update(self.compare_settings(texts, (number, MOST_TRIES)))
            pending = [setting for setting in pending if setting not in found]
            if not pending:
                break
        for setting in pending:
            self.left_out["given up: {} over {}".format(*self.turn(setting))] += 1
        self.comparisons = [one for setting in sorted(found) for one in found[setting]]
        if not self.comparisons:
            self.refuse("max-bytes", "more, or a longer --max-time: no draw could be run")

    @staticmethod
    def kinds_of(links, draws):
        """Kinds of links, and the workloads that are drawn over them; draws: what is drawn of each workload."""
        kinds = []
        for kind in case_draw.KINDS:
            kind = [link for link in kind if link in links]
            workloads = [name for name, drawn in draws.items() if kind != ["mixed"] or "single:" in drawn]
            if kind and workloads:
                kinds.append((kind, workloads))
        return kinds

    def turn(self, setting):
        """Workload and link of a setting: the kinds of links in turn, then the workloads, then links of a kind."""
        turn, kind = divmod(setting, len(self.kinds))
        links, workloads = self.kinds[kind]
        round, place = divmod(turn, len(workloads))
        # A step that meets every link with every workload.
        step = len(workloads) + 1 if math.gcd(len(workloads) + 1, len(links)) == 1 else 1
        return workloads[place], links[(place + round * step) % len(links)]

    def compare_settings(self, texts, share):
        """The comparable cases of settings that have any, one per planner; texts: of cases, by setting."""
        def ask(level, cases):
            return self.simulate(
                [self.case("workload-case", {"case": text, "levels": level, "runs": self.seeds,
                                             "requests": "true"})
                 for text in cases], share=share,
                allowed=("ok", "failed", "crashed")) if cases else []

        drawn = [(setting, text) for setting, mine in texts.items() for text in mine]
        chosen, found = [], {}
        for (setting, _), result in zip(drawn, ask("flow", [text for _, text in drawn])):
            one, why = None, self.refused(result)
            if not why:
                case = answer_of(result)
                one = Comparison(case["case"], case, GOALS[goal_of(case["link"])][-1], setting)
                one.take(case["levels"])
                why = self.unfit(one)
            self.keep(one, why, chosen)
        # Packets may need a longer warm-up, which flows must then have too.
        for one, result in zip(chosen, ask("flow,packet", [one.text for one in chosen])):
            kept, why = found.setdefault(one.setting, []), self.refused(result)
            if not why:
                case = answer_of(result)
                one = Comparison(case["case"], case, one.limit, one.setting)
                one.take(case["levels"])
                if not (one.flow.is_finished or one.packet.is_finished):
                    why = "stalled"
                elif one.answers_few():
                    why = "answered few requests"
                elif any((other.packet.seconds, other.flow.seconds)
                         == (one.packet.seconds, one.flow.seconds) for other in kept):
                    why = "planned as by another planner"
            self.keep(one, why, kept)
        return {setting: kept for setting, kept in found.items() if kept}

    def keep(self, one, why, kept):
        """Keeps a comparison, or counts the reason for leaving it out."""
        if why:
            self.left_out[why] += 1
        else:
            kept.append(one)

    @staticmethod
    def refused(result):
        if result.status == "ok":
            return ""
        return "refused" if result.exit == 2 else "made ns-3 give up"

    def unfit(self, one):
        """Why a case that ran at flow level is not compared; empty if it is."""
        most_bytes, most_time = MOST[goal_of(one.case["link"])]
        for holds, why in ((one.flow.moved > (self.max_bytes or most_bytes), "moved too many bytes"),
                           (one.flow.moved < LEAST_BYTES, "moved next to nothing"),
                           (one.answers_few(), "answered few requests"),
                           (one.flow.end > (self.max_time or most_time), "took too long")):
            if holds:
                return why
        return ""

    def ablate(self):
        """Differences without each rule in turn: prints a table, and returns a row per rule and links."""
        rules = json.loads(self.example.row["rules"])
        mine = [one for one in self.comparisons if one.is_finished()]
        results = self.simulate([self.case("workload-case", {
            "case": one.text, "levels": ",".join(f"flow-{rule}" for rule in rules), "requests": "true"})
            for one in mine], check=1)
        levels = [answer_of(result)["levels"] for result in results]
        rows, table = [], []
        for rule in (None, *rules):
            cells = []
            for name, (links, *_) in GOALS.items():
                found = [(one.difference(), one.without(level[f"flow-{rule}"]) if rule else one.difference())
                         for one, level in zip(mine, levels) if one.case["link"] in links]
                if not found:
                    continue
                sizes = sorted(abs(without) for _, without in found)
                moved = sum(abs(without - all_rules) > MOVED for all_rules, without in found)
                rows.append({"without": rule or "", "links": name, "cases": len(found), "moved": moved,
                             "median": median(sizes), "p95": rank_of(sizes, 0.95), "worst": sizes[-1]})
                cells.append(f"{share(rows[-1]['p95'])} / {share(sizes[-1])}" + f" ({moved})" * (rule is not None))
            table.append([f"without {rule}" if rule else "all rules", *cells])
        print(f"\nRules of flows left out in turn: 95th percentile / worst difference to packets, and how many cases "
              f"move by more\nthan {share(MOVED)}:\n")
        print_table(["flows", *(name for name, (links, *_) in GOALS.items()
                                if any(one.case["link"] in links for one in mine))], table)
        return rows

    # ---- tables -----------------------------------------------------------------------------------

    def show_grid(self):
        print_table(["row", "model", "link", "stages", "network share", "packet (s)", "of single runs",
                     "flow (s)", "difference", "faster"], [
            [str(number), one.words.get("model", ""), one.case["link"],
             f"{one.case['stages']}/{one.case['devices']}",
             share(1 - one.ideal.seconds / one.packet.seconds if one.is_finished() else 0), *one.cells(),
             f"{rounded(one.packet.wall / one.flow.wall, 3)} x"]
            for number, one in enumerate(self.comparisons, 1)])
        print("What a row is stands in that row of results.csv.\nstages: of so many devices; network "
              "share: of packets' time, what wires of 1 Tbit/s would save;\nfaster: wall-clock time of "
              "packets over that of flows\n\nDifferences of iteration time, flow against packet level:\n")
        rows = []
        for link, limit in LIMITS.items():
            mine = [one for one in self.comparisons if one.case["link"] == link]
            if mine:
                sizes = [abs(one.difference()) for one in mine]
                packet, flow = (sum(getattr(one, level).wall for one in mine) for level in ("packet", "flow"))
                over = sum(not one.is_finished() or abs(one.difference()) > limit for one in mine)
                rows.append([link, str(len(mine)), share(limit), str(over), share(max(sizes)),
                             share(median(sizes)), rounded(packet, 3), rounded(flow, 3),
                             f"{rounded(packet / flow, 3)} x"])
        print_table(["link", "cases", "limit", "over it", "largest", "median", "packet wall (s)",
                     "flow wall (s)", "faster"], rows)

    def show_drawn(self):
        print_table(["row", "setting", "workload", "model", "link", "packet (s)", "of single runs",
                     "flow (s)", "difference", "moved"], [
            [str(number), str(one.setting), one.case["workload"], one.words.get("model", ""),
             one.case["link"], *one.cells(), shown_bytes(one.flow.moved)]
            for number, one in enumerate(self.comparisons, 1)])
        left = ", ".join(f"{count} {why}" for why, count in sorted(self.left_out.items()))
        print("What a row is stands in that row of results.csv.\n\nDraws that were not compared: "
              f"{left or 'none'}\n\nDifferences, flow against packet level: the mean, and ranks of the "
              "absolutes:\n")
        rows = []
        for name, (links, *goals) in GOALS.items():
            mine = [one for one in self.comparisons if one.case["link"] in links]
            for workload in dict.fromkeys(one.case["workload"] for one in sorted(
                    mine, key=lambda one: self.chosen.index(one.case["workload"]))):
                rows.append(distribution(name, workload, [
                    one for one in mine if one.case["workload"] == workload]))
            if mine:
                rows.append(distribution(name, "all (goal)", mine, goals))
        print_table(["links", "workload", "cases", "stalled", "mean", "median", "90th", "95th",
                     "worst"], rows)
        pairs, turned = compare_orders(self.comparisons)
        alike = pairs - len(turned)
        print(f"\nPairs of planners that differ by more than {share(DIFFERENT)} at packet level: {pairs}, "
              f"ordered alike by flow level: {alike}" + (f" ({share(alike / pairs)})" if pairs else ""))
        for fast, slow in turned[:SHOWN_PAIRS]:
            print(f"  {fast.text}\n    beats the planner of\n    {slow.text}\n    by "
                  f"{rounded(fast.packet.seconds)} s to {rounded(slow.packet.seconds)} s in packets, in "
                  f"flows {rounded(fast.flow.seconds)} s to {rounded(slow.flow.seconds)} s")

    def show_worst(self):
        """Ranks cases by difference over limit, so that Wi-Fi and wires share one list."""
        print("\nThe worst, by the share of their limit:")
        for one in sorted(self.comparisons,
                          key=lambda one: -abs(one.difference()) / one.limit)[:SHOWN]:
            print(f"  {signed(one.difference())}  {one.text}")


def distribution(name, workload, comparisons, goals=None):
    finished = [one.difference() for one in comparisons if one.is_finished()]
    sizes = sorted(map(abs, finished))

    def rank(part, goal=None):
        if not sizes:
            return "-"
        found = rank_of(sizes, part)
        return share(found) + (f" ({share(goals[goal])})" if goals and goal is not None else "")

    return [name, workload, str(len(comparisons)), str(len(comparisons) - len(finished)),
            share(sum(finished) / len(finished)) if finished else "-",
            rank(0.5, 0), rank(0.9), rank(0.95, 1), rank(1, 2)]


def compare_orders(comparisons):
    """Number of pairs of one setting that differ at packet level, and those that flow level orders the other
    way, the one faster at packet level first."""
    pairs, turned = 0, []
    for one, other in combinations(comparisons, 2):
        if one.setting == other.setting and one.is_finished() and other.is_finished():
            fast, slow = sorted((one, other), key=lambda one: one.packet.seconds)
            if slow.packet.seconds > (1 + DIFFERENT) * fast.packet.seconds:
                pairs += 1
                if fast.flow.seconds >= slow.flow.seconds:
                    turned.append((fast, slow))
    return pairs, turned


# ---- the picture ----------------------------------------------------------------------------------

# Okabe and Ito's palette for colour-blind readers, and a marker for each link.
LINKS = {  # legend, colour, marker
    "lan": ("LAN", "#0072B2", "o"),
    "p2p": ("point-to-point", "#E69F00", "s"),
    "wifi": ("Wi-Fi", "#009E73", "^"),
    "3g": ("3G", "#CC79A7", "v"),
    "4g": ("4G", "#56B4E9", "D"),
    "lte": ("LTE", "#D55E00", "P"),
    "trace": ("recording", "#000000", "X"),
    "mixed": ("mixed", "#F0E442", "*"),
}
BANDS = (0.10, 0.05)
PACKET, FLOW = "packetIterationSeconds", "flowIterationSeconds"
COLUMNS = columns("link status", f"{PACKET} packetLowestSeconds packetHighestSeconds {FLOW}")


def make(folder, options):
    path = folder / "results.csv"
    cases = [case for case in read_table(path, COLUMNS) if case["status"] == "finished"]
    if not cases:
        raise InputError(f"{path}: no case has finished, nothing to draw")
    unknown = [case["link"] for case in cases if case["link"] not in LINKS]
    if unknown:
        raise InputError(f'{path}: link: found "{unknown[0]}", expected {", ".join(LINKS)}')
    points = [Point(case["link"], case[PACKET], case["packetLowestSeconds"], case["packetHighestSeconds"],
                    case[FLOW]) for case in cases]
    words = "time at packet level (s)", "time at flow level (s)", "flow less packet level (%)"
    return lambda: draw_agreement(points, LINKS, words, BANDS, 12, options)


if __name__ == "__main__":
    start(lambda: draw_picture(__doc__, __file__, "results/fidelity", make, 7.2,
                               note=", two columns of a paper"))
