import pytest
from generated import by_topic, collections
from hypothesis import given
from ir_measures import RBP, SDCG, P, nDCG

from pyterrier_unjudged import Interpolated, Residual
from pyterrier_unjudged.provider import provider

QRELS = {'q': {'a': 1, 'b': 0}, 'none judged': {'o': 2, 'p': 1, 'r': 0, 's': 0}}
RUN = {'q': {'a': 3.0, 'new': 2.0, 'b': 1.0}, 'none judged': {'x': 1.0}}


def test_by_hand():
    rbp = RBP(p=0.5, rel=1)
    values = by_topic(Interpolated(rbp), QRELS, RUN)
    assert values['q'] == pytest.approx(0.5 / (1 - 1 / 4 - 1 / 8))
    assert values['none judged'] == 3 / 6  # the background rate: three of the six judged documents are relevant
    assert by_topic(Interpolated(P@2), QRELS, RUN)['q'] == pytest.approx(1 / 2 / (1 - 1 / 2))
    assert by_topic(Interpolated(RBP(p=0.5)), QRELS, RUN)['none judged'] == pytest.approx((1 / 2 * 2 + 1) / 6)


@given(collections())
def test_is_the_score_over_what_is_judged(collection):
    for measure in (P@3, RBP(p=0.8, rel=1), SDCG(max_rel=3)@4):
        score, residual, values = (by_topic(m, *collection, provider)
                                   for m in (measure, Residual(measure), Interpolated(measure)))
        for qid, value in values.items():
            assert -1e-9 <= value <= 1 + 1e-9
            if residual[qid] < 1 - 1e-9:
                assert value == pytest.approx(score[qid] / (1 - residual[qid]))


@given(collections(everything_judged=True))
def test_nothing_unjudged_changes_nothing(collection):
    assert by_topic(Interpolated(P@1), *collection) == pytest.approx(by_topic(P@1, *collection))


def test_other_measures_are_refused():
    with pytest.raises(ValueError, match='nDCG has no residual'):
        Interpolated(nDCG)
