"""How to choose the documents of a subcorpus, one function per strategy."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pyterrier as pt
from more_itertools import chunked

from pyterrier_unjudged.judged_run import Judgments, encode_ids, scores_of, trec_order
from pyterrier_unjudged.random_streams import topic_stream
from pyterrier_unjudged.runs import Runs, as_runs
from pyterrier_unjudged.subsampling.subcorpus import Subcorpus

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
    with ThreadPoolExecutor(os.cpu_count()) as threads:  # numpy and Arrow release Python's lock
        tops = list(pt.tqdm(threads.map(lambda name: _top(runs[name], depth, name), runs), total=len(runs),
                            desc='pooling'))
    if qrels is not None:
        judged_pairs = _pairs(qrels)
        tops.append((*pd.factorize(judged_pairs['qid']), judged_pairs['docno']))
    qids = pd.Index(pd.unique(np.concatenate([own for _, own, _ in tops])), dtype=object)
    topic = np.concatenate([qids.get_indexer(own)[codes] for codes, own, _ in tops])
    documents = pd.concat([docno for _, _, docno in tops], ignore_index=True).to_frame()
    document, docnos = encode_ids(documents, 'docno', 'runs')
    pairs = topic * np.int64(max(len(docnos), 1)) + document
    for name, own in zip(runs, np.split(pairs, np.cumsum([len(codes) for codes, _, _ in tops])), strict=False):
        own = np.sort(own)
        if (own[1:] == own[:-1]).any():
            _reject_duplicates(runs[name], name)
    return Subcorpus.of_pairs(pairs, qids.to_numpy(), docnos, strategy='pool', qrels=qrels,
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


def _top(run: pd.DataFrame, depth: int, name: str) -> tuple[np.ndarray, np.ndarray, pd.Series]:
    """Returns the top of each topic, in no order: topic codes, the topics' ids, and document ids.

    Only the scores at the border of the top need comparing with others, so that nothing is sorted, and document ids are
    compared only within ties there.
    """
    missing = [column for column in ('qid', 'docno', 'score') if column not in run.columns]
    if missing:
        raise ValueError(f'Run {name!r} lacks the column(s) {missing}; it has {list(run.columns)}.')
    what = f'run {name!r}'
    score = scores_of(run, what)
    topic, qids = encode_ids(run, 'qid', what)
    lengths = np.bincount(topic, minlength=len(qids))
    if not len(lengths) or lengths.max() <= depth:
        return topic, qids, run['docno']
    with np.errstate(over='ignore'):
        score = score.astype(np.float32)
    starts = np.cumsum(lengths) - lengths
    in_order = (topic[1:] >= topic[:-1]).all()
    # Small integers are sorted by radix.
    order = None if in_order else np.argsort(topic.astype(np.uint16) if len(qids) < 1 << 16 else topic, kind='stable')
    grouped, own_score = (topic, score) if in_order else (topic[order], score[order])
    table = np.full((len(qids), lengths.max()), -np.inf, dtype=np.float32)
    if lengths.min() == lengths.max():
        table[:] = own_score.reshape(table.shape)
    else:
        table[grouped, np.arange(len(topic)) - starts[grouped]] = own_score
    border = np.where(lengths >= depth, np.partition(table, -depth, axis=1)[:, -depth], -np.inf)
    kept = np.flatnonzero(score >= border[topic])
    crowded = np.bincount(topic[kept], minlength=len(qids)) > depth
    if crowded.any():
        at_border = crowded[topic[kept]] & (score[kept] == border[topic[kept]])
        tied = kept[at_border]
        document, docnos = encode_ids(run[['docno']].take(tied), 'docno', what)
        ranked = trec_order(topic[tied], score[tied], document, docnos)
        own = topic[tied][ranked]
        rank = np.arange(len(own)) - np.searchsorted(own, own)
        left = depth - np.bincount(topic[kept[~at_border]], minlength=len(qids))
        kept = np.sort(np.concatenate([kept[~at_border], tied[ranked[rank < left[own]]]]))
    return topic[kept], qids, run['docno'].take(kept)


def _reject_duplicates(run: pd.DataFrame, name: str) -> None:
    repeated = run[run.duplicated(['qid', 'docno'])].iloc[0]
    raise ValueError(f'The run {name!r} retrieves document {repeated["docno"]!r} of topic {repeated["qid"]!r} twice. '
                     "Keep one of the rows, e.g. with .drop_duplicates(['qid', 'docno']).")


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
