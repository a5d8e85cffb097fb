# SPDX-License-Identifier: Apache-2.0
"""What moves over the DRAM bus and through the GLB, by tensor."""
import figures
import formats
import palette
import rows
from charts import bars

DRAM_LEGEND = {
    "ifmap": "ifmap, read",
    "filter": "filter and bias, read",
    "residual": "residual, read",
    "output": "output, written",
}  # Colour: words.
GLB_LEGEND = {tensor: tensor for tensor in figures.TENSORS}


def draw_dram(run):
    shown = rows.chart_rows(run)
    chart = bars.layered_chart("dram", "DRAM bytes of each layer by tensor", [row.name for row in shown])
    axes = chart.axes[0]
    axes.set_title("DRAM bytes by tensor")
    for row, layer in enumerate(shown):
        least = figures.added(figures.compulsory_bytes, layer)

        def words(tensor, number):
            verb = "written" if tensor == "output" else "read"
            return (
                f"{layer.name}: {formats.count(number)} B of {tensor} {verb}; {formats.count(least[tensor])} B if each"
                " byte moved once"
            )

        end = bars.stack(chart, axes, row, figures.added(figures.dram_bytes, layer), words)
        bars.label(axes, row, end, formats.count(end))
        axes.plot([sum(least.values())] * 2, [row - 0.4, row + 0.4], color=palette.stand_in("ink"), linewidth=2)
    axes.set_xlabel("bytes;  ┃ each tensor moved once")
    axes.set_xlim(0, axes.get_xlim()[1] * 1.16)
    return chart.svg()


def draw_glb(run):
    shown = rows.chart_rows(run)
    chart = bars.layered_chart("glb-traffic", "GLB words of each layer by tensor", [row.name for row in shown])
    axes = chart.axes[0]
    axes.set_title("GLB words read and written, by tensor")
    for row, layer in enumerate(shown):
        words_of = figures.added(figures.glb_words, layer)

        def words(tensor, number):
            read, written = words_of[tensor]
            return (
                f"{layer.name}: {formats.count(number)} words of {tensor}: {formats.count(read)} read,"
                f" {formats.count(written)} written"
            )

        end = bars.stack(chart, axes, row, {tensor: sum(of) for tensor, of in words_of.items()}, words)
        bars.label(axes, row, end, f"{formats.short(end)} · {end / layer.counters['Cycles']:.2f} a cycle")
    axes.set_xlabel(f"words of {run.machine['bus_bytes']} B")
    axes.set_xlim(0, axes.get_xlim()[1] * 1.32)
    return chart.svg()
