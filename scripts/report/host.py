# SPDX-License-Identifier: Apache-2.0
"""Layers on the CPU beside those on the accelerator: what each took on the machine that simulated, and both end to end."""
import dataclasses

import figures


@dataclasses.dataclass(frozen=True)
class Step:
    """A layer in the order in which it runs."""
    name: str
    on_cpu: bool
    milliseconds: float  # On the accelerator at clock_mhz; on the CPU by a clock on the wall.


def is_measured(run):
    return bool(run.host.get("layers"))


def seconds_of(run):
    """{layer on the CPU: seconds}, the median over the runs."""
    return {layer["layer"]: layer["seconds"] for layer in run.host.get("layers", [])}


def steps(run):
    """All layers that take time."""
    cycles, seconds = {}, seconds_of(run)
    for layer in run.layers:
        cycles[layer.origin] = cycles.get(layer.origin, 0) + layer.counters["Cycles"]
    found = []
    for layer in run.summary["layers"]:
        name = layer["name"]
        if name in cycles:
            found.append(Step(name, False, figures.milliseconds(run, cycles[name])))
        elif name in seconds:
            found.append(Step(name, True, 1000 * seconds[name]))
    return found


def cpu_milliseconds(run):
    return sum(step.milliseconds for step in steps(run) if step.on_cpu)


def end_to_end(run):
    """Milliseconds of all layers, one after another."""
    return sum(step.milliseconds for step in steps(run))


@dataclasses.dataclass(frozen=True)
class Fallback:
    """A layer of the accelerator, and what it would take on the CPU."""
    name: str
    cycles: int
    milliseconds: float  # On the accelerator.
    on_cpu: float  # Milliseconds.


def fallbacks(run):
    """Those that were measured, in the order in which they run. A call of several commands is one layer."""
    seconds = {layer["layer"]: layer["seconds"] for layer in run.on_cpu.get("layers", [])}
    cycles = {}
    for layer in run.layers:
        cycles[layer.origin] = cycles.get(layer.origin, 0) + layer.counters["Cycles"]
    return [Fallback(name, count, figures.milliseconds(run, count), 1000 * seconds[name]) for name, count in cycles.items() if name in seconds]


def words(run):
    """How it was measured."""
    runs = run.host["runs"]
    how = f"The median of {runs} runs: the simulated one, and {runs - 1} with the accelerator's layers left out, on what its memory held." if runs > 1 else "Measured once, in the simulated run."
    return (f"Times of the CPU are by a clock on the wall, on the machine that simulated, one core. {how} The accelerator's are its cycles at {run.machine['clock_mhz']:g} MHz. "
            "End to end is one layer after another; a layer that falls back costs its share of that, and the list that it splits.")
