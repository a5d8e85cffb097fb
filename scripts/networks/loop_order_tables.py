#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""DRAM bytes of a network's convolutions by the order of loops, on a model with the GLB of each machine, beside what
the compiler's mappings move: loop_order_tables.py FOVEAC NETWORK MACHINE...; prints Markdown. A machine is a name, or a
file."""
import dataclasses
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from loop_orders import ORDERS, OURS, Conv, Tilings, best_plan, lower_bound, psum_formula
from markdown_table import markdown_table

GOALS = {"dram": ["dram"], "cycles": ["cycles"], "cycles, slack 15": ["cycles", "--slack", "15"]}
PADS = {"pad_top": "top", "pad_bottom": "bottom", "pad_left": "left", "pad_right": "right"}


def conv_of(shape):
    """A convolution of the text that foveac map prints, or None where it is of one window: a fully connected layer."""
    words = shape.split()
    numbers = {name: int(value) for name, _, value in (word.partition("=") for word in words) if value}
    pad = numbers.get("PAD", 0)
    if "pool_size" in numbers or "G" in numbers:
        raise SystemExit(f"{shape}: only pools of 2x2, and one group")
    conv = Conv(
        **{letter: numbers[letter] for letter in "CHWMRSU"},
        V=numbers.get("V", numbers["U"]),
        **{side: numbers.get(name, pad) for name, side in PADS.items()},
        pool=2 if "pool" in words else 1,
    )
    return conv if conv.E * conv.F > 1 else None


def mapped(foveac, network, machine, goal):
    """{name: [shape, DRAM bytes, cycles]} of each layer, with a pool behind it that is a layer of its own."""
    words = [foveac, "map", network, "--machine", machine, "--best", "1", "--json", "--optimize", *GOALS[goal]]
    said = json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    found = {}
    for one in said["layers"]:
        numbers = [one["best"][0][name] for name in ("dram_bytes", "cycles")]
        if " G=" in one["shape"]:
            last = next(reversed(found.values()))
            last[1:] = [a + b for a, b in zip(last[1:], numbers)]
        else:
            found[one["layer"]] = [one["shape"], *numbers]
    return found


def megabytes(number):
    return f"{number / 1e6:.2f}"


def reads(plan, conv):
    """How often filters and ifmap are read."""
    filters, ifmap = conv.M * conv.C * conv.R * conv.S, conv.C * conv.W * conv.rows(0, conv.E)
    return f"{plan.by_tensor['filter'] / filters:.1f}, {plan.by_tensor['ifmap'] / ifmap:.1f}"


@dataclasses.dataclass(frozen=True)
class Row:
    """Bytes of a convolution."""

    bounds: list  # Each tensor once, the bound of any order, psums on chip.
    orders: dict  # Of each order the best plan.
    again: int  # Of ours, where tiles read shared rows again.
    mapped: list  # Of each goal.
    reads: str  # How often the best plan reads filters and ifmap.

    @property
    def best(self):
        return min(plan.moved for plan in self.orders.values())

    @property
    def numbers(self):
        return [*self.bounds, self.best, self.orders[OURS].moved, self.again, *self.mapped]


def row_of(conv, glb, mapped_bytes):
    tilings = Tilings(conv)
    orders = {order: best_plan(conv, glb, order, tilings) for order in ORDERS}
    best = min(orders.values(), key=lambda plan: (plan.moved, plan.order != OURS))
    again = best_plan(conv, glb, OURS, Tilings(conv, keeps_rows=False)).moved
    bounds = [conv.once, lower_bound(conv, glb), psum_formula(conv, glb)]
    return Row(bounds, orders, again, mapped_bytes, reads(best, conv))


def measure(foveac, network, machine):
    """(what heads the machine's table, {convolution: Row}, M cycles of each goal)."""
    file = machine if "/" in machine else f"sim/spec/machines/{machine}.json"
    glb = json.loads(pathlib.Path(file).read_text(encoding="utf-8"))["glb_bytes"]
    by_goal = {goal: mapped(foveac, network, file, goal) for goal in GOALS}
    convs = {name: conv_of(of[0]) for name, of in by_goal["dram"].items()}  # With their pools in them.
    rows = {name: row_of(conv, glb, [of[name][1] for of in by_goal.values()]) for name, conv in convs.items() if conv}
    cycles = [sum(of[name][2] for name in rows) / 1e6 for of in by_goal.values()]
    return f"{pathlib.Path(machine).stem}, {glb // 1024} KiB", rows, cycles


def print_machine(title, rows, cycles):
    head = ["MB", "once", "any order", "psums", "best order", "ours", "ours, rows again", *GOALS, "filters, ifmap read"]
    shown = [[name, *map(megabytes, row.numbers), row.reads] for name, row in rows.items()]
    sums = [sum(numbers) for numbers in zip(*(row.numbers for row in rows.values()))]
    print(title + "\n\n" + markdown_table(head, [*shown, ["all", *map(megabytes, sums), ""]]))
    print("\nM cycles: " + "; ".join(f"{goal} {number:.1f}" for goal, number in zip(GOALS, cycles)) + "\n")


def main():
    foveac, network, *machines = sys.argv[1:]
    measured = [measure(foveac, network, machine) for machine in machines]
    for one in measured:
        print_machine(*one)
    sums = [
        [title, *(megabytes(sum(row.orders[order].moved for row in rows.values())) for order in ORDERS)]
        for title, rows, _ in measured
    ]
    print(markdown_table(["MB", *ORDERS], sums))


if __name__ == "__main__":
    main()
