import itertools

import ir_measures
import numpy as np
import pandas as pd
import pytest
from generated import KERNEL_MEASURES, all_values, by_topic, collections, plain_values
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import AP, RBP, RR, P, R, Rprec, Success, nDCG

from pyterrier_unjudged import Bootstrap, JudgedRun, Judgments, Lower, Upper, bootstrap_scores, parse_measure
from pyterrier_unjudged.treatments.bootstrap import exact
from pyterrier_unjudged.treatments.bootstrap.draws import Slots
from pyterrier_unjudged.treatments.bootstrap.priors import prior
from pyterrier_unjudged.treatments.bootstrap.statistics import statistic

QRELS = {'q': {'a': 2, 'b': 0, 'c': 1, 'd': 0, 'e': 1}, 'r': {'a': 0, 'b': 1}}
RUN = {'q': {'new': 9.0, 'a': 8.0, 'too': 7.0, 'b': 6.0}, 'r': {'x': 2.0, 'y': 1.0}}


def encoded(qrels, run) -> JudgedRun:
    return JudgedRun.encode(run, Judgments.encode(qrels))


def grant_one_by_one(wanted: list[int], left: list[int]) -> list[int]:
    """Algorithm 1, lines 4 to 14, as the paper writes it."""
    left, granted = list(left), []
    for grade in wanted:
        best = next((lower for lower in range(grade, -1, -1) if left[lower]), None)
        if best is not None:
            left[best] -= 1
        granted.append(best or 0)
    return granted


@given(st.lists(st.integers(0, 3), min_size=1, max_size=9), st.lists(st.integers(0, 3), min_size=4, max_size=4))
def test_granted_grades_are_those_of_algorithm_1(wanted, left):
    labels = np.full((1, len(wanted)), -1, dtype=np.int16)
    run = JudgedRun(np.array(['q']), labels, np.array([left]), labels, np.arange(len(wanted))[None],
                    None, None)
    granted = Slots(run, np.array([0])).grant(np.array([[wanted]]))
    assert granted[0, 0].tolist() == grant_one_by_one(wanted, left)


@given(collection=collections())
def test_the_pool_keeps_its_counts(collection):
    run = encoded(*collection).top(5)
    for topic in range(len(run.qids)):
        slots = Slots(run, np.array([topic]))
        wanted = np.random.default_rng(0).integers(0, run.max_grade + 1, (1, 20, slots.ranks.shape[1]))
        granted = slots.grant(wanted)
        for grade in range(1, run.max_grade + 1):
            assert ((granted == grade).sum(axis=-1) <= run.pool_left[topic, grade]).all()


@pytest.mark.parametrize('params', [
    *({'prior': name, 'stat': stat} for name in ('pool', 'run', 'pool+run') for stat in ('mode', 'mean', 0.9)),
    {'b': None}, {'b': None, 'stat': 'median'}, {'pool': 'collection', 'fallback': 'nonrelevant'}], ids=repr)
@given(collection=collections(everything_judged=True))
@settings(max_examples=15)
def test_nothing_unjudged_changes_nothing(params, collection):
    bootstrapped = all_values([Bootstrap(measure, **{'b': 20, **params}) for measure in KERNEL_MEASURES], *collection)
    expected = {(repr(Bootstrap(parse_measure(measure), **{'b': 20, **params})), qid): value
                for (measure, qid), value in plain_values(KERNEL_MEASURES, *collection).items()}
    assert bootstrapped == pytest.approx(expected)


@pytest.mark.parametrize('b', [50, None])
@given(collection=collections())
@settings(max_examples=40)
def test_quantiles_lie_between_the_naive_bounds(b, collection):
    run = encoded(*collection)
    for measure in [nDCG@5, nDCG(dcg='exp-log2')@5, P@4, R@4, RBP(rel=1)@5, AP@4, RR@4, Success@2, Rprec]:
        if b is None and measure.params.get('cutoff') is None:
            continue  # too many outcomes
        lower, upper = Lower(measure).evaluate(run), Upper(measure).evaluate(run)
        for values in Bootstrap.evaluate_all(
                [Bootstrap(measure, stat=stat, b=b) for stat in (0.1, 'median', 'mean', 'mode', 0.95)], run):
            assert (lower - 1e-9 <= values).all() and (values <= upper + 1e-9).all()


