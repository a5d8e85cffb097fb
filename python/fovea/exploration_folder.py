# SPDX-License-Identifier: Apache-2.0
"""The folder of an exploration: its tables, its page, and the machine files of its front."""
import csv
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from . import _fovea
from .design_space import Design
from .errors import Error, UsageError
from .explorations import CAUSE_NAMES, Exploration
from .result_store import Row

ALL = "exploration.json"  #: All of it, for programs; what makes a folder an exploration's.
MOST_BESIDE = 2  #: Explorations that its page shows too.
MOST_DETAILED = 24  #: Designs of the front whose layers the page lists.


class ExplorationFolder:
    """A folder that is there, and holds nothing but an exploration. Raises UsageError.

    others: folders of explorations that the page shows beside it.
    """

    def __init__(self, path: Path, others: Sequence[Path] = ()) -> None:
        self.path, self.others = path, list(others)
        self.database = path / "explored.sqlite"
        self.page = path / "index.html"
        if len(self.others) > MOST_BESIDE:
            raise UsageError(f"--compare: {len(self.others)} folders; up to {MOST_BESIDE} work")
        for other in self.others:
            if not (other / ALL).is_file():
                raise UsageError(f"--compare {other}: no {ALL}; give a folder that fovea explore wrote")
        try:
            path.mkdir(parents=True, exist_ok=True)
            names = {each.name for each in path.iterdir()}
        except OSError as error:
            raise UsageError(f"{path}: cannot be a folder ({error.strerror}); choose another") from None
        if names and not names & {ALL, self.database.name}:
            raise UsageError(f"{path}: holds something that is no exploration; choose another folder")

    def write(self, found: Exploration, command: str, confirm: dict[str, int], steps: int) -> None:
        """Everything but the database. Raises Error where the page can't be drawn; the tables are there then.

        confirm: as explore() takes it. steps: designs of the front whose steps() are listed.
        """
        document = _document(found, command, confirm, steps)
        front = [found.row(design) for design in found.front]
        machines = self.path / "machines"
        machines.mkdir(exist_ok=True)
        for stale in machines.glob("*.json"):
            stale.unlink()
        for design in found.front:
            design.machine.save(machines / f"{design.machine.name}.json")
        _write_csv(self.path / "designs.csv", [found.row(design) for design in found.designs])
        _write_csv(self.path / "front.csv", front)
        for name in ("confirmed", "steps"):
            _write_csv(self.path / f"{name}.csv", document[name])
        (self.path / ALL).write_text(json.dumps(document, separators=(",", ":")))
        self._draw()

    def _draw(self) -> None:
        script = Path(_fovea.report_folder()) / "draw_exploration.py"
        words = [sys.executable, "-B", str(script), str(self.path), *map(str, self.others)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode:
            why = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
            if why.startswith("ModuleNotFoundError"):
                why = "as root: apt-get install --no-install-recommends python3-jinja2"
            raise Error(f"{self.page}: not drawn, the tables beside it are written: {why}")


def _write_csv(path: Path, rows: Sequence[Row]) -> None:
    """Nothing, and not what was there, where there are no rows."""
    if not rows:
        path.unlink(missing_ok=True)
        return
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _document(found: Exploration, command: str, confirm: dict[str, int], steps: int) -> dict[str, Any]:
    front = found.front
    on_front = set(front)
    return {
        "command": command,
        "version": _fovea.version,
        "space": found.space.place,
        "designs_of_space": len(found.space.designs),
        "constraints": [constraint.text for constraint in found.space.constraints],
        "axes": [axis._asdict() for axis in found.space.axes],
        "networks": found.networks,
        "weights": found.space.weights,
        "minimize": found.minimize,
        "causes": [*CAUSE_NAMES, "cpu"],
        "designs": [_point(found, design, design in on_front) for design in found.designs],
        "layers": {found.designs.index(design): _layers(found, design) for design in front[:MOST_DETAILED]},
        "confirmed": [row for backend, most in confirm.items() for row in found.confirmed_rows(most, backend)],
        "steps": [
            {"machine": design.machine.name, **found.run_of(design), **row}
            for design in front[:steps]
            for row in found.step_rows(design)
        ],
    }


def _causes(row: Row) -> list[float]:
    causes = [row[f"{cause}_cycles"] for cause in CAUSE_NAMES]
    return [*causes, row["cycles"] - sum(causes)]


def _point(found: Exploration, design: Design, is_on_front: bool) -> dict[str, Any]:
    """A design with its area by part, and each network's cycles by cause."""
    by_network: dict[str, list[float]] = {name: [0] * (len(CAUSE_NAMES) + 1) for name in found.networks}
    for row in found.layer_rows(design):
        by_network[row["network"]] = [a + b for a, b in zip(by_network[row["network"]], _causes(row))]
    return {
        **found.row(design),
        **found.run_of(design),
        "front": is_on_front,
        "fields": design.machine.fields,
        "area": _fovea.area_by_part(design.machine._file),
        "cycles_by_network": by_network,
    }


def _layers(found: Exploration, design: Design) -> list[list[Any]]:
    """Network, layer and cycles by cause."""
    return [[row["network"], row["layer"], *_causes(row)] for row in found.layer_rows(design)]
