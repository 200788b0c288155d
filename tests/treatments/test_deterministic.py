"""Condensed, Lower, Upper, Residual and Assessment."""

import itertools

import ir_measures
import numpy as np
import pytest
from generated import KERNEL_MEASURES, all_values, by_topic, collections, plain_values
from hypothesis import given, settings
from ir_measures import AP, ERR, RBP, RR, SDCG, Bpref, P, R, Rprec, Success, nDCG

from pyterrier_unjudged import Assessment, Condensed, JudgedRun, Judgments, Lower, Residual, Upper, parse_measure
from pyterrier_unjudged.kernels import kernel
from pyterrier_unjudged.treatments.base import Treatment

PLAIN_WHEN_COMPLETE = [Condensed, Lower, Upper, lambda measure: Upper(measure, bound='rbp')]
REWRITTEN = [*PLAIN_WHEN_COMPLETE, Assessment]
#: measures without a kernel, of every provider that computes them from labels
OTHER_MEASURES = [Bpref, ir_measures.infAP, ir_measures.SetP, ir_measures.SetR, ir_measures.SetF, ir_measures.SetAP,
                  ir_measures.IPrec@0.5, ir_measures.NumRet(rel=1), ir_measures.NumRel, ir_measures.Compat,
                  ir_measures.Judged@3, ir_measures.INST(max_rel=3), ir_measures.BPM(max_rel=3)@5,
                  ir_measures.NERR10(max_rel=3)]


def encoded(qrels, run) -> JudgedRun:
    return JudgedRun.encode(run, Judgments.encode(qrels))


@pytest.mark.parametrize('treatment', PLAIN_WHEN_COMPLETE)
@given(collection=collections(everything_judged=True))
@settings(max_examples=30)
def test_nothing_unjudged_changes_nothing(treatment, collection):
    expected = {(repr(treatment(parse_measure(measure))), qid): value
                for (measure, qid), value in plain_values(KERNEL_MEASURES, *collection).items()}
    assert all_values(map(treatment, KERNEL_MEASURES), *collection) == pytest.approx(expected)


@pytest.mark.parametrize('treatment', REWRITTEN)
@given(collection=collections(ties=False))
@settings(max_examples=30)
def test_arrays_and_rewritten_qrels_agree(treatment, collection):
    run = encoded(*collection)
    for measure in KERNEL_MEASURES:
        if measure.NAME == 'ERR' or measure.params.get('dcg') == 'exp-log2':
            continue  # gdeval starts a process per call and reads numeric topic ids only: see test_kernels
        treated = treatment(measure)
        assert treated.evaluate(run) == pytest.approx(treated.evaluate_rewritten(run)), measure


@pytest.mark.parametrize('measure', [nDCG, nDCG@4, P@3, AP, AP@3, Rprec, Success@2, R@3, RR], ids=repr)
@given(collection=collections(lowest_label=0))
def test_condensed_is_judged_only(measure, collection):
    assert by_topic(Condensed(measure), *collection) == pytest.approx(
        by_topic(measure(judged_only=True), *collection))


@pytest.mark.parametrize('measure', OTHER_MEASURES, ids=repr)
@given(collection=collections(everything_judged=True, ties=False, lowest_label=0))
@settings(max_examples=15)
def test_measures_without_a_kernel(measure, collection):
    if not ir_measures.DefaultPipeline.supports(measure):
        pytest.skip(f'no provider for {measure}')
    qrels, run = collection
    run = {qid: docs for qid, docs in run.items() if qid in qrels}
    qrels = {qid: docs for qid, docs in qrels.items() if qid in run and max(docs.values()) > 0}
    if qrels:
        for treatment in PLAIN_WHEN_COMPLETE:
            assert by_topic(treatment(measure), qrels, run) == pytest.approx(by_topic(measure, qrels, run))


def test_measures_without_a_kernel_by_hand():
    qrels = {'q': {'a': 0, 'b': 1, 'c': 2, 'd': 0}}
    run = {'q': {'new': 9.0, 'a': 8.0, 'b': 7.0}}
    assert Condensed(ir_measures.SetP).calc_aggregate(qrels, run) == 1 / 2
    assert Lower(ir_measures.SetP).calc_aggregate(qrels, run) == 1 / 3
    assert Upper(ir_measures.SetP).calc_aggregate(qrels, run) == 2 / 3
    assert Upper(ir_measures.SetR).calc_aggregate(qrels, run) == 1  # 'new' takes over the judgment of c
    assert Upper(ir_measures.SetR, bound='rbp').calc_aggregate(qrels, run) == 2 / 3  # 'new' is a third relevant one
    assert Assessment(ir_measures.SetP).calc_aggregate(qrels, run) == 2 / 3
    assert Lower(Bpref, bound='guaranteed').calc_aggregate(qrels, run) == 0
    assert Upper(Bpref, bound='guaranteed').calc_aggregate(qrels, run) == 1