def test_priors_by_hand():
    run = encoded(QRELS, RUN).top(2)
    assert prior(run, 'pool', 'topic', 'pool')[:, 0] == pytest.approx(np.array([[2 / 5, 2 / 5, 1 / 5], [0.5, 0.5, 0]]))
    assert prior(run, 'run', 'topic', 'pool')[:, 0] == pytest.approx(np.array([[0, 0, 1], [0.5, 0.5, 0]]))
    assert prior(run, 'pool+run', 'topic', 'pool')[:, 0] == pytest.approx(
        np.array([[0.2, 0.2, 0.6], [0.5, 0.5, 0]]))
    assert prior(run, 'pool', 'collection', 'pool')[0, 0] == pytest.approx(np.array([3, 3, 1]) / 7)
    assert prior(run, 'pool+run', 'collection', 'nonrelevant')[:, 0] == pytest.approx(
        np.array([[3 / 14, 3 / 14, 1 / 14 + 0.5], [1, 0, 0]]))
    assert prior(run, 'pool', 'topic', 'nonrelevant')[1, 0] == pytest.approx(np.array([0.5, 0.5, 0]))


def test_exact_distribution_by_hand():
    # 'new' and 'too' want a relevant document with probability 2/5 + 1/5; c and e are left, both of grade 1.
    scores = bootstrap_scores({'q': RUN['q']}, {'q': QRELS['q']}, P@4, prior='pool', b=None)
    assert scores['qid'].tolist() == ['q']
    assert scores['scores'][0] == pytest.approx([1 / 4, 2 / 4, 3 / 4])
    assert scores['mass'][0] == pytest.approx([0.16, 0.48, 0.36])
    for stat, value in [('mean', 0.55), (0.6, 0.5), (0.7, 0.75)]:
        exactly = Bootstrap(P@4, prior='pool', b=None, stat=stat)
        assert exactly.calc_aggregate({'q': QRELS['q']}, RUN) == pytest.approx(value)


def test_used_up_grades_by_hand():
    # only one relevant document is left, for two unjudged ones that both want it: the upper one gets it
    qrels, run = {'q': {'a': 1, 'b': 1}}, {'q': {'new': 9.0, 'too': 8.0, 'a': 7.0}}
    scores = bootstrap_scores(run, qrels, nDCG@3, prior='pool', b=10)
    ideal = 1 + 1 / np.log2(3)
    assert scores['scores'][0] == pytest.approx(np.full(10, (1 + 1 / 2) / ideal))


def test_sampled_agrees_with_exact():
    generator = np.random.default_rng(5)
    qrels, run = random_collection(generator, topics=12, judged=30, retrieved=16)
    for measure, name in itertools.product([nDCG@10, P@10, R@10, RBP(p=0.9, rel=1)@10, AP@5, RR@5],
                                           ['pool', 'run', 'pool+run']):
        sampled = bootstrap_scores(run, qrels, measure, prior=name, b=4000, seed=1).set_index('qid')['scores']
        certain = bootstrap_scores(run, qrels, measure, prior=name, b=None).set_index('qid')
        for qid, scores in sampled.items():
            support, mass = certain.loc[qid, 'scores'], certain.loc[qid, 'mass']
            mean = support @ mass
            error = np.sqrt(max(mass @ (support - mean) ** 2, 1e-18) / len(scores))
            assert abs(scores.mean() - mean) < 4 * error + 1e-9, (measure, name, qid)
            for q in (0.25, 0.5, 0.9, 0.95):
                around = [statistic(q + off, support[None], mass[None])[0] for off in (-0.04, 0.04)]
                assert around[0] - 1e-3 <= np.quantile(scores, q) <= around[1] + 1e-3


def random_collection(generator, topics, judged, retrieved, unjudged=0.5, grades=3):
    qrels, run = {}, {}
    for qid in map(str, range(topics)):
        weights = 1 / 2.0 ** np.arange(grades)
        labels = generator.choice(grades, size=judged, p=weights / weights.sum())
        qrels[qid] = {f'd{number}': int(label) for number, label in enumerate(labels)}
        known = iter(generator.permutation(judged))
        run[qid] = {(f'new{rank}' if generator.random() < unjudged else f'd{next(known)}'): float(-rank)
                    for rank in range(retrieved)}
    return qrels, run


