#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a network with weights from a seed as int8 ONNX: write_network.py NAME FOLDER [--float], or --list for the
names.

FOLDER/NAME.onnx is in QDQ form, NAME.x.f32 a picture, float32. Of the networks of networks.py, whose pictures are [3,
224, 224], NAME_qoperator.onnx is the same of operators on 8-bit values; with --float, NAME_float.onnx is the network
before quantization. vision_transformer is that of vision_transformer.py, for pictures [3, 32, 32].
"""
import pathlib
import sys

from networks import NETWORKS

SEED, SIZE = 224, 224
TRANSFORMER, TRANSFORMER_SEED = "vision_transformer", 1
NAMES = [*NETWORKS, TRANSFORMER]


def make(name):
    """The network, and the picture that its scales are from."""
    from quantized_network import QuantizedNetwork, picture

    x = picture(SEED, 3, SIZE)
    network = QuantizedNetwork(SEED, x)
    NETWORKS[name](network, network.input)
    return network, x


def write(name, folder, with_float=False):
    """Returns what make does."""
    from onnx_forms import write_onnx

    network, x = make(name)
    folder.mkdir(parents=True, exist_ok=True)
    x.tofile(folder / f"{name}.x.f32")
    write_onnx(network, folder / f"{name}_qoperator.onnx", "qoperator", name)
    write_onnx(network, folder / f"{name}.onnx", name=name)
    if with_float:
        write_onnx(network, folder / f"{name}_float.onnx", "float", f"{name}_float")
    return network, x


def write_transformer(folder):
    import numpy as np
    from vision_transformer import vision_transformer

    network = vision_transformer(TRANSFORMER_SEED)
    network.save(folder / f"{TRANSFORMER}.onnx", TRANSFORMER)
    shape = [dim.dim_value for dim in network.inputs[0].type.tensor_type.shape.dim]
    np.random.default_rng(TRANSFORMER_SEED).standard_normal(shape).astype(np.float32).tofile(
        folder / f"{TRANSFORMER}.x.f32"
    )


def main(words):
    if words == ["--list"]:
        print(*NAMES, sep="\n")
    elif words[:1] == [TRANSFORMER] and len(words) == 2:
        write_transformer(pathlib.Path(words[1]))
    elif len(words) in (2, 3) and words[0] in NETWORKS and words[2:] in ([], ["--float"]):
        write(words[0], pathlib.Path(words[1]), with_float=len(words) == 3)
    else:
        sys.exit(f"usage: write_network.py NAME FOLDER [--float], where NAME is one of {', '.join(NAMES)}")


if __name__ == "__main__":
    main(sys.argv[1:])
