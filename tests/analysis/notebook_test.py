# SPDX-License-Identifier: GPL-2.0-only
"""The notebooks, run from top to bottom, and what they say."""

import base64
import importlib.util
import io
import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from places import ROOT

NOTEBOOKS = ROOT / "analysis" / "notebooks"
NBCONVERT = shutil.which("jupyter-nbconvert")

# Appended to the first study: the figures that its text speaks of.
FIGURES = """
import json
print(json.dumps({"wires": {str(key): row for key, row in wires.loc[1000].T.to_dict().items()},
                  "wifi": wifi.T.to_dict(), "language": language.to_dict()}))
"""


def can_run():
    return NBCONVERT and all(importlib.util.find_spec(name) for name in ("ipykernel", "pandas", "matplotlib"))


class Notebooks(unittest.TestCase):
    def test_they_are_kept_without_results(self):
        notebooks = sorted(NOTEBOOKS.glob("*.ipynb"))
        self.assertTrue(notebooks)
        for path in notebooks:
            for cell in json.loads(path.read_text())["cells"]:
                if cell["cell_type"] == "code":
                    self.assertEqual((cell["outputs"], cell["execution_count"]), ([], None), path)

    @unittest.skipUnless(can_run(), "needs the packages jupyter-nbconvert, python3-ipykernel, "
                                    "python3-pandas and python3-matplotlib")
    def test_the_first_study_runs_and_shows_what_it_says(self):
        notebook = json.loads((NOTEBOOKS / "first-study.ipynb").read_text())
        planner = next(cell["source"] for cell in notebook["cells"]
                       if cell["source"][0].startswith("def equal_time"))
        self.assertLessEqual(len(planner), 11)  # the line with `def`, and ten
        notebook["cells"].append({"cell_type": "code", "metadata": {}, "execution_count": None,
                                  "outputs": [], "source": FIGURES})
        with tempfile.TemporaryDirectory() as folder:
            # Two folders below a root, as the notebook is, so that it finds the package.
            home = Path(folder) / "analysis" / "notebooks"
            home.mkdir(parents=True)
            (home.parent / "edgepipe").symlink_to(ROOT / "analysis" / "edgepipe")
            (home / "first-study.ipynb").write_text(json.dumps(notebook))
            ended = subprocess.run(
                [NBCONVERT, "--to", "notebook", "--execute", home / "first-study.ipynb",
                 "--output", "done", "--ExecutePreprocessor.kernel_name=python3"],
                cwd=home, env={**os.environ, "HOME": folder}, capture_output=True, text=True)
            self.assertEqual(ended.returncode, 0, ended.stderr)
            cells = json.loads((home / "done.ipynb").read_text())["cells"]
            self.assertEqual({path.name for path in home.iterdir()}, {"first-study.ipynb", "done.ipynb"})
        outputs = [output for cell in cells for output in cell.get("outputs", [])]
        pictures = [output["data"]["image/png"] for output in outputs
                    if "image/png" in output.get("data", {})]
        self.assertEqual(len(pictures), 6)
        for picture in pictures:
            self.assert_drawn(base64.b64decode(picture))
        self.assertEqual([output["text"] for output in outputs if output.get("name") == "stderr"], [])
        figures = json.loads("".join(cells[-1]["outputs"][0]["text"]))
        self.check(**figures)

    def assert_drawn(self, png):
        import matplotlib.image
        picture = matplotlib.image.imread(io.BytesIO(png), format="png")
        self.assertGreater(min(picture.shape[:2]), 200)
        self.assertGreater(float(picture[..., :3].std()), 0.05)  # no empty sheet

    def check(self, wires, wifi, language):
        for kind, link, least, most in (("distributed-llama-0.12", "lan", 2.4, 2.6), ("pipeline", "lan", 0.95, 1),
                                        ("distributed-llama-0.12", "wifi", 0.45, 0.55), ("pipeline", "wifi", 0.95, 1)):
            speeds = language[f"{kind}, {link}"]
            self.assertTrue(least < speeds["4"] / speeds["1"] < most, (kind, link, speeds))
        mine, even = wires["equal_time"], wires["even"]
        for time in ("predicted (s)", "simulated (s)"):
            self.assertAlmostEqual(mine[time], 0.75 * even[time], delta=0.02 * even[time])
            self.assertLess(wires["exact"][time], 0.85 * mine[time])
        mine, even = wifi["equal_time"], wifi["even"]
        self.assertLess(mine["predicted (s)"], even["predicted (s)"])
        self.assertTrue(0.9 * even["simulated (s)"] < mine["simulated (s)"] < even["simulated (s)"])
        self.assertGreater(mine["the air alone (s)"], 0.7 * mine["simulated (s)"])
        self.assertLess(even["the air alone (s)"], 0.3 * even["simulated (s)"])
        exact = wifi["exact"]
        self.assertAlmostEqual(exact["simulated (s)"], 0.75 * mine["simulated (s)"], delta=0.5)
        for row in (mine, even, exact):
            self.assertAlmostEqual(row["simulated (s)"], row["predicted (s)"], delta=0.02 * row["predicted (s)"])
