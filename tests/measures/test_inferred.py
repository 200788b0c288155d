"""xinfAP, infNDCG and InfRBP."""

import ir_measures
import numpy as np
import pytest
from generated import by_topic, collections
from hypothesis import given, settings
from ir_measures import AP, RBP, Qrel, infAP, nDCG

from pyterrier_unjudged import Condensed, InfAP, InfRBP, infNDCG, parse_measure, xinfAP
from pyterrier_unjudged.provider import provider

#: d1 and d2 are judged for sure; of the second stratum's d3 to d6, d4 and d6 were drawn; d7 is outside the pool
QRELS = [Qrel('q', 'd1', 0, '1'), Qrel('q', 'd2', 2, '1'), Qrel('q', 'd3', -1, '2'), Qrel('q', 'd4', 1, '2'),
         Qrel('q', 'd5', -1, '2'), Qrel('q', 'd6', 0, '2')]
RUN = {'q': {f'd{rank}': float(-rank) for rank in (1, 2, 3, 4, 5, 7)}}


def test_xinfap_by_hand():
    at_2 = 1 / 2  # the relevant document itself; above it one document, not relevant
    at_4 = (1 + 2 * 1 / 2 + 1 * 1 / 2) / 4  # above: stratum 1 with 1 of 2 relevant, d3 of stratum 2, nothing judged
    assert xinfAP.calc_aggregate(QRELS, RUN) == pytest.approx((1 * at_2 + 2 * at_4) / (1 + 2), abs=1e-4)
    assert xinfAP(rel=2).calc_aggregate(QRELS, RUN) == pytest.approx(at_2, abs=1e-4)


def test_infndcg_by_hand():
    discount = 1 / np.log2(np.arange(1, 7) + 1)
    dcg = 2 * discount[1] + 3 * 1 * discount[3]  # d4 stands for d3, d4 and d5
    ideal = 2 * discount[0] + 1 * discount[1:3].sum()  # one document of grade 2, two of grade 1
    assert infNDCG.calc_aggregate(QRELS, RUN) == pytest.approx(dcg / ideal)
    assert (infNDCG@2).calc_aggregate(QRELS, RUN) == pytest.approx(2 * discount[1] / (2 + discount[1]))


def test_infndcg_expects_parts_of_documents():
    qrels = [Qrel('q', 'a', 1, '1'), Qrel('q', 'b', 0, '1'), Qrel('q', 'c', -1, '1')]  # 1.5 relevant ones expected
    assert infNDCG.calc_aggregate(qrels, {'q': {'a': 1.0}}) == pytest.approx(1 / (1 + 0.5 / np.log2(3)))


def test_infrbp_by_hand():
    weight = 0.5 ** np.arange(1, 7)
    scale = weight[2:6].sum() / weight[3]  # all ranks outside stratum 1; that of d4
    assert InfRBP(p=0.5, rel=1).calc_aggregate(QRELS, RUN) == pytest.approx(weight[1] + scale * weight[3])
    assert (InfRBP(p=0.5, rel=1)@4).calc_aggregate(QRELS, RUN) == pytest.approx(
        weight[1] + weight[2:4].sum() / weight[3] * weight[3])
    assert InfRBP(p=0.5).calc_aggregate(QRELS, RUN) == pytest.approx(weight[1] + scale * weight[3] / 2)


@given(collections(lowest_label=-1))
def test_one_stratum_is_infap(collection):
    expected = by_topic(infAP, *collection, ir_measures.pytrec_eval)
    assert by_topic(xinfAP, *collection) == pytest.approx(expected, abs=1e-9)
    assert InfAP is infAP


@given(collections(lowest_label=0))
def test_nothing_sampled_is_the_plain_measure(collection):
    for inferred, plain in ((infNDCG, nDCG), (infNDCG(dcg='exp-log2')@3, nDCG(dcg='exp-log2')@3),
                            (InfRBP(p=0.7), RBP(p=0.7)), (InfRBP(rel=2)@4, RBP(rel=2)@4)):
        assert by_topic(inferred, *collection) == pytest.approx(by_topic(plain, *collection, provider))
    assert by_topic(xinfAP, *collection) == pytest.approx(by_topic(AP, *collection), abs=1e-3)


@given(collections(everything_judged=True, lowest_label=0))
@settings(max_examples=20)
def test_strata_of_a_complete_pool_do_not_matter(collection):
    qrels, run = collection
    in_strata = [Qrel(qid, docno, label, str(place % 3))
                 for qid, labels in qrels.items() for place, (docno, label) in enumerate(labels.items())]
    assert by_topic(infNDCG@5, in_strata, run) == pytest.approx(by_topic(nDCG@5, qrels, run))
    assert by_topic(xinfAP, in_strata, run) == pytest.approx(by_topic(AP, qrels, run), abs=1e-3)


def test_estimates_are_near_the_truth_on_average():
    """Of 400 documents the first 20 are judged and 30 % of the others; 200 samples."""
    generator = np.random.default_rng(5)
    truth = (generator.random(400) < 0.6 ** (1 + np.arange(400) / 60)).astype(int)
    run = {'q': {f'd{rank}': float(-rank) for rank in range(400)}}
    complete = {'q': {f'd{rank}': int(label) for rank, label in enumerate(truth)}}
    estimates = {xinfAP: [], infNDCG: []}
    for _ in range(200):
        drawn = generator.random(400) < 0.3
        qrels = [Qrel('q', f'd{rank}', int(label) if rank < 20 or drawn[rank] else -1, '1' if rank < 20 else '2')
                 for rank, label in enumerate(truth)]
        for measure, values in estimates.items():
            values.append(measure.calc_aggregate(qrels, run))
    for measure, plain in ((xinfAP, AP), (infNDCG, nDCG)):
        assert np.mean(estimates[measure]) == pytest.approx(plain.calc_aggregate(complete, run), abs=0.01)


def test_they_work_with_treatments_and_text():
    assert parse_measure('infNDCG@10') == infNDCG@10
    assert ir_measures.parse_measure('xinfAP') == xinfAP
    assert Condensed(infNDCG).calc_aggregate(QRELS, RUN) == infNDCG.calc_aggregate(QRELS, RUN)  # only d7 goes, the last
