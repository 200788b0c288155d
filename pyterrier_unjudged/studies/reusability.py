"""Whether a collection can be used for systems that had no part in it: the tables of two papers."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from ir_measures import nDCG
from ir_measures.measures import Measure

from pyterrier_unjudged.analysis import rank_correlation, reconstruction, rmse
from pyterrier_unjudged.runs import Runs
from pyterrier_unjudged.studies.groups import held_out
from pyterrier_unjudged.studies.judgments import pooled
from pyterrier_unjudged.studies.leave_one_group_out import Setting, Strategy, held_out_scores
from pyterrier_unjudged.treatments import Bootstrap, Condensed, Upper

PRIORS = ('pool', 'run', 'pool+run')
QUANTILES = (0.75, 0.9, 0.95)
DEPTHS = (10, 25, 50, 100)  #: of the pools that are compared as subcorpora by default


@dataclasses.dataclass(frozen=True, eq=False)
class ReusabilityReport:
    """What :func:`reusability_report` found.

    Attributes:
        incompleteness: share of each label among judged documents, and among those that become unjudged when a group
            is held out (bootstrapped nDCG, Table 3).
        prediction: how far estimated scores are from the truth, :func:`~pyterrier_unjudged.rmse` (Table 4).
        correlation: Kendall's tau and Spearman's rho of the ranking by estimated scores with the true one (Table 5).
        reconstruction: precision, recall and F1 of topic-level orders, by points and ranges (Table 6).
        subsampling: on each subcorpus, RMSE without and with post-judgments, mean and standard deviation of the error
            (Corpus Subsampling, Table 3).
        participants: AP correlation of rankings in which one group is held out and all others have their true scores,
            mean over groups; plain, condensed, and with post-judgments (its Table 4).
        newcomers: AP correlation of rankings in which each system has the score it gets when held out (its Table 5).
        study: the scores behind the tables, of the whole corpus, as :func:`leave_one_group_out` returns them.
    """

    incompleteness: pd.DataFrame
    prediction: pd.DataFrame
    correlation: pd.DataFrame
    reconstruction: pd.DataFrame
    subsampling: pd.DataFrame
    participants: pd.DataFrame
    newcomers: pd.DataFrame
    study: pd.DataFrame

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """All tables by name."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self) if field.name != 'study'}

    def to_latex(self, table: str | None = None) -> str:
        """Returns a table, or all of them, as LaTeX that a paper can include (with the package booktabs)."""
        if table is not None and table not in self.tables:
            raise ValueError(f'There is no table {table!r}, only {list(self.tables)}.')
        chosen = self.tables if table is None else {table: self.tables[table]}
        return '\n'.join(_latex(name, frame) for name, frame in chosen.items())

    def __repr__(self) -> str:
        parts = (f'{name}\n{frame.to_string(float_format="{:.3f}".format)}' for name, frame in self.tables.items())
        return '\n\n'.join(parts)


def reusability_report(runs: Runs, groups: Mapping[str, str], qrels: pd.DataFrame, *, measure: Measure = nDCG@10,
                       pool_depth: int = 10, b: int = 1000, seed: int = 0,
                       subcorpora: Mapping[str, Strategy | int | None] | None = None, cut: bool = True,
                       drop_worst: float = 0.0, n_jobs: int = 1) -> ReusabilityReport:
    """Says how far scores and rankings of new systems can be trusted, by holding out each group of the old ones.

    Args:
        runs: name -> results, or a folder of run files.
        groups: name -> group.
        qrels: judgments, columns ``qid``, ``docno``, ``label``.
        measure: a measure that :class:`~pyterrier_unjudged.Bootstrap` supports.
        pool_depth: depth of the pool, see :func:`leave_one_group_out`.
        b: samples of the bootstrap.
        seed: seed of the bootstrap.
        subcorpora: name -> strategy, the other groups' runs -> subcorpus; or a number, the depth of a pool; or None,
            the whole corpus. By default pools to depth 10, 25, 50 and 100, and the whole.
        cut: see :func:`leave_one_group_out`.
        drop_worst: see :func:`leave_one_group_out`.
        n_jobs: threads.

    Raises:
        ValueError: as :func:`leave_one_group_out`.

    Source: Fröbe et al., Bootstrapped nDCG Estimation in the Presence of Unjudged Documents, ECIR 2023, Tables 3 to 6;
    Fröbe et al., Corpus Subsampling, ECIR 2025, Tables 3 to 5.
    """
    if subcorpora is None:
        subcorpora = {**{f'pool {depth}': depth for depth in DEPTHS}, 'whole': None}
    points = {'default': measure, 'condensed': Condensed(measure), 'upper': Upper(measure)}
    for prior in PRIORS:
        for stat in ('mode', 'mean'):
            points[f'bootstrap {prior}, {stat}'] = Bootstrap(measure, prior=prior, stat=stat, b=b, seed=seed)
    ends = {f'to bootstrap {quantile}': Bootstrap(measure, stat=quantile, b=b, seed=seed) for quantile in QUANTILES}
    setting = Setting.of(runs, groups, qrels, pool_depth, cut, measure, drop_worst)
    study = held_out_scores(setting, [*points.values(), *ends.values()], None, 'pair', n_jobs)
    by_measure = {text: rows.set_index(['name', 'qid']) for text, rows in study.groupby('measure', sort=False)}
    estimates = {name: by_measure[repr(own)] for name, own in {**points, **ends}.items()}
    on_subcorpora = {name: held_out_scores(setting, [measure, Condensed(measure)], strategy, 'pair', n_jobs)
                     for name, strategy in subcorpora.items()}
    return ReusabilityReport(
        _incompleteness(setting), _prediction(estimates, list(points)),
        _correlation(estimates, list(points)), _reconstruction(estimates, list(points), list(ends)),
        _subsampling(on_subcorpora, measure), _participants(on_subcorpora, measure), _newcomers(on_subcorpora, measure),
        study)


