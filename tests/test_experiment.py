"""Treatments inside pt.Experiment, with the options that people use."""

import subprocess
import sys

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import AP, RBP, P, R, nDCG

from pyterrier_unjudged import Assessment, Bootstrap, Condensed, Lower, Residual, Upper
from pyterrier_unjudged.provider import provider

MEASURES = [nDCG@5, AP, Condensed(nDCG@5), Condensed(AP), Lower(P@5), Upper(nDCG@5), Upper(RBP, bound='rbp'),
            Upper(R@5, bound='guaranteed'), Residual(RBP(rel=1)), Assessment(P@5), Assessment(AP), RBP@5,
            Bootstrap(nDCG@5), Bootstrap(nDCG@5, stat=0.95, pool='collection'), Bootstrap(P@5, b=None, stat='mean')]


def collection():
    generator = np.random.default_rng(4)
    topics = pd.DataFrame({'qid': [str(number) for number in range(9)], 'query': 'words'})
    qrels = pd.DataFrame([[qid, f'd{number}', int(generator.integers(0, 2 + (qid == '7')))]
                          for qid in topics['qid'] for number in generator.permutation(40)[:12]],
                         columns=['qid', 'docno', 'label'])

    def results(seed):
        chance = np.random.default_rng(seed)
        frame = pd.DataFrame([[qid, f'd{number}', float(chance.random())] for qid in topics['qid']
                              for number in chance.permutation(40)[:8]], columns=['qid', 'docno', 'score'])
        return pt.model.add_ranks(frame)
    return topics, qrels, [results(1), results(2)]


TOPICS, QRELS, RESULTS = collection()


def experiment(systems=None, topics=TOPICS, **options) -> pd.DataFrame:
    systems = [pt.Transformer.from_df(results) for results in RESULTS] if systems is None else systems
    return pt.Experiment(systems, topics, QRELS, MEASURES, names=['one', 'two'], **options)


def per_query(**options) -> pd.DataFrame:
    values = experiment(perquery=True, **options).sort_values(['name', 'qid', 'measure'])
    return values.reset_index(drop=True)


def test_columns_are_named_as_measures_are_written():
    table = experiment()
    assert set(table.columns) == {'name', *map(str, MEASURES)}
    assert table.drop(columns='name').notna().all(axis=None)


@pytest.mark.parametrize('options', [{'batch_size': 1}, {'batch_size': 4}, {'plan': 'tree', 'verbose': False},
                                     {'plan': 'tree', 'verbose': False, 'batch_size': 2}, {'topics': TOPICS[::-1]}],
                         ids=repr)
def test_values_do_not_depend_on_execution(options):
    """Neither do those that are defined over the collection: topic 7 alone has its highest grade."""
    pd.testing.assert_frame_equal(per_query(**options), per_query(), check_exact=True)


def test_data_frames_are_systems_too():
    pd.testing.assert_frame_equal(per_query(systems=RESULTS), per_query())


def test_means_are_over_judged_topics():
    means = per_query().groupby(['name', 'measure'])['value'].mean()
    table = experiment().set_index('name')
    for (name, measure), mean in means.items():
        assert table.loc[name, measure] == pytest.approx(mean)


def test_significance_rounding_and_saving(tmp_path):
    options = {'baseline': 0, 'correction': 'bonferroni', 'round': 3, 'save_dir': str(tmp_path)}
    table = experiment(**options)
    assert 'Condensed(nDCG@5) p-value corrected' in table.columns
    assert table['Bootstrap(nDCG@5)'].tolist() == table['Bootstrap(nDCG@5)'].round(3).tolist()
    pd.testing.assert_frame_equal(experiment(**options, save_mode='reuse'), table)


def test_topics_that_one_side_lacks():
    topics = pd.concat([TOPICS, pd.DataFrame({'qid': ['not judged'], 'query': ['words']})])
    with pytest.warns(UserWarning, match='1 topic'):
        values = pt.Experiment([RESULTS[0][RESULTS[0].qid != '3']], topics, QRELS, MEASURES, names=['one'],
                               perquery=True)
    assert (values[values.qid == '3'].value == 0).all()
    assert values[values.qid == 'not judged'].value.isna().all()


def test_missing_columns_of_a_predicted_prior_are_reported_before_retrieval():
    with pytest.raises(ValueError, match='p_0'):
        pt.Experiment([RESULTS[0]], TOPICS, QRELS, [Bootstrap(nDCG@5, prior='predicted')], validate='error')


def test_predicted_prior_in_a_pipeline():
    predicted = pt.Transformer.from_df(RESULTS[0]) >> pt.apply.p_0(lambda row: 1.0) >> pt.apply.p_1(lambda row: 0.0)
    table = pt.Experiment([predicted], TOPICS, QRELS, [nDCG@5, Bootstrap(nDCG@5, prior='predicted')])
    assert table.loc[0, "Bootstrap(nDCG@5,prior='predicted')"] == pytest.approx(table.loc[0, 'nDCG@5'])


def test_unsupported_measures_are_refused_by_name():
    with pytest.raises(ValueError, match='does not support infAP.*nDCG, P, R, AP, RR, Rprec, Success, RBP, SDCG, ERR'):
        Bootstrap(ir_measures.infAP)


def test_the_provider_is_found_by_ir_measures():
    assert ir_measures.providers.registry['unjudged'] is provider
    assert ir_measures.DefaultPipeline.providers[-1] is provider
    qrels, run = {'q': {'a': 1}}, {'q': {'a': 1.0}}
    assert ir_measures.calc_aggregate([RBP(p=0.5), Condensed(P@1)], qrels, run) == {RBP(p=0.5): 0.5, Condensed(P@1): 1}


def test_importing_starts_no_java_and_no_plots():
    script = ('import pyterrier_unjudged, sys, pyterrier; assert not pyterrier.java.started(); '
              'assert not {"matplotlib", "jnius", "torch", "pyterrier_pisa"} & set(sys.modules), sys.modules.keys()')
    subprocess.run([sys.executable, '-c', script], check=True)
