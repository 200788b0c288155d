import sys
import types

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import P, nDCG

from pyterrier_unjudged import (
    Condensed,
    judged,
    leave_one_group_out,
    pool,
    rank_correlation,
    retrieval_footprint,
    reusability_report,
    rmse,
)

DEMO = pt.get_dataset('unjudged:demo')
RUNS = {name: DEMO.get_results(name) for name in DEMO.systems}
QRELS = DEMO.get_qrels('complete')
GROUPS = {name: 'dense' if name in ('dense', 'hybrid') else name for name in RUNS}


@pytest.fixture(scope='module')
def report():
    return reusability_report(RUNS, GROUPS, QRELS, b=50, subcorpora={
        'pool 15': lambda runs: pool(runs, 15), 'whole': None})


def test_tables_are_those_of_the_study(report):
    study = leave_one_group_out(RUNS, GROUPS, QRELS, [nDCG@10, Condensed(nDCG@10)])
    condensed = study[study['measure'] == repr(Condensed(nDCG@10))]
    assert report.prediction.loc['condensed', 'actual'] == pytest.approx(
        rmse(condensed['value'], condensed['truth']).actual)
    means = condensed.groupby('name')[['value', 'truth']].mean()
    tau = rank_correlation(means['truth'], means['value']).statistic
    assert report.correlation.loc['condensed', 'tau'] == pytest.approx(tau)
    newcomers = rank_correlation(means['truth'], means['value'], 'tau_ap').statistic
    assert report.newcomers.loc['whole', 'condensed'] == pytest.approx(newcomers)
    assert report.subsampling.loc['whole', 'rmse'] == pytest.approx(report.prediction.loc['default', 'actual'])
    assert report.subsampling.loc['whole', 'rmse with post-judgments'] == 0
    assert report.participants.loc['whole', 'post-judgments'] == 1


def test_shares_of_labels_add_up(report):
    assert report.incompleteness.sum(axis=1)['judged'] == pytest.approx(1)
    # of five groups only the dense one brings anything that others don't
    assert report.incompleteness.sum(axis=1)['unjudged'] == pytest.approx(
        len({GROUPS[name] for name in RUNS if set(own_pairs(name)) - set(other_pairs(name))}) / 5)


def own_pairs(name):
    top = [RUNS[run].sort_values(['score', 'docno'], ascending=False).groupby('qid').head(10)
           for run in RUNS if GROUPS[run] == GROUPS[name]]
    return pd.concat(top)[['qid', 'docno']].itertuples(index=False, name=None)


def other_pairs(name):
    top = [RUNS[run].sort_values(['score', 'docno'], ascending=False).groupby('qid').head(10)
           for run in RUNS if GROUPS[run] != GROUPS[name]]
    return pd.concat(top)[['qid', 'docno']].itertuples(index=False, name=None)


def test_ranges_are_more_precise_than_points(report):
    table = report.reconstruction
    assert table.loc[('range', 'upper'), 'precision'] >= table.loc[('point', 'default'), 'precision']
    assert (table.loc['range', 'recall'] <= table.loc[('point', 'default'), 'recall'] + 1e-9).all()


def test_nothing_held_out_changes_nothing():
    """Twins of all runs in other groups bring all that is taken away."""
    runs = {**RUNS, **{f'{name} twin': run for name, run in RUNS.items()}}
    report = reusability_report(runs, {name: name for name in runs}, QRELS, b=20, subcorpora={'whole': None})
    assert (report.prediction.drop(index='upper')['actual'] < 1e-9).all()
    assert (report.newcomers > 1 - 1e-9).all(axis=None)


def test_latex(report):
    text = report.to_latex('prediction')
    assert r'\begin{tabular}{lrrr}' in text
    assert r'default & ' in text
    assert text.count(r'\\') == 1 + len(report.prediction)
    assert report.to_latex().count('tabular') == 2 * len(report.tables)
    assert r'to bootstrap 0.95' in report.to_latex('reconstruction')
    assert 'prediction' in repr(report)
    with pytest.raises(ValueError, match="no table 'speed'"):
        report.to_latex('speed')


