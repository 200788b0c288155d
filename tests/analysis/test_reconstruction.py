import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyterrier_unjudged import reconstruction

#: four systems, two topics: the run that is estimated, and three others
TRUTH, OTHERS = [0.5, 0.2], [[0.3, 0.6], [0.45, 0.1], [0.7, 0.2]]


def test_points_by_hand():
    # topic 1, estimate .4: above .3 (right), below .45 (wrong), below .7 (right)
    # topic 2, estimate .3: below .6 (right), above .1 (right), tie in truth (no order)
    found = reconstruction([0.4, 0.3], TRUTH, OTHERS)
    assert (found.precision, found.recall) == (4 / 5, 4 / 5)
    assert found.f1 == pytest.approx(4 / 5)


def test_ranges_by_hand():
    # topic 1, .4 to .5: above .3 (right), nothing about .45, below .7 (right); topic 2, .05 to .15: below .6, nothing
    # about .1
    found = reconstruction([0.4, 0.05], TRUTH, OTHERS, upper=[0.5, 0.15])
    assert (found.precision, found.recall) == (1, 3 / 5)
    assert found.f1 == pytest.approx(2 * 3 / 5 / (1 + 3 / 5))
    assert found.to_frame()['recall'].tolist() == [3 / 5]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6))
def test_the_truth_is_right_about_all(truth):
    others = [[value / 2 + 0.1 for value in truth], [0.9 for _ in truth]]
    found = reconstruction(truth, truth, others)
    assert found.precision == found.recall or found.recall == 0


@pytest.mark.parametrize(('arguments', 'message'), [
    (([0.1], [0.1, 0.2], [[0.1]]), r'not \(1,\), \(2,\)'), (([0.1], [0.1], [0.1]), r'others \(systems, topics\)'),
    (([float('nan')], [0.1], [[0.1]]), 'no numbers'), (([0.5], [0.1], [[0.1]], [0.4]), 'ends below its beginning')])
def test_bad_input_is_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        reconstruction(*arguments)
