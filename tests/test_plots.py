import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from pyterrier_unjudged import plots

SCORES = pd.DataFrame({'qid': ['1', '2', '3'],
                       'scores': [np.array([0.2, 0.4, 0.4]), np.array([0.5, 0.5]), np.array([0.1, 0.9])]})
MARKS = pd.DataFrame([['1', 'lower', 0.2], ['1', 'upper', 0.4], ['3', 'lower', 0.1], ['2', 'lower', 0.5]],
                     columns=['qid', 'measure', 'value'])


def axes():
    return Figure().add_subplot()


def labels(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_draws_the_topics_that_are_uncertain():
    ax = plots.distributions(SCORES, MARKS, ax=axes())
    assert [text.get_text() for text in ax.get_yticklabels()] == ['1', '3']
    assert labels(ax) == ['distribution', 'lower', 'upper']
    points = ax.collections[0].get_offsets()
    assert points.tolist() == [[0.2, 0], [0.1, 1]]


def test_draws_the_topics_that_are_asked_for():
    ax = plots.distributions(SCORES, qids=['2', '1'], ax=axes())
    assert [text.get_text() for text in ax.get_yticklabels()] == ['2', '1']


def test_draws_exact_distributions_by_mass():
    exact = pd.DataFrame({'qid': ['1'], 'scores': [np.array([0.0, 1.0])], 'mass': [np.array([0.25, 0.75])]})
    ax = plots.distributions(exact, ax=axes())
    top = ax.patches[0].get_data().values
    assert (0 - top[0]) / (0 - top[-1]) == pytest.approx(1 / 3)


def test_makes_a_figure_where_none_is_given():
    pyplot = pytest.importorskip('matplotlib.pyplot')
    pyplot.switch_backend('agg')
    ax = plots.distributions(SCORES)
    assert ax.figure.get_figheight() == pytest.approx(1.6 + 2 * plots.ROW_INCHES)
    pyplot.close(ax.figure)


@pytest.mark.parametrize(('arguments', 'message'), [
    ((SCORES.drop(columns='scores'),), r"scores lacks the column\(s\) \['scores'\]"),
    ((SCORES, MARKS.drop(columns='value')), r"marks lacks the column\(s\) \['value'\]"),
    ((SCORES, MARKS.assign(name=list('aabb'))), r"marks are of several systems, \['a', 'b'\]"),
    ((SCORES[1:2],), 'no topic has an unjudged document'),
])
def test_bad_input_is_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        plots.distributions(*arguments, ax=axes())


def test_unknown_topics_are_named():
    with pytest.raises(ValueError, match=r"no distribution for topic\(s\) \['9'\]"):
        plots.distributions(SCORES, qids=['1', '9'], ax=axes())
