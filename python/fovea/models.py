# SPDX-License-Identifier: Apache-2.0
"""Networks that are given as files, or as they are in memory."""
import hashlib
import os
import re
import tempfile
from pathlib import Path
from typing import Any, Union

from . import _fovea
from .errors import NetworkError

Model = Union[str, "os.PathLike[str]", Any]  #: Any: an onnx.ModelProto or a fovea.ir.Graph.


def model_path(model: Model) -> Path:
    """A network's file: `model` itself, or one in Fovea's cache with what an onnx.ModelProto or a graph holds.

    >>> model_path(3)
    Traceback (most recent call last):
    ...
    TypeError: model: a int; give the path of an ONNX file, an onnx.ModelProto, or a graph of fovea.ir
    """
    if isinstance(model, (str, os.PathLike)):
        return Path(model)
    if isinstance(model, _fovea.Graph):
        return Path(model.kept())
    if not (hasattr(model, "SerializeToString") and hasattr(model, "graph")):
        raise TypeError(
            f"model: a {type(model).__name__}; "
            "give the path of an ONNX file, an onnx.ModelProto, or a graph of fovea.ir"
        )
    name = re.sub(r"\W+", "_", model.graph.name, flags=re.ASCII)[:80].strip("_") or "model"
    try:
        data = model.SerializeToString(deterministic=True)
    except ValueError:
        raise NetworkError(
            f"{name}: more than protobuf holds (2 GB); write it with onnx.save, and give its path"
        ) from None
    folder = Path(_fovea.cache_folder()) / "models" / hashlib.sha256(data).hexdigest()[:16]
    path = folder / f"{name}.onnx"
    if not path.exists() or path.read_bytes() != data:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o755, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
            file.write(data)
        os.replace(file.name, path)
    return path
