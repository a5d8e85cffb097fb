# SPDX-License-Identifier: Apache-2.0
"""Which machine for these networks: designs of a space, evaluated by prediction, and those that no other one beats."""
import functools
import json
import math
import os
import random
import time
from collections.abc import Callable, Sequence
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import NDArray

from . import _fovea
from .design_search import search
from .design_space import DERIVED, Design, Space
from .errors import UsageError, choose
from .evaluation import Answer, Job, Source, check, evaluate_all, layer_rows, per_picture, source_of
from .inputs import FilePath
from .machine import Machine
from .models import Model, model_path
from .network import checked_shapes, compile as compile_network
from .progress import Progress, told
from .result_store import CAUSES, COSTS, Key, ResultStore, Row, key_of
from .table import Frame, Table, frame

#: What of a design may be made small, by sums over networks of their weights times what a picture of each takes.
_OF_NETWORKS: dict[str, Callable[[Row, Design], Any]] = {
    "cycles": lambda row, design: row["cycles"],
    "seconds": lambda row, design: row["cycles"] / (1e6 * design.machine.clock_mhz),
    "dram_bytes": lambda row, design: row["dram_read_bytes"] + row["dram_write_bytes"],
    "energy": lambda row, design: row["energy_macs"],
    "energy_pj": lambda row, design: row["energy_macs"] * (design.machine.mac_pj or math.nan),
}
#: What `minimize` may name: these, the energy in 16-bit MACs or in pJ, and what a machine is itself.
OBJECTIVES = (*_OF_NETWORKS, *DERIVED)
#: Objectives that machines without a field of their file have no number of.
_ASKS_FOR = {"energy_pj": ("mac_pj", "energy_pj"), "area_mm2": ("area_mm2", "density")}
STRATEGIES = ("grid", "sample", "gain", "nsga2")
_POPULATION = 12  #: Of NSGA-II, at most; a multiple of 4.
MOST_MOVED = 3  #: Layers and causes that steps() names.
CAUSE_NAMES = tuple(cause.removesuffix("_cycles") for cause in CAUSES)
_CHILDREN = 4  #: A generation: few, as each evaluation says where the next is worth most.


def explore(
    space: Union[Space, dict[str, Any], FilePath],
    networks: Sequence[Model],
    minimize: Sequence[str] = ("cycles", "area_gates"),
    *,
    strategy: str = "grid",
    evaluations: int = 0,
    seed: int = 1,
    confirm: Optional[dict[str, int]] = None,
    optimize: str = "cycles",
    slack: int = 2,
    shapes: Optional[dict[str, Sequence[int]]] = None,
    batch: int = 0,
    database: FilePath = "explored.sqlite",
    processes: Optional[int] = None,
    client: Any = None,
    progress: Progress = None,
) -> "Exploration":
    """Evaluates machines of a space for networks, and finds those that no other one beats in every objective.

    space: a Space, its description, or a JSON file of one. networks: as compile() takes them. minimize: objectives, of
    `fovea.explorations.OBJECTIVES`. strategy: "grid" for all designs; "sample" for `evaluations` of them by chance;
    "gain" for a search that evaluates so many, each time those that should add most to the front (python3-sklearn);
    "nsga2" for one by NSGA-II (python3-deap). confirm: designs of the front to run by backend,
    {"systemc": 20, "rtl": 3}. optimize, slack, shapes: as compile() takes them. batch: the same, where the space has
    none; objectives are of one picture of it. database: an SQLite file that keeps all results: what it has is not
    computed again, so what was interrupted goes on where it was. processes: of this computer; without it, one a core.
    client: a dask.distributed.Client whose workers evaluate instead. progress: called with designs done and all; True
    shows them, and how long the rest takes.

    Raises UsageError, MachineError and NetworkError before the first design is evaluated; StoreError.
    """
    if not isinstance(space, Space):
        space = Space(space) if isinstance(space, dict) else Space.load(space)
    minimize = [choose("minimize", each, OBJECTIVES) for each in minimize]
    if not minimize or not networks:
        raise UsageError(f"{'networks' if minimize else 'minimize'}: none; give one at least")
    choose("strategy", strategy, STRATEGIES)
    choose("optimize", optimize, _fovea.objectives)
    for backend in confirm or {}:
        choose("confirm", backend, _fovea.backends)
    designs = space.designs
    for name, (number, field) in _ASKS_FOR.items():
        if name in minimize and any(getattr(design.machine, number) is None for design in designs):
            raise UsageError(f"minimize={name!r}: a machine's file has no {field}; give it one, with its source")
    if strategy != "grid" and not 0 < evaluations:
        raise UsageError(f"evaluations={evaluations}: strategy {strategy!r} takes how many designs to evaluate")
    read = {name: tuple(shape) for name, shape in checked_shapes(shapes).items()}
    if batch and any(space.batches):
        raise UsageError(f"batch={batch}: {space.place} has a batch too; leave one of them out")
    sources = {
        size: [source_of(model_path(network), read, size or batch) for network in networks] for size in space.batches
    }
    _check_weights(space, sources[space.batches[0]])
    count = len(os.sched_getaffinity(0)) if processes is None else processes
    store = ResultStore(database)
    try:
        found = Exploration(space, sources, minimize, optimize, slack, store, count, client)
        with told(progress) as tell:
            found._say = tell if progress is not True else _estimated(tell)
            if strategy in _SEARCHES:
                _SEARCHES[strategy](found, designs, min(evaluations, len(designs)), seed)
            else:
                chosen = designs
                if strategy == "sample" and evaluations < len(designs):
                    places = sorted(random.Random(seed).sample(range(len(designs)), evaluations))
                    chosen = [designs[place] for place in places]
                found._evaluate(chosen)
        for backend, most in (confirm or {}).items():
            found.confirm(most, backend)
    except BaseException:
        store.close()
        raise
    return found


