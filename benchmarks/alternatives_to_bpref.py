"""Discriminative power against a loop over pairs, and each measure against its cheapest peer."""

import itertools

import numpy as np
import pandas as pd
from ir_measures import AP, RBP, Bpref, infAP, nDCG
from scipy import stats

from benchmarks.measuring import seconds
from pyterrier_unjudged import BPref, InfRBP, Q, RPref, discriminative_power, infNDCG, nDCG_JK, xinfAP
from pyterrier_unjudged.judged_run import JudgedRun, Judgments
from pyterrier_unjudged.provider import evaluate

SYSTEMS, TOPICS, B = 30, 50, 1000
LOOPED = 3  # pairs that the loop is timed with: all of them would take minutes
#: measure -> what an ir_measures user would compute otherwise
PEERS = {Q: AP, nDCG_JK: nDCG, BPref: Bpref, RPref: Bpref, xinfAP: infAP, infNDCG: nDCG, InfRBP(rel=1): RBP(rel=1)}


def main() -> None:
    power()
    measures()


def power() -> None:
    random = np.random.default_rng(0)
    values = random.random((SYSTEMS, TOPICS)) + 0.01 * np.arange(SYSTEMS)[:, None]
    scores = pd.DataFrame([(f's{system:02d}', f'{topic:02d}', 'AP', values[system, topic])
                           for system in range(SYSTEMS) for topic in range(TOPICS)],
                          columns=['name', 'qid', 'measure', 'value'])
    pairs = list(itertools.combinations(range(SYSTEMS), 2))

    def loop() -> None:
        random = np.random.default_rng(0)
        for i, j in pairs[:LOOPED]:
            difference = values[i] - values[j]
            shifted = difference - difference.mean()
            observed = abs(stats.ttest_1samp(difference, 0).statistic)
            student = [abs(stats.ttest_1samp(random.choice(shifted, TOPICS), 0).statistic) for _ in range(B)]
            np.mean(np.array(student) >= observed)

    looped, bootstrap, tukey = seconds(loop, lambda: discriminative_power(scores, b=B),
                                       lambda: discriminative_power(scores, b=B, method='tukey'), repeats=3)
    looped *= len(pairs) / LOOPED
    print(f'discriminative power, {len(pairs)} pairs, {TOPICS} topics, b={B}: {bootstrap:.2f} s; a loop with scipy '
          f'over pairs and samples takes {looped / bootstrap:.0f} times as long (timed with {LOOPED} pairs); '
          f'randomised Tukey HSD {tukey:.2f} s')


def measures() -> None:
    random = np.random.default_rng(1)
    pairs = pd.DataFrame([(str(topic), f'd{document}') for topic in range(TOPICS)
                          for document in random.permutation(5000)[:2000]], columns=['query_id', 'doc_id'])
    run = pairs.groupby('query_id').head(1000).assign(score=random.random(1000 * TOPICS))
    qrels = pairs.groupby('query_id').tail(1500).assign(relevance=random.integers(3, size=1500 * TOPICS))
    encoded = JudgedRun.encode(run, Judgments.encode(qrels))
    for measure, peer in PEERS.items():
        ours, whole, theirs = seconds(lambda m=measure: evaluate([m], encoded),
                                      lambda m=measure: m.calc_aggregate(qrels, run),
                                      lambda m=peer: m.calc_aggregate(qrels, run), repeats=3)
        print(f'{measure!r}, {TOPICS} topics x 1000: {1000 * ours:.1f} ms once run and qrels are encoded; with '
              f'encoding {whole / theirs:.2f} times {peer!r} of ir_measures')
