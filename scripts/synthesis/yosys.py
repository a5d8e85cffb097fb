# SPDX-License-Identifier: Apache-2.0
"""Runs yosys: the lowered RTL becomes standard cells and memories, module by module, and is checked on the way."""
import json
import re
import subprocess

import liberty
from synthesis_error import SynthesisError

CLOCK_NS = 7.1
# What a path of that length leaves between a flip-flop's output and the next one's setup time.
LOGIC_NS = 6.6

# Smaller arrays, and those that are read without a clock, become flip-flops.
MEMORY_BITS = 512

_CONSTRAINTS = "set_driving_cell BUFX4\nset_load 0.05\n"


class Yosys:
    """One design in one folder. elaborate() and then map(), which leaves mapped.json."""

    def __init__(self, folder, verilog):
        self.folder = folder
        self.verilog = verilog

    def elaborate(self, top, parameters, module=None):
        """Everything under `top`, or, of that, only what is called `module`; memories are found. Returns the design's
        JSON."""
        numbers = " ".join(f"-chparam {name} {value}" for name, value in parameters.items())
        lines = [f"read_verilog -sv -defer {self.verilog}", f"hierarchy -check -top {top} {numbers}"]
        if module:
            self._run("hierarchy", [*lines, "tee -o modules.txt ls", "write_rtlil hierarchy.il"])
            lines = ["read_rtlil hierarchy.il", f"hierarchy -check -top {self._find(module)}"]
        lines += [
            "proc",
            "check",
            "synth -noshare -run coarse:fine",
            "write_json elaborated.json",
            "write_rtlil elaborated.il",
        ]
        log = self._run("elaborate", lines)
        bad_nets = [line for line in log if "has no driver" in line or "conflicting drivers" in line]
        if bad_nets:
            raise SynthesisError(f"yosys: {bad_nets[0]} ({self.folder}/elaborate.log)")
        return self._read("elaborated.json")

    def map(self, memories):
        """Cells of the library; the given arrays stay memories. Returns the design's JSON."""
        (self.folder / "abc.constr").write_text(_CONSTRAINTS, encoding="utf-8")
        (self.folder / "memories.v").write_text("".join(memory.black_box() for memory in memories), encoding="utf-8")
        lines = ["read_rtlil elaborated.il", "read_verilog memories.v"]
        lines += [f"cd {memory.module}; chtype -set {memory.name} {memory.cell}; cd" for memory in memories]
        lines += [
            "opt -fast -full",
            "memory_map",
            "opt -undriven -fine",
            "techmap",
            "opt -fast",
            "check -assert",
            "select -assert-none t:$_DLATCH* t:$_SR_*",
            f"dfflibmap -liberty {liberty.CELLS}",
            "opt -fast",
            f"abc -liberty {liberty.CELLS} -constr abc.constr -D {LOGIC_NS * 1000:.0f}",
            "opt_clean -purge",
            f"read_liberty -lib {liberty.CELLS}",
            "write_json mapped.json",
        ]
        self._run("map", lines)
        return self._read("mapped.json")

    def _find(self, module):
        names = re.findall(r"^  (\S*dla_\S+)$", (self.folder / "modules.txt").read_text(encoding="utf-8"), re.M)
        found = [name for name in names if base_name(name) == module]
        if not found:
            raise SynthesisError(
                f"MODULE={module}: the machine has none; it has "
                f"{', '.join(sorted({base_name(name) for name in names}))}"
            )
        return found[0]

    def _read(self, name):
        return json.loads((self.folder / name).read_text(encoding="utf-8"))

    def _run(self, name, lines):
        """The lines of its log."""
        script = self.folder / f"{name}.ys"
        script.write_text("\n".join(lines) + "\n", encoding="utf-8")
        done = subprocess.run(
            ["yosys", "-q", "-l", f"{name}.log", script.name],
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
        )
        log = (self.folder / f"{name}.log").read_text(encoding="utf-8").splitlines()
        if done.returncode:
            said = [line for line in log if "ERROR" in line or line.startswith("Warning: found")]
            raise SynthesisError(
                f"yosys, step {name}: {'; '.join(said[-3:]) or done.stderr.strip()} ({self.folder}/{name}.log)"
            )
        return log


def base_name(name):
    """Module dla_fifo of `$paramod\\dla_fifo_970B5\\Depth=...`, where sv2v adds 970B5 for a type parameter."""
    words = [word for word in name.split("\\") if word.startswith("dla_")]
    parts = (words[0] if words else name).split("_")
    while len(parts[-1]) == 5 and all(letter in "0123456789ABCDEF" for letter in parts[-1]):
        parts.pop()
    return "_".join(parts)
