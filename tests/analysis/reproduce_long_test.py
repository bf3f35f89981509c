# SPDX-License-Identifier: GPL-2.0-only
"""Documented tables as reproduce_test makes them, of all runs and models, and verdicts on DGPAS's figures."""

from analysis import reproduce_test
from analysis.reproduce_test import TRACES, read
from programs import Program
from scripts import NEEDS_PANDAS, make_tables


class DocumentedTables(reproduce_test.DocumentedTables):
    BNO_RUNS, BNO_COLUMNS = 10, 7
    DGPAS_MODELS, DGPAS_TABLES = [], {"dgpas-table3": 4, "dgpas-help": 4, "dgpas-paying": 1}


@NEEDS_PANDAS
class Dgpas(Program):
    """Verdicts on figures of the DGPAS paper, of a small run."""

    def test_every_figure_has_a_verdict(self):
        for name, *options in (
                ("dgpas-testbed", "--networks=lan-1g", "--planner=exact,ga", "--seeds=2"),
                ("dgpas-idle", "--networks=memory,lan-1g", "--planner=exact"),
                ("dgpas-waiting", "--networks=memory,lan-1g", "--planner=exact",
                 "--ns3::edgepipe::AdjacentScheduler::Eligibility=waiting")):
            self.ended(self.run_program("dgpas-testbed", TRACES, "--model=alexnet",
                                        "--bubbles-of=exact", f"--out=r/{name}", *options), stderr="")
        rewards = self.folder / "r/rewards"
        for run, rise in (("1", 3), ("2", 3.2)):
            (rewards / run).mkdir(parents=True)
            (rewards / run / "reward_curves.csv").write_text(
                "model,variant,run,network,episode,reward\n" + "".join(
                    f"vgg19,faithful,{run},{network},{episode},{sign * rise * episode}\n"
                    for network, sign in (("sdqn", 1), ("grdqn", -1)) for episode in range(10)))
        self.ended(make_tables("dgpas_readings", self.folder / "r"), stderr="")
        rows = {figure: (verdict, why) for figure, verdict, why, _ in
                read(self.folder / "r/readings/verdicts.csv")[1:]}
        self.assertEqual(list(rows), ["Table 2", "Figure 8", "Figure 9", "Figure 10", "Table 3",
                                      "Abstract, training time", "Figure 11", "Figure 12",
                                      "Abstract, bubble rate"])
        # The last two of ten episodes over the first two: 8 times the rise, 24 and 25.6.
        self.assertEqual(rows["Figure 8"][0], "agrees")
        self.assertIn("earns 24.8 ± 10 more", rows["Figure 8"][1])
        self.assertEqual(rows["Figure 9"][0], "differs")
        self.assertEqual(rows["Figure 10"][0], "cannot be told")  # no run of theirs
