#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A quantized vision transformer, a block of global attention and one of windows: does it run on the accelerator, and
answer as ONNX Runtime? Weights are drawn."""
import json
import shutil
import unittest

import numpy as np
from compiled_networks import FOLDERS, Job, difference, number, run_all
from oracle import Question, ask_onnxruntime
from vision_transformer import vision_transformer

SEED = number("SEED", 1)
FOLDER = FOLDERS / "transformer"
LEAST_SHARE = 0.9  # of the MACs, on the accelerator


class Transformer(unittest.TestCase):
    def test_answers_as_onnxruntime(self):
        shutil.rmtree(FOLDER, ignore_errors=True)
        model = FOLDER / "vision_transformer.onnx"
        vision_transformer(SEED).save(model)
        feeds = {"x": np.random.default_rng(SEED).standard_normal((1, 3, 32, 32)).astype(np.float32)}
        expected = ask_onnxruntime([Question(model, feeds)], FOLDER)[0]
        self.assertEqual(expected.error, "")
        jobs = [
            Job(model, FOLDER / place, feeds, place, target) for place, target in (("host", "cpu"), ("systemc", "dla"))
        ]
        for job, result in zip(jobs, run_all(jobs, FOLDER)):
            self.assertEqual(result.error or difference(result.outputs, expected.outputs), "", job.place)
        layers = json.loads((FOLDER / "systemc" / f"{model.stem}.json").read_text())["layers"]
        on_device = sum(layer["macs"] for layer in layers if layer["target"] == "dla")
        self.assertGreaterEqual(on_device / sum(layer["macs"] for layer in layers), LEAST_SHARE)
        shutil.rmtree(FOLDER)


if __name__ == "__main__":
    unittest.main(verbosity=0)
