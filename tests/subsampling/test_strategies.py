import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyterrier_unjudged import judged, judged_plus_random, loft, pool, rerank_pool

QRELS = pd.DataFrame([('1', 'a', 1), ('1', 'b', 2), ('1', 'c', 1), ('1', 'd', 0), ('2', 'a', 1), ('2', 'e', 1),
                      ('3', 'f', 0), ('3', 'g', -2)], columns=['qid', 'docno', 'label'])
CORPUS = [f'd{number}' for number in range(500)] + list('abcdefg')
DOCNOS = [*'abcdefg', 'ab', 'abcdefghi', 'abcdefghij', 'é', '']


@st.composite
def runs(draw) -> dict[str, pd.DataFrame]:
    found = {}
    for name in draw(st.lists(st.sampled_from(['x', 'y', 'z']), min_size=1, unique=True)):
        rows = draw(st.lists(st.tuples(st.sampled_from(['1', '2', '10']), st.sampled_from(DOCNOS),
                                       st.integers(0, 3)), min_size=1, unique_by=lambda row: row[:2]))
        types = draw(st.sampled_from([{}, {'qid': object, 'docno': object}, {'qid': 'category', 'docno': 'category'}]))
        found[name] = pd.DataFrame(rows, columns=['qid', 'docno', 'score']).astype(types)
    return found


def top(run, depth) -> set[tuple[str, str]]:
    """The top as trec_eval ranks: by score, then docno, both descending."""
    ranked = run.sort_values(['score', 'docno'], ascending=False).groupby('qid', observed=True).head(depth)
    return set(zip(ranked['qid'], ranked['docno'], strict=True))


def pairs(subcorpus) -> set[tuple[str, str]]:
    return set(subcorpus.topics.itertuples(index=False, name=None))


@given(runs(), st.integers(1, 5))
def test_pool_is_the_union_of_the_tops(runs, depth):
    pooled = pool(runs, depth)
    expected = set().union(*(top(run, depth) for run in runs.values()))
    assert pairs(pooled) == expected
    assert list(pooled) == sorted({docno for _, docno in expected})
    assert pooled == pool(dict(reversed(runs.items())), depth)
    assert pooled == pool({name: run.sample(frac=1, random_state=1) for name, run in runs.items()}, depth)
    assert set(pooled) <= set(pool(runs, depth + 1))


def test_pool_by_hand():
    run = pd.DataFrame({'qid': '1', 'docno': list('abcd'), 'score': [2.0, 1.0, 1.0, 3.0]})
    other = pd.DataFrame({'qid': ['1', '2'], 'docno': ['z', 'a'], 'score': [0.1, 0.2]})
    assert pairs(pool({'run': run, 'other': other}, 3)) == {('1', 'd'), ('1', 'a'), ('1', 'c'), ('1', 'z'), ('2', 'a')}
    assert list(pool({'run': run}, 1)) == ['d']
    assert list(rerank_pool(run, 2)) == ['a', 'd']
    assert rerank_pool(run, 2).strategy == 'rerank_pool'
    with_judged = pool({'run': run}, 1, QRELS)
    assert list(with_judged) == list('abcdefg')
    assert with_judged.parameters == {'depth': 1, 'runs': ['run'], 'qrels': True}


def test_topics_of_very_different_length():
    run = pd.DataFrame({'qid': ['long'] * 1000 + [f'short{number}' for number in range(100)],
                        'docno': [f'd{number}' for number in range(1100)], 'score': np.arange(1100) % 997.0})
    expected = {('long', 'd996'), ('long', 'd995'), *((f'short{number}', f'd{1000 + number}') for number in range(100))}
    assert pairs(pool({'run': run}, 2)) == expected


def test_scores_alike_to_seven_digits_are_ties():
    run = pd.DataFrame({'qid': '1', 'docno': ['a', 'b'], 'score': [1.000000001, 1.0]})
    assert list(pool({'run': run}, 1)) == ['b']


