"""Condensed lists: unjudged documents are removed."""

from __future__ import annotations

from pyterrier_unjudged import kernels
from pyterrier_unjudged.judged_run import JudgedRun
from pyterrier_unjudged.treatments.base import Treatment


class Condensed(Treatment):
    """The measure on the condensed list: unjudged documents are removed, the others move up, then it is cut off.

    Equals ``m(judged_only=True)`` where ir_measures has that and no label is negative. Tends to overestimate systems
    that retrieve unjudged documents: whatever stands below them counts as if it stood higher.

    Source: Sakai, Alternatives to bpref, SIGIR 2007, Section 4 (its AveP', Q' and nDCG').

    Example:
        >>> from ir_measures import P
        >>> qrels = {'q': {'a': 1, 'b': 0}}
        >>> run = {'q': {'unknown': 3.0, 'a': 2.0, 'b': 1.0}}
        >>> (P@2).calc_aggregate(qrels, run), Condensed(P@2).calc_aggregate(qrels, run)
        (0.5, 0.5)
        >>> (P@1).calc_aggregate(qrels, run), Condensed(P@1).calc_aggregate(qrels, run)
        (0.0, 1.0)
    """

    __name__ = NAME = 'Condensed'
    PRETTY_NAME = 'Condensed List'
    SHORT_DESC = 'A measure computed after the unjudged documents were removed from the ranking.'

    def treat(self, run: JudgedRun) -> JudgedRun:
        return run.condensed().top(kernels.cutoff(self.measure))
