# SPDX-License-Identifier: Apache-2.0
"""Compiles a network with passes, fusions, operators and targets of a file of yours:

    python3 -m fovea net.onnx -o build/net --extend mine.py

As `python3 -m fovea explore` it is `fovea explore`; with `map` and `export`, what these do with --timeloop.
"""
import argparse
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, Optional, TypeVar

from . import _fovea
from .errors import Error, UsageError
from .externs import Extern
from .network import compile as compile_network
from .operators import Operator
from .passes import Pass, PassContext
from .patterns import Fusion
from .targets import Target


class Extensions(NamedTuple):
    """What a file adds to a compilation, by kinds, in its order."""

    passes: list[Pass]
    fusions: list[Fusion]
    externs: list[Extern]
    operators: list[Operator]
    targets: list[Target]


KINDS = (Pass, Fusion, Extern, Operator, Target)
Kind = TypeVar("Kind")


def _extensions(values: list[Any]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, KINDS):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from _extensions(list(value))


def _run(path: Path) -> dict[str, Any]:
    """Runs a file as a module that stays, as its targets look for their C files beside it."""
    name = f"extension_{len(sys.modules)}_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path.resolve())
    if spec is None or spec.loader is None:
        raise UsageError(f"--extend {path}: no Python file; its name ends in .py")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.resolve().parent))
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return vars(module)


def _check_classes(path: Path, values: dict[str, Any], found: list[Any]) -> None:
    """A target's class alone adds nothing; objects do."""
    for name, value in values.items():
        is_target = isinstance(value, type) and issubclass(value, Target) and value is not Target
        if is_target and not any(isinstance(each, value) for each in found):
            raise UsageError(f"--extend {path}: {name} is a class; make an object of it: {name.lower()} = {name}()")


def read_extensions(paths: list[Path]) -> Extensions:
    """Runs files and takes what they have at their top level, alone or in lists, in their order."""
    all_found: list[Any] = []
    for path in paths:
        if not path.is_file():
            raise UsageError(f"--extend {path}: no such file")
        values = _run(path)
        found = list(_extensions(list(values.values())))
        _check_classes(path, values, found)
        if not found:
            raise UsageError(
                f"--extend {path}: it has no pass, fusion, operator or target; fovea.graph_pass, fovea.Fusion,"
                " fovea.operator, fovea.Extern and classes of fovea.Target make them"
            )
        all_found += found
    once = list({id(each): each for each in all_found}.values())

    def of(kind: type[Kind]) -> list[Kind]:
        return [each for each in once if isinstance(each, kind)]

    return Extensions(of(Pass), of(Fusion), of(Extern), of(Operator), of(Target))


def main(arguments: Optional[list[str]] = None) -> int:
    """What a shell calls; the exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments[:1] == ["explore"]:
        from . import explore_command

        return explore_command.main(arguments[1:])
    if arguments[:1] in (["map"], ["export"]):
        from . import timeloop_command

        return timeloop_command.main(arguments)
    parser = argparse.ArgumentParser(prog="python3 -m fovea", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("network", help="an ONNX file, or the text of an IR")
    parser.add_argument("-o", "--output", required=True, metavar="FOLDER", help="where the compiled network goes")
    parser.add_argument("--extend", action="append", default=[], type=Path, metavar="FILE", help="run this Python file")
    parser.add_argument("--target", default="dla", choices=list(_fovea.targets))
    parser.add_argument("--machine", default="eyeriss_6x8", help="the name of one that ships, or a machine file")
    chosen = parser.parse_args(arguments)
    try:
        passes, fusions, externs, operators, targets = read_extensions(chosen.extend)
        net = compile_network(
            chosen.network,
            chosen.machine,
            target=chosen.target,
            passes=PassContext(added=passes),
            fusions=fusions,
            externs=externs,
            operators=operators,
            targets=targets,
            folder=chosen.output,
        )
    except Error as error:
        print(f"fovea: {error}", file=sys.stderr)
        return 2 if isinstance(error, UsageError) else 1
    for layer in net.layers:
        print(f"{layer.name:20} {layer.kind:24} {layer.target}" + (f": {layer.reason}" if targets else ""))
    for fused in net.fusions:
        print(fused.fusion + (f" at {fused.node}" if fused.node else "") + f": {fused.why or 'fused'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
