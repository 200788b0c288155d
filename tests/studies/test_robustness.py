import ir_measures
import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import AP, Bpref, P
from scipy.stats import kendalltau

from pyterrier_unjudged import BPref, Condensed, Q, nDCG_JK, reduce_judgments, robustness
from pyterrier_unjudged.runs import read_runs


@pytest.fixture(scope='module')
def demo():
    demo = pt.get_dataset('unjudged:demo')
    return {name: demo.get_results(name) for name in demo.systems}, demo.get_qrels('complete')


def test_scores_are_those_of_reduced_qrels(demo):
    runs, qrels = demo
    measures = [AP, Condensed(Q), BPref, Bpref]
    study = robustness(runs, qrels, measures, rates=[0.3], seeds=[4]).query('rate == 0.3').set_index('measure')
    reduced = reduce_judgments(qrels, 0.3, seed=4)
    for measure in measures:
        means, complete = (pt.Experiment(list(runs.values()), qrels[['qid']].drop_duplicates(), judgments, [measure])
                           [repr(measure)].tolist() for judgments in (reduced, qrels))
        assert study.loc[repr(measure), 'value'] == pytest.approx(sum(means) / len(means))
        assert study.loc[repr(measure), 'tau'] == pytest.approx(kendalltau(means, complete).statistic)


def test_all_judgments_change_nothing(demo):
    study = robustness(*demo, [AP, P@5], rates=[1, 0.5], seeds=[0, 1])
    assert (study.query('rate == 1')['tau'] == 1).all()
    assert study.groupby(['rate', 'seed', 'measure']).size().tolist() == [1] * 8


def test_a_ranking_needs_two_runs(demo):
    runs, qrels = demo
    with pytest.raises(ValueError, match="two runs at least, not .'bm25'."):
        robustness({'bm25': runs['bm25']}, qrels, [AP])


def test_condensed_lists_keep_the_ranking_of_robust03(real_data):
    """Sakai 2007, Figure 2 and Section 6: with few judgments, condensed lists do better than bpref, AP does worst."""
    qrels = pd.DataFrame(ir_measures.read_trec_qrels(str(real_data / 'robust03' / 'qrels.txt.gz')))
    runs = read_runs(real_data / 'robust03' / 'runs')
    condensed = [Condensed(AP), Condensed(Q), Condensed(nDCG_JK@1000)]
    study = robustness(runs, qrels, [AP, BPref, *condensed], rates=[0.1], seeds=range(4)).query('rate < 1')
    tau = study.groupby('measure')['tau'].mean()
    for measure in condensed:
        assert tau[repr(measure)] > tau['BPref'] > tau['AP']
