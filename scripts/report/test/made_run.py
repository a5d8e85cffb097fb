# SPDX-License-Identifier: Apache-2.0
"""A small run for tests: two layers on a 6 x 8 machine, with figures that can be checked in the head."""
import csv
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import spec

MACHINE = {
    "name": "small",
    "rows": 6,
    "cols": 8,
    "glb_bytes": 65536,
    "glb_bank_bytes": 2048,
    "bus_bytes": 4,
    "psum_lanes": 1,
    "ifmap_bytes_per_cycle": 4,
    "filter_bytes_per_cycle": 4,
    "clock_mhz": 200,
    "energy": {"mac": 1, "spad": 1, "pe": 2, "glb": 6, "dram": 200},
}
COST = {
    "machine": "small",
    "memories": [
        {"name": "GLB banks", "count": 32, "words": 512, "bits": 32},
        {"name": "filter spads", "count": 48, "words": 24, "bits": 32},
    ],
    "memory_bits": 561152,
    "gates": {"PEs": 300000, "control": 100000},
    "all_gates": 400000,
    "model": {"fitted_to": 5, "checked_on": 3, "worst_percent": 6.5},
    "pe_bytes": {"ifmap_spad": 24, "filter_spad": 96, "psum": 4, "a_pe": 124, "all_pes": 5952},
    "chip": {"gates": 1176000, "sram_bytes": 185856},
    "access_energy": {
        "mac": 0.25,
        "ifmap_spad": 0.5,
        "filter_spad_write": 2,
        "filter_spad_read": 3,
        "operand_hop": 1,
        "psum_hop": 4,
        "glb_word": 6,
        "dram_byte": 100,
    },
}


def csv_row(name, **changes):
    """One layer: 8 channels and 16 filters of 3x3 on 8x8, whose causes and tensors add up."""
    row = {column: 0 for column in spec.COLUMNS}
    row.update(
        {
            "Operation": "qconv2d_relu",
            "Cycles": 2000,
            "Time(ns)": 10000,
            "Memory read": 1792,
            "Memory write": 1024,
            "m": 16,
            "e": 8,
            "p": 4,
            "q": 4,
            "r": 2,
            "t": 1,
            "PAD": 1,
            "pad_left": 1,
            "pad_bottom": 1,
            "pad_right": 1,
            "U": 1,
            "V": 1,
            "R": 3,
            "S": 3,
            "C": 8,
            "M": 16,
            "W": 8,
            "H": 8,
            "layer": name,
            "backend": "rtl",
            "machine": "small",
            "dram": "pipelined",
            "rounding": "nearest_even",
            "macs": 73728,
            "mac_utilization": 0.768,
            "compute_cycles": 1536,
            "psum_cycles": 300,
            "dram_cycles": 100,
            "control_cycles": 64,
            "ifmap_read_bytes": 512,
            "filter_read_bytes": 1280,
            "write_bytes": 1024,
            "read_bursts": 12,
            "write_bursts": 16,
            "glb_read_words": 320 + 1024 + 2048 + 600,
            "glb_write_words": 448 + 1024 + 2048,
            "passes": 4,
            "e_glb": 8,
            "ifmap_resident": 1,
            "filter_buffers": 2,
            "predicted_cycles": 1900,
        }
    )
    row.update(changes)
    return row


def cpu_row(name, cycles, macs=0):
    """A layer on the CPU: cells that say something of the device are empty."""
    return {column: "" for column in spec.COLUMNS} | {
        "Operation": name,
        "Cycles": cycles,
        "Time(ns)": 5 * cycles,
        "layer": name,
        "backend": "cpu",
        "machine": "small",
        "macs": macs,
    }


