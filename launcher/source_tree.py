# SPDX-License-Identifier: GPL-2.0-only
"""The build inside an ns-3 source tree, done by the tree's own ./ns3."""

import os
import re
import sys
from pathlib import Path

from launcher.packages import TREE_PACKAGES, install_packages
from launcher.standalone import cmake_cache
from launcher.steps import ROOT, LauncherError, lock_build, step

MODULE = ROOT / "contrib" / "edgepipe"
SCENARIOS = ROOT / "scenarios"

# csma: an undeclared dependency of the TCP tests in the tree's test-runner.
MODULES = ["edgepipe", "csma"]


class SourceTree:
    def __init__(self, path):
        self.path = Path(path).expanduser().resolve()
        if not (self.path / "ns3").is_file() or not (self.path / "src" / "core").is_dir():
            raise LauncherError(
                f"NS3_ROOT={path} is no ns-3 source tree: it needs the script ns3 and the folder "
                "src/core",
                2,
            )

    def link(self):
        """Links the module and the scenarios symbolically to where the tree looks for them.

        Returns whether the module was not linked before. If so, removes headers of another copy from
        the tree's include folder, which refer to that copy's place.
        """
        module = self.path / "contrib" / "edgepipe"
        if module.exists() and not module.is_symlink():
            raise LauncherError(f"{module} is in the way: a folder, not a link to {MODULE}", 2)
        scratch = self.path / "scratch" / "edgepipe"
        scratch.mkdir(parents=True, exist_ok=True)
        links = {module: MODULE}
        for source in SCENARIOS.iterdir():
            if source.is_file():
                links[scratch / source.name] = source
        for entry in scratch.iterdir():
            if entry.is_symlink() and entry not in links:
                entry.unlink()
        is_new = not module.is_symlink() or os.readlink(module) != str(MODULE)
        if is_new:
            for header in (self.path / "build" / "include" / "ns3").glob("edgepipe-*.h"):
                header.unlink()
        for link, target in links.items():
            if not link.is_symlink() or os.readlink(link) != str(target):
                link.unlink(missing_ok=True)
                link.symlink_to(target)
        return is_new

    def state(self):
        """Variables of the tree's lock file, its configuration; empty if it is not configured."""
        values = {}
        for lock in self.path.glob(".lock-ns3_*_build"):
            exec(lock.read_text(), {}, values)  # as ns-3's own script reads it
        return values

    def configure(self, options, anew=False):
        """Adds edgepipe and its tests to the tree's configuration; anew: even if they are there."""
        state = self.state()
        ready = "ns3-edgepipe" in state.get("NS3_ENABLED_CONTRIBUTED_MODULES", [])
        if ready and state.get("ENABLE_TESTS") and not options and not anew:
            return
        if not state:
            options = ["--build-profile=release", "-G", "Ninja", *options]
            modules = MODULES
        else:
            cache = cmake_cache(self.path / "cmake-cache" / "CMakeCache.txt")
            modules = [m for m in re.split("[;,]", cache.get("NS3_ENABLED_MODULES", "")) if m]
            modules += [m for m in MODULES if modules and m not in modules]
        if modules:
            options = [*options, f"--enable-modules={';'.join(modules)}"]
        if not state.get("ENABLE_TESTS"):
            options += ["--enable-tests", "--enable-examples",
                        "--filter-module-examples-and-tests=edgepipe"]
        step(f"configuring {self.path}", self.ns3("configure", *options), cwd=self.path)

    def ns3(self, *words):
        return [sys.executable, str(self.path / "ns3"), *words]

    def prepare(self, options=(), packages=()):
        lock_build()
        install_packages([*TREE_PACKAGES, *packages])
        is_new = self.link()
        self.configure(list(options), is_new)

    def build(self, jobs, *targets):
        title = f"building {' '.join(targets) or 'everything'} in {self.path}"
        step(title, self.ns3("build", "-j", str(jobs), *targets), cwd=self.path)
