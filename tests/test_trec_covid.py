"""The figures of Bootstrapped nDCG, Table 7, on real runs and judgments."""

import numpy as np
import pyterrier as pt
import pytest
from ir_measures import P, nDCG

from pyterrier_unjudged import Assessment, Bootstrap, Condensed, Lower, Upper, bootstrap_scores

MEASURE = nDCG@10
AS_PUBLISHED = {'pool': 'collection', 'fallback': 'nonrelevant'}
MEASURES = {'default': MEASURE, 'condensed': Condensed(MEASURE), 'lower': Lower(MEASURE), 'upper': Upper(MEASURE),
            'mode': Bootstrap(MEASURE, **AS_PUBLISHED), 'q95': Bootstrap(MEASURE, stat=0.95, **AS_PUBLISHED),
            'judged': Assessment(P@10)}


@pytest.fixture(scope='module')
def trec_covid(real_data):
    folder = real_data / 'trec-covid'
    return ({name: pt.io.read_qrels(str(folder / f'qrels.{name}.txt.gz')) for name in ('incomplete', 'complete')},
            {name: pt.io.read_results(str(folder / f'run.{name}.txt.gz')) for name in ('ance', 'BBGhelani2')})


def experiment(run, qrels, topics):
    row = pt.Experiment([run], topics, qrels, list(MEASURES.values())).iloc[0]
    return {name: row[str(measure)] for name, measure in MEASURES.items()}


def test_ance(trec_covid):
    qrels, runs = trec_covid
    topics = qrels['incomplete'][['qid']].drop_duplicates()
    values = experiment(runs['ance'], qrels['incomplete'], topics)
    assert {name: round(values[name], 3) for name in ('default', 'condensed', 'lower', 'upper')} == {
        'default': .652, 'condensed': .772, 'lower': .652, 'upper': .853}
    assert values['mode'] == pytest.approx(.747, abs=.006)
    assert values['q95'] == pytest.approx(.804, abs=.004)
    assert 1 - values['judged'] == pytest.approx(.224)
    assert round(experiment(runs['ance'], qrels['complete'], topics)['default'], 3) == .735


def test_best_run_of_the_first_round_is_judged_completely(trec_covid):
    qrels, runs = trec_covid
    run = runs['BBGhelani2']
    values = experiment(run, qrels['incomplete'], run[['qid']].drop_duplicates())
    assert values.pop('judged') == pytest.approx(1)
    assert {round(value, 3) for value in values.values()} == {.679}


def test_exact_and_sampled_agree_for_every_topic(trec_covid):
    qrels, runs = trec_covid
    for prior in ('pool', 'run', 'pool+run'):
        sampled = bootstrap_scores(runs['ance'], qrels['incomplete'], MEASURE, prior=prior)
        exact = bootstrap_scores(runs['ance'], qrels['incomplete'], MEASURE, prior=prior, b=None)
        for scores, support, mass in zip(sampled['scores'], exact['scores'], exact['mass'], strict=True):
            mean = support @ mass
            assert mass.sum() == pytest.approx(1)
            error = np.sqrt(mass @ (support - mean) ** 2 / len(scores))
            assert abs(scores.mean() - mean) <= 3 * error + 1e-9
