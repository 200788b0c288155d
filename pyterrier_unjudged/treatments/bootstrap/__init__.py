"""Bootstrapped scores: the distribution of a measure when grades are drawn for the unjudged documents."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from ir_measures.measures import Measure, ParamInfo

from pyterrier_unjudged import kernels
from pyterrier_unjudged.judged_run import JudgedRun, Judgments
from pyterrier_unjudged.treatments.base import Treatment, treatment_params
from pyterrier_unjudged.treatments.bootstrap import exact, sampled
from pyterrier_unjudged.treatments.bootstrap.draws import Distribution
from pyterrier_unjudged.treatments.bootstrap.priors import PRIORS, prior
from pyterrier_unjudged.treatments.bootstrap.statistics import statistic


class Bootstrap(Treatment):
    """A statistic of the distribution of a measure when grades are drawn for the unjudged documents.

    For each topic, ``b`` times: draw a grade from the prior for each unjudged document of the top k, from the top
    down, and take it from the judged documents outside the top k. If that grade is used up, take the best lower one
    that is left, else 0. The pool keeps its counts per grade, so that the ideal ranking and the number of relevant
    documents stay those of the plain measure, and the scores are comparable with those of fully judged systems.

    Args:
        measure: a measure with a kernel: nDCG, P, R, AP, RR, Rprec, Success, RBP, SDCG, ERR, Q, nDCG_JK, BPref, RPref.
        prior: ``'pool'``, P(grade | pool); ``'run'``, P(grade | judged documents in the top k); ``'pool+run'``, the
            mean of the two; ``'predicted'``, probabilities that a transformer put into the run as columns ``p_0``,
            ``p_1``, … for each document.
        stat: ``'mode'``, ``'mean'``, ``'median'``, or a quantile in (0, 1). The mode is that of the authors' code: of
            20 equal bins between minimum and maximum keep the fullest (ties: all of them), bin what is left once more,
            and take the highest score kept.
        b: number of samples; None for the exact distribution, without seed and noise.
        seed: random numbers come from a stream per (seed, topic), so that a topic's value doesn't depend on what else
            is evaluated.
        pool: ``'topic'``, the pool prior of the paper's formula; ``'collection'``, that of its published numbers: the
            judgments of all topics together.
        fallback: what the priors that look at the run become where nothing in the top k is judged: ``'pool'``, the
            pool prior; ``'nonrelevant'``, certain grade 0 as in the authors' code, which claims most where least is
            known.

    Source: Fröbe et al., Bootstrapped nDCG Estimation in the Presence of Unjudged Documents, ECIR 2023, Algorithm 1
    and Section 3.2. The paper covers nDCG with samples; other measures and the exact distribution are ours.

    Example:
        >>> from ir_measures import P
        >>> qrels = {'q': {'a': 1, 'b': 0, 'c': 1, 'd': 0}}
        >>> run = {'q': {'unknown': 2.0, 'a': 1.0}}
        >>> Bootstrap(P@2, prior='pool', stat='mean', b=None).calc_aggregate(qrels, run)
        0.75
    """

    __name__ = NAME = 'Bootstrap'
    PRETTY_NAME = 'Bootstrapped Measure'
    SHORT_DESC = 'A statistic of the scores that grades drawn for the unjudged documents give.'
    SUPPORTED_PARAMS = treatment_params(
        prior=ParamInfo(dtype=str, choices=PRIORS, default='pool+run', desc='what unjudged documents are drawn from'),
        stat=ParamInfo(dtype=(str, float), default='mode', desc='mode, mean, median, or a quantile in (0, 1)'),
        b=ParamInfo(default=1000, desc='the number of samples, None for the exact distribution'),
        seed=ParamInfo(dtype=int, default=0, desc='a number that seeds the random numbers'),
        pool=ParamInfo(dtype=str, choices=['topic', 'collection'], default='topic', desc='scope of the pool prior'),
        fallback=ParamInfo(dtype=str, choices=['pool', 'nonrelevant'], default='pool',
                           desc='prior where nothing in the top k is judged'))

    def __init__(self, measure: Measure, **params: Any):
        if isinstance(params.get('stat'), float):
            params['stat'] = float(params['stat'])  # a numpy number would show in the repr
        super().__init__(measure, **params)
        if not kernels.supports(measure):
            raise ValueError(f'Bootstrap does not support {measure!r}. It needs a kernel, which there is for: '
                             f'{", ".join(kernels.KERNELS)} (without a gain for grade 0).')
        stat, b = self['stat'], self['b']
        if stat not in ('mode', 'mean', 'median') and not (isinstance(stat, float) and 0 < stat < 1):
            raise ValueError(f"Bootstrap: stat must be 'mode', 'mean', 'median' or a quantile in (0, 1), not {stat!r}.")
        if b is not None and not (isinstance(b, int) and b >= 1):
            raise ValueError(f'Bootstrap: b must be a number of samples, or None (the exact distribution), not {b!r}.')

    def run_inputs(self) -> list[str]:
        return ['p_0', 'p_1'] if self['prior'] == 'predicted' else []

    def evaluate(self, run: JudgedRun) -> np.ndarray:
        return self.evaluate_all([self], run)[0]

    @classmethod
    def evaluate_all(cls, measures: Sequence[Bootstrap], run: JudgedRun) -> list[np.ndarray]:
        """Returns the values of each measure; those that differ in ``stat`` only share one distribution."""
        values = {measure: np.empty(len(run.qids)) for measure in measures}
        for _, sharing in itertools.groupby(sorted(values, key=cls._without_stat), key=cls._without_stat):
            sharing = list(sharing)
            for topics, scores, mass in sharing[0].distributions(run):
                for measure in sharing:
                    values[measure][topics] = statistic(measure['stat'], scores, mass)
        return [values[measure] for measure in measures]

    def _without_stat(self) -> str:
        return repr(self(stat='mode'))

    def distributions(self, run: JudgedRun) -> Iterator[Distribution]:
        """Yields the score distributions, topics with the same number of unjudged documents together."""
        run = run.top(kernels.cutoff(self.measure))
        score = kernels.kernel(self.measure)
        chances = prior(run, self['prior'], self['pool'], self['fallback'])
        counts = run.unjudged.sum(axis=1)
        for unjudged in np.unique(counts):
            topics = np.flatnonzero(counts == unjudged)
            if unjudged == 0:
                certain = score(run.labels[topics], run.pool[topics])[:, None]
                yield Distribution(topics, certain, np.ones_like(certain))
            elif self['b'] is None:
                yield from exact.distributions(run, topics, score, chances, repr(self))
            else:
                yield from sampled.distributions(run, topics, score, chances, self['b'], self['seed'])


def bootstrap_scores(run: Any, qrels: Any, measure: Measure, **params: Any) -> pd.DataFrame:
    """Returns the whole distributions behind :class:`Bootstrap`, for plots and statistics of one's own.

    Args:
        run: results, a data frame with columns ``qid``, ``docno``, ``score`` (or in ir_measures' names and forms).
        qrels: judgments, a data frame with columns ``qid``, ``docno``, ``label`` (or in ir_measures' names and forms).
        measure: a measure with a kernel.
        **params: those of :class:`Bootstrap` except ``stat``.

    Returns:
        A data frame with one row per judged topic, columns ``qid`` and ``scores``, an array of ``b`` scores. With
        ``b=None`` ``scores`` is the support in ascending order, and the column ``mass`` has the probabilities.

    Raises:
        ValueError: as :class:`Bootstrap` for parameters, and on malformed runs or qrels.

    Example:
        >>> from ir_measures import P
        >>> qrels = {'q': {'a': 1, 'b': 0, 'c': 1, 'd': 0}}
        >>> bootstrap_scores({'q': {'unknown': 2.0, 'a': 1.0}}, qrels, P@2, prior='pool', b=None)
          qid      scores        mass
        0   q  [0.5, 1.0]  [0.5, 0.5]
    """
    bootstrap = Bootstrap(measure, **params)
    judged_run = JudgedRun.encode(run, Judgments.encode(qrels))
    rows: list[tuple] = [()] * len(judged_run.qids)
    for distribution in bootstrap.distributions(judged_run):
        masses = itertools.repeat(None) if distribution.mass is None else distribution.mass
        for topic, scores, mass in zip(distribution.topics, distribution.scores, masses):  # noqa: B905 (repeat)
            if bootstrap['b'] is None:
                scores, place = np.unique(scores[mass > 0].round(12), return_inverse=True)
                rows[topic] = (judged_run.qids[topic], scores, np.bincount(place, mass[mass > 0]))
            else:
                rows[topic] = (judged_run.qids[topic], np.resize(scores, bootstrap['b']))
    columns = ['qid', 'scores'] if bootstrap['b'] is not None else ['qid', 'scores', 'mass']
    return pd.DataFrame(rows, columns=columns)
