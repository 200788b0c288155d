import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyterrier_unjudged import InfRBP, reduce_judgments, two_strata, xinfAP


def complete(topics=3, judged=60, seed=1) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    return pd.DataFrame([(f'q{topic}', f'd{document}', int(random.choice([0, 0, 0, 1, 2])))
                         for topic in range(topics) for document in range(judged)], columns=['qid', 'docno', 'label'])


def run_of(qrels, seed) -> pd.DataFrame:
    return qrels[['qid', 'docno']].assign(score=np.random.default_rng(seed).random(len(qrels)))


def pairs(frame) -> set:
    return set(zip(frame['qid'], frame['docno'], strict=True))


QRELS = complete()
RUNS = {'a': run_of(QRELS, 1), 'b': run_of(QRELS, 2)}


@given(st.integers(0, 5), st.floats(0.01, 1), st.floats(0.01, 1))
def test_reductions_are_nested_and_stratified(seed, rate, other):
    low, high = (reduce_judgments(QRELS, each, seed) for each in sorted((rate, other)))
    assert pairs(low) <= pairs(high) <= pairs(QRELS)
    for qid, topic in QRELS.groupby('qid'):
        left = low[low['qid'] == qid]
        relevant = (topic['label'] > 0).sum()
        assert (left['label'] > 0).sum() == max(1, int(min(rate, other) * relevant + 1e-9))
        assert (left['label'] == 0).sum() == max(10, int(min(rate, other) * (len(topic) - relevant) + 1e-9))


def test_all_judgments_are_kept_at_rate_1():
    pd.testing.assert_frame_equal(reduce_judgments(QRELS, 1), QRELS)


@pytest.mark.parametrize('draw', [lambda qrels, seed: reduce_judgments(qrels, 0.3, seed),
                                  lambda qrels, seed: two_strata(RUNS, qrels, 5, 0.3, seed).query('label >= 0')])
def test_a_topic_is_drawn_from_seed_and_topic_alone(draw):
    alone = draw(QRELS[QRELS['qid'] == 'q1'], 3)
    shuffled = draw(QRELS.sample(frac=1, random_state=5), 3)
    assert pairs(alone) == pairs(shuffled[shuffled['qid'] == 'q1'])
    assert pairs(draw(QRELS, 3)) != pairs(draw(QRELS, 4))


def test_few_judgments_stay():
    qrels = pd.DataFrame({'qid': 'q', 'docno': list('abcd'), 'label': [0, 0, 1, -2]})
    assert len(reduce_judgments(qrels, 0.01)) == 4


def test_two_strata():
    qrels = two_strata(RUNS, QRELS, depth=5, rate=0.2, seed=1)
    first, second = (qrels[qrels['iteration'] == stratum] for stratum in '12')
    shallow = set().union(*(pairs(run.sort_values('score', ascending=False).groupby('qid').head(5))
                            for run in RUNS.values()))
    assert pairs(first) == shallow
    assert pairs(qrels) == pairs(QRELS)
    known = QRELS.set_index(['qid', 'docno'])['label']
    for row in qrels.itertuples():
        assert row.label == known[row.qid, row.docno] or (row.label, row.iteration) == (-1, '2')
    for _, topic in second.groupby('qid'):
        assert (topic['label'] >= 0).sum() == int(0.2 * len(topic))


def test_the_second_stratum_ends_at_the_depth_of_the_pool():
    qrels = two_strata(RUNS, QRELS, depth=2, rate=0.5, pool_depth=6)
    assert pairs(qrels) == pairs(two_strata(RUNS, QRELS, depth=6, rate=1).query("iteration == '1'"))


def test_inferred_measures_read_the_strata():
    sampled = two_strata(RUNS, QRELS, depth=10, rate=0.3)
    for measure in (xinfAP, InfRBP(p=0.9, rel=1)):
        truth = measure.calc_aggregate(QRELS, RUNS['a'])
        assert measure.calc_aggregate(sampled, RUNS['a']) == pytest.approx(truth, abs=0.15)
        assert measure.calc_aggregate(two_strata(RUNS, QRELS, 10, 1), RUNS['a']) == pytest.approx(truth, abs=1e-3)


@pytest.mark.parametrize(('call', 'message'), [
    (lambda: reduce_judgments(QRELS, 0), r'rate must be in \(0, 1\], not 0'),
    (lambda: reduce_judgments(QRELS.drop(columns='label'), 0.5), r"qrels lacks the column\(s\) \['label'\]"),
    (lambda: reduce_judgments(pd.concat([QRELS, QRELS[:1]]), 0.5), "document 'd0' of topic 'q0' twice"),
    (lambda: two_strata(RUNS, QRELS, 0, 0.5), 'depth of the first stratum must be at least 1'),
    (lambda: two_strata(RUNS, QRELS, 5, 0.5, pool_depth=3), 'at most pool_depth, not 5 with pool_depth=3'),
    (lambda: two_strata(RUNS, QRELS, 5, 1.5), r'rate must be in \(0, 1\], not 1.5'),
])
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
