# SPDX-License-Identifier: Apache-2.0
"""Timeloop's and ZigZag's files: our mappings there and back, mappings written by hand, and what neither side has."""
import contextlib
import io
import itertools
import json
import math
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import fovea
from fovea import _fovea, timeloop, timeloop_command, timeloop_model, zigzag
from programs import VGG8

HERE = Path(__file__).resolve().parent / "timeloop"
FOVEA = Path(os.environ["BUILD"]) / "bin/fovea"
RESNET8 = fovea.model("resnet8_cifar10.onnx")


def read_by_hand(name, machine="eyeriss_12x14"):
    return timeloop.read([HERE / "eyeriss_12x14.yaml", HERE / f"{name}.yaml"], fovea.Machine.load(machine))


def command(*words):
    """(status, output, errors) of a command of the package."""
    out, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        status = timeloop_command.main([str(word) for word in words])
    return status, out.getvalue(), errors.getvalue()


def tiles(nest, level):
    """Of each turn of the loops outside a level, in their order: ranges by letter, without what is inside."""
    names = [each.name for each in nest.levels] + ["mac"]
    loops = [loop for loop in nest.loops if names.index(loop.level) < names.index(level)]
    temporal, spatial = [[loop for loop in loops if bool(loop.axis) == is_spatial] for is_spatial in (False, True)]

    def begin(turn, letter):
        own, at = [loop for loop in nest.loops if loop.letter == letter], 0
        for place, loop in enumerate(own):
            at += turn.get(loop, 0) * math.prod(each.turns for each in own[place + 1 :])
        inside = math.prod(loop.turns for loop in own if loop not in turn)
        return range(at, min(at + inside, nest.sizes[letter]))

    for turns in itertools.product(*(range(loop.turns) for loop in temporal)):
        copies = []
        for places in itertools.product(*(range(loop.turns) for loop in spatial)):
            turn = dict(zip(temporal + spatial, turns + places))
            box = {letter: begin(turn, letter) for letter in nest.sizes}
            if all(box.values()):
                copies.append(box)
        yield copies


def counted_fills(nest, tensor, level):
    """What comes to all copies of a level, turn by turn: of a tensor whose elements are boxes of loops."""
    total, held = 0, {}
    for copies in tiles(nest, level):
        now = {place: tuple(box[letter] for letter in timeloop.TENSORS[tensor]) for place, box in enumerate(copies)}
        total += sum(math.prod(map(len, tile)) for place, tile in now.items() if held.get(place) != tile)
        held.update(now)
    return total


