# SPDX-License-Identifier: Apache-2.0
"""Vega-Lite, which draws the charts: its files as they go into a page."""
import pathlib

import spec
from report_error import ReportError

_INSTALLED = pathlib.Path(__file__).resolve().parent / "vega"
_BUILT = spec.ROOT / "build/vega/node_modules"
# The interpreter runs Vega's expressions without eval, which many servers forbid.
PARTS = tuple(f"{name}/build/{name}.min.js" for name in ("vega", "vega-lite", "vega-interpreter"))
_NOTICE = """/* Vega and Vega-Lite: Copyright (c) 2015-2023, University of Washington Interactive Data Lab and
   contributors. BSD-3-Clause; the whole text: https://github.com/vega/vega/blob/main/LICENSE */
"""


def _find(part):
    for path in (_INSTALLED / pathlib.PurePath(part).name, _BUILT / part):
        if path.is_file():
            return path
    raise ReportError("Vega-Lite, which draws a report's charts, is missing; in a checkout, run: make packages_report")


def check():
    """Says in one line what to run where a part is missing. \\throws ReportError"""
    for part in PARTS:
        _find(part)


def script():
    """The library, to be inlined."""
    return _NOTICE + "\n".join(_find(part).read_text(encoding="utf-8") for part in PARTS)
