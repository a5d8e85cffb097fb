# SPDX-License-Identifier: Apache-2.0
"""Fovea's compiler and simulators, as the package uses them; not for others."""
from collections.abc import Callable
from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

targets: list[str]
objectives: list[str]
backends: list[str]
memories: list[str]
layer_columns: list[str]
calibration_methods: list[str]
version: str

def models_folder() -> str: ...
def cache_folder() -> str: ...
def machine_file(name: str) -> str: ...
def machine_names() -> list[str]: ...
def machine_costs(file: str) -> str: ...
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
