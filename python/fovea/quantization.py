# SPDX-License-Identifier: Apache-2.0
"""From a float network to one on 8-bit integers."""
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import NDArray

from . import _fovea
from .errors import UsageError, choose
from .inputs import FilePath, as_floats
from .models import Model, model_path
from .network import checked_shapes
from .progress import Progress, told
from .table import Frame, Table, frame


@dataclass(frozen=True)
class Quantized:
    """A quantized network, and what that cost (docs/quantization.md)."""

    path: Path  #: The ONNX file, in QDQ form.
    layers: Frame  #: A row a value that became integers: scale, zero_point, method, sqnr_db (infinite where exact).
    floats: Frame  #: Nodes that stay float, and why.
    outputs: Frame  #: How near each output is to the float network's: sqnr_db; inputs with the largest in its place.
    inputs: int  #: How many inputs it was calibrated on.


def quantize(
    model: Model,
    calibrate: Union[FilePath, NDArray[Any]],
    output: FilePath,
    *,
    inputs: int = 0,
    mean: Optional[Sequence[float]] = None,
    std: Optional[Sequence[float]] = None,
    scales: str = "any",
    per_channel: bool = False,
    activations: str = "uint8",
    method: str = "mse",
    percentile: float = 99.99,
    equalize: bool = False,
    bias_correction: bool = True,
    quantize_softmax: bool = False,
    keep_float: Sequence[str] = (),
    shapes: Optional[dict[str, Sequence[int]]] = None,
    progress: Progress = None,
) -> Quantized:
    """Quantizes a float network, a file or an onnx.ModelProto, as `foveac quantize` does; writes `output`, whole or not
    at all.

    calibrate: a folder of pictures or an input.bin, normalized with mean and std (those of <model>.json unless given,
    else pixels stay from 0 to 1); a file of raw float32; or an array [N, C, H, W] of inputs, normalized already, for a
    network of one. inputs: the first so many; 0 for all. scales: "any" or "power2". activations: "uint8" or "int8".
    method: how ranges are chosen, "minmax", "percentile", "mse" or "best". keep_float: ONNX names of nodes that stay
    float. shapes: of inputs by name, where the file leaves dimensions open. Raises NetworkError, UsageError.
    """
    options: dict[str, Any] = {
        "inputs": inputs,
        "mean": None if mean is None else list(mean),
        "std": None if std is None else list(std),
        "scales": choose("scales", scales, ("any", "power2")),
        "per_channel": per_channel,
        "activations": choose("activations", activations, ("uint8", "int8")),
        "method": choose("method", method, _fovea.calibration_methods),
        "percentile": percentile,
        "equalize": equalize,
        "bias_correction": bias_correction,
        "quantize_softmax": quantize_softmax,
        "keep_float": list(keep_float),
        "shapes": checked_shapes(shapes),
    }
    if not 50 <= percentile <= 100:
        raise UsageError(f"percentile={percentile}: out of range; 50 to 100 work")
    if any(given is not None and len(given) != 3 for given in (mean, std)) or not all(value > 0 for value in std or ()):
        raise UsageError(f"mean={mean}, std={std}: not for pictures; three numbers each work, std above 0")
    with tempfile.TemporaryDirectory(prefix="fovea_") as folder:
        if isinstance(calibrate, np.ndarray):
            source = Path(folder) / "inputs.f32"
            if calibrate.dtype.kind != "f":
                raise UsageError(f"calibrate: an array of {calibrate.dtype}; float32 that is normalized works")
            as_floats(calibrate, "calibrate: inputs").tofile(source)
        else:
            source = Path(calibrate)
        with told(progress) as tell:
            report = _fovea.quantize(str(model_path(model)), str(output), str(source), options, tell)
    return Quantized(
        Path(output),
        _table(report["layers"], ("value", "operator", "scale", "zero_point", "method", "sqnr_db")),
        _table(report["floats"], ("node", "operator", "why")),
        _table(report["outputs"], ("output", "sqnr_db", "same_largest", "elements")),
        report["inputs"],
    )


def _table(rows: list[dict[str, Any]], columns: Sequence[str]) -> Frame:
    return frame(Table.from_rows(rows, columns))
