"""Measures as vectorised score functions over arrays of labels.

A kernel is called with ``labels``, int array of shape (..., depth), and ``pool``, counts of judged documents per grade
of shape (..., grades); the leading dimensions (topics, or topics x samples) broadcast. It returns scores of the
leading shape. Labels are grades; negative ones (unjudged, padding) count as not relevant. Kernels know arrays only.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import partial

import numpy as np
from ir_measures.measures import Measure
from ir_measures.providers.base import NOT_PROVIDED

Score = Callable[[np.ndarray, np.ndarray], np.ndarray]


@dataclasses.dataclass(frozen=True)
class WeightedSum:
    """A measure that is linear in gains: the sum over ranks of weight times gain, divided by a norm.

    Attributes:
        weights: depth -> weight of each rank, shape (depth,), in descending order.
        gains: number of grades -> gain of each grade, shape (grades,).
        norm: pool -> what the sum is divided by, shape (...); None for a utility-based measure, which reads nothing
            but the ranking, and for one that is divided by the ideal.
        ideal: whether the sum is divided by that of the pool's documents in their best order.
        tail: number of ranks seen -> weight of all later ranks together, where the weights of all ranks add up to
            one and gains lie in [0, 1] (a weighted-precision measure); None for other measures.
    """

    weights: Callable[[int], np.ndarray]
    gains: Callable[[int], np.ndarray]
    norm: Callable[[np.ndarray], np.ndarray] | None = None
    ideal: bool = False
    tail: Callable[[np.ndarray], np.ndarray] | None = None

    def __call__(self, labels: np.ndarray, pool: np.ndarray) -> np.ndarray:
        return self.normalised(self.total(labels, pool.shape[-1]), pool)

    def total(self, labels: np.ndarray, grades: int) -> np.ndarray:
        """Returns the sum of weighted gains, before it is divided by the norm, shape (...)."""
        return added_up(self.gain_of(labels, grades) * self.weights(labels.shape[-1]))

    def gain_of(self, labels: np.ndarray, grades: int) -> np.ndarray:
        """Returns the gain of each label, in the shape of ``labels``."""
        # The two zeros are found from behind by the labels -1 (unjudged) and -2 (padding).
        return np.append(self.gains(grades), [0.0, 0.0])[labels]

    def normalised(self, total: np.ndarray, pool: np.ndarray) -> np.ndarray:
        """Returns sums of weighted gains as scores: divided by the norm or the ideal, 0 where that is 0."""
        if self.ideal:
            return ratio(total, self.ideal_total(pool))
        return total if self.norm is None else ratio(total, self.norm(pool))

    def ideal_total(self, pool: np.ndarray) -> np.ndarray:
        """Returns the sum of weighted gains of the pool's documents in their best order, shape (...).

        Args:
            pool: counts per grade, shape (..., grades); of estimated counts, parts of documents fill parts of ranks.
        """
        gains = self.gains(pool.shape[-1])
        best_first = np.argsort(-gains, kind='stable')
        last = pool[..., best_first].cumsum(axis=-1)  # the last rank that each grade holds in the ideal ranking
        reached = np.append(0.0, np.cumsum(self.weights(int(np.ceil(last.max(initial=0))))))
        reached = np.interp(last, np.arange(len(reached)), reached) if last.dtype.kind == 'f' else reached[last]
        return added_up(np.diff(reached, axis=-1, prepend=0.0) * gains[best_first])


def added_up(values: np.ndarray) -> np.ndarray:
    """Returns sums along the last axis, added one by one.

    numpy's own sum adds in blocks, whose borders move with the padding, and so with the length of other topics: the
    last bit of a topic's score would depend on its company.
    """
    return values.cumsum(axis=-1)[..., -1] if values.shape[-1] else np.zeros(values.shape[:-1])


def ratio(numerator: np.ndarray, denominator: np.ndarray) -> np.ndarray:
    """Returns numerator / denominator, 0 where the denominator is 0."""
    numerator, denominator = np.broadcast_arrays(numerator, denominator)
    return np.divide(numerator, denominator, out=np.zeros(numerator.shape), where=denominator > 0)


def up_to(cutoff: int | None, weights: Callable[[np.ndarray], np.ndarray], depth: int) -> np.ndarray:
    """Returns the weights of ranks 1 to depth, 0 behind the cutoff, shape (depth,)."""
    ranks = np.arange(1, depth + 1)
    return np.where(ranks <= (cutoff or depth), weights(ranks), 0.0)


def _discount(ranks: np.ndarray) -> np.ndarray:
    return 1.0 / np.log2(ranks + 1)


def discounts(cutoff: int | None, depth: int) -> np.ndarray:
    """Returns DCG's discount 1 / log2(rank + 1) of ranks 1 to depth, 0 behind the cutoff, shape (depth,)."""
    return up_to(cutoff, _discount, depth)


