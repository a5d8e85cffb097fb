# SPDX-License-Identifier: Apache-2.0
"""Why a point is not reached: a reviewed file of lines `modules -- what -- reason`, `#` before a comment.

`what` is signals, each with all of its bits and fields, or with a range of them (`addr[31:28]`, `beat.id`; `*.id` is
that field of any signal); or `<branch> of <statement>` as the report prints it.
"""
import dataclasses
import re

from coverage_error import CoverageError
from points import LINE, TOGGLE


@dataclasses.dataclass
class Reason:
    place: str
    modules: str
    what: str
    text: str

    def __post_init__(self):
        self.kind = LINE if re.match(r"\w+ of ", self.what) else TOGGLE
        self.signals = {signal: _pattern(signal) for signal in self.what.split()} if self.kind == TOGGLE else {}

    def explains(self, point):
        if point.module not in self.modules.split() or point.kind != self.kind:
            return False
        if self.kind == LINE:
            return point.name == self.what
        return any(signal.match(point.name) for signal in self.signals.values())

    def not_needed(self, explained):
        """What of it is in none of the points that it explains."""
        if not explained:
            return [self.what]
        return [
            text for text, signal in self.signals.items() if not any(signal.match(point.name) for point in explained)
        ]


def _pattern(signal):
    """A regular expression of the bits that `signal` names."""
    parts = [r".*\."] if signal.startswith("*.") else []
    for part in re.split(r"(\[\d+(?::\d+)?\])", signal.removeprefix("*.")):
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
            raise CoverageError(f"{path}:{number}: not `modules -- what -- reason`: {line}")
        reasons.append(Reason(f"{path.name}:{number}", *fields))
    return reasons


def explain(reasons, missed):
    """{point: its reason} of the points that have one. Reasons that explain nothing are an error, which names them
    all."""
    explained, not_needed = {}, []
    for reason in reasons:
        points = [point for point in missed if reason.explains(point)]
        not_needed += [
            f"{reason.place}: {reason.modules} -- {what}: nothing of it is missed; drop the reason"
            for what in reason.not_needed(points)
        ]
        for point in points:
            explained.setdefault(point, reason)
    if not_needed:
        raise CoverageError("\n".join(not_needed))
    return explained
