"""Proposition 1: a GAT layer is a graph convolution, on a graph of its own.

With Gamma the attention graph (loops included), D its degrees and L_sym = U Lambda U',

    softmax attention  =  D^-1 Gamma  =  D^-1/2 U (I - Lambda) U' D^1/2

exactly: the first-order kernel g(lambda) = 1 - lambda. The paper prints D^-1/2 on both sides of
its convolution, and Gamma^1/2 for D^1/2 in L_sym = D^1/2 L_rw D^-1/2; neither is an identity.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from experiments.theorems.attention import NEGATIVE_SLOPE, TiedAttention
from experiments.theorems.bound_check import Check
from experiments.theorems.matrices import Matrix, adjacency, symmetric_laplacian, walk
from fastgat.graph import Graph

ROUNDING = 1e-12  # relative: identities in double precision, some hundreds of nodes


@dataclass(frozen=True)
class Equivalence(Check):
    """Relative distances from the layer; `observed` is the corrected convolution's."""

    printed_error: float = 0.0  # of the convolution as printed

    def as_printed(self) -> Check:
        """The check of the convolution with D^-1/2 on both sides."""
        return Check(
            "Proposition 1 as printed", self.epsilon, self.bound, self.printed_error, True,
            "convolution with D^-1/2 twice",
        )  # fmt: skip


def proposition_1(attention: TiedAttention) -> Equivalence:
    """Compare the attention layer (before sigma) with the convolution, corrected and printed."""
    gamma = adjacency(attention.graph, attention.loop)
    layer = walk(gamma) @ attention.projected
    root = np.sqrt(attention.degree)[:, None]
    eigenvalue, basis = np.linalg.eigh(symmetric_laplacian(gamma))

    def convolve(values: Matrix) -> Matrix:
        return np.asarray(basis @ ((1 - eigenvalue)[:, None] * (basis.T @ values)) / root)

    return Equivalence(
        statement="Proposition 1",
        epsilon=math.nan,
        bound=ROUNDING,
        observed=_distance(convolve(root * attention.projected), layer),
        assumptions_hold=True,
        note="convolution against D^-1 Gamma HW",
        printed_error=_distance(convolve(attention.projected / root), layer),
    )


def layer_agreement(attention: TiedAttention, sparse: Graph | None = None) -> Check:
    """Compare D^-1 Gamma HW with `fastgat.nn.GATConv`, on the full graph or a sample of it.

    A sample's weights enter the softmax as `edge_weight`: by how much each coefficient grew.
    """
    import torch

    from fastgat.nn import GATConv

    channels = attention.vector.size
    layer = GATConv(channels, channels, bias=False, negative_slope=NEGATIVE_SLOPE).double()
    with torch.no_grad():
        layer.lin.weight.copy_(torch.eye(channels))
        for vector in (layer.att_src, layer.att_dst):
            vector.copy_(torch.from_numpy(attention.vector))
    graph = attention.graph if sparse is None else sparse
    own = attention.graph.to_scipy()[graph.source, graph.target]
    growth = torch.from_numpy(np.tile(graph.weight / np.asarray(own), 2))
    arcs = np.stack([graph.source, graph.target]).astype(np.int64)
    edge_index = torch.from_numpy(np.concatenate([arcs, arcs[::-1]], axis=1))
    with torch.no_grad():
        out = layer(torch.from_numpy(attention.projected), edge_index, edge_weight=growth).numpy()
    expected = walk(adjacency(graph, attention.loop)) @ attention.projected
    return Check(
        "Proposition 1", math.nan, ROUNDING, _distance(out, expected), assumptions_hold=True,
        note="GATConv against D^-1 Gamma HW" + ("" if sparse is None else ", sampled"),
    )  # fmt: skip


def _distance(found: Matrix, expected: Matrix) -> float:
    return float(np.linalg.norm(found - expected) / np.linalg.norm(expected))
