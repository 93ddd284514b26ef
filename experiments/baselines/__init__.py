"""What FastGAT is compared with: one file per network, and all of them by name."""

from experiments.baselines.drop_edge import DropEdge
from experiments.baselines.fast_gcn import FastGCN
from experiments.baselines.gcn import GCN
from experiments.baselines.graph_sage import GraphSAGE
from experiments.baselines.plans import BASELINES, Baseline, baseline_plan
from experiments.baselines.sparse_gat import SparseGAT

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
