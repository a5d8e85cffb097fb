#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what quantizing a float network costs, form by form and layer by layer: sensitivity.json and index.html in a
folder.

It quantizes the network once for each form of scales, then for each layer twice: it alone, and all but it. Each is
asked for all pictures on the CPU, on all cores; the forms run on the simulated accelerator too. What is measured is
kept in FOLDER/measured.json, and a run that was ended goes on there.
"""
import argparse
import dataclasses
import functools
import hashlib
import json
import os
import pathlib
import secrets
import signal
import subprocess
import sys
import tempfile

import sensitivity_page
import vega_library
from report_error import ReportError
from shown_text import shown_text

# Forms: name and options of fovea quantize.
FORMS = {
    "any scales, per channel": ["--per-channel"],
    "any scales": [],
    "power of two, per channel": ["--scales", "power2", "--per-channel"],
    "power of two": ["--scales", "power2"],
}
LONGEST_STEP_S = 6 * 3600
MARK = "measured.json"  # What makes a folder that of earlier measurements.


@dataclasses.dataclass
class Layer:
    """What is quantized together, as one convolution, sum or pool is with its ReLU or Clip."""

    nodes: list  # ONNX nodes, in order. The first names the layer.
    operations: list  # Their operators.


def find_layers(values):
    """[Layer] of the "layers" of fovea quantize --json. Values that one ONNX node makes are one layer; what only moves
    elements belongs to the one before it."""
    layers = []
    for value in values:
        nodes = list(dict.fromkeys(part["node"] for part in value["parts"] if part["node"]))
        if not nodes:
            continue
        operations = (
            []
            if value["moves"]
            else [
                part["operation"].removeprefix("nn.") for part in value["parts"] if part["operation"] != "nn.bias_add"
            ]
        )
        shared = next((layer for layer in layers if set(layer.nodes) & set(nodes)), None) or (
            value["moves"] and layers and layers[-1]
        )
        if shared:
            shared.nodes += [node for node in nodes if node not in shared.nodes]
            shared.operations += operations
        elif operations:
            layers.append(Layer(nodes, operations))
    return layers


def ask(*command, **environment):
    """What a program prints. Its own words where it fails."""
    try:
        done = subprocess.run(
            [str(word) for word in command],
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=LONGEST_STEP_S,
            env={**os.environ, **environment},
        )
    except subprocess.TimeoutExpired:
        raise ReportError(
            f"{' '.join(str(word) for word in command[:3])}: has not ended in {LONGEST_STEP_S // 3600} hours"
        ) from None
    if done.returncode:
        said = (done.stderr.strip().splitlines() or [f"{command[0]} failed"])[-1]
        raise ReportError(said.removeprefix("fovea: "))
    return done.stdout


class Kept:
    """What was measured so far, in a file: {key: figures}. Another network, other pictures or another compiler begin
    anew."""

    def __init__(self, path, inputs):
        self.path, self.inputs, self.known = pathlib.Path(path), inputs, {}
        try:
            before = json.loads(self.path.read_text(encoding="utf-8"))
            if before["inputs"] == inputs:
                self.known = before["measured"]
        except (OSError, ValueError, KeyError, TypeError):
            pass

    def get(self, key, how):
        if key not in self.known:
            self.known[key] = how()
            write(self.path, json.dumps({"inputs": self.inputs, "measured": self.known}))
        return self.known[key]


class Bench:
    """The programs, and the network that they are asked about."""

    def __init__(self, options, scratch):
        self.options, self.scratch = options, pathlib.Path(scratch)
        self.data = (
            ["--data", options.data] if options.data else ["--pictures", options.pictures, "--classes", options.classes]
        )

    def ask(self, *words):
        # What is compiled for one measurement is not kept for others.
        return json.loads(ask(self.options.fovea, *words, "--json", FOVEA_CACHE=str(self.scratch / "cache")))

    def shape(self, model):
        """Options for the float network's open dimensions; quantized ones have none."""
        return [f"--shape={shape}" for shape in self.options.shape] if model == self.options.model else []

    def accuracy(self, model):
        found = self.ask("accuracy", model, *self.shape(model), *self.data)
        return {"pictures": found["pictures"], **found["networks"][0]["top1"]}

    @functools.cache
    def form(self, *words):
        """quantize() of the whole network, once: it is asked for pictures and for cycles."""
        return self.quantize("_".join(["form", *(word.strip("-") for word in words)]), words)

    def quantize(self, name, words):
        """The file, and what fovea quantize says of it, of the inputs that it was calibrated on."""
        path = self.scratch / name / f"{self.options.model.stem}.onnx"
        path.parent.mkdir(exist_ok=True)
        limit = ["--inputs", self.options.inputs] if self.options.inputs else []
        return path, self.ask(
            "quantize",
            self.options.model,
            *self.shape(self.options.model),
            "--calibrate",
            self.options.calibrate,
            *limit,
            *words,
            "-o",
            path,
        )

    def figures(self, path, said):
        outputs = [output["sqnr_db"] for output in said["outputs"]]
        return {
            "sqnr_db": min((decibels for decibels in outputs if decibels is not None), default=None),
            **self.accuracy(path),
        }

    def of_form(self, words):
        return self.figures(*self.form(*words))

    def only(self, words, layers):
        """Of the network with these layers quantized; the float one where there are none."""
        nodes = [node for layer in layers for node in layer.nodes]
        return (
            self.figures(*self.quantize("layer", [*words, "--only", *nodes]))
            if nodes
            else {"sqnr_db": None, **self.accuracy(self.options.model)}
        )

    def device(self, words):
        """Cycles and DRAM bytes of one run on the SystemC model; they do not depend on the picture. None where no layer
        runs there."""
        path, _ = self.form(*words)
        numbers = 1
        for size in self.ask("check", path)["layers"][0]["input"]["shape"]:
            numbers *= size
        zeros = self.scratch / "zeros.f32"
        zeros.write_bytes(bytes(4 * numbers))
        layers = (
            self.ask("run", path, "--input-raw", zeros, "--backend", "systemc", "--machine", self.options.machine)
            .get("device", {})
            .get("layers", [])
        )
        if not layers:
            return None
        return {
            "cycles": sum(layer["Cycles"] for layer in layers),
            "dram_bytes": sum(layer["Memory read"] + layer["Memory write"] for layer in layers),
            "device_layers": len(layers),
        }


