# SPDX-License-Identifier: Apache-2.0
"""What moves over the DRAM bus and through the GLB, by tensor."""
import figures
import formats
import rows
from charts import bars

DRAM_LEGEND = {
    "ifmap": "ifmap, read",
    "filter": "filter and bias, read",
    "residual": "residual, read",
    "output": "output, written",
}  # Colour: words.
GLB_LEGEND = {tensor: tensor for tensor in figures.TENSORS}


def used(run, legend):
    """A legend without residuals where no layer adds one."""
    has_residuals = any(layer.call["shape"].get("residual") for layer in run.layers)
    return {colour: words for colour, words in legend.items() if has_residuals or colour != "residual"}


def draw_dram(run):
    shown = rows.chart_rows(run)
    parts, once = [], []
    for at, row in enumerate(shown):
        least = figures.added(figures.compulsory_bytes, row)
        once.append({"y": at, "n": sum(least.values())})

        def words(tensor, number):
            verb = "written" if tensor == "output" else "read"
            return (
                f"{row.name}: {formats.count(number)} B of {tensor} {verb}; {formats.count(least[tensor])} B if each"
                " byte moved once"
            )

        parts += bars.stack(at, figures.added(figures.dram_bytes, row), words)
    ends = [formats.count(row.counters["Memory read"] + row.counters["Memory write"]) for row in shown]
    ticks = {
        "data": {"values": once},
        "mark": {"type": "tick", "color": "var(--ink)", "thickness": 2, "aria": False},
        "encoding": {"x": {"field": "n", "type": "quantitative"}, "y": {"field": "y", "type": "ordinal", "axis": None}},
    }
    axis, legend = "bytes;  ┃ each tensor moved once", used(run, DRAM_LEGEND)
    return bars.layered_chart("DRAM bytes by tensor", [row.name for row in shown], parts, legend, ends, axis, [ticks])


def draw_glb(run):
    shown = rows.chart_rows(run)
    parts, ends = [], []
    for at, row in enumerate(shown):
        words_of = figures.added(figures.glb_words, row)
        sums = {tensor: sum(of) for tensor, of in words_of.items()}

        def words(tensor, number):
            read, written = words_of[tensor]
            return (
                f"{row.name}: {formats.count(number)} words of {tensor}: {formats.count(read)} read,"
                f" {formats.count(written)} written"
            )

        parts += bars.stack(at, sums, words)
        whole = sum(sums.values())
        ends.append(f"{formats.short(whole)} · {whole / row.counters['Cycles']:.2f} a cycle")
    title, axis = "GLB words read and written, by tensor", f"words of {run.machine['bus_bytes']} B"
    return bars.layered_chart(title, [row.name for row in shown], parts, used(run, GLB_LEGEND), ends, axis)
