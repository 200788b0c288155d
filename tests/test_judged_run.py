import numpy as np
import pandas as pd
import pytest
from ir_measures import P, Qrel, ScoredDoc

from pyterrier_unjudged import JudgedRun, Judgments
from pyterrier_unjudged.judged_run import PADDING, UNJUDGED

QRELS = {'1': {'a': 2, 'b': 0, 'c': 1, 'spam': -2}, '2': {'a': 1}, '3': {'x': 0}}
RUN = {'1': {'a': 1.0, 'new': 3.0, 'spam': 2.0}, '2': {'b': 1.0}, 'unknown topic': {'a': 1.0}}


def frames(qrels=QRELS, run=RUN):
    return (pd.DataFrame([(q, d, label) for q, docs in qrels.items() for d, label in docs.items()],
                         columns=['qid', 'docno', 'label']),
            pd.DataFrame([(q, d, score) for q, docs in run.items() for d, score in docs.items()],
                         columns=['qid', 'docno', 'score']))


def encode(run, qrels=QRELS):
    return JudgedRun.encode(run, Judgments.encode(qrels))


def test_by_hand():
    run = encode(RUN)
    assert run.qids.tolist() == ['1', '2', '3']
    assert run.labels.tolist() == [[UNJUDGED, 0, 2], [UNJUDGED, PADDING, PADDING], [PADDING] * 3]
    assert run.pool.tolist() == [[2, 1, 1], [0, 1, 0], [1, 0, 0]]
    assert run.pool_left.tolist() == [[1, 1, 0], [0, 1, 0], [1, 0, 0]]
    assert run.top(2).labels.tolist() == [[UNJUDGED, 0], [UNJUDGED, PADDING], [PADDING] * 2]
    assert run.top(2).pool_left.tolist() == [[1, 1, 1], [0, 1, 0], [1, 0, 0]]
    assert run.condensed().labels.tolist() == [[0, 2], [PADDING, PADDING], [PADDING, PADDING]]
    assert run.condensed().rows.tolist() == [[2, 0], [-1, -1], [-1, -1]]


def test_forms_of_input_agree():
    qrels, run = frames()
    expected = encode(RUN)
    for same_qrels, same_run in [
        (qrels, run),
        (qrels.rename(columns={'qid': 'query_id', 'docno': 'doc_id', 'label': 'relevance'}),
         run.rename(columns={'qid': 'query_id', 'docno': 'doc_id'})),
        (qrels.astype({'qid': 'category', 'docno': 'category'}), run.astype({'qid': 'string', 'docno': 'category'})),
        (qrels.astype({'qid': object, 'docno': object, 'label': float}), run.astype({'qid': object, 'score': 'int32'})),
        (iter([Qrel(*row) for row in qrels.itertuples(index=False)]),
         iter([ScoredDoc(*row) for row in run.itertuples(index=False)])),
        (qrels.sample(frac=1, random_state=1), run.sample(frac=1, random_state=2)),
    ]:
        encoded = encode(same_run, same_qrels)
        assert np.array_equal(encoded.labels, expected.labels)
        assert np.array_equal(encoded.pool, expected.pool)
        assert encoded.qids.tolist() == expected.qids.tolist()


def test_ties_are_broken_by_descending_docno():
    qrels = {'q': {'10': 1, '9': 2, 'é': 3, 'z': 0}}
    assert encode({'q': dict.fromkeys(['10', 'é', '9', 'z'], 1.0)}, qrels).labels.tolist() == [[3, 0, 2, 1]]


def test_scores_alike_as_32_bit_floats_are_ties():
    qrels, run = {'q': {'a': 1, 'b': 0}}, {'q': {'a': 1 + 1e-9, 'b': 1.0}}
    assert encode(run, qrels).labels.tolist() == [[0, 1]]
    assert (P@1).calc_aggregate(qrels, run) == 0  # pytrec_eval agrees


def test_the_rank_column_is_ignored():
    _, run = frames()
    assert np.array_equal(encode(run.assign(rank=[5, 9, 1, 0, 0])).labels, encode(run).labels)