def call(name, **changes):
    """The compiler's plan for csv_row()."""
    plan = {
        "name": name,
        "shape": {
            "C": 8,
            "H": 8,
            "W": 8,
            "M": 16,
            "R": 3,
            "S": 3,
            "U": 1,
            "V": 1,
            "pad_top": 1,
            "pad_left": 1,
            "pad_bottom": 1,
            "pad_right": 1,
            "pool": False,
        },
        "mapping": {
            "m": 16,
            "n": 1,
            "e": 8,
            "p": 4,
            "q": 4,
            "r": 2,
            "t": 1,
            "e_glb": 8,
            "ifmap_resident": True,
            "filter_buffers": 2,
        },
        "array": {
            "E": 8,
            "F": 8,
            "folds": 1,
            "fold_rows": 3,
            "e_tiles": 1,
            "m_tiles": 1,
            "c_chunks": 1,
            "sets": [
                {"row": 0, "col": 0, "filter_set": 0, "channel_set": 0},
                {"row": 3, "col": 0, "filter_set": 0, "channel_set": 1},
            ],
        },
        "glb": {"ifmap": [0, 8192], "filter": [8192, 2048], "psum": [10240, 4096], "out": [14336, 2048]},
        "accesses": {
            "mac": 80000,
            "spad": {"ifmap": 120000, "filter": 110000},
            "pe": {"ifmap": 40000, "filter": 30000, "psum": 20000},
            "glb_reads": {"ifmap": 600, "filter": 320, "psum": 2048, "output": 1024},
            "glb_writes": {"ifmap": 128, "filter": 320, "psum": 2048, "output": 1024},
        },
        "predicted_cycles": 1900,
        "predicted_causes": {
            "compute": 1536,
            "psum": 250,
            "filter": 0,
            "ifmap": 0,
            "dram": 0,
            "output": 50,
            "control": 64,
        },
        "predicted_dram_read_bytes": 1792,
        "predicted_dram_write_bytes": 1024,
    }
    plan.update(changes)
    return plan


def summary():
    def layer(name, source, target, reason="", calls=()):
        return {
            "name": name,
            "composite": "qconv2d_relu" if calls else name,
            "onnx": f"/{name}",
            "target": target,
            "reason": reason,
            "calls": list(calls),
            "input": {"type": "uint8", "shape": [16, 8, 8], "from": source},
        }

    return {
        "model": "made",
        "machine": "small",
        "arena_bytes": 2048,
        "naive_arena_bytes": 2560,
        "arena_alignment": 16,
        "layers": [
            layer("quantize", "input", "cpu", "the CPU converts"),
            layer("conv1", "quantize", "dla", "", [call("conv1")]),
            layer("conv2", "conv1", "dla", "", [call("conv2")]),
        ],
        "arena": [
            {"name": "quantize", "offset": 1024, "bytes": 512, "first": 0, "last": 1},
            {"name": "conv1", "offset": 0, "bytes": 1024, "first": 1, "last": 2},
            {"name": "conv2", "offset": 1024, "bytes": 1024, "first": 2, "last": 2},
        ],
    }


def graph():
    """about() of a residual network with two inputs and two outputs: conv1 is read by conv2 and by the sum after it."""
    facts = about()
    tensor = {"type": "uint8", "shape": [16, 8, 8]}

    def on_cpu(name, reason, *sources):
        inputs = [{**tensor, "from": source} for source in sources]
        return {
            "name": name,
            "composite": name.rstrip("12"),
            "onnx": f"/{name}",
            "target": "cpu",
            "reason": reason,
            "input": inputs[0],
            "output": tensor,
            **({"inputs": inputs} if len(inputs) > 1 else {}),
        }

    made = facts["summary"]
    conv1, conv2 = made["layers"][1:]
    conv1["input"] = {**tensor, "from": "quantize1"}
    made["layers"] = [
        on_cpu("quantize1", "the CPU converts", "a"),
        on_cpu("quantize2", "the CPU converts", "b"),
        conv1,
        conv2,
        on_cpu("add", "the CPU adds", "conv1", "conv2"),
        on_cpu("dequantize1", "the CPU converts", "add"),
        on_cpu("dequantize2", "the CPU converts", "quantize2"),
    ]
    made["inputs"] = made["outputs"] = [{"name": "a", **tensor}, {"name": "b", **tensor}]
    made["arena"] = [
        {"name": name, "offset": offset, "bytes": 1024, "first": first, "last": last}
        for name, offset, first, last in (
            ("quantize1", 0, 0, 2),
            ("quantize2", 1024, 1, 6),
            ("conv1", 2048, 2, 4),
            ("conv2", 0, 3, 4),
            ("add", 3072, 4, 5),
        )
    ]
    made["arena_bytes"], made["naive_arena_bytes"] = 4096, 5120
    facts["answer"] = {"outputs": {"a": [1.0, 2.0], "b": [3.0]}}
    return facts


