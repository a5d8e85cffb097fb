#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a network of networks.py with weights from a seed as int8 ONNX: write_network.py NAME FOLDER [--float], or
--list for the names.

FOLDER/NAME.onnx is in QDQ form, NAME_qoperator.onnx the same of operators on 8-bit values, NAME.x.f32 a picture [3,
224, 224], float32; with --float, NAME_float.onnx is the network before quantization.
"""
import pathlib
import sys

from networks import NETWORKS

SEED, SIZE = 224, 224


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


def main(words):
    if words == ["--list"]:
        print(*NETWORKS, sep="\n")
    elif len(words) in (2, 3) and words[0] in NETWORKS and words[2:] in ([], ["--float"]):
        write(words[0], pathlib.Path(words[1]), with_float=len(words) == 3)
    else:
        sys.exit(f"usage: write_network.py NAME FOLDER [--float], where NAME is one of {', '.join(NETWORKS)}")


if __name__ == "__main__":
    main(sys.argv[1:])
