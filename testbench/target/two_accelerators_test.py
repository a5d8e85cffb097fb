#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""VGG-8, dense layers on the matrix unit and convolutions on SystemC, answers as ONNX Runtime, bit for bit."""
import pathlib
import sys
import tempfile
import unittest

import numpy as np
from oracle import Question, ask_onnxruntime

import fovea

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "gemm_unit"))

from gemm_target import GemmUnit  # pylint: disable=wrong-import-position


class TwoAccelerators(unittest.TestCase):
    def test_answer_as_onnx_runtime(self):
        model = fovea.model("vgg8_cifar10_power2.onnx")
        net = fovea.compile(model, targets=[GemmUnit()])
        self.assertEqual({layer.target for layer in net.layers if layer.macs}, {"dla", "gemm"})
        (name,) = [node.origin for node in fovea.ir.load(model).inputs]
        random = np.random.default_rng(44)
        inputs = [net.read_picture(fovea.model("samples/deer_9.png"))]
        inputs += [random.normal(0, 1, (3, 32, 32)).astype(np.float32) for _ in range(2)]
        with tempfile.TemporaryDirectory() as folder:
            copies = [pathlib.Path(folder, f"{i}.onnx") for i in range(len(inputs))]
            for copy in copies:  # Files of a question lie beside its model.
                copy.write_bytes(pathlib.Path(model).read_bytes())
            answers = ask_onnxruntime(
                [
                    Question(copy, {name: x.reshape(1, 3, 32, 32)}, is_optimized=False)
                    for copy, x in zip(copies, inputs)
                ],
                folder,
            )
        for x, answer in zip(inputs, answers):
            self.assertEqual(answer.error, "")
            np.testing.assert_array_equal(net.run(x, backend="systemc").output, answer.first().reshape(-1))


if __name__ == "__main__":
    unittest.main()
