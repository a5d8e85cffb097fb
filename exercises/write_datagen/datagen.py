# SPDX-License-Identifier: Apache-2.0
"""Writes pictures for programs in C: input.bin, and input.h for a program without files.

    datagen.py FOLDER PER_CLASS CHANNELS SIDE   pictures <class>_<number>: 3 32 for colours, 1 28 for grey
"""
import sys
from pathlib import Path

import fovea

# A network that wants pictures as they are.
READER = "fn (%%x: Tensor[(1, %d, %d, %d), float32]) { %%y = nn.relu(%%x) return %%y }"


def fetch_data(folder, per_class, channels, side):
    """Arrays of [channels, side, side] float32 by class: pixel / 255. The programs normalize them."""
    reader = fovea.compile(fovea.ir.parse(READER % (channels, side, side)), target="cpu")
    [ending] = {path.suffix for path in folder.iterdir()}
    classes = sorted({path.stem.rpartition("_")[0] for path in folder.iterdir()})
    return {name: [reader.read_picture(folder / f"{name}_{i}{ending}") for i in range(per_class)] for name in classes}


def gen_bin(path, data):
    raise SystemExit("datagen.py: gen_bin is to be written")


def gen_h(path, data):
    raise SystemExit("datagen.py: gen_h is to be written")


if __name__ == "__main__":
    pictures = fetch_data(Path(sys.argv[1]), *map(int, sys.argv[2:]))
    gen_bin(Path("input.bin"), pictures)
    gen_h(Path("input.h"), pictures)
