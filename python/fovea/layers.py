# SPDX-License-Identifier: Apache-2.0
"""What a compiled network is made of, read from its summary."""
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Optional

from .errors import NetworkError
from .table import Frame, Table, frame


class Port(NamedTuple):
    """A tensor that a network takes or gives: float32, dense."""

    name: str
    shape: tuple[int, ...]  #: Without the batch: (C, H, W).


@dataclass(frozen=True)
class Layer:
    """A layer as the compiler made it. Shapes are without the batch: (C, H, W)."""

    name: str
    kind: str  #: What it computes: "qconv2d_relu_maxpool", ...
    target: str  #: Where it runs: "dla", "cpu", or a target of your own.
    reason: str  #: Why it is not on the accelerator; beside targets of your own, what each of the others said.
    onnx: str  #: The ONNX node.
    inputs: tuple[tuple[int, ...], ...]  #: Shapes, one an input that it reads.
    output: tuple[int, ...]  #: Shape.
    macs: int  #: Multiplications that it needs.
    predicted_cycles: int  #: Of the accelerator, or as a target of your own says; 0 on the CPU.
    predicted_causes: dict[str, int] = field(
        repr=False
    )  #: Of these cycles: compute, psum, filter, ifmap, dram, output, control.
    predicted_dram_bytes: int = field(repr=False)  #: Read and written.
    mapping: Optional[dict[str, Any]] = field(repr=False)  #: m, e, p, q, r, t, ...; None on the CPU.
    details: dict[str, Any] = field(repr=False, compare=False)  #: All that <network>.json says of it.

    @property
    def on_device(self) -> bool:
        """Whether the accelerator computes it."""
        return self.mapping is not None


class Layers(tuple[Layer, ...]):
    """Layers in the order in which they run; by place, or by name."""

    def __getitem__(self, key: Any) -> Any:
        if not isinstance(key, str):
            return super().__getitem__(key)
        for layer in self:
            if layer.name == key:
                return layer
        raise KeyError(f"{key}: there is no such layer; there are {', '.join(layer.name for layer in self)}")

    @property
    def table(self) -> Frame:
        """A row a layer: layer, operation, target, macs, predicted_cycles and reason, named as in `Run.layers`."""
        return frame(self._table)

    @property
    def _table(self) -> Table:
        return Table({column: [getattr(layer, name) for layer in self] for column, name in _COLUMNS.items()})


#: The attribute of a Layer in each column.
_COLUMNS = {
    "layer": "name",
    "operation": "kind",
    "target": "target",
    "macs": "macs",
    "predicted_cycles": "predicted_cycles",
    "reason": "reason",
}


def read_summary(folder: Path) -> dict[str, Any]:
    """What <network>.json in a folder says. Raises NetworkError where none is of a compiled network."""
    for path in sorted(folder.glob("*.json")):
        try:
            summary = json.loads(path.read_text())
        except (ValueError, RecursionError):
            continue
        if isinstance(summary, dict) and "layers" in summary and summary.get("model") == path.stem:
            return summary
    raise NetworkError(f"{folder}: no compiled network there; make one with fovea.compile()")


def ports_of(summary: dict[str, Any], which: str) -> list[Port]:
    """The network's inputs or outputs. which: "input" or "output"."""
    several = summary.get(which + "s")
    ports = several if several is not None else [{"name": which, **summary[which]}]
    return [Port(port["name"], tuple(port["shape"])) for port in ports]


def layer_of(each: dict[str, Any]) -> Layer:
    """A layer as the summary has it."""
    calls = each.get("calls", [])
    inputs = each["inputs"] if "inputs" in each else [each["input"]]
    causes: dict[str, int] = {}
    predicted_cycles = predicted_bytes = 0
    for call in calls:
        commands = call.get("commands", 1)
        predicted_cycles += commands * call["predicted_cycles"]
        predicted_bytes += commands * (call["predicted_dram_read_bytes"] + call["predicted_dram_write_bytes"])
        for cause, cycles in call["predicted_causes"].items():
            causes[cause] = causes.get(cause, 0) + commands * cycles
    return Layer(
        name=each["name"],
        kind=each["composite"],
        target=each["target"],
        reason=each["reason"],
        onnx=each["onnx"],
        inputs=tuple(tuple(tensor["shape"]) for tensor in inputs),
        output=tuple(each["output"]["shape"]),
        macs=each["macs"],
        predicted_cycles=each.get("predicted_cycles", predicted_cycles),
        predicted_causes=causes,
        predicted_dram_bytes=predicted_bytes,
        mapping=calls[0]["mapping"] if calls else None,
        details=each,
    )
