#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Joins what a run of a network counted with its plan, its roof and its plan for the fewest DRAM bytes, as JSON:
describe_run.py NAME MODEL.onnx RUN.json NET_FOLDER LEAST_FOLDER RUN_US COMMIT."""
import json
import pathlib
import sys

import roofs

CAUSES = ("compute", "psum", "filter", "ifmap", "dram", "output", "control")
FLOAT_ENDS = ("quantize", "dequantize")


def add_up(plan, commands):
    """The layers of a plan that the device runs, each with the counters of its commands added up."""
    for layer in plan:
        if layer["target"] != "dla" or not layer.get("calls"):
            continue
        ran = [commands[call["name"]] for call in layer["calls"]]
        causes = {cause: sum(command[f"{cause}_cycles"] for command in ran) for cause in CAUSES}
        yield {
            "name": layer["onnx"],
            "macs": layer["macs"],
            "commands": len(ran),
            "cycles": sum(command["Cycles"] for command in ran),
            "bytes": sum(command["Memory read"] + command["Memory write"] for command in ran),
            "causes": causes,
        }


def predicted(plan):
    """The commands of a plan with what the compiler predicts of them."""
    calls = [call for layer in plan if layer["target"] == "dla" for call in layer.get("calls", ())]
    return {
        call["name"]: {
            "Cycles": call["predicted_cycles"],
            "Memory read": call["predicted_dram_read_bytes"],
            "Memory write": call["predicted_dram_write_bytes"],
            **{f"{cause}_cycles": call["predicted_causes"][cause] for cause in CAUSES},
        }
        for call in calls
    }


def join_riders(layers, roof):
    """The layers with what rides on another layer's roof (a pool, an addition) added to that layer, also where the
    device computes it by a command of its own."""
    carriers = {rider: layer.name for layer in reversed(roof) for rider in layer.riders}
    joined = {}
    for layer in sorted(layers, key=lambda layer: layer["name"] in carriers):
        carrier = joined.get(carriers.get(layer["name"]))
        if carrier is None:
            joined[layer["name"]] = layer
            continue
        for counted in ("macs", "commands", "cycles", "bytes"):
            carrier[counted] += layer[counted]
        carrier["causes"] = {cause: carrier["causes"][cause] + layer["causes"][cause] for cause in CAUSES}
    return [layer for layer in layers if layer["name"] in joined and joined[layer["name"]] is layer]


def figures(layer, machine):
    return {
        "cycles": layer.cycles(machine),
        "bytes": layer.read + layer.written,
        "macs": layer.macs,
        "is_convolution": layer.is_convolution,
    }


def describe(name, model, run, plan, least, run_us):
    machine, roof = roofs.read_machine(run["device"]["machine"]), roofs.read_layers(model)
    layers = join_riders(
        list(add_up(plan["layers"], {command["layer"]: command for command in run["device"]["layers"]})), roof
    )
    least_moved = {
        layer["name"]: {"bytes": layer["bytes"], "cycles": layer["cycles"]}
        for layer in join_riders(list(add_up(least["layers"], predicted(least["layers"]))), roof)
    }
    on_the_cpu = [
        layer for layer in plan["layers"] if layer["target"] == "cpu" and layer["composite"] not in FLOAT_ENDS
    ]
    by_name = {layer.name: layer for layer in roof}
    for layer in layers:
        if layer["name"] not in by_name:
            sys.exit(f"{name}: layer {layer['name']} of the device has no roof; known are {', '.join(by_name)}")
        layer["least"] = least_moved.get(layer["name"])
        layer["roof"] = figures(by_name[layer["name"]].without([other["onnx"] for other in on_the_cpu]), machine)
    return {
        "name": name,
        "machine": run["device"]["machine"],
        "backend": run["device"]["backend"],
        "dram": run["device"]["dram"],
        "macs": sum(layer.macs for layer in roof),
        "layers": layers,
        "roofs": [figures(layer, machine) for layer in roof],
        "cpu": [{"kind": layer["composite"], "name": layer["name"], "macs": layer["macs"]} for layer in on_the_cpu],
        "run_s": run_us / 1e6,
    }


def read(path):
    return json.loads(pathlib.Path(path).read_text())


def main(name, model, run, net, least, run_us, commit):
    plan, plan_of_least = (read(pathlib.Path(folder, pathlib.Path(model).stem + ".json")) for folder in (net, least))
    json.dump(
        describe(name, model, read(run), plan, plan_of_least, int(run_us)) | {"net": net, "commit": commit},
        sys.stdout,
        indent=1,
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
