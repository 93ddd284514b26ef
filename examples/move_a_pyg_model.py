"""Move a model that was trained with PyG's layers to fastgat, then to a graph of half the edges."""

import torch
from torch.nn.functional import cross_entropy, elu
from torch_geometric.nn import GATConv

import fastgat as fg
from fastgat.nn import FastGAT
from fastgat.pyg import Sparsify, to_data


class Net(torch.nn.Module):
    """A GAT as one writes it with PyG."""

    def __init__(self):
        """Make the layers."""
        super().__init__()
        self.conv1 = GATConv(64, 8, heads=8)
        self.conv2 = GATConv(64, 10, concat=False)

    def forward(self, x, edge_index):
        """Class scores of every node."""
        return self.conv2(elu(self.conv1(x, edge_index)), edge_index)


torch.manual_seed(3)
data = to_data(fg.load_dataset("digits"))
theirs = Net()
optimizer = torch.optim.Adam(theirs.parameters(), lr=0.01)
for _ in range(30):
    loss = cross_entropy(theirs(data.x, data.edge_index)[data.train_mask], data.y[data.train_mask])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# Within a layer parameters have the same names; only the layers themselves are called otherwise.
renamed = {
    name.replace("conv1", "layers.0").replace("conv2", "layers.1"): value
    for name, value in theirs.state_dict().items()
}
ours = FastGAT(64, 8, 10, heads=8)
ours.load_state_dict(renamed)
ours.eval()

with torch.no_grad():
    expected = theirs(data.x, data.edge_index).argmax(1)
    same = ours(data.x, data.edge_index).argmax(1) == expected
    sparse = Sparsify(keep=0.5, sampling="independent", seed=1)(data)
    agree = ours(sparse.x, sparse.edge_index).argmax(1) == expected

print(f"fastgat predicts what PyG does for {int(same.sum())} of {same.numel()} nodes")
share = float(agree.float().mean())
print(f"on {sparse.num_edges} of {data.num_edges} arcs, without training anew: {share:.0%}")
