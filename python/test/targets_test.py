# SPDX-License-Identifier: Apache-2.0
"""Targets of Python beside the accelerator: which layer goes where and why, bit for bit; errors that name a line."""
# pylint: disable=unused-argument
import csv
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np
import onnx

import fovea
from programs import BUILD, DEER, VGG8, run_program

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "testbench" / "target" / "gemm_unit"))

from gemm_target import GemmUnit  # noqa: E402  # pylint: disable=wrong-import-position

RESNET8 = ROOT / "models/resnet8_cifar10.onnx"


class Arithmetic(fovea.Target):
    """Another's accelerator, simulated in numpy: fully connected layers."""

    name = "sim"
    accepts = ("qlinear", "qlinear_relu")

    def cycles(self, layer):
        return layer.macs // 10

    def compute(self, layer, x):
        wide = (x.reshape(layer.N, layer.C).astype(np.int32) - layer.input_zero_point) @ layer.weights.T.astype(
            np.int32
        )
        return layer.requantize(wide + layer.bias)


class Kept:
    """What the tests share: VGG-8 on the accelerator alone."""

    net = fovea.compile(VGG8)
    x = net.read_picture(fovea.model("samples/deer_9.png"))
    run = net.run(x)


def line_of(function):
    return f"targets_test.py:{function.__code__.co_firstlineno}"


