"""Products with sparse features: what they are refused, and the same bits on any thread count."""

import numpy as np
import pytest
import scipy.sparse

from fastgat import _core


class Features:
    """A sparse matrix as the products take it: by rows, and by columns in bands of rows."""

    def __init__(
        self,
        num_rows: int,
        num_columns: int,
        offset: np.ndarray,
        column: np.ndarray,
        value: np.ndarray,
    ) -> None:
        arrays = _core.sort_features(num_rows, num_columns, offset, column, value)
        self.rows, self.columns = arrays[:3], arrays[3:]
        self.num_columns = num_columns
        lines = len(self.columns[0]) - 1
        self.num_bands = lines // num_columns if num_columns else 1

    def project(self, weight: np.ndarray, heads: int, probability: float, seed: int) -> np.ndarray:
        return _core.sparse_project(*self.rows, weight, heads, probability, seed)

    def weight_grad(
        self, grad: np.ndarray, heads: int, probability: float, seed: int
    ) -> np.ndarray:
        return _core.sparse_project_weight_grad(
            *self.columns, self.num_columns, grad, heads, probability, seed
        )


MATRIX = Features(2, 3, np.array([0, 1, 2]), np.array([0, 2]), np.ones(2))


@pytest.fixture
def threads():
    before = _core.num_threads()
    yield _core.set_num_threads
    _core.set_num_threads(before)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("is_binary", [False, True])
def test_features_are_sorted_by_rows_and_by_columns(is_binary, index, dtype) -> None:
    """Nothing is stored for values of one."""
    rng = np.random.default_rng(11)
    sparse = scipy.sparse.random_array((5000, 7), density=0.4, rng=rng).tocsr()
    if is_binary:
        sparse.data[:] = 1.0
    sparse = sparse.astype(dtype)
    features = Features(
        5000, 7, sparse.indptr.astype(np.int64), sparse.indices.astype(index), sparse.data
    )
    offset, column, value = features.rows
    assert (offset.dtype, column.dtype, value.dtype) == (np.int64, np.int32, dtype)
    assert np.array_equal(offset, sparse.indptr)
    assert np.array_equal(column, sparse.indices)
    assert np.array_equal(value, sparse.data[: 0 if is_binary else None])
    offset, row, value = features.columns
    assert features.num_bands == 3
    bands = [sparse[at : at + 2048].tocsc() for at in range(0, 5000, 2048)]
    assert np.array_equal(np.diff(offset), np.concatenate([np.diff(b.indptr) for b in bands]))
    expected = np.concatenate([b.indices + 2048 * k for k, b in enumerate(bands)])
    assert np.array_equal(row, expected)
    stored = np.concatenate([b.data for b in bands])
    assert np.array_equal(value, stored[: 0 if is_binary else None])


@pytest.mark.parametrize("probability", [0.0, 0.5])
@pytest.mark.parametrize("count", [1, 15, 16, 17, 511, 512, 513, 1030])
def test_lines_that_end_at_the_edges_of_tiles(count, probability) -> None:
    """Entries are read 512 at a time; nothing behind the last one is looked at."""
    rng = np.random.default_rng(count)
    sparse = scipy.sparse.csr_array(rng.standard_normal((3, count)))
    features = Features(
        3, count, sparse.indptr.astype(np.int64), sparse.indices, sparse.data.copy()
    )
    dropped = features.project(np.eye(count), 1, probability, 7)
    if probability == 0:
        assert np.array_equal(dropped, sparse.toarray())
    weight, grad = rng.standard_normal((5, count)), rng.standard_normal((3, 5))
    np.testing.assert_allclose(features.project(weight, 1, probability, 7), dropped @ weight.T)
    np.testing.assert_allclose(features.weight_grad(grad, 1, probability, 7), grad.T @ dropped)


