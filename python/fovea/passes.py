# SPDX-License-Identifier: Apache-2.0
"""Passes: those of the compiler in their order, chosen, timed, and with your own passes and fusions among them."""
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Optional, Union

from . import _fovea
from ._fovea import Graph
from .errors import UsageError, choose, listed
from .machine import Machine, as_machine
from .patterns import Fused, Fusion
from .places import place_of, raised_in

#: The levels of passes: what every network needs, what makes it simpler, what makes it faster.
MOST_LEVEL = _fovea.most_pass_level


class PassInfo(NamedTuple):
    """A pass in the order that they run."""

    name: str
    level: int  #: The lowest level at which it runs; 0 for what every network needs.
    runs: bool  #: Whether it is to run.
    summary: str  #: One sentence.


class PassRun(NamedTuple):
    """A pass that has run."""

    name: str
    milliseconds: float
    nodes_before: int
    nodes_after: int
    changed: bool  #: Whether it made another graph.
    graph: Graph  #: That it made.


@dataclass(frozen=True)
class Pass:
    """A pass of yours: a function from graph to graph. Made by `graph_pass`; called, it does what the function does."""

    function: Callable[[Graph], Graph]
    name: str
    after: str  #: The pass that it runs behind.
    level: int = 1
    summary: str = ""  #: One sentence.

    @property
    def place(self) -> str:
        """Where it is written: "mine.py:12"."""
        return place_of(self.function)

    def __call__(self, graph: Graph) -> Graph:
        with raised_in(f"the pass {self.name}, {self.place}"):
            made = self.function(graph)
        if not isinstance(made, Graph):
            raise UsageError(f"pass {self.name}: returned a {type(made).__name__}, {self.place}; return a graph")
        return made


def graph_pass(*, after: str, name: Optional[str] = None, level: int = 1) -> Callable[[Callable[[Graph], Graph]], Pass]:
    """Makes a function from graph to graph a pass, which a PassContext adds to the compiler's.

    after: the pass that it runs behind, or "import" for the first. name: without one, the function's, with hyphens.
    level: the lowest at which it runs. The first line of its docstring is what lists say of it.

    >>> @graph_pass(after="fold-batch-norm")
    ... def no_relu(graph):
    ...     "ReLU goes."
    ...     return graph.rewrite(lambda builder, node, inputs: inputs[0] if node.op == "nn.relu" else None)
    >>> no_relu.name, no_relu.summary
    ('no-relu', 'ReLU goes.')
    >>> [each.name for each in PassContext(added=[no_relu]).passes][17:20]
    ['fold-batch-norm', 'no-relu', 'eliminate-dead-code']
    """

    def make(function: Callable[[Graph], Graph]) -> Pass:
        summary = (inspect.getdoc(function) or "").partition("\n")[0]
        made = Pass(function, name or function.__name__.replace("_", "-"), after, level, summary)
        try:
            inspect.signature(function).bind(None)
        except TypeError:
            takes = inspect.signature(function)
            raise UsageError(f"pass {made.name}: takes {takes}, {made.place}; a pass takes one graph") from None
        return made

    return make


@dataclass(frozen=True)
class PassContext:
    """Which passes run. Raises UsageError for names that are unknown.

    >>> [each.name for each in PassContext(level=0).passes if each.runs][:3]
    ['float-outputs', 'fold-constants', 'settle-signs']
    """

    level: int = MOST_LEVEL  #: Passes of higher levels don't run.
    required: Sequence[str] = ()  #: Names of those that run at any level.
    disabled: Sequence[str] = ()  #: Names of those that don't run.
    added: Sequence[Pass] = ()  #: Your own, in the order given where several are behind one pass.
    on_pass: Optional[Callable[[PassRun], object]] = None  #: Called after each pass.
    fusions: Sequence[Fusion] = ()  #: Your own, tried in this order before the compiler's.

    def __post_init__(self) -> None:
        if self.level not in range(MOST_LEVEL + 1):
            raise UsageError(f"level={self.level!r}: unknown; {listed(map(str, range(MOST_LEVEL + 1)))} work")
        for each in self.added:
            if not isinstance(each, Pass):
                raise UsageError(f"added={each!r}: no pass; fovea.graph_pass makes one of a function")
        for fusion in self.fusions:
            if not isinstance(fusion, Fusion):
                raise UsageError(f"fusions={fusion!r}: no fusion; fovea.Fusion makes one of a name and a pattern")
        self.native().rows()

    def native(self, on_fusion: Optional[Callable[[Fused], object]] = None) -> _fovea.PassContext:
        """What the compiler takes. on_fusion: called for each match of your fusions, first for those that are fused."""
        made = _fovea.PassContext(self.level, list(self.required), list(self.disabled))
        for each in self.added:
            made.add(each.name, each.summary, each.level, each.after, each.place, each)
        if self.on_pass is not None:
            on_pass: Callable[[PassRun], object] = self.on_pass
            made.listen(lambda *run: on_pass(PassRun(*run)))
        for fusion in self.fusions:
            fusion.add_to(made)
        if on_fusion is not None:
            told: Callable[[Fused], object] = on_fusion
            made.listen_to_fusions(lambda *fused: told(Fused(*fused)))
        return made

    @property
    def has_functions(self) -> bool:
        """Whether a compilation calls functions of yours, so that its result isn't kept for the next one."""
        return bool(self.added) or bool(self.fusions) or self.on_pass is not None

    @property
    def passes(self) -> list[PassInfo]:
        """All passes in their order."""
        return [PassInfo(*row) for row in self.native().rows()]

    def run(
        self, graph: Graph, until: str = "", *, target: str = "cpu", machine: Union[Machine, str] = "eyeriss_6x8"
    ) -> Graph:
        """The graph after these passes. until: the last one to run; without, all do. target, machine: as
        `fovea.compile` takes them."""
        file = str(as_machine(machine).as_file())
        return self.native().run(graph, until, choose("target", target, _fovea.targets), file)
