# SPDX-License-Identifier: Apache-2.0
"""Solved: each layer, divided as mapper.py says, takes at most 1.2 times the cycles of the search's best, by the
counters of the SystemC model."""
import ast
import json

from exercise import NotSolved, ROOT

MACHINE = ROOT / "sim/spec/machines/eyeriss_6x8.json"
LETTERS = "C H W M R S U PAD".split()
LAYERS = [
    (32, 16, 16, 48, 3, 3, 1, 1),
    (192, 8, 8, 384, 3, 3, 1, 1),
    (6, 14, 14, 16, 5, 5, 1, 0),
    (16, 31, 31, 24, 3, 3, 2, 1),
    (64, 16, 16, 64, 1, 1, 1, 0),
    (1, 28, 28, 6, 5, 5, 1, 2),
]
MOST = 1.2  #: Times the search's cycles.

TRY = """
import sys
import fovea
from mapper import Layer, choose
machine = fovea.Machine.load(sys.argv[2])
print(repr([choose(Layer(*layer), machine)._asdict() for layer in eval(sys.argv[1])]))
"""


def shape_of(layer):
    """As the machine's layer command has it."""
    shape = dict(zip(LETTERS, layer))
    pad = shape.pop("PAD")
    pads = {f"pad_{side}": pad for side in ("top", "left", "bottom", "right")}
    return {**shape, "V": shape["U"], **pads, "pool": False, "scaled": False, "filter_scales": False}


def measure(task, layer, mapping):
    """(cycles, bytes of DRAM) of the layer; NotSolved with the reason where the machine can't be given the mapping."""
    [program, _] = task.needs("bin/measure_layers", "lib/fovea/libfovea_systemc.so")
    rows = (layer[1] + 2 * layer[7] - layer[4]) // layer[6] + 1
    whole = {"n": 1, "e_glb": rows, "filter_buffers": 2, "ifmap_resident": True, **mapping}
    request, answer = task.folder / "request.json", task.folder / "counters.json"
    request.write_text(json.dumps({"layers": [{"shape": shape_of(layer), "mapping": whole}]}))
    wanted = f"the machine can't run {mapping} on {describe(layer)}"
    task.must(wanted, program, "--machine", MACHINE, "--input", request, "--output", answer)
    counted = json.loads(answer.read_text())["layers"][0]
    return counted["cycles"], sum(counted[f"{name}_bytes"] for name in ("ifmap_read", "filter_read", "write"))


def describe(layer):
    return " ".join(f"{letter}={size}" for letter, size in zip(LETTERS, layer))


def best(task, layer):
    """The search's cycles."""
    [foveac] = task.needs("bin/foveac")
    words = "--best", 1, "--json", "--machine", MACHINE
    return json.loads(task.must("no mapping is found", foveac, "map", "--shape", describe(layer), *words))["layers"][0][
        "best"
    ][0]


def check(task):
    [package] = task.needs("python")
    command = ["env", f"PYTHONPATH={package}:{task.folder}", "/usr/bin/python3", "-B", "-c", TRY, repr(LAYERS), MACHINE]
    chosen = ast.literal_eval(task.must("mapper.py does not run", *command).splitlines()[-1])
    rows, is_slow = [], False
    for layer, mapping in zip(LAYERS, chosen):
        cycles, read = measure(task, layer, mapping)
        times = cycles / best(task, layer)["cycles"]
        is_slow |= times > MOST
        letters = " ".join(f"{letter}={size}" for letter, size in mapping.items())
        mark = "   <- too slow" if times > MOST else ""
        rows.append(f"{describe(layer):42} {letters:30} {cycles:>10,} {read:>9,} {times:>6.2f}{mark}")
    head = f"{'layer':42} {'mapping':30} {'cycles':>10} {'bytes':>9} {'times the best':>6}"
    table = "\n".join([head, *rows])
    if is_slow:
        raise NotSolved(f"a layer may take {MOST} times the cycles of the search's best\n{table}")
    return table
