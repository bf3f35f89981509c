# SPDX-License-Identifier: GPL-2.0-only
"""Random combinations of workload options, drawn with numbers from ns-3's random streams."""

import json
import math
import re

from edgepipe.pictures import InputError

# Links by kind; each kind is drawn equally often.
KINDS = (("lan", "p2p"), ("mixed",), ("3g", "4g", "trace"), ("wifi",), ("lte",))
LINKS = tuple(link for kind in KINDS for link in kind)
# Devices and planners that came after the tables' seeds, which draw what they drew before.
LATER = ("jetson-agx-orin", "jetson-orin-nano-super", "jetson-orin-nx", "parallax", "exo-bandwidth")
RATES = (5e6, 1e9)  # on wires, bit/s
CHANGING_SHARE = 0.2  # share of networks with changing rates, where rates can be set
STANDARDS, LTE_BLOCKS = ("n", "ac", "ax"), ("25", "50", "100")


class Draw:
    """Combinations may be infeasible, such as a model that fits no device; that shows when they are run.

    Rates are drawn from 5 Mbit/s to 1 Gbit/s and delays from 20 us to 10 ms on wires, distances from 2 to
    25 m on Wi-Fi and from 10 to 1000 m on LTE, all log-uniform, so that all orders of magnitude are equally
    likely. Devices of a mixed network are spread over several of these.
    """

    def __init__(self, workloads, values, traces):
        """workloads: sweeps by workload name; values: endless iterator of random numbers from 0 to 1."""
        self._workloads = workloads
        self._value = values.__next__
        self._traces = traces
        clusters = [name for name in self._names("clusters", ".json") if not any(
            "network" in device for device in json.loads(
                (traces / f"clusters/{name}.json").read_text(encoding="utf-8"))["devices"])]
        self._kinds = {"model": self._names("models", ".json"), "cluster": clusters,
                       "@": [name for name in self._names("devices", ".json") if name not in LATER]}

    def _names(self, folder, ending):
        names = sorted(path.name.removesuffix(ending)
                       for path in (self._traces / folder).glob(f"*{ending}"))
        if not names:
            raise InputError(f"{self._traces / folder}: found no *{ending}, expected some to draw from")
        return names

    def _log(self, low, high):
        return low * math.pow(high / low, self._value())

    def _whole(self, low, high):
        return int(low + self._value() * (high + 1.0 - low))

    def _pick(self, names):
        return names[self._whole(0, len(names) - 1)]

    def draw(self, workload, link, planners, cluster=""):
        """Options of a case without the planner, names of planners, and the text of a mixed network's
        cluster file; cluster: path of that file."""
        sweep = self._workloads[workload]
        words = [f"workload={workload}"]
        for specs in sweep["draws"].split():
            drawn = []
            for spec in reversed(specs.split("&")):
                kind, _, rest = spec.rpartition(":")
                if kind != ("single" if link == "mixed" else "mixed"):
                    drawn.append(self._option(rest))
            words += reversed(drawn)
        text = ""
        if link == "mixed":
            words.append(f"cluster={cluster}")
            text = self._cluster(words)
        else:
            words += self._network(link)
        left, chosen = sorted({*sweep["planners"]} - {*LATER}), []
        while left and len(chosen) < planners:
            chosen.append(left.pop(self._whole(0, len(left) - 1)))
        return " ".join(words), chosen, text

    def _option(self, spec):
        """Draws an option by its specification in WorkloadSweep.draws."""
        if "/" in spec:
            return self._option(spec.split("/")[self._whole(0, 1)])
        name, _, values = spec.partition("=")
        if not values or values == "@":
            return f"{name}={self._pick(self._kinds[values or name])}"
        whole = re.fullmatch(r"(\d+)\.\.(\d+)", values)
        if whole:
            return f"{name}={self._whole(int(whole[1]), int(whole[2]))}"
        number = re.fullmatch(r"([\d.]+)~([\d.]+)(\w*)", values)
        if number:
            return f"{name}={digits(self._log(float(number[1]), float(number[2])))}{number[3]}"
        return f"{name}={self._pick(values.split('|'))}" if "|" in values else spec

    def _rates(self, bits_per_second):
        """A rate, or random rates around it over time."""
        def typed(rate):
            return f"{digits(1e-6 * rate)}Mbps"

        if self._value() >= CHANGING_SHARE:
            return typed(bits_per_second)
        steps, at = [f"0s:{typed(bits_per_second)}"], 0
        for _ in range(self._whole(1, 3)):
            at += self._log(0.1, 5)
            steps.append(f"{digits(at)}s:{typed(bits_per_second * self._log(0.2, 5))}")
        return ",".join(steps)

    def _network(self, link):
        if link in ("lan", "p2p"):
            return [f"link={link}", f"bandwidth={self._rates(self._log(*RATES))}",
                    f"delay={digits(self._log(0.02, 10))}ms"]
        if link == "wifi":
            return ["link=wifi", f"wifi-standard={self._pick(STANDARDS)}",
                    f"distance={digits(self._log(2, 25))}"]
        if link == "lte":
            return ["link=lte", f"lte-bandwidth={self._pick(LTE_BLOCKS)}",
                    f"distance={digits(self._log(10, 1000))}"]
        if link == "trace":
            path = f"{self._traces}/bandwidth/{self._recording()}.csv"
            return ["link=trace", f"trace={path}", f"trace-down={'down'.join(path.rsplit('up', 1))}",
                    f"trace-offset={self._whole(0, 100)}s"]
        # 3g and 4g have the rates of the link unless rates change.
        rates = self._rates(self._log(1e6, 1e7))
        return [f"link={link}", *[f"uplink-bandwidth={rates}"] * ("," in rates)]

    def _recording(self):
        """A recording of an uplink: others are no capacity there."""
        return self._pick([name for name in self._names("bandwidth", ".csv") if "up" in name])

    def _cluster(self, words):
        """3 to 10 devices on two to four networks: wires, bearers, recordings, an LTE cell and up to two named
        Wi-Fi cells; options for these are added to words."""
        links = ["wifi", "wifi", "lte", "3g", "4g", "lan", "trace"]
        networks = []
        for _ in range(self._whole(2, 4)):
            link = links.pop(self._whole(0, len(links) - 1))
            networks.append({"link": link, **({"cell": str(len(networks) + 1)} if link == "wifi" else {})})
        if links.count("wifi") < 2:
            words.append(f"wifi-standard={self._pick(STANDARDS)}")
        if "lte" not in links:
            words.append(f"lte-bandwidth={self._pick(LTE_BLOCKS)}")
        devices = []
        for place in range(self._whole(3, 10)):
            # Each network gets one of the first devices.
            network = dict(networks[place if place < len(networks)
                                    else self._whole(0, len(networks) - 1)])
            link = network["link"]
            if link in ("wifi", "lte"):
                reach = (2, 25) if link == "wifi" else (10, 1000)
                network["distance"] = float(digits(self._log(*reach)))
            elif link == "trace":
                network["trace"] = f"{self._recording()}.csv"
                network["trace-offset"] = f"{self._whole(0, 100)}s"
            elif link == "lan":
                network["bandwidth"] = f"{math.floor(self._log(*RATES) + 0.5)}bps"
                network["delay"] = f"{digits(self._log(0.02, 10))}ms"
            devices.append({"type": self._pick(self._kinds["@"]), "name": f"d{place}",
                            "network": network})
        return json.dumps({"format": "edgepipe-cluster 1", "name": "drawn",
                           "source": "Drawn by the study fidelity.", "devices": devices,
                           "network": {"link": "lan", "bandwidth": f"{RATES[1]:.0f}bps"}},
                          indent=2) + "\n"


def digits(value):
    return f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f}"