class OursThereAndBackTest(unittest.TestCase):
    def test_ten_mappings_become_the_same_commands(self):
        """Records of what was read back make the same network, byte for byte."""
        machine, folders, layers = fovea.Machine.load("eyeriss_6x8"), [], 0
        for model in (VGG8, RESNET8):
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                net = fovea.compile(model, machine, folder=folder / "net")
                for layer in net.layers:
                    for call in layer.details.get("calls", []) if layer.on_device else []:
                        try:
                            texts = timeloop.to_yaml(machine, call["shape"], call["mapping"])
                        except fovea.Error:
                            continue
                        place = folder / layer.name
                        place.mkdir()
                        for file, text in texts.items():
                            (place / file).write_text(text)
                        shape, mapping, _ = timeloop.read([place], machine)
                        self.assertEqual((shape, mapping), (call["shape"], call["mapping"]), layer.name)
                        words = json.dumps(shape), json.dumps(mapping)
                        self.assertEqual(_fovea.plan_mapping(machine._file, *words)[1], "")
                        _fovea.record_mapping(str(folder / "records.json"), machine._file, *words, "pipelined")
                        layers += 1
                again = fovea.compile(model, machine, folder=folder / "again", records=folder / "records.json")
                for file in ("model.c", "weight.bin"):
                    self.assertEqual((again.folder / file).read_bytes(), (net.folder / file).read_bytes(), file)
                folders.append(folder)
        self.assertGreaterEqual(layers, 10)

    def test_what_timeloop_cannot_say_is_named(self):
        machine = fovea.Machine.load("eyeriss_6x8")
        (call,) = fovea.compile(VGG8, machine).layers["conv2"].details["calls"]
        for changes, text in (
            ({"m": 30}, r"m=30 is no multiple of p\*t=4, and there are 7 tiles of it"),
            ({"e": 6, "e_glb": 14}, r"e_glb=14 is no multiple of e=6, and there are 2 tiles"),
            ({"g": 1}, "g=1: groups of channels inside a PE"),
        ):
            with self.assertRaisesRegex(fovea.errors.MappingError, text):
                timeloop.to_yaml(machine, call["shape"], {**call["mapping"], **changes})
        with self.assertRaisesRegex(fovea.errors.MappingError, "windows that overlap"):
            timeloop.to_yaml(machine, {**call["shape"], "pool_size": 3}, call["mapping"])

    def test_an_array_that_is_no_rectangle_is_a_row(self):
        machine = fovea.Machine(rows=12, cols=8)
        shape = timeloop.shape_of(
            {"N": 1, "G": 1, "C": 4, "M": 10, "P": 4, "Q": 4, "R": 1, "S": 1}, {"Hstride": 1, "Wstride": 1}, {}
        )
        mapping = {"m": 10, "n": 1, "e": 4, "p": 2, "q": 1, "r": 4, "t": 5, "e_glb": 4}
        mapping |= {"ifmap_resident": True, "filter_buffers": 2}
        nest = timeloop.nest_of(machine, shape, mapping)
        self.assertEqual([level.mesh for level in nest.levels if level.mesh != (1, 1)], [(96, 1)])
        self.assertEqual(timeloop.mapping_of(nest, machine, {"filter_buffers": 2}), mapping)


