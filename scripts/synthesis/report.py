# SPDX-License-Identifier: Apache-2.0
"""Tables of a synthesis, as Markdown."""
import collections

import liberty
from markdown_table import markdown_table
from yosys import MEMORY_BITS

# The Eyeriss chip (JSSC 2017): two-input NAND gates of logic, bytes of SRAM.
CHIP_GATES = 1_176_000
CHIP_SRAM_KB = 181.5
PATHS = 10


def _where(netlist, module):
    """Its instance, or how many there are."""
    paths = netlist.instances[module.source]
    return str(len(paths)) if len(paths) > 1 else f"1: {paths[0] or 'the top'}"


def module_table(netlist):
    rows = []
    for module in sorted(netlist.modules.values(), key=lambda one: -one.area * netlist.count(one)):
        count = netlist.count(module)
        bits = sum(memory.bits for memory in netlist.memories.values() if memory.module == module.source)
        rows.append(
            (
                module.title,
                _where(netlist, module),
                f"{module.area:,.0f}",
                f"{liberty.gates(module.area):,.0f}",
                f"{liberty.gates(module.area) * count:,.0f}",
                f"{module.flip_flops:,}",
                f"{module.flip_flops * count:,}",
                f"{bits * count:,}",
            )
        )
    return markdown_table(
        (
            "module",
            "instances",
            "area each, um2",
            "gates each",
            "gates",
            "flip-flops each",
            "flip-flops",
            "memory bits",
        ),
        rows,
    )


def memory_table(netlist):
    rows = []
    for memory in netlist.memories.values():
        module = netlist.modules[memory.module]
        count = netlist.count(module)
        rows.append(
            (
                f"{module.title}.{memory.array}",
                count,
                f"{memory.entries:,} x {memory.width}",
                memory.reads,
                memory.writes,
                f"{memory.bits:,}",
                f"{memory.bits * count:,}",
                "" if memory.fits_macro else "no macro has so many ports",
            )
        )
    return markdown_table(
        ("memory", "instances", "words x bits", "read ports", "write ports", "bits each", "bits", ""), rows
    )


def path_table(paths):
    rows = [(path.module, f"{path.ns:.2f}", path.cells, f"`{path.start}`", f"`{path.end}`") for path in paths[:PATHS]]
    return markdown_table(("ends in", "ns", "cells", "from", "to"), rows)


def totals(netlist):
    """(gates, flip-flops, memory bits) of the whole."""
    modules = netlist.modules.values()
    gates = sum(liberty.gates(module.area) * netlist.count(module) for module in modules)
    flip_flops = sum(module.flip_flops * netlist.count(module) for module in modules)
    bits = sum(memory.bits * netlist.count(netlist.modules[memory.module]) for memory in netlist.memories.values())
    return gates, flip_flops, bits


def unit_of(path, title):
    """The unit of dla_top that the instance at `path` is in; the PEs, of module `title` dla_pe, are a unit of their
    own."""
    return "pe" if title == "dla_pe" else path.split("/")[0].removeprefix("u_") or "top"


def figures(machine, netlist, paths):
    """What the tables say, for programs: scripts/fit_area and the rules of rules.py."""
    modules = []
    for module in netlist.modules.values():
        units = collections.Counter(unit_of(path, module.title) for path in netlist.instances[module.source])
        modules.append(
            {
                "module": module.title,
                "units": dict(units),
                "gates": liberty.gates(module.area),
                "flip_flops": module.flip_flops,
            }
        )
    memories = [
        {
            "module": netlist.modules[memory.module].title,
            "array": memory.array,
            "words": memory.entries,
            "bits": memory.width,
            "reads": memory.reads,
            "writes": memory.writes,
            "instances": netlist.count(netlist.modules[memory.module]),
        }
        for memory in netlist.memories.values()
    ]
    return {
        "machine": machine.fields,
        "modules": modules,
        "memories": memories,
        "paths": [{"module": path.module, "ns": path.ns, "start": path.start, "end": path.end} for path in paths],
    }


def section(title, netlist, paths, why_no_paths):
    gates, flip_flops, bits = totals(netlist)
    return (
        "\n\n".join(
            [
                f"## {title}",
                (
                    f"{gates / 1000:,.0f} k gates with {flip_flops:,} flip-flops, and {bits / 8 / 1024:,.1f} KB of"
                    f" memories. The Eyeriss chip, 12 x 14 PEs of 16 bits: {CHIP_GATES / 1000:,.0f} k gates and"
                    f" {CHIP_SRAM_KB} KB."
                ),
                module_table(netlist),
                f"Memories: arrays of at least {MEMORY_BITS} bits that are read with the clock.",
                memory_table(netlist),
                "The longest path that ends in each module, the ten longest." if paths else why_no_paths,
                *([path_table(paths)] if paths else []),
            ]
        )
        + "\n"
    )
