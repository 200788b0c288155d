"""How measures stand it when judgments go missing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pyterrier as pt
from ir_measures.measures import Measure
from scipy.stats import kendalltau

from pyterrier_unjudged.judged_run import JudgedRun, Judgments
from pyterrier_unjudged.provider import evaluate
from pyterrier_unjudged.runs import Runs, as_runs
from pyterrier_unjudged.studies.judgments import kept_judgments


def robustness(runs: Runs, qrels: pd.DataFrame, measures: Sequence[Measure],
               rates: Sequence[float] = (0.9, 0.7, 0.5, 0.3, 0.1), seeds: Sequence[int] = range(10)) -> pd.DataFrame:
    """Scores systems with fewer and fewer judgments, and compares their ranking with that by all judgments.

    Args:
        runs: name -> results, or a folder of run files; two at least.
        qrels: the complete judgments, columns ``qid``, ``docno``, ``label``.
        measures: measures and treatments.
        rates: shares of the judgments that are kept, see :func:`reduce_judgments`; all of them is the reference, and
            need not be named.
        seeds: one reduction for each.

    Returns:
        One row per rate, seed, and measure, columns ``rate``, ``seed``, ``measure``, ``tau`` (Kendall's tau-b between
        the systems' mean scores with reduced and with complete judgments), ``value`` (mean over topics and systems).

    Raises:
        ValueError: on malformed runs or qrels, fewer than two runs, and rates out of range.

    Source: Sakai, Alternatives to bpref, SIGIR 2007, Sections 5 and 6, Figures 1 and 2.

    Example:
        >>> from ir_measures import AP
        >>> demo = pt.get_dataset('unjudged:demo')
        >>> runs = {name: demo.get_results(name) for name in ('bm25', 'dense')}
        >>> robustness(runs, demo.get_qrels('complete'), [AP], rates=[0.5], seeds=[1])['measure'].tolist()
        ['AP', 'AP']
    """
    runs = as_runs(runs)
    if len(runs) < 2:
        raise ValueError(f'A ranking of systems needs two runs at least, not {list(runs)}.')
    judgments = Judgments.encode(qrels)
    encoded = [JudgedRun.encode(run, judgments) for run in runs.values()]
    reference = {measure: values.mean(axis=1) for measure, values in _scores(encoded, measures).items()}
    rows = [(1.0, seed, measure, means, means) for seed in seeds for measure, means in reference.items()]
    for rate, seed in pt.tqdm([(rate, seed) for rate in rates for seed in seeds if rate != 1], desc='reductions'):
        kept = kept_judgments(judgments, rate, seed)
        fewer = judgments.kept(kept)
        reduced = _scores([run.rejudged(kept, fewer) for run in encoded], measures)
        rows += [(rate, seed, measure, values.mean(axis=1), reference[measure]) for measure, values in reduced.items()]
    return pd.DataFrame([(rate, seed, repr(measure), kendalltau(means, complete).statistic, means.mean())
                         for rate, seed, measure, means, complete in rows],
                        columns=['rate', 'seed', 'measure', 'tau', 'value'])


def _scores(runs: list[JudgedRun], measures: Sequence[Measure]) -> dict[Measure, np.ndarray]:
    """Returns the scores under each measure, shape (systems, topics)."""
    by_run = [evaluate(measures, run) for run in runs]
    return {measure: np.stack([values[measure] for values in by_run]) for measure in measures}
