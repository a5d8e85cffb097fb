#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what quantizing a float network costs, form by form and layer by layer: sensitivity.json and index.html in a folder.

It quantizes the network once for each form of scales, then for each layer twice: it alone, and all but it. Each is asked for all pictures on
the CPU, on all cores; the forms run on the simulated accelerator too. What is measured is kept in FOLDER/measured.json, and a run that was
ended goes on there.
"""
import argparse
import functools
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import sensitivity_page
from float_network import find_layers, find_nodes
from report_error import ReportError

# Forms: name and options of foveac quantize.
FORMS = {"any scales, per channel": ["--per-channel"], "any scales": [], "power of two, per channel": ["--scales", "power2", "--per-channel"], "power of two": ["--scales", "power2"]}
_OUTPUT = re.compile(r"^.*: SQNR ([-\d.]+|inf) dB on (\d+) inputs(?:, the largest of \d+ is the float network's for (\d+))?$", re.M)


def ask(*command):
    """What a program prints. Its own words where it fails."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        raise ReportError((done.stderr.strip().splitlines() or [f"{command[0]} failed"])[-1])
    return done.stdout


class Kept:
    """What was measured so far, in a file: {key: figures}. Another network, other pictures or another compiler begin anew."""

    def __init__(self, path, inputs):
        self.path, self.inputs, self.known = pathlib.Path(path), inputs, {}
        try:
            before = json.loads(self.path.read_text(encoding="utf-8"))
            if before["inputs"] == inputs:
                self.known = before["measured"]
        except (OSError, ValueError, KeyError, TypeError):
            pass

    def get(self, key, measure):
        if key not in self.known:
            self.known[key] = measure()
            part = self.path.with_suffix(".part")
            part.write_text(json.dumps({"inputs": self.inputs, "measured": self.known}), encoding="utf-8")
            os.replace(part, self.path)
        return self.known[key]


class Bench:
    """The programs, and the network that they are asked about."""

    def __init__(self, options, scratch):
        self.options, self.scratch = options, pathlib.Path(scratch)
        self.foveac = options.bin / "foveac"
        pictures = options.data.split(",")
        self.data = ["--pictures", pictures[0], "--labels", pictures[1]] if len(pictures) == 2 else ["--data", options.data]

    def accuracy(self, model):
        found = json.loads(ask(self.foveac, "accuracy", model, *self.data, "--json"))
        return {"pictures": found["pictures"], **found["networks"][0]["top1"]}

    @functools.cache
    def form(self, *words):
        """quantize() of the whole network, once: it is asked for pictures and for cycles."""
        return self.quantize(words, [], "_".join(["form", *(word.strip("-") for word in words)]))

    def quantize(self, words, keep, name="layer"):
        """The file, and what foveac says of its output beside the float network's, on the inputs that it was calibrated on."""
        path = self.scratch / name / f"{self.options.model.stem}.onnx"
        path.parent.mkdir(exist_ok=True)
        limit = ["--inputs", self.options.inputs] if self.options.inputs else []
        said = ask(self.foveac, "quantize", self.options.model, "--calibrate", self.options.calibrate, *limit, *words, *(["--keep-float", *keep] if keep else []), "-o", path)
        sqnr = _OUTPUT.search(said)
        return path, {"sqnr_db": float(sqnr[1]) if sqnr and sqnr[1] != "inf" else None}

    def variant(self, words, keep):
        path, figures = self.quantize(words, keep) if keep else self.form(*words)
        return {**figures, **self.accuracy(path)}

    def device(self, words):
        """Cycles and DRAM bytes of one run on the SystemC model; they do not depend on the picture. None where no layer runs there."""
        path, _ = self.form(*words)
        shape = json.loads(ask(self.foveac, "check", path, "--json"))["layers"][0]["input"]["shape"]
        numbers = 1
        for size in shape:
            numbers *= size
        zeros = self.scratch / "zeros.f32"
        zeros.write_bytes(bytes(4 * numbers))
        answer = json.loads(ask(self.options.bin / "fovea", "run", path, "--input-raw", zeros, "--backend", "systemc", "--machine", self.options.machine, "--json"))
        layers = answer.get("device", {}).get("layers", [])
        if not layers:
            return None
        return {"cycles": sum(layer["Cycles"] for layer in layers), "dram_bytes": sum(layer["Memory read"] + layer["Memory write"] for layer in layers), "device_layers": len(layers)}


