"""To be removed: `fastgat.sparsify` has it."""

from fastgat.sparsify.contract import SparsifiedGraph as SparsifiedGraph
from fastgat.sparsify.contract import subgraph as subgraph
