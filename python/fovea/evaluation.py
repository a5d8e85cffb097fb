# SPDX-License-Identifier: Apache-2.0
"""Networks on one design, by the compiler's prediction; in this process, in others, or on a cluster."""
import hashlib
import importlib
import json
import tempfile
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Optional

from . import _fovea
from .errors import Error, UsageError, WorkerError
from .processes import answers
from .result_store import CAUSES, COMMAND, COSTS, Key, Row
from .worker import serve

WORKERLESS_SECONDS = 60.0  #: That a cluster may have no worker.
#: Columns that are of all pictures of a batch.
_OF_PICTURES = frozenset((*COSTS, *CAUSES, "accelerator_cycles", "macs"))
_POLL_SECONDS = 0.02
_NO_SCHEDULER = "the connection to the scheduler was lost"


class Source(NamedTuple):
    """A network's file, and what has to be said to read it."""

    path: str
    digest: str  #: Of the file and of the rest.
    shapes: tuple[tuple[str, tuple[int, ...]], ...] = ()
    batch: int = 0
    residency: str = "none"
    content: Optional[bytes] = None  #: The file, for a process that does not see it.

    @property
    def name(self) -> str:
        return Path(self.path).stem

    @property
    def key(self) -> str:
        """What rows of it are found by."""
        return self.digest if self.residency == "none" else f"{self.digest} {self.residency}"

    @property
    def pictures(self) -> int:
        """Of a batch that was asked for; what a file has of its own counts as one."""
        return max(1, self.batch)


def source_of(path: Path, shapes: dict[str, tuple[int, ...]], batch: int) -> Source:
    """A network by the path of its file."""
    said = json.dumps([sorted(shapes.items()), batch]).encode()
    try:
        digest = hashlib.sha256(path.read_bytes() + said).hexdigest()[:32]
    except OSError:
        raise UsageError(f"{path}: cannot be read; give an ONNX file") from None
    return Source(str(path), digest, tuple(sorted(shapes.items())), batch)


@dataclass(frozen=True)
class Job:
    """Networks that are to be evaluated on a design."""

    key: Key
    fields: str  #: The machine file.
    sources: tuple[Source, ...]
    known: tuple[Row, ...]  #: Rows of `layers` of this key.
    threads: int = 1

    @property
    def machine(self) -> str:
        """Its name."""
        return str(json.loads(self.fields)["name"])


@dataclass(frozen=True)
class Answer:
    """Rows of `layers` that were not known, and of `evaluations`."""

    layers: list[Row]
    evaluations: list[Row]


_passed: "dict[str, _fovea.PassedNetwork]" = {}  # By digest: the passes that no machine matters to run once a process.


def passed(source: Source) -> "_fovea.PassedNetwork":
    """A network up to where machines matter. Raises NetworkError."""
    if source.digest not in _passed:
        shapes = {name: list(shape) for name, shape in source.shapes}
        if source.content is None:
            _passed[source.digest] = _fovea.PassedNetwork(source.path, shapes, source.batch)
        else:
            with tempfile.TemporaryDirectory(prefix="fovea-") as folder:
                path = Path(folder) / Path(source.path).name
                path.write_bytes(source.content)
                _passed[source.digest] = _fovea.PassedNetwork(str(path), shapes, source.batch)
    return _passed[source.digest]


def evaluate(job: Job) -> Answer:
    """What a process does for a job."""
    evaluator = _evaluator(job, job.known)
    evaluations = []
    for source in job.sources:
        text, rows = evaluator.evaluate(passed(source), source.residency != "none")
        layers = json.loads(text)
        priced = {row["asked"]: row for row in map(_command, rows)}
        evaluations.append({"network": source.key, **_sums(layers, priced), "layers": json.dumps(layers)})
    return Answer([_command(row) for row in evaluator.searched()], evaluations)


def check(source: Source, job: Job) -> None:
    """Raises NetworkError where a network can't be compiled, or memory does not hold its batch."""
    network = passed(source)
    if source.batch > 1:
        _evaluator(job, ()).check_memory(network)


def _evaluator(job: Job, known: tuple[Row, ...]) -> "_fovea.Evaluator":
    return _fovea.Evaluator(
        machine=_fovea.MachineFile(job.fields, "machine"),
        objective=job.key.objective,
        slack_percent=job.key.slack,
        dram=job.key.memory,
        threads=job.threads,
        known=[[row[name] for name in COMMAND] for row in known],
    )


def _command(values: list[Any]) -> Row:
    return dict(zip(COMMAND, values))


def _sums(layers: list[Row], priced: dict[str, Row]) -> Row:
    sums: Row = {"dram_read_bytes": 0, "dram_write_bytes": 0, "energy_macs": 0.0, "accelerator_cycles": 0}
    on_cpu = 0
    for layer in layers:
        on_cpu += layer["cpu_cycles"]
        if layer["asked"]:
            row, count = priced[layer["asked"]], layer["commands"]
            sums["accelerator_cycles"] += count * row["cycles"]
            for name in ("dram_read_bytes", "dram_write_bytes", "energy_macs"):
                sums[name] += count * row[name]
    return {"cycles": sums["accelerator_cycles"] + on_cpu, **sums}


