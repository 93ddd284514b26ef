"""fastgat inside PyTorch Geometric pipelines."""

from fastgat.pyg.arc_scales import seed_of_graph
from fastgat.pyg.convert import read_pyg, to_data
from fastgat.pyg.gat import PyGGAT
from fastgat.pyg.sparsify import Sparsify

__all__ = ["PyGGAT", "Sparsify", "read_pyg", "seed_of_graph", "to_data"]
