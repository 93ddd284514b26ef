"""Labels as people write them, to classes: 0, 1, 2, ..., and the names they had."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgat.check import InputError
from fastgat.data.node_task import UNLABELLED
from fastgat.text_table import MISSING, is_quantity

MOST_ALONE = 10  # nodes, each with a class of its own, from which on these are no classes
_WHOLE = re.compile(r"-?(0|[1-9]\d{0,17})(\.0*)?")
_QUANTITY = (
    "label {} is not a class: classes are whole numbers or text (to predict quantities, train the "
    "layers of fastgat.nn with a loss of your own)"
)


def encode_labels(
    values: Any, num_classes: int | None = None
) -> tuple[NDArray[np.int64], tuple[str, ...] | None]:
    """Classes, -1 where there is no label, and their names unless these are 0, 1, 2, ... already.

    Classes are numbered in the order of their names or numbers, without gaps: a class id of a
    million costs nothing.

    Args:
        values: an Arrow column or an array of whole numbers, text or truth values.
        num_classes: where it is known, numbers below it are taken as they are.

    >>> encode_labels(np.array([3.0, 7.0, np.nan, 3.0]))
    (array([ 0,  1, -1,  0]), ('3', '7'))
    """
    array = values if isinstance(values, np.ndarray) else _to_array(values)
    if array.dtype.kind == "c":
        raise InputError("labels are complex numbers, but classes are whole numbers or text")
    if array.dtype.kind in "OUS":
        array = _read_text(array)
    known = _known(array)
    found = array[known]
    if found.size == 0:
        raise InputError("there is no label; give at least some nodes one")
    if array.dtype.kind == "f":
        bad = found[(found != np.rint(found)) | (np.abs(found) > 2.0**53)]
        if bad.size:
            raise InputError(_QUANTITY.format(f"{bad[0]:g}"))
        found = found.astype(np.int64)
    if found.dtype.kind == "i" and found.min() < UNLABELLED:
        raise InputError(f"label {int(found.min())} is negative; -1 stands for no label")
    if array.dtype.kind in "OUS":
        found = np.array([str(value).strip() for value in found.tolist()])
    kinds, numbers = np.unique(found, return_inverse=True)
    if kinds.size == found.size >= MOST_ALONE and num_classes is None:
        raise InputError(
            f"each of the {found.size} labels is another one, such as {str(kinds[0])!r}: they are "
            "no classes, or the file is cut into columns otherwise than it was read"
        )
    classes = np.full(array.size, UNLABELLED, np.int64)
    if found.dtype.kind in "iu":
        in_order = np.array_equal(kinds, np.arange(kinds.size))
        if in_order or (num_classes is not None and kinds[-1] < num_classes):
            classes[known] = found
            _refuse_one_class(kinds if num_classes is None else range(num_classes))
            return classes, None
    _refuse_one_class(kinds)
    if num_classes is not None and kinds.size != num_classes:
        raise InputError(f"there are {kinds.size} classes, but num_classes={num_classes}")
    classes[known] = numbers
    return classes, tuple(map(str, kinds.tolist()))


def _read_text(array: NDArray[Any]) -> NDArray[Any]:
    """Whole numbers, 1.0 among them, where all are; else text, which keeps 01 apart from 1."""
    texts = ["" if value is None else str(value).strip() for value in array.tolist()]
    known = [text for text in texts if text not in MISSING]
    if known and all(map(_WHOLE.fullmatch, known)):
        return np.array(
            [UNLABELLED if text in MISSING else int(text.partition(".")[0]) for text in texts],
            np.int64,
        )
    if known and all(map(is_quantity, known)):
        odd = next((text for text in known if not text.isdecimal()), None)
        if odd is not None:
            raise InputError(_QUANTITY.format(odd))
    return array


def _to_array(column: Any) -> NDArray[Any]:
    """An Arrow column as numbers (missing ones NaN or -1), truth values or text."""
    import pyarrow as pa

    column = column.combine_chunks()
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_integer(column.type):
        return np.asarray(column.cast(pa.int64()).fill_null(UNLABELLED).to_numpy())
    if pa.types.is_floating(column.type):
        return np.asarray(column.to_numpy(zero_copy_only=False), np.float64)
    if pa.types.is_boolean(column.type) or pa.types.is_null(column.type):
        return np.array(column.to_pylist(), object)
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        return np.array(column.to_pylist(), object)
    raise InputError(f"labels are {column.type}, but classes are whole numbers or text")


def _known(array: NDArray[Any]) -> NDArray[np.bool_]:
    if array.dtype.kind == "f":
        return np.asarray(~np.isnan(array) & (array != UNLABELLED))
    if array.dtype.kind in "iu":
        return np.asarray(array != UNLABELLED)
    if array.dtype.kind == "b":
        return np.ones(array.size, bool)
    texts = ["" if value is None else str(value).strip() for value in array.tolist()]
    absent = {*MISSING, str(UNLABELLED)}
    return np.array([text not in absent for text in texts], bool)


def _refuse_one_class(kinds: Any) -> None:
    if len(kinds) == 1:
        raise InputError(f"every label is {kinds[0]}: one class alone leaves nothing to learn")
