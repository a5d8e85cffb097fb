# SPDX-License-Identifier: Apache-2.0
"""What the tests hold the package against: the programs, and where things are."""
import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ["BUILD"])
VGG8 = ROOT / "models/vgg8_cifar10_power2.onnx"
DEER = ROOT / "models/samples/deer_9.png"
EYERISS = ROOT / "sim/spec/machines/eyeriss_6x8.json"


def run_program(name, *words):
    """Runs a program of this build from the sources' folder. Returns what it prints."""
    return subprocess.run(
        [BUILD / "bin" / name, *map(str, words)], cwd=ROOT, check=True, text=True, stdout=subprocess.PIPE
    ).stdout
