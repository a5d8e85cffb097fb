# SPDX-License-Identifier: Apache-2.0
"""Reads a run: dla_info.csv with the device's counters, and run.json with the network, the machine and how it was
run."""
import csv
import dataclasses
import functools
import itertools
import json
import pathlib

import blocks
import spec
from report_error import ReportError
from shown_text import shown_text, shown_values

TEXT_COLUMNS = {"Operation", "layer", "backend", "machine", "dram", "rounding"}
CPU_COLUMNS = ("Operation", "Cycles", "layer", "backend", "machine", "macs")
ADDED_COLUMNS = {"Cycles", "Time(ns)", "Memory read", "Memory write", "macs", "passes"}  # Of several commands.
SHAPE_COLUMNS = {
    **{letter: letter for letter in ("C", "H", "W", "M", "R", "S", "U", "V")},
    "pad_top": "PAD",
    "pad_left": "pad_left",
    "pad_bottom": "pad_bottom",
    "pad_right": "pad_right",
}  # Field: column.


@dataclasses.dataclass(frozen=True)
class DeviceLayer:
    """One device layer that has run: a row of the CSV and the compiler's plan for it."""

    name: str
    origin: str  # The network's layer: another name where this is one of its groups.
    counters: dict  # The CSV's row, or the sum of those of its commands: numbers, but for TEXT_COLUMNS.
    call: dict  # The compiler's shape, mapping, array, glb and predictions; accesses and predictions of all commands.


@dataclasses.dataclass(frozen=True)
class CpuLayer:
    """A layer that ran beside the accelerator, on the CPU or on a target that a user has added: a row of the CSV that
    names no memory. Its backend says where."""

    name: str
    operation: str
    macs: int
    cycles: int  # Of the machine's declared CPU, at the accelerator's clock; or as an added target counts them.
    target: str = "cpu"

    @property
    def place(self):
        return "on the CPU" if self.target == "cpu" else f"on {self.target}"


@dataclasses.dataclass(frozen=True)
class Run:
    """One run of a network on one machine."""

    layers: list  # DeviceLayer, in order.
    cpu_layers: list  # CpuLayer of the CPU, in order.
    target_layers: list  # Those of added targets.
    summary: dict  # foveac's <model>.json.
    machine: dict  # The machine file.
    cost: dict  # What foveac machine says of it: memories, gates, energy of an access.
    settings: dict  # model, input, backend, dram, mapping, rounding.
    made_by: dict  # command, commit, versions, date.
    answer: dict  # {"answer": class, "classes": [...]}; {} where the network classifies nothing.
    lists: dict  # {"of": {layer: its list}, "alone": {layer: its cycles with a START}}; {} where each had one.

    # [{"layer", "cycles", "lost", "helps": [{"sizes": [{"field", "from", "to"}], "cycles", "gates"}]}] of the layers
    # that lose most, and of machines of which one size or two are larger, as the compiler predicts them.
    helps: list

    # {"runs", "layers": [{"layer", "seconds"}]} of the network compiled for the CPU; {} where that was not measured.
    on_cpu: dict

    def total(self, column):
        """Of the accelerator's layers."""
        return sum(layer.counters[column] for layer in self.layers)

    @property
    def other_layers(self):
        """All that are not on the accelerator and take time."""
        return self.cpu_layers + self.target_layers

    @property
    def targets(self):
        """{added target: its layers}."""
        return {
            name: [layer for layer in self.target_layers if layer.target == name]
            for name in dict.fromkeys(layer.target for layer in self.target_layers)
        }

    @property
    def cpu_cycles(self):
        return sum(layer.cycles for layer in self.cpu_layers)

    @property
    def cycles(self):
        """Of all layers, at the accelerator's clock."""
        return self.total("Cycles") + sum(layer.cycles for layer in self.other_layers)

    @property
    def batch(self):
        """How many pictures it is of."""
        return self.summary.get("batch", 1)

    @property
    def macs(self):
        return self.total("macs") + sum(layer.macs for layer in self.other_layers)

    @functools.cached_property
    def blocks(self):
        """Blocks of the network's layers, in order."""
        return blocks.find_blocks(self.summary["layers"])

    @property
    def host(self):
        """{"runs": of how many its times are the median, "layers": [{"layer", "seconds"}] of the CPU's layers}; {}
        where they were not measured."""
        return self.answer.get("host", {})

    @property
    def pes(self):
        return self.machine["rows"] * self.machine["cols"]


def _number(path, line, name, text):
    try:
        return float(text) if "." in text or "e" in text else int(text)
    except ValueError:
        if text == "" and name == "predicted_cycles":
            return 0
        raise ReportError(f"{path}: line {line}: {name} is '{text}', not a number") from None


