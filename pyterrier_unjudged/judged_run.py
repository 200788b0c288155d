"""The one in-memory form: a run and a judgment pool as arrays, and the only place where data frames become arrays."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import pyterrier as pt
from ir_measures.util import QrelsConverter, RunConverter

from pyterrier_unjudged.sorting import Texts, arrow_array, digits, in_order, inverse, is_arrow, pair_order, text_digits

UNJUDGED = -1  #: label of a retrieved document that nobody judged
PADDING = -2  #: label behind the last document of a run that is shorter than others
MAX_GRADE = 1000  #: labels beyond are taken for a mistake (a pool is counted per grade, so that they would cost much)


@dataclasses.dataclass(frozen=True, eq=False)
class Judgments:
    """Relevance judgments, encoded once and shared by all measures and runs.

    A document is judged for a topic if and only if the pair is in the qrels. Negative labels (spam in the ClueWeb
    tracks) count as judged with grade 0.

    Attributes:
        frame: the qrels with columns ``query_id``, ``doc_id``, ``relevance``, as they were given.
        qids: topic ids in ascending order, shape (topics,).
        docnos: the distinct judged documents, an index from document id to code.
        pairs: ``topic code * len(docnos) + document code``, ascending, shape (judgments,).
        rows: position in ``frame`` of each pair, shape (judgments,).
        grades: the grade of each pair, int16, shape (judgments,).
        pool: how many judged documents there are per grade, int32, shape (topics, highest grade + 1).
        collection_pool: the same summed over all topics of the collection, int64, shape (highest grade + 1,).
    """

    frame: pd.DataFrame
    qids: np.ndarray
    docnos: pd.Index
    pairs: np.ndarray
    rows: np.ndarray
    grades: np.ndarray
    pool: np.ndarray
    collection_pool: np.ndarray

    @classmethod
    def encode(cls, qrels: Any, collection: pd.DataFrame | None = None, subtopics: bool = False) -> Judgments:
        """Encodes qrels in any form that ir_measures or PyTerrier knows (data frame, dict of dicts, named tuples).

        Args:
            qrels: the judgments.
            collection: the judgments of all topics, where ``qrels`` is only a batch of them. What is defined over the
                collection (its highest grade, its pool) is taken from here.
            subtopics: True allows a document to be judged several times for a topic, once for each subtopic named
                in the column ``iteration``, as the diversity measures want it; its grade is the highest of them.

        Raises:
            ValueError: on missing columns, ids that are not strings, labels that are not whole numbers, and documents
                judged twice for a topic; the message names the first offender.
        """
        frame = _as_frame(qrels, QrelsConverter, 'qrels', ['query_id', 'doc_id', 'relevance'])
        rows = np.arange(len(frame))
        if subtopics and 'iteration' in frame.columns:
            rows = np.argsort(-_numbers(frame['relevance']), kind='stable')
            rows = rows[~frame[['query_id', 'doc_id']].iloc[rows].duplicated().to_numpy()]
        per_document = frame.iloc[rows] if len(rows) < len(frame) else frame
        topic, qids = encode_blocks(per_document['query_id'], 'qrels', sort=True)
        document, docnos = encode_ids(per_document['doc_id'], 'qrels')
        grades = _grades(per_document)
        pairs = topic * np.int64(max(len(docnos), 1)) + document
        order = np.argsort(pairs)
        pairs = pairs[order]
        reject_duplicates(per_document, order, pairs, 'qrels')
        collection_pool = np.bincount(grades if collection is None else _grades(collection), minlength=1)
        width = max(len(collection_pool), int(grades.max(initial=0)) + 1)
        counts = np.bincount(topic * width + grades, minlength=len(qids) * width)
        pool = counts.reshape(len(qids), width).astype(np.int32)
        collection_pool = np.pad(collection_pool, (0, width - len(collection_pool)))
        return cls(frame, qids, pd.Index(docnos, dtype=object), pairs, rows[order], grades[order].astype(np.int16),
                   pool, collection_pool)

    def positions(self, topic: np.ndarray, document: np.ndarray) -> np.ndarray:
        """Returns where each (topic code, document code) stands in :attr:`pairs`, int32, -1 where it is not judged."""
        positions = np.full(len(topic), -1, dtype=np.int32)
        if len(self.pairs):
            pairs = topic * np.int64(len(self.docnos)) + document
            at = np.searchsorted(self.pairs, pairs)
            at[at == len(self.pairs)] = 0
            found = (self.pairs[at] == pairs) & (document >= 0)
            positions[found] = at[found]
        return positions

    @cached_property
    def alphabetical(self) -> np.ndarray:
        """The order of the judgments by topic and document id, which no order of rows changes, shape (judgments,)."""
        topic, document = np.divmod(self.pairs, max(len(self.docnos), 1))
        return pair_order(topic, in_order(self.docnos, document)[1])

    def kept(self, judgments: np.ndarray) -> Judgments:
        """Returns the judgments without those that are not kept; topics, highest grade and codes stay the same.

        Args:
            judgments: bool for each of :attr:`pairs`, shape (judgments,).
        """
        topic = self.pairs[judgments] // max(len(self.docnos), 1)
        width = self.pool.shape[1]
        pool = np.bincount(topic * width + self.grades[judgments], minlength=self.pool.size)
        pool = pool.reshape(self.pool.shape).astype(np.int32)
        rows = self.rows[judgments]
        return dataclasses.replace(self, frame=self.frame.iloc[np.sort(rows)], pairs=self.pairs[judgments],
                                   rows=inverse(np.argsort(rows)), grades=self.grades[judgments], pool=pool,
                                   collection_pool=pool.sum(axis=0, dtype=np.int64))


@dataclasses.dataclass(frozen=True, eq=False)
class JudgedRun:
    """One run with one judgment pool: what every treatment and every kernel works on.

    Attributes:
        qids: ids of the judged topics in ascending order, shape (topics,). Topics of the run without judgments are
            left out; judged topics that the run lacks have padding only.
        labels: grades of the ranked documents, int16, shape (topics, depth); :data:`UNJUDGED` and :data:`PADDING`
            are negative. Ranks as trec_eval: score descending (compared as 32-bit floats), then document id
            descending.
        pool: judged documents per grade, int32, shape (topics, highest grade + 1).
        positions: position in ``judgments.pairs`` of each ranked document, -1 where it is unjudged and for padding,
            int32, shape (topics, depth).
        rows: position in ``frame`` of each ranked document, -1 for padding, shape (topics, depth).
        frame: the run's rows, with columns ``query_id``, ``doc_id``, ``score`` and what else it came with.
        judgments: the judgments that the run was labelled with.
    """

    qids: np.ndarray
    labels: np.ndarray
    pool: np.ndarray
    positions: np.ndarray
    rows: np.ndarray
    frame: pd.DataFrame
    judgments: Judgments

    @classmethod
    def encode(cls, run: Any, judgments: Judgments) -> JudgedRun:
        """Ranks and labels a run in any form that ir_measures or PyTerrier knows.

        Raises:
            ValueError: on missing columns, ids that are not strings, scores that are not numbers, documents
                retrieved twice for a topic, and a run that has no topic in common with the judgments.
        """
        frame = _as_frame(run, RunConverter, 'run', ['query_id', 'doc_id', 'score'])
        topic, run_qids = encode_blocks(frame['query_id'], 'run')
        topic = pd.Index(judgments.qids, dtype=object).get_indexer(run_qids)[topic]
        if len(frame) and len(judgments.qids) and topic.max() < 0:
            raise ValueError(
                f'The run and the qrels have no topic in common: the run has {run_qids[0]!r}, the qrels '
                f'{judgments.qids[0]!r}. Use the same topic ids in both, as strings.')
        score = scores_of(frame)
        kept = np.flatnonzero(topic >= 0)
        if len(kept) < len(frame):
            frame, topic, score = frame.iloc[kept], topic[kept], score[kept]

        document, run_docnos = encode_ids(frame['doc_id'], 'run')
        pairs = topic * np.int64(max(len(run_docnos), 1)) + document
        if pd.Index(pairs).has_duplicates:
            order = np.argsort(pairs)
            reject_duplicates(frame, order, pairs[order], 'run')

        order = trec_order(topic, score, document, run_docnos)
        topic, document = topic[order], document[order]
        found = judgments.positions(topic, judgments.docnos.get_indexer(run_docnos)[document])

        lengths = np.bincount(topic, minlength=len(judgments.qids))
        depth = int(lengths.max(initial=0))
        rank = np.arange(len(topic)) - (np.cumsum(lengths) - lengths)[topic]
        rows = np.full((len(judgments.qids), depth), -1, dtype=np.int64)
        rows[topic, rank] = order
        positions = np.full(rows.shape, -1, dtype=np.int32)
        positions[topic, rank] = found
        return cls(judgments.qids, _labels(judgments, positions, rows), judgments.pool, positions, rows, frame,
                   judgments)

    def rejudged(self, kept: np.ndarray, judgments: Judgments | None = None) -> JudgedRun:
        """Returns the run as it is with some of the judgments only, without encoding anything anew.

        Args:
            kept: which judgments are kept, bool for each of ``self.judgments.pairs``.
            judgments: those judgments, where ``self.judgments.kept(kept)`` is at hand because other runs share it.
        """
        judgments = self.judgments.kept(kept) if judgments is None else judgments
        moved = np.append(np.where(kept, np.cumsum(kept) - 1, -1), -1).astype(np.int32)
        positions = moved[self.positions]  # position -1 finds the -1 appended last
        return dataclasses.replace(self, labels=_labels(judgments, positions, self.rows), pool=judgments.pool,
                                   positions=positions, judgments=judgments)

    @property
    def max_grade(self) -> int:
        """The highest grade of the collection."""
        return self.pool.shape[1] - 1

    @cached_property
    def unjudged(self) -> np.ndarray:
        """Which ranked documents are unjudged, bool, shape (topics, depth)."""
        return self.labels == UNJUDGED

    @cached_property
    def ranked_pool(self) -> np.ndarray:
        """Judged documents per grade in the ranking, int32, shape (topics, highest grade + 1)."""
        return self._count(self.labels >= 0)

    @cached_property
    def pool_left(self) -> np.ndarray:
        """Judged documents per grade that are not in the ranking, int32, shape (topics, highest grade + 1)."""
        return np.maximum(self.pool - self.ranked_pool, 0)

    def top(self, cutoff: int | None) -> JudgedRun:
        """Returns the run cut off behind rank ``cutoff`` (None: the whole run), together with the whole pool."""
        if cutoff is None or cutoff >= self.labels.shape[1]:
            return self
        return dataclasses.replace(self, labels=self.labels[:, :cutoff], positions=self.positions[:, :cutoff],
                                   rows=self.rows[:, :cutoff])

    def condensed(self) -> JudgedRun:
        """Returns the run without its unjudged documents: the judged ones move up, in the same order."""
        return self._condensed

    @cached_property
    def _condensed(self) -> JudgedRun:
        return self.without(self.labels < 0)

    def without(self, removed: np.ndarray) -> JudgedRun:
        """Returns the run without some of its documents: the others move up, in the same order.

        Args:
            removed: bool for each ranked document, shape (topics, depth).
        """
        topic, rank = np.nonzero(~removed & (self.rows >= 0))
        lengths = np.bincount(topic, minlength=len(self.qids))
        moved = np.arange(len(topic)) - (np.cumsum(lengths) - lengths)[topic]
        shape = (len(self.qids), int(lengths.max(initial=0)))
        fields = {}
        for name, padding in (('labels', PADDING), ('positions', -1), ('rows', -1)):
            values = getattr(self, name)
            fields[name] = np.full(shape, padding, dtype=values.dtype)
            fields[name][topic, moved] = values[topic, rank]
        return dataclasses.replace(self, **fields)

    def assigned(self, grades: np.ndarray | int, keep_pool: bool) -> JudgedRun:
        """Returns the run with grades given to its unjudged documents.

        Args:
            grades: the grade for each ranked document, shape (topics, depth) or one for all; only those of
                unjudged documents are read. Documents with grade 0 stay unjudged.
            keep_pool: True takes the grades from judged documents outside the ranking, so that the pool keeps its
                counts; False adds the documents to the pool.
        """
        given = self.unjudged & (grades != 0)
        assigned = dataclasses.replace(self, labels=np.where(given, grades, self.labels).astype(np.int16))
        return assigned if keep_pool else dataclasses.replace(assigned, pool=self.pool + assigned._count(given))

    def column(self, name: str) -> np.ndarray:
        """Returns a numeric column of the run's frame per ranked document, NaN for padding, shape (topics, depth)."""
        if name not in self.frame.columns:
            raise ValueError(f'The run has no column {name!r}, only {list(self.frame.columns)}.')
        values = np.append(self.frame[name].to_numpy(dtype=float), np.nan)
        return values[self.rows]  # row -1, the padding, is the NaN appended last

    def _count(self, which: np.ndarray) -> np.ndarray:
        topic, rank = np.nonzero(which)
        width = self.pool.shape[1]
        counts = np.bincount(topic * width + self.labels[topic, rank], minlength=self.pool.size)
        return counts.reshape(self.pool.shape).astype(np.int32)


