#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What ONNX Runtime answers, many networks in one process of node: oracle.py MODEL.onnx PICTURE ANSWER.

Exit 1 and a line where the file ANSWER, float32 as PICTURE, holds anything else.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODULES = ROOT / "build/onnxruntime/node_modules"
PROGRAM = ROOT / "testbench/onnxruntime/run_onnx.js"


class Question(NamedTuple):
    """A network, and arrays for its inputs by their names."""

    model: pathlib.Path
    feeds: dict
    optimized: str = ""  # where the graph that ONNX Runtime really runs is to be written
    is_optimized: bool = True  # else every operator is computed as it is in the file

    def job(self):
        """As run_onnx.js takes it; files of inputs are left beside the model."""
        inputs = []
        for i, (name, array) in enumerate(self.feeds.items()):
            file = f"{self.model}.{i}.bin"
            array.tofile(file)
            inputs.append({"name": name, "type": array.dtype.name, "shape": array.shape, "file": file})
        job = {"model": str(self.model), "inputs": inputs, "outputs": f"{self.model}.y"}
        job |= {"optimized": str(self.optimized)} if self.optimized else {}
        return job | ({} if self.is_optimized else {"optimization": "disabled"})


class Answer(NamedTuple):
    """Arrays by the outputs' names, in the network's order; or ONNX Runtime's words where it refused the network."""

    outputs: dict
    error: str = ""

    def first(self):
        return next(iter(self.outputs.values()))

    def is_spoilt(self):
        """Whether ONNX Runtime's optimizer gave two nodes one name, and then refuses what it made."""
        return "two nodes with same node name" in self.error


def read_answer(entry):
    import numpy as np

    outputs = {
        output["name"]: np.fromfile(output["file"], output["type"]).reshape(output["shape"])
        for output in entry.get("outputs", ())
    }
    return Answer(outputs, entry.get("error", ""))


def ask_onnxruntime(questions, folder, seconds=None):
    """Answers in the order of the questions. :param folder: for the lists that go to and fro. :param seconds: after
    which subprocess.TimeoutExpired is raised."""
    if not MODULES.exists():
        sys.exit("ONNX Runtime is not in build/onnxruntime; run scripts/install_npm onnxruntime")
    jobs, answers = (pathlib.Path(folder, file) for file in ("questions.json", "answers.json"))
    jobs.write_text(json.dumps([question.job() for question in questions]))
    answers.unlink(missing_ok=True)
    # Exit 1 with a list of answers: some networks were refused, and the list says which.
    ran = subprocess.run(
        ["node", PROGRAM, jobs, answers],
        env={**os.environ, "NODE_PATH": str(MODULES)},
        capture_output=True,
        text=True,
        timeout=seconds,
    )
    if not answers.exists():
        raise RuntimeError(f"node {PROGRAM} ended with status {ran.returncode}: {ran.stderr}")
    return [read_answer(entry) for entry in json.loads(answers.read_text())]


def ask_about(model, picture):
    """The bytes of the only output of the network. :param picture: a file of float32, its only input."""
    import numpy as np
    import onnx

    graph = onnx.load(model).graph
    port = next(port for port in graph.input if port.name not in {tensor.name for tensor in graph.initializer})
    shape = [max(1, dim.dim_value) for dim in port.type.tensor_type.shape.dim]
    with tempfile.TemporaryDirectory() as folder:
        link = pathlib.Path(folder, "net.onnx")  # its files are left in the folder
        link.symlink_to(pathlib.Path(model).resolve())
        question = Question(link, {port.name: np.fromfile(picture, np.float32).reshape(shape)})
        return ask_onnxruntime([question], folder)[0].first().tobytes()


def main(model, picture, answer):
    ours, theirs = pathlib.Path(answer).read_bytes(), ask_about(model, picture)
    differ = sum(ours[i : i + 4] != theirs[i : i + 4] for i in range(0, max(len(ours), len(theirs)), 4))
    if differ:
        sys.exit(f"{answer}: {differ} of {len(theirs) // 4} numbers are not ONNX Runtime's on {model}")


if __name__ == "__main__":
    main(*sys.argv[1:])
