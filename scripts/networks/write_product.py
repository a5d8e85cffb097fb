#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a ReLU of products of matrices, float32: write_product.py FOLDER COUNT SIZE. FOLDER/product.onnx takes two
inputs of COUNT matrices, SIZE x SIZE each; product.x.f32 has numbers for one of them."""
import pathlib
import sys

import numpy as np
from model_builder import ModelBuilder

SEED = 44


def main(words):
    if len(words) != 3:
        sys.exit("usage: write_product.py FOLDER COUNT SIZE")
    folder, shape = pathlib.Path(words[0]), [int(words[1]), int(words[2]), int(words[2])]
    network = ModelBuilder()
    for name in ("x", "w"):
        network.input(name, shape)
    network.node("Relu", [network.node("MatMul", ["x", "w"])], "y")
    network.output("y", shape)
    network.save(folder / "product.onnx", "product")
    np.random.default_rng(SEED).standard_normal(shape).astype(np.float32).tofile(folder / "product.x.f32")


if __name__ == "__main__":
    main(sys.argv[1:])
