# SPDX-License-Identifier: Apache-2.0
"""Solved: cut as mapping.json says, the layer stays within three limits, by the counters of the SystemC model."""
import json

from exercise import NotSolved, ROOT

MACHINE = ROOT / "sim/spec/machines/eyeriss_6x8.json"
# What is counted, and the most that it may be.
LIMITS = {"cycles": 76_000, "DRAM bytes": 34_496, "GLB words": 146_000}


def measure(task, record):
    """{what is counted: how much} of the layer; NotSolved with the reason where the machine can't be given the
    mapping."""
    [program, _] = task.needs("bin/measure_layers", "lib/fovea/libfovea_systemc.so")
    request, answer = task.folder / "request.json", task.folder / "counters.json"
    request.write_text(json.dumps({"layers": [{"shape": record["shape"], "mapping": record["mapping"]}]}))
    task.must("the machine can't run it", program, "--machine", MACHINE, "--input", request, "--output", answer)
    counters = json.loads(answer.read_text())["layers"][0]
    return {
        "cycles": counters["cycles"],
        "DRAM bytes": counters["ifmap_read_bytes"] + counters["filter_read_bytes"] + counters["write_bytes"],
        "GLB words": counters["glb_read_words"] + counters["glb_write_words"],
    }


def check(task):
    [foveac] = task.needs("bin/foveac")
    printed = task.must("foveac does not take it", foveac, "layer.fovea", "-o", "net", "--records", "mapping.json")
    records = json.loads((task.folder / "mapping.json").read_text())["records"]
    counted = measure(task, records[0])
    if len(records) != 1 or ", recorded\n" not in printed:
        raise NotSolved(
            f"foveac maps the layer by itself: of mapping.json only the mapping is yours to change\n{printed}"
        )
    rows = [
        f"{name:10} {counted[name]:>9,}, at most {most:>6,}{'' if counted[name] <= most else '   <- too many'}"
        for name, most in LIMITS.items()
    ]
    if any(counted[name] > most for name, most in LIMITS.items()):
        raise NotSolved("the layer takes\n" + "\n".join(rows))
    return "\n".join(rows)
