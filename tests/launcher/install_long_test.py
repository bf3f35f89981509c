# SPDX-License-Identifier: GPL-2.0-only
"""The packages."""

import shutil
import unittest

from launcher import install_test
from launcher.install_test import BUILD, run


class Packages(install_test.Install):
    @unittest.skipUnless(shutil.which("dpkg-shlibdeps"), "needs dpkg-shlibdeps (dpkg-dev)")
    def test_packages(self):
        packages = self.folder / "packages"
        run("cpack", "--config", BUILD / "CPackConfig.cmake", "-G", "DEB", "-B", packages)
        found = {run("dpkg-deb", "-f", path, "Package").strip(): path for path in packages.glob("*.deb")}
        listed = run("dpkg-deb", "-c", found["edgepipe"])
        for name in ("/ns3/edgepipe-module.h", "/edgepipeConfig.cmake", "/libns3-edgepipe.so",
                     "/usr/share/edgepipe/traces/models/alexnet.json",
                     "/usr/lib/python3/dist-packages/edgepipe/running.py",
                     "/usr/libexec/edgepipe/plan"):
            self.assertIn(name, listed)
        self.assertNotIn("torch", run("dpkg-deb", "-f", found["edgepipe"], "Depends"))
        self.assertIn("libns3", run("dpkg-deb", "-f", found["edgepipe"], "Depends"))
        if (BUILD / "lib" / "libedgepipe-learning.so").exists():
            depends = run("dpkg-deb", "-f", found["edgepipe-learning"], "Depends")
            self.assertIn("torch", depends)
            self.assertIn("edgepipe (= ", depends)
