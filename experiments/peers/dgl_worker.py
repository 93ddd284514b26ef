"""DGL in a process and an environment of its own; imports nothing of fastgat.

python -m experiments.peers.dgl_worker
"""

from __future__ import annotations

import os
from typing import Any

import dgl
import scipy.sparse as sp
import torch
from dgl.nn import GATConv
from torch import Tensor, nn

from experiments.peers.steps import make_inference, make_pass, make_step
from experiments.peers.worker import Loaded, serve


class TwoLayerGAT(nn.Module):
    def __init__(self, in_channels: int, num_classes: int, p: float = 0.6) -> None:
        super().__init__()
        self.first = GATConv(in_channels, 8, 8, p, p, activation=nn.functional.elu)
        self.second = GATConv(64, num_classes, 1, p, p)

    def forward(self, x: Tensor, graph: Any) -> Tensor:
        return torch.as_tensor(self.second(graph, self.first(graph, x).flatten(1)).mean(1))


class Layer(nn.Module):
    def __init__(self, in_channels: int) -> None:
        super().__init__()
        self.conv = GATConv(in_channels, 8, 8, 0.0, 0.6)

    def forward(self, x: Tensor, graph: Any) -> Tensor:
        return torch.as_tensor(self.conv(graph, x))


def load(file: dict[str, Any]) -> Loaded:
    """The two-layer GAT of a task, or a layer if the arrays have dense features `x`."""
    n = int(file["num_nodes"])
    graph = dgl.graph((file["arc_source"], file["arc_target"]), num_nodes=n)
    graph = dgl.add_self_loop(dgl.remove_self_loop(graph))
    graph.create_formats_()
    if "x" in file:
        x = torch.from_numpy(file["x"]).requires_grad_()
        model: nn.Module = Layer(x.size(1))
        set_weights(model.conv, file, "")
        cases = {"pass": make_pass(model, x, graph)}
    else:
        parts = (file["value"], file["column"], file["offset"])
        x = torch.from_numpy(sp.csr_array(parts, shape=(n, int(file["num_features"]))).toarray())
        model = TwoLayerGAT(x.size(1), int(file["num_classes"]))
        set_weights(model.first, file, "first.")
        set_weights(model.second, file, "second.")
        label, train = torch.from_numpy(file["label"]), torch.from_numpy(file["train"])
        cases = {
            "step": make_step(model, (x, graph), label, train),
            "inference": make_inference(model, (x, graph)),
        }

    def outputs() -> Any:
        found = make_inference(model, (x, graph))().flatten(1).numpy()
        model.train()
        return found

    return Loaded(cases, outputs)


def set_weights(conv: Any, file: dict[str, Any], prefix: str) -> None:
    """PyG's names on the right."""
    names = {"fc.weight": "lin.weight", "attn_l": "att_src", "attn_r": "att_dst", "bias": "bias"}
    state = {own: torch.from_numpy(file[f"weight.{prefix}{name}"]) for own, name in names.items()}
    conv.load_state_dict(state)


if __name__ == "__main__":
    torch.set_num_threads(os.cpu_count() or 1)
    serve(load, dgl.__version__)
