#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the processor time, in ms a picture, of a compiled network on all drawn pictures, on the SystemC model: what
`test_dla --full` does, from Python. Imports are not counted.

    python/bench/time_pictures.py NET MODEL

MODEL, the network that NET was compiled from, has beside it what its pixels are normalized with.
"""
import sys
import time

import fovea


def main(folder, model):
    begin = time.process_time()
    net = fovea.load(folder, model=model)
    pictures = sorted(fovea.model("samples").glob("*.png"))
    answers = [net.run(net.read_picture(path)).output.argmax() for path in pictures]
    assert len(set(answers)) == 10
    print(f"{1e3 * (time.process_time() - begin) / len(pictures):.3f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