@pytest.mark.parametrize('measure', [nDCG@9, P@9, R@9, RBP(p=0.8, rel=1)@9, nDCG(dcg='exp-log2')@9], ids=repr)
@pytest.mark.parametrize('judged', [4, 12, 60])
def test_dynamic_program_agrees_with_enumeration(measure, judged, monkeypatch):
    """With few judged documents all grades are scarce, with many none."""
    qrels, run = random_collection(np.random.default_rng(judged), topics=6, judged=judged, retrieved=min(judged, 9),
                                   unjudged=0.8)
    run = encoded(qrels, run)
    monkeypatch.setattr(exact, 'FEW', 1 << 20)
    enumerated = {stat: Bootstrap(measure, b=None, stat=stat).evaluate(run) for stat in ('mean', 0.3, 0.5, 0.95)}
    monkeypatch.setattr(exact, 'FEW', 0)
    for stat, values in enumerated.items():
        tolerance = 1e-9 if stat == 'mean' else 9 / exact.COARSEST_GRID
        assert Bootstrap(measure, b=None, stat=stat).evaluate(run) == pytest.approx(values, abs=tolerance)


def test_exact_distribution_of_a_deep_measure():
    qrels, run = random_collection(np.random.default_rng(6), topics=2, judged=400, retrieved=150)
    exactly = Bootstrap(nDCG, b=None, stat='mean').evaluate(encoded(qrels, run))
    sampled = bootstrap_scores(run, qrels, nDCG, b=3000)
    for mean, scores in zip(exactly, sampled['scores'], strict=True):
        assert abs(mean - scores.mean()) < 4 * scores.std() / np.sqrt(3000)


def test_more_states_than_memory_are_refused():
    run = {'q': {f'new{rank}': float(-rank) for rank in range(120)}}
    qrels = {'q': {f'd{number}': number % 5 for number in range(400)}}
    with pytest.raises(ValueError, match=r"nDCG,b=None\) has too many outcomes for topic 'q' .* 120 unjudged"):
        Bootstrap(nDCG, b=None).calc_aggregate(qrels, run)


def test_too_many_outcomes_are_refused():
    run = {'q': {f'new{rank}': float(-rank) for rank in range(30)}}
    with pytest.raises(ValueError, match=r"b=None\) has too many outcomes for topic 'q' .* 30 unjudged.*b=1000"):
        Bootstrap(AP, b=None).calc_aggregate({'q': {f'd{number}': number % 3 for number in range(60)}}, run)


@given(collection=collections(), order=st.randoms(use_true_random=False))
def test_values_do_not_depend_on_order_or_company(collection, order):
    qrels, run = collection
    measure = Bootstrap(nDCG@5, b=30)
    values = by_topic(measure, qrels, run)
    shuffled = list(qrels)
    order.shuffle(shuffled)
    assert by_topic(measure, {qid: qrels[qid] for qid in shuffled}, dict(reversed(run.items()))) == values
    crowd = [measure, Bootstrap(nDCG@5, b=30, prior='run'), Bootstrap(nDCG@5, b=30, stat='mean'), Bootstrap(P@3, b=7)]
    assert {metric.query_id: metric.value for metric in ir_measures.iter_calc(crowd, qrels, run)
            if metric.measure == measure} == values
    grades = max((label for docs in qrels.values() for label in docs.values()), default=0)
    for qid in set(qrels) & set(run):
        alone = {qid: qrels[qid], 'the rest': {'has the highest grade': grades}}
        assert by_topic(measure, alone, {qid: run[qid]})[qid] == values[qid]


def test_the_seed_decides():
    values = [Bootstrap(nDCG@4, stat='mean', b=20, seed=seed).calc_aggregate(QRELS, RUN) for seed in (0, 0, 1)]
    assert values[0] == values[1] != values[2]


