"""The distribution without sampling: every outcome where they are few, a dynamic program where they are many."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pyterrier_unjudged.judged_run import JudgedRun
from pyterrier_unjudged.kernels import Score, WeightedSum
from pyterrier_unjudged.treatments.bootstrap.draws import Distribution, Slots, blocks

GRID = 4096  #: cells between the lowest and the highest score of a topic
STATES_TIMES_GRID = 1 << 20  #: the grid gets coarser where scarce grades make many states
FEW = 4096  #: outcomes that are enumerated although there is a dynamic program
MANY = 1 << 18  #: outcomes that are enumerated where there is none
NEGLIGIBLE = 1e-15  #: probability below which a state of the dynamic program is dropped


def distributions(run: JudgedRun, topics: np.ndarray, score: Score, prior: np.ndarray,
                  name: str) -> Iterator[Distribution]:
    """Yields support and mass for each topic; the topics have the same number of unjudged documents.

    Raises:
        ValueError: where a measure that is not linear in gains has too many outcomes; it names the measure and the
            topic.
    """
    possible = [np.flatnonzero(prior[topic][run.unjudged[topic]].any(axis=0)) for topic in topics]
    unjudged = int(run.unjudged[topics[0]].sum())
    outcomes = np.array([float(len(grades)) ** unjudged for grades in possible])
    linear = isinstance(score, WeightedSum)
    enumerated = outcomes <= (FEW if linear else MANY)
    if not linear and not enumerated.all():
        first = int(np.argmin(enumerated))
        raise ValueError(
            f'{name} has {outcomes[first]:.2g} outcomes for topic {run.qids[topics[first]]!r} '
            f'({unjudged} unjudged documents, {len(possible[first])} possible grades), too many to try them all. Give '
            'a number of samples, such as b=1000, or a lower cutoff.')
    for grades in sorted({tuple(grades) for grades, few in zip(possible, enumerated, strict=True) if few}):
        alike = np.array([few and tuple(own) == grades for own, few in zip(possible, enumerated, strict=True)])
        outcome = np.stack(np.meshgrid(*[np.array(grades, np.int16)] * unjudged, indexing='ij'), -1)
        yield from _enumerated(run, topics[alike], score, prior, outcome.reshape(-1, unjudged))
    for topic in topics[~enumerated]:
        yield _on_grid(Slots(run, np.array([topic])), score, prior[topic])


def _enumerated(run: JudgedRun, topics: np.ndarray, score: Score, prior: np.ndarray,
                outcomes: np.ndarray) -> Iterator[Distribution]:
    for slots in blocks(run, topics, outcomes.size):
        chance = prior[slots.topics[:, None], slots.ranks]  # (block, unjudged, grades)
        mass = np.ones((len(slots.topics), len(outcomes)))
        for place, grades in enumerate(outcomes.T):
            mass *= chance[:, place, grades]
        wanted = np.broadcast_to(outcomes, (len(slots.topics), *outcomes.shape))
        scores = slots.score(score, slots.grant(wanted))
        order = np.argsort(scores, axis=1, kind='stable')
        yield Distribution(slots.topics, np.take_along_axis(scores, order, axis=1),
                           np.take_along_axis(mass, order, axis=1))


def _on_grid(slots: Slots, score: WeightedSum, prior: np.ndarray) -> Distribution:
    """Returns the distribution of one topic by a dynamic program over its unjudged documents, top down.

    The state is how many documents of each scarce grade are left; each state has a mass function over scores. A score
    between two cells is split between them so that the mean stays exact.
    """
    run, topic, ranks = slots.run, slots.topics[0], slots.ranks[0]
    labels, pool, left = run.labels[topic], run.pool[topic], run.pool_left[topic]
    weights, gains = score.weights(len(labels))[ranks], score.gains(len(pool))
    lowest = score.total(labels, len(pool)) + weights.sum() * gains.min()
    spread = weights.sum() * (gains.max() - gains.min())

    states = _States(left, len(ranks))
    # A multiple of the number of documents, so that the scores of equal weights (P, R) fall on cells.
    cells = max(min(GRID, STATES_TIMES_GRID // len(states.left)) // len(ranks), 1) * len(ranks)
    step = spread / cells if spread > 0 else 1.0
    mass = np.zeros((len(states.left), cells + len(ranks) + 1))  # each split may push the top up by one cell
    mass[states.first, 0] = 1.0
    reached = 1  # cells that may have mass so far
    granted = wanted = None
    for weight, chance in zip(weights, prior[ranks], strict=True):
        if wanted is None or not np.array_equal(chance, wanted):
            granted, wanted = states.granted(chance), chance
        before, mass = mass[:, :reached], np.zeros_like(mass)
        live = np.flatnonzero(before.sum(axis=1) > NEGLIGIBLE)
        shifts = weight * (gains - gains.min()) / step
        for grade, shift in enumerate(shifts):
            rows = live[granted[live, grade] > 0]
            if len(rows):
                moved = granted[rows, grade, None] * before[rows]
                _add_shifted(mass, states.after(rows, grade), moved, shift)
        reached = min(reached + int(np.ceil(shifts.max())), mass.shape[1])
    total = mass.sum(axis=0)
    cells = np.flatnonzero(total > NEGLIGIBLE)
    scores = score.normalised(lowest + cells * step, pool)
    return Distribution(slots.topics, scores[None, :], (total[cells] / total[cells].sum())[None, :])


def _add_shifted(mass: np.ndarray, rows: np.ndarray, moved: np.ndarray, cells: float) -> None:
    """Adds ``moved`` to ``mass``, further up by a number of cells that need not be whole."""
    whole = int(np.floor(cells + 1e-9))
    part = max(cells - whole, 0.0)
    width = moved.shape[1]
    mass[rows, whole:whole + width] += (1 - part) * moved
    if part:
        mass[rows, whole + 1:whole + 1 + width] += part * moved


class _States:
    """How many documents of the scarce grades are left; grades that the pool can always grant have no part in it.

    Attributes:
        left: documents left of each grade in each state, shape (states, grades); 0 for grades the pool lacks.
        first: the state in which nothing is taken yet.
    """

    def __init__(self, left: np.ndarray, unjudged: int):
        self._scarce = left < unjudged
        self._scarce[0] = False  # grade 0 is granted even where the pool has none left
        self._shape = np.where(self._scarce, left, 0) + 1
        self.left = np.stack(np.unravel_index(np.arange(self._shape.prod()), self._shape), axis=1)
        self.first = len(self.left) - 1

    def granted(self, wanted: np.ndarray) -> np.ndarray:
        """Returns the probability that a grade is granted in each state, shape (states, grades), given that wanted."""
        granted = np.zeros(self.left.shape)
        refused = np.zeros(len(self.left))
        for grade in range(len(wanted) - 1, -1, -1):
            asked = wanted[grade] + refused
            available = ~self._scarce[grade] | (self.left[:, grade] > 0)
            granted[:, grade] = np.where(available, asked, 0.0)
            refused = np.where(available, 0.0, asked)
        return granted

    def after(self, states: np.ndarray, grade: int) -> np.ndarray:
        """Returns the states after a document of this grade was taken."""
        return states - (int(np.prod(self._shape[grade + 1:])) if self._scarce[grade] else 0)