def _check_weights(space: Space, sources: Sequence[Source]) -> None:
    names = [source.name for source in sources]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"networks: two are called {name}; rename one's file")
    for name in space.weights:
        if name not in names:
            raise UsageError(f"{space.place}: weights: {name} is none of the networks; there are {', '.join(names)}")


def _estimated(tell: Any) -> Callable[[int, int], object]:
    """Shows how many of how many, and how long the rest takes."""
    start = time.monotonic()

    def show(done: int, of: int) -> None:
        left = (time.monotonic() - start) / max(1, done) * (of - done)
        text = f"about {left / 60:.0f} min left" if left >= 90 else f"about {left:.0f} s left"
        tell(f"{done:,} of {of:,} designs, {text}" if done < of else f"{of:,} designs")

    return show


@functools.lru_cache(4096)
def _macs_of(layers: str) -> tuple[int, int]:
    """MACs of all layers of an evaluation, which several machines may share, and of those on the accelerator."""
    rows = json.loads(layers)
    return sum(row["macs"] for row in rows), sum(row["macs"] for row in rows if row["asked"])


class Exploration:
    """What explore() found."""

    def __init__(
        self,
        space: Space,
        sources: dict[int, list[Source]],
        minimize: Sequence[str],
        optimize: str,
        slack: int,
        store: ResultStore,
        processes: int,
        client: Any,
    ) -> None:
        self.space = space
        self.networks = [source.name for source in sources[space.batches[0]]]
        self.minimize = list(minimize)
        self.store = store  #: Where results are: ResultStore.table() and export_csv().
        self.designs: list[Design] = []  #: Those that were evaluated, in the order of the space.
        self._sources = sources  # By Design.batch.
        self._checked: set[str] = set()  # Digests.
        self._goal = (optimize, slack)
        self._processes, self._client = processes, client
        self._say: Any = None
        self._found: dict[Key, dict[str, Row]] = {}  # Rows of evaluations by Source.key.
        self._values: dict[Design, list[float]] = {}

    def __repr__(self) -> str:
        return f"<Exploration: {len(self.designs):,} designs, {len(self.front)} of them on the front>"

    # Evaluating.

    def _key(self, design: Design) -> Key:
        return key_of(design.machine, design.memory, *self._goal)

    def _sources_of(self, design: Design) -> list[Source]:
        return [source._replace(residency=design.residency) for source in self._sources[design.batch]]

    def _evaluated(self, design: Design) -> list[tuple[float, Source, Row]]:
        """Each network with its weight, and the row of its evaluation for one picture."""
        rows = self._found[self._key(design)]
        weights = self.space.weights
        return [
            (weights.get(source.name, 1), source, per_picture(rows[source.key], source))
            for source in self._sources_of(design)
        ]

    def _evaluate(self, designs: Sequence[Design]) -> None:
        """Evaluates designs, which are then among `designs`."""
        self._price(designs)
        self.designs = sorted({*designs, *self.designs}, key=lambda design: design.choice)

    def _price(self, designs: Sequence[Design]) -> None:
        """Evaluates what no database has yet."""
        jobs: list[Job] = []
        waiting: list[Design] = []
        for design in designs:
            key = self._key(design)
            rows = {row["network"]: row for row in self.store.find("evaluations", key)}
            self._found[key] = rows
            missing = tuple(source for source in self._sources_of(design) if source.key not in rows)
            if missing:
                known = tuple(self.store.find("layers", key))
                jobs.append(Job(key, json.dumps(design.machine.fields), missing, known))
                waiting.append(design)
        for job in jobs:
            for source in job.sources:
                if source.digest not in self._checked:
                    check(source, job)  # What can't be compiled is refused before the first design.
                    self._checked.add(source.digest)
        done = len(designs) - len(jobs)
        for place, answer in evaluate_all(jobs, self._processes, self._client):
            self._keep(jobs[place].key, waiting[place], answer)
            done += 1
            if self._say is not None:
                self._say(done, len(designs))

    def _keep(self, key: Key, design: Design, answer: Answer) -> None:
        self.store.add_all(
            [("layers", key, answer.layers), ("evaluations", key, answer.evaluations)],
            [_fovea.result_machine(design.machine._file)],
        )
        self._found[key].update((row["network"], row) for row in answer.evaluations)

    # Looking at.

    def values(self, design: Design) -> list[float]:
        """Of each objective; over networks, the sum of their weights times what a picture of each takes."""
        if design not in self._values:
            evaluated = self._evaluated(design)
            self._values[design] = [
                sum(weight * _OF_NETWORKS[name](row, design) for weight, _, row in evaluated)
                if name in _OF_NETWORKS
                else design.value(name)
                for name in self.minimize
            ]
        return self._values[design]

    def row(self, design: Design) -> Row:
        """Its name, what others have otherwise, the objectives and efficiencies()."""
        values = dict(zip(self.minimize, self.values(design)))
        return {"machine": design.machine.name, **self.space.shown(design), **values, **self.efficiencies(design)}

    def efficiencies(self, design: Design) -> Row:
        """Of the networks one after another, each as often as its weight says: runs of all of them a second, giga-
        operations a second, two a MAC, and where machine files say more, operations a nJ, and tera-operations a second
        on a square millimetre."""
        seconds = macs = picojoules = device_macs = 0.0
        for weight, source, row in self._evaluated(design):
            of_all, of_device = _macs_of(row["layers"])
            seconds += weight * _OF_NETWORKS["seconds"](row, design)
            macs += weight * of_all / source.pictures
            device_macs += weight * of_device / source.pictures
            picojoules += weight * row["energy_macs"] * (design.machine.mac_pj or 0.0)
        gops = 2 * macs / seconds / 1e9 if seconds else 0.0
        figures: Row = {"frames_per_second": 1 / seconds if seconds else 0.0, "gops": gops}
        if picojoules:
            figures["gops_per_watt"] = 2000 * device_macs / picojoules
        if design.machine.area_mm2:
            figures["tops_per_mm2"] = gops / 1000 / design.machine.area_mm2
        return figures

    @property
    def table(self) -> Frame:
        """A row() of each design that was evaluated."""
        return frame(Table.from_rows(map(self.row, self.designs)))

    @property
    def front(self) -> list[Design]:
        """Designs that no other one beats: none is as good in every objective, and better in one. The smallest in the
        first objective comes first."""
        values = np.array([self.values(design) for design in self.designs], np.float64)
        on_front = [design for design, is_on in zip(self.designs, on_front_of(values)) if is_on]
        return sorted(on_front, key=lambda design: (self.values(design), design.choice))

    @property
    def front_table(self) -> Frame:
        """The rows of `table` of the front."""
        return frame(Table.from_rows(map(self.row, self.front)))

    def layers(self, design: Design) -> Frame:
        """Of each network its layers: cycles by cause, bytes of DRAM and energy, for one picture."""
        return frame(Table.from_rows(self.layer_rows(design)))

    def layer_rows(self, design: Design) -> list[Row]:
        """The rows of layers()."""
        key = self._key(design)
        commands = {row["asked"]: row for row in self.store.find("layers", key)}
        return [
            {"network": source.name, **per_picture(row, source)}
            for source in self._sources_of(design)
            for row in layer_rows(self._found[key][source.key], commands)
        ]

    def steps(self, design: Design) -> Frame:
        """What changes when one value of a design goes a step down or up in its axis: each objective by how many
        percent, and the layers and causes whose cycles change most. Steps that lead out of the space are left out."""
        return frame(Table.from_rows(self.step_rows(design)))

    def step_rows(self, design: Design) -> list[Row]:
        """The rows of steps()."""
        near = [(axis, to) for axis in range(len(self.space.axes)) for to in self.space.beside(design, axis)]
        self._price([to for _, to in near])
        before, values = self._cycles(design), self.values(design)
        rows = []
        for axis, to in near:
            name = self.space.axes[axis].name
            change = {
                f"{objective}_percent": 100.0 * (new / old - 1.0) if old else 0.0
                for objective, old, new in zip(self.minimize, values, self.values(to))
            }
            moved = {place: cycles - before.get(place, 0) for place, cycles in self._cycles(to).items()}
            most = sorted(moved.items(), key=lambda item: (-abs(item[1]), item[0]))[:MOST_MOVED]
            words = [f"{' '.join(place)} {cycles:+,.0f}" for place, cycles in most if cycles]
            rows.append(
                {
                    "field": name,
                    "from": self.space.shown(design)[name],
                    "to": self.space.shown(to)[name],
                    **change,
                    "moved": "; ".join(words),
                }
            )
        return rows

    def _cycles(self, design: Design) -> dict[tuple[str, ...], float]:
        """By network, layer and cause; of a layer on the CPU by that."""
        cycles: dict[tuple[str, ...], float] = {}
        for row in self.layer_rows(design):
            place = (row["network"], row["layer"])
            causes = {cause: row[f"{cause}_cycles"] for cause in CAUSE_NAMES}
            cycles.update({(*place, cause): number for cause, number in causes.items()})
            cycles[(*place, "cpu")] = row["cycles"] - sum(causes.values())
        return cycles

    def machine(self, name: str) -> Machine:
        """The machine of that name; `save` writes its file."""
        for design in self.designs:
            if design.machine.name == name:
                return design.machine
        raise UsageError(f"machine={name!r}: no design that was evaluated; the column machine of `table` has them")

    # Confirming.

    def confirm(self, most: int, backend: str = "systemc") -> Frame:
        """Runs all networks on the first `most` of the front, and gives predicted and confirmed figures of the
        accelerator for one picture side by side. Predicted cycles are of layers with a START each; with residency
        "chip" layers are run as lists, as `as_lists` says. What the database has is not run again."""
        return frame(Table.from_rows(self.confirmed_rows(most, backend)))

    def confirmed_rows(self, most: int, backend: str) -> list[Row]:
        """The rows of confirm()."""
        rows = []
        for design in self.front[:most]:
            for _, source, predicted in self._evaluated(design):
                confirmed = per_picture(self._confirmed(design, source, backend), source)
                row: Row = {"machine": design.machine.name, **self.run_of(design), "network": source.name}
                for name in COSTS:
                    of = "accelerator_cycles" if name == "cycles" else name
                    row.update({f"predicted_{name}": predicted[of], f"confirmed_{name}": confirmed[name]})
                rows.append({**row, "backend": backend, "as_lists": _runs_lists(source)})
        return rows

    def run_of(self, design: Design) -> Row:
        """How a design runs the networks: memory, residency, batch."""
        (source, *_) = self._sources_of(design)
        return {"memory": design.memory, "residency": design.residency, "batch": source.pictures}

    def _confirmed(self, design: Design, source: Source, backend: str) -> Row:
        key = self._key(design)
        mine = {"network": source.key, "backend": backend, "version": _fovea.version}
        for row in self.store.find("confirmations", key):
            if mine.items() <= row.items():
                return row
        optimize, slack = self._goal
        net = compile_network(
            source.path,
            design.machine,
            optimize=optimize,
            slack=slack,
            dram=design.memory,
            tuning=self.store.path,
            shapes=dict(source.shapes),
            batch=source.batch,
            residency=source.residency,
        )
        if not any(layer.on_device for layer in net.layers):
            row = {**mine, **dict.fromkeys(COSTS, 0)}
        else:
            zeros = {port.name: np.zeros(port.shape, np.float32) for port in net.inputs}
            run = net.run(zeros, backend=backend, dram=design.memory, lists=_runs_lists(source))
            energy = float(sum(run.layers["energy_macs"]))
            row = {
                **mine,
                "cycles": run.cycles,
                "dram_read_bytes": run.dram_read_bytes,
                "dram_write_bytes": run.dram_write_bytes,
                "energy_macs": energy,
            }
        self.store.add("confirmations", key, [row])
        return row


