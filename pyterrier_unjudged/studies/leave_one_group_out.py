"""What a collection says of systems that had no part in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import joblib
import numpy as np
import pandas as pd
import pyterrier as pt
from ir_measures.measures import Measure

from pyterrier_unjudged.judged_run import JudgedRun, Judgments
from pyterrier_unjudged.provider import evaluate
from pyterrier_unjudged.runs import Runs, as_runs
from pyterrier_unjudged.studies.groups import held_out
from pyterrier_unjudged.studies.judgments import pooled
from pyterrier_unjudged.subsampling.subcorpus import Subcorpus


def leave_one_group_out(runs: Runs, groups: Mapping[str, str], qrels: pd.DataFrame, measures: Sequence[Measure],
                        pool_depth: int = 10, subcorpus: Callable[[dict[str, pd.DataFrame]], Subcorpus] | None = None,
                        restrict: str = 'pair', n_jobs: int = 1, drop_worst: float = 0.0,
                        cut: bool = True) -> pd.DataFrame:
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
            ``lambda runs: pool(runs, 100)``; by default the whole corpus.
        restrict: what is taken away: ``'pair'``, a judgment of a document for a topic that only the group brought; or
            ``'document'``, all judgments of documents that only the group brought for any topic.
        n_jobs: threads.
        drop_worst: share of the runs, by the first measure's mean truth, that are left out of the study.
        cut: whether the judgments are cut to the pool first; False keeps what was judged beyond it, for the truth and
            after a group's own judgments are taken away, as the papers' experiments do.

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
    if pool_depth < 1:
        raise ValueError(f'The depth of a pool must be at least 1, not {pool_depth!r}.')
    if not 0 <= drop_worst < 1:
        raise ValueError(f'drop_worst must be in [0, 1), not {drop_worst!r}.')
    if not measures:
        raise ValueError('There are no measures.')
    runs, complete = as_runs(runs), Judgments.encode(qrels)
    everything = {name: JudgedRun.encode(run, complete) for name, run in runs.items()}
    kept = pooled(list(everything.values()), pool_depth) | (not cut)
    judgments = complete.kept(kept)
    encoded = {name: run.rejudged(kept, judgments) for name, run in everything.items()}
    plain = {measure: getattr(measure, 'measure', measure) for measure in measures}
    truth = {name: evaluate(set(plain.values()), run) for name, run in encoded.items()}
    best_first = sorted(encoded, key=lambda name: -truth[name][plain[measures[0]]].mean())
    chosen = set(best_first[:len(encoded) - int(drop_worst * len(encoded))])
    encoded = {name: run for name, run in encoded.items() if name in chosen}

    def study(others: list[str], own: list[str]) -> list[pd.DataFrame]:
        left = pooled([encoded[name] for name in others], pool_depth)
        if not cut:
            left |= ~pooled([encoded[name] for name in own], pool_depth)
        if restrict == 'document':
            document = judgments.pairs % len(judgments.docnos)
            left = np.isin(document, document[left])
        fewer = judgments.kept(left)
        inside = None if subcorpus is None else subcorpus({name: runs[name] for name in others})
        frames = []
        for name in own:
            run = encoded[name] if inside is None else _within(encoded[name], inside)
            without, post = evaluate(measures, run.rejudged(left, fewer)), evaluate(measures, run)
            frames += [pd.DataFrame({'group': groups[name], 'name': name, 'qid': run.qids, 'measure': repr(measure),
                                     'value': without[measure], 'post': post[measure],
                                     'truth': truth[name][plain[measure]]}) for measure in measures]
        return frames
    splits = list(held_out(encoded, groups))
    work = joblib.Parallel(n_jobs=n_jobs, prefer='threads', return_as='generator')(
        joblib.delayed(study)(others, own) for others, own in splits)
    return pd.concat([frame for frames in pt.tqdm(work, total=len(splits), desc='groups') for frame in frames],
                     ignore_index=True)


def _within(run: JudgedRun, subcorpus: Subcorpus) -> JudgedRun:
    inside = np.append(run.frame['doc_id'].isin(subcorpus.docnos).to_numpy(), False)
    return run.without(~inside[run.rows])  # row -1, the padding, finds the False appended last
