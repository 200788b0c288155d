import pytest
from generated import KERNEL_MEASURES
from ir_measures import RBP, IPrec, P, nDCG

from pyterrier_unjudged import Assessment, Bootstrap, Condensed, Lower, Residual, Upper, parse_measure

TREATED = [Condensed(nDCG@10), Upper(P(rel=2)@5, bound='rbp'), Lower(nDCG(gains={1: 3})@10, bound='guaranteed'),
           Residual(RBP(p=0.95, rel=1)), Assessment(IPrec@0.5), Bootstrap(nDCG@10),
           Bootstrap(nDCG(dcg='exp-log2')@10, prior='run', stat=0.95, b=None, pool='collection'),
           Bootstrap(nDCG@10, fallback='nonrelevant'),
           Bootstrap(P@10, stat='mean', b=50, seed=3)]


@pytest.mark.parametrize('measure', [*KERNEL_MEASURES, *TREATED], ids=repr)
def test_reads_its_repr_back(measure):
    parsed = parse_measure(repr(measure))
    assert parsed == measure
    assert type(parsed) is type(measure)


def test_reads_what_people_write():
    assert parse_measure('Bootstrap(nDCG@10, stat=0.95)') == Bootstrap(nDCG@10, stat=0.95)
    assert parse_measure(' Condensed( nDCG )@10') == Condensed(nDCG@10)
    assert parse_measure('MRR@10') == parse_measure('RR@10')


@pytest.mark.parametrize(('text', 'message'), [
    ('nDGC@10', "no measure named 'nDGC'. Did you mean nDCG"),
    ('Bootstrapp(nDCG@10)', 'Did you mean Bootstrap'),
    ('zzz', 'Known are AP, .*Condensed'),
    ('Condensed', r'write Condensed\(nDCG@10\)'),
    ('Condensed()', 'Condensed treats one measure'),
    ('P(2)@5', 'the parameters of P must be named'),
    ('P(depth=2)@5', r"P has no parameter \['depth'\]; it has \['cutoff', 'rel', 'judged_only'\]"),
    ('Condensed(nDCG@10, k=3)', r"Condensed has no parameter \['k'\]"),
    ('nDCG@k', 'k is not a number, text, or other plain value'),
    ('nDCG@', "'nDCG@' is not a measure"),
    ('3', '3 is not a measure'),
    ('P.rel@5', 'P.rel is not a measure'),
])
def test_what_is_no_measure_is_named(text, message):
    with pytest.raises(ValueError, match=message):
        parse_measure(text)
