#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the pictures of the tutorials, each from a run that it makes: docs/tutorials/*.svg.

    scripts/site/figures.py [NAME...]   without names, all of them

The programs are those of docs/tutorials/start.md; the runs are the ones that the tutorials show, so follow these first
(docs_tutorials). Those of operators and layers that are added need the copy of the repository that docs_recipes builds.
"""
import array
import csv
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys

import matplotlib

matplotlib.use("svg")
from matplotlib import image, pyplot  # The backend is chosen first.

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/report"))
import palette
from spec import CAUSES

PAGES = ROOT / "docs/tutorials"
VGG8 = "models/vgg8_cifar10_power2.onnx"
MOBILENET = "models/mobilenet_v2_cifar10_power2.onnx"
COLOUR = {name: light for name, (light, _) in palette.COLOURS.items()}
matplotlib.rcParams.update(
    {
        "svg.hashsalt": "fovea",
        "svg.fonttype": "none",
        "font.family": "sans-serif",
        "font.size": 10,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "legend.frameon": False,
        "figure.facecolor": "white",
        "axes.titlelocation": "left",
    }
)


def run(*command):
    """What a command printed; it ends the program where it fails."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env={**os.environ, "INSTALL": "0"})
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def run_network(model, *options):
    """What `fovea run` printed of a network with a picture, on the SystemC model unless `options` say otherwise."""
    backend = () if "--backend" in options else ("--backend", "systemc")
    return run("build/release/bin/fovea", "run", model, "models/samples/deer_9.png", *backend, *options)


def layers(model, of="eyeriss_6x8"):
    """Rows of the CSV file of counters, a layer each, of a network on machine `of`, a name or a file."""
    path = ROOT / "build/tutorials/counters.csv"
    run_network(model, "--machine", of, "--info", path)
    with open(path, newline="") as info:
        return list(csv.DictReader(info))


def machine(lanes):
    """A machine file: eyeriss_6x8 with so many psum lanes."""
    path = ROOT / f"build/tutorials/lanes_{lanes}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    text = (ROOT / "sim/spec/machines/eyeriss_6x8.json").read_text()
    path.write_text(
        text.replace('"psum_lanes": 1', f'"psum_lanes": {lanes}').replace(
            '"name": "eyeriss_6x8"', f'"name": "lanes_{lanes}"'
        )
    )
    return path.relative_to(ROOT)


def save(figure, name):
    path = PAGES / f"{name}.svg"
    figure.savefig(path, bbox_inches="tight", metadata={"Date": None, "Creator": None})
    pyplot.close(figure)
    print(path.relative_to(ROOT))


def stack(axes, row, layer, scale=1.0):
    """A bar of a layer's cycles by cause, times `scale`."""
    left = 0.0
    for cause in CAUSES:
        cycles = int(layer[f"{cause}_cycles"]) * scale
        axes.barh(row, cycles, left=left, color=COLOUR[cause], height=0.7)
        left += cycles


def add_legend(figure, causes=CAUSES):
    marks = [pyplot.Rectangle((0, 0), 1, 1, color=COLOUR[cause]) for cause in causes]
    figure.legend(marks, causes, loc="lower center", bbox_to_anchor=(0.5, 1), ncols=len(causes))


def first_network():
    """The picture, and what the network says it is."""
    answer = json.loads(run_network(VGG8, "--backend", "cpu", "--json"))
    names = [one["name"] for one in answer["classes"]][::-1]
    shares = [100 * one["probability"] for one in answer["classes"]][::-1]
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(7, 2.8), layout="constrained", width_ratios=(1, 1.7))
    left.imshow(image.imread(ROOT / "models/samples/deer_9.png"), interpolation="nearest")
    left.set_axis_off()
    right.barh(
        names, shares, color=[COLOUR["compute"] if share == max(shares) else COLOUR["control"] for share in shares]
    )
    right.set_xlabel("% sure")
    right.set_xlim(0, 100)
    save(figure, "first_network")


def where_cycles_go():
    """Each layer's cycles by cause: all of them, and as shares."""
    rows = layers(VGG8)
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 3.2), layout="constrained", sharey=True)
    for i, layer in enumerate(rows):
        stack(left, -i, layer, 1e-6)
        stack(right, -i, layer, 100 / int(layer["Cycles"]))
    left.set_yticks([-i for i in range(len(rows))], [layer["layer"] for layer in rows])
    left.set_title("million cycles", fontsize=10)
    right.set_title("% of the layer's cycles", fontsize=10)
    add_legend(figure)
    save(figure, "where_cycles_go")


