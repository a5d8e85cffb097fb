# SPDX-License-Identifier: Apache-2.0
"""A line that says how far a long call is, where progress=True asks for it: in a terminal, or below a cell."""
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Optional, Union

Progress = Union[bool, Callable[..., object], None]


@contextmanager
def told(progress: Progress, of: int = 0, unit: str = "") -> Iterator[Optional[Callable[..., object]]]:
    """What a call tells how far it is: `progress` itself, nothing, or a line of its own, which is complete behind this.

    of: how many there are, where they are not told; 0 where nobody knows. unit: what is counted.
    """
    if progress is None or progress is False:
        yield None
    elif progress is True:
        line = _Line(of, unit)
        try:
            yield line.tell
        finally:
            line.end()
    else:
        yield progress


class _Line:
    def __init__(self, of: int, unit: str) -> None:
        self._of, self._unit = of, unit
        self._cell: Any = None
        self._length = 0

    def tell(self, done: Union[int, str], of: Optional[int] = None) -> None:
        """done: a text, or how many of `of` or of those in __init__."""
        text = str(done)
        if not isinstance(done, str):
            of = of or self._of
            text = (
                f"{done:,} of {of:,} {self._unit} ({min(100, 100 * done // of)} %)" if of else f"{done:,} {self._unit}"
            )
        self._show(text)

    def _show(self, text: str) -> None:
        if "ipykernel" not in sys.modules:
            sys.stderr.write("\r" + text.ljust(self._length))
            sys.stderr.flush()
            self._length = len(text)
        elif self._cell is None:
            from IPython.display import display  # type: ignore[import]

            self._cell = display({"text/plain": text}, raw=True, display_id=True)
        else:
            self._cell.update({"text/plain": text}, raw=True)

    def end(self) -> None:
        if self._length:
            sys.stderr.write("\n")
