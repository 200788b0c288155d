"""The condensed list as a step of a pipeline."""

from __future__ import annotations

import pandas as pd
import pyterrier as pt

from pyterrier_unjudged.judged_run import Judgments


class CondensedList(pt.Transformer):
    """Removes the unjudged documents from results, and ranks the others anew.

    ``bm25 >> CondensedList(qrels)`` scores under any measure as ``bm25`` does under
    :class:`~pyterrier_unjudged.Condensed` of it. As a transformer it can stand before a re-ranker too, so that only
    judged documents are re-ranked.

    Source: Sakai, Alternatives to bpref, SIGIR 2007, Section 4.

    Args:
        qrels: judgments, a data frame with columns ``qid``, ``docno``, ``label``.

    Raises:
        ValueError: on malformed qrels.

    Example:
        >>> import pandas as pd
        >>> qrels = pd.DataFrame([['q', 'b', 0]], columns=['qid', 'docno', 'label'])
        >>> results = pd.DataFrame([['q', 'a', 0, 2.0], ['q', 'b', 1, 1.0]], columns=['qid', 'docno', 'rank', 'score'])
        >>> CondensedList(qrels)(results)
          qid docno  score  rank
        0   q     b    1.0     0
    """

    def __init__(self, qrels: pd.DataFrame):
        judgments = Judgments.encode(qrels)
        self._pairs = judgments.frame[['query_id', 'doc_id']].rename(columns={'query_id': 'qid', 'doc_id': 'docno'})

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.result_frame(inp, extra_columns=['score'])
        return pt.model.add_ranks(inp.merge(self._pairs, on=['qid', 'docno']))

    def __repr__(self) -> str:
        return f'CondensedList({len(self._pairs)} judgments)'
