"""Peak memory of one layer's training step against the number of arcs, and what autograd keeps.

Each size runs in a process of its own; the slope between them leaves out all that does not grow
with arcs. The graph is the circulant of random offsets with its nodes renumbered at random: simple,
symmetric, and written into its edge_index without anything beside it.
"""

from __future__ import annotations

import os
from typing import Any

import torch
from torch import Tensor, nn
from torch_geometric import nn as pyg_nn

from attention_sections import Options
from fastgat import nn as fastgat_nn
from harness import peak_of

NODES, ARCS = 50_000, (2_000_000, 8_000_000)
# So many arcs per node that no tensor of the nodes is as large as one of the arcs.
FEW_NODES, MANY_ARCS = 2_000, 400_000
LAYERS = {"fastgat": fastgat_nn.GATConv, "PyG": pyg_nn.GATConv}


def circulant(num_nodes: int, num_arcs: int) -> Tensor:
    generator = torch.Generator().manual_seed(29)
    number = torch.randperm(num_nodes, generator=generator)
    offsets = 1 + torch.randperm((num_nodes - 1) // 2, generator=generator)
    index = torch.empty(2, num_arcs, dtype=torch.int64)
    for k, block in enumerate(index.split(2 * num_nodes, dim=1)):
        there, back = block.split(num_nodes, dim=1)
        there[0] = back[1] = number
        there[1] = back[0] = number.roll(-int(offsets[k]))
    return index


def train_once(which: str, num_arcs: int) -> None:
    torch.set_num_threads(os.cpu_count() or 1)
    torch.manual_seed(5)
    layer = LAYERS[which](64, 8, heads=8, dropout=0.6)
    adam = torch.optim.Adam(layer.parameters(), fused=True)
    x, index = torch.randn(NODES, 64), circulant(NODES, num_arcs)
    layer(x, index).square().mean().backward()
    adam.step()


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


def run(options: Options) -> dict[str, Any]:
    rows: dict[str, Any] = {"nodes": NODES, "arcs": ARCS}
    for which in LAYERS:
        peaks = [peak_of(train_once, which, arcs)[1] for arcs in ARCS]
        slope = (peaks[1] - peaks[0]) / (ARCS[1] - ARCS[0])
        kept, seen = kept_per_arc(which)
        total = sum(tensor["bytes"] for tensor in kept) / MANY_ARCS
        rows[which] = {
            "peaks": peaks,
            "bytes per arc": slope,
            "kept tensors": kept,
            "kept bytes per arc": total,
            "tensors kept in all": seen,
        }
        print(
            f"{which}: {slope:.1f} bytes per arc (peaks {peaks[0] / 1e9:.2f} and "
            f"{peaks[1] / 1e9:.2f} GB); autograd keeps {seen} tensors, {len(kept)} of "
            f"them floating-point and of the arcs' length, {total:.0f} bytes per arc",
            flush=True,
        )
    if rows["fastgat"]["kept tensors"]:
        raise SystemExit(f"fastgat keeps tensors per arc: {rows['fastgat']['kept tensors']}")
    return rows
