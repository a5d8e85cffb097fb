# SPDX-License-Identifier: Apache-2.0
"""What a network knows of pictures whose class is known, and how far that can be trusted."""
import json
import tempfile
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, Optional, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _fovea, sessions
from .errors import UsageError
from .inputs import FilePath
from .network import Network, _count
from .progress import Progress, told
from .table import Frame, Table, frame

MISSED = ("picture", "class", "saw", "place")


class Share(NamedTuple):
    """A share of the pictures, and the interval that it lies in with 95 % confidence (Wilson's)."""

    right: int
    share: float
    low: float
    high: float


@dataclass(frozen=True)
class Accuracy:
    """What a network knew; of two networks also what the other did. str() is for a person."""

    pictures: int
    labels: list[str]  #: What the classes are called.
    top1: Share  #: The true class was the answer.
    top5: Share  #: It was among the five likeliest.
    confusion: NDArray[np.int64]  #: [true class, what it was taken for], counts of pictures.
    _missed: Table = field(repr=False)
    beside: Optional["Accuracy"]  #: Of the other network on the same pictures.
    same_answer: Optional[int]  #: Pictures of which both said the same; None of one network.
    only_first_knew: Optional[int]
    only_second_knew: Optional[int]
    text: str = field(repr=False)  #: What `fovea accuracy` prints.

    @cached_property
    def missed(self) -> Frame:
        """A row a picture that it did not know: its name, its class, what was seen, the class's place from 2 on."""
        return frame(self._missed)

    def __str__(self) -> str:
        return self.text.rstrip("\n")


def accuracy(
    net: Network,
    data: Union[FilePath, ArrayLike],
    labels: Optional[ArrayLike] = None,
    *,
    beside: Optional[Network] = None,
    backend: str = "cpu",
    jobs: int = 0,
    keep: Optional[FilePath] = None,
    misses: int = 10,
    progress: Progress = None,
) -> Accuracy:
    """Asks a network about pictures whose class is known, as `fovea accuracy` does.

    data: a folder of pictures, a sub-folder a class; an input.bin; or with labels, uint8 [N] of classes, an array uint8
    [N, C, H, W] of pixels, which are normalized as the network's pictures are. beside: another network, which runs on
    the CPU on the same pictures. backend: where the first one runs, "cpu" or one of `fovea.backends`. jobs: processes;
    0 for one a core. keep: a file of what was found, where a run that was ended goes on. misses: how many `text` lists.
    progress: called with how many are done, and of how many; True shows it.

    Raises NetworkError for pictures that can't be used, BackendError, UsageError.

    >>> net = fovea.compile(fovea.model("vgg8_cifar10_power2.onnx"))
    >>> found = accuracy(net, fovea.model("samples"))
    >>> found.top1.right, found.pictures, round(found.top1.low, 4)
    (100, 100, 0.963)
    """
    options: tuple[int, int] = (_count("jobs", jobs, 0), _count("misses", misses, 0))
    networks = [_to_ask(net, backend)] + ([] if beside is None else [_to_ask(beside, "cpu")])
    model = "" if net.model is None else str(net.model)
    with tempfile.TemporaryDirectory(prefix="fovea_") as folder, sessions.exclusively():
        files = _files(data, labels, net, Path(folder))
        with told(progress, unit="pictures") as tell:
            found, text = _fovea.accuracy(networks, model, *files, "" if keep is None else str(keep), *options, tell)
    return _accuracies(json.loads(found), text)


def _to_ask(net: Network, backend: str) -> _fovea.NetworkToAsk:
    backend = net._backend(backend)
    placed = net._on_cpu() if backend == "cpu" else net
    machine = placed.machine if backend != "cpu" else None
    return _fovea.NetworkToAsk(
        net.name,
        str(placed.folder),
        backend,
        machine._file if machine else None,
        str(machine.as_file()) if machine else "",
    )


def _files(data: Any, labels: Any, net: Network, folder: Path) -> tuple[str, str, str]:
    """What the pictures are read from: data, pictures, labels."""
    if labels is None:
        if isinstance(data, np.ndarray):
            raise UsageError("labels: not given; an array of pictures needs uint8 [N] of their classes")
        return str(data), "", ""
    shape = net._only("input", net.inputs)[0].shape
    pixels, classes = np.asarray(data), np.asarray(labels)
    if pixels.dtype != np.uint8 or pixels.shape[1:] != shape:
        raise UsageError(
            f"data: {pixels.dtype} {pixels.shape}; with labels, uint8 (N, {', '.join(map(str, shape))}) works"
        )
    if (
        classes.shape != pixels.shape[:1]
        or not np.issubdtype(classes.dtype, np.integer)
        or not np.all((0 <= classes) & (classes < 256))
    ):
        raise UsageError(
            f"labels: {classes.dtype} {classes.shape}; a class from 0 to 255 for each of the {len(pixels)} pictures"
            " works"
        )
    pixels.tofile(folder / "pictures.u8")
    classes.astype(np.uint8).tofile(folder / "labels.u8")
    return "", str(folder / "pictures.u8"), str(folder / "labels.u8")


def _accuracies(found: dict[str, Any], text: str) -> Accuracy:
    """Of the last network first: each has the one after it beside it."""
    made: Optional[Accuracy] = None
    for each in reversed(found["networks"]):
        is_first = each is found["networks"][0]
        both = {
            name: found.get(name) if is_first else None
            for name in ("same_answer", "only_first_knew", "only_second_knew")
        }
        made = Accuracy(
            found["pictures"],
            found["labels"],
            Share(**each["top1"]),
            Share(**each["top5"]),
            np.array(each["confusion"], dtype=np.int64),
            Table.from_rows(each["missed"], MISSED),
            made,
            **both,
            text=text if is_first else "",
        )
    assert made is not None
    return made
