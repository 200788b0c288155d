"""What a collection says of systems that had no part in it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property

import joblib
import numpy as np
import pandas as pd
import pyterrier as pt
from ir_measures.measures import Measure

from pyterrier_unjudged.estimators.contributing import ContributingRuns
from pyterrier_unjudged.judged_run import JudgedRun, Judgments
from pyterrier_unjudged.provider import evaluate
from pyterrier_unjudged.runs import Runs, as_runs
from pyterrier_unjudged.studies.groups import held_out
from pyterrier_unjudged.studies.judgments import pooled
from pyterrier_unjudged.subsampling.subcorpus import Subcorpus

#: runs by name -> subcorpus
Strategy = Callable[[dict[str, pd.DataFrame]], Subcorpus]


def leave_one_group_out(runs: Runs, groups: Mapping[str, str], qrels: pd.DataFrame, measures: Sequence[Measure],
                        pool_depth: int = 10, subcorpus: Strategy | int | None = None,
                        restrict: str = 'pair', n_jobs: int = 1, drop_worst: float = 0.0,
                        cut: bool = True, duplicates: Iterable[str] = ()) -> pd.DataFrame:
    """Scores each group's runs as if the group had not taken part, with the truth beside it.

    The judgments are cut to the pool of all runs at ``pool_depth``, so that everything in the top of each is judged:
    by them the truth is scored. Then, for each group, what only its runs brought into the pool is taken away, and its
    runs are scored by what is left, under any measures and treatments.

    Args:
        runs: name -> results, or a folder of run files.
        groups: name -> group; a group's runs are held out together.
        qrels: judgments, columns ``qid``, ``docno``, ``label``.
        measures: measures and treatments.
        pool_depth: depth of the pool.
        subcorpus: the other groups' runs -> the subcorpus that retrieval is restricted to, such as
            ``lambda runs: rerank_pool(runs['bm25'])``; or a number, the depth to which they are pooled, which is much
            faster; by default the whole corpus.
        restrict: what is taken away: ``'pair'``, a judgment of a document for a topic that only the group brought; or
            ``'document'``, all judgments of documents that only the group brought for any topic.
        n_jobs: threads.
        drop_worst: share of the runs, by the first measure's mean truth, that are left out of the study.
        cut: whether the judgments are cut to the pool first; False keeps what was judged beyond it, for the truth and
            after a group's own judgments are taken away, as the papers' experiments do.
        duplicates: ids of near-duplicate documents, which are left out of runs and judgments.

    Returns:
        One row per held-out run, topic and measure, columns ``group``, ``name``, ``qid``, ``measure``, ``value``,
        ``post`` (with the group's judgments given back: what the subcorpus alone changes), ``truth`` (the plain measure
        that is treated, by all judgments and on the whole corpus).

    Raises:
        ValueError: on malformed runs or qrels, names without a group, fewer than two groups, and parameters out of
            range.

    Source: Fröbe et al., Bootstrapped nDCG Estimation in the Presence of Unjudged Documents, ECIR 2023, Section 4;
    Fröbe et al., Corpus Subsampling, ECIR 2025, Section 4.

    Example:
        >>> from ir_measures import nDCG
        >>> from pyterrier_unjudged import Condensed
        >>> demo = pt.get_dataset('unjudged:demo')
        >>> runs = {name: demo.get_results(name) for name in ('bm25', 'qld', 'dense')}
        >>> study = leave_one_group_out(runs, {'bm25': 'lexical', 'qld': 'lexical', 'dense': 'dense'},
        ...                             demo.get_qrels('complete'), [nDCG@10, Condensed(nDCG@10)])
        >>> study[study['name'] == 'dense'].groupby('measure')[['value', 'truth']].mean().round(2).values.tolist()
        [[0.97, 0.94], [0.78, 0.94]]
    """
    if restrict not in ('pair', 'document'):
        raise ValueError(f"restrict must be 'pair' or 'document', not {restrict!r}.")
    if not measures:
        raise ValueError('There are no measures.')
    runs, duplicates = as_runs(runs), set(duplicates)
    if duplicates:
        qrels = qrels[~qrels['docno'].isin(duplicates)]
        runs = {name: run[~run['docno'].isin(duplicates)] for name, run in runs.items()}
    setting = Setting.of(runs, groups, qrels, pool_depth, cut, getattr(measures[0], 'measure', measures[0]), drop_worst)
    return held_out_scores(setting, measures, subcorpus, restrict, n_jobs)


@dataclasses.dataclass(frozen=True, eq=False)
class Setting:
    """Runs and judgments of a study, encoded once.

    Attributes:
        runs: the results, by name.
        groups: name -> group.
        encoded: the runs with all judgments of the study.
        pool_depth: depth of the pool.
        cut: whether the judgments were cut to the pool.
    """

    runs: Mapping[str, pd.DataFrame]
    groups: Mapping[str, str]
    encoded: Mapping[str, JudgedRun]
    pool_depth: int
    cut: bool

    @classmethod
    def of(cls, runs: Runs, groups: Mapping[str, str], qrels: pd.DataFrame, pool_depth: int, cut: bool,
           measure: Measure, drop_worst: float) -> Setting:
        """Encodes and cuts the judgments, and drops the worst runs by a measure."""
        if pool_depth < 1:
            raise ValueError(f'The depth of a pool must be at least 1, not {pool_depth!r}.')
        if not 0 <= drop_worst < 1:
            raise ValueError(f'drop_worst must be in [0, 1), not {drop_worst!r}.')
        runs, complete = as_runs(runs), Judgments.encode(qrels)
        everything = {name: JudgedRun.encode(run, complete) for name, run in runs.items()}
        kept = pooled(list(everything.values()), pool_depth) | (not cut)
        judgments = complete.kept(kept)
        encoded = {name: run.rejudged(kept, judgments) for name, run in everything.items()}
        best_first = sorted(encoded, key=lambda name: -evaluate([measure], encoded[name])[measure].mean())
        chosen = set(best_first[:len(encoded) - int(drop_worst * len(encoded))])
        return cls(runs, groups, {name: run for name, run in encoded.items() if name in chosen}, pool_depth, cut)

    @cached_property
    def codes(self) -> tuple[dict[str, np.ndarray], int]:
        """Code of each ranked document by run, -1 for padding, and the number of distinct documents."""
        depth = max(run.labels.shape[1] for run in self.encoded.values())
        contributing = ContributingRuns.of(list(self.encoded.values()), depth)
        return dict(zip(self.encoded, contributing.codes, strict=True)), len(contributing.documents)


def held_out_scores(setting: Setting, measures: Sequence[Measure], subcorpus: Strategy | int | None, restrict: str,
                    n_jobs: int) -> pd.DataFrame:
    """As :func:`leave_one_group_out`, of runs and judgments that are encoded."""
    encoded, groups = setting.encoded, setting.groups
    judgments = next(iter(encoded.values())).judgments
    plain = {measure: getattr(measure, 'measure', measure) for measure in measures}
    if isinstance(subcorpus, int):
        codes, documents = setting.codes

    def restricted(others: list[str]) -> Callable[[str], JudgedRun]:
        """Returns name -> the run as it retrieves from the subcorpus of the others."""
        if subcorpus is None:
            return encoded.__getitem__
        if isinstance(subcorpus, int):
            inside = np.zeros(documents + 1, dtype=bool)
            for name in others:
                inside[codes[name][:, :subcorpus]] = True
            inside[-1] = False  # the padding's
            return lambda name: encoded[name].without(~inside[codes[name][:, :encoded[name].labels.shape[1]]])
        docnos = subcorpus({name: setting.runs[name] for name in others}).docnos
        return lambda name: _within(encoded[name], docnos)

    def study(others: list[str], own: list[str]) -> list[pd.DataFrame]:
        left = pooled([encoded[name] for name in others], setting.pool_depth)
        if not setting.cut:
            left |= ~pooled([encoded[name] for name in own], setting.pool_depth)
        if restrict == 'document':
            document = judgments.pairs % len(judgments.docnos)
            left = np.isin(document, document[left])
        fewer, retrieved, frames = judgments.kept(left), restricted(others), []
        for name in own:
            run, truth = retrieved(name), evaluate(set(plain.values()), encoded[name])
            without, post = evaluate(measures, run.rejudged(left, fewer)), evaluate(measures, run)
            frames += [pd.DataFrame({'group': groups[name], 'name': name, 'qid': run.qids, 'measure': repr(measure),
                                     'value': without[measure], 'post': post[measure],
                                     'truth': truth[plain[measure]]}) for measure in measures]
        return frames
    splits = list(held_out(encoded, groups))
    work = joblib.Parallel(n_jobs=n_jobs, prefer='threads', return_as='generator')(
        joblib.delayed(study)(others, own) for others, own in splits)
    return pd.concat([frame for frames in pt.tqdm(work, total=len(splits), desc='groups') for frame in frames],
                     ignore_index=True)


def _within(run: JudgedRun, docnos: np.ndarray) -> JudgedRun:
    inside = np.append(run.frame['doc_id'].isin(docnos).to_numpy(), False)
    return run.without(~inside[run.rows])  # row -1, the padding, finds the False appended last