def _runs_lists(source: Source) -> bool:
    """Lists save most where tensors are on chip, as layers that run depth first are many short commands."""
    return source.residency != "none"


def on_front_of(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Of rows of objectives, which no other row beats.

    >>> on_front_of(np.array([[1.0, 3], [2, 2], [2, 3], [3, 1], [3, 1]])).tolist()
    [True, True, False, True, True]
    """
    is_on = np.ones(len(values), np.bool_)
    for place, row in enumerate(values):
        if is_on[place]:
            is_on &= ~(np.all(row <= values, axis=1) & np.any(row < values, axis=1))
    return is_on


def _search_by_gain(found: Exploration, designs: Sequence[Design], evaluations: int, seed: int) -> None:
    """search() over the logarithms of fields, with what a machine is itself known of all designs."""
    say, found._say = found._say, None
    done = 0

    def evaluate(places: list[int]) -> NDArray[np.float64]:
        nonlocal done
        found._evaluate([designs[place] for place in places])
        done += len(places)
        if say is not None:
            say(done, evaluations)
        return np.array([found.values(designs[place]) for place in places], np.float64)

    features = [
        [_feature(axis.values, place) for axis, place in zip(found.space.axes, each.choice)] for each in designs
    ]
    known = [[each.value(name) if name in DERIVED else np.nan for name in found.minimize] for each in designs]
    search(np.array(features, np.float64), np.array(known, np.float64), evaluate, evaluations, seed)
    found._say = say


def _feature(values: Sequence[Any], place: int) -> float:
    """A value of an axis as a number; of names its place."""
    is_scale = all(type(value) in (int, float) and value > 0 for value in values)
    return float(np.log(values[place])) if is_scale else float(place)


def _search_by_nsga2(found: Exploration, designs: Sequence[Design], evaluations: int, seed: int) -> None:
    """NSGA-II of DEAP, where a design is the places of its values; one that is none of `designs` is the nearest that
    is. A design is evaluated once; the search ends with as many evaluations."""
    try:
        from deap import base, tools  # type: ignore[import]
    except ImportError:
        raise UsageError(
            "strategy='nsga2': DEAP is not here; as root: apt-get install --no-install-recommends python3-deap"
        ) from None
    random.seed(seed)  # DEAP draws from the module.

    class Cost(base.Fitness):  # type: ignore[misc]
        weights = (-1.0,) * len(found.minimize)

    class Individual(list[int]):
        def __init__(self, places: Sequence[int]) -> None:
            super().__init__(places)
            self.fitness = Cost()

    by_choice = {design.choice: design for design in designs}
    choices = np.array([design.choice for design in designs], np.float64)
    sizes = np.array([len(axis.values) for axis in found.space.axes], np.float64)
    seen: dict[tuple[int, ...], Design] = {}

    def settled(places: Sequence[int]) -> Individual:
        """The nearest design that was not evaluated yet."""
        distances = np.abs((choices - np.array(places)) / sizes).sum(axis=1)
        for place in np.argsort(distances, kind="stable"):
            choice = designs[int(place)].choice
            if choice not in seen:
                seen[choice] = designs[int(place)]
                return Individual(choice)
        return Individual(designs[0].choice)

    def evaluated(individuals: list[Individual]) -> list[Individual]:
        found._evaluate([by_choice[tuple(each)] for each in individuals])
        for each in individuals:
            each.fitness.values = found.values(by_choice[tuple(each)])
        return individuals

    def child_of(a: Individual, b: Individual) -> Individual:
        places = [random.choice(pair) for pair in zip(a, b)]
        for axis, size in enumerate(sizes):
            if random.random() < 1.0 / len(sizes):
                places[axis] = min(int(size) - 1, max(0, places[axis] + random.choice((-2, -1, 1, 2))))
        return settled(places)

    say, done = found._say, 0
    found._say = None
    size = max(4, min(_POPULATION, evaluations // 3 // 4 * 4))
    corners = [[0] * len(sizes), [int(each) - 1 for each in sizes]]
    drawn = [list(design.choice) for design in random.sample(list(designs), min(len(designs), max(0, size - 2)))]
    population = evaluated([settled(places) for places in (corners + drawn)[: min(size, evaluations)]])
    population = tools.selNSGA2(population, len(population))
    while (done := len(seen)) < evaluations:
        if say is not None:
            say(done, evaluations)
        parents = [tools.selTournamentDCD(population, 4)[:2] for _ in range(min(_CHILDREN, evaluations - done))]
        children = evaluated([child_of(a, b) for a, b in parents])
        population = tools.selNSGA2(population + children, size)
    if say is not None:
        say(done, evaluations)
    found._say = say


_SEARCHES = {"gain": _search_by_gain, "nsga2": _search_by_nsga2}
