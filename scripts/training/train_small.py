# SPDX-License-Identifier: Apache-2.0
"""Trains a small residual or depthwise network on CIFAR-10 plus drawn pictures of the same classes; writes it as float ONNX.

    python3 train_small.py CIFAR10_FOLDER resnet8|mobilenet_v2 net.onnx --epochs 40

Batch norms are folded into the convolutions by the export. Input float32 [N,3,32,32], normalized as for VGG-8; output ten logits.
"""
import argparse
import os
import time

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from cifar10 import load
from render_samples import render
from train_vgg8 import accuracy, normalize

BATCH = 128


def augment(pictures):
    """Shift by up to 4 pixels and flip: small networks underfit, so nothing stronger. uint8 [N,32,32,3] tensor -> normalized float32 [N,3,32,32]."""
    n, ar = len(pictures), torch.arange(32)
    padded = F.pad(pictures.permute(0, 3, 1, 2).float(), (4, 4, 4, 4)).permute(0, 2, 3, 1)
    oy, ox = torch.randint(0, 9, (n, 1)) + ar, torch.randint(0, 9, (n, 1)) + ar
    flip = torch.rand(n) < .5
    ox[flip] = ox[flip].flip(1)
    return normalize(padded[torch.arange(n)[:, None, None], oy[:, :, None], ox[:, None, :]].numpy())


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
        self.body = nn.Sequential(*([conv(i, wide, 1, act=ReLU6)] if t > 1 else []),
                                  conv(wide, wide, 3, stride, groups=wide, act=ReLU6), conv(wide, o, 1))
        self.add = i == o and stride == 1

    def forward(self, x):
        return x + self.body(x) if self.add else self.body(x)


def resnet8():
    return nn.Sequential(conv(3, 16, 3, act=nn.ReLU), Residual(16, 16, 1), Residual(16, 32, 2), Residual(32, 64, 2),
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10))


def mobilenet_v2():
    blocks, i = [conv(3, 16, 3, act=ReLU6)], 16
    for t, o, n, stride in [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 2, 2), (6, 64, 2, 2)]:
        for k in range(n):
            blocks.append(Inverted(i, o, stride if k == 0 else 1, t))
            i = o
    return nn.Sequential(*blocks, conv(i, 256, 1, act=ReLU6), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(256, 10))


def main():
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("data"), ap.add_argument("network", choices=["resnet8", "mobilenet_v2"]), ap.add_argument("out")
    ap.add_argument("--epochs", type=int, default=40)
    a = ap.parse_args()
    torch.set_num_threads(os.cpu_count())
    torch.manual_seed(0), np.random.seed(0)
    x, y = load(a.data, "train")
    drawn = np.stack([render(c, 1000 + i) for i in range(500) for c in range(10)])  # seeds below 1000 stay unseen
    x, y = np.concatenate([x, drawn]), np.concatenate([y, np.tile(np.arange(10), 500)])
    test = load(a.data, "test")
    unseen = np.stack([render(c, i) for i in range(50) for c in range(10)]), np.tile(np.arange(10), 50)
    xt, yt = torch.from_numpy(x), torch.from_numpy(y)
    net = {"resnet8": resnet8, "mobilenet_v2": mobilenet_v2}[a.network]().to(memory_format=torch.channels_last)
    steps = len(xt) // BATCH
    decay = [p for p in net.parameters() if p.ndim > 1]
    rest = [p for p in net.parameters() if p.ndim <= 1]
    opt = torch.optim.SGD([{"params": decay, "weight_decay": 2e-4}, {"params": rest, "weight_decay": 0}], lr=.1, momentum=.9, nesterov=True)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, .2, total_steps=a.epochs * steps, pct_start=.2, div_factor=10, final_div_factor=100)
    start = time.time()
    for epoch in range(a.epochs):
        order = torch.randperm(len(xt))
        for s in range(steps):
            idx = order[s * BATCH:(s + 1) * BATCH]
            with torch.autocast("cpu", dtype=torch.bfloat16):
                logits = net(augment(xt[idx]).to(memory_format=torch.channels_last))
            loss = F.cross_entropy(logits.float(), yt[idx])
            opt.zero_grad(), loss.backward(), opt.step(), sched.step()
        if (epoch + 1) % 5 == 0 or epoch == 0 or epoch + 1 == a.epochs:
            print(f"epoch {epoch + 1}/{a.epochs}  test {accuracy(net, *test):.4f}  drawn {accuracy(net, *unseen):.4f}  {time.time() - start:.0f} s", flush=True)
            net.eval()
            torch.onnx.export(net, torch.zeros(1, 3, 32, 32), a.out, opset_version=13, input_names=["input"], output_names=["logits"],
                              dynamic_axes={"input": {0: "N"}, "logits": {0: "N"}})
            net.train()


if __name__ == "__main__":
    main()
