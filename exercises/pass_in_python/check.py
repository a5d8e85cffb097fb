# SPDX-License-Identifier: Apache-2.0
"""Solved: my_pass.py finds the two hard-swishes of net.fovea and nothing else, and the network computes the same."""
import ast

from exercise import NotSolved

TRY = """
import numpy as np
import fovea
from fovea import ir
from my_pass import find_hard_swish
graph = ir.load("net.fovea")
behind = find_hard_swish(graph)
x = np.linspace(-6, 6, 1024, dtype=np.float32).reshape(graph.inputs[0].shape)
context = fovea.PassContext(added=[find_hard_swish])
net = fovea.compile("net.fovea", target="cpu", passes=context)
apart = float(np.abs(net.run(x[0]).output - graph.run(x)[0][0]).max())
count = lambda of, *names: sum(node.op in names for node in of)
print(repr((count(behind, "hard_swish"), count(behind, "clip"), len(graph), len(behind), apart)))
"""


def check(task):
    [package] = task.needs("python")
    command = ["env", f"PYTHONPATH={package}:{task.folder}", "/usr/bin/python3", "-B", "-c", TRY]
    printed = task.must("my_pass.py does not run", *command)
    found, clips, before, behind, apart = ast.literal_eval(printed.splitlines()[-1])
    rows = f"hard_swish   {found} of 2\nother clips  {clips} of 2\nnodes        {before} before, {behind} behind"
    if (found, clips) != (2, 2):
        raise NotSolved(f"what the pass made of net.fovea\n{rows}")
    if apart > 1e-4:
        raise NotSolved(f"the network computes something else: {apart:g} apart")
    return f"{rows}\nthe answer is the same"
