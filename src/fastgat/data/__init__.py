"""Datasets: found on disk, read without running anything in them, checked against the catalogue."""

from fastgat.data.catalogue import dataset_names, graph_names, task_names
from fastgat.data.load import load_dataset, load_graph, missing_file
from fastgat.data.node_task import NodeTask
from fastgat.data.own_data import read_task
from fastgat.data.splits import Split, random_split, split_by_part

__all__ = [
    "NodeTask",
    "Split",
    "dataset_names",
    "graph_names",
    "load_dataset",
    "load_graph",
    "missing_file",
    "random_split",
    "read_task",
    "split_by_part",
    "task_names",
]
