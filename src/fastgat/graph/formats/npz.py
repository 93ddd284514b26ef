"""NumPy archives: edge lists, SciPy's matrices, and the form Amazon and Coauthor come in."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from fastgat.check import InputError, Progress, edge_ends
from fastgat.files import naming, reason
from fastgat.graph.convert import from_scipy
from fastgat.graph.formats.arcs import build_graph
from fastgat.graph.graph import Graph

Arrays = dict[str, NDArray[Any]]
MATRIX_PARTS = ("data", "indices", "indptr", "shape")
READ = {
    "source", "target", "weight", "num_nodes", "names", "edge_index", "edge_weight",
    "format", "row", "col", "offsets", "blocksize", "_is_array",
    *MATRIX_PARTS, *(f"adj_{part}" for part in MATRIX_PARTS),
}  # fmt: skip


def read(path: Path, *, num_nodes: int | None, names: bool, progress: Progress | None) -> Graph:
    """The graph in an archive; nothing in it is ever unpickled."""
    arrays, present = _load(path)
    if names and "names" not in arrays:
        raise InputError(f"{path} has no array 'names'; read it without names=True")
    if "adj_indptr" in arrays or {"format", "shape"} <= arrays.keys():
        return _from_matrix(path, arrays, num_nodes)
    if "edge_index" in arrays:
        with naming(path):
            source, target = edge_ends(arrays["edge_index"])
    elif {"source", "target"} <= arrays.keys():
        source, target = arrays["source"], arrays["target"]
    else:
        raise InputError(
            f"{path} has arrays {', '.join(present) or '(none)'}, but a graph needs source and "
            "target, edge_index, or a SciPy matrix"
        )
    if num_nodes is None and "num_nodes" in arrays:
        num_nodes = _scalar(path, arrays["num_nodes"])
    labels = arrays.get("names")
    if labels is not None and labels.dtype.kind != "U":
        raise InputError(f"{path}: names has dtype {labels.dtype}, but names are text")
    weight = arrays.get("weight", arrays.get("edge_weight"))
    return build_graph(path, source, target, weight, num_nodes, labels)


def write(graph: Graph, path: Path) -> None:
    """Arrays source, target, num_nodes, and weight and names where there are any."""
    arrays: Arrays = {"source": graph.source, "target": graph.target}
    arrays["num_nodes"] = np.array(graph.num_nodes)
    if graph.stored_weight is not None:
        arrays["weight"] = graph.stored_weight
    if graph.names is not None:
        arrays["names"] = graph.names
    with path.open("wb") as file:
        np.savez(file, allow_pickle=False, **arrays)


def _load(path: Path) -> tuple[Arrays, list[str]]:
    """The arrays a graph can be made of, and the names of all."""
    damaged = InputError(f"{path} is not a whole .npz file: it is cut short or of another format")
    try:
        if not zipfile.is_zipfile(path):
            raise damaged
        with np.load(path, allow_pickle=False) as archive:
            present = list(archive.files)
            return {name: archive[name] for name in present if name in READ}, present
    except InputError:
        raise
    except ValueError as error:
        if "allow_pickle" in str(error):
            raise InputError(f"{path} holds Python objects, which are never loaded") from None
        raise damaged from None
    except OSError as error:
        raise InputError(f"cannot read {path}: {reason(error)}") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, KeyError, RuntimeError):  # or encrypted
        raise damaged from None


def _from_matrix(path: Path, arrays: Arrays, num_nodes: int | None) -> Graph:
    try:
        if "adj_indptr" in arrays:
            data, indices, indptr, shape = (arrays[f"adj_{part}"] for part in MATRIX_PARTS)
            rows, columns = (int(size) for size in shape)
            matrix: Any = scipy.sparse.csr_array((data, indices, indptr), shape=(rows, columns))
        else:
            matrix = scipy.sparse.load_npz(path)
    except (ValueError, TypeError, KeyError, NotImplementedError) as error:
        raise InputError(f"{path} holds a damaged matrix: {error}") from None
    if num_nodes is not None and num_nodes != matrix.shape[0]:
        raise InputError(f"{path} has {matrix.shape[0]} nodes, but num_nodes={num_nodes}")
    with naming(path):
        return from_scipy(matrix)


def _scalar(path: Path, array: NDArray[Any]) -> int:
    if array.size != 1 or array.dtype.kind not in "iu":
        raise InputError(f"{path}: num_nodes must be one whole number")
    return int(array.reshape(())[()])
