# SPDX-License-Identifier: Apache-2.0
"""Solved: fuse.py makes each layer of VGG-8 that the compiler makes, and the C and the answer are the same."""
import ast

from exercise import NotSolved, ROOT

WANTED = {
    "qconv2d_relu_maxpool": 3,
    "qconv2d_relu": 2,
    "qlinear_relu": 2,
    "qlinear": 1,
    "flatten": 1,
    "quantize": 1,
    "dequantize": 1,
}

TRY = """
import collections, sys
import fovea
from fuse import FUSIONS
model, picture = sys.argv[1:]
theirs, ours = fovea.compile(model), fovea.compile(model, fusions=FUSIONS)
fused = collections.Counter(each.fusion.rpartition(".")[2] for each in ours.fusions if not each.why)
refused = [f"{each.node}: {each.fusion}: {each.why}" for each in ours.fusions if each.why]
classes = [net.classify(net.run(picture, backend="cpu"), top=10) for net in (theirs, ours)]
print(repr((dict(fused), refused, theirs.source == ours.source, *classes)))
"""


def check(task):
    model, picture = ROOT / "models/vgg8_cifar10_power2.onnx", ROOT / "models/samples/deer_9.png"
    [package] = task.needs("python")
    command = ["env", f"PYTHONPATH={package}:{task.folder}", "/usr/bin/python3", "-B", "-c", TRY, model, picture]
    printed = task.must("fuse.py does not run", *command)
    fused, refused, is_same_code, theirs, ours = ast.literal_eval(printed.splitlines()[-1])
    rows = [f"{name:21} {fused.get(name, 0)} of {count}" for name, count in WANTED.items()]
    if fused != WANTED:
        raise NotSolved("layers of VGG-8 that fuse.py makes\n" + "\n".join(rows + refused))
    if not is_same_code or theirs != ours:
        raise NotSolved("the C is not the compiler's own")
    return "\n".join([*rows, f"the C is the compiler's own; {ours[0][0]}: {ours[0][1]:.3%}"])
