# SPDX-License-Identifier: Apache-2.0
"""Compiles a network with passes and fusions of a file of yours:

    python3 -m fovea net.onnx -o build/net --extend mine.py
"""
import argparse
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Optional, Union

from . import _fovea
from .errors import Error, UsageError
from .network import compile as compile_network
from .passes import Pass, PassContext
from .patterns import Fusion


def _extensions(values: list[Any]) -> Iterator[Union[Pass, Fusion]]:
    for value in values:
        if isinstance(value, (Pass, Fusion)):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from _extensions(list(value))


def read_extensions(path: Path) -> tuple[list[Pass], list[Fusion]]:
    """Runs a file and takes the passes and fusions that it has at its top level, alone or in lists, in their order."""
    if not path.is_file():
        raise UsageError(f"--extend {path}: no such file")
    sys.path.insert(0, str(path.parent))
    found = list(dict.fromkeys(_extensions(list(runpy.run_path(str(path)).values()))))
    if not found:
        raise UsageError(f"--extend {path}: it has no pass and no fusion; fovea.graph_pass and fovea.Fusion make them")
    return [each for each in found if isinstance(each, Pass)], [each for each in found if isinstance(each, Fusion)]


def main(arguments: Optional[list[str]] = None) -> int:
    """What a shell calls; the exit status."""
    parser = argparse.ArgumentParser(prog="python3 -m fovea", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("network", help="an ONNX file, or the text of an IR")
    parser.add_argument("-o", "--output", required=True, metavar="FOLDER", help="where the compiled network goes")
    parser.add_argument("--extend", action="append", default=[], type=Path, metavar="FILE", help="run this Python file")
    parser.add_argument("--target", default="dla", choices=list(_fovea.targets))
    parser.add_argument("--machine", default="eyeriss_6x8", help="the name of one that ships, or a machine file")
    chosen = parser.parse_args(arguments)
    try:
        passes: list[Pass] = []
        fusions: list[Fusion] = []
        for path in chosen.extend:
            more_passes, more_fusions = read_extensions(path)
            passes += more_passes
            fusions += more_fusions
        net = compile_network(
            chosen.network,
            chosen.machine,
            target=chosen.target,
            passes=PassContext(added=passes),
            fusions=fusions,
            folder=chosen.output,
        )
    except Error as error:
        print(f"fovea: {error}", file=sys.stderr)
        return 2 if isinstance(error, UsageError) else 1
    for layer in net.layers:
        print(f"{layer.name:20} {layer.kind:24} {layer.target}")
    for fused in net.fusions:
        print(f"{fused.fusion} at {fused.node}: {fused.why or 'fused'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