@pytest.mark.parametrize("probability", [0.0, 0.6])
@pytest.mark.parametrize("width", [5, 64])
def test_one_and_two_threads_give_the_same_bits(threads, width, probability) -> None:
    """Also where one row or one column has most of the entries."""
    rng = np.random.default_rng(3)
    sparse = scipy.sparse.random_array((3000, 700), density=0.05, rng=rng).tolil()
    sparse[5], sparse[:, 9] = 1.0, 1.0
    sparse = sparse.tocsr()
    matrix = Features(
        3000, 700, sparse.indptr.astype(np.int64), sparse.indices, sparse.data.astype(np.float32)
    )
    weight = rng.standard_normal((width, 700), np.float32)
    grad = rng.standard_normal((3000, width), np.float32)
    x = rng.standard_normal(100_003, np.float32)
    results = []
    for count in (1, 2):
        threads(count)
        results.append([
            matrix.project(weight, 1, probability, 7),
            matrix.weight_grad(grad, 1, probability, 7),
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
    matrix = Features(rows, 40, sparse.indptr.astype(np.int64), sparse.indices, sparse.data)
    assert matrix.num_bands == bands
    identity = np.eye(40, dtype=dtype)
    dropped = matrix.project(identity, 1, probability, 7)  # the matrix itself
    if probability == 0:
        np.testing.assert_array_equal(dropped, sparse.toarray())
    grad = rng.standard_normal((rows, 5)).astype(dtype)
    found = matrix.weight_grad(grad, 1, probability, 7)
    tolerance = 1e-10 if dtype is np.float64 else 1e-2
    np.testing.assert_allclose(found, grad.astype(float).T @ dropped, atol=tolerance)


def test_short_columns_are_left_whole() -> None:
    sparse = scipy.sparse.random_array((9000, 400), density=0.001, rng=np.random.default_rng(3))
    sparse = sparse.tocsr()
    indptr = sparse.indptr.astype(np.int64)
    assert Features(9000, 400, indptr, sparse.indices, sparse.data).num_bands == 1
    nothing = Features(9000, 0, np.zeros(9001, np.int64), np.array([], int), np.ones(0))
    grad = nothing.weight_grad(np.ones((9000, 4)), 1, 0.5, 7)
    assert grad.shape == (4, 0)


@pytest.mark.parametrize(
    ("offset", "column", "message"),
    [
        ([0, 1], [0, 2], "offset has 2 entries, needs 3"),
        ([1, 1, 2], [0, 2], "offset must begin with 0 and end within 2"),
        ([0, 1, 3], [0, 2], "offset must begin with 0 and end within 2"),
        ([0, 1, 1], [0, 2], "offset must end with 2, the number of entries"),
        ([0, 3, 2], [0, 2], r"offset\[2\] is smaller than the one before"),
        ([0, 1, 2], [0, 3], r"column\[1\]=3 does not fit num_columns=3"),
        ([0, 1, 2], [-1, 0], r"column\[0\]=-1 does not fit num_columns=3"),
        ([0, 1, 2], [0, 1, 2], "value has 2 entries, needs 3"),
    ],
)
def test_what_is_no_matrix_is_refused(offset, column, message) -> None:
    with pytest.raises(ValueError, match=message):
        Features(2, 3, np.array(offset), np.array(column), np.ones(2))


@pytest.mark.parametrize(
    ("shape", "dtype", "heads", "probability", "message"),
    [
        ((4, 2), float, 1, 0.5, "column has the entry 2, but each row of weight has 2"),
        ((4, 0), float, 1, 0.5, "column has entries, but each row of weight has none"),
        ((4, 3), float, 3, 0.5, "heads=3 must divide the width, which is 4"),
        ((4, 3), float, 0, 0.5, "heads=0 must divide"),
        ((0, 3), float, 1, 0.5, "heads=1 must divide the width, which is 0"),
        ((4, 3), float, 1, 1.5, r"probability=1.500000 must lie in \[0"),
    ],
)
def test_what_does_not_fit_a_matrix_is_refused(shape, dtype, heads, probability, message) -> None:
    with pytest.raises(ValueError, match=message):
        MATRIX.project(np.ones(shape, dtype), heads, probability, 7)


def test_a_gradient_of_other_size_is_refused() -> None:
    with pytest.raises(ValueError, match="band_row has the entry 1, but grad has 1"):
        MATRIX.weight_grad(np.ones((1, 4)), 1, 0.5, 7)


@pytest.mark.parametrize("product", ["project", "weight_grad"])
def test_numbers_of_two_types_do_not_mix(product) -> None:
    values = np.linspace(1, 2, 2)
    matrix = Features(2, 3, np.array([0, 1, 2]), np.array([0, 2]), values)
    shape = (4, 3) if product == "project" else (2, 4)
    with pytest.raises(TypeError, match="incompatible function arguments"):
        getattr(matrix, product)(np.ones(shape, np.float32), 1, 0.5, 7)


@pytest.mark.parametrize("bad", [3, -1, 2**31 - 1, -(2**31)])
@pytest.mark.parametrize("probability", [0.0, 0.5])
@pytest.mark.parametrize("place", [0, 15, 16, 700, -1])
def test_an_entry_out_of_range_is_refused(place, probability, bad) -> None:
    """Wherever it stands: the core looks at entries only as it comes by."""
    offset = np.arange(0, 1001, 100)
    index = np.zeros(1000, np.int32)
    index[place] = bad
    with pytest.raises(ValueError, match=f"column has the entry {bad}, but each row of weight"):
        _core.sparse_project(offset, index, np.ones(0), np.ones((4, 3)), 1, probability, 7)
    with pytest.raises(ValueError, match=f"band_row has the entry {bad}, but grad has 3"):
        _core.sparse_project_weight_grad(
            offset, index, np.ones(0), 10, np.ones((3, 4)), 1, probability, 7
        )


@pytest.mark.parametrize(
    ("offset", "message"),
    [
        ([1, 1, 2], "begin with 0"),
        ([0, 1, 3], "end within 2"),
        ([0, 2, 1], "is smaller than the one before"),
        ([0, -1, 2], "is smaller than the one before"),
        ([], "is empty"),
    ],
)
def test_offsets_are_checked_at_every_product(offset, message) -> None:
    offset = np.array(offset, np.int64)
    column, value = np.array([0, 2], np.int32), np.ones(2)
    with pytest.raises(ValueError, match=f"row_offset.*{message}"):
        _core.sparse_project(offset, column, value, np.ones((4, 3)), 1, 0.5, 7)
    with pytest.raises(ValueError, match=f"band_offset.*{message}"):
        _core.sparse_project_weight_grad(offset, column, value, 2, np.ones((3, 4)), 1, 0.5, 7)


@pytest.mark.parametrize("num_columns", [0, 3])
def test_bands_have_the_same_columns(num_columns) -> None:
    with pytest.raises(ValueError, match="band_offset has 2 lines, needs a multiple of"):
        _core.sparse_project_weight_grad(*MATRIX.rows, num_columns, np.ones((3, 4)), 1, 0.5, 7)


def test_values_are_none_or_as_many_as_entries() -> None:
    offset, column, _ = MATRIX.rows
    with pytest.raises(ValueError, match="value has 1 entries, needs 2"):
        _core.sparse_project(offset, column, np.ones(1), np.ones((4, 3)), 1, 0.5, 7)


def test_a_dropped_nan_is_gone() -> None:
    assert not _core.dropout(np.full(100, np.nan), 1.0, 7).any()
