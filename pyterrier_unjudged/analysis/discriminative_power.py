"""Discriminative power: for how many pairs of systems a measure finds a significant difference."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd

from pyterrier_unjudged.analysis.score_matrix import ScoreMatrix, require_scores

BLOCK = 1 << 22  #: values held at a time
ROUNDING = 1e-12  #: differences of mean scores that rounding makes


@dataclasses.dataclass(frozen=True, eq=False)
class DiscriminativePower:
    """What :func:`discriminative_power` found.

    Attributes:
        alpha: the significance level.
        pairs: one row per measure and pair of systems, columns ``measure``, ``name_a``, ``name_b``, ``difference``
            (mean score of a minus that of b), ``asl`` (achieved significance level, a p-value), ``significant``.
        difference_needed: measure -> difference of mean scores needed for significance.
    """

    alpha: float
    pairs: pd.DataFrame
    difference_needed: dict[str, float]

    def to_frame(self) -> pd.DataFrame:
        """Returns one row per measure, the most discriminative first.

        Columns ``measure``, ``pairs``, ``significant`` (pairs), ``power`` (their share) and ``difference_needed``:
        Sakai's Table 3.
        """
        found = self.pairs.groupby('measure', sort=False)['significant'].agg(['size', 'sum', 'mean']).reset_index()
        found.columns = ['measure', 'pairs', 'significant', 'power']
        found['difference_needed'] = found['measure'].map(self.difference_needed)
        return found.sort_values('power', ascending=False, kind='stable', ignore_index=True)


def discriminative_power(scores: pd.DataFrame, alpha: float = 0.05, b: int = 1000, seed: int = 0,
                         method: str = 'bootstrap') -> DiscriminativePower:
    """Tests every pair of systems for a difference, under each measure of a frame of scores.

    ``method='bootstrap'`` is Sakai's paired bootstrap test: topics are drawn with replacement, ``b`` times, and the
    achieved significance level is the share of draws whose studentised mean difference, under the hypothesis that there
    is none, is at least as far from 0 as the observed one. The difference needed is the largest, over pairs, of the
    mean differences at the draw that is just significant. All pairs and measures share the draws.

    ``method='tukey'`` is the randomised Tukey HSD test, which allows for testing many pairs: scores are permuted among
    the systems of each topic, and a pair's level is the share of permutations in which best and worst system are at
    least as far apart. The difference needed is the smallest that is significant.

    Args:
        scores: columns ``name``, ``qid``, ``measure``, ``value``, as ``pt.Experiment(…, perquery=True)`` returns them.
        alpha: significance level.
        b: number of draws or permutations.
        seed: seed of the random numbers.
        method: ``'bootstrap'`` or ``'tukey'``.

    Raises:
        ValueError: on malformed scores, fewer than two systems or topics, and parameters out of range.

    Source: Sakai, Evaluating Evaluation Metrics based on the Bootstrap, SIGIR 2006; Sakai, Alternatives to bpref,
    SIGIR 2007, Section 7; Carterette, Multiple Testing in Statistical Analysis of Systems-Based Information Retrieval
    Experiments, TOIS 2012 (randomised Tukey HSD).

    Example:
        >>> values = {'good': [0.9, 0.8, 0.9, 0.7, 0.8], 'bad': [0.2, 0.3, 0.1, 0.2, 0.2]}
        >>> scores = pd.DataFrame([(name, str(qid), 'AP', value) for name, topics in values.items()
        ...                        for qid, value in enumerate(topics)], columns=['name', 'qid', 'measure', 'value'])
        >>> discriminative_power(scores).to_frame()[['measure', 'pairs', 'significant', 'power']]
          measure  pairs  significant  power
        0      AP      1            1    1.0
    """
    require_scores(scores)
    if method not in _TESTS:
        raise ValueError(f'There is no method {method!r}, only {list(_TESTS)}.')
    if not 0 < alpha < 1:
        raise ValueError(f'The significance level alpha must be in (0, 1), not {alpha!r}.')
    if b * alpha < 1:
        raise ValueError(f'b={b!r} is too few to reach significance at alpha={alpha!r}; use at least '
                         f'{int(np.ceil(1 / alpha))}.')
    tables, needed = [], {}
    for measure in scores['measure'].astype(str).unique():
        matrix = ScoreMatrix.of(scores, measure)
        first, second = matrix.pairs()
        if len(matrix.qids) < 2:
            raise ValueError(f'A test needs two topics at least; the scores have only topic {matrix.qids[0]!r}.')
        asl, needed[measure] = _TESTS[method](matrix.values, first, second, alpha, b, np.random.default_rng(seed))
        means = matrix.values.mean(axis=1)
        tables.append(pd.DataFrame({
            'measure': measure, 'name_a': matrix.names[first], 'name_b': matrix.names[second],
            'difference': means[first] - means[second], 'asl': asl, 'significant': asl < alpha}))
    return DiscriminativePower(alpha, pd.concat(tables, ignore_index=True), needed)


def _bootstrap(values: np.ndarray, first: np.ndarray, second: np.ndarray, alpha: float, b: int,
               random: np.random.Generator) -> tuple[np.ndarray, float]:
    """Returns the level of each pair, shape (pairs,), and the difference needed."""
    topics = values.shape[1]
    difference = values[first] - values[second]
    mean = difference.mean(axis=1)
    shifted = difference - mean[:, None]  # the hypothesis: no difference
    drawn = random.multinomial(topics, np.full(topics, 1 / topics), size=b).astype(float)  # how often each topic is
    observed = np.abs(_studentised(mean, (difference ** 2).mean(axis=1), topics))
    # Topics that are drawn several times weigh accordingly, so that all draws of all pairs are two matrix products.
    asl, needed = np.empty(len(difference)), 0.0
    last = max(int(b * alpha), 1)  # of the draws in descending order, the last significant one
    for start in range(0, len(difference), max(BLOCK // b, 1)):
        block = slice(start, start + max(BLOCK // b, 1))
        means = shifted[block] @ drawn.T / topics
        student = np.abs(_studentised(means, (shifted[block] ** 2) @ drawn.T / topics, topics))
        reached = student >= observed[block, None] * (1 - ROUNDING)
        asl[block] = np.where(observed[block] > 0, reached.mean(axis=1), 1.0)
        at = np.argpartition(student, -last, axis=1)[:, -last]
        needed = max(needed, float(np.abs(means[np.arange(len(means)), at]).max()))
    return asl, needed


def _studentised(mean: np.ndarray, mean_square: np.ndarray, topics: int) -> np.ndarray:
    """Returns means divided by their standard errors, infinite where all values are the same but not 0."""
    variance = mean_square - mean ** 2
    variance = np.where(variance > ROUNDING * mean_square, variance, 0.0)
    error = np.sqrt(variance / (topics - 1))
    constant = np.where(np.abs(mean) > ROUNDING, np.inf, 0.0)
    return np.divide(np.abs(mean), error, out=constant, where=error > 0)


def _tukey(values: np.ndarray, first: np.ndarray, second: np.ndarray, alpha: float, b: int,
           random: np.random.Generator) -> tuple[np.ndarray, float]:
    """Returns the level of each pair, shape (pairs,), and the difference needed."""
    ranges = np.empty(b)
    step = max(BLOCK // values.size, 1)
    for start in range(0, b, step):
        permuted = np.broadcast_to(values, (min(step, b - start), *values.shape))
        means = random.permuted(permuted, axis=1).mean(axis=2)
        ranges[start:start + step] = np.ptp(means, axis=1)
    ranges = np.sort(ranges)
    means = values.mean(axis=1)
    observed = np.abs(means[first] - means[second])
    asl = 1 - np.searchsorted(ranges, observed - ROUNDING) / b
    # Significant is what fewer than b alpha of the ranges reach.
    return asl, float(ranges[b - max(int(np.ceil(b * alpha)), 1)])


_TESTS = {'bootstrap': _bootstrap, 'tukey': _tukey}
