"""The distribution by sampling."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pyterrier_unjudged.judged_run import JudgedRun
from pyterrier_unjudged.kernels import Score
from pyterrier_unjudged.random_streams import topic_stream
from pyterrier_unjudged.treatments.bootstrap.draws import Distribution, blocks


def distributions(run: JudgedRun, topics: np.ndarray, score: Score, prior: np.ndarray, b: int,
                  seed: int) -> Iterator[Distribution]:
    """Yields ``b`` scores for each topic; the topics have the same number of unjudged documents."""
    for slots in blocks(run, topics, b * run.labels.shape[1]):
        shape = (b, slots.ranks.shape[1])
        chances = np.stack([_stratified(topic_stream(seed, qid), *shape) for qid in run.qids[slots.topics]])
        steps = prior[slots.topics[:, None], slots.ranks].cumsum(axis=-1)
        wanted = np.zeros(chances.shape, dtype=np.int16)
        for grade in range(run.max_grade):
            wanted += chances >= steps[:, None, :, grade]
        yield Distribution(slots.topics, slots.score(score, slots.grant(wanted)), None)


def _stratified(random: np.random.Generator, b: int, unjudged: int) -> np.ndarray:
    """Returns uniform numbers, shape (b, unjudged), of which each column has one in each b-th part of [0, 1).

    Each sample alone is distributed like independent ones; together they estimate with less noise (Latin hypercube
    sampling; McKay, Beckman & Conover, Technometrics 1979).
    """
    strata = random.permuted(np.broadcast_to(np.arange(b)[:, None], (b, unjudged)), axis=0)
    return (strata + random.random((b, unjudged))) / b
