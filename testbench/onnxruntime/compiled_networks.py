# SPDX-License-Identifier: Apache-2.0
"""What the tests of networks share: where they work, how networks are compiled and run, and how answers compare."""
import concurrent.futures
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
from typing import NamedTuple

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/networks"))
BUILD = (ROOT / (os.environ.get("BUILD") or "build/release")).resolve()
FOVEAC = BUILD / "bin/foveac"
FOLDERS = BUILD / "testbench/onnxruntime"
WORKERS = len(os.sched_getaffinity(0))


def number(name, default):
    """An environment variable."""
    return int(os.environ.get(name) or default)


class Job(NamedTuple):
    """A network, and where what is compiled comes to lie; where it runs, and its inputs by their names."""

    model: pathlib.Path
    folder: pathlib.Path
    feeds: dict
    place: str = "host"  # or a backend
    target: str = "cpu"
    options: tuple = ()  # of foveac

    def written(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        inputs = []
        for name, array in self.feeds.items():
            file = str(self.folder / f"{name}.f32")
            array.astype(np.float32).tofile(file)
            inputs.append({"name": name, "file": file})
        words = {"model": str(self.model), "folder": str(self.folder)}
        return words | {"target": self.target, "place": self.place, "inputs": inputs, "options": list(self.options)}


class Result(NamedTuple):
    """Outputs by their names, without the batch; the only one of a network of one input has none. Or what is wrong."""

    outputs: dict
    device_layers: int = 0
    dram_bytes: int = 0  # that these move
    error: str = ""

    def first(self):
        return next(iter(self.outputs.values()))


def run_all(jobs, folder, most_bytes=None):
    """Compiles and runs networks. :param folder: for the lists that go to and fro. :param most_bytes: of a file that is
    written."""
    asked, answered = (pathlib.Path(folder, file) for file in ("jobs.json", "results.json"))
    asked.parent.mkdir(parents=True, exist_ok=True)
    asked.write_text(json.dumps([job.written() for job in jobs]))
    subprocess.run(
        [BUILD / "bin/compile_and_run", asked, answered],
        cwd=ROOT,
        check=True,
        preexec_fn=most_bytes and (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))),
    )
    return [
        Result(
            {output["name"]: np.fromfile(output["file"], np.float32) for output in entry.get("outputs", ())},
            entry.get("device_layers", 0),
            entry.get("dram_bytes", 0),
            entry.get("error", ""),
        )
        for entry in json.loads(answered.read_text())
    ]


def predicted_dram_bytes(job):
    """What foveac says of all commands of a network that it compiled; None where it is not exact, as it takes tensors
    for ones that begin with a word of the bus: where pictures have commands of their own, or parts of tensors are read.
    """
    layers = json.loads((job.folder / f"{job.model.stem}.json").read_text())["layers"]
    calls = [call for layer in layers for call in layer.get("calls", ())]
    reads_parts = re.search(r"\.(ifmap|residual) = ARENA\(\w+\) \+", (job.folder / "model.c").read_text())
    if reads_parts or any(call.get("commands", 1) > 1 for call in calls):
        return None
    return sum(call["predicted_dram_read_bytes"] + call["predicted_dram_write_bytes"] for call in calls)


def run_program(*words):
    """Runs a program. Returns all that it printed if it failed, else nothing."""
    ran = subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return "" if ran.returncode == 0 else ran.stdout or f"{words} failed"


def run_programs(commands):
    """... many, as many at a time as there are cores."""
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        return list(pool.map(lambda words: run_program(*words), commands))


def emit_all(jobs):
    """Compiles networks to C. :param jobs: (model, folder, target). Returns what was refused of each, or nothing."""
    return run_programs([FOVEAC, model, "-o", folder, "--target", target] for model, folder, target in jobs)


def read_but_names(path):
    """A model.c with its layers numbered and without the lines that say of which ONNX node a call is, or the key that
    is made of names too: which of the nodes that one call computes it is called after is another in each form of a
    network. Inputs and outputs have the network's names."""
    code = re.sub(r"(?m)^( *)/\* \w+ = ", r"\1/* ", path.read_text())  # A layer's comment.
    lines = [line for line in code.splitlines() if "ONNX: " not in line and ".model_key = " not in line]
    names = dict.fromkeys(name for line in lines for name in re.findall(r'(?<!\{)\.name = "(\w+)"', line))
    if not names:
        return "\n".join(lines)
    numbers = {name: f"layer{i}" for i, name in enumerate(names)}
    longest_first = "|".join(sorted(names, key=len, reverse=True))
    name = re.compile(rf"(?<!/\* )\b(kArena_|kWeight_|nest_|run_)?({longest_first})")  # There is what is called.
    return "\n".join(
        line if "{.name = " in line else name.sub(lambda m: (m[1] or "") + numbers[m[2]], line) for line in lines
    )


def read_weights(path):
    """A weight file but for the key in its header."""
    file = path.read_bytes()
    return file[:24] + file[28:]


def is_same_code(a, b):
    """Whether the files of two compiled networks are the same but for names."""
    code = read_but_names(a / "model.c")
    is_same = code == read_but_names(b / "model.c")
    return bool(code) and is_same and read_weights(a / "weight.bin") == read_weights(b / "weight.bin")


def difference(actual, expected):
    """The first output that is not bit for bit the expected one, in words; nothing where all are."""
    if len(actual) != len(expected):
        return f"{len(actual)} outputs, not {len(expected)}"
    for (name, a), (expected_name, e) in zip(actual.items(), expected.items()):
        where = f"output {expected_name}: "
        if name not in ("", expected_name):
            return f"{where}is called {name}"
        if a.size != e.size:
            return f"{where}{a.size} elements, not {e.size}"
        a, e = a.reshape(-1), e.reshape(-1)
        wrong = np.flatnonzero(a.view(np.uint32) != e.view(np.uint32))
        if len(wrong):
            at = wrong[0]
            return f"{where}{len(wrong)} of {a.size} elements differ, the first is element {at}: {a[at]}, not {e[at]}"
    return ""


def apart(actual, expected, least=1e-30):
    """The largest difference, as a share of the largest finite expected value, or of `least` if that is larger: where
    sums of larger terms cancel. Infinities and NaN are equal to themselves only, and infinitely far from all else."""
    actual, expected = actual.reshape(-1), expected.reshape(-1)
    with np.errstate(invalid="ignore"):
        distance = np.abs(actual - expected)
    distance[(actual == expected) | (np.isnan(actual) & np.isnan(expected))] = 0
    finite = np.abs(expected[np.isfinite(expected)])
    largest = max(least, np.max(finite, initial=0))
    return np.max(np.where(np.isnan(distance), np.inf, distance), initial=0) / largest
