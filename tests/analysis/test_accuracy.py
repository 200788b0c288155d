import pandas as pd
import pytest

from pyterrier_unjudged import accuracy


def test_by_hand():
    study = pd.DataFrame({'depth': [10, 10, 10, 20], 'method': ['LB', 'LB', 'RM', 'LB'],
                          'value': [0.1, 0.3, 0.9, 0.25], 'reference': 0.2, 'residual': 0.3})
    found = accuracy(study).set_index(['depth', 'method'])
    assert found.loc[(10, 'LB'), 'rmse'] == pytest.approx((0.1 ** 2 / 2) ** 0.5)  # .1, and 0 within the residual
    assert found.loc[(10, 'LB'), 'acc'] == 0.5
    assert found.loc[(10, 'RM')].tolist() == pytest.approx([0.4, 0])
    assert found.loc[(20, 'LB')].tolist() == [0, 1]


def test_measures_are_kept_apart():
    study = pd.DataFrame({'depth': 10, 'method': 'LB', 'value': [0.1, 0.2], 'reference': 0.2, 'residual': 0.0,
                          'measure': ['P@10', 'RBP']})
    assert accuracy(study)['measure'].tolist() == ['P@10', 'RBP']


def test_missing_columns_are_named():
    with pytest.raises(ValueError, match=r"lacks the column\(s\) \['residual'\].*shallow_pools"):
        accuracy(pd.DataFrame({'depth': [1], 'method': 'LB', 'value': 0.1, 'reference': 0.1}))
