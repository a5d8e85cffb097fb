# SPDX-License-Identifier: Apache-2.0
"""Compiles neural networks for a row-stationary accelerator, and runs them on it, simulated cycle by cycle.

>>> import fovea
>>> net = fovea.compile(fovea.model("vgg8_cifar10_power2.onnx"))
>>> x = net.read_picture(fovea.model("samples/deer_9.png"))
>>> run = net.run(x, backend="systemc")
>>> net.classify(run)[0][0], run.cycles
('deer', 3783673)
>>> run.layers["cycles"].tolist()[:2]
[66748, 590700]
"""
import sys
from pathlib import Path

try:
    import numpy as np
    from numpy.typing import NDArray
except ModuleNotFoundError as error:
    is_debians = sys.prefix == "/usr"  # Neither a virtual environment nor a Python of one's own.
    raise ModuleNotFoundError(
        "import fovea needs numpy: "
        + ("apt-get install python3-numpy" if is_debians else f"{sys.executable} -m pip install 'numpy<2'"),
        name=error.name,
    ) from None

from . import _fovea, expressions, ir, loops, patterns
from .accuracies import Accuracy, Share, accuracy
from .comparison import Comparison, compare
from .errors import (
    BackendError,
    Error,
    MachineError,
    NetworkError,
    Problem,
    RunError,
    StoreError,
    UsageError,
    WorkerError,
)
from .explorations import Exploration, explore
from .externs import Extern, ExternInput
from .machine import Machine, machines
from .layers import Layer, Layers, Port
from .mappings import Explanation, LayerMap
from .inputs import FilePath
from .network import Network, compile, load  # pylint: disable=redefined-builtin
from .operators import Operator, TensorType, operator
from .passes import Pass, PassContext, PassInfo, PassRun, graph_pass
from .patterns import Fused, Fusion
from .quantization import Quantized, quantize
from .run import Run, Waves
from .sessions import close
from .table import Table
from .targets import Call, Target, TargetLayer

__version__ = _fovea.version
backends = tuple(_fovea.backends)  #: Simulated devices; "cpu" stands beside them.
memories = tuple(_fovea.memories)  #: What a device's DRAM may be.
objectives = tuple(_fovea.objectives)  #: What the mapping search may make small.
targets = tuple(_fovea.targets)  #: Where layers may run.

__all__ = [
    "Accuracy",
    "BackendError",
    "Call",
    "Comparison",
    "Error",
    "Explanation",
    "Exploration",
    "Extern",
    "ExternInput",
    "Fused",
    "Fusion",
    "Layer",
    "LayerMap",
    "Layers",
    "Machine",
    "MachineError",
    "Network",
    "NetworkError",
    "Operator",
    "Pass",
    "PassContext",
    "PassInfo",
    "PassRun",
    "Port",
    "Problem",
    "Quantized",
    "Run",
    "RunError",
    "Table",
    "Target",
    "TargetLayer",
    "TensorType",
    "Share",
    "StoreError",
    "UsageError",
    "Waves",
    "WorkerError",
    "accuracy",
    "backends",
    "close",
    "compare",
    "compile",
    "explore",
    "expressions",
    "graph_pass",
    "ir",
    "loops",
    "load",
    "machines",
    "memories",
    "model",
    "objectives",
    "operator",
    "patterns",
    "picture",
    "quantize",
    "targets",
]


def model(name: str) -> Path:
    """A file that ships with Fovea, in its folder of networks: "vgg8_cifar10_power2.onnx", "samples/cat_3.png"."""
    return Path(_fovea.models_folder()) / name


def picture(path: FilePath, net: Network) -> NDArray[np.float32]:
    """The same as `net.read_picture(path)`."""
    return net.read_picture(path)