def _incompleteness(setting: Setting) -> pd.DataFrame:
    judgments = next(iter(setting.encoded.values())).judgments
    shares = []
    for others, own in held_out(setting.encoded, setting.groups):
        theirs, lost = (pooled([setting.encoded[name] for name in names], setting.pool_depth)
                        for names in (others, own))
        lost &= ~theirs
        left = theirs if setting.cut else ~lost
        shares.append([np.bincount(judgments.grades[which], minlength=judgments.pool.shape[1]) / max(which.sum(), 1)
                       for which in (left, lost)])
    return pd.DataFrame(np.mean(shares, axis=0), index=['judged', 'unjudged'])


def _prediction(estimates: Mapping[str, pd.DataFrame], names: Sequence[str]) -> pd.DataFrame:
    found = {name: rmse(estimates[name]['value'], estimates[name]['truth']) for name in names}
    return pd.DataFrame(found.values(), index=found)[['lower', 'actual', 'upper']]


def _means(rows: pd.DataFrame, column: str) -> pd.Series:
    return rows.groupby('name', sort=True)[column].mean()


def _correlation(estimates: Mapping[str, pd.DataFrame], names: Sequence[str]) -> pd.DataFrame:
    return pd.DataFrame({method: {name: rank_correlation(_means(estimates[name], 'truth'),
                                                         _means(estimates[name], 'value'), method).statistic
                                  for name in names} for method in ('tau', 'spearman')})


def _reconstruction(estimates: Mapping[str, pd.DataFrame], points: Sequence[str], ends: Sequence[str]) -> pd.DataFrame:
    truth = estimates['default']['truth'].unstack('qid')  # noqa: PD010 (systems by topics)
    group = estimates['default'].reset_index().drop_duplicates('name').set_index('name')['group'][truth.index]
    values = {name: rows['value'].unstack('qid').loc[truth.index] for name, rows in estimates.items()}  # noqa: PD010
    rows = {}
    kinds = [('point', name, None) for name in points if name != 'upper'] + [
        ('range', 'default', end) for end in ('upper', 'condensed', *ends)]
    for kind, start, end in kinds:
        # A range can't end below its beginning, as a condensed list's score may.
        found = [reconstruction(values[start].loc[name], truth.loc[name], truth[group != group[name]],
                                None if end is None else np.maximum(values[end].loc[name], values[start].loc[name]))
                 for name in truth.index]
        rows[kind, start if end is None else end] = np.mean(found, axis=0)
    return pd.DataFrame(rows, index=['precision', 'recall', 'f1']).T


def _subsampling(studies: Mapping[str, pd.DataFrame], measure: Measure) -> pd.DataFrame:
    rows = {}
    for name, study in studies.items():
        own = study[study['measure'] == repr(measure)]
        error = own['value'] - own['truth']
        rows[name] = {'rmse': rmse(own['value'], own['truth']).actual,
                      'rmse with post-judgments': rmse(own['post'], own['truth']).actual,
                      'difference': error.mean(), 'standard deviation': error.std()}
    return pd.DataFrame(rows).T


def _variants(study: pd.DataFrame, measure: Measure) -> dict[str, tuple[pd.DataFrame, str]]:
    plain, condensed = (study[study['measure'] == repr(own)] for own in (measure, Condensed(measure)))
    return {'tau_ap': (plain, 'value'), 'condensed': (condensed, 'value'), 'post-judgments': (plain, 'post')}


def _newcomers(studies: Mapping[str, pd.DataFrame], measure: Measure) -> pd.DataFrame:
    return pd.DataFrame({name: {variant: rank_correlation(_means(rows, 'truth'), _means(rows, column),
                                                          'tau_ap').statistic
                                for variant, (rows, column) in _variants(study, measure).items()}
                         for name, study in studies.items()}).T


def _participants(studies: Mapping[str, pd.DataFrame], measure: Measure) -> pd.DataFrame:
    table: dict[str, dict[str, float]] = {}
    for name, study in studies.items():
        table[name] = {}
        for variant, (rows, column) in _variants(study, measure).items():
            truth, held = _means(rows, 'truth'), _means(rows, column)
            group = rows.drop_duplicates('name').set_index('name')['group'][truth.index]
            table[name][variant] = float(np.mean([
                rank_correlation(truth, truth.where(group != own, held), 'tau_ap').statistic
                for own in group.unique()]))
    return pd.DataFrame(table).T


_SPECIAL = str.maketrans({'_': r'\_', '%': r'\%', '&': r'\&', '#': r'\#', '$': r'\$'})


def _latex(name: str, frame: pd.DataFrame) -> str:
    """Returns a tabular; pandas' own to_latex needs another package."""
    def text(value: object) -> str:
        if isinstance(value, tuple):
            return ' '.join(map(text, value))
        return f'{value:.3f}' if isinstance(value, float) else str(value).translate(_SPECIAL)
    head = ' & '.join(['', *map(text, frame.columns)])
    body = [' & '.join(map(text, [index, *row])) for index, row in zip(frame.index, frame.to_numpy(), strict=True)]
    return '\n'.join([f'% {name}', rf'\begin{{tabular}}{{l{"r" * frame.shape[1]}}}', r'\toprule', rf'{head} \\',
                      r'\midrule', *(rf'{line} \\' for line in body), r'\bottomrule', r'\end{tabular}', ''])
