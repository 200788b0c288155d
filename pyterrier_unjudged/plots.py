"""Pictures, for people who would rather look than read.

Each function draws onto a matplotlib Axes and returns it. matplotlib comes with ``pip install
pyterrier-unjudged[plots]``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARKERS = 'o|dsX^v<>P*'
BINS = 50
ROW_INCHES = 0.42


def distributions(scores: pd.DataFrame, marks: pd.DataFrame | None = None, *, qids: Sequence[str] | None = None,
                  ax: Axes | None = None) -> Axes:
    """Draws the score distribution of each topic, one row per topic, with point scores as marks on it.

    Args:
        scores: distributions as :func:`~pyterrier_unjudged.bootstrap_scores` returns them: columns ``qid``, ``scores``
            and, where they are exact, ``mass``.
        marks: point scores of the same run, columns ``qid``, ``measure``, ``value``: what
            ``pt.Experiment(…, perquery=True)`` returns for one system. Each measure gets a mark of its own.
        qids: the topics to draw, top down; by default all that have more than one possible score.
        ax: where to draw; by default a new figure, as tall as the topics need.

    Raises:
        ValueError: where a column or a topic is missing, or there is no topic to draw.
        ImportError: where matplotlib is missing.

    Source: Fröbe et al., Bootstrapped nDCG Estimation in the Presence of Unjudged Documents, ECIR 2023, Figure 1.

    Example:
        >>> scores = pd.DataFrame({'qid': ['q'], 'scores': [np.array([0.5, 1.0])], 'mass': [np.array([0.2, 0.8])]})
        >>> distributions(scores).get_ylabel()  # doctest: +SKIP
        'topic'
    """
    _require(scores, ['qid', 'scores'], 'scores')
    if marks is not None:
        _require(marks, ['qid', 'measure', 'value'], 'marks')
        systems = set(marks['name']) if 'name' in marks.columns else set()
        if len(systems) > 1:
            raise ValueError(f"The marks are of several systems, {sorted(systems)}. Choose one, e.g. with "
                             "marks[marks['name'] == …].")
    rows = {row.qid: row for row in scores.itertuples()}
    if qids is None:
        qids = [qid for qid, row in rows.items() if np.ptp(row.scores) > 0]
    unknown = [qid for qid in qids if qid not in rows]
    if unknown:
        raise ValueError(f'There is no distribution for topic(s) {unknown}, only for {list(rows)[:10]} ….')
    if not len(qids):
        raise ValueError('There is no topic to draw: no topic has an unjudged document, so that each has one score. '
                         'Name topics with qids=[…] to draw them all the same.')
    if ax is None:
        ax = _new_axes(len(qids))

    high = max(1.0, max(float(np.max(rows[qid].scores)) for qid in qids))
    edges = np.linspace(0, high, BINS + 1)
    for place, qid in enumerate(qids):
        share, _ = np.histogram(rows[qid].scores, edges, weights=getattr(rows[qid], 'mass', None))
        top = place - 0.85 * share / share.max()  # rows are numbered from the top down
        ax.stairs(top, edges, baseline=place, fill=True, color='tab:blue', alpha=0.45, zorder=2,
                  label='distribution' if place == 0 else None)
        ax.axhline(place, color='0.85', linewidth=0.8, zorder=1)
    if marks is not None:
        _draw_marks(ax, marks[marks['qid'].isin(list(qids))], list(qids))
    ax.set_yticks(range(len(qids)), qids)
    ax.set_ylim(len(qids) - 0.5, -1.1)
    ax.set_xlim(-0.02 * high, 1.02 * high)
    ax.set_xlabel('score')
    ax.set_ylabel('topic')
    ax.legend(loc='upper center', bbox_to_anchor=(0.5, -0.6 / len(qids) - 0.05), ncols=3, frameon=False)
    return ax


def _draw_marks(ax: Axes, marks: pd.DataFrame, qids: list[str]) -> None:
    for number, (measure, points) in enumerate(marks.groupby('measure', sort=False)):
        ax.scatter(points['value'], [qids.index(qid) for qid in points['qid']], marker=MARKERS[number % len(MARKERS)],
                   color=f'C{1 + number % 9}', s=40, zorder=3, label=str(measure), clip_on=False)


def _new_axes(rows: int) -> Axes:
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError('Plots need matplotlib: pip install pyterrier-unjudged[plots]') from None
    return pyplot.subplots(figsize=(7, 1.6 + ROW_INCHES * rows), layout='constrained')[1]


def _require(frame: pd.DataFrame, columns: list[str], what: str) -> None:
    missing = [column for column in columns if column not in frame.columns]
    if missing:
        raise ValueError(f'{what} lacks the column(s) {missing}; it has {list(frame.columns)}.')
