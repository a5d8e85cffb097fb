# SPDX-License-Identifier: Apache-2.0
"""A run's trace as the page shows it: how busy each unit is in every so many cycles, and when each layer ran."""
import base64
import itertools
import json
import os
import re

from chart import WORDS, Chart, colours

BINS = 12000  # Of the whole run: the finest that can be zoomed to. The trace has every span.
CONTROLLER = 2  # The thread whose spans are layers.
# Of the other threads of a trace: name, colour.
UNITS = {
    3: ("DMA read", "dram"),
    4: ("DMA write", "output"),
    5: ("filter feed", "filter"),
    6: ("ifmap feed", "ifmap"),
    7: ("array", "compute"),
    8: ("post-processing", "psum"),
    9: ("output gather", "glb"),
}
LAYERS, CHAINS = "layers", "depth first"  # The rows above the units.
_SPAN = re.compile(r'{"ph":"X","pid":1,"tid":([3-9]),"ts":(\d+),"dur":(\d+),"name":"(?!wait)')
_LAYER = re.compile(r'{"ph":"([BE])","pid":1,"tid":%d,"ts":(\d+)' % CONTROLLER)
_LAST_BYTES = 1 << 20  # Of a trace; its last layer ends in them.


class _Busy:
    """Cycles of a unit in each of the bins of `width` cycles. Spans that overlap fill a bin once."""

    def __init__(self, width):
        self.width, self.starts, self.parts = width, [0] * (BINS + 2), [0] * (BINS + 2)

    def add(self, begin, end):
        first, last = (min(at // self.width, BINS) for at in (begin, end))
        if first == last:
            self.parts[first] += end - begin
        else:
            self.parts[first] += (first + 1) * self.width - begin
            self.parts[last] += end - last * self.width
            self.starts[first + 1] += 1
            self.starts[last] -= 1

    def shares(self):
        """A byte a bin: 255 is all of it."""
        whole = itertools.accumulate(self.starts)
        return bytes(
            min(255, round(255 * (spans + part / self.width))) for spans, part in zip(whole, self.parts[:BINS])
        )


def _end(path):
    """The cycle in which the last layer ends."""
    with open(path, "rb") as file:
        file.seek(max(0, os.path.getsize(path) - _LAST_BYTES))
        ends = [int(at) for kind, at in _LAYER.findall(file.read().decode(errors="replace")) if kind == "E"]
    return max(ends, default=0)


def read(path):
    """What timeline.js needs of a trace, or None where it has no layer. Its caller may add chains: [name, begin, end]
    of layers that ran depth first."""
    end = _end(path)
    if not end:
        return None
    width = -(-end // BINS)
    busy, layers = {tid: _Busy(width) for tid in UNITS}, []
    with open(path, encoding="utf-8") as file:
        for line in file:
            if span := _SPAN.match(line):
                tid, begin, cycles = (int(text) for text in span.groups())
                busy[tid].add(begin, begin + cycles)
            elif layer := _LAYER.match(line):
                if layer[1] == "B":
                    layers.append([json.loads(line.rstrip().rstrip(","))["name"], int(layer[2]), end])
                else:
                    layers[-1][2] = int(layer[2])
    return {
        "end": end,
        "width": width,
        "layers": layers,
        "chains": [],
        "units": [
            {"name": name, "colour": colour, "busy": base64.b64encode(busy[tid].shares()).decode()}
            for tid, (name, colour) in UNITS.items()
        ],
    }


def draw(found):
    """The chart, whose boxes timeline.js fills in."""
    rows = [*([CHAINS] if found["chains"] else []), LAYERS, *(name for name, _ in UNITS.values())]
    cycles = {
        "field": "x",
        "type": "quantitative",
        "title": "device cycles",
        "scale": {"domainMin": {"expr": "from"}, "domainMax": {"expr": "to"}, "nice": False, "zero": False},
        "axis": {"tickCount": 5, "format": ",d", "labelBound": True},
    }
    row = {"field": "y", "type": "nominal", "title": None, "scale": {"domain": rows}}
    boxes = {
        "data": {"name": "boxes"},
        "mark": {"type": "rect", "clip": True},
        "encoding": {
            "x": cycles,
            "x2": {"field": "x2"},
            "y": row,
            "color": colours(["idle", *(colour for _, colour in UNITS.values())]),
            "opacity": {"field": "o", "type": "quantitative", "scale": None},
            "description": WORDS,
        },
    }
    names = {
        "data": {"name": "names"},
        "mark": {"type": "text", "clip": True, "aria": False},
        "encoding": {"x": cycles, "y": row, "text": {"field": "t"}},
    }
    params = [{"name": "from", "value": 0}, {"name": "to", "value": found["end"]}]
    return Chart("What each unit does, and when", 24 * len(rows), [boxes, names], params=params)
