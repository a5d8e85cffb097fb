# SPDX-License-Identifier: Apache-2.0
"""Networks: compiled, looked into, run."""
import operator
import os
import tempfile
import weakref
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import NDArray

from . import _fovea, sessions
from .energy import Energy
from .errors import NetworkError, UsageError, choose
from .externs import Extern, natives as extern_natives
from .inputs import FilePath, Input, Inputs, picture_of_file, read_inputs
from .layers import Layer, Layers, Port, layer_of, ports_of, read_summary
from .loops import Schedules, schedules_file
from .machine import Machine, as_machine, memory_name
from .mappings import Explanation, LayerMap
from .models import Model, model_path
from .operators import Operator, natives as operator_natives
from .passes import PassContext
from .patterns import Fused, Fusion
from .processes import run_in_processes
from .progress import Progress, told
from .run import Run, TargetRow, Waves
from .table import html_of
from .targets import Computed, Target
from .targets import native as target_native

MAPPINGS = ("search", "lab")
ROUNDINGS = ("nearest_even", "floor")
RESIDENCIES = ("none", "chip")
EXACT_TO = ("integers", "ort")


def compile(  # pylint: disable=redefined-builtin
    model: Model,
    machine: Union[Machine, FilePath] = "eyeriss_6x8",
    *,
    optimize: str = "cycles",
    slack: int = 2,
    residency: str = "none",
    mapping: str = "search",
    rounding: str = "nearest_even",
    exact_to: str = "integers",
    target: str = "dla",
    schedules: Optional[Schedules] = None,
    records: Optional[FilePath] = None,
    dram: Optional[str] = None,
    tune: int = 0,
    tuning: Optional[FilePath] = None,
    shapes: Optional[dict[str, Sequence[int]]] = None,
    batch: int = 0,
    passes: Optional[PassContext] = None,
    fusions: Sequence[Fusion] = (),
    externs: Sequence[Extern] = (),
    operators: Sequence[Operator] = (),
    targets: Sequence[Target] = (),
    folder: Optional[FilePath] = None,
    progress: Progress = None,
) -> "Network":
    """Compiles a network.

    model: an ONNX file (or an IR), an onnx.ModelProto, or a graph of fovea.ir. machine: a Machine, the name
    of one that ships, or a machine file. optimize: what the mapping search makes small, of `fovea.objectives`; slack:
    percent more cycles that "cycles" gives for fewer DRAM bytes. residency: "chip" keeps activations in the GLB between
    layers where that pays; "none" has all in DRAM. mapping: "search", or "lab" for the AI-on-Chip lab's.
    rounding: "nearest_even" (ONNX's), or "floor" (the lab's). exact_to: "integers", or "ort" for ONNX Runtime's float32
    where it keeps that. target: "dla", or "cpu" for a network that runs without the accelerator. schedules: of layers
    that the CPU runs as loops, by name, or a file of them (fovea.loops). records: a file of tuning records, whose
    mappings for the memory dram (of `fovea.memories`; without it, the machine's) and schedules of loops are taken;
    tune: how many of the best mappings of each layer without a record are ranked for it, the best recorded there.
    tuning: a database that keeps searched mappings, as `fovea.explore` has one: what it has is not searched for.
    shapes: of inputs by name, where the file leaves dimensions open; batch: pictures at once, where the file's batch is
    open or 1. passes: which of the compiler's passes run, and your own. fusions: your own, tried before the compiler's;
    `Network.fusions` says what became of their matches. externs: operators that are C functions of yours. operators:
    operators that you defined. targets: your own, beside target and preferred to it: of several that take a layer the
    cheapest runs it. A network with Python of yours in it is gone with the Network, unless there is a folder. folder:
    where to; without one, where `fovea` keeps compiled networks, and where it is found again as long as nothing
    changed. progress: called with a text now and then.

    Raises NetworkError, whose `problems` name each node in the way; MachineError; UsageError.

    >>> net = compile(fovea.model("vgg8_cifar10_power2.onnx"))
    >>> [port.shape for port in net.inputs], [port.shape for port in net.outputs]
    ([(3, 32, 32)], [(10,)])
    >>> net.layers["conv2"].kind, net.layers["conv2"].predicted_cycles
    ('qconv2d_relu_maxpool', 590700)
    """
    options: dict[str, Any] = {
        "optimize": choose("optimize", optimize, _fovea.objectives),
        "slack": _percent("slack", slack),
        "residency": choose("residency", residency, RESIDENCIES),
        "mapping": choose("mapping", mapping, MAPPINGS),
        "rounding": choose("rounding", rounding, ROUNDINGS),
        "exact_to": choose("exact_to", exact_to, EXACT_TO),
        "target": choose("target", target, _fovea.targets),
        "records": None if records is None else str(records),
        "tune": _count("tune", tune, 0),
        "tuning": None if tuning is None else str(tuning),
        "shapes": checked_shapes(shapes),
        "batch": _count("batch", batch, 0),
    }
    if passes is not None:
        options["passes"] = passes
    if fusions:
        options["fusions"] = tuple(fusions)
    if externs:
        options["externs"] = externs
    if operators:
        options["operators"] = operators
    if targets:
        options["targets"] = tuple(targets)
    if schedules is not None:
        options["schedules"] = schedules
    if options["tune"] and records is None:
        raise UsageError(f"tune={tune}: nowhere to keep what is found; give records too")
    machine = as_machine(machine)
    options["dram"] = memory_name(machine, dram)
    model = model_path(model)
    if model.is_dir():
        raise NetworkError(f"{model}: a folder; give an ONNX file, or open a compiled network with fovea.load()")
    fused: list[Fused] = []
    passes = passes if passes is not None else PassContext()
    computed: Computed = {}
    added_targets = [target_native(each, computed) for each in targets]
    passes = replace(passes, fusions=[*passes.fusions, *fusions, *(own for each in targets for own in each.fusions)])
    own = None
    native_externs, native_operators = extern_natives(externs), operator_natives(operators)
    has_functions = (
        passes.has_functions or bool(operators or targets) or any(each.shape is not None for each in externs)
    )
    if folder is None and has_functions:
        own = tempfile.TemporaryDirectory(prefix="fovea-")
        folder = own.name
    with told(progress) as tell, schedules_file(schedules) as (traces, intrinsics):
        place = _fovea.compile(
            str(model),
            "" if folder is None else str(folder),
            machine=str(machine.as_file()),
            target=target,
            objective=optimize,
            slack_percent=options["slack"],
            residency=residency,
            mapping=mapping,
            rounding=rounding,
            exact_to=exact_to,
            schedules=traces,
            intrinsics=intrinsics,
            records=options["records"] or "",
            dram=options["dram"],
            tuning=options["tuning"] or "",
            tune=options["tune"],
            shapes=options["shapes"],
            batch=options["batch"],
            passes=passes.native(fused.append),
            externs=native_externs,
            operators=native_operators,
            added_targets=added_targets,
            progress=tell,
        )
    network = Network(place, machine=machine, model=model.resolve(), options=options)
    network.fusions = fused
    network._computed = computed
    if own is not None:
        weakref.finalize(network, own.cleanup)
    return network


