# SPDX-License-Identifier: Apache-2.0
"""A copy of the repository that has a bug in each reader of files, for scripts/run_fuzz --planted."""
import pathlib
import re
import shutil
import subprocess
from typing import NamedTuple

from variables import fail

COPY = pathlib.Path("build/planted")
LIST = pathlib.Path("testbench/fuzz/planted.txt")


class Bug(NamedTuple):
    """A row of the list."""

    reader: str
    file: str
    text: str
    instead: str


def read_bugs(rows: str) -> list[Bug]:
    r"""The rows of such a list; \| stands for a bar in a text."""
    lines = (line for line in rows.splitlines() if line and not line.startswith("#"))
    return [Bug(*(cell.replace(r"\|", "|") for cell in re.split(r" (?<!\\)\| ", line))) for line in lines]


def _planted_sources(bugs: list[Bug]) -> dict[str, bytes]:
    """What each file of the copy has: all that git tracks, as it stands, and the bugs."""
    tracked = subprocess.run(["git", "ls-files", "-z"], check=True, capture_output=True, text=True).stdout.split("\0")
    sources = {name: pathlib.Path(name).read_bytes() for name in tracked if pathlib.Path(name).is_file()}
    for reader, name, text, instead in bugs:
        times = sources.get(name, b"").count(text.encode())
        if times != 1:
            fail(str(LIST), f"{reader}: {name} has its text {times} times; once is needed")
        sources[name] = sources[name].replace(text.encode(), instead.encode())
    return sources


def write_copy(bugs: list[Bug]) -> None:
    """Writes what changed since the last time, also where a bug was taken out, so that just that is built again."""
    sources = _planted_sources(bugs)
    for folder in (each for each in COPY.glob("*") if each.name != "build"):
        for old in [folder] if folder.is_file() else folder.rglob("*"):
            if old.is_file() and str(old.relative_to(COPY)) not in sources:
                old.unlink()
    for name, source in sources.items():
        target = COPY / name
        if not target.is_file() or target.read_bytes() != source:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source)
            shutil.copymode(name, target)
