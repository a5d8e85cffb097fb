# SPDX-License-Identifier: Apache-2.0
"""A run's lists of layers: what each saved beside a START a layer, what splits them, and what a split costs."""
import dataclasses


@dataclasses.dataclass(frozen=True)
class List:
    """Layers that ran by one START."""

    layers: list  # DeviceLayer, in order.
    cycles: int  # In the list, from the end of the layer before each.
    alone: int  # Of the same layers with a START each, in a second run.

    @property
    def saved(self):
        return self.alone - self.cycles


@dataclasses.dataclass(frozen=True)
class Split:
    """What lies between a list and the next one."""

    behind: int  # The list before, from 1 on.
    cpu: list  # The compiler's layers that the CPU runs there; none where a list was full.
    cost: float  # Cycles; None where no layer ran behind another, to compare with.


def lists_of(run):
    """Lists in order; none where each layer had a START of its own."""
    numbers = run.lists.get("of", {})
    alone = run.lists.get("alone", {})
    members = {}
    for layer in run.layers:
        if layer.name in numbers:
            members.setdefault(numbers[layer.name], []).append(layer)
    return [
        List(layers, sum(layer.counters["Cycles"] for layer in layers), sum(alone[layer.name] for layer in layers))
        for _, layers in sorted(members.items())
    ]


def joint_saves(lists, alone):
    """Cycles that a layer saves by running behind another instead of by a START, on average; None where none does."""
    behind = [layer for one in lists for layer in one.layers[1:]]
    return sum(alone[layer.name] - layer.counters["Cycles"] for layer in behind) / len(behind) if behind else None


def splits_of(run):
    """What splits the lists. A split costs what its layer, the first of a list, takes more than with a START, and what
    a layer behind another saves on average."""
    lists = lists_of(run)
    alone = run.lists.get("alone", {})
    saves = joint_saves(lists, alone)
    order = {call["name"]: at for at, layer in enumerate(run.summary["layers"]) for call in layer.get("calls", [])}
    splits = []
    for number, (before, after) in enumerate(zip(lists, lists[1:]), 1):
        first = after.layers[0]
        between = run.summary["layers"][order[before.layers[-1].name] + 1 : order[first.name]]
        cost = None if saves is None else first.counters["Cycles"] - alone[first.name] + saves
        splits.append(Split(number, [layer for layer in between if layer["target"] == "cpu"], cost))
    return splits
