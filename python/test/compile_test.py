# SPDX-License-Identifier: Apache-2.0
"""Compiling gives what foveac gives, and says what is in the way as exceptions with parts."""
import json
import re
import tempfile
import unittest
from pathlib import Path

import fovea
from programs import EYERISS, VGG8, run_program

SMALL = """\
fn (%x: Tensor[(1, 4, 8, 8), float32] from "input") {
  %q = qnn.quantize(%x, 0.5f, 128u8, axis=1) from "quant"
  %d = qnn.dequantize(%q, 0.5f, 128u8, axis=1)
  %w8 = constant [1, 2, 3, 4, 4, 3, 2, 1] : Tensor[(2, 4, 1, 1), int8]
  %w = qnn.dequantize(%w8, 0.25f, 0i8, axis=0)
  %c = nn.conv2d(%d, %w, strides=[1, 1], pads=[0, 0, 0, 0], dilations=[1, 1], groups=1) from "conv1"
  %r = qnn.quantize(%c, 0.5f, 128u8, axis=1) from "quant1"
  %y = qnn.dequantize(%r, 0.5f, 128u8, axis=1) from "dequant"
  return %y
}
"""


def table_of(text):
    """The rows of a printed table by their first word."""
    return {line.split()[0]: line for line in text.splitlines() if line}


class CompileTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def test_writes_what_foveac_writes(self):
        for name, options, words in [
            ("cycles", {}, []),
            ("dram", {"optimize": "dram", "mapping": "search"}, ["--optimize", "dram"]),
            (
                "lab",
                {"mapping": "lab", "rounding": "floor", "slack": 8},
                ["--mapping", "lab", "--rounding", "floor", "--slack", "8"],
            ),
            ("cpu", {"target": "cpu"}, ["--target", "cpu"]),
            ("pictures", {"batch": 2}, ["--batch", "2"]),
            ("float32", {"exact_to": "ort"}, ["--exact-to", "ort"]),
        ]:
            net = fovea.compile(VGG8, folder=self.folder / name, **options)
            run_program("foveac", VGG8, "-o", self.folder / "foveac", *words)
            for file in ("model.c", "weight.bin", "vgg8_cifar10_power2.json"):
                self.assertEqual((net.folder / file).read_bytes(), (self.folder / "foveac" / file).read_bytes(), file)
            self.assertEqual(net.source, (self.folder / "foveac/model.c").read_text())

    def test_lists_the_layers_that_foveac_lists(self):
        printed = table_of(run_program("foveac", VGG8, "-o", self.folder / "net"))
        net = fovea.compile(VGG8)
        self.assertEqual(net.predicted_cycles, 3783671)
        for layer in net.layers:
            words = printed[layer.name].split()
            self.assertEqual(words[1:3], [layer.kind, layer.target])
            self.assertEqual(
                words[3].replace(",", "") == str(layer.predicted_cycles), layer.on_device, printed[layer.name]
            )
            self.assertTrue(printed[layer.name].endswith(layer.reason if layer.target == "cpu" else ""))
            self.assertEqual(sum(layer.predicted_causes.values()), layer.predicted_cycles)
            if layer.on_device:
                self.assertIn(f"m={layer.mapping['m']} e={layer.mapping['e']} ", printed[layer.name])
        self.assertEqual([layer.name for layer in net.layers], net.layers.table["layer"].tolist())
        with self.assertRaisesRegex(KeyError, "there are quantize, conv1"):
            net.layers["conv9"]

    def test_predicts_a_layer_for_all_pictures_of_a_batch(self):
        net = fovea.compile(VGG8, batch=4)
        self.assertEqual(sum(layer.predicted_cycles for layer in net.layers), net.predicted_cycles)
        for layer in net.layers:
            self.assertEqual(sum(layer.predicted_causes.values()), layer.predicted_cycles)
        once, conv1 = fovea.compile(VGG8).layers["conv1"], net.layers["conv1"]  # A command a picture.
        self.assertEqual(conv1.predicted_cycles, 4 * once.predicted_cycles)
        self.assertEqual(conv1.predicted_dram_bytes, 4 * once.predicted_dram_bytes)

    def test_ranks_mappings_and_keeps_the_best(self):
        records = self.folder / "records.json"
        network = self.folder / "small.fovea"
        network.write_text(SMALL)
        net = fovea.compile(network, records=records, dram="ddr", tune=2)
        self.assertEqual([record["dram"] for record in json.loads(records.read_text())["records"]], ["ddr"])
        records_bytes = records.read_bytes()
        self.assertEqual(fovea.compile(network, records=records, dram="ddr").layers, net.layers)
        self.assertEqual(records.read_bytes(), records_bytes)
        with self.assertRaisesRegex(fovea.UsageError, "tune=2: nowhere to keep what is found"):
            fovea.compile(network, tune=2)

    def test_loads_what_is_compiled(self):
        net = fovea.compile(VGG8, folder=self.folder / "net")
        again = fovea.load(net.folder)
        self.assertEqual(again.layers, net.layers)
        self.assertEqual(again.machine, fovea.Machine.load("eyeriss_6x8"))
        with self.assertRaisesRegex(fovea.NetworkError, "no compiled network there"):
            fovea.load(self.folder)

    def test_names_what_is_in_the_way(self):
        (self.folder / "net.txt").write_text(
            'fn (%x: Tensor[(1, 2, 4, 4), float32] from "x") {\n  %y = unsupported(%x, domain="com.acme", type="Wave")'
            ' from "Wave_7"\n  return %y\n}\n'
        )
        for model, node in [(self.folder / "none.onnx", "none.onnx"), (self.folder / "net.txt", "net.txt")]:
            with self.assertRaises(fovea.NetworkError) as caught:
                fovea.compile(model)
            self.assertIn(node, caught.exception.node)
            self.assertIsInstance(caught.exception, ValueError)
            self.assertIsInstance(caught.exception, fovea.Error)

    def test_names_are_shown(self):
        network = self.folder / "named.fovea"
        network.write_bytes(SMALL.encode().replace(b'"conv1"', b'"q\x1b[5m\xff\xe2\x80\xaeconv"'))
        net = fovea.compile(network, target="cpu", folder=self.folder / "named")
        self.assertIn(r"q\x1b[5m\xff\u202econv", [layer.onnx for layer in net.layers])

    def test_refuses_a_summary_and_a_machine_of_others(self):
        (self.folder / "net.json").write_text('{"model": "net", "layers": [{"name": "a"}], "target": "cpu"}')
        with self.assertRaisesRegex(fovea.NetworkError, "its summary is not one of this version"):
            fovea.load(self.folder)
        (self.folder / "m.json").write_bytes(b'{"name": "\xff"}')
        with self.assertRaisesRegex(fovea.MachineError, "m.json: cannot be read"):
            fovea.Machine.load(self.folder / "m.json")
        fields = {**fovea.Machine.load("eyeriss_6x8").fields, "a\x1b\u202e": 1}
        (self.folder / "m.json").write_text(json.dumps(fields))
        with self.assertRaisesRegex(fovea.MachineError, re.escape(r'field "a\x1b\u202e" is not known')):
            fovea.Machine.load(self.folder / "m.json")

    def test_refuses_options_before_anything_is_written(self):
        folder = self.folder / "none"
        for options, error, words in [
            ({"optimize": "speed"}, fovea.UsageError, "optimize='speed': unknown; cycles, dram, energy or edp work"),
            ({"rounding": "up"}, fovea.UsageError, "nearest_even or floor"),
            ({"target": "gpu"}, fovea.UsageError, "dla or cpu"),
            ({"slack": -1}, fovea.UsageError, "slack=-1: too small"),
            ({"slack": "2"}, TypeError, "give an integer"),
            ({"mapping": None}, TypeError, "search or lab"),
            ({"machine": "pentium"}, fovea.MachineError, "eyeriss_6x8"),
        ]:
            with self.assertRaisesRegex(error, re.escape(words)):
                fovea.compile(VGG8, folder=folder, **options)
        self.assertFalse(folder.exists())

    def test_says_how_far_it_is_and_hands_on_what_that_raises(self):
        seen = []
        fovea.compile(VGG8, folder=self.folder / "net", progress=seen.append)
        self.assertIn("mapping 9 layers", seen)

        def refuse(text):
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            fovea.compile(VGG8, folder=self.folder / "none", progress=refuse)
        self.assertEqual(fovea.compile(VGG8, folder=self.folder / "none").predicted_cycles, 3783671)

    def test_finds_what_it_has_compiled(self):
        net = fovea.compile(VGG8, slack=3)
        made = (net.folder / "model.so").stat().st_mtime_ns
        again = fovea.compile(VGG8, slack=3)
        self.assertEqual(again.folder, net.folder)
        self.assertEqual((again.folder / "model.so").stat().st_mtime_ns, made)
        self.assertNotEqual(fovea.compile(VGG8, slack=4).folder, net.folder)
        own = [fovea.compile(VGG8, fovea.Machine(rows=rows, name="own")) for rows in (4, 5)]
        self.assertNotEqual(own[0].folder, own[1].folder)
        self.assertNotEqual(own[0].predicted_cycles, own[1].predicted_cycles)


class MappingTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.net = fovea.compile(VGG8)

    def test_gives_what_foveac_map_prints(self):
        for layer, count in [("conv2", 5), ("fc6", 3)]:
            text = run_program("foveac", "map", VGG8, "--layer", layer, "--best", count)
            mapping = self.net.map(layer)
            self.assertEqual(mapping.explain(count).text, text)
            rows = [line.split() for line in text.splitlines()[2 : 2 + count]]
            best = mapping.best(count)
            self.assertEqual(len(best), count)
            for row, printed in zip(best.to_dict("records"), rows):
                numbers = [word.replace(",", "") for word in printed]
                self.assertEqual(
                    [str(row[name]) for name in ("m", "e", "p", "q", "r", "t", "rows", "e_glb")], numbers[:8]
                )
                self.assertEqual("resident" if row["ifmap_resident"] else "streamed", numbers[8])
                self.assertEqual(
                    [
                        row["cycles"],
                        f"{100 * row['mac_utilization']:.1f}",
                        row["dram_bytes"],
                        row["glb_bytes"],
                        row["glb_accesses"],
                        int(row["energy_macs"]),
                    ],
                    [int(numbers[11]), numbers[12], *map(int, numbers[14:])],
                )
                causes = [row[name] for name in best.columns if name.endswith("_cycles")]
                self.assertEqual(sum(causes), row["cycles"])

    def test_says_what_became_of_all_others(self):
        explanation = self.net.explain("conv2")
        for row in explanation.fates.to_dict("records"):
            self.assertIn(f"{row['count']:,}  {row['fate']}\n", explanation.text)
        self.assertIn(
            f"as {explanation.roofline['binds']}; {explanation.roofline['predicted']:.1f} predicted", str(explanation)
        )

    def test_finds_what_the_network_was_compiled_with(self):
        for layer in self.net.layers:
            if layer.on_device:
                best = self.net.map(layer).best(1).iloc[0]
                self.assertEqual(best["cycles"], layer.predicted_cycles)
                self.assertEqual({key: best[key] for key in "mepqrt"}, {key: layer.mapping[key] for key in "mepqrt"})

    def test_optimizes_as_the_network_was(self):
        dram = fovea.compile(VGG8, optimize="dram")
        self.assertLessEqual(
            dram.map("conv3").best(1).iloc[0]["dram_bytes"], self.net.map("conv3").best(1).iloc[0]["dram_bytes"]
        )
        self.assertEqual(dram.map("conv3").best(1).iloc[0]["cycles"], dram.layers["conv3"].predicted_cycles)

    def test_says_why_a_layer_is_on_the_cpu(self):
        self.assertIn("the CPU converts from and to float32", str(self.net.explain("quantize")))
        with self.assertRaisesRegex(fovea.NetworkError, "quantize: not on the accelerator"):
            self.net.map("quantize")


class MachineTest(unittest.TestCase):
    def test_lists_those_that_ship(self):
        self.assertEqual(fovea.machines(), sorted(path.stem for path in EYERISS.parent.glob("*.json")))

    def test_is_what_its_file_says(self):
        machine = fovea.Machine.load("eyeriss_6x8")
        self.assertEqual(machine.fields, json.loads(EYERISS.read_text()))
        self.assertEqual((machine.rows, machine.cols, machine.pes), (6, 8, 48))
        self.assertEqual(machine, fovea.Machine.load(EYERISS))

    def test_is_saved_and_read_again(self):
        wide = fovea.Machine("eyeriss_12x14", name="wide", bus_bytes=16, energy={"dram": 100})
        with tempfile.TemporaryDirectory() as folder:
            path = wide.save(Path(folder) / "wide.json")
            self.assertEqual(fovea.Machine.load(path), wide)
            self.assertIn("wide", run_program("foveac", "machine", path))
        self.assertEqual(wide.energy, {**fovea.Machine.load("eyeriss_12x14").energy, "dram": 100})

    def test_has_one_name_for_one_geometry(self):
        self.assertEqual(fovea.Machine(rows=4).name, fovea.Machine(rows=4).name)
        self.assertNotEqual(fovea.Machine(rows=4).name, fovea.Machine(rows=5).name)
        self.assertRegex(fovea.Machine(rows=4).name, r"^array_4x8_[0-9a-f]{8}$")

    def test_names_the_field_at_fault(self):
        for fields, field in [({"rows": 99}, "rows"), ({"glb_bytes": 1000}, "glb_bytes"), ({"speed": 1}, "speed")]:
            with self.assertRaises(fovea.MachineError) as caught:
                fovea.Machine(**fields)
            self.assertEqual(caught.exception.field, field)
        machine = fovea.Machine()
        with self.assertRaisesRegex(AttributeError, "use replace"):
            machine.rows = 3
        with self.assertRaisesRegex(AttributeError, "no 'speed'"):
            machine.speed


if __name__ == "__main__":
    unittest.main()