def _at_least(rel: int, grades: int) -> np.ndarray:
    return (np.arange(grades) >= rel).astype(float)


def recall_base(pool: np.ndarray, rel: int) -> np.ndarray:
    """Returns how many documents of the pool are relevant, shape (...)."""
    return pool[..., rel:].sum(axis=-1)


def _share(grades: int) -> np.ndarray:
    return np.arange(grades) / max(grades - 1, 1)


def gains_of(measure: Measure, exponential: bool = False) -> Callable[[int], np.ndarray]:
    """Returns number of grades -> gain of each grade: the grade itself, or what the parameter ``gains`` gives it."""
    mapping = {} if measure['gains'] is NOT_PROVIDED else measure['gains']

    def gains(grades: int) -> np.ndarray:
        gain = np.arange(grades, dtype=float)
        for grade, value in mapping.items():
            if 0 <= grade < grades:
                gain[grade] = max(value, 0)
        return 2.0 ** gain - 1 if exponential else gain
    return gains


def _ndcg(measure: Measure, cutoff: int | None) -> WeightedSum:
    """Järvelin & Kekäläinen, TOIS 2002; gain = grade (trec_eval) or 2^grade - 1 (``dcg='exp-log2'``)."""
    return WeightedSum(partial(discounts, cutoff), gains_of(measure, exponential=measure['dcg'] == 'exp-log2'),
                       ideal=True)


def _precision(measure: Measure, cutoff: int) -> WeightedSum:
    return WeightedSum(partial(up_to, cutoff, lambda ranks: np.full(len(ranks), 1 / cutoff)),
                       partial(_at_least, measure['rel']), tail=lambda seen: np.maximum(cutoff - seen, 0) / cutoff)


def _recall(measure: Measure, cutoff: int) -> WeightedSum:
    return WeightedSum(partial(up_to, cutoff, lambda ranks: np.ones(len(ranks))), partial(_at_least, measure['rel']),
                       norm=lambda pool: recall_base(pool, measure['rel']))


def _rbp(measure: Measure, cutoff: int | None) -> WeightedSum:
    """Moffat & Zobel, TOIS 2008; gain = grade / highest grade of the collection where ``rel`` is not given."""
    p = measure['p']
    gains = _share if measure['rel'] is NOT_PROVIDED else partial(_at_least, measure['rel'])
    return WeightedSum(partial(up_to, cutoff, lambda ranks: (1 - p) * p ** (ranks - 1.0)), gains,
                       tail=lambda seen: p ** np.minimum(seen, cutoff or np.inf))


def _sdcg(measure: Measure, cutoff: int) -> WeightedSum:
    low, high = measure['min_rel'], measure['max_rel']
    total = discounts(None, cutoff).sum()
    seen_weight = np.append(0.0, np.cumsum(discounts(None, cutoff))) / total
    return WeightedSum(partial(up_to, cutoff, lambda ranks: _discount(ranks) / total),
                       lambda grades: np.clip((np.arange(grades) - low) / (high - low), 0, 1),
                       tail=lambda seen: 1 - seen_weight[np.minimum(seen, cutoff)])


def _average_precision(measure: Measure, cutoff: int | None) -> Score:
    def score(labels: np.ndarray, pool: np.ndarray) -> np.ndarray:
        relevant = labels[..., :cutoff] >= measure['rel']
        found = relevant.cumsum(axis=-1, dtype=np.int32)
        total = added_up(np.where(relevant, found / np.arange(1, relevant.shape[-1] + 1), 0.0))
        return ratio(total, recall_base(pool, measure['rel']))
    return score


