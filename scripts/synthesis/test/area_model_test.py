# SPDX-License-Identifier: Apache-2.0
"""The area model against sums by hand, against the syntheses that it was fitted to, and against what foveac says."""
import json
import os
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "scripts/synthesis"), str(ROOT / "scripts")]

import area_model
import fit_area
from machine import FOLDERS

FOVEAC = ROOT / os.environ.get("BUILD", "build/release") / "bin/foveac"


def geometry(name):
    path = next(file for file in (ROOT / folder / f"{name}.json" for folder in FOLDERS) if file.exists())
    return {
        field: value for field, value in json.loads(path.read_text(encoding="utf-8")).items() if isinstance(value, int)
    }


class LeastSquaresTest(unittest.TestCase):
    def test_weights_that_fit_exactly_are_found(self):
        rows = [((1, x, x * y), 30 + 2 * x + 0.5 * x * y) for x, y in ((1, 1), (2, 5), (3, 2), (4, 9))]
        for got, wanted in zip(area_model.least_squares(rows), (30, 2, 0.5)):
            self.assertAlmostEqual(got, wanted, places=6)

    def test_no_weight_is_below_0(self):
        # Without that, 10 - 2x.
        weights = area_model.least_squares([((1, x), 10 - 2 * x) for x in (1, 2, 3)])
        self.assertAlmostEqual(weights[0], 6)
        self.assertEqual(weights[1], 0)

    def test_features_that_nobody_can_tell_apart_share_nothing(self):
        weights = area_model.least_squares([((x, 2 * x), 6 * x) for x in (1, 2, 3)])
        self.assertAlmostEqual(weights[0] + 2 * weights[1], 6)


class AreaModelTest(unittest.TestCase):
    def setUp(self):
        self.model = area_model.read_model()
        self.syntheses = json.loads(fit_area.SYNTHESES.read_text(encoding="utf-8"))

    def test_memories_of_the_machines_that_ship(self):
        small, large = geometry("eyeriss_6x8"), geometry("eyeriss_12x14")
        self.assertEqual(self.model.memory_bits(small), 8 * (64 * 1024 + 48 * 96 + (2 + 4) * 128 * 4 + 256))
        self.assertEqual(self.model.memory_bits(large), 8 * (108 * 1024 + 168 * 448 + 8 * ((2 + 5) * 128 * 4 + 256)))
        self.assertEqual(self.model.memories(large)[0], ("GLB banks", 54, 256, 64))

    def test_a_spad_of_few_bits_is_no_memory(self):
        machine = geometry("eyeriss_6x8") | {"filter_spad_bytes": 28}
        self.assertEqual(
            [name for name, *_ in self.model.memories(machine)],
            ["GLB banks", "biases", "filters' scales", "activation tables"],
        )

    def test_a_unit_counts_to_one_group(self):
        listed = [unit for group in self.model.groups for unit in group["units"] or ()]
        self.assertEqual(len(listed), len(set(listed)))
        self.assertEqual(self.model.group_of("glb"), "GLB multiplexers")
        self.assertEqual(self.model.group_of("watchdog"), "control")

    def test_gates_of_a_synthesis_add_up(self):
        modules = [
            {"module": "dla_fifo", "units": {"store": 2, "passes": 1}, "gates": 100},
            {"module": "dla_pe", "units": {"pe": 48}, "gates": 4000},
        ]
        gates = self.model.group_gates({"modules": modules})
        self.assertEqual((gates["PEs"], gates["load and store"], gates["control"]), (192000, 200, 100))
        self.assertEqual(sum(gates.values()), 192300)

    def test_what_is_stored_is_the_fit_of_the_reported_syntheses(self):
        stored = [term["gates"] for group in self.model.groups for term in group["terms"]]
        fitted = set(self.model.description["fitted_to"])
        self.model.fit([one for one in self.syntheses if one["machine"]["name"] in fitted])
        for group, (was, now) in zip(
            [term["name"] for group in self.model.groups for term in group["terms"]],
            zip(stored, [term["gates"] for group in self.model.groups for term in group["terms"]]),
        ):
            self.assertAlmostEqual(was, now, delta=max(1.0, 0.02 * abs(now)), msg=group)

    def test_it_is_at_most_10_percent_off_on_machines_that_it_was_not_fitted_to(self):
        checked, fitted = self.model.description["checked_on"], self.model.description["fitted_to"]
        self.assertGreaterEqual(len(checked), 3)
        self.assertFalse(set(checked) & set(fitted))
        self.assertEqual({one["machine"]["name"] for one in self.syntheses}, set(checked) | set(fitted))
        for one in self.syntheses:
            gates_off, bits_off = fit_area.percent_off(self.model, one)
            if one["machine"]["name"] in checked:
                self.assertLessEqual(abs(gates_off), fit_area.WORST_PERCENT, one["machine"]["name"])
            self.assertEqual(bits_off, 0, one["machine"]["name"])
        self.assertAlmostEqual(
            fit_area.worst_percent(self.model, self.syntheses), self.model.description["worst_percent"], delta=0.051
        )

    def test_the_geometry_is_that_of_the_machine_files(self):
        for one in self.syntheses:
            fields = {name: value for name, value in one["machine"].items() if name != "name"}
            self.assertEqual(fields, {field: geometry(one["machine"]["name"])[field] for field in fields})

    def test_writing_what_was_read_changes_nothing(self):
        self.assertEqual(area_model.text_of(self.model.description) + "\n", area_model.FILE.read_text(encoding="utf-8"))

    @unittest.skipUnless(FOVEAC.exists(), "foveac is not built")
    def test_foveac_says_the_same_of_any_machine(self):
        for name in [*self.model.machines(), "test_6x5_bus4"]:
            path = next(file for file in (ROOT / folder / f"{name}.json" for folder in FOLDERS) if file.exists())
            said = json.loads(
                subprocess.run([FOVEAC, "machine", path, "--json"], capture_output=True, text=True, check=True).stdout
            )
            self.assertEqual(said["memory_bits"], self.model.memory_bits(geometry(name)))
            for group, gates in self.model.gates(geometry(name)).items():
                self.assertAlmostEqual(said["gates"][group], gates, delta=0.01)


if __name__ == "__main__":
    unittest.main()
