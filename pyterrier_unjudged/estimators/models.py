"""Gain as a function of rank: three curves, fitted by bounded least squares to all topics at once.

A curve is scale times shape; for given shape parameters the best scale is known in closed form (variable projection;
Golub & Pereyra, 1973), so that only the shape is searched: from the best point of a grid by the Levenberg-Marquardt
method.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np

ZIPF_DOCUMENTS = 1000  #: documents over which Zipf's law is normalised
# A few judged ranks tell little of what comes behind them, and curves that hardly fall promise much. These bounds keep
# them from it: they were chosen on TREC 2003 Robust, where wider ones overestimate at pool depth 10.
ZIPF_EXPONENTS = (0.5, 5.0)
WEIBULL_SCALES = (0.2, 100.0)
WEIBULL_SHAPES = (0.1, 8.0)
MOST_GAIN = 1000.0  #: bound of a Weibull curve's gain over all ranks
ITERATIONS = 40  #: of the Levenberg-Marquardt method
DIFFERENCE = 1e-6  #: for numeric derivatives
BLOCK = 50  #: topics searched at a time


@dataclasses.dataclass(frozen=True)
class RankModel:
    """A curve family.

    Attributes:
        parameters: their names.
        fit: mean gains, shape (topics, ranks), NaN where unknown -> parameters, shape (topics, parameters).
        curve: parameters and ranks (from 1, broadcasting against the topics) -> gains before clipping to [0, 1].
    """

    parameters: tuple[str, ...]
    fit: Callable[[np.ndarray], np.ndarray]
    curve: Callable[[np.ndarray, np.ndarray], np.ndarray]

    def gains(self, parameters: np.ndarray, ranks: np.ndarray) -> np.ndarray:
        """Returns gains in [0, 1], shape (topics, ranks).

        Args:
            parameters: shape (topics, parameters).
            ranks: counted from 1, shape (ranks,) or (topics, ranks).
        """
        return np.clip(self.curve(parameters[:, :, None], ranks), 0.0, 1.0)


def _fit_linear(gain: np.ndarray) -> np.ndarray:
    ranks, known, gain = _known(gain)
    number = np.maximum(known.sum(axis=1), 1)
    mean_rank, mean_gain = (ranks * known).sum(axis=1) / number, gain.sum(axis=1) / number
    spread = np.where(known, ranks - mean_rank[:, None], 0.0)
    square = (spread ** 2).sum(axis=1)
    slope = np.divide((spread * gain).sum(axis=1), square, out=np.zeros(len(gain)), where=square > 0)
    slope = np.minimum(slope, 0.0)
    return np.stack([mean_gain - slope * mean_rank, slope], axis=1)


def _zipf_shape(exponent: np.ndarray, ranks: np.ndarray) -> np.ndarray:
    return ranks ** -exponent


def _fit_zipf(gain: np.ndarray) -> np.ndarray:
    scale, (exponent,) = _search(gain, _zipf_shape, [np.linspace(*ZIPF_EXPONENTS, 41)])
    return np.stack([scale * _harmonic(exponent), exponent], axis=1)


def _harmonic(exponent: np.ndarray) -> np.ndarray:
    return (np.arange(1, ZIPF_DOCUMENTS + 1) ** -exponent[..., None]).sum(axis=-1)


def _weibull_shape(log_scale: np.ndarray, log_shape: np.ndarray, ranks: np.ndarray) -> np.ndarray:
    scale, shape = np.exp(log_scale), np.exp(log_shape)
    return np.exp(-(ranks / scale) ** shape) - np.exp(-((ranks + 1) / scale) ** shape)


def _fit_weibull(gain: np.ndarray) -> np.ndarray:
    total, (log_scale, log_shape) = _search(
        gain, _weibull_shape, [np.linspace(*np.log(bounds), 33) for bounds in (WEIBULL_SCALES, WEIBULL_SHAPES)],
        MOST_GAIN)
    return np.stack([np.exp(log_scale), np.exp(log_shape), total], axis=1)


def _known(gain: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Returns the ranks down to the last known one, where the gain is known, and the gains, 0 where it isn't."""
    known = ~np.isnan(gain)
    last = int(known.any(axis=0).nonzero()[0].max(initial=0)) + 1
    gain, known = gain[:, :last], known[:, :last]
    return np.arange(1.0, gain.shape[1] + 1), known, np.where(known, gain, 0.0)