class TargetsTest(unittest.TestCase):
    def test_two_accelerators_answer_as_one(self):
        net = fovea.compile(VGG8, targets=[GemmUnit()])
        places = {layer.name: layer.target for layer in net.layers if layer.target != "cpu"}
        gemm = ["fc6", "fc7", "fc8"]
        self.assertEqual([name for name, target in places.items() if target == "gemm"], gemm)
        self.assertEqual([name for name in places if name.startswith("conv")], [f"conv{i}" for i in range(1, 6)])
        self.assertEqual(net.layers["conv1"].reason, "gemm: takes qlinear or qlinear_relu, not qconv2d_relu_maxpool")
        # 4,096 x 256 weights are 256 x 16 tiles of 16 x 16; each takes 16 cycles to load and one for the row.
        cycles = {"fc6": 256 * 16 * 17, "fc7": 16 * 8 * 17, "fc8": 8 * 1 * 17}
        self.assertEqual({name: net.layers[name].predicted_cycles for name in gemm}, cycles)
        self.assertEqual(
            net.layers["fc6"].reason,
            f"dla: {Kept.net.layers['fc6'].predicted_cycles} cycles, more than gemm with {cycles['fc6']} cycles",
        )
        run = net.run(Kept.x, backend="systemc")
        np.testing.assert_array_equal(run.output, Kept.run.output)
        rows = {row["layer"]: row for row in run.targets.to_dict("records")}
        self.assertEqual({name: rows[name]["cycles"] for name in gemm}, cycles, "what the unit counted")
        self.assertEqual(run.target_cycles, {"dla": run.cycles, "gemm": sum(cycles.values())})
        self.assertEqual(rows["conv1"]["target"], "dla")
        before = dict(zip(Kept.run.targets["layer"], Kept.run.targets["cycles"]))
        self.assertEqual(rows["conv5"]["cycles"], before["conv5"])
        np.testing.assert_array_equal(net.run(Kept.x, lists=True).output, Kept.run.output)

    def test_cost_decides_both_ways(self):
        # Of 4 x 4 multipliers: fc6 1,024 x 64 x 5 cycles and fc7 64 x 32 x 5, dearer than on the accelerator; fc8
        # 32 x 3 x 5, cheaper.
        net = fovea.compile(VGG8, targets=[GemmUnit(size=4)])
        places = [(net.layers[name].target, net.layers[name].reason) for name in ("fc6", "fc7", "fc8")]
        dla = [Kept.net.layers[name].predicted_cycles for name in ("fc6", "fc7", "fc8")]
        self.assertEqual(
            places,
            [
                ("dla", f"gemm: 327680 cycles, more than dla with {dla[0]} cycles"),
                ("dla", f"gemm: 10240 cycles, more than dla with {dla[1]} cycles"),
                ("gemm", f"dla: {dla[2]} cycles, more than gemm with 480 cycles"),
            ],
        )
        np.testing.assert_array_equal(net.run(Kept.x).output, Kept.run.output)

    def test_without_a_cost_the_first_takes_it(self):
        class Free(GemmUnit):
            def cost(self, layer):
                return None

        net = fovea.compile(VGG8, targets=[Free(size=4), GemmUnit2()])
        self.assertEqual({net.layers[name].target for name in ("fc6", "fc7", "fc8")}, {"gemm"})
        self.assertRegex(
            net.layers["fc8"].reason,
            "^gemm2: 480 cycles, and behind gemm with no cost; dla: [0-9]+ cycles, and behind gemm with no cost$",
        )
        self.assertGreater(net.run(Kept.x).target_cycles["gemm"], 0)

    def test_on_the_cpu_with_a_scale_of_any_kind(self):
        plain = fovea.compile(RESNET8, target="cpu")
        net = fovea.compile(RESNET8, target="cpu", targets=[GemmUnit()])
        self.assertEqual([layer.name for layer in net.layers if layer.target == "gemm"], ["qlinear"])
        x = plain.read_picture(fovea.model("samples/deer_9.png"))
        run = net.run(x)
        np.testing.assert_array_equal(run.output, plain.run(x).output)
        self.assertEqual(list(run.target_cycles), ["gemm"])

    def test_programs_run_what_was_written(self):
        with tempfile.TemporaryDirectory() as folder:
            net = fovea.compile(VGG8, targets=[GemmUnit()], folder=Path(folder) / "net")
            self.assertEqual(
                {path.name for path in net.folder.glob("*.[ch]")}, {"model.c", "gemm_unit.h", "extern_gemm_gemm_unit.c"}
            )
            again = fovea.load(net.folder)
            np.testing.assert_array_equal(again.run(Kept.x).output, Kept.run.output)
            self.assertEqual(again.summary["layers"][7]["target"], "gemm")
            words = ("--backend", "systemc", "--net", net.folder, "--json", "--info", Path(folder) / "info.csv")
            answer = json.loads(run_program("fovea", "run", VGG8, DEER, *words))
            self.assertEqual(answer["targets"]["gemm"]["cycles"], 71944)
            self.assertEqual(answer["all"]["cycles"] - answer["device"]["cycles"], 71944)
            with (Path(folder) / "info.csv").open() as file:
                rows = list(csv.DictReader(file))
            self.assertEqual([row["layer"] for row in rows if row["backend"] == "gemm"], ["fc6", "fc7", "fc8"])
            table = run_program("fovea", "run", VGG8, DEER, *words[:4])
            self.assertRegex(table, r"\nfc8 +1,280 +136 +on gemm\n")
            self.assertRegex(table, r"\ngemm +1,082,624 +71,944 ")
            other = subprocess.run(
                [BUILD / "bin/fovea", "run", RESNET8, DEER, *words[:4]], capture_output=True, text=True, check=False
            )
            self.assertIn(f"{net.folder}: no compiled resnet8_cifar10 there; give a folder that", other.stderr)
            self.assertNotEqual(other.returncode, 0)
            report = Path(folder) / "report"
            run_program("fovea", "report", VGG8, DEER, *words[:4], "-o", report)
            self.assertIn("| all on gemm |", (report / "report.md").read_text())

    def test_computes_in_python(self):
        net = fovea.compile(VGG8, targets=[Arithmetic()])
        run = net.run(Kept.x)
        np.testing.assert_array_equal(run.output, Kept.run.output)
        macs = sum(layer.macs for layer in net.layers if layer.target == "sim")
        self.assertEqual(macs, 4096 * 256 + 256 * 128 + 128 * 10)
        self.assertEqual(
            run.target_cycles["sim"], sum(layer.macs // 10 for layer in net.layers if layer.target == "sim")
        )
        np.testing.assert_array_equal(net.run(Kept.x, backend="cpu").output, Kept.run.output)
        with self.assertRaisesRegex(fovea.UsageError, "run_many: fc6 is computed in Python, in this process only"):
            net.run_many([Kept.x])
        with tempfile.TemporaryDirectory() as folder:
            fovea.compile(VGG8, targets=[Arithmetic()], folder=folder)
            with self.assertRaisesRegex(fovea.RunError, "^fc6: a target computes it in Python; only the process"):
                fovea.load(folder).run(Kept.x)

    def test_a_layer_says_what_it_is(self):
        seen = {}

        class Looks(fovea.Target):
            name = "looks"

            def refuse(self, layer):
                seen[layer.name] = layer
                return "it only looks"

            def emit(self, layer):
                return ""

        net = fovea.compile(VGG8, targets=[Looks()])
        self.assertEqual(set(seen), {layer.name for layer in net.layers if layer.kind != "flatten"})
        conv = seen["conv3"]
        self.assertEqual((conv.C, conv.M, conv.R, conv.S, conv.E, conv.U), (192, 384, 3, 3, 8, 1))
        self.assertEqual(conv.macs, 192 * 384 * 9 * 8 * 8)
        self.assertEqual((conv.inputs, conv.output), ([((1, 192, 8, 8), "uint8")], ((1, 384, 8, 8), "uint8")))
        self.assertEqual((conv.weights.shape, conv.weights.dtype, conv.bias.shape), ((384, 192, 3, 3), np.int8, (384,)))
        self.assertFalse(conv.weights.flags.owndata or conv.weights.flags.writeable)
        self.assertEqual(conv.multipliers[0], 2.0**-conv.shift)
        self.assertEqual(
            np.float32(conv.input_scale) * conv.weights_scales[0] / np.float32(conv.output_scale), conv.multipliers[0]
        )
        self.assertIsNone(seen["quantize"].weights)
        self.assertIsNone(seen["quantize"].input_scale, "it reads floats")
        with self.assertRaisesRegex(AttributeError, "a layer of a target has no K"):
            conv.K  # pylint: disable=pointless-statement
        self.assertEqual(net.layers["conv3"].reason, "looks: it only looks")

    def test_takes_fusions_of_its_own(self):
        wildcard, constant = fovea.patterns.wildcard, fovea.patterns.is_constant
        op = fovea.patterns.op
        dequantize = op("qnn.dequantize")
        dense = op("nn.dense")(
            dequantize(wildcard(), constant(), constant()), dequantize(constant(), constant(), constant())
        )
        bias = op("nn.bias_add")(dense, dequantize(constant(), constant(), constant()))
        pattern = op("qnn.quantize")(bias, constant(), constant())

        class Mine(GemmUnit):
            accepts = ()
            fusions = [fovea.Fusion("gemm.plain", pattern)]

        net = fovea.compile(VGG8, targets=[Mine()])
        self.assertEqual(
            [(each.name, each.kind) for each in net.layers if each.target == "gemm"], [("fc8", "gemm.plain")]
        )
        np.testing.assert_array_equal(net.run(Kept.x).output, Kept.run.output)

    def test_layers_without_weights_have_their_scales(self):
        class Averager(fovea.Target):
            """The mean of each channel, as ONNX Runtime's integer kernels have it."""

            name = "averager"
            accepts = ("global_avg_pool",)

            def compute(self, layer, x):
                count = np.float32(layer.H * layer.W)
                scale = np.float32(layer.input_scale) / (np.float32(layer.output_scale) * count)
                sums = (x.astype(np.int32) - layer.input0_zero_point).sum(axis=(2, 3), keepdims=True)
                mean = np.rint(sums.astype(np.float32) * scale) + layer.output_zero_point
                return np.clip(mean, 0, 255).astype(np.uint8)

        plain = fovea.compile(RESNET8, target="cpu")
        net = fovea.compile(RESNET8, target="cpu", targets=[Averager()])
        self.assertEqual(net.layers["globalaveragepool"].target, "averager")
        x = plain.read_picture(fovea.model("samples/deer_9.png"))
        np.testing.assert_array_equal(net.run(x).output, plain.run(x).output)


EXTENSION_H = """#include "dla_runtime.h"
dla_status_t mine_twice(const float* x, float* y, uint32_t count);
"""
EXTENSION_C = """#include "mine.h"
dla_status_t mine_twice(const float* x, float* y, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) y[i] = 2 * x[i];
  return kDlaOk;
}
"""
EXTENSION_PY = """import fovea
from fovea.patterns import op, wildcard

@fovea.operator("mine.plus_three", onnx="ai.mine.PlusThree")
def plus_three(x):
    return x + 3

class Mine(fovea.Target):
    name = "mine"
    header = "mine.h"
    sources = ("mine.c",)

    def __init__(self):
        x = wildcard()
        self.fusions = [fovea.Fusion("mine.twice", op("add")(x, x))]

    def emit(self, layer):
        return "mine_twice($input, $output, $N * $C)"
"""


class ExtendTest(unittest.TestCase):
    """python3 -m fovea net.onnx -o net --extend mine.py, with a target and an operator."""

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.folder / "elsewhere").mkdir()
        for name, text in (("mine.h", EXTENSION_H), ("mine.c", EXTENSION_C)):
            (self.folder / name).write_text(text)
        nodes = [
            onnx.helper.make_node("PlusThree", ["x"], ["t"], "plus", domain="ai.mine"),
            onnx.helper.make_node("Add", ["t", "t"], ["y"], "double"),
        ]
        ends = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1, 4]) for name in "xy"]
        graph = onnx.helper.make_graph(nodes, "net", ends[:1], ends[1:])
        opsets = [onnx.helper.make_opsetid("", 13), onnx.helper.make_opsetid("ai.mine", 1)]
        onnx.save(onnx.helper.make_model(graph, opset_imports=opsets), self.folder / "net.onnx")

    def extended(self, text):
        (self.folder / "mine.py").write_text(text)
        words = ["../net.onnx", "-o", "net", "--target", "cpu", "--extend", "../mine.py"]
        return subprocess.run(
            [sys.executable, "-m", "fovea", *words],
            cwd=self.folder / "elsewhere",
            capture_output=True,
            text=True,
            check=False,
        )

    def test_takes_part(self):
        for end in ("UNIT = Mine()\n", "UNITS = [Mine()]\n"):
            done = self.extended(EXTENSION_PY + end)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stdout, r"^plus +nest_plus_three +cpu: .*\ndouble +mine.twice +mine")
            self.assertRegex(done.stdout, r"\nmine.twice at double: fused\n$")
            net = fovea.load(self.folder / "elsewhere" / "net")
            self.assertEqual(net.run(np.array([0, 1, -4, 0.5], np.float32)).output.tolist(), [6, 8, -2, 7])

    def test_names_what_is_wrong(self):
        for text, message in (
            (EXTENSION_PY, r"^fovea: --extend ../mine.py: Mine is a class; make an object of it: mine = Mine\(\)$"),
            (
                EXTENSION_PY.replace('"mine.h"', '"no.h"') + "UNIT = Mine()\n",
                r"no.h: No such file .*mine.py:\d+; paths",
            ),
            (EXTENSION_PY.replace("$N", "$K") + "UNIT = Mine()\n", r"\$K is no field of its call, .*mine.py:\d+"),
            ("x = 1\n", r"it has no pass, fusion, operator or target"),
        ):
            done = self.extended(text)
            self.assertNotEqual(done.returncode, 0)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertRegex(done.stderr, message)
            self.assertFalse((self.folder / "elsewhere/net/model.c").exists())


