# SPDX-License-Identifier: Apache-2.0
"""The report as Markdown: how it was made, the headline, and the tables of the page."""
import re

import compare
import host
import tables
from shown_text import shown_text

_MARKS = re.compile(r"[\\`*\[\]|~]|(?<!\w)_|_(?!\w)")  # An underscore within a word is one.
_HTML = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


class _Markdown(str):
    """Written as it is."""


def _text(text):
    """A text without a meaning in Markdown or HTML."""
    if isinstance(text, _Markdown):
        return text
    return _Markdown(re.sub("[&<>]", lambda letter: _HTML[letter[0]], _MARKS.sub(r"\\\g<0>", shown_text(str(text)))))


def _bold(text):
    return _Markdown(f"**{_text(text)}**")


def _code(text):
    return "`" + shown_text(text).replace("`", "'") + "`"


def _row(cells):
    return "| " + " | ".join(_text(cell) for cell in cells) + " |"


def _table(headings, rows):
    return "\n".join([_row(headings), "|" + "---|" * len(headings), *map(_row, rows)])


def _cells(one):
    """A figure's cells: this run's, then each other's with this run's change against it."""
    return [one.here, *(f"{other.value} ({other.change})" if other.change else other.value for other in one.others)]


def _compared(runs, labels):
    parts = [
        "## Compared",
        "In brackets: this run against that one.",
        _table(
            ["figure", *labels],
            [(one.name, *_cells(one)) for one in compare.compare_totals(runs) + compare.compare_times(runs)],
        ),
    ]
    settings = [(name, *values) for name, values, same in compare.compare_settings(runs) if not same]
    if settings:
        parts.append(_table(["setting", *labels], settings))
    parts.append(
        _table(
            ["cycles", *labels],
            [
                (_bold(one.name) if compare.is_block(one) else one.name, *_cells(one.figures[0]))
                for one in compare.compare_layers(runs)
            ],
        )
    )
    return parts + [_text(words) for words in compare.missing_words(runs, labels)]


def _blocks(run):
    found = tables.block_table(run)
    return ["## Blocks", "Shares are of the block's cycles.", _table(tables.BLOCK_HEADINGS, found)] if found else []


def _helps(run):
    found = tables.help_rows(run)
    return ["## What would help", _table(tables.HELP_HEADINGS, found)] if found else []


def _on_chip(run):
    steps, staying = tables.step_rows(run), tables.chip_rows(run)
    if not steps:
        return []
    parts = ["## On chip", _text(tables.ON_CHIP_WORDS), _table(tables.STEP_HEADINGS, steps)]
    return parts + ([_table(tables.CHIP_HEADINGS, staying)] if staying else [])


def _host(run):
    found = tables.host_rows(run)
    return ["## End to end", _text(host.words(run)), _table(tables.HOST_HEADINGS, found)] if found else []


def _fallbacks(run):
    found = tables.fallback_rows(run)
    return (
        ["### Where a layer falls back", _text(tables.fallback_words(run)), _table(tables.FALLBACK_HEADINGS, found)]
        if found
        else []
    )


def _lists(run):
    parts, splits = [], tables.split_rows(run)
    if tables.list_rows(run):
        parts = ["## Lists", _text(tables.lists_words(run)), _table(tables.LIST_HEADINGS, tables.list_rows(run))]
    return parts + ([_table(tables.SPLIT_HEADINGS, splits)] if splits else [])


def render(run, others=(), labels=()):
    """The whole text. `others`: runs to compare with, if any; `labels`: what each is called, this run first."""
    made = run.made_by
    parts = [
        f"# {_text(run.summary['model'])} on {_text(run.machine['name'])}",
        f"{_code(made['command'])} at commit {_text(made['commit'])}; {_text(made['versions'])}. "
        + ", ".join(f"{_text(name)} {_text(value)}" for name, value in run.settings.items() if value)
        + ".",
        _table(["figure", "value", ""], tables.headline(run)),
        "## Layers",
        _table(
            list(tables.LAYER_COLUMNS),
            [[text for text, _ in cells] for _, cells in tables.layer_rows(run) + tables.cpu_rows(run)]
            + tables.total_rows(run),
        ),
        *_helps(run),
        *_blocks(run),
        *_on_chip(run),
        *_host(run),
        *_fallbacks(run),
        *_lists(run),
        "## The machine on a chip",
        _table(["part", "gates by the area model", "share"], tables.gate_rows(run)),
        _table(["memory", "count", "words x bits", "bytes"], tables.memory_rows(run)),
        "## On the CPU",
        _table(["layer", "runs as", "ONNX node", "why"], tables.cpu_layers(run)),
    ]
    if others:
        parts += _compared([run, *others], labels)
    return "\n\n".join(parts) + "\n"
