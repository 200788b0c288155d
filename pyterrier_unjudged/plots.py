"""Pictures, for people who would rather look than read.

Each function draws onto a matplotlib Axes and returns it. matplotlib comes with ``pip install
pyterrier-unjudged[plots]``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy.stats import sem, t

from pyterrier_unjudged.analysis import ScoreMatrix, accuracy, rank_correlation
from pyterrier_unjudged.parsing import parse_measure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pyterrier_unjudged.analysis import DecisionMatrix, DiscriminativePower

MARKERS = 'o|dsX^v<>P*'
LINES = ['-', '--', ':', '-.']
#: cases of the decision matrix and their colours
CASES = {'1: no difference, comparable': '#b7e1cd', '2: no difference, not comparable': '#fce8b2',
         '3: difference, comparable': '#57a773', '4: difference, not comparable': '#d9534f'}
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


def asl_curve(power: DiscriminativePower, *, highest: float = 0.15, ax: Axes | None = None) -> Axes:
    """Draws the achieved significance levels of all pairs of systems in ascending order, one curve per measure.

    The further to the right a curve crosses the line of the significance level, the more discriminative the measure.

    Args:
        power: what :func:`~pyterrier_unjudged.analysis.discriminative_power` returned.
        highest: highest level that is shown.
        ax: where to draw; by default a new figure.

    Raises:
        ImportError: where matplotlib is missing.

    Source: Sakai, Evaluating Evaluation Metrics based on the Bootstrap, SIGIR 2006, Figure 2.

    Example:
        >>> from pyterrier_unjudged.analysis import discriminative_power
        >>> scores = pd.DataFrame([(name, qid, 'AP', value) for name, value in (('a', 0.1), ('b', 0.9))
        ...                        for qid in '12'], columns=['name', 'qid', 'measure', 'value'])
        >>> asl_curve(discriminative_power(scores)).get_xlabel()  # doctest: +SKIP
        'pairs of systems'
    """
    ax = _new_axes(8) if ax is None else ax
    for number, measure in enumerate(power.to_frame()['measure']):
        levels = np.sort(power.pairs.loc[power.pairs['measure'] == measure, 'asl'])
        ax.plot(np.arange(1, len(levels) + 1), levels, label=measure, color=f'C{number % 10}',
                linestyle=LINES[number // 10 % len(LINES)])
    ax.axhline(power.alpha, color='0.6', linewidth=0.8, linestyle=':')
    ax.set_ylim(-0.02 * highest, highest)
    ax.set_xlabel('pairs of systems')
    ax.set_ylabel('achieved significance level')
    _legend(ax)
    return ax


def robustness(study: pd.DataFrame, *, axes: Sequence[Axes] | None = None) -> Sequence[Axes]:
    """Draws how the ranking of systems and the mean score change when judgments go missing, one curve per measure.

    Args:
        study: what :func:`~pyterrier_unjudged.robustness` returned: columns ``rate``, ``seed``, ``measure``, ``tau``,
            ``value``. Seeds are averaged.
        axes: two, for the correlations and for the scores; by default those of a new figure.

    Returns:
        The two Axes.

    Raises:
        ValueError: where a column is missing.
        ImportError: where matplotlib is missing.

    Source: Sakai, Alternatives to bpref, SIGIR 2007, Figures 1 and 2.

    Example:
        >>> study = pd.DataFrame({'rate': [1.0, 0.5], 'seed': 0, 'measure': 'AP', 'tau': [1.0, 0.8], 'value': 0.3})
        >>> [ax.get_ylabel() for ax in robustness(study)]  # doctest: +SKIP
        ["Kendall's tau with all judgments", 'mean score']
    """
    _require(study, ['rate', 'seed', 'measure', 'tau', 'value'], 'the study')
    axes = _pyplot().subplots(1, 2, figsize=(10, 4.5), layout='constrained')[1] if axes is None else axes
    means = study.groupby(['measure', 'rate'], sort=False)[['tau', 'value']].mean().reset_index()
    for number, (measure, points) in enumerate(means.groupby('measure', sort=False)):
        points = points.sort_values('rate', ascending=False)
        for ax, column in zip(axes, ('tau', 'value'), strict=True):
            ax.plot(100 * points['rate'], points[column], label=str(measure), color=f'C{number % 10}',
                    marker=MARKERS[number % len(MARKERS)], linestyle=LINES[number // 10 % len(LINES)])
    for ax, label in zip(axes, ("Kendall's tau with all judgments", 'mean score'), strict=True):
        ax.set_xlabel('judgments kept (%)')
        ax.set_xlim(102, 0)
        ax.set_ylabel(label)
    _legend(axes[1])
    return axes


def shallow_pools(study: pd.DataFrame, *, variation: pd.DataFrame | None = None,
                  by_theta: pd.DataFrame | None = None, axes: Sequence[Axes] | None = None) -> Sequence[Axes]:
    """Draws how estimates from shallow pools get better with depth, one curve per method.

    Three pictures: the root mean squared error, Kendall's distance of the ranking of systems from that by all judgments
    (the share of pairs in another order), and the distance that counts how sure the differences are. Two more where
    there are data for them: the coefficient of variation gamma by depth, and the error by theta.

    Args:
        study: what :func:`~pyterrier_unjudged.shallow_pools` returned for one measure.
        variation: gamma of topics, columns ``depth``, ``gamma``: :attr:`GainEstimator.variation` at several depths.
        by_theta: columns ``theta``, ``method``, ``rmse``: :func:`~pyterrier_unjudged.accuracy` at several thetas.
        axes: as many as there are pictures; by default those of a new figure.

    Returns:
        The Axes.

    Raises:
        ValueError: where a column is missing, or the study has several measures.
        ImportError: where matplotlib is missing.

    Source: Lu, Moffat & Culpepper, SIGIR 2017, Figures 3 and 4.

    Example:
        >>> study = pd.DataFrame({'depth': 10, 'method': 'LB', 'name': ['a', 'a', 'b', 'b'], 'qid': ['1', '2'] * 2,
        ...                       'value': 0.3, 'reference': 0.4, 'residual': 0.1, 'measure': 'P@10'})
        >>> [ax.get_ylabel() for ax in shallow_pools(study)]  # doctest: +SKIP
        ['RMSE', "Kendall's distance", 'distance (Eq. 11)']
    """
    _require(study, ['depth', 'method', 'name', 'qid', 'value', 'reference', 'residual', 'measure'], 'the study')
    if len(set(study['measure'])) > 1:
        raise ValueError(f"The study has several measures, {sorted(set(study['measure']))}. Choose one.")
    errors = accuracy(study)
    rows = []
    for (depth, method), part in study.groupby(['depth', 'method'], sort=False):
        estimated, reference = (part.pivot_table(values, 'name', 'qid') for values in ('value', 'reference'))
        tau = rank_correlation(estimated.mean(axis=1), reference.mean(axis=1), 'tau').statistic
        rows.append((depth, method, (1 - tau) / 2, rank_correlation(reference.to_numpy(), estimated.to_numpy(),
                                                                    'dist').statistic))
    distances = pd.DataFrame(rows, columns=['depth', 'method', 'tau', 'dist'])
    pictures = [(errors, 'depth', 'rmse', 'pool depth', 'RMSE'),
                (distances, 'depth', 'tau', 'pool depth', "Kendall's distance"),
                (distances, 'depth', 'dist', 'pool depth', 'distance (Eq. 11)')]
    if variation is not None:
        _require(variation, ['depth', 'gamma'], 'variation')
        finite = variation[np.isfinite(variation['gamma'])]
        mean = finite.groupby('depth')['gamma'].mean().reset_index().assign(method='mean of topics')
        pictures.append((mean, 'depth', 'gamma', 'pool depth', 'coefficient of variation'))
    if by_theta is not None:
        _require(by_theta, ['theta', 'method', 'rmse'], 'by_theta')
        pictures.append((by_theta, 'theta', 'rmse', 'theta', 'RMSE'))
    if axes is None:
        axes = _pyplot().subplots(1, len(pictures), figsize=(4 * len(pictures) + 1, 3.6), layout='constrained')[1]
    if len(axes) != len(pictures):
        raise ValueError(f'There are {len(pictures)} pictures to draw, and {len(axes)} axes.')
    for ax, (frame, x, y, xlabel, ylabel) in zip(axes, pictures, strict=True):
        for number, (method, points) in enumerate(frame.groupby('method', sort=False)):
            points = points.sort_values(x)
            ax.plot(points[x], points[y], label=str(method), color=f'C{number % 10}',
                    marker=MARKERS[number % len(MARKERS)])
        ax.set_xlabel(xlabel)
        ax.set_ylabel(ylabel)
    _legend(axes[2])
    return axes


def decision_matrix(decisions: DecisionMatrix, *, ax: Axes | None = None) -> Axes:
    """Draws the case of each pair of systems as a coloured square, systems ordered by score.

    Green squares are strong cases, where the comparison can be relied on; orange and red ones are weak.

    Args:
        decisions: what :func:`~pyterrier_unjudged.decision_matrix` returned.
        ax: where to draw; by default a new figure.

    Raises:
        ImportError: where matplotlib is missing.

    Source: Baillie, Azzopardi & Ruthven, IPM 2008, Figure 3.
    """
    ax = _new_axes(len(decisions.names)) if ax is None else ax
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch
    cases = decisions.matrix().to_numpy()
    ax.imshow(np.ma.masked_equal(cases, 0), cmap=ListedColormap(list(CASES.values())), vmin=0.5, vmax=4.5)
    places = range(len(decisions.names))
    ax.set_yticks(places, decisions.names)
    ax.set_xticks(places, decisions.names, rotation=90)
    ax.set_title(f'{decisions.performance} and {decisions.assessment}')
    ax.legend(handles=[Patch(color=colour, label=label) for label, colour in CASES.items()], loc='center left',
              bbox_to_anchor=(1.0, 0.5), frameon=False)
    return ax


def assessment_by_depth(scores: pd.DataFrame, performance: str, assessment: str,
                        depths: Sequence[int] = (10, 30, 100, 500, 1000), *, confidence: float = 0.95,
                        axes: np.ndarray | None = None) -> np.ndarray:
    """Draws the means of performance and assessment of all systems, with confidence intervals, at several depths.

    Systems keep one order in all pictures, that of their performance at the first depth.

    Args:
        scores: columns ``name``, ``qid``, ``measure``, ``value``, as ``pt.Experiment(…, perquery=True)`` returns them,
            with both measures at each depth.
        performance: the measure of performance without a depth, such as ``'AP'``.
        assessment: the measure of assessment without one, such as ``'Assessment(P)'``.
        depths: the depths.
        confidence: confidence of the intervals, of Student's t distribution over topics.
        axes: shape (2, depths); by default those of a new figure.

    Returns:
        The Axes, shape (2, depths): performance above, assessment below.

    Raises:
        ValueError: on malformed scores, and measures that they don't have.
        ImportError: where matplotlib is missing.

    Source: Baillie, Azzopardi & Ruthven, IPM 2008, Figures 5 to 10.
    """
    if axes is None:
        axes = _pyplot().subplots(2, len(depths), figsize=(2.6 * len(depths) + 1, 5), layout='constrained',
                                  squeeze=False)[1]
    order = None
    for column, depth in enumerate(depths):
        for row, measure in enumerate((performance, assessment)):
            matrix = ScoreMatrix.of(scores, repr(parse_measure(measure) @ depth))
            if order is None:
                order = matrix.names[np.argsort(-matrix.values.mean(axis=1), kind='stable')]
            values = matrix.values[pd.Index(matrix.names).get_indexer(order)]
            error = sem(values, axis=1) * t.ppf((1 + confidence) / 2, values.shape[1] - 1)
            ax = axes[row, column]
            ax.errorbar(range(len(order)), values.mean(axis=1), error, fmt='.', markersize=4, elinewidth=0.8)
            ax.set_title(repr(parse_measure(measure) @ depth), fontsize='small')
            ax.set_ylim(bottom=0)
            ax.set_xticks([])
        axes[1, column].set_xlabel('systems')
    return axes


def _draw_marks(ax: Axes, marks: pd.DataFrame, qids: list[str]) -> None:
    for number, (measure, points) in enumerate(marks.groupby('measure', sort=False)):
        ax.scatter(points['value'], [qids.index(qid) for qid in points['qid']], marker=MARKERS[number % len(MARKERS)],
                   color=f'C{1 + number % 9}', s=40, zorder=3, label=str(measure), clip_on=False)


def _new_axes(rows: int) -> Axes:
    return _pyplot().subplots(figsize=(7, 1.6 + ROW_INCHES * rows), layout='constrained')[1]


def _pyplot() -> Any:
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError('Plots need matplotlib: pip install pyterrier-unjudged[plots]') from None
    return pyplot


def _legend(ax: Axes) -> None:
    """Puts the legend beside the picture, so that it hides no curve."""
    ax.legend(loc='center left', bbox_to_anchor=(1.0, 0.5), frameon=False)


def _require(frame: pd.DataFrame, columns: list[str], what: str) -> None:
    missing = [column for column in columns if column not in frame.columns]
    if missing:
        raise ValueError(f'{what} lacks the column(s) {missing}; it has {list(frame.columns)}.')
