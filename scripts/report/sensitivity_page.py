# SPDX-License-Identifier: Apache-2.0
"""The page on what quantizing a network costs: forms of scales side by side, and the drop that each layer makes."""
import json
import pathlib

import formats
import palette
import vega_library
from report_error import ReportError
from shown_text import shown_values
from charts import bars
from templates import template

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


def _draw(found, title, figure, unit):
    """Two bars a layer: it alone, and all but it."""
    parts, ends = [], []
    for row, layer in enumerate(found["layers"]):
        said = []
        for which, colour in (("alone", "psum"), ("others", "compute")):
            number = figure(layer[which])
            said.append("–" if number is None else f"{number:.1f}".replace("-", "−"))
            if number is not None:
                words = f"{layer['name']}: {LEGEND[colour]}: {number:.1f} {unit}, knows {_knows(layer[which])}"
                parts.append(bars.part(row, colour, number, words))
        ends.append(" · ".join(said))
    names = [layer["name"] for layer in found["layers"]]
    return bars.layered_chart(title, names, parts, LEGEND, ends, unit, side_by_side=True)


def render(found, report=""):
    """The page as text. `report`: the page of a run that it belongs to, if any."""
    return template("sensitivity.html.j2").render(
        found=found,
        report=report,
        form_headings=FORM_HEADINGS,
        forms=form_rows(found),
        layer_headings=LAYER_HEADINGS,
        layers=layer_rows(found),
        drops=_draw(found, "Points of accuracy lost", lambda figures: drop(found, figures), "points"),
        sqnr=_draw(found, "SQNR of the network's output", lambda figures: figures.get("sqnr_db"), "dB"),
        colours=palette.css(),
        style=(HERE / "page.css").read_text(encoding="utf-8"),
        library=vega_library.script(),
        script="\n".join((HERE / name).read_text(encoding="utf-8") for name in ("charts.js", "page.js")),
    )
