"""Assessment: how much of a score rests on judged documents."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd

from pyterrier_unjudged import kernels, rewriting
from pyterrier_unjudged.judged_run import JudgedRun
from pyterrier_unjudged.treatments.base import Treatment


class Assessment(Treatment):
    """The measure with "judged" in place of "relevant": how sure one can be of a score, not how good it is.

    ``Assessment(P@10)`` is the assessment precision A_p at 10, the share of judged documents in the top 10;
    ``Assessment(R@1000)`` the assessment recall A_r; the mean of ``Assessment(AP)`` is the mean average assessment.
    Unlike ir_measures' ``Judged@k``, ranks that a short run leaves empty count as not judged.

    Source: Baillie, Azzopardi & Ruthven, Evaluating epistemic uncertainty under incomplete assessments, IPM 2008,
    Section 3.1, Eqs. 8 and 9.

    Example:
        >>> from ir_measures import P
        >>> qrels = {'q': {'a': 0, 'b': 2}}
        >>> run = {'q': {'unknown': 3.0, 'a': 2.0, 'b': 1.0}}
        >>> Assessment(P@2).calc_aggregate(qrels, run)
        0.5
    """

    __name__ = NAME = 'Assessment'
    PRETTY_NAME = 'Assessment'
    SHORT_DESC = 'A measure computed with every judged document taken as relevant.'

    def treat(self, run: JudgedRun) -> JudgedRun:
        grade = self._grade()
        labels = np.where(run.labels >= 0, np.int16(grade), run.labels)
        pool = np.zeros((len(run.pool), grade + 1), dtype=run.pool.dtype)
        pool[:, grade] = run.pool.sum(axis=1)
        return dataclasses.replace(run, labels=labels, pool=pool).top(kernels.cutoff(self.measure))

    def rewrite(self, run: JudgedRun) -> tuple[pd.DataFrame, pd.DataFrame]:
        qrels = run.judgments.frame.assign(relevance=self._grade())
        return qrels, rewriting.run_frame(run.top(kernels.cutoff(self.measure)))

    def _grade(self) -> int:
        """The grade from which on the measure takes a document for relevant."""
        return max(self.measure.params.get('rel', 1), 1)
