# SPDX-License-Identifier: Apache-2.0
"""What massif wrote of a run: its snapshots, and the steps of the heap between them."""
import dataclasses
import re


@dataclasses.dataclass(frozen=True)
class Snapshot:
    """Bytes in use after so many instructions; the heap without what malloc adds to each block."""

    instructions: int
    heap: int
    stacks: int


def snapshots(text: str) -> list[Snapshot]:
    """Those of a massif.out file, in their order."""
    return [
        Snapshot(*map(int, found))
        for found in re.findall(
            r"^time=(\d+)\nmem_heap_B=(\d+)\n(?:mem_heap_extra_B=\d+\n)?mem_stacks_B=(\d+)$", text, re.M
        )
    ]


def heap_steps(taken: list[Snapshot]) -> list[Snapshot]:
    """The first snapshot of each height of the heap."""
    return [now for before, now in zip([None, *taken], taken) if before is None or now.heap != before.heap]
