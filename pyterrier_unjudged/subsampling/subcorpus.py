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
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyterrier as pt

from pyterrier_unjudged.judged_run import Judgments, encode_ids, factorize_ids
from pyterrier_unjudged.sorting import Texts, in_order, pair_order
from pyterrier_unjudged.subsampling.formats import write_lines

DOCNOS, TOPICS, META = 'docnos.txt.gz', 'topics.tsv.gz', 'pt_meta.json'  #: the files of a subcorpus


class Pairs(NamedTuple):
    """Distinct pairs of topic and document.

    Attributes:
        topic: topic code of each pair, shape (pairs,).
        document: document code of each pair, shape (pairs,).
        qids: topic ids by code, shape (topics,).
        docnos: document ids by code, shape (documents,), as pandas keeps them; those in no pair were brought by no
            topic.
    """

    topic: np.ndarray
    document: np.ndarray
    qids: np.ndarray
    docnos: Texts

    def ordered(self) -> Pairs:
        """Returns the same pairs with ids, and pairs, in ascending order; ids are objects."""
        (qids, topic), (docnos, document) = in_order(self.qids, self.topic), in_order(self.docnos, self.document)
        order = pair_order(topic, document)
        return Pairs(topic[order], document[order], qids, np.asarray(docnos, dtype=object))


class Subcorpus(pt.Artifact):
    """The documents of a corpus that are kept, and how they were chosen.

    Made by :func:`~pyterrier_unjudged.pool` and the other strategies; ``Subcorpus(path)`` and
    ``pt.Artifact.load(path)`` read one from disk. It is a set of document ids: ``len``, ``in``, iteration, ``|``, ``&``
    and ``-`` work. Being a ``pt.Artifact``, it is shared with ``to_hf``, ``to_zenodo``, ``from_url`` and so on.

    Attributes:
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
        pairs = Pairs(topic, topics['place'].to_numpy(dtype=int), np.asarray(qids, dtype=object), docnos)
        self._set(pairs, meta['strategy'], meta['parameters'], meta['judged'])
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
        rows = topics[['qid', 'docno']].drop_duplicates()
        docno = pd.concat([rows['docno'], pd.Series(list(random), name='docno', dtype=object)])
        document, docnos = factorize_ids(docno, 'subcorpus')
        topic, qids = encode_ids(rows['qid'], 'subcorpus')
        return cls.of_pairs(Pairs(topic, document[:len(rows)], qids, docnos), strategy=strategy, parameters=parameters,
                            qrels=qrels)

    @classmethod
    def of_pairs(cls, pairs: Pairs, *, strategy: str, parameters: Mapping[str, Any],
                 qrels: pd.DataFrame | None = None) -> Subcorpus:
        """As :meth:`of`, of pairs that are encoded and distinct."""
        self = cls.__new__(cls)
        pt.Artifact.__init__(self, pt.Artifact.NO_PATH)
        self._set(pairs, strategy, dict(parameters), None)
        if qrels is not None:
            self._judged = self._count_judged(qrels)
        return self

    def _set(self, pairs: Pairs, strategy: str, parameters: dict[str, Any], judged: dict[str, int] | None) -> None:
        self._pairs, self.strategy, self.parameters, self._judged = pairs, strategy, parameters, judged

    @cached_property
    def _ordered(self) -> Pairs:
        self._pairs = self._pairs.ordered()  # the same in any order, so that one is enough to keep
        return self._pairs

    @property
    def docnos(self) -> np.ndarray:
        """The document ids in ascending order, shape (documents,)."""
        return self._ordered.docnos

    @cached_property
    def topics(self) -> pd.DataFrame:
        """Which topics brought which documents: columns ``qid``, ``docno``, both text, in that order.

        Documents that were drawn at random are brought by none.
        """
        topic, document, qids, docnos = self._ordered
        return pd.DataFrame({'qid': qids[topic], 'docno': docnos[document]}, dtype=object)

    @cached_property
    def hash(self) -> str:
        """What identifies the contents, documents and topics: a hexadecimal number."""
        lines = [*self.docnos, '', *(self.topics['qid'] + '\t' + self.topics['docno'])]
        return hashlib.sha256('\n'.join(lines).encode()).hexdigest()

    @cached_property
    def _set_of_docnos(self) -> frozenset[str]:
        return frozenset(np.asarray(self._pairs.docnos, dtype=object))

    def save(self, path: str | Path) -> Subcorpus:
        """Writes the subcorpus to a folder, beside and then renamed, and returns it as it is there.

        Raises:
            FileExistsError: where there is something at the path.
            ValueError: on document ids with line breaks, and topic ids with tabs or line breaks.
        """
        path = Path(path)
        if path.exists():
            raise FileExistsError(f'There is something at {str(path)!r} already. Remove it, or choose another path.')
        topic, document, qids, docnos = self._ordered
        for ids, forbidden in ((docnos, '\n'), (qids, '\t\n')):
            wrong = [text for text in ids if any(character in text for character in forbidden)]
            if wrong:
                raise ValueError(f'The id {wrong[0]!r} has a tab or a line break, and can not be saved.')
        beside = path.with_name(f'.{path.name}.part')
        shutil.rmtree(beside, ignore_errors=True)
        beside.mkdir(parents=True)
        lines = {DOCNOS: docnos, TOPICS: (f'{qid}\t{place}' for qid, place in zip(
            qids[topic], document.tolist(), strict=True))}
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
        found = {'documents': len(self), 'topics': len(self._pairs.qids), 'pairs': len(self._pairs.topic)}
        if judged is not None:
            found['judged'] = judged['pairs'] / max(found['pairs'], 1)
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
        return len(self._pairs.docnos)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Subcorpus) and self.hash == other.hash

    def __hash__(self) -> int:
        return hash(self.hash)

    def __repr__(self) -> str:
        arguments = ', '.join(f'{name}={value!r}' for name, value in self.parameters.items())
        arguments = arguments if len(arguments) < 80 else f'{arguments[:77]}…'
        topics = len(self._pairs.qids)
        return (f'Subcorpus({len(self)} document{"s" * (len(self) != 1)}, {topics} topic{"s" * (topics != 1)}, '
                f'{self.strategy}({arguments}))')