def test_predicted_prior():
    run = pd.DataFrame([['q', 'new', 9.0, 0.0, 0.0, 1.0], ['q', 'a', 8.0, None, None, None],
                        ['q', 'too', 7.0, 0.5, 0.5, 0.0], ['q', 'b', 6.0, None, None, None]],
                       columns=['qid', 'docno', 'score', 'p_0', 'p_1', 'p_2'])
    scores = bootstrap_scores(run, {'q': QRELS['q']}, P(rel=1)@4, prior='predicted', b=None)
    # 'new' wants grade 2 for certain, but it is used up, and gets grade 1; 'too' gets 0 or 1
    assert scores['scores'][0] == pytest.approx([0.5, 0.75])
    assert scores['mass'][0] == pytest.approx([0.5, 0.5])
    measure = Bootstrap(P@4, prior='predicted')
    assert {'p_0', 'p_1'} <= set(ir_measures.run_inputs([measure]))
    assert 'p_0' not in ir_measures.run_inputs([Bootstrap(P@4)])
    for columns, message in [({'p_1': 0.9}, "give document 'new' of topic 'q' the probabilities"),
                             ({'p_0': -1.0, 'p_1': 1.0}, "document 'new'.*not a distribution")]:
        with pytest.raises(ValueError, match=message):
            measure.calc_aggregate({'q': QRELS['q']}, run.assign(**columns).rename(
                columns={'qid': 'query_id', 'docno': 'doc_id'}))
    with pytest.raises(ValueError, match='needs the probability of each grade in columns p_0, p_1'):
        measure.calc_aggregate(QRELS, RUN)


def test_predicted_probabilities_of_an_unknown_grade_go_to_the_best_known():
    run = pd.DataFrame([['q', 'new', 9.0, 0.0, 0.0, 0.0, 1.0]],
                       columns=['qid', 'docno', 'score', 'p_0', 'p_1', 'p_2', 'p_3'])
    scores = bootstrap_scores(run, {'q': QRELS['q']}, nDCG@1, prior='predicted', b=3)
    assert scores['scores'][0].tolist() == [1.0, 1.0, 1.0]


def test_bootstrap_scores_has_b_scores_for_each_judged_topic():
    scores = bootstrap_scores(RUN, {**QRELS, 'missing': {'a': 1}}, nDCG@4, b=25)
    assert scores.columns.tolist() == ['qid', 'scores']
    assert scores['qid'].tolist() == ['missing', 'q', 'r']
    assert [len(values) for values in scores['scores']] == [25, 25, 25]
    quantile = by_topic(Bootstrap(nDCG@4, b=25, stat=0.9), QRELS, RUN)['q']
    assert np.quantile(scores['scores'][1], 0.9) == pytest.approx(quantile)


@pytest.mark.parametrize(('make', 'message'), [
    (lambda: Bootstrap(ir_measures.Bpref), 'Bootstrap does not support Bpref.*nDCG, P, R, AP, RR, Rprec, Success, RBP'),
    (lambda: Bootstrap(nDCG@10, stat='max'), "stat must be 'mode', 'mean', 'median' or a quantile.*not 'max'"),
    (lambda: Bootstrap(nDCG@10, stat=1.0), 'not 1.0'),
    (lambda: Bootstrap(nDCG@10, b=0), 'b must be a number of samples, or None'),
    (lambda: Bootstrap(nDCG@10, prior='pools'), r"prior='pools' is not valid.*\['pool\+run', 'pool', 'run'"),
    (lambda: Bootstrap(nDCG@10, stat=1), 'stat=1 is not valid; it is mode, mean, median, or a quantile'),
    (lambda: Bootstrap(nDCG@10, seed='x'), "seed='x' is not valid; it is a number that seeds"),
])
def test_bad_parameters_are_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_mode_takes_the_highest_score_of_the_fullest_bin_of_the_fullest_bin():
    scores = np.concatenate([np.zeros(4), np.full(3, 0.505), np.full(2, 0.52), [1.0]])[None]
    # bins of 0.05: five scores in [0.50, 0.55); of those, three in the first of 20 bins in [0.505, 0.52]
    assert statistic('mode', scores, None).tolist() == [0.505]
    ties = np.array([[0.0, 0.0, 1.0, 1.0]])
    assert statistic('mode', ties, None).tolist() == [1.0]
    assert statistic('mode', np.full((1, 3), 0.4), None).tolist() == [0.4]


def test_repr_leaves_defaults_out():
    assert repr(Bootstrap(nDCG@10, prior='run')) == "Bootstrap(nDCG@10,prior='run')"
    assert repr(Bootstrap(nDCG@10, stat=np.float64(0.95), b=1000)) == 'Bootstrap(nDCG@10,stat=0.95)'
    assert repr(Bootstrap(nDCG, b=None)@5) == 'Bootstrap(nDCG@5,b=None)'
