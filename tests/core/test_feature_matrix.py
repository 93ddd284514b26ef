"""Products with sparse features: what they are refused, and the same bits on any thread count."""

import numpy as np
import pytest
import scipy.sparse

from fastgat import _core

MATRIX = _core.FeatureMatrix(2, 3, np.array([0, 1, 2]), np.array([0, 2]), np.ones(2))


@pytest.fixture
def threads():
    before = _core.num_threads()
    yield _core.set_num_threads
    _core.set_num_threads(before)


def test_sizes_are_told() -> None:
    assert (MATRIX.num_rows, MATRIX.num_columns, MATRIX.num_entries) == (2, 3, 2)


@pytest.mark.parametrize("probability", [0.0, 0.6])
@pytest.mark.parametrize("width", [5, 64])
def test_one_and_two_threads_give_the_same_bits(threads, width, probability) -> None:
    """Also where one row or one column has most of the entries."""
    rng = np.random.default_rng(3)
    sparse = scipy.sparse.random_array((3000, 700), density=0.05, rng=rng).tolil()
    sparse[5], sparse[:, 9] = 1.0, 1.0
    sparse = sparse.tocsr()
    matrix = _core.FeatureMatrix(
        3000, 700, sparse.indptr.astype(np.int64), sparse.indices, sparse.data.astype(np.float32)
    )
    weight = rng.standard_normal((width, 700), np.float32)
    grad = rng.standard_normal((3000, width), np.float32)
    x = rng.standard_normal(100_003, np.float32)
    results = []
    for count in (1, 2):
        threads(count)
        results.append([
            _core.sparse_project(matrix, weight, 1, probability, 7),
            _core.sparse_project_weight_grad(matrix, grad, 1, probability, 7),
            _core.dropout(x, probability, 7),
        ])  # fmt: skip
    for one, two in zip(*results, strict=True):
        assert one.tobytes() == two.tobytes()


@pytest.mark.parametrize("probability", [0.0, 0.6, 1.0])
@pytest.mark.parametrize("is_binary", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("rows", "bands"), [(1, 1), (2048, 1), (2049, 2), (9000, 5)])
def test_columns_in_bands_of_rows_and_values_of_one(
    rows, bands, dtype, is_binary, probability
) -> None:
    """The gradient is the transposed product with the same masks, however columns are stored."""
    rng = np.random.default_rng(rows)
    sparse = scipy.sparse.random_array((rows, 40), density=0.3, rng=rng).tocsr()
    if is_binary:
        sparse.data[:] = 1.0
    sparse = sparse.astype(dtype)
    matrix = _core.FeatureMatrix(
        rows, 40, sparse.indptr.astype(np.int64), sparse.indices, sparse.data
    )
    assert matrix.num_bands == bands
    identity = np.eye(40, dtype=dtype)
    dropped = _core.sparse_project(matrix, identity, 1, probability, 7)  # the matrix itself
    if probability == 0:
        np.testing.assert_array_equal(dropped, sparse.toarray())
    grad = rng.standard_normal((rows, 5)).astype(dtype)
    found = _core.sparse_project_weight_grad(matrix, grad, 1, probability, 7)
    tolerance = 1e-10 if dtype is np.float64 else 1e-2
    np.testing.assert_allclose(found, grad.astype(float).T @ dropped, atol=tolerance)


def test_short_columns_are_left_whole() -> None:
    sparse = scipy.sparse.random_array((9000, 400), density=0.001, rng=np.random.default_rng(3))
    sparse = sparse.tocsr()
    indptr = sparse.indptr.astype(np.int64)
    assert _core.FeatureMatrix(9000, 400, indptr, sparse.indices, sparse.data).num_bands == 1
    nothing = _core.FeatureMatrix(9000, 0, np.zeros(9001, np.int64), np.array([], int), np.ones(0))
    grad = _core.sparse_project_weight_grad(nothing, np.ones((9000, 4)), 1, 0.5, 7)
    assert (nothing.num_columns, grad.shape) == (0, (4, 0))


@pytest.mark.parametrize(
    ("offset", "column", "message"),
    [
        ([0, 1], [0, 2], "offset has 2 entries, needs 3"),
        ([1, 1, 2], [0, 2], "offset must begin with 0 and end with 2"),
        ([0, 1, 3], [0, 2], "offset must begin with 0 and end with 2"),
        ([0, 3, 2], [0, 2], r"offset\[2\] is smaller than the one before"),
        ([0, 1, 2], [0, 3], r"column\[1\]=3 does not fit num_columns=3"),
        ([0, 1, 2], [-1, 0], r"column\[0\]=-1 does not fit num_columns=3"),
        ([0, 1, 2], [0, 1, 2], "value has 2 entries, needs 3"),
    ],
)
def test_what_is_no_matrix_is_refused(offset, column, message) -> None:
    with pytest.raises(ValueError, match=message):
        _core.FeatureMatrix(2, 3, np.array(offset), np.array(column), np.ones(2))


@pytest.mark.parametrize(
    ("shape", "dtype", "heads", "probability", "message"),
    [
        ((4, 2), float, 1, 0.5, "each row of weight has 2 entries, needs 3"),
        ((4, 3), float, 3, 0.5, "heads=3 must divide the width, which is 4"),
        ((4, 3), float, 0, 0.5, "heads=0 must divide"),
        ((0, 3), float, 1, 0.5, "heads=1 must divide the width, which is 0"),
        ((4, 3), float, 1, 1.5, r"probability=1.500000 must lie in \[0"),
        ((4, 3), np.float32, 1, 0.5, "weight and features must have the same element type"),
    ],
)
def test_what_does_not_fit_a_matrix_is_refused(shape, dtype, heads, probability, message) -> None:
    with pytest.raises(ValueError, match=message):
        _core.sparse_project(MATRIX, np.ones(shape, dtype), heads, probability, 7)


def test_a_gradient_of_other_size_is_refused() -> None:
    with pytest.raises(ValueError, match="grad has 3 entries, needs 2"):
        _core.sparse_project_weight_grad(MATRIX, np.ones((3, 4)), 1, 0.5, 7)
    with pytest.raises(ValueError, match="grad and features must have the same element type"):
        _core.sparse_project_weight_grad(MATRIX, np.ones((2, 4), np.float32), 1, 0.5, 7)


def test_a_dropped_nan_is_gone() -> None:
    assert not _core.dropout(np.full(100, np.nan), 1.0, 7).any()
