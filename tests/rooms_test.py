# SPDX-License-Identifier: GPL-2.0-only
"""The rooms of the house: who may include whom, that there is no cycle, and how large they are."""

import os
import re
import tempfile
import unittest
from pathlib import Path

from places import ROOT


# A room may include itself and these, and what these may.
ARROWS = {
    "core": [],
    "profile": ["core"],
    "planner": ["profile"],
    "learning": ["planner"],
    "network": ["profile"],
    "execution": ["network"],
    "application": ["planner", "execution", "network"],
    "telemetry": ["application"],
    "helper": ["telemetry"],
    "examples": ["helper"],
    "test": ["helper"],
    "runs": ["helper", "learning"],
    "lib": ["runs"],
    "workloads": ["lib"],
    "mains": ["workloads"],
}
# A string, which may look like a comment, or a comment.
COMMENT = re.compile(r'("(?:\\.|[^"\\\n])*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
NAMED = re.compile(r'(?: NAME\[\] = |::GetName\(\) const\s*\{\s*return )"(.*?)"')
MOST_LINES = 4000  # without blanks and comments
MOST_PUBLIC_HEADERS = 48


def reach(room, arrows):
    """The rooms that a room may include, itself among them."""
    found, queue = set(), [room]
    while queue:
        name = queue.pop()
        if name not in found:
            found.add(name)
            queue += arrows[name]
    return found


class House:
    """The sources below a root, the room and the folder of each, and what each includes."""

    def __init__(self, root):
        self.files = {}
        for pattern in ("contrib/edgepipe/**/*", "scenarios/**/*"):
            for path in root.glob(pattern):
                if path.suffix in (".h", ".cc"):
                    name = str(path.relative_to(root))
                    self.files[name] = path.read_text()
        self.headers = {Path(name).name: name for name in self.files
                        if name.startswith("contrib/") and name.endswith(".h")}

    @staticmethod
    def room(name):
        parts = name.split("/")
        if parts[0] == "scenarios":
            return parts[1] if len(parts) > 2 else "mains"
        return parts[3] if parts[2] == "model" else parts[2]

    def includes(self, name):
        """The files of ours that a file includes."""
        for word in re.findall(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', self.files[name], re.MULTILINE):
            beside = os.path.normpath(os.path.join(os.path.dirname(name), word))
            for known in (beside, f"scenarios/{word}", self.headers.get(Path(word).name)):
                if known in self.files:
                    yield known
                    break

    def wrong_arrows(self, arrows):
        allowed = {room: reach(room, arrows) for room in arrows}
        return [f"{name} includes {other}" for name in sorted(self.files)
                for other in self.includes(name)
                if self.room(other) not in allowed[self.room(name)]]

    def cycles(self):
        """Folders that include each other, directly or not."""
        edges = {}
        for name in self.files:
            folder = os.path.dirname(name)
            edges.setdefault(folder, set()).update(os.path.dirname(other) for other in self.includes(name))
        for folder, others in edges.items():
            others.discard(folder)
        beyond = {folder: set.union(set(), *(reach(other, edges) for other in others))
                  for folder, others in edges.items()}
        return sorted(folder for folder in edges if folder in beyond[folder])

    def names_of_several(self):
        """Types of one name in several headers: a program that uses both has one destructor for both."""
        places = {}
        for name in sorted(self.files):
            if name.endswith(".h"):
                for word in re.findall(r"^(?:struct|class|enum(?: class)?) (\w+)[^;{]*\{", self.files[name],
                                       re.MULTILINE):
                    places.setdefault(word, set()).add(name)
        return {word: sorted(names) for word, names in places.items() if len(names) > 1}

    def sizes(self):
        """Lines of the files of each folder, without blanks and comments."""
        sizes = {}
        for name, text in self.files.items():
            folder = os.path.dirname(name)
            code = COMMENT.sub(lambda found: found[1] or "\n" * found[0].count("\n"), text)
            sizes[folder] = sizes.get(folder, 0) + sum(1 for line in code.splitlines() if line.strip())
        return sizes


class Rooms(unittest.TestCase):
    def setUp(self):
        self.house = House(ROOT)
        self.assertGreater(len(self.house.files), 100)

    def test_every_folder_is_a_room(self):
        self.assertEqual({self.house.room(name) for name in self.house.files} - set(ARROWS), set())

    def test_arrows(self):
        self.assertEqual(self.house.wrong_arrows(ARROWS), [])

    def test_no_cycle_between_folders(self):
        self.assertEqual(self.house.cycles(), [])

    def test_no_name_has_two_meanings(self):
        self.assertEqual(self.house.names_of_several(), {})

    def test_no_room_is_too_large(self):
        large = {name: size for name, size in self.house.sizes().items() if size > MOST_LINES}
        self.assertEqual(large, {})

    def test_nobody_else_compares_the_name_of_a_workload(self):
        scripts = [*ROOT.glob("analysis/**/*.py"), *ROOT.glob("launcher/*.py"), ROOT / "ns3"]
        texts = {**self.house.files, **{str(path.relative_to(ROOT)): path.read_text() for path in scripts}}
        own = {name for name in texts if name.startswith("scenarios/workloads/")}
        names = "|".join(sorted({word for name in own for word in NAMED.findall(texts[name])}))
        self.assertIn("|", names)
        one = f'"(?:{names})"'
        compares = re.compile(rf"[=!]= *{one}|{one} *[=!]=|\bin [\[({{][^\])}}\n]*{one}"
                              rf"|\b[A-Z]+ ?[={{][^)}}\n\[]*{one}")
        self.assertEqual([f"{name}: {found[0]}" for name in sorted(texts.keys() - own)
                          for found in compares.finditer(texts[name])], [])

    def test_few_headers_are_public(self):
        """A header is public if a user's script includes it; what is found by its name needs none."""
        text = (ROOT / "contrib/edgepipe/CMakeLists.txt").read_text().replace("\\\n", "")
        patterns = [re.search(rf'public_headers {word} REGEX "(.*?)"\)', text)[1] for word in ("INCLUDE", "EXCLUDE")]
        public = [name for name in (name.removeprefix("contrib/edgepipe/") for name in self.house.headers.values())
                  if re.search(patterns[0], name) and not re.search(patterns[1], name)]
        self.assertGreater(len(public), 10)
        self.assertLessEqual(len(public), MOST_PUBLIC_HEADERS)

    def test_the_modules_that_a_tree_must_build_are_named_alike(self):
        """An ns-3 tree reads them from the one file or the other, by its place."""
        names = []
        for name in ("CMakeLists.txt", "contrib/edgepipe/CMakeLists.txt"):
            found = re.findall(r"\$\{lib([a-z0-9-]*[^obj}])\}", (ROOT / name).read_text())
            names.append(set(found) - {"edgepipe"})
        self.assertEqual(*names)


class BrokenHouse(unittest.TestCase):
    """What the checks above say of a house that is not in order."""

    def house(self, **files):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        root = Path(folder.name)
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return House(root)

    def test_the_module_includes_scenarios(self):
        house = self.house(**{"scenarios/lib/x.h": "",
                              "contrib/edgepipe/helper/a.cc": '#include "lib/x.h"\n'})
        self.assertEqual(house.wrong_arrows(ARROWS),
                         ["contrib/edgepipe/helper/a.cc includes scenarios/lib/x.h"])

    def test_an_arrow_against_the_flow(self):
        house = self.house(**{"contrib/edgepipe/model/core/edgepipe-a.h": "",
                              "contrib/edgepipe/model/planner/pipeline/edgepipe-b.h":
                              '#include "ns3/edgepipe-a.h"\n#include "ns3/edgepipe-c.h"\n',
                              "contrib/edgepipe/model/network/flow/edgepipe-c.h": ""})
        self.assertEqual(len(house.wrong_arrows(ARROWS)), 1)
        self.assertEqual(house.cycles(), [])

    def test_a_cycle(self):
        flow, packet = (f"contrib/edgepipe/model/network/{name}" for name in ("flow", "packet"))
        house = self.house(**{f"{flow}/edgepipe-a.h": '#include "ns3/edgepipe-b.h"\n',
                              f"{packet}/edgepipe-b.h": "",
                              f"{packet}/edgepipe-b.cc": '#include "ns3/edgepipe-a.h"\n'})
        self.assertEqual(house.cycles(), [flow, packet])

    def test_a_name_with_two_meanings(self):
        names = [f"contrib/edgepipe/model/network/{name}/edgepipe-a-{name}.h" for name in ("flow", "packet")]
        house = self.house(**{names[0]: "class Other;\nstruct Hop\n{\n};\n",
                              names[1]: "class Hop : public Other\n{\n};\nclass Other\n{\n};\n"})
        self.assertEqual(house.names_of_several(), {"Hop": names})

    def test_size(self):
        house = self.house(**{"scenarios/lib/x.cc": "a\n\n", "scenarios/lib/y.h": "b\n"})
        self.assertEqual(house.sizes(), {"scenarios/lib": 2})
