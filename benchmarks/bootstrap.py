"""All treatments of nDCG@10 against the plain measure, the exact distribution against samples, and growth.

On TREC-COVID (run ANCE, original judgments) where UNJUDGED_DATA names the folder with it, else on a generated
collection of its size.
"""

import os
from functools import partial
from pathlib import Path

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
from ir_measures import nDCG

from benchmarks.measuring import peak_megabytes, seconds
from pyterrier_unjudged import Bootstrap, Condensed, JudgedRun, Judgments, Lower, Upper

MEASURE = nDCG@10
STATS = ('mode', 'mean', 0.75, 0.9, 0.95)
PRIORS = ('pool', 'run', 'pool+run')
BOUNDS = [Lower(MEASURE), Condensed(MEASURE), Upper(MEASURE)]


def battery(b: int | None) -> list[ir_measures.Measure]:
    return BOUNDS + [Bootstrap(MEASURE, prior=prior, stat=stat, b=b) for prior in PRIORS for stat in STATS]


def main() -> None:
    qrels, run = (pt.model.to_ir_measures(frame) for frame in collection())
    print(f'{run["query_id"].nunique()} topics, {len(run)} results, {len(qrels)} judgments')

    def calc(measures, qrels=qrels, run=run):
        return lambda: ir_measures.calc_aggregate(measures, qrels, run)

    plain, sampled, exact = seconds(calc([MEASURE]), calc(battery(1000)), calc(battery(None)))
    print(f'(a) {len(battery(1000))} treatments, b=1000 / plain nDCG@10:  {sampled / plain:5.2f}  '
          f'({sampled * 1000:.0f} ms / {plain * 1000:.0f} ms)')
    print(f'(b) exact / b=1000, the same treatments:    {exact / sampled:5.2f}  '
          f'({exact * 1000:.0f} ms / {sampled * 1000:.0f} ms)')
    encoded = JudgedRun.encode(run, Judgments.encode(qrels))
    sampled, exact = seconds(*(partial(Bootstrap(MEASURE, b=b, stat='mean').evaluate, encoded) for b in (1000, None)),
                             repeats=50)
    print(f'    exact / b=1000, one, without reading:   {exact / sampled:5.2f}  '
          f'({exact * 1000:.1f} ms / {sampled * 1000:.1f} ms)')

    copies = {times: (repeated(qrels, times), repeated(run, times)) for times in (1, 4, 16)}
    times = seconds(*(calc(battery(1000), *frames) for frames in copies.values()), repeats=3)
    print('(c) growth with topics, x1, x4, x16:        ' + ', '.join(f'{time / times[0]:5.2f}' for time in times))
    samples = (1000, 4000, 16000)
    times = seconds(*(calc(battery(b)) for b in samples), repeats=3)
    print('    growth with b, 1000, 4000, 16000:       ' + ', '.join(f'{time / times[0]:5.2f}' for time in times))
    peaks = [peak_megabytes(calc(battery(b))) for b in (10, *samples)]
    print('    peak MB at b=10, 1000, 4000, 16000:     ' + ', '.join(f'{peak:5.1f}' for peak in peaks))


def collection() -> tuple[pd.DataFrame, pd.DataFrame]:
    folder = os.environ.get('UNJUDGED_DATA')
    if folder:
        return (pt.io.read_qrels(str(Path(folder) / 'trec-covid/qrels.incomplete.txt.gz')),
                pt.io.read_results(str(Path(folder) / 'trec-covid/run.ance.txt.gz')))
    generator = np.random.default_rng(0)
    qrels, run = [], []
    for qid in map(str, range(1, 51)):
        judged = generator.choice(170_000, 1300, replace=False)
        grades = generator.choice(3, len(judged), p=[0.63, 0.16, 0.21])
        unjudged = generator.choice(np.arange(170_000, 180_000), 600, replace=False)
        retrieved = np.concatenate([generator.choice(judged, 400, replace=False), unjudged])
        generator.shuffle(retrieved)
        qrels.append(pd.DataFrame({'qid': qid, 'docno': [f'doc{number}' for number in judged], 'label': grades}))
        run.append(pd.DataFrame({'qid': qid, 'docno': [f'doc{number}' for number in retrieved],
                                 'score': -np.arange(len(retrieved), dtype=float)}))
    return pd.concat(qrels, ignore_index=True), pd.concat(run, ignore_index=True)


def repeated(frame: pd.DataFrame, times: int) -> pd.DataFrame:
    """Returns the frame with its topics several times, under other ids."""
    return pd.concat([frame.assign(query_id=frame['query_id'] + f'-{copy}') for copy in range(times)],
                     ignore_index=True)
