"""A subcorpus: which documents of a corpus, and why."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyterrier as pt

from pyterrier_unjudged.judged_run import Judgments
from pyterrier_unjudged.subsampling.formats import write_lines

DOCNOS, TOPICS, META = 'docnos.txt.gz', 'topics.tsv.gz', 'pt_meta.json'  #: the files of a subcorpus


class Subcorpus(pt.Artifact):
    """The documents of a corpus that are kept, and how they were chosen.

    Made by :func:`~pyterrier_unjudged.pool` and the other strategies; ``Subcorpus(path)`` and
    ``pt.Artifact.load(path)`` read one from disk. It is a set of document ids: ``len``, ``in``, iteration, ``|``, ``&``
    and ``-`` work. Being a ``pt.Artifact``, it is shared with ``to_hf``, ``to_zenodo``, ``from_url`` and so on.

    Attributes:
        docnos: the document ids in ascending order, shape (documents,).
        strategy: name of the function that made it.
        parameters: what that function was given.

    Example:
        >>> from pyterrier_unjudged import pool
        >>> run = pd.DataFrame({'qid': '1', 'docno': ['a', 'b', 'c'], 'score': [3.0, 2.0, 1.0]})
        >>> subcorpus = pool({'run': run}, depth=2)
        >>> len(subcorpus), 'c' in subcorpus
        (2, False)
        >>> subcorpus
        Subcorpus(2 documents, 1 topic, pool(depth=2, runs=['run'], qrels=False))
    """

    ARTIFACT_TYPE = 'subcorpus'
    ARTIFACT_FORMAT = 'unjudged'
    ARTIFACT_PACKAGE_HINT = 'pyterrier-unjudged'

    def __init__(self, path: str | Path):
        super().__init__(path)
        meta = json.loads((self.path / META).read_text(encoding='utf-8'))
        with gzip.open(self.path / DOCNOS, 'rt', encoding='utf-8', newline='\n') as file:
            docnos = np.array([*file.read().split('\n')[:-1]], dtype=object)
        topics = pd.read_csv(self.path / TOPICS, sep='\t', names=['qid', 'place'], dtype={'qid': str}, na_filter=False,
                             quoting=3)
        topic, qids = pd.factorize(topics['qid'])
        self._set(docnos, np.asarray(qids, dtype=object), topic, topics['place'].to_numpy(dtype=int), meta['strategy'],
                  meta['parameters'], meta['judged'])
        if self.hash != meta['hash']:
            raise ValueError(f'The subcorpus at {str(path)!r} is damaged: its contents are not those that were saved.')

    @classmethod
    def of(cls, topics: pd.DataFrame, random: Iterable[str] = (), *, strategy: str, parameters: Mapping[str, Any],
           qrels: pd.DataFrame | None = None) -> Subcorpus:
        """Makes a subcorpus in memory.

        Args:
            topics: (topic, document) pairs, columns ``qid``, ``docno``; repeated ones count once.
            random: ids of further documents.
            strategy: name of what chose the documents.
            parameters: what it was given, as JSON knows it.
            qrels: judgments, for :meth:`describe`.
        """
        document, docnos = pd.factorize(topics['docno'])
        topic, qids = pd.factorize(topics['qid'])
        docnos, qids = (np.asarray(ids, dtype=object) for ids in (docnos, qids))
        return cls.of_pairs(topic * np.int64(max(len(docnos), 1)) + document, qids, docnos, random, strategy=strategy,
                            parameters=parameters, qrels=qrels)

    @classmethod
    def of_pairs(cls, pairs: np.ndarray, qids: np.ndarray, docnos: np.ndarray, random: Iterable[str] = (), *,
                 strategy: str, parameters: Mapping[str, Any], qrels: pd.DataFrame | None = None) -> Subcorpus:
        """As :meth:`of`, of encoded pairs.

        Args:
            pairs: ``topic code * len(docnos) + document code``, repeated ones count once.
            qids: topic ids by code.
            docnos: document ids by code, each in some pair.
            random: ids of further documents.
            strategy: name of what chose the documents.
            parameters: what it was given, as JSON knows it.
            qrels: judgments, for :meth:`describe`.
        """
        self = cls.__new__(cls)
        pt.Artifact.__init__(self, pt.Artifact.NO_PATH)
        topic, document = np.divmod(pairs, max(len(docnos), 1))
        (docnos, document), (qids, topic) = _in_order(docnos, document), _in_order(qids, topic)
        pairs = np.sort(topic * np.int64(max(len(docnos), 1)) + document)
        pairs = pairs[np.append(True, pairs[1:] != pairs[:-1])[:len(pairs)]]
        topic, document = np.divmod(pairs, max(len(docnos), 1))
        random = np.asarray(list(random), dtype=object)
        if len(random):
            brought, docnos = docnos, np.union1d(docnos, random)
            document = np.searchsorted(docnos, brought)[document]
        self._set(docnos, qids, topic, document, strategy, dict(parameters), None)
        if qrels is not None:
            self._judged = self._count_judged(qrels)
        return self

    def _set(self, docnos: np.ndarray, qids: np.ndarray, topic: np.ndarray, document: np.ndarray, strategy: str,
             parameters: dict[str, Any], judged: dict[str, int] | None) -> None:
        self.docnos, self.strategy, self.parameters = docnos, strategy, parameters
        self._qids, self._topic, self._document, self._judged = qids, topic, document, judged

    @cached_property
    def topics(self) -> pd.DataFrame:
        """Which topics brought which documents: columns ``qid``, ``docno``, both text, in that order.

        Documents that were drawn at random are brought by none.
        """
        return pd.DataFrame({'qid': self._qids[self._topic], 'docno': self.docnos[self._document]}, dtype=object)

    @cached_property
    def hash(self) -> str:
        """What identifies the contents, documents and topics: a hexadecimal number."""
        lines = [*self.docnos, '', *(self.topics['qid'] + '\t' + self.topics['docno'])]
        return hashlib.sha256('\n'.join(lines).encode()).hexdigest()

    @cached_property
    def _set_of_docnos(self) -> frozenset[str]:
        return frozenset(self.docnos)

    def save(self, path: str | Path) -> Subcorpus:
        """Writes the subcorpus to a folder, beside and then renamed, and returns it as it is there.

        Raises:
            FileExistsError: where there is something at the path.
            ValueError: on document ids with line breaks, and topic ids with tabs or line breaks.
        """
        path = Path(path)
        if path.exists():
            raise FileExistsError(f'There is something at {str(path)!r} already. Remove it, or choose another path.')
        for ids, forbidden in ((self.docnos, '\n'), (self._qids, '\t\n')):
            wrong = [text for text in ids if any(character in text for character in forbidden)]
            if wrong:
                raise ValueError(f'The id {wrong[0]!r} has a tab or a line break, and can not be saved.')
        beside = path.with_name(f'.{path.name}.part')
        shutil.rmtree(beside, ignore_errors=True)
        beside.mkdir(parents=True)
        lines = {DOCNOS: self.docnos, TOPICS: (f'{qid}\t{place}' for qid, place in zip(
            self._qids[self._topic], self._document.tolist(), strict=True))}
        for name, text in lines.items():
            write_lines(beside / name, text)
        meta = {'type': self.ARTIFACT_TYPE, 'format': self.ARTIFACT_FORMAT, 'package_hint': self.ARTIFACT_PACKAGE_HINT,
                'strategy': self.strategy, 'parameters': self.parameters, 'documents': len(self), 'hash': self.hash,
                'judged': self._judged}
        (beside / META).write_text(json.dumps(meta, indent=2), encoding='utf-8')
        os.replace(beside, path)
        return type(self)(path)

    def describe(self, qrels: pd.DataFrame | None = None) -> pd.Series:
        """Returns how large the subcorpus is, and how much of it was judged.

        Args:
            qrels: judgments; by default those that the subcorpus was made with.

        Returns:
            ``documents``; ``topics``; ``pairs`` of topic and document; ``judged``, the share of these pairs that are
            judged; ``not_judged``, the share of documents that aren't judged for any topic. Without judgments the last
            two are missing.

        Source: Fröbe et al., Corpus Subsampling, ECIR 2025, Table 1.
        """
        judged = self._judged if qrels is None else self._count_judged(qrels)
        found = {'documents': len(self), 'topics': len(self._qids), 'pairs': len(self._topic)}
        if judged is not None:
            found['judged'] = judged['pairs'] / max(len(self._topic), 1)
            found['not_judged'] = 1 - judged['documents'] / max(len(self), 1)
        return pd.Series(found, dtype=object, name=self.strategy)

    def filter(self) -> pt.Transformer:
        """Returns a transformer that keeps the subcorpus' documents, in results and in streams to be indexed."""
        from pyterrier_unjudged.subsampling.filter import SubcorpusFilter
        return SubcorpusFilter(self)

    def dataset(self, dataset: pt.datasets.Dataset) -> pt.datasets.Dataset:
        """Returns a dataset with the subcorpus' documents, and the topics and judgments of a PyTerrier dataset."""
        from pyterrier_unjudged.subsampling.dataset import SubcorpusDataset
        return SubcorpusDataset(self, dataset)

    def _count_judged(self, qrels: pd.DataFrame) -> dict[str, int]:
        Judgments.encode(qrels)
        pairs = pd.MultiIndex.from_frame(self.topics).isin(pd.MultiIndex.from_frame(qrels[['qid', 'docno']]))
        return {'pairs': int(pairs.sum()), 'documents': int(pd.Index(self.docnos).isin(qrels['docno'].unique()).sum())}

    def _combined(self, other: Subcorpus, sign: str, docnos: frozenset[str]) -> Subcorpus:
        if not isinstance(other, Subcorpus):
            return NotImplemented
        topics = pd.concat([self.topics, other.topics]) if sign != '-' else self.topics
        return type(self).of(topics[topics['docno'].isin(docnos)], docnos, strategy=sign, parameters={
            'of': [{'strategy': part.strategy, 'parameters': part.parameters} for part in (self, other)]})

    def __or__(self, other: Subcorpus) -> Subcorpus:
        return self._combined(other, '|', self._set_of_docnos | frozenset(other))

    def __and__(self, other: Subcorpus) -> Subcorpus:
        return self._combined(other, '&', self._set_of_docnos & frozenset(other))

    def __sub__(self, other: Subcorpus) -> Subcorpus:
        return self._combined(other, '-', self._set_of_docnos - frozenset(other))

    def __contains__(self, docno: object) -> bool:
        return docno in self._set_of_docnos

    def __iter__(self) -> Iterator[str]:
        return iter(self.docnos)

    def __len__(self) -> int:
        return len(self.docnos)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Subcorpus) and self.hash == other.hash

    def __hash__(self) -> int:
        return hash(self.hash)

    def __repr__(self) -> str:
        arguments = ', '.join(f'{name}={value!r}' for name, value in self.parameters.items())
        arguments = arguments if len(arguments) < 80 else f'{arguments[:77]}…'
        topics = len(self._qids)
        return (f'Subcorpus({len(self)} document{"s" * (len(self) != 1)}, {topics} topic{"s" * (topics != 1)}, '
                f'{self.strategy}({arguments}))')


def _in_order(ids: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns ids in ascending order, and the codes of the same ids in it."""
    order = np.argsort(ids.astype('U'))  # text of fixed width is sorted several times as fast as objects
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return ids[order], place[codes]
