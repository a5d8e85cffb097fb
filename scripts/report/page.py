# SPDX-License-Identifier: Apache-2.0
"""Renders the page: one HTML file with its charts, styles and script inside."""
import pathlib
import re

import jinja2

import array_drawing
import compare
import figures
import formats
import palette
import spec
import tables
from charts import cycles, energy, memory, prediction, roofline, traffic

HERE = pathlib.Path(__file__).resolve().parent


def graph_svg(text):
    """Graphviz's SVG without its prologue and its size, so that the page can scale it."""
    text = text[text.index("<svg"):]
    return re.sub(r'<svg width="(\d+)pt" height="\d+pt"', lambda size: f'<svg class="graph" style="width: {1.15 * int(size[1]):.0f}px"', text, count=1)


def _charts(run):
    return {
        "cycles": cycles.draw(run), "lost": cycles.draw_lost(run), "dram": traffic.draw_dram(run), "glb_traffic": traffic.draw_glb(run), "roofline": roofline.draw(run),
        "prediction": prediction.draw(run), "energy": energy.draw(run),
        "glb": memory.draw_glb(run), "arena": memory.draw_arena(run),
    }


LEGENDS = {"cycles": cycles.LEGEND, "lost": cycles.LEGEND, "dram": traffic.DRAM_LEGEND, "glb_traffic": traffic.GLB_LEGEND, "glb": traffic.GLB_LEGEND, "prediction": prediction.LEGEND, "energy": tables.LEVELS}


def _legends(run):
    """Without residuals where no layer adds one."""
    has_residuals = any(layer.counters["residual_read_bytes"] for layer in run.layers)
    return {name: {colour: words for colour, words in legend.items() if has_residuals or colour != "residual"} for name, legend in LEGENDS.items()}


def _comparison(run, other):
    """What the page shows of two runs, or None without a second."""
    if other is None:
        return None
    pairs, alone = compare.compare_layers(run, other)
    limit = max(layer.counters["Cycles"] for layer in [*run.layers, *other.layers])
    return {"totals": compare.compare_totals(run, other), "settings": compare.compare_settings(run, other), "layers": pairs, "alone": alone,
            "here": cycles.draw(run, "cycles-here", limit), "there": cycles.draw(other, "cycles-there", limit)}


def _first_groups(run):
    """{layer: name of its first group} of the layers that run in groups: links to the layer lead there."""
    return {layer.origin: layer.name for layer in reversed(run.layers) if layer.origin != layer.name}


def render(run, graph, other=None):
    """The page as text. `graph`: SVG of the fused network. `other`: the run to compare with, if any."""
    loader = jinja2.FileSystemLoader(HERE)
    environment = jinja2.Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined)
    arrays = [(layer, array_drawing.draw(run, layer), array_drawing.filter_sets(layer), array_drawing.caption(run, layer)) for layer in run.layers]
    return environment.get_template("page.html.j2").render(
        run=run, headline=tables.headline(run), columns=tables.LAYER_COLUMNS, rows=tables.layer_rows(run), total=tables.total_row(run), charts=_charts(run), legends=_legends(run),
        arrays=arrays, first_of=_first_groups(run), cpu=tables.cpu_layers(run), lists=tables.list_rows(run), splits=tables.split_rows(run), tables=tables, energy=tables.energy_rows(run), memories=tables.memory_rows(run), gates=tables.gate_rows(run), graph=graph_svg(graph), comparison=_comparison(run, other), causes=spec.CAUSES, figures=figures, formats=formats,
        colours=palette.css(), style=(HERE / "page.css").read_text(encoding="utf-8"), script=(HERE / "page.js").read_text(encoding="utf-8"))