def _search(gain: np.ndarray, shape: Callable[..., np.ndarray],
            axes: list[np.ndarray], most: float = np.inf) -> tuple[np.ndarray, list[np.ndarray]]:
    """Returns the least-squares scale, shape (topics,), and shape parameters, each of shape (topics,), of each topic.

    Args:
        gain: mean gains, shape (topics, ranks), NaN where unknown.
        shape: shape parameters and ranks -> curve of scale 1.
        axes: the values of each shape parameter on the first grid; its ends are the bounds.
        most: bound of the scale.
    """
    if len(gain) > BLOCK:
        parts = [_search(gain[start:start + BLOCK], shape, axes, most) for start in range(0, len(gain), BLOCK)]
        return (np.concatenate([scale for scale, _ in parts]),
                [np.concatenate(values) for values in zip(*(found for _, found in parts), strict=True)])
    ranks, known, gain = _known(gain)
    low, high = (np.array([axis[end] for axis in axes])[:, None] for end in (0, -1))

    def projected(parameters: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Returns the best scale, shape (topics, points), and what it leaves of the gains, (topics, points, ranks)."""
        curve = np.where(known[:, None, :], shape(*parameters[..., None], ranks), 0.0)
        square = np.einsum('tpr,tpr->tp', curve, curve)
        product = np.einsum('tpr,tr->tp', curve, gain)
        scale = np.divide(product, square, out=np.zeros_like(square), where=square > 1e-300)
        scale = np.minimum(scale, most)
        return scale, gain[:, None, :] - scale[..., None] * curve

    grid = np.stack([values.ravel() for values in np.meshgrid(*axes, indexing='ij')])  # (parameters, points)
    _, rest = projected(np.broadcast_to(grid[:, None, :], (len(axes), len(gain), grid.shape[1])))
    best = grid[:, (rest ** 2).sum(axis=2).argmin(axis=1)]  # (parameters, topics)
    moves = np.concatenate([np.zeros((len(axes), 1)), DIFFERENCE * np.eye(len(axes))], axis=1)
    damping = np.ones(len(gain))
    for _ in range(ITERATIONS):
        # Differences point into the bounds.
        inward = np.where(best + DIFFERENCE > high, -1.0, 1.0)[..., None]
        _, rest = projected(best[..., None] + inward * moves[:, None, :])
        loss = (rest[:, 0] ** 2).sum(axis=1)
        slopes = (rest[:, 1:] - rest[:, :1]) / (DIFFERENCE * inward.transpose(1, 0, 2))
        normal = np.einsum('tpr,tqr->tpq', slopes, slopes)
        normal += (damping[:, None, None] * np.maximum(normal, 1e-12)) * np.eye(len(axes))
        step = np.linalg.solve(normal, -np.einsum('tpr,tr->tp', slopes, rest[:, 0])[..., None])[..., 0].T
        tried = np.clip(best + step, low, high)
        better = (projected(tried[..., None])[1][:, 0] ** 2).sum(axis=1) < loss
        best = np.where(better, tried, best)
        damping = np.clip(np.where(better, damping / 5, damping * 4), 1e-9, 1e9)
    return projected(best[..., None])[0][:, 0], list(best)


#: name -> curve. Lu, Moffat & Culpepper, Information Retrieval Journal 2016; SIGIR 2017, Section 3
MODELS = {
    'linear': RankModel(('intercept', 'slope'), _fit_linear,
                        lambda parameters, ranks: parameters[:, 0] + parameters[:, 1] * ranks),
    'zipf': RankModel(('lambda', 'c'), _fit_zipf,
                      lambda parameters, ranks: parameters[:, 0] / _harmonic(parameters[:, 1])
                      * ranks ** -parameters[:, 1]),
    'weibull': RankModel(('a', 'b', 'c'), _fit_weibull,
                         lambda parameters, ranks: parameters[:, 2] * _weibull_shape(
                             np.log(parameters[:, 0]), np.log(parameters[:, 1]), ranks)),
}