def layer_rows(evaluation: Row, commands: dict[str, Row]) -> list[Row]:
    """The layers of an evaluation with what each takes. commands: rows of `layers` by what was asked for."""
    rows = []
    for layer in json.loads(evaluation["layers"]):
        row = commands.get(layer["asked"])
        count = layer["commands"]
        costs = {name: 0 if row is None else count * row[name] for name in (*CAUSES, "dram_read_bytes")}
        costs["dram_write_bytes"] = 0 if row is None else count * row["dram_write_bytes"]
        costs["energy_macs"] = 0.0 if row is None else count * row["energy_macs"]
        cycles = layer["cpu_cycles"] if row is None else count * row["cycles"]
        rows.append(
            {name: layer[name] for name in ("layer", "operation", "target", "macs")} | {"cycles": cycles} | costs
        )
    return rows


def per_picture(row: Row, source: Source) -> Row:
    """A row of evaluations, layer_rows() or confirmations with what one picture of its batch takes."""
    if source.pictures == 1:
        return row
    return {name: row[name] / source.pictures if name in _OF_PICTURES else row[name] for name in row}


def evaluate_all(jobs: list[Job], processes: int, client: Any = None) -> Iterator[tuple[int, Answer]]:
    """The place of each job and its answer, as they come. client: a dask.distributed.Client, whose workers do it.

    Raises WorkerError where a process died, or the cluster can't go on; answers of before have come then.
    """
    if client is not None:
        yield from _on_cluster(jobs, client)
    elif processes > 1 and len(jobs) > 1:
        try:
            yield from answers("fovea.evaluation", jobs, processes)
        except WorkerError as error:
            raise _lost(f"{jobs[error.item].machine}: {error.problems[0].what}", error.item) from None
    else:
        for place, job in enumerate(jobs):
            yield place, evaluate(job)


def work() -> None:
    """What a process that evaluate_all() starts does."""
    serve(evaluate)


def _lost(what: str, item: int = 0) -> WorkerError:
    return WorkerError(f"{what}; designs evaluated so far are kept, and the same call resumes", item)


def _on_cluster(jobs: list[Job], client: Any) -> Iterator[tuple[int, Answer]]:
    """Dask gives what a lost worker had to others. Networks' files are a plugin, which later workers have as well."""
    as_completed: Any = importlib.import_module("distributed").as_completed
    address = client.scheduler_info().get("address", "the cluster")
    files = {source.digest: Path(source.path).read_bytes() for job in jobs for source in job.sources}
    name = f"fovea-{uuid.uuid4()}"
    client.register_worker_plugin(SentFiles(files), name)
    places = {client.submit(evaluate_sent, job, pure=False): place for place, job in enumerate(jobs)}
    coming = as_completed(places, with_results=True)
    try:
        while places:
            _wait_for(coming, client, address)
            future, answer = next(coming)
            place = places.pop(future)
            if isinstance(answer, Answer):
                yield place, answer
            elif future.status == "cancelled":
                raise _lost(f"{address}: {_NO_SCHEDULER}")
            else:
                raise _fault(answer[1], jobs[place], place)
    finally:
        if client.status == "running":
            client.cancel(list(places))
            client.unregister_worker_plugin(name)


def _wait_for(coming: Any, client: Any, address: str) -> None:
    """Until an answer is there, or the scheduler or all workers are lost."""
    last = looked = time.monotonic()
    while not coming.has_ready():
        if client.status != "running":
            raise _lost(f"{address}: {_NO_SCHEDULER}")
        time.sleep(_POLL_SECONDS)
        if time.monotonic() - looked > 1:
            looked = time.monotonic()
            if client.scheduler_info().get("workers"):
                last = looked
            elif looked - last > WORKERLESS_SECONDS:
                raise _lost(f"{address}: no worker for {WORKERLESS_SECONDS:g} s")


def _fault(error: BaseException, job: Job, place: int) -> BaseException:
    """What a worker raised; what is none of Fovea's own errors in one line."""
    if isinstance(error, Error):
        return error
    said = str(error).splitlines() or [""]
    return _lost(f"{job.machine}: {type(error).__name__}: {said[0]}", place)


_sent: dict[str, bytes] = {}  # Files of networks by digest, of a worker.


class SentFiles:
    """A plugin of Dask's workers: files of networks by digest."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self._files = files

    def setup(self, worker: Any) -> None:  # pylint: disable=unused-argument
        """When a worker has it."""
        _sent.update(self._files)


def evaluate_sent(job: Job) -> Answer:
    """evaluate() where the networks' files came as SentFiles."""
    sources = (source._replace(content=_sent[source.digest]) for source in job.sources)
    return evaluate(Job(job.key, job.fields, tuple(sources), job.known, job.threads))
