# SPDX-License-Identifier: Apache-2.0
"""What a network takes for an input, what it refuses and how it says so; and that networks pickle and copy."""
import copy
import pickle
import shutil
import tempfile
import unittest
from pathlib import Path

import numpy as np
import onnx
import PIL.Image

import fovea
from programs import DEER, ROOT, VGG8

CAT = DEER.with_name("cat_3.png")

GREY_LAST = """\
fn (%x: Tensor[(1, 2, 4, 1), float32] from "x") {
  %q = qnn.quantize(%x, 0.0039215689f, 0u8, axis=1) from "q"
  %y = qnn.dequantize(%q, 0.0039215689f, 0u8, axis=1) from "y"
  return %y
}
"""
NUMBERS = GREY_LAST.replace("(1, 2, 4, 1)", "(1, 8, 2, 2)").replace("0.0039215689f", "1f")


class InputsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.net = fovea.compile(VGG8)
        cls.deer, cls.cat = (cls.net.read_picture(path) for path in (DEER, CAT))
        cls.expected = cls.net.run(cls.deer).output

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def compiled(self, text):
        (self.folder / "net.txt").write_text(text)
        return fovea.compile(self.folder / "net.txt", target="cpu")

    def check_answer(self, *inputs):
        for x in inputs:
            np.testing.assert_array_equal(self.net.run(x).output, self.expected)

    def test_takes_any_array_of_numbers_and_leaves_it_alone(self):
        before = self.deer.copy()
        spread = np.zeros((3, 32, 64), np.float64)
        spread[:, :, ::2] = self.deer
        self.check_answer(self.deer, spread[:, :, ::2], {"input": self.deer.tolist()})
        np.testing.assert_array_equal(self.deer, before)

    def test_takes_pictures_in_memory(self):
        picture = PIL.Image.open(DEER)
        pixels = np.asarray(picture.convert("RGB"))
        self.check_answer(picture, picture.convert("RGBA"), pixels, np.moveaxis(pixels, 2, 0))
        large = picture.convert("RGB").resize((80, 48))
        large.save(self.folder / "large.png")
        np.testing.assert_array_equal(self.net.run(large).output, self.net.run(self.folder / "large.png").output)
        grey = picture.convert("L")
        grey.save(self.folder / "grey.png")
        expected = self.net.run(self.folder / "grey.png").output
        for x in (grey, np.asarray(grey), np.asarray(grey)[:, :, None]):
            np.testing.assert_array_equal(self.net.run(x).output, expected)

    def test_takes_files(self):
        np.save(self.folder / "x.npy", self.deer)
        np.save(self.folder / "batch.npy", self.deer[None])
        self.deer.tofile(self.folder / "x.f32")
        self.check_answer(DEER, str(DEER), self.folder / "x.npy", str(self.folder / "x.f32"))
        self.assertEqual(self.net.run(self.folder / "batch.npy").output.shape, (1, 10))

    def test_takes_batches(self):
        one = self.net.run(self.deer[None])
        np.testing.assert_array_equal(one.output, self.expected[None])
        batch = self.net.run(np.stack([self.cat, self.deer]), dram="random")
        alone = [self.net.run(x, dram="random") for x in (self.cat, self.deer)]
        np.testing.assert_array_equal(batch.output, [run.output for run in alone])
        self.assertEqual(batch.cycles, sum(run.cycles for run in alone))
        self.assertEqual(batch.layers["picture"].tolist(), [0] * 8 + [1] * 8)
        for i, run in enumerate(alone):
            rows = batch.layers[batch.layers["picture"] == i].drop(columns="picture").reset_index(drop=True)
            self.assertTrue(rows.equals(run.layers))
        self.assertEqual([each[0][0] for each in self.net.classify(batch)], ["cat", "deer"])
        on_cpu = self.net.run(np.stack([self.cat, self.deer]), backend="cpu")
        np.testing.assert_array_equal(on_cpu.output, batch.output)
        pixels = np.stack([np.asarray(PIL.Image.open(path).convert("RGB")) for path in (CAT, DEER)])
        np.testing.assert_array_equal(self.net.run(pixels).output, batch.output)
        many = self.net.run_many([self.deer[None], self.cat], processes=2)
        np.testing.assert_array_equal(many[0].output[0], self.expected)
        self.assertEqual([run.has_batch for run in many], [True, False])

    def test_takes_pictures_where_several_are_compiled_for(self):
        net = fovea.compile(VGG8, batch=2)
        pixels = np.stack([np.asarray(PIL.Image.open(path).convert("RGB")) for path in (CAT, DEER)])
        self.assertEqual([each[0][0] for each in net.classify(pixels)], ["cat", "deer"])
        np.testing.assert_array_equal(net.run(np.stack([self.cat, self.deer])).output[1], self.expected)
        with self.assertRaisesRegex(fovea.UsageError, r"shape \(3, 32, 32\); the network takes \(2, 3, 32, 32\)"):
            net.run(pixels[0])

    def test_takes_the_layout_and_the_channels_of_the_network(self):
        net = self.compiled(GREY_LAST)
        self.assertEqual(net.inputs[0].shape, (2, 4, 1))
        pixels = np.arange(8, dtype=np.uint8).reshape(2, 4)
        for x in (pixels, pixels[None], pixels[:, :, None], np.repeat(pixels[:, :, None], 3, 2)):
            np.testing.assert_array_equal(np.round(255 * net.run(x).output[:, :, 0]), pixels)
        np.testing.assert_array_equal(
            np.round(255 * net.run(np.stack([pixels] * 3)[..., None]).output), [pixels[..., None]] * 3
        )

    def test_takes_integers_where_there_is_no_picture(self):
        net = self.compiled(NUMBERS)
        numbers = np.arange(32).reshape(8, 2, 2)
        for kind in (np.int64, np.uint8, np.float16):
            np.testing.assert_array_equal(net.run(numbers.astype(kind)).output, numbers)
        np.testing.assert_array_equal(net.run(numbers > 3).output, numbers > 3)
        with self.assertRaisesRegex(fovea.UsageError, "integers that float32 rounds"):
            net.run(numbers + (1 << 24))

    def test_refuses_what_is_no_input(self):
        bad = self.deer.copy()
        bad[1, 2, 3] = np.nan
        for x, words in [
            (self.deer[:, :16], r"shape \(3, 16, 32\); the network takes \(3, 32, 32\), or \(N, 3, 32, 32\)$"),
            (np.moveaxis(self.deer, 0, 2), r"numpy.moveaxis\(x, -1, -3\) has that"),
            (self.deer.ravel(), r"x.reshape\(3, 32, 32\) has that"),
            (bad, r"x: input\[1, 2, 3\] is nan; finite numbers"),
            (np.full((3, 32, 32), 1e300), r"input\[0, 0, 0\] is inf"),
            (np.zeros((3, 32, 32), int), "int64, neither pixels nor normalized; give uint8"),
            (np.zeros((3, 32, 32), complex), "an array of complex128 and no numbers"),
            (np.zeros((5, 5, 5, 5, 5), np.uint8), r"uint8 \(5, 5, 5, 5, 5\); pixels are"),
            (np.zeros((3, 0, 5), np.uint8), r"uint8 \(3, 0, 5\); pixels are"),
            (np.zeros((0, 3, 32, 32)), "a batch of no pictures"),
            ([[1.0], [1.0, 2.0]], "a list and no numbers; a float32 array"),
            (object(), "an? object and no numbers"),
            (None, "a NoneType and no numbers"),
            ({"left": 1}, "left given; the network takes input"),
            (PIL.Image.new("F", (32, 32)), "a picture of mode F; convert it to L or RGB"),
        ]:
            with self.subTest(words), self.assertRaisesRegex(fovea.UsageError, words) as caught:
                self.net.run(x)
            self.assertEqual(caught.exception.argument, "x")
        with self.assertRaisesRegex(fovea.UsageError, "trace: of a batch of 2; give one picture"):
            self.net.run(np.stack([self.deer] * 2), trace=self.folder / "t.json")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_refuses_files_that_are_no_input(self):
        (self.folder / "x.npy").write_bytes(b"nothing")
        (self.folder / "x.bin").write_bytes(bytes(12))
        (self.folder / "x.png").write_bytes(bytes(12))
        for name, words in [
            ("none.png", "none.png"),
            ("none.npy", "none.npy: can't be read .No such file"),
            ("x.npy", "x.npy: no .npy of numbers"),
            ("x.bin", "x.bin: has 12 bytes; input takes 12,288 of raw float32"),
            ("x.png", "x.png"),
        ]:
            with self.subTest(name), self.assertRaisesRegex(fovea.NetworkError, words):
                self.net.run(self.folder / name)

    def test_compiles_what_onnx_has_in_memory(self):
        model = onnx.load(VGG8)
        net = fovea.compile(model)
        self.assertEqual(fovea.compile(model).folder, net.folder)
        np.testing.assert_array_equal(net.run(self.deer).output, self.expected)
        np.testing.assert_array_equal(net.run(self.deer, backend="cpu").output, self.expected)
        made = fovea.quantize(
            onnx.load(ROOT / "models/resnet8_cifar10_float.onnx"),
            self.deer[None],
            self.folder / "q.onnx",
            method="minmax",
        )
        self.assertEqual(made.inputs, 1)
        with self.assertRaisesRegex(TypeError, "model: a list; give the path of an ONNX file"):
            fovea.compile([])

    def test_pickles_and_copies(self):
        own = fovea.compile(VGG8, fovea.Machine(rows=5))
        for net in (self.net, own):
            for twin in (pickle.loads(pickle.dumps(net)), copy.copy(net), copy.deepcopy(net)):
                self.assertEqual((twin.layers, twin.machine, twin.options), (net.layers, net.machine, net.options))
                self.assertEqual(twin.classify(self.deer), net.classify(self.deer))
        run = self.net.run(self.deer[None])
        again = copy.deepcopy(pickle.loads(pickle.dumps(run)))
        self.assertTrue(again.layers.equals(run.layers))
        self.assertEqual((again.has_batch, again.cycles, again.energy_macs), (True, run.cycles, run.energy_macs))

    def test_compiles_again_what_a_pickle_misses(self):
        net = fovea.compile(VGG8, slack=5)
        kept = pickle.dumps(net)
        shutil.rmtree(net.folder)
        self.assertEqual(pickle.loads(kept).layers, net.layers)
        loaded = fovea.load(fovea.compile(VGG8, folder=self.folder / "net").folder)
        kept = pickle.dumps(loaded)
        shutil.rmtree(loaded.folder)
        with self.assertRaisesRegex(fovea.NetworkError, "no compiled network there"):
            pickle.loads(kept)


if __name__ == "__main__":
    unittest.main()
