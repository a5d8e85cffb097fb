# SPDX-License-Identifier: Apache-2.0
"""The headline and the tables that the page and the Markdown summary share."""
import figures
import formats
import host
import lists
import on_chip
import rows
import spec

THE_CHIP = "the Eyeriss chip, 12 x 14 of 16 bits"
MAPPING_LETTERS = ("m", "e", "p", "q", "r", "t", "e_glb")


def headline(run):
    """(name, value, note) of what a reader wants first."""
    macs = run.total("macs")
    rate = figures.macs_per_cycle(run, run.layers)
    read, written = run.total("Memory read"), run.total("Memory write")
    least = sum(sum(figures.compulsory_bytes(layer).values()) for layer in run.layers)
    answer = run.answer.get("answer")
    known = [("answer", answer, f"{100 * best_probability(run):.1f} % sure")] if answer else []
    return known + [
        (
            "cycles",
            formats.count(run.cycles),
            (
                f"{figures.milliseconds(run, run.cycles):.2f} ms at {run.machine['clock_mhz']:g} MHz, which is not the"
                " clock of the synthesis"
            ),
        ),
        *on_the_cpu(run),
        *batch_rows(run),
        ("frames a second", formats.rate(figures.frames_per_second(run)), "one after another, at that clock"),
        (
            "GOPS",
            f"{figures.gops(run):.2f}",
            f"of {figures.most_gops(run):g} that {run.pes} PEs can do; a MAC is two operations",
        ),
        ("energy of a frame", *energy_words(run)),
        *efficiency_rows(run),
        (
            "MACs a cycle",
            f"{rate:.2f}",
            f"{formats.percent(rate / run.pes)} of {run.pes} PEs; {formats.short(macs)} MACs",
        ),
        (
            "DRAM traffic",
            formats.byte_count(read + written),
            (
                f"{(read + written) / least:.3f} times what must move; {formats.count(read)} B read,"
                f" {formats.count(written)} B written"
            ),
        ),
        *chip_words(run),
        (
            "arena",
            f"{formats.count(run.summary['arena_bytes'])} B",
            f"{formats.count(run.summary['naive_arena_bytes'])} B with a buffer a tensor",
        ),
    ]


def chip_words(run):
    """The headline's row of what tensors on chip save; none where all are in DRAM."""
    staying, saved = on_chip.tensors(run), on_chip.saved_bytes(run)
    if not staying:
        return []
    note = f"of DRAM traffic, as {formats.several(len(staying), 'tensor')} stay on chip; what must move is without them"
    return [("saved", formats.byte_count(saved), note)]


def batch_rows(run):
    """The headline's row of what a picture of a batch takes; none of one picture."""
    if run.batch == 1:
        return []
    moved = run.total("Memory read") + run.total("Memory write")
    return [
        (
            "cycles of a picture",
            formats.count(round(run.cycles / run.batch)),
            (
                f"of {run.batch} pictures at once, with {formats.byte_count(round(moved / run.batch))} of DRAM traffic"
                " each; cycles, MACs and bytes elsewhere are of all of them"
            ),
        )
    ]


def energy_words(run):
    """A frame's energy and its unit: pJ where the machine file says what a MAC takes, and where it has that from."""
    macs = sum(sum(figures.energy(run, layer).values()) for layer in run.layers) / run.batch
    parts = "of the accelerator and its DRAM"
    picojoules = figures.picojoules(run)
    if picojoules is not None:
        words = f"{parts}; a 16-bit MAC takes {run.cost['mac_pj']:g} pJ: {run.cost['pj_source']}"
        return formats.joules(picojoules / run.batch), words
    return (
        f"{formats.short(macs)} MACs",
        f"{parts}, in 16-bit MACs' energy, the Eyeriss paper's unit; the machine file names no pJ",
    )


def efficiency_rows(run):
    """The headline's rows of operations a joule and a square millimetre, where the machine file has a source."""
    found = []
    if figures.picojoules(run) is not None:
        note = "of the layers on the accelerator, with its DRAM; a MAC is two operations"
        found.append(("GOPS/W", f"{figures.gops_per_watt(run):.1f}", note))
    if "area_mm2" in run.cost:
        note = f"of {run.cost['area_mm2']:.3g} mm2 by the area model, at {run.cost['density_source']}"
        found.append(("TOPS/mm2", f"{figures.tops_per_mm2(run):.3g}", note))
    return found


