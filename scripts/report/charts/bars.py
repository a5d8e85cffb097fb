# SPDX-License-Identifier: Apache-2.0
"""What bar charts share: stacked horizontal bars, a row a layer, with a column of figures beside them."""
import rows
from chart import NUMBERS, WORDS, Chart, colours, texts

ROW, THIN_ROW = 26, 17  # Pixels.


def part(row, colour, number, words):
    """A piece of bar number `row`."""
    return {"y": row, "c": colour, "n": number, "w": words}


def stack(row, parts, words):
    """Pieces of {colour: number} from left to right. `words(colour, number)` says what a piece is."""
    return [part(row, colour, number, words(colour, number)) for colour, number in parts.items() if number]


def layered_chart(title, names, parts, legend, figures, axis, more=(), side_by_side=False, row=None):
    """A bar a name, the first on top, of the pieces `parts`; figures[row] stands at its end of the row. `axis`: what is
    counted. `more`: layers of Vega-Lite that are drawn above. With side_by_side pieces of a row stand below each
    other."""
    row = row or (ROW if len(names) <= rows.THIN_ROWS else THIN_ROW)

    def places(side, words):
        return {
            "field": "y",
            "type": "ordinal",
            "scale": {"domain": list(range(len(names)))},
            "title": None,
            "axis": {"orient": side, **words, "labelOverlap": False, "labelLimit": 0},
        }

    left = places("left", {"names": names})  # charts.js fits them.
    length = {
        "field": "n",
        "type": "quantitative",
        "title": axis,
        "axis": NUMBERS,
        "stack": None if side_by_side else "zero",
    }
    bars = {"x": length, "y": left, "color": colours(legend), "description": WORDS}
    if side_by_side:
        bars["yOffset"] = {"field": "c", "type": "nominal", "scale": {"domain": list(legend)}}
    return Chart(
        title,
        row * len(names),
        [
            {"data": {"values": parts}, "mark": {"type": "bar"}, "encoding": bars},
            *more,
            {
                "data": {"values": [{"y": 0}]},
                "mark": {"type": "rule", "opacity": 0, "aria": False},
                "encoding": {"y": places("right", {"labelExpr": texts(figures)})},
            },
        ],
        legend,
        {"axis": {"y": "independent"}},
    )
