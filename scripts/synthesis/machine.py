# SPDX-License-Identifier: Apache-2.0
"""A machine file as parameters of dla_top: field rows is parameter Rows, ifmap_spad_bytes is IfmapSpadBytes."""
import json
import pathlib
import re

from synthesis_error import SynthesisError

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("sim/spec/machines", "testbench/machines", "scripts/synthesis/machines")


def _camel(field):
    return "".join(word.capitalize() for word in field.split("_"))


def top_parameters(verilog):
    """Names of dla_top's parameters, in order."""
    header = re.search(r"^module dla_top\b(.*?)^endmodule", verilog, re.S | re.M)
    return re.findall(r"^\s*parameter\b[^=]*?(\w+) =", header.group(1), re.M)


class Machine:
    """`parameters` gives every parameter of dla_top a number; `fields` is the geometry in the machine file, and its
    name."""

    def __init__(self, name, verilog):
        path = next(
            (file for file in (ROOT / f"{folder}/{name}.json" for folder in FOLDERS) if file.exists()),
            pathlib.Path(name),
        )
        try:
            fields = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise SynthesisError(f"{path}: {error}") from None
        numbers = {_camel(field): value for field, value in fields.items() if isinstance(value, int)}
        wanted = top_parameters(verilog)
        missing = [parameter for parameter in wanted if parameter not in numbers]
        if missing:
            raise SynthesisError(f"{path}: no field for dla_top's parameter {missing[0]}")
        self.name = fields["name"]
        self.fields = {"name": self.name} | {
            field: value for field, value in fields.items() if isinstance(value, int) and field != "clock_mhz"
        }
        self.pes = fields["rows"] * fields["cols"]
        self.parameters = {parameter: numbers[parameter] for parameter in wanted}
