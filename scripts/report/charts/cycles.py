# SPDX-License-Identifier: Apache-2.0
"""Cycles of each layer by cause: all of them, and those in which the array did not multiply."""
import figures
import formats
import spec
from charts import bars

LEGEND = {cause: cause for cause in spec.CAUSES}  # Colour: words.


def _words_for(layer):
    """Says what a part of a layer's bar is."""
    def words(cause, number):
        share = formats.percent(number / layer.counters["Cycles"], 2)
        return f"{layer.name}: {formats.count(number)} cycles {cause}, {share} of the layer. {spec.CAUSES[cause]}"
    return words


def draw(run, name="cycles", limit=None):
    """All cycles. `limit`: the longest bar of two runs side by side, which get one scale."""
    chart = bars.layered_chart(name, "Cycles of each layer by cause", [layer.name for layer in run.layers])
    axes = chart.axes[0]
    axes.set_title("Cycles")
    for row, layer in enumerate(run.layers):
        end = bars.stack(chart, axes, row, figures.causes(layer), _words_for(layer))
        bars.label(axes, row, end, formats.count(end))
    axes.set_xlabel("cycles")
    axes.set_xlim(0, (limit or max(layer.counters["Cycles"] for layer in run.layers)) * 1.2)
    return chart.svg()


def draw_lost(run):
    """Cycles in which the array did not multiply, at a scale of their own."""
    chart = bars.layered_chart("lost", "Cycles of each layer in which the array did not multiply", [layer.name for layer in run.layers])
    axes = chart.axes[0]
    axes.set_title("Cycles in which the array did not multiply")
    for row, layer in enumerate(run.layers):
        waits = {cause: number for cause, number in figures.causes(layer).items() if cause != "compute"}
        end = bars.stack(chart, axes, row, waits, _words_for(layer))
        bars.label(axes, row, end, f"{formats.count(end)} · {formats.percent(end / layer.counters['Cycles'], 2)}")
    axes.set_xlabel("cycles")
    axes.set_xlim(0, axes.get_xlim()[1] * 1.28)
    return chart.svg()
