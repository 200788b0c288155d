"""Bounds: the worst and the best that the unjudged documents could do to a score."""

from __future__ import annotations

from typing import Any

import numpy as np
from ir_measures.measures import Measure, ParamInfo

from pyterrier_unjudged import kernels
from pyterrier_unjudged.judged_run import JudgedRun
from pyterrier_unjudged.kernels import WeightedSum
from pyterrier_unjudged.treatments.base import Treatment, treatment_params

#: measures that read nothing but the labels in the ranking, and never fall when one of them rises
UTILITY_BASED = ('P', 'RBP', 'SDCG', 'Success', 'RR', 'ERR', 'SetP', 'NumRet')
#: measures with a kernel that only tell relevant from not relevant, and never fall when relevant documents move up
BINARY = ('AP', 'R', 'Rprec')
#: measures that no completion takes above 1, but about which nothing better is known
AT_MOST_ONE = ('Accuracy', 'AP_IA', 'BPM', 'Bpref', 'BPref', 'Compat', 'IPrec', 'SetAP', 'SetF', 'SetR', 'INSQ', 'INST',
               'InfRBP', 'NERR8', 'NERR9', 'NERR10', 'NERR11', 'P_IA', 'Q', 'RPref', 'StRecall', 'alpha_nDCG', 'infAP',
               'nERR_IA', 'nNRBP', 'ERR_IA', 'xinfAP')
_BOUND = treatment_params(bound=ParamInfo(dtype=str, choices=['naive', 'rbp', 'guaranteed'], default='naive',
                                          desc='what the bound assumes of the unjudged documents'))


class Lower(Treatment):
    """A lower bound of the measure.

    ``bound='naive'`` takes unjudged documents for not relevant, as trec_eval does by default; ``'rbp'`` is the same
    (the two differ in :class:`Upper`). **For nDCG and other measures with an ideal ranking this is no lower bound**:
    an unjudged document that is relevant improves the ideal as well. ``bound='guaranteed'`` holds for every possible
    completion of the judgments, of unretrieved documents too: nDCG with a cutoff is divided by an ideal of nothing
    but the highest grade, and what divides by the number of relevant documents becomes 0.

    Source: Fröbe et al., Bootstrapped nDCG Estimation in the Presence of Unjudged Documents, ECIR 2023, Section 3.3
    and Table 1; Lu, Moffat & Culpepper, Information Retrieval Journal 2016.

    Example:
        >>> from ir_measures import nDCG
        >>> qrels, run = {'q': {'a': 1}, 'other': {'b': 3}}, {'q': {'a': 2.0, 'unknown': 1.0}, 'other': {'b': 1.0}}
        >>> gain = nDCG(dcg='exp-log2')@2
        >>> [round(value.value, 2) for value in Lower(gain, bound='guaranteed').iter_calc(qrels, run)]
        [0.61, 0.09]
    """

    __name__ = NAME = 'Lower'
    PRETTY_NAME = 'Lower Bound'
    SHORT_DESC = 'What a measure is at least, whatever the unjudged documents are.'
    SUPPORTED_PARAMS = _BOUND

    def treat(self, run: JudgedRun) -> JudgedRun:
        return run.top(kernels.cutoff(self.measure))

    def evaluate(self, run: JudgedRun) -> np.ndarray:
        if self['bound'] != 'guaranteed' or _utility_based(self.measure):
            return super().evaluate(run)
        score, cutoff = kernels.kernel(self.measure), kernels.cutoff(self.measure)
        if isinstance(score, WeightedSum) and score.ideal and cutoff:
            return _ndcg_at_least(score, self.treat(run), cutoff)
        _require_known_range(self)
        return np.zeros(len(run.qids))


