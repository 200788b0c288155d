import json
import re

import numpy as np
import pyterrier as pt
import pytest
from ir_measures import P, nDCG

from pyterrier_unjudged import Assessment, JudgedRun, Judgments
from pyterrier_unjudged.datasets import DatasetProvider
from pyterrier_unjudged.datasets.make_demo import LEXICAL, POOL_DEPTH


@pytest.fixture(scope='module')
def demo():
    return pt.get_dataset('unjudged:demo')


@pytest.fixture(scope='module')
def documents(demo):
    return {document['docno']: document['text'] for document in demo.get_corpus_iter(verbose=False)}


def stems(text: str) -> set[str]:
    return {word[:5] for word in re.findall('[a-z0-9]+', text.lower())}


def test_size(demo, documents):
    assert len(documents) == len(demo.get_corpus_iter(verbose=False)) == 255
    assert len(set(documents.values())) == 255
    assert demo.get_topics()['qid'].tolist() == [str(number) for number in range(1, 16)]
    assert all(15 <= len(text.split()) <= 75 for text in documents.values())


def test_corpus_in_parts(demo, documents):
    parts = [*demo.get_corpus_iter(verbose=False, count=100), *demo.get_corpus_iter(verbose=False, start=100)]
    assert {document['docno']: document['text'] for document in parts} == documents


def test_judged_completely(demo, documents):
    qrels = demo.get_qrels('complete')
    assert len(qrels) == 15 * 255
    assert not qrels.duplicated(['qid', 'docno']).any()
    assert set(qrels['docno']) == set(documents)
    relevant = qrels[qrels.label > 0].groupby('qid')['label'].value_counts().unstack()
    assert relevant.min().min() >= 3
    assert sorted(relevant.columns) == [1, 2]


def test_relevant_documents_without_a_word_of_the_query_and_others_with_many(demo, documents):
    qrels = demo.get_qrels('complete').set_index(['qid', 'docno'])['label']
    for topic in demo.get_topics().itertuples():
        query = stems(topic.query)
        unlike = [grade for docno, grade in qrels[topic.qid].items() if grade and not query & stems(documents[docno])]
        assert len(unlike) >= 2
        assert 2 in unlike
        misleading = [docno for docno, grade in qrels[topic.qid].items()
                      if not grade and len(query & stems(documents[docno])) >= 2]
        assert len(misleading) >= 2


def test_incomplete_judgments_are_the_pool_of_the_lexical_systems(demo):
    complete = {(row.qid, row.docno): row.label for row in demo.get_qrels('complete').itertuples()}
    incomplete = {(row.qid, row.docno): row.label for row in demo.get_qrels().itertuples()}
    assert incomplete.items() <= complete.items()
    pooled = set()
    for name in LEXICAL:
        results = demo.get_results(name)
        # the last of the columns sorts first: score, then docno, both descending
        order = results.sort_values(['qid', 'score', 'docno'], ascending=[True, False, False])
        pooled.update(order.groupby('qid').head(POOL_DEPTH)[['qid', 'docno']].itertuples(index=False, name=None))
    assert set(incomplete) == pooled


def test_results_are_rankings_of_the_corpus(demo, documents):
    assert set(LEXICAL) | {'dense', 'hybrid'} == set(demo.systems)
    for name in demo.systems:
        results = demo.get_results(name)
        assert set(results['docno']) <= set(documents)
        assert set(results['qid']) == set(demo.get_topics()['qid'])
        assert not results.duplicated(['qid', 'docno']).any()
        assert results.groupby('qid')['rank'].min().eq(0).all()
        assert results.groupby('qid').size().max() <= 50
        assert JudgedRun.encode(results, Judgments.encode(demo.get_qrels())).labels.shape[0] == 15


def test_shows_the_problem(demo):
    systems = [demo.get_results('bm25'), demo.get_results('dense')]
    incomplete, complete = (pt.Experiment(systems, demo.get_topics(), demo.get_qrels(variant), [nDCG@10,
                                                                                                Assessment(P@10)])
                            for variant in ('incomplete', 'complete'))
    assert incomplete.loc[1, 'Assessment(P@10)'] < 0.85
    assert incomplete.loc[0, 'nDCG@10'] > incomplete.loc[1, 'nDCG@10'] + 0.1
    assert complete.loc[1, 'nDCG@10'] > complete.loc[0, 'nDCG@10'] + 0.1
    assert np.isclose(complete['Assessment(P@10)'], [1, 1], atol=0.05).all()


def test_texts_for_rerankers(demo, documents):
    results = pt.Transformer.from_df(demo.get_results('bm25')) >> pt.text.get_text(demo)
    found = results(demo.get_topics())
    assert found['text'].tolist() == [documents[docno] for docno in found['docno']]
    with pytest.raises(ValueError, match="no field 'title', only 'text'"):
        demo.text_loader('title')


def test_topics_and_judgments_together(demo):
    topics, qrels = demo.get_topicsqrels('complete')
    assert (len(topics), len(qrels)) == (15, 15 * 255)


def test_unknown_variants_are_named(demo):
    for get, message in [(demo.get_qrels, "no judgments 'all', only 'complete' and 'incomplete'"),
                         (demo.get_results, r"not 'all': \['bm25', 'dense'"), (demo.get_topics, "no variant 'all'")]:
        with pytest.raises(ValueError, match=message):
            get('all')
    with pytest.raises(ValueError, match='Name a system'):
        demo.get_results()


def test_found_by_pyterrier(demo):
    assert list(DatasetProvider().list_dataset_names()) == ['demo']
    with pytest.raises(KeyError, match='unjudged:nothing'):
        pt.get_dataset('unjudged:nothing')
    assert demo._describe_component('qrels') == ['complete', 'incomplete']
    assert (demo.get_corpus_lang(), demo.get_topics_lang()) == ('en', 'en')
    assert json.dumps(next(iter(demo.get_corpus_iter())))
