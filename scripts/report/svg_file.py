# SPDX-License-Identifier: Apache-2.0
"""A chart as a file of its own: the colours of the page go inside."""
import palette


def standalone(svg):
    """An SVG document of an inline chart."""
    start = svg.index(">") + 1
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n{svg[:start]}<style>{palette.css()}:root {{ --font: sans-serif;'
        f" background: var(--paper); }}</style>{svg[start:]}\n"
    )
