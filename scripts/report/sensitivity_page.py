# SPDX-License-Identifier: Apache-2.0
"""The page on what quantizing a network costs: forms of scales side by side, and the drop that each layer makes."""
import json
import pathlib

import jinja2

import formats
import palette
from report_error import ReportError
from shown_text import shown_values
from charts import bars

HERE = pathlib.Path(__file__).resolve().parent
LEGEND = {"psum": "it alone is quantized", "compute": "all but it are"}  # Colour: words.
FORM_HEADINGS = ("form", "knows", "interval", "drop, points", "output SQNR dB", "layers there", "cycles", "DRAM bytes")
LAYER_HEADINGS = (
    "layer",
    "operators",
    "it alone: knows",
    "drop, points",
    "output SQNR dB",
    "all but it: knows",
    "drop, points",
    "output SQNR dB",
)


def drop(found, figures):
    """Points of accuracy below the float network; less than 0: above it."""
    return 100 * (found["float"]["share"] - figures["share"])


def _points(number):
    return "0.0" if abs(number) < 0.05 else f"{number:.1f}".replace("-", "−")


def _knows(figures):
    return f"{figures['right']} of {figures['pictures']}"


def _interval(figures):
    return f"{100 * figures['low']:.1f} to {100 * figures['high']:.1f} %"


def _sqnr(figures):
    return "" if figures.get("sqnr_db") is None else f"{figures['sqnr_db']:.1f}"


def form_rows(found):
    rows = [("float", _knows(found["float"]), _interval(found["float"]), "", "", "", "", "")]
    for form in found["forms"]:
        device = form["device"]
        there = (
            (
                formats.count(device["device_layers"]),
                formats.count(device["cycles"]),
                formats.count(device["dram_bytes"]),
            )
            if device
            else ("none", "", "")
        )
        rows.append((form["name"], _knows(form), _interval(form), _points(drop(found, form)), _sqnr(form), *there))
    return rows


def layer_rows(found):
    """In the network's order."""
    return [
        (
            layer["name"],
            " ".join(layer["operations"]),
            *(
                text
                for which in ("alone", "others")
                for text in (_knows(layer[which]), _points(drop(found, layer[which])), _sqnr(layer[which]))
            ),
        )
        for layer in found["layers"]
    ]


def summary(found):
    """Lines for a terminal."""
    worst = min(
        found["layers"],
        key=lambda layer: layer["alone"]["sqnr_db"] if layer["alone"]["sqnr_db"] is not None else float("inf"),
    )
    lines = [
        f"{row[0]}: knows {row[1]}, {row[2]}" + (f"; {row[6]} cycles, {row[7]} DRAM bytes" if row[6] else "")
        for row in form_rows(found)
    ]
    return lines + [
        f"{found['form']}, layer by layer: {worst['name']} alone costs most, output SQNR {_sqnr(worst['alone'])} dB"
    ]


def read(folder):
    """What fovea sensitivity found, out of its folder."""
    try:
        found = shown_values(json.loads(pathlib.Path(folder, "sensitivity.json").read_text(encoding="utf-8")))
        _ = form_rows(found), layer_rows(found), found["command"], found["calibrate"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        raise ReportError(f"{folder}: no whole sensitivity.json; give a folder that fovea sensitivity wrote") from None
    return found


def _draw(found, name, title, figure, unit):
    """Two bars a layer: it alone, and all but it."""
    layers = found["layers"]
    chart = bars.layered_chart(name, title, [layer["name"] for layer in layers], 560, 40 if len(layers) <= 40 else 26)
    axes = chart.axes[0]
    axes.set_title(title)
    numbers = []
    for row, layer in enumerate(layers):
        for which, colour, place in (("alone", "psum", -0.2), ("others", "compute", 0.2)):
            number = figure(layer[which])
            if number is None:
                continue
            numbers.append(number)
            bar = axes.barh([row + place], [number], height=0.34, color=palette.stand_in(colour))[0]
            chart.mark(bar, f"{layer['name']}: {LEGEND[colour]}: {number:.1f} {unit}, knows {_knows(layer[which])}")
            bars.label(axes, row + place, max(number, 0), f"{number:.1f}".replace("-", "−"), size=10)
    axes.axvline(0, color=palette.stand_in("ink"), linewidth=1)
    axes.set_xlim(min([0, *numbers]) * 1.2, max([1, *numbers]) * 1.2)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}".replace("-", "−"))
    axes.set_xlabel(unit)
    return chart.svg()


def render(found, report=""):
    """The page as text. `report`: the page of a run that it belongs to, if any."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    return environment.get_template("sensitivity.html.j2").render(
        found=found,
        report=report,
        legend=LEGEND,
        form_headings=FORM_HEADINGS,
        forms=form_rows(found),
        layer_headings=LAYER_HEADINGS,
        layers=layer_rows(found),
        drops=_draw(found, "drops", "Points of accuracy lost", lambda figures: drop(found, figures), "points"),
        sqnr=_draw(found, "sqnr", "SQNR of the network's output", lambda figures: figures.get("sqnr_db"), "dB"),
        colours=palette.css(),
        style=(HERE / "page.css").read_text(encoding="utf-8"),
        script=(HERE / "page.js").read_text(encoding="utf-8"),
    )
