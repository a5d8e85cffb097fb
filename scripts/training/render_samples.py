# SPDX-License-Identifier: Apache-2.0
"""Draws small pictures of the ten CIFAR-10 classes, from a seed.

Each picture is drawn as vector shapes at 128x128, with random colours, pose,
background, light and noise, then reduced to 32x32 RGB.
"""
import argparse
import pathlib

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

CLASSES = ["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"]
S = 128


def _jit(rng, c, a=18):
    return tuple(int(np.clip(v + rng.integers(-a, a + 1), 0, 255)) for v in c)


def _pick(rng, cs, a=18):
    return _jit(rng, cs[rng.integers(len(cs))], a)


def _background(rng, kind):
    top, bot = {
        "sky": ((120, 170, 230), (190, 215, 245)),
        "sea": ((150, 190, 230), (60, 110, 160)),
        "road": ((175, 190, 205), (120, 118, 115)),
        "grass": ((150, 185, 150), (85, 125, 60)),
        "room": ((190, 175, 160), (140, 115, 95)),
        "wood": ((95, 115, 80), (110, 95, 60)),
        "leaf": ((70, 100, 50), (100, 120, 60)),
    }[kind]
    top, bot = np.array(_jit(rng, top, 30), float), np.array(_jit(rng, bot, 30), float)
    y = np.linspace(0, 1, S)[:, None, None]
    if kind in ("sea", "road", "grass"):
        h = rng.uniform(0.35, 0.65)
        y = 1 / (1 + np.exp(-(y - h) * rng.uniform(12, 40)))
    img = np.broadcast_to(top * (1 - y) + bot * y, (S, S, 3)).copy()
    low = rng.normal(0, 14, (8, 8, 3)).astype(np.float32)
    img += np.stack([np.asarray(Image.fromarray(low[..., k]).resize((S, S), Image.BICUBIC)) for k in range(3)], -1)
    return Image.fromarray(np.clip(img, 0, 255).astype(np.uint8))


def _ell(d, x, y, rx, ry, c):
    d.ellipse([x - rx, y - ry, x + rx, y + ry], fill=c)


def airplane(d, rng):
    c = _pick(rng, [(235, 235, 240), (150, 155, 165), (90, 95, 105)])
    e = _jit(rng, tuple(int(v * 0.7) for v in c))
    d.polygon([(14, 66), (30, 58), (104, 56), (118, 62), (104, 70), (30, 72)], fill=c)
    d.polygon([(52, 64), (76, 64), (58, 104), (46, 104)], fill=e)
    d.polygon([(56, 60), (74, 60), (50, 28), (42, 30)], fill=e)
    d.polygon([(14, 64), (28, 62), (20, 38), (10, 38)], fill=e)


def automobile(d, rng):
    c = _pick(rng, [(190, 30, 35), (40, 70, 160), (225, 225, 225), (30, 30, 35), (210, 180, 40), (110, 115, 120)])
    d.rounded_rectangle([12, 60, 116, 90], 10, fill=c)
    d.polygon([(30, 62), (44, 40), (86, 40), (102, 62)], fill=c)
    g = (60, 75, 90)
    d.polygon([(37, 60), (47, 44), (62, 44), (62, 60)], fill=g)
    d.polygon([(67, 60), (67, 44), (83, 44), (94, 60)], fill=g)
    for x in (34, 94):
        _ell(d, x, 90, 13, 13, (25, 25, 28))
        _ell(d, x, 90, 6, 6, (150, 150, 150))


def truck(d, rng):
    c = _pick(rng, [(200, 40, 40), (240, 240, 240), (40, 80, 160), (220, 150, 40)])
    b = _pick(rng, [(230, 230, 230), (160, 160, 165), (90, 60, 50), c])
    d.rectangle([10, 26, 80, 90], fill=b)
    d.polygon([(82, 42), (104, 42), (116, 64), (116, 92), (82, 92)], fill=c)
    d.polygon([(88, 48), (102, 48), (110, 64), (88, 64)], fill=(60, 75, 90))
    d.rectangle([8, 88, 118, 95], fill=(45, 45, 48))
    for x in (26, 50, 98):
        _ell(d, x, 96, 12, 12, (22, 22, 25))
        _ell(d, x, 96, 5, 5, (150, 150, 150))


def ship(d, rng):
    c = _pick(rng, [(30, 40, 60), (160, 40, 35), (230, 230, 230), (70, 75, 85)])
    w = _pick(rng, [(240, 240, 240), (215, 200, 170)])
    d.polygon([(8, 74), (120, 68), (106, 96), (24, 96)], fill=c)
    d.rectangle([30, 54, 88, 74], fill=w)
    d.rectangle([42, 38, 72, 54], fill=w)
    d.rectangle([54, 18, 64, 38], fill=_pick(rng, [(180, 40, 30), (40, 40, 45), (220, 180, 40)]))
    for x in range(36, 84, 10):
        d.rectangle([x, 60, x + 4, 65], fill=(50, 60, 80))


