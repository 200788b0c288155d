"""Scores of systems for topics as an array: the form that statistics work on."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd


class ScoreMatrix(NamedTuple):
    """The scores of one measure.

    Attributes:
        names: the systems, in the order of the input, shape (systems,).
        qids: the topics in ascending order, shape (topics,).
        values: shape (systems, topics).
    """

    names: np.ndarray
    qids: np.ndarray
    values: np.ndarray

    @classmethod
    def of(cls, scores: pd.DataFrame, measure: str) -> ScoreMatrix:
        """Reads one measure out of the frame that ``pt.Experiment(…, perquery=True)`` returns.

        Args:
            scores: columns ``name``, ``qid``, ``measure``, ``value``.
            measure: a measure as it stands in the column ``measure``.

        Raises:
            ValueError: on missing columns, an unknown measure, scores that are no numbers, and systems that lack a
                topic or have one twice.
        """
        require_scores(scores)
        own = scores[scores['measure'].astype(str) == str(measure)]
        if own.empty:
            known = sorted(scores['measure'].astype(str).unique())
            raise ValueError(f'The scores have no measure {str(measure)!r}; they have {known}.')
        system, names = pd.factorize(own['name'])
        topic, qids = pd.factorize(own['qid'], sort=True)
        values = np.full((len(names), len(qids)), np.nan)
        values[system, topic] = own['value'].to_numpy(dtype=float)
        times = np.bincount(system * len(qids) + topic, minlength=values.size).reshape(values.shape)
        for wrong, complaint in ((times > 1, 'twice. Keep one of the rows, or give the systems different names'),
                                 (times < 1, 'not at all. Evaluate all systems on the same topics'),
                                 (~np.isfinite(values), 'with a value that is no number. Drop the topic')):
            if wrong.any():
                name, qid = (index[0] for index in np.nonzero(wrong))
                raise ValueError(f'The scores have {str(measure)} of system {names[name]!r} for topic {qids[qid]!r} '
                                 f'{complaint}.')
        return cls(np.asarray(names), np.asarray(qids), values)

    def pairs(self) -> tuple[np.ndarray, np.ndarray]:
        """Returns the positions of both systems of each pair, the earlier one first, shapes (pairs,).

        Raises:
            ValueError: where there is only one system.
        """
        if len(self.names) < 2:
            raise ValueError(f'A comparison needs two systems at least; the scores have only {self.names[0]!r}.')
        return np.triu_indices(len(self.names), 1)


def require_scores(scores: pd.DataFrame) -> None:
    """Raises a ValueError unless a frame has the columns of ``pt.Experiment(…, perquery=True)``."""
    missing = [column for column in ('name', 'qid', 'measure', 'value') if column not in scores.columns]
    if missing:
        raise ValueError(f'The scores lack the column(s) {missing}; they have {list(scores.columns)}. Make them with '
                         'pt.Experiment(…, perquery=True).')
    if scores.empty:
        raise ValueError('The scores are empty. Make them with pt.Experiment(…, perquery=True).')
