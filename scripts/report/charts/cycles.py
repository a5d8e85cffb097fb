# SPDX-License-Identifier: Apache-2.0
"""Cycles of each layer by cause: all of them, and beside them those in which the array did not multiply."""
import figures
import formats
import spec
from charts import bars

LEGEND = {cause: cause for cause in spec.CAUSES}  # Colour: words.


def draw(run, name="cycles", limit=None):
    """`limit`: where the first axis ends, for two runs side by side."""
    chart = bars.layered_chart(name, "Cycles of each layer by cause", [layer.name for layer in run.layers], columns=2, width=900)
    every, lost = chart.axes
    every.set_title("Cycles")
    lost.set_title("Cycles in which the array did not multiply")
    for row, layer in enumerate(run.layers):
        cycles, causes = layer.counters["Cycles"], figures.causes(layer)

        def words(cause, number):
            return f"{layer.name}: {formats.count(number)} cycles {cause}, {formats.percent(number / cycles)} of the layer. {spec.CAUSES[cause]}"
        end = bars.stack(chart, every, row, causes, words)
        bars.label(every, row, end, formats.count(cycles))
        waits = {cause: number for cause, number in causes.items() if cause != "compute"}
        end = bars.stack(chart, lost, row, waits, words)
        bars.label(lost, row, end, f"{formats.count(end)} · {formats.percent(end / cycles, 2)}")
    for axes in chart.axes:
        axes.set_xlabel("cycles")
        axes.set_xlim(0, (limit if limit and axes is every else axes.get_xlim()[1]) * 1.22)
    return chart.svg()
