# SPDX-License-Identifier: Apache-2.0
"""Memory over time: the GLB's regions over the device's cycles, and the arena's buffers over the layers."""
import math

import matplotlib.patches
import matplotlib.ticker

import formats
import palette
import rows
from svg_chart import SvgChart

MOST_TICKS = 24

REGIONS = {
    "ifmap": "ifmap",
    "filter": "filter",
    "psum": "psum",
    "out": "output",
    "residual": "residual",
}  # In the summary: by name of its tensor.


def draw_glb(run):
    """Which part of the GLB each region has while each layer runs."""
    chart = SvgChart("glb", "GLB regions over time", 1000, 260)
    axes = chart.axes[0]
    begin, capacity = 0, run.machine["glb_bytes"]
    for layer in run.layers:
        cycles = layer.counters["Cycles"]
        for region, tensor in REGIONS.items():
            base, size = layer.call["glb"].get(region, (0, 0))
            if size:
                box = axes.bar(
                    [begin],
                    [size],
                    bottom=base,
                    width=cycles,
                    align="edge",
                    color=palette.stand_in(tensor),
                    edgecolor=palette.stand_in("paper"),
                    linewidth=0.7,
                )[0]
                chart.mark(
                    box,
                    (
                        f"{layer.name}: {tensor} {formats.count(size)} B of the GLB from {formats.count(base)} on,"
                        f" {formats.percent(size / capacity)}"
                    ),
                )
        if cycles > 0.06 * run.total("Cycles"):
            axes.text(begin + cycles / 2, capacity * 1.03, layer.name, ha="center", fontsize=11)
        begin += cycles
    axes.axhline(capacity, color=palette.stand_in("ink"), linewidth=1.5)
    axes.set_xlim(0, begin)
    axes.set_ylim(0, capacity * 1.12)
    axes.yaxis.set_major_locator(matplotlib.ticker.MultipleLocator(capacity / 4))
    axes.yaxis.set_major_formatter(lambda value, _: f"{value / 1024:g} KiB")
    axes.xaxis.set_major_formatter(lambda value, _: formats.short(value))
    axes.set_title(f"GLB: {capacity / 1024:g} KiB")
    axes.set_xlabel("device cycles from the first layer's start")
    return chart.svg()


def _naive_offsets(summary):
    """Offsets if every buffer had a place of its own."""
    offsets, end, alignment = [], 0, summary["arena_alignment"]
    for buffer in summary["arena"]:
        offsets.append(end)
        end += -(-buffer["bytes"] // alignment) * alignment
    return offsets


def _draw_arena(chart, axes, summary, offsets, title):
    for buffer, offset in zip(summary["arena"], offsets):
        first, last = buffer["first"], buffer["last"]
        box = matplotlib.patches.Rectangle(
            (first - 0.5, offset),
            last - first + 1,
            buffer["bytes"],
            facecolor=palette.stand_in("compute"),
            alpha=0.75,
            edgecolor=palette.stand_in("paper"),
            linewidth=1.5,
        )
        axes.add_patch(box)
        names = [layer["name"] for layer in summary["layers"]]
        chart.mark(
            box,
            (
                f"{buffer['name']}: {formats.count(buffer['bytes'])} B at {formats.count(offset)}, from"
                f" {names[first]} to {names[last]}"
            ),
        )
        if buffer["bytes"] > 0.035 * summary["naive_arena_bytes"]:
            axes.text(
                (first + last) / 2, offset + buffer["bytes"] / 2, buffer["name"], ha="center", va="center", fontsize=10
            )
    axes.set_title(title)


def _tick_bytes(limit):
    """A power of two of which at most six reach the limit."""
    return 2 ** max(4, math.ceil(math.log2(limit / 6)))


def _ticks(run):
    """{layer: name} below the arena: all layers, or where there are many the first of every block, or of every so
    many."""
    layers = run.summary["layers"]
    if len(layers) <= rows.MOST_LAYERS:
        return {at: layer["name"] for at, layer in enumerate(layers)}
    firsts, at = [], 0
    for block in run.blocks:
        firsts.append((at, block.name))
        at += len(block.layers)
    return dict(firsts[:: -(-len(firsts) // MOST_TICKS)])


def draw_arena(run):
    """The arena's buffers as planned, and as they would lie without reuse."""
    summary = run.summary
    chart = SvgChart(
        "arena", "Arena of activations over the layers, planned and without reuse", 1000, 320, columns=2, sharey=True
    )
    planned, naive = summary["arena_bytes"], summary["naive_arena_bytes"]
    _draw_arena(
        chart,
        chart.axes[0],
        summary,
        [buffer["offset"] for buffer in summary["arena"]],
        f"Arena as planned: {formats.count(planned)} B",
    )
    _draw_arena(
        chart, chart.axes[1], summary, _naive_offsets(summary), f"A place for each buffer: {formats.count(naive)} B"
    )
    for axes, size in zip(chart.axes, (planned, naive)):
        axes.set_xlim(-0.5, len(summary["layers"]) - 0.5)
        ticks = _ticks(run)
        axes.set_xticks(list(ticks), list(ticks.values()), rotation=55, ha="right", rotation_mode="anchor")
        axes.axhline(size, color=palette.stand_in("ink"), linewidth=1.5)
        axes.set_ylim(0, naive * 1.06)
        axes.yaxis.set_major_formatter(lambda value, _: f"{value / 1024:g} KiB")
        axes.yaxis.set_major_locator(matplotlib.ticker.MultipleLocator(_tick_bytes(naive)))
        axes.grid(axis="y")
    return chart.svg()
