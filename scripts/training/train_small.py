# SPDX-License-Identifier: Apache-2.0
"""Trains a small residual or depthwise network on CIFAR-10 plus drawn pictures of the same classes; writes it as float
ONNX.

    python3 train_small.py CIFAR10_FOLDER resnet8|mobilenet_v2 net.onnx --epochs 40

Batch norms are folded into the convolutions by the export. Input float32 [N,3,32,32], normalized as for VGG-8; output
ten logits.
"""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import scale, shift_and_flip, train


def augment(pictures):
    """Small networks underfit, so nothing stronger."""
    return scale(shift_and_flip(pictures, "constant"))


class ReLU6(nn.Module):
    """clamp(x, 0, 6): PyTorch's own has no bfloat16 gradient on the CPU."""

    def forward(self, x):
        return x.clamp(0, 6)


def conv(i, o, k, stride=1, groups=1, act=None):
    layers = [nn.Conv2d(i, o, k, stride, k // 2, groups=groups, bias=False), nn.BatchNorm2d(o)]
    return nn.Sequential(*layers, *([act()] if act else []))


class Residual(nn.Module):
    """relu(conv3x3(relu(conv3x3(x))) + skip(x)), He et al. 2016; a 1x1 convolution on the skip where shapes differ."""

    def __init__(self, i, o, stride):
        super().__init__()
        self.body = nn.Sequential(conv(i, o, 3, stride, act=nn.ReLU), conv(o, o, 3))
        self.skip = nn.Identity() if i == o and stride == 1 else conv(i, o, 1, stride)

    def forward(self, x):
        return F.relu(self.body(x) + self.skip(x))


class Inverted(nn.Module):
    """1x1 expansion, 3x3 depthwise, 1x1 projection, Sandler et al. 2018; added to x where shapes agree."""

    def __init__(self, i, o, stride, t):
        super().__init__()
        wide = i * t
        self.body = nn.Sequential(
            *([conv(i, wide, 1, act=ReLU6)] if t > 1 else []),
            conv(wide, wide, 3, stride, groups=wide, act=ReLU6),
            conv(wide, o, 1)
        )
        self.add = i == o and stride == 1

    def forward(self, x):
        return x + self.body(x) if self.add else self.body(x)


def resnet8():
    return nn.Sequential(
        conv(3, 16, 3, act=nn.ReLU),
        Residual(16, 16, 1),
        Residual(16, 32, 2),
        Residual(32, 64, 2),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(64, 10),
    )


def mobilenet_v2():
    blocks, i = [conv(3, 16, 3, act=ReLU6)], 16
    for t, o, n, stride in [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 2, 2), (6, 64, 2, 2)]:
        for k in range(n):
            blocks.append(Inverted(i, o, stride if k == 0 else 1, t))
            i = o
    return nn.Sequential(*blocks, conv(i, 256, 1, act=ReLU6), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(256, 10))


def parameter_groups(net):
    return [
        {"params": [p for p in net.parameters() if (p.ndim > 1) == (decay > 0)], "weight_decay": decay}
        for decay in (2e-4, 0)
    ]


def write(net, path):
    torch.onnx.export(
        net,
        torch.zeros(1, 3, 32, 32),
        path,
        opset_version=13,
        input_names=["input"],
        output_names=["logits"],
        dynamic_axes={"input": {0: "N"}, "logits": {0: "N"}},
    )


if __name__ == "__main__":
    train(
        __doc__,
        40,
        {"resnet8": resnet8, "mobilenet_v2": mobilenet_v2},
        augment,
        parameter_groups,
        write,
        rate=0.2,
        rise=0.2,
    )
