# SPDX-License-Identifier: Apache-2.0
"""Fovea's compiler and simulators, as the package uses them; not for others."""
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

targets: list[str]
objectives: list[str]
backends: list[str]
memories: list[str]
layer_columns: list[str]
calibration_methods: list[str]
version: str
most_pass_level: int
operators: dict[str, tuple[list[str], list[str]]]

def load_graph(path: str, shapes: dict[str, list[int]], batch: int, exact_to_ort: bool) -> Graph: ...
def parse_graph(text: str, name: str, folder: str) -> Graph: ...
def models_folder() -> str: ...
def cache_folder() -> str: ...
def machine_file(name: str) -> str: ...
def machine_names() -> list[str]: ...

class AccessEnergy:
    def __init__(self, file: str) -> None: ...
    def total(
        self,
        *,
        macs: int,
        ifmap_spad: int,
        pe_ifmap: int,
        pe_filter: int,
        pe_psum: int,
        glb_words: int,
        dram_bytes: int,
    ) -> float: ...

def remembers(memory: str) -> bool: ...
def compile(
    model: str,
    folder: str,
    *,
    machine: str,
    target: str,
    objective: str,
    slack_percent: int,
    mapping: str,
    rounding: str,
    exact_to: str,
    records: str,
    dram: str,
    tune: int,
    shapes: dict[str, list[int]],
    batch: int,
    passes: PassContext,
    progress: Optional[Callable[[str], object]],
) -> str: ...
def search_shape(
    machine: MachineFile, name: str, shape_json: str, objective: str, slack_percent: int, count: int
) -> tuple[str, str]: ...
def picture_of_file(path: str, shape: tuple[int, ...], labels: Labels) -> NDArray[np.float32]: ...
def picture_of_pixels(
    pixels: NDArray[np.uint8], name: str, shape: tuple[int, ...], labels: Labels
) -> NDArray[np.float32]: ...
def takes_pictures(shape: tuple[int, ...]) -> bool: ...
def softmax(logits: NDArray[np.float32]) -> list[float]: ...
def quantize(
    model: str, output: str, calibration: str, options: dict[str, Any], progress: Optional[Callable[[str], object]]
) -> dict[str, Any]: ...
def compare(a: Side, b: Side, tolerance: float) -> dict[str, Any]: ...
def accuracy(
    networks: list[NetworkToAsk],
    model: str,
    data: str,
    pictures: str,
    labels: str,
    keep: str,
    jobs: int,
    misses: int,
    progress: Optional[Callable[[int, int], object]],
) -> tuple[str, str]: ...

class NetworkToAsk:
    def __init__(
        self, name: str, folder: str, backend: str, machine: Optional[MachineFile], machine_file: str
    ) -> None: ...

class Side:
    def __init__(self, folder: str, label: str, backend: str, machine: str, input: str) -> None: ...

class MachineFile:
    name: str
    def __init__(self, text: str, place: str) -> None: ...

class Labels:
    names: list[str]
    mean: list[float]
    deviation: list[float]
    def __init__(self, model: str, outputs: int) -> None: ...

class DeviceLayers:
    cycles: int
    def cells(self) -> list[list[tuple[str, str]]]: ...
    def lists(self) -> list[int]: ...
    def __len__(self) -> int: ...

class Session:
    def __init__(
        self,
        folder: str,
        *,
        backend: str,
        machine: Optional[MachineFile],
        machine_file: str,
        memory: str,
        lists: bool,
        checked: bool,
        traces: dict[str, Any],
        say: Optional[Callable[[str], object]],
    ) -> None: ...
    def finish(self) -> None: ...
    def inputs(self) -> list[tuple[str, list[int]]]: ...
    def outputs(self) -> list[tuple[str, list[int]]]: ...
    def run(
        self, inputs: list[NDArray[np.float32]], progress: Optional[Callable[[int], object]]
    ) -> tuple[list[NDArray[np.float32]], DeviceLayers]: ...

class Quantization:
    dtype: str
    scales: list[float]
    zero_points: list[int]
    axis: int

class Node:
    id: int
    kind: str
    op: str
    origin: str
    inputs: list[Node]
    users: list[Node]
    attributes: dict[str, Union[int, float, list[int], str]]
    shape: tuple[int, ...]
    dtype: str
    value: Optional[NDArray[Any]]
    quantization: Optional[Quantization]
    body: Optional[Graph]
    target: str
    reason: str
    layer: str
    region: str

class Graph:
    inputs: list[Node]
    outputs: list[Node]
    output_names: list[str]
    text: str
    def __len__(self) -> int: ...
    def __getitem__(self, place: int) -> Node: ...
    def __iter__(self) -> Iterator[Node]: ...
    def verify(self) -> None: ...
    def rewrite(self, rewriter: Callable[[Builder, Node, list[Node]], Optional[Node]]) -> Graph: ...
    def run(self, *inputs: ArrayLike) -> list[NDArray[Any]]: ...
    def save(self, path: str) -> None: ...
    def kept(self) -> str: ...
    def _repr_svg_(self) -> Optional[str]: ...

class Builder:
    def __init__(self) -> None: ...
    def input(self, name: str, shape: Sequence[int], dtype: str = "float32") -> Node: ...
    def constant(self, value: ArrayLike, origin: str = "") -> Node: ...
    def call(self, op: str, /, *inputs: Union[Node, ArrayLike], origin: str = "", **attributes: Any) -> Node: ...
    def copy(self, node: Node, inputs: Optional[Iterable[Node]] = None) -> Node: ...
    def finish(self, outputs: Iterable[Node], names: Sequence[str] = ()) -> Graph: ...

class PassContext:
    def __init__(self, level: int, required: list[str], disabled: list[str]) -> None: ...
    def add(
        self, name: str, summary: str, level: int, after: str, place: str, function: Callable[[Graph], Graph]
    ) -> None: ...
    def listen(self, function: Callable[[str, float, int, int, bool, Graph], object]) -> None: ...
    def rows(self) -> list[tuple[str, int, bool, str]]: ...
    def run(self, graph: Graph, until: str, target: str, machine: str) -> Graph: ...
