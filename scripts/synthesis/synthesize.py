#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Synthesizes one machine, or one of its modules, and prints tables: synthesize.py MACHINE VERILOG FOLDER [MODULE].

VERILOG is what scripts/lower_rtl writes; intermediate files stay in FOLDER, with figures.json, the tables for programs.
With --untimed, OpenSTA is left out; with --keep, nothing is done where FOLDER holds the figures of the same input. Exit
status 1: one line says what ended it, such as a latch, a combinational loop, or a net with several drivers or none. 3:
the tables stand, and a line each says what breaks a rule of rules.py.
"""
import argparse
import hashlib
import json
import pathlib
import shutil
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import report
import rules
from machine import Machine
from netlist import Netlist, find_memories
from synthesis_error import SynthesisError
from timing import longest_paths
from yosys import Yosys

# More cells than OpenSTA takes in a few minutes.
TIMED_CELLS = 1_500_000


def has_figures(folder, key):
    """Whether the folder's figures.json is of these inputs."""
    try:
        return json.loads((folder / "figures.json").read_text(encoding="utf-8"))["inputs"] == key
    except (OSError, ValueError, KeyError):
        return False


def inputs_key(machine, verilog):
    """Of this machine, this RTL and these scripts."""
    texts = [json.dumps(machine.fields), verilog.read_text(encoding="utf-8")]
    texts += [
        path.read_text(encoding="utf-8")
        for path in sorted(pathlib.Path(__file__).parent.glob("*.py"))
        if path.stem in ("liberty", "machine", "netlist", "report", "synthesize", "timing", "yosys")
    ]
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


def synthesize(machine, verilog, folder, module="", timed=True):
    """(the netlist, its longest paths); [] for those where they were not asked for or the design is too large."""
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    yosys = Yosys(folder, verilog)
    memories = find_memories(yosys.elaborate("dla_top", machine.parameters, module))
    netlist = Netlist(yosys.map(memories), memories)
    return netlist, longest_paths(folder, netlist) if timed and netlist.cells <= TIMED_CELLS else []


def read_options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("machine", help="a name in sim/spec/machines, or a file")
    parser.add_argument("verilog", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("module", nargs="?", default="")
    parser.add_argument("--untimed", action="store_true")
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    options.verilog, options.folder = options.verilog.resolve(), options.folder.resolve()
    return options


def main():
    options = read_options()
    try:
        machine = Machine(options.machine, options.verilog.read_text(encoding="utf-8"))
        key = inputs_key(machine, options.verilog)
        if options.keep and has_figures(options.folder, key):
            return 0
        netlist, paths = synthesize(machine, options.verilog, options.folder, options.module, not options.untimed)
    except SynthesisError as error:
        print(f"{options.machine}: {error}", file=sys.stderr)
        return 1
    figures = report.figures(machine, netlist, paths) | {"inputs": key}
    (options.folder / "figures.json").write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    title = f"{options.module} of {machine.name}" if options.module else machine.name
    why = "Not timed." if options.untimed else f"Not timed as a whole: {netlist.cells:,} cells."
    print(report.section(title, netlist, paths, why), end="")
    for fault in rules.faults(netlist, paths):
        print(f"{options.machine}: {fault}", file=sys.stderr)
    return 3 if rules.faults(netlist, paths) else 0


if __name__ == "__main__":
    sys.exit(main())
