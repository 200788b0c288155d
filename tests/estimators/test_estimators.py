"""RankGain and TwoStageGain as transformers, with Expected."""

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import AP, RBP, SDCG, P, nDCG

from pyterrier_unjudged import Expected, RankGain, TwoStageGain
from pyterrier_unjudged.estimators.models import MODELS

RBP95 = RBP(p=0.95, rel=1)
DEMO = pt.get_dataset('unjudged:demo')
RUNS = {name: DEMO.get_results(name) for name in ('bm25', 'dph', 'pl2', 'qld')}
QRELS = DEMO.get_qrels('incomplete')
DENSE = DEMO.get_results('dense')
ESTIMATORS = [*(lambda model=model: RankGain(model) for model in MODELS),
              *(lambda loss=loss: TwoStageGain(loss, theta=0) for loss in 'ab')]


@pytest.mark.parametrize('make', ESTIMATORS)
def test_every_document_gets_a_gain_and_judged_ones_theirs(make):
    for results in (DENSE, RUNS['bm25']):
        with_gain = make().fit(RUNS, QRELS)(results)
        assert with_gain['docno'].tolist() == results['docno'].tolist()
        assert with_gain['gain'].between(0, 1).all()
        judged = with_gain.merge(QRELS, on=['qid', 'docno'])
        assert (judged['gain'] == (judged['label'] >= 1)).all()
        assert (with_gain['gain'] > 0).any()


@pytest.mark.parametrize('make', ESTIMATORS)
def test_order_of_runs_rows_and_topics_changes_nothing(make):
    gains = make().fit(RUNS, QRELS)(DENSE).set_index(['qid', 'docno'])['gain']
    other = make().fit(dict(reversed(RUNS.items())), QRELS.sample(frac=1, random_state=1))
    shuffled = other(DENSE.sample(frac=1, random_state=2)).set_index(['qid', 'docno'])['gain']
    assert shuffled.loc[gains.index].to_numpy() == pytest.approx(gains.to_numpy(), abs=1e-4)
    one = QRELS['qid'].unique()[3]
    alone = make().fit({name: run[run['qid'] == one] for name, run in RUNS.items()}, QRELS[QRELS['qid'] == one])
    assert alone(DENSE[DENSE['qid'] == one])['gain'].to_numpy() == pytest.approx(
        gains.loc[[one]].to_numpy(), abs=1e-4)


def test_rank_gain_is_the_curve_at_the_rank():
    run = pd.DataFrame({'qid': 'q', 'docno': list('abcdef'), 'score': [6.0, 5, 4, 3, 2, 1]})
    qrels = pd.DataFrame({'qid': 'q', 'docno': list('abc'), 'label': [2, 1, 0]})
    gains = RankGain('linear').fit({'run': run}, qrels)(run)['gain']
    assert gains.tolist() == pytest.approx([1, 1, 0, 0, 0, 0])  # 4/3 - 1/2, at rank 4 below 0
    slope, mean = (0 - 1) / 2, 2 / 3
    new = RankGain('linear').fit({'run': run}, qrels)(run.assign(docno=list('uvwxyz')))['gain']
    assert new.tolist() == pytest.approx(np.clip([mean + slope * (rank - 2) for rank in range(1, 7)], 0, 1))


def test_two_stage_by_hand():
    """One run ranks the judged documents as they are, the other doesn't: the first gets all the weight."""
    good = pd.DataFrame({'qid': 'q', 'docno': list('abcdef'), 'score': [6.0, 5, 4, 3, 2, 1]})
    bad = good.assign(docno=list('dcbafe'))
    qrels = pd.DataFrame({'qid': 'q', 'docno': list('abcd'), 'label': [1, 1, 0, 0]})
    for loss in 'ab':
        estimator = TwoStageGain(loss, models=['linear'], theta=0).fit({'good': good, 'bad': bad}, qrels)
        system_weights = estimator.system_weights[0][0]
        assert system_weights.sum() == pytest.approx(1)
        assert (estimator.model_weights == 1).all()
        curve = RankGain('linear').fit({'good': good, 'bad': bad}, qrels)._curve(np.arange(1.0, 7))[0]
        gains = estimator(good)['gain'].to_numpy()
        assert gains[4] == pytest.approx(system_weights @ [curve[4], curve[5]], abs=1e-6)
        assert gains[5] == pytest.approx(system_weights @ [curve[5], curve[4]], abs=1e-6)
        assert estimator(good.assign(docno=list('uvwxyz')))['gain'].to_numpy() == pytest.approx(curve[5], abs=1e-6)