def load(
    folder: FilePath, machine: Union[Machine, FilePath, None] = None, model: Optional[FilePath] = None
) -> "Network":
    """A network that foveac or `compile` wrote to a folder, with its code compiled (model.so).

    machine: where it is none that ships. model: the ONNX file, for labels beside it and for the CPU.
    """
    folder = Path(folder)
    return Network(
        folder,
        machine=None if machine is None else as_machine(machine),
        model=None if model is None else Path(model).resolve(),
        options={},
    )


class Network:
    """A compiled network: made by `compile` or `load`."""

    def __init__(
        self, folder: FilePath, *, machine: Optional[Machine], model: Optional[Path], options: dict[str, Any]
    ) -> None:
        self.folder = Path(folder).resolve()  #: model.c, model.so, weight.bin and <network>.json.
        self.model = model  #: The ONNX file; None where it is not known.
        self.options = options  #: What it was compiled with.
        self.summary = read_summary(self.folder)  #: What <network>.json says, as a dict.
        try:
            self.name: str = self.summary["model"]
            self.target: str = self.summary["target"]  #: "dla", or "cpu" where no layer runs on the accelerator.
            self.layers = Layers(map(layer_of, self.summary["layers"]))
        except (AttributeError, IndexError, KeyError, TypeError):
            raise NetworkError(
                f"{self.folder}: its summary is not one of this version; compile the network again"
            ) from None
        self.machine = machine if machine is not None else self._shipped_machine()  #: None of one for the CPU.
        self.fusions: list[Fused] = []  #: What became of the matches of your fusions, where it was compiled with such.
        self._computed: Computed = {}
        self._cpu: Optional[Network] = None
        self._labels: Optional[_fovea.Labels] = None

    def _shipped_machine(self) -> Optional[Machine]:
        name = self.summary.get("machine", "")
        return Machine.load(name) if name else None

    @property
    def inputs(self) -> list[Port]:
        """Ports: name and shape of each."""
        return ports_of(self.summary, "input")

    @property
    def outputs(self) -> list[Port]:
        """Ports: name and shape of each."""
        return ports_of(self.summary, "output")

    @property
    def predicted_cycles(self) -> int:
        """Of the accelerator, for one run."""
        return int(self.summary.get("predicted_cycles", 0))

    @property
    def source(self) -> str:
        """The C that was emitted."""
        return (self.folder / "model.c").read_text()

    def __reduce__(self) -> tuple[Any, ...]:
        """What a pickle or a copy has: where the network is, and how to compile it where that is gone."""
        return _remade, (self.folder, self.machine, self.model, self.options)

    def __repr__(self) -> str:
        on_device = sum(layer.on_device for layer in self.layers)
        return (
            f"<Network {self.name}: {len(self.layers)} layers, {on_device} on"
            f" {self.machine.name if self.machine else 'no machine'}>"
        )

    def _repr_html_(self) -> str:
        return html_of(self, self.layers._table)

    # Running.

    def run(
        self,
        x: Input,
        backend: Optional[str] = None,
        dram: Optional[str] = None,
        *,
        lists: bool = False,
        checked: bool = False,
        trace: Optional[FilePath] = None,
        waves: Union[FilePath, Waves, None] = None,
        transactions: Optional[FilePath] = None,
        transactions_layer: str = "",
        progress: Progress = None,
    ) -> Run:
        """Runs the network once.

        x: an array of the input's shape, normalized already; pixels of uint8, a picture of PIL, or the path of a
        picture or of a tensor (fovea.inputs has the rules); of several inputs a dict by name. An array that is float32
        and contiguous is read where it lies. With a batch in front, each picture is run as if alone, outputs have the
        batch in front too, and `layers` says in `picture` which one a row is of. backend: "systemc" (the default where
        a layer runs on the accelerator), "rtl", or "cpu". dram: of `fovea.memories`; without it the machine's. lists:
        device layers in a row as one list. checked: RTL with its assertions on.

        Files that are written of the device, as `fovea run` writes them (docs/traces.md): trace: a timeline for
        ui.perfetto.dev, JSON. waves: .vcd or .fst, or a Waves that says which. transactions: every event, a line each,
        or those of transactions_layer.

        progress: called with the device's cycles so far, at most every 50 ms; True shows them.

        The device stays open for the next run; one is open in a process. Raises RunError with the `layer`,
        BackendError, UsageError for what is no input of the network.
        """
        backend = self._backend(backend)
        dram = memory_name(self.machine, dram)
        traces = _traces(trace, waves, transactions, transactions_layer)
        if traces and "cpu" in (backend, self.target):
            raise UsageError(
                f"{next(iter(traces))}: only the accelerator is traced, and nothing of this runs there; leave it out"
            )
        inputs = self._inputs(x)
        if traces and (inputs.batch or 1) > 1:
            raise UsageError(f"{next(iter(traces))}: of a batch of {inputs.batch}; give one picture to trace")
        runs: list[tuple[list[NDArray[np.float32]], _fovea.DeviceLayers]] = []
        with told(progress, self.predicted_cycles * (inputs.batch or 1), "cycles") as tell:
            for arrays in inputs.pictures():
                session = self._session(backend, dram, lists, checked, traces)
                runs.append(self._run_once(arrays, session, tell, sum(layers.cycles for _, layers in runs)))
        names = [port.name for port in self.outputs]
        outputs = runs[0][0] if inputs.batch is None else [np.stack(each) for each in zip(*(run[0] for run in runs))]
        device_layers = [run[1] for run in runs]
        return Run(
            dict(zip(names, outputs)), device_layers, self._energy, inputs.batch is not None, targets=self._target_rows
        )

    def _run_once(
        self,
        arrays: list[NDArray[np.float32]],
        opened: AbstractContextManager[_fovea.Session],
        tell: Optional[Callable[[int], object]],
        before: int,
    ) -> tuple[list[NDArray[np.float32]], _fovea.DeviceLayers]:
        def tell_all(cycles: int) -> None:
            if tell is not None:
                tell(before + cycles)

        with opened as session:
            session.compute_with(self._computed)
            return session.run(arrays, tell_all)

    def _session(
        self, backend: str, dram: str, lists: bool, checked: bool, traces: dict[str, Any]
    ) -> AbstractContextManager[_fovea.Session]:
        if backend == "cpu":
            return nullcontext(sessions.on_cpu(self._on_cpu()))
        if traces:
            return sessions.traced(self, backend, dram, bool(lists), bool(checked), traces)
        return sessions.on_device(self, backend, dram, bool(lists), bool(checked))

    @cached_property
    def _target_rows(self) -> list[TargetRow]:
        """Of layers that something is called for, but the CPU's."""
        return [
            TargetRow(each.name, each.kind, each.target, each.macs, each.predicted_cycles, each.reason)
            for each in self.layers
            if each.target != "cpu" and (each.on_device or "predicted_cycles" in each.details)
        ]

    @cached_property
    def _energy(self) -> Energy:
        return Energy(self.machine, self.layers)

    def run_many(
        self,
        xs: Iterable[Input],
        processes: int = 2,
        backend: Optional[str] = None,
        dram: Optional[str] = None,
        *,
        lists: bool = False,
        checked: bool = False,
        progress: Progress = None,
    ) -> list[Run]:
        """Runs of several inputs, in their order, in processes of their own that are started for this call and end with
        it.

        xs: a batch, whose pictures are inputs each, or inputs as `run` takes them. progress: called with how many are
        done, and of how many; True shows it. What a run raises is raised here, and Ctrl-C ends all processes.
        WorkerError where a process died.
        """
        backend = self._backend(backend)
        dram = memory_name(self.machine, dram)
        inputs = [self._inputs(x).arrays for x in xs]
        network = self._on_cpu() if backend == "cpu" else self
        if network._computed:
            raise UsageError(
                f"run_many: {next(iter(network._computed))} is computed in Python, in this process only; use run"
            )
        options = {"backend": backend, "dram": dram, "lists": bool(lists), "checked": bool(checked)}
        with told(progress, unit="runs") as tell:
            return run_in_processes(
                network.folder, network.machine, inputs, _count("processes", processes), options, tell
            )

    def _backend(self, backend: Optional[str]) -> str:
        if backend is None:
            return "cpu" if self.target == "cpu" else _fovea.backends[0]
        return choose("backend", backend, [*_fovea.backends, "cpu"])

    def _on_cpu(self) -> "Network":
        """The same network compiled for the CPU."""
        if self.target == "cpu":
            return self
        if self._cpu is None:
            if self.model is None:
                raise UsageError("backend='cpu': compiled for the accelerator; compile it with target='cpu'")
            self._cpu = compile(self.model, self.machine or "eyeriss_6x8", **_for_cpu(self.options))
        return self._cpu

    def _inputs(self, x: Input) -> Inputs:
        return read_inputs(x, self.inputs, self._label_file)

    # Pictures.

    @property
    def labels(self) -> list[str]:
        """What the outputs are called, by <model>.json beside the network."""
        self._only("output", self.outputs)
        return self._label_file().names

    @property
    def _pictures_at_once(self) -> int:
        """That it was compiled for, with `batch` or by the file."""
        shape = self.inputs[0].shape
        return shape[0] if len(shape) == 4 and _fovea.takes_pictures(shape[1:]) else 1

    def _label_file(self) -> _fovea.Labels:
        if self._labels is None:
            model = "" if self.model is None else str(self.model)
            outputs = sum(int(np.prod(output.shape)) for output in self.outputs)
            self._labels = _fovea.Labels(model, outputs // self._pictures_at_once)
        return self._labels

    def _only(self, what: str, ports: list[Port]) -> list[Port]:
        if len(ports) != 1:
            raise UsageError(f"{self.name}: has {len(ports)} {what}s; pictures and classes are of networks of one")
        return ports

    def read_picture(self, path: FilePath) -> NDArray[np.float32]:
        """A PNG, JPEG or PPM as the network takes it: float32 of one channel or three, stretched to its size, and
        normalized with mean and deviation of <model>.json."""
        (port,) = self._only("input", self.inputs)
        return picture_of_file(path, port, self._label_file())

    def classify(self, x: Union[Run, Input], top: int = 5, **options: Any) -> Any:
        """(label, probability) of the likeliest classes, likeliest first; of a batch, such a list for each picture.

        x: as `run` takes it; or a Run. Options are those of `run`. Probabilities are 0 to 1.
        """
        run = x if isinstance(x, Run) else self.run(x, **options)
        answers = [self._likeliest(each, top) for each in run.output.reshape(-1, len(self.labels))]
        return answers if run.has_batch or self._pictures_at_once > 1 else answers[0]

    def _likeliest(self, output: NDArray[np.float32], top: int) -> list[tuple[str, float]]:
        probabilities = _fovea.softmax(output.ravel())
        order = sorted(range(len(probabilities)), key=lambda i: -probabilities[i])
        return [(self.labels[i], probabilities[i]) for i in order[:top]]

    # Mappings.

    def map(self, layer: Union[str, Layer]) -> LayerMap:
        """The mappings of a layer, by name or a Layer: those that the search finds. Raises NetworkError for one on the
        CPU.

        >>> net = compile(fovea.model("vgg8_cifar10_power2.onnx"))
        >>> best = net.map("conv2").best(3)
        >>> best["cycles"].tolist()[0], best["dram_bytes"].tolist()[0]
        (590700, 140032)
        """
        layer = layer if isinstance(layer, Layer) else self.layers[layer]
        if not layer.on_device:
            raise NetworkError(f"{layer.name}: not on the accelerator: {layer.reason or 'it moves no data'}")
        assert self.machine is not None
        return LayerMap(layer, self.machine, self.options.get("optimize", "cycles"), self.options.get("slack", 2))

    def explain(self, layer: Union[str, Layer]) -> Explanation:
        """Why a layer is mapped as it is: the best mappings, what bounds them, and what became of all others. As text
        it is what `foveac map` prints; of a layer on the CPU, why it is there."""
        layer = layer if isinstance(layer, Layer) else self.layers[layer]
        return self.map(layer).explain() if layer.on_device else Explanation.of_cpu(layer)


def _remade(folder: Path, machine: Optional[Machine], model: Optional[Path], options: dict[str, Any]) -> Network:
    try:
        return Network(folder, machine=machine, model=model, options=options)
    except NetworkError:
        if model is None or not model.exists() or not options:
            raise
        return compile(model, machine or "eyeriss_6x8", **options)


def _traces(
    trace: Optional[FilePath], waves: Union[FilePath, Waves, None], transactions: Optional[FilePath], layer: str
) -> dict[str, Any]:
    """What _fovea.Session takes; empty where nothing is to be written."""
    traces: dict[str, Any] = {}
    if trace is not None:
        traces["trace"] = os.fspath(trace)
    if waves is not None:
        which = waves if isinstance(waves, Waves) else Waves(waves)
        traces |= {
            "waves": os.fspath(which.path),
            "waves_layer": which.layer,
            "waves_first_cycle": _count("first_cycle", which.first_cycle, 0),
            "waves_cycles": _count("cycles", which.cycles, 0),
            "waves_trigger": which.trigger,
        }
    if transactions is not None:
        traces |= {"transactions": os.fspath(transactions), "transactions_layer": layer}
    elif layer:
        raise UsageError(f"transactions_layer={layer!r}: give transactions too, the file to write")
    return traces


def _for_cpu(options: dict[str, Any]) -> dict[str, Any]:
    return {**options, "target": "cpu", "tune": 0, "targets": ()}


def checked_shapes(shapes: Optional[dict[str, Sequence[int]]]) -> dict[str, list[int]]:
    """Of inputs by name, as the compiler takes them."""
    return {name: [_count(f"shapes[{name!r}]", size) for size in shape] for name, shape in (shapes or {}).items()}


def _percent(name: str, value: Any) -> int:
    number = _count(name, value, 0)
    if number > 1000:
        raise UsageError(f"{name}={value}: too much; 0 to 1000 work")
    return number


def _count(name: str, value: Any, least: int = 1) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}={value!r}: a {type(value).__name__}; give an integer") from None
    if number < least:
        raise UsageError(f"{name}={value}: too small; {least} or more work")
    return number
