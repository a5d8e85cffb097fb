# SPDX-License-Identifier: Apache-2.0
"""Trains VGG-8 on CIFAR-10 plus drawn pictures of the same classes; writes its float weights.

    python3 train_vgg8.py CIFAR10_FOLDER net.pt --epochs 30

bfloat16 convolutions on the CPU: about 75 s an epoch on two cores with AMX. The network is five 3x3
convolutions with batch norm (64, 192, 384, 256, 256 channels; 2x2 max-pool after the first, second and
fifth) and fully connected layers of 256, 128 and 10.
"""
import torch
import torch.nn as nn

from training import scale, shift_and_flip, train


def vgg8():
    def block(i, o, pool):
        return [nn.Conv2d(i, o, 3, padding=1, bias=False), nn.BatchNorm2d(o), nn.ReLU()] + (
            [nn.MaxPool2d(2)] if pool else []
        )

    net = nn.Sequential(
        *block(3, 64, 1),
        *block(64, 192, 1),
        *block(192, 384, 0),
        *block(384, 256, 0),
        *block(256, 256, 1),
        nn.Flatten(),
        nn.Dropout(0.4),
        nn.Linear(4096, 256),
        nn.ReLU(),
        nn.Dropout(0.3),
        nn.Linear(256, 128),
        nn.ReLU(),
        nn.Linear(128, 10)
    )
    for m in net:
        if isinstance(m, (nn.Conv2d, nn.Linear)):
            nn.init.kaiming_normal_(m.weight, nonlinearity="relu")
    return net


def augment(pictures):
    """Blanks an 8x8 square in half of the pictures too."""
    n, ar = len(pictures), torch.arange(32)
    out = shift_and_flip(pictures, "reflect")
    cy, cx, on = torch.randint(0, 25, (n, 1)), torch.randint(0, 25, (n, 1)), (torch.rand(n) < 0.5)[:, None]
    hole = ((ar[None] >= cy) & (ar[None] < cy + 8) & on)[:, :, None] & ((ar[None] >= cx) & (ar[None] < cx + 8))[
        :, None, :
    ]
    return scale(torch.where(hole[:, None], torch.tensor(120.0), out))


def parameter_groups(net):
    return [{"params": net.parameters(), "weight_decay": 5e-4}]


def write(net, path):
    torch.save(net.state_dict(), path)


if __name__ == "__main__":
    train(__doc__, 30, {"vgg8": vgg8}, augment, parameter_groups, write, rate=0.12, rise=0.25, smoothing=0.05)
