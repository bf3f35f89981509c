# SPDX-License-Identifier: GPL-2.0-only
"""The build against packaged ns-3, in build/."""

import re
import shutil

from launcher.packages import install_packages
from launcher.steps import BUILD, ROOT, lock_build, say, step, work_on

# Library of the code that uses LibTorch, slow to compile; programs load it when they first learn.
LEARNING = "edgepipe-learning"
# Kept by `configure` unless given.
SETTINGS = ("EDGEPIPE_TESTS", "CMAKE_BUILD_TYPE")


def cmake_cache(path):
    try:
        return dict(re.findall(r"^([^#/\s:][^:]*):\w+=(.*)$", path.read_text(), re.MULTILINE))
    except OSError:
        return {}


def configure(tests=None, profile=None):
    """Configures build/ unless it already is as requested; None keeps a setting."""
    cache = cmake_cache(BUILD / "CMakeCache.txt")
    wanted = {}
    if cache and cache.get("CMAKE_HOME_DIRECTORY") != str(ROOT):
        say(f"build/ was made for {cache.get('CMAKE_HOME_DIRECTORY')}: starting afresh")
        wanted = {name: cache[name] for name in SETTINGS if name in cache}
        for path in (BUILD / "build.ninja", BUILD / "CMakeCache.txt"):
            path.unlink(missing_ok=True)
        shutil.rmtree(BUILD / "CMakeFiles", ignore_errors=True)
    if tests is not None:
        wanted["EDGEPIPE_TESTS"] = "ON" if tests else "OFF"
    if profile is not None:
        wanted["CMAKE_BUILD_TYPE"] = profile.capitalize()
    settled = cache and all(cache.get(name) == value for name, value in wanted.items())
    if settled and (BUILD / "build.ninja").exists():
        return
    options = [f"-D{name}={value}" for name, value in wanted.items()]
    step("configuring", ["cmake", "-S", ROOT, "-B", BUILD, "-G", "Ninja", *options])


def ninja(jobs, *targets):
    return ["ninja", "-C", str(BUILD), "-j", str(jobs), *targets]


def learns():
    return LEARNING in (BUILD / "build.ninja").read_text()


def build(jobs, *targets, waits=True):
    """Builds programs, and the learning library if configured: before returning, or in the background."""
    later = [LEARNING] * learns()
    step(f"building {', '.join(targets)}", ninja(jobs, *targets, *later * waits))
    if later and not waits:
        work_on(ninja(jobs, LEARNING))


def prepare(packages, tests=None, profile=None):
    lock_build()
    install_packages(packages)
    configure(tests, profile)
