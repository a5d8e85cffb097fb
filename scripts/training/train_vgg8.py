# SPDX-License-Identifier: Apache-2.0
"""Trains VGG-8 on CIFAR-10 plus drawn pictures of the same classes; writes its float weights.

    python3 train_vgg8.py CIFAR10_FOLDER net.pt --epochs 30

bfloat16 convolutions on the CPU: about 75 s an epoch on two cores with AMX. The network is five 3x3
convolutions with batch norm (64, 192, 384, 256, 256 channels; 2x2 max-pool after the first, second and
fifth) and fully connected layers of 256, 128 and 10.
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

MEAN = torch.tensor([0.4914, 0.4822, 0.4465]).view(1, 3, 1, 1)
STD = torch.tensor([0.247, 0.243, 0.261]).view(1, 3, 1, 1)
BATCH = 128


def vgg8():
    def block(i, o, pool):
        return [nn.Conv2d(i, o, 3, padding=1, bias=False), nn.BatchNorm2d(o), nn.ReLU()] + ([nn.MaxPool2d(2)] if pool else [])
    net = nn.Sequential(*block(3, 64, 1), *block(64, 192, 1), *block(192, 384, 0), *block(384, 256, 0), *block(256, 256, 1),
                        nn.Flatten(), nn.Dropout(.4), nn.Linear(4096, 256), nn.ReLU(), nn.Dropout(.3),
                        nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 10))
    for m in net:
        if isinstance(m, (nn.Conv2d, nn.Linear)):
            nn.init.kaiming_normal_(m.weight, nonlinearity="relu")
    return net.to(memory_format=torch.channels_last)


def normalize(pictures):
    """uint8 [N,32,32,3] numpy -> float32 [N,3,32,32]."""
    return (torch.from_numpy(pictures).permute(0, 3, 1, 2).float() / 255 - MEAN) / STD


def augment(batch):
    """Shift by up to 4 pixels, flip, and blank an 8x8 square in half of the pictures. uint8 [N,3,32,32] -> normalized float32."""
    n, ar = len(batch), torch.arange(32)
    padded = F.pad(batch.float(), (4, 4, 4, 4), mode="reflect")
    oy, ox = torch.randint(0, 9, (n, 1)) + ar, torch.randint(0, 9, (n, 1)) + ar
    flip = torch.rand(n) < .5
    ox[flip] = ox[flip].flip(1)
    out = padded.permute(0, 2, 3, 1)[torch.arange(n)[:, None, None], oy[:, :, None], ox[:, None, :]].permute(0, 3, 1, 2)
    cy, cx, on = torch.randint(0, 25, (n, 1)), torch.randint(0, 25, (n, 1)), (torch.rand(n) < .5)[:, None]
    hole = ((ar[None] >= cy) & (ar[None] < cy + 8) & on)[:, :, None] & ((ar[None] >= cx) & (ar[None] < cx + 8))[:, None, :]
    return (torch.where(hole[:, None], torch.tensor(120.), out) / 255 - MEAN) / STD


def accuracy(net, pictures, labels):
    net.eval()
    with torch.no_grad():
        right = sum((net(normalize(pictures[i:i + 500])).argmax(1) == torch.from_numpy(labels[i:i + 500])).sum().item()
                    for i in range(0, len(pictures), 500))
    net.train()
    return right / len(pictures)


def main():
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("data"), ap.add_argument("out"), ap.add_argument("--epochs", type=int, default=30)
    a = ap.parse_args()
    torch.set_num_threads(os.cpu_count())
    torch.manual_seed(0), np.random.seed(0)
    x, y = load(a.data, "train")
    drawn = np.stack([render(c, 1000 + i) for i in range(500) for c in range(10)])  # seeds below 1000 stay unseen
    x, y = np.concatenate([x, drawn]), np.concatenate([y, np.tile(np.arange(10), 500)])
    test = load(a.data, "test")
    xt, yt, net = torch.from_numpy(x).permute(0, 3, 1, 2).contiguous(), torch.from_numpy(y), vgg8()
    steps = len(xt) // BATCH
    opt = torch.optim.SGD(net.parameters(), lr=.1, momentum=.9, weight_decay=5e-4, nesterov=True)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, .12, total_steps=a.epochs * steps, pct_start=.25, div_factor=10, final_div_factor=100)
    start = time.time()
    for epoch in range(a.epochs):
        order = torch.randperm(len(xt))
        for s in range(steps):
            idx = order[s * BATCH:(s + 1) * BATCH]
            with torch.autocast("cpu", dtype=torch.bfloat16):
                logits = net(augment(xt[idx]).to(memory_format=torch.channels_last))
            loss = F.cross_entropy(logits.float(), yt[idx], label_smoothing=.05)
            opt.zero_grad(), loss.backward(), opt.step(), sched.step()
        if (epoch + 1) % 5 == 0 or epoch + 1 == a.epochs:
            print(f"epoch {epoch + 1}/{a.epochs}  test accuracy {accuracy(net, *test):.4f}  {time.time() - start:.0f} s", flush=True)
            torch.save(net.state_dict(), a.out)


if __name__ == "__main__":
    main()
