"""Features times a weight matrix, one block of columns per head."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional


def project(
    x: Tensor, weight: Tensor, heads: int, *, dropout: float = 0.0, seed: Tensor | None = None
) -> Tensor:
    """Give x @ weight.T as (nodes, heads, channels); `x` is dense or torch.sparse_csr."""
    if x.layout == torch.sparse_csr:
        product: Tensor = torch.sparse.mm(x, weight.t())
        return product.reshape(x.size(0), heads, -1)
    return functional.linear(x, weight).reshape(x.size(0), heads, -1)
