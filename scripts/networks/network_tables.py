#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the tables of reports/networks.md from what scripts/run_networks left: network_tables.py FOLDER NETWORK,...
MACHINE,... BACKEND

Ends with one line where another backend counted otherwise at the same commit."""
import json
import pathlib
import sys

import roofs

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from markdown_table import markdown_table

NEAR = 1.10  # times the roof: above it a network's layers are named
MOST, LAYERS = 0.8, 8  # of what a network loses: as many layers are named as lose that much, but no more than eight
MOVED_ONCE = 1.005  # times compulsory: above it a layer is named
TITLES = {
    "resnet8": "ResNet-8",
    "ds_cnn": "DS-CNN",
    "mobilenet_v1_025": "MobileNet-V1 0.25, 96x96",
    "autoencoder": "autoencoder",
    "mobilenet_v1": "MobileNet-V1",
    "mobilenet_v2": "MobileNet-V2",
    "squeezenet": "SqueezeNet 1.1",
    "resnet18": "ResNet-18",
    "resnet50": "ResNet-50",
    "vgg16": "VGG-16",
    "vision_transformer": "vision transformer, 32x32",
}
DENSE_SHARE = 0.05  # of the roof: above it the convolutions, where most MACs are theirs, get a row of their own


def total(layers, key):
    return sum(layer[key] for layer in layers)


def percent(part, whole):
    return f"{100 * part / whole:.1f} %"


def on_the_cpu(run):
    kinds = {}
    for layer in run["cpu"]:
        kinds.setdefault(layer["kind"], []).append(layer)
    words = []
    for kind, layers in sorted(kinds.items(), key=lambda item: (-total(item[1], "macs"), item[0])):
        words.append(
            f"{len(layers)} {kind}"
            + (f" ({', '.join(layer['name'] for layer in layers)})" if total(layers, "macs") else "")
        )
    return ", ".join(words) or "nothing"


def row_of(title, pes, layers, roof_layers, macs):
    """What the device ran of some layers beside the roof of all of them: the ratio is of those that it ran."""
    cycles, roof, ran = total(layers, "cycles"), total(roof_layers, "cycles"), [layer["roof"] for layer in layers]
    moved, compulsory = total(layers, "bytes"), total(ran, "bytes")
    return [
        title,
        f"{macs / 1e6:.1f}",
        percent(total(layers, "macs"), macs),
        f"{cycles:,}",
        percent(total(layers, "macs"), pes * cycles),
        f"{roof:,.0f}",
        f"{cycles / total(ran, 'cycles'):.3f}",
        f"{moved / 1e6:.2f}",
        f"{moved / compulsory:.3f}",
    ]


def print_machine(name, networks):
    machine = roofs.read_machine(name)
    pes = machine["rows"] * machine["cols"]
    print(f"\n## {name}\n")
    print(
        f"{machine['rows']} x {machine['cols']} PEs, a bus of {machine['bus_bytes']} B, {machine['psum_lanes']} psums a"
        f" cycle, a GLB of {machine['glb_bytes'] // 1024} KiB.\n"
    )
    rows, cpu = [], []
    for run in networks:
        title = TITLES.get(run["name"], run["name"])
        rows.append(row_of(title, pes, run["layers"], run["roofs"], run["macs"]) + [f"{run['run_s']:.1f}"])
        convolutions = [roof for roof in run["roofs"] if roof["is_convolution"]]
        dense = [roof for roof in run["roofs"] if roof["macs"] and not roof["is_convolution"]]
        is_mixed = total(convolutions, "macs") > total(dense, "macs")
        if is_mixed and total(dense, "cycles") > DENSE_SHARE * total(run["roofs"], "cycles"):
            layers = [layer for layer in run["layers"] if layer["roof"]["is_convolution"]]
            rows.append(row_of(f"{title}, convolutions", pes, layers, convolutions, total(convolutions, "macs")) + [""])
        cpu.append([title, on_the_cpu(run)])
    print(
        markdown_table(
            [
                "network",
                "M MACs",
                "on the device",
                "cycles",
                f"of {pes} MACs a cycle",
                "roof of all, cycles",
                "times the roof of what ran there",
                "DRAM MB",
                "times compulsory",
                "run s",
            ],
            rows,
        )
    )
    print("\nWhat the CPU computes beside the conversion from and to float32:\n")
    print(markdown_table(["network", "layers"], cpu))
    print(
        f"\nLayers that keep networks above {NEAR:.2f} times their roof, and why: those that lose the most, up to"
        f" {100 * MOST:.0f} % of what the network loses, {LAYERS} at most.\n"
    )
    print(
        markdown_table(
            ["network", "layer", "commands", "cycles", "roof", "times", "causes"],
            [
                [
                    TITLES.get(run["name"], run["name"]),
                    layer["name"],
                    layer["commands"],
                    f"{layer['cycles']:,}",
                    f"{layer['roof']['cycles']:,.0f}",
                    f"{layer['cycles'] / layer['roof']['cycles']:.2f}",
                    causes_of(layer),
                ]
                for run in networks
                for layer in what_keeps_above(run)
            ],
        )
    )
    print(
        "\nLayers that move more than each tensor once, with how many times that they move; in brackets, the least that"
        " a mapping found for the fewest bytes does (`OPTIMIZE=dram`), and its cycles by the compiler's prediction, as"
        " parts of those above. Without brackets, none moves less.\n"
    )
    print(
        markdown_table(
            ["network", "layers"], [[TITLES.get(run["name"], run["name"]), moved_more(run)] for run in networks]
        )
    )


def lost(layer):
    return layer["cycles"] - layer["roof"]["cycles"]


def what_keeps_above(run):
    layers = sorted(run["layers"], key=lost, reverse=True)
    least = sum(layer["roof"]["cycles"] for layer in layers)
    if total(layers, "cycles") <= NEAR * least:
        return
    left = MOST * (total(layers, "cycles") - least)
    for layer in layers[:LAYERS]:
        if left > 0:
            left -= lost(layer)
            yield layer


def moved_more(run):
    times = [(layer["bytes"] / layer["roof"]["bytes"], layer["name"], could_move(layer)) for layer in run["layers"]]
    return (
        ", ".join(
            f"{name} {ratio:.2f}{least}" for ratio, name, least in sorted(times, reverse=True) if ratio > MOVED_ONCE
        )
        or "none"
    )


def could_move(layer):
    least = layer["least"]
    if least is None or least["bytes"] * MOVED_ONCE > layer["bytes"]:
        return ""
    return f" ({least['bytes'] / layer['roof']['bytes']:.2f}, {least['cycles'] / layer['cycles']:.2f} cycles)"


def causes_of(layer):
    largest = sorted(layer["causes"].items(), key=lambda item: -item[1])
    return ", ".join(
        f"{cause} {percent(cycles, layer['cycles'])}" for cause, cycles in largest if cycles > 0.03 * layer["cycles"]
    )


def counted(run):
    return [(layer["name"], layer["cycles"], layer["bytes"]) for layer in run["layers"]]


def same_elsewhere(folder, run):
    """Names of the other backends that ran the same compiled network at the same commit and counted the same: cycles
    and bytes, layer by layer."""
    names = []
    for path in sorted(folder.glob(f"{run['name']}-{run['machine']}-*.run.json")):
        other = json.loads(path.read_text())
        if other["backend"] == run["backend"] or any(other.get(key) != run[key] for key in ("net", "dram", "commit")):
            continue
        for (name, cycles, moved), (_, other_cycles, other_moved) in zip(*map(counted, (run, other)), strict=True):
            if (cycles, moved) != (other_cycles, other_moved):
                sys.exit(
                    f"{run['name']} on {run['machine']}: layer {name} takes {cycles} cycles and moves {moved} bytes on"
                    f" {run['backend']}, {other_cycles} and {other_moved} on {other['backend']}"
                )
        names.append(other["backend"])
    return names


def say_where_else(folder, networks):
    """Which networks another backend has counted too."""
    by_backend = {}
    for run in networks:
        for backend in same_elsewhere(folder, run):
            by_backend.setdefault(backend, []).append(TITLES.get(run["name"], run["name"]))
    for backend, titles in by_backend.items():
        which = "each network" if len(titles) == len(networks) else ", ".join(titles)
        print(f"\nBackend `{backend}` counts the same cycles and bytes at the same commit, layer by layer: {which}.")


def main(folder, names, machines, backend):
    print(
        "Every network answers as ONNX Runtime does, bit for bit, for one picture; made networks have weights from a"
        " seed ([networks.py](../scripts/networks/networks.py),"
        " [vision_transformer.py](../scripts/networks/vision_transformer.py)), the MLPerf Tiny ones are the benchmark's"
        " own.\nCycles"
        " are the device's, layer by layer, with the default memory. The roof is the sum over layers of what binds each"
        " ([roofs.py](../scripts/networks/roofs.py)): MACs, bytes on the bus or psums a cycle, each tensor moved"
        " once.\n`times compulsory` is of such bytes too; a stride that skips rows, and an average on the way out, move"
        " less.\nWhat the CPU computes is in the roof of all, but in no ratio: there a pool or an addition on the CPU"
        " is no part of the convolution before it. `run s` is the whole program's time for a picture, as many at a time"
        " as there are cores."
    )
    for machine in machines.split(","):
        machine = pathlib.Path(machine).stem
        networks = [
            json.loads(pathlib.Path(folder, f"{name}-{machine}-{backend}.run.json").read_text())
            for name in names.split(",")
        ]
        print_machine(machine, networks)
        say_where_else(pathlib.Path(folder), networks)


if __name__ == "__main__":
    main(*sys.argv[1:])
