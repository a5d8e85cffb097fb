# SPDX-License-Identifier: Apache-2.0
"""A model of how long nests of loops take, learned from some that were timed."""
import sys
from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from .errors import UsageError
from .loops import Nest, Store

CACHES = (2**15, 2**20)  #: Bytes of the nearest caches.
KINDS = ("serial", "unrolled", "vector", "parallel")
TREES = 100


def _log(value: float) -> float:
    return float(np.log2(1 + max(0.0, value)))


def _moved(store: Store, turns: Sequence[int], cache: int) -> float:
    """Bytes that a store moves into a cache: its outermost loop that fits brings all that it spans, once a run."""
    moved = 0.0
    for depth in reversed(range(len(turns))):
        span = sum(access.footprints[depth] for access in store.accesses)
        if span > cache and moved:
            break
        moved = span * prod(turns[:depth])
    return moved


def code_size(nest: Nest) -> float:
    """Operations in the code of a nest: of each store as often as loops are unrolled, vectors cut into eights."""
    loops = {loop.name: loop for loop in nest.loops}
    size = 0.0
    for store in nest.stores:
        around = [loops[name] for name in store.loops]
        copies = prod(loop.turns for loop in around if loop.kind == "unrolled")
        vectors = prod(max(1, loop.turns / 8) for loop in around if loop.kind == "vector")
        size += copies * vectors * (1 + store.operations)
    return size


def features(nest: Nest) -> NDArray[np.float64]:
    """What the model knows of a nest: loops by kind, how often stores run and what they compute, arrays in registers,
    bytes that go through each cache; and of the store that runs most its innermost loops and its strides there."""
    loops = {loop.name: loop for loop in nest.loops}
    kinds = {kind: [0.0, 0.0] for kind in KINDS}
    for loop in nest.loops:
        kinds[loop.kind][0] += 1
        kinds[loop.kind][1] += _log(loop.turns)
    runs = {kind: 0.0 for kind in KINDS}  # Of stores, by the innermost loop.
    operations = functions = conditions = steps = vectors = 0.0
    moved = [0.0] * len(CACHES)
    for store in nest.stores:
        around = [loops[name] for name in store.loops]
        turns = [loop.turns for loop in around]
        width = prod(loop.turns for loop in around if loop.kind == "vector")
        copied = prod(loop.turns for loop in around if loop.kind == "unrolled")
        runs[around[-1].kind if around else "serial"] += store.runs
        operations += store.runs * store.operations
        functions += store.runs * store.functions
        conditions += store.conditions
        vectors += store.runs * (1 + store.operations) / width
        steps += store.runs / width / copied
        for i, cache in enumerate(CACHES):
            moved[i] += _moved(store, turns, cache)
    arrays = [float(prod(each.shape)) for each in nest.buffers if each.scope == "register" and each.shape]
    values = [*(value for pair in kinds.values() for value in pair), *map(_log, runs.values())]
    values += map(_log, (operations, functions, conditions, steps, vectors, code_size(nest), sum(arrays), *moved))
    return np.array([*values, len(arrays), len(nest.stores), *_hottest(nest)])


def _hottest(nest: Nest) -> list[float]:
    loops = {loop.name: loop for loop in nest.loops}
    store = max(nest.stores, key=lambda each: each.runs * (1 + each.operations))
    around = [loops[name] for name in store.loops]
    values: list[float] = []
    for depth in range(len(around) - 1, len(around) - 5, -1):  # The innermost loop first.
        if depth < 0:
            values += [0.0] * 7
            continue
        loop, strides = around[depth], [access.strides[depth] for access in store.accesses]
        values += [_log(loop.turns), float(KINDS.index(loop.kind)), float(loop.is_reduction)]
        values += [float(sum(stride == near for stride in strides)) for near in (0, 1)]
        values.append(_log(max((abs(stride) for stride in strides if stride is not None), default=0)))
        values.append(_log(sum(access.footprints[depth] for access in store.accesses)))
    reductions = [depth for depth, loop in enumerate(around) if loop.is_reduction]
    inside = around[min(reductions) + 1 :] if reductions else []
    values.append(_log(prod(loop.turns for loop in inside if not loop.is_reduction)))  # Sums side by side.
    return values


class CostModel:
    """Trees over features of nests. What is learned of one nest counts for others, as times are relative."""

    def __init__(self) -> None:
        try:
            from sklearn.ensemble import ExtraTreesRegressor  # type: ignore[import]
        except ModuleNotFoundError:
            install = "apt-get install python3-sklearn" if sys.prefix == "/usr" else "pip install scikit-learn"
            raise UsageError(f"search: its cost model needs scikit-learn, which is not installed; {install}") from None
        self._trees = ExtraTreesRegressor(TREES, min_samples_leaf=2, max_features=0.5, random_state=0)
        self._rows: list[NDArray[np.float64]] = []
        self._times: list[float] = []
        self._fitted = 0

    def learn(self, nest: Nest, relative: float) -> None:
        """A nest, and how many times as long as by default it took."""
        self._rows.append(features(nest))
        self._times.append(float(np.log(relative)))

    def predict(self, nests: Sequence[Nest]) -> NDArray[np.float64]:
        """Logarithms of relative times."""
        if len(self._times) > 1.1 * self._fitted:
            self._trees.fit(np.array(self._rows), self._times)
            self._fitted = len(self._times)
        result: NDArray[np.float64] = self._trees.predict(np.array([features(nest) for nest in nests]))
        return result
