#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures parts of VGG-16's convolutions under mappings with 1, 2 and 4 channels a PE: vgg16_mappings.py
MEASURE_LAYERS FOLDER; prints JSON.

A part is a tile of filters over some channels: every pass of the whole convolution is as one of these, so the share of
the MACs is the whole's but for start and end.
"""
import json
import pathlib
import subprocess
import sys

MACHINE = "sim/spec/machines/eyeriss_chip.json"
SIZES = {1: 224, 2: 112, 3: 56, 4: 28, 5: 14}  # Rows and columns of a block's outputs.
CHANNELS = {1: 16, 2: 32, 3: 64, 4: 64, 5: 64}
MOST_FILTERS_A_PE, FILTERS_SIDE_BY_SIDE = 16, 4  # 12 rows of PEs hold 4 sets of 3.
NO_ROOM = "region does not hold"  # What measure_layers says of each of the GLB's regions.
WIDTHS, CHANNELS_A_PE = (14, 13), (1, 2, 4)


def layer(block, e, q, p):
    """A part of a 3x3 convolution of the block, as measure_layers takes it."""
    t = FILTERS_SIDE_BY_SIDE
    shape = {
        "C": CHANNELS[block],
        "H": SIZES[block],
        "W": SIZES[block],
        "M": p * t,
        "R": 3,
        "S": 3,
        "U": 1,
        "V": 1,
        "pad_top": 1,
        "pad_left": 1,
        "pad_bottom": 1,
        "pad_right": 1,
        "pool": False,
        "scaled": True,
        "filter_scales": True,
    }
    mapping = {
        "m": p * t,
        "n": 1,
        "e": e,
        "p": p,
        "q": q,
        "r": 1,
        "t": t,
        "e_glb": e,
        "ifmap_resident": False,
        "filter_buffers": 4,
    }
    return {"shape": shape, "mapping": mapping}


def macs(shape):
    return shape["M"] * shape["C"] * shape["R"] * shape["S"] * shape["H"] * shape["W"]


def measure(program, folder, part):
    """The counters of a part, or nothing where the GLB has no room for it; ends in one line where anything else is
    wrong."""
    request, answer = folder / "part.json", folder / "counters.json"
    request.write_text(json.dumps({"layers": [part]}))
    ran = subprocess.run(
        [program, "--machine", MACHINE, "--input", request, "--output", answer], capture_output=True, text=True
    )
    if ran.returncode and NO_ROOM not in ran.stderr:
        sys.exit(f"{part}: {ran.stderr.strip()}")
    if ran.returncode:
        return None
    return json.loads(answer.read_text())["layers"][0]


def widest(program, folder, block, e, q):
    """The part with the most filters a PE that the machine can run."""
    for p in range(MOST_FILTERS_A_PE, 0, -1):
        part = layer(block, e, q, p)
        counters = measure(program, folder, part)
        if counters:
            return {"block": block, "mapping": part["mapping"], "macs": macs(part["shape"]), "counters": counters}
    return None


def main(program, folder):
    parts = [
        widest(program, pathlib.Path(folder), block, e, q) for e in WIDTHS for block in SIZES for q in CHANNELS_A_PE
    ]
    json.dump([part for part in parts if part], sys.stdout, indent=1)


if __name__ == "__main__":
    main(*sys.argv[1:])
