# SPDX-License-Identifier: Apache-2.0
"""What reports/valgrind.md says of a profile, from massif files written by hand."""
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import massif

HEAD = "desc: --stacks=yes\ncmd: program\ntime_unit: i\n"


def snapshot(number, instructions, heap, stacks, tree="heap_tree=empty"):
    bytes_used = f"mem_heap_B={heap}\nmem_heap_extra_B=8\nmem_stacks_B={stacks}"
    return f"#-----------\nsnapshot={number}\n#-----------\ntime={instructions}\n{bytes_used}\n{tree}\n"


class Massif(unittest.TestCase):
    def test_a_detailed_snapshot_counts_once(self):
        tree = (
            "heap_tree=detailed\nn1: 700 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.\n n0: 700 0x1:"
            " main (time=3)"
        )
        text = HEAD + snapshot(0, 0, 0, 0) + snapshot(1, 50, 700, 96, tree)
        self.assertEqual(massif.snapshots(text), [massif.Snapshot(0, 0, 0), massif.Snapshot(50, 700, 96)])

    def test_a_step_is_where_the_heap_changes_and_not_the_stacks(self):
        taken = [massif.Snapshot(*each) for each in ((0, 0, 0), (5, 100, 8), (6, 100, 500), (9, 300, 8), (12, 100, 8))]
        self.assertEqual(
            [(step.instructions, step.heap) for step in massif.heap_steps(taken)],
            [(0, 0), (5, 100), (9, 300), (12, 100)],
        )


class Report(unittest.TestCase):
    def test_it_has_the_staircase_of_the_labs_form(self):
        text = (ROOT / "reports/valgrind.md").read_text()
        lines = text[text.index("| instructions | heap B |") :].split("\n\n")[0].splitlines()[2:]
        heights = [int(line.split("|")[2].replace(",", "")) for line in lines]
        rises = sum(before < after for before, after in zip(heights, heights[1:]))
        falls = sum(before > after for before, after in zip(heights, heights[1:]))
        self.assertGreaterEqual(min(rises, falls), 5, heights)
        self.assertIn(f"at most {max(heights):,} B", text)


unittest.main()
