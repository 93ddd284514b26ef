"""What FastGAT is compared with: one file per network, and all of them by name."""

from fastgat.reproduce.baselines.drop_edge import DropEdge
from fastgat.reproduce.baselines.fast_gcn import FastGCN
from fastgat.reproduce.baselines.gcn import GCN
from fastgat.reproduce.baselines.graph_sage import GraphSAGE
from fastgat.reproduce.baselines.plans import BASELINES, Baseline, baseline_plan
from fastgat.reproduce.baselines.sparse_gat import SparseGAT

__all__ = [
    "BASELINES",
    "GCN",
    "Baseline",
    "DropEdge",
    "FastGCN",
    "GraphSAGE",
    "SparseGAT",
    "baseline_plan",
]
