"""Sparse matrices of torch, without being told each time that they are in beta."""

from __future__ import annotations

import warnings

import torch
from torch import Tensor


def csr_tensor(start: Tensor, column: Tensor, value: Tensor, size: tuple[int, int]) -> Tensor:
    """A `torch.sparse_csr` matrix of parts that fit together: they are not checked."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Sparse CSR tensor support is in beta")
        return torch.sparse_csr_tensor(start, column, value, size, check_invariants=False)
