import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import AP, P
from matplotlib.figure import Figure
from scipy import stats

from pyterrier_unjudged import Assessment, JudgedRun, Judgments, decision_matrices, decision_matrix, plots, read_runs
from pyterrier_unjudged.provider import evaluate


def frame(**measures) -> pd.DataFrame:
    """Measure -> system -> scores of topics, as the frame of pt.Experiment."""
    return pd.DataFrame([(name, f'{topic:02d}', measure, value) for measure, systems in measures.items()
                         for name, values in systems.items() for topic, value in enumerate(values)],
                        columns=['name', 'qid', 'measure', 'value'])


NOISE = np.tile([0.0, 0.02, -0.01, 0.01, -0.02], 4)
LOW, HIGH = 0.3 + NOISE, 0.6 + NOISE[::-1]
SAME = 0.3 + NOISE[::-1]


@pytest.mark.parametrize('test', ['tukey', 't'])
@pytest.mark.parametrize(('performance', 'assessment', 'case'), [
    ((LOW, SAME), (LOW, SAME), 1),
    ((LOW, SAME), (LOW, HIGH), 2),
    ((HIGH, LOW), (LOW, SAME), 3),
    ((HIGH, LOW), (LOW, HIGH), 3),  # better although fewer of its documents are assessed
    ((HIGH, LOW), (HIGH, LOW), 4),
    ((LOW, HIGH), (LOW, HIGH), 4),
])
def test_each_case(test, performance, assessment, case):
    scores = frame(P=dict(zip('ab', performance, strict=True)), A=dict(zip('ab', assessment, strict=True)))
    found = decision_matrix(scores, 'P', 'A', test=test)
    assert found.pairs['case'].tolist() == [case]
    assert found.pairs['sentence'][0].startswith('Weak' if case in (2, 4) else 'Strong')
    assert found.proportions['strong'].item() == (case in (1, 3))
    assert found.matrix().loc['a', 'b'] == found.matrix().loc['b', 'a'] == case


def test_sentences_name_the_systems():
    found = decision_matrix(frame(P={'a': LOW, 'b': HIGH}, A={'a': LOW, 'b': HIGH}), 'P', 'A')
    assert found.pairs['sentence'][0] == ('Weak: b is significantly better than a in P, but significantly more of its '
                                          'documents are assessed.')
    found = decision_matrix(frame(P={'a': LOW, 'b': SAME}, A={'a': LOW, 'b': HIGH}), 'P', 'A')
    assert 'more documents of b are assessed' in found.pairs['sentence'][0]


def random_scores(systems=5, topics=12) -> pd.DataFrame:
    random = np.random.default_rng(1)
    return frame(**{measure: {f's{number}': random.random(topics) + 0.2 * number for number in range(systems)}
                    for measure in ('P@10', 'Assessment(P@10)', 'P@20', 'Assessment(P@20)')})


def test_tukey_equals_statsmodels():
    """The error of an ANOVA with topics as blocks, by ordinary least squares."""
    smf = pytest.importorskip('statsmodels.formula.api')
    scores = random_scores()
    own = scores[scores['measure'] == 'P@10']
    model = smf.ols('value ~ C(name) + C(qid)', own).fit()
    means = own.groupby('name')['value'].mean()
    found = decision_matrix(scores, 'P@10', 'Assessment(P@10)').pairs
    for row in found.itertuples():
        distance = abs(means[row.name_a] - means[row.name_b]) / np.sqrt(model.mse_resid / 12)
        assert row.performance_pvalue == pytest.approx(stats.studentized_range.sf(distance, 5, model.df_resid))


def test_t_tests_are_corrected_over_all_pairs():
    scores = random_scores()
    values = scores[scores['measure'] == 'P@10'].pivot_table('value', 'name', 'qid').to_numpy()
    found = decision_matrix(scores, 'P@10', 'Assessment(P@10)', test='t').pairs
    assert found['performance_pvalue'][0] == pytest.approx(min(10 * stats.ttest_rel(values[0], values[1]).pvalue, 1))
    holm = decision_matrix(scores, 'P@10', 'Assessment(P@10)', test='t', correction='holm').pairs
    assert (holm['performance_pvalue'] <= found['performance_pvalue'] + 1e-12).all()


