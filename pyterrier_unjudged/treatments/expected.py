"""Expected: unjudged documents count with the gain that an estimator predicts."""

from __future__ import annotations

from typing import Any

import numpy as np
from ir_measures.measures import Measure

from pyterrier_unjudged import kernels
from pyterrier_unjudged.judged_run import JudgedRun
from pyterrier_unjudged.kernels import WeightedSum
from pyterrier_unjudged.treatments.base import Treatment

GAIN = 'gain'  #: the column that estimators add to results
LINEAR = ('nDCG', 'nDCG_JK', 'P', 'R', 'RBP', 'SDCG')  #: the measures that are linear in gains


class Expected(Treatment):
    """The measure with the predicted gain of unjudged documents: what the run's column ``gain`` says of them.

    ``run >> RankGain().fit(runs, qrels)`` adds that column, as does any transformer of one's own; values lie in [0, 1],
    1 being the gain of the best grade. Judged documents have their known gain. Defined for measures that are linear in
    gains (nDCG, nDCG_JK, P, R, RBP, SDCG); what the score is divided by stays that of the judged documents.

    Source: Lu, Moffat & Culpepper, Can Deep Effectiveness Metrics Be Evaluated Using Shallow Judgment Pools?,
    SIGIR 2017, Section 4.

    Example:
        >>> import pandas as pd
        >>> from ir_measures import P
        >>> qrels = pd.DataFrame({'query_id': ['q'], 'doc_id': ['a'], 'relevance': [1]})
        >>> run = pd.DataFrame({'query_id': 'q', 'doc_id': ['a', 'b'], 'score': [2.0, 1.0], 'gain': [0.9, 0.5]})
        >>> Expected(P@2).calc_aggregate(qrels, run)
        0.75
    """

    __name__ = NAME = 'Expected'
    PRETTY_NAME = 'Expected Measure'
    SHORT_DESC = 'A measure with the gains that an estimator predicts for unjudged documents.'

    def __init__(self, measure: Measure, **params: Any):
        super().__init__(measure, **params)
        if measure.NAME not in LINEAR or not kernels.supports(measure):
            raise ValueError(f'Expected does not support {measure!r}: it is not linear in gains, so that a predicted '
                             f'gain does not tell its expected value. Measures that are: {", ".join(LINEAR)}.')

    def run_inputs(self) -> list[str]:
        return [GAIN]

    def evaluate(self, run: JudgedRun) -> np.ndarray:
        run = run.top(kernels.cutoff(self.measure))
        gain = run.column(GAIN)
        wrong = run.unjudged & ~((gain >= 0) & (gain <= 1))
        if wrong.any():
            topic, rank = (index[0] for index in np.nonzero(wrong))
            raise ValueError(f'The run has gain {gain[topic, rank]} for document '
                             f'{run.frame["doc_id"].iloc[run.rows[topic, rank]]!r} of topic {run.qids[topic]!r}. '
                             'Gains must be numbers in [0, 1]; fit the estimator on all topics.')
        return expected(kernels.kernel(self.measure), run, gain)


def expected(score: WeightedSum, run: JudgedRun, gain: np.ndarray) -> np.ndarray:
    """Returns the score of each topic with the given gains of unjudged documents, shape (topics, depth), in [0, 1]."""
    best = score.gains(run.pool.shape[1]).max()
    predicted = np.where(run.unjudged, best * gain, 0.0) * score.weights(run.labels.shape[1])
    return score.normalised(score.total(run.labels, run.pool.shape[1]) + kernels.added_up(predicted), run.pool)
