# SPDX-License-Identifier: Apache-2.0
"""Memory over time: the GLB's regions over the device's cycles, and the arena's buffers over the layers."""
import math

import formats
import on_chip
import rows
from chart import NUMBERS, WORDS, Chart, colours, texts, upright
from charts import traffic

REGIONS = {
    "ifmap": "ifmap",
    "filter": "filter",
    "psum": "psum",
    "out": "output",
    "residual": "residual",
}  # In the summary: by name of its tensor.


def _boxes(values, x, y, legend, limit):
    """Layers of boxes from (x, y) to (x2, y2), and of a line at the limit."""
    return [
        {
            "data": {"values": values},
            "mark": {"type": "rect", "stroke": "var(--paper)", "strokeWidth": 0.8},
            "encoding": {
                "x": x,
                "x2": {"field": "x2"},
                "y": y,
                "y2": {"field": "y2"},
                "color": colours(legend),
                "description": WORDS,
            },
        },
        {
            "data": {"values": [{"limit": limit}]},
            "mark": {"type": "rule", "color": "var(--ink)", "strokeWidth": 1.5, "aria": False},
            "encoding": {"y": {"field": "limit", "type": "quantitative"}},
        },
    ]


def _bytes(step, limit):
    """An axis of bytes up to the limit, with a line every so many."""
    return {
        "field": "y",
        "type": "quantitative",
        "title": None,
        "scale": {"domain": [0, 1.02 * limit], "nice": False},
        "axis": {
            "values": [step * at for at in range(int(limit / step) + 1)],
            "labelExpr": "format(datum.value / 1024, ',') + ' KiB'",
        },
    }


def layer_axis(names, middles):
    """An axis with a name at each of the places."""
    return {"values": middles, "labelExpr": texts(names, f"indexof({middles}, datum.value)"), "grid": False}


STAYING = "stays on chip"
GLB_NOTE = (
    "A tensor on chip is as wide as it lives. Dashed frames are layers that run depth first; in one, a layer's slices"
    " are drawn in a row."
)


def _regions(run, times):
    """A box for each region of each layer. An ifmap that is on chip has no region of its own."""
    found, capacity = [], run.machine["glb_bytes"]
    for layer in run.layers:
        begin, end = times[layer.name]
        for region, tensor in REGIONS.items():
            base, size = layer.call["glb"].get(region, (0, 0))
            if size and not (region == "ifmap" and layer.call["shape"].get("ifmap_on_chip")):
                words = (
                    f"{layer.name}: {tensor} {formats.count(size)} B of the GLB from {formats.count(base)} on,"
                    f" {formats.percent(size / capacity)}"
                )
                found.append({"x": begin, "x2": end, "y": base, "y2": base + size, "c": tensor, "w": words})
    return found


def _staying(run, times):
    """A box for each tensor on chip."""
    found = []
    for one in on_chip.tensors(run):
        size = one["end"] - one["begin"]
        rows_ = "" if one["plane_rows"] == one["rows"] else f", a ring of {one['plane_rows']} of {one['rows']} rows"
        words = (
            f"{one['name']} on chip from {one['first']} to {one['last']}: {formats.count(size)} B of the GLB from"
            f" {formats.count(one['begin'])} on{rows_}; saves {formats.count(one['saved'])} B of DRAM traffic"
        )
        box = {"x": times[one["first"]][0], "x2": times[one["last"]][1], "y": one["begin"], "y2": one["end"]}
        found.append({**box, "c": "chip", "w": words, "t": one["name"]})
    return found


def _frames(run, times, cycles):
    """A frame around layers that run depth first."""
    values = []
    for step in on_chip.steps(run):
        if step.slices:
            first, last = step.row.layers[0].name, step.row.layers[-1].name
            words = (
                f"{step.name}: {formats.several(len(step.row.layers), 'layer')} depth first, in {step.slices} slices"
            )
            values.append(
                {"x": times[first][0], "x2": times[last][1], "y": 0, "y2": run.machine["glb_bytes"], "w": words}
            )
    place = {"field": "y", "type": "quantitative"}
    mark = {"type": "rect", "filled": False, "stroke": "var(--ink)", "strokeWidth": 1.5, "strokeDash": [5, 3]}
    encoding = {
        "x": {**cycles, "axis": None},
        "x2": {"field": "x2"},
        "y": place,
        "y2": {"field": "y2"},
        "description": WORDS,
    }
    return [{"data": {"values": values}, "mark": mark, "encoding": encoding}] if values else []