def about():
    return {
        "made_by": {"command": "make report", "commit": "abc", "versions": "foveac 1"},
        "settings": {"backend": "rtl", "DRAM": "pipelined"},
        "lists": {},
        "helps": [
            {
                "layer": "conv1",
                "cycles": 1900,
                "lost": 364,
                "helps": [
                    {"sizes": [{"field": "psum_lanes", "from": 1, "to": 2}], "cycles": 1600, "gates": 0.052},
                    {"sizes": [{"field": "rows", "from": 6, "to": 7}], "cycles": 1890, "gates": 0.07},
                ],
            },
            {"layer": "conv2", "cycles": 1900, "lost": 364, "helps": []},
        ],
        "answer": {
            "answer": "deer",
            "classes": [
                {"name": "deer", "logit": 1, "probability": 0.75},
                {"name": "cat", "logit": 0, "probability": 0.25},
            ],
        },
        "machine": MACHINE,
        "cost": COST,
        "summary": summary(),
    }


def batch():
    """(rows, about()) of two pictures at once: two commands of conv1, and one of conv2 for both."""
    facts = about()
    facts["summary"]["batch"] = 2
    facts["summary"]["layers"][1]["calls"][0]["commands"] = 2
    return [csv_row("conv1"), csv_row("conv1"), csv_row("conv2")], facts


def large(blocks=25, cols=8):
    """(rows, about()) of a network as deep as ResNet-50 and deeper: blocks of four convolutions, of which the last adds
    what went into the first."""
    facts = about()
    facts["machine"] = {**MACHINE, "cols": cols}
    made, source = facts["summary"], "conv1"
    made["layers"] = made["layers"][:2]
    for block in range(blocks):
        names = [f"layer{block // 6 + 1}_{block % 6}_conv{number}" for number in range(1, 5)]
        for name, read in zip(names, [source, *names]):
            layer = {
                "name": name,
                "composite": "qconv2d",
                "onnx": name,
                "target": "dla",
                "reason": "",
                "calls": [call(name)],
                "input": {"type": "uint8", "shape": [16, 8, 8], "from": read},
            }
            if name == names[-1]:
                layer["inputs"] = [layer["input"], {**layer["input"], "from": source}]
            made["layers"].append(layer)
        source = names[-1]
    made["arena"] = [
        {
            "name": layer["name"],
            "offset": 1024 * (at % 3),
            "bytes": 1024,
            "first": at,
            "last": min(at + 2, len(made["layers"]) - 1),
        }
        for at, layer in enumerate(made["layers"])
    ]
    made["arena_bytes"], made["naive_arena_bytes"] = 3072, 1024 * len(made["arena"])
    rows = [
        csv_row(layer["name"], Cycles=2000 + at, control_cycles=64 + at) for at, layer in enumerate(made["layers"][1:])
    ]
    return rows, facts


def write(folder, rows=None, facts=None):
    """Writes dla_info.csv and run.json into a folder."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "dla_info.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, spec.COLUMNS)
        writer.writeheader()
        writer.writerows(rows if rows is not None else [csv_row("conv1"), csv_row("conv2")])
    (folder / "run.json").write_text(json.dumps(facts if facts is not None else about()), encoding="utf-8")
    return folder
