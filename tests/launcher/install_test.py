# SPDX-License-Identifier: GPL-2.0-only
"""What is installed: a project elsewhere finds it, builds against it and runs; and the packages."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from places import ROOT

BUILD = Path(os.environ["EDGEPIPE_BIN_DIR"]).parent

# Every public header together, a device of ns-3's kind, and data by name.
PROGRAM = """
#include "ns3/edgepipe-module.h"
#include "ns3/node.h"

#include <iostream>

using namespace ns3;
using namespace ns3::edgepipe;

int
main()
{
    auto node = CreateObject<Node>();
    node->AggregateObject(CreateObject<ComputeDevice>());
    const auto graph = ReadDnnGraph(FindTracesFile("model", "alexnet", "models"));
    std::cout << GetTracesFolder() << "\\n"
              << graph.name << "\\n"
              << FindByName<PipelinePlanner>("planner", "exact")->GetInstanceTypeId().GetName()
              << "\\n";
}
"""


def run(*command, **options):
    """What a command prints; fails with all it said."""
    result = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, **options)
    if result.returncode:
        raise AssertionError(f"{command}: status {result.returncode}\n{result.stdout}")
    return result.stdout


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name).resolve()
        cls.prefix = cls.folder / "prefix"
        run("cmake", "--install", BUILD, "--prefix", cls.prefix)

    def build(self, source):
        """Where a project elsewhere is built against what is installed."""
        build = source / "build"
        run("cmake", "-G", "Ninja", "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run("cmake", "--build", build)
        return build

    def test_the_project_of_the_examples_builds_and_runs_at_both_fidelities(self):
        source = self.folder / "own-module"
        shutil.copytree(ROOT / "contrib" / "edgepipe" / "examples" / "own-module", source)
        build = self.build(source)
        environment = {k: v for k, v in os.environ.items() if k != "EDGEPIPE_TRACES"}
        for transport in ("PacketTransport", "FlowTransport"):
            printed = run(build / "own-script", f"--transport=ns3::edgepipe::{transport}",
                          cwd=source, env=environment)
            self.assertEqual(printed.count("ended at"), 2, printed)

    def test_a_project_elsewhere_finds_the_data(self):
        source = self.folder / "elsewhere"
        source.mkdir()
        (source / "CMakeLists.txt").write_text(
            (ROOT / "contrib" / "edgepipe" / "examples" / "own-module" / "CMakeLists.txt")
            .read_text().partition("add_library")[0] +
            "link_libraries(edgepipe::edgepipe)\nadd_executable(elsewhere elsewhere.cc)\n"
            f"add_library(echo SHARED {ROOT}/tests/scenarios/echo-workload/echo-workload.cc)\n")
        (source / "elsewhere.cc").write_text(PROGRAM)
        environment = {k: v for k, v in os.environ.items() if k != "EDGEPIPE_TRACES"}
        printed = run(self.build(source) / "elsewhere", cwd=source, env=environment).splitlines()
        self.assertEqual(printed, [str(self.prefix / "share" / "edgepipe" / "traces"), "alexnet",
                                   "ns3::edgepipe::ExactPipelinePlanner"])

    def test_python_runs_what_is_installed(self):
        script = self.folder / "script.py"
        script.write_text("import edgepipe\n"
                          "def first(problem):\n"
                          "    return problem.plan([(0, 0, len(problem.layers) - 1)])\n"
                          "ran = edgepipe.run('pipeline-training', planner=first, model='alexnet')\n"
                          "print(edgepipe.__file__, edgepipe.plan(ran.problem, 'exact').planner)\n")
        environment = {k: v for k, v in os.environ.items() if not k.startswith("EDGEPIPE_")}
        environment["PYTHONPATH"] = str(self.prefix / "lib" / "python3" / "dist-packages")
        printed = run(sys.executable, script, cwd=self.folder, env=environment).split()
        self.assertEqual(printed, [str(Path(environment["PYTHONPATH"], "edgepipe/__init__.py")), "exact"])

    def test_nothing_to_read_names_the_folder_it_was_built_in(self):
        texts = [path for path in self.prefix.rglob("*") if path.suffix in (".cmake", ".h", ".json")]
        self.assertTrue(texts)
        for path in texts:
            self.assertNotIn(str(BUILD), path.read_text(), path)