class ByHandTest(unittest.TestCase):
    """Counts are products of a layer's sizes and of how often Timeloop's loops fetch it again."""

    def figures(self, name):
        _, _, nest = read_by_hand(name)
        return timeloop_model.figures_of(nest)

    def test_row_stationary_conv1_of_alexnet(self):
        found = self.figures("alexnet_conv1_row")
        weights, outputs, macs = 96 * 3 * 11 * 11, 96 * 55 * 55, 96 * 3 * 11 * 11 * 55 * 55
        # Seven tiles of 7 output rows need 35 ifmap rows each, the last, of 6, needs 31. Six tiles of 16 filters have
        # three channels each; psums of the channels come three times.
        ifmap = 6 * 3 * (7 * 35 + 31) * 227
        self.assertEqual(
            found.accesses,
            {
                "DRAM": {"Weights": (0, 8 * weights, 0), "Inputs": (0, ifmap, 0), "Outputs": (0, 0, outputs)},
                "shared_glb": {"Inputs": (ifmap, ifmap, 0), "Outputs": (0, 3 * outputs, 3 * outputs)},
                # 55 columns of PEs in all keep weights; 11 rows of PEs and two sets of filters see a row of 227 pixels.
                "weights_spad": {"Weights": (55 * weights, macs, 0)},
                "ifmap_spad": {"Inputs": (3 * 55 * 11 * 2 * 6 * 227, macs, 0)},
                "psum_spad": {"Outputs": (2 * outputs, macs + 2 * outputs, macs)},
            },
        )
        # A turn a multiplication of one PE: 8 filters, 11 columns and 55 pixels, for 6 tiles of filters, 3 channels and
        # 8 row tiles.
        self.assertEqual(found.cycles["mac"], 8 * 11 * 55 * 6 * 3 * 8)
        self.assertEqual(found.cycles["shared_glb"], (ifmap + 3 * outputs) / 16)
        self.assertEqual((found.total_cycles, found.binds), (696960, "mac"))

    def test_row_stationary_conv3_of_alexnet(self):
        found = self.figures("alexnet_conv3_row")
        weights, outputs, macs = 384 * 256 * 9, 384 * 13 * 13, 384 * 256 * 9 * 13 * 13
        # 64 chunks of channels come for each of six tiles of filters; Timeloop reads padding too: 15 x 15 pixels.
        ifmap = 6 * 256 * 15 * 15
        self.assertEqual(found.accesses["DRAM"]["Inputs"].reads, ifmap)
        self.assertEqual(found.accesses["shared_glb"]["Inputs"], (ifmap, ifmap, 0))
        self.assertEqual(found.accesses["shared_glb"]["Outputs"], (0, 64 * outputs, 64 * outputs))
        self.assertEqual(found.accesses["weights_spad"]["Weights"], (13 * weights, macs, 0))
        self.assertEqual(found.accesses["ifmap_spad"]["Inputs"], (6 * 256 * 13 * 3 * 4 * 15, macs, 0))
        self.assertEqual(found.cycles["mac"], macs / (13 * 3 * 4))

    def test_weight_and_output_stationary_layers_of_resnet(self):
        pixels = 56 * 56
        found = self.figures("resnet_1x1_weight")
        self.assertEqual(found.accesses["weights_spad"]["Weights"], (64 * 64, 64 * 64 * pixels, 0))
        self.assertEqual(found.accesses["shared_glb"]["Outputs"], (0, 64 * pixels, 64 * pixels))
        self.assertEqual(found.accesses["ifmap_spad"]["Inputs"].fills, 8 * 64 * pixels)
        found = self.figures("resnet_1x1_output")
        self.assertEqual(found.accesses["DRAM"]["Weights"].reads, 4 * 64 * 256)
        self.assertEqual(found.accesses["psum_spad"]["Outputs"].fills, 0)
        self.assertEqual(found.accesses["shared_glb"]["Inputs"], (64 * pixels, 16 * 64 * pixels, 0))

    def test_they_run_and_the_machine_counts_the_same(self):
        """The machine's counters, by the same products; where pads are not read, as it does not read them."""
        for name in ("alexnet_conv1_row", "alexnet_conv3_row", "resnet_1x1_weight", "resnet_1x1_output"):
            with self.subTest(name):
                files = (HERE / "eyeriss_12x14.yaml", HERE / f"{name}.yaml")
                status, text, errors = command("map", "--timeloop", *files, "--machine", "eyeriss_12x14", "--json")
                self.assertEqual((status, errors), (0, ""))
                found = json.loads(text)
                model, ours = found["timeloop"]["accesses"], found["accesses"]
                self.assertEqual(ours["mac"], model["weights_spad"]["Weights"]["reads"])
                # The machine feeds filters anew to a row tile, even if they are the last one's.
                row_tiles = 4 if name == "resnet_1x1_weight" else 1
                self.assertEqual(ours["pe"]["filter"], row_tiles * model["weights_spad"]["Weights"]["fills"])
                # Each cycle is in one cause; those in which PEs multiply are the turns of Timeloop's loops.
                self.assertEqual(found["causes"]["compute"], found["timeloop"]["cycles"]["mac"])
                self.assertGreaterEqual(sum(found["causes"].values()), found["timeloop"]["total_cycles"] * 0.99)
                if found["shape"]["pad_top"] == 0:
                    self.assertEqual(ours["pe"]["ifmap"], model["ifmap_spad"]["Inputs"]["fills"])

    def test_what_the_machine_has_not_is_refused(self):
        for name, text in (
            ("resnet_3x3_output", "temporal loop S=3 (filter rows) at psum_spad: a PE holds one row of a filter"),
            (
                "alexnet_conv5_input",
                "temporal loop M=4 (filters) at DRAM: it stands inside the chunks, C; the machine's order, outermost "
                "first, is Q (row tiles), G, M (filter tiles), C, S, M (filters of a pass), Q (strips)",
            ),
        ):
            files = (HERE / "eyeriss_12x14.yaml", HERE / f"{name}.yaml")
            found = command("map", "--timeloop", *files, "--machine", "eyeriss_12x14")
            self.assertEqual(found, (1, "", f"fovea: {text}\n"))
        files = (HERE / "eyeriss_12x14.yaml", HERE / "alexnet_conv3_row.yaml")
        status, _, errors = command("map", "--timeloop", *files, "--machine", "eyeriss_6x8")
        self.assertEqual((status, errors.count("\n")), (1, 1))
        self.assertIn("p is M in a PE, 16", errors)


