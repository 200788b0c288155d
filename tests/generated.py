"""Hypothesis strategies for small collections, with everything that occurs in real ones."""

import ir_measures
from hypothesis import strategies as st
from ir_measures import AP, ERR, RBP, RR, SDCG, P, R, Rprec, Success, nDCG

from pyterrier_unjudged import BPref, Q, RPref, nDCG_JK
from pyterrier_unjudged.provider import provider

QIDS = ['1', '10', '2', 'q']
DOCNOS = [f'd{number}' for number in range(14)]

#: one measure for each kernel and each way that its parameters can change it
KERNEL_MEASURES = [
    nDCG, nDCG@3, nDCG(dcg='exp-log2')@3, nDCG(dcg='exp-log2'), nDCG(gains={1: 4, 2: 1, 3: 9})@4, P@1, P@5, P(rel=2)@3,
    R@3, R(rel=2)@5, AP, AP@3, AP(rel=2), RR, RR@2, RR(rel=2), Rprec, Rprec(rel=2), Success@1, Success(rel=2)@3,
    RBP, RBP(p=0.5, rel=1), RBP(p=0.9, rel=2)@3, RBP@4, SDCG(max_rel=3)@4, ERR, ERR@3,
    Q, Q(beta=10, gains={1: 2, 2: 5, 3: 0})@4, nDCG_JK, nDCG_JK(base=3, gains={3: 10})@5, BPref, BPref(norm='R', rel=2),
    BPref(norm='N'), BPref(norm='relative'), BPref(norm='relative2'), RPref, RPref(norm='N', gains={1: 0}),
    RPref(norm='relative'),
]


def labels(lowest: int = -2, highest: int = 3):
    return st.integers(lowest, highest)


@st.composite
def collections(draw, everything_judged: bool = False, ties: bool = True, lowest_label: int = -2):
    """Draws (qrels, run) as dicts of dicts: topics on one side only, short runs, ties, unjudged documents."""
    qids = draw(st.lists(st.sampled_from(QIDS), min_size=1, unique=True))
    shared = qids[0]
    qrels, run = {}, {}
    for qid in qids:
        docnos = draw(st.permutations(DOCNOS))
        judged = docnos[:draw(st.integers(1, len(docnos)))]
        retrieved = draw(st.permutations(DOCNOS))[:draw(st.integers(1, len(docnos)))]
        if everything_judged:
            judged = DOCNOS
        if qid == shared or draw(st.integers(0, 5)):
            qrels[qid] = {docno: draw(labels(lowest_label)) for docno in judged}
            qrels[qid][judged[0]] = draw(labels(0))  # pytrec_eval crashes on topics with negative labels only
        if qid == shared or draw(st.integers(0, 5)):
            scores = st.integers(0, 5).map(float) if ties else st.just(None)
            run[qid] = {docno: score if (score := draw(scores)) is not None else float(-place)
                        for place, docno in enumerate(retrieved)}
    return qrels, run


def by_topic(measure, qrels, run, evaluator=ir_measures) -> dict[str, float]:
    return {metric.query_id: metric.value for metric in evaluator.iter_calc([measure], qrels, run)}


def all_values(measures, qrels, run) -> dict[tuple[str, str], float]:
    """Returns (measure, topic) -> value, all measures evaluated together."""
    metrics = ir_measures.iter_calc(list(measures), qrels, run)
    return {(repr(metric.measure), metric.query_id): metric.value for metric in metrics}


def plain_values(measures, qrels, run) -> dict[tuple[str, str], float]:
    """The same, by pytrec_eval where it can, else by the kernels, which test_kernels compares with other providers.

    One by one: together with nDCG(gains=…), ir_measures may compute plain nDCG with those gains.
    """
    peers = ir_measures.providers.FallbackProvider([ir_measures.pytrec_eval, provider])
    return {(repr(measure), qid): value for measure in measures
            for qid, value in by_topic(measure, qrels, run, peers).items()}
