"""Interpolated: unjudged documents are as good as the judged ones of the run."""

from __future__ import annotations

import numpy as np

from pyterrier_unjudged import kernels
from pyterrier_unjudged.judged_run import JudgedRun
from pyterrier_unjudged.treatments.bounds import Residual


class Interpolated(Residual):
    """The score scaled up over the residual, M / (1 - residual): unjudged documents are as good as the judged ones.

    Defined for weighted-precision measures (P, RBP, SDCG). As the residual includes what lies beyond the last document,
    RBP is scaled up even where everything retrieved is judged. Where nothing of a topic is judged, the score is the
    collection's background rate, the mean gain of all judged documents of all topics. Overestimates runs with many
    unjudged documents, as judged documents stand higher and are better.

    Source: Ravana & Moffat, ADC 2010; Lu, Moffat & Culpepper, SIGIR 2017, Eq. 4.

    Example:
        >>> from ir_measures import P
        >>> qrels, run = {'q': {'a': 1, 'b': 0}}, {'q': {'a': 3.0, 'unknown': 2.0, 'b': 1.0}}
        >>> round(Interpolated(P@3).calc_aggregate(qrels, run), 6)  # 1/3 / (1 - 1/3)
        0.5
    """

    __name__ = NAME = 'Interpolated'
    PRETTY_NAME = 'Interpolated'
    SHORT_DESC = 'A measure scaled up as if unjudged documents were as good as the judged ones.'

    def evaluate(self, run: JudgedRun) -> np.ndarray:
        judged = 1 - super().evaluate(run)
        run = run.top(kernels.cutoff(self.measure))
        score = kernels.kernel(self.measure)
        pool = run.judgments.collection_pool
        background = kernels.ratio(pool @ score.gains(len(pool)), pool.sum())
        # Differences below rounding are no judged weight.
        scaled = kernels.ratio(score(run.labels, run.pool), np.where(judged > 1e-12, judged, 0.0))
        retrieved = (run.rows >= 0).any(axis=1)
        return np.where(judged > 1e-12, scaled, background) * retrieved
