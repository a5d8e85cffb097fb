# SPDX-License-Identifier: Apache-2.0
"""Pictures of the ten CIFAR-10 classes for a network, and how one learns them."""
import argparse
import os
import time

import numpy as np
import torch
import torch.nn.functional as F

from cifar10 import load
from render_samples import CLASSES, render

MEAN = torch.tensor([0.4914, 0.4822, 0.4465]).view(1, 3, 1, 1)
STD = torch.tensor([0.247, 0.243, 0.261]).view(1, 3, 1, 1)
BATCH = 128
FIRST_LEARNED = 1000  # Drawn pictures with seeds below stay unseen.


def draw(first, each):
    """(pictures [N,32,32,3] uint8, labels [N]): `each` drawn pictures of each class, their seeds from `first` on."""
    classes = range(len(CLASSES))
    return np.stack([render(c, first + i) for i in range(each) for c in classes]), np.tile(classes, each)


def scale(pixels):
    """0 to 255 -> normalized, float32 [N,3,32,32]."""
    return (pixels / 255 - MEAN) / STD


def normalize(pictures):
    """uint8 [N,32,32,3] numpy -> float32 [N,3,32,32]."""
    return scale(torch.from_numpy(pictures).permute(0, 3, 1, 2).float())


def shift_and_flip(pictures, mode):
    """Shifts by up to 4 pixels, and flips half of the pictures. uint8 -> float32 [N,3,32,32]. :param mode: F.pad's, of
    the pixels that come in"""
    n, ar = len(pictures), torch.arange(32)
    padded = F.pad(pictures.float(), (4, 4, 4, 4), mode=mode)
    oy, ox = torch.randint(0, 9, (n, 1)) + ar, torch.randint(0, 9, (n, 1)) + ar
    flip = torch.rand(n) < 0.5
    ox[flip] = ox[flip].flip(1)
    return padded.permute(0, 2, 3, 1)[torch.arange(n)[:, None, None], oy[:, :, None], ox[:, None, :]].permute(
        0, 3, 1, 2
    )


def accuracy(answer, pictures, labels):
    """:param answer: normalized pictures -> logits"""
    right = sum(
        (answer(normalize(pictures[i : i + 500])).argmax(1) == torch.from_numpy(labels[i : i + 500])).sum().item()
        for i in range(0, len(pictures), 500)
    )
    return right / len(pictures)


def train(doc, epochs, networks, augment, groups, write, rate, rise, smoothing=0.0):
    """The program of a script: DATA NETWORK OUT, where there are several `networks`, {name: what makes one}. SGD in one
    cycle of the learning rate.

    augment: uint8 [N,3,32,32] -> normalized float32. groups: net -> parameter groups with their weight decay.
    write(net, path). rate: the highest, reached after the part `rise` of all steps.
    """
    ap = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("data", *(["network"] if len(networks) > 1 else []), "out"):
        ap.add_argument(name, choices=list(networks) if name == "network" else None)
    ap.add_argument("--epochs", type=int, default=epochs)
    a = ap.parse_args()
    torch.set_num_threads(os.cpu_count())
    torch.manual_seed(0)
    x, y = (torch.from_numpy(np.concatenate(pair)) for pair in zip(load(a.data, "train"), draw(FIRST_LEARNED, 500)))
    x = x.permute(0, 3, 1, 2).contiguous()
    test, unseen = load(a.data, "test"), draw(0, 50)
    net = networks[getattr(a, "network", None) or next(iter(networks))]().to(memory_format=torch.channels_last)
    steps = len(x) // BATCH
    opt = torch.optim.SGD(groups(net), lr=0.1, momentum=0.9, nesterov=True)
    sched = torch.optim.lr_scheduler.OneCycleLR(
        opt, rate, total_steps=a.epochs * steps, pct_start=rise, div_factor=10, final_div_factor=100
    )
    start = time.time()
    for epoch in range(1, a.epochs + 1):
        order = torch.randperm(len(x))
        for s in range(steps):
            idx = order[s * BATCH : (s + 1) * BATCH]
            with torch.autocast("cpu", dtype=torch.bfloat16):
                logits = net(augment(x[idx]).to(memory_format=torch.channels_last))
            loss = F.cross_entropy(logits.float(), y[idx], label_smoothing=smoothing)
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
        if epoch % 5 == 0 or epoch in (1, a.epochs):
            net.eval()
            with torch.no_grad():
                print(
                    (
                        f"epoch {epoch}/{a.epochs}  test {accuracy(net, *test):.4f}  drawn"
                        f" {accuracy(net, *unseen):.4f}  {time.time() - start:.0f} s"
                    ),
                    flush=True,
                )
            write(net, a.out)
            net.train()
