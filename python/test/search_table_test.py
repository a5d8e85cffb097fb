# SPDX-License-Identifier: Apache-2.0
"""The page says how much of a grid's hypervolume the search by expected gain covers: it does, over 20 seeds."""
import importlib.util
import re
import unittest

import numpy as np

from explored_grids import GRIDS, Grid
from programs import ROOT


@unittest.skipUnless(importlib.util.find_spec("sklearn"), "python3-sklearn is not here")
class SearchTableTest(unittest.TestCase):
    def test_is_what_20_seeds_find(self):
        text = (ROOT / "docs/explore.md").read_text()
        row = re.compile(r"^\| (\w+)-8 on (\d+) machines \| ([^|]*) \| ([\d.]+) % \| ([\d.]+) % \|$", re.M)
        told = {
            (name.lower() + "8", len(of.split(","))): words for name, *words in row.findall(text) for of in words[1:2]
        }
        self.assertEqual(set(told), {(name, objectives) for name in GRIDS for objectives in (2, 3)})
        for (name, objectives), (machines, _, median, worst) in told.items():
            with self.subTest(grid=name, objectives=objectives):
                grid = Grid(name, objectives)
                covered = [100 * grid.covered(grid.search(grid.tenth, seed)) for seed in range(1, 21)]
                self.assertEqual(len(grid.values), int(machines))
                self.assertAlmostEqual(np.median(covered), float(median), delta=0.1)
                self.assertAlmostEqual(min(covered), float(worst), delta=0.3)
                self.assertGreaterEqual(np.median(covered), 98)


if __name__ == "__main__":
    unittest.main()
