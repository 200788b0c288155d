import gzip
import re

import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_unjudged import judged, pool

RESULTS = pd.DataFrame({'qid': ['1'] * 3 + ['2'] * 2, 'docno': ['a', 'b', 'c', 'a', 'c'], 'rank': [0, 1, 2, 0, 1],
                        'score': [3.0, 2.0, 1.0, 9.0, 8.0], 'query': 'q'})
SUBCORPUS = judged(pd.DataFrame({'qid': '1', 'docno': ['b', 'c'], 'label': 1}))
FILTER = SUBCORPUS.filter()


def test_results_are_ranked_anew():
    kept = FILTER(RESULTS)
    assert kept[['qid', 'docno', 'rank']].to_numpy().tolist() == [['1', 'b', 0], ['1', 'c', 1], ['2', 'c', 0]]
    assert kept['score'].tolist() == [2.0, 1.0, 8.0]
    assert FILTER(RESULTS.to_dict(orient='records')) == kept.to_dict(orient='records')


def test_documents_pass_as_they_are():
    documents = [{'docno': docno, 'text': docno * 3} for docno in 'abcd']
    assert FILTER(documents) == documents[1:3]
    assert list(FILTER.transform_iter(iter([]))) == []
    assert FILTER(pd.DataFrame(documents)).to_dict(orient='records') == documents[1:3]
    with pytest.raises(ValueError, match=r"documents have no docno, only \['id'\]"):
        list(FILTER.transform_iter([{'id': 'a'}]))


def test_documents_are_not_held():
    seen = []

    def stream():
        for docno in 'abc':
            seen.append(docno)
            yield {'docno': docno}
    passed = FILTER.transform_iter(stream())
    next(passed)
    assert seen == ['a', 'b']


def test_pyterrier_understands_it():
    columns = ['qid', 'docno', 'score', 'rank']
    assert pt.inspect.transformer_outputs(FILTER, columns) == columns
    assert pt.inspect.transformer_outputs(FILTER, ['docno', 'text']) == ['docno', 'text']
    with pytest.raises(pt.validate.InputValidationError):
        FILTER(RESULTS.drop(columns='score'))


@pytest.mark.parametrize('pipeline', [FILTER % 1, FILTER >> pt.RankCutoff(2) >> pt.RankCutoff(1), FILTER >> FILTER % 1,
                                      pool({'r': RESULTS}, 9).filter() >> (FILTER % 1)])
def test_cutoffs_behind_it_become_part_of_it(pipeline):
    compiled = pipeline.compile()
    assert type(compiled).__name__ == 'SubcorpusFilter'
    pd.testing.assert_frame_equal(compiled(RESULTS), (FILTER % 1)(RESULTS))


def test_cutoffs_before_it_stay_there():
    pipeline = pt.RankCutoff(1) >> FILTER
    assert len(pipeline.compile()(RESULTS)) == len(pipeline(RESULTS)) == 0
    cut = (FILTER % 1) >> pool({'r': RESULTS}, 1).filter()
    pd.testing.assert_frame_equal(cut.compile()(RESULTS), cut(RESULTS))


def vaswani(folder) -> tuple[list[dict[str, str]], pd.DataFrame, pd.DataFrame]:
    text = gzip.decompress((folder / 'doc-text.trec.gz').read_bytes()).decode()
    documents = [{'docno': docno.strip(), 'text': body.strip()} for docno, body in
                 re.findall(r'<DOCNO>(.*?)</DOCNO>(.*?)</DOC>', text, flags=re.DOTALL)]
    topics = pd.DataFrame([(qid.strip(), re.sub(r'\W+', ' ', query)) for qid, query in re.findall(
        r'<num>(.*?)</num>\s*<title>(.*?)</title>', (folder / 'query-text.trec').read_text(), flags=re.DOTALL)],
        columns=['qid', 'query'])
    return documents, topics, pt.io.read_qrels(str(folder / 'qrels'))


def test_indexing_vaswani(real_data, tmp_path):
    """Retrieval from an index of the subcorpus gives what filtering the results of the whole gives, nearly."""
    pisa = pytest.importorskip('pyterrier_pisa')
    documents, topics, qrels = vaswani(real_data / 'vaswani')
    assert len(documents) == 11429
    whole = pisa.PisaIndex(str(tmp_path / 'whole'), text_field='text')
    whole.index(documents)
    results = whole.bm25(num_results=100)(topics)
    subcorpus = pool({'bm25': results}, 50, qrels)
    part = pisa.PisaIndex(str(tmp_path / 'part'), text_field='text')
    (subcorpus.filter() >> part).index(iter(documents))
    again = part.bm25(num_results=20)(topics)
    assert set(again['docno']) <= set(subcorpus)
    simulated = (subcorpus.filter() % 20)(results)
    shared = again[['qid', 'docno']].merge(simulated[['qid', 'docno']])
    assert len(shared) / len(simulated) > 0.7
