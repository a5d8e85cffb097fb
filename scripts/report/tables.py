# SPDX-License-Identifier: Apache-2.0
"""The headline and the tables that the page and the Markdown summary share."""
import figures
import formats

MAPPING_LETTERS = ("m", "e", "p", "q", "r", "t", "e_glb")


def headline(run):
    """(name, value, note) of what a reader wants first."""
    cycles, macs = run.total("Cycles"), run.total("macs")
    rate = figures.macs_per_cycle(run, run.layers)
    read, written = run.total("Memory read"), run.total("Memory write")
    least = sum(sum(figures.compulsory_bytes(layer).values()) for layer in run.layers)
    answer = run.answer.get("answer")
    rows = [("answer", answer, f"{100 * best_probability(run):.1f} % sure")] if answer else []
    return rows + [
        ("cycles", formats.count(cycles), f"{figures.milliseconds(run, cycles):.2f} ms at {run.machine['clock_mhz']:g} MHz"),
        ("MACs a cycle", f"{rate:.2f}", f"{formats.percent(rate / run.pes)} of {run.pes} PEs; {formats.short(macs)} MACs"),
        ("DRAM traffic", formats.byte_count(read + written), f"{(read + written) / least:.3f} times what must move; {formats.count(read)} B read, {formats.count(written)} B written"),
        ("arena", f"{formats.count(run.summary['arena_bytes'])} B", f"{formats.count(run.summary['naive_arena_bytes'])} B with a buffer a tensor"),
    ]


def best_probability(run):
    return max((one["probability"] for one in run.answer.get("classes", [])), default=0)


def largest_wait(layer):
    """The cause that cost most beside computing, in words."""
    waits = {cause: cycles for cause, cycles in figures.causes(layer).items() if cause != "compute"}
    cause = max(waits, key=waits.get)
    return f"{cause} {formats.percent(waits[cause] / layer.counters['Cycles'], 2)}"


def mapping_words(layer):
    """m=64 e=8 ... as in the paper's letters."""
    mapping = layer.call["mapping"]
    return " ".join(f"{letter}={mapping[letter]}" for letter in MAPPING_LETTERS) + (" resident" if mapping["ifmap_resident"] else " streamed")


# Heading, what a cell says, and a number to sort by (None: by its text).
LAYER_COLUMNS = (
    ("layer", lambda run, layer: layer.name, None),
    ("runs as", lambda run, layer: layer.counters["Operation"], None),
    ("cycles", lambda run, layer: formats.count(layer.counters["Cycles"]), lambda run, layer: layer.counters["Cycles"]),
    ("of all", lambda run, layer: formats.percent(layer.counters["Cycles"] / run.total("Cycles")), lambda run, layer: layer.counters["Cycles"]),
    ("MACs", lambda run, layer: formats.count(layer.counters["macs"]), lambda run, layer: layer.counters["macs"]),
    ("of the array", lambda run, layer: formats.percent(layer.counters["mac_utilization"]), lambda run, layer: layer.counters["mac_utilization"]),
    ("largest wait", lambda run, layer: largest_wait(layer), lambda run, layer: figures.lost_cycles(layer)),
    ("DRAM read B", lambda run, layer: formats.count(layer.counters["Memory read"]), lambda run, layer: layer.counters["Memory read"]),
    ("DRAM written B", lambda run, layer: formats.count(layer.counters["Memory write"]), lambda run, layer: layer.counters["Memory write"]),
    ("passes", lambda run, layer: formats.count(layer.counters["passes"]), lambda run, layer: layer.counters["passes"]),
    ("mapping", lambda run, layer: mapping_words(layer), None),
)


def layer_rows(run):
    """For each layer its cells: (text, number to sort by or None)."""
    return [(layer, [(text(run, layer), number and number(run, layer)) for _, text, number in LAYER_COLUMNS]) for layer in run.layers]


def total_row(run):
    """The last row: sums of what can be summed."""
    sums = {"layer": "all", "cycles": formats.count(run.total("Cycles")), "of all": "100.0 %", "MACs": formats.count(run.total("macs")),
            "of the array": formats.percent(figures.macs_per_cycle(run, run.layers) / run.pes), "DRAM read B": formats.count(run.total("Memory read")),
            "DRAM written B": formats.count(run.total("Memory write")), "passes": formats.count(run.total("passes"))}
    return [sums.get(heading, "") for heading, _, _ in LAYER_COLUMNS]


def cpu_layers(run):
    """(name, composite, ONNX node, reason) of what the accelerator does not run. A flatten moves nothing and needs no reason."""
    return [(layer["name"], layer["composite"], layer["onnx"], layer["reason"] or "the same bytes: nothing to run")
            for layer in run.summary["layers"] if not layer.get("calls")]


# Levels of memory, from the multiplier outwards: colour and words.
LEVELS = {"mac": "MAC", "spad": "spad", "pe": "PE to PE", "glb": "GLB", "dram": "DRAM"}


def energy_rows(run):
    """(level, accesses, cost of one, energy, share) over all layers, then their sum."""
    counted = [figures.accesses(run, layer) for layer in run.layers]
    rows = [(level, sum(one[level] for one in counted), run.machine["energy"][level]) for level in (counted[0] if counted else ())]
    whole = sum(number * cost for _, number, cost in rows)
    cells = [(LEVELS[level], formats.count(number), f"{cost:g}", formats.count(number * cost), formats.percent(number * cost / whole)) for level, number, cost in rows]
    return cells + [("all", "", "", formats.count(whole), "")]