def on_the_cpu(run):
    """The headline's row of what the CPU took of cycles and MACs; none where it ran no layer."""
    if not run.cpu_layers:
        return []
    cpu, macs = run.cpu_cycles, sum(layer.macs for layer in run.cpu_layers)
    return [
        (
            "on the CPU",
            f"{formats.percent(cpu / run.cycles)} of the cycles",
            (
                f"{formats.count(cpu)} cycles and {formats.percent(macs / run.macs if run.macs else 0)} of the MACs;"
                f" {host.cpu_words(run)}. MACs a cycle and DRAM traffic are the accelerator's."
            ),
        )
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
    return " ".join(f"{letter}={mapping[letter]}" for letter in MAPPING_LETTERS) + (
        " resident" if mapping["ifmap_resident"] else " streamed"
    )


# Heading, and whether its cells are sorted as numbers.
LAYER_COLUMNS = {
    **dict.fromkeys(("layer", "runs as"), False),
    **dict.fromkeys(
        ("cycles", "of all", "MACs", "of the array", "largest wait", "DRAM read B", "DRAM written B"), True
    ),
    "passes": True,
    "mapping": False,
}


def layer_numbers(run, one, use):
    """{heading: (what a cell says, a number to sort by)} of a layer or a row of several. :param use: of the array"""
    c = one.counters
    counts = {
        "cycles": c["Cycles"],
        "MACs": c["macs"],
        "DRAM read B": c["Memory read"],
        "DRAM written B": c["Memory write"],
        "passes": c["passes"],
    }
    return {heading: (formats.count(number), number) for heading, number in counts.items()} | {
        "of all": (formats.percent(c["Cycles"] / run.cycles), c["Cycles"]),
        "of the array": (formats.percent(use), use),
        "largest wait": (largest_wait(one), figures.lost_cycles(one)),
    }


def layer_cells(words, found, missing=None):
    """(text, number to sort by or None) for each column. :param missing: the number where there is none"""
    return [
        found.get(heading) or (words.get(heading, ""), missing if is_number else None)
        for heading, is_number in LAYER_COLUMNS.items()
    ]


def array_use(run, layers):
    return figures.macs_per_cycle(run, layers) / run.pes


def block_cells(run, row):
    """Cells of a block: sums of what can be summed."""
    words = {"layer": row.name, "runs as": formats.several(len(row.layers), "layer")}
    return layer_cells(words, layer_numbers(run, row, array_use(run, row.layers)))


def folded_rows(run):
    """(row, its cells, its block or -1) of the table of layers: each block of several layers before those."""
    cells_of = dict((layer.name, cells) for layer, cells in layer_rows(run))
    found = []
    for row in rows.block_rows(run):
        if row.block >= 0:
            found.append((row, block_cells(run, row), row.block))
        found.extend((rows.Row(layer.name, (layer,)), cells_of[layer.name], row.block) for layer in row.layers)
    return found


HELP_HEADINGS = ("layer", "cycles lost", "with", "instead of", "cycles", "change here", "gates")
LEAST_HELP, MOST_HELPS = 0.01, 3


def help_rows(run):
    """What helps the layers that lose most: up to three larger sizes each that save 1 % of the layer's cycles."""
    found = []
    for one in run.helps:
        lost = formats.percent(one["lost"] / one["cycles"])
        helps = [each for each in one["helps"] if each["cycles"] <= (1 - LEAST_HELP) * one["cycles"]][:MOST_HELPS]
        for each in helps:
            found.append(
                (
                    one["layer"],
                    f"{formats.count(one['lost'])}, {lost}",
                    " and ".join(f"{size['field']} {formats.count(size['to'])}" for size in each["sizes"]),
                    " and ".join(formats.count(size["from"]) for size in each["sizes"]),
                    f"{formats.count(each['cycles'])} for {formats.count(one['cycles'])}",
                    formats.signed_percent(each["cycles"] / one["cycles"] - 1),
                    formats.signed_percent(each["gates"]),
                )
            )
        if not helps:
            found.append((one["layer"], f"{formats.count(one['lost'])}, {lost}", "no larger size", "", "", "", ""))
    return found


BLOCK_HEADINGS = ("block", "layers", "cycles", *spec.CAUSES, "of the array", "MACs", "DRAM read B", "DRAM written B")


def block_table(run):
    """A row a block of several layers, with its cycles by cause; none where the network has no blocks."""
    found = []
    for row in rows.block_rows(run):
        if row.block >= 0:
            c = row.counters
            found.append(
                (
                    row.name,
                    formats.count(len(row.layers)),
                    formats.count(c["Cycles"]),
                    *(formats.percent(number / c["Cycles"]) for number in figures.causes(row).values()),
                    formats.percent(c["macs"] / (c["Cycles"] * run.pes)),
                    formats.count(c["macs"]),
                    formats.count(c["Memory read"]),
                    formats.count(c["Memory write"]),
                )
            )
    return found


def layer_rows(run):
    """For each layer its cells."""
    found = []
    for layer in run.layers:
        words = {"layer": layer.name, "runs as": layer.counters["Operation"], "mapping": mapping_words(layer)}
        found.append((layer, layer_cells(words, layer_numbers(run, layer, layer.counters["mac_utilization"]))))
    return found


def cpu_rows(run):
    """The same of the CPU's layers, and of added targets'. Where they have no number, they come last."""
    found = []
    for layer in run.other_layers:
        words = {"layer": layer.name, "runs as": layer.operation, "largest wait": layer.place}
        known = {
            "cycles": (formats.count(layer.cycles), layer.cycles),
            "of all": (formats.percent(layer.cycles / run.cycles), layer.cycles),
            "MACs": (formats.count(layer.macs), layer.macs),
        }
        found.append((layer, layer_cells(words, known, -1)))
    return found


def total_rows(run):
    """The last rows, sums of what can be summed: of the accelerator, of added targets, and of the CPU where it ran
    layers, and of all."""
    if not run.other_layers:
        return [device_row(run, "all")]

    def row(name, cycles, macs):
        sums = {
            "layer": name,
            "cycles": formats.count(cycles),
            "of all": formats.percent(cycles / run.cycles),
            "MACs": formats.count(macs),
        }
        return [sums.get(heading, "") for heading in LAYER_COLUMNS]

    places = {**run.targets, "CPU": run.cpu_layers}
    return [
        device_row(run, "accelerator"),
        *(
            row(name, sum(layer.cycles for layer in layers), sum(layer.macs for layer in layers))
            for name, layers in places.items()
            if layers
        ),
        row("all", run.cycles, run.macs),
    ]


def device_row(run, name):
    """Sums over the accelerator's layers."""
    sums = layer_numbers(run, rows.Row(name, tuple(run.layers)), array_use(run, run.layers))
    return [text for text, _ in layer_cells({"layer": name}, sums | {"largest wait": ("", None)})]


ON_CHIP_WORDS = (
    "A tensor on chip lies in the GLB from its first layer to its last, and not in DRAM. Layers with slices run depth"
    ' first: a slice of each in turn. "In DRAM" is predicted, with all tensors there. A tensor saves the bytes that'
    " would be written once, and read once by each of its readers."
)
STEP_HEADINGS = ("layers", "slices", "cycles", "GLB kept B", "DRAM B", "in DRAM", "change")


def step_rows(run):
    """A row a layer, or for several that ran depth first, then their sum; none without a plan of what stays."""

    def cells(name, slices, cycles, kept, *moved):
        change = formats.signed_percent(moved[0] / moved[1] - 1)
        return (name, slices, formats.count(cycles), kept, *map(formats.count, moved), change)

    steps = on_chip.steps(run)
    found = [
        cells(
            step.name,
            str(step.slices or ""),
            step.row.counters["Cycles"],
            formats.count(step.kept_bytes) if step.kept_bytes else "",
            step.dram_bytes,
            step.bytes_alone,
        )
        for step in steps
    ]
    sums = [sum(numbers) for numbers in zip(*((s.row.counters["Cycles"], s.dram_bytes, s.bytes_alone) for s in steps))]
    return found + [cells("all", "", sums[0], "", *sums[1:])] if found else []


CHIP_HEADINGS = ("tensor", "from", "to", "readers", "B", "GLB from", "GLB B", "rows", "DRAM B saved")


def chip_rows(run):
    """A row a tensor on chip, then their sum; none where none stays."""
    found = [
        (
            one["name"],
            one["first"],
            one["last"],
            str(one["readers"]),
            formats.count(one["bytes"]),
            formats.count(one["begin"]),
            formats.count(one["end"] - one["begin"]),
            str(one["rows"]) if one["plane_rows"] == one["rows"] else f"{one['plane_rows']} of {one['rows']}",
            formats.count(one["saved"]),
        )
        for one in on_chip.tensors(run)
    ]
    return found + [("all", *[""] * 7, formats.count(on_chip.saved_bytes(run)))] if found else []


LIST_HEADINGS = ("list", "layers", "from", "to", "cycles", "with a START a layer", "saved")


def list_rows(run):
    """A row a list, then their sum; none without lists."""
    made = lists.lists_of(run)
    found = [
        (
            str(number),
            str(len(one.layers)),
            one.layers[0].name,
            one.layers[-1].name,
            formats.count(one.cycles),
            formats.count(one.alone),
            formats.count(one.saved),
        )
        for number, one in enumerate(made, 1)
    ]
    sums = [formats.count(sum(getattr(one, figure) for one in made)) for figure in ("cycles", "alone", "saved")]
    return found + [("all", str(sum(len(one.layers) for one in made)), "", "", *sums)] if found else []


SPLIT_HEADINGS = ("behind list", "the CPU runs", "why", "cost in cycles")


def split_rows(run):
    """A row a split, then their sum; none without splits."""
    splits = lists.splits_of(run)
    found = [
        (
            str(split.behind),
            ", ".join(layer["name"] for layer in split.cpu) or "nothing: the list was full",
            "; ".join(dict.fromkeys(layer["reason"] for layer in split.cpu)),
            "unknown: no layer runs behind another" if split.cost is None else formats.count(split.cost),
        )
        for split in splits
    ]
    known = [split.cost for split in splits if split.cost is not None]
    return found + [("all", "", "", formats.count(sum(known)))] if known else found


def lists_words(run):
    """What was measured, and how many splits there are."""
    splits = len(lists.splits_of(run))
    return (
        "Layers in a row on the accelerator run as a list, by one START. Beside them are their cycles in a second run,"
        " with a START each. "
        + (
            "Nothing splits the list."
            if splits == 0
            else (
                f"There are {splits + 1} lists. A split costs the extra cycles of the next layer as the first of its"
                " list, and the average saving of a layer behind another. The host's own time is not in it."
            )
        )
    )


def cpu_layers(run):
    """(name, composite, ONNX node, reason) of what the accelerator does not run. A flatten moves nothing and needs no
    reason."""
    return [
        (
            layer["name"],
            layer["composite"] + ("" if layer["target"] in ("cpu", "dla") else f" on {layer['target']}"),
            layer["onnx"],
            layer["reason"] or "the same bytes: nothing to run",
        )
        for layer in run.summary["layers"]
        if not layer.get("calls")
    ]


HOST_HEADINGS = ("layer", "runs as", "cycles", "time", "of end to end", "measured here", "why")


def host_rows(run):
    """What each layer on the CPU costs, the dearest first, then all of them and the accelerator's; none where there is
    nothing to say. Conversions at the network's ends have a measured time only."""
    seconds, cycles = host.seconds_of(run), {layer.name: layer.cycles for layer in run.other_layers}
    places = {layer.name: f" {layer.place}" for layer in run.target_layers}
    if not seconds and not cycles:
        return []

    def cells(count, measured):
        declared = (
            (
                formats.count(count),
                formats.milliseconds(figures.milliseconds(run, count)),
                formats.percent(count / run.cycles, 2),
            )
            if count is not None
            else ("", "", "")
        )
        return *declared, formats.milliseconds(1000 * measured) if measured is not None else ""

    found = [layer for layer in run.summary["layers"] if layer["name"] in cycles or layer["name"] in seconds]
    found.sort(key=lambda layer: (-cycles.get(layer["name"], 0), -seconds.get(layer["name"], 0)))
    lines = [
        (
            layer["name"],
            layer["composite"] + places.get(layer["name"], ""),
            *cells(cycles.get(layer["name"]), seconds.get(layer["name"])),
            layer["reason"],
        )
        for layer in found
    ]
    return lines + [
        *(
            (f"all on {name}", "", *cells(sum(layer.cycles for layer in layers), None), "")
            for name, layers in run.targets.items()
        ),
        ("all on the CPU", "", *cells(run.cpu_cycles, sum(seconds.values()) if seconds else None), ""),
        ("the accelerator", "", *cells(run.total("Cycles"), None), ""),
    ]


FALLBACK_HEADINGS = ("layer", "runs as", "cycles", "on the accelerator", "on the CPU", "as cycles", "end to end")


def fallback_rows(run):
    """What each layer of the accelerator costs where it alone falls back to the CPU, and what all do; none where that
    was not measured."""
    found = host.fallbacks(run)
    if not found or not host.is_measured(run):
        return []
    whole = measured_end_to_end(run)
    of = {layer["name"]: layer for layer in run.summary["layers"]}

    def cells(cycles, milliseconds, on_cpu):
        return (
            formats.count(cycles),
            formats.milliseconds(milliseconds),
            formats.milliseconds(on_cpu),
            formats.count(on_cpu * 1000 * run.machine["clock_mhz"]),
            formats.milliseconds(whole - milliseconds + on_cpu),
        )

    lines = [
        (each.name, of[each.name]["composite"], *cells(each.cycles, each.milliseconds, each.on_cpu)) for each in found
    ]
    return lines + [
        (
            "all",
            "",
            *cells(
                sum(each.cycles for each in found),
                sum(each.milliseconds for each in found),
                sum(each.on_cpu for each in found),
            ),
        )
    ]


def measured_end_to_end(run):
    """Milliseconds of the accelerator's layers, and of the CPU's as measured."""
    return figures.milliseconds(run, run.total("Cycles")) + 1000 * sum(host.seconds_of(run).values())


def fallback_words(run):
    return (
        "The cost of each layer of the accelerator if it alone falls back: its time on one core of the simulating"
        f" machine, the median of {run.on_cpu['runs']} runs, beside its cycles at {run.machine['clock_mhz']:g} MHz."
        f" The last column is the whole network's time, {formats.milliseconds(measured_end_to_end(run))} without it."
    )


# Levels of memory, from the multiplier outwards: colour and words.
LEVELS = {"mac": "MAC", "spad": "spad", "pe": "PE to PE", "glb": "GLB", "dram": "DRAM"}


# Kinds of access, in words.
KINDS = {
    "mac": "product of 8 x 8 bits",
    "ifmap_spad": "spad: a pixel in or out",
    "filter_spad_write": "spad: a weight in",
    "filter_spad_read": "spad: a word of weights out",
    "operand_hop": "PE to PE: a pixel or a weight",
    "psum_hop": "PE to PE: a psum",
    "glb_word": "GLB: a word of a bank",
    "dram_byte": "DRAM: a byte",
}


def energy_rows(run):
    """(kind of access, accesses, energy of one, energy, share) over all layers, then their sum."""
    counted = [figures.accesses(layer) for layer in run.layers]
    found = [(kind, sum(one[kind] for one in counted), cost) for kind, cost in run.cost["access_energy"].items()]
    whole = sum(number * cost for _, number, cost in found)
    cells = [
        (
            KINDS[kind],
            formats.count(number),
            f"{cost:.3g}",
            formats.count(number * cost),
            formats.percent(number * cost / whole),
        )
        for kind, number, cost in found
    ]
    return cells + [("all", "", "", formats.count(whole), "")]


def memory_rows(run):
    """(memory, how many, words x bits, bytes), their sum, and the Eyeriss chip's."""
    memories = run.cost["memories"]
    found = [
        (
            one["name"],
            formats.count(one["count"]),
            f"{formats.count(one['words'])} x {one['bits']}",
            formats.count(one["count"] * one["words"] * one["bits"] / 8),
        )
        for one in memories
    ]
    return found + [
        ("all", "", "", formats.count(run.cost["memory_bits"] / 8)),
        (THE_CHIP, "", "", formats.count(run.cost["chip"]["sram_bytes"])),
    ]


def gate_rows(run):
    """(part, gates, share), their sum, and the Eyeriss chip's."""
    whole = run.cost["all_gates"]
    found = [(name, formats.count(gates), formats.percent(gates / whole)) for name, gates in run.cost["gates"].items()]
    return found + [("all", formats.count(whole), ""), (THE_CHIP, formats.count(run.cost["chip"]["gates"]), "")]
