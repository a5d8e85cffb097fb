#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Draws random quantized networks: draw_networks.py FOLDER SEED COUNT [--any-scales] [--form FORM] [--describe].

Of COUNT seeds from SEED on, FOLDER/<seed>.onnx and its inputs; FOLDER/networks.json is a list of what
testbench/onnxruntime/run_onnx.js takes. Scales are powers of two, or any. --describe prints each network.
"""
import argparse
import json
import pathlib

from drawing import draw_network
from onnx_forms import FORMS, write_onnx
from oracle import Question


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split(": ", 1)[1].split(".\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("seed", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--any-scales", action="store_true")
    parser.add_argument("--form", choices=FORMS, default=FORMS[0])
    parser.add_argument("--describe", action="store_true")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    jobs = []
    for seed in range(options.seed, options.seed + options.count):
        network, model = draw_network(seed, options.any_scales), options.folder / f"{seed}.onnx"
        write_onnx(network, model, options.form)
        jobs.append(Question(model, network.feeds()).job())
        if options.describe:
            print(f"{seed}:\n{network.describe()}\n")
    (options.folder / "networks.json").write_text(json.dumps(jobs))


main()
