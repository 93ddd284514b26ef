"""Arrays and matrices in pickles become stand-ins, and only numbers come out of them."""

import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse

from fastgat.check import InputError
from fastgat.data import pickles


def stored(folder: Path, content: Any, protocol: int = 4) -> Path:
    file = folder / "ind.test.x"
    file.write_bytes(content if isinstance(content, bytes) else pickle.dumps(content, protocol))
    return file


@pytest.mark.parametrize("dtype", ["<f4", ">f8", "<i4", "|u1", "|b1"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays(dtype: str, order: Any, tmp_path: Path) -> None:
    array = np.asarray(np.arange(6).reshape(2, 3), dtype, order=order)
    loaded = pickles.load(stored(tmp_path, array))
    assert np.array_equal(loaded, array)


def test_matrices(tmp_path: Path) -> None:
    matrix = scipy.sparse.csr_matrix(np.array([[0, 2.0], [3, 0]]))
    loaded = pickles.load(stored(tmp_path, matrix))
    assert isinstance(loaded, scipy.sparse.csr_array)
    assert loaded.toarray().tolist() == [[0, 2], [3, 0]]


def test_python_2_array(tmp_path: Path) -> None:
    """As Planetoid's own files are written: protocol 2, bytes as latin-1 text."""
    content = (
        b"\x80\x02cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85U\x01b\x87R"
        b"(K\x01K\x02\x85cnumpy\ndtype\nU\x02i2K\x00K\x01\x87R(K\x03U\x01<NNNJ\xff\xff\xff\xff"
        b"J\xff\xff\xff\xffK\x00tb\x89U\x04\x01\x00\xff\xfftb."
    )
    assert pickles.load(stored(tmp_path, content)).tolist() == [1, -1]


class Call:
    def __init__(self, function: Any, *arguments: Any) -> None:
        self.call = function, arguments

    def __reduce__(self) -> Any:
        return self.call


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (np.array([{}, {}]), "has an array of dtype 'O8', but a dataset has numbers"),
        (np.array(["text"]), "has an array of dtype"),
        (np.zeros(2, [("a", "f4")]), "has an array of dtype"),
        (np.zeros(2, "M8[s]"), "has an array of dtype"),
        (Call(np.frombuffer, b"1234"), r"asks for numpy\.\S+, which no dataset needs"),
        (scipy.sparse.coo_matrix(np.eye(2)), r"asks for scipy.sparse._coo.coo_matrix"),
        (b"cnumpy\nload\n.", r"asks for numpy.load"),
        (b"cnumpy\nndarray.__class__\n.", r"asks for numpy.ndarray.__class__"),
        (b"cnumpy\nndarray\n}b.", "is not a whole pickle"),  # state for a class
        (b"cnumpy\nndarray\n)R.", "has an array that is damaged"),
        (b"cnumpy\nndarray\n)R(K\x01K\x02\x85NK\x00U\x00tb.", "has an array that is damaged"),
        (b"cscipy.sparse.csr\ncsr_matrix\n)R}b.", "has a matrix that is damaged"),
        (b"cscipy.sparse.csr\ncsr_matrix\n)R.", "has a matrix that is damaged"),
    ],
)
def test_anything_else_is_refused(content: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        pickles.load(stored(tmp_path, content))


def test_code_inside_an_array_does_not_run(tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    array = np.empty(1, object)
    array[0] = Call(os.system, f"touch {marker}")
    with pytest.raises(InputError, match=r"asks for posix.system"):
        pickles.load(stored(tmp_path, array))
    assert not marker.exists()


def test_matrix_that_points_outside_is_refused(tmp_path: Path) -> None:
    matrix = scipy.sparse.csr_matrix(np.eye(3))
    matrix.indices[2] = 2_000_000
    with pytest.raises(InputError, match="do not make a matrix"):
        pickles.load(stored(tmp_path, matrix))


def test_long_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pickles, "MAX_BYTES", 10)
    with pytest.raises(InputError, match="bytes, but at most 10 are allowed"):
        pickles.load(stored(tmp_path, np.arange(9)))
