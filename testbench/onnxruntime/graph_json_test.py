#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Can a program that is not ours use a graph in JSON? run_graph_json.py, which only knows the format, answers as ONNX
Runtime does; every graph is as the schema says; and foveac reads back what it wrote."""
import json
import pathlib
import shutil
import subprocess
import sys
import unittest

import jsonschema
import numpy as np
from compiled_networks import FOLDERS, FOVEAC, ROOT
from oracle import Question, ask_onnxruntime

FOLDER = FOLDERS / "graph_json"
CONSUMER = pathlib.Path(__file__).with_name("run_graph_json.py")
SCHEMA = json.loads((ROOT / "compiler/ir/graph.schema.json").read_text())
# With scales of powers of two all sums are exact, in float32 as in float64.
EXACT = ("vgg8_cifar10_power2", "resnet8_cifar10_power2", "mobilenet_v2_cifar10_power2")
FLOAT = ("resnet8_cifar10_float",)
STAGES = {"imported": ("--stop-after", "float-outputs"), "partitioned": ()}


class GraphJsonTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        shutil.rmtree(FOLDER, ignore_errors=True)
        FOLDER.mkdir(parents=True)
        cls.picture = np.random.default_rng(44).normal(0, 1, (1, 3, 32, 32)).astype(np.float32)
        cls.picture.tofile(FOLDER / "x.f32")
        for name in EXACT + FLOAT:
            shutil.copy(ROOT / f"models/{name}.onnx", FOLDER)
        questions = [
            Question(FOLDER / f"{name}.onnx", {"input": cls.picture}, is_optimized=False) for name in EXACT + FLOAT
        ]
        cls.expected = {
            name: next(iter(answer.outputs.values())).ravel()
            for name, answer in zip(EXACT + FLOAT, ask_onnxruntime(questions, FOLDER))
        }

    def save(self, network, file, *words):
        subprocess.run([FOVEAC, network, "--save-graph", file, *words], check=True, cwd=ROOT)
        return json.loads(file.read_text())

    def answer(self, graph):
        subprocess.run([sys.executable, CONSUMER, graph, FOLDER / "x.f32", FOLDER / "y.f32"], check=True)
        return np.fromfile(FOLDER / "y.f32", np.float32)

    def test_another_program_answers_as_onnx_runtime(self):
        for name in EXACT + FLOAT:
            for stage, words in STAGES.items():
                with self.subTest(network=name, stage=stage):
                    file = FOLDER / f"{name}_{stage}.json"
                    jsonschema.validate(self.save(f"models/{name}.onnx", file, *words), SCHEMA)
                    if name in EXACT:
                        np.testing.assert_array_equal(self.answer(file), self.expected[name])
                    else:
                        np.testing.assert_allclose(self.answer(file), self.expected[name], rtol=1e-4, atol=1e-5)

    def test_what_is_read_back_is_the_same(self):
        for stage, words in STAGES.items():
            file, again = FOLDER / f"net_{stage}.json", FOLDER / f"again_{stage}.json"
            first = self.save(f"models/{EXACT[1]}.onnx", file, *words)
            # "layout" changes nothing in a graph that has been through it.
            second = self.save(file, again, "--stop-after", "float-outputs")
            self.assertEqual(first | {"constants": ""}, second | {"constants": ""})
            constants = [(FOLDER / graph["constants"]).read_bytes() for graph in (first, second)]
            self.assertEqual(*constants)

    def test_the_schema_refuses_what_the_compiler_refuses(self):
        good = self.save(f"models/{EXACT[0]}.onnx", FOLDER / "good.json", "--stop-after", "float-outputs")
        for change in ({"version": 2}, {"node": []}, {"outputs": [{"node": 0}]}, {"constants": 1}):
            with self.assertRaises(jsonschema.ValidationError):
                jsonschema.validate(good | change, SCHEMA)
            (FOLDER / "bad.json").write_text(json.dumps(good | change))
            ran = subprocess.run([FOVEAC, FOLDER / "bad.json", "-o", FOLDER / "bad"], capture_output=True, text=True)
            self.assertEqual(ran.returncode, 1)
            self.assertRegex(ran.stderr, r"^foveac: bad\.json: .*\n$")


if __name__ == "__main__":
    unittest.main()
