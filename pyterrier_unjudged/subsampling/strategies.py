"""How to choose the documents of a subcorpus, one function per strategy."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyterrier as pt
from more_itertools import chunked

from pyterrier_unjudged.judged_run import (
    Judgments,
    block_starts,
    encode_ids,
    factorize_ids,
    reject_duplicates,
    scores_of,
)
from pyterrier_unjudged.random_streams import topic_stream
from pyterrier_unjudged.runs import Runs, as_runs
from pyterrier_unjudged.sorting import digits, pair_order, same_texts, text_digits
from pyterrier_unjudged.subsampling.subcorpus import Pairs, Subcorpus

CHUNK = 1 << 16  #: ids of a corpus held at a time


def pool(runs: Runs, depth: int, qrels: pd.DataFrame | None = None) -> Subcorpus:
    """Pools runs: the documents in the top ``depth`` of any run, for any topic.

    Pooling deeper than the judgments were made gives a subcorpus with hard negative documents, on which systems can be
    evaluated as reliably as on the whole corpus. Ranks are trec_eval's: by score, then document id descending.

    Args:
        runs: name -> results, or a folder of run files.
        depth: ranks that are pooled.
        qrels: judgments whose documents are in whether pooled or not.

    Raises:
        ValueError: on malformed runs or qrels, and a depth below 1.

    Source: Fröbe et al., Corpus Subsampling: Estimating the Effectiveness of Neural Retrieval Models on Large Corpora,
    ECIR 2025, Section 3.

    Example:
        >>> run = pd.DataFrame({'qid': '1', 'docno': ['a', 'b', 'c'], 'score': [3.0, 2.0, 1.0]})
        >>> sorted(pool({'run': run}, depth=2))
        ['a', 'b']
    """
    if depth < 1:
        raise ValueError(f'The depth of a pool must be at least 1, not {depth!r}.')
    runs = as_runs(runs)
    tops: list[_Top] = []
    for name, run in pt.tqdm(runs.items(), desc='pooling'):
        tops.append(_Top.of(name, run, depth, *tops[-1:]))
    if qrels is not None:
        pairs = _pairs(qrels)
        tops.append(_Top.of('qrels', pairs.assign(score=0.0), len(pairs)))
    # A list is what one run retrieves for one topic.
    list_qid, numbers = (np.concatenate([getattr(top, name) for top in tops]) for name in ('qids', 'numbers'))
    lists = np.repeat(np.arange(len(list_qid), dtype=np.int32), numbers)
    try:
        list_topic, qids = encode_ids(pd.Series(list_qid, name='qid', dtype=object), 'runs')
        document, docnos = factorize_ids(pd.concat([top.docno for top in tops], ignore_index=True), 'runs')
    except ValueError:
        for (name, run), column in itertools.product(runs.items(), ['qid', 'docno']):
            encode_ids(run[column], f'run {name!r}')
        raise
    topic, document = np.repeat(list_topic.astype(np.int32), numbers), document.astype(np.int32)
    order = pair_order(topic, document)  # the lists of a pair stay in ascending order
    topic, document, lists = topic[order], document[order], lists[order]
    new = np.append(True, (topic[1:] != topic[:-1]) | (document[1:] != document[:-1]))[:len(order)]
    if (~new[1:] & (lists[1:] == lists[:-1])).any():
        _reject_duplicates(runs)
    new = np.flatnonzero(new)
    pairs = Pairs(topic[new], document[new], qids, docnos)
    return Subcorpus.of_pairs(pairs, strategy='pool', qrels=qrels,
                              parameters={'depth': depth, 'runs': sorted(runs), 'qrels': qrels is not None})


def rerank_pool(run: pd.DataFrame, depth: int = 1000) -> Subcorpus:
    """Takes the top ``depth`` of one run, say BM25: what re-ranking it would see.

    Args:
        run: results, columns ``qid``, ``docno``, ``score``.
        depth: ranks that are taken.

    Raises:
        ValueError: on a malformed run, and a depth below 1.

    Source: Fröbe et al., Corpus Subsampling, ECIR 2025, Section 3.

    Example:
        >>> len(rerank_pool(pd.DataFrame({'qid': '1', 'docno': ['a', 'b'], 'score': [2.0, 1.0]}), depth=1))
        1
    """
    pooled = pool({'run': run}, depth)
    return Subcorpus.of(pooled.topics, strategy='rerank_pool', parameters={'depth': depth})


def judged(qrels: pd.DataFrame) -> Subcorpus:
    """Takes all judged documents.

    Args:
        qrels: judgments, columns ``qid``, ``docno``, ``label``.

    Example:
        >>> len(judged(pd.DataFrame({'qid': ['1', '2'], 'docno': ['a', 'a'], 'label': [0, 1]})))
        1
    """
    return Subcorpus.of(_pairs(qrels), strategy='judged', parameters={}, qrels=qrels)


def loft(qrels: pd.DataFrame, docnos: Iterable[str], size: int, seed: int = 0) -> Subcorpus:
    """Takes relevant documents and fills up with random ones, as the LOFT benchmark does.

    Relevant documents are taken round-robin over topics, in random order within each, so that the numbers of topics
    differ by at most one as far as they have documents; then documents that are relevant for no topic.

    Args:
        qrels: judgments, columns ``qid``, ``docno``, ``label``; labels from 1 on are relevant.
        docnos: all ids of the corpus, in any order; they are read once and may be more than fit into memory.
        size: documents wanted.
        seed: seed of the random numbers; the choice depends on it and on which ids there are, not on their order.

    Raises:
        ValueError: on malformed qrels, ids that are not strings, and a corpus with fewer than ``size`` documents.

    Source: Fröbe et al., Corpus Subsampling, ECIR 2025, Section 3 and Algorithm 1; Lee et al., Can Long-Context
    Language Models Subsume Retrieval, RAG, SQL, and More?, 2024 (LOFT).

    Example:
        >>> qrels = pd.DataFrame({'qid': ['1', '1', '2'], 'docno': ['a', 'b', 'c'], 'label': 1})
        >>> sample = loft(qrels, (f'd{number}' for number in range(100)), size=5)
        >>> len(sample), {'a', 'b', 'c'} <= set(sample)
        (5, True)
    """
    relevant = _pairs(qrels)[(pd.to_numeric(qrels['label']) >= 1).to_numpy()]
    relevant = relevant.sort_values(['qid', 'docno'])
    place = np.concatenate([topic_stream(seed, qid).permutation(number)
                            for qid, number in relevant.groupby('qid').size().items()] or [np.empty(0, int)])
    rounds = relevant.assign(place=place).sort_values(['place', 'qid'])
    # A document that is relevant for several topics counts for the first that takes it.
    chosen = rounds.drop_duplicates('docno').head(size)['docno']
    taken = relevant[relevant['docno'].isin(chosen)]
    random = _random_docnos(docnos, size - len(chosen), set(relevant['docno']), seed)
    return Subcorpus.of(taken, random, strategy='loft', parameters={'size': size, 'seed': seed}, qrels=qrels)


def judged_plus_random(qrels: pd.DataFrame, docnos: Iterable[str], size: int, seed: int = 0) -> Subcorpus:
    """Takes all judged documents and fills up with random ones.

    Args:
        qrels: judgments, columns ``qid``, ``docno``, ``label``.
        docnos: all ids of the corpus, in any order; they are read once and may be more than fit into memory.
        size: documents wanted; at least as many as are judged.
        seed: seed of the random numbers; the choice depends on it and on which ids there are, not on their order.

    Raises:
        ValueError: on malformed qrels, ids that are not strings, and a size that is too small or too large.

    Source: Tay et al., Transformer Memory as a Differentiable Search Index, NeurIPS 2022; Fröbe et al., Corpus
    Subsampling, ECIR 2025, Section 3.

    Example:
        >>> qrels = pd.DataFrame({'qid': ['1'], 'docno': ['a'], 'label': [0]})
        >>> len(judged_plus_random(qrels, ['a', 'b', 'c', 'd'], size=3))
        3
    """
    pairs = _pairs(qrels)
    known = set(pairs['docno'])
    if size < len(known):
        raise ValueError(f'There are {len(known)} judged documents, more than the size {size!r}. Use loft for a '
                         'smaller subcorpus.')
    random = _random_docnos(docnos, size - len(known), known, seed)
    return Subcorpus.of(pairs, random, strategy='judged_plus_random', parameters={'size': size, 'seed': seed},
                        qrels=qrels)


def _pairs(qrels: pd.DataFrame) -> pd.DataFrame:
    """Returns the judged (qid, docno) pairs, checked."""
    Judgments.encode(qrels)
    return qrels[['qid', 'docno']]


class _Top(NamedTuple):
    """The top of each topic of a run.

    Attributes:
        topics: the run's topic ids, shape (rows,).
        starts: the rows where they change, shape (topics,).
        qids: the topics, shape (topics,).
        numbers: how many documents of each are in its top, shape (topics,).
        docno: their ids, topic by topic, in no order otherwise, shape (documents,).
    """

    topics: pd.Series
    starts: np.ndarray
    qids: np.ndarray
    numbers: np.ndarray
    docno: pd.Series

    @classmethod
    def of(cls, name: str, run: pd.DataFrame, depth: int, other: _Top | None = None) -> _Top:
        """Takes the top. Only scores at its border need comparing with others, so that nothing is sorted.

        Args:
            name: the run's name, for messages.
            run: results.
            depth: ranks that are taken.
            other: the top of another run. Most runs have as many rows for each topic, and needn't be parted anew.
        """
        missing = [column for column in ('qid', 'docno', 'score') if column not in run.columns]
        if missing:
            raise ValueError(f'Run {name!r} lacks the column(s) {missing}; it has {list(run.columns)}.')
        topics, docno = run['qid'], run['docno'].array
        if other is not None and same_texts(topics, other.topics):
            starts, qids = other.starts, other.qids
        else:
            starts = block_starts(topics)
            qids = np.asarray(topics.array.take(starts), dtype=object)
            if len({*qids}) < len(qids):  # the rows of a topic lie scattered
                return cls.of(name, run.iloc[np.lexsort(digits(encode_ids(topics, f'run {name!r}')[0]))], depth)
        with np.errstate(over='ignore'):
            score = scores_of(run, f'run {name!r}').astype(np.float32)
        lengths = np.diff(starts, append=len(score))
        border = _border(score, lengths, depth)
        kept = np.flatnonzero(score >= np.repeat(border, lengths))
        numbers = np.diff(np.searchsorted(kept, starts), append=len(kept))
        crowded = numbers > depth
        if crowded.any():  # only documents tied at the border can leave
            tied = np.flatnonzero(np.repeat(crowded, numbers))
            topic = np.repeat(np.flatnonzero(crowded), numbers[crowded])
            at_border = score[kept[tied]] == border[topic]
            tied, topic = tied[at_border], topic[at_border]
            left = depth - numbers + np.bincount(topic, minlength=len(qids))
            chosen = _last(pd.Series(docno.take(kept[tied])), topic, left)
            kept = np.delete(kept, np.delete(tied, chosen))
        return cls(topics, starts, qids, np.minimum(numbers, depth), pd.Series(docno.take(kept), name='docno'))


def _border(score: np.ndarray, lengths: np.ndarray, depth: int) -> np.ndarray:
    """Returns the score at rank ``depth`` of each list, -inf where it is shorter; list stands by list."""
    if lengths.max(initial=0) <= depth:
        return np.full(len(lengths), -np.inf)
    starts = np.cumsum(lengths) - lengths
    rises = score[1:] > score[:-1]
    rises[starts[1:] - 1] = False
    if not rises.any():  # a ranking already
        return np.where(lengths >= depth, score[np.minimum(starts + depth, len(score)) - 1], -np.inf)
    if len(lengths) * lengths.max() > 4 * len(score):  # too ragged for a table
        return _border(score[np.lexsort((-score, np.repeat(np.arange(len(lengths)), lengths)))], lengths, depth)
    table = np.full((len(lengths), lengths.max()), -np.inf, dtype=np.float32)
    table[np.arange(table.shape[1]) < lengths[:, None]] = score
    return np.where(lengths >= depth, np.partition(table, -depth, axis=1)[:, -depth], -np.inf)


def _last(texts: pd.Series, groups: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """Returns the rows of the last texts of each group, in alphabetical order; ``numbers`` of each group."""
    rows = np.lexsort([*text_digits(texts), *digits(groups)])[::-1]
    sizes = np.bincount(groups, minlength=len(numbers))[::-1]
    behind = np.arange(len(rows)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return rows[behind < numbers[groups[rows]]]


def _reject_duplicates(runs: dict[str, pd.DataFrame]) -> None:
    for name, run in runs.items():
        pairs = run.groupby(['qid', 'docno'], observed=True).ngroup().to_numpy()
        order = np.argsort(pairs, kind='stable')
        reject_duplicates(run, order, pairs[order], f'run {name!r}')


def _random_docnos(docnos: Iterable[str], number: int, without: set[str], seed: int) -> np.ndarray:
    """Draws ids in one pass, in the memory of those that are drawn.

    Each id has a random number that its text and the seed decide; the lowest numbers win. So the order of the corpus
    doesn't matter, nor does an id that comes twice.
    """
    if number <= 0:
        return np.empty(0, dtype=object)
    key = hashlib.blake2b(str(seed).encode(), digest_size=8).hexdigest()
    drawn, numbers = np.empty(0, dtype=object), np.empty(0, dtype=np.uint64)
    for chunk in chunked(docnos, CHUNK):
        ids = np.empty(len(chunk), dtype=object)
        ids[:] = chunk
        if pd.api.types.infer_dtype(ids, skipna=False) != 'string':
            wrong = next(docno for docno in chunk if not isinstance(docno, str))
            raise ValueError(f'The corpus has a docno that is not a string: {wrong!r}.')
        own = pd.util.hash_array(ids, hash_key=key, categorize=False)
        if len(drawn) == number:
            low = own <= numbers[-1]
            ids, own = ids[low], own[low]
        new = np.fromiter((docno not in without for docno in ids), dtype=bool, count=len(ids))
        ids, numbers = np.concatenate([drawn, ids[new]]), np.concatenate([numbers, own[new]])
        drawn, first = np.unique(ids, return_index=True)
        order = np.argsort(numbers[first], kind='stable')[:number]
        drawn, numbers = drawn[order], numbers[first][order]
    if len(drawn) < number:
        raise ValueError(f'The corpus has only {len(drawn)} more documents, {number} are wanted. Choose a smaller '
                         'size.')
    return drawn
