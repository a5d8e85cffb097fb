# SPDX-License-Identifier: Apache-2.0
"""The networks that write_network.py makes: are they the papers', do their values live, and does foveac compute what
ONNX Runtime does?"""
import json
import math
import os
import pathlib
import subprocess
import sys
import unittest

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts/networks"))
import oracle
import write_network
from networks import NETWORKS
from operators.convolution import Conv, Weighted

BUILD = pathlib.Path(os.environ.get("BUILD", "build/release"))
FOLDER = (ROOT / BUILD / "networks/test").resolve()

# Millions of multiplications of a picture, and parameters: torchvision's of its own, Keras' trainable ones of
# MobileNet-V1.
PUBLISHED = {
    "mobilenet_v1": (568.7, 4_231_976),
    "mobilenet_v2": (300.8, 3_504_872),
    "squeezenet": (349.2, 1_235_496),
    "resnet18": (1814.1, 11_689_512),
    "resnet50": (4089.2, 25_557_032),
    "vgg16": (15470.3, 138_357_544),
}
WITHOUT_BATCH_NORM = ("squeezenet", "vgg16")


def macs(layer):
    return layer.weights.size * math.prod(layer.shape[2:])


class Networks(unittest.TestCase):
    def run_on_the_cpu(self, name):
        """The scores, and every layer's uint8 output by its name."""
        layers, scores = FOLDER / f"{name}-layers", FOLDER / f"{name}.scores.f32"
        environment = {
            **os.environ,
            "BUILD": str(BUILD),
            "MODEL": str(FOLDER / f"{name}.onnx"),
            "INPUT_RAW": str(FOLDER / f"{name}.x.f32"),
            "OUTPUT_RAW": str(scores),
            "DUMP_LAYERS": str(layers),
        }
        subprocess.run(
            [str(ROOT / "scripts/run_fovea"), "test_cpu"], env=environment, check=True, stdout=subprocess.DEVNULL
        )
        index = json.loads((layers / "index.json").read_text())
        return scores.read_bytes(), {
            row["name"]: np.fromfile(layers / row["file"], np.uint8).reshape(row["shape"][0], -1)
            for row in index
            if row["type"] == "uint8"
        }

    def check_size(self, name, network):
        millions, parameters = PUBLISHED[name]
        weighted = [node for node in network.nodes if isinstance(node, Weighted)]
        self.assertAlmostEqual(sum(map(macs, weighted)) / 1e6, millions, delta=0.05)
        normalized = [] if name in WITHOUT_BATCH_NORM else [layer for layer in weighted if isinstance(layer, Conv)]
        self.assertEqual(
            sum(layer.weights.size + layer.biases.size for layer in weighted)
            + sum(layer.biases.size for layer in normalized),
            parameters,
        )

    def check_alive(self, values):
        """Each layer has many values, few at the end of their range, and below the middle not more than a ReLU leaves
        there; channels differ inside."""
        for layer, value in values.items():
            self.assertGreater(len(np.unique(value)), 100, layer)
            self.assertLess((value == 255).mean(), 0.02, layer)
            self.assertLess((value == 0).mean(), 0.6, layer)
            if value.shape[1] > 1:
                self.assertEqual((value.min(axis=1) == value.max(axis=1)).sum(), 0, layer)

    def test_answers(self):
        for name in NETWORKS:
            with self.subTest(name):
                network, _ = write_network.write(name, FOLDER)
                self.check_size(name, network)
                scores, values = self.run_on_the_cpu(name)
                self.check_alive(values)
                for form in ("", "_qoperator"):
                    answer = oracle.ask_about(FOLDER / f"{name}{form}.onnx", FOLDER / f"{name}.x.f32")
                    self.assertEqual(scores, answer, f"ONNX Runtime on {name}{form}.onnx")

    def test_a_seed_gives_one_network(self):
        first, second = (write_network.make("squeezenet")[0].nodes for _ in range(2))
        for a, b in zip(first, second):
            self.assertTrue(np.array_equal(a.elements, b.elements) and a.scale == b.scale, a.name)
            if isinstance(a, Weighted):
                self.assertTrue(np.array_equal(a.weights, b.weights) and np.array_equal(a.biases, b.biases), a.name)

    def test_an_unknown_name_is_one_line(self):
        names = ", ".join(write_network.NAMES)
        ran = subprocess.run(
            ["/usr/bin/python3", "-B", str(ROOT / "scripts/networks/write_network.py"), "resnet17", str(FOLDER)],
            capture_output=True,
            text=True,
        )
        self.assertEqual(
            (ran.returncode, ran.stderr),
            (1, f"usage: write_network.py NAME FOLDER [--float], where NAME is one of {names}\n"),
        )


unittest.main()
