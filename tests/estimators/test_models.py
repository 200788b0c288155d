import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import least_squares

from pyterrier_unjudged.estimators.models import MODELS

BOUNDS = {'linear': ([-9, -9], [9, 0]), 'zipf': ([0, 0.5], [1e9, 5]), 'weibull': ([0.2, 0.1, 0], [100, 8, 1000])}
STARTS = {'linear': [0.5, -0.01], 'zipf': [2, 0.7], 'weibull': [10, 1, 5]}
ranks = np.arange(1.0, 31)


def curve(name, parameters, at=ranks):
    return MODELS[name].curve(np.array(parameters)[None, :, None], at)


@pytest.mark.parametrize(('name', 'parameters'), [
    ('linear', [0.8, -0.02]), ('linear', [0.3, 0.0]), ('zipf', [3.0, 0.7]), ('zipf', [1.0, 2.0]),
    ('weibull', [12.0, 0.8, 9.0]), ('weibull', [40.0, 0.6, 20.0])])
def test_known_parameters_are_recovered(name, parameters):
    assert MODELS[name].fit(curve(name, parameters))[0] == pytest.approx(parameters, rel=1e-4, abs=1e-9)


def test_formulas_of_the_paper():
    harmonic = sum(k ** -0.7 for k in range(1, 1001))
    assert curve('zipf', [3.0, 0.7], np.array([4.0]))[0] == pytest.approx(3 / (4 ** 0.7 * harmonic))
    weibull = 9 * (np.exp(-(4 / 12) ** 0.8) - np.exp(-(5 / 12) ** 0.8))
    assert curve('weibull', [12.0, 0.8, 9.0], np.array([4.0]))[0] == pytest.approx(weibull)


@pytest.mark.parametrize('name', MODELS)
@given(gains=st.lists(st.floats(0, 1), min_size=3, max_size=12))
def test_no_worse_than_bounded_least_squares_of_scipy(name, gains):
    gains = np.array([sorted(gains, reverse=True)])
    at = np.arange(1.0, gains.shape[1] + 1)
    theirs = least_squares(lambda parameters: (curve(name, parameters, at) - gains)[0], STARTS[name],
                           bounds=BOUNDS[name])
    parameters = MODELS[name].fit(gains)
    assert ((curve(name, parameters[0], at) - gains) ** 2).sum() <= 2 * theirs.cost * 1.01 + 1e-4


@pytest.mark.parametrize('name', MODELS)
def test_topics_are_fitted_by_themselves_and_unknown_ranks_ignored(name):
    random = np.random.default_rng(1)
    gains = random.random((120, 8)) * np.linspace(1, 0.2, 8)
    gains[3, 5:] = np.nan
    together = MODELS[name].fit(gains)
    for topic in (0, 3, 60, 119):
        alone = MODELS[name].fit(gains[[topic]][:, :5 if topic == 3 else 8])[0]
        assert MODELS[name].gains(together[[topic]], ranks) == pytest.approx(MODELS[name].gains(alone[None], ranks))


@pytest.mark.parametrize('name', MODELS)
def test_gains_are_shares(name):
    gains = MODELS[name].gains(MODELS[name].fit(np.array([[1.0, 1, 1, 0.9], [0, 0, 0, 0], [1, 0, 0, 0]])), ranks)
    assert ((gains >= 0) & (gains <= 1)).all()
    assert (gains[1] == 0).all()
    assert (np.diff(gains[0]) <= 1e-12).all() or name == 'weibull'
