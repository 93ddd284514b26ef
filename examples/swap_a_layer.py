"""Swap PyG's GATConv for ours: the same checkpoint, the same output, no memory per arc."""

import torch
from torch_geometric.nn import GATConv as PyGConv

from fastgat.nn import GATConv

x = torch.randn(100, 16)
edge_index = torch.randint(100, (2, 600))

theirs = PyGConv(16, 8, heads=8)
ours = GATConv(16, 8, heads=8)
ours.load_state_dict(theirs.state_dict())

difference = (ours(x, edge_index) - theirs(x, edge_index)).abs().max()
print(f"largest difference: {difference:.1e}")
