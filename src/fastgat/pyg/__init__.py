"""fastgat inside PyTorch Geometric pipelines."""

from fastgat.pyg.read import read_pyg
from fastgat.pyg.sparsify import Sparsify

__all__ = ["Sparsify", "read_pyg"]