def mappings():
    """Cycles and GLB accesses of conv1's mappings: those that foveac lists, and the one by hand."""
    printed = run("build/release/bin/fovea", "map", VGG8, "--layer", "conv1", "--best", "400")
    found = {
        (int(row[1].replace(",", "")), int(row[2].replace(",", ""))): row[0]
        for row in re.findall(
            r"^ *(\d+(?: +\d+){7}) +(?:resident|streamed) +\d+ +\d+ +([\d,]+) +[\d.]+ % +[\d,]+ +[\d,]+ +([\d,]+)",
            printed,
            re.M,
        )
    }
    by_hand = re.search(r"conv1 .*", run_network(VGG8, "--records", "build/tutorials/by_hand.json"))[0]
    figure, axes = pyplot.subplots(figsize=(7, 3), layout="constrained")
    axes.scatter(
        [cycles / 1e3 for cycles, _ in found],
        [glb / 1e3 for _, glb in found],
        s=16,
        color=COLOUR["compute"],
        label="what fovea map lists",
    )
    axes.axvline(int(by_hand.split()[2]) / 1e3, color=COLOUR["psum"], label="by hand, t = 1")
    axes.axvline(1769472 / 48 / 1e3, color=COLOUR["output"], linestyle="--", label="all PEs always busy")
    axes.set_xlabel("thousand cycles")
    axes.set_ylabel("thousand GLB accesses")
    axes.set_xlim(0, 80)
    axes.set_ylim(0)
    axes.legend(loc="lower left")
    save(figure, "mappings")


def psum_lanes():
    """conv1's cycles by cause with 1, 2 and 4 psum lanes."""
    figure, axes = pyplot.subplots(figsize=(7, 1.9), layout="constrained")
    for i, lanes in enumerate((1, 2, 4)):
        stack(axes, -i, layers(VGG8, machine(lanes))[0], 1e-3)
    axes.set_yticks([0, -1, -2], ["1 psum lane", "2", "4"])
    axes.set_xlabel("thousand cycles of conv1")
    add_legend(figure, ("compute", "psum", "dram", "output"))
    save(figure, "psum_lanes")


def shape_of(layer):
    ifmap = f"{layer['H']}x{layer['W']}"
    return f"{ifmap} depthwise" if layer["C"] == "1" else f"{layer['C']}x{ifmap} to {layer['M']}"


def mobilenet():
    """MobileNetV2's layers by cause, on three machines."""
    figure, all_axes = pyplot.subplots(1, 3, figsize=(9, 4.6), layout="constrained", sharey=True, sharex=True)
    for axes, (title, of) in zip(
        all_axes, (("1 psum lane", machine(1)), ("4 psum lanes", machine(4)), ("12 x 14 PEs, 8 lanes", "eyeriss_12x14"))
    ):
        rows = layers(MOBILENET, of)
        for i, layer in enumerate(rows):
            stack(axes, -i, layer, 1e-3)
        total = sum(int(layer["Cycles"]) for layer in rows)
        axes.set_title(f"{title}: {total:,}", fontsize=9)
        axes.set_xlabel("thousand cycles")
        axes.set_yticks([-i for i in range(len(rows))], [shape_of(layer) for layer in rows], fontsize=7)
    add_legend(figure)
    save(figure, "mobilenet")


def read_vcd(path):
    """{scope.signal: [(time in ps, value)]} of a dump of the SystemC model."""
    names, changes, scope, time = {}, {}, [], 0
    for line in path.read_text().splitlines():
        words = line.split()
        if words[:1] == ["$scope"]:
            scope.append(words[2])
        elif words[:1] == ["$upscope"]:
            scope.pop()
        elif words[:1] == ["$var"]:
            names[words[3]] = f"{scope[-1]}.{words[4]}"
            changes[names[words[3]]] = []
        elif line.startswith("#"):
            time = int(line[1:])
        elif line.startswith("b") and len(words) == 2:
            changes[names[words[1]]].append((time, int(words[0][1:], 2)))
        elif line[:1] in ("0", "1") and line[1:] in names:
            changes[names[line[1:]]].append((time, int(line[0])))
    return changes


