"""Datasets and tasks: read without running anything in the files, checked against the catalogue.

A new dataset is a file that makes a `StoredDataset` or `GeneratedDataset`, and a line in
`CATALOGUE`; see `planetoid.py` for one.
"""

from fastgat.data.catalogue import (
    CATALOGUE,
    SplitKind,
    dataset_names,
    graph_names,
    load_dataset,
    load_graph,
    missing_file,
    task_names,
)
from fastgat.data.dataset import Dataset, GeneratedDataset, Sizes, StoredDataset
from fastgat.data.download import data_folder
from fastgat.data.from_files import read_task
from fastgat.data.node_task import NodeTask
from fastgat.data.splits import (
    Split,
    parse_shares,
    random_split,
    split_by_part,
    stratified_split,
)

__all__ = [
    "CATALOGUE",
    "Dataset",
    "GeneratedDataset",
    "NodeTask",
    "Sizes",
    "Split",
    "SplitKind",
    "StoredDataset",
    "data_folder",
    "dataset_names",
    "graph_names",
    "load_dataset",
    "load_graph",
    "missing_file",
    "parse_shares",
    "random_split",
    "read_task",
    "split_by_part",
    "stratified_split",
    "task_names",
]
