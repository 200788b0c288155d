"""How near estimated scores come to those with all judgments."""

from __future__ import annotations

import numpy as np
import pandas as pd


def accuracy(study: pd.DataFrame) -> pd.DataFrame:
    """Returns the errors of estimated scores, as far as they lie outside what the reference leaves open.

    The error of an estimate is 0 between the reference score and that score plus its residual, and the distance to that
    range outside it.

    Args:
        study: what :func:`~pyterrier_unjudged.shallow_pools` returned: columns ``depth``, ``method``, ``value``,
            ``reference``, ``residual``; and ``measure`` where there are several.

    Returns:
        One row per depth and method (and measure, where there are several), columns ``rmse``, the root of the mean
        squared error over systems and topics, and ``acc``, the share of errors that are 0.

    Raises:
        ValueError: where a column is missing.

    Source: Lu, Moffat & Culpepper, SIGIR 2017, Eq. 3 and Table 2.

    Example:
        >>> study = pd.DataFrame({'depth': 10, 'method': 'LB', 'value': [0.3, 0.5, 0.8], 'reference': 0.4,
        ...                       'residual': 0.2})
        >>> accuracy(study).round(3).values.tolist()  # errors .1, 0 and .2
        [[10, 'LB', 0.129, 0.333]]
    """
    missing = {'depth', 'method', 'value', 'reference', 'residual'} - set(study.columns)
    if missing:
        raise ValueError(f'The study lacks the column(s) {sorted(missing)}; it has {list(study.columns)}. Make it with '
                         'shallow_pools.')
    by = ['depth', 'method'] + (['measure'] if 'measure' in study and len(set(study['measure'])) > 1 else [])
    low, high = study['reference'], study['reference'] + study['residual']
    error = np.maximum(np.maximum(low - study['value'], study['value'] - high), 0.0)
    error = error.where(error > 1e-12, 0.0)  # what rounding makes of 0
    return (study[by].assign(square=error ** 2, acc=error == 0).groupby(by, sort=False).mean()
            .assign(square=lambda means: np.sqrt(means['square'])).rename(columns={'square': 'rmse'}).reset_index())