def test_theta_decides_which_topics_are_adjusted():
    runs = {**RUNS, 'dense': DENSE, 'hybrid': DEMO.get_results('hybrid')}
    everything, nothing = (TwoStageGain(theta=theta).fit(runs, QRELS) for theta in (0, 1e9))
    assert everything.adjusted.all()
    assert not nothing.adjusted[np.isfinite(nothing.variation)].any()
    some = RankGain(theta=float(everything.variation.max())).fit(runs, QRELS)
    assert 0 < some.adjusted.sum() < len(some.adjusted)
    unadjusted = some(DENSE)[~DENSE['qid'].map(some.adjusted).to_numpy()]
    judged = unadjusted.merge(QRELS, on=['qid', 'docno'])
    assert unadjusted['gain'].sum() == judged['gain'].sum()


def test_expected_in_an_experiment():
    estimator = TwoStageGain(theta=0).fit(RUNS, QRELS)
    dense = pt.Transformer.from_df(DENSE)
    measures = [RBP95, Expected(RBP95), Expected(P@10), Expected(nDCG@10), Expected(SDCG(max_rel=2)@10)]
    table = pt.Experiment([dense >> estimator], DEMO.get_topics(), QRELS, measures)
    assert (table[repr(Expected(RBP95))] > table[repr(RBP95)]).all()


def test_an_experiment_names_the_column_that_a_pipeline_lacks():
    with pytest.raises(Exception, match='gain'):
        pt.Experiment([pt.Transformer.from_df(DENSE)], DEMO.get_topics(), QRELS, [Expected(P@10)], validate='error')


def test_topics_without_enough_judgments_fall_back_and_say_so():
    run = pd.DataFrame({'qid': ['q', 'q', 'r', 'r', 's', 's', 's'], 'docno': list('abxyklm'), 'score': 1.0})
    run['score'] = -np.arange(7.0)
    qrels = pd.DataFrame({'qid': ['q', 'r', 's', 's', 's'], 'docno': list('aoklm'), 'label': [1, 0, 1, 0, 0]})
    with pytest.warns(UserWarning, match=r'too few judged ranks to fit 2 topic\(s\)'):
        estimator = RankGain('weibull').fit({'run': run}, qrels)
    assert estimator.fallbacks.to_numpy().tolist() == [['q', 'weibull', 'mean gain of the judged ranks'],
                                                       ['r', 'weibull', 'mean gain of the collection']]
    gains = estimator(run.assign(docno=list('tuvwxyz'))).set_index('qid')['gain']
    assert gains['q'].tolist() == [1, 1]
    assert gains['r'].tolist() == pytest.approx([2 / 5, 2 / 5])


def test_topics_that_it_was_not_fitted_for():
    estimator = RankGain().fit(RUNS, QRELS)
    results = pd.concat([DENSE, DENSE[:2].assign(qid='new')])
    assert estimator(results)['gain'].isna().sum() == 2
    with pytest.raises(ValueError, match="gain nan for document 'd1' of topic 'q'.*fit the estimator on all topics"):
        Expected(P@1).calc_aggregate(pd.DataFrame({'query_id': ['q'], 'doc_id': ['d2'], 'relevance': [1]}),
                                     pd.DataFrame({'query_id': ['q'], 'doc_id': ['d1'], 'score': [1.0],
                                                   'gain': [np.nan]}))


def test_pyterrier_understands_them():
    estimator = RankGain().fit(RUNS, QRELS)
    assert 'gain' in pt.inspect.transformer_outputs(estimator, ['qid', 'docno', 'score', 'rank'])
    assert len(estimator(DENSE[:0])) == 0
    with pytest.raises(pt.validate.InputValidationError):
        estimator(DENSE.drop(columns='score'))


@pytest.mark.parametrize(('call', 'message'), [
    (lambda: RankGain('cubic'), "no model 'cubic', only .'linear', 'zipf', 'weibull'."),
    (lambda: TwoStageGain('c'), "no loss 'c'"),
    (lambda: TwoStageGain(models=[]), 'one at least is needed'),
    (lambda: TwoStageGain(models=['cubic']), r"no models \['cubic'\]"),
    (lambda: RankGain(measure=AP), 'linear in gains.*not AP'),
    (lambda: RankGain(theta=-1), 'theta must be 0 or more'),
    (lambda: RankGain(depth=0), 'depth and pool_depth must be at least 1'),
    (lambda: RankGain()(DENSE), r'RankGain is not fitted. Call .fit\(runs, qrels\)'),
    (lambda: RankGain().fit({}, QRELS), 'There are no runs'),
    (lambda: RankGain().fit(RUNS, QRELS.drop(columns='label')), r"lacks the column\(s\) \['label'\]"),
    (lambda: Expected(AP), 'Expected does not support AP: it is not linear in gains.*nDCG, nDCG_JK, P, R, RBP, SDCG'),
])
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
