# SPDX-License-Identifier: Apache-2.0
"""Exploring machines: what a space is, that predictions are what runs take, and that no result is lost or doubled."""
import itertools
import os
import sqlite3
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np
import onnx

import fovea
from fovea.design_space import Space
from explored_grids import hypervolume
from fovea.explorations import on_front_of
from programs import ROOT, VGG8

BASE = {"base": "eyeriss_6x8"}
SMALL = {**BASE, "rows": [4, 6], "psum_lanes": [1, 2, 4]}


class SpaceTest(unittest.TestCase):
    def test_has_every_machine_that_keeps_to_the_constraints(self):
        space = Space(
            {
                **BASE,
                "rows": {"from": 4, "to": 8, "step": 2},
                "glb_bytes": {"from": 32768, "to": 131072, "times": 2},
                "memory": ["pipelined", "ddr"],
                "constraints": ["rows * glb_bytes <= 6 * 65536", "not (rows == 4 and glb_bytes > 65536)"],
            }
        )
        found = [(each.machine.rows, each.machine.glb_bytes, each.memory) for each in space.designs]
        expected = [
            (rows, glb, memory)
            for rows in (4, 6, 8)
            for glb in (32768, 65536, 131072)
            for memory in ("pipelined", "ddr")
            if rows * glb <= 6 * 65536 and not (rows == 4 and glb > 65536)
        ]
        self.assertEqual(found, expected)

    def test_memories_are_presets_or_objects_of_a_machine_file(self):
        slow = {"base": "ddr", "read_latency_cycles": 40}
        designs = Space({**BASE, "dram": ["ddr", slow]}).designs
        self.assertEqual(designs[0].memory, "ddr")
        self.assertFalse("dram" in designs[0].machine.fields)
        self.assertEqual(designs[1].machine.dram, slow)
        self.assertEqual(designs[1].memory, designs[1].machine.memory)
        self.assertNotEqual(designs[1].memory, "ddr")
        self.assertEqual([each.memory for each in Space({**BASE, "dram": slow}).designs], [designs[1].memory])

    def test_residency_and_batch_are_how_a_machine_runs_networks(self):
        space = Space({**BASE, "memory": ["pipelined", "ddr"], "residency": ["none", "chip"], "batch": [1, 4]})
        self.assertEqual([axis.name for axis in space.axes], ["memory", "residency", "batch"])
        found = [(each.machine.name, each.memory, each.residency, each.batch) for each in space.designs]
        runs = itertools.product(["eyeriss_6x8"], ("pipelined", "ddr"), ("none", "chip"), (1, 4))
        self.assertEqual(found, list(runs))
        (only,) = Space({**BASE, "residency": "chip", "batch": 4}).designs
        self.assertEqual((only.residency, only.batch), ("chip", 4))
        (plain,) = Space(BASE).designs
        self.assertEqual((plain.residency, plain.batch), ("none", 0))

    def test_energy_in_pj_and_area_ask_for_their_sources(self):
        for objective, field in (("energy_pj", "energy_pj"), ("area_mm2", "density")):
            with self.assertRaisesRegex(fovea.UsageError, f"{objective}.*no {field}; give it one, with its source"):
                fovea.explore({**BASE, "rows": [4, 6]}, [VGG8], [objective], database=os.devnull)

    def test_derived_numbers_are_those_of_the_area_model(self):
        space = Space({**BASE, "rows": [6, 12]})
        said = subprocess.run(
            [Path(os.environ["BUILD"]) / "bin/foveac", "machine", "eyeriss_6x8"],
            check=True,
            text=True,
            capture_output=True,
        ).stdout
        values = [design.value("area_gates") for design in space.designs]
        self.assertIn(f"{round(values[0]):,}", said)
        self.assertLess(values[0], values[1])
        kept = Space({**BASE, "rows": [6, 12], "constraints": [f"area_gates <= {values[0]}", "pes < 50"]})
        self.assertEqual([design.machine.rows for design in kept.designs], [6])

    def test_refuses_in_one_line_what_makes_no_space(self):
        for space, words in (
            ({**BASE, "rowz": [1]}, ('"rowz" is not known', "did you mean rows?")),
            ({**BASE, "rows": [6, 999]}, ('"rows" is 999', "it must be an integer from")),
            ({**BASE, "rows": []}, ("rows has no value", "empty")),
            ({**BASE, "rows": {"from": 1, "to": 0, "step": 1}}, ("rows has no value",)),
            ({**BASE, "rows": {"from": 1}}, ("rows is", "work")),
            (
                {**BASE, "rows": [4, 6, 8], "constraints": ["rows < 3", "rows == 6"]},
                ('"rows < 3" excludes the most', "3 of 3"),
            ),
            ({**BASE, "constraints": ["row < 3"]}, ("row is not known", "did you mean rows?")),
            ({**BASE, "constraints": ["open('x')"]}, ("is not taken",)),
            ({**BASE, "constraints": ["rows <"]}, ("no expression",)),
            ({**BASE, "memory": ["lab"], "dram": ["ddr"]}, ("memory and dram are the same",)),
            ({**BASE, "dram": {"base": "ddr", "requests": 9}}, ('dram: field "requests" is 9', "from 1 to 8")),
            ({**BASE, "memory": ["fast"]}, ("memory='fast'", "pipelined")),
            ({**BASE, "memory": [1]}, ("memory='1'", "pipelined")),
            ({**BASE, "residency": ["none", "glb"]}, ("residency='glb'", "none or chip")),
            ({**BASE, "residency": [1]}, ("residency='1'", "none or chip")),
            ({**BASE, "batch": [1, 0]}, ("batch is 0", "from 1 to 65536")),
            ({**BASE, "batch": 2.5}, ("batch is 2.5",)),
            ({**BASE, "batch": []}, ("batch has no value",)),
            ({"rows": [6]}, ('"cols" is missing',)),
            ({**BASE, "rows": {"from": 1, "to": 1e9, "step": 1}}, ("designs; up to",)),
        ):
            with self.subTest(space=space):
                with self.assertRaises((fovea.UsageError, fovea.MachineError)) as caught:
                    _ = Space(space).designs
                text = str(caught.exception)
                self.assertEqual(len(text.splitlines()), 1)
                for word in words:
                    self.assertIn(word, text)


class ExploreTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def explore(self, space=None, minimize=("cycles", "area_gates"), name="a", networks=(VGG8,), **options):
        options = {"processes": 1, "database": self.folder / f"{name}.sqlite", **options}
        return fovea.explore(space or SMALL, networks, minimize, **options)

    def test_efficiencies_are_as_by_hand(self):
        access = {"bits": 8, "pj": 2}
        priced = {
            "energy_pj": {
                "technology": "65 nm",
                "source": "a test",
                **{name: access for name in ("mac", "hop", "dram")},
                "memories": [{"bytes": size, **access} for size in (1, 1 << 20)],
            },
            "density": {"gates_per_mm2": 1e6, "sram_bits_per_mm2": 1e6, "technology": "65 nm", "source": "a test"},
        }
        found = self.explore(
            {**SMALL, **priced}, ("cycles", "energy", "energy_pj", "area_mm2", "area_gates", "sram_bytes")
        )
        for design in found.designs[:3]:
            row = found.row(design)
            macs = sum(layer["macs"] for layer in found.layer_rows(design))
            seconds = row["cycles"] / 200e6
            self.assertEqual(row["energy_pj"], row["energy"] * 8)  # Four products of 8 x 8 bits.
            self.assertAlmostEqual(row["frames_per_second"] * seconds, 1)
            self.assertAlmostEqual(row["gops"] / (2 * macs / seconds / 1e9), 1)
            self.assertAlmostEqual(row["gops_per_watt"] / (2000 * macs / row["energy_pj"]), 1)
            self.assertAlmostEqual(row["area_mm2"] / (row["area_gates"] / 1e6 + 8 * row["sram_bytes"] / 1e6), 1)
            self.assertAlmostEqual(row["tops_per_mm2"] / (row["gops"] / 1000 / row["area_mm2"]), 1)

    def test_predictions_are_what_compiled_networks_are_predicted_and_take(self):
        for optimize in ("cycles", "energy"):
            found = self.explore({**SMALL, "memory": ["pipelined", "ddr"]}, name=optimize, optimize=optimize)
            for design in found.designs[::5]:
                net = fovea.compile(VGG8, design.machine, optimize=optimize)
                layers = found.layers(design)
                on_device = [layer for layer in net.layers if layer.on_device and layer.details.get("calls")]
                taken = layers[layers["target"] == "dla"]
                self.assertEqual(taken["layer"].tolist(), [layer.name for layer in on_device])
                if design.memory == "pipelined":
                    self.assertEqual(taken["cycles"].tolist(), [layer.predicted_cycles for layer in on_device])
                run = net.run(np.zeros((3, 32, 32), np.float32), dram=design.memory)
                for name in ("dram_read_bytes", "dram_write_bytes"):
                    self.assertEqual(taken[name].tolist(), run.layers[name].tolist())
                np.testing.assert_allclose(
                    taken["energy_macs"].tolist(), run.layers["energy_macs"].tolist(), rtol=1e-12
                )
                # Where a row of the DRAM is open, and when it refreshes, depends on the layers before.
                most = {"pipelined": 1e-6, "ddr": 1e-4}[design.memory]
                self.assertLess(abs(taken["cycles"].sum() - run.cycles) / run.cycles, most)

    def test_layers_of_another_network_and_run_are_not_searched_again(self):
        first = self.explore()
        rows = first.store._all("layers")
        self.assertEqual(len({(row["machine"], row["asked"]) for row in rows}), len(rows))
        raw = sqlite3.connect(self.folder / "a.sqlite")
        raw.execute("UPDATE layers SET cycles = cycles + 1000")
        raw.execute("DELETE FROM evaluations")
        raw.commit()
        raw.close()
        again = self.explore()
        device = sum(1 for layer in first.layers(first.designs[0])["target"] if layer == "dla")
        for design in first.designs:
            self.assertEqual(again.values(design)[0], first.values(design)[0] + 1000 * device)

    def test_goes_on_where_it_was_interrupted(self):
        def interrupt(done, _):
            if done == 4:
                raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            self.explore(progress=interrupt)
        told = []
        found = self.explore(progress=lambda *done: told.append(done))
        self.assertEqual(told, [(5, 6), (6, 6)])
        self.assertEqual(
            [found.values(each) for each in found.designs],
            [self.explore(name="b").values(each) for each in found.designs],
        )
        self.explore(progress=lambda *done: self.fail("everything is known"))

    def test_front_is_what_no_design_beats(self):
        values = np.random.default_rng(3).integers(0, 6, (60, 3)).astype(np.float64)
        beaten = [any((other <= row).all() and (other < row).any() for other in values) for row in values]
        self.assertEqual((~on_front_of(values)).tolist(), beaten)

    def test_confirmed_figures_are_those_of_a_run(self):
        found = self.explore(confirm={"systemc": 1})
        rows = found.confirm(1, "systemc")
        net = fovea.compile(VGG8, found.machine(rows["machine"].tolist()[0]))
        run = net.run(np.zeros((3, 32, 32), np.float32), backend="systemc")
        self.assertEqual(rows["confirmed_cycles"].tolist(), [run.cycles])
        self.assertEqual(rows["confirmed_dram_read_bytes"].tolist(), [run.dram_read_bytes])
        self.assertEqual(len(found.store._all("confirmations")), 1)

    def check_as_compiled(self, model, space):
        """What a run moves and takes, of all pictures, is what was found for one times their number."""
        found = self.explore({**BASE, **space}, ("cycles", "dram_bytes", "energy"), networks=[model])
        for design in found.designs:
            pictures = found.run_of(design)["batch"]
            net = fovea.compile(model, design.machine, dram=design.memory, residency=design.residency, batch=pictures)
            layers = found.layers(design)
            taken = layers[layers["target"] == "dla"]
            on_device = [layer for layer in net.layers if layer.on_device and layer.details.get("calls")]
            self.assertEqual(taken["layer"].tolist(), [layer.name for layer in on_device])
            if design.memory == "pipelined":
                self.assertEqual(taken["cycles"].sum() * pictures, net.predicted_cycles)
            run = net.run(np.zeros(net.inputs[0].shape, np.float32), dram=design.memory)
            most = {"pipelined": 1e-6, "ddr": 3e-3}[design.memory]
            self.assertLess(abs(taken["cycles"].sum() * pictures / run.cycles - 1), most)
            _, dram_bytes, energy = found.values(design)
            self.assertEqual(dram_bytes * pictures, run.dram_read_bytes + run.dram_write_bytes)
            self.assertAlmostEqual(energy * pictures / run.energy_macs, 1, places=12)
        return [found.values(design)[1] for design in found.designs]

    def test_residency_is_as_compiled(self):
        model = fovea.model("resnet8_cifar10.onnx")
        none, chip, none_ddr, chip_ddr = self.check_as_compiled(
            model, {"residency": ["none", "chip"], "memory": ["pipelined", "ddr"]}
        )
        self.assertLess(chip, 0.5 * none)
        self.assertLess(chip_ddr, 0.5 * none_ddr)

    def test_batch_is_as_compiled_and_counted_a_picture(self):
        one, four = self.check_as_compiled(VGG8, {"batch": [1, 4]})
        self.assertLess(four, one)

    def test_rows_of_residency_are_not_taken_for_those_without(self):
        plain, chip = self.explore(BASE), self.explore({**BASE, "residency": "chip"})
        self.assertEqual(len(chip.store._all("evaluations")), 2)
        (a,), (b,) = plain.designs, chip.designs
        self.assertNotEqual(plain.values(a), chip.values(b))
        for description, values in ((BASE, plain.values(a)), ({**BASE, "residency": "chip"}, chip.values(b))):
            again = self.explore(description, progress=lambda *done: self.fail("everything is known"))
            self.assertEqual(again.values(again.designs[0]), values)
            self.assertEqual(again.layers(again.designs[0])["cycles"].sum(), values[0])

    def test_confirms_residency_as_lists_beside_what_was_predicted(self):
        found = self.explore({**BASE, "residency": "chip", "batch": 2}, confirm={"systemc": 1})
        (row,) = found.confirmed_rows(1, "systemc")
        self.assertEqual((row["residency"], row["batch"], row["as_lists"]), ("chip", 2, True))
        net = fovea.compile(VGG8, residency="chip", batch=2)
        run = net.run(np.zeros(net.inputs[0].shape, np.float32), lists=True)
        self.assertEqual((row["confirmed_cycles"] * 2, row["predicted_cycles"] * 2), (run.cycles, net.predicted_cycles))
        self.assertEqual(row["confirmed_dram_read_bytes"], row["predicted_dram_read_bytes"])

    def test_steps_go_to_another_residency_and_batch(self):
        found = self.explore({**BASE, "residency": ["none", "chip"], "batch": [1, 2]}, ("cycles", "dram_bytes"))
        steps = found.step_rows(found.designs[0])
        self.assertEqual([(row["field"], row["to"]) for row in steps], [("residency", "chip"), ("batch", 2)])
        self.assertTrue(all(row["dram_bytes_percent"] < 0 for row in steps))

    def test_sample_and_search_evaluate_as_many_as_asked_for(self):
        space = {**BASE, "rows": [4, 6, 8, 12], "cols": [4, 8, 12], "psum_lanes": [1, 2, 4, 8]}
        grid = self.explore(space, processes=2)
        self.assertEqual(len(grid.designs), 48)
        sample = self.explore(space, strategy="sample", evaluations=12)
        same = self.explore(space, strategy="sample", evaluations=12)
        other = self.explore(space, strategy="sample", evaluations=12, seed=2)
        self.assertEqual((len(sample.designs), sample.designs), (12, same.designs))
        self.assertNotEqual(sample.designs, other.designs)
        try:
            import deap as _  # type: ignore[import]
        except ImportError:
            self.skipTest("python3-deap is not here")
        nsga2 = self.explore(space, strategy="nsga2", evaluations=24)
        self.assertEqual(len(nsga2.designs), 24)
        told = []
        gain = self.explore(space, strategy="gain", evaluations=12, progress=lambda *done: told.append(done))
        self.assertEqual((len(gain.designs), told[-1]), (12, (12, 12)))
        values = np.array([grid.values(each) for each in grid.designs])
        low, high = values.min(0), values.max(0)

        def covered(found):
            points = [tuple((np.array(found.values(each)) - low) / (high - low)) for each in found.front]
            return hypervolume(points, (1.0, 1.0))

        self.assertGreater(covered(nsga2) / covered(grid), 0.95)
        self.assertGreater(covered(gain) / covered(grid), 0.98)

    def test_a_cluster_gives_the_rows_that_one_process_does(self):
        try:
            from distributed import Client, LocalCluster  # type: ignore[import]
        except ImportError:
            self.skipTest("python3-distributed is not here")
        alone = self.explore(name="alone")
        cluster = LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None)
        with cluster, Client(cluster) as client:
            found = self.explore(name="cluster", client=client)
        texts = [each.store.export_csv("layers", self.folder / "rows.csv").read_text() for each in (alone, found)]
        self.assertEqual(texts[0], texts[1])

    def test_refuses_in_one_line_before_the_first_design(self):
        told = []
        mixed, resnet8 = self.folder / "mixed.onnx", fovea.model("resnet8_cifar10.onnx")
        x, y = (onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1, 8]) for name in "xy")
        node = onnx.helper.make_node("ReduceMax", ["x"], ["y"], "largest", axes=[0])
        graph = onnx.helper.make_graph([node], "mixed", [x], [y])
        onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 13)]), mixed)
        for networks, options, words in (
            ([self.folder / "none.onnx"], {}, "none.onnx"),
            ([ROOT / "README.md"], {}, "README.md"),
            ([VGG8, VGG8], {}, "two are called"),
            ([], {}, "networks"),
            ([VGG8], {"minimize": ["speed"]}, "minimize='speed'"),
            ([VGG8], {"strategy": "sample"}, "evaluations"),
            ([VGG8], {"space": {**SMALL, "batch": [1, 65536]}}, "at most 2^31 elements work"),
            ([resnet8], {"space": {**SMALL, "batch": [1, 65536]}}, "65536 pictures at once; memory holds"),
            ([VGG8], {"space": {**SMALL, "batch": [1, 2]}, "batch": 2}, "has a batch too; leave one of them out"),
            ([mixed], {"space": {**SMALL, "batch": 2}}, "largest"),
        ):
            with self.subTest(networks=networks, options=options), self.assertRaises(fovea.Error) as caught:
                fovea.explore(
                    options.pop("space", SMALL),
                    networks,
                    database=self.folder / "x.sqlite",
                    processes=1,
                    progress=lambda *done: told.append(done),
                    **options,
                )
            self.assertIn(words, str(caught.exception))
            self.assertEqual(len(str(caught.exception).splitlines()), 1)
        self.assertEqual(told, [])


if __name__ == "__main__":
    unittest.main()
