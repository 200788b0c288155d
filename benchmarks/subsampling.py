"""Pooling against trectools, reading against PyTerrier, filtering and extraction against bare reading."""

import gzip
import json
import os
import resource
import tempfile
import time
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pyterrier as pt

from benchmarks.measuring import seconds
from pyterrier_unjudged import extract, judged_plus_random, pool, read_runs

DEPTH = 100


def main() -> None:
    robust03()
    generated()
    stream()
    extraction()


def robust03() -> None:
    folder = Path(os.environ.get('UNJUDGED_DATA', '')) / 'robust03' / 'runs'
    if not folder.exists():
        print('robust03: UNJUDGED_DATA names no folder with it')
        return
    files = sorted(folder.iterdir())
    against_trectools(files)
    runs = read_runs(folder)
    ours, theirs = seconds(lambda: pool(str(folder), DEPTH), lambda: _with_pandas(files), repeats=2)
    print(f'reading and pooling: {ours:.1f} s, pt.io.read_results and pandas {theirs / ours:.1f} times as long')
    for depth in (10, 25, 50, 100, 1000):
        described = pool(runs, depth).describe(pt.io.read_qrels(str(folder.parent / 'qrels.txt.gz')))
        print(f'depth {depth}: {described.to_dict()}')


def against_trectools(files: list[Path]) -> None:
    try:
        from trectools import TrecPool, TrecPoolMaker, TrecRun
    except ImportError:
        print('pooling is compared with trectools, which is not installed: pip install trectools')
        return
    loaded = [TrecRun(str(file)) for file in files]
    for run in loaded:  # trectools takes the order of the rows for the ranking
        run.run_data = run.run_data.sort_values(['query', 'score', 'docid'], ascending=[True, False, False])
    runs = {file.name: run.run_data.rename(columns={'query': 'qid', 'docid': 'docno'})
            for file, run in zip(files, loaded, strict=True)}

    def make_pool() -> TrecPool:
        return TrecPoolMaker().make_pool(loaded, 'topX', topX=DEPTH)

    calls = 10  # a turn of trectools is that much longer
    ours, theirs = seconds(lambda: [pool(runs, DEPTH) for _ in range(calls)], make_pool)
    ours /= calls
    expected = {(qid, docno) for qid, docnos in make_pool().pool.items() for docno in docnos}
    same = expected == set(pool(runs, DEPTH).topics.itertuples(index=False, name=None))
    print(f'robust03, 17 runs to depth {DEPTH}: {1000 * ours:.0f} ms, trectools {theirs / ours:.0f} times as long, '
          f'{"the same" if same else "OTHER"} documents for each topic')


def _with_pandas(files: list[Path]) -> set[str]:
    found: set[str] = set()
    for file in files:
        run = pt.io.read_results(str(file)).sort_values(['qid', 'score', 'docno'], ascending=[True, False, False])
        found.update(run.groupby('qid').head(DEPTH)['docno'])
    return found


def generated() -> None:
    random = np.random.default_rng(0)
    docnos = np.array([f'FT{number:07d}' for number in range(500_000)], dtype=object)
    for runs_number in (27, 55, 110):
        runs = {}
        for number in range(runs_number):
            retrieved = np.concatenate([random.choice(3000, 1000, replace=False) + 1500 * topic
                                        for topic in range(250)])
            runs[f'r{number}'] = pd.DataFrame({'qid': np.repeat([str(topic) for topic in range(250)], 1000),
                                               'docno': docnos[retrieved], 'score': random.random(250_000)})
        took = seconds(lambda runs=runs: pool(runs, DEPTH), repeats=3)[0]
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        print(f'generated, {runs_number} x 250 x 1000 rows in no order of score, depth {DEPTH}: {took:.2f} s, peak of '
              f'the process {peak:.1f} GB')


def stream() -> None:
    documents = [{'docno': f'd{number}', 'text': 'text'} for number in range(500_000)]
    qrels = pd.DataFrame({'qid': '1', 'docno': ['d0'], 'label': 1})
    subcorpus = judged_plus_random(qrels, (document['docno'] for document in documents), 50_000)
    through = subcorpus.filter()
    bare, filtered = seconds(lambda: sum(1 for _ in documents),
                             lambda: sum(1 for _ in through.transform_iter(documents)))
    print(f'stream filter: {1e6 * (filtered - bare) / len(documents):.2f} microseconds a document')


def _decompress(file: str) -> int:
    size = 0
    with gzip.open(file) as stream:
        while block := stream.read(1 << 20):
            size += len(block)
    return size


def extraction() -> None:
    random = np.random.default_rng(0)
    words = np.array([''.join(random.choice(list('abcdefghijklmnopqrstuvwxyz'), random.integers(2, 9)))
                      for _ in range(20_000)])
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for place in range(4):
            files.append(f'{folder}/{place}.jsonl.gz')
            with gzip.open(files[-1], 'wt', compresslevel=6) as output:
                for number in range(20_000):
                    text = ' '.join(words[random.zipf(1.3, 250) % len(words)])
                    output.write(json.dumps({'docno': f'd{place}-{number}', 'text': text}) + '\n')
        wanted = [f'd{place}-{number}' for place in range(4) for number in range(0, 20_000, 100)]
        for n_jobs in (1, 2):
            with joblib.Parallel(n_jobs=n_jobs) as parallel:
                parallel(joblib.delayed(time.sleep)(0) for _ in range(n_jobs))  # starts the processes
                bare, ours = seconds(lambda p=parallel: p(joblib.delayed(_decompress)(file) for file in files),
                                     lambda n=n_jobs: extract(wanted, files, tempfile.mkdtemp(dir=folder), n_jobs=n),
                                     repeats=3)
            size = sum(map(_decompress, files)) / 1e6
            print(f'extraction of jsonl.gz, {n_jobs} processes: {size / ours:.0f} MB/s, bare decompression '
                  f'{size / bare:.0f} MB/s: {ours / bare:.2f} times as long')
