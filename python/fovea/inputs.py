# SPDX-License-Identifier: Apache-2.0
"""What a network takes for an input: arrays, batches, pictures, and files of either.

The rules, in order:

- A str or path is a file: a picture (.png, .jpg, .jpeg, .ppm, .pgm), a .npy, or raw float32 of the input's size.
- A PIL picture is a picture. So is an array of uint8 where the input is a picture's: its values are pixels from 0 to
  255, as [H, W], [H, W, C] or [C, H, W]. Pictures are stretched to the input's size and normalized.
- Any other array holds numbers, normalized already, in the input's own shape and layout. Floats become float32.
  Booleans and integers do where the input is no picture's and float32 holds them exactly. For a picture they are
  refused, as they would be neither pixels nor normalized.
- One more dimension in front is a batch.
- NaN, infinities, complex numbers, texts and objects are refused.
"""
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Optional, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _fovea
from .errors import NetworkError, UsageError
from .layers import Port

FilePath = Union[str, "os.PathLike[str]"]
OneInput = Union[ArrayLike, FilePath, Any]  #: Any: a picture of PIL.
Input = Union[OneInput, dict[str, OneInput]]
Floats = NDArray[np.float32]
Pixels = NDArray[np.uint8]

PICTURES = (".png", ".jpg", ".jpeg", ".ppm", ".pgm")
PIL_MODES = ("1", "L", "LA", "P", "PA", "RGB", "RGBA", "RGBX", "CMYK", "YCbCr")


class Inputs(NamedTuple):
    """Arrays of a network's ports in their order: float32, contiguous; of a batch all with its dimension in front."""

    arrays: list[Floats]
    batch: Optional[int]  #: How many pictures; None where it is one without that dimension.

    def pictures(self) -> list[list[Floats]]:
        """The arrays of each picture."""
        if self.batch is None:
            return [self.arrays]
        return [[array[i] for array in self.arrays] for i in range(self.batch)]


def read_inputs(x: Input, ports: Sequence[Port], labels: Callable[[], _fovea.Labels]) -> Inputs:
    """x by the rules above; of several ports a dict by name. labels: how pictures are normalized."""
    given = x if isinstance(x, dict) else {ports[0].name: x} if len(ports) == 1 else None
    if given is None or set(given) != {port.name for port in ports}:
        names = ", ".join(port.name for port in ports)
        got = ", ".join(map(str, given)) if given is not None else type(x).__name__
        raise UsageError(f"x: {got or 'nothing'} given; the network takes {names}, a dict by name")
    arrays = [_read(given[port.name], port, labels) for port in ports]
    batches = {array.shape[0] if array.ndim > len(port.shape) else None for array, port in zip(arrays, ports)}
    if len(batches) > 1:
        raise UsageError(f"x: the inputs have the shapes {[a.shape for a in arrays]}; they must be of one batch")
    (batch,) = batches
    if batch == 0:
        raise UsageError("x: a batch of no pictures; one or more work")
    return Inputs(arrays, batch)


def picture_of_file(path: FilePath, port: Port, labels: _fovea.Labels) -> Floats:
    """A picture as the port takes it."""
    return _fovea.picture_of_file(os.fspath(path), port.shape, labels)


def _read(x: OneInput, port: Port, labels: Callable[[], _fovea.Labels]) -> Floats:
    if isinstance(x, (str, os.PathLike)):
        if Path(x).suffix.lower() in PICTURES:
            return picture_of_file(x, port, labels())
        x = _file_of_numbers(Path(x), port)
    pil = sys.modules.get("PIL.Image")  # Who has a picture of PIL has imported it.
    if pil is not None and isinstance(x, pil.Image):
        x = _of_pil(x)
    array = _as_array(x, port)
    shape = _picture_shape(port)
    if array.dtype == np.uint8 and shape:
        array = _pixels(array, port.name, shape, labels())
    return _numbers(array, port)


def _picture_shape(port: Port) -> Optional[tuple[int, ...]]:
    """Of a picture that the port takes, or of each where it takes several; None where it takes none."""
    shapes = [port.shape] + ([port.shape[1:]] if len(port.shape) == 4 else [])
    return next((shape for shape in shapes if _fovea.takes_pictures(shape)), None)


def as_floats(array: NDArray[Any], place: str) -> Floats:
    """The array in float32, contiguous. place: how errors begin. Raises UsageError for NaN and infinities."""
    with np.errstate(over="ignore"):  # It is found below.
        numbers = np.ascontiguousarray(array, dtype=np.float32)
    if not np.isfinite(numbers).all():
        first = [int(i) for i in np.argwhere(~np.isfinite(numbers))[0]]
        raise UsageError(f"{place}{first} is {numbers[tuple(first)]}; finite numbers of float32 work")
    return numbers


