"""Sparsifiers: one contract, one file each.

A new one is a file beside these, or in your own code, and a line in `SPARSIFIERS` to have a name.
"""

from typing import Any

from fastgat.sparsify.contract import (
    ArcSampler,
    PreparedSparsifier,
    SparsifiedGraph,
    Sparsifier,
    subgraph,
)
from fastgat.sparsify.degree import DegreeSparsifier
from fastgat.sparsify.effective_resistance import EffectiveResistanceSparsifier, Estimator
from fastgat.sparsify.forest_fire import ForestFireSparsifier
from fastgat.sparsify.guided import GuidedSparsifier, edge_agreement
from fastgat.sparsify.k_neighbor import KNeighborSparsifier
from fastgat.sparsify.local_degree import LocalDegreeSparsifier, RankDegreeSparsifier
from fastgat.sparsify.neighbourhood import (
    JaccardSparsifier,
    LocalSimilaritySparsifier,
    LSparSparsifier,
    ScanSparsifier,
)
from fastgat.sparsify.panel import Panel, graph_panel
from fastgat.sparsify.sampling import Sampling, ScoreSparsifier
from fastgat.sparsify.similarity import SimilaritySparsifier, edge_similarity
from fastgat.sparsify.spanner import SpannerSparsifier, SpanningForestSparsifier
from fastgat.sparsify.uniform import UniformSparsifier

# By the names that the command line takes; run records go by the names of the classes.
SPARSIFIERS: dict[str, type[Any]] = {
    "resistance": EffectiveResistanceSparsifier,
    "degree": DegreeSparsifier,
    "uniform": UniformSparsifier,
    "k-neighbor": KNeighborSparsifier,
    "similarity": SimilaritySparsifier,
    "guided": GuidedSparsifier,
    "jaccard": JaccardSparsifier,
    "l-spar": LSparSparsifier,
    "local-similarity": LocalSimilaritySparsifier,
    "scan": ScanSparsifier,
    "local-degree": LocalDegreeSparsifier,
    "rank-degree": RankDegreeSparsifier,
    "forest-fire": ForestFireSparsifier,
    "spanner": SpannerSparsifier,
    "spanning-forest": SpanningForestSparsifier,
}

__all__ = [
    "SPARSIFIERS",
    "ArcSampler",
    "DegreeSparsifier",
    "EffectiveResistanceSparsifier",
    "Estimator",
    "ForestFireSparsifier",
    "GuidedSparsifier",
    "JaccardSparsifier",
    "KNeighborSparsifier",
    "LSparSparsifier",
    "LocalDegreeSparsifier",
    "LocalSimilaritySparsifier",
    "Panel",
    "PreparedSparsifier",
    "RankDegreeSparsifier",
    "Sampling",
    "ScanSparsifier",
    "ScoreSparsifier",
    "SimilaritySparsifier",
    "SpannerSparsifier",
    "SpanningForestSparsifier",
    "SparsifiedGraph",
    "Sparsifier",
    "UniformSparsifier",
    "edge_agreement",
    "edge_similarity",
    "graph_panel",
    "subgraph",
]
