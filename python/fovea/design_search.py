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
_POINTS = 2000  #: Of the space of objectives, by which volumes are measured.
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
    known = objectives.copy()
    first = max(1, min(evaluations, max(2 * _TOGETHER, round(_START * evaluations))))
    done = _spread_out(features, first, random)
    known[done] = evaluate(done)
    while len(done) < evaluations:
        rest = np.setdiff1d(np.arange(len(known)), done)
        if len(rest) > MOST_LISTED:
            rest = random.choice(rest, MOST_LISTED, replace=False)
        means, deviations = known[rest], np.zeros((len(rest), known.shape[1]))
        for column in np.flatnonzero(costly):
            means[:, column], deviations[:, column] = _predicted(features[done], known[done, column], features[rest])
        count = min(_TOGETHER, evaluations - len(done))
        chosen = [int(rest[place]) for place in _gaining(known[done], means, deviations, costly, count, random)]
        known[chosen] = evaluate(chosen)
        done += chosen
    return done


def _spread_out(features: Numbers, count: int, random: np.random.Generator) -> list[int]:
    """Designs that are far from each other: each time the one whose nearest is farthest; a corner first."""
    corner = random.integers(0, 2, features.shape[1])
    distances = np.abs(features - corner).sum(1)
    chosen = [int(np.argmin(distances))]
    nearest = np.abs(features - features[chosen[0]]).sum(1)
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
    kernel: Any = ConstantKernel(1.0, (1e-2, 1e3)) * Matern(np.ones(features.shape[1]), (5e-2, 2e1), nu=1.5)
    kernel += WhiteKernel(1e-4, (1e-6, 1e-1))
    model = GaussianProcessRegressor(kernel, normalize_y=True, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # That a length is at its bound.
        model.fit(features, np.log1p(values))
    means, deviations = model.predict(of, return_std=True)
    return means, deviations


def _gaining(
    front: Numbers,
    means: Numbers,
    deviations: Numbers,
    costly: NDArray[np.bool_],
    count: int,
    random: np.random.Generator,
) -> list[int]:
    """Places of the designs that are expected to add most to the volume that evaluated ones dominate.

    The volume is that of points of the box between the best and worst objectives which a design is as good as.
    """
    from scipy.special import ndtr  # type: ignore[import]

    low = np.minimum(front.min(0), np.where(costly, np.expm1(np.where(costly, means - deviations, 0)), means).min(0))
    high = np.maximum(front.max(0), np.where(costly, -np.inf, means).max(0))
    points = low + (high - low) * random.random((_POINTS, len(low)))
    points = points[~np.any(np.all(front[None] <= points[:, None], axis=2), axis=1)]
    shares = np.ones((len(means), len(points)))  # Chances that a design is as good as a point.
    for column, has_to_be_evaluated in enumerate(costly):
        if has_to_be_evaluated:
            away = np.log1p(points[:, column])[None] - means[:, column, None]
            shares *= ndtr(away / np.maximum(deviations[:, column, None], 1e-9))
        else:
            shares *= means[:, column, None] <= points[:, column][None]
    chosen: list[int] = []
    left = np.ones(len(points))  # Chances that none of the chosen is.
    for _ in range(min(count, len(means))):
        gains = shares @ left
        gains[chosen] = -1.0
        chosen.append(int(np.argmax(gains)))
        left *= 1 - shares[chosen[-1]]
    return chosen
