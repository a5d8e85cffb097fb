# SPDX-License-Identifier: Apache-2.0
"""Calls `import fovea` with what nobody would give it: each call answers, or raises an error of Python's or Fovea's.

    python_boundary.py SECONDS [SEED]   prints how many calls ended how; ends with the call that did neither
"""
import json
import pathlib
import random
import sys
import tempfile
import time
from collections import Counter

import numpy as np

import fovea
from fovea import _fovea

REFUSALS = (
    fovea.Error,
    TypeError,
    ValueError,
    KeyError,
    IndexError,
    AttributeError,
    OverflowError,
    OSError,
    MemoryError,
)


class Drawing:
    """Draws arguments."""

    def __init__(self, seed: int, folder: pathlib.Path) -> None:
        self.random, self.folder = random.Random(seed), folder

    def number(self):
        return self.random.choice(
            [
                0,
                -1,
                1,
                2,
                3,
                255,
                2**31,
                2**63 - 1,
                -(2**63),
                2**64,
                10**30,
                0.5,
                -0.0,
                float("nan"),
                float("inf"),
                True,
                None,
            ]
        )

    def text(self):
        return self.random.choice(
            [
                "",
                "cpu",
                "rtl",
                "systemc",
                "\0",
                "a\nb",
                "\x1b[31m",
                "é" * 300,
                "../..",
                "/dev/null",
                "x" * 5000,
                "\u202e",
                "eyeriss_6x8",
                "-1",
                "conv1",
            ]
        )

    def shape(self):
        return tuple(self.random.choice([0, 1, 2, 3, 4, 5, 12]) for _ in range(self.random.randint(0, 5)))

    def array(self, shape=None):
        shape = self.shape() if shape is None else shape
        kind = self.random.choice(["f4", "f8", "f2", ">f4", "i1", "u1", "i8", "?", "c8", "U3", "O", "M8[s]"])
        try:
            whole = np.zeros(shape, kind)
        except (TypeError, ValueError):
            return None
        form = self.random.randint(0, 6)
        if form == 0 and whole.ndim:
            return whole[::-1]
        if form == 1:
            return np.asfortranarray(whole)
        if form == 2 and kind == "f4":
            return np.full(shape, self.random.choice([np.nan, np.inf, -np.inf, 3e38]), "f4")
        if form == 3:
            return np.broadcast_to(np.zeros(1, "f4"), (2**20, 2**20))
        return whole

    def thing(self, depth=0):
        kinds = [
            self.number,
            self.text,
            self.array,
            lambda: self.text().encode("utf-8", "surrogatepass"),
            lambda: object,
            lambda: pathlib.Path(self.text().replace("\0", "0")),
        ]
        if depth < 3:
            kinds += [
                lambda: [self.thing(depth + 1) for _ in range(self.random.randint(0, 3))],
                lambda: {self.text(): self.thing(depth + 1) for _ in range(2)},
            ]
        return self.random.choice(kinds)()

    def json(self, given):
        """Of such a document, one with something else in it."""
        document = json.loads(json.dumps(given))
        key = self.random.choice(list(document))
        document[key] = self.random.choice([self.number, self.text, lambda: [], lambda: {}])()
        text = json.dumps(document)
        if self.random.randint(0, 3) == 0:
            at = self.random.randrange(len(text))
            text = (
                text[:at]
                + self.random.choice(['"', "{", "[", "1e999", "\\ud800", ""])
                + text[at + self.random.randint(0, 4) :]
            )
        return text

    def file(self):
        path = self.folder / self.random.choice(["a.png", "a.npy", "a.onnx", "a.json", "a.fovea"])
        path.write_bytes(bytes(self.random.randrange(256) for _ in range(self.random.randint(0, 60))))
        return path


def calls(drawing: Drawing, net: "fovea.Network"):
    """Name -> what may be called."""
    shape = net.inputs[0].shape
    machine = fovea.Machine().fields
    layer = {
        "C": 4,
        "H": 8,
        "W": 8,
        "M": 4,
        "R": 3,
        "S": 3,
        "U": 1,
        "V": 1,
        "pad_top": 1,
        "pad_left": 1,
        "pad_bottom": 1,
        "pad_right": 1,
        "relu": True,
    }
    parsed = _fovea.MachineFile(json.dumps(machine), "machine") if hasattr(_fovea, "MachineFile") else None
    return {
        "run": lambda: net.run(drawing.thing(), backend="cpu"),
        "run of its shape": lambda: net.run(drawing.array(shape), backend="cpu"),
        "run somewhere": lambda: net.run(np.zeros(shape, "f4"), backend=drawing.thing(), dram=drawing.thing()),
        "classify": lambda: net.classify(drawing.thing(), drawing.number(), backend="cpu"),
        "read_picture": lambda: net.read_picture(drawing.random.choice([drawing.thing, drawing.file])()),
        "compile": lambda: fovea.compile(drawing.random.choice([drawing.thing, drawing.file])()),
        "load": lambda: fovea.load(drawing.thing()),
        "machine": lambda: fovea.Machine(drawing.thing(), **{drawing.random.choice(list(machine)): drawing.thing()}),
        "machine's text": lambda: _fovea.MachineFile(drawing.json(machine), drawing.text()),
        "map": lambda: net.map(drawing.thing()).best(drawing.number()),
        "search_shape": lambda: _fovea.search_shape(
            parsed, drawing.text(), drawing.json(layer), drawing.text(), drawing.number(), drawing.number()
        ),
        "softmax": lambda: _fovea.softmax(drawing.thing()),
        "picture": lambda: _fovea.picture(drawing.thing(), drawing.number(), drawing.number(), drawing.thing()),
        "accuracy": lambda: fovea.accuracy(net, drawing.array(), drawing.array()),
        "quantize": lambda: fovea.quantize(drawing.thing(), drawing.array(), drawing.folder / "out.onnx"),
        "compare": lambda: fovea.compare(drawing.thing(), drawing.thing(), drawing.thing()),
    }


def main(seconds: str, seed: str = "1") -> int:
    ends: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        drawing = Drawing(int(seed), pathlib.Path(folder))
        table = calls(drawing, fovea.compile(fovea.model("vgg8_cifar10_power2.onnx"), target="cpu"))
        print(f"seed {seed}", flush=True)
        end = time.monotonic() + float(seconds)
        while time.monotonic() < end:
            name, call = drawing.random.choice(list(table.items()))
            start = time.process_time()
            try:
                call()
                ends["answered"] += 1
            except REFUSALS as error:
                ends[type(error).__name__] += 1
                assert "internal error" not in str(error) and "_M_range" not in str(error), f"{name}: {error}"
            except BaseException:
                print(f"call {sum(ends.values())}, {name}:", file=sys.stderr)
                raise
            took = time.process_time() - start  # A busy machine makes no difference.
            assert took < 10, f"{name} took {took:.1f} s"
    print(", ".join(f"{count:,} {end}" for end, count in ends.most_common()))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
