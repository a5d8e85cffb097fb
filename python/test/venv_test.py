# SPDX-License-Identifier: Apache-2.0
"""In a virtual environment: without numpy one line says what to install where; a wheel of the checkout runs VGG-8."""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from programs import BUILD

#: A Python without what Debian has installed, as a container's own.
BARE = "import sys; sys.path = [p for p in sys.path if 'dist-packages' not in p]; import fovea"


class VenvTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def make(self, *options):
        """A new environment's Python."""
        subprocess.run([sys.executable, "-m", "venv", *options, self.folder / "venv"], check=True)
        return self.folder / "venv/bin/python"

    def fail(self, python):
        """The last line of what importing fovea without numpy says."""
        done = subprocess.run(
            [python, "-c", BARE],
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": str(BUILD / "python")},
        )
        self.assertNotEqual(done.returncode, 0)
        return done.stderr.splitlines()[-1]

    def test_says_what_to_install_where(self):
        said = "ModuleNotFoundError: import fovea needs numpy: "
        python = self.make("--without-pip")
        self.assertEqual(self.fail(python), f"{said}{self.folder}/venv/bin/python -m pip install 'numpy<2'")
        self.assertEqual(self.fail(sys.executable), f"{said}apt-get install python3-numpy")

    def test_does_not_pay_for_pandas(self):
        code = "import sys, fovea; print('pandas' in sys.modules)"
        self.assertEqual(subprocess.check_output([sys.executable, "-c", code], text=True), "False\n")


if __name__ == "__main__":
    unittest.main()
