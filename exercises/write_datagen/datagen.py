# SPDX-License-Identifier: Apache-2.0
"""Writes pictures for programs in C: input.bin, and input.h for a program without files."""
import sys
from pathlib import Path

import fovea

CLASSES = ["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"]
# A network that wants pictures as they are.
READER = "fn (%x: Tensor[(1, 3, 32, 32), float32]) { %y = nn.relu(%x) return %y }"


def fetch_data(folder, per_class):
    """Arrays of [3, 32, 32] float32 by class: pixel / 255. The programs normalize them."""
    reader = fovea.compile(fovea.ir.parse(READER), target="cpu")
    return {name: [reader.read_picture(folder / f"{name}_{i}.png") for i in range(per_class)] for name in CLASSES}


def gen_bin(path, data):
    raise SystemExit("datagen.py: gen_bin is to be written")


def gen_h(path, data):
    raise SystemExit("datagen.py: gen_h is to be written")


if __name__ == "__main__":
    pictures = fetch_data(Path(sys.argv[1]), int(sys.argv[2]))
    gen_bin(Path("input.bin"), pictures)
    gen_h(Path("input.h"), pictures)
