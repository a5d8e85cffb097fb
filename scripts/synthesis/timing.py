# SPDX-License-Identifier: Apache-2.0
"""Runs OpenSTA over a netlist: the longest path that ends in each module, from a register or port to the next.

The clock is ideal, inputs come with it, wires weigh nothing but the pins on them; a memory has the times of liberty.py.
"""
import dataclasses
import re
import subprocess

import liberty
from synthesis_error import SynthesisError
from yosys import CLOCK_NS

_DONE = "fovea-done"


@dataclasses.dataclass
class Path:
    """The longest one into `module`. `ns` is the clock period that it needs, setup time and all."""

    module: str
    ns: float
    cells: int
    start: str
    end: str


class _Sta:
    """A running OpenSTA: commands in, and what they print."""

    def __init__(self, folder):
        self.folder = folder
        self.process = subprocess.Popen(
            ["sta", "-no_splash"],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()

    def run(self, *commands):
        for command in (*commands, f'puts "\\n{_DONE}"'):
            self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        lines = []
        for line in self.process.stdout:
            if line.strip().endswith(_DONE):
                return "".join(lines)
            if not line.startswith("OpenSTA>"):
                lines.append(line)
        raise SynthesisError("OpenSTA ended early; " + " ".join(lines[-3:]).strip() + f" ({self.folder})")


def longest_paths(folder, netlist):
    """The longest path into each module, longest first."""
    with open(folder / "netlist.v", "w", encoding="utf-8") as file:
        netlist.write_verilog(file)
    buses = {name: memory.buses for name, memory in netlist.memories.items()}
    (folder / "memories.lib").write_text(liberty.memory_library(buses), encoding="utf-8")
    with _Sta(folder) as sta:
        said = sta.run(
            f"read_liberty {liberty.CELLS}",
            "read_liberty memories.lib",
            "read_verilog netlist.v",
            f"link_design {netlist.top.name}",
        )
        if re.search(r"Error|black box", said):
            raise SynthesisError(
                "OpenSTA: " + next(line for line in said.splitlines() if re.search("Error|black box", line))
            )
        sta.run(
            f"create_clock -name clk -period {CLOCK_NS} [get_ports clk_i]",
            "set_input_delay 0 -clock clk [all_inputs]",
            "set_output_delay 0 -clock clk [all_outputs]",
            "set_driving_cell -lib_cell BUFX4 [all_inputs]",
            "set_load 0.05 [all_outputs]",
            "if {[llength [get_ports -quiet rst_ni]]} {set_false_path -from [get_ports rst_ni]}",
        )
        loops = sta.run("check_setup -loops -verbose")
        if "loop" in loops:
            raise SynthesisError("combinational loop: " + " ".join(loops.split()))
        ends = sta.run("report_checks -path_delay max -format end -group_count 1000000")
        return [
            _path(module.title, sta.run(f"report_checks -path_delay max -format full -to [get_{kind} {{{end}}}]"))
            for module, kind, end in _worst_ends(netlist, ends)
        ]


def _worst_ends(netlist, text):
    """(module, "pins" or "ports", name) of the endpoint with the least slack in each module, worst module first."""
    worst = {}
    for name, slack in re.findall(r"^(\S+)(?: \(.*?\))?\s+-?[\d.]+\s+-?[\d.]+\s+(-?[\d.]+)\s", text, re.M):
        is_pin = "/" in name
        module = netlist.module_at(name.rsplit("/", 1)[0] if is_pin else "")
        key = (float(slack), name, "pins" if is_pin else "ports", module)
        worst[module.name] = min(worst.get(module.name, key), key, key=lambda one: one[:2])
    return [(module, kind, name) for _, name, kind, module in sorted(worst.values(), key=lambda one: one[:2])]


def _path(module, text):
    start, end = (re.search(rf"^{word}: (\S+)", text, re.M).group(1) for word in ("Startpoint", "Endpoint"))
    slack = float(re.search(r"(-?[\d.]+)\s+slack", text).group(1))
    cells = len(re.findall(r"^.*[v^] \S+ \(\w+X\d\)$", text, re.M))
    return Path(module, CLOCK_NS - slack, cells, start, end)
