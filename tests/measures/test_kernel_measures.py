"""Q, nDCG_JK, BPref and RPref."""

from functools import partial

import ir_measures
import pytest
from generated import by_topic, collections
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import AP, Bpref

from pyterrier_unjudged import Assessment, Bootstrap, BPref, Condensed, Lower, Q, RPref, Upper, nDCG_JK, parse_measure

NORMS = ['min', 'R', 'N', 'relative', 'relative2']
QRELS = {'q': {'a': 2, 'b': 0, 'c': 1, 'd': 0, 'e': 1, 'f': 3}}
RUN = {'q': {'b': 9.0, 'c': 8.0, 'unknown': 7.0, 'a': 6.0, 'd': 5.0, 'e': 4.0}}


def test_q_by_hand():
    # gains 0 1 - 2 0 1; ideal gains 3 2 1 1, cumulative 3 5 6 7 7 7; R = 4
    at_2, at_4, at_6 = (1 + 1) / (5 + 2), (3 + 2) / (7 + 4), (4 + 3) / (7 + 6)
    assert Q.calc_aggregate(QRELS, RUN) == pytest.approx((at_2 + at_4 + at_6) / 4)
    assert (Q@4).calc_aggregate(QRELS, RUN) == pytest.approx((at_2 + at_4) / 4)
    assert (Q@2).calc_aggregate(QRELS, RUN) == pytest.approx(at_2 / 2)
    assert Q(beta=0.5).calc_aggregate(QRELS, RUN) == pytest.approx(
        ((0.5 + 1) / (2.5 + 2) + (1.5 + 2) / (3.5 + 4) + (2 + 3) / (3.5 + 6)) / 4)
    assert Q(gains={1: 0, 2: 4, 3: 4}).calc_aggregate(QRELS, RUN) == pytest.approx((4 + 1) / (8 + 4) / 2)


def test_ndcg_jk_by_hand():
    from math import log
    dcg = 1 + 2 / log(4, 2) + 1 / log(6, 2)
    ideal = 3 + 2 + 1 / log(3, 2) + 1 / log(4, 2)
    assert nDCG_JK.calc_aggregate(QRELS, RUN) == pytest.approx(dcg / ideal)
    assert (nDCG_JK(base=4)@4).calc_aggregate(QRELS, RUN) == pytest.approx((1 + 2) / (3 + 2 + 1 + 1))


@pytest.mark.parametrize(('norm', 'expected'), [
    # condensed: b c a d e; R = 4, N = 2; non-relevant above c, a, e: 1, 1, 2
    ('min', (1 / 2 + 1 / 2 + 0) / 4),
    ('R', (3 / 4 + 3 / 4 + 2 / 4) / 4),
    ('N', (1 / 2 + 1 / 2 + 0) / 4),
    ('relative', (0 + 1 / 2 + 2 / 4) / 4),
    ('relative2', (1 / 2 + 2 / 3 + 3 / 5) / 4),
])
def test_bpref_by_hand(norm, expected):
    assert BPref(norm=norm).calc_aggregate(QRELS, RUN) == pytest.approx(expected)


@pytest.mark.parametrize(('norm', 'expected'), [
    # gains 0 1 2 0 1; penalties: c 1; a (2 - 1) / 2 + 1 = 1.5; e 2; sum of gains 7
    ('N', (1 * (1 - 1 / 3) + 2 * (1 - 1.5 / 3) + 1 * (1 - 2 / 3)) / 7),  # sum of 1 - g / 3: 1/3 + 1 + 2/3 + 1 + 2/3 + 0
    ('relative', (1 * 0 + 2 * (1 - 1.5 / 2) + 1 * (1 - 2 / 4)) / 7),
    ('relative2', (1 * (1 - 1 / 2) + 2 * (1 - 1.5 / 3) + 1 * (1 - 2 / 5)) / 7),
])
def test_rpref_by_hand(norm, expected):
    if norm == 'N':
        expected = (1 * (1 - 1 / (11 / 3)) + 2 * (1 - 1.5 / (11 / 3)) + 1 * (1 - 2 / (11 / 3))) / 7
    assert RPref(norm=norm).calc_aggregate(QRELS, RUN) == pytest.approx(expected)


def test_the_flaws_of_relative_norms():
    qrels = {'q': {'a': 1, 'b': 1, 'c': 0, 'd': 0}}
    only_the_first, ideal = {'q': {'a': 1.0}}, {'q': {'a': 2.0, 'b': 1.0}}
    for measure in (BPref(norm='relative'), RPref(norm='relative')):
        assert measure.calc_aggregate(qrels, only_the_first) == 0
        assert measure.calc_aggregate(qrels, ideal) == 1 / 2  # (R - 1) / R
    for measure in (BPref(norm='relative2'), RPref(norm='relative2')):
        assert measure.calc_aggregate(qrels, only_the_first) == 1 / 2
        assert measure.calc_aggregate(qrels, ideal) == 1


