# SPDX-License-Identifier: GPL-2.0-only
"""Devices of one run on different networks, as a user meets them: a cluster file."""

import json
import math
import random

from places import ROOT
from programs import Program

TYPES = ("raspberry-pi-5", "raspberry-pi-4b", "jetson-xavier-nx", "jetson-orin-nano")


def draw_cluster(draws):
    """Some devices on wires of their own rates, one of them on 4G."""
    devices = [{"type": draws.choice(TYPES), "name": f"d{index}",
                "network": {"link": "lan", "bandwidth": f"{10 ** draws.uniform(7.5, 9):.0f}bps"}}
               for index in range(draws.randint(4, 6))]
    draws.choice(devices)["network"] = {"link": "4g"}
    return {"format": "edgepipe-cluster 1", "name": "drawn", "source": "this test", "devices": devices,
            "network": {"link": "lan"}}


class MixedNetworks(Program):
    def setUp(self):
        super().setUp()
        self.inputs = ROOT / "traces"

    def run_real(self, program, *options):
        return self.ended(self.run_program(program, f"--traces={self.inputs}", *options))

    def iterate(self, *options):
        self.run_real("pipeline-training", "--planner=exact", "--out=out", *options)
        return float(self.read_csv("out", "results.csv")[0]["iterationSeconds"])

    def told(self, *options):
        """What planners are told of the rates of each device of mixed-lab, up and down."""
        self.iterate("--model=mnist_cnn", "--cluster=mixed-lab", *options)
        devices = json.loads((self.folder / "out/problem.json").read_text())["devices"]
        return {device["name"]: (device["uplinkBitsPerSecond"], device["downlinkBitsPerSecond"])
                for device in devices}

    def test_one_cluster_trains_and_serves_at_both_fidelities(self):
        seconds, requests, frames = {}, {}, {}
        for fidelity in ("flow", "packet"):
            common = ("--cluster=mixed-lab", f"--fidelity={fidelity}")
            seconds[fidelity] = self.iterate("--model=mnist_cnn", *common)
            rates = {device["name"]: (device["uplinkBitsPerSecond"], device["downlinkBitsPerSecond"])
                     for device in json.loads((self.folder / "out/problem.json").read_text())["devices"]}
            self.assertEqual(len(rates), 8)
            self.assertLess(rates["raspberry-pi-4b-0"][0], rates["raspberry-pi-5-0"][0])
            self.assertLess(rates["car-0"][0], rates["jetson-xavier-nx-0"][0])
            self.assertEqual(rates["i7-9700k-0"], rates["i7-9700k-1"])
            self.run_real("actor-learner", *common, "--planner=all-server", "--duration=3s",
                          "--warm-up=1s", "--out=actors")
            row = self.read_csv("actors", "results.csv")[0]
            self.assertEqual(row["actors"], "7")
            requests[fidelity] = float(row["meanResponseSeconds"])
            self.run_real("cooperative-inference", *common, "--model=mnist_cnn", "--planner=cloud-only",
                          "--monitor=oracle", "--frames=8", "--out=cameras")
            told = {plan["device"]: float(plan["uplinkBitsPerSecond"])
                    for plan in reversed(self.read_csv("cameras", "plans.csv"))}
            self.assertEqual(len(told), 7)
            self.assertLess(told["raspberry-pi-4b-0"], told["raspberry-pi-5-0"])
            self.assertLess(told["car-0"], told["i7-9700k-0"])
            frames[fidelity] = float(self.read_csv("cameras", "results.csv")[0]["meanLatencySeconds"])
        self.assertLess(abs(seconds["flow"] / seconds["packet"] - 1), 0.05)
        self.assertLess(abs(requests["flow"] / requests["packet"] - 1), 0.15)
        self.assertLess(abs(frames["flow"] / frames["packet"] - 1), 0.15)

    def test_plans_for_own_rates_beat_plans_for_the_least_rate(self):
        draws = random.Random(2)
        gains = []
        for _ in range(10):
            (self.folder / "c.json").write_text(json.dumps(draw_cluster(draws)))
            own = self.iterate("--cluster=c.json", "--model=vgg19", "--memory-margin=0")
            devices = json.loads((self.folder / "out/problem.json").read_text())["devices"]
            least = min(min(device["uplinkBitsPerSecond"], device["downlinkBitsPerSecond"])
                        for device in devices)
            common = self.iterate("--cluster=c.json", "--model=vgg19", "--memory-margin=0", f"--planner-bandwidth={least:.0f}bps")
            gains.append(math.log(common / own))
        mean = sum(gains) / len(gains)
        spread = math.sqrt(sum((gain - mean) ** 2 for gain in gains) / (len(gains) - 1) / len(gains))
        print("time by the plan for the least rate over that by the plan for own rates: mean "
              f"{math.exp(mean):.2f}, 95 % interval {math.exp(mean - 2.26 * spread):.2f} to "
              f"{math.exp(mean + 2.26 * spread):.2f}, least {math.exp(min(gains)):.2f}, most "
              f"{math.exp(max(gains)):.2f}")
        self.assertGreater(mean - 2.26 * spread, math.log(1.2))  # Student's t, 9 degrees of freedom
        self.assertGreater(min(gains), -0.05)

    def test_options_set_all_devices_that_use_them(self):
        steps = ("--model=mnist_cnn", "--cluster=mixed-lab")
        self.assertEqual(self.iterate(*steps, "--link="), self.iterate(*steps))
        devices = self.told("--distance=3")
        self.assertEqual(devices["raspberry-pi-5-0"], devices["raspberry-pi-4b-0"])
        self.iterate(*steps, "--link=lan")
        devices = json.loads((self.folder / "out/problem.json").read_text())["devices"]
        self.assertNotIn("uplinkBitsPerSecond", devices[0])

    def test_options_of_some_links_leave_other_devices_as_they_are(self):
        before = self.told()
        for options in (("--mobility=away", "--speed=5"), ("--competitors=3",)):
            after = self.told(*options)
            for name, rates in before.items():
                with self.subTest(options=options, name=name):
                    if name.startswith(("car", "i7")):
                        self.assertEqual(after[name], rates)
                    elif "4b" in name or "--competitors=3" in options:
                        self.assertLess(after[name][0], rates[0])
        for name, (up, down) in self.told("--bandwidth=2Mbps").items():
            self.assertAlmostEqual(up / 2e6, 0.96, delta=0.03, msg=name)
            self.assertAlmostEqual(down / 2e6, 0.96, delta=0.03, msg=name)
        # What all links have in common is in the results, and nothing else.
        row, = self.read_csv("out", "results.csv")
        self.assertEqual([row[name] for name in ("bandwidthBitsPerSecond", "downlinkBitsPerSecond", "delaySeconds")],
                         ["2e+06", "2e+06", ""])

    def test_devices_that_are_joined_alike_get_the_bytes_of_one_network(self):
        network = {"link": "lan", "bandwidth": "100Mbps", "delay": "20us"}
        devices = [{"type": "raspberry-pi-5", "count": 2}, {"type": "jetson-xavier-nx"}, {"type": "i7-9700k"}]
        for name, own in (("one", {}), ("own", {"network": network})):
            (self.folder / f"{name}.json").write_text(json.dumps(
                {"format": "edgepipe-cluster 1", "name": "alike", "source": "this test",
                 "devices": [{**device, **own} for device in devices], "network": network}))
        for fidelity in ("flow", "packet"):
            for program, options, network in (
                    ("pipeline-training", ("--model=mnist_cnn", "--planner=exact"), ()),
                    ("actor-learner", ("--planner=defp", "--duration=2s", "--warm-up=1s"),
                     ("--link=lan", "--bandwidth=100Mbps", "--delay=20us"))):
                for name, more in (("one", network), ("own", ())):
                    self.run_real(program, f"--cluster={name}.json", f"--fidelity={fidelity}",
                                  f"--out={name}", *options, *more)
                one, own = ([{key: value for key, value in row.items()
                              if key not in ("link", "bandwidthBitsPerSecond", "delaySeconds")}
                             for row in self.read_csv(name, "results.csv")] for name in ("one", "own"))
                self.assertEqual(one, own)
                for path in (self.folder / "one").glob("*.csv"):
                    if path.name not in ("results.csv", "links.csv"):  # links have other names
                        self.assertEqual(path.read_bytes(), (self.folder / "own" / path.name).read_bytes())

    def test_mistakes_are_refused_in_one_line(self):
        draws = random.Random(1)
        cases = (
            ({"link": "p2p"}, (), ("p2p", "forward")),
            ({"link": "carrier-pigeon"}, (), ("carrier-pigeon", "wifi")),
            ({"link": "5g"}, (), ("c.json: devices[0].network.link", "5g", "4g")),
            ({"link": "trace"}, (), ("--trace",)),
            ({"link": "wifi", "mobility": "dancing"}, (), ("mobility", "random-walk")),
            ({"link": "wifi", "distance": "far"}, (), ("c.json: devices[0].network.distance", "far", "0.1")),
            ({"link": "wifi", "jitter": "5ms"}, (), ("c.json: devices[0].network.jitter", "wifi", "3g")),
            ({"link": "lan", "bandwidthBitsPerSecond": 1e6}, (), ("unknown key", "bandwidth, ")),
            ({"link": "lan", "bandwidth": "0s:1Gbps,1s:fast"}, (), ("devices[0].network.bandwidth", "TIME:RATE")),
            ({"link": "lan"}, ("--jitter=5ms",), ()),
            ({"link": "lan"}, ("--wifi-standard=n",), ("--wifi-standard", "wifi")),
            ({"link": "lan"}, ("--mobility=away",), ("--mobility", "lte")),
        )
        for network, options, words in cases:
            with self.subTest(network=network, options=options):
                cluster = draw_cluster(draws)
                cluster["devices"][0]["network"] = network
                if words:
                    cluster["devices"][1]["network"] = {"link": "lan"}
                (self.folder / "c.json").write_text(json.dumps(cluster))
                result = self.run_program("pipeline-training", f"--traces={self.inputs}",
                                          "--cluster=c.json", "--model=mnist_cnn", "--planner=exact",
                                          *options)
                if words:
                    self.assert_one_line(result, *words)
                else:
                    self.ended(result)
