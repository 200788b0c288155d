from unittest import mock

import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import AP, nDCG

from pyterrier_unjudged import Condensed, CondensedList

QRELS = pd.DataFrame([['1', 'a', 1], ['1', 'c', 0], ['2', 'b', 1]], columns=['qid', 'docno', 'label'])
RESULTS = pd.DataFrame([['1', 'one', 'b', 0, 3.0, 'x'], ['1', 'one', 'c', 1, 2.0, 'y'], ['1', 'one', 'a', 2, 1.0, 'z'],
                        ['2', 'two', 'a', 0, 1.0, 'x']], columns=['qid', 'query', 'docno', 'rank', 'score', 'text'])


def test_keeps_judged_documents_and_ranks_them_anew():
    condensed = CondensedList(QRELS)(RESULTS)
    assert condensed[['qid', 'docno', 'rank']].to_numpy().tolist() == [['1', 'c', 0], ['1', 'a', 1]]
    assert set(condensed.columns) == set(RESULTS.columns)
    assert condensed['text'].tolist() == ['y', 'z']


def test_scores_as_the_measure_on_condensed_lists_does():
    topics = QRELS[['qid']].drop_duplicates().assign(query='q')
    results = pt.Transformer.from_df(RESULTS)
    table = pt.Experiment([results, results >> CondensedList(QRELS)], topics, QRELS,
                          [nDCG@2, AP, Condensed(nDCG@2), Condensed(AP)], plan='tree', verbose=False)
    for measure in (nDCG@2, AP):
        assert table.loc[1, str(measure)] == table.loc[0, str(Condensed(measure))] > table.loc[0, str(measure)]


class TestInspection(pt.testing.TransformerTestCase):
    @staticmethod
    def get_transformer():
        return CondensedList(QRELS)

    def test_schematic(self):
        with mock.patch('pyterrier.documentation.url_for_class', return_value=None):  # it asks PyTerrier's site
            super().test_schematic()


def test_pipelines_are_validated():
    with pytest.raises(pt.validate.InputValidationError, match='score'):
        CondensedList(QRELS)(RESULTS.drop(columns='score'))
    condensed = CondensedList(QRELS)
    assert pt.inspect.transformer_inputs(condensed) == [['qid', 'docno', 'score']] or \
        ['qid', 'query', 'docno', 'score', 'rank'] in pt.inspect.transformer_inputs(condensed)
    outputs = pt.inspect.transformer_outputs(condensed, ['qid', 'docno', 'score', 'text'])
    assert set(outputs) == {'qid', 'docno', 'score', 'text', 'rank'}


def test_malformed_qrels_are_named():
    with pytest.raises(ValueError, match=r"The qrels lacks the column\(s\) \['label'\]"):
        CondensedList(QRELS.drop(columns='label'))


def test_repr():
    assert repr(CondensedList(QRELS)) == 'CondensedList(3 judgments)'
