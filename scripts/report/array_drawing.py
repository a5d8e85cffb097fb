# SPDX-License-Identifier: Apache-2.0
"""Draws a layer's mapping on the PE array: which PE does which filter rows, output rows, channels and filters."""
import html

import figures
import formats

SET_COLOURS = ("compute", "psum", "output", "filter", "ifmap", "spad", "glb", "control")
PITCH, CELL, LEFT, TOP = 34, 30, 58, 24  # Pixels.


def sets_by_pe(layer):
    """{(row, column): (set, filter row, output row)} of the PEs that a full pass uses."""
    array, e = layer.call["array"], layer.call["mapping"]["e"]
    return {(one["row"] + i, one["col"] + j): (one, i, j) for one in array["sets"] for i in range(array["fold_rows"]) for j in range(e)}


def words(layer, place, used):
    """What PE `place` does, in words."""
    row, col = place
    if used is None:
        return f"PE ({row}, {col}) is idle"
    one, i, j = used
    p, q, U = (layer.call["mapping"]["p"], layer.call["mapping"]["q"], layer.call["shape"]["U"])
    fold = f" of each of {layer.call['array']['folds']} folds" if layer.call["array"]["folds"] > 1 else ""
    return (f"PE ({row}, {col}): filter row {i}{fold}, output row {j}, ifmap row {j * U + i}; "
            f"filters {formats.first_to_last(one['filter_set'] * p, p)}, channels {formats.first_to_last(one['channel_set'] * q, q)} of a pass")


def look(one):
    """(colour, opacity) of a set: a colour a filter set, pale every other channel set."""
    return SET_COLOURS[one["filter_set"] % len(SET_COLOURS)], (1, 0.45)[one["channel_set"] % 2]


def filter_sets(layer):
    """(colour, filters) of each filter set, for the legend."""
    p = layer.call["mapping"]["p"]
    return [(SET_COLOURS[at % len(SET_COLOURS)], formats.span(at * p, p)) for at in range(layer.call["mapping"]["t"])]


def _cell(layer, place, used, tab):
    row, col = place
    x, y = LEFT + col * PITCH, TOP + row * PITCH
    text = html.escape(words(layer, place, used), quote=True)
    colour, shade, label = "idle", "", ""
    if used is not None:
        one, i, j = used
        colour, opacity = look(one)
        shade = f' fill-opacity="{opacity}"'
        text_class = "on-colour" if opacity == 1 else "on-pale"
        label = f'<text x="{x + CELL / 2}" y="{y + CELL / 2 + 4}" text-anchor="middle" class="{text_class}">{i},{j}</text>'
    return (f'<g class="mark" tabindex="{tab}" role="img" aria-label="{text}" data-tip="{text}">'
            f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" rx="3" fill="var(--{colour})"{shade}/>{label}</g>')


def draw(run, layer):
    """The array as an <svg> element: a colour a filter set, a paler shade every other channel set, idle PEs grey."""
    rows, cols = run.machine["rows"], run.machine["cols"]
    used = sets_by_pe(layer)
    places = [(row, col) for row in range(rows) for col in range(cols)]
    cells = "".join(_cell(layer, place, used.get(place), -1 if at else 0) for at, place in enumerate(places))
    row_names = "".join(f'<text x="{LEFT - 8}" y="{TOP + row * PITCH + CELL / 2 + 4}" text-anchor="end">row {row}</text>' for row in range(rows))
    col_names = "".join(f'<text x="{LEFT + col * PITCH + CELL / 2}" y="{TOP - 8}" text-anchor="middle">{col}</text>' for col in range(cols))
    width, height = LEFT + cols * PITCH, TOP + rows * PITCH
    title = html.escape(f"PE array of {layer.name}", quote=True)
    return (f'<svg class="chart array" viewBox="0 0 {width} {height}" style="max-width: {width}px" role="group" aria-label="{title}">'
            f"{col_names}{row_names}{cells}</svg>")


def caption(run, layer):
    """Sentences beside the drawing: how full the array is and how often each loop runs."""
    m, array, shape = layer.call["mapping"], layer.call["array"], layer.call["shape"]
    used = figures.used_pes(layer)
    lines = [f"{used} of {run.pes} PEs: {formats.percent(used / run.pes, 0)}.",
             f"{formats.several(m['r'], 'set')} of channels by {formats.several(m['t'], 'set')} of filters, each {array['fold_rows']} PEs high and {m['e']} wide.",
             f"A PE interleaves {formats.several(m['p'], 'filter')} and {formats.several(m['q'], 'channel')}; the sets of a colour have, from the top, channels "
             + ", ".join(formats.span(at * m["q"], m["q"]) for at in range(m["r"])) + "."]
    if array["folds"] > 1:
        lines.append(f"The {shape['R']} filter rows are folded into {array['folds']} groups of up to {array['fold_rows']}.")
    lines.append(f"{formats.several(layer.counters['passes'], 'pass', 'passes')}: {formats.several(array['e_tiles'], 'tile')} of {formats.several(m['e_glb'], 'output row')}, "
                 f"{formats.several(array['m_tiles'], 'tile')} of {formats.several(m['m'], 'filter')}, {formats.several(array['c_chunks'], 'chunk')} of {formats.several(m['q'] * m['r'], 'channel')}.")
    lines.append("The ifmap stays in the GLB." if m["ifmap_resident"] else "The ifmap is streamed.")
    return lines
