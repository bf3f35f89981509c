# SPDX-License-Identifier: GPL-2.0-only
"""Debian packages: those needed, those missing, and their installation."""

import os
import shutil
import subprocess
from pathlib import Path

from launcher.steps import LauncherError, step

LIBRARY_PACKAGES = ["nlohmann-json3-dev", "libboost-dev", "libeigen3-dev", "coinor-libcbc-dev",
                    "libtorch-dev"]
RUN_PACKAGES = ["g++", "cmake", "ninja-build", "ccache", "ns3", "libns3-dev", *LIBRARY_PACKAGES]
TABLE_PACKAGES = ["python3-pandas", "python3-scipy"]
# Needed to run the cases of a campaign, by engine.
CAMPAIGN_PACKAGES = {"hosts": ["time", "openssh-client"], "slurm": ["slurm-client", "time"]}
REPORT_PACKAGES = ["python3-matplotlib", "python3-scipy"]
TEST_PACKAGES = RUN_PACKAGES + TABLE_PACKAGES + [
    "clang-format", "time", "libgtest-dev", "libbenchmark-dev", "libsimgrid-dev", "python3-matplotlib",
    "valgrind"]
# Only for tests with the label `long`, tests in a real browser, and tests of the documentation.
DOC_PACKAGES = ["doxygen", "python3-sphinx"]
LONG_TEST_PACKAGES = ["chromium", "iproute2", "jupyter-nbconvert", "openssh-server", "python3-ipykernel",
                      "slurm-wlm", *DOC_PACKAGES]
TREE_PACKAGES = ["g++", "cmake", "ninja-build", "ccache", *LIBRARY_PACKAGES]


def missing_packages(packages):
    """The packages that are not installed; none if the system has no dpkg."""
    if not shutil.which("dpkg-query"):
        return []
    query = subprocess.run(
        ["dpkg-query", "--show", "--showformat=${db:Status-Status} ${Package}\n", *packages],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    installed = {line.split()[1] for line in query.stdout.splitlines() if line.startswith("installed ")}
    return [package for package in packages if package not in installed]


def install_packages(packages):
    missing = missing_packages(packages)
    if not missing:
        return
    install = "apt-get install --yes --no-install-recommends " + " ".join(missing)
    if os.geteuid() == 0:
        prefix = []
    elif shutil.which("sudo") and not subprocess.run(
        ["sudo", "-n", "true"], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ).returncode:
        prefix = ["sudo", "-n"]
    else:
        words = f"apt-get update && {install}"
        by_hand = f"sudo sh -c '{words}'" if shutil.which("sudo") else f"su -c '{words}'"
        raise LauncherError(
            f"packages are missing and installing them needs a password; type\n  {by_hand}\n"
            "and then the same ./ns3 command again"
        )
    apt = prefix + ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-o",
                    "DPkg::Lock::Timeout=600", "-o", "Acquire::Retries=3"]
    title = f"installing {len(missing)} packages and what they need"
    update = ("updating the package lists", apt + ["update"])
    command = apt + install.split()[1:]
    have_lists = any(Path("/var/lib/apt/lists").glob("*_Packages*"))
    if not have_lists:
        step(*update)
    try:
        step(title, command)
    except LauncherError:
        if not have_lists:
            raise
        step(*update)  # outdated lists name files that the archive has since replaced
        step(title, command)
