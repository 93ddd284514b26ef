"""fastgat inside PyTorch Geometric pipelines."""

from fastgat.pyg.sparsify import Sparsify

__all__ = ["Sparsify"]
