"""How well estimated scores put a system among others, topic by topic."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd


class Reconstruction(NamedTuple):
    """How well orders of systems are told.

    Attributes:
        precision: share of the orders told that are right.
        recall: share of the true orders that are told, and rightly.
        f1: their harmonic mean.
    """

    precision: float
    recall: float
    f1: float

    def to_frame(self) -> pd.DataFrame:
        """Returns one row with the columns ``precision``, ``recall``, ``f1``."""
        return pd.DataFrame([self])


def reconstruction(estimate: Any, truth: Any, others: Any, upper: Any = None) -> Reconstruction:
    """Compares estimated scores of a system with the known scores of others, topic by topic.

    An order is told where the estimate lies above or below the other's score; of a range, from ``estimate`` to
    ``upper``, where all of it does. Where the truth is a tie there is no order to tell.

    Args:
        estimate: the system's estimated scores, or the lower ends of ranges, shape (topics,).
        truth: its true scores, shape (topics,).
        others: the scores of other systems, shape (systems, topics).
        upper: the upper ends of ranges, shape (topics,); None for points.

    Raises:
        ValueError: on shapes that don't fit, scores that are no numbers, and ranges that end below their beginning.

    Source: Fröbe et al., Bootstrapped nDCG Estimation in the Presence of Unjudged Documents, ECIR 2023, Section 4.2 and
    Table 6.

    Example:
        >>> reconstruction([0.4], [0.5], [[0.3], [0.45], [0.7]])  # wrong about the second
        Reconstruction(precision=0.6666666666666666, recall=0.6666666666666666, f1=0.6666666666666666)
        >>> reconstruction([0.4], [0.5], [[0.3], [0.45], [0.7]], upper=[0.6]).precision  # says nothing of the second
        1.0
    """
    estimate, truth, others = (np.asarray(values, dtype=float) for values in (estimate, truth, others))
    upper = estimate if upper is None else np.asarray(upper, dtype=float)
    if not estimate.ndim == 1 or not others.ndim == 2 or len({*estimate.shape, *truth.shape, *upper.shape,
                                                              others.shape[1]}) != 1:
        raise ValueError(f'Estimates, truth and upper ends must have shape (topics,), others (systems, topics), not '
                         f'{estimate.shape}, {truth.shape}, {upper.shape} and {others.shape}.')
    if not all(np.isfinite(values).all() for values in (estimate, truth, others, upper)):
        raise ValueError('There are scores that are no numbers. Drop such systems or topics.')
    if (upper < estimate).any():
        raise ValueError(f'The range of topic {int(np.argmax(upper < estimate))} ends below its beginning.')
    order = np.sign(truth - others)
    told = (estimate > others).astype(int) - (upper < others)
    right = ((told == order) & (order != 0)).sum()
    precision = right / max(((told != 0) & (order != 0)).sum(), 1)
    recall = right / max((order != 0).sum(), 1)
    return Reconstruction(float(precision), float(recall),
                          float(2 * precision * recall / (precision + recall)) if right else 0.0)
