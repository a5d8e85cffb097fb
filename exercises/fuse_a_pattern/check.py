# SPDX-License-Identifier: Apache-2.0
"""Solved: the golden texts of convolutions with a max-pool hold, and VGG-8 runs on the accelerator alone, its answer
unchanged."""
import json
import re
import shlex

from exercise import NotSolved, ROOT

MODEL = ROOT / "models/vgg8_cifar10_power2.onnx"
PICTURE = ROOT / "models/samples/deer_9.png"
MACHINE = ROOT / "sim/spec/machines/eyeriss_6x8.json"


def check_golden_texts(task, foveac):
    """What is a layer, and what must not be one: texts that the repository has of it."""
    for text in sorted((ROOT / "compiler/test/patterns").glob("*maxpool*.txt")):
        given, _, expected = text.read_text().partition("// ---- expected\n")
        graph = task.folder / "build" / text.name
        graph.write_text(given)
        options = shlex.split(re.match(r"// RUN: foveac (.*) %s", given)[1])
        _, printed = task.run(foveac, *options, graph)
        if printed != expected:
            raise NotSolved(
                f"build/release/bin/foveac {' '.join(options)} build/{text.name}\nprints\n{printed}and should"
                f" print\n{expected}"
            )


def compile_and_run(task, foveac, target):
    """(layers, the run as test_dla or test_cpu describes it) of VGG-8."""
    net = task.folder / "build/vgg8" / target
    table = task.compile(foveac, MODEL, net, "--target", target)
    program, _ = task.needs(f"bin/test_{target}", "lib/fovea/libfovea_systemc.so")
    options = ["--machine", MACHINE, "--backend", "systemc"] if target == "dla" else []
    printed = task.must(
        f"it does not run on the {target}",
        program,
        "--net",
        net,
        "--model",
        MODEL,
        "--image",
        PICTURE,
        "--json",
        *options,
    )
    return table, json.loads(printed)


def check(task):
    foveac = task.make("foveac") / "bin/foveac"
    table, on_device = compile_and_run(task, foveac, "dla")
    apart = re.findall(r"^(\S+) +maxpool ", table, re.M)
    if apart:
        raise NotSolved(f"{', '.join(apart)}: still layers of their own in VGG-8\n{table}")
    check_golden_texts(task, foveac)
    _, on_cpu = compile_and_run(task, foveac, "cpu")
    if on_device["classes"] != on_cpu["classes"]:
        raise NotSolved("the accelerator answers otherwise than the CPU")
    return f"VGG-8: {on_device['device']['cycles']:,} cycles, and the answer of the CPU"
