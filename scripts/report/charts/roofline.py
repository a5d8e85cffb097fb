# SPDX-License-Identifier: Apache-2.0
"""The roofline: what the bus and the array allow at each intensity, and where every layer stands."""
import figures
import formats
import palette
import rows
from svg_chart import SvgChart

NEAR = 16  # Pixels within which points share one label.
NAMED = 6  # Of many layers, as many that take longest.
PLACES = (
    (0, -15, "center"),
    (0, 14, "center"),
    (10, -3, "left"),
    (-10, -3, "right"),
    (0, -29, "center"),
)  # Of a label, from its point.


def _nearby(chart, axes, points):
    """Groups points that are close on the page: [[name, x, y], ...] -> [(names, x, y)]."""
    chart.figure.draw_without_rendering()  # Fixes the scales.
    groups = []
    for name, x, y in points:
        place = axes.transData.transform((x, y))
        near = [names for names, at, _, _ in groups if all(abs(a - b) < NEAR for a, b in zip(place, at))]
        if near:
            near[0].append(name)
        else:
            groups.append(([name], place, x, y))
    return [(names, x, y) for names, _, x, y in groups]


def _label(axes, groups):
    """Writes each group's names at the first place where they fit: below its point, above it, to a side of it, or
    further below."""
    taken = []
    for names, x, y in groups:
        for dx, dy, side in PLACES:
            text = axes.annotate(
                ", ".join(names), (x, y), xytext=(dx, dy), textcoords="offset points", ha=side, va="center", fontsize=11
            )
            box = text.get_window_extent().padded(4)
            inside = axes.bbox.containsx(box.x0) and axes.bbox.containsx(box.x1) and axes.bbox.containsy(box.y0)
            if inside and not box.count_overlaps(taken):
                break
            if (dx, dy, side) != PLACES[-1]:
                text.remove()
        taken.append(box)


def _draw_roof(run, axes, low, high):
    pes, bus_bytes = run.pes, run.machine["bus_bytes"]
    ridge = pes / bus_bytes
    style = {"color": palette.stand_in("quiet"), "linewidth": 2, "zorder": 1}
    axes.plot([low, ridge], [low * bus_bytes, pes], **style)
    axes.plot([ridge, high], [pes, pes], **style)
    axes.text(ridge, pes * 1.1, f"{pes} PEs", fontsize=11, color=palette.stand_in("quiet"))
    axes.annotate(
        f"bus: {bus_bytes} B a cycle",
        (ridge / 4, pes / 4),
        xytext=(10, -4),
        textcoords="offset points",
        fontsize=11,
        va="top",
        color=palette.stand_in("quiet"),
    )


def draw(run):
    chart = SvgChart("roofline", "Roofline with every layer", 480, 280)
    axes = chart.axes[0]
    points = [(layer, figures.roofline(run, layer)) for layer in run.layers]
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=2)
    ridge = run.pes / run.machine["bus_bytes"]
    low = min([ridge / 8] + [point.macs_per_byte / 2 for _, point in points])
    high = max([ridge * 8] + [point.macs_per_byte * 2 for _, point in points])
    _draw_roof(run, axes, low, high)
    bottom = min([low * run.machine["bus_bytes"]] + [point.macs_per_cycle for _, point in points])
    axes.set_xlim(low, high)
    axes.set_ylim(bottom / 1.5, run.pes * 1.7)
    for layer, point in points:
        dot = axes.plot(
            [point.macs_per_byte],
            [point.macs_per_cycle],
            "o",
            markersize=9,
            color=palette.stand_in("compute"),
            markeredgecolor=palette.stand_in("paper"),
            zorder=3,
        )[0]
        chart.mark(
            dot,
            (
                f"{layer.name}: {point.macs_per_byte:.1f} MACs a byte, {point.macs_per_cycle:.2f} MACs a cycle, "
                f"{formats.percent(point.macs_per_cycle / point.attainable)} of what is attainable"
            ),
            f"#layer-{layer.name}",
        )
    axes.grid(True)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.set_title("Roofline")
    axes.set_xlabel("MACs a DRAM byte")
    axes.set_ylabel("MACs a cycle")
    named = (
        sorted(points, key=lambda point: -point[0].counters["Cycles"])[:NAMED]
        if len(points) > rows.MOST_LAYERS
        else points
    )
    _label(axes, _nearby(chart, axes, [(layer.name, p.macs_per_byte, p.macs_per_cycle) for layer, p in named]))
    return chart.svg()
