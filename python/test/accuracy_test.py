# SPDX-License-Identifier: Apache-2.0
"""accuracy() says what `fovea accuracy` says, of folders, files and arrays."""
import json
import tempfile
import unittest
from pathlib import Path

import numpy as np

import fovea
from programs import ROOT, VGG8, run_program

SAMPLES = ROOT / "models/samples"
RESNET = ROOT / "models/resnet8_cifar10.onnx"
FLOAT = ROOT / "models/resnet8_cifar10_float.onnx"


class AccuracyTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def test_says_what_the_program_says(self):
        net, beside = fovea.compile(RESNET), fovea.compile(FLOAT)
        found = fovea.accuracy(net, SAMPLES, beside=beside, jobs=2)
        program = json.loads(run_program("fovea", "accuracy", RESNET, "--beside", FLOAT, "--data", SAMPLES, "--json"))
        first, second = program["networks"]
        self.assertEqual(found.pictures, program["pictures"])
        self.assertEqual((found.top1._asdict(), found.top5._asdict()), (first["top1"], first["top5"]))
        self.assertEqual(found.confusion.tolist(), first["confusion"])
        self.assertEqual(found.missed["picture"].tolist(), [each["picture"] for each in first["missed"]])
        self.assertEqual(found.beside.top1._asdict(), second["top1"])
        self.assertEqual(
            (found.same_answer, found.only_first_knew, found.only_second_knew),
            (program["same_answer"], program["only_first_knew"], program["only_second_knew"]),
        )
        text = run_program("fovea", "accuracy", RESNET, "--beside", FLOAT, "--data", SAMPLES)
        self.assertEqual(
            str(found).replace(net.name, "A"),
            text.replace(str(FLOAT), beside.name).replace(str(RESNET), net.name).replace(net.name, "A").rstrip("\n"),
        )

    def test_of_arrays_on_the_accelerator(self):
        """Of four pictures, of which two are called something else; all four are black, so they get one answer."""
        net = fovea.compile(VGG8)
        answer = int(net.run((np.zeros((3, 32, 32)) - MEAN) / DEVIATION, backend="cpu").output.argmax())
        other = (answer + 1) % 10
        told = []
        for backend in ("cpu", "systemc"):
            found = fovea.accuracy(
                net,
                np.zeros((4, 3, 32, 32), np.uint8),
                [answer, other, answer, other],
                backend=backend,
                jobs=2,
                progress=lambda done, of: told.append((done, of)),
            )
            self.assertEqual((found.top1.right, found.pictures, found.beside, found.same_answer), (2, 4, None, None))
            self.assertEqual(found.confusion[other, answer], 2)
            self.assertEqual(found.missed["class"].tolist(), [other, other])
            self.assertEqual(found.missed["saw"].tolist(), [answer, answer])
        self.assertEqual(told[-1], (4, 4))
        self.assertEqual(net.run(np.zeros((3, 32, 32))).cycles, 3783673, "devices work as before")

    def test_goes_on_where_it_was(self):
        net, keep = fovea.compile(VGG8), self.folder / "kept.txt"

        def stop(done, _of):
            if done == 30:
                raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            fovea.accuracy(net, SAMPLES, keep=keep, jobs=1, progress=stop)
        self.assertEqual(len(keep.read_text().splitlines()), 31)
        told = []
        self.assertEqual(
            fovea.accuracy(net, SAMPLES, keep=keep, progress=lambda done, of: told.append(of)).top1.right, 100
        )
        self.assertEqual(set(told), {70})

    def test_refuses_what_is_no_picture(self):
        net = fovea.compile(VGG8)
        pixels = np.zeros((2, 3, 32, 32), np.uint8)
        for arguments, words in [
            ((pixels,), "labels: not given"),
            ((pixels[:, :1], [0, 1]), r"data: uint8 \(2, 1, 32, 32\)"),
            ((pixels, [0]), "labels: int64 \\(1,\\)"),
            ((pixels, [0, 256]), "a class from 0 to 255"),
        ]:
            with self.assertRaisesRegex(fovea.UsageError, words):
                fovea.accuracy(net, *arguments)
        with self.assertRaisesRegex(fovea.NetworkError, "picture 1 is class 77; the network has 10 outputs"):
            fovea.accuracy(net, pixels, [0, 77])
        with self.assertRaisesRegex(fovea.UsageError, "backend='fpga'"):
            fovea.accuracy(net, SAMPLES, backend="fpga")
        with self.assertRaisesRegex(fovea.NetworkError, "nowhere"):
            fovea.accuracy(net, self.folder / "nowhere")


MEAN = np.array([0.4914, 0.4822, 0.4465], np.float32)[:, None, None]
DEVIATION = np.array([0.247, 0.243, 0.261], np.float32)[:, None, None]

if __name__ == "__main__":
    unittest.main()
