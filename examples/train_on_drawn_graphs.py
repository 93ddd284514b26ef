"""Train a two-layer GAT on sparse graphs: a fresh one for every head of every step."""

import torch
from torch.nn.functional import cross_entropy, elu

import fastgat as fg
from fastgat.graph.generators import block_model
from fastgat.nn import GATConv, SortedArcs, dropout

torch.manual_seed(3)
graph, label = block_model(1000, 20_000, num_communities=5, seed=2)
label = torch.from_numpy(label).long()
x = torch.nn.functional.one_hot(label, 5) + 2 * torch.randn(1000, 5)  # classes, in noise
known = torch.arange(1000) % 10 == 0

prepared = fg.EffectiveResistanceSparsifier(epsilon=0.5).prepare(graph)  # resistances, once
full = SortedArcs.from_graph(graph)
first, second = GATConv(5, 8, heads=8, dropout=0.3), GATConv(64, 5, dropout=0.3)
optimizer = torch.optim.Adam([*first.parameters(), *second.parameters()], lr=0.01)


def forward(first_graph, second_graph, training):
    """Scores of the classes; the first graph may be one per head."""
    hidden = elu(first(x, first_graph))
    return second(dropout(hidden, 0.3, training), second_graph)


for step in range(60):
    per_head = [SortedArcs.from_draw(prepared, seed=9 * step + head) for head in range(8)]
    out = forward(per_head, SortedArcs.from_draw(prepared, seed=9 * step + 8), training=True)
    loss = cross_entropy(out[known], label[known])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

first.eval(), second.eval()
with torch.no_grad():
    correct = forward(full, full, training=False).argmax(1) == label
print(f"accuracy on the {int((~known).sum())} other nodes: {correct[~known].float().mean():.2f}")
