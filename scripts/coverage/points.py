# SPDX-License-Identifier: Apache-2.0
"""The points that Verilator counts: branches of the source and bits of its signals, each once for all instances."""
import dataclasses
import functools
import pathlib
import re

from coverage_error import CoverageError

LINE, TOGGLE = "line", "toggle"
# How often a point must have been counted: a bit rises and falls in one run of one device.
ENOUGH = {LINE: 1, TOGGLE: 2}
KINDS = {"v_line": LINE, "v_branch": LINE, "v_toggle": TOGGLE}


@dataclasses.dataclass(frozen=True)
class Point:
    """`name` is the signal's bit, or `<branch> of <statement>`; `place` (line, column) tells equal statements apart."""

    module: str
    kind: str
    name: str
    place: tuple = ()


@functools.cache
def _statements(path):
    try:
        lines = pathlib.Path(path).read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise CoverageError(f"{path}: {error.strerror}; the tests ran on another source tree") from error
    return [" ".join(re.sub(r"//.*", "", line).split()) for line in lines]


def _statement(path, number):
    statements = _statements(path)
    if number > len(statements):
        raise CoverageError(f"{path}: no line {number}; the tests ran on another version of it")
    return statements[number - 1]


def _point(fields):
    kind = KINDS[fields["page"].split("/")[0]]
    path, line = fields["f"], int(fields["l"])
    module = pathlib.Path(path).stem
    if kind == TOGGLE:
        return Point(module, kind, fields["o"])
    return Point(module, kind, f"{fields['o']} of {_statement(path, line)}", (line, int(fields["n"])))


def read(folder):
    """{Point: its largest count in any file of `folder`}; Verilator's files hold a point and its count a line."""
    counts = {}
    files = sorted(folder.glob("*.dat"))
    if not files:
        raise CoverageError(f"{folder}: no coverage files; no test has counted")
    for file in files:
        for line in file.read_text(encoding="utf-8").splitlines():
            if not line.startswith("C '"):
                continue
            text, count = line[3:].rsplit("' ", 1)
            point = _point(dict(field.split("\2", 1) for field in text.split("\1")[1:]))
            counts[point] = max(counts.get(point, 0), int(count))
    return counts


def missed(counts):
    """The points that were not counted often enough, in order."""
    points = [point for point, count in counts.items() if count < ENOUGH[point.kind]]
    return sorted(points, key=lambda point: (point.module, point.kind, point.place, natural(point.name)))


def natural(name):
    """Sorts bit 10 behind bit 9."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]


def ranges(names):
    """Bits as they are written in the source: x[7] and x[6] as x[7:6]."""
    bits, texts = {}, []
    for name in sorted(names, key=natural):
        match = re.fullmatch(r"(.*)\[(\d+)\]", name)
        if match:
            bits.setdefault(match[1], []).append(int(match[2]))
        else:
            texts.append(name)
    for signal, numbers in bits.items():
        first = last = numbers[0]
        for number in [*numbers[1:], None]:
            if number is not None and number == last + 1:
                last = number
                continue
            texts.append(f"{signal}[{first}]" if first == last else f"{signal}[{last}:{first}]")
            first = last = number
    return sorted(texts, key=natural)
