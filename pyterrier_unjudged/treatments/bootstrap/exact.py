"""The distribution without sampling: every outcome where they are few, a dynamic program where they are many."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pyterrier_unjudged.judged_run import JudgedRun
from pyterrier_unjudged.kernels import Score, WeightedSum
from pyterrier_unjudged.treatments.bootstrap.draws import Distribution, Slots, blocks

GRID = 4096  #: cells between the lowest and the highest score of a topic
COARSEST_GRID = 512  #: cells where scarce grades make many states
STATES_TIMES_GRID = 1 << 17  #: how many states are many: from there on the grid gets coarser
FEW = 2500  #: outcomes that are enumerated although there is a dynamic program
MANY = 1 << 18  #: outcomes that are enumerated where there is none
MOST_STATES = 1 << 15  #: states that fit into memory
NEGLIGIBLE = 1e-15  #: probability below which a state of the dynamic program is dropped


def distributions(run: JudgedRun, topics: np.ndarray, score: Score, prior: np.ndarray,
                  name: str) -> Iterator[Distribution]:
    """Yields support and mass for each topic; the topics have the same number of unjudged documents.

    Raises:
        ValueError: where there are too many outcomes; it names the measure and the topic.
    """
    unjudged = int(run.unjudged[topics[0]].sum())
    # Nobody can take more than there are unjudged documents, and grade 0 is granted even where none is left.
    left = np.minimum(run.pool_left[topics], unjudged)
    left[:, 0] = unjudged
    topics_with: dict[tuple[int, ...], list[int]] = {}
    for topic, own_left in zip(topics, left.tolist(), strict=True):
        topics_with.setdefault(tuple(own_left), []).append(topic)
    for pattern, alike in topics_with.items():
        outcomes = _outcomes(np.array(pattern), unjudged, FEW if isinstance(score, WeightedSum) else MANY)
        if outcomes:
            yield from _enumerated(run, np.array(alike), score, prior, *outcomes)
        elif isinstance(score, WeightedSum) and _States.number(np.array(pattern), unjudged) <= MOST_STATES:
            yield from (_on_grid(Slots(run, np.array([topic])), score, prior[topic]) for topic in alike)
        else:
            raise ValueError(
                f'{name} has too many outcomes for topic {run.qids[alike[0]]!r} with its {unjudged} unjudged '
                'documents. Give a number of samples, such as b=1000, or a lower cutoff.')


def _outcomes(left: np.ndarray, unjudged: int, most: int) -> tuple[np.ndarray, np.ndarray] | None:
    """Returns all grades that can be granted to the unjudged documents, None if there are more than ``most``.

    Args:
        left: documents left of each grade, shape (grades,).
        unjudged: how many documents want a grade.
        most: outcomes after which to give up.

    Returns:
        The granted grades, shape (outcomes, unjudged), and in the same shape the next better grade that was left: a
        grade is granted if it, or any other below that one, is wanted.
    """
    left = left[None, :]
    granted = better = np.empty((1, 0), dtype=np.int16)
    for _ in range(unjudged):
        outcome, grade = np.nonzero(left > 0)
        if len(outcome) > most:
            return None
        next_left = np.full(left.shape, left.shape[1])
        for lower in range(left.shape[1] - 2, -1, -1):
            next_left[:, lower] = np.where(left[:, lower + 1] > 0, lower + 1, next_left[:, lower + 1])
        granted = np.column_stack([granted[outcome], grade])
        better = np.column_stack([better[outcome], next_left[outcome, grade]])
        left = left[outcome]
        left[np.arange(len(outcome)), grade] -= 1
    return granted, better


def _enumerated(run: JudgedRun, topics: np.ndarray, score: Score, prior: np.ndarray, granted: np.ndarray,
                better: np.ndarray) -> Iterator[Distribution]:
    for slots in blocks(run, topics, len(granted) * run.labels.shape[1]):
        below = np.zeros((*slots.ranks.shape, prior.shape[-1] + 1))  # probability of wanting less than each grade
        below[..., 1:] = prior[slots.topics[:, None], slots.ranks].cumsum(axis=-1)
        mass = np.ones((len(slots.topics), len(granted)))
        for place in range(slots.ranks.shape[1]):
            mass *= below[:, place, better[:, place]] - below[:, place, granted[:, place]]
        scores = slots.score(score, np.broadcast_to(granted, (len(slots.topics), *granted.shape)))
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
    cells = int(np.clip(STATES_TIMES_GRID // len(states.left), COARSEST_GRID, GRID))
    cells = -(-cells // len(ranks)) * len(ranks)
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
        self._shape = self._counts(left, unjudged)
        self._scarce = left < unjudged
        self._scarce[0] = False
        self.left = np.stack(np.unravel_index(np.arange(self._shape.prod()), self._shape), axis=1)
        self.first = len(self.left) - 1

    @staticmethod
    def _counts(left: np.ndarray, unjudged: int) -> np.ndarray:
        """Returns in how many ways documents of each grade may be left, 1 for those that never run out."""
        counts = np.where(left < unjudged, left, 0) + 1
        counts[0] = 1  # grade 0 is granted even where the pool has none left
        return counts

    @classmethod
    def number(cls, left: np.ndarray, unjudged: int) -> float:
        """Returns how many states there are."""
        return cls._counts(left, unjudged).prod(dtype=float)

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
