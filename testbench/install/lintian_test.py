# SPDX-License-Identifier: Apache-2.0
"""Debian's own checks find nothing in the package."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from package import make_package

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / os.environ.get("BUILD", "build/release")


class LintianTest(unittest.TestCase):
    @unittest.skipUnless(shutil.which("lintian"), "lintian is not installed")
    def test_finds_nothing(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="fovea_package_")))
        done = subprocess.run(
            ["lintian", "--allow-root", "--fail-on", "error,warning", make_package(BUILD, folder)],
            capture_output=True,
            text=True,
        )
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)


if __name__ == "__main__":
    unittest.main()
