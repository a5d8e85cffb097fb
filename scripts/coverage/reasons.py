# SPDX-License-Identifier: Apache-2.0
"""Why a point cannot be reached: a reviewed file of lines `module -- what -- reason`, `#` before a comment.

`what` is signals, each with all of its bits and fields, or with a range of them (`addr[31:28]`, `beat.id`); or
`<branch> of <statement>` as the report prints it.
"""
import dataclasses
import re

from coverage_error import CoverageError
from points import LINE, TOGGLE


@dataclasses.dataclass
class Reason:
    place: str
    module: str
    what: str
    text: str

    def __post_init__(self):
        self.kind = LINE if re.match(r"\w+ of ", self.what) else TOGGLE
        self.signals = [_pattern(signal) for signal in self.what.split()] if self.kind == TOGGLE else []

    def explains(self, point):
        if point.module != self.module or point.kind != self.kind:
            return False
        if self.kind == LINE:
            return point.name == self.what
        return any(signal.match(point.name) for signal in self.signals)


def _pattern(signal):
    """A regular expression of the bits that `signal` names."""
    parts = []
    for part in re.split(r"(\[\d+(?::\d+)?\])", signal):
        bounds = re.fullmatch(r"\[(\d+)(?::(\d+))?\]", part)
        if not bounds:
            parts.append(re.escape(part))
            continue
        first, last = sorted((int(bounds[1]), int(bounds[2] or bounds[1])))
        parts.append(r"\[(?:" + "|".join(str(number) for number in range(first, last + 1)) + r")\]")
    return re.compile("".join(parts) + r"(?![\w])")


def read(path):
    reasons = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = [field.strip() for field in line.split(" -- ")]
        if len(fields) != 3 or not all(fields):
            raise CoverageError(f"{path}:{number}: not `module -- what -- reason`: {line}")
        reasons.append(Reason(f"{path.name}:{number}", *fields))
    return reasons


def explain(reasons, missed):
    """{point: its reason} of the points that have one. A reason that explains nothing is an error."""
    explained = {}
    for reason in reasons:
        points = [point for point in missed if reason.explains(point)]
        if not points:
            raise CoverageError(f"{reason.place}: {reason.module} -- {reason.what}: nothing of it is missed; drop the reason")
        for point in points:
            explained.setdefault(point, reason)
    return explained
