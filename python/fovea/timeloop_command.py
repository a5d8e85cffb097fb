# SPDX-License-Identifier: Apache-2.0
"""What `fovea export --timeloop` and `fovea map --timeloop` do: a layer's mapping as Timeloop's files, and back. With
--zigzag, as ZigZag's."""
import argparse
import json
import re
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn, Optional

import numpy as np

from . import _fovea, ir, timeloop, timeloop_model, zigzag
from .errors import Error, MappingError, UsageError
from .machine import Machine, as_machine, memory_name
from .network import compile as compile_network
from .run import Run

#: Loops that a letter of the machine's limits is of: Timeloop's letter, and where it stands.
LETTERS = {"q": "C in a PE", "p": "M in a PE", "r": "C across PEs", "t": "M across PEs", "e": "Q across PEs"}
LETTERS |= {"m": "M inside DRAM", "e_glb": "Q inside DRAM", "fold_rows": "S across PEs"}
#: Causes of cycles, in the order of the CSV.
MEANT = {
    "compute": "the PEs multiplied",
    "psum": "psums on their networks",
    "filter": "filters on their network",
    "ifmap": "ifmaps on their network",
    "dram": "a buffer that was not in the GLB yet",
    "output": "output space, or the last outputs on their way",
    "control": "the sequencer between passes",
}


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}; {self.prog} --help shows what works")


def plan(machine: Machine, shape: Mapping[str, Any], mapping: Mapping[str, Any]) -> dict[str, Any]:
    """A mapping that the machine can run, complete: with as many filter buffers as there is room for where it has none.
    Raises MappingError that names the limit and the loops it is about."""
    found, reason = _fovea.plan_mapping(machine._file, json.dumps(shape), json.dumps(mapping))
    if reason:
        letters = dict.fromkeys(re.findall(r"\b(e_glb|fold_rows|[mepqrt])\b", reason))
        loops = ", ".join(f"{letter} is {LETTERS[letter]}, {mapping.get(letter, 0)}" for letter in letters)
        raise MappingError(f"{machine.name} can't run it: {reason}" + (f" ({loops})" if loops else ""))
    planned: dict[str, Any] = json.loads(found)
    return planned


def complete_shape(shape: Mapping[str, Any]) -> dict[str, Any]:
    """With the flags that a shape read from a problem leaves out."""
    return {**shape, **{flag: shape.get(flag, False) for flag in ("pool", "scaled", "filter_scales")}}


def one_layer(shape: Mapping[str, Any]) -> ir.Graph:
    """A network of nothing but a layer of this shape, its weights drawn. Raises MappingError where it is more than a
    convolution and its pool."""
    for name in ("residual", "lookup", "mean", "pool_top", "pool_left", "pool_bottom", "pool_right"):
        if shape.get(name):
            raise MappingError(
                f"the layer has {name}={shape[name]}: it is run in its network; --no-run prints figures alone"
            )
    source = np.random.default_rng(1)
    builder = ir.Builder()
    groups = max(1, shape.get("G", 0))
    # Powers of two become shifts; other scales stay scales.
    scale = np.float32(2.0**-6 * (1.1 if shape["scaled"] else 1))
    kernel = (groups * shape["M"], shape["C"], shape["R"], shape["S"])
    each: Any = np.float32(2.0**-7)
    if shape["filter_scales"]:
        each = (2.0**-7 * (1 + source.random(kernel[0]))).astype(np.float32)
    out = np.float32(2.0 ** int(np.ceil(np.log2(np.sqrt(np.prod(kernel[1:])))) - 6))
    zero = np.uint8(128)
    x = builder.input("input", (1, groups * shape["C"], shape["H"], shape["W"]))
    x = builder.call("qnn.dequantize", builder.call("qnn.quantize", x, scale, zero, axis=1), scale, zero, axis=1)
    weights = builder.constant(source.integers(-127, 128, kernel, np.int8), origin="weights")
    zeros: Any = np.zeros(kernel[0], np.int8) if shape["filter_scales"] else np.int8(0)
    weights = builder.call("qnn.dequantize", weights, each, zeros, axis=0)
    value = builder.call(
        "nn.conv2d",
        x,
        weights,
        strides=[shape["U"], shape["V"]],
        pads=[shape[f"pad_{side}"] for side in ("top", "left", "bottom", "right")],
        dilations=[1, 1],
        groups=groups,
        origin="layer",
    )
    if shape["pool"]:
        size, step = 3 if shape.get("pool_size") == 3 else 2, shape.get("pool_stride") or 2
        value = builder.call(
            "nn.max_pool2d",
            value,
            kernel=[size, size],
            strides=[step, step],
            pads=[0, 0, 0, 0],
            dilations=[1, 1],
            ceil_mode=0,
            origin="pool",
        )
    value = builder.call("qnn.quantize", value, out, zero, axis=1)
    return builder.finish([builder.call("qnn.dequantize", value, out, zero, axis=1)])


