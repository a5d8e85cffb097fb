# SPDX-License-Identifier: Apache-2.0
"""Blocks of a network: layers between places where one value alone passes on, joined or parted where their names say
so.

Layers stand in the order in which they run. A place behind a layer is a cut where all that is still to be read is one
value. The layers between two cuts are one section: a residual block, a fire module, or a layer by itself. Then names:
what a section is called is the longest beginning, part by part, that all its layers share, else that more than half of
them do; a layer by itself goes by what stands before the last part of its name. Sections in a row that are called the
same are one block, and so are layers by themselves that begin alike. A section of more than MOST layers, as of a
network with a value that lives on through all of it, is parted where names change. What more than half of a network's
layers share names nothing.
"""
import collections
import dataclasses
import itertools
import re

MOST = 16  # Layers of a section that is not parted by names.


@dataclasses.dataclass(frozen=True)
class Block:
    """Layers in a row that belong together."""

    name: str
    layers: list  # The compiler's layers (foveac's <model>.json), in order.


def parts(layer):
    """A layer's name in parts: its ONNX name's where that has slashes. A part of digits belongs to the one before:
    layer1_0_conv1 -> layer1_0, conv1."""
    name = layer["onnx"].strip("/")
    if "/" in name:
        return name.split("/")
    joined = re.sub(r"[_.](?=\d+(?:[_.]|$))", "\0", layer["name"])
    return [part.replace("\0", "_") for part in re.split(r"[_.]", joined)]


def _sources(layer):
    return [one["from"] for one in (layer["inputs"] if "inputs" in layer else [layer["input"]])]


def sections(layers):
    """Layers between two cuts, in order. What no layer writes, as a network's input, is there from the start."""
    last = {name: at for at, layer in enumerate(layers) for name in _sources(layer)}
    written = {layer["name"] for layer in layers}
    alive = set(last) - written
    found = [[]]
    for at, layer in enumerate(layers):
        found[-1].append(layer)
        alive.add(layer["name"])
        alive = {name for name in alive if last.get(name, -1) > at}
        if len(alive) == 1 and at + 1 < len(layers):
            found.append([])
    return found


def _beginnings(layer):
    """("layer1_0",) and all that is shorter, of layer1_0_conv1."""
    words = parts(layer)
    return [tuple(words[:length]) for length in range(1, len(words))]


def _called(section, common):
    """The beginning that names a section, or () where there is none."""
    counts = collections.Counter(
        beginning for layer in section for beginning in _beginnings(layer) if beginning not in common
    )
    for least in (len(section), len(section) // 2 + 1):
        shared = [beginning for beginning, number in counts.items() if number >= least]
        if shared:
            return max(shared, key=len)
    return ()


def _parted(section, common):
    """A section, or its runs of layers that are called the same where it is too long."""
    if len(section) <= MOST:
        return [section]
    runs = [[section[0]]]
    for layer in section[1:]:
        if _called([layer], common) == _called([runs[-1][-1]], common):
            runs[-1].append(layer)
        else:
            runs.append([layer])
    return runs


@dataclasses.dataclass(frozen=True)
class _Run:
    """Sections in a row that are one block."""

    called: tuple
    layers: list
    of_single: bool  # Each section is a layer by itself.

    def joined(self, after, common):
        """This run with the next one, or None where they are called differently. Layers by themselves need only begin
        alike."""
        called = self.called
        if self.of_single and after.of_single:
            called = tuple(
                a for a, _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(self.called, after.called))
            )
        elif called != after.called:
            return None
        return (
            _Run(called, self.layers + after.layers, self.of_single and after.of_single)
            if called and called not in common
            else None
        )


def _name(called, layers):
    if len(layers) == 1:
        return layers[0]["name"]
    return (
        "/".join(called)
        if called and "/" in layers[0]["onnx"].strip("/")
        else "_".join(called)
        if called
        else f"{layers[0]['name']} to {layers[-1]['name']}"
    )


def find_blocks(layers):
    """Blocks of the compiler's layers, in order; every layer is in one."""
    counts = collections.Counter(beginning for layer in layers for beginning in _beginnings(layer))
    common = {beginning for beginning, number in counts.items() if number > len(layers) / 2}
    runs = []
    for section in sections(layers):
        for part in _parted(section, common):
            one = _Run(_called(part, common), list(part), len(part) == 1)
            joined = runs[-1].joined(one, common) if runs else None
            if joined:
                runs[-1] = joined
            else:
                runs.append(one)
    names = collections.Counter()
    blocks = []
    for run in runs:
        name = _name(run.called, run.layers)
        names[name] += 1
        blocks.append(Block(name if names[name] == 1 else f"{name} ({names[name]})", run.layers))
    return blocks
