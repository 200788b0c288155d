"""A step of a pipeline that lets a subcorpus' documents pass."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyterrier as pt

if TYPE_CHECKING:
    from pyterrier_unjudged.subsampling.subcorpus import Subcorpus


class SubcorpusFilter(pt.Transformer):
    """Keeps the documents of a subcorpus; made by :meth:`Subcorpus.filter`.

    In results the others are dropped and ranks are made anew, which is what retrieval from the subcorpus gives (up to
    statistics of the collection): ``bm25 >> subcorpus.filter()``. In a stream of documents the others don't reach what
    follows: ``(subcorpus.filter() >> indexer).index(documents)``.

    A rank cutoff behind it, ``subcorpus.filter() % 10``, becomes part of it when a pipeline is compiled, and two
    filters in a row become one; it never moves before a rank cutoff, which would keep other documents.

    Args:
        subcorpus: the documents that pass.
        k: how many of them per topic; all by default.

    Example:
        >>> from pyterrier_unjudged import pool
        >>> results = pd.DataFrame({'qid': '1', 'docno': list('abc'), 'score': [3.0, 2.0, 1.0]})
        >>> subcorpus = pool({'run': results}, depth=1)
        >>> subcorpus.filter()(results[['qid', 'docno', 'score']].assign(score=[1.0, 2.0, 3.0]))
          qid docno  score  rank
        0   1     a    1.0     0
    """

    def __init__(self, subcorpus: Subcorpus, k: int | None = None):
        self.subcorpus = subcorpus
        self.k = k

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        with pt.validate.any(inp) as validated:
            validated.result_frame(extra_columns=['score'], mode='results')
            validated.document_frame(mode='documents')
        kept = inp[inp['docno'].isin(self.subcorpus.docnos)].reset_index(drop=True)
        if validated.mode == 'documents':
            return kept
        ranked = pt.model.add_ranks(kept)
        return ranked if self.k is None else ranked[ranked['rank'] < self.k].reset_index(drop=True)

    def transform_iter(self, inp: pt.model.IterDict) -> pt.model.IterDict:
        records = iter(inp)
        first = next(records, None)
        if first is None:
            return iter(())
        records = itertools.chain([first], records)
        if 'qid' in first:
            return super().transform_iter(records)
        if 'docno' not in first:
            raise ValueError(f'The documents have no docno, only {list(first)}. Rename the key of their id.')
        known = self.subcorpus._set_of_docnos
        return (document for document in records if document['docno'] in known)

    def fuse_left(self, left: pt.Transformer) -> pt.Transformer | None:
        if isinstance(left, SubcorpusFilter) and left.k is None:
            both = left.subcorpus if left.subcorpus == self.subcorpus else left.subcorpus & self.subcorpus
            return SubcorpusFilter(both, self.k)
        return None

    def fuse_rank_cutoff(self, k: int) -> pt.Transformer | None:
        return SubcorpusFilter(self.subcorpus, k if self.k is None else min(k, self.k))

    def schematic(self, *, input_columns: list[str] | None = None) -> dict[str, Any]:
        return {'label': 'Subcorpus', 'title': repr(self)}

    def __repr__(self) -> str:
        return f'{self.subcorpus!r}.filter()' + ('' if self.k is None else f' % {self.k}')
