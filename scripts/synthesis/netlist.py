# SPDX-License-Identifier: Apache-2.0
"""A mapped design: what each module has of its own, how often it is there, and the whole as Verilog that OpenSTA
reads."""
import collections
import functools
import re

import liberty
from synthesis_error import SynthesisError
from yosys import MEMORY_BITS, base_name

# Pins that a net drives before it gets buffers.
FANOUT = 16

# A port of a memory, in yosys's terms. Its clock is the one of the design.
_CLOCKS = {"RD_CLK", "WR_CLK", "RD_ARST", "RD_SRST"}


def _word(name):
    return re.sub(r"_+$", "", re.sub(r"\W+", "_", name))


class Memory:
    """An array that stays a memory."""

    def __init__(self, module, cell, entry, name):
        number = {
            key: int(value, 2) for key, value in entry["parameters"].items() if set(value) <= {"0", "1"} and value
        }
        self.module, self.cell, self.name = module, cell, name
        self.array = entry["parameters"]["MEMID"].lstrip("\\")
        self.entries, self.width = number["SIZE"], number["WIDTH"]
        self.reads, self.writes = number["RD_PORTS"], number["WR_PORTS"]
        self.bits = self.entries * self.width
        self.ports = {port: (len(bits), entry["port_directions"][port]) for port, bits in entry["connections"].items()}
        self.buses = {port: shape for port, shape in self.ports.items() if port not in _CLOCKS and shape[0]}

    @property
    def fits_macro(self):
        """One port to read and one to write."""
        return self.reads <= 1 and self.writes <= 1

    def black_box(self):
        """Verilog of a module with its ports and nothing inside."""
        ports = [f"{direction} [{width - 1}:0] {port}" for port, (width, direction) in self.ports.items() if width]
        return f"(* blackbox *) module {self.name} ({', '.join(ports)}); endmodule\n"


def find_memories(design):
    """Arrays of an elaborated design that have only clocked reads and at least MEMORY_BITS bits."""
    found = []
    for module, body in design["modules"].items():
        for cell, entry in body["cells"].items():
            if entry["type"] != "$mem_v2" or "0" in entry["parameters"]["RD_CLK_ENABLE"]:
                continue
            memory = Memory(module, cell, entry, f"memory_{len(found)}")
            if memory.bits >= MEMORY_BITS:
                found.append(memory)
    return found


def _sinks(body):
    """Net -> the input pins on it, each as a list of nets and its place there; without those of the clock and the
    reset."""
    sinks, trees = collections.defaultdict(list), set()
    for name, port in body["ports"].items():
        if name in ("clk_i", "rst_ni"):
            trees.update(port["bits"])
    for entry in body["cells"].values():
        for port, bits in entry["connections"].items():
            if entry["port_directions"][port] == "input":
                for index, bit in enumerate(bits):
                    if not isinstance(bit, str) and bit not in trees:
                        sinks[bit].append((bits, index))
    return sinks


def add_buffers(body):
    """Puts a tree of buffers on each net of more than FANOUT pins: abc does so within a module's logic, not between
    modules."""
    next_net = 1 + max(
        (bit for entry in body["netnames"].values() for bit in entry["bits"] if not isinstance(bit, str)), default=1
    )
    pending = list(_sinks(body).items())
    while pending:
        net, pins = pending.pop()
        if len(pins) <= FANOUT:
            continue
        roots = []
        for first in range(0, len(pins), FANOUT):
            for bits, index in pins[first : first + FANOUT]:
                bits[index] = next_net
            connections = {"A": [net], "Y": [next_net]}
            body["cells"][f"fanout_{next_net}"] = {
                "type": "BUFX4",
                "connections": connections,
                "port_directions": {"A": "input", "Y": "output"},
            }
            roots.append((connections["A"], 0))
            next_net += 1
        pending.append((net, roots))


class Module:
    """One module of a mapped design, without those in it."""

    def __init__(self, source, body, name):
        add_buffers(body)
        self.source, self.body, self.name = source, body, name
        self.title = base_name(source)
        types = collections.Counter(entry["type"] for entry in body["cells"].values())
        unknown = [kind for kind in types if kind.startswith("$") and not kind.startswith("$paramod")]
        if unknown:
            raise SynthesisError(f"{name}: no cell of the library does what {unknown[0]} does")
        self.area = sum(liberty.areas().get(kind, 0) * count for kind, count in types.items())
        self.flip_flops = sum(count for kind, count in types.items() if kind.startswith("DFF"))
        self.cells = sum(count for kind, count in types.items() if kind in liberty.areas())


