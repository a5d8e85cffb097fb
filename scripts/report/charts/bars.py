# SPDX-License-Identifier: Apache-2.0
"""What bar charts share: stacked horizontal bars, a row a layer, with the figures in words."""
import matplotlib.ticker

import formats
import palette
import rows
from svg_chart import SvgChart

ROW, THIN_ROW = 30, 17  # Pixels.


def layered_chart(name, title, names, width=480, row=None):
    """A chart with a row a name, the first on top; each of `row` pixels, or thinner where there are many."""
    row = row or (ROW if len(names) <= rows.THIN_ROWS else THIN_ROW)
    chart = SvgChart(name, title, width, 74 + row * len(names))
    axes = chart.axes[0]
    axes.set_yticks(range(len(names)), [formats.fitting(name) for name in names], fontsize=12 if row > THIN_ROW else 10)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.grid(axis="x")
    axes.xaxis.set_major_locator(matplotlib.ticker.MaxNLocator(4))
    axes.xaxis.set_major_formatter(lambda value, _: formats.short(value))
    return chart


def stack(chart, axes, row, parts, words, height=0.62, **style):
    """Draws {colour: number} from left to right. `words(colour, number)` says what a part is. Returns where the bar
    ends."""
    left = 0
    for colour, number in parts.items():
        if number <= 0:
            continue
        bars = axes.barh([row], [number], left=left, height=height, color=palette.stand_in(colour), **style)
        chart.mark(bars[0], words(colour, number))
        left += number
    return left


def label(axes, row, x, text, colour="ink", size=11):
    """Writes at the end of a bar."""
    axes.annotate(
        text,
        (x, row),
        xytext=(5, 0),
        textcoords="offset points",
        va="center",
        fontsize=size,
        color=palette.stand_in(colour),
    )
