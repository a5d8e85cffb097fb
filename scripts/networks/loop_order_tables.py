#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""DRAM bytes of a network's convolutions by the order of loops, on machines whose GLBs hold as much as a model of them:
loop_order_tables.py FOVEAC NETWORK MACHINE...; prints Markdown. Beside them is what the compiler's mappings move."""
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from loop_orders import ORDERS, OURS, Conv, Tilings, best_plan, lower_bound, psum_formula
from markdown_table import markdown_table

GOALS = ("dram", "cycles")
OURS_FIRST = sorted(ORDERS, key=lambda order: order != OURS)
PADS = {"pad_top": "top", "pad_bottom": "bottom", "pad_left": "left", "pad_right": "right"}


def conv_of(shape):
    """A convolution of the text that foveac map prints, or None where it is of one window: a fully connected layer."""
    words = shape.split()
    numbers = {name: int(value) for name, _, value in (word.partition("=") for word in words) if value}
    pad = numbers.get("PAD", 0)
    if "pool" in words and "pool_size" in numbers or numbers.get("G", 1) != 1:
        raise SystemExit(f"{shape}: only pools of 2x2, and one group")
    conv = Conv(
        **{letter: numbers[letter] for letter in "CHWMRSU"},
        V=numbers.get("V", numbers["U"]),
        **{side: numbers.get(name, pad) for name, side in PADS.items()},
        pool=2 if "pool" in words else 1,
    )
    return conv if conv.E * conv.F > 1 else None


def mapped(foveac, network, machine, goal):
    """(name, its shape, DRAM bytes of the best mapping) of each layer."""
    words = [foveac, "map", network, "--machine", machine, "--optimize", goal, "--best", "1", "--json"]
    said = json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    return [(one["layer"], one["shape"], one["best"][0]["dram_bytes"]) for one in said["layers"]]


def megabytes(number):
    return f"{number / 1e6:.2f}"


def times(plan, conv):
    """How often filters and ifmap are read."""
    filters, ifmap = conv.M * conv.C * conv.R * conv.S, conv.C * conv.W * conv.rows(0, conv.E)
    return f"{plan.by_tensor['filter'] / filters:.1f}, {plan.by_tensor['ifmap'] / ifmap:.1f}"


def figures(conv, glb):
    """(what the table has of a convolution in bytes, how often the best plan reads its operands)."""
    tilings = Tilings(conv)
    of = {order: best_plan(conv, glb, order, tilings) for order in ORDERS}
    best = min(of.values(), key=lambda plan: (plan.moved, plan.order != OURS))
    again = best_plan(conv, glb, OURS, Tilings(conv, keeps_rows=False))
    bytes_ = [conv.once, lower_bound(conv, glb), psum_formula(conv, glb), best.moved]
    return [*bytes_, *(of[order].moved for order in OURS_FIRST), again.moved], times(best, conv)


def table(foveac, network, machine):
    path = pathlib.Path("sim/spec/machines", machine + ".json")
    glb = json.loads(path.read_text(encoding="utf-8"))["glb_bytes"]
    found, sums = {}, None
    by_goal = [mapped(foveac, network, str(path), goal) for goal in GOALS]
    for one in zip(*by_goal):
        conv = conv_of(one[0][1])
        if conv:
            found.setdefault(conv, []).append((one[0][0], [moved for _, _, moved in one]))
    rows = []
    for conv, layers in found.items():
        bytes_, reads = figures(conv, glb)
        numbers = [*bytes_, *layers[0][1]]
        sums = [a + len(layers) * b for a, b in zip(sums or [0] * len(numbers), numbers)]
        name = layers[0][0] if len(layers) == 1 else f"{layers[0][0]} and {len(layers) - 1} alike"
        rows.append([name, f"{conv.C} to {conv.M}, {conv.H}x{conv.W}", *map(megabytes, numbers), reads])
    rows.append(["all", "", *map(megabytes, sums), ""])
    of_model = ["once", "bound", "psums", "best", *OURS_FIRST, f"{OURS}, rows again"]
    head = ["convolution", "shape", *of_model, *(f"mapped for {goal}" for goal in GOALS), "filters, ifmap read"]
    return f"{machine}, {glb // 1024} KiB, MB\n\n" + markdown_table(head, rows)


def main():
    foveac, network, *machines = sys.argv[1:]
    print("\n\n".join(table(foveac, network, machine) for machine in machines))


if __name__ == "__main__":
    main()
