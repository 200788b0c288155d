"""Preference measures: what counts is which judged documents stand above which."""

from __future__ import annotations

import numpy as np
from ir_measures import measures
from ir_measures.measures import Measure, ParamInfo

from pyterrier_unjudged.kernels import KERNELS, Score, added_up, gains_of, ratio, recall_base


class _BPref(Measure):
    """Binary preference: how rarely judged non-relevant documents stand above relevant ones.

    The mean over relevant documents of 1 - n / norm, where n counts the judged non-relevant documents above; a relevant
    document that isn't retrieved adds 0. Unjudged documents are ignored, as if the list were condensed. With R relevant
    and N judged non-relevant documents, and r the rank in the condensed list, the norms are:

    - ``'min'``: min(n, R) / min(R, N), trec_eval's corrected bpref; the same as ir_measures' Bpref.
    - ``'R'``: min(n, R) / R.
    - ``'N'``: n / N, trec_eval's bpref_allnonrel. N is large, so that mistakes at the top cost next to nothing.
    - ``'relative'``: n / (r - 1). Has two flaws that the paper points out: a relevant document at rank 1 is ignored,
      so that a system that returns nothing else scores 0; and the ideal ranking doesn't score 1, but (R - 1) / R.
    - ``'relative2'``: n / r, which mends both, and is average precision on the condensed list, ``Condensed(AP)``.

    Args:
        norm: one of the above.
        rel: lowest grade that is relevant.

    Source: Buckley & Voorhees, SIGIR 2004; Sakai, Alternatives to bpref, SIGIR 2007, Sections 3 and 4.

    Example:
        >>> from pyterrier_unjudged import BPref
        >>> qrels = {'q': {'a': 1, 'b': 0, 'c': 1, 'd': 0, 'e': 0}}
        >>> run = {'q': {'a': 4.0, 'unknown': 3.0, 'b': 2.0, 'c': 1.0}}
        >>> [round(BPref(norm=norm).calc_aggregate(qrels, run), 3) for norm in ('min', 'N', 'relative', 'relative2')]
        [0.75, 0.833, 0.25, 0.833]
    """

    __name__ = NAME = 'BPref'
    PRETTY_NAME = 'Binary Preference'
    SHORT_DESC = 'How rarely judged non-relevant documents stand above relevant ones.'
    SUPPORTED_PARAMS = {
        'norm': ParamInfo(dtype=str, choices=['min', 'R', 'N', 'relative', 'relative2'], default='min',
                          desc='what the number of misplaced documents is divided by'),
        'rel': ParamInfo(dtype=int, default=1, desc='minimum relevance score to be considered relevant (inclusive)'),
    }


class _RPref(Measure):
    """Graded preference: how rarely judged documents stand above more relevant ones, and by how much less relevant.

    The mean over relevant documents, weighted by gain, of 1 - penalty / norm. The penalty sums (g - g') / g over the
    judged documents above whose gain g' is lower than the document's own gain g. With r the rank in the condensed list,
    the norms are:

    - ``'N'``: the sum over judged documents of 1 - g / (highest gain of the collection). It is large, so that mistakes
      at the top cost next to nothing.
    - ``'relative'``: r - 1. Shares the flaws of bpref's relative norm: a relevant document at rank 1 is ignored, and
      the ideal ranking doesn't score 1.
    - ``'relative2'``: r, which mends both.

    With one gain for all relevant documents it is the :data:`BPref` of the same norm.

    Args:
        norm: one of the above.
        gains: grade -> gain; by default the grade. Documents with a gain above 0 are relevant.

    Source: De Beer & Moens, SIGIR 2006; Sakai, Alternatives to bpref, SIGIR 2007, Eqs. 2 to 8 and Section 4.

    Example:
        >>> from pyterrier_unjudged import RPref
        >>> qrels = {'q': {'a': 1, 'b': 2, 'c': 0}}
        >>> run = {'q': {'a': 4.0, 'unknown': 3.0, 'b': 2.0}}
        >>> round(RPref(norm='relative2').calc_aggregate(qrels, run), 3)  # (1 x 1 + 2 x (1 - 1/2 / 2)) / 3
        0.833
    """

    __name__ = NAME = 'RPref'
    PRETTY_NAME = 'Graded Preference'
    SHORT_DESC = 'How rarely judged documents stand above more relevant ones, and by how much less relevant.'
    SUPPORTED_PARAMS = {
        'norm': ParamInfo(dtype=str, choices=['N', 'relative', 'relative2'], default='relative2',
                          desc='what the penalty for misplaced documents is divided by'),
        'gains': ParamInfo(dtype=dict, desc='custom gain mapping (int-to-int)'),
    }


def _bpref(measure: Measure, cutoff: None) -> Score:
    norm, rel = measure['norm'], measure['rel']

    def score(labels: np.ndarray, pool: np.ndarray) -> np.ndarray:
        judged = (labels >= 0).cumsum(axis=-1, dtype=np.int32)  # at a judged document its rank in the condensed list
        relevant = labels >= rel
        above = judged - relevant.cumsum(axis=-1, dtype=np.int32)  # judged non-relevant documents
        wanted = recall_base(pool, rel)[..., None]
        not_relevant = pool.sum(axis=-1)[..., None] - wanted
        if norm == 'min':
            misplaced = ratio(np.minimum(above, wanted), np.minimum(wanted, not_relevant))
        elif norm == 'R':
            misplaced = ratio(np.minimum(above, wanted), wanted)
        elif norm == 'N':
            misplaced = ratio(above, not_relevant)
        else:
            misplaced = _relative(above, judged, norm)
        return ratio(added_up(np.where(relevant, np.maximum(1 - misplaced, 0.0), 0.0)), wanted[..., 0])
    return score


def _rpref(measure: Measure, cutoff: None) -> Score:
    norm, gains_by_grade = measure['norm'], gains_of(measure)

    def score(labels: np.ndarray, pool: np.ndarray) -> np.ndarray:
        gains = gains_by_grade(pool.shape[-1])
        gain = np.append(gains, [0.0, 0.0])[labels]
        judged = (labels >= 0).cumsum(axis=-1, dtype=np.int32)
        penalty = np.zeros(labels.shape)
        for grade, lower in enumerate(gains):
            above = (labels == grade).cumsum(axis=-1, dtype=np.int32)
            penalty += above * ratio(np.maximum(gain - lower, 0.0), gain)
        if norm == 'N':
            misplaced = ratio(penalty, (pool * (1 - gains / max(gains.max(), 1e-300))).sum(axis=-1)[..., None])
        else:
            misplaced = _relative(penalty, judged, norm)
        return ratio(added_up(gain * np.maximum(1 - misplaced, 0.0)), (pool * gains).sum(axis=-1))
    return score


def _relative(penalty: np.ndarray, judged: np.ndarray, norm: str) -> np.ndarray:
    """Returns penalties divided by the rank in the condensed list, or by the number of documents above."""
    if norm == 'relative2':
        return ratio(penalty, judged)
    # At rank 1 there is nothing to divide by: the document is ignored, as if it were misplaced altogether.
    return np.where(judged > 1, ratio(penalty, judged - 1), 1.0)


BPref, RPref = _BPref(), _RPref()
measures.register(RPref)  # ir_measures knows BPref as another name of its Bpref, which equals BPref(norm='min')
KERNELS.update({BPref.NAME: _bpref, RPref.NAME: _rpref})
