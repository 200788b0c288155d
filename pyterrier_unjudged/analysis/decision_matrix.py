"""Whether a comparison of two systems rests on comparable judgments: the System Evaluation Decision Matrix."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy import stats

from pyterrier_unjudged.analysis.score_matrix import ScoreMatrix

#: case -> what a paper would print; {better} and {worse} are the systems by their performance
SENTENCES = {
    1: 'Strong: {a} and {b} do not differ significantly in {performance}, and comparable shares of their documents are '
       'assessed.',
    2: 'Weak: {a} and {b} do not differ significantly in {performance}, but significantly more documents of {more} are '
       'assessed.',
    3: 'Strong: {better} is significantly better than {worse} in {performance}, and no more of its documents are '
       'assessed.',
    4: 'Weak: {better} is significantly better than {worse} in {performance}, but significantly more of its documents '
       'are assessed.',
}


@dataclasses.dataclass(frozen=True, eq=False)
class DecisionMatrix:
    """What :func:`decision_matrix` found.

    Attributes:
        performance: the measure of performance.
        assessment: the measure of assessment.
        names: the systems, the best first.
        pairs: one row per pair of systems, columns ``name_a``, ``name_b``, ``performance_difference``,
            ``assessment_difference`` (of means, a minus b), ``performance_pvalue``, ``assessment_pvalue`` (corrected),
            ``case`` (1 to 4), ``sentence``.
    """

    performance: str
    assessment: str
    names: list[str]
    pairs: pd.DataFrame

    @property
    def proportions(self) -> pd.DataFrame:
        """The share of pairs in each case: a row of the paper's Tables 3 and 4, columns ``case 1`` to ``case 4``,
        ``strong`` (cases 1 and 3) and ``weak`` (cases 2 and 4).
        """
        shares = self.pairs['case'].value_counts(normalize=True).reindex([1, 2, 3, 4], fill_value=0.0)
        row = {f'case {case}': share for case, share in shares.items()}
        row |= {'strong': shares[1] + shares[3], 'weak': shares[2] + shares[4]}
        return pd.DataFrame([row], index=pd.Index([self.performance], name='performance'))

    def matrix(self) -> pd.DataFrame:
        """Returns the case of each pair, systems by systems in the order of :attr:`names`; 0 on the diagonal."""
        table = pd.DataFrame(0, index=self.names, columns=self.names)
        for one, other in (('name_a', 'name_b'), ('name_b', 'name_a')):
            wide = self.pairs.pivot_table('case', one, other)
            table = table.add(wide.reindex(index=self.names, columns=self.names), fill_value=0)
        return table.loc[self.names, self.names].astype(int)

    def to_frame(self) -> pd.DataFrame:
        """Returns :attr:`pairs`."""
        return self.pairs


def decision_matrix(scores: pd.DataFrame, performance: str, assessment: str, alpha: float = 0.05, test: str = 'tukey',
                    correction: str = 'bonferroni') -> DecisionMatrix:
    """Says for each pair of systems whether its comparison can be relied on.

    Performance and assessment (how many documents of a system are judged) are each tested for a significant difference:

    - case 1, strong: neither differs.
    - case 2, weak: performance doesn't differ, assessment does; with comparable judgments it might.
    - case 3, strong: performance differs, and assessment doesn't, or the better system has significantly *fewer*
      assessed documents.
    - case 4, weak: performance differs, and the better system has significantly more assessed documents.

    Args:
        scores: columns ``name``, ``qid``, ``measure``, ``value``, as ``pt.Experiment(…, perquery=True)`` returns them.
        performance: a measure as it stands in ``scores``, such as ``'AP@1000'``.
        assessment: another, such as ``'Assessment(P@1000)'``.
        alpha: significance level.
        test: ``'tukey'``, an ANOVA with topics as blocks followed by Tukey's honestly significant differences, as in
            the paper; or ``'t'``, a paired t-test for each pair.
        correction: how the p-values of t-tests are corrected, a method of statsmodels' ``multipletests``; Tukey's
            needs none.

    Raises:
        ValueError: on malformed scores, unknown measures, fewer than two systems or topics, an unknown test or
            correction, and an alpha out of range.

    Source: Baillie, Azzopardi & Ruthven, Evaluating Epistemic Uncertainty under Incomplete Assessments, IPM 2008,
    Section 3.2 and Figure 3.

    Example:
        >>> values = {('a', 'P@10'): [0.9, 0.8, 0.9, 0.7], ('b', 'P@10'): [0.2, 0.3, 0.1, 0.2],
        ...           ('a', 'Assessment(P@10)'): [1.0, 0.9, 1.0, 1.0], ('b', 'Assessment(P@10)'): [0.3, 0.4, 0.4, 0.3]}
        >>> scores = pd.DataFrame([(name, str(qid), measure, value) for (name, measure), row in values.items()
        ...                        for qid, value in enumerate(row)], columns=['name', 'qid', 'measure', 'value'])
        >>> decision_matrix(scores, 'P@10', 'Assessment(P@10)').pairs['case'].tolist()
        [4]
    """
    if test not in ('tukey', 't'):
        raise ValueError(f"There is no test {test!r}, only 'tukey' and 't'.")
    if not 0 < alpha < 1:
        raise ValueError(f'The significance level alpha must be in (0, 1), not {alpha!r}.')
    score, judged = ScoreMatrix.of(scores, performance), ScoreMatrix.of(scores, assessment)
    order = pd.Index(judged.names).get_indexer(score.names)
    if (order < 0).any() or len(judged.names) != len(score.names) or not np.array_equal(score.qids, judged.qids):
        raise ValueError(f'{performance} and {assessment} are not of the same systems and topics. Evaluate both in one '
                         'pt.Experiment.')
    if len(score.qids) < 2:
        raise ValueError(f'A test needs two topics at least; the scores have only topic {score.qids[0]!r}.')
    first, second = score.pairs()
    sides = [(values, values.mean(axis=1), _pvalues(values, first, second, test, correction))
             for values in (score.values, judged.values[order])]
    (_, means, p_score), (_, shares, p_judged) = sides
    difference, more = means[first] - means[second], shares[first] - shares[second]
    better_has_more = np.sign(difference) * more > 0
    differs, judged_differ = p_score < alpha, p_judged < alpha
    case = np.where(differs, np.where(judged_differ & better_has_more, 4, 3), np.where(judged_differ, 2, 1))
    pairs = pd.DataFrame({
        'name_a': score.names[first], 'name_b': score.names[second], 'performance_difference': difference,
        'assessment_difference': more, 'performance_pvalue': p_score, 'assessment_pvalue': p_judged, 'case': case})
    pairs['sentence'] = [_sentence(row, str(performance)) for row in pairs.itertuples()]
    return DecisionMatrix(str(performance), str(assessment), score.names[np.argsort(-means, kind='stable')].tolist(),
                          pairs)


def decision_matrices(scores: pd.DataFrame, performance: str, assessment: str,
                      depths: Sequence[int] = (10, 30, 100, 500, 1000), alpha: float = 0.05, test: str = 'tukey',
                      correction: str = 'bonferroni') -> pd.DataFrame:
    """Returns the proportions of cases at several depths: a whole row of the paper's Tables 3 and 4.

    Args:
        scores: as for :func:`decision_matrix`, with both measures at each depth.
        performance: the measure of performance without a depth, such as ``'AP'``; ``AP@10`` and so on are looked up.
        assessment: the measure of assessment without one, such as ``'Assessment(P)'``; ``Assessment(P@10)`` and so on
            are looked up.
        depths: the depths.
        alpha: significance level.
        test: as for :func:`decision_matrix`.
        correction: as for :func:`decision_matrix`.

    Returns:
        One row per depth, columns as :attr:`DecisionMatrix.proportions`.
    """
    from pyterrier_unjudged.parsing import parse_measure
    rows = [decision_matrix(scores, *(repr(parse_measure(measure) @ depth) for measure in (performance, assessment)),
                            alpha, test, correction).proportions for depth in depths]
    return pd.concat(rows).set_index(pd.Index(depths, name='depth'))


def _pvalues(values: np.ndarray, first: np.ndarray, second: np.ndarray, test: str, correction: str) -> np.ndarray:
    """Returns the corrected p-value of each pair, shape (pairs,)."""
    difference = values[first] - values[second]
    if test == 't':
        from statsmodels.stats.multitest import multipletests
        constant = np.ptp(difference, axis=1) == 0
        with np.errstate(invalid='ignore', divide='ignore'):
            pvalue = stats.ttest_rel(values[first], values[second], axis=1).pvalue
        pvalue = np.where(constant, np.where(difference[:, 0] == 0, 1.0, 0.0), pvalue)
        return multipletests(pvalue, method=correction)[1]
    systems, topics = values.shape
    # Two-way ANOVA without replication: what neither systems nor topics explain is the error.
    rest = values - values.mean(axis=0) - values.mean(axis=1, keepdims=True) + values.mean()
    freedom = (systems - 1) * (topics - 1)
    error = np.sqrt((rest ** 2).sum() / freedom / topics)
    distance = np.abs(difference.mean(axis=1))
    if error < 1e-12:
        return np.where(distance > 1e-12, 0.0, 1.0)
    return stats.studentized_range.sf(distance / error, systems, freedom)


def _sentence(row: tuple, performance: str) -> str:
    better, worse = (row.name_a, row.name_b) if row.performance_difference > 0 else (row.name_b, row.name_a)
    more = row.name_a if row.assessment_difference > 0 else row.name_b
    return SENTENCES[row.case].format(a=row.name_a, b=row.name_b, better=better, worse=worse, more=more,
                                      performance=performance)