def _labels(judgments: Judgments, positions: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Returns the label of each ranked document, int16, shape (topics, depth)."""
    labels = np.append(judgments.grades, np.int16(UNJUDGED))[positions]  # position -1 finds the last one
    return np.where(rows < 0, np.int16(PADDING), labels)


def _as_frame(source: Any, converter: type, what: str, columns: list[str]) -> pd.DataFrame:
    """Returns qrels or a run as a data frame with ir_measures' column names, checked for missing columns."""
    if isinstance(source, pd.DataFrame):
        frame = pt.model.to_ir_measures(source)
    elif isinstance(source, Mapping | Iterable) and not isinstance(source, str):
        frame = converter(source).as_pd_dataframe()
    else:
        raise ValueError(f'The {what} must be a data frame, a dict of dicts, or an iterable of named tuples, '
                         f'not {type(source).__name__}.')
    missing = [pt.model.from_ir_measures(column) for column in columns if column not in frame.columns]
    if missing:
        raise ValueError(f'The {what} lacks the column(s) {missing}; it has {list(source.columns)}. '
                         f'Expected are {pt.model.from_ir_measures(columns)} (or {columns}).')
    return frame


def encode_ids(column: pd.Series, what: str, sort: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Returns the code of each row's id, and the distinct ids, ascending if wanted; all must be strings."""
    codes, ids = factorize_ids(column, what)
    if sort:
        ids, codes = in_order(ids, codes)
    return codes, np.asarray(ids, dtype=object)


def factorize_ids(column: pd.Series, what: str) -> tuple[np.ndarray, Texts]:
    """As :func:`encode_ids`, with the distinct ids as they are kept in the column."""
    # In one piece, because pandas joins the dictionaries of pieces slowly.
    codes, ids = pd.factorize(type(column.array)(arrow_array(column)) if is_arrow(column) else column)
    missing = (codes < 0).any()  # None and NaN
    if missing or not (is_arrow(ids) or not len(ids) or pd.api.types.infer_dtype(
            np.asarray(ids, dtype=object), skipna=False) == 'string'):  # not those of a categorical column
        strings = np.append([isinstance(value, str) for value in ids], False)
        first = int(np.argmin(strings[codes]))
        name = pt.model.from_ir_measures(column.name)
        raise ValueError(f'The {what} has a {name} that is not a string: {_shown(column, first)} in row '
                         f'{column.index[first]}. Convert the column with .astype(str), in the run and in the qrels '
                         'alike.')
    return codes, ids


def encode_blocks(column: pd.Series, what: str, sort: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """As :func:`encode_ids`, faster where ids stand in many rows in a row, as topics do in a run."""
    if is_arrow(column):
        starts = block_starts(column)
        if len(starts) < len(column) // 4:
            codes, ids = encode_ids(column.iloc[starts], what, sort)
            return np.repeat(codes, np.diff(starts, append=len(column))), ids
    return encode_ids(column, what, sort)


def block_starts(ids: pd.Series) -> np.ndarray:
    """Returns the rows, ascending, whose id is another than that of the row before; the first row is one."""
    if not is_arrow(ids) or not len(ids):
        return np.flatnonzero(np.diff(pd.factorize(ids)[0], prepend=-2))  # missing ids have code -1
    from pyarrow import compute, large_string
    array = arrow_array(ids).cast(large_string())
    offsets = np.frombuffer(array.buffers()[1], dtype=np.int64)[array.offset:][:len(array) + 1]
    widths = np.diff(offsets)
    if not array.null_count and widths[0] and (widths == widths[0]).all():
        # The ids in one piece, compared with the same an id further on.
        text = np.frombuffer(array.buffers()[2], dtype=np.uint8)[offsets[0]:offsets[-1]]
        changes = np.unique(np.flatnonzero(text[widths[0]:] != text[:-widths[0]]) // widths[0])
    else:
        changes = compute.indices_nonzero(compute.not_equal(array[1:], array[:-1]).fill_null(True)).to_numpy()
    return np.append(0, changes.astype(np.int64) + 1)


def _numbers(values: pd.Series) -> np.ndarray:
    return pd.to_numeric(values, errors='coerce').to_numpy(dtype=float, na_value=np.nan)


def _shown(values: pd.Series, row: int) -> str:
    value = values.iloc[row]
    return repr(value.item() if isinstance(value, np.generic) else value)


def _offender(frame: pd.DataFrame, row: int) -> str:
    frame = pt.model.from_ir_measures(frame)
    return f'document {frame["docno"].iloc[row]!r} of topic {frame["qid"].iloc[row]!r}'


def _grades(qrels: pd.DataFrame) -> np.ndarray:
    """Returns the label of each row as a grade, int64: negative labels are judged, but worth nothing."""
    labels = qrels['relevance'].to_numpy()
    if labels.dtype.kind not in 'iu':
        labels = _numbers(qrels['relevance'])
    wrong = ~(np.abs(labels) <= MAX_GRADE) | (labels != np.floor(labels))
    if wrong.any():
        first = int(np.argmax(wrong))
        raise ValueError(f'The qrels label {_offender(qrels, first)} with {_shown(qrels["relevance"], first)}. Labels '
                         f'must be whole numbers up to {MAX_GRADE}; drop the row or map its label to a grade.')
    return np.maximum(labels, 0).astype(np.int64)


def scores_of(frame: pd.DataFrame, what: str = 'run') -> np.ndarray:
    """Returns the scores of a run's rows, float, shape (rows,); all must be numbers."""
    score = frame['score']
    score = score.to_numpy() if isinstance(score.dtype, np.dtype) and score.dtype.kind == 'f' else _numbers(score)
    if np.isnan(score.min(initial=np.inf)):
        first = int(np.argmax(np.isnan(score)))
        raise ValueError(f'The {what} scores {_offender(frame, first)} with {_shown(frame["score"], first)}, which is '
                         "no number, so that it has no rank. Drop such rows, e.g. with .dropna(subset=['score']).")
    return score


def reject_duplicates(frame: pd.DataFrame, order: np.ndarray, pairs: np.ndarray, what: str) -> None:
    """Raises if two of the ascending ``pairs`` are equal; ``order`` maps them to rows of ``frame``."""
    repeated = pairs[1:] == pairs[:-1]
    if repeated.any():
        first = int(order[1:][repeated].min())
        verb = 'judge' if what == 'qrels' else 'retrieves'
        raise ValueError(f'The {what} {verb} {_offender(frame, first)} twice. Keep one of the rows, e.g. with '
                         ".drop_duplicates(['qid', 'docno']).")


def trec_order(topic: np.ndarray, score: np.ndarray, document: np.ndarray, docnos: np.ndarray) -> np.ndarray:
    """Returns the rows by topic, score descending, document id descending.

    trec_eval keeps scores as 32-bit floats, so that scores alike to seven digits are ties.
    """
    with np.errstate(over='ignore'):
        score = score.astype(np.float32)
    order = np.lexsort((-score, topic))
    tied = (topic[order][1:] == topic[order][:-1]) & (score[order][1:] == score[order][:-1])
    if tied.any():
        # Sorting text is slow: only the documents within ties are compared.
        group = np.cumsum(~np.append(False, tied))
        within = np.append(tied, False) | np.append(False, tied)
        rows = order[within]
        descending = [~digit for digit in text_digits(docnos[document[rows]])]
        order[within] = rows[np.lexsort([*descending, *digits(group[within])])]
    return order
