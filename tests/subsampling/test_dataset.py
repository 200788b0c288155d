import pyterrier as pt
import pytest

from pyterrier_unjudged import judged, judged_plus_random

DEMO = pt.get_dataset('unjudged:demo')
QRELS = DEMO.get_qrels('incomplete')


def test_documents_topics_and_judgments():
    dataset = judged(QRELS).dataset(DEMO)
    documents = list(dataset.get_corpus_iter(verbose=False))
    whole = {document['docno']: document for document in DEMO.get_corpus_iter(verbose=False)}
    assert sorted(document['docno'] for document in documents) == sorted(set(QRELS['docno']))
    assert all(document == whole[document['docno']] for document in documents)
    assert len(dataset.get_corpus_iter()) == len(documents)
    assert dataset.missing == []
    assert dataset.get_topics().equals(DEMO.get_topics())
    assert dataset.get_qrels('complete').equals(DEMO.get_qrels('complete'))
    assert dataset.get_topicsqrels()[1].equals(QRELS)


def test_missing_documents_are_counted_and_named():
    more = judged_plus_random(QRELS, [f'new{number}' for number in range(20)], QRELS['docno'].nunique() + 12)
    dataset = more.dataset(DEMO)
    assert dataset.missing is None
    with pytest.warns(UserWarning, match=r'12 of 162 documents are not in .*: new\d+, .* and 2 more'):
        assert len(list(dataset.get_corpus_iter(verbose=False))) == 150
    assert len(dataset.missing) == 12
