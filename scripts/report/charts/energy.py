# SPDX-License-Identifier: Apache-2.0
"""Energy of each layer by level, from the PEs' multiplications to DRAM, at what an access costs on the machine."""
import figures
import formats
import rows
from charts import bars
from tables import LEVELS


def draw(run):
    layers = [(row, figures.added(lambda layer: figures.energy(run, layer), row)) for row in rows.chart_rows(run)]
    chart = bars.layered_chart("energy", "Energy of each layer by level", [layer.name for layer, _ in layers])
    axes = chart.axes[0]
    axes.set_title("Energy by level")
    for row, (layer, parts) in enumerate(layers):
        whole = sum(parts.values())

        def words(level, number):
            return (
                f"{layer.name}: {LEVELS[level]} {formats.short(number)}, {formats.percent(number / whole)} of"
                f" {formats.short(whole)}"
            )

        end = bars.stack(chart, axes, row, parts, words)
        bars.label(axes, row, end, f"{formats.short(end)} · {end / layer.counters['macs']:.2f} a MAC")
    axes.set_xlabel("energy of a 16-bit MAC = 1")
    axes.set_xlim(0, axes.get_xlim()[1] * 1.36)
    return chart.svg()
