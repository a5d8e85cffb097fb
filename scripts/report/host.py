# SPDX-License-Identifier: Apache-2.0
"""Layers on the CPU beside those on the accelerator: what the declared CPU takes, both end to end, and what was
measured on the machine that simulated."""
import dataclasses

import figures


@dataclasses.dataclass(frozen=True)
class Step:
    """A layer in the order in which it runs."""

    name: str
    on_cpu: bool  # Or on an added target.
    milliseconds: float  # On the accelerator at clock_mhz; on the CPU as the machine file declares it.
    place: str = "on the accelerator"


def is_measured(run):
    return bool(run.host.get("layers"))


def seconds_of(run):
    """{layer on the CPU: seconds} on the machine that simulated, the median over the runs."""
    return {layer["layer"]: layer["seconds"] for layer in run.host.get("layers", [])}


def device_cycles(run):
    """{layer of the network: cycles} on the accelerator; a call of several commands is one layer."""
    cycles = {}
    for layer in run.layers:
        cycles[layer.origin] = cycles.get(layer.origin, 0) + layer.counters["Cycles"]
    return cycles


def steps(run):
    """All layers that take time."""
    device, others = device_cycles(run), {layer.name: layer for layer in run.other_layers}
    return [
        (
            Step(name, True, figures.milliseconds(run, others[name].cycles), others[name].place)
            if name in others
            else Step(name, False, figures.milliseconds(run, device[name]))
        )
        for name in (layer["name"] for layer in run.summary["layers"])
        if name in device or name in others
    ]


def cpu_milliseconds(run):
    return figures.milliseconds(run, run.cpu_cycles)


def end_to_end(run):
    """Milliseconds of all layers, one after another."""
    return figures.milliseconds(run, run.cycles)


@dataclasses.dataclass(frozen=True)
class Fallback:
    """A layer of the accelerator, and what it would take on the CPU of the machine that simulated."""

    name: str
    cycles: int
    milliseconds: float  # On the accelerator.
    on_cpu: float  # Milliseconds.


def fallbacks(run):
    """Those that were measured, in the order in which they run."""
    seconds = {layer["layer"]: layer["seconds"] for layer in run.on_cpu.get("layers", [])}
    return [
        Fallback(name, count, figures.milliseconds(run, count), 1000 * seconds[name])
        for name, count in device_cycles(run).items()
        if name in seconds
    ]


def cpu_words(run):
    """Which CPU it is."""
    cpu = run.answer["cpu"]
    return (
        f"{cpu['name']}, {cpu['clock_mhz']:g} MHz, {cpu['cycles_per_mac']:g} cycles a MAC and"
        f" {cpu['cycles_per_byte']:g} a byte moved, as declared"
    )


def words(run):
    """What the times are."""
    parts = []
    if run.cpu_layers:
        parts.append(
            f"The CPU: {cpu_words(run)}. Its cycles are given at the accelerator's {run.machine['clock_mhz']:g} MHz."
            " End to end is one layer after another."
        )
    if is_measured(run):
        runs = run.host["runs"]
        how = (
            f"They are the median of {runs} runs: the simulated one, and {runs - 1} without the accelerator's layers,"
            " on the same memory."
            if runs > 1
            else "They are from the simulated run."
        )
        parts.append(
            f"Measured times are wall-clock, on one core of the simulating machine. {how} No other figure counts"
            " them."
        )
    return " ".join(parts)
