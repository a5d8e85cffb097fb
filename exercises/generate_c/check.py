# SPDX-License-Identifier: Apache-2.0
"""Solved: the C of a network of dense layers compiles, and computes what the graph does; so it does for another one."""
import ast

from exercise import NotSolved

#: Sizes of the layers, bounds of the clip.
NETWORKS = [([6, 5, 3], (-1.0, 2.5)), ([3, 8, 8, 2], (0.0, 6.0))]

TRY = """
import ctypes, subprocess, sys
import numpy as np
from fovea import ir
import codegen
sizes, bounds = eval(sys.argv[1])
rng = np.random.default_rng(1)
numbers = lambda *shape: rng.normal(size=shape).astype(np.float32)
builder = ir.Builder()
node = builder.input("x", (1, sizes[0]))
for i, (given, made) in enumerate(zip(sizes, sizes[1:]), 1):
    node = builder.call("nn.dense", node, numbers(made, given), origin=f"fc{i}")
    node = builder.call("nn.bias_add", node, numbers(made), axis=1, origin=f"fc{i}/bias")
    node = builder.call("nn.relu", node, origin=f"fc{i}/relu") if i == 1 else node
graph = builder.finish([builder.call("clip", node, min=bounds[0], max=bounds[1], origin="clip")])
open("model.c", "w").write(codegen.generate(graph))
subprocess.run("cc -std=c11 -Wall -Werror -shared -fPIC model.c -o model.so".split(), check=True)
x, y = numbers(1, sizes[0]), np.zeros(sizes[-1], np.float32)
pointer = lambda array: array.ctypes.data_as(ctypes.c_void_p)
ctypes.CDLL("./model.so").model(pointer(x), pointer(y))
print(repr((y.tolist(), graph.run(x)[0].ravel().tolist())))
"""


def check(task):
    [package] = task.needs("python")
    rows = []
    for network in NETWORKS:
        command = ["env", f"PYTHONPATH={package}:{task.folder}", "/usr/bin/python3", "-B", "-c", TRY, repr(network)]
        ours, wanted = ast.literal_eval(task.must("codegen.py fails", *command).splitlines()[-1])
        apart = max(abs(a - b) for a, b in zip(ours, wanted))
        if not apart <= 1e-5:
            raise NotSolved(f"the C computes {ours}, the graph {wanted}")
        rows.append(f"{' - '.join(map(str, network[0]))}: as the graph")
    return "\n".join(rows)
