"""Attention layers that store nothing per edge."""

from fastgat.nn.agnn_conv import AGNNConv
from fastgat.nn.arcs import SortedArcs
from fastgat.nn.cosine_conv import CosineConv
from fastgat.nn.dropout import Dropout, dropout, elu_dropout
from fastgat.nn.fastgat import FastGAT
from fastgat.nn.gaan_conv import GaANConv
from fastgat.nn.gat_conv import GATConv
from fastgat.nn.gatv2_conv import GATv2Conv
from fastgat.nn.projected_conv import ProjectedConv
from fastgat.nn.projection import Linear
from fastgat.nn.sparse_features import SparseFeatures

__all__ = [
    "AGNNConv",
    "CosineConv",
    "Dropout",
    "FastGAT",
    "GATConv",
    "GATv2Conv",
    "GaANConv",
    "Linear",
    "ProjectedConv",
    "SortedArcs",
    "SparseFeatures",
    "dropout",
    "elu_dropout",
]
