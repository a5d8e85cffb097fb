# SPDX-License-Identifier: Apache-2.0
"""A layer's mapping on the PE array: what array.js draws it from, and the sentences beside it."""
import html
import json

import figures
import formats

SET_COLOURS = ("compute", "psum", "output", "filter", "ifmap", "spad", "glb", "control")
PITCH, LEFT, TOP = 34, 58, 24  # Pixels, as in array.js.


def machine(run):
    """What array.js needs of the machine."""
    return {"rows": run.machine["rows"], "cols": run.machine["cols"], "colours": SET_COLOURS}


def plan(layer):
    """What array.js needs of a layer: sets of fold_rows x e PEs, p filters and q channels of each."""
    array, mapping = layer.call["array"], layer.call["mapping"]
    sets = [[one["row"], one["col"], one["filter_set"], one["channel_set"]] for one in array["sets"]]
    return {
        "sets": sets,
        "fold_rows": array["fold_rows"],
        "folds": array["folds"],
        "e": mapping["e"],
        "p": mapping["p"],
        "q": mapping["q"],
        "U": layer.call["shape"]["U"],
    }


def draw(run, layer):
    """An <svg> element of the array's size, which array.js fills when it comes into view: a colour a filter set, a
    paler shade every other channel set, idle PEs grey."""
    width, height = LEFT + run.machine["cols"] * PITCH, TOP + run.machine["rows"] * PITCH
    title = html.escape(f"PE array of {layer.name}", quote=True)
    data = json.dumps(plan(layer), separators=(",", ":"))
    return (
        f'<svg class="array" viewBox="0 0 {width} {height}" style="max-width: {width}px" tabindex="0" role="group"'
        f" aria-label=\"{title}\" data-plan='{data}'></svg>"
    )


def filter_sets(layer):
    """(colour, filters) of each filter set, for the legend."""
    p = layer.call["mapping"]["p"]
    return [(SET_COLOURS[at % len(SET_COLOURS)], formats.span(at * p, p)) for at in range(layer.call["mapping"]["t"])]


def caption(run, layer):
    """Sentences beside the drawing: how full the array is and how often each loop runs."""
    m, array, shape = layer.call["mapping"], layer.call["array"], layer.call["shape"]
    used = figures.used_pes(layer)
    lines = [
        f"{used} of {run.pes} PEs: {formats.percent(used / run.pes, 0)}.",
        (
            f"{formats.several(m['r'], 'set')} of channels by {formats.several(m['t'], 'set')} of filters, each"
            f" {array['fold_rows']} PEs high and {m['e']} wide."
        ),
        f"A PE interleaves {formats.several(m['p'], 'filter')} and {formats.several(m['q'], 'channel')}; the sets of a"
        " colour have, from the top, channels "
        + ", ".join(formats.span(at * m["q"], m["q"]) for at in range(m["r"]))
        + ".",
    ]
    if array["folds"] > 1:
        lines.append(
            f"The {shape['R']} filter rows are folded into {array['folds']} groups of up to {array['fold_rows']}."
        )
    lines.append(
        f"{formats.several(layer.counters['passes'], 'pass', 'passes')}: {formats.several(array['e_tiles'], 'tile')} of"
        f" {formats.several(m['e_glb'], 'output row')}, {formats.several(array['m_tiles'], 'tile')} of"
        f" {formats.several(m['m'], 'filter')}, {formats.several(array['c_chunks'], 'chunk')} of"
        f" {formats.several(m['q'] * m['r'], 'channel')}."
    )
    lines.append("The ifmap stays in the GLB." if m["ifmap_resident"] else "The ifmap is streamed.")
    return lines