def _file_of_numbers(path: Path, port: Port) -> NDArray[Any]:
    """A .npy, or raw float32."""
    try:
        if path.suffix.lower() == ".npy":
            return np.asarray(np.load(path, allow_pickle=False))
        size, needed = path.stat().st_size, 4 * int(np.prod(port.shape))
        if size != needed:
            raise NetworkError(
                f"{path}: has {size:,} bytes; {port.name} takes {needed:,} of raw float32, a .npy, or a picture"
                f" ({', '.join(PICTURES)})"
            )
        return np.fromfile(path, np.float32).reshape(port.shape)
    except OSError as error:
        raise NetworkError(f"{path}: can't be read ({error.strerror or error})") from None
    except (ValueError, EOFError) as error:
        if isinstance(error, NetworkError):
            raise
        raise NetworkError(f"{path}: no .npy of numbers; numpy.save writes one") from None


def _as_array(x: Any, port: Port) -> NDArray[Any]:
    try:
        array = np.asarray(x)  # Not converted yet: a view of one number may have any shape.
    except (TypeError, ValueError, RuntimeError):
        array = np.array(None)
    if array.dtype.kind not in "fiub":
        what = f"an array of {array.dtype}" if isinstance(x, np.ndarray) else f"a {type(x).__name__}"
        raise UsageError(
            f"x: {port.name} is {what} and no numbers; a float32 array {port.shape}, a path, or a picture of PIL works"
        )
    return array


def _numbers(array: NDArray[Any], port: Port) -> Floats:
    if array.shape != port.shape and array.shape[1:] != port.shape:
        raise UsageError(f"x: {port.name} has shape {array.shape}; the network takes {port.shape}{_hint(array, port)}")
    numbers = as_floats(array, f"x: {port.name}")
    if array.dtype.kind == "f":
        return numbers
    if _picture_shape(port):
        raise UsageError(
            f"x: {port.name} is {array.dtype}, neither pixels nor normalized; give uint8 (0 to 255) or float32"
        )
    if not np.array_equal(numbers.astype(array.dtype), array):
        raise UsageError(f"x: {port.name} has integers that float32 rounds, as beyond 16777216; smaller ones work")
    return numbers


def _hint(array: NDArray[Any], port: Port) -> str:
    """What would make an array of a wrong shape a right one, if anything simple does."""
    turned = {array.shape[-1:] + array.shape[-3:-1]: "numpy.moveaxis(x, -1, -3)"} if array.ndim >= 3 else {}
    turned |= {array.shape[-2:] + array.shape[-3:-2]: "numpy.moveaxis(x, -3, -1)"} if array.ndim >= 3 else {}
    found = turned.get(port.shape) or ("x.reshape" + str(port.shape) if array.size == np.prod(port.shape) else "")
    return f"; {found} has that" if found else ", or (N, " + str(port.shape)[1:]


def _of_pil(picture: Any) -> Pixels:
    """[H, W, 3]."""
    if picture.mode not in PIL_MODES:
        raise UsageError(f"x: a picture of mode {picture.mode}; convert it to L or RGB")
    return np.asarray(picture.convert("RGB"))


def _pixels(array: Pixels, name: str, shape: tuple[int, ...], labels: _fovea.Labels) -> Floats:
    """Pixels as an input of a shape takes them: of one picture, or of a batch."""
    if array.ndim == 4 or (array.ndim == 3 and not _channel_axes(array.shape)):
        pictures = [_pixels(each, name, shape, labels) for each in array]
        return np.stack(pictures) if pictures else np.empty((0, *shape), np.float32)
    axes = _channel_axes(array.shape)
    if array.size == 0 or (array.ndim != 2 and not axes):
        raise UsageError(
            f"x: {name} has uint8 {array.shape}; pixels are (H, W), (C, H, W) or (H, W, C) with 1 or 3 channels,"
            " or a batch of these"
        )
    if array.ndim == 2:
        planes = array[None]
    else:
        is_first = axes[-1] == 0 or array.shape == shape and shape[0] in (1, 3)
        planes = array if is_first else np.moveaxis(array, 2, 0)
    return _fovea.picture_of_pixels(np.broadcast_to(planes, (3, *planes.shape[1:])), "x", shape, labels)


def _channel_axes(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Of three dimensions those that may be a picture's channels."""
    return tuple(axis for axis in (0, 2) if len(shape) == 3 and shape[axis] in (1, 3))
