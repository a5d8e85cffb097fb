# SPDX-License-Identifier: Apache-2.0
"""Two runs beside each other, layer by layer, and where they first differ."""
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Optional, Union

import numpy as np
from numpy.typing import NDArray

from . import _fovea, sessions
from .errors import UsageError
from .inputs import FilePath, Input
from .network import Network
from .table import Table, Frame, frame

COLUMNS = ("layer", "in_b", "elements", "equal", "largest", "mean", "sqnr_db", "is_equal")


@dataclass(frozen=True)
class Comparison:
    """What `foveac compare` says (docs/compare.md). str() is for a person."""

    layers: Frame  #: A row a layer that both have: its name in a and in b; elements, and how many are equal; |a - b|.
    first: Optional[str]  #: The first layer that differs, as a calls it; None where none does.
    only_a: list[str]  #: Layers that b has not, or not of this shape.
    only_b: list[str]
    text: str  #: The table, and why the first that differs does.

    def __str__(self) -> str:
        return self.text.rstrip("\n")


def compare(
    a: Union[Network, FilePath],
    b: Union[Network, FilePath],
    x: Optional[Input] = None,
    *,
    backend_a: Optional[str] = None,
    backend_b: Optional[str] = None,
    tolerance: float = 0,
) -> Comparison:
    """Lays what each layer gives in two runs beside each other.

    a, b: Networks, which run here; or folders of layers, ours (DUMP_LAYERS) or another runtime's (.npy files). x: what
    networks run on, as Network.run takes it. backend_a, backend_b: where they run. tolerance: elements are equal too
    where they are no further apart than this times the largest of a's tensor.
    """
    with tempfile.TemporaryDirectory(prefix="fovea_") as folder, sessions.exclusively():
        sides = [
            _side(which, side, x, backend, Path(folder))
            for which, side, backend in (("a", a, backend_a), ("b", b, backend_b))
        ]
        found = _fovea.compare(sides[0], sides[1], tolerance)
    layers = Table.from_rows(found["layers"], COLUMNS)
    first = None if found["first"] is None else str(layers[found["first"]]["layer"])
    return Comparison(frame(layers), first, found["only_a"], found["only_b"], found["text"])


def _one(network: Network, x: Input) -> list[NDArray[np.float32]]:
    """The arrays of an input that is no batch of several."""
    inputs = network._inputs(x)
    if (inputs.batch or 1) > 1:
        raise UsageError(f"x: a batch of {inputs.batch}; runs of one picture are compared")
    return inputs.pictures()[0]


def _side(
    which: str, side: Union[Network, FilePath], x: Optional[Input], backend: Optional[str], folder: Path
) -> _fovea.Side:
    if not isinstance(side, Network):
        if not Path(side).is_dir():
            raise UsageError(f"{which}={str(side)!r}: neither a network nor a folder of layers; compile it first")
        return _fovea.Side(str(side), str(side), "", "", "")
    if x is None:
        raise UsageError("x: not given; networks run on it")
    backend = side._backend(backend)
    network = side._on_cpu() if backend == "cpu" else side
    files = []
    for i, (port, array) in enumerate(zip(network.inputs, _one(network, x))):
        path = folder / f"{which}{i}.f32"
        array.tofile(path)
        files.append(str(path) if len(network.inputs) == 1 else f"{port.name}={path}")
    machine = "" if network.machine is None else str(network.machine.as_file())
    return _fovea.Side(str(network.folder), f"{network.name}-{backend}", backend, machine, ",".join(files))
