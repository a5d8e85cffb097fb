# SPDX-License-Identifier: Apache-2.0
"""Two runs side by side: each figure of both, and by how much they differ."""
import dataclasses

import figures
import formats


@dataclasses.dataclass(frozen=True)
class Difference:
    """One figure of two runs."""
    name: str
    here: str
    there: str
    change: str  # "−12.3 %", "same", or "" where there is nothing to divide by.
    verdict: str  # "good", "bad" or "same": for costs, less is good.


def difference(name, here, there, write=formats.count, less_is_good=True):
    """Compares a figure of this run with the other's."""
    if write(here) == write(there):
        return Difference(name, write(here), write(there), "same", "same")
    verdict = "good" if (here < there) == less_is_good else "bad"
    change = formats.signed_percent((here - there) / there) if there else ""
    return Difference(name, write(here), write(there), change, verdict)


def energy_of(run, layers):
    return sum(sum(figures.energy(run, layer).values()) for layer in layers)


def _rows(here, there, mine, theirs):
    """Differences between some layers of one run and of another."""
    def both(name, figure, **how):
        return difference(name, figure(here, mine), figure(there, theirs), **how)

    def total(column):
        return lambda _, layers: sum(layer.counters[column] for layer in layers)
    return [
        both("cycles", total("Cycles")),
        both("MACs a cycle", figures.macs_per_cycle, write="{:.2f}".format, less_is_good=False),
        both("time at clock_mhz", lambda run, layers: figures.milliseconds(run, total("Cycles")(run, layers)), write="{:.3f} ms".format),
        both("DRAM bytes read", total("Memory read")),
        both("DRAM bytes written", total("Memory write")),
        both("GLB words", lambda run, layers: total("glb_read_words")(run, layers) + total("glb_write_words")(run, layers)),
        both("energy, in 16-bit MACs", energy_of),
    ]


def compare_totals(here, there):
    """Differences between two runs: over the layers that both have on the accelerator, or all if there are none."""
    common = {layer.name for layer in here.layers} & {layer.name for layer in there.layers}
    mine, theirs = ([layer for layer in run.layers if layer.name in common] or run.layers for run in (here, there))
    return _rows(here, there, mine, theirs)


def compare_settings(here, there):
    """(name, here, there, whether they are the same) of how both were run."""
    mine, theirs = ({"network": run.summary["model"], "machine": run.machine["name"], **run.settings} for run in (here, there))
    return [(name, mine.get(name, ""), theirs.get(name, ""), mine.get(name) == theirs.get(name)) for name in dict.fromkeys([*mine, *theirs])]


def compare_layers(here, there):
    """(layer, its differences) of every layer that both have, then names of those that only one of them has."""
    others = {layer.name: layer for layer in there.layers}
    pairs = [(layer, _rows(here, there, [layer], [others[layer.name]])) for layer in here.layers if layer.name in others]
    mine = {layer.name for layer in here.layers}
    return pairs, sorted(mine.symmetric_difference(others))