def measure(options, scratch):
    """sensitivity.json as a dictionary."""
    bench = Bench(options, scratch)
    kept = Kept(options.folder / MARK, digest(options))
    words, done = FORMS[options.form], [0]
    layers = [
        Layer(**layer)
        for layer in kept.get(
            f"layers {options.form}",
            lambda: [dataclasses.asdict(layer) for layer in find_layers(bench.form(*words)[1]["layers"])],
        )
    ]
    steps = 1 + 2 * len(FORMS) + 2 * len(layers)

    def get(key, how):
        done[0] += 1
        if sys.stderr.isatty():
            print(
                f"\r{done[0]} of {steps}: {shown_text(key):<60.60}",
                end="\n" if done[0] == steps else "",
                file=sys.stderr,
                flush=True,
            )
        return kept.get(key, how)

    float_figures = get("float", lambda: bench.accuracy(options.model))
    forms = [
        {
            "name": name,
            **get(f"form {name}", lambda o=form: bench.of_form(o)),
            "device": get(f"device {name} {options.machine}", lambda o=form: bench.device(o)),
        }
        for name, form in FORMS.items()
    ]
    rows = [
        {
            "name": layer.nodes[0],
            "operations": layer.operations,
            "alone": get(f"alone {options.form} {layer.nodes[0]}", lambda one=layer: bench.only(words, [one])),
            "others": get(
                f"others {options.form} {layer.nodes[0]}",
                lambda one=layer: bench.only(words, [other for other in layers if other is not one]),
            ),
        }
        for layer in layers
    ]
    return {
        "model": options.model.stem,
        "machine": pathlib.Path(options.machine).stem,
        "data": options.data or options.pictures,
        "calibrate": options.calibrate,
        "form": options.form,
        "command": options.command,
        "float": float_figures,
        "forms": forms,
        "layers": rows,
    }


