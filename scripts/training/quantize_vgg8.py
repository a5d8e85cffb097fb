# SPDX-License-Identifier: Apache-2.0
"""Quantizes a trained VGG-8 to power-of-two scales and writes QDQ ONNX (opset 13).

    python3 quantize_vgg8.py CIFAR10_FOLDER net.pt vgg8_cifar10_power2.onnx

Activations uint8 with zero point 128, weights int8, biases int32; one scale 2^e a tensor. Each e starts at the least
mean squared error on a calibration set, then moves by one while that lowers the cross entropy of the integer network on
training pictures. Prints the accuracies of the integer network in both roundings.
"""
import argparse
import functools
import json
import os

import numpy as np
import onnx
import torch
import torch.nn.functional as F
from onnx import TensorProto, helper, numpy_helper

from cifar10 import load
from training import FIRST_LEARNED, accuracy, draw, normalize

NAMES = ["conv1", "conv2", "conv3", "conv4", "conv5", "fc6", "fc7", "fc8"]


def folded_layers(state):
    """The eight layers with batch norm folded into weights and biases (float64)."""
    layers = []
    for index, pool in zip([0, 4, 8, 11, 14], [True, True, False, False, True]):
        gamma, beta, mean, var = [
            state[f"{index + 1}.{n}"].double() for n in ("weight", "bias", "running_mean", "running_var")
        ]
        s = gamma / torch.sqrt(var + 1e-5)
        layers.append(
            dict(w=state[f"{index}.weight"].double() * s.view(-1, 1, 1, 1), b=beta - mean * s, relu=True, pool=pool)
        )
    linear = sorted({int(k.split(".")[0]) for k in state if k.endswith(".weight") and state[k].dim() == 2})
    for i, index in enumerate(linear):
        layers.append(
            dict(w=state[f"{index}.weight"].double(), b=state[f"{index}.bias"].double(), relu=i < 2, pool=False)
        )
    return layers


def float_outputs(layers, x):
    """Output of each layer after ReLU and before pooling; the last is the logits."""
    outs = []
    for l in layers:
        x = F.conv2d(x, l["w"], l["b"], padding=1) if l["w"].dim() == 4 else F.linear(x.flatten(1), l["w"], l["b"])
        x = F.relu(x) if l["relu"] else x
        outs.append(x)
        x = F.max_pool2d(x, 2) if l["pool"] else x
    return outs


def best_exponent(t):
    """e that minimizes the squared error of clamp(round(t / 2^e), -128, 127) * 2^e."""
    top = int(np.ceil(np.log2(t.abs().max().item() / 127 + 1e-30)))
    err = {
        e: ((torch.clamp(torch.round(t / 2.0**e), -128, 127) * 2.0**e - t) ** 2).mean().item()
        for e in range(top, top - 5, -1)
    }
    return min(err, key=err.get)


class Integer:
    """The integer network for exponents: `ein` of the input, `ew[i]` of weights, `eo[i]` of outputs."""

    def __init__(self, layers, ein, ew, eo):
        self.ein, self.ew, self.eo, self.layers = ein, ew, eo, []
        e = ein
        for l, w, o in zip(layers, ew, eo):
            self.layers.append(
                dict(
                    w=torch.clamp(torch.round(l["w"] / 2.0**w), -128, 127),
                    b=torch.round(l["b"] / 2.0 ** (e + w)),
                    shift=o - e - w,
                    ein=e,
                    relu=l["relu"],
                    pool=l["pool"],
                )
            )
            e = o

    def __call__(self, x, rounding="nearest_even"):
        """Logits minus their zero point, [N, 10]."""
        nearest = rounding == "nearest_even"
        q = torch.clamp((torch.round if nearest else torch.trunc)(x * 2.0**-self.ein), -128, 127)
        for l in self.layers:
            if l["w"].dim() == 4:  # float32 is exact here: partial sums stay under 2^24
                y = F.conv2d(q.float(), l["w"].float(), padding=1).double() + l["b"].view(1, -1, 1, 1)
            else:
                y = q.flatten(1).double() @ l["w"].T + l["b"]
            y = F.relu(y) if l["relu"] else y
            y = F.max_pool2d(y, 2) if l["pool"] else y
            q = torch.clamp((torch.round if nearest else torch.floor)(y * 2.0 ** -l["shift"]), -128, 127)
        return q


