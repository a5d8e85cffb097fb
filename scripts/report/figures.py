# SPDX-License-Identifier: Apache-2.0
"""Figures that follow from a layer's counters: traffic by tensor, energy by level, the roofline."""
import dataclasses

import spec

TENSORS = ("ifmap", "filter", "psum", "output", "residual")


def added(figure, row):
    """A figure by name, as of the functions below, added up over the layers of a row: {name: number}, or pairs of
    numbers."""
    sums = {}
    for layer in row.layers:
        for name, number in figure(layer).items():
            before = sums.get(name)
            if isinstance(number, tuple):
                sums[name] = tuple(a + b for a, b in zip(before or (0,) * len(number), number))
            else:
                sums[name] = (before or 0) + number
    return sums


def causes(layer):
    """Cycles by cause, in the order in which the device decides; of a layer or a row."""
    return {cause: layer.counters[f"{cause}_cycles"] for cause in spec.CAUSES}


def lost_cycles(layer):
    return layer.counters["Cycles"] - layer.counters["compute_cycles"]


def macs_per_cycle(_run, layers):
    """MACs a cycle over some layers of a run."""
    cycles = sum(layer.counters["Cycles"] for layer in layers)
    return sum(layer.counters["macs"] for layer in layers) / cycles if cycles else 0.0


def dram_bytes(layer):
    """DRAM bytes by tensor: ifmap and filter read, a residual if one is added, output written."""
    c = layer.counters
    return {
        "ifmap": c["ifmap_read_bytes"],
        "filter": c["filter_read_bytes"],
        "output": c["write_bytes"],
        **residual(layer, c["residual_read_bytes"]),
    }


def residual(layer, residual_bytes):
    """{"residual": bytes} of a layer that adds one."""
    return {"residual": residual_bytes} if layer.call["shape"].get("residual") else {}


