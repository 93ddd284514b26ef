"""Attention layers that store nothing per edge."""

from fastgat.nn.agnn_conv import AGNNConv
from fastgat.nn.cosine_conv import CosineConv
from fastgat.nn.gaan_conv import GaANConv
from fastgat.nn.gat_conv import GATConv
from fastgat.nn.gatv2_conv import GATv2Conv

__all__ = ["AGNNConv", "CosineConv", "GATConv", "GATv2Conv", "GaANConv"]
