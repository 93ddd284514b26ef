"""A linear layer for dense and sparse features."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from fastgat.nn.projection import project
from fastgat.nn.sparse_features import SparseFeatures


class Linear(nn.Linear):
    """`torch.nn.Linear` that also takes `torch.sparse_csr` tensors, without making them dense.

    >>> layer = Linear(3, 2)
    >>> x = torch.eye(3)
    >>> torch.allclose(layer(x), layer(x.to_sparse_csr()))
    True
    """

    def forward(self, input: Tensor | SparseFeatures) -> Tensor:
        """Return `input @ weight.T + bias`."""
        if isinstance(input, Tensor) and input.layout != torch.sparse_csr:
            return super().forward(input)
        out = project(input, self.weight).squeeze(1)
        return out if self.bias is None else out + self.bias
