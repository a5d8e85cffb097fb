# SPDX-License-Identifier: Apache-2.0
"""The report as Markdown: how it was made, the headline, and the tables of the page."""
import compare
import tables


def _table(headings, rows):
    lines = ["| " + " | ".join(headings) + " |", "|" + "---|" * len(headings)]
    return "\n".join(lines + ["| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |" for row in rows])


def _compared(run, other):
    changes = [(one.name, one.here, one.there, one.change) for one in compare.compare_totals(run, other)]
    settings = [(name, here, there) for name, here, there, same in compare.compare_settings(run, other) if not same]
    parts = ["## Compared", _table(["figure", "this run", "the other", "change"], changes)]
    if settings:
        parts.append(_table(["setting", "this run", "the other"], settings))
    pairs, alone = compare.compare_layers(run, other)
    parts.append(_table(["layer", "cycles", "the other's", "change"], [(layer.name, rows[0].here, rows[0].there, rows[0].change) for layer, rows in pairs]))
    if alone:
        parts.append("Without " + ", ".join(alone) + ": only one of them has that on the accelerator.")
    return parts


def _lists(run):
    parts, splits = [], tables.split_rows(run)
    if tables.list_rows(run):
        parts = ["## Lists", tables.lists_words(run), _table(tables.LIST_HEADINGS, tables.list_rows(run))]
    return parts + ([_table(tables.SPLIT_HEADINGS, splits)] if splits else [])


def render(run, other=None):
    """The whole text. `other` is the run to compare with, if any."""
    made = run.made_by
    parts = [
        f"# {run.summary['model']} on {run.machine['name']}",
        f"`{made['command']}` at commit {made['commit']}; {made['versions']}. " + ", ".join(f"{name} {value}" for name, value in run.settings.items() if value) + ".",
        _table(["figure", "value", ""], tables.headline(run)),
        "## Layers",
        _table([heading for heading, _, _ in tables.LAYER_COLUMNS], [[text for text, _ in cells] for _, cells in tables.layer_rows(run)] + [tables.total_row(run)]),
        *_lists(run),
        "## The machine on a chip",
        _table(["part", "gates by the area model", "share"], tables.gate_rows(run)),
        _table(["memory", "count", "words x bits", "bytes"], tables.memory_rows(run)),
        "## On the CPU",
        _table(["layer", "runs as", "ONNX node", "why"], tables.cpu_layers(run)),
    ]
    if other:
        parts += _compared(run, other)
    return "\n\n".join(parts) + "\n"
