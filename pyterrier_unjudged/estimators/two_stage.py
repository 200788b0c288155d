"""Gain predicted from the ranks that a document has in all contributing runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from ir_measures.measures import Measure

from pyterrier_unjudged.estimators import simplex
from pyterrier_unjudged.estimators.base import DEFAULT_MEASURE, GainEstimator
from pyterrier_unjudged.estimators.contributing import ContributingRuns
from pyterrier_unjudged.estimators.models import MODELS
from pyterrier_unjudged.judged_run import JudgedRun


class TwoStageGain(GainEstimator):
    """Predicts an unjudged document's gain from its ranks in all contributing runs, the same in whichever run it is.

    In the first stage, the gains that each model of :class:`RankGain` gives a document at its ranks in the runs are
    averaged with one weight per run; a document that a run lacks counts there with the modelled gain at the last rank.
    In the second stage, the models are averaged with one weight each. Weights are in [0, 1], add up to one, and
    minimise the error on the judged documents of the topic:

    - ``loss='a'``: the squared error of the contributing runs' scores (Eq. 7), least squares on the simplex.
    - ``loss='b'``: the error of each document, weighted by how much it counts over all runs (Eq. 8). As the error of a
      document is the same in each run, these are least absolute deviations on the simplex, a linear program.

    ``run >> TwoStageGain().fit(runs, qrels)`` adds ``gain``, in [0, 1], for contributing runs and new ones; judged
    documents get their known gain, documents that no contributing run has the modelled gain at the last rank.

    Args:
        loss: ``'a'`` or ``'b'``.
        models: names of rank models, see :class:`RankGain`.
        measure: a weighted-precision measure; what it gains from each grade is the gain, and its weights are those of
            the losses.
        theta: topics whose coefficient of variation gamma (Eq. 10) is lower keep gain 0 for unjudged documents: their
            pools have found what there is. 0 adjusts all.
        depth: how much of each contributing run is read.
        pool_depth: depth down to which the runs were judged; by default found out for each topic.

    Source: Lu, Moffat & Culpepper, Can Deep Effectiveness Metrics Be Evaluated Using Shallow Judgment Pools?,
    SIGIR 2017, Algorithm 1 and Eqs. 6 to 10.

    Example:
        >>> import pandas as pd
        >>> runs = {name: pd.DataFrame({'qid': 'q', 'docno': list(docnos), 'score': [4.0, 3.0, 2.0, 1.0]})
        ...         for name, docnos in (('good', 'abcd'), ('bad', 'xyza'))}
        >>> qrels = pd.DataFrame({'qid': 'q', 'docno': list('abxy'), 'label': [1, 1, 0, 0]})
        >>> estimator = TwoStageGain(theta=0, models=['zipf']).fit(runs, qrels)
        >>> estimator(runs['good'])['gain'].round(2).tolist()
        [1.0, 1.0, 0.33, 0.28]
    """

    def __init__(self, loss: str = 'b', models: Sequence[str] = ('linear', 'zipf', 'weibull'), theta: float = 0.018,
                 measure: Measure = DEFAULT_MEASURE, depth: int = 100, pool_depth: int | None = None):
        super().__init__(measure, theta, depth, pool_depth)
        if loss not in ('a', 'b'):
            raise ValueError(f"There is no loss {loss!r}, only 'a' and 'b'.")
        unknown = [model for model in models if model not in MODELS]
        if unknown or not models:
            raise ValueError(f'There are no models {unknown}, only {list(MODELS)}; one at least is needed.')
        self.loss, self.models = loss, tuple(models)

    def learn(self, runs: ContributingRuns, gains: np.ndarray) -> None:
        rank_gains = runs.rank_gains(gains, self.pool_depth)
        depth = runs.codes.shape[2]
        curves = [self.fitted_curve(model, rank_gains)(np.arange(1.0, depth + 1)) for model in self.models]
        topics = [runs.topic(topic) for topic in range(runs.codes.shape[1])]
        judged = [labels >= 0 for _, labels, _, _ in topics]
        weights, known_gains = self._score.weights(depth), np.append(gains, [0.0, 0.0])
        error = _LOSSES[self.loss](
            _padded([np.where(retrieved, weights[ranks], 0.0)[which]
                     for (_, _, ranks, retrieved), which in zip(topics, judged, strict=True)]),
            _padded([known_gains[labels[which]] for (_, labels, _, _), which in zip(topics, judged, strict=True)]))

        first, self.system_weights = [], []
        for curve in curves:
            at_ranks = [own[ranks] for own, (_, _, ranks, _) in zip(curve, topics, strict=True)]
            self.system_weights.append(error(_padded([gain[which] for gain, which in
                                                      zip(at_ranks, judged, strict=True)])))
            first.append([gain @ own for gain, own in zip(at_ranks, self.system_weights[-1], strict=True)])
        second = [np.stack(of_topic, axis=1) for of_topic in zip(*first, strict=True)]
        self.model_weights = error(_padded([gain[which] for gain, which in zip(second, judged, strict=True)]))

        self._documents = runs.documents
        self._keys = np.concatenate([topic * np.int64(len(runs.documents)) + codes
                                     for topic, (codes, *_) in enumerate(topics)])
        self._predicted = np.concatenate([gain @ own for gain, own in zip(second, self.model_weights, strict=True)])
        self._elsewhere = (self.model_weights * np.stack([curve[:, -1] for curve in curves], axis=1)).sum(axis=1)

    def predict(self, run: JudgedRun) -> np.ndarray:
        ranked = run.rows >= 0
        topic = np.nonzero(ranked)[0]
        document = self._documents.get_indexer(run.frame['doc_id'].to_numpy(dtype=object)[run.rows[ranked]])
        key = topic * np.int64(len(self._documents)) + document
        at = np.searchsorted(self._keys, key)
        at[at == len(self._keys)] = 0
        found = (document >= 0) & (self._keys[at] == key)
        gains = np.zeros(ranked.shape)
        gains[ranked] = np.where(found, self._predicted[at], self._elsewhere[topic])
        return gains

    def __repr__(self) -> str:
        return f'TwoStageGain({self.loss!r}, {list(self.models)}, theta={self.theta!r}, measure={self.measure!r})'


def _padded(topics: Sequence[np.ndarray]) -> np.ndarray:
    """Returns arrays of different length as one, filled up with zeros, which add nothing to a loss."""
    padded = np.zeros((len(topics), max(len(topic) for topic in topics), *topics[0].shape[1:]))
    for place, topic in enumerate(topics):
        padded[place, :len(topic)] = topic
    return padded


def _loss_a(weights: np.ndarray, gain: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """Returns what minimises the error of the runs' scores over the judged documents (Eq. 7).

    Args:
        weights: what each document counts in each run, 0 where a run lacks it, shape (topics, documents, systems).
        gain: its known gain, shape (topics, documents).

    Returns:
        Predicted gains, shape (topics, documents, predictors) -> weights of the predictors, shape (topics, predictors).
    """
    by_system = weights.transpose(0, 2, 1)
    return lambda predicted: simplex.least_squares(by_system @ predicted, (by_system @ gain[..., None])[..., 0])


def _loss_b(weights: np.ndarray, gain: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """Returns what minimises the weighted errors of the judged documents (Eq. 8); as :func:`_loss_a`."""
    counts = np.sqrt((weights ** 2).sum(axis=2))
    return lambda predicted: simplex.least_deviations(counts[..., None] * predicted, counts * gain)


_LOSSES = {'a': _loss_a, 'b': _loss_b}