@given(st.integers(1, 40), st.integers(0, 3))
def test_loft_takes_relevant_documents_in_turn_and_then_random_ones(size, seed):
    sample = loft(QRELS, CORPUS, size, seed)
    assert len(sample) == size
    relevant = set('abce')
    taken = set(sample) & relevant
    assert len(taken) == min(size, 4)
    assert not set(sample) & set('dfg') or size > 4  # judged but not relevant ones come by chance only
    # documents of each topic that no other topic brought
    numbers = [len(taken & set('bc')), len(taken & set('e'))]
    if size <= 2:
        assert max(numbers) <= 1


def test_loft_is_balanced():
    qrels = pd.DataFrame([(str(topic), f't{topic}-{number}', 1) for topic, many in enumerate([3, 10, 10, 1])
                          for number in range(many)], columns=['qid', 'docno', 'label'])
    for size in range(4, 24):
        counts = loft(qrels, [], size).topics.groupby('qid').size().reindex(list('0123'))
        full = np.array([3, 10, 10, 1])
        unfinished = counts.to_numpy()[counts.to_numpy() < full]
        assert len(unfinished) == 0 or counts.max() - unfinished.min() <= 1


@pytest.mark.parametrize('draw', [lambda docnos, seed: loft(QRELS, docnos, 100, seed),
                                  lambda docnos, seed: judged_plus_random(QRELS, docnos, 100, seed)])
def test_samples_depend_on_seed_and_corpus_alone(draw):
    sample = draw(CORPUS, 1)
    assert sample == draw(iter(reversed(CORPUS + CORPUS[:50])), 1)
    assert sample != draw(CORPUS, 2)
    assert len(sample) == 100


def test_random_documents_are_spread_evenly():
    counts = np.zeros(500)
    for seed in range(200):
        sample = judged_plus_random(QRELS, CORPUS, 107, seed)
        counts[[int(docno[1:]) for docno in sample if len(docno) > 1]] += 1
    assert counts.sum() == 200 * 100
    assert 20 < counts.min() <= counts.max() < 62  # 40 expected, standard deviation 5.7


def test_a_stream_larger_than_a_chunk():
    sample = judged_plus_random(QRELS, (f'x{number}' for number in range(200_000)), 1007)
    places = np.array([int(docno[1:]) for docno in sample if docno[0] == 'x'])
    assert len(places) == 1000
    assert 80_000 < places.mean() < 120_000


def test_judged():
    assert list(judged(QRELS)) == list('abcdefg')
    assert set(judged_plus_random(QRELS, CORPUS, 20)) >= set('abcdefg')


RUN = pd.DataFrame({'qid': '1', 'docno': list('abc'), 'score': [3.0, 2.0, 1.0]})


@pytest.mark.parametrize(('call', 'message'), [
    (lambda: pool({'r': RUN}, 0), 'depth of a pool must be at least 1, not 0'),
    (lambda: pool({}, 10), 'There are no runs'),
    (lambda: pool({'r': 'file'}, 10), "Run 'r' must be a data frame"),
    (lambda: pool({'r': RUN.drop(columns='score')}, 10), r"Run 'r' lacks the column\(s\) \['score'\]"),
    (lambda: pool({'r': RUN.assign(score=[1, np.nan, 2])}, 10), "run 'r' scores document 'b' of topic '1' with nan"),
    (lambda: pool({'r': RUN.assign(qid=[1, 2, 3])}, 10), "run 'r' has a qid that is not a string: 1"),
    (lambda: pool({'r': RUN.assign(docno=[1, 2, 3])}, 10), 'has a docno that is not a string: 1'),
    (lambda: pool({'r': pd.concat([RUN, RUN[:1]])}, 10), "run 'r' retrieves document 'a' of topic '1' twice"),
    (lambda: judged_plus_random(QRELS, CORPUS, 3), 'There are 7 judged documents, more than the size 3'),
    (lambda: judged_plus_random(QRELS, CORPUS, 600), 'only 500 more documents, 593 are wanted'),
    (lambda: loft(QRELS, ['a', 5, 'c'], 100), 'a docno that is not a string: 5'),
    (lambda: judged(QRELS.drop(columns='label')), r"qrels lacks the column\(s\) \['label'\]"),
])
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_robust03(real_data):
    sizes = {depth: pool(str(real_data / 'robust03' / 'runs'), depth).describe()['documents'] for depth in (10, 100)}
    assert sizes == {10: 5586, 100: 39814}
