# SPDX-License-Identifier: Apache-2.0
"""The words of a SystemVerilog source, without comments, and the matching brackets among them."""
import re
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""
    (?P<space> \s+ | //[^\n]* | /\*.*?\*/ )
  | (?P<string> "(?:\\.|[^"\\])*" )
  | (?P<number> \d[\d_]*'[sS]?[bodhBODH][0-9a-fA-FxXzZ_?]+ | '[01xXzZ](?!\w) | \d[\d_]* )
  | (?P<name> [`$]?[A-Za-z_][\w$]* )
  | (?P<operator> <<<=|>>>=|'\{|'\(|<<<|>>>|===|!==|==\?|!=\?|\|->|\|=>|<<=|>>=|&&|\|\||==|!=|<=|>=|<<|>>|\*\*|\+:|-:|::
      |\+\+|--|\+=|-=|\*=|&=|\|=|\^=|~&|~\||~\^|\#\#|-> | . )
    """,
    re.X | re.S,
)
_CLOSES = {"(": ")", "'(": ")", "[": "]", "{": "}", "'{": "}"}


class SourceError(Exception):
    """A source that is not written as this reader expects; says where."""


@dataclass(frozen=True)
class Token:
    kind: str  # string, number, name or operator
    text: str
    start: int
    end: int


def tokenize(text):
    tokens = []
    for match in _TOKEN.finditer(text):
        if match.lastgroup != "space":
            tokens.append(Token(match.lastgroup, match.group(), match.start(), match.end()))
    return tokens


def match_brackets(tokens):
    """Place of each opening bracket -> place of the one that closes it."""
    pairs, opened = {}, []
    for index, token in enumerate(tokens):
        if token.kind != "operator":
            continue
        if token.text in _CLOSES:
            opened.append(index)
        elif token.text in _CLOSES.values():
            if not opened or _CLOSES[tokens[opened[-1]].text] != token.text:
                raise SourceError(f"`{token.text}` closes nothing, at character {token.start}")
            pairs[opened.pop()] = index
    if opened:
        raise SourceError(f"`{tokens[opened[-1]].text}` is not closed, at character {tokens[opened[-1]].start}")
    return pairs
