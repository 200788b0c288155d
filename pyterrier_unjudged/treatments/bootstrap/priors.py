"""What the grades of unjudged documents are drawn from."""

from __future__ import annotations

import itertools

import numpy as np

from pyterrier_unjudged.judged_run import JudgedRun

PRIORS = ('pool+run', 'pool', 'run', 'predicted')


def prior(run: JudgedRun, name: str, pool: str, fallback: str) -> np.ndarray:
    """Returns the probability of each grade for each ranked document, shape (topics, depth, grades).

    The documents of a topic share a prior unless it is predicted; the array is then a view, repeated over ranks. For
    the parameters see :class:`~pyterrier_unjudged.Bootstrap`.
    """
    if name == 'predicted':
        return predicted(run)
    counts = run.pool if pool == 'topic' else np.broadcast_to(run.judgments.collection_pool, run.pool.shape)
    of_pool = counts / counts.sum(axis=1, keepdims=True)
    judged = run.ranked_pool.sum(axis=1, keepdims=True)
    of_run = np.where(judged > 0, run.ranked_pool / np.maximum(judged, 1), of_pool)
    shared = {'pool': of_pool, 'run': of_run, 'pool+run': (of_pool + of_run) / 2}[name]
    if fallback == 'nonrelevant' and name != 'pool':
        shared = np.where(judged > 0, shared, np.eye(1, run.max_grade + 1))
    return np.broadcast_to(shared[:, None, :], (*run.labels.shape, shared.shape[1]))


def predicted(run: JudgedRun) -> np.ndarray:
    """Returns the probabilities in the run's columns ``p_0``, ``p_1``, …; only those of unjudged documents count.

    Raises:
        ValueError: where a column is missing, or probabilities of an unjudged document are negative, not numbers, or
            do not add up to one.
    """
    names = list(itertools.takewhile(run.frame.columns.__contains__, (f'p_{grade}' for grade in itertools.count())))
    if len(names) < 2:
        raise ValueError("prior='predicted' needs the probability of each grade in columns p_0, p_1, … of the run; it "
                         f'has {list(run.frame.columns)}. Add them with a transformer behind the retriever.')
    given = np.stack([run.column(name) for name in names], axis=-1)
    wrong = run.unjudged & ~((given >= 0).all(axis=-1) & np.isclose(given.sum(axis=-1), 1, atol=1e-6))
    if wrong.any():
        topic, rank = np.argwhere(wrong)[0]
        document = run.frame['doc_id'].iloc[run.rows[topic, rank]]
        raise ValueError(f'The columns {names} give document {document!r} of topic {run.qids[topic]!r} the '
                         f'probabilities {given[topic, rank].tolist()}, which are not a distribution: each must be at '
                         'least 0, and they must add up to 1.')
    grades = run.max_grade + 1
    prior = np.zeros((*run.labels.shape, grades))
    kept = min(len(names), grades)
    prior[..., :kept] = given[..., :kept]
    # A grade that the collection doesn't know is used up from the start: the best lower one takes its place.
    prior[..., -1] += given[..., kept:].sum(axis=-1)
    return prior / prior.sum(axis=-1, keepdims=True)
