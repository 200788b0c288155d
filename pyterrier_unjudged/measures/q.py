"""Q-measure: average precision for graded relevance."""

from __future__ import annotations

import numpy as np
from ir_measures import measures
from ir_measures.measures import Measure, ParamInfo

from pyterrier_unjudged.kernels import KERNELS, Score, added_up, gains_of, ratio


class _Q(Measure):
    """Q-measure: average precision with a blended ratio in place of precision.

    The sum over ranks r with a relevant document of (beta cg(r) + count(r)) / (beta cg*(r) + r), divided by the number
    of relevant documents R (by min(k, R) with a cutoff k, as in NTCIREVAL). cg(r) is the cumulative gain down to rank
    r, cg*(r) that of the ideal ranking, count(r) the number of relevant documents so far. ``beta=0`` gives average
    precision; a large ``beta`` forgives relevant documents that come late.

    Args:
        beta: the weight of cumulative gain in the blended ratio, 0 or more.
        gains: grade -> gain; by default the grade. Documents with a gain above 0 are relevant.
        cutoff: ranks that count, all by default.

    Source: Sakai, Alternatives to bpref, SIGIR 2007, Section 4.

    Example:
        >>> from pyterrier_unjudged import Q
        >>> qrels, run = {'q': {'a': 2, 'b': 1, 'c': 0}}, {'q': {'b': 3.0, 'c': 2.0, 'a': 1.0}}
        >>> Q.calc_aggregate(qrels, run)  # ((1 + 1) / (2 + 1) + (3 + 2) / (3 + 3)) / 2
        0.75
    """

    __name__ = NAME = 'Q'
    PRETTY_NAME = 'Q-Measure'
    SHORT_DESC = 'Average precision for graded relevance, by a blend of precision and normalised cumulative gain.'
    SUPPORTED_PARAMS = {
        'cutoff': ParamInfo(dtype=int, required=False, desc='ranking cutoff threshold'),
        'beta': ParamInfo(dtype=(int, float), default=1, desc='weight of cumulative gain against precision'),
        'gains': ParamInfo(dtype=dict, desc='custom gain mapping (int-to-int)'),
    }

    def validate_params(self) -> None:
        super().validate_params()
        if not 0 <= self['beta'] < np.inf:
            raise ValueError(f'{self!r}: beta must be 0 or more.')


def _q(measure: Measure, cutoff: int | None) -> Score:
    beta, gains_by_grade = measure['beta'], gains_of(measure)

    def score(labels: np.ndarray, pool: np.ndarray) -> np.ndarray:
        labels = labels[..., :cutoff]
        gains = gains_by_grade(pool.shape[-1])
        gain = np.append(gains, [0.0, 0.0])[labels]
        relevant = gain > 0
        ranks = np.arange(1, labels.shape[-1] + 1)
        # A grade holds the ideal ranking's ranks behind those of all better grades.
        ideal = np.zeros((*pool.shape[:-1], len(ranks)))
        better = np.zeros(pool.shape[:-1], dtype=pool.dtype)
        for grade in np.argsort(-gains, kind='stable'):
            ideal += gains[grade] * np.clip(ranks - better[..., None], 0, pool[..., grade, None])
            better = better + pool[..., grade]
        blended = (beta * gain.cumsum(axis=-1) + relevant.cumsum(axis=-1)) / (beta * ideal + ranks)
        recall_base = pool[..., gains > 0].sum(axis=-1)
        wanted = recall_base if cutoff is None else np.minimum(recall_base, cutoff)
        return ratio(added_up(np.where(relevant, blended, 0.0)), wanted)
    return score


Q = _Q()
measures.register(Q)
KERNELS[Q.NAME] = _q