def digest(options):
    """Of all that the figures follow from, but for the machine, which their keys name."""
    found = hashlib.sha256(f"{options.inputs}{options.shape}".encode())
    beside = options.model.with_suffix(".json")
    for name in [
        options.model,
        *([beside] if beside.exists() else []),
        options.fovea,
        *(name for name in (options.data, options.pictures, options.classes) if name),
        options.calibrate,
    ]:
        path = pathlib.Path(name)
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file():
                found.update(file.name.encode() + file.read_bytes())
    return found.hexdigest()


def write(path, text):
    """All of it or none."""
    part = path.with_name(f".fovea_{secrets.token_hex(8)}.part")
    try:
        with open(part, "x", encoding="utf-8") as file:
            file.write(text)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def check_folder(folder):
    """Refuses to write over files that no earlier measurement made."""
    try:
        is_ours = {"inputs", "measured"} <= json.loads((folder / MARK).read_text(encoding="utf-8")).keys()
    except (OSError, ValueError, AttributeError):
        is_ours = False
    for name in (MARK, "sensitivity.json", "index.html"):
        if (folder / name).exists() and not is_ours:
            raise ReportError(
                f"{folder / name}: is there, and fovea sensitivity did not make it; choose another folder"
            )


def parse(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=pathlib.Path, help="the float network, ONNX")
    parser.add_argument("folder", type=pathlib.Path, help="where sensitivity.json and index.html go")
    parser.add_argument("--shape", action="append", default=[], help="of an input whose file leaves dimensions open")
    parser.add_argument("--calibrate", required=True, help="what fovea quantize is calibrated on")
    parser.add_argument("--inputs", type=int, help="take the first so many of it (default: all)")
    parser.add_argument("--data", help="pictures whose class is known: a folder, or an input.bin")
    parser.add_argument("--pictures", help="uint8 pictures instead, and --classes, uint8")
    parser.add_argument("--classes")
    parser.add_argument(
        "--form", default="power of two", choices=FORMS, help="how single layers are quantized (default: %(default)s)"
    )
    parser.add_argument(
        "--machine", default="eyeriss_6x8", help="where the forms' cycles are counted (default: %(default)s)"
    )
    parser.add_argument("--fovea", type=pathlib.Path, required=True, help="the program fovea")
    parser.add_argument("--command", default="measure_sensitivity.py", help="the command that the page names")
    parser.add_argument("--check", action="store_true", help="only say whether a page can be drawn and written")
    return parser.parse_args(words)


def make(options):
    vega_library.check()
    options.folder.mkdir(parents=True, exist_ok=True)
    if not os.access(options.folder, os.W_OK):
        raise ReportError(f"{options.folder}: can't be written; choose another folder")
    check_folder(options.folder)
    if options.check:
        return
    with tempfile.TemporaryDirectory() as scratch:
        found = measure(options, scratch)
    write(options.folder / "sensitivity.json", json.dumps(found, indent=1) + "\n")
    write(options.folder / "index.html", sensitivity_page.render(found))
    print("\n".join(sensitivity_page.summary(found)))
    print(f"written to {options.folder}/index.html")


def main():
    options = parse(sys.argv[1:])
    refused = 2 if options.check else 1  # Who only checks tells it from an end that was not meant.
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # So that what is half done is removed.
    try:
        make(options)
    except OSError as error:
        print(f"{error.filename or options.folder}: {error.strerror}", file=sys.stderr)
        return refused
    except ReportError as error:
        print(error, file=sys.stderr)
        if options.folder.is_dir() and not any(options.folder.iterdir()):
            options.folder.rmdir()
        return refused
    except KeyboardInterrupt:
        print(f"ended; the same command goes on from {options.folder}/{MARK}", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
