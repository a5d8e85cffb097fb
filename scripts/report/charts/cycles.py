# SPDX-License-Identifier: Apache-2.0
"""Cycles by cause: of each layer or block, of each layer in a row along the network, and of several runs beside each
other."""
import figures
import formats
import rows
import spec
from chart import NUMBERS, WORDS, Chart, colours, texts, upright
from charts import bars

LEGEND = {cause: cause for cause in spec.CAUSES}  # Colour: words.


def _words_for(row, of=""):
    """Says what a part of a bar is."""

    def words(cause, number):
        share = formats.percent(number / row.counters["Cycles"], 2)
        return (
            f"{row.name}{of}: {formats.count(number)} cycles {cause}, {share} of the"
            f" {'layer' if len(row.layers) == 1 else 'block'}. {spec.CAUSES[cause]}"
        )

    return words


def draw(run):
    """All cycles."""
    shown = rows.chart_rows(run)
    parts = [part for at, row in enumerate(shown) for part in bars.stack(at, figures.causes(row), _words_for(row))]
    ends = [formats.count(row.counters["Cycles"]) for row in shown]
    return bars.layered_chart("Cycles", [row.name for row in shown], parts, LEGEND, ends, "cycles")


def draw_lost(run):
    """Cycles in which the array did not multiply, at a scale of their own."""
    shown = rows.chart_rows(run)
    parts, ends = [], []
    for at, row in enumerate(shown):
        waits = {cause: number for cause, number in figures.causes(row).items() if cause != "compute"}
        lost = figures.lost_cycles(row)
        parts += bars.stack(at, waits, _words_for(row))
        ends.append(f"{formats.count(lost)} · {formats.percent(lost / row.counters['Cycles'], 2)}")
    title = "Cycles in which the array did not multiply"
    legend = {cause: words for cause, words in LEGEND.items() if cause != "compute"}
    return bars.layered_chart(title, [row.name for row in shown], parts, legend, ends, "cycles")


def draw_along(run):
    """A column a layer, from the first to the last; names stand where a block begins. None where each layer has a bar
    in the other charts."""
    if len(run.layers) <= rows.MOST_LAYERS:
        return None
    parts = [
        {"x": at, "c": cause, "n": number, "w": _words_for(row)(cause, number), "l": row.link}
        for at, row in enumerate(rows.layer_rows(run))
        for cause, number in figures.causes(row).items()
        if number
    ]
    firsts, at = {}, 0
    for row in rows.block_rows(run):
        firsts[at] = formats.fitting(row.name, 20)
        at += len(row.layers)
    place = {
        "field": "x",
        "type": "ordinal",
        "title": None,
        "axis": {
            "values": list(firsts)[:: -(-len(firsts) // rows.MOST_LAYERS)],
            "labelExpr": texts(firsts.get(one, "") for one in range(at)),
            **upright(firsts.values()),
        },
    }
    length = {"field": "n", "type": "quantitative", "title": "cycles", "axis": NUMBERS, "stack": "zero"}
    encoding = {"x": place, "y": length, "color": colours(LEGEND), "description": WORDS}
    mark = {"type": "bar", "cursor": "pointer"}
    return Chart("Cycles of each layer", 220, [{"data": {"values": parts}, "mark": mark, "encoding": encoding}], LEGEND)


def draw_beside(title, sets, labels):
    """Bars of several runs under each other. `sets`: for each name its Row in each run, or None; `labels`: of the
    runs."""
    names, parts, ends = [], [], []
    for name, of in sets:
        for which, (row, label) in enumerate(zip(of, labels)):
            if row:
                parts += bars.stack(len(names), figures.causes(row), _words_for(row, f" of {label}"))
            names.append("" if which else name)
            ends.append(f"{formats.count(row.counters['Cycles']) if row else 'not there'}  {label}")
        names.append("")
        ends.append("")
    return bars.layered_chart(title, names[:-1], parts, LEGEND, ends[:-1], "cycles", row=bars.THIN_ROW)
