# SPDX-License-Identifier: Apache-2.0
"""The standard cells: areas from the Liberty file of Debian's qflow-tech-osu018, and a Liberty file for memories.

A memory is counted in bits, not in area, and Debian has no memory compiler, so its two times are assumptions: data
READ_NS after the clock edge, inputs SETUP_NS before it.
"""
import functools
import pathlib
import re

CELLS = pathlib.Path("/usr/share/qflow/tech/osu018/osu018_stdcells.lib")
READ_NS = 2.5
SETUP_NS = 0.5

_HEADER = """library(memories) {
  delay_model : table_lookup; time_unit : "1ns"; voltage_unit : "1V"; current_unit : "1uA";
  pulling_resistance_unit : "1kohm"; leakage_power_unit : "1nW"; capacitive_load_unit (1,pf);
  nom_process : 1; nom_voltage : 1.8; nom_temperature : 25;
  slew_upper_threshold_pct_rise : 80; slew_lower_threshold_pct_rise : 20;
  slew_upper_threshold_pct_fall : 80; slew_lower_threshold_pct_fall : 20;
  input_threshold_pct_rise : 50; input_threshold_pct_fall : 50;
  output_threshold_pct_rise : 50; output_threshold_pct_fall : 50;
"""
_SETUP = (
    f'timing() {{ related_pin : "CLK"; timing_type : setup_rising; rise_constraint(scalar) {{ values("{SETUP_NS}"); }} '
    f'fall_constraint(scalar) {{ values("{SETUP_NS}"); }} }}'
)
_READ = (
    f'timing() {{ related_pin : "CLK"; timing_type : rising_edge; cell_rise(scalar) {{ values("{READ_NS}"); }} '
    f'cell_fall(scalar) {{ values("{READ_NS}"); }} rise_transition(scalar) {{ values("0.2"); }} '
    'fall_transition(scalar) { values("0.2"); } }'
)


@functools.cache
def areas():
    """Square micrometres of each cell."""
    text = CELLS.read_text(encoding="utf-8")
    return {
        name: float(area)
        for name, area in re.findall(r"^\s*cell\s*\((\w+)\).*?^\s*area\s*:\s*([\d.]+)", text, re.M | re.S)
    }


def gates(area):
    """Area in two-input NAND gates."""
    return area / areas()["NAND2X1"]


def memory_library(memories):
    """Liberty text of cells with a pin CLK and buses. `memories`: name -> {bus: (width, "input" or "output")}."""
    lines = [_HEADER]
    for name, buses in memories.items():
        for bus, (width, _) in buses.items():
            lines.append(
                f"  type({name}_{bus}) {{ base_type : array; data_type : bit; bit_width : {width}; "
                f"bit_from : {width - 1}; bit_to : 0; downto : true; }}"
            )
        lines.append(f"  cell({name}) {{ area : 0; pin(CLK) {{ direction : input; clock : true; capacitance : 0.02; }}")
        for bus, (_, direction) in buses.items():
            load = "capacitance : 0.02; " if direction == "input" else ""
            timing = _SETUP if direction == "input" else _READ
            lines.append(f"    bus({bus}) {{ bus_type : {name}_{bus}; direction : {direction}; {load}{timing} }}")
        lines.append("  }")
    return "\n".join([*lines, "}\n"])
