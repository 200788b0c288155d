import numpy as np
import pandas as pd
import pytest
from scipy import stats

from pyterrier_unjudged import discriminative_power


def frame(values, measure='AP') -> pd.DataFrame:
    return pd.DataFrame([(name, f'{topic:03d}', measure, value) for name, row in values.items()
                         for topic, value in enumerate(row)], columns=['name', 'qid', 'measure', 'value'])


def generated(systems=6, topics=25, step=0.06, seed=1) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    difficulty = random.random(topics)
    return frame({f's{number}': difficulty + step * number + 0.15 * random.standard_normal(topics)
                  for number in range(systems)})


def test_bootstrap_equals_the_algorithm_step_by_step():
    scores = generated(systems=3)
    values = scores.pivot_table(index='name', columns='qid', values='value').to_numpy()
    b, topics = 200, values.shape[1]
    drawn = np.random.default_rng(7).multinomial(topics, np.full(topics, 1 / topics), size=b)
    found = discriminative_power(scores, b=b, seed=7)
    needed = []
    for (_, pair), (i, j) in zip(found.pairs.iterrows(), [(0, 1), (0, 2), (1, 2)], strict=True):
        difference = values[i] - values[j]
        observed = abs(stats.ttest_1samp(difference, 0).statistic)
        samples = [np.repeat(difference - difference.mean(), times) for times in drawn]
        student = np.array([abs(stats.ttest_1samp(sample, 0).statistic) for sample in samples])
        assert pair['asl'] == (student >= observed).mean()
        assert pair['difference'] == pytest.approx(difference.mean())
        needed.append(abs(samples[np.argsort(student)[-int(b * 0.05)]].mean()))
    assert found.difference_needed['AP'] == pytest.approx(max(needed))


def test_bootstrap_agrees_with_the_t_test():
    scores = generated(systems=4, topics=50)
    values = scores.pivot_table(index='name', columns='qid', values='value').to_numpy()
    found = discriminative_power(scores, b=20000).pairs['asl'].to_numpy()
    expected = [stats.ttest_rel(values[i], values[j]).pvalue for i in range(4) for j in range(i + 1, 4)]
    assert found == pytest.approx(expected, abs=0.02)


def test_tukey_agrees_with_the_algorithm_step_by_step():
    scores = generated(systems=4, step=0.03)
    values = scores.pivot_table(index='name', columns='qid', values='value').to_numpy()
    random = np.random.default_rng(9)
    ranges = np.array([np.ptp(np.mean([random.permutation(topic) for topic in values.T], axis=0))
                       for _ in range(2000)])
    expected = [(ranges >= abs(values[i].mean() - values[j].mean())).mean() for i in range(4) for j in range(i + 1, 4)]
    found = discriminative_power(scores, method='tukey', b=5000)
    assert found.pairs['asl'].to_numpy() == pytest.approx(expected, abs=0.04)
    assert 0 < found.pairs['significant'].sum() < 6
    assert (found.pairs['significant'] == (found.pairs['difference'].abs() > found.difference_needed['AP'])).all()


def test_tukey_finds_fewer_pairs():
    scores = generated(systems=10)
    power = {method: discriminative_power(scores, method=method).to_frame()['power'][0]
             for method in ('bootstrap', 'tukey')}
    assert power['tukey'] < power['bootstrap'] < 1


@pytest.mark.parametrize('method', ['bootstrap', 'tukey'])
def test_equal_systems_do_not_differ_and_constant_differences_do(method):
    scores = frame({'a': [0.1, 0.5, 0.3, 0.2] * 3, 'b': [0.1, 0.5, 0.3, 0.2] * 3, 'c': [0.4, 0.8, 0.6, 0.5] * 3})
    asl = discriminative_power(scores, method=method).pairs.set_index(['name_a', 'name_b'])['asl']
    assert asl['a', 'b'] == 1
    assert asl['a', 'c'] < 0.01


def test_measures_are_ranked_by_power():
    scores = pd.concat([generated(step=0.01), generated(step=0.2).assign(measure='nDCG@10')])
    table = discriminative_power(scores).to_frame()
    assert table['measure'].tolist() == ['nDCG@10', 'AP']
    assert table['pairs'].tolist() == [15, 15]
    assert (table['power'] == table['significant'] / table['pairs']).all()


def test_order_of_rows_and_other_measures_change_nothing():
    scores = generated()
    alone = discriminative_power(scores).pairs
    shuffled = pd.concat([scores.sort_values('qid', ascending=False, kind='stable'), scores.assign(measure='other')])
    pd.testing.assert_frame_equal(discriminative_power(shuffled).pairs[:len(alone)], alone)


@pytest.mark.parametrize(('scores', 'arguments', 'message'), [
    (generated().drop(columns='qid'), {}, r"lack the column\(s\) \['qid'\].*perquery=True"),
    (generated()[:0], {}, 'The scores are empty'),
    (generated()[:-1], {}, "of system 's5' for topic '024' not at all"),
    (pd.concat([generated(), generated()[:1]]), {}, "of system 's0' for topic '000' twice"),
    (generated().assign(value=np.nan), {}, "topic '000' with a value that is no number"),
    (generated(systems=1), {}, "needs two systems at least; the scores have only 's0'"),
    (generated(topics=1), {}, "needs two topics at least; the scores have only topic '000'"),
    (generated(), {'alpha': 0}, r'alpha must be in \(0, 1\), not 0'),
    (generated(), {'b': 10}, 'b=10 is too few.*at least 20'),
    (generated(), {'method': 't'}, "no method 't', only .'bootstrap', 'tukey'."),
])
def test_bad_input_is_named(scores, arguments, message):
    with pytest.raises(ValueError, match=message):
        discriminative_power(scores, **arguments)
