"""Graphs: the class, building, reading and writing, a gallery with known answers."""

from fastgat.graph.formats import read_graph, write_graph
from fastgat.graph.graph import Graph, Repairs

__all__ = ["Graph", "Repairs", "read_graph", "write_graph"]
