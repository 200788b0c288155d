"""Grades that are wanted for unjudged documents, granted as far as the pool has them, and the scores they make."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from pyterrier_unjudged.judged_run import JudgedRun
from pyterrier_unjudged.kernels import Score, WeightedSum, added_up

BLOCK = 1 << 20  #: labels held at a time; a single topic may take more


class Distribution(NamedTuple):
    """Scores of some topics.

    Attributes:
        topics: positions of the topics, shape (block,).
        scores: samples, or the support of the exact distribution in ascending order, shape (block, scores).
        mass: probability of each score, same shape; None for samples, which weigh the same.
    """

    topics: np.ndarray
    scores: np.ndarray
    mass: np.ndarray | None


class Slots:
    """The unjudged documents of topics that have the same number of them, top down.

    Attributes:
        topics: positions of the topics in the run, shape (block,).
        ranks: their ranks, counted from 0, shape (block, unjudged).
    """

    def __init__(self, run: JudgedRun, topics: np.ndarray):
        self.run = run
        self.topics = topics
        self.ranks = np.nonzero(run.unjudged[topics])[1].reshape(len(topics), -1)

    def grant(self, wanted: np.ndarray) -> np.ndarray:
        """Returns the grades that the pool grants: the wanted one, the best lower one left if it is used up, else 0.

        A document asks for a grade if it wants it or was refused the next better one. Of those that ask, the first
        get it, as many as the pool has left: so no more than one pass per grade is needed.

        Args:
            wanted: grades, shape (block, draws, unjudged).
        """
        granted = wanted.copy()
        left = self.run.pool_left[self.topics]
        for grade in range(left.shape[1] - 1, 0, -1):
            scarce = left[:, grade] < granted.shape[-1]
            if scarce.any():
                asked = granted[scarce] == grade
                granted[scarce] -= asked & (asked.cumsum(axis=-1, dtype=np.int32) > left[scarce, grade, None, None])
        return granted

    def score(self, score: Score, grades: np.ndarray) -> np.ndarray:
        """Returns the scores of the rankings in which the unjudged documents have these grades.

        Args:
            score: the kernel.
            grades: grades, shape (block, draws, unjudged).

        Returns:
            Scores, shape (block, draws).
        """
        labels, pool = self.run.labels[self.topics], self.run.pool[self.topics, None, :]
        if isinstance(score, WeightedSum):
            weights = score.weights(labels.shape[1])[self.ranks]
            drawn = added_up(score.gains(pool.shape[-1])[grades] * weights[:, None, :])
            return score.normalised(score.total(labels, pool.shape[-1])[:, None] + drawn, pool)
        labels = np.repeat(labels[:, None, :], grades.shape[1], axis=1)
        np.put_along_axis(labels, self.ranks[:, None, :], grades, axis=2)
        return score(labels, pool)


def blocks(run: JudgedRun, topics: np.ndarray, labels_per_topic: int) -> Iterator[Slots]:
    """Yields the topics in blocks of at most :data:`BLOCK` labels."""
    size = max(BLOCK // max(labels_per_topic, 1), 1)
    for start in range(0, len(topics), size):
        yield Slots(run, topics[start:start + size])