def _reciprocal_rank(measure: Measure, cutoff: int | None) -> Score:
    def score(labels: np.ndarray, pool: np.ndarray) -> np.ndarray:
        relevant = labels[..., :cutoff] >= measure['rel']
        if not relevant.shape[-1]:
            return np.zeros(relevant.shape[:-1])
        return np.where(relevant.any(axis=-1), 1.0 / (relevant.argmax(axis=-1) + 1), 0.0)
    return score


def _r_precision(measure: Measure, cutoff: None) -> Score:
    def score(labels: np.ndarray, pool: np.ndarray) -> np.ndarray:
        wanted = recall_base(pool, measure['rel'])
        found = (labels >= measure['rel']).cumsum(axis=-1, dtype=np.int32)
        found = np.concatenate([np.zeros((*found.shape[:-1], 1), np.int32), found], axis=-1)
        at = np.minimum(np.broadcast_to(wanted, found.shape[:-1]), found.shape[-1] - 1)
        return ratio(np.take_along_axis(found, at[..., None], axis=-1)[..., 0], wanted)
    return score


def _success(measure: Measure, cutoff: int) -> Score:
    def score(labels: np.ndarray, pool: np.ndarray) -> np.ndarray:
        return (labels[..., :cutoff] >= measure['rel']).any(axis=-1).astype(float)
    return score


GDEVAL_MAX_GRADE = 4  # gdeval, the reference implementation of ERR, divides by 2^4 whatever grades a collection uses


def _expected_reciprocal_rank(measure: Measure, cutoff: int | None) -> Score:
    """Chapelle et al., CIKM 2009; stop probabilities as in gdeval."""
    def score(labels: np.ndarray, pool: np.ndarray) -> np.ndarray:
        labels = labels[..., :cutoff]
        stop = (2.0 ** np.maximum(labels, 0) - 1) / 2 ** GDEVAL_MAX_GRADE
        go_on = np.cumprod(1 - stop[..., :-1], axis=-1)
        reached = np.concatenate([np.ones((*go_on.shape[:-1], min(1, labels.shape[-1]))), go_on], axis=-1)
        return added_up(stop * reached / np.arange(1, labels.shape[-1] + 1))
    return score


#: measure name -> its kernel: all that is known about which measures have one
KERNELS: dict[str, Callable[[Measure, int | None], Score]] = {
    'nDCG': _ndcg,
    'P': _precision,
    'R': _recall,
    'AP': _average_precision,
    'RR': _reciprocal_rank,
    'Rprec': _r_precision,
    'Success': _success,
    'RBP': _rbp,
    'SDCG': _sdcg,
    'ERR': _expected_reciprocal_rank,
}

#: the measures whose rank weights add up to one, so that a residual is defined
WEIGHTED_PRECISION = ('P', 'RBP', 'SDCG')


def supports(measure: Measure) -> bool:
    """Returns whether there is a kernel for a measure, with the parameters that it has."""
    if measure.NAME not in KERNELS or measure.params.get('judged_only'):
        return False
    gains = measure.params.get('gains', {})
    # A gain for non-relevant documents would tell them from unjudged ones and negative labels; kernels don't.
    return all(grade > 0 or gain <= 0 for grade, gain in gains.items())


def kernel(measure: Measure) -> Score | None:
    """Returns the score function of a measure, None where there is none.

    Example:
        >>> import numpy as np
        >>> from ir_measures import P
        >>> kernel(P@2)(np.array([[1, 0], [2, 1]]), np.array([[5, 1, 1], [5, 1, 1]]))
        array([0.5, 1. ])
    """
    if not supports(measure):
        return None
    measure.validate_params()
    if cutoff(measure) is not None and cutoff(measure) < 1:
        raise ValueError(f'The cutoff of {measure!r} must be at least 1.')
    return KERNELS[measure.NAME](measure, cutoff(measure))


def cutoff(measure: Measure) -> int | None:
    """Returns the rank behind which a measure reads nothing, None where it reads the whole run."""
    return measure.params.get('cutoff')
