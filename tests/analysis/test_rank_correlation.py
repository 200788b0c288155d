import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pyterrier_unjudged import rank_correlation

PACKAGE = {0.5: 0.311458333333, 0.9: 0.796653, 0.98: 0.955401900693, 1: 0.619444444444}
METHODS = ['tau', 'tau_ap', 'tau_ap_a', 'spearman', 'rbo']
scores = st.lists(st.integers(0, 5), min_size=2, max_size=5)


def tau_ap(truth, estimate) -> float:
    """Yilmaz, Aslam & Robertson 2008: of the items above each one in the estimate, how many belong there."""
    order = np.argsort(-np.asarray(estimate))
    truth = np.asarray(truth)[order]
    correct = [(truth[:rank] > truth[rank]).mean() for rank in range(1, len(truth))]
    return 2 * np.mean(correct) - 1


def orders(values):
    """Yields all rankings without ties that agree with the values, as scores."""
    for order in itertools.permutations(range(len(values))):
        if all(values[i] >= values[j] for i, j in itertools.pairwise(order)):
            yield -np.argsort(order).astype(float)


@pytest.mark.parametrize('method', METHODS)
@given(st.lists(st.floats(0, 1), min_size=2, max_size=8, unique=True))
def test_perfect_agreement_is_one(method, values):
    assert rank_correlation(values, values, method).statistic == pytest.approx(1)


@pytest.mark.parametrize('method', ['tau', 'tau_ap', 'tau_ap_a', 'spearman'])
def test_reversal_is_minus_one(method):
    assert rank_correlation([4, 3, 2, 1], [1, 2, 3, 4], method).statistic == pytest.approx(-1)


@given(st.permutations(range(6)))
def test_without_ties_it_is_ap_correlation(values):
    truth = np.arange(6.0)
    one_way, other_way = tau_ap(values, truth), tau_ap(truth, values)
    assert rank_correlation(truth, values, 'tau_ap').statistic == pytest.approx((one_way + other_way) / 2)
    assert rank_correlation(truth, values, 'tau_ap_a').statistic == pytest.approx(one_way)


@given(scores, st.randoms())
def test_variant_a_is_the_mean_over_all_ways_of_breaking_ties(values, random):
    other = [random.randint(0, 4) for _ in values]
    expected = np.mean([tau_ap(broken, truth) for truth in orders(values) for broken in orders(other)])
    assert rank_correlation(values, other, 'tau_ap_a').statistic == pytest.approx(expected, abs=1e-9)


def test_variant_b_by_hand():
    a, b = [3, 2, 2, 1], [3, 3, 1, 2]
    # by a, items 2 and 3 have item 1 above: tied in b (0), agreed (1); item 4 has 1, 2, 3 above: 1, 1, -1
    by_a = (0 + 1 + 1 / 3) / 3
    # by b, items 1 and 2 are first; item 4 has 1 and 2 above: agreed; item 3 has 1, 2, 4 above: 1, tied (0), -1
    by_b = (1 + 0) / 2
    assert rank_correlation(a, b, 'tau_ap').statistic == pytest.approx((by_a + by_b) / 2)
    assert rank_correlation(b, a, 'tau_ap').statistic == pytest.approx((by_a + by_b) / 2)


def test_rbo_equals_the_rbo_package():
    """Figures of rbo 0.1.3 (rbo_ext, and average overlap for p = 1), which does not install beside numpy 2."""
    a, b = [5, 4, 3, 2, 1, 0], [3, 5, 0, 4, 1, 2]
    for p, expected in PACKAGE.items():
        assert rank_correlation(a, b, 'rbo', p=p).statistic == pytest.approx(expected, abs=1e-9)


def test_rbo_by_hand():
    # overlaps 0, 1, 1 of a b c and b a c
    expected = 0.5 / 0.5 * (0 * 0.5 + 1 * 0.25 + 1 * 0.125) + 1 * 0.125
    assert rank_correlation([3, 2, 1], [2, 3, 1], 'rbo', p=0.5).statistic == pytest.approx(expected)
    assert rank_correlation([3, 2, 1], [2, 3, 1], 'rbo', p=1).statistic == pytest.approx(2 / 3)


def test_distance_by_hand():
    a = np.array([[0.9, 0.8, 0.7], [0.5, 0.6, 0.3]])
    b = np.array([[0.5, 0.2, 0.4], [0.6, 0.3, 0.3]])
    strength_a = 0.5 - stats.ttest_rel(a[0], a[1], alternative='greater').pvalue
    strength_b = stats.ttest_rel(b[1], b[0], alternative='greater').pvalue - 0.5 if b[1].mean() > b[0].mean() else (
        0.5 - stats.ttest_rel(b[0], b[1], alternative='greater').pvalue)
    assert rank_correlation(a, b, 'dist').statistic == pytest.approx(abs(strength_b - strength_a))
    assert rank_correlation(a, b, 'dist', alpha=2).statistic == pytest.approx(2 * abs(strength_b - strength_a))
    assert rank_correlation(a, b, 'dist', alpha='strength').statistic == pytest.approx(
        strength_a * abs(strength_b - strength_a))
    assert rank_correlation(a, a, 'dist').statistic == 0
    assert rank_correlation(a, a[::-1], 'dist').statistic == pytest.approx(2 * strength_a)


def test_systems_are_matched_by_name():
    a = pd.Series({'x': 3.0, 'y': 2.0, 'z': 1.0})
    assert rank_correlation(a, a[['z', 'x', 'y']]).statistic == 1
    frame = pd.DataFrame([(name, qid, 'AP', value) for name, value in a.items() for qid in '12'],
                         columns=['name', 'qid', 'measure', 'value'])
    assert rank_correlation(frame, frame[::-1]).statistic == 1
    assert rank_correlation(frame, frame[::-1], 'dist').statistic == 0
    table = rank_correlation(a, a, 'spearman').to_frame()
    assert table[['method', 'statistic']].to_numpy().tolist() == [['spearman', 1]]


@pytest.mark.parametrize(('call', 'message'), [
    (lambda: rank_correlation([1, 2], [1, 2], 'pearson'), "no method 'pearson'"),
    (lambda: rank_correlation([1, 2], [1, 2, 3]), r'shapes \(2,\) and \(3,\)'),
    (lambda: rank_correlation([1], [1]), 'two systems at least'),
    (lambda: rank_correlation([1, np.nan], [1, 2]), 'scores that are no numbers'),
    (lambda: rank_correlation(pd.Series({'x': 1, 'y': 2}), pd.Series({'x': 1, 'z': 2})), r"system\(s\) \['y', 'z'\]"),
    (lambda: rank_correlation(pd.Series({'x': 1, 'y': 2}), [1, 2]), 'in the same form'),
    (lambda: rank_correlation([1, 2], [1, 2], 'dist'), "'dist' tests differences over topics"),
    (lambda: rank_correlation([1, 2], [1, 2], 'rbo', p=0), r'persistence p must be in \(0, 1\]'),
    (lambda: rank_correlation(np.eye(2), np.eye(2), 'dist', alpha='x'), "alpha must be a number or 'strength'"),
])
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
