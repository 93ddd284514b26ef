"""fastgat inside PyTorch Geometric pipelines."""

from fastgat.pyg.arc_scales import seed_of_graph
from fastgat.pyg.convert import to_data
from fastgat.pyg.gat import PyGGAT
from fastgat.pyg.read import read_pyg
from fastgat.pyg.sparsify import Sparsify

__all__ = ["PyGGAT", "Sparsify", "read_pyg", "seed_of_graph", "to_data"]
