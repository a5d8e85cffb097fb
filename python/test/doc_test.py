# SPDX-License-Identifier: Apache-2.0
"""The examples in docstrings are run, and those of the page on extending."""
import doctest
import importlib
import pkgutil
import unittest

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
    tests.addTests(doctest.DocFileSuite(str(ROOT / "docs/extending.md"), module_relative=False))
    return tests


if __name__ == "__main__":
    unittest.main()
