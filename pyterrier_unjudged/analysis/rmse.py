"""How far estimated scores are from true ones."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd


class RootMeanSquaredError(NamedTuple):
    """How far estimates are from the truth.

    Attributes:
        actual: root of the mean squared error.
        lower: the same with errors of overestimates only, 0 for the others: how badly a lower bound is one.
        upper: the same with errors of underestimates only: how badly an upper bound is one.
    """

    actual: float
    lower: float
    upper: float

    def to_frame(self) -> pd.DataFrame:
        """Returns one row with the columns ``actual``, ``lower``, ``upper``."""
        return pd.DataFrame([self])


def rmse(estimate: Any, truth: Any) -> RootMeanSquaredError:
    """Returns the root mean squared error of estimates, as such and as lower and upper bounds.

    Args:
        estimate: scores, any shape.
        truth: the true scores, same shape.

    Raises:
        ValueError: on different shapes, no scores, and scores that are no numbers.

    Source: Fröbe et al., Bootstrapped nDCG Estimation in the Presence of Unjudged Documents, ECIR 2023, Section 4.

    Example:
        >>> round(rmse([0.5, 0.5], [0.3, 0.5]).lower, 3)  # .2 too high, and right
        0.141
    """
    estimate, truth = (np.asarray(values, dtype=float) for values in (estimate, truth))
    if estimate.shape != truth.shape or not estimate.size:
        raise ValueError(f'Estimates and truth have shapes {estimate.shape} and {truth.shape}; both need the same, '
                         'with one score at least.')
    error = estimate - truth
    if not np.isfinite(error).all():
        raise ValueError('There are scores that are no numbers. Drop such systems or topics.')
    parts = error, np.maximum(error, 0.0), np.minimum(error, 0.0)
    return RootMeanSquaredError(*(float(np.sqrt(np.mean(part ** 2))) for part in parts))