def bird(d, rng):
    c = _pick(rng, [(120, 85, 55), (60, 60, 65), (200, 60, 45), (60, 100, 170), (200, 180, 120)])
    e = tuple(int(v * 0.7) for v in c)
    _ell(d, 62, 66, 32, 22, c)
    _ell(d, 94, 42, 15, 14, c)
    d.polygon([(106, 40), (122, 45), (106, 49)], fill=(225, 160, 50))
    d.polygon([(36, 60), (6, 78), (10, 86), (40, 76)], fill=e)
    d.polygon([(46, 58), (78, 60), (52, 84), (30, 76)], fill=e)
    _ell(d, 98, 39, 3, 3, (15, 15, 15))
    d.line([(62, 86), (60, 108)], fill=(150, 110, 60), width=4)
    d.line([(72, 86), (72, 108)], fill=(150, 110, 60), width=4)


def _quad(d, c, body, legs, w=8, foot=112):
    _, y0, _, y1 = body
    d.rounded_rectangle(body, (y1 - y0) // 2, fill=c)
    for x in legs:
        d.line([(x, y1 - 6), (x, foot)], fill=c, width=w)


def cat(d, rng):
    c = _pick(rng, [(150, 120, 90), (60, 58, 60), (205, 140, 80), (200, 195, 190), (110, 105, 100)])
    e = tuple(int(v * 0.65) for v in c)
    _ell(d, 64, 104, 36, 34, c)
    _ell(d, 64, 58, 33, 29, c)
    d.polygon([(34, 48), (34, 14), (58, 32)], fill=c)
    d.polygon([(94, 48), (94, 14), (70, 32)], fill=c)
    d.polygon([(39, 40), (39, 24), (50, 33)], fill=(210, 150, 150))
    d.polygon([(89, 40), (89, 24), (78, 33)], fill=(210, 150, 150))
    g = _pick(rng, [(120, 160, 70), (190, 160, 60), (90, 140, 160)])
    for x in (51, 77):
        _ell(d, x, 55, 7, 7, g)
        _ell(d, x, 55, 2, 6, (10, 10, 10))
    d.polygon([(60, 66), (68, 66), (64, 71)], fill=(190, 110, 110))
    for y in (64, 70, 76):
        d.line([(28, y - 4), (54, 70)], fill=e, width=1)
        d.line([(100, y - 4), (74, 70)], fill=e, width=1)
    for x in (52, 64, 76):
        d.line([(x, 32), (x, 42)], fill=e, width=3)


def dog(d, rng):
    c = _pick(rng, [(170, 120, 70), (230, 215, 190), (70, 55, 45), (120, 85, 60), (225, 225, 222)])
    e = tuple(int(v * 0.6) for v in c)
    _ell(d, 64, 108, 40, 32, c)
    _ell(d, 64, 54, 32, 32, c)
    _ell(d, 32, 58, 11, 28, e)
    _ell(d, 96, 58, 11, 28, e)
    _ell(d, 64, 72, 19, 16, tuple(min(255, int(v * 1.18) + 12) for v in c))
    _ell(d, 64, 65, 8, 6, (15, 15, 15))
    for x in (52, 76):
        _ell(d, x, 48, 4, 4, (15, 12, 10))
    d.line([(64, 70), (64, 80)], fill=(30, 20, 20), width=2)
    _ell(d, 64, 86, 6, 7, (215, 100, 110))


def deer(d, rng):
    c = _pick(rng, [(160, 110, 65), (135, 95, 60), (180, 130, 85)])
    e = tuple(int(v * 0.6) for v in c)
    _quad(d, c, [24, 56, 92, 84], (32, 42, 76, 86), 5)
    d.polygon([(78, 66), (92, 60), (104, 32), (94, 28)], fill=c)
    d.polygon([(92, 26), (120, 36), (118, 42), (94, 42)], fill=c)
    d.polygon([(92, 30), (82, 22), (90, 22)], fill=e)
    for s in (-1, 1):
        x = 97 + 3 * s
        d.line([(x, 27), (x + 10 * s, 6)], fill=e, width=3)
        d.line([(x + 4 * s, 18), (x + 15 * s, 14)], fill=e, width=2)
        d.line([(x + 7 * s, 12), (x + 2 * s, 3)], fill=e, width=2)
    _ell(d, 106, 34, 2, 2, (10, 10, 10))
    _ell(d, 26, 62, 5, 6, (240, 235, 225))


def horse(d, rng):
    c = _pick(rng, [(110, 65, 35), (60, 42, 32), (150, 95, 50), (225, 220, 215), (85, 80, 78)])
    e = tuple(int(v * 0.45) for v in c)
    _quad(d, c, [22, 50, 96, 84], (30, 42, 78, 90), 8)
    d.polygon([(76, 62), (96, 58), (108, 22), (92, 18)], fill=c)
    d.polygon([(92, 16), (104, 16), (124, 40), (116, 48), (96, 36)], fill=c)
    d.polygon([(94, 14), (86, 20), (76, 58), (84, 58), (98, 24)], fill=e)
    d.polygon([(24, 56), (10, 62), (8, 96), (18, 90), (28, 66)], fill=e)
    d.polygon([(94, 18), (96, 8), (101, 18)], fill=c)
    _ell(d, 106, 28, 2, 2, (5, 5, 5))


def frog(d, rng):
    c = _pick(rng, [(90, 140, 50), (120, 110, 60), (70, 110, 60), (150, 130, 85), (60, 150, 70)])
    e = tuple(int(v * 0.65) for v in c)
    _ell(d, 64, 78, 44, 30, c)
    _ell(d, 22, 92, 18, 14, e)
    _ell(d, 106, 92, 18, 14, e)
    _ell(d, 64, 60, 34, 24, c)
    for x in (42, 86):
        _ell(d, x, 40, 13, 13, c)
        _ell(d, x, 39, 8, 8, (220, 190, 70))
        _ell(d, x, 39, 4, 4, (10, 10, 10))
    d.arc([36, 48, 92, 78], 15, 165, fill=e, width=3)
    _ell(d, 64, 96, 26, 10, tuple(min(255, v + 60) for v in c))
    for _ in range(8):
        _ell(d, rng.integers(30, 98), rng.integers(66, 98), 4, 3, e)


SCENES = {
    "airplane": ["sky"],
    "automobile": ["road", "grass"],
    "bird": ["sky", "leaf", "grass"],
    "cat": ["room"],
    "deer": ["wood", "grass"],
    "dog": ["room", "grass"],
    "frog": ["leaf", "wood"],
    "horse": ["grass"],
    "ship": ["sea"],
    "truck": ["road"],
}


def render(label, seed):
    """One 32x32x3 uint8 picture of class `label` (0-9), the same for the same seed."""
    rng = np.random.default_rng([seed, label])
    name = CLASSES[label]
    bg = _background(rng, SCENES[name][rng.integers(len(SCENES[name]))])
    lay = Image.new("RGBA", (S, S), (0, 0, 0, 0))
    globals()[name](ImageDraw.Draw(lay), rng)
    if rng.random() < 0.5:
        lay = lay.transpose(Image.FLIP_LEFT_RIGHT)
    tilt = 25 if name in ("airplane", "bird") else 7
    k = rng.uniform(0.72, 1.0)
    n = max(8, int(S * k))
    lay = lay.rotate(rng.uniform(-tilt, tilt), Image.BICUBIC).resize((n, n), Image.BICUBIC)
    full = Image.new("RGBA", (S, S), (0, 0, 0, 0))
    m = S - n
    full.paste(lay, (int(rng.uniform(0.1, 0.9) * m), int(rng.uniform(0.3, 1.0) * m)))
    sh = full.split()[3].point(lambda v: int(v * 0.35)).filter(ImageFilter.GaussianBlur(5))
    bg.paste((20, 20, 20), (4, 5), sh.crop((0, 0, S, S)))
    bg.paste(full, (0, 0), full)
    a = np.asarray(bg.filter(ImageFilter.GaussianBlur(rng.uniform(0.5, 2))).resize((32, 32), Image.BOX), np.float32)
    g = np.linspace(-1, 1, 32)
    th = rng.uniform(0, 6.28)
    a = a * (1 + rng.uniform(0, 0.25) * (np.cos(th) * g[None, :] + np.sin(th) * g[:, None]))[..., None]
    a = (a - 128) * rng.uniform(0.75, 1.15) + 128 + rng.uniform(-25, 25) + rng.normal(0, rng.uniform(2, 8), a.shape)
    return np.clip(a, 0, 255).astype(np.uint8)


def main():
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("out", type=pathlib.Path, help="folder for <class>_<seed>.png")
    ap.add_argument("--per-class", type=int, default=10, help="pictures of each class, seeds 0..N-1")
    a = ap.parse_args()
    a.out.mkdir(parents=True, exist_ok=True)
    for c, name in enumerate(CLASSES):
        for i in range(a.per_class):
            Image.fromarray(render(c, i)).save(a.out / f"{name}_{i}.png")


if __name__ == "__main__":
    main()
