# SPDX-License-Identifier: Apache-2.0
"""What a chart or a table has a row for: a layer, or a block of many."""
import dataclasses
import functools

MOST_LAYERS = 24  # In a chart of a row a layer; of more, a block has a row.
THIN_ROWS = 32  # Of more rows, each is thinner.


@dataclasses.dataclass(frozen=True)
class Row:
    """Device layers whose figures are added up."""

    name: str
    layers: tuple  # DeviceLayer, in order; at least one.
    block: int = -1  # Of the run's blocks, the one that it is; -1: a layer by itself.

    @functools.cached_property
    def counters(self):
        """Sums of the numbers in the layers' rows of the CSV. Shares and shapes mean nothing here."""
        return {
            name: sum(layer.counters[name] for layer in self.layers)
            for name, value in self.layers[0].counters.items()
            if not isinstance(value, str)
        }

    @property
    def link(self):
        """Where the page has more of it."""
        return f"#layer-{self.layers[0].name}" if self.block < 0 else f"#block-{self.block}"


def layer_rows(run):
    return [Row(layer.name, (layer,)) for layer in run.layers]


def block_rows(run):
    """A row a block that has device layers."""
    of = {}
    for layer in run.layers:
        of.setdefault(layer.origin, []).append(layer)
    rows = []
    for number, block in enumerate(run.blocks):
        layers = tuple(layer for one in block.layers for layer in of.get(one["name"], []))
        if layers:
            rows.append(Row(block.name, layers, number) if len(layers) > 1 else Row(layers[0].name, layers))
    return rows


def chart_rows(run):
    """Rows of the charts: layers, or blocks where there are many layers."""
    return layer_rows(run) if len(run.layers) <= MOST_LAYERS else block_rows(run)