def test_empty_run_scores_nothing():
    run = encode(pd.DataFrame([], columns=['query_id', 'doc_id', 'score']))
    assert run.labels.shape == (3, 0)
    assert encode({}).labels.shape == (3, 0)


def test_empty_qrels_have_no_topics():
    assert encode(RUN, {}).labels.shape[0] == 0


def test_collection_counts_all_topics_of_a_batch():
    qrels, _ = frames()
    whole = qrels.rename(columns={'qid': 'query_id', 'docno': 'doc_id', 'label': 'relevance'})
    batch = Judgments.encode(qrels[qrels.qid == '3'], whole)
    assert batch.pool.tolist() == [[1, 0, 0]]
    assert batch.collection_pool.tolist() == [3, 2, 1]


def test_column_follows_the_ranking():
    _, run = frames()
    values = encode(run.assign(p=[1.0, 2.0, 3.0, 4.0, 5.0])).column('p')
    assert np.array_equal(values, [[2, 3, 1], [4, np.nan, np.nan], [np.nan] * 3], equal_nan=True)


def without(frame, column):
    return frame.drop(columns=column)


QRELS_FRAME, RUN_FRAME = frames()


@pytest.mark.parametrize(('qrels', 'run', 'message'), [
    (without(QRELS_FRAME, 'label'), RUN_FRAME, r"The qrels lacks the column\(s\) \['label'\]"),
    (QRELS_FRAME, without(RUN_FRAME, 'score'), r"The run lacks the column\(s\) \['score'\]"),
    (QRELS_FRAME, without(RUN_FRAME, 'docno'), r"The run lacks the column\(s\) \['docno'\]"),
    (pd.concat([QRELS_FRAME, QRELS_FRAME[2:3]]), RUN_FRAME, "qrels judge document 'c' of topic '1' twice"),
    (QRELS_FRAME, pd.concat([RUN_FRAME, RUN_FRAME[3:4]]), "run retrieves document 'b' of topic '2' twice"),
    (QRELS_FRAME, RUN_FRAME.assign(score=[1, np.nan, 2, 3, 4]), "The run scores document 'new' of topic '1' with nan"),
    (QRELS_FRAME, RUN_FRAME.assign(score=['1', 'high', 2, 3, 4]), "scores document 'new' of topic '1' with 'high'"),
    (QRELS_FRAME, RUN_FRAME.assign(qid=[1, 1, 1, 2, 2]), r"The run has a qid that is not a string: 1 in row 0.*astype"),
    (QRELS_FRAME.assign(docno=7), RUN_FRAME, 'The qrels has a docno that is not a string: 7 in row 0'),
    (QRELS_FRAME, RUN_FRAME.assign(docno=['a', None, 'b', 'c', 'd']), 'The run has a docno that is not a string'),
    (QRELS_FRAME.assign(label=[2, 0.5, 1, 0, 1, 0]), RUN_FRAME, "label document 'b' of topic '1' with 0.5"),
    (QRELS_FRAME.assign(label=[2, None, 1, 0, 1, 0]), RUN_FRAME, "label document 'b' of topic '1' with nan"),
    (QRELS_FRAME.assign(label=[10 ** 9, 0, 1, 0, 1, 0]), RUN_FRAME, "label document 'a' of topic '1' with 1000000000"),
    (QRELS_FRAME.assign(qid='other'), RUN_FRAME.assign(docno=list('abcde')), "has '1', the qrels 'other'"),
    (3, RUN_FRAME, 'The qrels must be a data frame, a dict of dicts, or an iterable of named tuples, not int'),
    (QRELS_FRAME, 'run.txt', 'The run must be a data frame.* not str'),
])
def test_bad_input_is_named(qrels, run, message):
    if 'other' in message:
        qrels = qrels.assign(docno=[f'd{row}' for row in range(len(qrels))])
    with pytest.raises(ValueError, match=message):
        encode(run, qrels)
