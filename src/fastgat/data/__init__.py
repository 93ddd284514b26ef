"""Datasets: found on disk, read without running anything in them, checked against the catalogue."""

from fastgat.data.catalogue import dataset_names, load_graph

__all__ = ["dataset_names", "load_graph"]
