"""Keep the edges that carry a graph's spectrum, and measure how well that went."""

import fastgat as fg
from fastgat.graph.generators import block_model

graph, community = block_model(2000, 60_000, num_communities=8, seed=1)
sparse = fg.EffectiveResistanceSparsifier(keep=0.3).sparsify(graph, seed=7)
certificate = fg.certify(graph, sparse)

print(f"{graph.num_edges} edges, of which {sparse.num_edges} are kept")
print(f"eigenvalues lie within a factor of [{certificate.lower:.2f}, {certificate.upper:.2f}]")
