# SPDX-License-Identifier: Apache-2.0
"""The search by expected gain: what it expects, and how much of a grid's front it finds. FOVEA_REBASE=1 evaluates the
grids anew and stores them."""
import importlib.util
import os
import tempfile
import unittest
from pathlib import Path

import numpy as np

from explored_grids import GRIDS, Grid, explore, hypervolume, read_grid, write_grid
from fovea.design_search import _expected_gains


@unittest.skipUnless(importlib.util.find_spec("sklearn"), "python3-sklearn is not here")
class SearchTest(unittest.TestCase):
    def test_grids_are_what_their_machines_take_now(self):
        """Asked of corners: machines with the least or most of three fields."""
        for name in GRIDS:
            with self.subTest(name), tempfile.TemporaryDirectory(prefix="fovea-") as folder:
                fields, rows = read_grid(name)
                axes = {field: sorted(set(column)) for field, column in zip(fields, zip(*rows))}
                database = Path(folder, "grid.sqlite")
                if os.environ.get("FOVEA_REBASE") == "1":
                    write_grid(name, fields, explore(name, axes, database))
                    continue
                of_corners = ("rows", "psum_lanes", "glb_bytes")
                corners = {
                    field: [values[0], values[-1]] if field in of_corners else values[:1]
                    for field, values in axes.items()
                }
                found = explore(name, corners, database)
                self.assertGreater(len(found), 4)
                for row in found:
                    self.assertIn(row, rows)

    def test_a_tenth_of_the_grid_covers_98_percent_of_its_hypervolume(self):
        for name in GRIDS:
            for objectives in (2, 3):
                with self.subTest(grid=name, objectives=objectives):
                    grid = Grid(name, objectives)
                    covered = [grid.covered(grid.search(grid.tenth, seed)) for seed in (1, 2, 3)]
                    self.assertGreaterEqual(np.median(covered), 0.98)
                    self.assertGreaterEqual(min(covered), 0.97)
                    random = np.random.default_rng(1)
                    by_chance = [random.choice(len(grid.values), grid.tenth, replace=False) for _ in range(9)]
                    self.assertLess(np.median([grid.covered(places) for places in by_chance]), 0.97)

    def test_expected_gains_are_those_of_volumes(self):
        random = np.random.default_rng(1)
        low, high = np.full(3, 0.5), np.full(3, 2.0)
        values = random.uniform(0.4, 2.1, (9, 3))
        means, deviations = np.log(random.uniform(0.4, 2.1, (20, 3))), random.uniform(0, 0.5, (20, 3))

        def volume(points):
            return hypervolume([np.maximum(point, low).tolist() for point in points], high)

        def gain(value):
            return volume([*values, value]) - volume(values)

        gains = _expected_gains(values, means, np.zeros((20, 3)), low, high)
        np.testing.assert_allclose(gains, [gain(np.exp(mean)) for mean in means], atol=1e-6)
        gains = _expected_gains(values, means, deviations, low, high)
        for place in np.argsort(gains)[-3:]:
            drawn = [gain(value) for value in np.exp(random.normal(means[place], deviations[place], (400, 3)))]
            self.assertLess(abs(np.mean(drawn) - gains[place]), 4 * np.std(drawn) / 20)

    def test_of_many_values_it_takes_some(self):
        random = np.random.default_rng(2)
        values = random.uniform(1, 2, (60, 3))
        values[:, 2] = 4 - values[:, 0] - values[:, 1]  # None beats another.
        means = np.log(random.uniform(0.8, 1, (20, 3)))
        low, high = np.full(3, 0.5), np.full(3, 2.0)
        gains = _expected_gains(values, means, np.zeros((20, 3)), low, high)
        exact = [
            hypervolume([*values.tolist(), np.exp(mean).tolist()], high) - hypervolume(values.tolist(), high)
            for mean in means
        ]
        self.assertLess(np.ptp(gains - exact), 0.01)  # Cells that are dominated in part count, for all designs.

    def test_evaluates_the_same_again_and_all_where_asked_for(self):
        grid = Grid("vgg8", 2)
        for evaluations in (1, 3, 11):
            self.assertEqual(grid.search(evaluations), grid.search(evaluations))
        grid.values, grid.features = grid.values[::11], grid.features[::11]
        self.assertEqual(sorted(grid.search(24)), list(range(24)))


if __name__ == "__main__":
    unittest.main()
