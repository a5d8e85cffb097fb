# SPDX-License-Identifier: Apache-2.0
"""Where one token of a source can be another: each Site is one change, of one of four kinds."""
import hashlib
import re
from dataclasses import dataclass

KINDS = ("operator", "constant", "condition", "dropped assignment")

_OTHER = {
    "+": ("-",),
    "-": ("+",),
    "*": ("+",),
    "<<": (">>",),
    ">>": ("<<",),
    ">>>": (">>",),
    "==": ("!=",),
    "!=": ("==",),
    "<": ("<=", ">="),
    "<=": ("<", ">"),
    ">": (">=", "<="),
    ">=": (">", "<"),
    "&&": ("||",),
    "||": ("&&",),
    "&": ("|",),
    "|": ("&",),
    "^": ("|",),
}
_WITHOUT = {"!": "", "~": "", "&": "|", "|": "&"}
_NUMBER = re.compile(r"(?:(\d+)'([sS]?)([bodhBODH]))?([0-9a-fA-F_]+)$")
_BASES = {"b": 2, "o": 8, "d": 10, "h": 16}


@dataclass
class Site:
    """The text from `start` to `end` becomes `parts`: words as they are, and ranges of the source."""

    kind: str
    file: str
    line: int
    start: int
    end: int
    parts: list
    before: str
    after: str
    where: str  # the statement
    twin: int = 1  # which of the file's changes that read alike

    @property
    def key(self):
        return (self.file, self.where, self.before, self.after, self.twin)


def plain(text):
    """Without comments, on one line."""
    return " ".join(re.sub(r"//[^\n]*", "", text).split())


def _pick(choices, *what):
    """One of them, always the same for the same words."""
    return choices[int(hashlib.sha256("|".join(what).encode()).hexdigest(), 16) % len(choices)]


def other_number(text, where):
    """A number beside it, of the same width; nothing for one with unknown bits."""
    if text in ("'0", "'1"):
        return "'1" if text == "'0" else "'0"
    match = _NUMBER.match(text)
    if not match:
        return None
    width, sign, base, digits = match.groups()
    if width is None:
        value = int(digits)
        return str(_pick([value + 1] if value == 0 else [value + 1, value - 1], text, where))
    base = base.lower()
    value, limit = int(digits.replace("_", ""), _BASES[base]), 1 << int(width)
    value = _pick([value + 1, value - 1], text, where) % limit
    digits = {"b": f"{value:b}", "o": f"{value:o}", "d": str(value), "h": f"{value:x}"}[base]
    return f"{width}'{sign}{base}{digits}"


class SiteFinder:
    """All sites of one file. `constants`: names settled at elaboration; `enumerators`: each one's next."""

    def __init__(self, name, source, constants, enumerators, constant_functions):
        self.name, self.source, self.text = name, source, source.text
        self.constants, self.enumerators = constants, enumerators
        self.skipped = [span for function, span in source.function_ranges().items() if function in constant_functions]
        self.sites = []
        read = self._names_read()
        for assignment in source.assignments:
            if not self._only_asserted(assignment, read):
                self._of_assignment(assignment)
        for condition in source.conditions:
            where = plain(self.text[condition.start : condition.end])
            self._add_condition(condition.node, where)
            self._walk(condition.node, where)
        for node, start, end in source.values:
            self._walk(node, plain(self.text[start:end]))
        self.sites = [s for s in self.sites if not any(first <= s.start < last for first, last in self.skipped)]
        self.sites.sort(key=lambda site: (site.start, -site.end))
        self._number_twins()

    def _names_read(self):
        nodes = [a.value for a in self.source.assignments] + [c.node for c in self.source.conditions]
        return set().union(*(node.names for node in nodes + [value[0] for value in self.source.values]))

    def _only_asserted(self, assignment, read):
        base = re.match(r"\w*", assignment.target).group()
        return base in self.source.asserted - read and not base.endswith("_o")

    def _number_twins(self):
        seen = {}
        for site in self.sites:
            seen[site.key] = seen.get(site.key, 0) + 1
            site.twin = seen[site.key]

    def _add(self, kind, node, parts, where, after=None):
        if after is None:
            after = "".join(part if isinstance(part, str) else self.text[part[0] : part[1]] for part in parts)
        self.sites.append(
            Site(
                kind,
                self.name,
                self.source.line_of(getattr(node, "place", 0) or node.start),
                node.start,
                node.end,
                parts,
                plain(self.text[node.start : node.end]),
                plain(after),
                where,
            )
        )

    def _add_operator(self, node, operator, where):
        """The operator of a node becomes another, or none."""
        spans = [(child.start, child.end) for child in node.children]
        parts = (
            [f"{operator}(", spans[0], ")"]
            if node.kind == "unary"
            else ["(", spans[0], f") {operator} (", spans[1], ")"]
        )
        after = self.text[node.start : node.place] + operator + self.text[node.place + len(node.text) : node.end]
        self._add("operator", node, parts, where, after)

    def _of_assignment(self, assignment):
        where = plain(self.text[assignment.start : assignment.end])
        if assignment.droppable:
            self._add("dropped assignment", assignment, [""], where)
        self._walk(assignment.value, where)

    def _add_condition(self, node, where):
        span = (node.start, node.end)
        if not node.names <= self.constants:
            changes = [["!(", span, ")"], ["1'b1"], ["1'b0"]]
            self._add("condition", node, _pick(changes, self.name, where, self.text[node.start : node.end]), where)

    def _walk(self, node, where):
        if node.kind == "number":
            other = other_number(node.text, where)
            if other is not None:
                self._add("constant", node, [other], where)
        elif node.kind == "name" and node.text in self.enumerators:
            self._add("constant", node, [self.enumerators[node.text]], where)
        elif not node.names <= self.constants:
            self._of_operator(node, where)
            for child in node.children:
                self._walk(child, where)

    def _of_operator(self, node, where):
        if node.kind == "binary" and node.text in _OTHER:
            self._add_operator(node, _pick(_OTHER[node.text], self.name, where), where)
        elif node.kind == "unary" and node.text in _WITHOUT:
            self._add_operator(node, _WITHOUT[node.text], where)
        elif node.kind == "choice":
            self._add_condition(node.children[0], where)