LETTER, LINE = 6.5, 12  # Pixels.


def _names(boxes, cycles):
    """The names of tensors, in the boxes that have room for them."""
    room = f"scale('x', datum.x2) - scale('x', datum.x) > {LETTER} * length(datum.t)"
    height = f"scale('y', datum.y) - scale('y', datum.y2) > {LINE}"
    return {
        "data": {
            "values": [{**box, "at": (box["x"] + box["x2"]) / 2, "up": (box["y"] + box["y2"]) / 2} for box in boxes]
        },
        "mark": {"type": "text", "color": "var(--paper)", "aria": False},
        "encoding": {
            "x": {**cycles, "field": "at", "axis": None},
            "y": {"field": "up", "type": "quantitative"},
            "text": {"condition": {"test": f"{room} && {height}", "field": "t"}, "value": ""},
        },
    }


def draw_glb(run):
    """Which part of the GLB each region has while each layer runs, and each tensor that stays while it lives."""
    capacity, times = run.machine["glb_bytes"], on_chip.times(run)
    middles = [sum(times[layer.name]) / 2 for layer in run.layers]
    scale = {"domain": [0, run.total("Cycles")], "nice": False}
    title = "device cycles from the first layer's start"
    cycles = {"field": "x", "type": "quantitative", "scale": scale, "title": title, "axis": NUMBERS}
    names = [formats.fitting(layer.name, 16) for layer in run.layers]
    above = {
        "data": {"values": [{"x": 0}]},
        "mark": {"type": "rule", "opacity": 0, "aria": False},
        "encoding": {
            "x": {
                **cycles,
                "title": None,
                "axis": {**layer_axis(names, middles), "orient": "top", "labelOverlap": "greedy", "labelBound": True},
            }
        },
    }
    staying, legend = _staying(run, times), traffic.used(run, traffic.GLB_LEGEND)
    legend |= {"chip": STAYING} if staying else {}
    boxes = _boxes(_regions(run, times) + staying, cycles, _bytes(capacity / 4, capacity), legend, capacity)
    return Chart(
        f"GLB: {capacity / 1024:g} KiB",
        220,
        [*boxes, _names(staying, cycles), *_frames(run, times, cycles), above],
        legend,
        {"axis": {"x": "independent"}},
    )


def _naive_offsets(summary):
    """Offsets if every buffer had a place of its own."""
    offsets, end, alignment = [], 0, summary["arena_alignment"]
    for buffer in summary["arena"]:
        offsets.append(end)
        end += -(-buffer["bytes"] // alignment) * alignment
    return offsets


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
    return dict(firsts[:: -(-len(firsts) // rows.MOST_LAYERS)])


def _draw_buffers(run, title, offsets, size):
    summary, values = run.summary, []
    names = [layer["name"] for layer in summary["layers"]]
    for buffer, offset in zip(summary["arena"], offsets):
        first, last = buffer["first"], buffer["last"]
        words = (
            f"{buffer['name']}: {formats.count(buffer['bytes'])} B at {formats.count(offset)}, from"
            f" {names[first]} to {names[last]}"
        )
        box = {"x": first - 0.5, "x2": last + 0.5, "y": offset, "y2": offset + buffer["bytes"]}
        values.append({**box, "c": "compute", "w": words})
    naive, ticks = summary["naive_arena_bytes"], _ticks(run)
    shown = [formats.fitting(name, 20) for name in ticks.values()]
    layers = {
        "field": "x",
        "type": "quantitative",
        "title": None,
        "scale": {"domain": [-0.5, len(names) - 0.5], "nice": False},
        "axis": {**layer_axis(shown, list(ticks)), **upright(shown)},
    }
    boxes = _boxes(values, layers, _bytes(_tick_bytes(naive), naive), ["compute"], size)
    return Chart(f"{title}: {formats.count(size)} B", 220, boxes)


def draw_arena(run):
    """The arena's buffers as planned."""
    summary = run.summary
    offsets = [buffer["offset"] for buffer in summary["arena"]]
    return _draw_buffers(run, "Arena as planned", offsets, summary["arena_bytes"])


def draw_naive_arena(run):
    """As they would lie without reuse."""
    return _draw_buffers(run, "A place for each buffer", _naive_offsets(run.summary), run.summary["naive_arena_bytes"])
