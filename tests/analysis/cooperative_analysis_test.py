# SPDX-License-Identifier: GPL-2.0-only
"""analysis/cooperative.py on files made by hand: pictures, their figures, and refusals."""

from types import SimpleNamespace

from scripts import NEEDS_MATPLOTLIB, ScriptTest

RESULTS = ("planner,model,deviceType,serverType,devices,link,network,fidelity,monitor,status,"
           "finishedFrames,droppedFrames,predictedLatencySeconds,meanLatencySeconds,"
           "p95LatencySeconds,framesPerSecond,bandwidthBitsPerSecond")
FRAMES = "planner,device,status,arrivedSeconds,latencySeconds"
PLANS = "planner,device,partition,inForceSeconds,cut"
BANDWIDTH = ("planner,device,seconds,estimatedUplinkBitsPerSecond,"
             "availableUplinkBitsPerSecond")
VARIATION = ("planner,model,deviceType,serverType,link,fidelity,startUp,bandwidthBitsPerSecond,status,"
             "predictedLatencySeconds,simulatedLatencySeconds,speedUpOverEdgeOnly,"
             "speedUpOverCloudOnly")
WHAT = "tiny,pi,gpu"


class Cooperative(ScriptTest):
    script = "cooperative.py"

    def write(self, name, columns, rows):
        (self.folder / name).write_text("\n".join((columns, *rows)) + "\n")

    def write_run(self, planners=("qdmp", "mine"), devices=1):
        """Every planner changes from the server to the device at 4 s; a frame a second, of which
        "mine" drops the last."""
        names = [f"pi-{i}" for i in range(devices)]
        pairs = [(planner, name) for planner in planners for name in names]
        self.write("results.csv", RESULTS, [
            f"{planner},{WHAT},{devices},4g,\"4g (up 6 Mbit/s, delay 2 ms)\",flow,oracle,finished,8,{int(planner == 'mine')},"
            "0.2,0.25,0.4,1,6000000" for planner in planners])
        self.write("frames.csv", FRAMES, [
            f"{planner},{name},dropped,{i}," if (planner, i) == ("mine", 7) else
            f"{planner},{name},finished,{i},{0.1 + i / 20}"
            for planner, name in pairs for i in range(8)])
        self.write("plans.csv", PLANS, [
            row for planner, name in pairs for row in (
                f"{planner},{name},0,0,all on the server",
                f"{planner},{name},0,2,all on the server",
                f'{planner},{name},1,4,"1 of 3 layers on the device, then a, b"')])
        self.write("bandwidth.csv", BANDWIDTH, [
            row for planner, name in pairs for row in (
                f"{planner},{name},0,5000000,6000000", f"{planner},{name},4,900000,1000000")])

    def write_variation(self, model="tiny", start_up="true"):
        self.write("results.csv", VARIATION, [
            f"{planner},{model},pi,gpu,p2p,flow,{start_up},{1e6 * b},finished,{latency},{latency},"
            f"{1 / latency},{8 / b / latency}" if b or planner == "edge-only" else
            f"{planner},{model},pi,gpu,p2p,flow,{start_up},0,no-link,,,,"
            for b in range(15)
            for planner, latency in (("qdmp", min(1, 8 / (b or 1))), ("edge-only", 1),
                                     ("cloud-only", 8 / (b or 1)))
            if planner != "edge-only" or b])

    def draw(self, *words):
        return self.ended(self.run_script(".", *words), stderr="").stdout.split()

    @NEEDS_MATPLOTLIB
    def test_a_run_makes_two_pictures(self):
        self.write_run()
        self.assertEqual(self.draw(), ["latency.png", "timeline.png"])
        for name in ("latency.png", "timeline.png"):
            self.assertGreater((self.folder / name).stat().st_size, 10000)

    @NEEDS_MATPLOTLIB
    def test_pictures_are_noted_for_the_next_run_to_drop(self):
        self.write_run()
        self.draw()
        files = self.folder / ".edgepipe-files"
        self.assertFalse(files.exists())  # not what a scenario of this version wrote
        files.write_text("results.csv\n")
        self.draw()
        self.draw()
        self.assertEqual(files.read_text().splitlines(), ["results.csv", "latency.png", "timeline.png"])

    @NEEDS_MATPLOTLIB
    def test_a_title_is_no_wider_than_its_picture(self):
        self.write_run()
        path = self.folder / "results.csv"
        path.write_text(path.read_text().replace("delay 2 ms", "a-long-name" * 30))
        self.draw("--format=svg")
        for name in ("latency.svg", "timeline.svg"):
            lines = (self.folder / name).read_text().splitlines()
            titles = [line for line in lines if line.strip().startswith("<!-- ") and "a-long-name" in line]
            self.assertGreater(len(titles), 2, name)
            self.assertLess(max(map(len, titles)), 150, name)

    @NEEDS_MATPLOTLIB
    def test_pictures_say_what_they_show(self):
        self.write_run()
        self.draw_twice(".", "--format=svg")
        latency = (self.folder / "latency.svg").read_text()
        for words in ("tiny, pi and gpu, flow level, monitor oracle",
                      "4g (up 6 Mbit/s, delay 2 ms)", "qdmp", "mine",
                      "latency of a frame (ms)", "frames/s with a result",
                      "95th percentile", "none dropped", "11.1 % dropped"):
            self.assertIn(f"<!-- {words} -->", latency)
        timeline = (self.folder / "timeline.svg").read_text()
        for words in ("uplink (Mbit/s)", "available", "estimated, qdmp", "simulated time (s)",
                      "qdmp, 1 change of plan", "mine, 1 change of plan, 1 dropped (×)",
                      "all on the server", "1 of 3 layers on the device, then a, b"):
            self.assertIn(f"<!-- {words} -->", timeline)

    @NEEDS_MATPLOTLIB
    def test_nothing_hides_a_short_bar(self):
        from cooperative import draw_latency, read_run
        from edgepipe.pictures import load_matplotlib

        self.write_run()
        path = self.folder / "results.csv"
        path.write_text(path.read_text().replace("0.2,0.25,0.4,1,", "0.0025,0.0025,0.0025,0.01,", 1))
        load_matplotlib(9)
        figure = draw_latency(read_run(self.folder), SimpleNamespace(width=10, dpi=200, font_size=9))
        figure.canvas.draw()
        pixels = memoryview(figure.canvas.buffer_rgba())  # from the top
        short = [bar for axes in figure.axes[:2] for bar in axes.patches if bar.get_width() <= 2.5]
        self.assertEqual(len(short), 4)  # latencies, and throughputs that have a note
        for bar in short[:3]:
            x, y = bar.get_window_extent().get_points().mean(axis=0)
            *colour, alpha = bar.get_facecolor()
            for at, part in enumerate(colour):
                self.assertAlmostEqual(pixels[pixels.shape[0] - int(y) - 1, int(x), at] / 255,
                                       1 - alpha * (1 - part), delta=0.15)

    @NEEDS_MATPLOTLIB
    def test_a_stalled_planner_is_marked(self):
        self.write_run()
        path = self.folder / "results.csv"
        lines = path.read_text().split("\n")
        lines[2] = lines[2].replace("finished,8,1,0.2,0.25,0.4,1", "stalled,2,0,0.2,0.25,0.4,")
        path.write_text("\n".join(lines))
        frames = [f"{planner},pi-0,finished,{i},0.1" for planner, count in
                  (("qdmp", 4), ("mine", 2)) for i in range(count)]
        self.write("frames.csv", FRAMES, frames + ["mine,pi-0,unfinished,2,", "mine,pi-0,unfinished,,"])
        self.draw("--format=svg")
        latency = (self.folder / "latency.svg").read_text()
        for words in ("stalled, 2 of 4 frames ended", "stalled", "mine (stalled)"):
            self.assertIn(f"<!-- {words} -->", latency)
        self.assertIn("<pattern", latency)  # the hatching
        self.assertIn("<!-- mine, 1 change of plan, stalled, 2 of 4 frames ended (▼ never did) -->",
                      (self.folder / "timeline.svg").read_text())

    def test_a_plan_has_one_colour(self):
        from cooperative import Run
        from cooperative import FIXED_COLOURS, choose_colours

        def colours(*cuts):
            plans = [{"planner": "mine", "device": "pi", "cut": cut, "inForceSeconds": i * i}
                     for i, cut in enumerate(cuts)]
            frames = [{"device": "pi", "arrivedSeconds": 20, "latencySeconds": None}]
            return choose_colours(Run([{"planner": "mine"}], frames, plans, []))

        server, cut = "all on the server", "4 of 5 layers on the device, then pool"
        first, second = colours(server, cut), colours("all on the device", cut, server, "other")
        self.assertEqual(first[server], FIXED_COLOURS[server])
        self.assertEqual(second[server], first[server])
        self.assertEqual(len(set(second.values())), 4)
        many = colours(*(str(i) for i in range(9)), server)
        self.assertEqual(list(many.values()).count("#FFFFFF"), 3)

    def test_stretches_join_plans_of_one_partition(self):
        from cooperative import spans

        plans = [{"inForceSeconds": time, "cut": cut}
                 for time, cut in ((0, "a"), (2, "a"), (4, "b"), (5, "a"))]
        self.assertEqual(spans(plans, 9), [[0, 4, "a"], [4, 5, "b"], [5, 9, "a"]])

    @NEEDS_MATPLOTLIB
    def test_a_device_can_be_chosen(self):
        self.write_run(devices=2)
        run = self.ended(self.run_script(".", "--device=pi-7"), 2)
        self.assertIn("expected one of: pi-0, pi-1", run.stderr)
        self.assertEqual(list(self.folder.glob("*.png")), [])
        self.draw("--format=svg", "--device=pi-1")
        self.assertIn("delay 2 ms); frames of pi-1 alone", (self.folder / "timeline.svg").read_text())

    @NEEDS_MATPLOTLIB
    def test_a_sweep_makes_one_picture(self):
        self.write_variation()
        self.assertEqual(self.draw("--format=svg"), ["variation.svg"])
        text = (self.folder / "variation.svg").read_text()
        for words in ("qdmp over edge-only", "qdmp over cloud-only",
                      "bandwidth of the link (Mbit/s)", "predicted"):
            self.assertIn(f"<!-- {words} -->", text)
        self.assertNotIn("paper", text)
        self.assertIn("with TCP's start-up", text)
        self.write_variation("resnet18", "false")
        self.draw("--format=svg")
        for words in ("paper: cloud-only", "without TCP's start-up"):
            self.assertIn(words, (self.folder / "variation.svg").read_text())

    @NEEDS_MATPLOTLIB
    def test_every_logarithmic_axis_has_some_numbers(self):
        from edgepipe.axes import logarithmic
        from edgepipe.pictures import new_figure

        for low in (0.9, 0.65, 1.1, 4.2, 250):
            for ratio in (5, 9, 14, 40, 300):
                axes = new_figure(4, 3, 100).subplots()
                axes.set_ylim(low, ratio * low)
                logarithmic(axes, "y")
                shown = [one for one in axes.get_yticks() if low <= one <= ratio * low]
                self.assertIn(len(shown), range(3, 9), (low, ratio))

    def test_points_leave_out_what_is_not_known(self):
        from cooperative import points

        rows = [{"bandwidthBitsPerSecond": b, "x": x} for b, x in ((0, None), (2e6, 3))]
        self.assertEqual(points(rows, "x", 10), ([2], [30]))

    def test_bad_files_are_refused_in_one_line(self):
        for words, file, change, expected in (
            ("no results", "results.csv", None, "results of cooperative-inference"),
            ("no frames", "frames.csv", None, "No such file"),
            ("a column too few", "plans.csv", lambda text: text.replace("cut", "c", 1),
             'column "cut" is missing'),
            ("a word for a figure", "frames.csv", lambda text: text.replace("0.1", "soon", 1),
             'latencySeconds: found "soon"'),
            ("no row", "bandwidth.csv", lambda text: text.split("\n")[0] + "\n", "no row"),
            ("bytes that are no text", "results.csv", lambda text: "\xff\x00", "results.csv"),
            ("nothing finished", "results.csv", lambda text: text.replace(",8,", ",0,"), "nothing to draw"),
            ("another planner", "frames.csv", lambda text: text.replace("qdmp", "x"), "frames.csv: found nothing of qdmp,"),
            ("another device", "frames.csv", lambda text: text.replace("pi-0", "x"), "plans.csv: found nothing of mine, x,"),
            ("other bandwidths", "bandwidth.csv", lambda text: text.replace("qdmp", "x"), "found nothing of qdmp, pi-0,"),
        ):
            with self.subTest(words):
                self.write_run()
                path = self.folder / file
                if change is None:
                    path.unlink()
                else:
                    path.write_bytes(change(path.read_text()).encode("latin-1"))
                self.assert_one_line(self.run_script("."), expected)

    def test_bad_options_are_refused_in_one_line(self):
        self.write_run()
        for words, expected in ((["--format=gif"], "png"), (["--width=1"], "from 3 to 40"),
                                (["--out=nowhere"], "expected a folder"),
                                (["nowhere"], "results.csv")):
            run = self.run_script(*(words if "nowhere" in words else [".", *words]))
            self.assert_one_line(run, expected)