class ReadingTest(unittest.TestCase):
    def refused(self, name, *changes):
        """What is said of a file by hand in which texts are replaced."""
        text = (HERE / f"{name}.yaml").read_text()
        for old, new in changes:
            self.assertIn(old, text)
            text = text.replace(old, new)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "mapping.yaml"
            path.write_text(text)
            with self.assertRaises(fovea.Error) as raised:
                timeloop.read([HERE / "eyeriss_12x14.yaml", path], fovea.Machine.load("eyeriss_12x14"))
            return str(raised.exception).replace(str(path), "FILE")

    def test_names_what_is_wrong(self):
        for old, new, text in (
            ("C=64, M=6", "C=60, M=6", "mapping: loops C: 60 x 4 cover 240, and the problem has 256; a remainder is"),
            ("[P=13]", "[P=X]", "mapping: temporal at weights_spad: factors P=X: P=X is none; such as C=4"),
            (
                "target: psum_spad",
                "target: psums",
                "mapping: temporal at psums: the architecture has no such level; it",
            ),
            ("N: 1,", "N: 4,", "mapping: loops N: 1 cover 1, and the problem has 4"),
            ("[S=3, M=4]", "[S=3, P=4]", "mapping: spatial at PE: permutation SM leaves P out"),
            ("Hstride: 1", "Hstride: 0", "problem: Hstride is 0; it must be a whole number from 1 on"),
            ("name: Inputs", "name: Other", "problem: data_spaces are Weights, Other, Outputs; a convolution has"),
            ("mapping:", "mapping: [", "FILE:"),
            ("split: 1", "split: X", "mapping: item 1: split is 'X'; it must be a whole number"),
            ("dimensions: [", "dimensions: [[1], ", "problem: shape: dimensions: item 0 is [1]; it must be a text"),
            (
                "instance: {C: 256,",
                "instance: {C: wide,",
                "problem: instance: C is 'wide'; it must be a whole number from",
            ),
        ):
            with self.subTest(new):
                said = self.refused("alexnet_conv3_row", (old, new))
                self.assertTrue(said.startswith(text), said)

    def test_names_loops_that_the_machine_has_not(self):
        column, rows, inside = (
            "[Q=13], permutation: [Q], split: 1",
            "[S=3, M=4], permutation: [S, M]",
            "[P=13], permutation: [P]",
        )
        for changes, text in (
            (
                ((inside, "[Q=13], permutation: [Q]"), (column, "[P=13], permutation: [P], split: 1")),
                "spatial X loop P=13 (output columns) at PE_column: across PEs the machine lays",
            ),
            (
                (
                    (column, "[S=3], permutation: [S]"),
                    (rows, "[M=4], permutation: [M]"),
                    (inside, "[P=13, Q=13], permutation: [P, Q]"),
                ),
                "spatial X loop S=3 (filter rows) at PE_column: a column of PEs, along Y, adds the psums",
            ),
            (((rows, "[S=3, M=8], permutation: [S, M]"),), "mapping: spatial at PE: 24 copies along Y; it has 12"),
        ):
            with self.subTest(text):
                self.assertIn(text, self.refused("alexnet_conv3_row", *changes))

    def test_a_file_that_is_missing_is_named(self):
        with self.assertRaisesRegex(fovea.errors.MappingError, "no architecture; give the file that has it too"):
            timeloop.read([HERE / "alexnet_conv3_row.yaml"], fovea.Machine.load("eyeriss_12x14"))
        with self.assertRaisesRegex(fovea.errors.MappingError, "nowhere.yaml: cannot be read"):
            timeloop.read([Path("nowhere.yaml")], fovea.Machine.load("eyeriss_12x14"))


