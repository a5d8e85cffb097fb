# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/study.md are those of the files in docs/study, and machines' gates those of the area model."""
import csv
import json
import unittest

import fovea
from fovea import _fovea
from fovea.design_space import DERIVED, Space
from fovea.explorations import CAUSE_NAMES
from programs import ROOT

STUDY = ROOT / "docs/study"
PAGE = (ROOT / "docs/study.md").read_text(encoding="utf-8")
MACHINES = {"eyeriss_chip": "eyeriss_chip", "eyeriss_12x14": "eyeriss_12x14", "chosen": str(STUDY / "chosen.json")}
FIELDS = (
    "rows",
    "cols",
    "filter_spad_bytes",
    "glb_bytes",
    "glb_bank_bytes",
    "bus_bytes",
    "psum_lanes",
    "ifmap_bytes_per_cycle",
    "filter_bytes_per_cycle",
)


def rows_of(name):
    with open(STUDY / name, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def row_of(*cells):
    return f"| {' | '.join(cells)} |"


def times(a, b):
    return f"{int(a) / int(b):.2f}"


class StudyTest(unittest.TestCase):
    def setUp(self):
        self.cycles = {
            (row["machine"], row["network"]): {name: int(row[name]) for name in row if name.endswith("cycles")}
            for row in rows_of("networks.csv")
        }
        self.networks = [row["network"] for row in rows_of("networks.csv") if row["machine"] == "chosen"]

    def check(self, expected):
        for row in expected:
            self.assertIn(row + "\n", PAGE)

    def test_machines_are_what_their_files_and_the_area_model_say(self):
        machines = {name: fovea.Machine.load(file) for name, file in MACHINES.items()}
        for field in FIELDS:
            self.check([row_of(f"`{field}`", *(f"{getattr(each, field):,}" for each in machines.values()))])
        self.check([row_of("PEs", *(str(each.pes) for each in machines.values()))])
        self.check([row_of("gates", *(f"{DERIVED['area_gates'](each):,.0f}" for each in machines.values()))])
        self.check([row_of("SRAM, bytes", *(f"{DERIVED['sram_bytes'](each):,.0f}" for each in machines.values()))])
        chip, larger, chosen = (DERIVED["area_gates"](each) for each in machines.values())
        self.assertIn(f"With {100 * (1 - chosen / chip):.0f} % fewer gates than `eyeriss_chip`", PAGE)
        self.assertIn(f"is faster on all, with {100 * (larger / chosen - 1):.0f} % more gates", PAGE)
        fields = fovea.Machine.load(MACHINES["chosen"]).fields
        for field, value in (("cols", 10), ("glb_bank_bytes", 2048), ("bus_bytes", 8), ("filter_bytes_per_cycle", 8)):
            gates = DERIVED["area_gates"](fovea.Machine.of_fields({**fields, field: value}, "larger", "test"))
            self.assertGreater(gates, 1_176_000)
            self.assertIn(f"{gates:,.0f})", PAGE)
        for field, value in (("glb_bank_bytes", 8192), ("psum_lanes", 8)):
            with self.assertRaisesRegex(fovea.MachineError, "banks side by side"):
                fovea.Machine.of_fields({**fields, field: value}, "none", "test")
        areas = [_fovea.area_by_part(each._file) for each in machines.values()]
        for part in areas[0]:
            self.check([row_of(part, *(f"{area[part]:,.0f}" for area in areas))])

    def test_space_counts_each_network_the_same(self):
        space = json.loads((STUDY / "space.json").read_text())
        self.assertEqual(list(space["weights"]), self.networks)
        for network, weight in space["weights"].items():
            self.assertEqual(weight, float(f"{1e8 / self.cycles['eyeriss_chip', network]['cycles']:.3g}"))
        bench = json.loads((ROOT / "python/bench/exploring_space.json").read_text())
        self.assertEqual({**bench, "weights": space["weights"]}, space)
        self.assertIn(f"has {len(Space(space).designs):,} machines", PAGE)

    def test_cycles_of_networks(self):
        for network in self.networks:
            chip, larger, chosen = (self.cycles[machine, network]["cycles"] for machine in MACHINES)
            frames = fovea.Machine.load(MACHINES["chosen"]).clock_mhz * 1e6 / chosen
            cells = [f"{chip:,}", f"{larger:,}", f"{chosen:,}", times(chip, chosen), times(larger, chosen)]
            self.check([row_of(network, *cells, f"{frames:,.1f}")])
        means = [
            sum(
                self.cycles[machine, each]["cycles"] / self.cycles["eyeriss_chip", each]["cycles"]
                for each in self.networks
            )
            / len(self.networks)
            for machine in MACHINES
        ]
        chip, larger, chosen = (
            [self.cycles[machine, each]["cycles"] for each in self.networks] for machine in MACHINES
        )
        self.assertEqual(sum(a > b for a, b in zip(chip, chosen)), 6)
        self.assertTrue(all(a < b for a, b in zip(larger, chosen)))
        self.check([row_of("mean part of `eyeriss_chip`'s", *(f"{mean:.3f}" for mean in means), "", "", "")])

    def test_what_binds(self):
        waits = self.cycles["eyeriss_chip", "mobilenet_v2"]
        self.assertIn(f"waits for it in {100 * waits['ifmap_cycles'] / waits['cycles']:.1f} % of the cycles", PAGE)
        waits = self.cycles["chosen", "vgg16"]
        self.assertIn(f"wait for filters in {100 * waits['filter_cycles'] / waits['cycles']:.1f} % of its", PAGE)
        for network in self.networks:
            causes = self.cycles["chosen", network]
            shares = [100 * causes[f"{cause}_cycles"] / causes["cycles"] for cause in CAUSE_NAMES]
            self.check([row_of(network, *(f"{share:.1f}" for share in shares))])

    def test_front_and_steps(self):
        front, (searched,), (walked,), steps = (
            rows_of(f"{name}.csv") for name in ("front", "searched", "walked", "steps")
        )
        parts = [f"{float(row['cycles']) / 9e8:.3f}" for row in (*front, searched, walked)]
        for row, part in zip(front, parts):
            cells = [row[name] for name in FIELDS if name in row]
            self.check([row_of(row["machine"], *cells, f"{float(row['area_gates']):,.0f}", part)])
        self.assertIn(f"The best one has {parts[0]} of that sum", PAGE)
        self.assertIn(f"It finds {parts[-2]} with 200 machines", PAGE)
        self.assertIn(f"Its best is the chosen one, with {parts[-1]}.", PAGE)
        self.assertEqual((searched["rows"], searched["cols"]), ("16", "8"))
        self.assertEqual(walked["machine"], fovea.Machine.load(MACHINES["chosen"]).name)
        space = json.loads((STUDY / "space.json").read_text())
        self.assertIn(f"all {len(Space({**space, 'rows': 16, 'cols': 8}).designs)} machines of such an array", PAGE)
        for row in steps:
            self.assertEqual(row["machine"], walked["machine"])
            changes = [f"{float(row[name]):+.1f} %" for name in ("cycles_percent", "area_gates_percent")]
            self.check([row_of(f"`{row['field']}` {row['from']} to {row['to']}", *changes)])
            self.assertGreater(float(row["cycles_percent"]), 0)
            if row["field"] == "psum_lanes":
                saved, cost = -float(row["area_gates_percent"]), float(row["cycles_percent"])
                self.assertIn(f"save {saved:.1f} % of the gates, and cost {cost:.1f} % of the time", PAGE)

    def test_confirmed_and_on_the_rtl(self):
        by_machine = {}
        for row in rows_of("confirmed.csv"):
            by_machine.setdefault(row["machine"], []).append(row)
            for name in ("dram_read_bytes", "dram_write_bytes"):
                self.assertEqual(row[f"predicted_{name}"], row[f"confirmed_{name}"])
        for machine, rows in by_machine.items():
            self.assertEqual([row["network"] for row in rows], self.networks)
            pairs = [(int(row["predicted_cycles"]), int(row["confirmed_cycles"])) for row in rows]
            worst = max(100 * abs(predicted / confirmed - 1) for predicted, confirmed in pairs)
            self.check([row_of(machine, *(f"{sum(column):,}" for column in zip(*pairs)), f"{worst:.3f} %")])
        for row in rows_of("rtl.csv"):
            self.check([row_of(row["machine"], *(f"{int(row[name]):,}" for name in ("predicted", "systemc", "rtl")))])
            self.assertEqual(row["systemc"], row["rtl"])

    def test_tensors_on_chip(self):
        chosen = fovea.Machine.load(MACHINES["chosen"]).name
        none = {row["network"]: row for row in rows_of("confirmed.csv") if row["machine"] == chosen}
        fewer = 0
        for chip in (row for row in rows_of("residency.csv") if row["residency"] == "chip"):
            self.assertEqual((chip["machine"], chip["as_lists"]), (chosen, "True"))
            for name in ("dram_read_bytes", "dram_write_bytes"):
                self.assertEqual(chip[f"predicted_{name}"], chip[f"confirmed_{name}"])
            moved = [
                int(row["confirmed_dram_read_bytes"]) + int(row["confirmed_dram_write_bytes"])
                for row in (none[chip["network"]], chip)
            ]
            if moved[0] != moved[1]:
                fewer += 1
                cycles = (none[chip["network"]]["confirmed_cycles"], chip["predicted_cycles"], chip["confirmed_cycles"])
                self.check([row_of(chip["network"], *(f"{int(number):,}" for number in (*cycles, *moved)))])
        self.assertEqual((fewer, len(none)), (7, 9))


if __name__ == "__main__":
    unittest.main()
