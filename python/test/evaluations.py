# SPDX-License-Identifier: Apache-2.0
"""What tests of exploring in several processes share: which designs were evaluated, how often, and what has to be."""
import os
import tempfile
import unittest
from collections import Counter
from pathlib import Path

import fovea
from fovea import _fovea
from fovea.design_space import Space
from fovea.result_store import ResultStore
from programs import VGG8

#: 12 designs.
SPACE = {"base": "eyeriss_6x8", "rows": [4, 6, 8, 10], "psum_lanes": [1, 2, 4]}

_COUNTED = """
import os
import fovea.evaluation

_evaluate = fovea.evaluation.evaluate

def evaluate(job):
    with open({path!r}, "a") as file:
        file.write(job.machine + chr(10))
    return _evaluate(job)

fovea.evaluation.evaluate = evaluate
"""


class CountedEvaluations:
    """Which designs processes began to evaluate that were started with `environment`; a line each in a file."""

    def __init__(self, folder: Path) -> None:
        self._lines = folder / "evaluated"
        self._lines.touch()
        (folder / "sitecustomize.py").write_text(_COUNTED.format(path=str(self._lines)))
        paths = os.pathsep.join([str(folder), os.environ["PYTHONPATH"]])
        self.environment = {**os.environ, "PYTHONPATH": paths}

    @property
    def names(self) -> Counter[str]:
        return Counter(self._lines.read_text().split())


def kept_in(database: Path) -> set[str]:
    """Names of the machines of SPACE whose evaluation is in a database."""
    store = ResultStore(database)
    digests = {row["machine"] for row in store._all("evaluations")}
    store.close()
    machines = [design.machine for design in Space(SPACE).designs]
    return {machine.name for machine in machines if _fovea.result_machine(machine._file)[0] in digests}


def rows_of(found, folder: Path) -> str:
    """All rows, as they are exported, and the machines of the front."""
    tables = [found.store.export_csv(name, folder / f"{name}.csv").read_text() for name in ("layers", "evaluations")]
    return "".join([*tables, *(design.machine.name for design in found.front)])


class ExplorationTest(unittest.TestCase):
    """Explorations of SPACE by processes that `counted` counts, beside one in this process alone."""

    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.place.cleanup)
        found = fovea.explore(SPACE, [VGG8], database=Path(cls.place.name) / "one.sqlite", processes=1)
        cls.expected = rows_of(found, Path(cls.place.name))
        cls.designs = {design.machine.name for design in found.designs}

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.database = self.folder / "explored.sqlite"
        self.counted = CountedEvaluations(self.folder)

    def check(self, found, kept, in_flight):
        """All rows are there. What a database had when something was lost, was not evaluated again, and of the others
        only what was in flight, at most so many."""
        self.assertEqual(rows_of(found, self.folder), self.expected)
        names = self.counted.names
        self.assertEqual(set(names), self.designs)
        self.assertEqual({name for name in kept if names[name] > 1}, set())
        self.assertLessEqual(names.total() - 12, in_flight)