def test_judgments_beyond_the_pool_may_stay():
    """Only a brings x and y into the top 1; y stands lower in b, and z was judged beyond all tops."""
    runs = {'a': pd.DataFrame({'qid': '1', 'docno': list('xyz'), 'score': [3.0, 2.0, 1.0]}),
            'b': pd.DataFrame({'qid': '1', 'docno': list('wyx'), 'score': [3.0, 2.0, 1.0]})}
    qrels = pd.DataFrame({'qid': '1', 'docno': list('wxyz'), 'label': 1})
    kept, gone = (leave_one_group_out(runs, {'a': 'a', 'b': 'b'}, qrels, [P@3], pool_depth=1, cut=cut)
                  .set_index('name') for cut in (False, True))
    assert kept.loc['a', ['value', 'truth']].tolist() == pytest.approx([2 / 3, 1])  # x is gone; y and z stay
    assert gone.loc['a', ['value', 'truth']].tolist() == pytest.approx([0, 1 / 3])  # of x, y and z only x is in a top


class Tracker:
    """Stands in for codecarbon's, with energy that is known."""

    def __init__(self, **settings):
        self.final_emissions_data = types.SimpleNamespace(energy_consumed=0.5)

    def start(self):
        pass

    def stop(self):
        return 0.25


def overlap(documents):
    """Indexes documents: the pipeline scores them by the words that they share with the query."""
    texts = {document['docno']: set(document['text'].lower().split()) for document in documents}

    def retrieve(topics):
        rows = [(row.qid, row.query, docno, float(len(words & set(row.query.lower().split()))))
                for row in topics.itertuples() for docno, words in texts.items()]
        return pt.model.add_ranks(pd.DataFrame(rows, columns=['qid', 'query', 'docno', 'score']))
    return pt.apply.generic(retrieve)


def test_footprint(monkeypatch):
    monkeypatch.setitem(sys.modules, 'codecarbon', types.SimpleNamespace(OfflineEmissionsTracker=Tracker))
    subcorpus = judged(DEMO.get_qrels('incomplete')).dataset(DEMO)
    corpora = {'whole': lambda: DEMO.get_corpus_iter(verbose=False),
               'judged': lambda: subcorpus.get_corpus_iter(verbose=False)}
    table = retrieval_footprint({'overlap': overlap}, corpora, DEMO.get_topics(), depth=100)
    assert table[['name', 'corpus']].to_numpy().tolist() == [['overlap', 'whole'], ['overlap', 'judged']]
    assert table['index_kwh'].tolist() == [0.5, 0.5]
    assert table['retrieve_kg_co2'].tolist() == [0.25, 0.25]
    assert table['rbo'][0] == pytest.approx(1)
    assert 0 < table['rbo'][1] < 1
    assert (table['index_seconds'] > 0).all()


def test_footprint_by_hand(monkeypatch):
    monkeypatch.setitem(sys.modules, 'codecarbon', types.SimpleNamespace(OfflineEmissionsTracker=Tracker))
    topics = pd.DataFrame({'qid': ['1'], 'query': ['x']})

    def ranked(documents):
        docnos = list(documents)
        scores = -np.arange(float(len(docnos)))
        return pt.Transformer.from_df(pd.DataFrame({'qid': '1', 'docno': docnos, 'score': scores}))
    table = retrieval_footprint({'fixed': ranked}, {'whole': lambda: 'abc', 'part': lambda: 'acd'}, topics, depth=3)
    assert table['rbo'][1] == pytest.approx((1 + 1 / 2 + 2 / 3) / 3)


def test_footprint_needs_codecarbon(monkeypatch):
    monkeypatch.setitem(sys.modules, 'codecarbon', None)
    with pytest.raises(ImportError, match=r'pip install pyterrier-unjudged\[energy\]'):
        retrieval_footprint({'overlap': overlap}, {'whole': list}, DEMO.get_topics())
