# SPDX-License-Identifier: Apache-2.0
"""Which designs to evaluate next: those from which the front is expected to gain most, by what is known so far."""
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import UsageError

Numbers = NDArray[np.float64]
_START = 0.2  #: The part of the evaluations that fill the space.
_TOGETHER = 4  #: Designs that are chosen at a time, for as many processes.
_CELLS = 64_000  #: Of the space of objectives, at most, by which volumes are measured.
_BELOW = 0.05  #: How far below the least value that was seen an objective is taken to begin, in its range.
_LEAST = 1e-12  #: Objectives count as this at least, as their logarithms are predicted.
MOST_LISTED = 5000  #: Designs whose gains are compared one by one.


def search(
    features: Numbers, objectives: Numbers, evaluate: Callable[[list[int]], Numbers], evaluations: int, seed: int
) -> list[int]:
    """The designs that it had evaluated, by their places, in that order.

    features: a row a design. objectives: the same; NaN where one has to be evaluated. evaluate: gives the rows of
    objectives of designs. Each design is evaluated once; all objectives are to be small, and above 0 or 0.
    """
    random = np.random.default_rng(seed)
    spread = features.max(0) - features.min(0)
    features = ((features - features.min(0)) / np.where(spread > 0, spread, 1))[:, spread > 0]
    costly = np.isnan(objectives).any(0)
    known = np.maximum(objectives, _LEAST)
    first = max(1, min(evaluations, max(2 * _TOGETHER, round(_START * evaluations))))
    done = _spread_out(features, first, random)
    known[done] = np.maximum(evaluate(done), _LEAST)
    while len(done) < evaluations:
        rest = np.setdiff1d(np.arange(len(known)), done)
        if len(rest) > MOST_LISTED:
            rest = random.choice(rest, MOST_LISTED, replace=False)
        values = known[done]
        least = values.min(0)
        start = np.where(costly, np.maximum(0, least - _BELOW * (values.max(0) - least)), 0)  # Many are near the least.
        values = np.maximum(values - start, _LEAST)
        means, deviations = np.log(known[rest]), np.zeros((len(rest), known.shape[1]))
        for column in np.flatnonzero(costly):
            means[:, column], deviations[:, column] = _predicted(features[done], values[:, column], features[rest])
        count = min(_TOGETHER, evaluations - len(done))
        chosen = [int(rest[place]) for place in _gaining(values, means, deviations, count)]
        known[chosen] = np.maximum(evaluate(chosen), _LEAST)
        done += chosen
    return done


def _spread_out(features: Numbers, count: int, random: np.random.Generator) -> list[int]:
    """Designs that are far from each other: those with the smallest and the largest values of all fields, then each
    time the one whose nearest is farthest."""
    sums = features.sum(1)
    chosen = [int(np.argmin(sums)), int(np.argmax(sums))][:count]
    nearest = np.abs(features[:, None] - features[chosen]).sum(2).min(1)
    while len(chosen) < count:
        nearest[chosen] = -1.0
        best = np.flatnonzero(nearest >= nearest.max() - 1e-9)
        chosen.append(int(random.choice(best)))
        nearest = np.minimum(nearest, np.abs(features - features[chosen[-1]]).sum(1))
    return chosen


def _predicted(features: Numbers, values: Numbers, of: Numbers) -> tuple[Numbers, Numbers]:
    """Logarithms of an objective, and how far off they may be."""
    try:
        from sklearn.gaussian_process import GaussianProcessRegressor  # type: ignore[import]
        from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel  # type: ignore[import]
    except ModuleNotFoundError:
        install = "apt-get install python3-sklearn" if sys.prefix == "/usr" else "pip install scikit-learn"
        raise UsageError(f"strategy='gain': its model needs scikit-learn, which is not installed; {install}") from None
    kernel: Any = ConstantKernel(1.0, (1e-2, 1e3)) * Matern(np.ones(features.shape[1]), (2e-1, 2e1), nu=1.5)
    kernel += WhiteKernel(1e-4, (1e-6, 1e-1))
    model = GaussianProcessRegressor(kernel, normalize_y=True, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # That a length is at its bound.
        model.fit(features, np.log(values))
    means, deviations = model.predict(of, return_std=True)
    return means, deviations


def _gaining(values: Numbers, means: Numbers, deviations: Numbers, count: int) -> list[int]:
    """Places of designs that are expected to add most to the volume that evaluated ones dominate, one after another:
    where the next is chosen, those before are taken to be as predicted. means, deviations: of logarithms."""
    low = values.min(0)  # Less is not counted: else all that is little known looks promising.
    high = np.maximum(values.max(0), np.exp(means - deviations).max(0))
    chosen: list[int] = []
    for _ in range(min(count, len(means))):
        gains = _expected_gains(np.vstack([values, np.exp(means[chosen])]), means, deviations, low, high)
        gains[chosen] = -1.0
        chosen.append(int(np.argmax(gains)))
    return chosen


def _expected_gains(values: Numbers, means: Numbers, deviations: Numbers, low: Numbers, high: Numbers) -> Numbers:
    """Of each design, the volume between `low` and `high` that it is expected to dominate and `values` do not.

    The values cut the box into cells. A design dominates of a cell the product of its parts along the axes, as the
    objectives are taken to be independent.
    """
    most = max(2, int(_CELLS ** (1 / len(low))))
    edges = [np.unique(np.r_[column.clip(a, b), a, b]) for column, a, b in zip(values.T, low, high)]
    edges = [each[np.unique(np.linspace(0, len(each) - 1, most).round().astype(int))] for each in edges]
    gains: Any = np.ones([len(each) - 1 for each in edges])  # Cells that no evaluated design dominates.
    for row in values:
        gains[tuple(slice(int(np.searchsorted(each, value)), None) for each, value in zip(edges, row))] = 0.0
    for column in reversed(range(len(low))):
        parts = np.diff(_expected_below(edges[column], means[:, column, None], deviations[:, column, None]))
        axes = "...i,ci->...c" if column == len(low) - 1 else "...ic,ci->...c"
        gains = np.einsum(axes, gains, parts, optimize=True)
    return np.asarray(gains)


def _expected_below(edges: Numbers, means: Numbers, deviations: Numbers) -> Numbers:
    """How far each design is expected to be below each edge, and 0 above it: a row a design."""
    from scipy.special import ndtr  # type: ignore[import]

    deviations = np.maximum(deviations, 1e-9)
    away = (np.log(edges) - means) / deviations
    return np.asarray(edges * ndtr(away) - np.exp(means + deviations**2 / 2) * ndtr(away - deviations))
