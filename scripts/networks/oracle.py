# SPDX-License-Identifier: Apache-2.0
"""What ONNX Runtime answers, asked in the way of the tests in testbench/onnxruntime."""
import json
import os
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODULES = ROOT / "build/onnxruntime/node_modules"


def ask_onnxruntime(model, picture, shape, name="x"):
    """The bytes of the network's only output. :param picture: a file of float32 of that shape, the input called name."""
    if not MODULES.exists():
        raise FileNotFoundError("ONNX Runtime is not in build/onnxruntime; run scripts/install_onnxruntime")
    with tempfile.TemporaryDirectory() as folder:
        jobs, answers = (pathlib.Path(folder, file) for file in ("jobs.json", "answers.json"))
        jobs.write_text(json.dumps([{"model": str(model), "outputs": f"{folder}/y", "inputs": [
            {"name": name, "type": "float32", "shape": list(shape), "file": str(picture)}]}]))
        subprocess.run(["node", str(ROOT / "testbench/onnxruntime/run_onnx.js"), str(jobs), str(answers)],
                       env={**os.environ, "NODE_PATH": str(MODULES)}, check=True, capture_output=True)
        return pathlib.Path(json.loads(answers.read_text())[0]["outputs"][0]["file"]).read_bytes()
