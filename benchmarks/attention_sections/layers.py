"""Each attention layer alone, 64 -> 8 x 8: forward and backward, with the features' gradient."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch_geometric import nn as pyg_nn

from attention_sections import Options
from fastgat import nn as fastgat_nn
from fastgat.nn import SortedArcs
from harness import take_turns
from peers import pyg
from peers.agreement import require_equal, require_equal_gradients
from peers.dgl_client import DGL
from peers.node_data import edge_index, load
from peers.training import make_pass, turn

DATASETS = ("photo", "physics")
CHANNELS, HEADS, DROPOUT = 8, 8, 0.6
WIDTH = HEADS * CHANNELS


def make_layers() -> dict[str, tuple[nn.Module, nn.Module, str]]:
    """Ours, the peer, and what the peer is."""
    sizes = (WIDTH, CHANNELS, HEADS)
    shape = {"heads": HEADS, "dropout": DROPOUT}
    ours, theirs = fastgat_nn, pyg_nn
    return {
        "GATConv": (
            ours.GATConv(WIDTH, CHANNELS, **shape),
            theirs.GATConv(WIDTH, CHANNELS, **shape),
            "PyG",
        ),
        "GATv2Conv": (
            ours.GATv2Conv(WIDTH, CHANNELS, **shape),
            theirs.GATv2Conv(WIDTH, CHANNELS, **shape),
            "PyG",
        ),
        "AGNNConv": (ours.AGNNConv(), theirs.AGNNConv(), "PyG"),
        "CosineConv": (
            ours.CosineConv(WIDTH, CHANNELS, **shape),
            pyg.CosineMessages(*sizes, DROPOUT),
            "plain MessagePassing",
        ),
        "GaANConv": (
            ours.GaANConv(WIDTH, CHANNELS, **shape),
            pyg.GaANMessages(*sizes, DROPOUT),
            "plain MessagePassing",
        ),
    }


def require_same(what: str, a: Any, b: Any) -> Tensor:
    """The same outputs and gradients without dropout; returns the outputs."""
    found = []
    for layer, x, edges in (a, b):
        layer.eval()
        found.append((make_pass(layer, x, edges)(), x.grad))
        layer.train()
    (out_a, grad_a), (out_b, grad_b) = found
    require_equal(f"{what}: outputs", out_a, out_b)
    scale = grad_b.abs().max()
    require_equal(f"{what}: gradients of x", grad_a / scale, grad_b / scale)
    require_equal_gradients(what, a[0], b[0])
    return out_b


def measure(dataset: str, options: Options) -> Iterator[dict[str, Any]]:
    data = load(dataset)
    structure, index = SortedArcs.from_graph(data.graph), edge_index(data.graph)
    start = torch.randn(data.graph.num_nodes, WIDTH, generator=torch.Generator().manual_seed(3))
    torch.manual_seed(23)
    for name, (mine, peer, kind) in make_layers().items():
        peer.load_state_dict(mine.state_dict())
        ours_in = (mine, start.clone().requires_grad_(), structure)
        peer_in = (peer, start.clone().requires_grad_(), index)
        expected = require_same(f"{dataset}, {name}", ours_in, peer_in)
        cases = {
            "fastgat": partial(turn, make_pass(*ours_in)),
            kind: partial(turn, make_pass(*peer_in)),
        }
        with ExitStack() as stack:
            if options.dgl_python is not None and name == "GATConv":
                dgl = stack.enter_context(DGL.of_layer(options.dgl_python, data, mine, start))
                require_equal(f"{dataset}, PyG and DGL: outputs", dgl.outputs(), expected)
                cases["DGL"] = partial(dgl.turn, "pass")
            take_turns(cases, 1)  # warms up
            seconds = take_turns(cases, options.repeats)
        yield {
            "dataset": dataset,
            "layer": name,
            "peer": kind,
            "repeats": options.repeats,
            "milliseconds": {case: 1e3 * value for case, value in seconds.items()},
            "ratios": {
                f"fastgat over {case}": value / seconds["fastgat"]
                for case, value in seconds.items()
                if case != "fastgat"
            },
        }


def run(options: Options) -> list[dict[str, Any]]:
    rows = []
    for dataset in options.datasets or DATASETS:
        for row in measure(dataset, options):
            rows.append(row)
            times = ", ".join(f"{case} {ms:.2f} ms" for case, ms in row["milliseconds"].items())
            ratios = ", ".join(f"{ratio:.1f}x" for ratio in row["ratios"].values())
            print(f"{dataset:10s} {row['layer']:10s} {times}: {ratios}", flush=True)
    return rows
