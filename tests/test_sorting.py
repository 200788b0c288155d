import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyterrier_unjudged.judged_run import block_starts, encode_blocks, encode_ids
from pyterrier_unjudged.sorting import digits, inverse, same_texts, text_digits

# pandas and Arrow keep text as UTF-8, which has no surrogates; a NUL at the end is padding.
TEXTS = st.lists(st.text(st.characters(exclude_categories=['Cs'], exclude_characters='\0'), max_size=20), max_size=30)
TYPES = ['str', object, 'string', pytest.param('string[pyarrow]', id='arrow')]


@pytest.mark.parametrize('dtype', TYPES)
@given(texts=TEXTS)
def test_text_is_sorted_as_python_sorts_it(dtype, texts):
    order = np.lexsort(text_digits(pd.Series(texts, dtype=dtype)))
    assert [texts[place] for place in order] == sorted(texts)
    assert all(digit.dtype == np.uint16 for digit in text_digits(pd.Series(texts, dtype=dtype)))


@given(st.lists(st.integers(0, 2 ** 40)))
def test_numbers_are_sorted(numbers):
    numbers = np.array(numbers, dtype=np.int64)
    assert np.lexsort(digits(numbers)).tolist() == np.argsort(numbers, kind='stable').tolist()


@given(st.permutations(range(9)))
def test_inverse(order):
    assert np.array(order)[inverse(np.array(order))].tolist() == list(range(9))


@pytest.mark.parametrize('dtype', TYPES)
@given(ids=st.lists(st.sampled_from(['', '1', '2', '10', '11', '100']), max_size=30))
def test_blocks_are_encoded_as_rows_are(dtype, ids):
    column = pd.Series(ids, dtype=dtype, name='qid')
    changes = [row for row in range(len(ids)) if not row or ids[row] != ids[row - 1]]
    assert block_starts(column).tolist() == changes
    by_row, by_block = encode_ids(column, 'run', sort=True), encode_blocks(column, 'run', sort=True)
    assert all((left == right).all() for left, right in zip(by_row, by_block, strict=True))
    assert by_row[1][by_row[0]].tolist() == ids and by_row[1].tolist() == sorted(set(ids))


@pytest.mark.parametrize('dtype', TYPES)
def test_a_slice_of_a_column(dtype):
    column = pd.Series(['11', '1', '1', '22', '22', '21'], dtype=dtype)
    assert block_starts(column[3:]).tolist() == [0, 2]
    assert np.lexsort(text_digits(column[3:])).tolist() == [2, 0, 1]


@pytest.mark.parametrize('dtype', TYPES)
def test_same_texts(dtype):
    column = pd.Series(['1', '1', '2'], dtype=dtype)
    assert same_texts(column, column.copy()) and same_texts(column, column.set_axis([7, 8, 9]))
    assert not same_texts(column, column[:2]) and not same_texts(column, column[::-1])
    missing = pd.Series(['1', None, pd.NA], dtype=object)
    assert not same_texts(column, missing)
