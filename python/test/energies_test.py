# SPDX-License-Identifier: Apache-2.0
"""Energies that CACTI and Accelergy wrote: what is read of them, and the line or component that is bad."""
import tempfile
import unittest
from pathlib import Path

import fovea
from fovea.energies import read_accelergy, read_cacti

CACTI = """Tech node (nm), Capacity (bytes), Number of banks, Associativity, Output width (bits), Access time (ns), \
Random cycle time (ns), Dynamic search energy (nJ), Dynamic read energy (nJ), Dynamic write energy (nJ), Area (mm2)
65, 24, 1, 1, 8, 0.1, 0.2, N/A, 0.0002, 0.0004, 0.01
65, 4096, 1, 1, 64, 0.3, 0.5, N/A, 0.010, 0.014, 0.02
"""
ERT = """ERT:
  version: '0.4'
  tables:
  - name: system.chip.glb[1..1]
    actions:
    - name: read
      arguments: {}
      energy: 6
    - name: write
      arguments: {}
      energy: 8
    - name: leak
      energy: 0.5
  - name: system.chip.pe[1..168].mac[1..1]
    actions:
    - name: compute
      energy: 0.25
"""


class EnergiesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "energies"

    def write(self, text):
        self.path.write_text(text)
        return self.path

    def test_reads_the_memories_of_cacti(self):
        found = read_cacti(self.write(CACTI))
        self.assertEqual(found["technology"], "65 nm")
        self.assertEqual([memory["bytes"] for memory in found["memories"]], [24, 4096])
        self.assertEqual([memory["bits"] for memory in found["memories"]], [8, 64])
        for memory, picojoules in zip(found["memories"], (0.3, 12)):
            self.assertAlmostEqual(memory["pj"], picojoules, 12)
        access = {"bits": 8, "pj": 1}
        machine = fovea.Machine(
            energy_pj={**found, "source": "CACTI 7", "mac": access, "hop": access, "dram": access}, name="priced"
        )
        self.assertEqual(machine.mac_pj, 4)

    def test_names_the_line_that_is_bad(self):
        for text, words in (
            ("a, b\n1, 2\n", 'line 1: no column "Tech node'),
            (CACTI.replace("0.010", "none"), 'line 3: "Dynamic read energy .nJ." is none'),
            (CACTI.replace("65, 4096", "45, 4096"), "45 nm, 65 nm; give those of one"),
        ):
            with self.assertRaisesRegex(fovea.UsageError, words):
                read_cacti(self.write(text))
        with self.assertRaisesRegex(fovea.UsageError, "cannot be read"):
            read_cacti(self.path / "none")

    def test_reads_the_components_of_accelergy(self):
        found = read_accelergy(
            self.write(ERT),
            {
                "system.chip.glb": {"bytes": 2048, "bits": 64, "actions": ["read", "write"]},
                "system.chip.pe.mac": {"as": "mac", "bits": 8},
            },
        )
        self.assertEqual(found["memories"], [{"bytes": 2048, "bits": 64, "pj": 7}])
        self.assertEqual(found["mac"], {"bits": 8, "pj": 0.25})

    def test_names_the_component_that_is_bad(self):
        memory = {"bytes": 2048, "bits": 64}
        for text, components, words in (
            (ERT, {"system.glb": memory}, "no component system.glb; there are system.chip.glb, system.chip.pe.mac"),
            (ERT, {"system.chip.glb": {**memory, "actions": ["fill"]}}, "no action fill; there are read, write, leak"),
            (ERT, {"system.chip.glb": {"bits": 64}}, 'give its "bytes", or what it is'),
            (ERT.replace("energy: 6", "energy: x"), {"system.chip.glb": memory}, '"read" is x'),
            ("ERT: [", {}, "line 1: no YAML"),
            ("tables: 3", {}, "no ERT with tables"),
        ):
            with self.assertRaisesRegex(fovea.UsageError, words):
                read_accelergy(self.write(text), components)


if __name__ == "__main__":
    unittest.main()
