"""Least squares and least absolute deviations with weights that are not negative and add up to one."""

from __future__ import annotations

import numpy as np
from scipy.optimize import nnls

ITERATIONS = 100  #: of the interior-point method; it takes about 15
TOLERANCE = 1e-8  #: how far, relative to the largest value, its losses may lie above the lowest
NEGLIGIBLE = 1e-12
TO_THE_BORDER = 0.9995  #: how much of the way to the nearest border a step may go


def least_squares(matrix: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Returns the weights w on the simplex that minimise the sum of squares of ``matrix @ w - target``.

    As the weights add up to one, the target can be subtracted from every column: what is left is the point of a
    polytope that is nearest to the origin, which non-negative least squares finds exactly (Lawson & Hanson, 1974,
    Chapter 23).

    Args:
        matrix: shape (problems, rows, columns).
        target: shape (problems, rows).

    Returns:
        Weights, shape (problems, columns).

    Example:
        >>> least_squares(np.array([[[1.0, 0.0], [0.0, 1.0]]]), np.array([[0.75, 0.25]])).round(6).tolist()
        [[0.75, 0.25]]
    """
    moved = matrix - target[..., None]
    scale = np.abs(moved).max(axis=(1, 2), initial=0.0, keepdims=True)
    moved = np.divide(moved, scale, out=np.zeros_like(moved), where=scale > 0)
    stacked = np.concatenate([moved, np.ones((len(moved), 1, moved.shape[2]))], axis=1)
    origin = np.append(np.zeros(moved.shape[1]), 1.0)
    weights = np.array([nnls(problem, origin)[0] for problem in stacked]).reshape(len(matrix), matrix.shape[2])
    return weights / weights.sum(axis=1, keepdims=True)


def least_deviations(matrix: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Returns the weights w on the simplex that minimise the sum of absolute values of ``matrix @ w - target``.

    A linear program: minimise the sum of u + v with matrix @ w + u - v = target, and u, v, and w not negative. All
    problems are solved together by Mehrotra's predictor-corrector interior-point method, whose steps solve a system of
    only as many equations as there are columns (Portnoy & Koenker, Statistical Science 1997).

    Args:
        matrix: shape (problems, rows, columns); rows of zeros with target 0 change nothing.
        target: shape (problems, rows).

    Returns:
        Weights, shape (problems, columns).

    Example:
        >>> least_deviations(np.array([[[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]]), np.array([[1.0, 1.0, 0.0]])).round(6)
        array([[1., 0.]])
    """
    scale = np.maximum(np.abs(matrix).max(axis=(1, 2), initial=0.0), np.abs(target).max(axis=1, initial=0.0))
    scale = np.where(scale > 0, scale, 1.0)
    matrix, target = matrix / scale[:, None, None], target / scale[:, None]
    problems, rows, columns = matrix.shape

    def combined(w: np.ndarray) -> np.ndarray:
        return (matrix @ w[..., None])[..., 0]

    def by_column(y: np.ndarray) -> np.ndarray:
        return (y[:, None, :] @ matrix)[:, 0]

    # Primal variables are w, u, v; dual ones y (rows), t (the sum of weights), and the slacks s, 1 - y, 1 + y.
    w, s = np.full((problems, columns), 1 / columns), np.ones((problems, columns))
    y, t = np.zeros((problems, rows)), np.full(problems, -1.0)
    rest = target - combined(w)
    start = np.maximum(np.abs(rest).mean(axis=1, keepdims=True), 1e-3) if rows else rest
    u, v = np.maximum(rest, 0) + start, np.maximum(-rest, 0) + start
    system = np.zeros((problems, columns + 1, columns + 1))
    system[:, :-1, -1], system[:, -1, :-1] = -1, 1
    diagonal = np.arange(columns)
    for _ in range(ITERATIONS):
        below, above = 1 - y, 1 + y
        off_rows = target - combined(w) - u + v
        off_columns = -by_column(y) - t[:, None] - s
        gap = (u * below).sum(axis=1) + (v * above).sum(axis=1) + (w * s).sum(axis=1)
        off = np.maximum(np.abs(off_rows).max(axis=1, initial=0.0), np.abs(off_columns).max(axis=1))
        done = np.maximum(gap, off) < TOLERANCE
        if done.all():
            break
        width = np.maximum(u / below + v / above, NEGLIGIBLE)
        divided = matrix / width[..., None]
        system[:, :-1, :-1] = divided.transpose(0, 2, 1) @ matrix
        system[:, diagonal, diagonal] += s / w
        system[:, diagonal, diagonal] *= 1 + NEGLIGIBLE  # equal columns make it singular near the end

        def direction(for_u: np.ndarray, for_v: np.ndarray, for_w: np.ndarray) -> tuple[np.ndarray, ...]:
            """Solves for the step that makes the products u (1 - y), v (1 + y), w s change as given."""
            off_y = off_rows - for_u / below + for_v / above  # noqa: B023 (called in this iteration only)
            right = np.empty((problems, columns + 1))
            right[:, :-1] = for_w / w - off_columns + (off_y[:, None, :] @ divided)[:, 0]  # noqa: B023
            right[:, -1] = 1 - w.sum(axis=1)  # noqa: B023
            solved = np.linalg.solve(system, right[..., None])[..., 0]
            dw, dt = solved[:, :-1], solved[:, -1]
            dy = (off_y - combined(dw)) / width  # noqa: B023
            return (dw, (for_u + u * dy) / below, (for_v - v * dy) / above, dy, dt,  # noqa: B023
                    off_columns - by_column(dy) - dt[:, None])  # noqa: B023

        def steps(dw: np.ndarray, du: np.ndarray, dv: np.ndarray, dy: np.ndarray,
                  ds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            """Returns how far to go with primal and dual variables, shapes (problems, 1)."""
            primal = _longest((w, dw), (u, du), (v, dv))  # noqa: B023
            dual = _longest((s, ds), (below, -dy), (above, dy))  # noqa: B023
            return primal, dual

        dw, du, dv, dy, dt, ds = direction(-u * below, -v * above, -w * s)
        primal, dual = steps(dw, du, dv, dy, ds)
        left = (((u + primal * du) * (below - dual * dy)).sum(axis=1)
                + ((v + primal * dv) * (above + dual * dy)).sum(axis=1)
                + ((w + primal * dw) * (s + dual * ds)).sum(axis=1))
        centre = (np.divide(left, gap, out=np.zeros_like(gap), where=~done) ** 3 * gap / (2 * rows + columns))[:, None]
        dw, du, dv, dy, dt, ds = direction(centre - u * below + du * dy, centre - v * above - dv * dy,
                                           centre - w * s - dw * ds)
        primal, dual = steps(dw, du, dv, dy, ds)
        primal[done] = dual[done] = 0.0
        w, u, v = w + primal * dw, u + primal * du, v + primal * dv
        y, t, s = y + dual * dy, t + dual[:, 0] * dt, s + dual * ds
    return w / w.sum(axis=1, keepdims=True)


def _longest(*moves: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Returns how much of the steps keeps all values above 0, at most 1, shape (problems, 1)."""
    with np.errstate(over='ignore'):
        fastest = np.maximum.reduce([(-step / value).max(axis=1, initial=0.0) for value, step in moves])
    return np.minimum(TO_THE_BORDER / np.maximum(fastest, TO_THE_BORDER), 1.0)[:, None]
