"""Gain predicted from the rank alone."""

from __future__ import annotations

import numpy as np
from ir_measures.measures import Measure

from pyterrier_unjudged.estimators.base import DEFAULT_MEASURE, GainEstimator
from pyterrier_unjudged.estimators.contributing import ContributingRuns
from pyterrier_unjudged.estimators.models import MODELS
from pyterrier_unjudged.judged_run import JudgedRun


class RankGain(GainEstimator):
    """Predicts an unjudged document's gain from its rank: a curve fitted to the contributing runs of the topic.

    For each topic, the mean gain at each rank over the contributing runs is fitted by bounded least squares, and
    extrapolated to whatever depth a run has. ``run >> RankGain().fit(runs, qrels)`` adds ``gain``, in [0, 1]; judged
    documents get their known gain. A topic with fewer judged ranks than the curve has parameters falls back to the mean
    gain of those ranks, one without any to the mean gain of all judged documents of the collection; ``fallbacks`` lists
    such topics.

    Args:
        model: ``'linear'`` (decreasing, clipped to [0, 1]), ``'zipf'`` (lambda / (k^c H_{1000,c})) or ``'weibull'``
            (discrete: c (exp(-(k/a)^b) - exp(-((k+1)/a)^b))).
        measure: a weighted-precision measure; what it gains from each grade is the gain.
        theta: topics whose coefficient of variation is lower keep gain 0 for unjudged documents: their pools have found
            what there is. 0 adjusts all.
        depth: how much of each contributing run is read.
        pool_depth: depth down to which the runs were judged; by default found out for each topic.

    Source: Lu, Moffat & Culpepper, Can Deep Effectiveness Metrics Be Evaluated Using Shallow Judgment Pools?,
    SIGIR 2017, Section 3.

    Example:
        >>> import pandas as pd
        >>> run = pd.DataFrame({'qid': 'q', 'docno': list('abcd'), 'score': [4.0, 3.0, 2.0, 1.0]})
        >>> qrels = pd.DataFrame({'qid': 'q', 'docno': list('abc'), 'label': [1, 1, 0]})
        >>> RankGain(model='zipf').fit({'run': run}, qrels)(run)['gain'].round(2).tolist()
        [1.0, 1.0, 0.0, 0.3]
    """

    def __init__(self, model: str = 'linear', measure: Measure = DEFAULT_MEASURE, theta: float = 0.0, depth: int = 100,
                 pool_depth: int | None = None):
        super().__init__(measure, theta, depth, pool_depth)
        if model not in MODELS:
            raise ValueError(f'There is no model {model!r}, only {list(MODELS)}.')
        self.model = model

    def learn(self, runs: ContributingRuns, gains: np.ndarray) -> None:
        self._curve = self.fitted_curve(self.model, runs.rank_gains(gains, self.pool_depth))

    def predict(self, run: JudgedRun) -> np.ndarray:
        return self._curve(np.arange(1.0, run.labels.shape[1] + 1))

    def __repr__(self) -> str:
        return f'RankGain({self.model!r}, {self.measure!r}, theta={self.theta!r})'
