import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import RBP, SDCG, P, nDCG

from pyterrier_unjudged import Interpolated, Residual, accuracy, shallow_pools, two_strata
from pyterrier_unjudged.provider import provider
from pyterrier_unjudged.runs import read_runs

DEMO = pt.get_dataset('unjudged:demo')
RUNS = {name: DEMO.get_results(name) for name in DEMO.systems}
QRELS = DEMO.get_qrels('complete')
RBP80 = RBP(p=0.8, rel=1)


def score(measure, run, qrels) -> dict[str, float]:
    run, qrels = pt.model.to_ir_measures(run), pt.model.to_ir_measures(qrels)
    return {metric.query_id: metric.value for metric in provider.iter_calc([measure], qrels, run)}


def shallow_qrels(runs, depth) -> pd.DataFrame:
    top = pd.concat([run.sort_values(['score', 'docno'], ascending=False).groupby('qid').head(depth)
                     for run in runs.values()])[['qid', 'docno']].drop_duplicates()
    return QRELS.merge(top, on=['qid', 'docno'])


def values(study, method, name, depth) -> dict[str, float]:
    rows = study[(study['method'] == method) & (study['name'] == name) & (study['depth'] == depth)]
    return dict(zip(rows['qid'], rows['value'], strict=True))


def test_pools_and_reference():
    study = shallow_pools(RUNS, QRELS, RBP80, [2, 5], reference_depth=20, methods=['LB', 'RM'])
    assert list(study.columns) == ['depth', 'method', 'name', 'qid', 'value', 'reference', 'residual', 'measure',
                                   'seed']
    assert len(study) == 2 * 2 * len(RUNS) * 15
    for depth in (2, 5):
        few = shallow_qrels(RUNS, depth)
        for name, run in RUNS.items():
            run = run.sort_values(['score', 'docno'], ascending=False).groupby('qid').head(20)
            assert values(study, 'LB', name, depth) == pytest.approx(score(RBP80, run, few))
            assert values(study, 'RM', name, depth) == pytest.approx(score(Interpolated(RBP80), run, few))
    run = RUNS['bm25'].sort_values(['score', 'docno'], ascending=False).groupby('qid').head(20)
    rows = study[study['name'] == 'bm25'].drop_duplicates('qid').set_index('qid')
    assert rows['reference'].to_dict() == pytest.approx(score(RBP80, run, QRELS))
    assert rows['residual'].to_dict() == pytest.approx(score(Residual(RBP80), run, QRELS))


def test_every_topic_has_an_estimate_by_every_method():
    study = shallow_pools(RUNS, QRELS, [RBP80, P@10, SDCG(max_rel=2)@10], [3])
    assert study['value'].between(0, 1 + 1e-9).all()
    assert set(study['method']) == {'LB', 'RM', 'linear', 'zipf', 'weibull', 'L_a', 'L_b'}
    assert (study.groupby(['measure', 'method']).size() == len(RUNS) * 15).all()


def test_pools_as_deep_as_the_runs_leave_nothing_open():
    study = shallow_pools(RUNS, QRELS, P@5, [5], reference_depth=5)
    assert (accuracy(study)['rmse'] == 0).all()


def test_held_out_groups_bring_nothing():
    groups = {name: 'dense' if name in ('dense', 'hybrid') else name for name in RUNS}
    study = shallow_pools(RUNS, QRELS, RBP80, [3], methods=['LB', 'L_b'], groups=groups)
    others = {name: run for name, run in RUNS.items() if groups[name] != 'dense'}
    run = RUNS['dense'].sort_values(['score', 'docno'], ascending=False).groupby('qid').head(100)
    assert values(study, 'LB', 'dense', 3) == pytest.approx(score(RBP80, run, shallow_qrels(others, 3)))
    together = shallow_pools(RUNS, QRELS, RBP80, [3], methods=['LB'])
    assert sum(values(study, 'LB', 'dense', 3).values()) < sum(values(together, 'LB', 'dense', 3).values())


def test_two_strata_variant():
    study = shallow_pools(RUNS, QRELS, RBP80, [2], reference_depth=10, rate=0.3, seeds=[4], methods=['LB', 'Inf'])
    sampled = two_strata(RUNS, QRELS, 2, 0.3, seed=4, pool_depth=10)
    run = RUNS['dense'].sort_values(['score', 'docno'], ascending=False).groupby('qid').head(10)
    assert values(study, 'LB', 'dense', 2) == pytest.approx(score(RBP80, run, sampled[sampled['label'] >= 0]))
    everything = shallow_pools(RUNS, QRELS, RBP80, [2], reference_depth=10, rate=1, methods=['Inf'])
    assert everything['value'].to_numpy() == pytest.approx(everything['reference'].to_numpy())


@pytest.mark.parametrize(('call', 'message'), [
    (lambda: shallow_pools(RUNS, QRELS, RBP80, [0]), 'between 1 and the reference depth 100'),
    (lambda: shallow_pools(RUNS, QRELS, RBP80, [101]), 'between 1 and the reference depth 100'),
    (lambda: shallow_pools(RUNS, QRELS, RBP80, [5], methods=['UB']), r"no methods \['UB'\]"),
    (lambda: shallow_pools(RUNS, QRELS, RBP80, [5], methods=['Inf']), 'with a rate only'),
    (lambda: shallow_pools(RUNS, QRELS, nDCG@10, [5]), 'nDCG@10 has no residual'),
    (lambda: shallow_pools({}, QRELS, RBP80, [5]), 'no runs'),
    (lambda: shallow_pools(RUNS, QRELS, RBP80, [5], groups={'bm25': 'x'}), r"no group for run\(s\) \['dense'"),
    (lambda: shallow_pools(RUNS, QRELS, RBP80, [5], groups=dict.fromkeys(RUNS, 'x')), 'two groups at least'),
])
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_table_2_on_robust03(real_data):
    """RBP .95 to depth 100, 50 topics, 15 runs: interpolation is worst, L_b no worse than LB and linear."""
    qrels = pt.io.read_qrels(str(real_data / 'robust03' / 'qrels.txt.gz'))
    runs = {name: run for name, run in read_runs(real_data / 'robust03' / 'runs').items()
            if run.groupby('qid').size().median() > 100}
    assert len(runs) == 15
    study = shallow_pools(runs, qrels[qrels['qid'].astype(int) > 600], RBP(p=0.95, rel=1), [10, 20, 30])
    rmse = accuracy(study).pivot_table('rmse', 'depth', 'method')
    assert rmse['LB'].round(3).tolist() == [0.066, 0.024, 0.010]
    assert rmse['RM'].round(3).tolist() == [0.143, 0.065, 0.032]
    assert (rmse['RM'] >= rmse.max(axis=1)).all()
    assert (rmse['L_b'] <= np.minimum(rmse['LB'], rmse['linear'])).all()