@given(collections(lowest_label=0), st.sampled_from([1, 2]))
def test_bpref_equals_trec_eval(collection, rel):
    expected = by_topic(Bpref(rel=rel), *collection, ir_measures.pytrec_eval)
    assert by_topic(BPref(rel=rel), *collection) == pytest.approx(expected, abs=1e-9)


@given(collections())
def test_identities(collection):
    condensed_ap = by_topic(Condensed(AP), *collection)
    assert by_topic(BPref(norm='relative2'), *collection) == pytest.approx(condensed_ap)
    assert by_topic(Condensed(Q(beta=0)), *collection) == pytest.approx(condensed_ap)
    assert by_topic(Q(beta=0), *collection) == pytest.approx(by_topic(AP, *collection))
    binary = dict.fromkeys(range(1, 4), 1)
    for norm in ('N', 'relative', 'relative2'):
        assert by_topic(RPref(norm=norm, gains=binary), *collection) == pytest.approx(
            by_topic(BPref(norm=norm), *collection)), norm
    for measure in (BPref, RPref, BPref(norm='N')):
        assert by_topic(Condensed(measure), *collection) == pytest.approx(by_topic(measure, *collection))


@given(collections())
@settings(max_examples=40)
def test_every_treatment_is_within_bounds(collection):
    treatments = [Lower, Upper, Condensed, Assessment, lambda measure: Bootstrap(measure, b=20),
                  *(partial(bound, bound='guaranteed') for bound in (Lower, Upper))]
    for measure in (Q, Q@3, nDCG_JK@4, RPref, *(BPref(norm=norm) for norm in NORMS)):
        for treatment in treatments:
            values = by_topic(treatment(measure), *collection)
            assert all(-1e-9 <= value <= 1 + 1e-9 for value in values.values()), treatment(measure)


@given(collections())
def test_an_ideal_ranking_scores_one(collection):
    qrels, _ = collection
    run = {qid: {docno: float(label) for docno, label in labels.items()} for qid, labels in qrels.items()}
    for measure in (Q, Q@3, nDCG_JK, nDCG_JK(base=10)@3, RPref, RPref(norm='N'), BPref, BPref(norm='R')):
        for qid, value in by_topic(measure, qrels, run).items():
            assert value == pytest.approx(float(max(qrels[qid].values()) > 0)), measure


@given(collections(ties=False, lowest_label=0), st.sampled_from([None, 1, 3, 20]))
@settings(max_examples=60)
def test_equal_to_pyntcireval(collection, cutoff):
    metrics = pytest.importorskip('pyNTCIREVAL.metrics')
    qrels, run = collection
    grades = [1, 2, 3]
    for qid in qrels.keys() & run.keys():
        ranking = [(docno, qrels[qid].get(docno, 0)) for docno in sorted(run[qid], key=run[qid].get, reverse=True)]
        counts = [list(qrels[qid].values()).count(grade) for grade in range(4)]
        if not sum(counts[1:]):
            continue  # pyNTCIREVAL divides by zero
        with_cutoff = {} if cutoff is None else {'cutoff': cutoff}
        expected = metrics.QMeasure(counts, grades, 1.0, cutoff).compute(ranking)
        assert by_topic(Q(**with_cutoff), qrels, run)[qid] == pytest.approx(expected)
        if cutoff:
            expected = metrics.nDCG(counts, grades, 2, cutoff).compute(ranking)
            assert by_topic(nDCG_JK@cutoff, qrels, run)[qid] == pytest.approx(expected)


@pytest.mark.parametrize(('measure', 'message'), [
    (lambda: Q(beta=-1), 'beta must be 0 or more'),
    (lambda: nDCG_JK(base=1), 'base of a logarithm must be above 1'),
    (lambda: Condensed(Q(beta=-1)), 'beta must be 0 or more'),
])
def test_bad_parameters(measure, message):
    with pytest.raises(ValueError, match=message):
        measure().calc_aggregate(QRELS, RUN)


def test_unknown_norms_are_refused():
    with pytest.raises(AssertionError, match='norm'):
        BPref(norm='mean').calc_aggregate(QRELS, RUN)


def test_text_and_registry():
    for measure in (Q(beta=2)@5, nDCG_JK(base=3)@10, RPref(norm='N'), Condensed(nDCG_JK@1000)):
        assert parse_measure(repr(measure)) == measure
    assert ir_measures.parse_measure('Q@10') == Q@10
    assert parse_measure("BPref(norm='R')") == BPref(norm='R')
    assert Bootstrap(Q@10).calc_aggregate(QRELS, RUN) > 0
