import ir_measures
import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import P, nDCG

from pyterrier_unjudged import Bootstrap, Condensed, leave_one_group_out, pool, rmse
from pyterrier_unjudged.runs import read_runs

DEMO = pt.get_dataset('unjudged:demo')
RUNS = {name: DEMO.get_results(name) for name in DEMO.systems}
QRELS = DEMO.get_qrels('complete')
GROUPS = {name: 'dense' if name in ('dense', 'hybrid') else name for name in RUNS}


def top(names, depth) -> pd.DataFrame:
    return pd.concat([RUNS[name].sort_values(['score', 'docno'], ascending=False).groupby('qid').head(depth)
                      for name in names])[['qid', 'docno']].drop_duplicates()


def scores(measure, run, qrels) -> dict[str, float]:
    judgments = pt.model.to_ir_measures(qrels)
    return {metric.query_id: metric.value for metric in ir_measures.iter_calc(
        [measure], judgments, pt.model.to_ir_measures(run))}


def of(study, name, measure, column='value') -> dict[str, float]:
    rows = study[(study['name'] == name) & (study['measure'] == repr(measure))]
    return dict(zip(rows['qid'], rows[column], strict=True))


def test_judgments_that_only_the_group_brought_are_gone():
    measures = [nDCG@10, Condensed(nDCG@10)]
    study = leave_one_group_out(RUNS, GROUPS, QRELS, measures, pool_depth=5)
    assert list(study.columns) == ['group', 'name', 'qid', 'measure', 'value', 'post', 'truth']
    assert len(study) == len(RUNS) * 2 * 15
    others = [name for name in RUNS if GROUPS[name] != 'dense']
    for measure in measures:
        assert of(study, 'dense', measure) == pytest.approx(
            scores(measure, RUNS['dense'], QRELS.merge(top(others, 5))))
        truth = scores(nDCG@10, RUNS['dense'], QRELS.merge(top(RUNS, 5)))
        assert of(study, 'dense', measure, 'truth') == pytest.approx(truth)
    assert of(study, 'dense', nDCG@10, 'post') == of(study, 'dense', nDCG@10, 'truth')


def test_subcorpora_filter_the_held_out_runs():
    study = leave_one_group_out(RUNS, GROUPS, QRELS, [P@5], 5, subcorpus=lambda runs: pool(runs, 8))
    pd.testing.assert_frame_equal(study, leave_one_group_out(RUNS, GROUPS, QRELS, [P@5], 5, subcorpus=8))
    others = {name: run for name, run in RUNS.items() if GROUPS[name] != 'dense'}
    filtered = pool(others, 8).filter()(RUNS['dense'])
    judged = QRELS.merge(top(others, 5))
    value = of(study, 'dense', P@5)
    for qid, expected in scores(P@5, filtered, judged).items():
        assert value[qid] == pytest.approx(expected)
    post = of(study, 'dense', P@5, 'post')
    for qid, expected in scores(P@5, filtered, QRELS.merge(top(RUNS, 5))).items():
        assert post[qid] == pytest.approx(expected)


def test_restricted_by_document_more_judgments_stay():
    """Only a finds x for topic 1, but b finds it for topic 2."""
    runs = {'a': pd.DataFrame({'qid': ['1', '2'], 'docno': ['x', 'y'], 'score': 1.0}),
            'b': pd.DataFrame({'qid': ['1', '2'], 'docno': ['z', 'x'], 'score': 1.0})}
    qrels = pd.DataFrame({'qid': ['1', '1', '2', '2'], 'docno': ['x', 'z', 'x', 'y'], 'label': 1})
    by_pair, by_document = (leave_one_group_out(runs, {'a': 'a', 'b': 'b'}, qrels, [P@1], restrict=restrict)
                            for restrict in ('pair', 'document'))
    assert of(by_pair, 'a', P@1) == {'1': 0, '2': 0}
    assert of(by_document, 'a', P@1) == {'1': 1, '2': 0}
    assert of(by_pair, 'a', P@1, 'truth') == {'1': 1, '2': 1}


def test_near_duplicates_are_left_out():
    duplicates = RUNS['dense']['docno'].unique()[:20]
    study = leave_one_group_out(RUNS, GROUPS, QRELS, [P@5], duplicates=duplicates)
    without = {name: run[~run['docno'].isin(duplicates)] for name, run in RUNS.items()}
    expected = leave_one_group_out(without, GROUPS, QRELS[~QRELS['docno'].isin(duplicates)], [P@5])
    pd.testing.assert_frame_equal(study, expected)
    assert not study['truth'].equals(leave_one_group_out(RUNS, GROUPS, QRELS, [P@5])['truth'])


def test_twins_in_other_groups_lose_nothing():
    runs = {**RUNS, 'twin': RUNS['dense']}
    study = leave_one_group_out(runs, {name: name for name in runs}, QRELS, [nDCG@10])
    assert of(study, 'dense', nDCG@10) == of(study, 'dense', nDCG@10, 'truth')


def test_order_and_threads_change_nothing():
    measures = [nDCG@10, Bootstrap(nDCG@10, b=50)]
    study = leave_one_group_out(RUNS, GROUPS, QRELS, measures)
    other = leave_one_group_out(dict(reversed(RUNS.items())), GROUPS, QRELS, measures[::-1], n_jobs=2)
    keys = ['name', 'measure', 'qid']
    study, other = (frame.sort_values(keys, ignore_index=True) for frame in (study, other))
    pd.testing.assert_frame_equal(study, other)


def test_the_worst_are_dropped():
    study = leave_one_group_out(RUNS, {name: name for name in RUNS}, QRELS, [nDCG@10], drop_worst=0.34)
    truth = leave_one_group_out(RUNS, {name: name for name in RUNS}, QRELS, [nDCG@10]).groupby('name')['truth'].mean()
    assert set(study['name']) == set(truth.nlargest(4).index)


@pytest.mark.parametrize(('arguments', 'message'), [
    ({'groups': {'bm25': 'x'}}, r'no group for run\(s\)'),
    ({'groups': dict.fromkeys(RUNS, 'x')}, 'two groups at least'),
    ({'restrict': 'topic'}, "'pair' or 'document', not 'topic'"), ({'pool_depth': 0}, 'at least 1'),
    ({'drop_worst': 1}, r'in \[0, 1\)'), ({'measures': []}, 'no measures')])
def test_bad_input_is_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        leave_one_group_out(**{'runs': RUNS, 'groups': GROUPS, 'qrels': QRELS, 'measures': [P@5], **arguments})


def test_robust03(real_data):
    """nDCG@10 by default underestimates what is held out; the run prior overestimates it more than the pool prior."""
    runs = read_runs(real_data / 'robust03' / 'runs')
    qrels = pt.io.read_qrels(str(real_data / 'robust03' / 'qrels.txt.gz'))
    estimates = {name: Bootstrap(nDCG@10, prior=name, b=200, stat='mean') for name in ('pool', 'run')}
    study = leave_one_group_out(runs, {name: name for name in runs}, qrels, [nDCG@10, *estimates.values()])
    error = {measure: rmse(rows['value'], rows['truth']) for measure, rows in study.groupby('measure')}
    assert error['nDCG@10'].actual == pytest.approx(0.063, abs=0.001)
    assert error['nDCG@10'].lower == 0
    assert error[repr(estimates['run'])].lower > error[repr(estimates['pool'])].lower > 0
