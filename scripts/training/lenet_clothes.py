# SPDX-License-Identifier: Apache-2.0
"""Draws gray pictures of FashionMNIST's ten classes, 28 x 28, and fits a LeNet to them, in some seconds.

    PYTHONPATH=build/release/python /usr/bin/python3 scripts/training/lenet_clothes.py FOLDER

writes FOLDER/pictures/<class>_<seed>.pgm, and lenet.fovea with lenet.json, a float network for fovea quantize. Shapes
stand for photographs, as those of FashionMNIST are not ours to ship. All but the last layer are random and fixed; the
last is the least-squares solution for drawn pictures of other seeds.
"""
import argparse
import json
import pathlib

import numpy as np

CLASSES = ["T-shirt", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot"]
SIDE, FINE = 28, 4  #: Pixels of a picture; each is the mean of FINE x FINE.
#: FashionMNIST's own, as its users normalize it.
MEAN, DEVIATION = 0.286, 0.353


def _box(x, y, left, top, right, bottom):
    return (left <= x) & (x <= right) & (top <= y) & (y <= bottom)


def _ellipse(x, y, cx, cy, rx, ry):
    return ((x - cx) / rx) ** 2 + ((y - cy) / ry) ** 2 <= 1


def _sleeves(x, y, length):
    """Two arms from the shoulders down and outwards."""
    return (np.abs(np.abs(x) - 0.42 - 0.28 * (y + 0.62)) < 0.13) & (-0.62 <= y) & (y <= -0.62 + length)


def _shapes(label, x, y):
    """(bright, dark) parts of a class, on coordinates from -1 to 1."""
    body, nothing = _box(x, y, -0.42, -0.65, 0.42, 0.7), np.zeros_like(x, bool)
    seam = (np.abs(x) < 0.04) & (y > -0.65)
    collar = (np.abs(x) < 0.2) & (y < -0.45) & (np.abs(x) < -0.3 - y)
    sole = _box(x, y, -0.8, 0.36, 0.8, 0.5)
    return {
        "T-shirt": (body | _sleeves(x, y, 0.45), collar),
        "Trouser": (_box(x, y, -0.35, -0.85, 0.35, 0.9), (np.abs(x) < 0.07) & (y > -0.45)),
        "Pullover": (body | _sleeves(x, y, 1.2), nothing),
        "Dress": ((np.abs(x) < 0.16 + 0.2 * (y + 0.9)) & (np.abs(y) < 0.9), nothing),
        "Coat": (_box(x, y, -0.45, -0.75, 0.45, 0.9) | _sleeves(x, y, 1.3), seam),
        "Sandal": (sole | (np.abs(np.abs(x) + 1.1 * y) < 0.12) & (-0.45 < y) & (y < 0.36), nothing),
        "Shirt": (body | _sleeves(x, y, 1.2), collar | ((np.abs(x) < 0.03) & (np.sin(14 * y) > 0))),
        "Sneaker": (sole | _box(x, y, -0.8, 0, -0.1, 0.4) | _ellipse(x, y, 0.1, 0.4, 0.7, 0.36) & (y < 0.4), nothing),
        "Bag": (_box(x, y, -0.75, -0.2, 0.75, 0.75) | (np.abs(np.hypot(x, 1.2 * y + 0.2) - 0.5) < 0.07), nothing),
        "Ankle boot": (sole | _box(x, y, -0.8, -0.75, -0.1, 0.4) | _box(x, y, -0.8, 0, 0.7, 0.4), nothing),
    }[CLASSES[label]]


def draw(label, seed):
    """One picture, [28, 28] uint8: bright on black, the same for the same seed."""
    rng = np.random.default_rng([seed, label])
    axis = (np.arange(SIDE * FINE) + 0.5) / (SIDE * FINE) * 2 - 1
    tilt, size = rng.normal(0, 0.06), rng.uniform(0.85, 1.05)
    x0, y0 = (axis[None, :] - rng.normal(0, 0.05)) / size, (axis[:, None] - rng.normal(0, 0.05)) / size
    x, y = np.cos(tilt) * x0 + np.sin(tilt) * y0, np.cos(tilt) * y0 - np.sin(tilt) * x0
    bright, dark = _shapes(label, x, y)
    fine = np.where(bright, rng.uniform(140, 240), 0) * (1 + 0.2 * np.sin(rng.uniform(0, 20) * y + 3 * x))
    fine = np.where(dark, rng.uniform(0, 60), fine)
    pixels = fine.reshape(SIDE, FINE, SIDE, FINE).mean((1, 3)) + rng.normal(0, 4, (SIDE, SIDE))
    return np.clip(pixels, 0, 255).astype(np.uint8)


def write_pgm(path, pixels):
    path.write_bytes(b"P5 %d %d 255\n" % pixels.shape[::-1] + pixels.tobytes())


def lenet(weights):
    """The network: [1, 1, 28, 28] to ten logits."""
    from fovea import ir  # Only pictures need no package.

    builder = ir.Builder()
    node = builder.input("input", (1, 1, SIDE, SIDE))
    for name, pad in (("conv1", 2), ("conv2", 0)):
        node = builder.call(
            "nn.conv2d", node, weights[name], strides=[1, 1], pads=[pad] * 4, dilations=[1, 1], groups=1, origin=name
        )
        node = builder.call("nn.relu", node, origin=f"{name}/relu")
        node = builder.call(
            "nn.max_pool2d",
            node,
            kernel=[2, 2],
            strides=[2, 2],
            pads=[0] * 4,
            dilations=[1, 1],
            ceil_mode=0,
            origin=f"{name}/pool",
        )
    node = builder.call("reshape", node, newshape=[1, 400], origin="flatten")
    node = builder.call("nn.relu", builder.call("nn.dense", node, weights["fc1"], origin="fc1"), origin="fc1/relu")
    node = builder.call("nn.dense", node, weights["fc2"], origin="fc2")
    return builder.finish([builder.call("nn.bias_add", node, weights["fc2_bias"], axis=1, origin="fc2")])


def features(weights, x):
    """What the last layer reads, [N, 84], of normalized pictures [N, 28, 28]."""
    x = x[:, None]
    for name, pad in (("conv1", 2), ("conv2", 0)):
        x = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
        windows = np.lib.stride_tricks.sliding_window_view(x, weights[name].shape[2:], (2, 3))
        x = np.maximum(np.einsum("nchwrs,mcrs->nmhw", windows, weights[name], optimize=True), 0)
        n, m, h, w = x.shape
        x = x.reshape(n, m, h // 2, 2, w // 2, 2).max((3, 5))
    return np.maximum(x.reshape(len(x), -1) @ weights["fc1"].T, 0)


def fit(seeds):
    """Weights of the network: random ones, and a last layer for drawn pictures of these seeds."""
    rng = np.random.default_rng(7)
    shapes = {"conv1": (6, 1, 5, 5), "conv2": (16, 6, 5, 5), "fc1": (84, 400)}
    weights = {
        name: (rng.normal(size=shape) * np.sqrt(2 / np.prod(shape[1:]))).astype(np.float32)
        for name, shape in shapes.items()
    }
    pictures = np.stack([draw(label, seed) for seed in seeds for label in range(len(CLASSES))])
    read = features(weights, (pictures.astype(np.float32) / 255 - MEAN) / DEVIATION)
    read = np.hstack([read, np.ones((len(read), 1))])
    wanted = np.tile(10 * np.eye(len(CLASSES)), (len(seeds), 1))
    last = np.linalg.solve(read.T @ read + np.eye(read.shape[1]), read.T @ wanted).astype(np.float32)
    return {**weights, "fc2": np.ascontiguousarray(last[:-1].T), "fc2_bias": last[-1]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=pathlib.Path, help="where pictures/, lenet.fovea and lenet.json go")
    parser.add_argument("--per-class", type=int, default=10, help="pictures of each class, seeds 0 to N-1")
    arguments = parser.parse_args()
    (arguments.folder / "pictures").mkdir(parents=True, exist_ok=True)
    for label, name in enumerate(CLASSES):
        for seed in range(arguments.per_class):
            write_pgm(arguments.folder / "pictures" / f"{name}_{seed}.pgm", draw(label, seed))
    lenet(fit(range(1000, 1060))).save(arguments.folder / "lenet.fovea")
    about = {"labels": CLASSES, "mean": MEAN, "std": DEVIATION}
    (arguments.folder / "lenet.json").write_text(json.dumps(about, indent=2) + "\n")


if __name__ == "__main__":
    main()
