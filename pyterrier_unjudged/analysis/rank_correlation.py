"""How alike two rankings of systems are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from pyterrier_unjudged.analysis.score_matrix import ScoreMatrix
from pyterrier_unjudged.sorting import inverse

Scores = np.ndarray | pd.Series | pd.DataFrame | list


class RankCorrelation(NamedTuple):
    """The agreement of two rankings.

    Attributes:
        statistic: the coefficient; for ``'dist'`` a distance, 0 where both agree.
        pvalue: of the hypothesis that the rankings are unrelated; NaN for methods without a test.
        method: the name of the coefficient.
    """

    statistic: float
    pvalue: float
    method: str

    def to_frame(self) -> pd.DataFrame:
        """Returns one row with the columns ``method``, ``statistic``, ``pvalue``."""
        return pd.DataFrame([(self.method, self.statistic, self.pvalue)], columns=['method', 'statistic', 'pvalue'])


def rank_correlation(a: Scores, b: Scores, method: str = 'tau', *, p: float = 0.9,
                     alpha: float | str = 1.0) -> RankCorrelation:
    """Compares the rankings of systems by two sets of scores.

    - ``'tau'``: Kendall's tau-b.
    - ``'spearman'``: Spearman's rho.
    - ``'tau_ap'``: AP correlation, which weighs the top more, as Urbano & Marrero's variant b for two rankings that may
      both have ties: for items i outside the first group of ties, the mean over items j strictly above i of +1 where
      both rankings agree on the order of i and j, -1 where they don't, 0 where the other has a tie; averaged over i,
      and over both rankings as the one that says what is above.
    - ``'tau_ap_a'``: their variant a, for a true ranking ``a`` and an estimated one ``b``: the mean of AP correlation
      over all ways of breaking ties.
    - ``'rbo'``: extrapolated rank-biased overlap; ties keep the order of the input.
    - ``'dist'``: the sum over pairs of systems of the difference in the strength of their relation, measured by
      one-tailed paired t-tests over topics; needs scores per topic.

    Args:
        a: scores, higher is better: shape (systems,), or (systems, topics), whose means are ranked; a Series by system;
            or a frame of one measure with columns ``name``, ``qid``, ``measure``, ``value``.
        b: the same for the other ranking; systems of Series and frames are matched by name.
        method: one of the above.
        p: persistence of ``'rbo'``, in (0, 1]; 1 is average overlap.
        alpha: factor of each pair in ``'dist'``, or ``'strength'``, the strength of the pair's relation by ``a``.

    Raises:
        ValueError: on different systems, fewer than two of them, scores that are no numbers, and an unknown method.

    Source: Yilmaz, Aslam & Robertson, SIGIR 2008 (tau_ap); Urbano & Marrero, The Treatment of Ties in AP Correlation,
    ICTIR 2017; Webber, Moffat & Zobel, TOIS 2010, Eq. 32 (rbo); Lu, Moffat & Culpepper, SIGIR 2017, Eq. 11 (dist).

    Example:
        >>> rank_correlation([0.9, 0.8, 0.7], [0.8, 0.9, 0.7], 'tau_ap').statistic  # items 2 and 3: -1 and +1
        0.0
    """
    if method not in METHODS:
        raise ValueError(f'There is no method {method!r}, only {list(METHODS)}.')
    a, b = _aligned(a, b)
    if method == 'dist':
        if a.ndim < 2 or b.ndim < 2 or a.shape[1] < 2 or b.shape[1] < 2:
            raise ValueError("'dist' tests differences over topics: it needs scores of shape (systems, topics), or "
                             'frames, with two topics at least.')
        if alpha != 'strength' and not isinstance(alpha, int | float):
            raise ValueError(f"alpha must be a number or 'strength', not {alpha!r}.")
        return RankCorrelation(_distance(a, b, alpha), np.nan, method)
    a, b = (scores.mean(axis=1) if scores.ndim > 1 else scores for scores in (a, b))
    if method == 'rbo' and not 0 < p <= 1:
        raise ValueError(f'The persistence p must be in (0, 1], not {p!r}.')
    statistic, pvalue = _rbo(a, b, p) if method == 'rbo' else METHODS[method](a, b)
    return RankCorrelation(float(statistic), float(pvalue), method)


def _aligned(a: Scores, b: Scores) -> tuple[np.ndarray, np.ndarray]:
    a, b = (_by_system(scores) for scores in (a, b))
    if isinstance(a, pd.DataFrame | pd.Series) != isinstance(b, pd.DataFrame | pd.Series):
        raise ValueError('Give both sets of scores in the same form: arrays, Series by system, or frames.')
    if isinstance(a, pd.DataFrame | pd.Series):
        different = sorted(map(str, set(a.index) ^ set(b.index)))
        if different:
            raise ValueError(f'Only one of the rankings has system(s) {different}. Rank the same systems in both.')
        b = b.loc[a.index]
    a, b = (np.asarray(scores, dtype=float) for scores in (a, b))
    if len(a) != len(b) or a.ndim > 2 or b.ndim > 2:
        raise ValueError(f'The rankings have shapes {a.shape} and {b.shape}; both need scores of the same systems.')
    if len(a) < 2:
        raise ValueError('A ranking needs two systems at least.')
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise ValueError('There are scores that are no numbers. Drop such systems or topics.')
    return a, b


def _by_system(scores: Scores) -> Any:
    if not isinstance(scores, pd.DataFrame) or 'name' not in scores.columns:
        return scores
    measures = scores['measure'].astype(str).unique() if 'measure' in scores.columns else ['']
    if len(measures) > 1:
        raise ValueError(f'The scores are of several measures, {list(measures)}. Choose one.')
    matrix = ScoreMatrix.of(scores.assign(measure=measures[0]), measures[0])
    return pd.DataFrame(matrix.values, index=matrix.names, columns=matrix.qids)


def _tau_ap(a: np.ndarray, b: np.ndarray) -> tuple[float, float]:
    return (_tau_ap_b_one_way(a, b) + _tau_ap_b_one_way(b, a)) / 2, np.nan


def _tau_ap_b_one_way(a: np.ndarray, b: np.ndarray) -> float:
    above = a[None, :] > a[:, None]
    number = above.sum(axis=1)
    agreement = (above * np.sign(b[None, :] - b[:, None])).sum(axis=1)
    behind = number > 0
    return float((agreement[behind] / number[behind]).mean()) if behind.any() else 0.0


def _tau_ap_a(a: np.ndarray, b: np.ndarray) -> tuple[float, float]:
    above = a[None, :] > a[:, None]
    agreement = (above * np.sign(b[None, :] - b[:, None])).sum(axis=1)
    number, tied = above.sum(axis=1), (a[None, :] == a[:, None]).sum(axis=1)
    # However ties are broken, an item stands behind as many as are strictly above, and 0 to tied - 1 more. Pairs within
    # ties cancel out.
    harmonic = np.append(0.0, np.cumsum(1 / np.arange(1.0, len(a) + 1)))
    weight = (harmonic[number + tied - 1] - harmonic[np.maximum(number, 1) - 1]) / tied
    return float((agreement * weight).sum() / (len(a) - 1)), np.nan


def _rbo(a: np.ndarray, b: np.ndarray, p: float) -> tuple[float, float]:
    depth = np.arange(1, len(a) + 1)
    place_a, place_b = (inverse(np.argsort(-scores, kind='stable')) for scores in (a, b))
    both = np.bincount(np.maximum(place_a, place_b), minlength=len(a)).cumsum() / depth  # overlap at each depth
    if p == 1:
        return float(both.mean()), np.nan
    return float((1 - p) / p * (both * p ** depth).sum() + both[-1] * p ** len(a)), np.nan


def _distance(a: np.ndarray, b: np.ndarray, alpha: float | str) -> float:
    first, second = np.triu_indices(len(a), 1)
    strength_a, strength_b = (_strength(scores[first] - scores[second]) for scores in (a, b))
    factor = np.abs(strength_a) if alpha == 'strength' else alpha
    return float((factor * np.abs(strength_b - strength_a)).sum())


def _strength(difference: np.ndarray) -> np.ndarray:
    """Returns 0.5 - p with the sign of the mean difference, p of the one-tailed t-test, shape (pairs,)."""
    mean, topics = difference.mean(axis=1), difference.shape[1]
    error = difference.std(axis=1, ddof=1) / np.sqrt(topics)
    student = np.divide(np.abs(mean), error, out=np.where(mean == 0, 0.0, np.inf), where=error > 1e-15)
    return np.sign(mean) * (0.5 - stats.t.sf(student, topics - 1))


METHODS: dict[str, Callable[..., Any]] = {
    'tau': stats.kendalltau, 'tau_ap': _tau_ap, 'tau_ap_a': _tau_ap_a, 'spearman': stats.spearmanr, 'rbo': _rbo,
    'dist': _distance}
