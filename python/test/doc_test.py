# SPDX-License-Identifier: Apache-2.0
"""The examples in docstrings are run, and those of pages."""
import doctest
import importlib
import os
import pkgutil
import re
import tempfile
import unittest
from pathlib import Path

import fovea
from programs import ROOT


def load_tests(_loader, tests, _pattern):
    names = ["fovea"] + [f"fovea.{module.name}" for module in pkgutil.iter_modules(fovea.__path__)]
    found = 0
    for name in names:
        module = importlib.import_module(name)
        if module.__file__.endswith(".py"):
            suite = doctest.DocTestSuite(module, extraglobs={"fovea": fovea})
            found += suite.countTestCases()
            tests.addTests(suite)
    assert found >= 8, f"{found} docstrings with examples"
    for page in ("extending", "graph_json"):
        tests.addTests(doctest.DocFileSuite(str(ROOT / f"docs/{page}.md"), module_relative=False))
    tests.addTests(own_operators())
    return tests


def own_operators():
    """The page's sessions, in a folder with the C file that it shows."""
    page = ROOT / "docs/own_operators.md"
    folder, before = tempfile.TemporaryDirectory(), os.getcwd()

    def enter(_test):
        os.chdir(folder.name)
        Path("softshrink.c").write_text(re.search(r"^```c\n(.*?)^```", page.read_text(), re.M | re.S)[1])

    def leave(_test):
        os.chdir(before)
        folder.cleanup()

    return doctest.DocFileSuite(str(page), module_relative=False, setUp=enter, tearDown=leave)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as written:  # Where pages write their files.
        os.chdir(written)
        unittest.main()
