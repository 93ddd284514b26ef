"""The core computes the same with the vectors of any machine."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fastgat import _core
from fastgat.graph.generators import block_model
from fastgat.spectral import LaplacianSolver

NARROW = {"FASTGAT_VECTOR_BYTES": "32"}
NODES, DROPOUT, SEED, SLOPE = 300, 0.5, 11, 0.2


def attention(
    sides: list[Any], heads: int, channels: int, kind: Any
) -> dict[str, tuple[np.ndarray, ...]]:
    """All three families forward and backward, every array that they return."""
    rng = np.random.default_rng(13)
    by_target, by_source = sides[:3], sides[3:6]
    num_arcs = len(sides[1]) + NODES
    padded = _core.padded_heads(heads)
    sizes, noise = (True, heads, channels, 0), (DROPOUT, SEED)

    def rows(size: int, count: int = NODES) -> np.ndarray:
        return rng.normal(size=(count, size)).astype(kind)

    weight = rng.uniform(0.5, 2.0, num_arcs).astype(kind)
    gradient, found = rows(heads * channels), {}
    size = _core.row_size(heads, channels, True)
    value, att, term = rows(size), rows(size, 2), rows(padded, num_arcs)
    scores = [_core.head_scores(value, each, heads, channels) for each in att]
    out, *state = _core.additive_forward(
        *by_target, *sizes, value, *scores, weight, term, att[0], SLOPE, *noise, True
    )
    found["additive"] = out, *state, *_core.additive_backward(
        *by_source, *sizes, gradient, value, *scores, *state, *att, weight, term, SLOPE, *noise
    )  # fmt: skip
    size = _core.row_size(heads, channels, False)
    ends = [_core.unit_heads(rows(size), heads, channels)[0] for _ in range(3)]
    shape = (True, heads, channels, channels, 0)
    out, *state = _core.dot_forward(*by_target, *shape, *ends, weight, *noise)
    found["dot"] = out, *state, *_core.dot_backward(
        *by_target, *by_source, *shape, gradient, out, *ends, *state, weight, *noise
    )  # fmt: skip
    ends, attr = [rows(size), rows(size), rows(size, 1)[0]], rows(3, num_arcs)
    options = (weight, attr, rows(size, 3), SLOPE, *noise)
    out, *state = _core.gatv2_forward(*by_target, *sizes, *ends, *options)
    found["gatv2"] = out, *state, *_core.gatv2_backward(
        *by_target, *by_source, *sizes, gradient, out, *ends, *state, *options
    )  # fmt: skip
    unit, inverse = _core.unit_heads(ends[0], heads, channels)
    bent = _core.unit_heads_gradient(ends[1], unit, inverse, heads, channels)
    return found | {"unit": (unit, inverse, bent)}


def products(kind: Any) -> dict[str, tuple[np.ndarray, ...]]:
    """Sparse and narrow products, and dropout."""
    rng = np.random.default_rng(17)
    offset = np.arange(0, 6 * NODES + 1, 6)
    column = rng.integers(60, size=6 * NODES, dtype=np.int32)
    x, few = rng.normal(size=(NODES, 64)).astype(kind), rng.normal(size=(5, 64)).astype(kind)
    weight = rng.normal(size=(64, 60)).astype(kind)
    found = {
        "narrow": (_core.narrow_project(x, few),),
        "narrow gradient": _core.narrow_project_gradient(_core.narrow_project(x, few), x, few),
        "dropout": (_core.dropout(x.ravel(), DROPOUT, SEED),),
        "elu": (_core.elu_dropout(x.ravel(), None, DROPOUT, SEED),),
    }
    for name, value in ("binary", np.ones(6 * NODES)), ("real", rng.normal(size=6 * NODES)):
        arrays = _core.sort_features(NODES, 60, offset, column, value.astype(kind))
        for p in (0.0, DROPOUT):
            found[f"{name} {p}"] = (
                _core.sparse_project(*arrays[:3], weight, 8, p, SEED),
                _core.sparse_project_weight_grad(*arrays[3:], 60, x, 8, p, SEED),
            )
    return found


def results() -> dict[str, np.ndarray]:
    """Attention forward and backward, products, dropout and solves, in both precisions."""
    graph, _ = block_model(NODES, 1500, num_communities=4, seed=7)
    ends = np.stack([graph.source, graph.target]).astype(np.int64)
    both = np.concatenate([ends, ends[::-1]], axis=1)
    *sides, _ = _core.sort_arcs(both[0].copy(), both[1].copy(), NODES, NODES, True, True)
    found = {"solve": LaplacianSolver(graph).solve(np.linspace(-1, 1, NODES)).x}
    for kind in (np.float32, np.float64):
        of_kind = {f"{name} {kind.__name__}": arrays for name, arrays in products(kind).items()}
        for heads, channels in ((1, 7), (1, 16), (3, 5), (8, 8), (4, 40), (16, 3)):
            for name, arrays in attention(sides, heads, channels, kind).items():
                of_kind[f"{name} {heads} x {channels} {kind.__name__}"] = arrays
        for name, arrays in of_kind.items():
            found |= {f"{name} {k}": array for k, array in enumerate(arrays) if array.size}
    return found


def test_the_core_says_which_vectors_it_uses() -> None:
    assert _core.vector_bytes in (16, 32, 64)


def test_another_width_is_refused_in_one_sentence() -> None:
    if _core.vector_bytes == 16:
        pytest.skip("this core is built for one width of vectors")
    asked = {**os.environ, "FASTGAT_VECTOR_BYTES": "48"}
    command = [sys.executable, "-c", "import fastgat._core"]
    run = subprocess.run(command, env=asked, capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert "ImportError: FASTGAT_VECTOR_BYTES=48 must be 32, or 64 on a processor" in run.stderr


@pytest.mark.skipif(_core.vector_bytes < 64, reason="this machine has no wider vectors")
def test_narrow_vectors_give_what_wide_ones_do(tmp_path: Path) -> None:
    file = tmp_path / "narrow.npz"
    subprocess.run([sys.executable, __file__, str(file)], env={**os.environ, **NARROW}, check=True)
    narrow = np.load(file, allow_pickle=False)
    assert narrow["vector_bytes"] == 32
    for name, value in results().items():
        limit = 2e-4 if value.dtype == np.float32 else 1e-8
        scale = np.abs(value).max()
        assert scale > 0
        np.testing.assert_allclose(narrow[name], value, rtol=0, atol=limit * scale, err_msg=name)
        # A mask that differed would show as another pattern of zeros somewhere along the way.
        np.testing.assert_array_equal(narrow[name] == 0, value == 0, err_msg=name)


if __name__ == "__main__":
    np.savez(sys.argv[1], vector_bytes=_core.vector_bytes, **results())