def write_onnx(net, path):
    nodes, constants = [], []

    def const(name, array):
        constants.append(numpy_helper.from_array(array, name))
        return name

    zp8, zi8, zi32 = (
        const("zero_point_u8", np.array(128, np.uint8)),
        const("zero_point_i8", np.array(0, np.int8)),
        const("zero_point_i32", np.array(0, np.int32)),
    )

    def qdq(x, e, tag):
        s = const(f"{tag}_scale", np.array(2.0**e, np.float32))
        nodes.append(helper.make_node("QuantizeLinear", [x, s, zp8], [f"{tag}_q"], f"{tag}/quantize"))
        nodes.append(helper.make_node("DequantizeLinear", [f"{tag}_q", s, zp8], [f"{tag}_dq"], f"{tag}/dequantize"))
        return f"{tag}_dq"

    x = qdq("input", net.ein, "input")
    for n, l, ew, eo in zip(NAMES, net.layers, net.ew, net.eo):
        ws, bs = const(f"{n}_weight_scale", np.array(2.0**ew, np.float32)), const(
            f"{n}_bias_scale", np.array(2.0 ** (l["ein"] + ew), np.float32)
        )
        w, b = const(f"{n}_weight", l["w"].numpy().astype(np.int8)), const(f"{n}_bias", l["b"].numpy().astype(np.int32))
        nodes.append(helper.make_node("DequantizeLinear", [w, ws, zi8], [f"{n}_weight_dq"], f"{n}/weight"))
        nodes.append(helper.make_node("DequantizeLinear", [b, bs, zi32], [f"{n}_bias_dq"], f"{n}/bias"))
        if n == "fc6":
            nodes.append(helper.make_node("Flatten", [x], ["flatten"], "flatten", axis=1))
            x = "flatten"
        operands = [x, f"{n}_weight_dq", f"{n}_bias_dq"]
        if l["w"].dim() == 4:
            nodes.append(
                helper.make_node("Conv", operands, [n], n, kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[1, 1])
            )
        else:
            nodes.append(helper.make_node("Gemm", operands, [n], n, transB=1))
        x = n
        if l["relu"]:
            nodes.append(helper.make_node("Relu", [x], [f"{n}_relu"], f"{n}/relu"))
            x = f"{n}_relu"
        x = qdq(x, eo, n)
        if l["pool"]:
            nodes.append(
                helper.make_node("MaxPool", [x], [f"{n}_pool"], f"{n}/maxpool", kernel_shape=[2, 2], strides=[2, 2])
            )
            x = qdq(f"{n}_pool", eo, f"{n}_pool")
    nodes[-1].output[0] = "output"
    graph = helper.make_graph(
        nodes,
        "vgg8_cifar10_power2",
        [helper.make_tensor_value_info("input", TensorProto.FLOAT, ["batch", 3, 32, 32])],
        [helper.make_tensor_value_info("output", TensorProto.FLOAT, ["batch", 10])],
        constants,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], producer_name="quantize_vgg8.py")
    model.ir_version = 7
    onnx.checker.check_model(model)
    onnx.save(model, path)


def main():
    ap = argparse.ArgumentParser(description=__doc__)
    for name in ("data", "weights", "out"):
        ap.add_argument(name)
    a = ap.parse_args()
    torch.set_grad_enabled(False)
    torch.set_num_threads(os.cpu_count())
    layers, rng = folded_layers(torch.load(a.weights)), np.random.default_rng(1)
    x, y = load(a.data, "train")
    drawn, drawn_labels = draw(FIRST_LEARNED, 40)
    pick = rng.permutation(len(x))
    cal = normalize(np.concatenate([x[pick[:800]], drawn[:200]])).double()
    fit_x, fit_y = np.concatenate([x[pick[800:2300]], drawn[200:]]), np.concatenate(
        [y[pick[800:2300]], drawn_labels[200:]]
    )
    ein, ew = best_exponent(cal), [best_exponent(l["w"]) for l in layers]
    eo = [best_exponent(o[:300]) for o in float_outputs(layers, cal)]

    def loss(ew, eo):
        return F.cross_entropy(
            Integer(layers, ein, ew, eo)(normalize(fit_x)).float() * 2.0 ** eo[-1], torch.from_numpy(fit_y)
        ).item()

    best = loss(ew, eo)
    for which in (eo, ew) * 2:
        for i in range(8):
            for d in (-1, 1):
                which[i] += d
                now = loss(ew, eo)
                if now < best - 1e-4:
                    best = now
                else:
                    which[i] -= d
    net = Integer(layers, ein, ew, eo)
    print("exponents: input", ein, "weights", ew, "outputs", eo, "shifts", [l["shift"] for l in net.layers])
    print(
        json.dumps(
            {
                rounding: {
                    name: accuracy(functools.partial(net, rounding=rounding), *pictures)
                    for name, pictures in (("cifar10_test", load(a.data, "test")), ("drawn_unseen_500", draw(0, 50)))
                }
                for rounding in ("nearest_even", "floor")
            }
        )
    )
    write_onnx(net, a.out)


if __name__ == "__main__":
    main()