class Upper(Treatment):
    """An upper bound of the measure.

    ``bound='naive'`` gives, from the top down, each unjudged document the best grade that is still left in the pool
    outside the top k, so that the ideal ranking stays the same: comparable with scores of other systems. Once the pool
    is used up, documents are not relevant. ``bound='rbp'`` gives them all the highest grade of the collection and
    recomputes the ideal ranking: the usual bound for RBP and other utility-based measures, but not comparable for nDCG.
    **Neither is an upper bound for nDCG and other measures with an ideal ranking**; ``bound='guaranteed'`` is: the
    maximum over all completions of the judgments. It may be the lower of the two: in the naive bound an unjudged
    document takes the place of a known relevant one instead of adding to them.

    Source: Fröbe et al., Bootstrapped nDCG Estimation in the Presence of Unjudged Documents, ECIR 2023, Section 3.3
    and Table 1.

    Example:
        >>> from ir_measures import P
        >>> qrels, run = {'q': {'a': 1, 'b': 1}}, {'q': {'unknown': 3.0, 'too': 2.0, 'three': 1.0, 'a': 0.0}}
        >>> Upper(P@4).calc_aggregate(qrels, run), Upper(P@4, bound='rbp').calc_aggregate(qrels, run)
        (0.5, 1.0)
    """

    __name__ = NAME = 'Upper'
    PRETTY_NAME = 'Upper Bound'
    SHORT_DESC = 'What a measure is at most, whatever the unjudged documents are.'
    SUPPORTED_PARAMS = _BOUND

    def treat(self, run: JudgedRun) -> JudgedRun:
        run = run.top(kernels.cutoff(self.measure))
        if self['bound'] == 'naive':
            return run.assigned(_best_left(run), keep_pool=True)
        return run.assigned(run.max_grade, keep_pool=False)

    def evaluate(self, run: JudgedRun) -> np.ndarray:
        if self['bound'] != 'guaranteed' or _utility_based(self.measure):
            return super().evaluate(run)
        if kernels.supports(self.measure):
            score, run = kernels.kernel(self.measure), run.top(kernels.cutoff(self.measure))
            if isinstance(score, WeightedSum) and score.ideal:
                return _ndcg_at_most(score, run)
            if self.measure.NAME in BINARY:
                return _binary_at_most(score, run)
        _require_known_range(self)
        return (run.rows >= 0).any(axis=1).astype(float)


class Residual(Treatment):
    """The weight that a measure gives to what nobody judged: the upper bound minus the lower.

    Defined for weighted-precision measures (P, RBP, SDCG), whose rank weights add up to one. The weight of the ranks
    beyond the last document counts as unjudged too, and for RBP that of the ranks beyond the cutoff.

    Source: Moffat & Zobel, TOIS 2008; Lu, Moffat & Culpepper, SIGIR 2017, Eq. 2.

    Example:
        >>> from ir_measures import RBP
        >>> qrels, run = {'q': {'a': 1}}, {'q': {'a': 2.0, 'unknown': 1.0}}
        >>> Residual(RBP(p=0.5, rel=1)).calc_aggregate(qrels, run)  # 1/4 for rank 2 and 1/4 for all behind it
        0.5
    """

    __name__ = NAME = 'Residual'
    PRETTY_NAME = 'Residual'
    SHORT_DESC = 'The weight that a measure gives to unjudged documents.'

    def __init__(self, measure: Measure, **params: Any):
        super().__init__(measure, **params)
        if measure.NAME not in kernels.WEIGHTED_PRECISION:
            raise ValueError(f'{measure!r} has no residual: its rank weights do not add up to one. Measures that have '
                             f'one: {", ".join(kernels.WEIGHTED_PRECISION)}.')

    def evaluate(self, run: JudgedRun) -> np.ndarray:
        run = run.top(kernels.cutoff(self.measure))
        score = kernels.kernel(self.measure)
        seen = (run.rows >= 0).sum(axis=1)
        unjudged = kernels.added_up(run.unjudged * score.weights(run.labels.shape[1]))
        return np.where(seen > 0, unjudged + score.tail(seen), self.DEFAULT)


def _utility_based(measure: Measure) -> bool:
    return measure.NAME in UTILITY_BASED and not measure.params.get('relative')


def _require_known_range(treatment: Treatment) -> None:
    name = treatment.measure.NAME
    known = {'nDCG', 'nDCG_JK', *UTILITY_BASED, *BINARY, *AT_MOST_ONE}
    if name not in known:
        raise ValueError(f'{treatment!r}: guaranteed bounds are not known for {treatment.measure!r}, only for '
                         f'{", ".join(sorted(known))}.')