def read_csv(path):
    """Rows of a dla_info.csv as dictionaries, in order; those beside the accelerator have CPU_COLUMNS only."""
    try:
        with open(path, newline="", encoding="utf-8") as file:
            lines = list(csv.reader(file))
    except (OSError, UnicodeDecodeError) as error:
        raise ReportError(f"{path}: can't be read as a table of layers ({error})") from None
    if not lines or lines[0] != spec.COLUMNS:
        raise ReportError(f"{path}: not the columns of sim/spec/dla.json; make it again with this version")
    rows = []
    for at, cells in enumerate(lines[1:], 2):
        if len(cells) != len(spec.COLUMNS):
            raise ReportError(f"{path}: line {at}: {len(cells)} cells; a row has {len(spec.COLUMNS)}")
        row = dict(zip(spec.COLUMNS, cells))
        known = CPU_COLUMNS if not row["dram"] else spec.COLUMNS
        rows.append(
            {
                name: shown_text(row[name]) if name in TEXT_COLUMNS else _number(path, at, name, row[name])
                for name in known
            }
        )
    return rows


def check_sums(path, row):
    """Causes add up to the cycles, and tensors to the bytes read."""
    causes = sum(row[f"{cause}_cycles"] for cause in spec.CAUSES)
    if causes != row["Cycles"]:
        raise ReportError(f"{path}: {row['layer']}: its causes add up to {causes} cycles, not to {row['Cycles']}")
    read = row["ifmap_read_bytes"] + row["filter_read_bytes"] + row["residual_read_bytes"]
    if read != row["Memory read"] or row["write_bytes"] != row["Memory write"]:
        raise ReportError(
            f"{path}: {row['layer']}: its tensors add up to {read} bytes read, not to {row['Memory read']}"
        )


def is_number_of_work(column):
    """Whether a column's numbers of several commands add up."""
    return column in ADDED_COLUMNS or column.endswith(("_cycles", "_bytes", "_bursts", "_words"))


def added(rows):
    """One row of a layer's commands, a picture each: what they took adds up, and they are alike in all else."""
    return {
        name: sum(row[name] for row in rows) if is_number_of_work(name) else value for name, value in rows[0].items()
    }


def times(number, counts):
    """A number, or an object of numbers and such objects, with each so many times as large."""
    if isinstance(counts, dict):
        return {key: times(number, value) for key, value in counts.items()}
    return number * counts


def plan_of(call):
    """The compiler's plan of all of a layer's commands."""
    number = call.get("commands", 1)
    counted = {
        name: times(number, value)
        for name, value in call.items()
        if name == "accesses" or name.startswith("predicted_")
    }
    return {**call, **counted}


def join(path, rows, summary):
    """Gives the rows of each layer the compiler's plan of it. A group of a convolution is a device layer of its own."""
    calls = [(call, layer["name"]) for layer in summary["layers"] for call in layer.get("calls", [])]
    commands = [call for call, _ in calls for _ in range(call.get("commands", 1))]
    if not calls:
        raise ReportError(
            f"{summary['model']}: no layer of it runs on the accelerator, so there are no cycles to report; make"
            " build_model says why of each"
        )
    planned = [[call["name"], *(call["shape"][field] for field in SHAPE_COLUMNS)] for call in commands]
    if planned != [[row["layer"], *(row[column] for column in SHAPE_COLUMNS.values())] for row in rows]:
        raise ReportError(
            f"{path}: {len(rows)} layers that are not the {len(commands)} device layers of {summary['model']}; give one"
            " run"
        )
    left = iter(rows)
    return [
        DeviceLayer(call["name"], origin, added([*itertools.islice(left, call.get("commands", 1))]), plan_of(call))
        for call, origin in calls
    ]


def read_run(folder):
    """Reads what a report was made from. Its folder holds dla_info.csv and run.json."""
    folder = pathlib.Path(folder)
    path = folder / "run.json"
    try:
        about = shown_values(json.loads(path.read_text(encoding="utf-8")))
        known = {key: about[key] for key in ("summary", "machine", "cost", "settings", "made_by", "answer", "lists")}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        raise ReportError(
            f"{folder}: no report of this version; give a folder that make report wrote, with run.json and dla_info.csv"
        ) from None
    table = folder / "dla_info.csv"
    rows = read_csv(table)
    on_device = [row for row in rows if "dram" in row]
    for row in on_device:
        check_sums(table, row)
    others = [
        CpuLayer(row["layer"], row["Operation"], row["macs"], row["Cycles"], row["backend"])
        for row in rows
        if "dram" not in row
    ]
    return Run(
        layers=join(table, on_device, known["summary"]),
        cpu_layers=[layer for layer in others if layer.target == "cpu"],
        target_layers=[layer for layer in others if layer.target != "cpu"],
        on_cpu=about.get("on_cpu", {}),
        helps=about.get("helps", []),
        **known,
    )