class Netlist:
    """All modules under the top one."""

    def __init__(self, design, memories):
        self.memories = {memory.name: memory for memory in memories}
        bodies = {name: body for name, body in design["modules"].items() if "blackbox" not in body["attributes"]}
        self.top_source = next(name for name, body in bodies.items() if int(body["attributes"].get("top", "0"), 2))
        self.modules = {}
        self.instances = collections.defaultdict(list)  # module's source name -> paths
        self._walk(bodies, self.top_source, "")

    @property
    def top(self):
        return self.modules[self.top_source]

    def count(self, module):
        return len(self.instances[module.source])

    def module_at(self, path):
        """The module that the cell or pin at `path` is in: the longest instance path that it starts with."""
        words = path.split("/")
        for length in range(len(words) - 1, -1, -1):
            module = self._by_path.get("/".join(words[:length]))
            if module:
                return module
        return self.top

    @property
    def cells(self):
        return sum(self.count(module) * module.cells for module in self.modules.values())

    def _walk(self, bodies, source, path):
        if source not in self.modules:
            base = base_name(source)
            same = sum(base_name(other) == base for other in self.modules)
            self.modules[source] = Module(source, bodies[source], base if not same else f"{base}_{same + 1}")
        self.instances[source].append(path)
        for cell, entry in bodies[source]["cells"].items():
            if entry["type"] in bodies:
                self._walk(bodies, entry["type"], f"{path}/{_word(cell)}".lstrip("/"))

    @functools.cached_property
    def _by_path(self):
        return {path: self.modules[source] for source, paths in self.instances.items() for path in paths}

    def write_verilog(self, file):
        for module in self.modules.values():
            _ModuleText(self, module).write(file)


class _ModuleText:
    """Verilog of one module: scalars and ports only, no expression, a flip-flop named after what it holds."""

    def __init__(self, netlist, module):
        self.netlist, self.body, self.name = netlist, module.body, module.name
        self.nets, self.assigns = {}, []
        for direction in ("input", "output"):
            for port, entry in self.body["ports"].items():
                if entry["direction"] == direction:
                    self._name_port(port, entry["bits"], direction)

    def _name_port(self, port, bits, direction):
        for index, bit in enumerate(bits):
            here = f"{port}[{index}]" if len(bits) > 1 else port
            if bit in self.nets or isinstance(bit, str):
                if direction == "output":
                    self.assigns.append((here, bit))
            else:
                self.nets[bit] = here

    def _net(self, bit):
        if isinstance(bit, str):
            return f"1'b{bit if bit in '01' else 0}"
        return self.nets.setdefault(bit, f"n{bit}")

    def _held(self):
        """Net -> the name of the register bit, from the names of the RTL."""
        names = {}
        for name, entry in sorted(self.body["netnames"].items(), key=lambda item: item[1].get("hide_name", 0)):
            for index, bit in enumerate(entry["bits"]):
                names.setdefault(bit, _word(f"{name}[{index}]" if len(entry["bits"]) > 1 else name))
        return names

    def _connection(self, port, bits):
        nets = [self._net(bit) for bit in reversed(bits)]
        return f".{port}({nets[0]})" if len(nets) == 1 else f".{port}({{{', '.join(nets)}}})"

    def _cell(self, name, entry):
        kind, wires = entry["type"], entry["connections"]
        if kind in self.netlist.memories:
            memory = self.netlist.memories[kind]
            clock = wires.get("WR_CLK") or wires["RD_CLK"]
            ports = [self._connection("CLK", clock[:1])] + [
                self._connection(port, wires[port]) for port in memory.buses
            ]
        else:
            ports = [self._connection(port, bits) for port, bits in wires.items() if bits]
            if kind in self.netlist.modules:
                kind = self.netlist.modules[kind].name
        return f"  {kind} {name} ({', '.join(ports)});\n"

    def write(self, file):
        ports = self.body["ports"]
        held, used, cells = self._held(), set(), []
        for cell, entry in self.body["cells"].items():
            name = held.get(entry["connections"]["Q"][0], cell) if entry["type"].startswith("DFF") else cell
            name = _word(name)
            name = f"c{len(used)}" if name in used or not re.match(r"[A-Za-z]", name) else name
            used.add(name)
            cells.append(self._cell(name, entry))
        assigns = [f"  assign {port} = {self._net(bit)};\n" for port, bit in self.assigns]
        file.write(f"module {self.name} ({', '.join(ports)});\n")
        for port, entry in ports.items():
            size = f"[{len(entry['bits']) - 1}:0] " if len(entry["bits"]) > 1 else ""
            file.write(f"  {entry['direction']} {size}{port};\n")
        for bit, net in self.nets.items():
            if net == f"n{bit}":
                file.write(f"  wire {net};\n")
        file.writelines([*assigns, *cells])
        file.write("endmodule\n")
