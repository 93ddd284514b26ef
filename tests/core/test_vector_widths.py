"""The core computes the same with the vectors of any machine."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from fastgat import _core
from fastgat.graph.generators import block_model
from fastgat.nn import CosineConv, EdgeStructure, FastGAT, GATConv, GATv2Conv
from fastgat.spectral import LaplacianSolver

NARROW = {"FASTGAT_VECTOR_BYTES": "32"}


def results() -> dict[str, np.ndarray]:
    """Layers forward and backward, sparse features, dropout and solves, in both precisions."""
    graph, _ = block_model(300, 1500, num_communities=4, seed=7)
    edges = EdgeStructure.from_graph(graph)
    found = {"solve": LaplacianSolver(graph).solve(np.linspace(-1, 1, 300)).x}
    for dtype in (torch.float32, torch.float64):
        for layer in (GATConv, GATv2Conv, CosineConv):
            for heads, channels in ((1, 7), (3, 5), (8, 8), (4, 40)):
                torch.manual_seed(11)
                conv = layer(20, channels, heads, dropout=0.5).to(dtype)
                x = torch.randn(300, 20, dtype=dtype, requires_grad=True)
                out = conv(x, edges)
                out.square().sum().backward()
                name = f"{layer.__name__} {heads} x {channels} {dtype}"
                found[name] = out.detach().numpy()
                found[f"{name} gradient"] = x.grad.numpy()
        torch.manual_seed(13)
        model = FastGAT(60, 8, 5).to(dtype)
        features = (torch.rand(300, 60) < 0.1).to(dtype).to_sparse_csr()
        model(features, edges).sum().backward()
        for name, parameter in model.named_parameters():
            found[f"{name} {dtype}"] = parameter.grad.numpy()
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
