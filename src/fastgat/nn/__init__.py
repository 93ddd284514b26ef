"""Attention layers that store nothing per edge."""

from fastgat.nn.activation import elu_dropout
from fastgat.nn.agnn_conv import AGNNConv
from fastgat.nn.cosine_conv import CosineConv
from fastgat.nn.dropout import Dropout, dropout
from fastgat.nn.edges import EdgeStructure
from fastgat.nn.fastgat import FastGAT
from fastgat.nn.gaan_conv import GaANConv
from fastgat.nn.gat_conv import GATConv
from fastgat.nn.gatv2_conv import GATv2Conv
from fastgat.nn.linear import Linear
from fastgat.nn.sparse_features import SparseFeatures

__all__ = [
    "AGNNConv",
    "CosineConv",
    "Dropout",
    "EdgeStructure",
    "FastGAT",
    "GATConv",
    "GATv2Conv",
    "GaANConv",
    "Linear",
    "SparseFeatures",
    "dropout",
    "elu_dropout",
]
