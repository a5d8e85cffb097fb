# SPDX-License-Identifier: Apache-2.0
"""Up to four runs side by side: each figure of all, and by how much this run, the first, differs from each other
one."""
import dataclasses
import pathlib

import figures
import formats
import host
import rows

MOST_RUNS = 4
THIS = "this run"


@dataclasses.dataclass(frozen=True)
class Difference:
    """One figure of this run and of another."""

    value: str  # The other's; "" where it has no such layer.
    change: str  # "−12.3 %", "same", or "" where there is nothing to divide by.
    verdict: str  # "good", "bad" or "same": for costs, less is good.


@dataclasses.dataclass(frozen=True)
class Figure:
    """One figure of all runs."""

    name: str
    here: str
    others: list  # Difference.


@dataclasses.dataclass(frozen=True)
class Compared:
    """A layer, or a block of them, in all runs."""

    name: str
    block: int  # Of this run's blocks, the one that it is or is in; -1: in none.
    rows: list  # rows.Row of each run, or None where it has no such layer.
    figures: list  # Figure.


def difference(here, there, write=formats.count, less_is_good=True):
    """Compares a figure of this run with another's."""
    if write(here) == write(there):
        return Difference(write(there), "same", "same")
    verdict = "good" if (here < there) == less_is_good else "bad"
    return Difference(write(there), formats.signed_percent((here - there) / there) if there else "", verdict)


def energy_of(run, layers):
    return sum(sum(figures.energy(run, layer).values()) for layer in layers)


def _total(*columns):
    return lambda _, layers: sum(layer.counters[column] for layer in layers for column in columns)


# Name, figure of a run's layers, and how it is written; where less is not good, that too.
FIGURES = (
    ("cycles", _total("Cycles"), {}),
    ("MACs a cycle", figures.macs_per_cycle, {"write": "{:.2f}".format, "less_is_good": False}),
    (
        "time at clock_mhz",
        lambda run, layers: figures.milliseconds(run, _total("Cycles")(run, layers)),
        {"write": "{:.3f} ms".format},
    ),
    ("DRAM bytes read", _total("Memory read"), {}),
    ("DRAM bytes written", _total("Memory write"), {}),
    ("GLB words", _total("glb_read_words", "glb_write_words"), {}),
    ("energy, in 16-bit MACs", energy_of, {}),
)


def label_runs(folders):
    """What the runs are called: this run, then the others' folders by as many of their last names as tell them
    apart."""
    paths = [pathlib.Path(folder).absolute() for folder in folders]
    for length in range(1, max((len(path.parts) for path in paths), default=0) + 1):
        names = ["/".join(path.parts[-length:]) for path in paths]
        if len(set(names)) == len(set(paths)):
            break
    return [THIS, *(names if paths else [])]


def _figures(runs, layers_of):
    """Figures of some layers of each run; none of a run that has none of them."""
    here = layers_of[0]
    found = []
    for name, figure, how in FIGURES:
        write = how.get("write", formats.count)
        mine = figure(runs[0], here) if here else None
        others = []
        for run, layers in zip(runs[1:], layers_of[1:]):
            if here and layers:
                others.append(difference(mine, figure(run, layers), **how))
            else:
                others.append(Difference(write(figure(run, layers)) if layers else "", "", "same"))
        found.append(Figure(name, write(mine) if here else "", others))
    return found


def common_names(runs):
    """Layers that all runs have on the accelerator, in this run's order."""
    others = [{layer.name for layer in run.layers} for run in runs[1:]]
    return [layer.name for layer in runs[0].layers if all(layer.name in names for names in others)]


def compare_totals(runs):
    """Figures over the layers that all runs have on the accelerator, or over all where there are none."""
    common = set(common_names(runs))
    return _figures(runs, [[layer for layer in run.layers if layer.name in common] or run.layers for run in runs])


def compare_times(runs):
    """Times of all layers, those on the CPU among them; none where no run has any of these."""
    if not any(run.cpu_layers for run in runs):
        return []
    found = []
    for name, figure in (("all layers on the CPU", host.cpu_milliseconds), ("end to end", host.end_to_end)):
        mine = figure(runs[0])
        found.append(
            Figure(
                name,
                formats.milliseconds(mine),
                [difference(mine, figure(run), formats.milliseconds) for run in runs[1:]],
            )
        )
    return found


def missing_words(runs, labels):
    """A sentence a layer-set that not all have: which layers, and who has them on the accelerator."""
    who = {}
    for label, run in zip(labels, runs):
        for layer in run.layers:
            who.setdefault(layer.name, []).append(label)
    sets = {}
    for name, has in who.items():
        if len(has) < len(runs):
            sets.setdefault(tuple(has), []).append(name)
    return [
        f"Only {' and '.join(has)} {'have' if len(has) > 1 else 'has'} on the accelerator: {', '.join(names)}."
        for has, names in sets.items()
    ]


def compare_settings(runs):
    """(name, each run's value, whether they are all the same) of how the runs were made."""
    settings = [{"network": run.summary["model"], "machine": run.machine["name"], **run.settings} for run in runs]
    names = dict.fromkeys(name for one in settings for name in one)
    return [
        (name, values, len(set(values)) == 1) for name in names for values in [[one.get(name, "") for one in settings]]
    ]


def compare_layers(runs):
    """This run's blocks and layers, then layers that only others have. A block counts those of its layers that all runs
    have; where that is none, it is left out."""
    layers = [{row.name: row for row in rows.layer_rows(run)} for run in runs]
    common = set(common_names(runs))
    found = []

    def add(name, block, of):
        found.append(Compared(name, block, of, _figures(runs, [row.layers if row else () for row in of])))

    for block in rows.block_rows(runs[0]):
        shared = [layer.name for layer in block.layers if layer.name in common]
        if block.block >= 0 and shared:
            add(
                block.name,
                block.block,
                [rows.Row(block.name, tuple(of[name].layers[0] for name in shared), block.block) for of in layers],
            )
        for layer in block.layers:
            add(layer.name, block.block if shared else -1, [of.get(layer.name) for of in layers])
    mine = set(layers[0])
    for name in dict.fromkeys(name for of in layers[1:] for name in of if name not in mine):
        add(name, -1, [of.get(name) for of in layers])
    return found


def is_block(one):
    return any(row and row.block >= 0 for row in one.rows)
