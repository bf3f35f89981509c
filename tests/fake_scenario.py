# SPDX-License-Identifier: GPL-2.0-only
"""A script that stands for a scenario, and campaigns of it."""

import json
import os
import sqlite3
import subprocess
import unittest
from pathlib import Path

from places import ROOT, InFolder

NEEDS_TIME = unittest.skipUnless(Path("/usr/bin/time").exists(), "needs the package time")

# Options: --value=TEXT, --seconds=S, --mood=good|bad|crash|hang|stall|bad-once.
# Lets a script stand for a scenario that runs cases in copies of itself.
SERVE = (f'case "$1" in --serve=*) exec /usr/bin/python3 {Path(__file__).resolve().parent}/fake_server.py '
         '"$0" "${1#*=}";; esac\n')
SCENARIO = "#!/bin/sh\n" + SERVE + r"""
seconds=0 mood=good value= out= run=1 dry=
CALLS=${CALLS:-$PWD/calls}
for word; do
  case $word in
    --describe|--help) echo '{"options": [{"name": "out", "default": "", "help": "folder"}]}'; exit 0;;
    --dry-run) dry=1;;
    --value=*) value=${word#*=};;
    --seconds=*) seconds=${word#*=};;
    --mood=*) mood=${word#*=};;
    --out=*) out=${word#*=};;
    --RngRun=*) run=${word#*=};;
    --vlaue=*) echo "tell: --vlaue: unknown option; did you mean --value?" >&2; exit 2;;
    *) echo "tell: ${word%%=*}: unknown option" >&2; exit 2;;
  esac
done
case $seconds in x) echo 'tell: --seconds: found "x", expected a number from 0' >&2; exit 2;; esac
case $mood in good|bad|crash|hang|stall|bad-once) ;;
  *) echo "tell: --mood: found \"$mood\", expected bad or good" >&2; exit 2;; esac
[ "$dry" ] && exit 0
echo "$value $run" >>"$CALLS"
sleep "$seconds"
case $mood in
  bad) echo "I am bad" >&2; exit 9;;
  bad-once) [ -e "$CALLS.once" ] || { touch "$CALLS.once"; exit 9; };;
  crash) kill -SEGV $$;;
  hang) sleep 1000;;
esac
mkdir -p "$out"
printf 'planner,value,seconds\na,%s,0.5\nb,%s,%s\n' "$value" "$value" "$run" >"$out/results.csv"
printf '{"versions": {"edgepipe": "1", "ns-3": "3", "compiler": "c"},
  "layerCosts": {"d": {"origin": "measured", "source": "s"}}}' >"$out/run.json"
printf '{"traceEvents": []}' >"$out/timeline.json"
echo "$value $run" >>"$CALLS.ended"
[ $mood = stall ] && { echo "nothing moves" >&2; exit 3; }
exit 0
"""
NAME = "pipeline-training"  # which the script stands for


class Folder(InFolder):
    def setUp(self):
        super().setUp()
        self.study = self.folder / "study.json"

    def write(self, **members):
        document = {"scenario": NAME, "database": str(self.folder / "base.sqlite"), **members}
        self.study.write_text(json.dumps(document))


class Scenario(Folder):
    """A campaign of the script."""

    def setUp(self):
        super().setUp()
        program = self.folder / "bin" / NAME
        program.parent.mkdir()
        program.write_text(SCENARIO)
        program.chmod(0o755)
        self.calls = self.folder / "calls"
        self.environment = {**os.environ, "EDGEPIPE_BIN_DIR": str(program.parent), "CALLS": str(self.calls)}

    def command(self, verb, *words):
        return [str(ROOT / "analysis" / "campaign.py"), verb, *words, str(self.study)]

    def campaign(self, verb, *words, status=0):
        result = self.ended(subprocess.run(self.command(verb, *words), env=self.environment, timeout=300,
                                           stdin=subprocess.DEVNULL, capture_output=True, text=True), status)
        return result.stdout if status in (0, 1) else result.stderr

    def begun(self, name="calls"):
        path = self.folder / name
        return sorted(path.read_text().splitlines()) if path.exists() else []

    def content(self, database="base.sqlite"):
        """What must be the same however a campaign went."""
        with sqlite3.connect(self.folder / database) as base:
            cases = base.execute(
                'SELECT id, hash, question, scenario, run, command, outcome, exitStatus, "commit", '
                "source, edgepipe, ns3, compiler, layerCosts, log FROM cases ORDER BY hash")
            return [(case[1:], base.execute("SELECT name, value FROM options WHERE caseId = ? "
                                            "ORDER BY name", case[:1]).fetchall(),
                     base.execute("SELECT row, cells FROM results WHERE caseId = ? ORDER BY row",
                                  case[:1]).fetchall(),
                     base.execute("SELECT name, content FROM files WHERE caseId = ?",
                                  case[:1]).fetchall()) for case in cases.fetchall()]

    def assert_tidy(self):
        self.assertEqual(list(self.folder.glob("*.work")), [])
        with sqlite3.connect(self.folder / "base.sqlite") as base:
            self.assertEqual(base.execute("SELECT * FROM claims").fetchall(), [])