def test_a_row_of_the_table():
    table = decision_matrices(random_scores(), 'P', 'Assessment(P)', depths=[10, 20])
    assert table.index.tolist() == [10, 20]
    assert table[['case 1', 'case 2', 'case 3', 'case 4']].sum(axis=1).tolist() == pytest.approx([1, 1])
    assert (table['strong'] + table['weak']).tolist() == pytest.approx([1, 1])
    alone = decision_matrix(random_scores(), 'P@20', 'Assessment(P@20)').proportions
    assert table.loc[20].tolist() == alone.iloc[0].tolist()


def test_equal_systems():
    found = decision_matrix(frame(P={'a': LOW, 'b': LOW}, A={'a': LOW, 'b': LOW}), 'P', 'A', test='t').pairs
    assert found['performance_pvalue'].tolist() == [1]
    constant = decision_matrix(frame(P={'a': LOW, 'b': LOW + 0.1}, A={'a': LOW, 'b': LOW}), 'P', 'A', test='t').pairs
    assert constant['case'].tolist() == [3]


def test_picture():
    found = decision_matrix(random_scores(), 'P@10', 'Assessment(P@10)')
    ax = plots.decision_matrix(found, ax=Figure().add_subplot())
    assert [text.get_text() for text in ax.get_yticklabels()] == found.names == ['s4', 's3', 's2', 's1', 's0']
    drawn = ax.get_images()[0].get_array()
    assert (drawn.data == found.matrix().to_numpy()).all()
    assert drawn.mask.diagonal().all()


@pytest.mark.parametrize(('arguments', 'message'), [
    ({'performance': 'AP'}, "no measure 'AP'; they have"),
    ({'test': 'wilcoxon'}, "no test 'wilcoxon'"),
    ({'alpha': 2}, 'alpha must be in'),
])
def test_bad_input_is_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        decision_matrix(random_scores(), **{'performance': 'P@10', 'assessment': 'Assessment(P@10)', **arguments})


def test_both_measures_need_the_same_systems():
    scores = random_scores()
    scores = scores[(scores['name'] != 's1') | (scores['measure'] != 'Assessment(P@10)')]
    with pytest.raises(ValueError, match='not of the same systems and topics'):
        decision_matrix(scores, 'P@10', 'Assessment(P@10)')


def test_picture_by_depth():
    scores = random_scores()
    axes = plots.assessment_by_depth(scores, 'P', 'Assessment(P)', [10, 20], axes=Figure().subplots(2, 2))
    means = scores.groupby(['measure', 'name'])['value'].mean()
    order = means['P@10'].sort_values(ascending=False).index
    for column, depth in enumerate((10, 20)):
        for row, measure in enumerate((f'P@{depth}', f'Assessment(P@{depth})')):
            drawn = axes[row, column].lines[0].get_ydata()
            assert drawn == pytest.approx(means[measure][order].to_numpy())
    own = scores[(scores['measure'] == 'P@10') & (scores['name'] == order[0])]['value']
    low, high = axes[0, 0].collections[0].get_segments()[0][:, 1]
    interval = stats.t.interval(0.95, len(own) - 1, own.mean(), stats.sem(own))
    assert (low, high) == pytest.approx(interval)


def test_weak_cases_grow_with_depth_on_robust03(real_data):
    """Baillie et al. 2008, Tables 3 and 4: the deeper, the more comparisons rest on different shares of judgments."""
    judgments = Judgments.encode(pt.io.read_qrels(str(real_data / 'robust03' / 'qrels.txt.gz')))
    depths = (10, 100, 1000)
    measures = [measure for depth in depths for measure in (AP@depth, Assessment(P@depth))]
    rows = []
    for name, results in read_runs(real_data / 'robust03' / 'runs').items():
        run = JudgedRun.encode(results, judgments)
        rows += [pd.DataFrame({'name': name, 'qid': run.qids, 'measure': repr(measure), 'value': values})
                 for measure, values in evaluate(measures, run).items()]
    weak = decision_matrices(pd.concat(rows), 'AP', 'Assessment(P)', depths)['weak']
    assert weak.round(3).tolist() == [0.191, 0.397, 0.603]
