# SPDX-License-Identifier: Apache-2.0
"""Energy of each layer by level, from the PEs' multiplications to DRAM, at what an access costs on the machine."""
import figures
import formats
import rows
from charts import bars
from tables import LEVELS


def draw(run):
    parts, ends = [], []
    shown = rows.chart_rows(run)
    for at, row in enumerate(shown):
        levels = figures.added(lambda layer: figures.energy(run, layer), row)
        whole = sum(levels.values())

        def words(level, number):
            return (
                f"{row.name}: {LEVELS[level]} {formats.short(number)}, {formats.percent(number / whole)} of"
                f" {formats.short(whole)}"
            )

        parts += bars.stack(at, levels, words)
        ends.append(f"{formats.short(whole)} · {whole / row.counters['macs']:.2f} a MAC")
    axis = "energy of a 16-bit MAC = 1"
    return bars.layered_chart("Energy by level", [row.name for row in shown], parts, LEVELS, ends, axis)