def test_upper_gives_the_best_grades_left_from_the_top_down():
    qrels = {'q': {'a': 2, 'b': 1, 'c': 1, 'd': 0, 'e': 2}}
    run = encoded(qrels, {'q': {'a': 9.0, 'n1': 8.0, 'n2': 7.0, 'n3': 6.0, 'n4': 5.0, 'n5': 4.0, 'c': 3.0}})
    assert Upper(nDCG@6).treat(run).labels.tolist() == [[2, 2, 1, 1, -1, -1]]  # c stands below the cutoff
    assert Upper(nDCG).treat(run).labels.tolist() == [[2, 2, 1, -1, -1, -1, 1]]
    assert Upper(nDCG@3, bound='rbp').treat(run).labels.tolist() == [[2, 2, 2]]
    assert Upper(nDCG@3, bound='rbp').treat(run).pool.tolist() == [[1, 2, 4]]
    assert Upper(nDCG@3).treat(run).pool.tolist() == [[1, 2, 2]]


@pytest.mark.parametrize(('bound', 'ranking', 'truth', 'lower', 'actual', 'upper'), [
    ('rbp', [1, None], [1, 2], 1.00, 0.80, 0.71),
    ('naive', [None, 1], [2, 1], 0.63, 1.00, 0.63),
    ('guaranteed', [1, None], [1, 2], 0.09, 0.80, 1.00),
])
def test_table_1_of_bootstrapped_ndcg(bound, ranking, truth, lower, actual, upper):
    measure = nDCG(dcg='exp-log2')@2
    run = {'1': {'first': 2.0, 'second': 1.0}}
    judged = {docno: label for docno, label in zip(run['1'], ranking, strict=True) if label is not None}
    qrels = {'1': judged, '2': {'highest grade': 3}}
    values = [by_topic(treatment(measure, bound=bound), qrels, run)['1'] for treatment in (Lower, Upper)]
    assert [round(value, 2) for value in values] == [lower, upper]
    complete = {'1': dict(zip(run['1'], truth, strict=True))}
    assert round(measure.calc_aggregate(complete, run), 2) == actual


BRUTE_FORCE = [nDCG@3, nDCG(dcg='exp-log2')@4, nDCG, nDCG(gains={1: 5, 2: 1})@4, P@3, RBP(p=0.7), RBP(rel=2),
               SDCG(max_rel=2)@4, Success@2, RR, ERR, R@3, AP, AP@3, AP(rel=2), Rprec, Rprec(rel=2)]


@pytest.mark.parametrize('measure', BRUTE_FORCE, ids=repr)
def test_guaranteed_bounds_hold_for_every_completion_and_the_upper_is_reached(measure):
    generator = np.random.default_rng(3)
    score = kernel(measure)
    for _ in range(40):
        labels = generator.choice([-1, -1, 0, 1, 2], size=(1, generator.integers(1, 7)))
        outside = generator.integers(0, 4, size=(1, 3))
        pool = outside + [[(labels == grade).sum() for grade in range(3)]]
        qrels = {'q': {}, 'other': {'highest': 2}}
        run = {'q': {}, 'other': {}}
        for rank, label in enumerate(labels[0]):
            run['q'][f'r{rank}'] = float(-rank)
            if label >= 0:
                qrels['q'][f'r{rank}'] = int(label)
        for grade, count in enumerate(outside[0]):
            qrels['q'].update({f'o{grade}{number}': grade for number in range(count)})
        if not qrels['q']:
            continue
        unjudged = np.flatnonzero(labels[0] < 0)
        completions = []
        for grades in itertools.product(range(3), repeat=len(unjudged)):
            complete, added = labels.copy(), pool.copy()
            complete[0, unjudged] = grades
            for grade in grades:
                added[0, grade] += 1
            completions.append(score(complete, added)[0])
        values = {bound: by_topic(bound(measure, bound='guaranteed'), qrels, run)['q'] for bound in (Lower, Upper)}
        assert values[Upper] == pytest.approx(max(completions), abs=1e-9)
        assert values[Lower] <= min(completions) + 1e-9


def test_guaranteed_lower_bound_reckons_with_unretrieved_documents():
    qrels, run = {'q': {'a': 1}}, {'q': {'a': 1.0}}
    for measure in (R@1, AP, Rprec, nDCG):
        assert Lower(measure, bound='guaranteed').calc_aggregate(qrels, run) == 0
    assert Lower(P@1, bound='guaranteed').calc_aggregate(qrels, run) == 1


def test_guaranteed_bounds_of_unknown_measures_are_refused():
    with pytest.raises(ValueError, match='guaranteed bounds are not known for NumRel, only for AP'):
        Upper(ir_measures.NumRel, bound='guaranteed').calc_aggregate({'q': {'a': 1}}, {'q': {'a': 1.0}})


