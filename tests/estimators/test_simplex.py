import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import linprog, minimize

from pyterrier_unjudged.estimators import simplex


def squares(matrix, target, weights):
    return ((matrix @ weights - target) ** 2).sum()


def deviations(matrix, target, weights):
    return np.abs(matrix @ weights - target).sum()


@st.composite
def problems(draw):
    rows, columns = draw(st.integers(1, 8)), draw(st.integers(1, 5))
    values = st.floats(0, 1, width=16)
    return draw(arrays(float, (2, rows, columns), elements=values)), draw(arrays(float, (2, rows), elements=values))


@given(problems())
def test_least_squares_is_optimal(problem):
    matrices, targets = problem
    found = simplex.least_squares(matrices, targets)
    for matrix, target, weights in zip(matrices, targets, found, strict=True):
        assert weights.sum() == pytest.approx(1)
        assert (weights >= 0).all()
        number = matrix.shape[1]
        other = minimize(lambda w, m=matrix, t=target: squares(m, t, w), np.full(number, 1 / number), method='SLSQP',
                         bounds=[(0, 1)] * number, constraints={'type': 'eq', 'fun': lambda w: w.sum() - 1}).x
        assert squares(matrix, target, weights) <= squares(matrix, target, other) + 1e-6


@given(problems())
def test_least_deviations_is_optimal(problem):
    matrices, targets = problem
    found = simplex.least_deviations(matrices, targets)
    for matrix, target, weights in zip(matrices, targets, found, strict=True):
        assert weights.sum() == pytest.approx(1)
        assert (weights >= 0).all()
        rows, number = matrix.shape
        lowest = linprog(np.append(np.zeros(number), np.ones(2 * rows)),
                         A_eq=np.block([[matrix, np.eye(rows), -np.eye(rows)],
                                        [np.ones((1, number)), np.zeros((1, 2 * rows))]]),
                         b_eq=np.append(target, 1)).fun
        assert deviations(matrix, target, weights) <= lowest + 1e-6


def test_large_problems_and_padding():
    random = np.random.default_rng(1)
    matrix, target = random.random((6, 200, 40)) ** 3, (random.random((6, 200)) < 0.3).astype(float)
    found = simplex.least_deviations(matrix, target)
    padded = simplex.least_deviations(np.pad(matrix, ((0, 0), (0, 50), (0, 0))), np.pad(target, ((0, 0), (0, 50))))
    for own, other, m, t in zip(found, padded, matrix, target, strict=True):
        assert deviations(m, t, own) == pytest.approx(deviations(m, t, other), rel=1e-7)


def test_nothing_to_fit():
    for solve in (simplex.least_squares, simplex.least_deviations):
        assert solve(np.zeros((2, 3, 4)), np.zeros((2, 3))).sum(axis=1) == pytest.approx([1, 1])
        assert solve(np.zeros((1, 0, 2)), np.zeros((1, 0))).sum(axis=1) == pytest.approx([1])
