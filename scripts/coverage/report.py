# SPDX-License-Identifier: Apache-2.0
"""Coverage by module, as Markdown."""
import dataclasses

from markdown_table import markdown_table
from points import LINE, TOGGLE, missed, ranges

# Percent of its lines, and of its toggles, that a module must have.
NEEDED = 90


@dataclasses.dataclass
class Share:
    """Points of one kind in one module."""

    points: int
    hit: int
    explained: int

    @property
    def percent(self):
        """Of all points."""
        return 100.0 * self.hit / self.points if self.points else 100.0

    @property
    def percent_reachable(self):
        """Of the points that have no reason."""
        reachable = self.points - self.explained
        return 100.0 * self.hit / reachable if reachable else 100.0

    def cells(self):
        if not self.points:
            return ["", "", ""]
        return [f"{self.hit:,} of {self.points:,}", f"{self.percent:.1f}", f"{self.percent_reachable:.1f}"]


def shares(modules, counts, explained):
    """{module: {kind: Share}}"""
    left = missed(counts)
    table = {}
    for module in modules:
        table[module] = {}
        for kind in (LINE, TOGGLE):
            points = sum(1 for point in counts if point.module == module and point.kind == kind)
            misses = [point for point in left if point.module == module and point.kind == kind]
            reasoned = sum(1 for point in misses if point in explained)
            table[module][kind] = Share(points, points - len(misses), reasoned)
    return table


def below(table):
    """A line for each module that has too little."""
    return [
        f"{module}: {share.percent_reachable:.1f} % of its {kind}s; {NEEDED} are needed"
        for module, row in table.items()
        for kind, share in row.items()
        if share.percent_reachable < NEEDED
    ]


def _summary(table):
    rows = [[module, *row[LINE].cells(), *row[TOGGLE].cells()] for module, row in table.items()]
    totals = [
        Share(*(sum(getattr(row[kind], field) for row in table.values()) for field in ("points", "hit", "explained")))
        for kind in (LINE, TOGGLE)
    ]
    rows.append(["all", *totals[0].cells(), *totals[1].cells()])
    heading = [
        "module",
        "lines",
        "%",
        "% without those that have a reason",
        "toggles",
        "%",
        "% without those that have a reason",
    ]
    return markdown_table(heading, rows)


def _names(points):
    """What they are, in code marks."""
    if points[0].kind == LINE:
        return "; ".join(dict.fromkeys(f"`{point.name}`" for point in points))
    return ", ".join(f"`{text}`" for text in ranges(point.name for point in points))


def _left(module, left, explained):
    """The list of a module's points that were missed, reason by reason, those without one first."""
    groups = {}
    for point in left:
        if point.module == module:
            reason = explained[point].text if point in explained else ""
            groups.setdefault((reason, point.kind), []).append(point)
    if not groups:
        return ""
    lines = []
    for (reason, kind), points in sorted(groups.items(), key=lambda item: (item[0][0] != "", item[0][1])):
        words = {LINE: "not run", TOGGLE: "not toggled"}[kind]
        lines.append(f"- {reason or 'No reason'} ({len(points)} {words}): {_names(points)}")
    return f"### {module}\n\n" + "\n".join(lines)


def text(modules, counts, explained):
    left = missed(counts)
    sections = [section for section in (_left(module, left, explained) for module in modules) if section]
    return "\n\n".join([_summary(shares(modules, counts, explained)), "## What is left", *sections]) + "\n"