class GemmUnit2(GemmUnit):
    name = "gemm2"

    def __init__(self):
        super().__init__(size=4)


class ErrorsTest(unittest.TestCase):
    def refuses(self, words, *methods, **attributes):
        """Compiles with a GemmUnit of these methods; nothing is written, and the message is one line."""
        made = type("Bad", (GemmUnit,), {**{each.__name__: each for each in methods}, **attributes})
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder) / "net"
            with self.assertRaises(Exception) as caught:
                fovea.compile(VGG8, targets=[made()], folder=place)
            self.assertEqual(list(place.glob("*")) if place.exists() else [], [])
        text = "\n".join([str(caught.exception), *getattr(caught.exception, "__notes__", [])])
        for each in [words, *(line_of(method) for method in methods)]:
            self.assertIn(each, text)
        self.assertEqual(len(str(caught.exception).splitlines()), 1, text)
        return caught.exception

    def test_what_methods_return(self):
        def refuse(self, layer):
            return 3

        self.refuses("target gemm: refuse returned 3 for fc6", refuse)

        def cost(self, layer):
            return "cheap"

        self.refuses("target gemm: cost returned 'cheap' for fc6", cost)

        def emit(self, layer):
            return None

        self.refuses("target gemm: emit returned None for fc6", emit)

    def test_an_exception(self):
        def cost(self, layer):
            return layer.weights.shape[5]

        self.assertIsInstance(self.refuses("raised in cost of the target gemm", cost), IndexError)

    def test_templates(self):
        def emit(self, layer):
            return "gemm_unit_run(rt, $ouptut)"

        self.refuses("fc6: $ouptut is no field of its call", emit)

        def emit(self, layer):  # pylint: disable=function-redefined
            return "gemm_unit_run(rt, nothing)"

        self.refuses("nothing", emit)

    def test_files(self):
        missing = self.refuses("python/test/none.c: No such file or directory", sources=("none.c",))
        self.assertIn("gemm_target.py:", str(missing))
        with tempfile.TemporaryDirectory() as folder:
            bad = Path(folder) / "bad.c"
            bad.write_text("int one;\nint two\n")
            self.refuses(f"target gemm: {bad}:2:", sources=(bad,))

    def test_what_computes_in_python(self):
        class Short(Arithmetic):
            def compute(self, layer, x):
                return x[:, :1]

        net = fovea.compile(VGG8, targets=[Short()])
        with self.assertRaisesRegex(
            fovea.UsageError, r"sim: compute returned an array of uint8 \[1, 1\] for fc6, .*test.py:\d+"
        ):
            net.run(Kept.x)
        np.testing.assert_array_equal(Kept.net.run(Kept.x).output, Kept.run.output)

    def test_names(self):
        self.refuses("target dla: there is one of this name", name="dla")
        self.refuses("accepts='qliner': unknown", accepts=("qliner",))
        with self.assertRaisesRegex(fovea.UsageError, "target none: has both or none of emit and compute"):
            fovea.compile(VGG8, targets=[type("None", (fovea.Target,), {"name": "none"})()])


if __name__ == "__main__":
    unittest.main()