def run(
    machine: Machine, shape: Mapping[str, Any], mapping: Mapping[str, Any], backend: str, dram: str
) -> tuple[Run, dict[str, Any]]:
    """Runs a layer of this mapping, of drawn weights and pixels; and what its compiler says of the layer. Raises
    MappingError where the compiler makes another command of it."""
    with tempfile.TemporaryDirectory(prefix="fovea-") as folder:
        records = Path(folder) / "records.json"
        _fovea.record_mapping(str(records), machine._file, json.dumps(shape), json.dumps(mapping), dram)
        net = compile_network(one_layer(shape), machine, records=records, dram=dram, folder=Path(folder) / "net")
        call = net.layers["layer"].details["calls"][0] if net.layers["layer"].on_device else {}
        if call.get("shape") != shape or call.get("mapping") != mapping:
            raise MappingError(
                f"the layer becomes another command alone: {call.get('shape') or net.layers['layer'].reason}"
            )
        pixels = np.random.default_rng(2).standard_normal(net.inputs[0].shape, np.float32)
        ran = net.run(pixels, backend, dram)
        np.testing.assert_array_equal(ran.output, net.run(pixels, "cpu").output)
        return ran, call


def report(figures: timeloop_model.Figures, call: Optional[Mapping[str, Any]], causes: Mapping[str, int]) -> list[str]:
    """Lines: accesses of each level by Timeloop's model; its cycles, and ours beside them by cause."""
    lines = [f"{'level':12} {'tensor':8} {'fills':>13} {'reads':>13} {'updates':>13} {'cycles':>11}"]
    for level, tensors in figures.accesses.items():
        for tensor, moved in tensors.items():
            cycles = f"{figures.cycles[level]:11,.0f}" if tensor == next(iter(tensors)) else ""
            lines.append(
                f"{level:12} {tensor:8} {moved.fills:13,} {moved.reads:13,} {moved.updates:13,} {cycles}".rstrip()
            )
    lines.append(f"{'PEs':12} {'':8} {'':13} {'':13} {'':13} {figures.cycles[timeloop_model.COMPUTE]:11,.0f}")
    binds = "the PEs" if figures.binds == timeloop_model.COMPUTE else figures.binds
    lines.append(f"Timeloop's model: {figures.total_cycles:,} cycles, as {binds} bind")
    if call is None:
        return lines
    total = sum(causes.values())
    lines.append(f"the machine: {total:,} cycles, {total - figures.total_cycles:,} beside the model; by cause:")
    for cause, meaning in MEANT.items():
        beside = ""
        if cause == "compute":
            beside = f"; Timeloop's model has {figures.cycles[timeloop_model.COMPUTE]:,.0f}"
        lines.append(f"  {cause:8} {causes[cause]:11,}  {meaning}{beside}")
    return lines


def read_zigzag(
    paths: Sequence[Path], machine: Machine, number: Optional[int]
) -> tuple[dict[str, Any], dict[str, Any], timeloop.Nest]:
    """Shape, mapping and nest of ZigZag's files: with the ifmap resident, or else streamed. Raises MappingError."""
    workload, mappings = zigzag.read_lists(paths)
    for resident in (True, False):
        nest = zigzag.nest_of(workload, mappings, machine, layer=number, resident=resident)
        strides = {"Hstride": nest.strides[0], "Wstride": nest.strides[1]}
        shape = complete_shape(timeloop.shape_of(nest.sizes, strides, {}))
        try:
            return shape, plan(machine, shape, timeloop.mapping_of(nest, machine, {})), nest
        except MappingError:
            if not resident or not any(loop.letter == "C" and loop.level == "GLB" for loop in nest.loops):
                raise
    raise AssertionError("one of both returns or raises")


