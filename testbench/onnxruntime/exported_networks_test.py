#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What foveac exports: does ONNX's checker take it, does ONNX Runtime answer it as it answers the network, and is it
the same network again? Random networks, and real ones."""
import shutil
import unittest

import numpy as np
import onnx
from compiled_networks import FOLDERS, FOVEAC, ROOT, difference, emit_all, is_same_code, number, run_programs
from drawing import draw_network
from onnx_forms import write_onnx
from operators.interpolation import Interpolate
from operators.loose import Loose
from oracle import Question, ask_onnxruntime

SEED, CASES = number("SEED", 2024), number("CASES", 40)
FOLDER, NETWORKS = FOLDERS / "exported_networks", ROOT.parent / "shared/networks"
MOST_CHECKED_OPSET = 17  # Debian's ONNX knows no newer one, which Gelu needs.
# A network as "given" in both forms, and each of them in both again.
EXPORTS = [("given", "qoperator"), ("given", "qdq")]
EXPORTED_AGAIN = [(first, again) for first in ("qoperator", "qdq") for again in ("qoperator", "qdq")]


def file_of(folder, form):
    """A network in the folder of one form under the name that it has in all of them."""
    path = folder / form / "net.onnx"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


class ExportedNetworks(unittest.TestCase):
    def setUp(self):
        shutil.rmtree(FOLDER, ignore_errors=True)
        FOLDER.mkdir(parents=True)

    def export_all(self, folders):
        """... and checks them. They all compile to the same code and weights, but for the names of ONNX nodes, which
        the random networks' own forms don't share either."""
        forms = ["given"]
        for exports in (EXPORTS, EXPORTED_AGAIN):
            made = [form if first == "given" else f"{first}_{form}" for first, form in exports]
            commands = [
                [FOVEAC, "export", f"--{form}", file_of(folder, first), "-o", file_of(folder, to)]
                for folder in folders
                for (first, form), to in zip(exports, made)
            ]
            self.assertEqual(run_programs(commands), [""] * len(commands))
            forms += made
        for folder in folders:
            for form in forms[1:]:
                model = onnx.load(file_of(folder, form))
                if model.opset_import[0].version <= MOST_CHECKED_OPSET:
                    onnx.checker.check_model(model)
        jobs = [(file_of(folder, form), folder / form, "cpu") for folder in folders for form in forms]
        self.assertEqual(emit_all(jobs), [""] * len(jobs))
        for folder in folders:
            for form in forms[1:]:
                self.assertTrue(is_same_code(folder / "given", folder / form), folder / form)

    def test_of_random_ones_are_the_same_networks(self):
        """A Resize is written as what it is made of. What no operator on integers takes ONNX Runtime misreads: it
        quantizes float32 weights itself, and has no others than those of 8 bits."""
        folders, questions, asked = [], [], ("oracle", "qoperator", "qdq")
        for seed in range(SEED, SEED + CASES):
            network, folder = draw_network(seed, any_scales=True), FOLDER / f"{seed}"
            if network.has(Interpolate, Loose):
                continue
            folders.append(folder)
            write_onnx(network, file_of(folder, "given"))
            write_onnx(network, file_of(folder, "oracle"), "qoperator")
            questions += [Question(file_of(folder, form), network.feeds()) for form in asked]
        self.export_all(folders)
        answers, same_qdq = ask_onnxruntime(questions, FOLDER), 0
        for i, folder in enumerate(folders):
            oracle, qoperator, qdq = answers[3 * i : 3 * i + 3]
            self.assertEqual(qoperator.error + qdq.error, "", folder)
            self.assertEqual(list(qoperator.outputs), list(oracle.outputs))
            self.assertEqual(difference(qoperator.outputs, oracle.outputs), "", folder)
            same_qdq += not difference(qdq.outputs, oracle.outputs)
        print(f"{len(folders)} networks; as QDQ ONNX Runtime answers {same_qdq} of them the same")
        if CASES > 20:  # It keeps some operators in float32, which then may be a step apart: few say nothing.
            self.assertGreaterEqual(2 * same_qdq, len(folders))
        shutil.rmtree(FOLDER)

    @unittest.skipUnless(NETWORKS.exists(), f"nothing to test here: {NETWORKS} is not present")
    def test_of_real_ones_answer_as_their_files_say(self):
        for name in ("resnet8", "ds_cnn", "mobilenet_v1_025", "autoencoder"):
            with self.subTest(name):
                self.check_real_network(name, FOLDER / name)

    def check_real_network(self, name, folder):
        shutil.copyfile(NETWORKS / f"{name}_int8.onnx", file_of(folder, "given"))
        self.export_all([folder])
        port = onnx.load(file_of(folder, "qoperator")).graph.input[0]
        shape = [dim.dim_value for dim in port.type.tensor_type.shape.dim]
        inputs, questions = np.fromfile(NETWORKS / f"{name}.x.f32", np.float32).reshape(-1, *shape), []
        for i, x in enumerate(inputs):
            model = folder / f"{i}.onnx"  # Its inputs are left beside a model.
            shutil.copyfile(file_of(folder, "qoperator"), model)
            questions.append(Question(model, {port.name: x}))
        answers = [answer.first().reshape(-1) for answer in ask_onnxruntime(questions, folder)]
        expected = np.fromfile(NETWORKS / f"{name}_int8.y.f32", np.float32)
        self.assertTrue(np.array_equal(np.concatenate(answers), expected))
        shutil.rmtree(folder)


if __name__ == "__main__":
    unittest.main(verbosity=0)
