# SPDX-License-Identifier: Apache-2.0
"""A chart as the page's script draws it: Vega-Lite's form of it, with the page's colours, as wide as there is room."""
import dataclasses
import json
import re


@dataclasses.dataclass(frozen=True)
class Chart:
    """What stands above a chart, and what draws it. Of a datum, "w" is what a pointer or the keyboard is told, and "l"
    a place of the page that it leads to."""

    title: str
    height: int  # Pixels, without what is above and below the axes.
    layers: list  # Vega-Lite's.
    legend: dict = dataclasses.field(default_factory=dict)  # Colour: words.
    resolve: dict = dataclasses.field(default_factory=dict)
    params: list = dataclasses.field(default_factory=list)

    @property
    def spec(self):
        """Inside a <script>, where no mark of HTML may stand."""
        whole = {"width": "container", "height": self.height, "layer": self.layers}
        whole |= {"resolve": self.resolve, "params": self.params}
        text = json.dumps(whole, separators=(",", ":"), ensure_ascii=False)
        return re.sub("[<>&]", lambda mark: f"\\u{ord(mark[0]):04x}", text)


def colours(names):
    """An encoding by the field "c", a name of palette.py."""
    names = list(names)
    scale = {"domain": names, "range": [f"var(--{name})" for name in names]}
    return {"field": "c", "type": "nominal", "scale": scale, "legend": None}


def texts(words, of="datum.value"):
    """An expression: the one of `words` that an axis has at a number."""
    return f"{json.dumps(list(words), ensure_ascii=False)}[{of}]"


def upright(names):
    """What an axis below has for names that stand upright. The chart leaves room for the longest, also where it comes
    out only when its neighbours are left out."""
    return {"labelAngle": -90, "labelOverlap": "greedy", "minExtent": 6.5 * max(map(len, names), default=0) + 5}


WORDS = {"field": "w"}
# Of an axis of numbers: 1.2M, 300, 0.25.
NUMBERS = {"tickCount": 4, "labelExpr": "format(datum.value, abs(datum.value) < 1000 ? '~g' : '~s')"}
