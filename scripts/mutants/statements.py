# SPDX-License-Identifier: Apache-2.0
"""A source file of the RTL as what it computes: expressions, conditions and assignments, each with where it stands.

Left out is what is settled before a simulation starts or is no hardware: declarations, parameters, generate conditions,
loop headers, case labels, assertions, and what stands between `ifndef SYNTHESIS and `endif.
"""
import re
from dataclasses import dataclass

from expressions import ExpressionReader, Node
from tokens import SourceError, match_brackets, tokenize

_DECLARATIONS = {
    "localparam",
    "parameter",
    "typedef",
    "import",
    "genvar",
    "logic",
    "int",
    "wire",
    "input",
    "output",
    "automatic",
}
_ASSERTING = re.compile(r"^(`DLA_|\$(error|fatal|display)\b)")


@dataclass
class Assignment:
    target: str  # without spaces
    start: int
    end: int  # behind the semicolon
    value: Node
    droppable: bool  # what it assigns keeps a value without it
    asynchronous_reset: bool


@dataclass
class Condition:
    start: int  # of the `if`
    end: int  # of the bracket behind it
    node: Node


class SourceFile:
    """`assignments`, `conditions` and `values` (other expressions: Node, first and last character to show it in)."""

    def __init__(self, text):
        self.text = text
        self.tokens = tokenize(text)
        self.pairs = match_brackets(self.tokens)
        self.assignments, self.conditions, self.values = [], [], []
        self.instances, self.constants, self.constant_functions, self.enumerators = set(), set(), set(), {}
        self._functions = {}  # name -> range of tokens
        self.asserted = set()  # names in assertions
        self._collect_constants()
        self.at = 0
        while self.at < len(self.tokens):
            self._item()

    def line_of(self, character):
        return self.text.count("\n", 0, character) + 1

    # Names that are settled at elaboration.

    def _collect_constants(self):
        words = self.tokens
        for index, token in enumerate(words):
            if token.text in ("localparam", "parameter"):
                last = self._declaration_end(index)
                equals = next((i for i in self._top_level(index, last) if words[i].text == "="), None)
                if equals is not None:
                    name = equals - 1
                    while words[name].text == "]":
                        name = next(opener for opener, closer in self.pairs.items() if closer == name) - 1
                    self.constants.add(words[name].text)
                self._note_calls(index, last)
            elif token.text == "genvar":
                self.constants.add(words[index + 1].text)
            elif token.text == "enum":
                opener = next(i for i in range(index, len(words)) if words[i].text == "{")
                names = [t.text for t in words[opener : self.pairs[opener]] if t.kind == "name"]
                self.constants.update(names)
                self.enumerators.update({name: names[(k + 1) % len(names)] for k, name in enumerate(names)})
            elif token.text == "[" and index in self.pairs:
                self._note_calls_of_width(index)

    def _declaration_end(self, index):
        """Behind a parameter: its semicolon, its comma, or the bracket that ends the list."""
        for i in self._top_level(index, len(self.tokens)):
            if self.tokens[i].text in (";", ",", ")"):
                return i
        return len(self.tokens)

    def _top_level(self, first, last):
        index = first
        while index < last:
            yield index
            index = self.pairs.get(index, index) + 1

    def _note_calls(self, first, last):
        for i in range(first, last):
            if self.tokens[i].kind == "name" and self.tokens[i - 1].text != "." and self.tokens[i + 1].text == "(":
                self.constant_functions.add(self.tokens[i].text)

    def _note_calls_of_width(self, opener):
        """Of a range or an index: a call there is made at elaboration, or may be."""
        self._note_calls(opener, self.pairs[opener])

    # Items of a module or package.

    def _text(self, ahead=0):
        return self.tokens[self.at + ahead].text if self.at + ahead < len(self.tokens) else ""

    def _expect(self, text):
        if self._text() != text:
            token = self.tokens[min(self.at, len(self.tokens) - 1)]
            raise SourceError(f"line {self.line_of(token.start)}: `{token.text}` where `{text}` should be")
        self.at += 1

    def _skip_to_semicolon(self):
        while self._text() != ";":
            self.at = self.pairs.get(self.at, self.at) + 1
        self.at += 1

    def _skip_brackets(self):
        self.at = self.pairs[self.at] + 1

    def _skip_label(self):
        if self._text() == ":":
            self.at += 2

    def _item(self):
        word = self._text()
        if word in ("module", "package"):
            self._skip_to_semicolon()
        elif word in ("endmodule", "endpackage", "end", "else", ";"):
            self.at += 1
            self._skip_label()
        elif word == "begin":
            self.at += 1
            self._skip_label()
        elif word.startswith("`"):
            self._directive()
        elif word in ("if", "for"):  # generate
            self._note_calls(self.at + 2, self.pairs[self.at + 1])
            self.at += 1
            self._skip_brackets()
        elif word == "initial":
            self.at += 1
            self._statement("initial")
        elif word in ("always_ff", "always_comb", "always_latch"):
            self._always(word)
        elif word == "function":
            self._function()
        elif word == "assign":
            self.at += 1
            self._assignment("assign", set(), False)
        elif word in _DECLARATIONS:
            self._skip_to_semicolon()
        else:
            self._instance_or_declaration()

    def _directive(self):
        word = self._text()
        if word == "`ifndef" and self._text(1) == "SYNTHESIS":
            while self._text() != "`endif":
                self.at += 1
            self.at += 1
        elif word in ("`include", "`ifdef", "`ifndef"):
            self.at += 2
        elif _ASSERTING.match(word):
            self.at += 1
            self.asserted.update(t.text for t in self.tokens[self.at : self.pairs[self.at]] if t.kind == "name")
            self._skip_brackets()
        else:
            self.at += 1

    def _always(self, word):
        self.at += 1
        if self._text() == "@":
            self.at += 1
            self._skip_brackets()
        self._statement(word)

    def _function(self):
        header = self.at
        while self._text() != "(":
            self.at += 1
        name = self._text(-1)
        self._skip_to_semicolon()
        first = self.at
        defaults = set()
        while self._text() != "endfunction":
            self._statement("function", defaults, False)
        self._functions[name] = (self.tokens[header].start, self.tokens[self.at].end, first, self.at)
        self.at += 1

    def _instance_or_declaration(self):
        module = self._text()
        if self._text(1) == "#":
            self.at += 2
            self._note_calls(self.at + 1, self.pairs[self.at])
            self._skip_brackets()
        elif self._text(2) == "(" and self.tokens[self.at + 1].kind == "name":
            self.at += 1
        else:
            self._skip_to_semicolon()
            return
        self.instances.add(module)
        self.at += 1
        close = self.pairs[self.at]
        if not module.endswith("_checker"):
            self._ports(self.at + 1, close)
        self.at = close + 1
        self._expect(";")

    def _ports(self, first, close):
        index = first
        while index < close:
            if self.tokens[index].text == "." and self.tokens[index + 2].text == "(":
                opener = index + 2
                if self.pairs[opener] > opener + 1 and not self.tokens[index + 1].text.endswith("_o"):
                    node = ExpressionReader(self.tokens, self.pairs, opener + 1, self.pairs[opener]).read()
                    self.values.append((node, self.tokens[index].start, self.tokens[self.pairs[opener]].end))
                index = self.pairs[opener]
            index += 1

    # Statements.

    def _statement(self, block, defaults=None, in_reset=False, nested=False):
        """`defaults`: what the block has assigned before, whatever the conditions."""
        word = self._text()
        defaults = set() if defaults is None else defaults
        if word == "begin":
            self.at += 1
            self._skip_label()
            while self._text() != "end":
                self._statement(block, defaults, in_reset, nested)
            self.at += 1
            self._skip_label()
        elif word == "if":
            self._if(block, defaults, in_reset)
        elif word in ("unique", "unique0", "priority"):
            self.at += 1
            self._statement(block, defaults, in_reset, nested)
        elif word == "case":
            self._case(block, defaults, in_reset)
        elif word == "for":
            self.at += 1
            self._skip_brackets()
            self._statement(block, defaults, in_reset, True)
        elif word == "return":
            start, first = self.tokens[self.at].start, self.at + 1
            self._skip_to_semicolon()
            self.values.append((self._read(first, self.at - 1), start, self.tokens[self.at - 1].end))
        elif word == ";":
            self.at += 1
        elif _ASSERTING.match(word) or word == "void":
            self._skip_to_semicolon()
        elif word in _DECLARATIONS or self._is_declaration():
            first = self.at
            self._skip_to_semicolon()
            names = [i for i in range(first, self.at) if self.tokens[i + 1].text == "="]
            defaults.update(self.tokens[i].text for i in names)
        else:
            self._assignment(block, defaults, in_reset, nested)

    def _is_declaration(self):
        return self.tokens[self.at].kind == "name" and self.tokens[self.at + 1].kind == "name"

    def _read(self, first, last):
        return ExpressionReader(self.tokens, self.pairs, first, last).read()

    def _if(self, block, defaults, in_reset):
        start, opener = self.tokens[self.at].start, self.at + 1
        close = self.pairs[opener]
        node = self._read(opener + 1, close)
        resets = block == "always_ff" and self.text[node.start : node.end] == "!rst_ni"
        if not resets:
            self.conditions.append(Condition(start, self.tokens[close].end, node))
        self.at = close + 1
        self._statement(block, defaults, in_reset or resets, True)
        if self._text() == "else":
            self.at += 1
            self._statement(block, defaults, in_reset, True)

    def _case(self, block, defaults, in_reset):
        self.at += 1
        self._skip_brackets()
        while self._text() != "endcase":
            while self._text() != ":":
                self.at = self.pairs.get(self.at, self.at) + 1
            self.at += 1
            self._statement(block, defaults, in_reset, True)
        self.at += 1

    def _assignment(self, block, defaults, in_reset, nested=False):
        first = self.at
        while self._text() not in ("=", "<="):
            self.at = self.pairs.get(self.at, self.at) + 1
        target = "".join(token.text for token in self.tokens[first : self.at])
        value = self.at + 1
        self._skip_to_semicolon()
        has_default = self.tokens[first].text in defaults or target in defaults
        droppable = block == "always_ff" or (block in ("always_comb", "function") and has_default)
        if not nested:
            defaults.add(target)
        self.assignments.append(
            Assignment(
                target,
                self.tokens[first].start,
                self.tokens[self.at - 1].end,
                self._read(value, self.at - 1),
                droppable,
                in_reset,
            )
        )

    def function_ranges(self):
        """Name -> characters of a function, first and last."""
        return {name: (start, end) for name, (start, end, _, _) in self._functions.items()}
