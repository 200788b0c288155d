"""The runs that a pool was made of, as arrays: what every estimator learns from."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
import pandas as pd

from pyterrier_unjudged.judged_run import PADDING, UNJUDGED, JudgedRun, Judgments
from pyterrier_unjudged.kernels import ratio

JUDGED_ROW = 0.95  #: share of judged documents from which on a rank counts as judged for all runs


@dataclasses.dataclass(frozen=True, eq=False)
class ContributingRuns:
    """Several runs under one pool.

    Attributes:
        judgments: the judgments of all runs.
        documents: the distinct documents of all runs, an index from document id to code.
        codes: code of each ranked document, -1 for padding, int32, shape (systems, topics, depth).
        positions: position in ``judgments.pairs`` as first encoded, -1 where there is none, shape as ``codes``.
        labels: grades as in :class:`~pyterrier_unjudged.JudgedRun`, int16, shape (systems, topics, depth).
    """

    judgments: Judgments
    documents: pd.Index
    codes: np.ndarray
    positions: np.ndarray
    labels: np.ndarray

    @classmethod
    def of(cls, runs: Sequence[JudgedRun], depth: int) -> ContributingRuns:
        """Takes the top ``depth`` of each run."""
        runs = [run.top(depth) for run in runs]
        shape = (len(runs), len(runs[0].qids), max(run.labels.shape[1] for run in runs))
        codes, positions = np.full((2, *shape), -1, dtype=np.int32)
        labels = np.full(shape, PADDING, dtype=np.int16)
        ranked = [run.rows >= 0 for run in runs]
        ids = [run.frame['doc_id'].to_numpy(dtype=object)[run.rows[which]]
               for run, which in zip(runs, ranked, strict=True)]
        all_codes, documents = pd.factorize(np.concatenate(ids))
        borders = np.cumsum([len(part) for part in ids])[:-1]
        for place, (run, which, part) in enumerate(zip(runs, ranked, np.split(all_codes, borders), strict=True)):
            width = which.shape[1]
            codes[place, :, :width][which] = part
            positions[place, :, :width], labels[place, :, :width] = run.positions, run.labels
        return cls(runs[0].judgments, pd.Index(documents), codes, positions, labels)

    def rejudged(self, kept: np.ndarray, judgments: Judgments) -> ContributingRuns:
        """Returns the runs with some of the judgments only; as :meth:`JudgedRun.rejudged`."""
        labels = np.append(np.where(kept, self.judgments.grades, np.int16(UNJUDGED)), np.int16(UNJUDGED))
        labels = np.where(self.codes < 0, np.int16(PADDING), labels[self.positions])
        return dataclasses.replace(self, judgments=judgments, labels=labels)

    def of_systems(self, chosen: Sequence[int]) -> ContributingRuns:
        """Returns some of the runs only, by their places."""
        return dataclasses.replace(self, codes=self.codes[chosen], positions=self.positions[chosen],
                                   labels=self.labels[chosen])

    def rank_gains(self, gains: np.ndarray, pool_depth: int | None) -> np.ndarray:
        """Returns the mean gain at each rank over the runs, NaN behind the pool depth, shape (topics, depth).

        Args:
            gains: gain of each grade, shape (grades,).
            pool_depth: depth down to which all runs were judged; None takes for each topic the ranks from the top on
                which nearly all documents are judged, and all ranks with judgments where there is no such rank.
        """
        judged = self.labels >= 0
        count = judged.sum(axis=0)
        gain = np.append(gains, [0.0, 0.0])[self.labels].sum(axis=0)
        mean = np.where(count > 0, ratio(gain, count), np.nan)
        depths = self.pool_depths(pool_depth)
        within = np.arange(mean.shape[1]) < np.where(depths > 0, depths, mean.shape[1])[:, None]
        return np.where(within, mean, np.nan)

    def pool_depths(self, pool_depth: int | None) -> np.ndarray:
        """Returns the depth down to which the runs were judged for each topic, shape (topics,)."""
        if pool_depth is not None:
            return np.full(self.codes.shape[1], min(pool_depth, self.codes.shape[2]))
        ranked = (self.codes >= 0).sum(axis=0)
        complete = (self.labels >= 0).sum(axis=0) >= np.maximum(JUDGED_ROW * ranked, 1e-9)
        return np.cumprod(complete, axis=1).sum(axis=1)

    def variation(self, gains: np.ndarray, pool_depth: int | None) -> np.ndarray:
        """Returns the coefficient of variation gamma of relevant documents over the runs, shape (topics,).

        The more often the same relevant documents are found again, the lower; divided by the number of runs, as in the
        paper's experiments. Infinite where no relevant document was found twice, 0 where none was found.

        Source: Lu, Moffat & Culpepper, SIGIR 2017, Eq. 10.
        """
        depths = self.pool_depths(pool_depth)
        variation = np.zeros(len(depths))
        relevant = np.append(gains > 0, [False, False])[self.labels]
        for topic, depth in enumerate(depths):
            _, times = np.unique(self.codes[:, topic, :depth][relevant[:, topic, :depth]], return_counts=True)
            found, occurrences, once = len(times), times.sum(), (times == 1).sum()
            if found and once == occurrences:
                variation[topic] = np.inf
            elif found:
                square = found / (1 - once / occurrences) * (times * (times - 1)).sum() / (
                    occurrences * (occurrences - 1)) - 1
                variation[topic] = np.sqrt(max(square, 0.0)) / len(self.codes)
        return variation

    def topic(self, topic: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Returns where the documents of a topic stand in the runs.

        Returns:
            Codes of the documents, shape (documents,); their labels, likewise; the rank of each in each run, from 0,
            the last one where a run lacks it, shape (documents, systems); and whether the run has it.
        """
        system, rank = np.nonzero(self.codes[:, topic] >= 0)
        codes, first, document = np.unique(self.codes[system, topic, rank], return_index=True, return_inverse=True)
        ranks = np.full((len(codes), len(self.codes)), self.codes.shape[2] - 1)
        retrieved = np.zeros(ranks.shape, dtype=bool)
        ranks[document, system] = rank
        retrieved[document, system] = True
        return codes, self.labels[system[first], topic, rank[first]], ranks, retrieved
