"""What scores of deep measures can be told from shallow pools."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd
import pyterrier as pt
from ir_measures.measures import Measure

from pyterrier_unjudged import kernels
from pyterrier_unjudged.estimators import RankGain, TwoStageGain
from pyterrier_unjudged.estimators.contributing import ContributingRuns
from pyterrier_unjudged.estimators.models import MODELS
from pyterrier_unjudged.judged_run import JudgedRun, Judgments
from pyterrier_unjudged.measures.inferred import scaled_up
from pyterrier_unjudged.runs import Runs, as_runs
from pyterrier_unjudged.studies.groups import held_out
from pyterrier_unjudged.studies.judgments import pooled, sampled
from pyterrier_unjudged.treatments import Interpolated, Residual
from pyterrier_unjudged.treatments.expected import expected

METHODS = ('LB', 'RM', *MODELS, 'L_a', 'L_b')


def shallow_pools(runs: Runs, qrels: pd.DataFrame, measures: Measure | Sequence[Measure], depths: Sequence[int],
                  reference_depth: int = 100, *, theta: float = 0.0, methods: Sequence[str] | None = None,
                  groups: Mapping[str, str] | None = None, rate: float | None = None,
                  seeds: Sequence[int] = (0,)) -> pd.DataFrame:
    """Estimates the scores of runs from pools of several depths, by several methods, with the truth beside them.

    At each depth, the judgments are cut to the pool of the runs at that depth. Methods are ``'LB'`` (unjudged documents
    are not relevant), ``'RM'`` (:class:`~pyterrier_unjudged.Interpolated`), ``'linear'``, ``'zipf'``, ``'weibull'``
    (:class:`~pyterrier_unjudged.RankGain`), ``'L_a'`` and ``'L_b'`` (:class:`~pyterrier_unjudged.TwoStageGain`).

    Args:
        runs: name -> results, or a folder of run files.
        qrels: the complete judgments, columns ``qid``, ``docno``, ``label``.
        measures: weighted-precision measures (P, RBP, SDCG).
        depths: depths of the shallow pools.
        reference_depth: runs are cut off here, for all methods and for the truth.
        theta: see :class:`~pyterrier_unjudged.TwoStageGain`; holds for the rank models as well.
        methods: the methods to evaluate; by default all.
        groups: name -> group. With it, each group's runs are held out in turn: pools and estimators know the other
            groups' runs only, and the scores are those of the runs that are held out (Table 3).
        rate: with it, there is a second stratum, the pool down to ``reference_depth``, of which this share is judged,
            see :func:`~pyterrier_unjudged.two_strata`; and one more method, ``'Inf'``, the inferred measure of Eq. 5.
        seeds: one sample of the second stratum for each.

    Returns:
        One row per depth, seed, method, system, topic, and measure, columns ``depth``, ``method``, ``name``, ``qid``,
        ``value`` (the estimate), ``reference`` (the score with all judgments), ``residual`` (of that score),
        ``measure``, ``seed``.

    Raises:
        ValueError: on malformed runs or qrels, depths beyond the reference, unknown methods and measures that are not
            weighted-precision measures, and names without a group.

    Source: Lu, Moffat & Culpepper, SIGIR 2017, Sections 3 and 6, Tables 2 and 3, Figure 6.

    Example:
        >>> from ir_measures import RBP
        >>> demo = pt.get_dataset('unjudged:demo')
        >>> runs = {name: demo.get_results(name) for name in ('bm25', 'dense')}
        >>> study = shallow_pools(runs, demo.get_qrels('complete'), RBP(p=0.8, rel=1), [5], methods=['LB', 'RM'])
        >>> study.groupby('method')[['value', 'reference']].mean().round(2).values.tolist()
        [[0.64, 0.8], [0.9, 0.8]]
    """
    if not depths or any(not 1 <= depth <= reference_depth for depth in depths):
        raise ValueError(f'Depths must be between 1 and the reference depth {reference_depth}, not {list(depths)!r}.')
    available = METHODS if rate is None else (*METHODS, 'Inf')
    methods = available if methods is None else methods
    unknown = [method for method in methods if method not in available]
    if unknown:
        raise ValueError(f"There are no methods {unknown}, only {list(available)} ('Inf' with a rate only).")
    measures = [measures] if isinstance(measures, Measure) else measures
    for measure in measures:
        Residual(measure)  # says what is wrong with other measures
    runs, judgments = as_runs(runs), Judgments.encode(qrels)
    if not runs:
        raise ValueError('There are no runs to pool.')
    encoded = {name: JudgedRun.encode(run, judgments).top(reference_depth) for name, run in runs.items()}
    splits = [(list(encoded), list(encoded))] if groups is None else list(held_out(encoded, groups))
    complete = ContributingRuns.of(list(encoded.values()), reference_depth)
    samples = [(depth, seed, *split) for depth in depths for seed in (seeds if rate is not None else seeds[:1])
               for split in splits]
    frames: list[pd.DataFrame] = []
    for depth, seed, contributing, evaluated in pt.tqdm(samples, desc='shallow pools'):
        own = [encoded[name] for name in contributing]
        shallow = kept = pooled(own, depth)
        if rate is not None:
            kept = sampled(judgments, shallow, pooled(own, reference_depth) & ~shallow, rate, seed)
        fewer = judgments.kept(kept)
        learnt_from = complete.rejudged(kept, fewer).of_systems([list(encoded).index(name) for name in contributing])
        for measure in measures:
            estimate = {method: _estimate(method, measure, theta, depth, learnt_from, shallow) for method in methods}
            for name in evaluated:
                run, truth = encoded[name].rejudged(kept, fewer), encoded[name]
                score = kernels.kernel(measure)
                reference, residual = score(truth.labels, truth.pool), Residual(measure).evaluate(truth)
                frames += [pd.DataFrame({
                    'depth': depth, 'method': method, 'name': name, 'qid': run.qids,
                    'value': estimate[method](run, truth), 'reference': reference, 'residual': residual,
                    'measure': repr(measure), 'seed': seed}) for method in methods]
    return pd.concat(frames, ignore_index=True)


def _estimate(method: str, measure: Measure, theta: float, depth: int, runs: ContributingRuns,
              shallow: np.ndarray) -> Callable[[JudgedRun, JudgedRun], np.ndarray]:
    """Returns what estimates the scores of a run, given as it is judged and as it would be judged completely."""
    score = kernels.kernel(measure)
    if method == 'LB':
        return lambda run, truth: score(run.labels, run.pool)
    if method == 'RM':
        return lambda run, truth: Interpolated(measure).evaluate(run)
    if method == 'Inf':
        return lambda run, truth: scaled_up(score, run, np.append(shallow, False)[truth.positions])
    shared = {'measure': measure, 'theta': theta, 'depth': runs.codes.shape[2], 'pool_depth': depth}
    estimator = RankGain(method, **shared) if method in MODELS else TwoStageGain(method[-1], **shared)
    estimator.fit_encoded(runs)
    return lambda run, truth: expected(score, run, estimator.gains(run))