def map_main(words: list[str]) -> int:
    """`fovea map --timeloop`; the exit status."""
    parser = _Parser(prog="fovea map", allow_abbrev=False)
    forms = parser.add_mutually_exclusive_group(required=True)
    forms.add_argument("--timeloop", nargs="+", type=Path, metavar="FILE")
    forms.add_argument("--zigzag", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--id", type=int)
    parser.add_argument("--machine", default="eyeriss_6x8")
    parser.add_argument("--backend", default="systemc", choices=["systemc", "rtl"])
    parser.add_argument("--dram", choices=_fovea.memories)
    parser.add_argument("--no-run", action="store_true")
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args(words)
    machine = as_machine(chosen.machine)
    if chosen.timeloop:
        shape, mapping, nest = timeloop.read(chosen.timeloop, machine)
        shape = complete_shape(shape)
        mapping = plan(machine, shape, mapping)
    else:
        shape, mapping, nest = read_zigzag(chosen.zigzag, machine, chosen.id)
    figures = timeloop_model.figures_of(nest)
    causes: dict[str, int] = {}
    call = None
    if not chosen.no_run:
        ran, call = run(machine, shape, mapping, chosen.backend, memory_name(machine, chosen.dram))
        (row,) = list(ran._table)
        causes = {cause: int(row[f"{cause}_cycles"]) for cause in MEANT}
    if chosen.json:
        accesses = {name: {key: each._asdict() for key, each in of.items()} for name, of in figures.accesses.items()}
        model = {"accesses": accesses, "cycles": figures.cycles, "total_cycles": figures.total_cycles}
        found = {"machine": machine.name, "shape": shape, "mapping": mapping, "timeloop": model, "causes": causes}
        print(json.dumps({**found, "accesses": call and call["accesses"]}, indent=2))
        return 0
    letters = " ".join(f"{name}={value}" for name, value in mapping.items() if name != "n")
    sizes = " ".join(f"{name}={value}" for name, value in shape.items() if value is not False)
    print(f"{sizes}\n{letters}")
    for line in report(figures, call, causes):
        print(line)
    return 0


def export_main(words: list[str]) -> int:
    """`fovea export --timeloop`; the exit status."""
    parser = _Parser(prog="fovea export", allow_abbrev=False)
    parser.add_argument("model")
    forms = parser.add_mutually_exclusive_group(required=True)
    forms.add_argument("--timeloop", action="store_true")
    forms.add_argument("--zigzag", action="store_true")
    parser.add_argument("--layer", required=True)
    parser.add_argument("--machine", default="eyeriss_6x8")
    parser.add_argument("--optimize", default="cycles", choices=_fovea.objectives)
    parser.add_argument("--slack", type=int, default=2)
    parser.add_argument("-o", "--output", type=Path)
    chosen = parser.parse_args(words)
    machine = as_machine(chosen.machine)
    net = compile_network(chosen.model, machine, optimize=chosen.optimize, slack=chosen.slack)
    try:
        layer = net.layers[chosen.layer]
    except KeyError as error:
        raise UsageError(f"--layer {error.args[0]}") from None
    if not layer.on_device:
        raise UsageError(f"--layer {layer.name}: not on the accelerator: {layer.reason or 'it moves no data'}")
    folder = chosen.output or Path("output") / f"{net.name}_{layer.name}_{'timeloop' if chosen.timeloop else 'zigzag'}"
    calls = layer.details["calls"]
    for place, call in enumerate(calls):
        own = folder / str(place) if len(calls) > 1 else folder
        try:
            if chosen.timeloop:
                texts = timeloop.to_yaml(machine, call["shape"], call["mapping"])
            else:
                texts = zigzag.to_yaml(timeloop.nest_of(machine, call["shape"], call["mapping"]), layer.name)
        except MappingError as error:
            raise MappingError(f"--layer {layer.name}: {error}") from None
        own.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (own / name).write_text(text, encoding="utf-8")
    print(f"written to {folder}")
    return 0


def main(words: list[str]) -> int:
    """What a shell calls, `map` or `export` its first word; the exit status."""
    try:
        return (export_main if words[0] == "export" else map_main)(words[1:])
    except Error as error:
        for line in str(error).splitlines():
            print(f"fovea: {line}", file=sys.stderr)
        return 2 if isinstance(error, UsageError) else 1
