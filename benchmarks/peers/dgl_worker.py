"""DGL in a process and an environment of its own. Imports nothing of fastgat.

    python -m peers.dgl_worker FILE.npz

FILE holds the model's sizes and weights, features, arcs, labels. Each line of standard input is
answered by one line: `outputs` by a file with what the model gives without dropout, `step`,
`inference` and `pass` by the median seconds of one, `version` by DGL's.
"""

from __future__ import annotations

import os
import sys
from typing import Any

import dgl
import numpy as np
import scipy.sparse as sp
import torch
from dgl.nn import GATConv
from torch import Tensor, nn

from peers.training import make_inference, make_pass, make_step, turn

ANSWER = "answer: "  # begins our lines, since libraries print as well


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


def set_weights(conv: Any, file: Any, prefix: str) -> None:
    """PyG's names on the right."""
    names = {"fc.weight": "lin.weight", "attn_l": "att_src", "attn_r": "att_dst", "bias": "bias"}
    state = {own: torch.from_numpy(file[f"{prefix}.{name}"]) for own, name in names.items()}
    conv.load_state_dict(state)


def main() -> None:
    torch.set_num_threads(os.cpu_count() or 1)
    with np.load(sys.argv[1]) as stored:
        file = dict(stored)
    n = int(file["num_nodes"])
    graph = dgl.graph((file["source"], file["target"]), num_nodes=n)
    graph = dgl.add_self_loop(dgl.remove_self_loop(graph))
    graph.create_formats_()
    if "x" in file:
        x = torch.from_numpy(file["x"]).requires_grad_()
        model: nn.Module = Layer(x.size(1))
        set_weights(model.conv, file, "layer")
        cases = {"pass": make_pass(model, x, graph)}
        model.train()
    else:
        parts = (file["value"], file["column"], file["offset"])
        x = torch.from_numpy(sp.csr_array(parts, shape=(n, int(file["num_features"]))).toarray())
        model = TwoLayerGAT(x.size(1), int(file["num_classes"]))
        set_weights(model.first, file, "first")
        set_weights(model.second, file, "second")
        label, train = torch.from_numpy(file["label"]), torch.from_numpy(file["train"])
        cases = {
            "step": make_step(model, (x, graph), label, train),
            "inference": make_inference(model, (x, graph)),
        }
    for line in sys.stdin:
        if line.strip() == "outputs":
            path = f"{sys.argv[1]}.outputs.npy"
            outputs = make_inference(model, (x, graph))().flatten(1)
            model.train()
            np.save(path, outputs.detach().numpy())
            print(ANSWER + path, flush=True)
        elif line.strip() == "version":
            print(ANSWER + dgl.__version__, flush=True)
        else:
            print(ANSWER + str(turn(cases[line.strip()])), flush=True)


if __name__ == "__main__":
    main()
