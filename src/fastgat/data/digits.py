"""Handwritten digits, each joined to those that look most like it: a real task without a file."""

from __future__ import annotations

import numpy as np

from fastgat.data.node_task import NodeTask
from fastgat.graph import Graph

NEIGHBORS = 10


def digits_task() -> NodeTask:
    """scikit-learn's 1797 digits, 64 grey values between 0 and 1 each, in ten classes."""
    from sklearn.datasets import load_digits
    from sklearn.neighbors import kneighbors_graph

    digits = load_digits()
    graph = Graph.from_scipy(kneighbors_graph(digits.data, NEIGHBORS))
    features = (digits.data / 16).astype(np.float32)  # grey values go to 16
    return NodeTask(graph, features, digits.target, 10, class_names=tuple("0123456789"))
