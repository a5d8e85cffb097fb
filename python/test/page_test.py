# SPDX-License-Identifier: Apache-2.0
"""The page on Python does what it says: its example is run, then its sessions."""
import doctest
import os
import re
import tempfile
import unittest

import matplotlib

from programs import ROOT

PAGE = ROOT / "docs/python.md"


def load_tests(_loader, tests, _pattern):
    matplotlib.use("Agg")
    folder = tempfile.TemporaryDirectory()
    before = os.getcwd()
    names = {}

    def run_example(test):
        os.chdir(folder.name)
        (example,) = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.M | re.S)
        lines = [line for line in example.splitlines() if line]
        assert len(lines) == 10, f"ten lines, not {len(lines)}"
        exec(compile(example, str(PAGE), "exec"), names)  # pylint: disable=exec-used
        assert os.path.getsize("cycles.png") > 10000
        assert len(names["runs"]) == 16
        assert names["below"].tolist() == names["layers"]["cycles"].tolist()
        test.globs.update(names)

    def leave(_test):
        os.chdir(before)
        folder.cleanup()

    tests.addTest(doctest.DocFileSuite(str(PAGE), module_relative=False, setUp=run_example, tearDown=leave))
    return tests


if __name__ == "__main__":
    unittest.main()