class ProgramTest(unittest.TestCase):
    def fovea(self, *words):
        done = subprocess.run([FOVEA, *map(str, words)], capture_output=True, text=True, check=False, timeout=200)
        return done.returncode, done.stdout, done.stderr

    def test_exports_and_maps(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.fovea("export", "--timeloop", VGG8, "--layer", "conv2", "-o", folder)
            self.assertEqual(done, (0, f"written to {folder}\n", ""))
            status, text, errors = self.fovea("map", "--timeloop", folder, "--dram", "ddr")
            self.assertEqual((status, errors), (0, ""))
            (row,) = fovea.compile(VGG8, dram="ddr").layers["conv2"].details["calls"]
            self.assertIn("m=32 e=8 p=4 q=4 r=2 t=1 e_glb=16", text)
            self.assertIn(f"compute {row['predicted_causes']['compute']:12,}  the PEs multiplied", text)
            self.assertIn(
                "Timeloop's model: 589,824 cycles, as the PEs bind",
                self.fovea("map", "--timeloop", folder, "--no-run")[1],
            )
            # Without --dram it runs with the memory of the machine, by a preset's name or by numbers.
            for dram, name in (("ddr", "ddr.json"), ({"base": "ddr", "read_latency_cycles": 90}, "own.json")):
                machine = Path(folder) / name
                fovea.Machine(dram=dram).save(machine)
                status, said, errors = self.fovea("map", "--timeloop", folder, "--machine", machine)
                self.assertEqual((status, errors, said == text), (0, "", dram == "ddr"))
        for words, text in (
            (
                ("export", "--timeloop", VGG8, "--layer", "conv9"),
                "--layer conv9: there is no such layer; there are quantize, conv1",
            ),
            (("export", "--timeloop", VGG8), "the following arguments are required: --layer"),
            (("map", VGG8, "--timeloop", HERE), f"unrecognized arguments: {VGG8}"),
        ):
            status, _, errors = self.fovea(*words)
            self.assertEqual((status, errors.count("\n")), (2, 1))
            self.assertIn(text, errors)

    def test_both_backends_say_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            self.fovea("export", "--timeloop", VGG8, "--layer", "conv1", "-o", folder)
            systemc, rtl = (self.fovea("map", "--timeloop", folder, "--backend", name) for name in ("systemc", "rtl"))
        self.assertEqual(rtl, systemc)
        self.assertEqual(rtl[0], 0)


class ZigZagTest(unittest.TestCase):
    def there_and_back(self, folder, layer):
        status, _, errors = command("export", "--zigzag", VGG8, "--layer", layer, "-o", folder)
        self.assertEqual((status, errors), (0, ""))
        return command("map", "--zigzag", Path(folder) / "workload.yaml", Path(folder) / "mapping.yaml", "--json")

    def test_loops_come_back_and_run(self):
        """All letters but those of buffers, which ZigZag's loops do not have. Pads come back as pixels."""
        for layer in ("conv2", "conv5"):
            with tempfile.TemporaryDirectory() as folder:
                status, text, errors = self.there_and_back(folder, layer)
            self.assertEqual((status, errors), (0, ""))
            found, (call,) = json.loads(text), fovea.compile(VGG8).layers[layer].details["calls"]
            for letter in ("m", "e", "p", "q", "r", "t", "e_glb"):
                self.assertEqual(found["mapping"][letter], call["mapping"][letter], (layer, letter))
            # With its pads, the ifmap of conv5 has no room beside the psums: it is streamed.
            self.assertEqual(found["mapping"]["ifmap_resident"], layer == "conv2")
            self.assertEqual(found["causes"]["compute"], call["predicted_causes"]["compute"])

    def test_names_what_is_wrong(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            command("export", "--zigzag", VGG8, "--layer", "conv2", "-o", folder)
            for file, old, new, text in (
                ("mapping", "OY, 8", "OY, 4", "mapping: conv2: loops OY have 8 turns in all, and the layer has 16"),
                ("mapping", "C, 2", "C; 2", "mapping: conv2: spatial_mapping: D2: 'C; 2'; such as K, 32 works"),
                (
                    "mapping",
                    "- - OX\n    - 16\n  ",
                    "",
                    "mapping: conv2: loops OX have 1 turns in all, and the layer has 16",
                ),
                (
                    "mapping",
                    "- - FX",
                    "- - [FX]",
                    "mapping: conv2: temporal_ordering: [['FX'], 3]; such as [OX, 112] works",
                ),
                ("workload", "iy=1", "iy=9", "workload: layer 0: dimension_relations: no iy=U*oy+1*fy of a stride"),
                ("workload", "+=", "=", "workload: layer 0: conv2: its equation is not O"),
                (
                    "mapping",
                    "- name: conv2",
                    "- name: Pooling",
                    "mapping: no entry conv2 or default; there are Pooling",
                ),
            ):
                with self.subTest(new):
                    texts = {each: (folder / f"{each}.yaml").read_text() for each in ("workload", "mapping")}
                    self.assertIn(old, texts[file])
                    for each, kept in texts.items():
                        changed = kept.replace(old, new) if each == file else kept
                        (folder / f"changed_{each}.yaml").write_text(changed)
                    words = [folder / f"changed_{each}.yaml" for each in texts]
                    status, _, errors = command("map", "--zigzag", *words)
                    self.assertEqual((status, errors.count("\n")), (1, 1))
                    self.assertIn(text, errors)

    def test_remainders_are_none_of_its(self):
        status, _, errors = command("export", "--zigzag", VGG8, "--layer", "conv4", "-o", "nowhere")
        text = "temporal loop M=24,16 (filters) at glb_outputs: ZigZag's loops have no remainders"
        self.assertEqual((status, errors), (1, f"fovea: --layer conv4: {text}\n"))

    def test_weights_that_go_around_sums_are_refused(self):
        """Output rows and columns around channels: the sums would have to stay in a PE while its weights change."""
        layer = {"id": 3, "operator_type": "Conv", "equation": zigzag.EQUATION, "operand_source": {"I": 0, "W": 3}}
        layer |= {"dimension_relations": ["ix=2*ox+1*fx", "iy=2*oy+1*fy"], "loop_dims": ["K", "C", "OY", "OX"]}
        layer |= {"loop_sizes": [4, 8, 2, 6]}
        entry = {"name": "default", "spatial_mapping": {"D1": ["K, 4"]}}
        machine = fovea.Machine.load("eyeriss_6x8")
        for order, text in (
            ([["C", 8], ["OX", 6], ["OY", 2]], ""),
            ([["OX", 6], ["C", 8], ["OY", 2]], ""),
            (
                [["OY", 2], ["OX", 6], ["C", 8]],
                r"temporal_ordering: \[OX, 6\] \(output columns\) stands outside of loops",
            ),
        ):
            entry["temporal_ordering"] = order
            if text:
                with self.assertRaisesRegex(fovea.errors.MappingError, text):
                    zigzag.nest_of([layer], [entry], machine)
                continue
            nest = zigzag.nest_of([layer], [entry], machine, layer=3)
            mapping = timeloop.mapping_of(nest, machine, {})
            self.assertEqual((mapping["t"], mapping["q"], nest.strides), (4, 8 if order[0][0] == "C" else 1, (2, 2)))


class ModelTest(unittest.TestCase):
    def test_fills_are_those_of_a_walk_through_the_loops(self):
        """Every turn of small nests, with remainders at every level: what comes where a tile is another."""
        machine = fovea.Machine(rows=4, cols=4)
        for Q, M, C, resident in itertools.product((3, 5), (4, 5), (2, 3), (False, True)):
            sizes = {"N": 1, "G": 1, "C": C, "M": M, "P": 2, "Q": Q, "R": 2, "S": 3}
            shape = timeloop.shape_of(sizes, {"Hstride": 1, "Wstride": 1}, {})
            mapping = {"m": 2, "e": 1, "p": 1, "q": 1, "r": 1, "t": 2, "e_glb": 2, "fold_rows": 2}
            mapping |= {"ifmap_resident": resident, "filter_buffers": 2}
            nest = timeloop.nest_of(machine, shape, mapping)
            figures = timeloop_model.figures_of(nest)
            for level, tensor in (("glb_weights", "Weights"), ("filter_spad", "Weights")):
                self.assertEqual(
                    figures.accesses[level][tensor].fills, counted_fills(nest, tensor, level), (sizes, resident, level)
                )
            # Of sums, those that come for the first time are not fetched.
            fetched = figures.accesses["glb_outputs"]["Outputs"].fills + M * Q * 2
            self.assertEqual(fetched, counted_fills(nest, "Outputs", "glb_outputs"), (sizes, resident))


if __name__ == "__main__":
    unittest.main()
