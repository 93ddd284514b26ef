"""Peak memory of one layer's training step against the number of arcs, and what autograd keeps.

Each size runs in a process of its own; the slope between them leaves out all that does not grow
with arcs. The graph is the circulant of random offsets with its nodes renumbered at random: simple,
symmetric, and written into its edge_index without anything beside it.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch_geometric import nn as pyg_nn

from experiments.experiment import Experiment, Results, Row
from experiments.options import Options
from experiments.records import Result
from experiments.table import Table
from experiments.timing import peak_of
from fastgat import nn as fastgat_nn

NAME = "attention-memory"
NODES, ARCS, QUICK_ARCS = 50_000, (2_000_000, 8_000_000), (200_000, 800_000)
# So many arcs per node that no tensor of the nodes is as large as one of the arcs.
FEW_NODES, MANY_ARCS = 2_000, 400_000
LAYERS: dict[str, Any] = {"fastgat": fastgat_nn.GATConv, "PyG": pyg_nn.GATConv}


def rows(options: Options) -> list[Row]:
    """One row per library."""
    arcs = QUICK_ARCS if options.quick else ARCS
    return [
        Row(
            which,
            {"quick": options.quick, "nodes": NODES, "arcs": arcs},
            partial(measure, which, arcs),
        )
        for which in LAYERS
    ]


def measure(which: str, arcs: tuple[int, int]) -> Result:
    """Bytes per arc of the peak, and of what autograd keeps."""
    peaks = [peak_of(train_once, which, number)[1] for number in arcs]
    kept, seen = kept_per_arc(which)
    return {
        "peaks": peaks,
        "bytes per arc": (peaks[1] - peaks[0]) / (arcs[1] - arcs[0]),
        "kept tensors": kept,
        "kept bytes per arc": sum(tensor["bytes"] for tensor in kept) / MANY_ARCS,
        "tensors kept in all": seen,
    }


def train_once(which: str, num_arcs: int) -> None:
    """One training step of one layer."""
    torch.manual_seed(5)
    layer = LAYERS[which](64, 8, heads=8, dropout=0.6)
    adam = torch.optim.Adam(layer.parameters(), fused=True)
    x, index = torch.randn(NODES, 64), circulant(NODES, num_arcs)
    layer(x, index).square().mean().backward()
    adam.step()


def circulant(num_nodes: int, num_arcs: int) -> Tensor:
    """The edge_index of the graph that the top of this file describes."""
    generator = torch.Generator().manual_seed(29)
    number = torch.randperm(num_nodes, generator=generator)
    offsets = 1 + torch.randperm((num_nodes - 1) // 2, generator=generator)
    index = torch.empty(2, num_arcs, dtype=torch.int64)
    for k, block in enumerate(torch.split(index, 2 * num_nodes, dim=1)):
        there, back = torch.split(block, num_nodes, dim=1)
        there[0] = back[1] = number
        there[1] = back[0] = number.roll(-int(offsets[k]))
    return index


def kept_per_arc(which: str) -> tuple[list[dict[str, Any]], int]:
    """Floating-point tensors that autograd keeps and that are as long as the arcs, each once.

    And how many tensors it keeps in all.
    """
    layer: nn.Module = LAYERS[which](64, 8, heads=8, dropout=0.6)
    x, index = torch.randn(FEW_NODES, 64, requires_grad=True), circulant(FEW_NODES, MANY_ARCS)
    kept: dict[int, dict[str, Any]] = {}
    seen: set[int] = set()

    def look(tensor: Tensor) -> Tensor:
        place = tensor.untyped_storage().data_ptr()
        seen.add(place)
        per_arc = tensor.dim() > 0 and max(tensor.size(0), tensor.numel()) >= MANY_ARCS
        if per_arc and tensor.is_floating_point():
            shape = {"shape": list(tensor.shape), "bytes": tensor.untyped_storage().nbytes()}
            kept[place] = shape
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(look, lambda tensor: tensor):
        out = layer(x, index)
    out.sum().backward()
    return list(kept.values()), len(seen)


def tables(results: Results) -> list[Table]:
    """Bytes per arc of both."""
    lines = [
        [which, f"{row.result['bytes per arc']:.0f}", f"{row.result['kept bytes per arc']:.0f}"]
        for which, row in results.items()
        if row.is_done
    ]
    columns = ["layer", "peak", "floating-point values that autograd keeps"]
    return [Table("Bytes per arc", columns, lines)]


EXPERIMENT = Experiment(
    NAME,
    "Memory per arc of a training step",
    "One 8 x 8 layer, the int64 `edge_index` included: the slope of the peak between two numbers "
    "of arcs, each in a process of its own.",
    rows,
    tables,
    takes=(),
)
