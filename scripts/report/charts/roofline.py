# SPDX-License-Identifier: Apache-2.0
"""The roofline: what the bus and the array allow at each intensity, and where every layer stands."""
import math

import figures
import formats
import rows
from chart import WORDS, Chart

WIDTH, HEIGHT = 290, 250  # Pixels of the plot for which labels are placed: a narrow one.
LETTER = 6.3  # Pixels.
NEAR = 14  # Pixels within which points share one label.
NAMED = 6  # Of many layers, as many that take longest.
SHIFTS = (-13, 13, -27, 27, -41)  # Of a label, from its point, in pixels down.


def _labels(points, low, high, bottom, top):
    """[{"x", "y", "t", "dy"}] of [(name, x, y)]: points that are close share a label, and no label covers another."""

    def place(x, y):
        return WIDTH * math.log(x / low, high / low), HEIGHT * (1 - math.log(y / bottom, top / bottom))

    groups = []
    for name, x, y in points:
        near = [names for names, *at in groups if math.dist(place(x, y), place(*at)) < NEAR]
        if near:
            near[0].append(name)
        else:
            groups.append(([name], x, y))
    taken, found = [], []
    for names, x, y in groups:
        text = formats.fitting(names[0], 16) + (f" and {len(names) - 1} more" if len(names) > 1 else "")
        across, down = place(x, y)
        half = len(text) * LETTER / 2
        side = "left" if across < half else "right" if across > WIDTH - half else "center"
        middle = across + {"left": half, "right": -half, "center": 0}[side]
        free = [
            shift
            for shift in SHIFTS
            if 6 < down + shift < HEIGHT
            and all(abs(down + shift - v) > 12 or abs(middle - u) > half + other for u, v, other in taken)
        ]
        if free:
            taken.append((middle, down + free[0], half))
            found.append({"x": x, "y": y, "t": text, "dy": free[0], "side": side})
    return found


def _axis(field, title, low, high):
    return {
        "field": field,
        "type": "quantitative",
        "title": title,
        "scale": {"type": "log", "base": 2, "domain": [low, high], "nice": False},
        "axis": {"format": "~g", "tickCount": 6},
    }


def draw(run):
    points = [(layer, figures.roofline(run, layer)) for layer in run.layers]
    bus_bytes = run.machine["bus_bytes"]
    ridge = run.pes / bus_bytes
    low = min([ridge / 8] + [point.macs_per_byte / 2 for _, point in points])
    high = max([ridge * 8] + [point.macs_per_byte * 2 for _, point in points])
    bottom = min([low * bus_bytes] + [point.macs_per_cycle for _, point in points]) / 1.5
    top = run.pes * 1.9
    x = _axis("x", "MACs a DRAM byte", low, high)
    y = _axis("y", "MACs a cycle", bottom, top)
    named = points
    if len(points) > rows.MOST_LAYERS:
        named = sorted(points, key=lambda point: -point[0].counters["Cycles"])[:NAMED]
    labels = _labels([(layer.name, p.macs_per_byte, p.macs_per_cycle) for layer, p in named], low, high, bottom, top)
    dots = [
        {
            "x": point.macs_per_byte,
            "y": point.macs_per_cycle,
            "w": (
                f"{layer.name}: {point.macs_per_byte:.1f} MACs a byte, {point.macs_per_cycle:.2f} MACs a cycle, "
                f"{formats.percent(point.macs_per_cycle / point.attainable)} of what is attainable"
            ),
            "l": f"#layer-{layer.name}",
        }
        for layer, point in points
    ]
    roof = [
        {"x": low, "y": low * bus_bytes},
        {"x": ridge, "y": run.pes, "t": f"{run.pes} PEs"},
        {"x": high, "y": run.pes},
    ]

    def layer(values, mark, **more):
        return {"data": {"values": values}, "mark": mark, "encoding": {"x": x, "y": y, **more}}

    text = {"type": "text", "aria": False}
    return Chart(
        "Roofline",
        HEIGHT,
        [
            layer(roof, {"type": "line", "color": "var(--quiet)", "strokeWidth": 2, "aria": False}),
            layer(roof[1:2], text | {"dy": -9, "color": "var(--quiet)"}, text={"field": "t"}),
            layer(
                dots,
                {
                    "type": "point",
                    "filled": True,
                    "opacity": 1,
                    "size": 80,
                    "color": "var(--compute)",
                    "stroke": "var(--paper)",
                    "strokeWidth": 1,
                    "cursor": "pointer",
                },
                description=WORDS,
            ),
            *(layer([one], text | {"dy": one["dy"], "align": one["side"]}, text={"field": "t"}) for one in labels),
        ],
    )
