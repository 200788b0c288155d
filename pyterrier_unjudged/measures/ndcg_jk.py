"""nDCG with the discount of its inventors."""

from __future__ import annotations

from functools import partial

import numpy as np
from ir_measures import measures
from ir_measures.measures import Measure, ParamInfo

from pyterrier_unjudged.kernels import KERNELS, WeightedSum, gains_of, up_to


class _NDCGJK(Measure):
    """Normalised discounted cumulative gain as Järvelin and Kekäläinen defined it.

    The gain at rank r is divided by log_base(r) behind rank ``base`` and not at all up to it, while today's nDCG
    divides by log2(r + 1) everywhere. Two rankings that differ in the order of the first two documents only have the
    same score with ``base=2``.

    Args:
        base: base of the logarithm, above 1; the larger, the more patient the user.
        gains: grade -> gain; by default the grade.
        cutoff: ranks that count, all by default; Sakai's studies use 1000.

    Source: Järvelin & Kekäläinen, TOIS 2002; Sakai, Alternatives to bpref, SIGIR 2007, Section 4 (its nDCG).

    Example:
        >>> from pyterrier_unjudged import nDCG_JK
        >>> qrels, run = {'q': {'a': 1, 'b': 0}}, {'q': {'b': 2.0, 'a': 1.0}}
        >>> nDCG_JK.calc_aggregate(qrels, run)
        1.0
    """

    __name__ = NAME = 'nDCG_JK'
    PRETTY_NAME = 'Normalised Discounted Cumulative Gain (Järvelin and Kekäläinen)'
    SHORT_DESC = 'nDCG without discount up to the rank that is the base of its logarithm.'
    SUPPORTED_PARAMS = {
        'cutoff': ParamInfo(dtype=int, required=False, desc='ranking cutoff threshold'),
        'base': ParamInfo(dtype=(int, float), default=2, desc='base of the logarithm'),
        'gains': ParamInfo(dtype=dict, desc='custom gain mapping (int-to-int)'),
    }

    def validate_params(self) -> None:
        super().validate_params()
        if not 1 < self['base'] < np.inf:
            raise ValueError(f'{self!r}: the base of a logarithm must be above 1.')


def _ndcg_jk(measure: Measure, cutoff: int | None) -> WeightedSum:
    base = measure['base']
    return WeightedSum(partial(up_to, cutoff, lambda ranks: 1 / np.maximum(np.log(ranks) / np.log(base), 1.0)),
                       gains_of(measure), ideal=True)


nDCG_JK = _NDCGJK()  # noqa: N816 (a name like nDCG)
measures.register(nDCG_JK)
KERNELS[nDCG_JK.NAME] = _ndcg_jk
