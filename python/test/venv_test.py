# SPDX-License-Identifier: Apache-2.0
"""In a virtual environment: without numpy one line says what to install where; a wheel of the checkout runs VGG-8."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from programs import BUILD, ROOT

#: A Python without what Debian has installed, as a container's own.
BARE = "import sys; sys.path = [p for p in sys.path if 'dist-packages' not in p]; import fovea"

RUN = """
import fovea, pathlib
net = fovea.compile(fovea.model("vgg8_cifar10_power2.onnx"))
run = net.run(fovea.model("samples/deer_9.png"))
print(pathlib.Path(fovea.__file__).parents[4], net.classify(run)[0][0], run.cycles)
"""


class VenvTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def make(self, *options):
        """A new environment's Python."""
        subprocess.run([sys.executable, "-m", "venv", *options, self.folder / "venv"], check=True)
        return self.folder / "venv/bin/python"

    def failure_of(self, python):
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
        self.assertEqual(self.failure_of(python), f"{said}{self.folder}/venv/bin/python -m pip install 'numpy<2'")
        self.assertEqual(self.failure_of(sys.executable), f"{said}apt-get install python3-numpy")

    def test_does_not_pay_for_pandas(self):
        code = "import sys, fovea; print('pandas' in sys.modules)"
        self.assertEqual(subprocess.check_output([sys.executable, "-c", code], text=True), "False\n")

    def test_has_tables_without_pandas(self):
        code = (
            "import sys; sys.modules['pandas'] = None; import fovea\n"
            "net = fovea.compile(fovea.model('vgg8_cifar10_power2.onnx'))\n"
            "run = net.run(fovea.model('samples/deer_9.png'))\n"
            "print(run.layers['cycles'].sum(), len(net.layers.table), run.layers.to_dict('records')[0]['layer'])\n"
            "print(type(net.map('conv1').best(1)).__name__, run.layers.equals(run.layers), run._repr_html_()[:7])"
        )
        printed = subprocess.check_output([sys.executable, "-c", code], text=True)
        self.assertEqual(printed.splitlines()[-2:], ["3783673 11 conv1", "Table True <p>Run:"])

    def test_a_wheel_installs_runs_and_goes(self):
        staged, wheels = self.folder / "staged", self.folder / "wheels"
        subprocess.run(["cmake", "--install", BUILD, "--prefix", staged, "--strip"], check=True, capture_output=True)
        python = self.make("--system-site-packages")
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        pip = [python, "-m", "pip", "--quiet", "--no-cache-dir", "--disable-pip-version-check"]
        make = [*pip, "wheel", "--no-index", "--no-deps", "-w", wheels, "--config-settings", f"prefix={staged}", ROOT]
        subprocess.run(make, check=True, env=environment)
        shutil.rmtree(staged)
        before = files_below(self.folder / "venv")
        (wheel,) = wheels.iterdir()
        subprocess.run([*pip, "install", "--no-index", wheel], check=True, env=environment)
        environment["FOVEA_CACHE"] = str(self.folder / "cache")
        printed = subprocess.check_output([python, "-B", "-c", RUN], env=environment, cwd=self.folder, text=True)
        self.assertEqual(printed.splitlines()[-1], f"{self.folder}/venv deer 3783673")
        done = subprocess.run([self.folder / "venv/bin/fovea", "--version"], env=environment, capture_output=True)
        self.assertEqual(done.returncode, 0)
        subprocess.run([*pip, "uninstall", "-y", "fovea"], check=True, env=environment)
        self.assertEqual(files_below(self.folder / "venv"), before)


def files_below(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc")


if __name__ == "__main__":
    unittest.main()
