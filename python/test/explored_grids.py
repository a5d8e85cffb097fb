# SPDX-License-Identifier: Apache-2.0
"""Machines for a network as fovea.explore evaluated all of them, against which tests hold searches."""
import csv
from pathlib import Path

import numpy as np

from fovea.design_search import search
from fovea.explorations import on_front_of

GRIDS = ("vgg8", "resnet8")
OBJECTIVES = ("cycles", "area_gates", "dram_bytes")


def hypervolume(points, corner):
    """What points dominate below a corner: slice by slice of the last objective."""
    points = [point for point in points if point[-1] < corner[-1]]
    if len(corner) == 1:
        return max((corner[0] - point[0] for point in points), default=0)
    levels = sorted({point[-1] for point in points}) + [corner[-1]]
    return sum(
        (above - at) * hypervolume([point[:-1] for point in points if point[-1] <= at], corner[:-1])
        for at, above in zip(levels, levels[1:])
    )


class Grid:
    """explored_NAME.csv: fields of machines, then objectives, of which the first so many count."""

    def __init__(self, name, objectives):
        with open(Path(__file__).with_name(f"explored_{name}.csv"), newline="") as file:
            header, *rows = csv.reader(file)
        fields = header.index(OBJECTIVES[0])
        values = np.array(rows, np.float64)
        self.features, self.values = np.log(values[:, :fields]), values[:, fields : fields + objectives]
        self.tenth = round(len(rows) / 10)

    def search(self, evaluations, seed=1):
        """The places that were evaluated. The search is told gates only."""
        asked = []

        def evaluate(places):
            asked.extend(places)
            return self.values[places]

        known = np.full(self.values.shape, np.nan)
        known[:, 1] = self.values[:, 1]
        found = search(self.features, known, evaluate, evaluations, seed)
        assert found == asked and len(set(found)) == evaluations
        return found

    def covered(self, places):
        """The part of the grid's hypervolume."""
        return self._volume(self.values[places]) / self._volume(self.values)

    def _volume(self, values):
        low, high = self.values.min(0), self.values.max(0)
        points = np.unique((values[on_front_of(values)] - low) / (high - low), axis=0).tolist()
        return hypervolume(points, [1.0] * len(low))
