# SPDX-License-Identifier: Apache-2.0
"""Machines for a network as fovea.explore evaluated all of them, against which tests hold searches."""
import csv
from pathlib import Path

import numpy as np

import fovea
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


def path_of(name):
    return Path(__file__).with_name(f"explored_{name}.csv")


def read_grid(name):
    """Names of the fields, and rows of their values and of objectives."""
    with open(path_of(name), newline="") as file:
        header, *rows = csv.reader(file)
    return header[: -len(OBJECTIVES)], [[int(number) for number in row] for row in rows]


def explore(name, axes, database):
    """Such rows of the machines whose fields have these values, as they are evaluated now."""
    model = fovea.model(f"{name}_cifar10_power2.onnx")
    found = fovea.explore({"base": "eyeriss_6x8", **axes}, [model], OBJECTIVES, database=database)
    return [
        [*(design.machine.fields[field] for field in axes), *map(round, found.values(design))]
        for design in found.designs
    ]


def write_grid(name, fields, rows):
    with open(path_of(name), "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([[*fields, *OBJECTIVES], *rows])


class Grid:
    """explored_NAME.csv: fields of machines, then objectives, of which the first so many count."""

    def __init__(self, name, objectives):
        fields, rows = read_grid(name)
        values = np.array(rows, np.float64)
        self.features = np.log(values[:, : len(fields)])
        self.values = values[:, len(fields) : len(fields) + objectives]
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
