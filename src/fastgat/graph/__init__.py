"""Graphs: the class, building, reading and writing, a gallery with known answers."""

from fastgat.graph.graph import Graph, Repairs
from fastgat.graph.read import read_graph
from fastgat.graph.write import write_graph

__all__ = ["Graph", "Repairs", "read_graph", "write_graph"]
