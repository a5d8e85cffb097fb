#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What ONNX Runtime answers, asked in the way of the tests in testbench/onnxruntime: oracle.py MODEL.onnx PICTURE
ANSWER.

Exit 1 and a line where the file ANSWER, float32 as PICTURE, holds anything else.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODULES = ROOT / "build/onnxruntime/node_modules"


def ask_onnxruntime(model, picture):
    """The bytes of the only output of the network. :param picture: a file of float32, its only input."""
    import onnx

    if not MODULES.exists():
        sys.exit("ONNX Runtime is not in build/onnxruntime; run scripts/install_onnxruntime")
    graph = onnx.load(model).graph
    port = next(port for port in graph.input if port.name not in {tensor.name for tensor in graph.initializer})
    shape = [max(1, dim.dim_value) for dim in port.type.tensor_type.shape.dim]
    with tempfile.TemporaryDirectory() as folder:
        jobs, answers = (pathlib.Path(folder, file) for file in ("jobs.json", "answers.json"))
        jobs.write_text(
            json.dumps(
                [
                    {
                        "model": str(model),
                        "outputs": f"{folder}/y",
                        "inputs": [{"name": port.name, "type": "float32", "shape": shape, "file": str(picture)}],
                    }
                ]
            )
        )
        subprocess.run(
            ["node", str(ROOT / "testbench/onnxruntime/run_onnx.js"), str(jobs), str(answers)],
            env={**os.environ, "NODE_PATH": str(MODULES)},
            check=True,
            capture_output=True,
        )
        return pathlib.Path(json.loads(answers.read_text())[0]["outputs"][0]["file"]).read_bytes()


def main(model, picture, answer):
    ours, theirs = pathlib.Path(answer).read_bytes(), ask_onnxruntime(model, picture)
    differ = sum(ours[i : i + 4] != theirs[i : i + 4] for i in range(0, max(len(ours), len(theirs)), 4))
    if differ:
        sys.exit(f"{answer}: {differ} of {len(theirs) // 4} numbers are not ONNX Runtime's on {model}")


if __name__ == "__main__":
    main(*sys.argv[1:])
