# SPDX-License-Identifier: Apache-2.0
"""Renders the page: one HTML file with its charts, styles and scripts inside."""
import json
import pathlib
import re

import jinja2

import array_drawing
import compare
import figures
import formats
import host
import palette
import rows
import sensitivity_page
import spec
import svg_chart
import tables
from charts import cycles, energy, host as host_chart, memory, prediction, roofline, traffic

HERE = pathlib.Path(__file__).resolve().parent


def graph_svg(text):
    """Graphviz's SVG without its prologue and its size, so that the page can scale it, and without what the page's
    style says or nobody reads."""
    text = text[text.index("<svg") :]
    text = re.sub(r"<!--.*?-->|<title>.*?</title>| font-family=\"[^\"]*\"| text-anchor=\"start\"", "", text, flags=re.S)
    text = svg_chart.shorter(text)
    return re.sub(
        r'<svg width="(\d+)pt" height="\d+pt"',
        lambda size: f'<svg class="graph" style="width: {1.15 * int(size[1]):.0f}px"',
        text,
        count=1,
    )


def _charts(run):
    return {
        "cycles": cycles.draw(run),
        "lost": cycles.draw_lost(run),
        "along": cycles.draw_along(run),
        "host": host_chart.draw(run),
        "dram": traffic.draw_dram(run),
        "glb_traffic": traffic.draw_glb(run),
        "roofline": roofline.draw(run),
        "prediction": prediction.draw(run),
        "energy": energy.draw(run),
        "glb": memory.draw_glb(run),
        "arena": memory.draw_arena(run),
    }


LEGENDS = {
    "cycles": cycles.LEGEND,
    "lost": cycles.LEGEND,
    "dram": traffic.DRAM_LEGEND,
    "glb_traffic": traffic.GLB_LEGEND,
    "glb": traffic.GLB_LEGEND,
    "prediction": prediction.LEGEND,
    "host": host_chart.LEGEND,
    "energy": tables.LEVELS,
}


def _legends(run):
    """Without residuals where no layer adds one."""
    has_residuals = any(layer.counters["residual_read_bytes"] for layer in run.layers)
    return {
        name: {colour: words for colour, words in legend.items() if has_residuals or colour != "residual"}
        for name, legend in LEGENDS.items()
    }


def _comparison(runs, labels):
    """What the page shows of several runs, or None of one."""
    if len(runs) == 1:
        return None
    compared = compare.compare_layers(runs)
    many = len(compared) > rows.MOST_LAYERS
    drawn = [one for one in compared if not many or compare.is_block(one) or one.block < 0]
    return {
        "labels": labels,
        "totals": compare.compare_totals(runs),
        "times": compare.compare_times(runs),
        "settings": compare.compare_settings(runs),
        "layers": compared,
        "missing": compare.missing_words(runs, labels),
        "all": cycles.draw_beside(
            "beside-all", "Cycles, all layers", [("all", [rows.Row("all", tuple(run.layers)) for run in runs])], labels
        ),
        "each": cycles.draw_beside(
            "beside-each",
            "Cycles, block by block" if many else "Cycles, layer by layer",
            [(one.name, one.rows) for one in drawn],
            labels,
        ),
    }


def _first_groups(run):
    """{layer: name of its first group} of the layers that run in groups: links to the layer lead there."""
    return {layer.origin: layer.name for layer in reversed(run.layers) if layer.origin != layer.name}


def render(run, graph, others=(), labels=(), sensitivity=None):
    """The page as text. `graph`: SVG of the fused network. `others`: runs to compare with, if any; `labels`: what each
    is called, this run first. `sensitivity`: what quantizing costs, whose page is sensitivity.html beside it."""
    loader = jinja2.FileSystemLoader(HERE)
    environment = jinja2.Environment(
        loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    arrays = [
        (layer, array_drawing.draw(run, layer), array_drawing.filter_sets(layer), array_drawing.caption(run, layer))
        for layer in run.layers
    ]
    return environment.get_template("page.html.j2").render(
        run=run,
        headline=tables.headline(run),
        columns=tables.LAYER_COLUMNS,
        rows=tables.folded_rows(run),
        many=len(run.layers) > rows.MOST_LAYERS,
        cpu_rows=tables.cpu_rows(run),
        totals=tables.total_rows(run),
        charts=_charts(run),
        legends=_legends(run),
        arrays=arrays,
        first_of=_first_groups(run),
        onnx_of={layer["name"]: layer["onnx"] for layer in run.summary["layers"]},
        cpu=tables.cpu_layers(run),
        host_rows=tables.host_rows(run),
        fallbacks=tables.fallback_rows(run),
        host=host,
        lists=tables.list_rows(run),
        splits=tables.split_rows(run),
        blocks=tables.block_table(run),
        tables=tables,
        energy=tables.energy_rows(run),
        memories=tables.memory_rows(run),
        gates=tables.gate_rows(run),
        graph=graph_svg(graph),
        comparison=_comparison([run, *others], labels),
        sensitivity=sensitivity,
        sensitivity_page=sensitivity_page,
        compare=compare,
        causes=spec.CAUSES,
        figures=figures,
        formats=formats,
        colours=palette.css(),
        style=(HERE / "page.css").read_text(encoding="utf-8"),
        machine=json.dumps(array_drawing.machine(run)),
        script="\n".join((HERE / name).read_text(encoding="utf-8") for name in ("page.js", "layers.js", "array.js")),
    )
