"""Features times weight, one row of channels per head: where an attention layer begins."""

from __future__ import annotations

import torch
from torch import Tensor

from fastgat.check import InputError, check_between, check_count
from fastgat.nn.dropout import check_mask_seed, draw_seed
from fastgat.nn.dropout import dropout as drop
from fastgat.nn.narrow_projection import is_narrow, narrow_project
from fastgat.nn.sparse_features import SparseFeatures, sparse_features
from fastgat.nn.sparse_projection import sparse_project


def project(
    x: Tensor | SparseFeatures,
    weight: Tensor,
    heads: int = 1,
    *,
    dropout: float = 0.0,
    seed: Tensor | None = None,
) -> Tensor:
    """Return `dropout(x) @ weight.T` in the shape (num_nodes, heads, channels).

    Rows of `weight` are ordered by head, then channel, as in PyG. In memory the heads lie
    innermost, as attention reads them: `.transpose(1, 2)` of the result is contiguous.
    `x` is dense, `torch.sparse_csr` or SparseFeatures; of sparse ones only stored entries are
    dropped, and no gradient reaches them. `seed` is an int64 tensor of one entry.

    >>> project(torch.eye(2), torch.arange(8.0).view(4, 2), heads=2).tolist()
    [[[0.0, 2.0], [4.0, 6.0]], [[1.0, 3.0], [5.0, 7.0]]]
    """
    check_between("dropout", dropout, 0, 1, closed=True)
    _check_shapes(x, weight, check_count("heads", heads, 1))
    check_mask_seed(seed)
    seed = draw_seed() if seed is None and dropout > 0 else seed
    if isinstance(x, SparseFeatures) or x.layout == torch.sparse_csr:
        out = _project_sparse(x, weight, heads, dropout, seed)
    else:
        dropped, rows = drop(x, dropout, seed=seed), heads_last(weight, heads)
        product = narrow_project if is_narrow(dropped, rows) else torch.nn.functional.linear
        out = product(dropped, rows)
    return out.view(x.shape[0], weight.shape[0] // heads, heads).transpose(1, 2)


def heads_last(weight: Tensor, heads: int) -> Tensor:
    """The rows of `weight`, ordered by channel, then head."""
    if heads == 1:
        return weight
    width, num_features = weight.shape
    return weight.reshape(heads, width // heads, num_features).transpose(0, 1).reshape(weight.shape)


def project_portably(
    x: Tensor, weight: Tensor, heads: int, dropout: float, seed: Tensor | None
) -> Tensor:
    """The sparse product by torch alone, for devices the core does not reach."""
    product: Tensor = torch.sparse.mm(drop(x, dropout, seed=seed), heads_last(weight, heads).t())
    return product.contiguous()


def _project_sparse(
    x: Tensor | SparseFeatures, weight: Tensor, heads: int, dropout: float, seed: Tensor | None
) -> Tensor:
    if isinstance(x, Tensor) and x.device.type != "cpu":
        return project_portably(x, weight, heads, dropout, seed)
    features = x if isinstance(x, SparseFeatures) else sparse_features(x)
    if features.dropout > 0:
        if dropout > 0:
            raise InputError(f"x was dropped with p={features.dropout} before; leave out dropout")
        dropout, seed = features.dropout, features.seed
    if features.dtype != weight.dtype:
        raise InputError(f"x is {features.dtype}, weight {weight.dtype}: cast one of them")
    seed = torch.zeros(1, dtype=torch.int64) if seed is None else seed
    projected: Tensor = sparse_project(
        features.key, weight, features.shape[0], heads, dropout, seed
    )
    return projected


def _check_shapes(x: Tensor | SparseFeatures, weight: Tensor, heads: int) -> None:
    if weight.dim() != 2 or weight.shape[0] == 0 or weight.shape[0] % heads:
        raise InputError(
            f"weight has shape {tuple(weight.shape)}, but needs a multiple of heads={heads} as rows"
        )
    if len(x.shape) != 2 or x.shape[1] != weight.shape[1]:
        raise InputError(
            f"x has shape {tuple(x.shape)}, but weight needs (num_nodes, {weight.shape[1]})"
        )