def _best_left(run: JudgedRun) -> np.ndarray:
    """Returns the best grade left in the pool for each unjudged document, given out from the top down."""
    place = run.unjudged.cumsum(axis=1)  # 1 for the first unjudged document of a topic
    at_least = run.pool_left[:, ::-1].cumsum(axis=1)[:, ::-1]
    grades = np.zeros(run.labels.shape, dtype=np.int16)
    for grade in range(1, run.max_grade + 1):
        grades[place <= at_least[:, grade, None]] = grade
    return grades


def _ndcg_at_least(score: WeightedSum, run: JudgedRun, cutoff: int) -> np.ndarray:
    """Returns nDCG against an ideal ranking of nothing but the best grade, as unretrieved documents may make it."""
    best_ideal = np.zeros_like(run.pool)
    best_ideal[:, np.argmax(score.gains(run.pool.shape[1]))] = cutoff
    return score(run.labels, best_ideal)


def _ndcg_at_most(score: WeightedSum, run: JudgedRun) -> np.ndarray:
    """Returns the highest nDCG over all grades that the unjudged documents could have.

    For a fixed multiset of grades the best assignment is non-increasing by rank. With C_g documents of at least grade
    g, DCG and the ideal DCG are both sums over g of a function of C_g alone, so that DCG - x * ideal DCG is maximised
    for each g by itself; Dinkelbach's iteration raises x to the highest ratio.
    """
    gains = score.gains(run.pool.shape[1])
    weights = score.weights(run.labels.shape[1])
    ascending = np.argsort(gains, kind='stable')
    steps = np.diff(gains[ascending], prepend=0.0)
    judged = run.pool[:, ascending][:, ::-1].cumsum(axis=1)[:, ::-1]  # at least this gain, (topics, grades)

    from_judged = score.total(run.labels, run.pool.shape[1])
    unjudged_first = np.argsort(~run.unjudged, axis=1, kind='stable')
    most = int(run.unjudged.sum(axis=1).max(initial=0))
    slots = np.where(run.unjudged, weights, 0.0)
    slots = np.take_along_axis(slots, unjudged_first, axis=1)[:, :most]
    from_unjudged = np.cumsum(np.pad(slots, ((0, 0), (1, 0))), axis=1)  # by the first C of them, (topics, most + 1)
    counts = judged[:, :, None] + np.arange(most + 1)
    ideal_weights = score.weights(int(counts.max(initial=0)))
    ideal = np.append(0.0, np.cumsum(ideal_weights))[counts]  # (topics, grades, most + 1)

    best = score(run.labels, run.pool)
    while True:
        chosen = np.argmax(from_unjudged[:, None, :] - best[:, None, None] * ideal, axis=2)
        dcg = from_judged + kernels.added_up(np.take_along_axis(from_unjudged, chosen, axis=1) * steps)
        ideal_dcg = kernels.added_up(np.take_along_axis(ideal, chosen[:, :, None], axis=2)[:, :, 0] * steps)
        better = np.divide(dcg, ideal_dcg, out=np.zeros_like(dcg), where=ideal_dcg > 0)
        if not (better > best + 1e-12).any():
            return best
        best = np.maximum(better, best)


def _binary_at_most(score: kernels.Score, run: JudgedRun) -> np.ndarray:
    """Returns the highest score over all completions, of a measure that only tells relevant from not relevant.

    The best assignment has the relevant documents on top, so that only their number needs trying.
    """
    best = np.zeros(len(run.qids))
    place = run.unjudged.cumsum(axis=1)
    for topic, (labels, pool) in enumerate(zip(run.labels, run.pool, strict=True)):
        relevant = np.arange(run.unjudged[topic].sum() + 1)[:, None]
        tried = np.where(run.unjudged[topic] & (place[topic] <= relevant), run.max_grade, labels)
        pools = np.repeat(pool[None, :], len(relevant), axis=0)
        pools[:, -1] += relevant[:, 0]
        best[topic] = score(tried, pools).max()
    return best
