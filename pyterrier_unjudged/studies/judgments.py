"""Fewer judgments, made from many: what a smaller budget would have left."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
import pyterrier as pt

from pyterrier_unjudged.judged_run import JudgedRun, Judgments
from pyterrier_unjudged.random_streams import topic_stream
from pyterrier_unjudged.runs import Runs, as_runs

FEWEST_RELEVANT, FEWEST_NOT_RELEVANT = 1, 10  #: what a topic keeps at least, after Buckley and Voorhees


def reduce_judgments(qrels: pd.DataFrame, rate: float, seed: int = 0, rel: int = 1) -> pd.DataFrame:
    """Draws a part of the judgments of each topic, relevant and non-relevant documents by themselves.

    Of R relevant documents max(1, ⌊rate R⌋) are kept, of N non-relevant ones max(10, ⌊rate N⌋), where there are that
    many. Draws are nested: with the same seed, the judgments of a lower rate are among those of a higher one.

    Args:
        qrels: columns ``qid``, ``docno``, ``label``.
        rate: share to keep, in (0, 1].
        seed: seed of the random numbers; a topic's draw depends on it and the topic alone.
        rel: lowest label that is relevant.

    Returns:
        The rows that were drawn, in the order of ``qrels``.

    Raises:
        ValueError: on malformed qrels or a rate out of range.

    Source: Buckley & Voorhees, SIGIR 2004; Sakai, Alternatives to bpref, SIGIR 2007, Section 5.

    Example:
        >>> qrels = pd.DataFrame({'qid': 'q', 'docno': [f'd{i}' for i in range(40)], 'label': [1, 0] * 20})
        >>> reduce_judgments(qrels, 0.1).groupby('label').size().to_dict()
        {0: 10, 1: 2}
    """
    judgments = Judgments.encode(qrels)
    kept = kept_judgments(judgments, rate, seed, rel)
    return qrels.iloc[np.sort(judgments.rows[kept])].reset_index(drop=True)


def kept_judgments(judgments: Judgments, rate: float, seed: int, rel: int = 1) -> np.ndarray:
    """Returns which judgments :func:`reduce_judgments` keeps, bool for each of ``judgments.pairs``."""
    _require_rate(rate)
    relevant = judgments.grades >= rel
    kept = np.zeros(len(relevant), dtype=bool)
    for members, random in _topics(judgments, seed):
        for which, fewest in ((relevant[members], FEWEST_RELEVANT), (~relevant[members], FEWEST_NOT_RELEVANT)):
            shuffled = random.permutation(members[which])
            kept[shuffled[:max(fewest, _part(rate, len(shuffled)))]] = True
    return kept


def two_strata(runs: Runs, qrels: pd.DataFrame, depth: int, rate: float, seed: int = 0,
               pool_depth: int | None = None) -> pd.DataFrame:
    """Makes judgments of two strata: a shallow pool judged completely, and a sample of the rest of the pool.

    Args:
        runs: the contributing runs, name -> results, or a folder of run files.
        qrels: the complete judgments, columns ``qid``, ``docno``, ``label``.
        depth: depth of the shallow pool, the first stratum.
        rate: share of the second stratum that is drawn for judging, in (0, 1]; at least one document of a topic.
        seed: seed of the random numbers; a topic's draw depends on it and the topic alone. Draws of different rates
            are nested.
        pool_depth: the second stratum reaches down to this depth of the runs; by default it is all that is judged.

    Returns:
        Columns ``qid``, ``docno``, ``label``, ``iteration``, the stratum (``'1'`` or ``'2'``). Documents of the second
        stratum that weren't drawn have label -1: pooled but not judged, as trec_eval's infAP and the inferred measures
        read it. Other negative labels become 0.

    Raises:
        ValueError: on malformed runs or qrels, depths below 1, and a rate out of range.

    Source: Voorhees, The Effect of Sampling Strategy on Inferred Measures, SIGIR 2014; Lu, Moffat & Culpepper,
    SIGIR 2017, Section 3.

    Example:
        >>> run = pd.DataFrame({'qid': 'q', 'docno': list('abcd'), 'score': [4., 3., 2., 1.]})
        >>> qrels = pd.DataFrame({'qid': 'q', 'docno': list('abcd'), 'label': [1, 0, 1, 1]})
        >>> two_strata({'run': run}, qrels, depth=1, rate=0.4)[['docno', 'label', 'iteration']].values.tolist()
        [['a', 1, '1'], ['b', -1, '2'], ['c', 1, '2'], ['d', -1, '2']]
    """
    _require_rate(rate)
    if depth < 1 or (pool_depth is not None and pool_depth < depth):
        raise ValueError(f'The depth of the first stratum must be at least 1 and at most pool_depth, not {depth!r} '
                         f'with pool_depth={pool_depth!r}.')
    judgments = Judgments.encode(qrels)
    encoded = [JudgedRun.encode(run, judgments) for run in as_runs(runs).values()]
    first = pooled(encoded, depth)
    second = ~first & (True if pool_depth is None else pooled(encoded, pool_depth))
    judged = sampled(judgments, first, second, rate, seed)
    order = np.argsort(judgments.rows)
    order = order[(first | second)[order]]
    rows = pt.model.from_ir_measures(judgments.frame.iloc[judgments.rows[order]]).reset_index(drop=True)
    return pd.DataFrame({'qid': rows['qid'], 'docno': rows['docno'],
                         'label': np.where(judged, judgments.grades, -1)[order],
                         'iteration': np.where(first, '1', '2')[order]})


def pooled(runs: Sequence[JudgedRun], depth: int) -> np.ndarray:
    """Returns which judgments are of documents in the top of a run, bool for each of ``judgments.pairs``."""
    pool = np.zeros(len(runs[0].judgments.pairs) + 1, dtype=bool)
    for run in runs:
        pool[run.top(depth).positions] = True  # position -1, not judged, falls on the last place
    return pool[:-1]


def sampled(judgments: Judgments, first: np.ndarray, second: np.ndarray, rate: float, seed: int) -> np.ndarray:
    """Returns which judgments are made of two strata, the second of which is sampled; as :func:`two_strata`."""
    _require_rate(rate)
    judged = first.copy()
    for members, random in _topics(judgments, seed):
        shuffled = random.permutation(members[second[members]])
        judged[shuffled[:max(1, _part(rate, len(shuffled)))]] = True
    return judged


def _topics(judgments: Judgments, seed: int) -> Iterator[tuple[np.ndarray, np.random.Generator]]:
    """Yields the positions of each topic's judgments by ascending document id, and its random numbers."""
    first = np.arange(1, len(judgments.qids)) * max(len(judgments.docnos), 1)
    by_topic = np.split(judgments.alphabetical, np.searchsorted(judgments.pairs, first))
    for qid, members in zip(judgments.qids, by_topic, strict=True):
        yield members, topic_stream(seed, qid)


def _part(rate: float, number: int) -> int:
    return int(np.floor(rate * number + 1e-9))  # 0.7 * 10 is a little less than 7


def _require_rate(rate: float) -> None:
    if not 0 < rate <= 1:
        raise ValueError(f'The rate must be in (0, 1], not {rate!r}.')
