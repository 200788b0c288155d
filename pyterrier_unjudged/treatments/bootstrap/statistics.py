"""Statistics of score distributions, given as samples or as support and mass."""

from __future__ import annotations

import numpy as np

MODE_BINS = 20


def statistic(name: str | float, scores: np.ndarray, mass: np.ndarray | None) -> np.ndarray:
    """Returns the mode, mean, median or a quantile of each row of scores, shape (rows,).

    Args:
        name: ``'mode'``, ``'mean'``, ``'median'``, or a quantile in (0, 1).
        scores: shape (rows, scores); in ascending order where ``mass`` is given.
        mass: probability of each score, None where all weigh the same.
    """
    if name == 'mode':
        return mode(scores, np.ones_like(scores) if mass is None else mass)
    if name == 'mean':
        return scores.mean(axis=1) if mass is None else (scores * mass).sum(axis=1)
    q = 0.5 if name == 'median' else float(name)
    if mass is None:
        return np.quantile(scores, q, axis=1)
    reached = mass.cumsum(axis=1) >= q - 1e-12
    return np.take_along_axis(scores, reached.argmax(axis=1)[:, None], axis=1)[:, 0]


def mode(scores: np.ndarray, mass: np.ndarray) -> np.ndarray:
    """Returns the highest score in the fullest of 20 bins of the fullest of 20 bins, as the authors' code does.

    The single most frequent score would tend to be the one with all unjudged documents not relevant.

    Example:
        >>> scores = np.array([[0.0, 0.0, 0.801, 0.802, 0.81, 1.0]])
        >>> mode(scores, np.ones_like(scores))
        array([0.81])
    """
    kept = mass > 0
    for _ in range(2):
        kept &= _in_fullest_bin(scores, np.where(kept, mass, 0.0), kept)
    return np.where(kept, scores, -np.inf).max(axis=1)


def _in_fullest_bin(scores: np.ndarray, mass: np.ndarray, kept: np.ndarray) -> np.ndarray:
    low = np.where(kept, scores, np.inf).min(axis=1, keepdims=True)
    high = np.where(kept, scores, -np.inf).max(axis=1, keepdims=True)
    width = np.where(high > low, high - low, 1.0)
    bins = np.clip((scores - low) / width * MODE_BINS, 0, MODE_BINS - 1).astype(np.int64)
    rows = np.arange(len(scores))[:, None]
    filled = np.bincount((rows * MODE_BINS + bins).ravel(), mass.ravel(), minlength=len(scores) * MODE_BINS)
    filled = filled.reshape(len(scores), MODE_BINS)
    fullest = np.isclose(filled, filled.max(axis=1, keepdims=True), rtol=1e-12, atol=0)
    return fullest[rows, bins]
