# SPDX-License-Identifier: Apache-2.0
"""Reads CIFAR-10: the official binary batches, or a folder train|test/<class>/*.png|jpg."""
import pathlib

import numpy as np
from PIL import Image

from render_samples import CLASSES


def load(root, split):
    """(pictures [N,32,32,3] uint8, labels [N] int64) of split 'train' or 'test' under `root`."""
    root = pathlib.Path(root)
    batches = sorted(root.glob("data_batch_*.bin" if split == "train" else "test_batch.bin"))
    if batches:
        rows = np.concatenate([np.fromfile(b, np.uint8).reshape(-1, 3073) for b in batches])
        return rows[:, 1:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1).copy(), rows[:, 0].astype(np.int64)
    pictures, labels = [], []
    for label, name in enumerate(CLASSES):
        for f in sorted((root / split / name).iterdir()):
            pictures.append(np.asarray(Image.open(f).convert("RGB")))
            labels.append(label)
    if not pictures:
        raise SystemExit(f"{root}: neither CIFAR-10 binary batches nor {split}/<class>/ folders")
    return np.stack(pictures), np.array(labels)
