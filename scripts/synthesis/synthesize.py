#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Synthesizes one machine, or one of its modules, and prints tables: synthesize.py MACHINE VERILOG FOLDER [MODULE].

VERILOG is what scripts/lower_rtl writes; intermediate files stay in FOLDER. Ends with one line if the design has a
latch, a combinational loop, or a net with several drivers or none.
"""
import pathlib
import shutil
import sys

import report
from machine import Machine
from netlist import Netlist, find_memories
from synthesis_error import SynthesisError
from timing import longest_paths
from yosys import Yosys

# More cells than OpenSTA takes in a few minutes.
TIMED_CELLS = 1_500_000


def synthesize(machine, verilog, folder, module):
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    yosys = Yosys(folder, verilog)
    memories = find_memories(yosys.elaborate("dla_top", machine.parameters, module))
    netlist = Netlist(yosys.map(memories), memories)
    paths = longest_paths(folder, netlist) if netlist.cells <= TIMED_CELLS else []
    title = f"{module} of {machine.name}" if module else machine.name
    return report.section(title, netlist, paths, f"Not timed as a whole: {netlist.cells:,} cells.")


def main():
    name, verilog, folder = sys.argv[1:4]
    module = sys.argv[4] if len(sys.argv) > 4 else ""
    verilog = pathlib.Path(verilog).resolve()
    try:
        machine = Machine(name, verilog.read_text(encoding="utf-8"))
        print(synthesize(machine, verilog, pathlib.Path(folder).resolve(), module), end="")
    except SynthesisError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
