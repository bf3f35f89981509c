# SPDX-License-Identifier: GPL-2.0-only
"""The study bandwidth-variation, whose results analysis/cooperative.py draws."""

import csv
import io
import sys
from itertools import takewhile

from edgepipe.campaign.values import plain
from edgepipe.pictures import start
from edgepipe.study_options import Option, rate
from edgepipe.study_program import Study, main, print_layer_costs
from edgepipe.tables import percent, print_table, rounded

SCENARIOS = ["cooperative-inference"]
MOST_POINTS = 100000
MARGIN = 1e-9  # relative difference above which latencies differ
REFERENCES = ("edge-only", "cloud-only")
SWEPT = "nothing, since bandwidth is swept by --from, --to and --step"
START_UP = {True: "with TCP's start-up (--start-up=false: without, as the QDMP paper's figure 11)",
            False: "without TCP's start-up, whose handshake and slow start a lone frame pays for "
                   "(--start-up=true)"}
ALONE = {"devices": "1", "in-flight": "1"}


class BandwidthVariation(Study):
    """Sweep the bandwidth between a device and a server: latency of a single frame under each planner's
    plan, predicted and simulated, as in figure 11 of S. Zhang et al. At a bandwidth of 0 only edge-only,
    which sends nothing, has a latency. Transfers begin as TCP's do; predictions, and figure 11, leave that
    out: --start-up=false."""

    KEEP = ["plans.csv", "problem.json"]
    NEXT = "analysis/cooperative.py"

    def options(self, words):
        return [*self.options_of_scenario("cooperative-inference", {
            "planner": "cloud-only,dads,edge-only,neurosurgeon,qdmp", "link": "p2p",
            "monitor": "oracle", "frames": "1", "replan": "false"}),
            Option("from", "0", "lowest bandwidth of the link, such as 500kbps; 0: only edge-only can run",
                   rate(0)),
            Option("to", "15Mbps", "highest bandwidth of the link, such as 15Mbps", rate(0)),
            Option("step", "500kbps", "step between bandwidths, such as 500kbps", rate(1))]

    def read(self):
        if self.link in ("wifi", "lte", "trace"):
            self.refuse("link", "one whose bandwidth can be set, since it is swept")
        for name in ("bandwidth", "trace", "trace-down", "cut"):
            if self.texts[name]:
                self.refuse(name, SWEPT)
        for name, value in ALONE.items():
            if self.texts[name] != value:
                self.refuse(name, f"{value}, since frames are alone")
        if self.texts["frame-rate"].strip("0."):
            self.refuse("frame-rate", "0, since a frame begins when the one before has ended")
        low, high, step = (self.values[name] for name in ("from", "to", "step"))
        if high < low:
            self.refuse("to", f"at least the {self.texts['from']} of --from")
        if (high - low) / step + 1e-9 >= MOST_POINTS:
            self.refuse("step", f"one that makes at most {MOST_POINTS} bandwidths")
        self.bandwidths = [low + place * step for place in range(int((high - low) / step + 1e-9) + 1)]
        if self.bandwidths[-1] <= 0:
            self.refuse("to", "a bandwidth above 0")

    def work(self):
        planners = self.planners_of("cooperative-inference")
        planners += [name for name in REFERENCES if name not in planners]
        points = [(planner, bandwidth) for bandwidth in self.bandwidths for planner in planners]
        # edge-only sends nothing, so its latency does not depend on the link.
        cases = {point: self.case("cooperative-inference", {
            **self.passed_on("cooperative-inference"), "planner": point[0],
            "bandwidth": f"{plain(point[1] or self.bandwidths[-1])}bps"})
            for point in points if point[1] or point[0] == "edge-only"}
        results = dict(zip(cases, self.simulate(list(cases.values()), check=1 + len(planners))))
        example = next(iter(results.values()))
        if example.row["devices"] > 1:
            self.refuse("cluster", "one of a device and a server, since frames are alone")
        rows = [self.row_of(point, results.get(point), example) for point in points]
        by_point = dict(zip(points, rows))
        for (_, bandwidth), row in by_point.items():
            for name, column in zip(REFERENCES, ("speedUpOverEdgeOnly", "speedUpOverCloudOnly")):
                mine = row["simulatedLatencySeconds"]
                other = by_point[name, bandwidth]["simulatedLatencySeconds"]
                row[column] = other / mine if mine and other not in (None, "") else None
        self.show(planners, by_point, example)
        for point, result in results.items():
            if result.status == "stalled":
                self.report_stall(f"{point[0]} at {rounded(point[1] / 1e6)} Mbit/s",
                                  result.row["simulatedSeconds"],
                                  result.run["cases"][0].get("diagnosis", []))
        self.folder.write("results.csv", rows)
        self.folder.write("problem.json", example.files["problem.json"])
        decisions = {planner: [results[planner, bandwidth].run["cases"][0]["wallClock"]
                               ["meanDecisionSeconds"] if (planner, bandwidth) in results else 0
                               for bandwidth in self.bandwidths] for planner in planners}
        self.folder.write("run.json", self.run_file(
            {"layerCosts": example.run["layerCosts"], "link": self.link,
             "decisionSeconds": decisions}, example))
        return "results.csv (a row per bandwidth and planner), problem.json, run.json"

    def starts_up(self):
        return self.fidelity == "packet" or self.start_up not in ("false", "0", "f")

    def row_of(self, point, result, example):
        """A row of results.csv, speed-ups still empty; example: any result, for the common columns."""
        def plan_of(result):
            return next(csv.DictReader(io.StringIO(result.files["plans.csv"].decode())), {})

        planner, bandwidth = point
        row, common = result.row if result else {}, example.row
        plan = plan_of(result) if result else {}
        return {"planner": planner, **{name: common[name] for name in (
                    "model", "deviceType", "serverType", "link", "fidelity")},
                "startUp": str(self.starts_up()).lower(), "bandwidthBitsPerSecond": bandwidth,
                "status": row.get("status", "no-link"),
                "plannerUplinkBitsPerSecond": plan.get("uplinkBitsPerSecond", "") if bandwidth else "",
                "predictedLatencySeconds": row.get("predictedLatencySeconds", "") if plan else "",
                "simulatedLatencySeconds": row["meanLatencySeconds"]
                if row.get("status") == "finished" else "",
                "speedUpOverEdgeOnly": None, "speedUpOverCloudOnly": None,
                "layersOnDevice": plan.get("layersOnDevice", ""),
                "layers": plan_of(example).get("layers", ""), "cut": plan.get("cut", ""),
                "uplinkBytes": plan.get("uplinkBytes", ""),
                **{name: common[name] for name in (
                    "layerCostOrigins", "downlinkBitsPerSecond", "delaySeconds", "trace",
                    "distanceMeters", "lossRate", "rngSeed", "rngRun")}}

    def show(self, planners, rows, example):
        first = example.row
        print(f"{first['model']}, a device ({first['deviceType']}) and a server ({first['serverType']}), "
              f"{first['link']} at {first['fidelity']} level, frames alone")
        print_layer_costs(example.run)
        print(f"latency: simulated {START_UP[self.starts_up()]}, ms (error of the prediction, which leaves the "
              "start-up out)\n")

        def cell(row):
            mine = row["simulatedLatencySeconds"]
            if mine == "":
                return row["status"]
            return f"{rounded(1e3 * mine)} ({percent(row['predictedLatencySeconds'] / mine - 1)})"

        more = ["qdmp: x edge-only", "x cloud-only"] * ("qdmp" in planners)
        columns = ("speedUpOverEdgeOnly", "speedUpOverCloudOnly")
        print_table(["Mbit/s", *planners, *more], [
            [rounded(bandwidth / 1e6), *(cell(rows[planner, bandwidth]) for planner in planners),
             *("-" if (ratio := rows["qdmp", bandwidth][column]) is None else rounded(ratio, 3)
               for column in columns if more)] for bandwidth in self.bandwidths])
        self.show_crossovers(planners, rows, first["model"])

    def show_crossovers(self, planners, rows, model):
        if not self.bandwidths[0]:
            print("\nno-link: at 0 Mbit/s nothing can be sent; only edge-only, which sends nothing, has a "
                  "latency.")

        def start(holds):
            """The bandwidth from which a condition holds up to the end of the sweep."""
            there = [*takewhile(holds, reversed(self.bandwidths))]
            return f"from {rounded(there[-1] / 1e6)} Mbit/s on" if there else "nowhere in this sweep"

        def beats(column):
            def holds(bandwidth):
                edge, cloud = (rows[name, bandwidth] for name in REFERENCES)
                return (edge["status"] == cloud["status"] == "finished"
                        and cloud[column] < (1 - MARGIN) * edge[column])
            return holds

        print(f"\ncloud-only beats edge-only: simulated {start(beats('simulatedLatencySeconds'))}, "
              f"predicted {start(beats('predictedLatencySeconds'))}")
        for planner in planners:
            if planner not in REFERENCES:
                found = start(lambda at: rows[planner, at]["status"] == "finished"
                              and rows[planner, at]["cut"] == "all on the server")
                print(f"{planner} sends all to the server: {found}")
        if model == "resnet18":
            print("paper (section 5.3, on its own devices, ResNet-18): cloud-only beats edge-only from 2 "
                  "Mbit/s on, qdmp sends all to the server from 12 Mbit/s on")


if __name__ == "__main__":
    sys.argv[0] = "bandwidth-variation"
    start(main)
