# SPDX-License-Identifier: Apache-2.0
"""The notebooks run, and print what they have stored. FOVEA_REBASE=1 stores that; pictures are drawn, not kept."""
import os
import tempfile
import unittest
from pathlib import Path

import nbformat
from nbclient import NotebookClient

from programs import ROOT

NOTEBOOKS = sorted((ROOT / "docs/notebooks").glob("*.ipynb"))


def kept(output):
    """What is stored of an output: its texts, in one form for streams and values."""
    texts = {kind: text for kind, text in output.get("data", {}).items() if not kind.startswith("image/")}
    return {"output_type": output["output_type"], "text": output.get("text", ""), "data": texts}


def execute(path, folder):
    """A notebook as it is after all its cells have run in a folder. What a cell prints is one output, however many
    messages it came in."""
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=240, resources={"metadata": {"path": str(folder)}}).execute()
    for cell in notebook.cells:
        joined = []
        for output in cell.get("outputs", []):
            if joined and output.get("name") == joined[-1].get("name") == "stdout":
                joined[-1].text += output.text
            else:
                joined.append(output)
        if joined:
            cell.outputs = joined
    return notebook


def store(path, notebook):
    for cell in notebook.cells:
        cell.metadata.clear()
        for output in cell.get("outputs", []):
            for kind in [kind for kind in output.get("data", {}) if kind.startswith("image/")]:
                del output["data"][kind]
    notebook.metadata.pop("language_info", None)
    nbformat.write(notebook, path)


SLOW = """\
import fovea
net = fovea.compile(fovea.model("vgg8_cifar10_power2.onnx"), fovea.Machine(rows=3, cols=2))
net.run(fovea.model("samples/deer_9.png"), dram="random", progress=True)
"""


class NotebooksTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        os.environ.update(
            IPYTHONDIR=str(self.folder), MPLCONFIGDIR=str(self.folder), PYDEVD_DISABLE_FILE_VALIDATION="1"
        )

    def test_progress_is_one_line_below_a_cell(self):
        nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(SLOW)]), self.folder / "slow.ipynb")
        line, run = execute(self.folder / "slow.ipynb", self.folder).cells[0].outputs
        self.assertRegex(line.data["text/plain"], r"^[\d,]+ of [\d,]+ cycles \(\d+ %\)$")
        self.assertIn("<td>conv1</td>", run.data["text/html"])

    def test_print_what_they_have_stored(self):
        self.assertEqual(len(NOTEBOOKS), 3)
        for path in NOTEBOOKS:
            with self.subTest(path.name):
                stored = nbformat.read(path, as_version=4)
                done = execute(path, self.folder)
                if os.environ.get("FOVEA_REBASE") == "1":
                    store(path, done)
                    continue
                drawn = 0
                for before, after in zip(stored.cells, done.cells, strict=True):
                    outputs = after.get("outputs", [])
                    drawn += sum("image/png" in output.get("data", {}) for output in outputs)
                    self.assertEqual(
                        [kept(o) for o in before.get("outputs", [])], [kept(o) for o in outputs], before.source
                    )
                self.assertGreater(drawn, 0)


if __name__ == "__main__":
    unittest.main()