def waves():
    """What array, filter feed and load do in 2,400 cycles of fc6, from its waves."""
    path = ROOT / "build/tutorials/fc6.vcd"
    run_network(VGG8, "--vcd", path, "--vcd-layer", "fc6", "--vcd-from", "20000", "--vcd-cycles", "2400")
    changes = read_vcd(path)
    times = sorted({time for of in changes.values() for time, _ in of})
    begin, end = (
        times[1],
        times[-1],
    )  # Before the first change of the window stand the values that it begins with, at time 0.

    def spans(name):
        """(first cycle, cycles, value) of each value that the signal has."""
        of = [(max(time, begin), value) for time, value in changes[name]]
        for (time, value), (until, _) in zip(of, of[1:] + [(end, None)]):
            if until > time:
                yield (time - begin) / 5000, (until - time) / 5000, value

    figure, axes = pyplot.subplots(figsize=(9, 2), layout="constrained")
    for start, length, phase in spans("array.phase"):
        axes.broken_barh(
            [(start, length)],
            (2.1, 0.8),
            color=COLOUR["compute"] if phase == 7 else COLOUR["filter"] if phase == 3 else COLOUR["idle"],
        )
    for start, length, feeding in spans("filter_feed.feeding"):
        axes.broken_barh([(start, length)], (1.1, 0.8), color=COLOUR["glb"] if feeding else COLOUR["idle"])
    for start, length, accepted in spans("load.accepted"):
        axes.broken_barh(
            [(start, length)],
            (0.1, 0.8),
            color=COLOUR["dram"] if accepted else COLOUR["idle"],
            linewidth=0.6,
            edgecolor=COLOUR["dram"] if accepted else "none",
        )
    axes.set_yticks([2.5, 1.5, 0.5], ["array.phase", "filter_feed.feeding", "load.accepted"])
    axes.set_xlabel("cycles of the window")
    axes.set_xlim(0, (end - begin) / 5000)
    marks = [pyplot.Rectangle((0, 0), 1, 1, color=COLOUR[c]) for c in ("compute", "filter", "glb", "dram")]
    figure.legend(
        marks,
        ["a pass", "waits for filters", "a set moves to the PEs", "a burst is accepted"],
        loc="lower center",
        bbox_to_anchor=(0.5, 1),
        ncols=4,
    )
    save(figure, "waves")


def copy_file(name):
    """A file that the tutorials made in the copy with the recipes."""
    path = ROOT / "build/release/recipes/build/tutorials" / name
    if not path.exists():
        raise SystemExit(
            f"{path.relative_to(ROOT)} is missing; first: ctest --test-dir build/release -R '^docs_recipes$'"
        )
    return path


def operator():
    """What the compiled cosh made of 61 numbers, beside Python's."""
    numbers, answers = [], []
    for name, values in (("x.f32", numbers), ("y.f32", answers)):
        values.extend(array.array("f", copy_file(name).read_bytes()))
    figure, axes = pyplot.subplots(figsize=(5, 2.6), layout="constrained")
    axes.plot(numbers, [math.cosh(x) for x in numbers], color=COLOUR["control"], label="math.cosh")
    axes.plot(numbers, answers, ".", color=COLOUR["compute"], label="the compiled network")
    axes.set_xlabel("input")
    axes.set_ylim(0)
    axes.legend()
    save(figure, "operator")


def fused_layer():
    """foveac's own drawing of the network, before and after fusion."""
    drawing = copy_file("pictures/head.svg")
    shutil.copyfile(drawing, PAGES / "fused_layer.svg")
    print("docs/tutorials/fused_layer.svg")


FIGURES = {
    "first_network": first_network,
    "where_cycles_go": where_cycles_go,
    "mappings": mappings,
    "psum_lanes": psum_lanes,
    "mobilenet": mobilenet,
    "waves": waves,
    "operator": operator,
    "fused_layer": fused_layer,
}

if __name__ == "__main__":
    unknown = set(sys.argv[1:]) - set(FIGURES)
    if unknown:
        raise SystemExit(f"{sorted(unknown)[0]}: no such figure; choose from: {', '.join(FIGURES)}")
    for wanted in sys.argv[1:] or FIGURES:
        FIGURES[wanted]()
