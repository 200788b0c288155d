"""What all estimators share: they are fitted on the contributing runs and add the column ``gain`` to results."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import pandas as pd
import pyterrier as pt
from ir_measures import RBP
from ir_measures.measures import Measure

from pyterrier_unjudged import kernels
from pyterrier_unjudged.estimators.contributing import ContributingRuns
from pyterrier_unjudged.estimators.models import MODELS
from pyterrier_unjudged.judged_run import JudgedRun, Judgments
from pyterrier_unjudged.kernels import ratio
from pyterrier_unjudged.runs import Runs, as_runs

DEFAULT_MEASURE = RBP(p=0.95, rel=1)  #: the paper's


class GainEstimator(pt.Estimator):
    """Predicts the gain of unjudged documents; subclasses implement :meth:`learn` and :meth:`predict`.

    Attributes:
        variation: the coefficient of variation gamma of each topic, a Series, once fitted.
        adjusted: whether each topic's gamma reaches theta, so that its unjudged documents get gains, a Series.
        fallbacks: topics where a model could not be fitted, and what was used instead, columns ``qid``, ``model``,
            ``used``.
    """

    def __init__(self, measure: Measure, theta: float, depth: int, pool_depth: int | None):
        super().__init__()
        score = kernels.kernel(measure)
        if not isinstance(score, kernels.WeightedSum):
            raise ValueError(f'{type(self).__name__} needs a measure that is linear in gains, such as '
                             f'RBP(p=0.95, rel=1), P@10 or SDCG(max_rel=2)@10, not {measure!r}.')
        if not theta >= 0:
            raise ValueError(f'theta must be 0 or more, not {theta!r}.')
        if depth < 1 or (pool_depth is not None and pool_depth < 1):
            raise ValueError(f'depth and pool_depth must be at least 1, not {depth!r} and {pool_depth!r}.')
        self.measure, self.theta, self.depth, self.pool_depth = measure, theta, depth, pool_depth
        self._score = score
        self.judgments: Judgments | None = None

    def fit(self, runs: Runs, qrels: pd.DataFrame) -> GainEstimator:
        """Learns from the runs that the pool was made of.

        Args:
            runs: name -> results, or a folder of run files.
            qrels: the judgments, columns ``qid``, ``docno``, ``label``.

        Returns:
            The estimator itself.

        Raises:
            ValueError: on malformed runs or qrels, and where there is no run.
        """
        runs = as_runs(runs)
        judgments = Judgments.encode(qrels)
        return self.fit_encoded(ContributingRuns.of([JudgedRun.encode(runs[name], judgments) for name in sorted(runs)],
                                                    self.depth))

    def fit_encoded(self, runs: ContributingRuns) -> GainEstimator:
        """As :meth:`fit`, of runs that are encoded already."""
        self.judgments = runs.judgments
        gains = self._gains()
        self.variation = pd.Series(runs.variation(gains, self.pool_depth), index=runs.judgments.qids, name='gamma')
        self.adjusted = self.variation >= self.theta
        self._background = _background(runs.judgments, gains)
        self._fallbacks: list[tuple[str, str, str]] = []
        self.learn(runs, gains)
        self.fallbacks = pd.DataFrame(self._fallbacks, columns=['qid', 'model', 'used'])
        if self._fallbacks:
            warnings.warn(f'{self!r} has too few judged ranks to fit {self.fallbacks["qid"].nunique()} topic(s), and '
                          'uses mean gains there; see .fallbacks.', stacklevel=3)
        return self

    def learn(self, runs: ContributingRuns, gains: np.ndarray) -> None:
        """Fits the topics; ``gains`` has the gain of each grade, in [0, 1]."""
        raise NotImplementedError

    def fitted_curve(self, model: str, rank_gains: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
        """Fits a model to mean gains by rank, shape (topics, ranks), and notes the topics that have too few of them.

        Returns:
            Ranks from 1, shape (ranks,) -> gains in [0, 1], shape (topics, ranks).
        """
        parameters = MODELS[model].fit(rank_gains)
        ranks_known = (~np.isnan(rank_gains)).sum(axis=1)
        constant = np.where(ranks_known > 0, ratio(np.nansum(rank_gains, axis=1), ranks_known), self._background)
        few = ranks_known < len(MODELS[model].parameters)
        for topic in np.flatnonzero(few):
            used = 'mean gain of the judged ranks' if ranks_known[topic] else 'mean gain of the collection'
            self._fallbacks.append((self.judgments.qids[topic], model, used))
        return lambda ranks: np.where(few[:, None], constant[:, None], MODELS[model].gains(parameters, ranks))

    def predict(self, run: JudgedRun) -> np.ndarray:
        """Returns the gain of each ranked document as if it were unjudged, shape (topics, depth)."""
        raise NotImplementedError

    def gains(self, run: JudgedRun) -> np.ndarray:
        """Returns the gain of each ranked document, the known one where it is judged, shape (topics, depth)."""
        predicted = np.where(self.adjusted.to_numpy()[:, None], self.predict(run), 0.0)
        return np.where(run.labels >= 0, np.append(self._gains(), [0.0, 0.0])[run.labels], predicted)

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Adds the column ``gain``; topics that the estimator was not fitted for get NaN."""
        pt.validate.result_frame(inp, extra_columns=['score'])
        if self.judgments is None:
            raise ValueError(f'{type(self).__name__} is not fitted. Call .fit(runs, qrels) with the runs that the pool '
                             'was made of.')
        gain = np.full(len(inp), np.nan)
        known = inp['qid'].isin(self.judgments.qids).to_numpy()
        if known.any():
            run = JudgedRun.encode(inp[known].reset_index(drop=True), self.judgments)
            ranked = run.rows >= 0
            gain[np.flatnonzero(known)[run.rows[ranked]]] = self.gains(run)[ranked]
        return inp.assign(gain=gain)

    def _gains(self) -> np.ndarray:
        gains = self._score.gains(self.judgments.pool.shape[1])
        return gains / max(gains.max(), 1e-300) if gains.max() > 1 else gains


def _background(judgments: Judgments, gains: np.ndarray) -> float:
    """Returns the mean gain of all judged documents of the collection."""
    return float(judgments.collection_pool @ gains / max(judgments.collection_pool.sum(), 1))
