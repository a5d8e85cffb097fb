# SPDX-License-Identifier: Apache-2.0
"""Renders the page: one HTML file with its charts, styles and scripts inside."""
import json
import pathlib
import re

import array_drawing
import compare
import figures
import formats
import host
import palette
import report_folder
import rows
import sensitivity_page
import spec
import tables
import timeline
import vega_library
from charts import cycles, energy, host as host_chart, memory, prediction, roofline, traffic
from templates import template

HERE = pathlib.Path(__file__).resolve().parent


_PLACES = re.compile(r' (?:d|x|y|x1|x2|y1|y2|cx|cy|rx|ry|r|points|transform|width|height|viewBox)="[^"]*"')


def shorter(svg):
    """The same drawing in fewer characters: for places and sizes, not for words, a tenth of a pixel is near enough."""
    svg = _PLACES.sub(
        lambda places: re.sub(r"\d+\.\d+", lambda number: f"{float(number[0]):.1f}".removesuffix(".0"), places[0]), svg
    )
    return re.sub(r"\s*\n\s*", " ", svg)


def graph_svg(text):
    """Graphviz's SVG without its prologue and its size, so that the page can scale it, and without what the page's
    style says or nobody reads."""
    text = text[text.index("<svg") :]
    text = re.sub(r"<!--.*?-->|<title>.*?</title>| font-family=\"[^\"]*\"| text-anchor=\"start\"", "", text, flags=re.S)
    text = shorter(text)
    return re.sub(
        r'<svg width="(\d+)pt" height="\d+pt"',
        lambda size: f'<svg class="graph" style="width: {1.15 * int(size[1]):.0f}px"',
        text,
        count=1,
    )


FILES = ("dla_info.csv", "run.json", "report.md")  # That stand beside the page.


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
        "naive_arena": memory.draw_naive_arena(run),
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
            "Cycles, all layers", [("all", [rows.Row("all", tuple(run.layers)) for run in runs])], labels
        ),
        "each": cycles.draw_beside(
            "Cycles, block by block" if many else "Cycles, layer by layer",
            [(one.name, one.rows) for one in drawn],
            labels,
        ),
    }


def _first_groups(run):
    """{layer: name of its first group} of the layers that run in groups: links to the layer lead there."""
    return {layer.origin: layer.name for layer in reversed(run.layers) if layer.origin != layer.name}


def render(run, graph, others=(), labels=(), sensitivity=None, spans=None):
    """The page as text. `graph`: SVG of the fused network. `others`: runs to compare with, if any; `labels`: what each
    is called, this run first. `sensitivity`: what quantizing costs, whose page is sensitivity.html beside it. `spans`:
    of its trace, what timeline.read() found."""
    arrays = [
        (layer, array_drawing.draw(run, layer), array_drawing.filter_sets(layer), array_drawing.caption(run, layer))
        for layer in run.layers
    ]
    return template("page.html.j2").render(
        run=run,
        headline=tables.headline(run),
        columns=tables.LAYER_COLUMNS,
        rows=tables.folded_rows(run),
        many=len(run.layers) > rows.MOST_LAYERS,
        cpu_rows=tables.cpu_rows(run),
        totals=tables.total_rows(run),
        charts=_charts(run),
        files=FILES + ((report_folder.TRACE,) if spans else ()),
        spans=spans,
        spans_json=json.dumps(spans, separators=(",", ":")).replace("<", "\\u003c"),
        timeline_chart=timeline.draw(spans) if spans else None,
        arrays=arrays,
        first_of=_first_groups(run),
        onnx_of={layer["name"]: layer["onnx"] for layer in run.summary["layers"]},
        cpu=tables.cpu_layers(run),
        host_rows=tables.host_rows(run),
        fallbacks=tables.fallback_rows(run),
        host=host,
        lists=tables.list_rows(run),
        steps=tables.step_rows(run),
        staying=tables.chip_rows(run),
        memory=memory,
        splits=tables.split_rows(run),
        helps=tables.help_rows(run),
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
        library=vega_library.script(),
        script="\n".join(
            (HERE / name).read_text(encoding="utf-8")
            for name in ("charts.js", "page.js", "layers.js", "array.js", "timeline.js")
        ),
    )
