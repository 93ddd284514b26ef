"""Skip connections: what a layer is given, added to what it gives."""

from __future__ import annotations

import torch
from torch import Tensor

from fastgat.nn.projection import project
from fastgat.nn.sparse_features import SparseFeatures


def add_skip(sums: Tensor, below: Tensor | SparseFeatures) -> Tensor:
    """`sums + below`, or `sums` alone where the shapes differ.

    >>> add_skip(torch.ones(2, 2), torch.eye(2).to_sparse_csr()).tolist()
    [[2.0, 1.0], [1.0, 2.0]]
    """
    if sums.shape != below.shape:
        return sums
    if isinstance(below, Tensor) and below.layout == torch.strided:
        return sums + below
    one = torch.eye(below.shape[1], dtype=sums.dtype, device=sums.device)
    return sums + project(below, one).squeeze(1)
