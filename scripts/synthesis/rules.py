# SPDX-License-Identifier: Apache-2.0
"""What a synthesis must show: memories that a macro can be, a PE as fast as stated, and no path much longer than a
PE's.

A latch, a combinational loop and a net of several drivers or none end the synthesis itself (yosys.py, timing.py).
"""
from yosys import CLOCK_NS

# The longest path of any module, in those of a PE.
PE_PATHS = 1.2


def port_faults(netlist):
    """A line for each memory with more than one read or one write port."""
    return [
        f"{netlist.modules[memory.module].title}.{memory.array}: {memory.reads} read and {memory.writes} write ports; "
        "a memory has at most one of each"
        for memory in netlist.memories.values()
        if not memory.fits_macro
    ]


def path_faults(paths):
    """A line for a PE slower than CLOCK_NS, and for each module whose longest path is more than PE_PATHS times a
    PE's."""
    pe_ns = next((path.ns for path in paths if path.module == "dla_pe"), None)
    if pe_ns is None:
        return []
    limit = PE_PATHS * pe_ns
    slow = [f"dla_pe: {pe_ns:.2f} ns; at most {CLOCK_NS} ns"] if pe_ns > CLOCK_NS else []
    return slow + [
        f"{path.module}: {path.ns:.2f} ns from {path.start} to {path.end}; "
        f"at most {limit:.2f} ns, {PE_PATHS} times a PE's {pe_ns:.2f} ns"
        for path in paths
        if path.ns > limit
    ]


def faults(netlist, paths):
    return port_faults(netlist) + path_faults(paths)