def compulsory_bytes(layer):
    """Bytes of the layer's tensors in DRAM, each moved once: ifmap, filter and bias, output, residual. Of a batch, the
    filters once for all pictures."""
    c, array, shape = layer.counters, layer.call["array"], layer.call["shape"]
    size, stride = (shape.get("pool_size") or 2, shape.get("pool_stride") or 2) if shape["pool"] else (1, 1)
    groups = c["G"] or 1
    pictures = layer.call.get("commands", 1)
    plane = ((array["E"] - size) // stride + 1) * ((array["F"] - size) // stride + 1)
    outputs = pictures * groups * c["M"] * (1 if shape.get("mean") else plane)

    def in_dram(tensor, number):
        return 0 if shape.get(f"{tensor}_on_chip") else number

    return {
        "ifmap": in_dram("ifmap", pictures * groups * c["C"] * c["H"] * c["W"]),
        "filter": groups * c["M"] * (c["C"] * c["R"] * c["S"] + 4),
        "output": in_dram("ofmap", outputs),
        **residual(layer, in_dram("residual", outputs)),
    }


def glb_words(layer):
    """GLB words by tensor, read and written: {"ifmap": (read, written), ...}. The device counts their sums; the
    compiler knows the parts."""
    reads, writes = layer.call["accesses"]["glb_reads"], layer.call["accesses"]["glb_writes"]
    known = [tensor for tensor in TENSORS if tensor in reads or tensor in writes]  # A residual on chip is only read.
    return {tensor: (reads.get(tensor, 0), writes.get(tensor, 0)) for tensor in known}


@dataclasses.dataclass(frozen=True)
class GlbPorts:
    """The GLB's memories, and how many of their words can move in a cycle (docs/machine.md)."""

    banks: int  # Each with a port to read and a port to write a bus word.
    read: int
    written: int


def glb_ports(machine):
    """Read: all columns of ifmap, filter and psum regions, and the store's. Written: a word that is loaded, psums,
    output lanes."""

    def words(network_bytes):
        return max(1, network_bytes // machine["bus_bytes"])

    lanes, psums = machine["psum_lanes"], words(4 * machine["psum_lanes"])
    return GlbPorts(
        machine["glb_bytes"] // machine["glb_bank_bytes"],
        machine["ifmap_bytes_per_cycle"] + words(machine["filter_bytes_per_cycle"]) + psums + 1,
        1 + psums + lanes,
    )


# The level that an access of each kind belongs to; the kinds are those that foveac machine prices.
LEVEL_OF = {
    "mac": "mac",
    "ifmap_spad": "spad",
    "filter_spad_write": "spad",
    "filter_spad_read": "spad",
    "operand_hop": "pe",
    "psum_hop": "pe",
    "glb_word": "glb",
    "dram_byte": "dram",
}


def accesses(layer):
    """Accesses by kind. The device counts those of the GLB and of DRAM; the compiler those inside the array."""
    c, inside = layer.counters, layer.call["accesses"]
    pe = inside["pe"]
    return {
        "mac": inside["mac"],
        "ifmap_spad": inside["spad"]["ifmap"],
        "filter_spad_write": pe["filter"],
        "filter_spad_read": inside["mac"],
        "operand_hop": pe["ifmap"] + pe["filter"],
        "psum_hop": pe["psum"],
        "glb_word": c["glb_read_words"] + c["glb_write_words"],
        "dram_byte": c["Memory read"] + c["Memory write"],
    }


def energy(run, layer):
    """Energy by level, in 16-bit MACs: accesses times what one costs on this machine."""
    levels = dict.fromkeys(LEVEL_OF.values(), 0)
    for kind, count in accesses(layer).items():
        levels[LEVEL_OF[kind]] += count * run.cost["access_energy"][kind]
    return levels


@dataclasses.dataclass(frozen=True)
class RooflinePoint:
    """Where a layer stands under the roofline."""

    macs_per_byte: float
    macs_per_cycle: float
    attainable: float  # MACs a cycle: the array's PEs, or what the bus feeds.


def roofline(run, layer):
    c = layer.counters
    intensity = c["macs"] / (c["Memory read"] + c["Memory write"])
    return RooflinePoint(intensity, c["macs"] / c["Cycles"], min(run.pes, intensity * run.machine["bus_bytes"]))


def prediction_error(layer):
    """(predicted - simulated) / simulated, of a layer or a row, or None where the compiler predicted nothing."""
    predicted, cycles = layer.counters["predicted_cycles"], layer.counters["Cycles"]
    return (predicted - cycles) / cycles if predicted else None


def predicted_causes(row):
    """Predicted cycles of a row by cause."""
    return added(lambda layer: layer.call["predicted_causes"], row)


def prediction_errors(row):
    """(predicted - simulated) / simulated cycles of the row, by cause."""
    predicted, cycles = predicted_causes(row), row.counters["Cycles"]
    return {cause: (predicted[cause] - number) / cycles for cause, number in causes(row).items()}


def used_pes(layer):
    """PEs that a full pass uses: r*t sets of fold_rows times e."""
    array = layer.call["array"]
    return len(array["sets"]) * array["fold_rows"] * layer.call["mapping"]["e"]


def frames_per_second(run):
    """Of one frame after another, layers on the CPU among them."""
    return 1e6 * run.batch * run.machine["clock_mhz"] / run.cycles


def gops(run):
    """Operations in a nanosecond, two a MAC, of all layers."""
    return 2 * run.macs / run.batch * frames_per_second(run) / 1e9


def picojoules(run):
    """Energy of the accelerator's layers and their DRAM; None where the machine file says no pJ."""
    if "mac_pj" not in run.cost:
        return None
    return run.cost["mac_pj"] * sum(sum(energy(run, layer).values()) for layer in run.layers)


def gops_per_watt(run):
    """Operations in a nJ, two a MAC."""
    return 2000 * run.total("macs") / picojoules(run)


def tops_per_mm2(run):
    """Operations in a ps on a square millimetre, of all layers."""
    return gops(run) / 1000 / run.cost["area_mm2"]


def most_gops(run):
    return 2 * run.pes * run.machine["clock_mhz"] / 1000


def milliseconds(run, cycles):
    """At the machine file's clock_mhz, which is not the clock of a synthesis."""
    return cycles / run.machine["clock_mhz"] / 1000