def test_residual_by_hand():
    qrels = {'q': {'a': 1, 'b': 0}, 'missing': {'a': 1}}
    run = {'q': {'a': 3.0, 'new': 2.0, 'b': 1.0}}
    assert by_topic(Residual(RBP(p=0.5, rel=1)), qrels, run) == {'q': 1 / 4 + 1 / 8, 'missing': 0}
    assert by_topic(Residual(RBP(p=0.5, rel=1)@2), qrels, run)['q'] == 1 / 4 + 1 / 4
    assert by_topic(Residual(P@2), qrels, run)['q'] == 1 / 2
    assert by_topic(Residual(P@4), qrels, run)['q'] == 1 / 4 + 1 / 4
    dcg = 1 + 1 / np.log2(3) + 1 / 2
    assert by_topic(Residual(SDCG(max_rel=1)@3), qrels, run)['q'] == pytest.approx(1 / np.log2(3) / dcg)


@given(collection=collections())
def test_residual_is_upper_minus_lower_where_the_run_is_long_enough(collection):
    qrels, run = collection
    qrels = {**qrels, 'collection': {'highest': 3}}
    for measure in (P@1, SDCG(max_rel=3)@1):
        residual = by_topic(Residual(measure), qrels, run)
        upper, lower = (by_topic(bound, qrels, run) for bound in (Upper(measure, bound='rbp'), Lower(measure)))
        assert residual == pytest.approx({qid: upper[qid] - lower[qid] for qid in upper})


def test_measures_without_residual_are_refused():
    with pytest.raises(ValueError, match='nDCG@10 has no residual.*P, RBP, SDCG'):
        Residual(nDCG@10)


def test_assessment_by_hand():
    qrels = {'q': {'a': 0, 'b': 2, 'c': -2, 'd': 1}}
    run = {'q': {'new': 9.0, 'a': 8.0, 'c': 7.0, 'too': 6.0}}
    assert by_topic(Assessment(P@2), qrels, run)['q'] == 1 / 2
    assert by_topic(Assessment(P@10), qrels, run)['q'] == 2 / 10
    assert by_topic(Assessment(R@10), qrels, run)['q'] == 2 / 4
    assert by_topic(Assessment(AP), qrels, run)['q'] == pytest.approx((1 / 2 + 2 / 3) / 4)
    assert by_topic(Assessment(P(rel=2)@2), qrels, run)['q'] == 1 / 2
    assert by_topic(Assessment(RBP(p=0.5)), qrels, run)['q'] == 1 / 4 + 1 / 8


def test_subtopic_measures_keep_their_subtopics():
    pytest.importorskip('pyndeval')
    qrels = [ir_measures.Qrel('1', 'a', 1, '1'), ir_measures.Qrel('1', 'a', 1, '2'), ir_measures.Qrel('1', 'b', 1, '3')]
    run = {'1': {'new': 3.0, 'a': 2.0}}
    recall = ir_measures.StRecall@2
    assert Lower(recall).calc_aggregate(qrels, run) == pytest.approx(2 / 3)
    assert Condensed(ir_measures.StRecall@1).calc_aggregate(qrels, run) == pytest.approx(2 / 3)
    assert Upper(recall).calc_aggregate(qrels, run) == 1  # 'new' takes over subtopic 3 from b


@pytest.mark.parametrize(('make', 'message'), [
    (lambda: Condensed('nDCG@10'), "Condensed treats a measure such as nDCG@10, not 'nDCG@10'"),
    (lambda: Condensed(Lower(P@5)), r'Lower\(P@5\) is treated already'),
    (lambda: Lower(P(judged_only=True)@5), 'leaves out unjudged documents by itself'),
    (lambda: Lower(P@5, bound='tight'), r"bound='tight' is not valid.*one of \['naive', 'rbp', 'guaranteed'\]"),
    (lambda: Lower(P@5, limit=3), r"Lower has no parameter \['limit'\]; it has \['bound'\]"),
    (lambda: Condensed(P).calc_aggregate({'q': {'a': 1}}, {'q': {'a': 1.0}}), r"Condensed\(P\).*needs \['cutoff'\]"),
])
def test_bad_treatments_are_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_repr_and_cutoff():
    assert repr(Condensed(nDCG)@10) == 'Condensed(nDCG@10)'
    assert Upper(nDCG@10, bound='naive') == Upper(nDCG@10)
    assert repr(Upper(P(rel=2)@5, bound='rbp')) == "Upper(P(rel=2)@5,bound='rbp')"
    assert len({Condensed(nDCG)@10, Condensed(nDCG@10), Condensed(nDCG@5)}) == 2
    assert isinstance(Condensed(nDCG)@10, Treatment)
