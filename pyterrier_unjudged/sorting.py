"""Sorting in linear time: ``np.lexsort`` sorts 16-bit integers by radix, so numbers and texts are cut into such."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    import pyarrow as pa

DIGIT = 16  #: bits of a digit
Texts = pd.Series | pd.Index | pd.api.extensions.ExtensionArray | np.ndarray


def digits(numbers: np.ndarray) -> list[np.ndarray]:
    """Returns whole numbers from 0 on as keys for ``np.lexsort``, the lowest digit first, each uint16.

    Example:
        >>> np.lexsort(digits(np.array([70_000, 3, 65_536])))
        array([1, 2, 0])
    """
    columns = [numbers.astype(np.uint16)]
    highest = int(numbers.max(initial=0)) >> DIGIT
    while highest:
        numbers, highest = numbers >> DIGIT, highest >> DIGIT
        columns.append(numbers.astype(np.uint16))
    return columns


def text_digits(texts: Texts) -> list[np.ndarray]:
    """Returns texts as keys for ``np.lexsort``, the end of the texts first, each uint16, shape (texts,).

    Example:
        >>> np.lexsort(text_digits(np.array(['d2', 'd10', 'c'], dtype=object)))
        array([2, 1, 0])
    """
    if is_arrow(texts):
        from pyarrow import compute
        array = arrow_array(texts).fill_null('')
        width = _even(compute.max(compute.binary_length(array)).as_py() or 0)
        padded = compute.ascii_rpad(array, width, padding='\0')  # pads bytes, whatever its name says
        text = np.frombuffer(padded.buffers()[2] or b'', dtype=np.uint8, count=len(array) * width)
    else:
        texts = np.asarray(texts, dtype=object)
        try:
            text = texts.astype('S')
        except UnicodeEncodeError:
            text = np.char.encode(texts.astype('U'), 'utf-8', 'surrogatepass')
        width = _even(text.itemsize)
        text = text.astype(f'S{width}')
    # In UTF-8 the order of bytes is that of characters.
    return list(text.view('>u2').reshape(len(texts), width // 2).T[::-1].astype(np.uint16, order='C'))


def inverse(order: np.ndarray) -> np.ndarray:
    """Returns the place of each item in an order: the inverse permutation."""
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return place


def in_order(texts: Texts, codes: np.ndarray) -> tuple[Texts, np.ndarray]:
    """Returns distinct texts in ascending order, and the codes of the same texts in it.

    Example:
        >>> in_order(np.array(['b', 'a'], dtype=object), np.array([0, 0, 1]))
        (array(['a', 'b'], dtype=object), array([1, 1, 0]))
    """
    order = np.lexsort(text_digits(texts))
    return texts[order], inverse(order)[codes]


def pair_order(topic: np.ndarray, document: np.ndarray) -> np.ndarray:
    """Returns the order of (topic code, document code) pairs; equal ones stay as they stand."""
    return np.lexsort([*digits(document), *digits(topic)])


def same_texts(texts: pd.Series, others: pd.Series) -> bool:
    """Tells whether two columns have the same texts in the same order."""
    if is_arrow(texts) and is_arrow(others):
        return arrow_array(texts).equals(arrow_array(others))
    return pd.Index(texts).equals(pd.Index(others))


def is_arrow(texts: Texts) -> bool:
    """Tells whether texts are kept as an Arrow array, which is how pandas keeps them from version 3 on."""
    return isinstance(texts.dtype, pd.StringDtype) and texts.dtype.storage == 'pyarrow'


def arrow_array(texts: Texts) -> pa.Array:
    """Returns the Arrow array of texts for which :func:`is_arrow` holds, in one piece."""
    array = getattr(texts, 'array', texts).__arrow_array__()
    if not hasattr(array, 'chunks'):
        return array
    return array.chunk(0) if array.num_chunks == 1 else array.combine_chunks()


def _even(width: int) -> int:
    return max(width + width % 2, 2)
