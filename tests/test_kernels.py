import ir_measures
import numpy as np
import pytest
from generated import KERNEL_MEASURES, by_topic, collections
from hypothesis import given
from ir_measures import AP, ERR, RBP, RR, SDCG, P, R, Rprec, Success, nDCG

from pyterrier_unjudged import kernels
from pyterrier_unjudged.provider import provider

PYTREC_EVAL = [measure for measure in KERNEL_MEASURES if ir_measures.pytrec_eval.supports(measure)]
CWL_EVAL = [RBP(p=0.5, rel=1), RBP(rel=2), SDCG(max_rel=3)@4, SDCG(max_rel=2, min_rel=1)@3]


@pytest.mark.parametrize('measure', PYTREC_EVAL, ids=repr)
@given(collections())
def test_equal_to_pytrec_eval(measure, collection):
    assert by_topic(measure, *collection, provider) == pytest.approx(
        by_topic(measure, *collection, ir_measures.pytrec_eval))


def test_pytrec_eval_covers_most_kernels():
    assert {measure.NAME for measure in PYTREC_EVAL} == {'nDCG', 'P', 'R', 'AP', 'RR', 'Rprec', 'Success'}


@pytest.mark.parametrize('measure', CWL_EVAL, ids=repr)
@given(collections(ties=False))  # cwl-eval keeps ties in the order of the input
def test_equal_to_cwl_eval(measure, collection):
    pytest.importorskip('cwl')
    qrels, run = collection
    run = {qid: dict(sorted(docs.items(), key=lambda item: -item[1])) for qid, docs in run.items()}
    assert by_topic(measure, qrels, run, provider) == pytest.approx(
        by_topic(measure, qrels, run, ir_measures.cwl_eval))


@pytest.mark.parametrize('cutoff', [1, 2, 4, 20])
@given(collections(ties=False))  # the MS MARCO script breaks ties by ascending docno
def test_equal_to_ms_marco(cutoff, collection):
    qrels, run = collection
    expected = by_topic(RR@cutoff, qrels, run, ir_measures.msmarco)
    assert by_topic(RR@cutoff, qrels, run, provider) == pytest.approx(expected)


@pytest.mark.parametrize('measure', [nDCG(dcg='exp-log2')@5, ERR@5, ERR@20, nDCG(dcg='exp-log2')@20], ids=repr)
def test_equal_to_gdeval(measure):
    if not ir_measures.gdeval.is_available():
        pytest.skip('gdeval needs perl')
    generator = np.random.default_rng(1)
    qrels = {str(qid): {f'd{number}': int(generator.integers(-1, 5)) for number in range(20)} for qid in range(1, 9)}
    run = {qid: {f'd{number}': float(generator.integers(9)) for number in generator.permutation(30)[:12]}
           for qid in qrels}
    expected = by_topic(measure, qrels, run, ir_measures.gdeval)
    assert len(expected) == 8
    assert by_topic(measure, qrels, run, provider) == pytest.approx(expected, abs=1e-5)  # gdeval prints five digits


def test_graded_rbp_by_hand():
    qrels, run = {'q': {'a': 2, 'b': 1, 'c': 4}}, {'q': {'a': 3.0, 'b': 2.0, 'unknown': 1.0, 'c': 0.0}}
    expected = 0.5 * 2 / 4 + 0.25 * 1 / 4 + 0.0625 * 1
    assert RBP(p=0.5).calc_aggregate(qrels, run) == pytest.approx(expected)


def test_err_by_hand():
    labels, pool = np.array([[4, -1, 1]]), np.array([[0, 1, 0, 0, 1]])
    first, third = 15 / 16, 1 / 16
    assert kernels.kernel(ERR)(labels, pool) == pytest.approx(first + (1 - first) * third / 3)


@pytest.mark.parametrize('measure', KERNEL_MEASURES, ids=repr)
def test_leading_dimensions_broadcast(measure):
    generator = np.random.default_rng(2)
    labels = generator.integers(-2, 4, (3, 5, 7))
    pool = generator.integers(0, 4, (3, 1, 4))
    score = kernels.kernel(measure)
    singly = [[score(labels[i, j], pool[i, 0]) for j in range(5)] for i in range(3)]
    assert score(labels, pool) == pytest.approx(np.array(singly, dtype=float))


@pytest.mark.parametrize('measure', KERNEL_MEASURES, ids=repr)
def test_nothing_retrieved_scores_nothing(measure):
    score = kernels.kernel(measure)
    assert score(np.empty((2, 0), int), np.array([[1, 1, 0, 0], [0, 0, 0, 0]])).tolist() == [0, 0]


@pytest.mark.parametrize('measure', [AP, nDCG, nDCG@3, R@3, Rprec], ids=repr)
def test_topic_without_relevant_documents_scores_nothing(measure):
    assert kernels.kernel(measure)(np.array([[0, -1, 0]]), np.array([[3, 0, 0]])).tolist() == [0]


@pytest.mark.parametrize('measure', [RBP(rel=1), P@7, SDCG(max_rel=3)@7], ids=repr)
def test_weights_and_tail_add_up_to_one(measure):
    score = kernels.kernel(measure)
    for seen in (0, 1, 3, 7, 9):
        assert score.weights(seen).sum() + score.tail(np.array([seen])) == pytest.approx(1)
    assert {measure.NAME for measure in KERNEL_MEASURES if getattr(kernels.kernel(measure), 'tail', None)} == set(
        kernels.WEIGHTED_PRECISION)


def test_unsupported_measures_have_no_kernel():
    for measure in (ir_measures.Bpref, ir_measures.infAP, P(judged_only=True)@5, nDCG(gains={0: 1})@5):
        assert kernels.kernel(measure) is None


def test_cutoff_below_one_is_named():
    with pytest.raises(ValueError, match='cutoff of P@0 must be at least 1'):
        kernels.kernel(P@0)


def test_success_sees_only_the_top():
    assert kernels.kernel(Success@2)(np.array([[0, 0, 1]]), np.array([[2, 1]])).tolist() == [0]
