import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from pyterrier_unjudged import accuracy, discriminative_power, plots, rank_correlation

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


def test_asl_curves_ascend():
    scores = pd.DataFrame([(name, str(qid), measure, value + step * place + 0.1 * ((qid * (place + 2)) % 5))
                           for measure, step in (('AP', 0.01), ('nDCG', 0.5)) for place, name in enumerate('abcd')
                           for qid, value in enumerate([0.1, 0.5, 0.3, 0.4, 0.2, 0.9])],
                          columns=['name', 'qid', 'measure', 'value'])
    power = discriminative_power(scores, b=100)
    ax = plots.asl_curve(power, ax=axes())
    assert labels(ax) == power.to_frame()['measure'].tolist()
    for line, name in zip(ax.get_lines(), labels(ax), strict=False):
        assert line.get_xdata().tolist() == [1, 2, 3, 4, 5, 6]
        assert line.get_ydata().tolist() == sorted(power.pairs.loc[power.pairs['measure'] == name, 'asl'])


def test_robustness_averages_seeds():
    study = pd.DataFrame({'rate': [1.0, 1.0, 0.5, 0.5], 'seed': [0, 1, 0, 1], 'measure': 'AP',
                          'tau': [1.0, 1.0, 0.6, 0.8], 'value': [0.4, 0.4, 0.1, 0.3]})
    figure = Figure()
    correlations, scores = plots.robustness(study, axes=figure.subplots(1, 2))
    assert correlations.get_lines()[0].get_xdata().tolist() == [100, 50]
    assert correlations.get_lines()[0].get_ydata() == pytest.approx([1, 0.7])
    assert scores.get_lines()[0].get_ydata() == pytest.approx([0.4, 0.2])
    with pytest.raises(ValueError, match=r"the study lacks the column\(s\) \['tau'\]"):
        plots.robustness(study.drop(columns='tau'))


def test_shallow_pools():
    random = np.random.default_rng(1)
    study = pd.DataFrame([(depth, method, name, qid, random.random(), random.random(), 0.05, 'P@10')
                          for depth in (10, 20) for method in ('LB', 'RM') for name in 'abc' for qid in '123'],
                         columns=['depth', 'method', 'name', 'qid', 'value', 'reference', 'residual', 'measure'])
    variation = pd.DataFrame({'depth': [10, 10, 20], 'gamma': [0.2, np.inf, 0.1]})
    by_theta = pd.DataFrame({'theta': [0, 0.1], 'method': 'LB', 'rmse': [0.3, 0.2]})
    drawn = plots.shallow_pools(study, variation=variation, by_theta=by_theta, axes=Figure().subplots(1, 5))
    errors = accuracy(study).set_index(['method', 'depth'])['rmse']
    assert drawn[0].get_lines()[1].get_ydata() == pytest.approx(errors['RM'].to_numpy())
    for place, column in ((1, 'tau'), (2, 'dist')):
        part = study.query('method == "LB" and depth == 20')
        truth, estimate = (part.pivot_table(values, 'name', 'qid').to_numpy() for values in ('reference', 'value'))
        expected = rank_correlation(truth, estimate, column).statistic
        assert drawn[place].get_lines()[0].get_ydata()[1] == pytest.approx(
            (1 - expected) / 2 if column == 'tau' else expected)
    assert drawn[3].get_lines()[0].get_ydata() == pytest.approx([0.2, 0.1])
    assert drawn[4].get_lines()[0].get_ydata() == pytest.approx([0.3, 0.2])
    with pytest.raises(ValueError, match='several measures'):
        plots.shallow_pools(pd.concat([study, study.assign(measure='RBP')]))
    with pytest.raises(ValueError, match='3 pictures to draw, and 2 axes'):
        plots.shallow_pools(study, axes=Figure().subplots(1, 2))
