# SPDX-License-Identifier: Apache-2.0
"""End to end: layers one after another, on the accelerator and on the CPU."""
import formats
import host
from chart import WORDS, Chart, colours

LEGEND = {"compute": "accelerator", "psum": "CPU"}  # Colour: words.


def draw(run):
    """A bar of all layers in the order in which they run, or None where the CPU runs none."""
    if not run.other_layers:
        return None
    whole, begin, boxes = host.end_to_end(run), 0, []
    legend = {**LEGEND, "filter": ", ".join(run.targets)} if run.targets else LEGEND
    layers = {layer["name"]: layer for layer in run.summary["layers"]}
    for step in host.steps(run):
        place = f"{step.place}, {layers[step.name]['reason']}" if step.on_cpu else step.place
        words = (
            f"{step.name}: {formats.milliseconds(step.milliseconds)} {place};"
            f" {formats.percent(step.milliseconds / whole, 2)} of all"
        )
        colour = "psum" if step.place == "on the CPU" else "filter" if step.on_cpu else "compute"
        end = begin + step.milliseconds
        boxes.append({"x": begin, "end": end, "c": colour, "w": words, "l": f"#layer-{step.name}"})
        begin = end
    encoding = {
        "x": {"field": "x", "type": "quantitative", "title": "ms", "scale": {"domain": [0, whole], "nice": False}},
        "x2": {"field": "end"},
        "color": colours(legend),
        "description": WORDS,
    }
    mark = {"type": "rect", "stroke": "var(--paper)", "strokeWidth": 0.4, "cursor": "pointer"}
    layer = {"data": {"values": boxes}, "mark": mark, "encoding": encoding}
    return Chart(f"End to end: {formats.milliseconds(whole)}", 40, [layer], legend)
