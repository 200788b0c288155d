import pytest

from pyterrier_unjudged import rmse


def test_by_hand():
    found = rmse([0.5, 0.2, 0.4], [0.3, 0.5, 0.4])
    assert found.actual == pytest.approx(((0.04 + 0.09) / 3) ** 0.5)
    assert found.lower == pytest.approx((0.04 / 3) ** 0.5)
    assert found.upper == pytest.approx((0.09 / 3) ** 0.5)
    assert found.to_frame().columns.tolist() == ['actual', 'lower', 'upper']
    assert rmse([0.1], [0.1]).actual == 0


@pytest.mark.parametrize(('estimate', 'truth', 'message'), [
    ([1.0], [1.0, 2.0], r'shapes \(1,\) and \(2,\)'), ([], [], 'one score at least'),
    ([float('nan')], [1.0], 'no numbers')])
def test_bad_input_is_named(estimate, truth, message):
    with pytest.raises(ValueError, match=message):
        rmse(estimate, truth)
