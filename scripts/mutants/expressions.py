# SPDX-License-Identifier: Apache-2.0
"""An expression of SystemVerilog as a tree whose nodes know where they stand: as much of the grammar as the RTL
uses."""
from dataclasses import dataclass, field

from tokens import SourceError

_LEVELS = (
    ("||",),
    ("&&",),
    ("|",),
    ("^", "~^"),
    ("&",),
    ("==", "!="),
    ("<", "<=", ">", ">=", "inside"),
    ("<<", ">>", "<<<", ">>>"),
    ("+", "-"),
    ("*", "/", "%"),
    ("**",),
)
_STRENGTH = {operator: level for level, operators in enumerate(_LEVELS) for operator in operators}
_UNARY = ("!", "~", "-", "+", "&", "|", "^", "~&", "~|", "~^")


@dataclass
class Node:
    """`kind`: number, name, unary, binary, choice (a ?: b), group (anything in brackets, or a chain of selections)."""

    kind: str
    start: int  # characters
    end: int
    text: str = ""  # the operator, the number or the name
    children: list = field(default_factory=list)  # what may be computed anew each cycle
    names: set = field(default_factory=set)  # all that it reads, brackets included
    place: int = 0  # character of the operator


class ExpressionReader:
    """Reads tokens[first:last], which is one expression."""

    def __init__(self, tokens, pairs, first, last):
        self.tokens, self.pairs, self.at, self.last = tokens, pairs, first, last

    def read(self):
        node = self._choice()
        if self.at != self.last:
            raise SourceError(
                f"cannot read on at `{self.tokens[self.at].text}`, character {self.tokens[self.at].start}"
            )
        return node

    def _text(self):
        return self.tokens[self.at].text if self.at < self.last else ""

    def _inside(self, first, last):
        return ExpressionReader(self.tokens, self.pairs, first, last).read()

    def _list(self, first, last, separators=(",",)):
        """Ranges between separators of tokens[first:last], brackets skipped."""
        ranges, begin, index = [], first, first
        while index < last:
            if index in self.pairs:
                index = self.pairs[index]
            elif self.tokens[index].text in separators:
                ranges.append((begin, index))
                begin = index + 1
            index += 1
        return ranges + [(begin, last)] if begin < last else ranges

    def _choice(self):
        condition = self._binary(0)
        if self._text() != "?":
            return condition
        self.at += 1
        first = self._choice()
        if self._text() != ":":
            raise SourceError(f"a choice without `:`, character {self.tokens[self.at - 1].start}")
        self.at += 1
        second = self._choice()
        parts = [condition, first, second]
        return Node("choice", condition.start, second.end, "?:", parts, set().union(*(part.names for part in parts)))

    def _binary(self, level):
        if level == len(_LEVELS):
            return self._unary()
        left = self._binary(level + 1)
        while _STRENGTH.get(self._text()) == level:
            token = self.tokens[self.at]
            self.at += 1
            if token.text == "inside":
                close = self.pairs[self.at]
                left = Node("group", left.start, self.tokens[close].end, "", [left], set(left.names))
                self.at = close + 1
                continue
            right = self._binary(level + 1)
            left = Node(
                "binary", left.start, right.end, token.text, [left, right], left.names | right.names, token.start
            )
        return left

    def _unary(self):
        token = self.tokens[self.at]
        if token.kind == "operator" and token.text in _UNARY:
            self.at += 1
            operand = self._unary()
            return Node("unary", token.start, operand.end, token.text, [operand], set(operand.names), token.start)
        return self._selections(self._primary())

    def _primary(self):
        token, close = self.tokens[self.at], self.pairs.get(self.at)
        self.at += 1
        if token.kind in ("number", "name"):
            return Node(
                token.kind, token.start, token.end, token.text, [], {token.text} if token.kind == "name" else set()
            )
        if close is None:
            raise SourceError(f"no operand at `{token.text}`, character {token.start}")
        first, self.at = self.at, close + 1
        end = self.tokens[close].end
        if token.text == "(":
            inner = self._inside(first, close)
            return Node("group", token.start, end, "", [inner], set(inner.names))
        return self._braces(token, first, close, end)

    def _braces(self, token, first, close, end):
        """A concatenation, a replication, or a pattern: its keys stay as they are, and so does what `default` gives."""
        inner_open = next(
            (i for i in range(first, close) if self.tokens[i].text == "{" and self.pairs[i] == close - 1), None
        )
        if token.text == "{" and inner_open is not None and len(self._list(first, close)) == 1 and inner_open > first:
            first, close = inner_open + 1, close - 1
        children, names = [], set()
        for begin, stop in self._list(first, close):
            keyed = token.text == "'{" and begin + 2 < stop and self.tokens[begin + 1].text == ":"
            if keyed and self.tokens[begin].text == "default":
                continue
            child = self._inside(begin + 2 if keyed else begin, stop)
            children.append(child)
            names |= child.names
        return Node("group", token.start, end, "", children, names)

    def _selections(self, node):
        """What follows a primary: .field, [index], [from+:width], (arguments), '(cast)."""
        while self._text() in (".", "::", "[", "(", "'("):
            opener = self.at
            if self._text() in (".", "::"):
                token = self.tokens[self.at + 1]
                children, names, end = node.children, node.names, token.end
                if self._text() == "::":
                    names = names | {token.text}
                self.at += 2
            else:
                close = self.pairs[opener]
                end = self.tokens[close].end
                children, names = list(node.children), set(node.names)
                for part in self._changing_parts(opener, close):
                    children.append(part)
                    names |= part.names
                if self._text() == "'(":
                    children = children[len(node.children) :]  # the size is a constant
                self.at = close + 1
            node = Node("group", node.start, end, "", children, names)
        return node

    def _changing_parts(self, opener, close):
        if self.tokens[opener].text != "[":
            return [self._inside(*part) for part in self._list(opener + 1, close)]
        if len(self._list(opener + 1, close, (":",))) == 2:
            return []
        return [self._inside(*self._list(opener + 1, close, ("+:", "-:"))[0])]
