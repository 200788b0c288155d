"""The reusability report on robust03, and a leave-one-group-out study of Robust04's size on generated runs."""

import os
import resource
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pyterrier as pt
from ir_measures import nDCG

from pyterrier_unjudged import Bootstrap, Condensed, read_runs, reusability_report
from pyterrier_unjudged.studies.leave_one_group_out import Setting, held_out_scores

RUNS, GROUPS, TOPICS, DEPTH = 110, 14, 250, 1000
SUBCORPORA = (10, 15, 25, 50, 100, 200, 500, 1000, None)


def main() -> None:
    folder = Path(os.environ.get('UNJUDGED_DATA', '')) / 'robust03'
    if folder.exists():
        runs, qrels = read_runs(folder / 'runs'), pt.io.read_qrels(str(folder / 'qrels.txt.gz'))
        start = time.perf_counter()
        reusability_report(runs, {name: name for name in runs}, qrels, n_jobs=2)
        print(f'robust03, 17 groups, three priors with b=1000, five subcorpora: {time.perf_counter() - start:.0f} s')
    generated()


def generated() -> None:
    runs, qrels = _generated()
    measures = [nDCG@10, Condensed(nDCG@10), Bootstrap(nDCG@10)]
    start = time.perf_counter()
    setting = Setting.of(runs, {name: name[:3] for name in runs}, qrels, 10, True, nDCG@10, 0.0)
    encoded = time.perf_counter() - start
    for subcorpus in SUBCORPORA:
        held_out_scores(setting, measures, subcorpus, 'pair', 2)
    print(f'generated, {RUNS} runs x {TOPICS} topics x {DEPTH}, {GROUPS} groups, {len(SUBCORPORA)} subcorpora, three '
          f'measures: {time.perf_counter() - start:.0f} s, {encoded:.0f} s of them to encode; peak of the process '
          f'{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.1f} GB')


def _generated() -> tuple[dict[str, pd.DataFrame], pd.DataFrame]:
    random = np.random.default_rng(0)
    docnos = np.array([f'FT{number:07d}' for number in range(500_000)], dtype=object)
    quality = random.standard_normal((TOPICS, 3000))
    start = 1900 * np.arange(TOPICS)
    runs = {}
    for number in range(RUNS):
        score = quality + random.standard_normal((TOPICS, 3000))
        best = np.argpartition(-score, DEPTH, axis=1)[:, :DEPTH]
        runs[f'{number % GROUPS:03d}-{number}'] = pd.DataFrame({
            'qid': np.repeat([str(topic) for topic in range(TOPICS)], DEPTH),
            'docno': docnos[(best + start[:, None]).ravel()], 'score': np.take_along_axis(score, best, 1).ravel()})
    topic, document = np.nonzero(quality > 0.5)
    qrels = pd.DataFrame({'qid': topic.astype(str), 'docno': docnos[document + start[topic]],
                          'label': (quality[topic, document] > 1.5).astype(int)})
    return runs, qrels