def measure(options, scratch):
    """sensitivity.json as a dictionary."""
    bench = Bench(options, scratch)
    text = ask(bench.foveac, options.model, "--stop-after=fold-batch-norm")
    nodes, layers = find_nodes(text), find_layers(text)
    if not layers:
        raise ReportError(f"{options.model}: no convolution or fully connected layer to quantize")
    kept = Kept(options.folder / "measured.json", digest(options))
    words, steps = FORMS[options.form], 1 + 2 * len(FORMS) + 2 * len(layers)
    done = [0]

    def get(key, how):
        done[0] += 1
        if sys.stderr.isatty():
            print(f"\r{done[0]} of {steps}: {key:<60.60}", end="\n" if done[0] == steps else "", file=sys.stderr)
        return kept.get(key, how)
    float_figures = get("float", lambda: bench.accuracy(options.model))
    forms = [{"name": name, **get(f"form {name}", lambda o=form: bench.variant(o, [])), "device": get(f"device {name} {options.machine}", lambda o=form: bench.device(o))} for name, form in FORMS.items()]
    rows = []
    for layer in layers:
        others = [node for node in nodes if node not in layer.nodes]
        rows.append({"name": layer.name, "alone": get(f"alone {options.form} {layer.name}", lambda k=others: bench.variant(words, k)),
                     "others": get(f"others {options.form} {layer.name}", lambda k=layer.nodes: bench.variant(words, k))})
    return {"model": options.model.stem, "machine": options.machine, "data": options.data, "calibrate": options.calibrate, "form": options.form, "command": options.command,
            "float": float_figures, "forms": forms, "layers": rows}


def digest(options):
    """Of all that the figures follow from, but for the machine, which their keys name."""
    found = hashlib.sha256(f"{options.inputs}".encode())
    for name in [options.model, options.bin / "fovea", options.bin / "accuracy", *options.data.split(","), options.calibrate]:
        path = pathlib.Path(name)
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file():
                found.update(file.name.encode() + file.read_bytes())
    return found.hexdigest()


def parse(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=pathlib.Path, help="the float network, ONNX")
    parser.add_argument("folder", type=pathlib.Path, help="where sensitivity.json and index.html go")
    parser.add_argument("--calibrate", required=True, help="what foveac quantize is calibrated on")
    parser.add_argument("--inputs", type=int, help="take the first so many of it (default: all)")
    parser.add_argument("--data", required=True, help="pictures whose class is known: a folder, an input.bin, or uint8 pictures and labels with a comma between")
    parser.add_argument("--form", default="power of two", choices=FORMS, help="how single layers are quantized (default: %(default)s)")
    parser.add_argument("--machine", default="eyeriss_6x8", help="where the forms' cycles are counted (default: %(default)s)")
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path("build/release/bin"), help="where foveac and fovea are (default: %(default)s)")
    parser.add_argument("--command", default="measure_sensitivity.py", help="the command that the page names")
    return parser.parse_args(words)


def main():
    options = parse(sys.argv[1:])
    try:
        options.folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as scratch:
            found = measure(options, scratch)
        for name, text in (("sensitivity.json", json.dumps(found, indent=1) + "\n"), ("index.html", sensitivity_page.render(found))):
            part = options.folder / f"{name}.part"
            part.write_text(text, encoding="utf-8")
            os.replace(part, options.folder / name)
    except OSError as error:
        print(f"{error.filename or options.folder}: {error.strerror}", file=sys.stderr)
        return 2
    except ReportError as error:
        print(error, file=sys.stderr)
        return 2
    print("\n".join(sensitivity_page.summary(found)))
    print(f"written to {options.folder}/index.html")
    return 0


if __name__ == "__main__":
    sys.exit(main())
