# SPDX-License-Identifier: Apache-2.0
"""Cycles by cause: of each layer or block, of each layer in a row along the network, and of several runs beside each
other."""
import figures
import formats
import palette
import rows
import spec
from charts import bars
from svg_chart import SvgChart

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
    chart = bars.layered_chart("cycles", "Cycles by cause", [row.name for row in shown])
    axes = chart.axes[0]
    axes.set_title("Cycles")
    for at, row in enumerate(shown):
        end = bars.stack(chart, axes, at, figures.causes(row), _words_for(row))
        bars.label(axes, at, end, formats.count(end))
    axes.set_xlabel("cycles")
    axes.set_xlim(0, max(row.counters["Cycles"] for row in shown) * 1.2)
    return chart.svg()


def draw_lost(run):
    """Cycles in which the array did not multiply, at a scale of their own."""
    shown = rows.chart_rows(run)
    chart = bars.layered_chart("lost", "Cycles in which the array did not multiply", [row.name for row in shown])
    axes = chart.axes[0]
    axes.set_title("Cycles in which the array did not multiply")
    for at, row in enumerate(shown):
        waits = {cause: number for cause, number in figures.causes(row).items() if cause != "compute"}
        end = bars.stack(chart, axes, at, waits, _words_for(row))
        bars.label(axes, at, end, f"{formats.count(end)} · {formats.percent(end / row.counters['Cycles'], 2)}")
    axes.set_xlabel("cycles")
    axes.set_xlim(0, axes.get_xlim()[1] * 1.28)
    return chart.svg()


def draw_along(run):
    """A column a layer, from the first to the last; names stand where a block begins. None where each layer has a bar
    in the other charts."""
    if len(run.layers) <= rows.MOST_LAYERS:
        return None
    chart = SvgChart("along", "Cycles of each layer by cause, from the first to the last", 1100, 300)
    axes = chart.axes[0]
    for at, row in enumerate(rows.layer_rows(run)):
        bottom, words = 0, _words_for(row)
        for cause, number in figures.causes(row).items():
            if number > 0:
                bar = axes.bar([at], [number], bottom=bottom, width=0.86, color=palette.stand_in(cause))[0]
                chart.mark(bar, words(cause, number), row.link)
                bottom += number
    firsts, at = [], 0
    for row in rows.block_rows(run):
        firsts.append((at, row.name))
        at += len(row.layers)
    firsts = firsts[:: -(-len(firsts) // 40)]
    axes.set_xticks(
        [at for at, _ in firsts],
        [name for _, name in firsts],
        rotation=55,
        ha="right",
        rotation_mode="anchor",
        fontsize=10,
    )
    axes.set_xlim(-0.7, len(run.layers) - 0.3)
    axes.yaxis.set_major_formatter(lambda value, _: formats.short(value))
    axes.grid(axis="y")
    axes.set_title("Cycles of each layer")
    return chart.svg()


def draw_beside(name, title, sets, labels):
    """Bars of several runs under each other. `sets`: for each name its Row in each run, or None; `labels`: of the
    runs."""
    number = len(labels)
    height = 0.84 / number
    chart = bars.layered_chart(name, title, [one for one, _ in sets], 1000, max(bars.ROW, 15 * number + 6))
    axes = chart.axes[0]
    longest = max(row.counters["Cycles"] for _, of in sets for row in of if row)
    for at, (_, of) in enumerate(sets):
        for which, (row, label) in enumerate(zip(of, labels)):
            place = at - 0.42 + (which + 0.5) * height
            if row is None:
                bars.label(axes, place, 0, f"{label}: not there", "quiet", 10)
                continue
            end = bars.stack(chart, axes, place, figures.causes(row), _words_for(row, f" of {label}"), height * 0.86)
            bars.label(axes, place, end, f"{formats.count(end)}  {label}", size=10)
    axes.set_title(title)
    axes.set_xlabel("cycles")
    axes.set_xlim(0, longest * 1.3)
    return chart.svg()
